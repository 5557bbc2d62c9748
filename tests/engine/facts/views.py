# ruff: noqa
"""Facts, area views: windows on memory, writing through them, and what the graph makes of it."""
import numpy as np

import minigrad as mg

# %% views.kind.$ | 12 | course 12.1
# View or copy? Write 100 into it and look at x.
#: slice        | v = x[1:]
#: int          | v = x[0]
#: int_int      | v = x[0, 1]
#: step         | v = x[:, ::2]
#: none         | v = x[None]
#: ellipsis     | v = x[..., 0]
#: all          | v = x[:]
#: view         | v = x.view(6)
#: view_as      | v = x.view_as(x)
#: reshape      | v = x.reshape(3, 2)
#: reshape_copy | v = x.t().reshape(6)
#: flatten      | v = x.flatten()
#: t            | v = x.t()
#: T            | v = x.T
#: permute      | v = x.permute(1, 0)
#: unsqueeze    | v = x.unsqueeze(0)
#: squeeze      | v = x[:1].squeeze()
#: diagonal     | v = x.diagonal()
#: narrow       | v = x.narrow(1, 0, 2)
#: select       | v = x.select(0, 1)
#: unbind       | v = x.unbind()[0]
#: split        | v = x.split(1)[1]
#: chunk        | v = x.chunk(2)[0]
#: detach       | v = x.detach()
#: data         | v = x.data
#: list         | v = x[[0, 1]]
#: index_tensor | v = x[mg.tensor([0])]
#: mask         | v = x[x > 1]
#: clone        | v = x.clone()
#: contiguous   | v = x.contiguous()
#: contiguous_copy | v = x.t().contiguous()
#: float        | v = x.float()
#: double       | v = x.double()
#: repeat       | v = x.repeat(1, 1)
#: flip         | v = x.flip(0)
#: tril         | v = x.tril()
#: gather       | v = x.gather(1, mg.tensor([[0], [1]]))
#: as_tensor    | v = mg.as_tensor(x)
#: tensor       | v = mg.tensor(x.tolist())
#: numpy        | v = mg.from_numpy(x.numpy())
#: conj_real    | v = x.conj()
#: real_real    | v = x.real
#: masked_fill  | v = x.masked_fill(x > 9, 0)
#: expand       | v = x.expand(2, 3)
#: bool_true    | v = x[True]
#: iter         | v = next(iter(x))
#: movedim      | v = x.movedim(0, 1)
#: diag         | v = x.diag()
#: cat          | v = mg.cat([x])
#: positive     | v = +x
#: to           | v = x.to(mg.float32)
x = mg.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
...
print(v is x, v._is_view(), v._base is x)
v.mul_(100)

# %% views.base.chain | 12 | torch docs: autograd mechanics
# The base of a view of a view is the first tensor.
x = mg.zeros(2, 3)
v = x.view(6)
w = v[1:]
u = w.t() if w.dim() == 2 else w[0]
print(x._base, v._base is x, w._base is x, u._base is x, x._is_view())

# %% views.base.of_nonleaf | 12 | torch docs: autograd mechanics
x = mg.zeros(2, 3, requires_grad=True)
y = x * 2
v = y[0]
print(v._base is y, v.is_leaf)

# %% views.base.detach_has_none | 12 | torch docs: autograd mechanics
x = mg.zeros(2, 3, requires_grad=True)
d = x.view(6).detach()
print(d._base is None, d._is_view())

# %% views.base.readonly | 12 | torch docs: autograd mechanics
x = mg.zeros(2)
x._base = None

