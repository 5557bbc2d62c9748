# ruff: noqa
"""Facts, area basics: making tensors, and who is a leaf, who requires grad, and who made it."""
import numpy as np

import minigrad as mg

# %% basics.tensor.floats | 01 | torch docs: tensor
x = mg.tensor([1.0, 2.5, -3.0])

# %% basics.tensor.ints | 01 | torch docs: tensor
x = mg.tensor([1, 2, 3])

# %% basics.tensor.bools | 01 | torch docs: tensor
x = mg.tensor([True, False])

# %% basics.tensor.complex | 10 | torch docs: tensor
x = mg.tensor([1 + 2j, 3j])

# %% basics.tensor.scalar | 01 | torch docs: tensor
x = mg.tensor(2.0)
y = mg.tensor(3)
z = mg.tensor(True)
w = mg.tensor(1j)

# %% basics.tensor.nested | 01 | torch docs: tensor
x = mg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

# %% basics.tensor.mixed_numbers | 01 | torch docs: tensor
# One float among the numbers makes them all floats.
x = mg.tensor([1, 2.5, True])

# %% basics.tensor.empty_list | 01 | torch docs: tensor
x = mg.tensor([])
y = mg.tensor([[], []])

# %% basics.tensor.dtype | 01 | torch docs: tensor
x = mg.tensor([1, 2], dtype=mg.float64)
y = mg.tensor([1.7, -2.7], dtype=mg.int32)
z = mg.tensor([0.0, 2.0], dtype=mg.bool)

# %% basics.tensor.requires_grad | 01 | torch docs: tensor
x = mg.tensor([1.0, 2.0], requires_grad=True)

# %% basics.tensor.from_float64_array | 01 | torch docs: tensor
# An array keeps its dtype: float64 stays float64, Python floats become float32.
x = mg.tensor(np.array([1.0, 2.0]))
y = mg.tensor(np.array([1, 2]))
z = mg.tensor(np.float64(2.0))

# %% basics.tensor.copies_array | 11 | torch docs: tensor
a = np.array([1.0, 2.0])
x = mg.tensor(a)
a[0] = 100.0

# %% basics.tensor.ragged | 01 | torch docs: tensor
mg.tensor([[1.0, 2.0], [3.0]])

# %% basics.tensor.string | 01 | torch docs: tensor
mg.tensor("one")

# %% basics.tensor.none | 01 | torch docs: tensor
mg.tensor(None)

# %% basics.tensor.list_of_scalars | 01 | torch docs: tensor
# The numbers are read out of the tensors: no history.
a = mg.tensor(2.0, requires_grad=True)
x = mg.tensor([a, 3.0])

# %% basics.tensor.of_tensor_warns | 01 | torch docs: tensor
a = mg.tensor([1.0, 2.0], requires_grad=True)
x = mg.tensor(a)

# %% basics.tensor.int_requires_grad | 01 | torch docs: requires_grad
mg.tensor([1, 2], requires_grad=True)

# %% basics.tensor.bool_requires_grad | 01 | torch docs: requires_grad
mg.tensor([True], requires_grad=True)

# %% basics.tensor.complex_requires_grad | 01 | torch docs: requires_grad
x = mg.tensor([1j], requires_grad=True)

# %% basics.as_tensor.shares | 11 | torch docs: as_tensor
a = np.array([1.0, 2.0])
x = mg.as_tensor(a)
a[0] = 100.0
t = mg.tensor([1.0])
print(mg.as_tensor(t) is t)

# %% basics.from_numpy.shares | 11 | torch docs: from_numpy
a = np.array([1.0, 2.0])
x = mg.from_numpy(a)
a[0] = 100.0
x[1] = 7.0
print(a.tolist())

# %% basics.from_numpy.dtypes | 01 | torch docs: from_numpy
a = mg.from_numpy(np.array([1], dtype=np.int8))
b = mg.from_numpy(np.array([1], dtype=np.uint8))
c = mg.from_numpy(np.array([1], dtype=np.int16))
d = mg.from_numpy(np.array([1], dtype=np.float16))
e = mg.from_numpy(np.array([1j], dtype=np.complex64))
f = mg.from_numpy(np.array([True]))

