# ruff: noqa
"""Facts, area ops: values and gradients of the operations where they are hard, in all their forms."""
import numpy as np

import minigrad as mg

# %% ops.edge.$ | 05 13 | torch docs
# Value and slope at zero, at both infinities and at NaN.
#: neg | y = -x
#: abs | y = x.abs()
#: sign | y = x.sign()
#: sgn | y = x.sgn()
#: square | y = x.square()
#: sqrt | y = x.sqrt()
#: rsqrt | y = x.rsqrt()
#: reciprocal | y = x.reciprocal()
#: exp | y = x.exp()
#: expm1 | y = x.expm1()
#: log | y = x.log()
#: log1p | y = x.log1p()
#: log2 | y = x.log2()
#: log10 | y = x.log10()
#: sin | y = x.sin()
#: cos | y = x.cos()
#: tan | y = x.tan()
#: asin | y = x.asin()
#: acos | y = x.acos()
#: atan | y = x.atan()
#: sinh | y = x.sinh()
#: cosh | y = x.cosh()
#: tanh | y = x.tanh()
#: sigmoid | y = x.sigmoid()
#: erf | y = x.erf()
#: relu | y = x.relu()
#: floor | y = x.floor()
#: ceil | y = x.ceil()
#: round | y = x.round()
#: trunc | y = x.trunc()
#: clamp | y = x.clamp(-0.5, 0.5)
#: softplus | y = mg.nn.functional.softplus(x)
#: leaky_relu | y = mg.nn.functional.leaky_relu(x)
#: pow2 | y = x ** 2
#: pow3 | y = x ** 3
#: pow_half | y = x ** 0.5
#: pow_minus1 | y = x ** -1
#: pow0 | y = x ** 0
#: rpow | y = 2 ** x
#: rpow_zero | y = 0 ** x
#: mul_zero | y = x * 0
#: div | y = 1 / x
#: remainder | y = x % 3
#: maximum | y = mg.maximum(x, mg.zeros(8))
#: minimum | y = mg.minimum(x, mg.zeros(8))
#: where | y = mg.where(x > 0, x, -x)
#: logaddexp | y = mg.logaddexp(x, mg.zeros(8))
#: atan2 | y = mg.atan2(x, mg.zeros(8))
#: cumsum | y = x.cumsum(0)
#: masked_fill | y = x.masked_fill(x.isnan(), 0.0)
x = mg.tensor([-2.0, -0.5, 0.0, 0.5, 2.0, float("inf"), -float("inf"), float("nan")], dtype=mg.float64, requires_grad=True)
...
if y.requires_grad:
    y.backward(mg.ones(8, dtype=mg.float64))

# %% ops.edge_reduce.$ | 05 13 | torch docs
#: sum | y = x.sum(1)
#: mean | y = x.mean(1)
#: prod | y = x.prod(1)
#: max | y = x.max(1).values
#: min | y = x.min(1).values
#: amax | y = x.amax(1)
#: logsumexp | y = x.logsumexp(1)
#: softmax | y = x.softmax(1)
#: log_softmax | y = x.log_softmax(1)
#: norm | y = x.norm(dim=1)
#: var | y = x.var(1)
#: std | y = x.std(1)
#: argmax | y = x.argmax(1)
#: sort | y = x.sort(1).values
#: max_all | y = x.max()
x = mg.tensor([[0.0, 0.0, 0.0], [1.0, 0.0, 2.0], [1000.0, -1000.0, 1000.0], [float("inf"), 1.0, 2.0], [float("nan"), 1.0, 0.0], [-float("inf"), -float("inf"), -float("inf")]], dtype=mg.float64, requires_grad=True)
...
if y.requires_grad:
    y.backward(mg.arange(1, y.numel() + 1, dtype=mg.float64).view(y.shape))

