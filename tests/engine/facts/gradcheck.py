# ruff: noqa
"""Facts, area gradcheck: `gradcheck`, `gradgradcheck`, and `testing`."""
import numpy as np

import minigrad as mg

# %% gradcheck.passes | 14 | torch docs: gradcheck
x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(lambda x: x ** 3, x), mg.autograd.gradcheck(mg.sin, (x,)))

# %% gradcheck.two_inputs | 14 | torch docs: gradcheck
x = mg.tensor([[1.0, 2.0]], dtype=mg.float64, requires_grad=True)
w = mg.tensor([[3.0], [4.0]], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(lambda x, w: x @ w, (x, w)))

# %% gradcheck.wrong_factor | 14 | course 14.5
class Bad(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3
    @staticmethod
    def backward(ctx, g):
        return g * 2
x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
mg.autograd.gradcheck(Bad.apply, x)

# %% gradcheck.raise_exception_false | 14 | torch docs: gradcheck
class Bad(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3
    @staticmethod
    def backward(ctx, g):
        return g * 2
x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(Bad.apply, x, raise_exception=False))

# %% gradcheck.no_input_requires_grad | 14 | torch docs: gradcheck
mg.autograd.gradcheck(lambda x: x * 2, mg.tensor([1.0], dtype=mg.float64))

# %% gradcheck.no_inputs | 14 | torch docs: gradcheck
mg.autograd.gradcheck(lambda: mg.ones(1), ())

# %% gradcheck.single_precision_warns | 14 | course 14.5
x = mg.tensor([1.0], requires_grad=True)
print(mg.autograd.gradcheck(lambda x: x * 2, x, eps=1e-2, atol=1e-2))

# %% gradcheck.output_not_tensor | 14 | torch docs: gradcheck
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
mg.autograd.gradcheck(lambda x: 5.0, x)

# %% gradcheck.output_without_grad | 14 | torch docs: gradcheck
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(lambda x: x.detach().round(), x))

# %% gradcheck.detached_output | 14 | torch docs: gradcheck
# The function does depend on x, but its output says it does not.
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
mg.autograd.gradcheck(lambda x: x.detach() * 2, x)

# %% gradcheck.expanded_input | 14 | torch docs: gradcheck
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
mg.autograd.gradcheck(lambda x: x * 2, x.expand(3))

# %% gradcheck.kink | 14 | course 14.5
# At the corner of relu the numerical slope is one half.
x = mg.tensor([0.0], dtype=mg.float64, requires_grad=True)
mg.autograd.gradcheck(mg.relu, x)

# %% gradcheck.several_outputs | 14 | torch docs: gradcheck
x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(lambda x: (x * 2, x.exp(), x.sum()), x))

# %% gradcheck.second_output_wrong | 14 | torch docs: gradcheck
class Bad(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3
    @staticmethod
    def backward(ctx, g, h):
        return g * 2 + h * 4
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
mg.autograd.gradcheck(Bad.apply, x)

# %% gradcheck.transposed | 14 | course 14.5
class Bad(mg.autograd.Function):
    @staticmethod
    def forward(ctx, A, x):
        ctx.save_for_backward(A, x)
        return A @ x
    @staticmethod
    def backward(ctx, g):
        A, x = ctx.saved_tensors
        return mg.outer(g, x), A @ g
A = mg.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=mg.float64)
x = mg.tensor([1.0, -1.0], dtype=mg.float64, requires_grad=True)
mg.autograd.gradcheck(lambda x: Bad.apply(A, x), x)

# %% gradcheck.fast_mode | 14 | torch docs: gradcheck
x = mg.tensor([1.0, 2.0, 3.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(lambda x: x.exp(), x, fast_mode=True))

# %% gradcheck.batched | 10 14 | torch docs: gradcheck
x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(lambda x: x * x, x, check_batched_grad=True))

