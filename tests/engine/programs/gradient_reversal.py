# One trunk, two heads: what tells the domains apart is turned round on its way back.
import torch
from torch import nn
from torch.autograd import Function


class Reverse(Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.alpha, None


torch.manual_seed(9)
trunk, label, domain = nn.Linear(2, 8), nn.Linear(8, 2), nn.Linear(8, 2)
every = [*trunk.parameters(), *label.parameters(), *domain.parameters()]
optimizer = torch.optim.SGD(every, lr=0.1, momentum=0.9)
for step in range(10):
    x = torch.randn(32, 2)
    where = torch.bernoulli(torch.full((32,), 0.5)).long()
    x = x + where.unsqueeze(1) * torch.tensor([0.0, 2.0])
    y = (x[:, 0] > 0).long()
    h = torch.relu(trunk(x))
    a = nn.functional.cross_entropy(label(h), y)
    b = nn.functional.cross_entropy(domain(Reverse.apply(h, 0.5)), where)
    optimizer.zero_grad()
    (a + b).backward()
    optimizer.step()
    if step % 3 == 0:
        print(f"{a.item():.4f} {b.item():.4f}")