# %% ops.forms.$ | 01 11 | torch docs
# Function, method and in-place form are one operation.
#: abs | a, b, c = mg.abs(x), x.abs(), x.clone().abs_()
#: neg | a, b, c = mg.neg(x), x.neg(), x.clone().neg_()
#: exp | a, b, c = mg.exp(x), x.exp(), x.clone().exp_()
#: expm1 | a, b, c = mg.expm1(x), x.expm1(), x.clone().expm1_()
#: log | a, b, c = mg.log(x), x.log(), x.clone().log_()
#: log1p | a, b, c = mg.log1p(x), x.log1p(), x.clone().log1p_()
#: log2 | a, b, c = mg.log2(x), x.log2(), x.clone().log2_()
#: log10 | a, b, c = mg.log10(x), x.log10(), x.clone().log10_()
#: sqrt | a, b, c = mg.sqrt(x), x.sqrt(), x.clone().sqrt_()
#: rsqrt | a, b, c = mg.rsqrt(x), x.rsqrt(), x.clone().rsqrt_()
#: square | a, b, c = mg.square(x), x.square(), x.clone().square_()
#: reciprocal | a, b, c = mg.reciprocal(x), x.reciprocal(), x.clone().reciprocal_()
#: sin | a, b, c = mg.sin(x), x.sin(), x.clone().sin_()
#: cos | a, b, c = mg.cos(x), x.cos(), x.clone().cos_()
#: tan | a, b, c = mg.tan(x), x.tan(), x.clone().tan_()
#: asin | a, b, c = mg.asin(x), x.asin(), x.clone().asin_()
#: acos | a, b, c = mg.acos(x), x.acos(), x.clone().acos_()
#: atan | a, b, c = mg.atan(x), x.atan(), x.clone().atan_()
#: sinh | a, b, c = mg.sinh(x), x.sinh(), x.clone().sinh_()
#: cosh | a, b, c = mg.cosh(x), x.cosh(), x.clone().cosh_()
#: tanh | a, b, c = mg.tanh(x), x.tanh(), x.clone().tanh_()
#: sigmoid | a, b, c = mg.sigmoid(x), x.sigmoid(), x.clone().sigmoid_()
#: erf | a, b, c = mg.erf(x), x.erf(), x.clone().erf_()
#: relu | a, b, c = mg.relu(x), x.relu(), x.clone().relu_()
#: sign | a, b, c = mg.sign(x), x.sign(), x.clone().sign_()
#: sgn | a, b, c = mg.sgn(x), x.sgn(), x.clone().sgn_()
#: floor | a, b, c = mg.floor(x), x.floor(), x.clone().floor_()
#: ceil | a, b, c = mg.ceil(x), x.ceil(), x.clone().ceil_()
#: round | a, b, c = mg.round(x), x.round(), x.clone().round_()
#: trunc | a, b, c = mg.trunc(x), x.trunc(), x.clone().trunc_()
#: add | a, b, c = mg.add(x, w), x.add(w), x.clone().add_(w)
#: add_alpha | a, b, c = mg.add(x, w, alpha=2), x.add(w, alpha=2), x.clone().add_(w, alpha=2)
#: sub | a, b, c = mg.sub(x, w), x.sub(w), x.clone().sub_(w)
#: mul | a, b, c = mg.mul(x, w), x.mul(w), x.clone().mul_(w)
#: div | a, b, c = mg.div(x, w), x.div(w), x.clone().div_(w)
#: div_floor | a, b, c = mg.div(x, w, rounding_mode="floor"), x.div(w, rounding_mode="floor"), x.clone().div_(w, rounding_mode="floor")
#: pow | a, b, c = mg.pow(x, w), x.pow(w), x.clone().pow_(w)
#: pow_number | a, b, c = mg.pow(x, 3), x.pow(3), x.clone().pow_(3)
#: remainder | a, b, c = mg.remainder(x, w), x.remainder(w), x.clone().remainder_(w)
#: atan2 | a, b, c = mg.atan2(x, w), x.atan2(w), x.clone().atan2_(w)
#: lerp | a, b, c = mg.lerp(x, w, 0.25), x.lerp(w, 0.25), x.clone().lerp_(w, 0.25)
#: addcmul | a, b, c = mg.addcmul(x, w, w, value=2), x.addcmul(w, w, value=2), x.clone().addcmul_(w, w, value=2)
#: clamp | a, b, c = mg.clamp(x, 0.3, 0.6), x.clamp(0.3, 0.6), x.clone().clamp_(0.3, 0.6)
#: clamp_min | a, b, c = mg.clamp(x, min=0.3), x.clamp(min=0.3), x.clone().clamp_(min=0.3)
#: tril | a, b, c = mg.tril(x), x.tril(), x.clone().tril_()
#: triu | a, b, c = mg.triu(x), x.triu(), x.clone().triu_()
#: cumsum | a, b, c = mg.cumsum(x, 1), x.cumsum(1), x.clone().cumsum_(1)
#: masked_fill | a, b, c = mg.masked_fill(x, x > 0.4, 9.0), x.masked_fill(x > 0.4, 9.0), x.clone().masked_fill_(x > 0.4, 9.0)
#: transpose | a, b, c = mg.transpose(x, 0, 1), x.transpose(0, 1), x.transpose(1, 0)
#: t | a, b, c = mg.t(x), x.t(), x.t()
#: unsqueeze | a, b, c = mg.unsqueeze(x, 1), x.unsqueeze(1), x.unsqueeze(-2)
#: squeeze | a, b, c = mg.squeeze(x[:1]), x[:1].squeeze(), x[:1].squeeze(0)
#: scatter_add | a, b, c = mg.scatter_add(x, 1, i, w), x.scatter_add(1, i, w), x.clone().scatter_add_(1, i, w)
#: index_put | a, b, c = mg.index_put(x, (i[0, :2],), w[:, 0][:, None]), x.index_put((i[0, :2],), w[:, 0][:, None]), x.clone().index_put_((i[0, :2],), w[:, 0][:, None])
#: addmm | a, b, c = mg.addmm(x, x[:, :2], w), x.addmm(x[:, :2], w), x.clone().addmm_(x[:, :2], w)
#: conj | a, b, c = mg.conj(x), x.conj(), x.clone()
x = mg.tensor([[0.125, 0.5, 0.875], [0.75, 0.25, 0.375]], requires_grad=True)
w = mg.tensor([[2.0, 3.0, 0.5], [1.5, 0.75, 4.0]])
i = mg.tensor([[1, 0, 1], [0, 1, 1]])
...
print(mg.equal(a, b), mg.equal(b, c), a.grad_fn is None or a.grad_fn.name() == c.grad_fn.name() or c.grad_fn.name(), c._version)

