# ruff: noqa
"""Facts, area backward: roots, gradients, inputs, freeing, accumulation; `Tensor.backward` and `autograd`'s functions."""
import numpy as np

import minigrad as mg

# %% backward.scalar_only.vector | 01 04 | torch docs: Tensor.backward
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * x).backward()

# %% backward.scalar_only.matrix | 04 | torch docs: Tensor.backward
x = mg.tensor([[1.0, 2.0]], requires_grad=True)
(x * x).backward()

# %% backward.scalar_only.empty | 04 | torch docs: Tensor.backward
x = mg.zeros(0, requires_grad=True)
(x * x).backward()

# %% backward.scalar_only.grad | 08 | torch docs: autograd.grad
x = mg.tensor([1.0, 2.0], requires_grad=True)
mg.autograd.grad(x * x, x)

# %% backward.one_element.zero_dim | 04 | course 4.3
x = mg.tensor(3.0, requires_grad=True)
(x * x).backward()

# %% backward.one_element.vector | 04 | course 4.3
x = mg.tensor([3.0], requires_grad=True)
(x * x).backward()

# %% backward.one_element.matrix | 04 | course 4.3
# One element is enough, whatever the number of dimensions.
x = mg.tensor([[3.0]], requires_grad=True)
y = x * x
y.backward()
print(y.shape)

# %% backward.no_grad_required.plain | 04 | torch docs: Tensor.backward
x = mg.tensor(3.0)
x.backward()

# %% backward.no_grad_required.computed | 04 | torch docs: Tensor.backward
x = mg.tensor(3.0)
y = x * 2
y.backward()

# %% backward.no_grad_required.detached | 04 | torch docs: Tensor.backward
x = mg.tensor(3.0, requires_grad=True)
(x * x).detach().backward()

# %% backward.no_grad_required.int | 04 | torch docs: Tensor.backward
mg.tensor(3).backward()

# %% backward.no_grad_required.in_no_grad | 11 | torch docs: no_grad
x = mg.tensor(3.0, requires_grad=True)
with mg.no_grad():
    y = x * x
y.backward()

# %% backward.no_grad_required.vector | 04 | course
# Two complaints are possible; this one comes first.
mg.tensor([1.0, 2.0]).backward()

# %% backward.no_grad_required.vector_with_gradient | 04 | course
mg.tensor([1.0, 2.0]).backward(mg.tensor([1.0, 1.0]))

# %% backward.leaf.itself | 04 | course
x = mg.tensor(3.0, requires_grad=True)
x.backward()

# %% backward.leaf.with_gradient | 04 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.backward(mg.tensor([5.0, 7.0]))

# %% backward.leaf.twice | 06 | course
x = mg.tensor(3.0, requires_grad=True)
x.backward()
x.backward()

# %% backward.under_no_grad | 11 | course
# backward itself does not need grad mode.
x = mg.tensor(3.0, requires_grad=True)
y = x * x
with mg.no_grad():
    y.backward()

# %% backward.returns_none | 04 | course
x = mg.tensor(3.0, requires_grad=True)
print((x * x).backward())

# %% backward.gradient.vjp | 04 | d2l 2.5
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * x
y.backward(mg.tensor([1.0, 10.0, 100.0]))

# %% backward.gradient.keyword | 04 | d2l 2.5
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * x
y.backward(gradient=mg.ones(3))

# %% backward.gradient.ones_like | 04 | d2l 2.5
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x ** 3
y.backward(mg.ones_like(y))

# %% backward.gradient.same_as_weighted_sum | 04 | course 4.1
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = mg.tensor([1.0, -2.0, 0.5])
(x.exp()).backward(v)
a = x.grad
x.grad = None
(v * x.exp()).sum().backward()
print(mg.equal(a, x.grad))

# %% backward.gradient.scalar | 04 | course 4.3
x = mg.tensor(2.0, requires_grad=True)
(x * x).backward(mg.tensor(10.0))

# %% backward.gradient.none | 04 | course 4.3
x = mg.tensor(2.0, requires_grad=True)
(x * x).backward(None)

# %% backward.gradient.shape_short | 04 | course 4.3
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x * x).backward(mg.ones(2))

# %% backward.gradient.shape_row | 04 | course 4.3
# No broadcasting here.
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x * x).backward(mg.ones(1, 3))

# %% backward.gradient.shape_scalar_for_vector | 04 | course 4.3
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
(x * x).backward(mg.tensor(1.0))

# %% backward.gradient.shape_vector_for_scalar | 04 | course 4.3
x = mg.tensor(2.0, requires_grad=True)
(x * x).backward(mg.ones(1))

# %% backward.gradient.shape_inputs_shape | 04 | course 4.2
# A one-hot of the input's shape, where the output's is wanted.
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x[:2] * 2
y.backward(mg.tensor([1.0, 0.0, 0.0]))

# %% backward.gradient.shape_error_leaves_graph | 04 07 | course
# The complaint comes before anything is changed: the graph is still there.
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * x
try:
    y.backward(mg.ones(2))
except RuntimeError as error:
    print(error)
y.backward(mg.ones(3))

# %% backward.gradient.type_list | 04 | course 4.3
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * x).backward([1.0, 1.0])

# %% backward.gradient.type_number | 04 | course 4.3
x = mg.tensor(2.0, requires_grad=True)
(x * x).backward(1.0)

