# ruff: noqa
"""Facts, area inplace: writing into tensors: the two guards, version counters, `no_grad`, `detach` and `.data`."""
import numpy as np

import minigrad as mg

# %% inplace.leaf.$ | 11 | torch docs: autograd mechanics
# The leaf rule speaks at once, before anything is written.
#: add_       | x.add_(1)
#: iadd       | x += 1
#: mul_       | x.mul_(2)
#: zero_      | x.zero_()
#: fill_      | x.fill_(3.0)
#: copy_      | x.copy_(mg.zeros(2))
#: setitem    | x[0] = 5.0
#: setitem_mask | x[x > 1] = 0.0
#: exp_       | x.exp_()
#: relu_      | x.relu_()
#: clamp_     | x.clamp_(min=1.5)
#: sub_       | x -= 1
#: div_       | x /= 2
#: pow_       | x.pow_(2)
#: neg_       | x.neg_()
#: masked_fill_ | x.masked_fill_(x > 1, 0.0)
#: index_put_ | x.index_put_((mg.tensor([0]),), mg.tensor(1.0))
#: scatter_add_ | x.scatter_add_(0, mg.tensor([0]), mg.tensor([1.0]))
x = mg.tensor([1.0, 2.0], requires_grad=True)
...

# %% inplace.leaf.with_grad_operand | 11 | course 11.2
# A plain tensor becomes part of the graph when something that requires grad is added to it.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = mg.zeros(2)
y.add_(x)
y.mul_(3)
y.sum().backward()

# %% inplace.leaf.plain_tensor | 11 | course 11.2
y = mg.zeros(2)
y += 1
y.mul_(3)

# %% inplace.leaf.no_grad | 11 | course 11.2
# no_grad lifts the leaf rule, and the version still counts.
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.no_grad():
    x += 1

# %% inplace.leaf.no_grad_after_use | 11 | course 11.5
# Allowed, but whoever saved x notices.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
with mg.no_grad():
    x += 1
y.backward()

# %% inplace.leaf.no_grad_after_use_unsaved | 11 | course 11.5
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = (x * 3).sum()
with mg.no_grad():
    x += 1
y.backward()

# %% inplace.leaf.view_of_leaf | 11 12 | course 11.2
x = mg.tensor([1.0, 2.0], requires_grad=True)
x[0].add_(1)

# %% inplace.leaf.view_of_leaf_named | 12 | course 12.6
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
v = x.view(4)
v.mul_(2)

# %% inplace.leaf.view_of_leaf_setitem | 12 | course 12.6
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
v = x[0]
v[1] = 9.0

# %% inplace.leaf.detached_write | 11 | course 11.4
# Through detach the write is allowed, and counted.
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.detach().mul_(2)

# %% inplace.leaf.data_write | 11 | course 11.4
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.data.mul_(2)

# %% inplace.leaf.augmented_is_not_rebinding | 11 | course 11.3
# w = w - … makes a new tensor; w -= … under no_grad keeps the leaf.
w = mg.tensor([1.0, 2.0], requires_grad=True)
(w * w).sum().backward()
first = w
with mg.no_grad():
    w -= 0.1 * w.grad
print(w is first, w.is_leaf)
w = w - 0.1 * w.grad
print(w is first, w.is_leaf)

# %% inplace.leaf.sgd_without_no_grad | 11 | course 11.3
w = mg.tensor([1.0, 2.0], requires_grad=True)
(w * w).sum().backward()
w -= 0.1 * w.grad

# %% inplace.leaf.requires_grad_after_write | 11 | course
x = mg.zeros(3)
x[1] = 5.0
x.requires_grad_()
(x * x).sum().backward()

# %% inplace.leaf.version_of_fresh | 11 | course 11.6
a = mg.zeros(2)
b = mg.ones(2)
c = mg.tensor([1.0])
d = mg.arange(3)
print(a._version, b._version, c._version, d._version, mg.rand(2)._version, (a + b)._version, a.clone()._version)

# %% inplace.leaf.version_not_settable | 11 | course 11.6
x = mg.zeros(2)
x._version = 5

# %% inplace.version.counts | 11 | course 11.6
x = mg.zeros(3)
x.add_(1)
x[0] = 5.0
x.mul_(2).sub_(1)
print(x._version)
x.zero_()
x.fill_(1)
x.copy_(mg.ones(3))

# %% inplace.version.shared_by_views | 11 12 | course 11.6
x = mg.zeros(4)
v = x.view(2, 2)
w = v[0]
w.add_(1)
print(x._version, v._version, w._version)