# %% ops.second.$ | 09 | torch docs
# A second derivative, by differentiating the gradient weighted with w.
#: neg_exp | f = lambda x: (-x).exp()
#: log | f = lambda x: x.log()
#: sqrt | f = lambda x: x.sqrt()
#: rsqrt | f = lambda x: x.rsqrt()
#: reciprocal | f = lambda x: x.reciprocal()
#: sin | f = lambda x: x.sin()
#: cos | f = lambda x: x.cos()
#: tan | f = lambda x: x.tan()
#: asin | f = lambda x: (x / 5).asin()
#: acos | f = lambda x: (x / 5).acos()
#: atan | f = lambda x: x.atan()
#: sinh | f = lambda x: x.sinh()
#: cosh | f = lambda x: x.cosh()
#: tanh | f = lambda x: x.tanh()
#: sigmoid | f = lambda x: x.sigmoid()
#: erf | f = lambda x: x.erf()
#: relu_squared | f = lambda x: (x - 1).relu() ** 2
#: abs_cubed | f = lambda x: (x - 1).abs() ** 3
#: pow3 | f = lambda x: x ** 3
#: pow_tensor | f = lambda x: x ** x
#: rpow | f = lambda x: 2 ** x
#: mul | f = lambda x: x * x.flip(1)
#: div | f = lambda x: x / x.flip(1)
#: atan2 | f = lambda x: mg.atan2(x, x.flip(1))
#: logaddexp | f = lambda x: mg.logaddexp(x, x.flip(1) * 2)
#: addcmul | f = lambda x: mg.addcmul(x, x, x)
#: lerp | f = lambda x: mg.lerp(x, x * x, x)
#: sum | f = lambda x: x.sum(1) ** 2
#: mean | f = lambda x: x.mean(0) ** 3
#: prod | f = lambda x: x.prod(1)
#: prod_all | f = lambda x: x.prod()
#: var | f = lambda x: x.var(1)
#: std | f = lambda x: x.std(1)
#: norm | f = lambda x: x.norm(dim=1)
#: norm3 | f = lambda x: x.norm(3)
#: max | f = lambda x: x.max(1).values ** 2
#: amax | f = lambda x: x.amax() ** 2
#: logsumexp | f = lambda x: x.logsumexp(1)
#: softmax | f = lambda x: x.softmax(1)
#: log_softmax | f = lambda x: x.log_softmax(1)
#: cumsum | f = lambda x: x.cumsum(1) ** 2
#: cumprod | f = lambda x: x.cumprod(1)
#: mm | f = lambda x: x @ x.t()
#: mv | f = lambda x: x @ x[0]
#: dot | f = lambda x: x[0].dot(x[1])
#: outer | f = lambda x: mg.outer(x[0], x[1])
#: einsum | f = lambda x: mg.einsum("ij,kj->ik", x, x)
#: inv | f = lambda x: mg.linalg.inv(x[:, :2])  # condition 9.2
#: solve | f = lambda x: mg.linalg.solve(x[:, :2], x[:, 2])  # condition 9.2
#: index | f = lambda x: x[mg.tensor([0, 1, 1]), mg.tensor([2, 2, 2])] ** 2
#: gather | f = lambda x: x.gather(1, mg.tensor([[0, 0], [2, 1]])) ** 2
#: cat | f = lambda x: mg.cat([x, x * x])
#: stack | f = lambda x: mg.stack([x ** 2, x ** 3])
#: view_expand | f = lambda x: (x.view(1, 6).expand(2, 6)) ** 2
#: where | f = lambda x: mg.where(x > 1, x ** 2, x ** 3)
#: clamp | f = lambda x: x.clamp(0.6, 1.4) ** 3
#: sort | f = lambda x: x.sort(1).values ** 3
#: setitem | f = lambda x: (lambda y: (y.__setitem__((0, 1), x[1, 1] ** 3), y)[1])(x ** 2)
#: mse | f = lambda x: mg.nn.functional.mse_loss(x ** 2, mg.zeros(2, 3, dtype=mg.float64))
#: cross_entropy | f = lambda x: mg.nn.functional.cross_entropy(x, mg.tensor([0, 2]))
#: bce | f = lambda x: mg.nn.functional.binary_cross_entropy_with_logits(x, mg.zeros(2, 3, dtype=mg.float64))
#: softplus | f = lambda x: mg.nn.functional.softplus(x)
#: conv2d | f = lambda x: mg.nn.functional.conv2d(x[None, None], x[None, None, :, :2])
#: conv_transpose2d | f = lambda x: mg.nn.functional.conv_transpose2d(x[None, None], x[None, None, :, :2])
#: avg_pool | f = lambda x: mg.nn.functional.avg_pool2d(x[None] ** 3, (2, 1))
#: max_pool | f = lambda x: mg.nn.functional.max_pool2d(x[None] ** 3, (2, 1))
#: linear | f = lambda x: mg.nn.functional.linear(x, x, x[:, 0])
x = mg.tensor([[0.5, 1.5, 2.5], [0.75, 1.25, 2.25]], dtype=mg.float64, requires_grad=True)
...
y = f(x)
v = mg.arange(1.0, y.numel() + 1, dtype=mg.float64).view(y.shape)
g, = mg.autograd.grad(y, x, v, create_graph=True)
w = mg.tensor([[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]], dtype=mg.float64)
h, = mg.autograd.grad(g, x, w)
del y, v
g = g.detach().clone()

