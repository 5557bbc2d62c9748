# ruff: noqa
"""Facts, area saved: what each operation keeps for its backward, and whether it can run backward twice.

In each table `y` has not run backward, so its saved tensors show their dtypes and shapes; `z` is the same computed again
and has run, so they show as freed, and the printed line tells whether a second backward is possible.
"""
import numpy as np

import minigrad as mg

# %% saved.unary.$ | 07 11 | torch: derivatives.yaml
#: neg        | f = lambda: -x
#: abs        | f = lambda: x.abs()
#: exp        | f = lambda: x.exp()
#: expm1      | f = lambda: x.expm1()
#: log        | f = lambda: x.log()
#: log1p      | f = lambda: x.log1p()
#: log2       | f = lambda: x.log2()
#: log10      | f = lambda: x.log10()
#: sqrt       | f = lambda: x.sqrt()
#: rsqrt      | f = lambda: x.rsqrt()
#: square     | f = lambda: x.square()
#: reciprocal | f = lambda: x.reciprocal()
#: sin        | f = lambda: x.sin()
#: cos        | f = lambda: x.cos()
#: tan        | f = lambda: x.tan()
#: asin       | f = lambda: x.asin()
#: acos       | f = lambda: x.acos()
#: atan       | f = lambda: x.atan()
#: sinh       | f = lambda: x.sinh()
#: cosh       | f = lambda: x.cosh()
#: tanh       | f = lambda: x.tanh()
#: sigmoid    | f = lambda: x.sigmoid()
#: erf        | f = lambda: x.erf()
#: relu       | f = lambda: x.relu()
#: sign       | f = lambda: x.sign()
#: sgn        | f = lambda: x.sgn()
#: floor      | f = lambda: x.floor()
#: ceil       | f = lambda: x.ceil()
#: round      | f = lambda: x.round()
#: trunc      | f = lambda: x.trunc()
#: conj       | f = lambda: x.conj()
#: clone      | f = lambda: x.clone()
#: contiguous | f = lambda: x.t().contiguous()
#: double     | f = lambda: x.double()
#: half       | f = lambda: x.half()
#: to_complex | f = lambda: x.to(mg.complex64)
#: positive   | f = lambda: +x
x = mg.tensor([[0.125, 0.5, 0.875], [0.75, 0.25, 0.375]], requires_grad=True)
...
y, z = f(), f()
z.backward(mg.ones_like(z))
try:
    z.backward(mg.ones_like(z))
    print("backward twice")
except RuntimeError:
    print("backward once")

# %% saved.scalar.$ | 07 11 | torch: derivatives.yaml
# An operation with a Python number.
#: add         | f = lambda: x + 2
#: radd        | f = lambda: 2 + x
#: add_alpha   | f = lambda: mg.add(x, 2, alpha=3)
#: sub         | f = lambda: x - 2
#: rsub        | f = lambda: 2 - x
#: mul         | f = lambda: x * 2
#: rmul        | f = lambda: 2 * x
#: mul_float   | f = lambda: x * 2.5
#: div         | f = lambda: x / 2
#: rdiv        | f = lambda: 2 / x
#: pow2        | f = lambda: x ** 2
#: pow3        | f = lambda: x ** 3
#: pow_half    | f = lambda: x ** 0.5
#: pow_minus1  | f = lambda: x ** -1
#: pow1        | f = lambda: x ** 1
#: pow0        | f = lambda: x ** 0
#: rpow        | f = lambda: 2 ** x
#: remainder   | f = lambda: x % 0.25
#: floordiv    | f = lambda: x // 0.25
#: clamp_min   | f = lambda: x.clamp(min=0.3)
#: clamp_max   | f = lambda: x.clamp(max=0.6)
#: clamp       | f = lambda: x.clamp(0.3, 0.6)
#: div_floor   | f = lambda: mg.div(x, 0.25, rounding_mode="floor")
#: div_trunc   | f = lambda: mg.div(x, 0.25, rounding_mode="trunc")
#: leaky_relu  | f = lambda: mg.nn.functional.leaky_relu(x, 0.2)
#: softplus    | f = lambda: mg.nn.functional.softplus(x)
#: lerp        | f = lambda: mg.lerp(x, mg.ones(3), 0.25)
#: masked_fill | f = lambda: x.masked_fill(x > 0.5, 7.0)
#: where       | f = lambda: mg.where(x > 0.5, x, 0.0)
x = mg.tensor([0.125, 0.5, 0.875], requires_grad=True)
...
y, z = f(), f()
z.backward(mg.ones_like(z))
try:
    z.backward(mg.ones_like(z))
    print("backward twice")