# %% inplace.version.shared_by_detach | 11 | course 11.4
x = mg.tensor([1.0, 2.0], requires_grad=True)
d = x.detach()
d.add_(1)
print(x._version, d._version)

# %% inplace.version.not_shared_by_data | 11 | course 11.4
x = mg.tensor([1.0, 2.0], requires_grad=True)
d = x.data
d.add_(1)
print(x._version, d._version, x.data._version)

# %% inplace.version.data_starts_at_zero | 11 | course 11.4
x = mg.zeros(2)
x.add_(1).add_(1)
d = x.data
e = x.detach()
print(x._version, d._version, e._version)

# %% inplace.version.clone_starts_at_zero | 11 | course 11.6
x = mg.zeros(2)
x.add_(1)
c = x.clone()

# %% inplace.version.numpy_is_not_counted | 11 | course 11.7
x = mg.zeros(2)
x.numpy()[0] = 5.0

# %% inplace.version.requires_grad_is_no_write | 11 | course 11.6
x = mg.zeros(2)
x.requires_grad_()
x.retain_grad()
print(x._version)

# %% inplace.version.data_set | 11 | torch docs: Tensor.data
x = mg.zeros(2)
x.add_(1)
x.data = mg.ones(3)
print(x._version)

# %% inplace.version.out_of_place_is_no_write | 11 | course 11.6
x = mg.zeros(2)
y = x + 1
x = x * 2
print(x._version, y._version)

# %% inplace.version.empty_write | 11 | course
# Also a write of nothing counts.
x = mg.zeros(0)
x.add_(1)
y = mg.zeros(3)
y[3:] = 1.0

# %% inplace.version.failed_write | 11 | course
# Checked before the write: the version stays.
x = mg.zeros(3)
try:
    x.add_(mg.ones(4))
except RuntimeError as error:
    print(error)
print(x._version)

# %% inplace.version.aba | 11 | course 11.6
# Versions are compared, not values: writing the old value back does not help.
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
y = h * h
h.add_(1)
h.sub_(1)
y.sum().backward()

# %% inplace.output.$ | 11 | course 11.1
# Change the result of an operation: whoever saved its output notices.
#: exp      | y = h.exp()
#: sigmoid  | y = h.sigmoid()
#: tanh     | y = h.tanh()
#: relu     | y = h.relu()
#: sqrt     | y = h.sqrt()
#: softmax  | y = h.softmax(0)[1:]
#: log_softmax | y = h.log_softmax(0)
#: mul_const | y = h * 2
#: add      | y = h + h
#: sub      | y = h - 1
#: neg      | y = -h
#: sin      | y = h.sin()
#: cos      | y = h.cos()
#: log      | y = h.log()
#: square   | y = h.square()
#: pow      | y = h ** 3
#: pow_number_base | y = 2 ** h
#: div      | y = h / 2
#: rdiv     | y = 2 / h
#: mul_self | y = h * h
#: abs      | y = h.abs()
#: clamp    | y = h.clamp(min=0.3)
#: matmul   | y = mg.eye(3) @ h
#: sum      | y = h.sum()
#: mean     | y = h.mean()
#: prod     | y = h.prod()
#: cumsum   | y = h.cumsum(0)
#: clone    | y = h.clone()
#: cat      | y = mg.cat([h, h])
#: stack    | y = mg.stack([h, h])
#: gather   | y = h.gather(0, mg.tensor([0, 0]))
#: index    | y = h[mg.tensor([0, 2])]
#: where    | y = mg.where(h > 0.5, h, -h)
#: maximum  | y = mg.maximum(h, mg.full((3,), 0.5))
#: max      | y = h.max()
#: max_dim  | y = h.max(0).values
#: logsumexp | y = h.logsumexp(0)
#: norm     | y = h.norm()
#: std      | y = h.std()
#: reciprocal | y = h.reciprocal()
#: rsqrt    | y = h.rsqrt()
#: expm1    | y = h.expm1()
#: tan      | y = h.tan()
#: leaky_relu | y = mg.nn.functional.leaky_relu(h)
#: mse      | y = mg.nn.functional.mse_loss(h, mg.zeros(3))
x = mg.tensor([0.125, 0.5, 0.875], requires_grad=True)
h = x * 1
...
y += 1
y.sum().backward()