# %% ops.complex.$ | 10 | torch docs: complex autograd
# Value and gradient in the conjugate Wirtinger convention. (PyTorch's conj alone is a view that is computed late, minigrad's a copy.)
#: neg | y = -z
#: conj | y = z.conj() * 1
#: abs | y = z.abs()
#: real | y = z.real
#: imag | y = z.imag
#: exp | y = z.exp()
#: log | y = z.log()
#: sqrt | y = z.sqrt()
#: rsqrt | y = z.rsqrt()
#: square | y = z.square()
#: reciprocal | y = z.reciprocal()
#: sin | y = z.sin()
#: cos | y = z.cos()
#: tan | y = z.tan()
#: sinh | y = z.sinh()
#: cosh | y = z.cosh()
#: tanh | y = z.tanh()
#: sigmoid | y = z.sigmoid()
#: asin | y = z.asin()
#: acos | y = z.acos()
#: atan | y = z.atan()
#: log2 | y = z.log2()
#: log10 | y = z.log10()
#: log1p | y = z.log1p()
#: expm1 | y = z.expm1()
#: sgn | y = z.sgn()
#: add | y = z + z.conj() * 2
#: mul | y = z * z.flip(0)
#: div | y = z / z.flip(0)
#: mul_number | y = z * (2 - 1j)
#: rdiv | y = 1 / z
#: pow2 | y = z ** 2
#: pow_complex | y = z ** (1 + 1j)
#: pow_tensor | y = z ** z
#: rpow | y = 2 ** z
#: sum | y = z.sum()
#: mean | y = z.mean()
#: prod | y = z.prod()
#: cumsum | y = z.cumsum(0)
#: norm | y = z.norm()
#: var | y = z.var()
#: dot | y = z.dot(z.flip(0))
#: matmul | y = z.view(1, 3) @ z.view(3, 1)
#: outer | y = mg.outer(z, z)
#: view_as_real | y = mg.view_as_real(z)
#: real_of_product | y = (z * (1 + 2j)).real
#: to_real_times_real | y = z * mg.tensor([1.0, 2.0, 3.0], dtype=mg.float64)
#: index | y = z[mg.tensor([0, 0, 2])]
#: cat | y = mg.cat([z, z * 1j])
#: where | y = mg.where(mg.tensor([True, False, True]), z, -z)
#: lerp | y = mg.lerp(z, z * z, 0.5)
#: addcmul | y = mg.addcmul(z, z, z, value=2)
#: mul_inplace | y = z.clone().mul_(z)
#: conj_product | y = (z * z.conj())
z = mg.tensor([0.5 + 1.5j, -1.0 + 0.25j, 2.0 - 0.75j], dtype=mg.complex128, requires_grad=True)
...
y.backward(mg.arange(1, y.numel() + 1).to(y.dtype).view(y.shape) * (1 if not y.is_complex() else 1 - 0.5j))