# %% backward.gradient.type_array | 04 | course 4.3
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * x).backward(np.ones(2))

# %% backward.gradient.type_list_of_tensor | 04 | course 4.3
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * x).backward([mg.ones(2)])

# %% backward.gradient.dtype_double | 04 | course
# The gradient is cast to the dtype of the output.
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * x).backward(mg.ones(2, dtype=mg.float64))

# %% backward.gradient.dtype_int | 04 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * x).backward(mg.tensor([1, 3]))

# %% backward.gradient.dtype_bool | 04 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * x).backward(mg.tensor([True, False]))

# %% backward.gradient.dtype_complex_for_real | 04 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * x).backward(mg.tensor([1j, 1j]))

# %% backward.gradient.dtype_real_for_complex | 10 | course
x = mg.tensor([1 + 1j], requires_grad=True)
(x * x).backward(mg.tensor([1.0]))

# %% backward.gradient.complex_root_implicit | 10 | torch docs: complex autograd
x = mg.tensor([1 + 1j], requires_grad=True)
(x * x).backward()

# %% backward.gradient.complex_root | 10 | torch docs: complex autograd
# The conjugate Wirtinger derivative.
x = mg.tensor([1 + 2j, 3 - 1j], requires_grad=True)
(x * x).backward(mg.tensor([1 + 0j, 1j]))

# %% backward.gradient.requires_grad | 04 09 | course
# A gradient that requires grad is taken as a constant, unless a graph is asked for.
x = mg.tensor([1.0, 2.0], requires_grad=True)
v = mg.tensor([1.0, 1.0], requires_grad=True)
(x * x).backward(v)

# %% backward.gradient.is_not_kept | 06 | course
# Changing v afterwards does not change the gradient.
x = mg.tensor([1.0, 2.0], requires_grad=True)
v = mg.tensor([1.0, 10.0])
(x + 0).backward(v)
v.zero_()
print(x.grad)

# %% backward.gradient.leaf_is_not_v | 06 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
v = mg.tensor([1.0, 10.0])
x.backward(v)
print(x.grad is v)
v.zero_()

# %% backward.gradient.empty | 04 | course
x = mg.zeros(0, requires_grad=True)
(x * x).backward(mg.zeros(0))

# %% backward.broadcast.row | 04 | course 4.6
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
m = mg.tensor([[1.0], [10.0]], requires_grad=True)
(x * m).sum().backward()

# %% backward.broadcast.scalar | 04 | course 4.6
x = mg.tensor(2.0, requires_grad=True)
m = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
(x * m).sum().backward()

# %% backward.broadcast.leading_one | 04 | course 4.6
x = mg.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
m = mg.ones(2, 4, 3)
(x + m).sum().backward()

# %% backward.broadcast.middle_one | 04 | course 4.6
x = mg.tensor([[[1.0, 2.0]], [[3.0, 4.0]]], requires_grad=True)
m = mg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
(x * m).sum().backward()

# %% backward.broadcast.empty | 04 | course 4.6
# Broadcast against nothing: the gradient is a sum over no terms.
x = mg.tensor([[1.0]], requires_grad=True)
(x * mg.zeros(0, 3)).sum().backward()

# %% backward.diamond | 02 | micrograd 64
# Node b is used twice and must fire once: 26, not 40.
a = mg.tensor(3.0, requires_grad=True)
b = 2 * a
c = b + 1
d = b * c
d.backward()

# %% backward.diamond_ladder | 02 | course 1.3
# Two to the thirtieth paths, thirty nodes.
x = mg.tensor(1.0, requires_grad=True)
y = x
for _ in range(30):
    y = y + y
y.backward()
del y

# %% backward.same_input_twice | 02 | micrograd 2
x = mg.tensor(3.0, requires_grad=True)
(x + x).backward()

# %% backward.power_four | 02 | micrograd
x = mg.tensor(2.0, requires_grad=True)
y = x * x
z = y * y
z.backward()

# %% backward.chain_long | 02 | micrograd
# No recursion: a long chain is no deeper than a short one.
x = mg.tensor(1.0, requires_grad=True)
y = x
for _ in range(5000):
    y = y + 0.001
y.backward()
del y

# %% backward.unreached_leaf | 01 | course 1.4
x = mg.tensor(2.0, requires_grad=True)
w = mg.tensor(5.0, requires_grad=True)
(x * x).backward()

# %% backward.zero_is_not_none | 06 | course
# x took part, with slope 0; w did not take part.
x = mg.tensor(2.0, requires_grad=True)
w = mg.tensor(5.0, requires_grad=True)
(x * 0 + 1).backward()

# %% backward.root_is_shared | 02 | course
x = mg.tensor(2.0, requires_grad=True)
a = x * 3
b = a * a
a.backward()
b.backward()

# %% backward.accumulate.twice | 06 | course
x = mg.tensor(3.0, requires_grad=True)
(x * x).backward()
(x * x).backward()

# %% backward.accumulate.loop | 06 | tutorial: autograd
w = mg.tensor([1.0, 2.0], requires_grad=True)
for epoch in range(4):
    (w * 3).sum().backward()
    print(w.grad)

# %% backward.accumulate.zeroed | 06 | tutorial: autograd
w = mg.tensor([1.0, 2.0], requires_grad=True)
for epoch in range(3):
    (w * 3).sum().backward()
    print(w.grad)
    w.grad.zero_()