# %% views.view.errors.$ | 12 | torch docs: Tensor.view
#: size         | mg.zeros(2, 3).view(4)
#: minus1       | mg.zeros(2, 3).view(-1, 4)
#: two_minus1   | mg.zeros(2, 3).view(-1, -1)
#: stride       | mg.zeros(2, 3).t().view(6)
#: minus2       | mg.zeros(2, 3).view(-2)
#: reshape      | mg.zeros(2, 3).reshape(4)
#: expand       | mg.zeros(2, 3).expand(4, 3)
#: expand_fewer | mg.zeros(2, 3).expand(3)
#: expand_minus1 | mg.zeros(3).expand(-1, 3)
#: t_three_dims | mg.zeros(2, 3, 4).t()
#: permute_count | mg.zeros(2, 3).permute(0)
#: permute_twice | mg.zeros(2, 3).permute(0, 0)
#: transpose_range | mg.zeros(2, 3).transpose(0, 2)
#: squeeze_range | mg.zeros(2, 3).squeeze(2)
#: unsqueeze_range | mg.zeros(2, 3).unsqueeze(4)
#: narrow       | mg.zeros(2, 3).narrow(1, 2, 2)
#: select       | mg.zeros(2, 3).select(0, 5)
#: index        | mg.zeros(2, 3)[2]
#: index_zero_dim | mg.zeros(())[0]
#: too_many     | mg.zeros(2, 3)[0, 0, 0]
#: step_negative | mg.zeros(3)[::-1]
#: step_zero    | mg.zeros(3)[::0]
#: mask_shape   | mg.zeros(2, 3)[mg.tensor([True, False, True])]
#: float_index  | mg.zeros(3)[1.5]
#: float_tensor | mg.zeros(3)[mg.tensor([1.0])]
#: index_tensor_range | mg.zeros(3)[mg.tensor([3])]
#: index_broadcast | mg.zeros(3, 3)[mg.tensor([0, 1]), mg.tensor([0, 1, 2])]
#: split_sizes  | mg.zeros(5).split([2, 2])
#: split_zero   | mg.zeros(5).split(0)
#: chunk_zero   | mg.zeros(5).chunk(0)
#: unbind_zero_dim | mg.tensor(1.0).unbind()
#: diagonal     | mg.zeros(3).diagonal()
#: flatten      | mg.zeros(2, 3).flatten(1, 0)
#: movedim      | mg.zeros(2, 3).movedim(0, 2)
#: repeat       | mg.zeros(2, 3).repeat(2)
#: cat_sizes    | mg.cat([mg.zeros(2, 3), mg.zeros(2, 4)])
#: cat_empty    | mg.cat([])
#: cat_zero_dim | mg.cat([mg.tensor(1.0), mg.tensor(2.0)])
#: stack_sizes  | mg.stack([mg.zeros(2), mg.zeros(3)])
#: stack_empty  | mg.stack([])
...

# %% views.write.y0 | 12 | d2l: indexing a result
# y = empty(2); y[0] = x**2; y[1] = x**3: an assignment puts a CopySlices node on top of y.
x = mg.tensor(3.0, requires_grad=True)
y = mg.empty(2)
y[0] = x ** 2
y[1] = x ** 3
y.backward(mg.ones(2))
print(y.grad_fn, y.grad_fn.name(), x.grad)

# %% views.write.copyslices_edges | 12 | course 12
# Its edges: first the history of the base, then what was written.
x = mg.tensor(3.0, requires_grad=True)
y = mg.zeros(2)
y[0] = x ** 2
print(y.grad_fn.next_functions[0], y.grad_fn.next_functions[1][0].name())
y[1] = x ** 3
print([None if n is None else n.name() for n, _ in y.grad_fn.next_functions])

# %% views.write.lost | 12 | course 12.4
# The second write to y[0] hides the first.
x = mg.tensor(3.0, requires_grad=True)
y = mg.zeros(2)
y[0] = x ** 2
y[0] = x ** 3
y.sum().backward()

# %% views.write.read_then_write_elsewhere | 12 | course 12.2
# The recurrence that raises: y[0] was saved, then y was written.
x = mg.tensor(3.0, requires_grad=True)
y = mg.zeros(2)
y[0] = x ** 2
y[1] = y[0] * x
y.sum().backward()

