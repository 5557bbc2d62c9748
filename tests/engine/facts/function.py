# ruff: noqa
"""Facts, area function: `autograd.Function`, its context, and what it checks."""
import numpy as np

import minigrad as mg

# %% function.apply.square | 14 | torch docs: extending
class Square(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2 * x * g
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = Square.apply(x)
y.sum().backward()
print(type(y.grad_fn).__name__, y.grad_fn.name())

# %% function.apply.constant_input | 14 | torch docs: extending
class Square(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x
    @staticmethod
    def backward(ctx, g):
        return g
y = Square.apply(mg.tensor([1.0, 2.0]))

# %% function.apply.no_grad_inside_forward | 14 | torch docs: extending
# forward runs without recording; its inputs still say that they require grad.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(mg.is_grad_enabled(), x.requires_grad, (x * 2).requires_grad, x.is_leaf)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        print(mg.is_grad_enabled(), g.requires_grad)
        return g * 2
x = mg.tensor([1.0], requires_grad=True)
F.apply(x).backward()

# %% function.apply.grad_mode_in_backward | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        print(mg.is_grad_enabled(), x.requires_grad, g.requires_grad)
        return g * 3 * x ** 2
x = mg.tensor(2.0, requires_grad=True)
y = F.apply(x)
g, = mg.autograd.grad(y, x, create_graph=True)
h, = mg.autograd.grad(g, x)
print(h)

# %% function.apply.several_inputs_outputs | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a + b, a * b
    @staticmethod
    def backward(ctx, g1, g2):
        a, b = ctx.saved_tensors
        return g1 + g2 * b, g1 + g2 * a
a = mg.tensor([1.0, 2.0], requires_grad=True)
b = mg.tensor([3.0, 4.0], requires_grad=True)
s, p = F.apply(a, b)
(s * 10 + p).sum().backward()
print(s.grad_fn is p.grad_fn, s.output_nr, p.output_nr)

# %% function.apply.unused_output_is_zeros | 14 | torch docs: set_materialize_grads
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2, a.sum()
    @staticmethod
    def backward(ctx, g1, g2):
        print(g1, g2)
        return g1 * 2 + g2
a = mg.tensor([1.0, 2.0], requires_grad=True)
p, q = F.apply(a)
p.sum().backward()

# %% function.apply.unused_output_is_none | 14 | torch docs: set_materialize_grads
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.set_materialize_grads(False)
        return a * 2, a.sum()
    @staticmethod
    def backward(ctx, g1, g2):
        print(g1, g2)
        return g1 * 2
a = mg.tensor([1.0, 2.0], requires_grad=True)
p, q = F.apply(a)
p.sum().backward()

# %% function.apply.non_tensor_arguments | 14 | torch docs: extending
# One gradient per argument; None for what is no tensor.
class Scale(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, label):
        ctx.factor = factor
        return x * factor
    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None, None
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = Scale.apply(x, 3.0, "label")
y.sum().backward()

# %% function.apply.trailing_nones_allowed | 14 | torch docs: extending
# Too many gradients are allowed as long as the extra ones are None.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2, None, None
x = mg.tensor([1.0], requires_grad=True)
F.apply(x).backward()

# %% function.apply.too_many | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2, g
x = mg.tensor([1.0], requires_grad=True)
F.apply(x).backward()

# %% function.apply.too_few | 14 | course 14.2
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y
    @staticmethod
    def backward(ctx, g):
        return g
x = mg.tensor([1.0], requires_grad=True)
F.apply(x, x).backward()

# %% function.apply.gradient_shape | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return mg.ones(3)
x = mg.tensor([1.0, 2.0], requires_grad=True)
F.apply(x).sum().backward()

# %% function.apply.gradient_expandable | 14 | torch docs: extending
# A gradient that was broadcast is summed back to the shape of its input.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x + mg.zeros(3, 2)
    @staticmethod
    def backward(ctx, g):
        return g
x = mg.tensor([1.0, 2.0], requires_grad=True)
F.apply(x).sum().backward()

# %% function.apply.gradient_dtype | 14 | torch docs: extending
# A gradient of another dtype is cast.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g.double() * 2
x = mg.tensor([1.0, 2.0], requires_grad=True)
F.apply(x).sum().backward()

# %% function.apply.gradient_none | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return None
x = mg.tensor([1.0, 2.0], requires_grad=True)
F.apply(x).sum().backward()

# %% function.apply.gradient_number | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return 2.0
x = mg.tensor(1.0, requires_grad=True)
F.apply(x).backward()

# %% function.apply.gradient_for_constant | 14 | torch docs: extending
# A gradient for an input that did not ask for one is dropped.
class Mul(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        print(ctx.needs_input_grad)
        return g * b, g * a
a = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(3.0)
Mul.apply(a, b).backward()

# %% function.apply.needs_input_grad_forward | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        print(ctx.needs_input_grad)
        return a * b
    @staticmethod
    def backward(ctx, g):
        return None, None, None
F.apply(mg.tensor(1.0, requires_grad=True), mg.tensor(1.0), 5)

# %% function.apply.keyword | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a
    @staticmethod
    def backward(ctx, g):
        return g
F.apply(a=mg.ones(1))

# %% function.apply.call_instance | 14 | course 14.1
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g
F()(mg.ones(1))

# %% function.apply.instantiate | 14 | course 14.1
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
F()

# %% function.apply.no_backward | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
x = mg.tensor(1.0, requires_grad=True)
y = F.apply(x)
y.backward()

# %% function.apply.no_forward | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        return g
F.apply(mg.ones(1))

# %% function.apply.returns_list | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return [a * 2, a * 3]
    @staticmethod
    def backward(ctx, *gs):
        return gs[0]
x = mg.tensor(1.0, requires_grad=True)
y = F.apply(x)
print(type(y).__name__)

# %% function.apply.returns_number | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return 5.0, a * 2
    @staticmethod
    def backward(ctx, g0, g1):
        print(g0, g1)
        return g1 * 2
x = mg.tensor(1.0, requires_grad=True)
n, y = F.apply(x)
print(n)
y.backward()

# %% function.apply.returns_none | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return None
    @staticmethod
    def backward(ctx, g):
        return g
print(F.apply(mg.ones(1, requires_grad=True)))

# %% function.apply.returns_input | 14 | torch docs: extending
# An input that is returned as it is becomes a view of it with its own node.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a
    @staticmethod
    def backward(ctx, g):
        return g * 10
x = mg.tensor([1.0], requires_grad=True)
y = F.apply(x)
print(y is x)
y.backward()

# %% function.apply.returns_view | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a.view(-1)
    @staticmethod
    def backward(ctx, g):
        return g.view(2, 2) * 10
x = mg.ones(2, 2, requires_grad=True)
h = x * 1
y = F.apply(h)
print(y._is_view(), y._base is h)
y.sum().backward()

# %% function.apply.returns_view_written | 12 14 | torch docs: extending
# A view made by a custom Function may not be written: the engine cannot replay it.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a.view(-1)
    @staticmethod
    def backward(ctx, g):
        return g.view(2, 2)
x = mg.ones(2, 2, requires_grad=True)
h = x * 1
y = F.apply(h)
y.mul_(2)

# %% function.apply.returns_int | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2, mg.tensor([1, 2])
    @staticmethod
    def backward(ctx, g, h):
        print(h)
        return g * 2
x = mg.tensor(1.0, requires_grad=True)
y, n = F.apply(x)
y.backward()

# %% function.apply.same_tensor_twice | 14 | torch docs: extending
class Mul(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a
x = mg.tensor(3.0, requires_grad=True)
Mul.apply(x, x).backward()

# %% function.apply.error_in_forward | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        raise ValueError("in forward")
    @staticmethod
    def backward(ctx, g):
        return g
try:
    F.apply(mg.ones(1, requires_grad=True))
except ValueError as error:
    print(error, mg.is_grad_enabled())

# %% function.apply.error_in_backward | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        raise ValueError("in backward")
F.apply(mg.ones(1, requires_grad=True)).backward()

# %% function.apply.not_static | 14 | torch docs: extending
class F(mg.autograd.Function):
    def forward(self, a):
        return a * 2
    def backward(self, g):
        return g * 2
x = mg.tensor(1.0, requires_grad=True)
F.apply(x).backward()

# %% function.apply.under_no_grad | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        print(ctx.needs_input_grad)
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g
with mg.no_grad():
    y = F.apply(mg.ones(1, requires_grad=True))

# %% function.save.second_backward | 07 14 | torch docs: save_for_backward
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2 * x * g
x = mg.tensor(3.0, requires_grad=True)
y = F.apply(x)
y.backward()
y.backward()

# %% function.save.nothing_saved_twice | 07 14 | torch docs: save_for_backward
# Attributes are not freed: a Function that saves nothing can run again.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x.detach()
        return x * x
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.x * g
x = mg.tensor(3.0, requires_grad=True)
y = F.apply(x)
y.backward()
y.backward()

# %% function.save.version_checked | 11 14 | course 14.7
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2 * x * g
x = mg.tensor([3.0], requires_grad=True)
h = x * 1
y = F.apply(h)
h.zero_()
y.backward()

# %% function.save.attribute_unchecked | 11 14 | course 14.7
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.x * g
x = mg.tensor([3.0], requires_grad=True)
h = x * 1
y = F.apply(h)
h.zero_()
y.backward()

# %% function.save.output | 14 | course 14.1
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y
x = mg.tensor(1.0, dtype=mg.float64, requires_grad=True)
y = Exp.apply(x)
g, = mg.autograd.grad(y, x, create_graph=True)
h, = mg.autograd.grad(g, x)
print(g.item() == h.item())

# %% function.save.intermediate_is_dead | 14 | course 14.1
# An intermediate has no history: the first derivative is right, the second silently wrong.
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.e = x.exp()
        return ctx.e * 1
    @staticmethod
    def backward(ctx, g):
        return g * ctx.e
x = mg.tensor(1.0, dtype=mg.float64, requires_grad=True)
y = Exp.apply(x)
g, = mg.autograd.grad(y, x, create_graph=True)
print(g.requires_grad)

# %% function.save.none_and_order | 14 | torch docs: save_for_backward
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, None, b)
        return a * b
    @staticmethod
    def backward(ctx, g):
        print(ctx.saved_tensors)
        a, _, b = ctx.saved_tensors
        return g * b, g * a
a = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(3.0, requires_grad=True)
F.apply(a, b).backward()

# %% function.save.non_tensor | 14 | torch docs: save_for_backward
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a, 5)
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g
F.apply(mg.tensor(2.0, requires_grad=True))

# %% function.save.identity | 14 | torch docs: save_for_backward
# A saved input comes back as the same object.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * 2
    @staticmethod
    def backward(ctx, g):
        a, = ctx.saved_tensors
        print(a is x, a.requires_grad)
        return g
x = mg.tensor(2.0, requires_grad=True)
F.apply(x).backward()

# %% function.save.read_outside | 14 | torch docs: save_for_backward
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g
x = mg.tensor(2.0, requires_grad=True)
y = F.apply(x)
print(y.grad_fn.saved_tensors, y.grad_fn.needs_input_grad)
y.backward()
y.grad_fn.saved_tensors

# %% function.ctx.attribute_of_node | 14 | torch docs: extending
# The context is the node.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.note = "hello"
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g
y = F.apply(mg.tensor(2.0, requires_grad=True))
print(y.grad_fn.note)

# %% function.dirty.in_place | 11 14 | torch docs: mark_dirty
class Inplace(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 3
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
y = Inplace.apply(h)
print(y is h, h._version)
y.sum().backward()

# %% function.dirty.leaf | 11 14 | torch docs: mark_dirty
class Inplace(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 3
x = mg.tensor([1.0, 2.0], requires_grad=True)
try:
    Inplace.apply(x)
finally:
    del x

# %% function.dirty.not_marked | 11 14 | torch docs: mark_dirty
class Inplace(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.mul_(3)
    @staticmethod
    def backward(ctx, g):
        return g * 3
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
y = Inplace.apply(h)
print(y is h, h.grad_fn.name(), y.grad_fn.name())
y.sum().backward()

# %% function.dirty.not_returned | 11 14 | torch docs: mark_dirty
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g
F.apply(mg.tensor([1.0], requires_grad=True) * 1)

# %% function.dirty.saved_elsewhere | 11 14 | torch docs: mark_dirty
class Inplace(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)
    @staticmethod
    def backward(ctx, g):
        return g * 3
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
z = h * h
Inplace.apply(h)
z.sum().backward()

# %% function.dirty.view | 12 14 | torch docs: mark_dirty
class Inplace(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)
    @staticmethod
    def backward(ctx, g):
        return g * 3
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
v = h[:1]
Inplace.apply(v)
h.sum().backward()

# %% function.non_differentiable | 14 | torch docs: mark_non_differentiable
class Sort(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        values, order = x.sort()
        ctx.mark_non_differentiable(order)
        ctx.save_for_backward(x, order)
        return values, order
    @staticmethod
    def backward(ctx, g, g_order):
        x, order = ctx.saved_tensors
        print(g_order)
        out = mg.zeros_like(x)
        return out.scatter_add(0, order, g)
x = mg.tensor([3.0, 1.0, 2.0], requires_grad=True)
v, i = Sort.apply(x)
(v * mg.tensor([1.0, 10.0, 100.0])).sum().backward()

# %% function.non_differentiable_float | 14 | torch docs: mark_non_differentiable
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(b)
        return a, b
    @staticmethod
    def backward(ctx, ga, gb):
        return ga * 2
x = mg.tensor(1.0, requires_grad=True)
a, b = F.apply(x)

# %% function.split.setup_context | 14 | torch docs: extending
class Square(mg.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, = inputs
        ctx.save_for_backward(x)
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2 * x * g
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = Square.apply(x)
y.sum().backward()

# %% function.split.outputs_tuple | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(x, k):
        return x * k, x + k
    @staticmethod
    def setup_context(ctx, inputs, output):
        print(len(inputs), inputs[1], type(output).__name__)
        ctx.k = inputs[1]
    @staticmethod
    def backward(ctx, g, h):
        return g * ctx.k + h, None
x = mg.tensor([1.0, 2.0], requires_grad=True)
y, z = F.apply(x, 5)
(y + z).sum().backward()

# %% function.split.defaults | 14 | torch docs: extending
# Default arguments are filled in for setup_context.
class F(mg.autograd.Function):
    @staticmethod
    def forward(x, k=4):
        return x * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        print(inputs[1:])
        ctx.k = inputs[1]
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None
x = mg.tensor([1.0], requires_grad=True)
F.apply(x).backward()

# %% function.split.ctx_in_forward_too | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def setup_context(ctx, inputs, output):
        pass
    @staticmethod
    def backward(ctx, g):
        return g * 2
F.apply(mg.tensor([1.0], requires_grad=True))

# %% function.vjp.alias | 14 | torch docs: extending
# vjp is another name of backward.
class Square(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def vjp(ctx, g):
        x, = ctx.saved_tensors
        return 2 * x * g
x = mg.tensor(3.0, requires_grad=True)
Square.apply(x).backward()

# %% function.vjp.both | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x
    @staticmethod
    def backward(ctx, g):
        return g
    @staticmethod
    def vjp(ctx, g):
        return g
x = mg.tensor(3.0, requires_grad=True)
F.apply(x).backward()

# %% function.jvp.simple | 10 14 | torch docs: extending
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        ctx.save_for_forward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        y, = ctx.saved_tensors
        return g * y
    @staticmethod
    def jvp(ctx, t):
        y, = ctx.saved_tensors
        return t * y
fw = mg.autograd.forward_ad
with fw.dual_level():
    d = fw.make_dual(mg.tensor([0.0, 1.0]), mg.tensor([1.0, 2.0]))
    p, t = fw.unpack_dual(Exp.apply(d))
    print(p, t)
del d, p, t

# %% function.jvp.missing | 10 14 | course 10.6
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp()
    @staticmethod
    def backward(ctx, g):
        return g
fw = mg.autograd.forward_ad
with fw.dual_level():
    Exp.apply(fw.make_dual(mg.tensor([0.0]), mg.tensor([1.0])))

# %% function.once.backward_twice | 14 | course 14.6
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
x = mg.tensor(1.0, requires_grad=True)
y = Exp.apply(x) ** 2
g, = mg.autograd.grad(y, x, create_graph=True)
print(g.requires_grad, g.grad_fn.name())
g.backward()

# %% function.once.grad_says_unused | 14 | course 14.6
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
x = mg.tensor(1.0, requires_grad=True)
y = Exp.apply(x) ** 2
g, = mg.autograd.grad(y, x, create_graph=True)
print(mg.autograd.grad(g, x, allow_unused=True, retain_graph=True))
mg.autograd.grad(g, x)

# %% function.once.root_has_no_graph | 14 | course 14.6
# The gradient at the root is a constant, so nothing asks for a second derivative: no node, no error.
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
x = mg.tensor(1.0, requires_grad=True)
g, = mg.autograd.grad(Exp.apply(x), x, create_graph=True)
mg.autograd.grad(g, x)

# %% function.once.mixed_path_is_silently_wrong | 14 | course 14.6
# The second derivative of exp(x) + x² at 1 should be e + 2. PyTorch answers 2, in silence, and so do we.
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
x = mg.tensor(1.0, requires_grad=True)
y = Exp.apply(x) + x ** 2
g, = mg.autograd.grad(y, x, create_graph=True)
h, = mg.autograd.grad(g, x)
print(h)

# %% function.once.first_order | 14 | torch docs: once_differentiable
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 2
    @staticmethod
    @mg.autograd.function.once_differentiable
    def backward(ctx, g):
        print(mg.is_grad_enabled())
        x, = ctx.saved_tensors
        return 2 * x * g
x = mg.tensor(3.0, requires_grad=True)
F.apply(x).backward()

# %% function.hooks_on_node | 13 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
x = mg.tensor(3.0, requires_grad=True)
y = F.apply(x)
y.grad_fn.register_hook(lambda gi, go: print(gi, go))
y.backward()

# %% function.reentrant | 14 | torch docs: checkpoint
# A backward inside a backward.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        with mg.enable_grad():
            z = x.detach().requires_grad_()
            (z ** 3).backward(g)
        return z.grad
x = mg.tensor(2.0, requires_grad=True)
(F.apply(x) * 5).backward()

# %% function.custom_in_graph_twice | 14 | course
class Double(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
x = mg.tensor(3.0, requires_grad=True)
y = Double.apply(Double.apply(x)) + Double.apply(x)
y.backward()

# %% function.named_function_repr | 14 | torch docs: extending
class MyOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
y = MyOp.apply(mg.tensor([1.0], requires_grad=True))
print(y, isinstance(y.grad_fn, MyOp), type(y.grad_fn).__mro__[1].__name__)

# %% function.apply.complex_for_real | 10 14 | course
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * (1 + 1j)
x = mg.tensor([1.0, 2.0], requires_grad=True)
F.apply(x).sum().backward()

# %% function.apply.gradient_for_number | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g, g
x = mg.tensor([1.0], requires_grad=True)
F.apply(x, 3).backward()

# %% function.apply.keyword.$ | 14 | torch docs: extending
#: in_order | y = F.apply(x, k=4)
#: swapped | y = F.apply(k=4, x=x)
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, k=2):
        ctx.k = k
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None
x = mg.tensor([1.0], requires_grad=True)
...
y.backward()

# %% function.apply.numpy_in_forward | 14 | course
# forward is not recorded, so it may look at the memory of a tensor that requires grad.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return mg.from_numpy(np.flip(x.numpy(), 0).copy())
    @staticmethod
    def backward(ctx, g):
        return mg.from_numpy(np.flip(g.numpy(), 0).copy())
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = F.apply(x)
(y * mg.tensor([1.0, 10.0])).sum().backward()

# %% function.dirty.not_an_input | 11 14 | torch docs: mark_dirty
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y
    @staticmethod
    def backward(ctx, g):
        return g * 2
x = mg.tensor([1.0], requires_grad=True)
F.apply(x * 1).backward()

# %% function.dirty.view_and_more | 12 14 | torch docs: mark_dirty
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2), x * 3
    @staticmethod
    def backward(ctx, g, h):
        return g * 2
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
F.apply(h[:1])

# %% function.split.input_saved_and_returned | 14 | torch docs: extending
class F(mg.autograd.Function):
    @staticmethod
    def forward(x):
        return x
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g):
        return g
F.apply(mg.tensor([1.0], requires_grad=True) * 1)

# %% function.jvp.$ | 10 14 | torch docs: extending
#: too_many | t = (t, t)
#: number | t = 5.0
#: shape | t = t[:1]
#: double | t = t.double()
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def jvp(ctx, t):
        print(t, mg.is_grad_enabled())
        ...
        return t
fw = mg.autograd.forward_ad
with fw.dual_level():
    print(fw.unpack_dual(F.apply(fw.make_dual(mg.ones(2), mg.ones(2)))).tangent)

# %% function.jvp.materialized | 10 14 | torch docs: set_materialize_grads
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, k):
        return x * y
    @staticmethod
    def jvp(ctx, t, u, v):
        print(t, u, v)
        return t
fw = mg.autograd.forward_ad
with fw.dual_level():
    print(fw.unpack_dual(F.apply(fw.make_dual(mg.ones(2), mg.ones(2)), mg.ones(2), 5)).tangent)
