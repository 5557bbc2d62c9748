# Samples from an energy, by noisy steps down its gradient.
import torch

torch.manual_seed(32)
x = torch.randn(64, 2)
for step in range(30):
    x.requires_grad_(True)
    energy = ((x**2).sum(1) - 1) ** 2 + 0.3 * x[:, 0]
    slope, = torch.autograd.grad(energy.sum(), x)
    with torch.no_grad():
        x = x - 0.05 * slope + 0.1 * torch.randn_like(x)
    if step % 10 == 9:
        print(f"{energy.mean().item():.4f} {x.mean(0)[0].item():.4f}")
print(torch.histc(x.norm(dim=1), bins=4, min=0, max=2))