except RuntimeError:
    print("backward once")

# %% saved.binary.$ | 07 11 | torch: derivatives.yaml
#: add       | f = lambda: x + w
#: add_alpha | f = lambda: mg.add(x, w, alpha=3)
#: sub       | f = lambda: x - w
#: sub_alpha | f = lambda: mg.sub(x, w, alpha=3)
#: mul       | f = lambda: x * w
#: div       | f = lambda: x / w
#: pow       | f = lambda: x ** w
#: remainder | f = lambda: x % w
#: atan2     | f = lambda: mg.atan2(x, w)
#: maximum   | f = lambda: mg.maximum(x, w)
#: minimum   | f = lambda: mg.minimum(x, w)
#: logaddexp | f = lambda: mg.logaddexp(x, w)
#: lerp      | f = lambda: mg.lerp(x, w, mg.tensor([0.25, 0.5, 0.75]))
#: lerp_weight | f = lambda: mg.lerp(x, mg.ones(3), w)
#: addcmul   | f = lambda: mg.addcmul(mg.zeros(3), x, w, value=2)
#: addcmul_self | f = lambda: mg.addcmul(x, w, w)
#: where     | f = lambda: mg.where(x > 0.3, x, w)
#: clamp_tensor | f = lambda: mg.clamp(x, min=w)
#: complex   | f = lambda: mg.complex(x, w)
#: mse_loss  | f = lambda: mg.nn.functional.mse_loss(x, w)
#: mse_none  | f = lambda: mg.nn.functional.mse_loss(x, w, reduction="none")
#: bce       | f = lambda: mg.nn.functional.binary_cross_entropy_with_logits(x, w.detach())
x = mg.tensor([0.125, 0.5, 0.875], requires_grad=True)
w = mg.tensor([2.0, 0.25, 1.5], requires_grad=True)
...
y, z = f(), f()
z.backward(mg.ones_like(z))
try:
    z.backward(mg.ones_like(z))
    print("backward twice")
except RuntimeError:
    print("backward once")

# %% saved.one_side.$ | 07 11 | torch: derivatives.yaml
# Only what a needed gradient uses is kept: with one input that requires grad, half of it.
#: mul_left    | f = lambda: x * c
#: mul_right   | f = lambda: c * x
#: div_left    | f = lambda: x / c
#: div_right   | f = lambda: c / x
#: pow_base    | f = lambda: x ** c
#: pow_exponent | f = lambda: c ** x
#: maximum     | f = lambda: mg.maximum(x, c)
#: atan2       | f = lambda: mg.atan2(x, c)
#: logaddexp   | f = lambda: mg.logaddexp(c, x)
#: lerp        | f = lambda: mg.lerp(c, x, c)
#: addcmul     | f = lambda: mg.addcmul(c, c, x)
#: dot_left    | f = lambda: mg.dot(x, c)
#: dot_right   | f = lambda: mg.dot(c, x)
#: matmul_right | f = lambda: mg.eye(3) @ x
#: mm_left     | f = lambda: x.view(1, 3) @ mg.eye(3)
#: mm_right    | f = lambda: mg.eye(3) @ x.view(3, 1)
#: outer       | f = lambda: mg.outer(x, c)
#: where       | f = lambda: mg.where(c > 1, x, c)
#: square_of_same | f = lambda: x * x
x = mg.tensor([0.125, 0.5, 0.875], requires_grad=True)
c = mg.tensor([2.0, 0.25, 1.5])
...
y, z = f(), f()
z.backward(mg.ones_like(z))
try:
    z.backward(mg.ones_like(z))
    print("backward twice")