# %% backward.accumulate.data_zero | 06 | tutorial: autograd (2017)
x = mg.autograd.Variable(mg.tensor([1.0, 2.0]), requires_grad=True)
(x * x).sum().backward()
x.grad.data.zero_()
(x * 3).sum().backward()

# %% backward.accumulate.in_place_into_grad | 06 | course
# The second pass adds into the same tensor: a name for .grad sees it.
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
g = x.grad
(x * x).sum().backward()
print(g is x.grad)

# %% backward.accumulate.none_makes_new | 06 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
g = x.grad
x.grad = None
(x * 3).sum().backward()
print(g is x.grad)

# %% backward.accumulate.create_graph_makes_new | 06 09 | course
# With create_graph the sum is a new tensor, so that earlier names keep their value.
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
g = x.grad
(x * x).sum().backward(create_graph=True)
print(g is x.grad)
x.grad = None

# %% backward.accumulate.micro_batches | 06 | course
w = mg.tensor(1.0, requires_grad=True)
data = mg.tensor([1.0, 2.0, 3.0, 4.0])
for part in (data[:2], data[2:]):
    ((w * part).sum() / 4).backward()
a = w.grad.clone()
w.grad = None
(w * data).mean().backward()

# %% backward.accumulate.total_keeps_graph | 06 | course
total = 0.0
w = mg.tensor(2.0, requires_grad=True)
for k in range(3):
    total = total + w * k
print(total.grad_fn.name(), total.requires_grad)
total.backward()

# %% backward.accumulate.leaf_grad_of_expand | 06 | course
# The gradient of sum is one number read many times; .grad must be memory of its own.
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
x.sum().backward()
x.grad[0] = 100.0

# %% backward.accumulate.two_leaves_do_not_share | 06 | course
a = mg.tensor([1.0, 2.0], requires_grad=True)
b = mg.tensor([3.0, 4.0], requires_grad=True)
(a + b).backward(mg.ones(2))
a.grad[0] = 100.0

# %% backward.retain.second_backward | 07 | torch docs: Tensor.backward
x = mg.tensor(3.0, requires_grad=True)
y = x * x
y.backward()
y.backward()

# %% backward.retain.retained | 07 | torch docs: Tensor.backward
x = mg.tensor(3.0, requires_grad=True)
y = x * x
y.backward(retain_graph=True)
y.backward()

# %% backward.retain.retained_once_only | 07 | torch docs: Tensor.backward
x = mg.tensor(3.0, requires_grad=True)
y = x * x
y.backward(retain_graph=True)
y.backward()
y.backward()

# %% backward.retain.on_the_second_call | 07 | course 7.2
# Too late: the first call has freed it.
x = mg.tensor(3.0, requires_grad=True)
y = x * x
y.backward()
y.backward(retain_graph=True)

# %% backward.retain.nothing_saved | 07 | course 7.5
# Nothing was saved, so nothing is missing.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = (x + 1).sum()
y.backward()
y.backward()

# %% backward.retain.python_number_is_saved | 07 | course
# 2 * x keeps its 2 in a saved tensor.
x = mg.tensor(3.0, requires_grad=True)
y = 2 * x
y.backward()
y.backward()

# %% backward.retain.shared_trunk | 07 | course 7.2
x = mg.tensor(2.0, requires_grad=True)
h = x.exp()
a = h * 2
b = h * 3
a.backward()
b.backward()

# %% backward.retain.shared_trunk_retained | 07 | course 7.2
x = mg.tensor(2.0, requires_grad=True)
h = x.exp()
a = h * 2
b = h * 3
a.backward(retain_graph=True)
b.backward()

# %% backward.retain.failed_pass_touches_nothing | 07 | tutorial: retain_graph
# The failed pass stops at the freed node; what lies behind it is untouched.
x = mg.tensor([1.0, 2.0], requires_grad=True)
w = mg.tensor([3.0, 4.0], requires_grad=True)
y = (x * w).sum()
y.backward()
before = w.grad.clone()
try:
    y.backward()
except RuntimeError as error:
    print(error)
print(mg.equal(before, w.grad))

# %% backward.retain.partly_accumulated | 07 | course
# Nodes run newest first: b's gradient has arrived before the freed node complains.
a = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(5.0, requires_grad=True)
y = a.exp()
y.backward()
z = y + b
try:
    z.backward()
except RuntimeError as error:
    print(type(error).__name__)

# %% backward.retain.freed_attribute | 07 | course 7.5
x = mg.tensor(3.0, requires_grad=True)
y = x.exp()
y.backward()
y.grad_fn._saved_result

# %% backward.retain.grad_then_backward | 07 | course 7.5
x = mg.tensor(3.0, requires_grad=True)
y = x * x
mg.autograd.grad(y, x)
y.backward()

# %% backward.retain.create_graph_implies_retain | 07 | course 7.6
x = mg.tensor(3.0, requires_grad=True)
y = x * x
g, = mg.autograd.grad(y, x, create_graph=True)
h, = mg.autograd.grad(y, x)

# %% backward.retain.create_but_not_retain | 07 | course 7.6
# create_graph retains by default; saying retain_graph=False wins.
x = mg.tensor(3.0, requires_grad=True)
y = x * x
g, = mg.autograd.grad(y, x, create_graph=True, retain_graph=False)
mg.autograd.grad(y, x)