# %% basics.from_numpy.list | 01 | torch docs: from_numpy
mg.from_numpy([1.0])

# %% basics.numpy.shares | 11 | torch docs: Tensor.numpy
x = mg.tensor([1.0, 2.0])
a = x.numpy()
a[0] = 9.0
print(type(a).__name__, a.dtype, a.shape)

# %% basics.numpy.requires_grad | 05 | torch docs: Tensor.numpy
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.numpy()

# %% basics.numpy.nonleaf | 05 | torch docs: Tensor.numpy
x = mg.tensor([1.0, 2.0], requires_grad=True)
(x * 2).numpy()

# %% basics.numpy.array_of_tensor | 05 | torch docs: Tensor.__array__
x = mg.tensor([1.0, 2.0], requires_grad=True)
np.asarray(x)

# %% basics.numpy.force | 05 | torch docs: Tensor.numpy
x = mg.tensor([1.0, 2.0], requires_grad=True)
print(x.numpy(force=True).tolist())

# %% basics.numpy.asarray_plain | 05 | torch docs: Tensor.__array__
x = mg.tensor([[1.0, 2.0]])
a = np.asarray(x)
print(a.dtype, a.shape, np.asarray(mg.tensor([1, 2])).dtype)

# %% basics.make.zeros | 01 | torch docs: zeros
a = mg.zeros(2, 3)
b = mg.zeros((2, 3))
c = mg.zeros([2])
d = mg.zeros(2, dtype=mg.int64)
e = mg.zeros(2, requires_grad=True)
f = mg.zeros(())

# %% basics.make.ones | 01 | torch docs: ones
a = mg.ones(2, 3)
b = mg.ones(())
c = mg.ones(2, dtype=mg.bool)
d = mg.ones(3, 0)

# %% basics.make.full | 01 | torch docs: full
# The dtype follows the number.
a = mg.full((2,), 3.0)
b = mg.full((2,), 3)
c = mg.full((2,), True)
d = mg.full((), 1j)
e = mg.full((2,), 3, dtype=mg.float64)

# %% basics.make.eye | 03 | torch docs: eye
a = mg.eye(2)
b = mg.eye(2, 3)

# %% basics.make.arange | 01 | torch docs: arange
# Whole numbers give int64, one float gives the default dtype.
a = mg.arange(4)
b = mg.arange(1, 4)
c = mg.arange(0, 1, 0.25)
d = mg.arange(4.0)
e = mg.arange(4, 0, -2)
f = mg.arange(3, dtype=mg.float64)
g = mg.arange(4.0, requires_grad=True)

# %% basics.make.arange_int_requires_grad | 01 | d2l 2.5
mg.arange(4, requires_grad=True)

# %% basics.make.linspace | 05 | torch docs: linspace
a = mg.linspace(-1, 1, 5)
b = mg.linspace(0, 10, 1)
c = mg.linspace(0, 1, 3, dtype=mg.float64)

# %% basics.make.likes | 01 | torch docs: zeros_like
x = mg.tensor([[1, 2]], dtype=mg.int32)
a = mg.zeros_like(x)
b = mg.ones_like(x)
c = mg.full_like(x, 7)
d = mg.ones_like(x, dtype=mg.float64)

# %% basics.make.likes_forget_history | 01 | torch docs: zeros_like
# A new tensor: it takes shape and dtype, not requires_grad.
x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
a = mg.zeros_like(x)
b = mg.ones_like(x, requires_grad=True)
c = mg.full_like(x * 2, 0.5)

# %% basics.make.news | 01 | torch docs: Tensor.new_zeros
x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
a = x.new_zeros(2)
b = x.new_ones((2, 1))
c = x.new_full((2,), 3.0)
d = x.new_tensor([1, 2])
e = x.new_zeros(2, requires_grad=True)

# %% basics.make.complex | 10 | torch docs: complex
x = mg.complex(mg.tensor([1.0, 2.0]), mg.tensor([3.0, -4.0]))