except RuntimeError:
    print("backward once")

# %% saved.reduce.$ | 07 | torch: derivatives.yaml
#: sum         | f = lambda: x.sum()
#: sum_dim     | f = lambda: x.sum(1)
#: sum_dims    | f = lambda: x.sum((0, 1))
#: sum_keepdim | f = lambda: x.sum(0, keepdim=True)
#: mean        | f = lambda: x.mean()
#: mean_dim    | f = lambda: x.mean(1)
#: prod        | f = lambda: x.prod()
#: prod_dim    | f = lambda: x.prod(1)
#: var         | f = lambda: x.var()
#: var_dim     | f = lambda: x.var(1, correction=0)
#: std         | f = lambda: x.std()
#: std_dim     | f = lambda: x.std(1)
#: max         | f = lambda: x.max()
#: min         | f = lambda: x.min()
#: max_dim     | f = lambda: x.max(1).values
#: min_dim     | f = lambda: x.min(1)[0]
#: amax        | f = lambda: x.amax(1)
#: amin        | f = lambda: x.amin()
#: norm        | f = lambda: x.norm()
#: norm1       | f = lambda: x.norm(1)
#: norm_dim    | f = lambda: x.norm(dim=1)
#: norm_inf    | f = lambda: x.norm(float("inf"))
#: linalg_norm | f = lambda: mg.linalg.norm(x)
#: logsumexp   | f = lambda: x.logsumexp(1)
#: cumsum      | f = lambda: x.cumsum(1)
#: softmax     | f = lambda: x.softmax(1)[:, 1:]
#: log_softmax | f = lambda: x.log_softmax(1)
#: all         | f = lambda: (x > 0).all().float() * x.sum()
x = mg.tensor([[0.125, 0.5, 0.875], [0.75, 0.25, 0.375]], requires_grad=True)
...
y, z = f(), f()
z.backward(mg.ones_like(z))
try:
    z.backward(mg.ones_like(z))
    print("backward twice")
except RuntimeError:
    print("backward once")

# %% saved.shape.$ | 07 12 | torch: derivatives.yaml
#: view        | f = lambda: x.view(3, 2)
#: view_minus1 | f = lambda: x.view(-1)
#: view_as     | f = lambda: x.view_as(mg.zeros(3, 2))
#: reshape     | f = lambda: x.reshape(6)
#: reshape_copy | f = lambda: x.t().reshape(6)
#: reshape_same | f = lambda: x.reshape(2, 3)
#: flatten     | f = lambda: x.flatten()
#: flatten_one | f = lambda: x[0].flatten()
#: t           | f = lambda: x.t()
#: T           | f = lambda: x.T
#: mT          | f = lambda: x.mT
#: transpose   | f = lambda: x.transpose(0, 1)
#: permute     | f = lambda: x.permute(1, 0)
#: movedim     | f = lambda: x.movedim(0, 1)
#: squeeze     | f = lambda: x[:1].squeeze()
#: squeeze_dim | f = lambda: x[:1].squeeze(0)
#: squeeze_not_one | f = lambda: x.squeeze(0)
#: unsqueeze   | f = lambda: x.unsqueeze(1)
#: expand      | f = lambda: x.expand(2, 2, 3)
#: expand_as   | f = lambda: x[:1].expand_as(x)
#: broadcast_to | f = lambda: mg.broadcast_to(x, (2, 2, 3))
#: repeat      | f = lambda: x.repeat(2, 1)
#: cat         | f = lambda: mg.cat([x, x * 2])
#: cat_dim1    | f = lambda: mg.cat((x, mg.ones(2, 1)), dim=1)
#: stack       | f = lambda: mg.stack([x, x])
#: split       | f = lambda: x.split(2, dim=1)[1]
#: split_sizes | f = lambda: x.split([1, 2], dim=1)[1]
#: chunk       | f = lambda: x.chunk(2, dim=1)[0]
#: unbind      | f = lambda: x.unbind()[1]
#: select      | f = lambda: x.select(1, 2)
#: narrow      | f = lambda: x.narrow(1, 1, 2)
#: diagonal    | f = lambda: x.diagonal()
#: diag_make   | f = lambda: x[0].diag()
#: tril        | f = lambda: x.tril()
#: triu        | f = lambda: x.triu(1)
#: flip        | f = lambda: x.flip(1)
#: roll        | f = lambda: x.roll(1, 1)
#: sort        | f = lambda: x.sort(1).values
#: topk        | f = lambda: x.topk(2, 1).values
#: to_same     | f = lambda: x.to(mg.float32)
#: type_as     | f = lambda: x.type_as(mg.zeros(1, dtype=mg.float64))
#: view_as_real | f = lambda: mg.view_as_real(mg.complex(x, x))
#: real        | f = lambda: mg.complex(x, x).real
#: imag        | f = lambda: mg.complex(x, x).imag
x = mg.tensor([[0.125, 0.5, 0.875], [0.75, 0.25, 0.375]], requires_grad=True)
...
y, z = f(), f()
z.backward(mg.ones_like(z))
try:
    z.backward(mg.ones_like(z))
    print("backward twice")
