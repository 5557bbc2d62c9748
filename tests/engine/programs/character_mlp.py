# A character model with an embedding, batch norm by hand, and its own layers.
import torch
import torch.nn.functional as F

words = ["emma", "olivia", "ava", "isabella", "sophia", "charlotte", "mia", "amelia", "harper", "evelyn"]
chars = sorted(set("".join(words)))
stoi = {s: i + 1 for i, s in enumerate(chars)}
stoi["."] = 0
X, Y = [], []
for w in words:
    context = [0] * 3
    for ch in w + ".":
        X.append(context)
        Y.append(stoi[ch])
        context = context[1:] + [stoi[ch]]
X, Y = torch.tensor(X), torch.tensor(Y)
g = torch.Generator().manual_seed(2147483647)
C = torch.randn((len(stoi), 4), generator=g)
W1 = torch.randn((12, 30), generator=g) * (5 / 3) / (12**0.5)
W2 = torch.randn((30, len(stoi)), generator=g) * 0.01
b2 = torch.zeros(len(stoi))
gain, shift = torch.ones((1, 30)), torch.zeros((1, 30))
parameters = [C, W1, W2, b2, gain, shift]
for p in parameters:
    p.requires_grad = True
for i in range(60):
    ix = torch.randint(0, X.shape[0], (16,), generator=g)
    h = C[X[ix]].view(16, -1) @ W1
    h = gain * (h - h.mean(0, keepdim=True)) / h.std(0, keepdim=True) + shift
    loss = F.cross_entropy(torch.tanh(h) @ W2 + b2, Y[ix])
    for p in parameters:
        p.grad = None
    loss.backward()
    for p in parameters:
        p.data += -0.1 * p.grad
    if i % 20 == 0:
        print(i, f"{loss.item():.4f}")
