# An optimizer that is learnt: step sizes trained through an unrolled inner loop.
import torch

torch.manual_seed(13)
log_lr = torch.full((3,), -3.0, requires_grad=True)
outer = torch.optim.Adam([log_lr], lr=0.1)
for task in range(8):
    A = torch.randn(5, 3)
    b = torch.randn(5)
    w = torch.zeros(3, requires_grad=True)
    losses = []
    for _ in range(6):
        loss = ((A @ w - b) ** 2).mean()
        g, = torch.autograd.grad(loss, w, create_graph=True)
        w = w - log_lr.exp() * g
        losses.append(loss)
    meta = torch.stack(losses).sum()
    outer.zero_grad()
    meta.backward()
    outer.step()
    print(f"{meta.item():.4f}", [round(v, 3) for v in log_lr.tolist()])