except RuntimeError:
    print("backward once")

# %% saved.index.$ | 07 12 | torch: derivatives.yaml
#: int          | f = lambda: x[1]
#: int_negative | f = lambda: x[-1]
#: int_int      | f = lambda: x[1, 2]
#: slice        | f = lambda: x[:1]
#: slice_step   | f = lambda: x[:, ::2]
#: slice_all    | f = lambda: x[:]
#: ellipsis     | f = lambda: x[..., 0]
#: none         | f = lambda: x[None]
#: none_middle  | f = lambda: x[:, None, 1]
#: empty_tuple  | f = lambda: x[()]
#: list         | f = lambda: x[[1, 0, 1]]
#: tensor       | f = lambda: x[mg.tensor([1, 0, 1])]
#: tensor_zero_dim | f = lambda: x[mg.tensor(1)]
#: two_tensors  | f = lambda: x[mg.tensor([1, 0]), mg.tensor([2, 2])]
#: second_only  | f = lambda: x[:, mg.tensor([2, 0])]
#: int_and_tensor | f = lambda: x[0, mg.tensor([2, 0])]
#: mask         | f = lambda: x[x > 0.4]
#: mask_row     | f = lambda: x[mg.tensor([True, False])]
#: bool         | f = lambda: x[True]
#: array        | f = lambda: x[np.array([1, 0])]
#: gather       | f = lambda: x.gather(1, mg.tensor([[0, 2], [1, 1]]))
#: scatter_add  | f = lambda: x.scatter_add(1, mg.tensor([[0, 2], [1, 1]]), mg.ones(2, 2))
#: index_select | f = lambda: x.index_select(1, mg.tensor([2, 2, 0]))
#: index_put    | f = lambda: x.index_put((mg.tensor([0]), mg.tensor([1])), mg.tensor(9.0))
#: masked_select | f = lambda: x.masked_select(x > 0.4)
#: masked_fill  | f = lambda: x.masked_fill(x > 0.4, 0.0)
#: masked_fill_tensor | f = lambda: x.masked_fill(x > 0.4, mg.tensor(3.0))
x = mg.tensor([[0.125, 0.5, 0.875], [0.75, 0.25, 0.375]], requires_grad=True)
...
y, z = f(), f()
z.backward(mg.ones_like(z))
try:
    z.backward(mg.ones_like(z))
    print("backward twice")
except RuntimeError:
    print("backward once")