# %% views.write.read_clone_then_write | 12 | course 12.2
x = mg.tensor(3.0, requires_grad=True)
y = mg.zeros(2)
y[0] = x ** 2
y[1] = y[0].clone() * x
y.sum().backward()

# %% views.write.stack_instead | 12 | course 12.7
x = mg.tensor(3.0, requires_grad=True)
a = x ** 2
y = mg.stack([a, a * x])
y.sum().backward()

# %% views.write.loop | 12 | course
# Fifty writes, fifty nodes.
x = mg.tensor(2.0, requires_grad=True)
y = mg.zeros(5)
for k in range(5):
    y[k] = x * k
node, count = y.grad_fn, 0
while node is not None:
    node, count = node.next_functions[0][0], count + 1
print(count)
y.sum().backward()
del node

# %% views.write.base_then_view | 12 | course 12.5
# The view learns of a write to its base: its history is made again when asked for.
x = mg.tensor([1.0, 1.0, 1.0, 1.0], requires_grad=True)
y = x * 2
v = y[:2]
before = v.grad_fn.name()
y.mul_(3)
print(before, v.grad_fn.name(), v)
v.sum().backward()

# %% views.write.view_then_base | 12 | course 12.5
x = mg.tensor([1.0, 1.0, 1.0, 1.0], requires_grad=True)
y = x * 2
v = y[:2]
v.mul_(5)
print(v.grad_fn.name(), y.grad_fn.name())
y.sum().backward()

# %% views.write.two_views | 12 | course 12.5
x = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = x * 1
a, b = y[:3], y[1:]
a.mul_(10)
b.add_(1)
(a.sum() + b.sum()).backward()

# %% views.write.view_of_view | 12 | course
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
r = y[0]
e = r[1]
e.mul_(10)
y.sum().backward()

# %% views.write.through_transpose | 12 | course
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
y.t()[0].mul_(10)
y.sum().backward()

# %% views.write.through_diagonal | 12 | course
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
y.diagonal().zero_()
y.sum().backward()

# %% views.write.plain_base_view_gets_history | 12 | course
# Base and view were plain; the write of x makes both part of the graph.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = mg.zeros(4)
v = y[:2]
v.copy_(x)
y.sum().backward()

# %% views.write.plain_base_other_view | 12 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = mg.zeros(4)
v = y[:2]
w = y[1:]
v.mul_(x)
w.sum().backward()

# %% views.write.base_gets_history_view_later | 12 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = mg.zeros(2)
v = y[:1]
print(v.requires_grad)
y.add_(x)
print(v.requires_grad, v.grad_fn.name())

# %% views.write.mask_through_view | 12 | course
x = mg.tensor([[1.0, -2.0], [-3.0, 4.0]], requires_grad=True)
y = x * 1
v = y[1]
v[v < 0] = 0.0
y.sum().backward()

# %% views.write.double_backward | 12 | course
x = mg.tensor(3.0, requires_grad=True)
y = mg.zeros(2)
y[0] = x ** 2
y[1] = x ** 3
g, = mg.autograd.grad(y.sum(), x, create_graph=True)
h, = mg.autograd.grad(g, x)
print(g.item(), h.item())

# %% views.write.after_backward | 12 | course
# A graph that has run is not used again by a later write.
x = mg.tensor(3.0, requires_grad=True)
y = mg.zeros(2)
y[0] = x ** 2
y.sum().backward()
y[0] = x ** 3
y.sum().backward()

# %% views.write.after_backward_detached | 12 | course
x = mg.tensor(3.0, requires_grad=True)
y = mg.zeros(2)
for k in range(2):
    y = y.detach()
    y[0] = x ** 2
    y.sum().backward()

# %% views.write.detached_base | 12 | course
# Writing through detach: no history, but the version counts and saved values are guarded.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
z = y * y
y.detach()[0] = 100.0
z.sum().backward()

# %% views.write.no_grad_write | 12 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
with mg.no_grad():
    y[0] = 100.0
y.sum().backward()

