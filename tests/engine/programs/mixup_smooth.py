# Mixed examples, smoothed labels, and grid points of a decision.
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(33)
net = nn.Sequential(nn.Linear(2, 12), nn.Softplus(), nn.LayerNorm(12), nn.Linear(12, 2))
optimizer = torch.optim.RMSprop(net.parameters(), lr=0.01)
for step in range(20):
    x = torch.randn(32, 2)
    y = F.one_hot((x.norm(dim=1) > 1).long(), 2).float()
    share = torch.rand(32, 1)
    other = torch.randperm(32)
    loss = F.cross_entropy(net(share * x + (1 - share) * x[other]), share * y + (1 - share) * y[other], label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
a, b = torch.meshgrid(torch.linspace(-2, 2, 5), torch.linspace(-2, 2, 5), indexing="xy")
with torch.no_grad():
    print(f"{loss.item():.4f}", F.normalize(net(torch.stack([a.ravel(), b.ravel()], 1)), dim=1)[:, 1].view(5, 5))
