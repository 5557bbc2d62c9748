# A flow of affine couplings, trained by maximum likelihood.
import math

import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 2))

    def forward(self, x):
        a, b = x.chunk(2, dim=1)
        if self.flip:
            a, b = b, a
        scale, shift = self.net(a).chunk(2, dim=1)
        scale = torch.tanh(scale)
        b = b * scale.exp() + shift
        return torch.cat([b, a] if self.flip else [a, b], dim=1), scale.sum(1)


torch.manual_seed(4)
flow = nn.ModuleList([Coupling(k % 2) for k in range(4)])
optimizer = torch.optim.Adam(flow.parameters(), lr=0.01)
x1 = torch.randn(128) * 0.7
data = torch.stack([x1, x1 ** 2 + 0.1 * torch.randn(128)], 1)
for step in range(31):
    z, log_det = data, 0.0
    for layer in flow:
        z, change = layer(z)
        log_det = log_det + change
    loss = (0.5 * (z ** 2).sum(1) + math.log(2 * torch.pi) - log_det).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, f"{loss.item():.4f}")
