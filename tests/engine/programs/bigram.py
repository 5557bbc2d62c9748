# Letters that follow one another: counts, then the same by gradient descent, and names drawn from both.
import torch
import torch.nn.functional as F

words = ["emma", "olivia", "ava", "isabella", "sophia", "mia", "amelia", "luna", "aria", "ella"]
letters = ["."] + sorted(set("".join(words)))
to_int = {c: i for i, c in enumerate(letters)}
N = torch.zeros((len(letters), len(letters)), dtype=torch.int32)
xs, ys = [], []
for w in words:
    for a, b in zip("." + w, w + "."):
        N[to_int[a], to_int[b]] += 1
        xs.append(to_int[a])
        ys.append(to_int[b])
P = (N + 1).float()
P /= P.sum(1, keepdim=True)
g = torch.Generator().manual_seed(2147483647)
for _ in range(4):
    out, ix = [], 0
    while True:
        ix = torch.multinomial(P[ix], num_samples=1, replacement=True, generator=g).item()
        out.append(letters[ix])
        if ix == 0:
            break
    print("".join(out))
xs, ys = torch.tensor(xs), torch.tensor(ys)
W = torch.randn((len(letters), len(letters)), generator=g, requires_grad=True)
for k in range(20):
    logits = F.one_hot(xs, num_classes=len(letters)).float() @ W
    counts = logits.exp()
    probs = counts / counts.sum(1, keepdims=True)
    loss = -probs[torch.arange(len(xs)), ys].log().mean() + 0.01 * (W**2).mean()
    W.grad = None
    loss.backward()
    W.data += -10 * W.grad
print(f"{loss.item():.4f}")