# %% saved.matrix.$ | 04 07 | torch: derivatives.yaml
#: mm        | f = lambda: A.mm(B)
#: matmul    | f = lambda: A @ B
#: mv        | f = lambda: A.mv(v)
#: matmul_mv | f = lambda: A @ v
#: dot       | f = lambda: v.dot(v * 2)
#: matmul_dot | f = lambda: v @ v
#: outer     | f = lambda: mg.outer(v, v)
#: addmm     | f = lambda: mg.addmm(mg.zeros(2, requires_grad=True), A, B)
#: addmm_scaled | f = lambda: mg.addmm(mg.zeros(2), A, B, beta=2, alpha=3)
#: bmm       | f = lambda: mg.bmm(A[None], B[None])
#: matmul_batch | f = lambda: A[None] @ B
#: matmul_batch_both | f = lambda: mg.matmul(A.expand(2, 2, 3), B)
#: einsum_diag | f = lambda: mg.einsum("ii->i", B[:2])
#: inv       | f = lambda: mg.linalg.inv(B[:2])  # condition 2.8
#: linear    | f = lambda: mg.nn.functional.linear(A, B.t())
#: linear_bias | f = lambda: mg.nn.functional.linear(v, A, mg.zeros(2, requires_grad=True))
#: linear_batch | f = lambda: mg.nn.functional.linear(A[None], A, mg.zeros(2))
#: matrix_T_matrix | f = lambda: A.T @ A
A = mg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
B = mg.tensor([[1.0, 0.5], [2.0, -1.0], [0.0, 3.0]], requires_grad=True)
v = mg.tensor([1.0, -1.0, 2.0], requires_grad=True)
...
y, z = f(), f()
z.backward(mg.ones_like(z))
try:
    z.backward(mg.ones_like(z))
    print("backward twice")
except RuntimeError:
    print("backward once")

# %% saved.neural.$ | 14 15 | torch: derivatives.yaml
#: conv2d        | f = lambda: mg.nn.functional.conv2d(x, k)
#: conv2d_bias   | f = lambda: mg.nn.functional.conv2d(x, k, mg.zeros(1, requires_grad=True), stride=2, padding=1)
#: conv_transpose2d | f = lambda: mg.nn.functional.conv_transpose2d(x, k)
#: max_pool2d    | f = lambda: mg.nn.functional.max_pool2d(x, 2)
#: pad           | f = lambda: mg.nn.functional.pad(x, (1, 0, 0, 1))
#: relu          | f = lambda: mg.nn.functional.relu(x)
#: dropout_eval  | f = lambda: mg.nn.functional.dropout(x, 0.5, training=False)
#: cross_entropy | f = lambda: mg.nn.functional.cross_entropy(x[0, 0], mg.tensor([0, 2, 1]))
#: cross_entropy_none | f = lambda: mg.nn.functional.cross_entropy(x[0, 0], mg.tensor([0, 2, 1]), reduction="none")
#: nll_loss      | f = lambda: mg.nn.functional.nll_loss(x[0, 0].log_softmax(1), mg.tensor([0, 2, 1]))
x = mg.tensor([[[[0.5, 1.0, -1.0], [2.0, 0.25, 0.75], [-0.5, 1.5, 3.0]]]], requires_grad=True)
k = mg.tensor([[[[1.0, -1.0], [0.5, 2.0]]]], requires_grad=True)
...
y, z = f(), f()
z.backward(mg.ones_like(z))
try:
    z.backward(mg.ones_like(z))
    print("backward twice")
except RuntimeError:
    print("backward once")

# %% saved.read.input | 07 11 | torch docs: autograd mechanics
# Reading a saved input gives a tensor with the same memory and history, but another object.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x.sin()
s = y.grad_fn._saved_self
print(s is x, mg.equal(s, x), s.requires_grad, s.is_leaf)

# %% saved.read.output | 07 11 | torch docs: autograd mechanics
# A saved output is rebuilt when it is read, because keeping the tensor itself would make a cycle.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
s = y.grad_fn._saved_result
print(s is y, mg.equal(s, y), s.grad_fn is y.grad_fn)

# %% saved.read.shares_memory | 11 | torch docs: autograd mechanics
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
with mg.no_grad():
    y.grad_fn._saved_result.detach().numpy()[0] = 100.0
print(y)

# %% saved.read.unknown_name | 07 | torch docs: autograd mechanics
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.exp().grad_fn._saved_self

# %% saved.read.changed | 11 | torch docs: autograd mechanics
# The version check guards reading as well.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.add_(1)
y.grad_fn.next_functions[0][0]._saved_result