# %% ops.complex_real.$ | 10 | torch docs: complex autograd
# A real input of a complex computation keeps a real gradient.
#: mul | y = (r * (1 + 2j)).abs()
#: exp | y = (1j * r).exp().real
#: complex | y = mg.complex(r, r * r).abs()
#: view_as_complex | y = mg.view_as_complex(mg.stack([r, r ** 2], -1)).abs()
#: to | y = (r.to(mg.complex128) ** 2).imag + r
r = mg.tensor([0.5, 1.5, 2.5], dtype=mg.float64, requires_grad=True)
...
y.sum().backward()

# %% ops.reduce.$ | 04 | torch docs
#: sum_negative_dim | y = x.sum(-1)
#: sum_two_dims | y = x.sum((0, 2))
#: sum_list_keepdim | y = x.sum([0, 2], keepdim=True)
#: sum_empty_tuple | y = x.sum(())
#: sum_none | y = x.sum(None)
#: sum_all_dims | y = x.sum((0, 1, 2))
#: mean_two_dims | y = x.mean((1, 2))
#: mean_keepdim | y = x.mean(1, keepdim=True)
#: prod_dim | y = x.prod(1)
#: prod_keepdim | y = x.prod(2, keepdim=True)
#: var_all | y = x.var()
#: var_dim | y = x.var(1)
#: var_two_dims | y = x.var((0, 2))
#: var_correction | y = x.var(1, correction=0)
#: var_unbiased | y = x.var(1, unbiased=False)
#: var_keepdim | y = x.var(2, keepdim=True)
#: std_dim | y = x.std(2)
#: std_correction | y = x.std(correction=2)
#: max_dim | y = x.max(1).values
#: max_dim_keepdim | y = x.max(1, keepdim=True).values
#: min_dim | y = x.min(2).values
#: max_two | y = x.max(x.flip(0))
#: amax_dims | y = x.amax((0, 2))
#: amin_keepdim | y = x.amin(1, keepdim=True)
#: norm | y = x.norm()
#: norm_dim | y = x.norm(dim=1)
#: norm_p1 | y = x.norm(1, dim=2)
#: norm_p3 | y = x.norm(3)
#: norm_inf | y = x.norm(float("inf"), dim=1)
#: norm_minus_inf | y = x.norm(-float("inf"), dim=1)
#: norm_zero | y = x.norm(0, dim=1)
#: norm_dims | y = x.norm(dim=(1, 2))
#: norm_fro | y = x.norm("fro")
#: linalg_norm | y = mg.linalg.norm(x)
#: linalg_norm_dim | y = mg.linalg.norm(x, dim=1)
#: logsumexp | y = x.logsumexp(1)
#: logsumexp_dims | y = x.logsumexp((0, 1), keepdim=True)
#: cumsum | y = x.cumsum(-1)
#: softmax | y = x.softmax(1)[0]
#: log_softmax | y = x.log_softmax(-1)
#: argmax | y = x.argmax(1)
#: argmax_all | y = x.argmax()
#: argmin | y = x.argmin(2, keepdim=True)
#: all_dim | y = (x > 0).all(1)
#: any_dim | y = (x > 2).any(2)
#: all | y = (x > -9).all()
#: nonzero | y = (x > 2).nonzero()
#: nonzero_tuple | y = (x > 2).nonzero(as_tuple=True)[1]
#: mean_dtype | y = x.mean(dtype=mg.float32)
#: sort_descending | y = x.sort(2, descending=True).values
#: sort_indices | y = x.sort(2).indices
#: topk | y = x.topk(2, dim=2).values
#: topk_smallest | y = x.topk(2, dim=1, largest=False).values
#: topk_indices | y = x.topk(2, dim=2).indices
x = mg.tensor([[[0.5, -1.0, 2.0], [3.0, 0.25, -0.5]], [[1.5, 2.5, -2.0], [0.75, -1.25, 1.0]]], dtype=mg.float64, requires_grad=True)
...
if y.requires_grad:
    y.backward(mg.arange(1, y.numel() + 1).to(y.dtype).view(y.shape))