# %% backward.retain.free_only_what_ran | 07 08 | torch docs: autograd.grad
# With inputs=[h] the nodes below h did not run, and keep what they saved.
x = mg.tensor(2.0, requires_grad=True)
h = x.exp()
y = h * h
g, = mg.autograd.grad(y, h)
h.backward()

# %% backward.retain.freed_node_by_node | 07 | course
# A middle node that has run is freed, although the pass failed later.
x = mg.tensor(2.0, requires_grad=True)
h = x.exp()
h.backward()
y = h.sin()
try:
    y.backward()
except RuntimeError:
    pass

# %% backward.retain.numbers_saved_in_loop | 07 | course
x = mg.tensor(2.0, requires_grad=True)
y = x * x
for _ in range(3):
    y.backward(retain_graph=True)

# %% backward.retain.hidden_state | 07 | course 7.4
# A recurrent loop that forgets to cut runs into the graph of the step before.
w = mg.tensor(0.5, requires_grad=True)
h = mg.tensor(1.0)
for step in range(2):
    h = (h * w).tanh()
    h.backward()

# %% backward.retain.hidden_state_detached | 07 | course 7.4
w = mg.tensor(0.5, requires_grad=True)
h = mg.tensor(1.0)
for step in range(2):
    h = (h.detach() * w).tanh()
    h.backward()

# %% backward.create_graph.warns | 08 09 | torch docs: Tensor.backward
x = mg.tensor(3.0, requires_grad=True)
y = x ** 3
y.backward(create_graph=True)
x.grad = None

# %% backward.create_graph.grad_has_graph | 09 | torch docs: Tensor.backward
x = mg.tensor(3.0, requires_grad=True)
(x ** 3).backward(create_graph=True)
g = x.grad
x.grad = None
print(g.item(), g.requires_grad, g.is_leaf)
g.backward()
del g

# %% backward.create_graph.pollutes | 08 | course 8.4
# The second backward adds to the .grad that the first one left.
x = mg.tensor(3.0, requires_grad=True)
(x ** 3).backward(create_graph=True)
x.grad.backward()
print(x.grad.item())
x.grad = None

# %% backward.create_graph.under_no_grad | 09 | course
# create_graph switches recording on for the pass, whatever the mode outside.
x = mg.tensor(3.0, requires_grad=True)
y = x * x
with mg.no_grad():
    g, = mg.autograd.grad(y, x, create_graph=True)

# %% backward.create_graph.second | 09 | tutorial: double backward
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = (x ** 3).sum()
g, = mg.autograd.grad(y, x, create_graph=True)
h, = mg.autograd.grad(g.sum(), x)

# %% backward.create_graph.third | 09 | course
x = mg.tensor(2.0, requires_grad=True)
y = x ** 4
for _ in range(3):
    y, = mg.autograd.grad(y, x, create_graph=True)
    print(y.item())
del y

# %% backward.create_graph.constant_derivative | 08 | course 8.5
# The slope of a line does not depend on x: no graph.
x = mg.tensor(2.0, requires_grad=True)
g, = mg.autograd.grad(3 * x, x, create_graph=True)

# %% backward.create_graph.constant_derivative_again | 08 | course 8.5
x = mg.tensor(2.0, requires_grad=True)
g, = mg.autograd.grad(3 * x, x, create_graph=True)
mg.autograd.grad(g, x)

# %% backward.create_graph.forgotten | 08 | course 8.4
x = mg.tensor(2.0, requires_grad=True)
g, = mg.autograd.grad(x ** 2, x)
(g ** 2).backward()

# %% backward.create_graph.penalty | 08 | course 8.4
x = mg.tensor([1.0, 2.0], requires_grad=True)
w = mg.tensor([3.0, 4.0], requires_grad=True)
y = (w * x ** 2).sum()
g, = mg.autograd.grad(y, x, create_graph=True)
(g ** 2).sum().backward(inputs=[w])

# %% backward.create_graph.hvp | 09 | course 9.1
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = mg.tensor([1.0, 0.0, -1.0])
y = (x[0] * x[1] * x[2]) + (x ** 2).sum()
g, = mg.autograd.grad(y, x, create_graph=True)
h, = mg.autograd.grad(g, x, v)

# %% backward.create_graph.grad_outputs_requires_grad | 10 | course 10.3
# The vector is part of the new graph: this is how a jvp is made of two vjps.
x = mg.tensor([1.0, 2.0], requires_grad=True)
u = mg.zeros(2, requires_grad=True)
g, = mg.autograd.grad(x * x, x, u, create_graph=True)
j, = mg.autograd.grad(g, u, mg.tensor([1.0, 10.0]))

# %% backward.inputs.leaf_only | 08 | torch docs: Tensor.backward
x = mg.tensor(2.0, requires_grad=True)
w = mg.tensor(5.0, requires_grad=True)
(x * w).backward(inputs=[x])

# %% backward.inputs.single | 08 | torch docs: Tensor.backward
x = mg.tensor(2.0, requires_grad=True)
w = mg.tensor(5.0, requires_grad=True)
(x * w).backward(inputs=w)

# %% backward.inputs.nonleaf | 08 | course 8.2
# The gradient lands in h.grad, and the leaf below it gets nothing.
x = mg.tensor(2.0, requires_grad=True)
h = x * x
(h * 3).backward(inputs=[h])
print(h.grad)

