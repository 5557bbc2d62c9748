# A block of a transformer: several heads, a causal mask, layer norm, and a short training.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(2)])
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = self.qkv(self.norms[0](x)).split(c, dim=2)
        q, k, v = (p.view(n, t, self.heads, c // self.heads).transpose(1, 2) for p in (q, k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(torch.tril(torch.ones(t, t)) == 0, float("-inf"))
        mixed = (F.softmax(scores, dim=-1) @ v).transpose(1, 2).contiguous().view(n, t, c)
        x = x + self.out(mixed)
        return x + self.mlp(self.norms[1](x))


torch.manual_seed(6)
model = nn.Sequential(nn.Embedding(11, 16), Block(16, 4), Block(16, 4), nn.Linear(16, 11))
print(sum(p.numel() for p in model.parameters()))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(12):
    start = torch.randint(0, 11, (8, 1))
    rows = (start + torch.arange(9)) % 11
    logits = model(rows[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, 11), rows[:, 1:].reshape(-1))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        print(f"{loss.item():.4f}")
