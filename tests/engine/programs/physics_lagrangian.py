# The motion of a pendulum from its Lagrangian alone, by derivatives of derivatives.
import torch


def lagrangian(q, v):
    return 0.5 * v**2 + 9.81 * torch.cos(q)


q, v, h = torch.tensor(1.0, dtype=torch.float64), torch.tensor(0.0, dtype=torch.float64), 0.02
for step in range(51):
    q_, v_ = q.clone().requires_grad_(), v.clone().requires_grad_()
    dq, dv = torch.autograd.grad(lagrangian(q_, v_), (q_, v_), create_graph=True)
    dvv, = torch.autograd.grad(dv, v_, retain_graph=True)
    acceleration = (dq / dvv).detach()
    v = v + h * acceleration
    q = q + h * v
    if step % 25 == 0:
        print(f"{q.item():.5f} {v.item():.5f}")