# %% backward.inputs.nonleaf_and_leaf | 08 | course 8.2
x = mg.tensor(2.0, requires_grad=True)
h = x * x
(h * 3).backward(inputs=[h, x])

# %% backward.inputs.empty | 08 | torch docs: Tensor.backward
x = mg.tensor(2.0, requires_grad=True)
(x * x).backward(inputs=[])

# %% backward.inputs.empty_autograd | 08 | torch docs: autograd.backward
x = mg.tensor(2.0, requires_grad=True)
mg.autograd.backward(x * x, inputs=())

# %% backward.inputs.unreachable | 08 | torch docs: Tensor.backward
# No complaint: what is not reached simply keeps no gradient.
x = mg.tensor(2.0, requires_grad=True)
w = mg.tensor(5.0, requires_grad=True)
(x * x).backward(inputs=[w])

# %% backward.inputs.plain | 08 | torch docs: Tensor.backward
x = mg.tensor(2.0, requires_grad=True)
w = mg.tensor(5.0)
(x * w).backward(inputs=[w])

# %% backward.inputs.root | 08 | course
x = mg.tensor(2.0, requires_grad=True)
y = x * x
y.backward(inputs=[y])

# %% backward.inputs.twice | 08 | course
x = mg.tensor(2.0, requires_grad=True)
(x * x).backward(inputs=[x, x])

# %% backward.inputs.type | 08 | course
x = mg.tensor(2.0, requires_grad=True)
(x * x).backward(inputs=[1.0])

# %% backward.inputs.accumulates | 06 08 | course
x = mg.tensor(2.0, requires_grad=True)
(x * x).backward(inputs=[x])
(x * x).backward(inputs=[x])

# %% backward.inputs.nonleaf_accumulates | 08 | course
x = mg.tensor(2.0, requires_grad=True)
h = x * x
(h * 3).backward(inputs=[h])
(h * 4).backward(inputs=[h])

# %% backward.roots.two | 04 | torch docs: autograd.backward
x = mg.tensor(2.0, requires_grad=True)
mg.autograd.backward([x * x, x * 3])

# %% backward.roots.none_and_vector | 04 | course 4.5
x = mg.tensor([1.0, 2.0], requires_grad=True)
y1 = (x * x).sum()
y2 = x * 3
mg.autograd.backward([y1, y2], [None, mg.tensor([1.0, 10.0])])

# %% backward.roots.count | 04 | course 4.5
x = mg.tensor([1.0, 2.0], requires_grad=True)
mg.autograd.backward([x * x, x * 3], [mg.ones(2)])

# %% backward.roots.count_more | 04 | course 4.5
x = mg.tensor([1.0, 2.0], requires_grad=True)
mg.autograd.backward([x * x], [mg.ones(2), mg.ones(2)])

# %% backward.roots.count_grad | 08 | course 8.6
x = mg.tensor([1.0, 2.0], requires_grad=True)
mg.autograd.grad([x * x, x * 3], x, mg.ones(2))

# %% backward.roots.single_tensor_gradient | 04 | torch docs: autograd.backward
x = mg.tensor([1.0, 2.0], requires_grad=True)
mg.autograd.backward(x * x, mg.ones(2))

# %% backward.roots.none_for_vector | 04 | torch docs: autograd.backward
x = mg.tensor([1.0, 2.0], requires_grad=True)
mg.autograd.backward([x * x, (x * x).sum()], [None, None])

# %% backward.roots.second_shape_wrong | 04 | course
# The message counts the gradients from 0.
x = mg.tensor([1.0, 2.0], requires_grad=True)
mg.autograd.backward([x * x, x * 3], [mg.ones(2), mg.ones(3)])

# %% backward.roots.one_does_not_require_grad | 04 | course
# The index of the guilty root is in the message.
x = mg.tensor(2.0, requires_grad=True)
c = mg.tensor(1.0)
mg.autograd.backward([x * x, c])

# %% backward.roots.same_twice | 04 | course
x = mg.tensor(2.0, requires_grad=True)
y = x * x
mg.autograd.backward([y, y])

# %% backward.roots.one_above_the_other | 02 | course
# y is a root and an inner node too: its gradients are added before it fires.
x = mg.tensor(2.0, requires_grad=True)
y = x * x
z = y * y
mg.autograd.backward([y, z])

# %% backward.roots.none | 04 | course
mg.autograd.backward([])

# %% backward.roots.type | 04 | course
mg.autograd.backward([1.0])

# %% backward.roots.type_none | 04 | course
mg.autograd.backward(None)

# %% backward.roots.gradient_type | 04 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
mg.autograd.backward([x * x], [[1.0, 1.0]])

# %% backward.roots.retain | 07 | course
x = mg.tensor(2.0, requires_grad=True)
y = x.exp()
mg.autograd.backward([y * 2, y * 3], retain_graph=True)

# %% backward.grad.returns_tuple | 08 | torch docs: autograd.grad
x = mg.tensor(2.0, requires_grad=True)
g = mg.autograd.grad(x * x, x)
print(type(g).__name__, len(g), g)

# %% backward.grad.leaves_grad_alone | 08 | course 8.1
x = mg.tensor(2.0, requires_grad=True)
w = mg.tensor(5.0, requires_grad=True)
g = mg.autograd.grad(x * w, [x, w])
print(x.grad, w.grad)