# %% saved.read.constant_two | 07 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = 2 * x
print(y.grad_fn._saved_other, y.grad_fn._saved_self)

# %% saved.static.$ | 07 | torch: derivatives.yaml
# Numbers, sizes and flags are kept on the node as they are; backward does not free them.
#: add_alpha  | y = mg.add(x, x, alpha=3); print(y.grad_fn._saved_alpha)
#: pow        | y = x ** 3; print(y.grad_fn._saved_exponent)
#: clamp      | y = x.clamp(0, 1); print(y.grad_fn._saved_min, y.grad_fn._saved_max)
#: sum        | y = x.sum(); print(y.grad_fn._saved_self_sym_sizes)
#: sum_dim    | y = x.sum(1); print(y.grad_fn._saved_dim, y.grad_fn._saved_keepdim)
#: mean       | y = x.mean(); print(y.grad_fn._saved_self_sym_sizes, y.grad_fn._saved_self_sym_numel)
#: transpose  | y = x.transpose(0, 1); print(y.grad_fn._saved_dim0, y.grad_fn._saved_dim1)
#: permute    | y = x.permute(1, 0); print(y.grad_fn._saved_dims)
#: select     | y = x[1]; print(y.grad_fn._saved_dim, y.grad_fn._saved_index)
#: slice      | y = x[:, 1:]; print(y.grad_fn._saved_dim, y.grad_fn._saved_start, y.grad_fn._saved_end, y.grad_fn._saved_step)
#: view       | y = x.view(6); print(y.grad_fn._saved_self_sym_sizes)
#: expand     | y = x.expand(2, 2, 3); print(y.grad_fn._saved_self_sym_sizes)
#: unsqueeze  | y = x.unsqueeze(1); print(y.grad_fn._saved_dim)
#: softmax    | y = x.softmax(1); print(y.grad_fn._saved_dim)
#: cumsum     | y = x.cumsum(1); print(y.grad_fn._saved_dim)
#: div_mode   | y = mg.div(x, x, rounding_mode="floor"); print(y.grad_fn._saved_rounding_mode)
#: cat        | y = mg.cat([x, x]); print(y.grad_fn._saved_dim)
#: flip       | y = x.flip(1); print(y.grad_fn._saved_dims)
#: diagonal   | y = x.diagonal(); print(y.grad_fn._saved_offset, y.grad_fn._saved_dim1, y.grad_fn._saved_dim2)
#: tril       | y = x.tril(); print(y.grad_fn._saved_diagonal)
x = mg.tensor([[0.125, 0.5, 0.875], [0.75, 0.25, 0.375]], requires_grad=True)
...

