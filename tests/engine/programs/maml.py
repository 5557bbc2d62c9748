# Model-agnostic meta-learning on sines of several phases.
import math

import torch
import torch.nn.functional as F

torch.manual_seed(2)
params = [torch.nn.init.xavier_uniform_(torch.empty(12, 1)).requires_grad_(), torch.zeros(12, requires_grad=True),
          torch.nn.init.xavier_uniform_(torch.empty(1, 12)).requires_grad_(), torch.zeros(1, requires_grad=True)]


def net(x, p):
    return F.linear(torch.tanh(F.linear(x, p[0], p[1])), p[2], p[3])


optimizer = torch.optim.Adam(params, lr=0.02)
for step in range(10):
    total = 0.0
    for _ in range(4):
        phase = torch.rand(1) * math.pi
        x, x2 = torch.rand(10, 1) * 4 - 2, torch.rand(10, 1) * 4 - 2
        inner = F.mse_loss(net(x, params), torch.sin(x + phase))
        grads = torch.autograd.grad(inner, params, create_graph=True)
        fast = [p - 0.1 * g for p, g in zip(params, grads)]
        total = total + F.mse_loss(net(x2, fast), torch.sin(x2 + phase))
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    if step % 3 == 0:
        print(step, f"{total.item():.4f}")