# %% backward.grad.nonleaf_input | 08 | course 8.2
x = mg.tensor(2.0, requires_grad=True)
h = x * x
g, = mg.autograd.grad(h * 3, h)

# %% backward.grad.grad_outputs | 08 | torch docs: autograd.grad
x = mg.tensor([1.0, 2.0], requires_grad=True)
g, = mg.autograd.grad(x * x, x, grad_outputs=mg.tensor([1.0, 10.0]))

# %% backward.grad.grad_outputs_tuple | 08 | course 8.6
x = mg.tensor([1.0, 2.0], requires_grad=True)
g, = mg.autograd.grad([x * x, x.sum()], [x], grad_outputs=[mg.tensor([1.0, 10.0]), None])

# %% backward.grad.grad_outputs_shape | 08 | torch docs: autograd.grad
x = mg.tensor([1.0, 2.0], requires_grad=True)
mg.autograd.grad(x * x, x, grad_outputs=mg.eye(2))

# %% backward.grad.unused | 08 | torch docs: autograd.grad
x = mg.tensor(2.0, requires_grad=True)
w = mg.tensor(5.0, requires_grad=True)
mg.autograd.grad(x * x, [x, w])

# %% backward.grad.unused_graph_is_freed | 07 08 | course
# It is found out after the pass: the graph is freed.
x = mg.tensor(2.0, requires_grad=True)
w = mg.tensor(5.0, requires_grad=True)
y = x * x
try:
    mg.autograd.grad(y, [x, w])
except RuntimeError as error:
    print(error)
y.backward()

# %% backward.grad.allow_unused | 08 | torch docs: autograd.grad
x = mg.tensor(2.0, requires_grad=True)
w = mg.tensor(5.0, requires_grad=True)
print(mg.autograd.grad(x * x, [x, w], allow_unused=True))

# %% backward.grad.materialize | 08 | torch docs: autograd.grad
x = mg.tensor(2.0, requires_grad=True)
w = mg.tensor([5.0, 6.0], dtype=mg.float64, requires_grad=True)
g = mg.autograd.grad(x * x, [x, w], materialize_grads=True)

# %% backward.grad.materialize_and_not_allowed | 08 | torch docs: autograd.grad
x = mg.tensor(2.0, requires_grad=True)
mg.autograd.grad(x * x, [x], allow_unused=False, materialize_grads=True)

# %% backward.grad.not_required | 08 | torch docs: autograd.grad
x = mg.tensor(2.0, requires_grad=True)
c = mg.tensor(5.0)
mg.autograd.grad(x * c, [x, c])

# %% backward.grad.not_required_allow_unused | 08 | torch docs: autograd.grad
# allow_unused does not help a tensor that requires no grad.
x = mg.tensor(2.0, requires_grad=True)
c = mg.tensor(5.0)
mg.autograd.grad(x * c, [x, c], allow_unused=True)

# %% backward.grad.output_not_required | 08 | torch docs: autograd.grad
x = mg.tensor(2.0, requires_grad=True)
c = mg.tensor(5.0)
mg.autograd.grad(c * 2, [x])

# %% backward.grad.duplicate_inputs | 08 | course
x = mg.tensor(3.0, requires_grad=True)
a, b = mg.autograd.grad(x * x, [x, x])
print(a is b)

# %% backward.grad.output_is_input | 08 | course
x = mg.tensor(3.0, requires_grad=True)
g, = mg.autograd.grad(x, x)

# %% backward.grad.output_is_input_nonleaf | 08 | course
x = mg.tensor(3.0, requires_grad=True)
y = x * x
a, b = mg.autograd.grad(y, [y, x])

# %% backward.grad.input_above_output | 08 | course
# The graph is followed towards the leaves only.
x = mg.tensor(3.0, requires_grad=True)
y = x * x
z = y * 2
mg.autograd.grad(y, z)

# %% backward.grad.inputs_empty | 08 | course
x = mg.tensor(3.0, requires_grad=True)
mg.autograd.grad(x * x, [])

# %% backward.grad.outputs_empty | 08 | course
x = mg.tensor(3.0, requires_grad=True)
mg.autograd.grad([], [x])

# %% backward.grad.input_type | 08 | course
x = mg.tensor(3.0, requires_grad=True)
mg.autograd.grad(x * x, [1.0])

# %% backward.grad.rebound_input | 08 | course
# After x = x * 2 the name means the product, which y was not computed from.
x = mg.tensor(3.0, requires_grad=True)
y = x * x
x = x * 2
mg.autograd.grad(y, x)

# %% backward.grad.several_outputs_one_input | 08 | course
x = mg.tensor(3.0, requires_grad=True)
g, = mg.autograd.grad([x * x, x * 5], x)

# %% backward.grad.matrix_input | 08 | course
W = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
v = mg.tensor([1.0, -1.0])
g, = mg.autograd.grad((W @ v).sum(), W)

# %% backward.grad.batched | 10 | torch docs: autograd.grad
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x[:2] * x[1:]
J, = mg.autograd.grad(y, x, mg.eye(2), is_grads_batched=True)

# %% backward.grad.batched_without_flag | 10 | course 10.5
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
mg.autograd.grad(x * x, x, mg.eye(3))