# %% views.write.no_grad_write_through_view | 12 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
v = y[:1]
with mg.no_grad():
    v.mul_(100)
y.sum().backward()

# %% views.write.saved_view | 12 | course
# The value was saved through the view, the write goes through the base: one version for both.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
v = y[0]
z = v * v
y[1] = 7.0
z.backward()

# %% views.multi.unbind | 12 | course 12.6
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
a, b = y.unbind()
a.mul_(2)

# %% views.multi.split | 12 | course 12.6
x = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = x * 1
a, b = y.split(2)
a.mul_(2)

# %% views.multi.split_sizes | 12 | course 12.6
x = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = x * 1
a, b = y.split([1, 3])
a += 1

# %% views.multi.chunk | 12 | course 12.6
x = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = x * 1
y.chunk(2)[0].zero_()

# %% views.multi.loop_over_rows | 12 | course 12.6
# A for loop over a tensor unbinds it.
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
for row in y:
    row += 1

# %% views.multi.of_leaf | 12 | course 12.6
x = mg.tensor([1.0, 2.0], requires_grad=True)
a, b = x.unbind()
a.mul_(2)

# %% views.multi.plain | 12 | course 12.6
# Without history there is nothing to protect.
y = mg.tensor([[1.0, 2.0], [3.0, 4.0]])
a, b = y.unbind()
a.mul_(2)

# %% views.multi.plain_then_history | 12 | course 12.6
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = mg.zeros(2, 2)
a, b = y.unbind()
a.mul_(x)

# %% views.multi.base_written | 12 | course 12.6
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
a, b = y.unbind()
y.mul_(2)
print(a)

# %% views.multi.view_of_output | 12 | course 12.6
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
a, b = y.unbind()
a[0] = 9.0

# %% views.multi.no_grad_write | 12 | course 12.6
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1
a, b = y.unbind()
with mg.no_grad():
    a.mul_(2)
print(y)

# %% views.multi.gradients | 12 | course
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
a, b = (x * 1).unbind()
(a * 10).sum().backward()

# %% views.multi.output_nr | 12 | course
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
parts = (x * 1).split(1)
print([p.output_nr for p in parts], parts[0].grad_fn is parts[2].grad_fn)

# %% views.no_grad.view_of_nonleaf | 12 | course 12.6
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
with mg.no_grad():
    v = y[:1]
print(v.requires_grad, v._is_view())
v.mul_(2)

# %% views.no_grad.view_of_leaf | 12 | course 12.6
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.no_grad():
    v = x[:1]
v.mul_(2)

# %% views.no_grad.view_of_plain | 12 | course 12.6
y = mg.zeros(2)
with mg.no_grad():
    v = y[:1]
v.add_(1)

# %% views.no_grad.view_of_plain_with_history | 12 | course 12.6
x = mg.tensor([1.0], requires_grad=True)
y = mg.zeros(2)
with mg.no_grad():
    v = y[:1]
v.add_(x)

# %% views.no_grad.write_inside_too | 12 | course 12.6
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
with mg.no_grad():
    v = y[:1]
    v.mul_(2)
y.sum().backward()

# %% views.no_grad.base_written_view_read | 12 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
with mg.no_grad():
    v = y[:1]
y.mul_(2)
print(v, v.requires_grad)

# %% views.no_grad.multi_output | 12 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
with mg.no_grad():
    a, b = y.unbind()
a.mul_(2)

# %% views.inference.view_of_normal | 12 | torch docs: inference_mode
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
with mg.inference_mode():
    v = y[:1]
print(v.is_inference())
v.mul_(2)

# %% views.inference.write_outside | 12 | torch docs: inference_mode
with mg.inference_mode():
    y = mg.zeros(2)
try:
    y.add_(1)
finally:
    del y

# %% views.inference.saved_outside | 12 | torch docs: inference_mode
with mg.inference_mode():
    c = mg.ones(2)
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * c