# %% gradcheck.undefined_grad | 14 | torch docs: gradcheck
# A backward that cannot do without one of its gradients.
class NeedsBoth(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3
    @staticmethod
    def backward(ctx, g, h):
        return g * 2 + h * 3
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
mg.autograd.gradcheck(NeedsBoth.apply, x)

# %% gradcheck.undefined_grad_off | 14 | torch docs: gradcheck
class NeedsBoth(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3
    @staticmethod
    def backward(ctx, g, h):
        g = 0 if g is None else g
        h = 0 if h is None else h
        return mg.as_tensor(g * 2 + h * 3)
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(NeedsBoth.apply, x, check_undefined_grad=False))

# %% gradcheck.nondeterministic | 14 | torch docs: gradcheck
count = [0]
class Moody(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        count[0] += 1
        return g * (2 + 1e-9 * count[0])
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
mg.autograd.gradcheck(Moody.apply, x)

# %% gradcheck.nondet_tol | 14 | torch docs: gradcheck
count = [0]
class Moody(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        count[0] += 1
        return g * (2 + 1e-9 * count[0])
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(Moody.apply, x, nondet_tol=1e-6))

# %% gradcheck.non_tensor_input | 14 | torch docs: gradcheck
x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(lambda x, k: x * k, (x, 3)))

# %% gradcheck.second.passes | 14 | torch docs: gradgradcheck
x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradgradcheck(lambda x: x ** 3, x), mg.autograd.gradgradcheck(mg.sin, x))

# %% gradcheck.second.given_grad_outputs | 14 | torch docs: gradgradcheck
x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
v = mg.tensor([1.0, 0.5], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradgradcheck(lambda x: x.exp(), x, v))

# %% gradcheck.second.dead_second_order | 14 | course 14.1
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.e = x.exp()
        return ctx.e * 1
    @staticmethod
    def backward(ctx, g):
        return g * ctx.e
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(Exp.apply, x))
mg.autograd.gradgradcheck(Exp.apply, x, mg.ones(1, dtype=mg.float64, requires_grad=True))

# %% gradcheck.second.returned_output_attribute | 14 | course 14.1
# Storing the returned tensor itself passes both checks.
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.y = y
        return y
    @staticmethod
    def backward(ctx, g):
        return g * ctx.y
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(Exp.apply, x), mg.autograd.gradgradcheck(Exp.apply, x))

# %% gradcheck.second.once_differentiable | 14 | course 14.6
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y
    @staticmethod
    @mg.autograd.function.once_differentiable
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
mg.autograd.gradgradcheck(Exp.apply, x, mg.ones(1, dtype=mg.float64, requires_grad=True))

# %% gradcheck.assert_close.passes | 03 | torch docs: testing
mg.testing.assert_close(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 2.0 + 1e-7]))
mg.testing.assert_close(1.0, 1.0)
mg.testing.assert_close(mg.tensor([1.0]), mg.tensor([1.1]), rtol=0.2, atol=0.0)

# %% gradcheck.assert_close.shape | 03 | torch docs: testing
mg.testing.assert_close(mg.zeros(2), mg.zeros(3))

# %% gradcheck.assert_close.dtype | 03 | torch docs: testing
mg.testing.assert_close(mg.zeros(2), mg.zeros(2, dtype=mg.float64))

# %% gradcheck.comparisons | 03 | torch docs: allclose
a = mg.tensor([1.0, 2.0])
print(mg.allclose(a, a + 1e-9), mg.allclose(a, a + 1), mg.equal(a, a.clone()), mg.equal(a, mg.tensor([1.0])), mg.isclose(a, mg.tensor([1.0, 3.0])))
print(mg.isnan(mg.tensor([float("nan"), 1.0])), mg.isinf(mg.tensor([float("inf"), 1.0])), mg.isfinite(mg.tensor([float("inf"), 1.0])))

# %% gradcheck.warns_of_nothing.$ | 03 | torch docs: gradcheck
# Differences that are no numbers are reported, not warned about.
#: sqrt | mg.autograd.gradcheck(lambda a: a.sqrt(), x)
#: eps  | mg.autograd.gradcheck(lambda a: a * 2, x, eps=0)
x = mg.zeros(2, dtype=mg.float64, requires_grad=True)
...
