# A matrix completed by two factors, from a part of its entries.
import torch

torch.manual_seed(27)
truth = torch.randn(8, 2) @ torch.randn(2, 6)
mask = torch.rand(8, 6) < 0.6
U, V = torch.nn.Parameter(torch.randn(8, 2)), torch.nn.Parameter(torch.randn(2, 6))
optimizer = torch.optim.Adam([U, V], lr=0.1)
for step in range(61):
    loss = (U @ V - truth)[mask].pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(step, f"{loss.item():.4f}")
print(mask.sum().item(), f"{torch.dist(U @ V, truth).item():.3f}")