# %% ops.shape.$ | 04 12 | torch docs
#: view_dtype_size | y = x.view(2, -1)
#: reshape | y = x.reshape(3, 4)
#: flatten_range | y = x.flatten(1)
#: flatten_all | y = x.flatten()
#: transpose_negative | y = x.transpose(-1, -3)
#: permute | y = x.permute(2, 0, 1)
#: permute_tuple | y = x.permute((1, 2, 0))
#: movedim | y = x.movedim(0, 2)
#: movedim_tuple | y = x.movedim((0, 1), (2, 0))
#: squeeze_none | y = x.squeeze()
#: squeeze_dims | y = x[:1, :1].squeeze((0, 1))
#: unsqueeze_negative | y = x.unsqueeze(-1)
#: expand_minus1 | y = x[:, :1].expand(-1, 3, -1)
#: repeat_more_dims | y = x.repeat(2, 1, 1, 2)
#: repeat_zero | y = x.repeat(1, 1, 0)
#: cat_negative | y = mg.cat([x, x * 2], -1)
#: cat_with_empty | y = mg.cat([x[0], mg.zeros(0), x[1]])
#: cat_one | y = mg.cat([x])
#: stack_last | y = mg.stack([x, x * x], -1)
#: split_uneven | y = x.split(2, 2)[1]
#: split_sizes | y = x.split([1, 0, 2], 2)[2]
#: chunk_uneven | y = x.chunk(2, 2)[1]
#: chunk_more | y = x.chunk(5, 2)[2]
#: unbind_dim | y = x.unbind(2)[1]
#: select_negative | y = x.select(-1, -1)
#: narrow | y = x.narrow(2, 1, 2)
#: diagonal_offset | y = x[0].diagonal(1)
#: diagonal_dims | y = x.diagonal(0, 1, 2)
#: diag_build | y = x[0, 0].diag(-1)
#: tril_offset | y = x.tril(1)
#: triu_offset | y = x.triu(-1)
#: flip_two | y = x.flip(0, 2)
#: flip_tuple | y = x.flip((0, 1))
#: roll | y = x.roll(1, 2)
#: roll_two | y = x.roll((1, -1), (0, 2))
#: roll_flat | y = x.roll(2)
#: gather | y = x.gather(2, mg.tensor([[[2, 0], [1, 1]], [[0, 0], [2, 1]]]))
#: scatter_add | y = x.scatter_add(2, mg.tensor([[[2, 0], [1, 1]], [[0, 0], [2, 1]]]), mg.ones(2, 2, 2))
#: index_select | y = x.index_select(2, mg.tensor([2, 2, 0]))
#: index_put_accumulate | y = x.index_put((mg.tensor([0, 0]), mg.tensor([1, 1])), mg.ones(2, 3), accumulate=True)
#: masked_fill | y = x.masked_fill(x > 5, -1.0)
#: masked_select | y = x.masked_select(x > 5)
#: masked_select_broadcast | y = x.masked_select(mg.tensor([True, False, True]))
#: mask_index | y = x[x > 5]
#: mask_two_dims | y = x[mg.tensor([[True, False], [False, True]])]
#: index_mixed | y = x[:, mg.tensor([1, 0]), 1]
#: index_separated | y = x[mg.tensor([0, 1]), :, mg.tensor([2, 0])]
#: index_int_none | y = x[1, None, :, 0]
#: index_broadcast | y = x[mg.tensor([[0], [1]]), mg.tensor([0, 1])]
#: index_repeated | y = x[mg.tensor([0, 0, 0])]
#: index_negative | y = x[mg.tensor([-1]), -1]
#: index_ellipsis_middle | y = x[0, ..., 1:]
#: index_bool_scalar | y = x[mg.tensor(True)]
#: index_range | y = x[range(2)]
#: index_fractions | y = x[[1.5, 0.2]]
#: index_arrays | y = x[np.array([1.5]), np.array([1], np.int16)]
#: index_empty | y = x[mg.tensor([], dtype=mg.int64)]
#: slice_empty | y = x[5:]
#: slice_step | y = x[..., ::2]
#: slice_negative | y = x[..., -2:]
#: outer | y = mg.outer(x[0, 0], x[1, 1])
#: bmm | y = mg.bmm(x, x.transpose(1, 2))
#: matmul_batch_vector | y = x @ x[0, 0]
#: matmul_vector_batch | y = x[0, :, 0] @ x
#: einsum_implicit | y = mg.einsum("ba", x[0])
#: addmm | y = mg.addmm(x[0, :, :2], x[0], x[1].t(), beta=0.5, alpha=2)
#: where_scalar | y = mg.where(x > 5, 1.0, x)
#: contiguous | y = x.transpose(0, 2).contiguous()
#: clone | y = x.clone()
x = mg.arange(12.0).view(2, 2, 3).requires_grad_()
...
y.backward(mg.arange(1.0, y.numel() + 1).view(y.shape))

# %% ops.compare.$ | 01 | torch docs
#: eq | y = a == b
#: ne | y = a != b
#: lt | y = a < b
#: le | y = a <= b
#: gt | y = a > b
#: ge | y = a >= b
#: functions | y = mg.stack([mg.eq(a, b), mg.ne(a, b), mg.lt(a, b), mg.le(a, b), mg.gt(a, b), mg.ge(a, b)])
#: methods | y = mg.stack([a.eq(b), a.ne(b), a.lt(2), a.le(2), a.gt(2), a.ge(2)])
#: reflected | y = 2 < a
#: logical_and | y = mg.logical_and(a > 1, b > 1)
#: logical_or | y = mg.logical_or(a > 1, b > 1)
#: logical_xor | y = mg.logical_xor(a, b)
#: logical_not | y = mg.logical_not(a)
#: broadcast | y = a[:, None] == b
#: nan | y = mg.tensor([float("nan")]) == mg.tensor([float("nan")])
#: mixed_dtype | y = a == mg.tensor([1, 2, 3])
#: in_place | y = a.clone().eq_(b)
a = mg.tensor([1.0, 2.0, 0.0], requires_grad=True)
b = mg.tensor([1.0, 3.0, -1.0])
...

