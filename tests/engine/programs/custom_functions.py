# Functions with backward rules of their own: a straight-through estimator, a clipped gradient, a stable loss.
import torch
from torch.autograd import Function


class Round(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class Clip(Function):
    @staticmethod
    def forward(ctx, x, limit):
        ctx.limit = limit
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-ctx.limit, ctx.limit), None


class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        top = x.max()
        result = (x - top).exp().sum().log() + top
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * (x - result).exp()


torch.manual_seed(15)
x = (torch.randn(4, dtype=torch.float64) * 3).requires_grad_()
y = LogSumExp.apply(Clip.apply(Round.apply(x), 0.25))
y.backward()
print(y, x.grad)
print(torch.autograd.gradcheck(LogSumExp.apply, x))
print(torch.autograd.gradgradcheck(LogSumExp.apply, x))