# %% inplace.input.$ | 11 | course 11.1
# Change the input afterwards: whoever saved its input notices.
#: exp      | y = h.exp()
#: sigmoid  | y = h.sigmoid()
#: relu     | y = h.relu()
#: sqrt     | y = h.sqrt()
#: mul_const | y = h * 2
#: add      | y = h + h
#: neg      | y = -h
#: sin      | y = h.sin()
#: log      | y = h.log()
#: square   | y = h.square()
#: pow      | y = h ** 3
#: pow_number_base | y = 2 ** h
#: div      | y = h / 2
#: rdiv     | y = 2 / h
#: mul_self | y = h * h
#: abs      | y = h.abs()
#: clamp    | y = h.clamp(min=0.3)
#: matmul   | y = mg.eye(3) @ h
#: dot_self | y = h @ h
#: sum      | y = h.sum()
#: prod     | y = h.prod()
#: cat      | y = mg.cat([h, h])
#: index    | y = h[mg.tensor([0, 2])]
#: where    | y = mg.where(h > 0.5, h, -h)
#: maximum  | y = mg.maximum(h, mg.full((3,), 0.5))
#: max      | y = h.max()
#: max_dim  | y = h.max(0).values
#: softmax  | y = h.softmax(0)[1:]
#: logsumexp | y = h.logsumexp(0)
#: norm     | y = h.norm()
#: std      | y = h.std()
#: atan2    | y = mg.atan2(h, mg.ones(3))
#: cast     | y = h.double()
#: mse      | y = mg.nn.functional.mse_loss(h, mg.zeros(3))
#: lerp     | y = mg.lerp(h, h, 0.5)
x = mg.tensor([0.125, 0.5, 0.875], requires_grad=True)
h = x * 1
...
h += 1
y.sum().backward()

# %% inplace.message.relu | 11 | forum: [32, 50, 180]
# The message of a famous forum thread: the saved output of a relu was overwritten.
w = mg.ones(32, 50, 180, requires_grad=True)
y = mg.relu(w * 1)
y += 1
try:
    y.sum().backward()
except RuntimeError as error:
    print(error)
del w, y

# %% inplace.message.double | 11 | course
x = mg.tensor([[1.0, 2.0]], dtype=mg.float64, requires_grad=True)
y = x.exp()
y.mul_(2).mul_(2)
y.sum().backward()

# %% inplace.message.leaf_saved | 11 | course 11.5
# A leaf has no grad_fn to name in the message.
w = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
x = mg.tensor([[1.0, 0.0]], requires_grad=True)
y = x @ w
with mg.no_grad():
    w.sub_(1)
y.sum().backward()

# %% inplace.message.matmul_transposed | 11 | forum: AsStridedBackward0, TBackward
# nn.Linear's weight is saved transposed, so the message names the t.
w = mg.ones(3, 2, requires_grad=True)
x = mg.ones(1, 2, requires_grad=True)
y = x @ w.t()
with mg.no_grad():
    w.sub_(1)
y.sum().backward()

# %% inplace.message.scalar_saved | 11 | course
x = mg.tensor(2.0, requires_grad=True)
h = x.clone()
y = h * h
h += 1
y.backward()

# %% inplace.message.int_index | 11 | course
# An index tensor is saved too.
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
i = mg.tensor([0, 2])
y = x[i]
i[0] = 1
y.sum().backward()

# %% inplace.message.mask_changed | 11 | course
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
m = mg.tensor([True, False, True])
y = mg.where(m, x, mg.zeros(3))
m[0] = False
y.sum().backward()

# %% inplace.grad_state.chain | 11 | course
# The in-place form is a node of its own, between the old history and the tensor.
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.add_(1)
h.mul_(3)
h.sum().backward()

# %% inplace.grad_state.mul_self | 11 | course
# a.mul_(a) saves a and overwrites it: an honest error.
x = mg.tensor([1.0, 2.0], requires_grad=True)
a = x.clone()
a.mul_(a)
a.sum().backward()

# %% inplace.grad_state.add_self | 11 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
a = x.clone()
a.add_(a)
a.sum().backward()

# %% inplace.grad_state.mul_other | 11 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
w = mg.tensor([3.0, 4.0], requires_grad=True)
a = x.clone()
a *= w
a.sum().backward()

# %% inplace.grad_state.exp_ | 11 | course
# exp_ saves its output, which is what it has just written: fine.
x = mg.tensor([0.0, 1.0], requires_grad=True)
a = x.clone().exp_()
a.sum().backward()

