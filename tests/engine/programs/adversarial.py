# A step along the sign of the gradient of the input.
import torch
from torch import nn

torch.manual_seed(29)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU6(), nn.Linear(16, 3), nn.LogSoftmax(dim=1))
x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
x.requires_grad_()
before = nn.NLLLoss(reduction="none")(net(x), y)
slope, = torch.autograd.grad(before.sum(), x)
after = nn.NLLLoss(reduction="none")(net(x + 0.1 * slope.sign()), y)
print((after > before).all(), before.mean(), after.mean())