# %% basics.make.empty_shape | 01 | torch docs: empty
x = mg.empty(2, 3)
print(x.shape, x.dtype, x.requires_grad)
del x

# %% basics.make.random_shapes | 01 | torch docs: rand
a = mg.rand(2, 3)
b = mg.randn(4, requires_grad=True)
c = mg.randint(0, 10, (5,))
print(a.shape, a.dtype, bool((a >= 0).all()), bool((a < 1).all()))
print(b.shape, b.requires_grad, b.is_leaf)
print(c.shape, c.dtype, bool((c >= 0).all()), bool((c < 10).all()))
del a, b, c

# %% basics.make.seed | 01 | torch docs: manual_seed
mg.manual_seed(3)
a = mg.rand(4)
mg.manual_seed(3)
print(bool((a == mg.rand(4)).all()), bool((a == mg.rand(4)).all()))
del a

# %% basics.make.negative_size | 01 | torch docs: zeros
mg.zeros(-1)

# %% basics.constructor.float | 01 | tutorial: autograd (2017)
a = mg.FloatTensor([1, 2, 3])
b = mg.DoubleTensor([1.5])
c = mg.LongTensor([1, 2])
d = mg.BoolTensor([1, 0])
e = mg.Tensor([1, 2])

# %% basics.constructor.shape | 01 | tutorial: autograd (2017)
# With numbers these make an uninitialised tensor of that shape.
print(mg.FloatTensor(2, 3).shape, mg.Tensor(4).shape, mg.Tensor().shape)

# %% basics.constructor.long_of_floats | 01 | torch docs: Tensor
x = mg.LongTensor([1.0, 2.0])

# %% basics.variable | 01 | tutorial: autograd (2017)
# Variable and Tensor are one since 0.4: it gives back a tensor with the flag set.
x = mg.autograd.Variable(mg.ones(2, 2), requires_grad=True)
y = x + 2
print(type(x).__name__)

# %% basics.size | 01 | torch docs: Size
x = mg.zeros(2, 3)
print(x.shape, x.size(), x.size(0), x.size(-1), x.dim(), x.ndim, x.numel(), len(x))
print(x.shape == (2, 3), isinstance(x.shape, tuple), type(x.shape).__name__, x.shape.numel())
print(x.shape[:1], x.shape + (4,), mg.Size([1, 2]))

# %% basics.size.out_of_range | 01 | torch docs: Tensor.size
mg.zeros(2, 3).size(2)

# %% basics.item | 01 | torch docs: Tensor.item
print(mg.tensor(2.5).item(), mg.tensor([[3]]).item(), mg.tensor(True).item(), mg.tensor(2.5, requires_grad=True).item())
print(type(mg.tensor(2.5).item()).__name__, mg.tensor(0.1).item())

# %% basics.item.many | 01 | torch docs: Tensor.item
mg.tensor([1.0, 2.0]).item()

# %% basics.item.none | 01 | torch docs: Tensor.item
mg.tensor([]).item()

# %% basics.tolist | 01 | torch docs: Tensor.tolist
print(mg.tensor([[1.0, 2.0], [3.0, 4.0]]).tolist(), mg.tensor(1).tolist(), mg.tensor([True]).tolist())

# %% basics.python_numbers | 01 | torch docs: Tensor
x = mg.tensor(2.5)
print(float(x), int(x), bool(x), round(float(x)), complex(x), [10, 20, 30][mg.tensor(1)])

# %% basics.bool.many | 01 | torch docs: Tensor
if mg.tensor([1.0, 2.0]):
    pass

# %% basics.bool.empty | 01 | torch docs: Tensor
bool(mg.tensor([]))

# %% basics.float.many | 01 | torch docs: Tensor
float(mg.tensor([1.0, 2.0]))

# %% basics.float.warns_requires_grad | 01 | torch docs: Tensor
# float() reminds of detach; int() and bool() do not.
x = mg.tensor(2.5, requires_grad=True)
print(float(x), int(x), bool(x))