# %% inplace.grad_state.sin_ | 11 | course
x = mg.tensor([0.0, 1.0], requires_grad=True)
a = x.clone().sin_()
a.sum().backward()

# %% inplace.grad_state.pow_ | 11 | course
x = mg.tensor([2.0, 3.0], requires_grad=True)
a = x.clone().pow_(2)
a.sum().backward()

# %% inplace.grad_state.relu_ | 11 | course
x = mg.tensor([-1.0, 2.0], requires_grad=True)
a = x.clone().relu_()
a.sum().backward()

# %% inplace.grad_state.sqrt_ | 11 | course
x = mg.tensor([4.0, 9.0], requires_grad=True)
a = x.clone().sqrt_()
a.sum().backward()

# %% inplace.grad_state.zero_ | 11 | course
# After zero_ the old value no longer matters: gradient 0, not None.
x = mg.tensor([1.0, 2.0], requires_grad=True)
a = x * 3
a.zero_()
a.sum().backward()

# %% inplace.grad_state.fill_ | 11 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
s = mg.tensor(5.0, requires_grad=True)
a = x * 3
a.fill_(s)
a.sum().backward()

# %% inplace.grad_state.copy_ | 11 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
a = mg.zeros(2)
a.copy_(x)
a.sum().backward()

# %% inplace.grad_state.copy_broadcast_cast | 11 | course
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
a = mg.zeros(2, 3)
a.copy_(x)
a.sum().backward()

# %% inplace.grad_state.copy_over_history | 11 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
w = mg.tensor([3.0, 4.0], requires_grad=True)
a = w * 2
a.copy_(x)
a.sum().backward()

# %% inplace.grad_state.names | 11 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
for method, args in [("add_", (1,)), ("mul_", (2,)), ("div_", (2,)), ("sub_", (1,)), ("exp_", ()), ("zero_", ()), ("fill_", (1,)),
                     ("clamp_", (0, 1)), ("neg_", ()), ("pow_", (2,)), ("relu_", ()), ("tanh_", ()), ("sigmoid_", ()), ("copy_", (mg.ones(2),)),
                     ("masked_fill_", (mg.tensor([True, False]), 0)), ("abs_", ())]:
    y = x.clone()
    print(method, getattr(y, method)(*args) is y, y.grad_fn.name(), y._version)
del y

# %% inplace.grad_state.retain_grad_then_write | 13 | torch docs: retain_grad
# retain_grad follows the tensor to its new node.
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.retain_grad()
h.mul_(3)
h.sum().backward()

# %% inplace.refuse.$ | 11 | torch docs: autograd mechanics
#: result_dtype_int | mg.tensor([1, 2]).add_(1.5)
#: result_dtype_div | mg.tensor([1, 2]).div_(2)
#: result_dtype_idiv | a = mg.tensor([1, 2]); a /= 2
#: result_complex   | mg.tensor([1.0]).mul_(1j)
#: result_bool      | mg.tensor([True]).add_(1)
#: shape            | mg.zeros(2).add_(mg.zeros(3))
#: shape_grows      | mg.zeros(1).add_(mg.zeros(3))
#: shape_grows_dims | mg.zeros(3).add_(mg.zeros(2, 3))
#: expanded         | mg.zeros(1).expand(3).add_(1)
#: expanded_setitem | mg.zeros(1).expand(3)[0] = 1.0
#: expanded_copy    | mg.zeros(1).expand(3).copy_(mg.ones(3))
#: copy_shape       | mg.zeros(2).copy_(mg.zeros(3))
#: setitem_shape    | mg.zeros(2)[:] = mg.zeros(3)
#: setitem_index    | mg.zeros(2)[2] = 1.0
#: setitem_string   | mg.zeros(2)[0] = "a"
#: setitem_mask_shape | mg.zeros(2)[mg.tensor([True, False, True])] = 1.0
#: exp_of_int       | mg.tensor([1, 2]).exp_()
#: int_setitem_float | a = mg.tensor([1, 2]); a[0] = 2.7
#: mul_by_double    | a = mg.tensor([1.0]); a.mul_(mg.tensor([2.0], dtype=mg.float64))
...

# %% inplace.refuse.state_unchanged | 11 | course
# Refused means untouched: value, version and history are as before.
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
try:
    h.add_(mg.ones(3))
except RuntimeError:
    pass
h.sum().backward()

# %% inplace.refuse.full_overlap | 11 | course
# Writing a tensor onto itself is fine.
a = mg.arange(4.0)
a.add_(a)
a.copy_(a)
a[:2].add_(a[:2])