# %% backward.grad.batched_shape | 10 | course 10.5
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
mg.autograd.grad(x * x, x, mg.eye(2), is_grads_batched=True)

# %% backward.grad.batched_several | 10 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
w = mg.tensor([3.0, 4.0], requires_grad=True)
a, b = mg.autograd.grad(x * w, [x, w], mg.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]), is_grads_batched=True)

# %% backward.grad.under_no_grad | 08 | course
x = mg.tensor(3.0, requires_grad=True)
y = x * x
with mg.no_grad():
    g, = mg.autograd.grad(y, x)

# %% backward.grad.of_leaf_flag_off | 08 | course
x = mg.tensor(3.0, requires_grad=True)
y = x * x
x.requires_grad_(False)
mg.autograd.grad(y, x)

# %% backward.grad.double_dtype | 08 | course
x = mg.tensor(3.0, dtype=mg.float64, requires_grad=True)
g, = mg.autograd.grad(x.float() * 2, x)

# %% backward.control_flow.if | 05 | d2l 2.5
def f(a):
    b = a * 2
    while b.norm() < 1000:
        b = b * 2
    return b if b.sum() > 0 else 100 * b
a = mg.tensor(0.7, requires_grad=True)
d = f(a)
d.backward()
print((a.grad == d / a).item())

# %% backward.control_flow.negative | 05 | d2l 2.5
def f(a):
    b = a * 2
    while b.norm() < 1000:
        b = b * 2
    return b if b.sum() > 0 else 100 * b
a = mg.tensor(-0.7, requires_grad=True)
f(a).backward()

# %% backward.kinks.$ | 05 | course 5.4
# What the engine answers where there is no derivative.
#: relu    | y = mg.relu(x)
#: abs     | y = x.abs()
#: maximum | y = mg.maximum(x, mg.zeros(3))
#: minimum | y = mg.minimum(x, mg.zeros(3))
#: clamp   | y = x.clamp(min=0)
#: clamp_max | y = x.clamp(max=0)
#: clamp_both | y = x.clamp(0, 1)
#: sqrt    | y = mg.sqrt(x.clamp(min=0))
#: sign    | y = mg.sign(x)
#: floor   | y = mg.floor(x)
#: pow0    | y = x ** 0
#: pow1    | y = x ** 1
#: pow_half | y = x.abs() ** 0.5
#: leaky   | y = mg.nn.functional.leaky_relu(x)
#: where   | y = mg.where(x > 0, x, mg.zeros(3))
#: norm    | y = (x * 0).norm().expand(3)
#: sgn     | y = x.sgn()
x = mg.tensor([-1.0, 0.0, 2.0], requires_grad=True)
...
y.backward(mg.ones(3))

# %% backward.ties.$ | 05 | course 5.4
# max() over everything shares the gradient among the ties; with a dim one place takes it all.
#: max      | y = x.max()
#: min      | y = x.min()
#: max_dim  | y = x.max(0).values
#: min_dim  | y = x.min(0).values
#: amax     | y = x.amax()
#: amin     | y = x.amin()
#: amax_dim | y = x.amax(0)
#: sort     | y = (x.sort().values * mg.tensor([1.0, 2.0, 3.0, 4.0])).sum()
#: topk     | y = x.topk(1).values.sum()
#: maximum  | y = mg.maximum(x, mg.tensor([2.0, 2.0, 2.0, 2.0])).sum()
x = mg.tensor([2.0, 1.0, 2.0, 1.0], requires_grad=True)
...
y.backward()

# %% backward.nan.where_trap | 13 | course 13.7
# NaN times 0 is NaN: the branch that was not taken spoils the gradient.
x = mg.tensor([-1.0, 0.0, 4.0], requires_grad=True)
y = mg.where(x > 0, x.sqrt(), mg.zeros(3))
y.sum().backward()

# %% backward.nan.where_trap_clean | 13 | course 13.7
x = mg.tensor([-1.0, 0.0, 4.0], requires_grad=True)
safe = mg.where(x > 0, x, mg.ones(3))
y = mg.where(x > 0, safe.sqrt(), mg.zeros(3))
y.sum().backward()

# %% backward.nan.log_softmax | 13 | course 13.6
x = mg.tensor([1000.0, -1000.0], requires_grad=True)
naive = mg.log(mg.softmax(x, dim=0))
stable = mg.log_softmax(x, dim=0)
g, = mg.autograd.grad(stable, x, mg.tensor([0.0, 1.0]))
h, = mg.autograd.grad(naive, x, mg.tensor([0.0, 1.0]))

# %% backward.nan.zero_times_inf | 13 | course
x = mg.tensor(0.0, requires_grad=True)
y = mg.sqrt(x) * 0
y.backward()

# %% backward.complex.abs | 10 | torch docs: complex autograd
x = mg.tensor([3 + 4j, 0j], requires_grad=True)
x.abs().sum().backward()

# %% backward.complex.real_imag | 10 | torch docs: complex autograd
x = mg.tensor([3 + 4j], requires_grad=True)
(x.real * 2 + x.imag * 5).sum().backward()

# %% backward.complex.conj | 10 | torch docs: complex autograd
x = mg.tensor([3 + 4j], requires_grad=True)
(x * x.conj()).real.sum().backward()