# %% saved.names.$ | 07 | torch: derivatives.yaml
# Operations that look alike leave different nodes.
#: sum0     | print(x.sum().grad_fn.name(), x.sum(1).grad_fn.name(), x.sum((0, 1)).grad_fn.name())
#: mean     | print(x.mean().grad_fn.name(), x.mean(1).grad_fn.name())
#: pow      | print((x ** 2).grad_fn.name(), (2 ** x).grad_fn.name(), (x ** x).grad_fn.name(), x.square().grad_fn.name())
#: add      | print((x + x).grad_fn.name(), (x + 1).grad_fn.name(), (1 + x).grad_fn.name())
#: sub      | print((x - x).grad_fn.name(), (x - 1).grad_fn.name(), (1 - x).grad_fn.name())
#: div      | print((x / x).grad_fn.name(), (x / 2).grad_fn.name(), (2 / x).grad_fn.name(), mg.div(x, x, rounding_mode="floor").grad_fn.name())
#: max      | print(x.max().grad_fn.name(), x.max(1).values.grad_fn.name(), x.amax().grad_fn.name(), mg.maximum(x, x).grad_fn.name())
#: prod     | print(x.prod().grad_fn.name(), x.prod(1).grad_fn.name())
#: var      | print(x.var().grad_fn.name(), x.std().grad_fn.name())
#: norm     | print(x.norm().grad_fn.name(), x.norm(1).grad_fn.name(), mg.linalg.norm(x).grad_fn.name(), mg.linalg.norm(x, dim=1).grad_fn.name())
#: clamp    | print(x.clamp(0, 1).grad_fn.name(), x.clamp(min=0).grad_fn.name(), x.clamp(max=1).grad_fn.name(), x.clamp(x, x).grad_fn.name())
#: relu     | print(mg.relu(x).grad_fn.name(), mg.nn.functional.relu(x).grad_fn.name(), mg.nn.ReLU()(x).grad_fn.name())
#: softmax  | print(x.softmax(0).grad_fn.name(), x.log_softmax(0).grad_fn.name(), x.logsumexp(0).grad_fn.name())
#: squeeze  | print(x.squeeze().grad_fn.name(), x.squeeze(0).grad_fn.name(), x.squeeze((0, 1)).grad_fn.name())
#: reshape  | print(x.reshape(4).grad_fn.name(), x.t().reshape(4).grad_fn.name(), x.view(4).grad_fn.name(), x.flatten().grad_fn.name())
#: t        | print(x.t().grad_fn.name(), x.T.grad_fn.name(), x.mT.grad_fn.name(), x.transpose(0, 1).grad_fn.name(), x.permute(1, 0).grad_fn.name(), x.movedim(0, 1).grad_fn.name())
#: matmul   | print((x @ x).grad_fn.name(), (x @ x[0]).grad_fn.name(), (x[0] @ x[0]).grad_fn.name(), (x[None] @ x).grad_fn.name(), x.mv(x[0]).grad_fn.name())
#: cast     | print(x.double().grad_fn.name(), x.to(mg.float64).grad_fn.name(), x.type_as(mg.zeros(1).half()).grad_fn.name(), x.type(mg.float64).grad_fn.name())
#: lerp     | print(mg.lerp(x, x, 0.5).grad_fn.name(), mg.lerp(x, x, x).grad_fn.name())
#: where    | print(mg.where(x > 0, x, x).grad_fn.name(), x.masked_fill(x > 0, 0).grad_fn.name(), x.masked_fill(x > 0, x[0, 0]).grad_fn.name())
#: split    | print(x.split(1)[0].grad_fn.name(), x.split([1, 1])[0].grad_fn.name(), x.chunk(2)[0].grad_fn.name(), x.unbind()[0].grad_fn.name())
#: linear   | print(mg.nn.functional.linear(x, x).grad_fn.name(), mg.nn.functional.linear(x, x, x[0]).grad_fn.name(), mg.nn.functional.linear(x[None], x).grad_fn.name())
#: losses   | print(mg.nn.functional.mse_loss(x, x).grad_fn.name(), mg.nn.functional.cross_entropy(x, mg.tensor([0, 1])).grad_fn.name(), mg.nn.functional.binary_cross_entropy_with_logits(x, x.detach()).grad_fn.name())
#: copies   | print(x.clone().grad_fn.name(), x.contiguous().grad_fn.name() if x.contiguous().grad_fn else None, x.t().contiguous().grad_fn.name(), (+x).grad_fn)
#: sort     | print(x.sort(0).values.grad_fn.name(), x.topk(1).values.grad_fn.name(), x.gather(0, mg.tensor([[0, 0]])).grad_fn.name(), x.index_select(0, mg.tensor([0])).grad_fn.name())
#: stack    | print(mg.stack([x, x]).grad_fn.name(), mg.cat([x, x]).grad_fn.name(), x.repeat(2, 1).grad_fn.name(), x.expand(2, 2, 2).grad_fn.name(), x.roll(1).grad_fn.name())
x = mg.tensor([[0.125, 0.5], [0.75, 0.25]], requires_grad=True)
...

# %% saved.solve | 04 07 | torch: derivatives.yaml
# Only whether a second pass is possible: PyTorch also saves the factors of A, which NumPy does not give.
A = mg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
B = mg.tensor([[1.0, 0.5], [2.0, -1.0]], requires_grad=True)
y = mg.linalg.solve(B, A)  # condition 2.8
y.backward(mg.ones_like(y))
try:
    y.backward(mg.ones_like(y))
except RuntimeError as error:
    print(error)
print(y)
y = y.detach()
