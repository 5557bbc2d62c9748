# Newton's method, with conjugate gradients on Hessian-vector products.
import torch


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


x = torch.full((4,), 1.2, dtype=torch.float64, requires_grad=True)
for step in range(6):
    loss = rosenbrock(x)
    g, = torch.autograd.grad(loss, x, create_graph=True)
    d = torch.zeros_like(x)
    r = -g.detach()
    p, rr = r.clone(), r.dot(r)
    for _ in range(4):
        Hp, = torch.autograd.grad(g, x, p, retain_graph=True)
        alpha = rr / p.dot(Hp)
        d = d + alpha * p
        r = r - alpha * Hp
        new = r.dot(r)
        if new < 1e-18:
            break
        p, rr = r + new / rr * p, new
    with torch.no_grad():
        x += d
    print(step, f"{loss.item():.6f}")
print(x.detach())
