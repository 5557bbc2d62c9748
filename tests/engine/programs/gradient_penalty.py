# A Wasserstein critic with a gradient penalty, and a generator.
import torch
from torch import nn

torch.manual_seed(3)
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
maker = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
best = torch.optim.RMSprop(critic.parameters(), lr=5e-3), torch.optim.RMSprop(maker.parameters(), lr=5e-3)
for step in range(8):
    real = torch.randn(32, 2) * 0.5 + torch.tensor([1.0, -1.0])
    fake = maker(torch.randn(32, 2)).detach()
    share = torch.rand(32, 1)
    between = (share * real + (1 - share) * fake).requires_grad_(True)
    slopes, = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    penalty = ((slopes.norm(2, dim=1) - 1) ** 2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    best[0].zero_grad()
    loss.backward()
    best[0].step()
    best[1].zero_grad()
    moved = -critic(maker(torch.randn(32, 2))).mean()
    moved.backward()
    best[1].step()
    print(f"{loss.item():.4f} {penalty.item():.4f} {moved.item():.4f}")