# %% ops.integer.$ | 01 | torch docs
#: floor_divide | y = mg.tensor([7, -7, 7]) // mg.tensor([2, 2, -2])
#: remainder | y = mg.tensor([7, -7, 7]) % mg.tensor([3, 3, -3])
#: trunc_divide | y = mg.div(mg.tensor([7, -7]), 2, rounding_mode="trunc")
#: round_half_even | y = mg.tensor([0.5, 1.5, 2.5, -0.5]).round()
#: round_decimals | y = mg.tensor([1.2345]).round(decimals=2)
#: abs_min | y = mg.tensor([-128], dtype=mg.int8).abs()
#: pow | y = mg.tensor([2, 3]) ** mg.tensor([3, 2])
#: shift_like | y = mg.tensor([1, 2]) * 2 ** 3
#: bool_sum | y = mg.tensor([True, True, False]).sum()
#: bool_mean | y = mg.tensor([True, True, False]).float().mean()
#: cumsum | y = mg.tensor([1, 2, 3]).cumsum(0)
#: sort | y = mg.tensor([3, 1, 2]).sort().values
#: argsort_bool | y = mg.tensor([True, False]).sort().indices
#: clamp | y = mg.tensor([1, 5, 9]).clamp(2, 6)
#: where | y = mg.where(mg.tensor([True, False]), mg.tensor([1, 2]), mg.tensor([3, 4]))
#: matmul | y = mg.tensor([[1, 2], [3, 4]]) @ mg.tensor([1, 1])
#: prod | y = mg.tensor([2, 3, 4]).prod()
#: max | y = mg.tensor([2, 9, 4]).max()
#: linspace | y = mg.linspace(0, 10, 5, dtype=mg.int64)
#: arange_negative | y = mg.arange(5, 0, -2)
#: xor | y = mg.tensor([5, 3]) ^ mg.tensor([1, 1])
#: invert | y = ~mg.tensor([0, 5])
...

# %% ops.zero.$ | 05 | random programs
# Sums begin at 0, so that -0 becomes 0.
#: cumsum     | print(1 / mg.tensor([-0.0, -0.0, 1.0, -1.0]).cumsum(0))
#: cumsum_0d  | print(1 / mg.tensor(-0.0).cumsum(0))
...

# %% ops.empty.$ | 05 | random programs
# Empty tensors, and what an operation complains of first.
#: roll_nothing   | mg.ones(2).roll(())
#: max_complex    | mg.ones(2, 0, dtype=mg.complex64).max(1)
#: amax_complex   | mg.ones(0, dtype=mg.complex64).amax(0)
...

# %% ops.complex.zero_power.$ | 10 | random programs
#: zeroth  | z = mg.zeros(3, dtype=mg.complex128) ** 0j
...
print(z.isnan(), z.abs() == 0)

# %% ops.complex.logsumexp | 10 | random programs
# The imaginary part comes out between -π and π.
z = mg.tensor([18 + 13.5j], dtype=mg.complex128, requires_grad=True)
y = z.logsumexp(0)

# %% ops.complex.parts_saved.$ | 10 | random programs
# complex saves the parts that require grad, and no others.
#: constant_imag | c.add_(1); mg.complex(r, c).sum().abs().backward()
#: written_imag  | z = mg.complex(r, c); c.add_(1); z.sum().abs().backward()
#: saved         | z = mg.complex(c, r); print(z.grad_fn._saved_real is None, z.grad_fn._saved_imag is r)
#: mismatch      | mg.complex(mg.ones(2), mg.ones(3))
r, c = mg.ones(2, requires_grad=True), mg.ones(2)
...

# %% ops.prod.one_element.$ | 05 | random programs
# Of one number the derivative does not ask for the product, which was changed here.
#: prod        | y = x.prod()
#: prod_dim    | y = x.prod(0)
x = mg.tensor(2.0, requires_grad=True)
...
y.data.mul_(3)
y.backward()

# %% ops.var.no_freedom.$ | 05 | random programs
#: dim_one    | y = x[:1].var(0)
#: dim_less   | y = x.var(0, correction=5)
#: std_less   | y = x.std(0, correction=2)
x = mg.tensor([1.0, 2.0], requires_grad=True)
...
g, = mg.autograd.grad(y * 1, x, create_graph=True)