# %% backward.complex.real_times_complex | 10 | torch docs: complex autograd
# The gradient of a real input is real.
x = mg.tensor([3.0], requires_grad=True)
z = mg.tensor([1 + 2j], requires_grad=True)
(x * z).abs().sum().backward()

# %% backward.complex.exp | 10 | torch docs: complex autograd
x = mg.tensor([1 + 2j], dtype=mg.complex128, requires_grad=True)
x.exp().imag.sum().backward()

# %% backward.complex.view_as_real | 10 | torch docs: complex autograd
x = mg.tensor([1 + 2j], requires_grad=True)
y = mg.view_as_real(x)
(y * mg.tensor([1.0, 10.0])).sum().backward()

# %% backward.number_inputs.many_leaves | 02 | course
xs = [mg.tensor(float(k), requires_grad=True) for k in range(4)]
y = xs[0] * xs[1] + xs[2] * xs[3] + xs[1] * xs[3]
y.backward()

# %% backward.positional_arguments | 04 | torch docs: Tensor.backward
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.backward(mg.ones(2), True)
y.backward(mg.ones(2), True, False)

# %% backward.unknown_argument | 04 | course
x = mg.tensor(1.0, requires_grad=True)
x.backward(banana=True)

# %% backward.grad.unknown_argument | 08 | course
x = mg.tensor(1.0, requires_grad=True)
mg.autograd.grad(x * 2, x, banana=True)

# %% backward.create_graph.layout.$ | 09 | random programs
# A recorded first gradient is a copy that lies in memory as the leaf does.
#: dense  | x = mg.ones(2, 3, requires_grad=True)
#: turned | x = mg.ones(3, 2).t().requires_grad_()
#: gaps   | x = mg.ones(6)[::2].requires_grad_()
#: empty  | x = mg.ones(0, requires_grad=True)
...
(x * x).sum().backward(create_graph=True)
print(x.grad.grad_fn.name(), x.grad.numel() and x.grad.stride(), x.grad._version)

# %% backward.nodes.cut_off.$ | 06 12 | random programs
# A view of a leaf that was made under no_grad requires grad, leads nowhere, and its rules are not run.
#: sin    | y = v.sin()
#: cumsum | y = v.cumsum(0)
#: mul    | y = v * v
#: sum    | y = v.sum()
x = mg.ones(2, requires_grad=True)
with mg.no_grad():
    v = x[:]
...
y.grad_fn.register_hook(lambda gi, go: print(gi))
y.sum().backward()

# %% backward.nodes.slices_not_wanted | 06 11 | random programs
# What goes to an input that nobody asked for is None, also of a written part.
x = mg.ones(2, 3)
x[1:] = mg.zeros(3, requires_grad=True)
x.grad_fn.register_hook(lambda gi, go: print(gi))
x.sum().backward(inputs=x)

# %% backward.empty.renewed | 09 11 | random programs
# The zeros that come from an empty view with a new history have none of their own.
x = mg.ones(0, requires_grad=True)
v = x.expand(2, 0)
with mg.no_grad():
    x.add_(1)
g, = mg.autograd.grad((v * v).sum(), x, create_graph=True)
print(g.requires_grad)

# %% backward.saved.view_without_history | 11 12 | random programs
# A saved view that lost its history complains when it is looked at.
x = mg.ones(2)
with mg.no_grad():
    v = x[:]
v.mul_(1)
y = v * mg.ones(2, requires_grad=True)
x.requires_grad_()
y.sum().backward()

# %% backward.nan_lets_go | 07 13 | random programs
x = mg.zeros(1, requires_grad=True)
y = x / x
for _ in range(2):
    try:
        with mg.autograd.detect_anomaly():
            y.sum().backward()
    except RuntimeError as error:
        print(error)

# %% backward.twice_flat.$ | 10 | derivatives.yaml
# The gradient of these does not depend on the input, and has it in its history all the same: its slope is 0, not an error.
#: relu    | y = x.relu()
#: gather  | y = x.gather(1, mg.tensor([[0, 2], [1, 1]]))
#: linear  | y = F.linear(x, mg.ones(2, 3))
F = mg.nn.functional
x = mg.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]], requires_grad=True)
...
g, = mg.autograd.grad(y.sum(), x, create_graph=True)
print(g.requires_grad)
print(mg.autograd.grad(g.sum(), x, allow_unused=True))

# %% backward.lerp_weight_of_another_dtype | 02 | torch docs: lerp
x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
w = mg.tensor(0.25, requires_grad=True)
x.lerp(x * 2, w).sum().backward()

# %% backward.batched.$ | 07 | torch docs: autograd.grad
#: lengths | mg.autograd.grad([x * 2, x * 3], x, [mg.ones(3, 2), mg.ones(2, 2)], is_grads_batched=True)
x = mg.tensor([1.0, 2.0], requires_grad=True)
...

# %% backward.data_of_integers | 05 | torch docs
x = mg.ones(2, requires_grad=True)
x.data = mg.tensor([1, 2])

# %% backward.refused_before_the_warning | 10 | random programs
# The warning of create_graph comes when the gradients have been looked at.
x = mg.tensor([[2.5, 1.0, 1.0]], requires_grad=True)
y = x.clone()
with mg.no_grad():
    x.squeeze_()
try:
    x.backward(mg.ones(3), create_graph=True)
except RuntimeError as error:
    print(error)
(y * y).sum().backward()
print(x.grad, x.shape)
