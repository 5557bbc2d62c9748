import torch
from torch import nn

torch.manual_seed(20)
net = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.LayerNorm(5), nn.Linear(5, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    x = torch.randn(16, 3)
    loss = nn.SmoothL1Loss()(net(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}")
print(net[1].running_mean, net[1].num_batches_tracked)
net.eval()
print(net(torch.ones(2, 3)))
image = nn.BatchNorm2d(2, momentum=None)
for _ in range(2):
    out = image(torch.randn(3, 2, 4, 4) + 2)
print(image.running_mean, image.running_var, out.mean().abs().item() < 1e-5)