# %% basics.iterate | 01 | torch docs: Tensor
x = mg.tensor([1.0, 2.0], requires_grad=True)
a, b = x
print([row.tolist() for row in mg.tensor([[1, 2], [3, 4]])])

# %% basics.iterate.scalar | 01 | torch docs: Tensor
list(mg.tensor(1.0))

# %% basics.len.scalar | 01 | torch docs: Tensor
len(mg.tensor(1.0))

# %% basics.contains | 01 | torch docs: Tensor
x = mg.tensor([1.0, 2.0])
print(1.0 in x, 5.0 in x, 2 in x)

# %% basics.hash_is_identity | 01 | torch docs: Tensor
x = mg.tensor(1.0)
y = mg.tensor(1.0)
print(len({x, y, x}), x is y, {x: 1}[x])

# %% basics.arith.add | 01 | course
a = mg.tensor([1.0, 2.0])
b = mg.tensor([3.0, 5.0])
c = a + b
d = a - b
e = a * b
f = a / b
g = a ** 2
h = -a

# %% basics.arith.reflected | 01 | course
a = mg.tensor([1.0, 2.0])
b = 1 + a
c = 1 - a
d = 2 * a
e = 2 / a
f = 2 ** a

# %% basics.arith.floor_mod | 01 | course
a = mg.tensor([7.0, -7.0])
b = a // 2
c = a % 3
d = 7 % mg.tensor([2.0, 3.0])
e = 7 // mg.tensor([2.0, 3.0])

# %% basics.arith.compare | 01 | course
a = mg.tensor([1.0, 2.0, 3.0])
b = a == 2
c = a != 2
d = a < 2
e = a >= mg.tensor([3.0, 2.0, 1.0])

# %% basics.arith.compare_has_no_history | 01 | course
# A comparison gives bools; there is nothing to differentiate.
a = mg.tensor([1.0, 2.0], requires_grad=True)
b = a > 1.5

# %% basics.arith.broadcast | 04 | course
a = mg.tensor([[1.0], [2.0]])
b = mg.tensor([10.0, 20.0, 30.0])
c = a + b
d = a * 2 + b

# %% basics.arith.matmul_operator | 04 | course
a = mg.tensor([[1.0, 2.0], [3.0, 4.0]])
b = mg.tensor([1.0, -1.0])
c = a @ a
d = a @ b
e = b @ b

# %% basics.arith.with_numpy_scalar | 01 | course
a = mg.tensor([1.0, 2.0])
b = a * np.float64(3.0)
c = a + np.float32(1.0)
d = a * np.int64(2)

# %% basics.arith.logical | 01 | course
a = mg.tensor([True, True, False])
b = mg.tensor([True, False, False])
c = a & b
d = a | b
e = a ^ b
f = ~a

# %% basics.arith.minus_bool | 01 | course
mg.tensor([True]) - mg.tensor([True])

# %% basics.arith.neg_bool | 01 | course
-mg.tensor([True])

# %% basics.leaf.plain | 01 | course 1.1
# A leaf is a tensor without history, whether or not it requires grad.
a = mg.tensor([1.0])
b = mg.tensor([1.0], requires_grad=True)
c = a * 2
d = b * 2

# %% basics.leaf.constants_make_leaves | 01 | course 1.1
# History exists only when some input requires grad.
a = mg.tensor([1.0])
b = mg.tensor([2.0])
c = (a * b + 1).exp()

# %% basics.leaf.one_is_enough | 01 | course 1.1
a = mg.tensor([1.0])
b = mg.tensor([2.0], requires_grad=True)
c = a * b

# %% basics.leaf.clone | 01 | course 1.1
# clone is recorded; detach is not.
x = mg.tensor([1.0, 2.0], requires_grad=True)
a = x.clone()
b = x.detach()
c = x.clone().detach()
d = x.detach().clone()
e = x.detach().clone().requires_grad_()

# %% basics.leaf.data | 01 | course 1.1
x = mg.tensor([1.0, 2.0], requires_grad=True)
a = x.data
y = x * 2
b = y.data
print(x.data is x, x.data.requires_grad)