# %% inplace.data.silent | 11 | course 11.4
# .data slips past the version counter: a wrong gradient, in silence.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.data.zero_()
y.sum().backward()

# %% inplace.data.detach_is_caught | 11 | course 11.4
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.detach().zero_()
y.sum().backward()

# %% inplace.data.sigmoid_docs | 11 | torch docs: 0.4 migration
a = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = a.sigmoid()
c = out.data
c.zero_()
out.sum().backward()
print(a.grad)

# %% inplace.data.sigmoid_docs_detach | 11 | torch docs: 0.4 migration
a = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = a.sigmoid()
c = out.detach()
c.zero_()
out.sum().backward()

# %% inplace.data.numpy_silent | 11 | course 11.7
a = np.array([1.0, 2.0], dtype=np.float32)
c = mg.from_numpy(a)
x = mg.tensor([1.0, 1.0], requires_grad=True)
y = (x * c).sum()
a[0] = 200.0
y.backward()

# %% inplace.data.numpy_of_saved | 11 | course 11.7
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.detach().numpy()[:] = 0.0
y.sum().backward()

# %% inplace.data.detach_of_leaf_saved | 11 | course 11.4
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
x.detach()[0] = 10.0
y.backward()

# %% inplace.data.update_between | 11 | course 11.5
# A step between two backward passes of one graph.
w = mg.tensor([1.0, 2.0], requires_grad=True)
y = (w * w).sum()
y.backward(retain_graph=True)
w.data -= 0.1 * w.grad
y.backward()

# %% inplace.data.update_between_no_grad | 11 | course 11.5
w = mg.tensor([1.0, 2.0], requires_grad=True)
y = (w * w).sum()
y.backward(retain_graph=True)
with mg.no_grad():
    w -= 0.1 * w.grad
y.backward()

# %% inplace.setitem.plain | 12 | course
x = mg.zeros(2, 3)
x[0] = 1.0
x[:, 1] = mg.tensor([5.0, 6.0])
x[1, 2] = 7
x[..., 0] = mg.tensor(9.0)

# %% inplace.setitem.broadcast_value | 12 | course 12.3
x = mg.zeros(2, 3)
v = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
x[:] = v
x.sum().backward()

# %% inplace.setitem.leading_ones_of_value | 12 | course 12.3
# Leading dimensions of size 1 of the value are dropped.
x = mg.zeros(3)
x[:2] = mg.tensor([[1.0, 2.0]])

# %% inplace.setitem.overwritten_gets_zero | 12 | course 12.3
x = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = x * 2
y[1:3] = 0.0
y.sum().backward()

