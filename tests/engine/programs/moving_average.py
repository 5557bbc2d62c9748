# A copy of a network that follows its running mean, state dicts, and a deep copy.
import copy

import torch
from torch import nn

torch.manual_seed(31)
net = nn.ModuleDict({"body": nn.Linear(2, 3), "head": nn.Sequential(nn.Tanh(), nn.Linear(3, 1))})
slow = copy.deepcopy(net)
extra = nn.ParameterList([torch.ones(2), torch.zeros(1)])
optimizer = torch.optim.SGD([*net.parameters(), *extra], lr=0.1)
for step in range(5):
    x = torch.randn(8, 2)
    out = net["head"](net["body"](x * extra[0])) + extra[1]
    loss = (out - x.prod(1, keepdim=True)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for a, b in zip(slow.parameters(), net.parameters()):
            a.mul_(0.9).add_(b, alpha=0.1)
    print(f"{loss.item():.4f}")
print(list(slow.state_dict()), slow.load_state_dict(net.state_dict()))
print(extra[0].data, all((a == b).all() for a, b in zip(slow.parameters(), net.parameters())))