# %% basics.leaf.index | 01 | course 1.1
# Indexing is an operation.
w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
a = w[0]
b = w[1:]
c = w[[0, 2]]
d = w[mg.tensor([True, False, True])]

# %% basics.leaf.no_grad_result | 01 | course 1.1
x = mg.tensor([1.0], requires_grad=True)
with mg.no_grad():
    y = x * 2
    z = x.clone()
    v = x[0]
    w = mg.tensor([1.0], requires_grad=True)
    u = w * 3

# %% basics.leaf.named_product | 01 | course 1.4
# x is the product here: the leaf lost its name.
x = mg.tensor([1.0, 2.0], requires_grad=True) * 2
x.sum().backward()
print(x.grad)

# %% basics.leaf.rebound | 01 | course 1.4
w = mg.tensor([1.0], requires_grad=True)
(w * w).sum().backward()
w = w - 0.1 * w.grad
print(w.is_leaf, w.grad)

# %% basics.leaf.requires_grad_returns_self | 01 | torch docs: requires_grad_
x = mg.tensor([1.0])
print(x.requires_grad_() is x, x.requires_grad_(False) is x, x.requires_grad)

# %% basics.leaf.set_flag | 01 | torch docs: requires_grad
x = mg.tensor([1.0])
x.requires_grad = True
y = x * 2
x.requires_grad = False
z = x * 2

# %% basics.leaf.set_flag_later_keeps_graph | 01 | course 1.5
# The graph stays as it is, but backward gives nothing to a leaf that no longer wants it.
x = mg.tensor([1.0], requires_grad=True)
y = x * 2
x.requires_grad_(False)
y.backward()

# %% basics.flag.nonleaf_off | 01 | course 1.5
x = mg.tensor([1.0], requires_grad=True)
y = x * 2
y.requires_grad = False

# %% basics.flag.nonleaf_off_method | 01 | course 1.5
x = mg.tensor([1.0], requires_grad=True)
y = x * 2
y.requires_grad_(False)

# %% basics.flag.nonleaf_on | 01 | course 1.5
# Already true, and refused all the same; the method lets it pass.
x = mg.tensor([1.0], requires_grad=True)
y = x * 2
print(y.requires_grad_() is y)
y.requires_grad = True

# %% basics.flag.int | 01 | course
x = mg.tensor([1, 2])
x.requires_grad = True

# %% basics.flag.int_method | 01 | course
x = mg.tensor([1, 2])
x.requires_grad_()

# %% basics.flag.int_off | 01 | course
x = mg.tensor([1, 2])
x.requires_grad = False
x.requires_grad_(False)

# %% basics.flag.not_bool | 01 | course
x = mg.tensor([1.0])
x.requires_grad = "yes"

# %% basics.flag.view_of_plain_data | 01 | tutorial: autograd mechanics
# A view of data without history is a leaf, so the flag may be set on it.
x = mg.zeros(4)
y = x.view(2, 2)
y.requires_grad = True
z = (y * 2).sum()
z.backward()

# %% basics.flag.view_of_plain_data_base_used | 01 | course
x = mg.ones(4)
y = x[:2]
y.requires_grad_()
z = x.sum()

# %% basics.graph.chain | 01 | course
a = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(3.0, requires_grad=True)
c = mg.tensor(4.0, requires_grad=True)
d = a * b
e = b + c
L = d + e
print(L.grad_fn.name(), type(L.grad_fn).__name__)
L.backward()

# %% basics.graph.constants_are_pruned | 01 | course
# The edge to a constant is None.
x = mg.tensor([1.0, 2.0], requires_grad=True)
c = mg.tensor([3.0, 4.0])
y = x * c
z = c + x
print(y.grad_fn.next_functions[1], z.grad_fn.next_functions[0])

# %% basics.graph.python_numbers | 01 | course
x = mg.tensor(1.0, requires_grad=True)
y = 2 * x + 1
z = 1 - x
w = 3 / x

# %% basics.graph.shared_node | 01 | course
x = mg.tensor(3.0, requires_grad=True)
y = x * x
z = y * y

