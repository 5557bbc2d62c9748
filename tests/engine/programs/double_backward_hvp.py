# The largest eigenvalue of a loss's Hessian, by power iteration; its trace, by Hutchinson's estimate.
import torch
from torch import nn

torch.manual_seed(12)
net = nn.Sequential(nn.Linear(2, 6), nn.Softplus(), nn.Linear(6, 1)).double()
x, t = torch.randn(20, 2, dtype=torch.float64), torch.randn(20, 1, dtype=torch.float64)
params = list(net.parameters())
grads = torch.autograd.grad(nn.functional.mse_loss(net(x), t), params, create_graph=True)
flat = torch.cat([g.reshape(-1) for g in grads])
v = torch.ones_like(flat)
for _ in range(30):
    v = v / v.norm()
    hv = torch.cat([g.reshape(-1) for g in torch.autograd.grad(flat, params, v, retain_graph=True)])
    value, v = v.dot(hv).item(), hv.detach()
print(f"{value:.4f}")
total = 0.0
for _ in range(10):
    z = torch.randint(0, 2, flat.shape, dtype=torch.float64) * 2 - 1
    total += sum((g * w).sum() for g, w in zip(
        torch.autograd.grad(flat, params, z, retain_graph=True), z.split([p.numel() for p in params]) and
        [part.view_as(p) for part, p in zip(z.split([p.numel() for p in params]), params)]))
print(f"{total.item() / 10:.4f}")