# %% inplace.setitem.value_gets_gradient | 12 | course 12.3
x = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
v = mg.tensor([10.0, 20.0], requires_grad=True)
y = x * 2
y[1:3] = v
(y * mg.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()

# %% inplace.setitem.mask | 12 | course 12.3
x = mg.tensor([-1.0, 2.0, -3.0], requires_grad=True)
y = x * 2
y[y < 0] = 0.0
y.sum().backward()

# %% inplace.setitem.index_tensor | 12 | course 12.3
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = mg.tensor([10.0, 20.0], requires_grad=True)
y = x * 2
y[mg.tensor([2, 0])] = v
(y * mg.tensor([1.0, 2.0, 3.0])).sum().backward()

# %% inplace.setitem.mixed | 12 | course
x = mg.zeros(2, 3)
x[0, mg.tensor([0, 2])] = 5.0
x[mg.tensor([True, False]), 1] = 7.0
x[1, [1, 2]] = mg.tensor([8.0, 9.0])

# %% inplace.setitem.cast_value | 12 | course
x = mg.zeros(2)
v = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
x[:] = v
x.sum().backward()

# %% inplace.setitem.part_of_a_view_that_is_a_leaf | 12 | course
x = mg.arange(4.0).reshape(2, 2)
x.requires_grad_()
x[:, 1:] = -1

# %% inplace.setitem.part_of_a_part | 12 | course
x = mg.ones(2, 3, requires_grad=True)
y = x * 2
z = y[1]
z[0] = x[0, 1]
z[1:] = 5.0
(z * y).sum().backward()

# %% inplace.setitem.scalar_tensor | 12 | course
x = mg.zeros(3)
s = mg.tensor(4.0, requires_grad=True)
x[1] = s
x.sum().backward()

# %% inplace.setitem.own_part | 12 | course
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 1
y[0] = y[1] * 10
y.sum().backward()

# %% inplace.setitem.augmented | 12 | course
# y[0] += 1 reads a view, adds in place, and writes it back.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y[0] += 1
y[1] *= 5
y.sum().backward()

# %% inplace.iop.rebinding_rules | 11 | course
x = mg.tensor([1.0, 2.0])
y = x
x += 1
x -= 3
x *= 2
x /= 4
x **= 2
x //= 1
x %= 2
print(x is y, x._version)

# %% inplace.refused.order.$ | 11 | random programs
# The shape of the result is looked at before the dtypes that a kernel knows, and before alpha.
#: alpha_shape    | mg.ones(()).add_(mg.ones(1, 3), alpha=True)
#: alpha_meet     | mg.ones(2).add_(mg.ones(3), alpha=True)
#: alpha_integer  | mg.ones(2, dtype=mg.int64).add_(mg.ones(2, 2, dtype=mg.int64), alpha=1.5)
#: remainder      | mg.ones(2, dtype=mg.complex64).remainder_(mg.ones(2, 2))
#: atan2          | mg.ones(2, dtype=mg.complex64).atan2_(mg.ones(3))
#: index_imaginary | x = mg.zeros(2); x[[True, False]] = mg.tensor([1 + 1j])
#: index_number   | x = mg.zeros(2); x[mg.tensor([0])] = 1j
#: index_too_large | x = mg.zeros(2, dtype=mg.uint8); x[0] = 300
...

# %% inplace.views.leaf_moved_inside | 11 | random programs
# A view becomes a leaf, and a write to its base makes it part of the graph after all.
x = mg.zeros(4)
leaf = x[:2]
leaf.requires_grad_()
y = leaf * 2
x.mul_(mg.ones(4, requires_grad=True))
y.sum().backward()

# %% inplace.views.failed_call | 11 | random programs
# A call that fails has asked the view for its history, so the next write may follow.
x = mg.zeros(4)
v = x[:2]
x[1:].mul_(mg.ones(3, requires_grad=True))
try:
    v + mg.ones(3)
except RuntimeError as error:
    print(error)
v.mul_(2)

# %% inplace.hooks_of_layout.$ | 06 11 | random programs
# A hook that comes after t_() and its kin joins the hooks that the tensor had before.
#: mul       | y.mul_(3)
#: slice     | y[:1].mul_(3)
x = mg.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda g: print("first", g) or g * 2)
...
y.register_hook(lambda g: print("second", g))
y.sum().backward()

# %% inplace.expanded_base | 11 | random programs
# A write to a part of an expanded tensor shows in the backward pass that it should not have been.
x = mg.zeros((), requires_grad=True)
v = mg.arange(4.0).reshape(2, 2).expand(2, 2, 2).data
v[1:] = x
(v * v).sum().backward()

# %% inplace.uniform | 11 15 | torch docs: Tensor.uniform_
x = mg.ones(3, requires_grad=True)
y = x * 2
v = y[1:]
z = v.uniform_(2, to=2)
print(z is v, y.grad_fn.name())
w = (x * 3).normal_(mean=4, std=0)
with mg.no_grad():
    x.uniform_(5, 5)
(y.sum() + w.sum()).backward()

# %% inplace.detach_saved.$ | 11 | random programs
# What was saved with a history, and lost it since.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
#: input    | w = y * y; y.detach_(); w.sum().backward()
#: graph    | w = y * y; y.detach_(); w.sum().backward(create_graph=True)
#: written  | w = y * y; y.detach_(); y.mul_(2); w.sum().backward()
#: again    | w = y * y; y.detach_(); y.requires_grad_(); w.sum().backward()
#: history  | w = y * y; y.detach_(); y.add_(x); w.sum().backward()
#: saved    | w = y * y; y.detach_(); w.grad_fn._saved_self
#: after    | y.detach_(); w = y * x; w.sum().backward()
#: output   | z = y.exp(); w = z.sum(); z.detach_(); w.backward()
#: unneeded | w = y + y; y.detach_(); w.sum().backward()
#: leaf     | w = x * x; x.detach_(); w.sum().backward()
#: hook     | y.register_hook(lambda g: g * 10); w = y.sum(); y.detach_(); w.backward()
#: view     | v = y[0]; y.detach_(); v.mul_(2); print(y, v.requires_grad, v._version)
#: retained | y.retain_grad(); w = y.sum(); y.detach_(); w.backward(); print(y.grad, y.retains_grad)
...