# %% basics.graph.same_accumulator | 01 | torch docs: autograd mechanics
# All uses of a leaf end in one AccumulateGrad node.
x = mg.tensor(3.0, requires_grad=True)
a = x * 2
b = x + 1
u = a.grad_fn.next_functions[0][0]
v = b.grad_fn.next_functions[0][0]
print(u is v, u.variable is x, u.name())

# %% basics.graph.next_functions_type | 01 | course
x = mg.tensor(3.0, requires_grad=True)
y = x * 2
print(type(y.grad_fn.next_functions).__name__, len(y.grad_fn.next_functions), y.grad_fn.next_functions[0][1])
print(x.grad_fn, y.grad_fn is y.grad_fn)

# %% basics.graph.rebuilt_every_run | 01 | course
x = mg.tensor(3.0, requires_grad=True)
def f(x):
    return x * 2 if x > 0 else x.exp()
a = f(x)
b = f(-x)

# %% basics.graph.dead_branch_not_recorded | 01 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
n = x.detach() * 3 + 1
y = x * n

# %% basics.graph.int_result_breaks | 01 | course
# A cast to int is the end of differentiability.
x = mg.tensor([1.5, 2.5], requires_grad=True)
y = x.to(mg.int64)
z = y.float()

# %% basics.graph.repr_of_node | 01 | course
x = mg.tensor(3.0, requires_grad=True)
print(repr((x * 2).grad_fn), (x * 2).grad_fn)

# %% basics.grad.nonleaf_access_warns | 01 | course 8.2
x = mg.tensor([1.0], requires_grad=True)
y = x * 2
y.backward()
print(y.grad)

# %% basics.grad.nonleaf_without_history_is_quiet | 01 | course
x = mg.tensor([1.0])
y = x * 2
print(y.grad)

# %% basics.grad.retain_grad | 13 | torch docs: retain_grad
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
print(y.retains_grad)
y.retain_grad()
print(y.retains_grad)
(y * y).sum().backward()
print(y.grad)

# %% basics.grad.retain_grad_leaf | 13 | torch docs: retain_grad
x = mg.tensor([1.0], requires_grad=True)
print(x.retain_grad(), x.retains_grad)

# %% basics.grad.retain_grad_plain | 13 | torch docs: retain_grad
x = mg.tensor([1.0])
x.retain_grad()

# %% basics.grad.retain_grad_accumulates | 06 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x + 1
y.retain_grad()
y.sum().backward()
y.sum().backward()

# %% basics.grad.assign | 06 | torch docs: Tensor.grad
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.grad = mg.tensor([5.0, 6.0])
(x * 2).sum().backward()

# %% basics.grad.assign_none | 06 | torch docs: Tensor.grad
x = mg.tensor([1.0], requires_grad=True)
x.sum().backward()
x.grad = None
print(x.grad)

# %% basics.grad.delete | 06 | torch docs: Tensor.grad
x = mg.tensor([1.0], requires_grad=True)
x.sum().backward()
del x.grad
print(x.grad)

# %% basics.grad.assign_wrong_shape | 06 | torch docs: Tensor.grad
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.grad = mg.tensor([1.0])

# %% basics.grad.assign_wrong_dtype | 06 | torch docs: Tensor.grad
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.grad = mg.tensor([1.0, 2.0], dtype=mg.float64)

# %% basics.grad.assign_wrong_type | 06 | torch docs: Tensor.grad
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.grad = 1.0

# %% basics.grad.assign_to_plain | 06 | torch docs: Tensor.grad
# A tensor that needs no gradient may still carry one.
x = mg.tensor([1.0, 2.0])
x.grad = mg.tensor([3.0, 4.0])

# %% basics.attr.grad_fn_readonly | 01 | course
x = mg.tensor([1.0])
x.grad_fn = None

# %% basics.attr.shape_readonly | 01 | course
x = mg.tensor([1.0])
x.shape = (1, 1)

# %% basics.attr.is_leaf_readonly | 01 | course
x = mg.tensor([1.0])
x.is_leaf = False

# %% basics.attr.unknown | 01 | course
x = mg.tensor([1.0])
x.gradient

