# Word vectors from neighbours, with negative samples.
import torch
import torch.nn.functional as F
from torch import nn

text = "the cat sat on the mat the dog sat on the rug the cat saw the dog".split()
vocab = sorted(set(text))
ids = torch.tensor([vocab.index(w) for w in text])
torch.manual_seed(25)
inside, outside = nn.Embedding(len(vocab), 6), nn.Embedding(len(vocab), 6)
optimizer = torch.optim.SGD([*inside.parameters(), *outside.parameters()], lr=0.5)
weights = torch.bincount(ids, minlength=len(vocab)).float() ** 0.75
for epoch in range(4):
    total = 0.0
    for k in torch.randperm(len(ids) - 2).tolist():
        centre, near = ids[k + 1], ids[[k, k + 2]]
        far = torch.multinomial(weights, 3, replacement=True)
        v = inside(centre)
        loss = -F.logsigmoid(outside(near) @ v).sum() - F.logsigmoid(-(outside(far) @ v)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(epoch, f"{total:.3f}")
print(F.cosine_similarity(inside.weight[:1], inside.weight[1:3]))
