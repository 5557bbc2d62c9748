# Jacobians and Hessians in four ways.
import torch
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp

torch.manual_seed(22)
W = torch.randn(3, 3, dtype=torch.float64)


def f(x):
    return torch.tanh(W @ x) * x.prod()


x = torch.rand(3, dtype=torch.float64)
J = jacobian(f, x)
rows = []
leaf = x.clone().requires_grad_()
out = f(leaf)
for k in range(3):
    rows.append(torch.autograd.grad(out[k], leaf, retain_graph=True)[0])
print(torch.allclose(J, torch.stack(rows)), J.norm())
basis = torch.eye(3, dtype=torch.float64)
print(torch.allclose(torch.stack([jvp(f, x, e)[1] for e in basis], 1), J))
H = hessian(lambda x: f(x).sum(), x)
print(torch.dist(H, H.t()) < 1e-12, torch.trace(H))
print(torch.allclose(hvp(lambda x: f(x).sum(), x, basis[0])[1], H[0]), vhp(lambda x: f(x).sum(), x, basis[1])[1])
with torch.autograd.forward_ad.dual_level():
    dual = torch.autograd.forward_ad.make_dual(x, basis[2])
    print(torch.autograd.forward_ad.unpack_dual(f(dual)).tangent)