# %% basics.attr.free_attributes | 01 | course
# A tensor is a Python object: it takes attributes of the user's own.
x = mg.tensor([1.0])
x.label = "weights"
print(x.label)

# %% basics.attr.data_assign | 11 | torch docs: Tensor.data
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.data = mg.tensor([5.0, 6.0, 7.0])

# %% basics.attr.data_assign_type | 11 | torch docs: Tensor.data
x = mg.tensor([1.0, 2.0])
x.data = [1.0]

# %% basics.attr.T | 04 | torch docs: Tensor.T
x = mg.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
a = x.T
b = x.mT

# %% basics.attr.T_three_dims | 04 | torch docs: Tensor.T
x = mg.zeros(2, 3, 4)
print(x.T.shape)

# %% basics.attr.mT_one_dim | 04 | torch docs: Tensor.mT
mg.zeros(3).mT

# %% basics.attr.real_imag | 10 | torch docs: Tensor.real
x = mg.tensor([1 + 2j, 3 - 1j])
a = x.real
b = x.imag
c = mg.tensor([1.0]).real

# %% basics.attr.imag_of_real | 10 | torch docs: Tensor.imag
mg.tensor([1.0]).imag

# %% basics.attr.device | 01 | torch docs: Tensor.device
x = mg.tensor([1.0])
print(x.device, repr(x.device))

# %% basics.attr.kinds | 01 | torch docs: Tensor
x = mg.tensor([1.0])
print(x.is_floating_point(), x.is_complex(), mg.is_tensor(x), mg.tensor([1]).is_floating_point(), mg.tensor([1j]).is_complex())

# %% basics.attr.stride | 12 | torch docs: Tensor.stride
x = mg.zeros(2, 3)
print(x.stride(), x.t().stride(), x.stride(0), x[:, ::2].stride(), x.is_contiguous(), x.t().is_contiguous())
print(mg.zeros(3).expand(2, 3).stride(), mg.zeros(2, 1, 3).is_contiguous())

# %% basics.dtype.names | 01 | torch docs: dtype
print(mg.float32, mg.float, mg.float64, mg.double, mg.half, mg.int, mg.long, mg.int8, mg.uint8, mg.int16, mg.bool, mg.cfloat, mg.cdouble)
print(mg.float is mg.float32, mg.long is mg.int64, mg.float32.is_floating_point, mg.int64.is_floating_point, mg.complex64.is_complex)
print(mg.float32.itemsize, mg.complex128.itemsize, mg.bool.itemsize)
print(mg.ones(2, dtype=mg.float64).element_size(), mg.tensor(True).element_size())

# %% basics.dtype.cast_methods | 01 | torch docs: Tensor.to
x = mg.tensor([1.5, -2.5])
a = x.double()
b = x.int()
c = x.long()
d = x.bool()
e = x.half()
f = x.to(mg.float64)
g = x.type(mg.int32)
h = x.to(mg.complex64)
print(x.float() is x, x.to(mg.float32) is x)

# %% basics.dtype.cast_is_recorded | 01 | torch docs: Tensor.to
x = mg.tensor([1.5], requires_grad=True)
y = x.double()
z = x.float()
y.backward()
print(z is x)

# %% basics.dtype.type_as | 01 | tutorial: autograd (2017)
x = mg.tensor([1.5], requires_grad=True)
y = x.type_as(mg.tensor([1.0], dtype=mg.float64))
z = mg.tensor([1.5]).type_as(mg.tensor([1]))

# %% basics.dtype.type_string | 01 | tutorial: autograd (2017)
print(mg.tensor([1.0]).type(), mg.tensor([1]).type(), mg.tensor([True]).type(), mg.tensor([1.0]).double().type())

# %% basics.dtype.default | 01 | torch docs: set_default_dtype
print(mg.get_default_dtype())
mg.set_default_dtype(mg.float64)
x = mg.tensor([1.0])
y = mg.zeros(1)
z = mg.tensor([1j])
w = mg.arange(2)
print(mg.get_default_dtype())