# %% views.inference.unsaved_outside | 12 | torch docs: inference_mode
with mg.inference_mode():
    c = mg.ones(2)
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x + c
del c
y.sum().backward()

# %% views.inference.view_outside | 12 | torch docs: inference_mode
with mg.inference_mode():
    c = mg.ones(2)
v = c[:1]
print(v.is_inference(), v.requires_grad)
del c, v

# %% views.inference.version | 12 | torch docs: inference_mode
with mg.inference_mode():
    c = mg.ones(2)
c._version

# %% views.inference.requires_grad | 12 | torch docs: inference_mode
with mg.inference_mode():
    c = mg.ones(2)
c.requires_grad = True

# %% views.expand.write | 12 | course 12.6
x = mg.tensor([1.0], requires_grad=True)
y = (x * 1).expand(3)
y.add_(1)

# %% views.expand.write_one_element | 12 | course 12.6
# One element is one cell: allowed, and all three change.
x = mg.zeros(1)
y = x.expand(3)
y[0] = 5.0
print(y)

# %% views.expand.base_write | 12 | course 12.6
x = mg.tensor([1.0], requires_grad=True)
b = x * 1
y = b.expand(3)
b.mul_(2)
print(y.grad_fn.name())
y.sum().backward()

# %% views.hook_on_view | 13 | course
# A hook on a tensor that is then changed through a view sees the gradient of the old value.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.register_hook(lambda g: print("hook", g))
y[0].mul_(10)
y.sum().backward()

# %% views.leaf_base_rule.reverse | 12 | course
# Writing what requires grad into a view of a plain leaf is how buffers enter the graph.
p = mg.zeros(3)
v = p[1:]
x = mg.tensor([5.0, 6.0], requires_grad=True)
v += x
print(p, p.is_leaf)

# %% views.view_nonleaf_beside_leaf | 01 12 | forum: x.grad is None
# After x = x.view(…) the name means a non-leaf, whose .grad stays None; the leaf under the other name gets it.
leaf = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
x = leaf.view(2, 2)
(x * x).sum().backward()
print(x.grad, leaf.grad)

# %% views.complex.view_as_real_write | 12 | course
x = mg.tensor([1 + 2j], requires_grad=True)
z = x * 1
v = mg.view_as_real(z)
v[0, 1] = 10.0
z.abs().sum().backward()

# %% views.complex.real_write | 12 | course
x = mg.tensor([1 + 2j], requires_grad=True)
z = x * 1
z.real.mul_(3)
z.abs().sum().backward()

# %% views.no_grad.leaf_view_used | 11 12 | course 11
# A view of a leaf made under no_grad says that it requires grad, and no gradient ever reaches the leaf through it.
x = mg.tensor([1.0, 2.0], requires_grad=True)
w = mg.tensor([3.0], requires_grad=True)
with mg.no_grad():
    v = x[:1]
y = v * w
print(v.requires_grad, v.is_leaf, v.grad_fn, y.grad_fn.next_functions[0])
y.sum().backward()
z = v.neg()
z.sum().backward()

# %% views.renewed_by_a_refusal | 12 | random programs
# When an operation refuses its arguments, a view has found its new history before; a write to it is then no write to a leaf.
x = mg.zeros(2)
v, w = x[:], x[:]
v[0] = mg.tensor(1.0, requires_grad=True)
try:
    w @ mg.ones(5)
except RuntimeError as error:
    print(error)
w.mul_(2)

# %% views.modes_one_in_the_other | 12 | random programs
# A view of a view that was made in inference mode is one itself, in whatever mode it was made.
x = mg.ones(3, requires_grad=True) * 1
with mg.inference_mode():
    v = x[:2]
with mg.no_grad():
    w = v[:1]
w.mul_(2)

# %% views.unbind_nothing | 12 | course 12.7
# A loop over no rows at all.
x = mg.ones(1, 2, requires_grad=True)
print(list(x[1:]), x[1:].unbind(), len(x[1:].split(1)))
for row in x[1:]:
    print(row)