# %% ops.nan_to_num.$ | 05 13 | torch docs: nan_to_num
#: plain    | y = x.nan_to_num()
#: numbers  | y = mg.nan_to_num(x, 1.0, 2.0, 3.0)
#: keywords | y = x.nan_to_num(nan=5, neginf=0)
#: half     | y = x.half().nan_to_num(posinf=1e6)
#: double   | y = x.double().nan_to_num()
#: in_place | y = (x * 1).nan_to_num_()
#: integers | y = mg.tensor([1, 2]).nan_to_num(1.5)
#: complex  | y = mg.tensor([complex("nan+infj"), 1 - 2j]).nan_to_num(1, 2)
#: number   | y = mg.nan_to_num(1.0)
x = mg.tensor([1.0, float("nan"), float("inf"), -float("inf")], requires_grad=True)
...
if y.requires_grad:
    y.backward(mg.ones_like(y))

# %% ops.keywords.$ | 01 | torch docs
x = mg.tensor([[0.5, 2.0, 1.0], [1.5, -1.0, 0.25]], requires_grad=True)
#: view          | y = x.view(size=(3, 2))
#: reshape       | y = x.reshape(shape=(3, 2)) + mg.reshape(input=x, shape=(3, 2))
#: permute       | y = x.permute(dims=(1, 0)) + mg.permute(input=x, dims=(1, 0))
#: expand        | y = x.expand(size=(2, 2, 3))
#: broadcast_to  | y = mg.broadcast_to(input=x, size=(2, 2, 3))
#: repeat        | y = x.repeat(repeats=(2, 1))
#: flip          | y = x.flip(dims=(0,)) + mg.flip(input=x, dims=(0,))
#: split         | y, z, w = mg.split(tensor=x, split_size_or_sections=1, dim=1)
#: max_other     | y = x.max(other=x * 2)
#: min_other     | y = mg.min(input=x, other=x * 2)
#: to_device     | y = x.to(device="cpu", dtype=mg.float64)
#: to_blocking   | y = x.to("cpu", mg.float64, copy=True)
#: pow           | y = mg.pow(self=2.0, exponent=x)
#: copy          | y = mg.zeros(2, 3).copy_(other=x)
...

# %% ops.prod_of_one_zero | 05 13 | random programs
# The slope of a product of one number does not depend on the number; where it is 0, PyTorch knows.
for start in ([0.0], [[0.0], [2.0]], [3.0]):
    x = mg.tensor(start, requires_grad=True)
    for y in (x.prod(-1), x.prod(), x.prod(0, keepdim=True)):
        g, = mg.autograd.grad(y.sum(), x, create_graph=True)
        print(g.tolist(), g.requires_grad)

# %% ops.complex.logsumexp_weighted | 13 | random programs
# The slope is the conjugate of softmax, as of every function of complex numbers that has a derivative.
z = mg.tensor([1.5 + 0.5j, -1 + 0j], dtype=mg.complex128, requires_grad=True)
y = z.logsumexp(0)
y.backward(mg.tensor(2.0 - 1.0j, dtype=mg.complex128))

# %% ops.var_equal | 05 | random programs
# The variance of equal numbers is 0, also where their mean is not quite one of them.
x = mg.tensor([0.1, 0.1, 0.1], dtype=mg.float64).sin().requires_grad_()
for f in (mg.var, mg.std):
    y = f(x, 0)
    print(y, f(x.expand(2, 3), 1), f(x.expand(2, 3)))
y.backward()

# %% ops.layout.$how | 03 | random programs
# Operands that lie differently in memory: the first says how the result lies, where it was not stretched.
a = mg.arange(6.0).reshape(3, 2).T
b = mg.ones(2, 3, requires_grad=True)
c = mg.arange(24.0).reshape(4, 3, 2).permute(2, 1, 0)[..., :3]
print(a.stride(), c.stride())
{line}
print(y.stride(), y.is_contiguous())
z = y.view(-1)
#: column_first | y = a + b
#: row_first    | y = b * a
#: compared     | y = a < b
#: chosen       | y = mg.where(a > 2, b, b)
#: lerp         | y = mg.lerp(a, b, 0.5)
#: power        | y = (a + 1) ** b
#: clamp        | y = a.clamp(b, b + 1)
#: stretched    | y = a[:1] * b
#: stretched_c  | y = a[:1] / c[0].T.contiguous()
#: three        | y = c * b[0]
#: three_first  | y = b[:, :, None] - c
#: addcmul      | y = mg.addcmul(a, b, b)
#: column       | y = a[:, :1] + a
#: lower        | y = mg.tril(a)
#: gathered     | y = a.gather(0, mg.zeros(3, 2).long().T)
...