# %% basics.dtype.default_int | 01 | torch docs: set_default_dtype
mg.set_default_dtype(mg.int64)

# %% basics.detach.shares_memory | 11 | torch docs: detach
x = mg.tensor([1.0, 2.0], requires_grad=True)
d = x.detach()
d[0] = 5.0

# %% basics.detach.of_nonleaf | 11 | torch docs: detach
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
d = y.detach()
print(d._base is None, d.requires_grad, d.grad_fn)

# %% basics.detach.stops_gradient | 11 | d2l 2.5
x = mg.tensor([0.0, 1.0, 2.0, 3.0], requires_grad=True)
y = x * x
u = y.detach()
z = u * x
z.sum().backward()
print(bool((x.grad == u).all()))

# %% basics.detach.in_place | 11 | torch docs: detach_
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
z = y + 1
print(y.detach_() is y)

# %% basics.detach.in_place_of_view | 12 | torch docs: detach_
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = (x * 2).view(2, 1)
y.detach_()

# %% basics.detach.in_place_of_leaf | 11 | torch docs: detach_
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.detach_()

# %% basics.no_grad.nested | 11 | torch docs: no_grad
print(mg.is_grad_enabled())
with mg.no_grad():
    print(mg.is_grad_enabled())
    with mg.enable_grad():
        print(mg.is_grad_enabled())
    print(mg.is_grad_enabled())
print(mg.is_grad_enabled())

# %% basics.no_grad.input_still_requires | 11 | torch docs: no_grad
x = mg.tensor([1.0], requires_grad=True)
with mg.no_grad():
    print(x.requires_grad, (x * 2).requires_grad, x.clone().requires_grad)

# %% basics.no_grad.graph_before_and_after | 11 | course
x = mg.tensor([2.0], requires_grad=True)
a = x * x
with mg.no_grad():
    b = a * 3
c = a + b
c.backward()

# %% basics.deepcopy.leaf | 01 | torch docs: Tensor
import copy
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.sum().backward()
y = copy.deepcopy(x)
print(y, y.grad, y is x, y.grad is x.grad, y.is_leaf)
del y

# %% basics.deepcopy.nonleaf | 01 | torch docs: Tensor
import copy
x = mg.tensor([1.0, 2.0], requires_grad=True)
copy.deepcopy(x * 2)

# %% basics.copy_shallow | 01 | torch docs: Tensor
x = mg.tensor([1.0, 2.0])
y = x
y += 1
print(x is y)

# %% basics.nn.parameter | 15 | torch docs: Parameter
p = mg.nn.Parameter(mg.tensor([1.0, 2.0]))
q = mg.nn.Parameter(mg.tensor([1.0]), requires_grad=False)
y = p * 2
print(type(p).__name__, isinstance(p, mg.Tensor), type(y).__name__)
print(p)

# %% basics.numpy.scalars.$ | 01 05 | torch docs
# NumPy's scalars before a tensor count as Python's numbers.
#: minus    | r = [np.float64(2) - w, np.float32(2) - w, np.float64(2) - i]
#: divided  | r = [np.float32(2) / w, np.float64(2) / i, np.int64(7) // i, np.float64(2) % i]
#: power    | r = [np.float64(2) ** w, np.int64(2) ** i]
#: gradient | r = (np.float64(2) - w) / w; r.sum().backward()
#: bits     | r = [3 & i, 3 | i, np.int64(3) ^ i]
#: complex  | r = np.float64(2) - mg.tensor([1 + 1j])
#: text     | "a" - w
w, i = mg.tensor([4.0, 5.0], requires_grad=True), mg.tensor([1, 2])
...

# %% basics.numpy.functions | 05 | torch docs: Tensor.__array_wrap__
# What NumPy computes of a tensor becomes one again.
import warnings
w = mg.tensor([4.0, 5.0])
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    r = [np.sqrt(w), np.add(w, 1), np.greater(w, 4), w @ np.ones(2)]
del warnings

# %% basics.numpy.functions_with_gradient | 05 | torch docs: Tensor.__array__
np.sqrt(mg.ones(2, requires_grad=True))
