# ruff: noqa
"""Facts, area forward_ad: dual tensors, tangents, and forward over reverse."""
import numpy as np

import minigrad as mg

# %% forward_ad.basic | 10 | torch docs: forward-mode AD
fw = mg.autograd.forward_ad
with fw.dual_level():
    d = fw.make_dual(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 10.0]))
    p, t = fw.unpack_dual(d * d)
    print(p, t, d)
del d, p, t

# %% forward_ad.unpack_is_namedtuple | 10 | torch docs: unpack_dual
fw = mg.autograd.forward_ad
with fw.dual_level():
    u = fw.unpack_dual(fw.make_dual(mg.tensor(1.0), mg.tensor(3.0)))
    print(u.primal, u.tangent, type(u).__name__)
del u

# %% forward_ad.no_tangent | 10 | torch docs: unpack_dual
fw = mg.autograd.forward_ad
with fw.dual_level():
    p, t = fw.unpack_dual(mg.tensor(1.0))
    print(p, t)
del p, t

# %% forward_ad.outside_level | 10 | course 10.2
fw = mg.autograd.forward_ad
fw.make_dual(mg.tensor(1.0), mg.tensor(1.0))

# %% forward_ad.unpack_outside | 10 | torch docs: unpack_dual
fw = mg.autograd.forward_ad
print(fw.unpack_dual(mg.tensor(1.0)))

# %% forward_ad.level_ends | 10 | torch docs: dual_level
# When the level ends the tangents are gone.
fw = mg.autograd.forward_ad
with fw.dual_level():
    d = fw.make_dual(mg.tensor(1.0), mg.tensor(1.0))
with fw.dual_level():
    print(fw.unpack_dual(d).tangent)
del d

# %% forward_ad.nested_levels | 10 | torch docs: dual_level
fw = mg.autograd.forward_ad
with fw.dual_level():
    with fw.dual_level():
        pass

# %% forward_ad.level_by_number | 10 | torch docs: make_dual
fw = mg.autograd.forward_ad
level = fw.enter_dual_level()
x = fw.make_dual(mg.tensor(3.0), mg.tensor(1.0), level=level)
print(fw.unpack_dual(x * x, level=level))
try:
    fw.make_dual(mg.tensor(3.0), mg.tensor(1.0), level=1)
except RuntimeError as error:
    print(error)
fw.exit_dual_level(level=level)

# %% forward_ad.enter_exit | 10 | torch docs: enter_dual_level
fw = mg.autograd.forward_ad
level = fw.enter_dual_level()
print(level)
d = fw.make_dual(mg.tensor(2.0), mg.tensor(1.0))
print(fw.unpack_dual(d.exp()).tangent)
fw.exit_dual_level()
del d

# %% forward_ad.exit_without_enter | 10 | torch docs: exit_dual_level
mg.autograd.forward_ad.exit_dual_level()

# %% forward_ad.shape_mismatch | 10 | torch docs: make_dual
fw = mg.autograd.forward_ad
with fw.dual_level():
    fw.make_dual(mg.zeros(2), mg.zeros(3))

# %% forward_ad.dtype_mismatch | 10 | torch docs: make_dual
fw = mg.autograd.forward_ad
with fw.dual_level():
    fw.make_dual(mg.zeros(2), mg.zeros(2, dtype=mg.float64))

# %% forward_ad.int_primal | 10 | torch docs: make_dual
fw = mg.autograd.forward_ad
with fw.dual_level():
    fw.make_dual(mg.tensor([1, 2]), mg.tensor([1.0, 2.0]))

# %% forward_ad.int_tangent | 10 | torch docs: make_dual
fw = mg.autograd.forward_ad
with fw.dual_level():
    fw.make_dual(mg.tensor([1.0, 2.0]), mg.tensor([1, 2]))

# %% forward_ad.tangent_type | 10 | torch docs: make_dual
fw = mg.autograd.forward_ad
with fw.dual_level():
    fw.make_dual(mg.tensor([1.0, 2.0]), 1.0)

# %% forward_ad.already_dual | 10 | torch docs: make_dual
fw = mg.autograd.forward_ad
with fw.dual_level():
    d = fw.make_dual(mg.tensor(1.0), mg.tensor(1.0))
    try:
        fw.make_dual(d, mg.tensor(2.0))
    finally:
        del d

# %% forward_ad.mixed_with_plain | 10 | torch docs: forward-mode AD
fw = mg.autograd.forward_ad
with fw.dual_level():
    d = fw.make_dual(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 1.0]))
    print(fw.unpack_dual(d * mg.tensor([3.0, 4.0])).tangent, fw.unpack_dual(d + 5).tangent)
del d

# %% forward_ad.two_duals | 10 | torch docs: forward-mode AD
fw = mg.autograd.forward_ad
with fw.dual_level():
    a = fw.make_dual(mg.tensor(2.0), mg.tensor(1.0))
    b = fw.make_dual(mg.tensor(3.0), mg.tensor(10.0))
    print(fw.unpack_dual(a * b))
del a, b

# %% forward_ad.comparison_and_int_have_none | 10 | torch docs: forward-mode AD
fw = mg.autograd.forward_ad
with fw.dual_level():
    a = fw.make_dual(mg.tensor([2.0, 1.0]), mg.tensor([1.0, 1.0]))
    print(fw.unpack_dual(a > 1).tangent, fw.unpack_dual(a.argmax()).tangent, fw.unpack_dual(a.detach()).tangent, fw.unpack_dual(a.long()).tangent)
del a

# %% forward_ad.detach_keeps_no_tangent | 10 | torch docs: forward-mode AD
fw = mg.autograd.forward_ad
with fw.dual_level():
    a = fw.make_dual(mg.tensor(2.0), mg.tensor(1.0))
    print(fw.unpack_dual(a.clone()).tangent, fw.unpack_dual(a.data).tangent)
del a

# %% forward_ad.no_grad_irrelevant | 10 | torch docs: forward-mode AD
# no_grad does not switch forward mode off.
fw = mg.autograd.forward_ad
with fw.dual_level():
    a = fw.make_dual(mg.tensor(2.0), mg.tensor(1.0))
    with mg.no_grad():
        print(fw.unpack_dual(a * a).tangent)
del a

# %% forward_ad.requires_grad_primal | 10 | torch docs: forward-mode AD
fw = mg.autograd.forward_ad
x = mg.tensor(2.0, requires_grad=True)
with fw.dual_level():
    d = fw.make_dual(x, mg.tensor(1.0))
    y = d ** 3
    print(y.requires_grad, fw.unpack_dual(y).tangent)
    y.backward()
del d, y

# %% forward_ad.forward_over_reverse | 10 | course 10
# The tangent of the gradient: a Hessian-vector product without create_graph.
fw = mg.autograd.forward_ad
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
with fw.dual_level():
    d = fw.make_dual(x, mg.tensor([1.0, 0.0, -1.0]))
    y = (d ** 3).sum()
    g, = mg.autograd.grad(y, d)
    print(fw.unpack_dual(g))
del d, y, g

# %% forward_ad.reverse_over_forward | 10 | course 10
fw = mg.autograd.forward_ad
x = mg.tensor([1.0, 2.0], requires_grad=True)
with fw.dual_level():
    d = fw.make_dual(x, mg.tensor([1.0, 10.0]))
    t = fw.unpack_dual(d ** 3).tangent
    g, = mg.autograd.grad(t.sum(), x)
print(g)
del d, t

# %% forward_ad.tangent_requires_grad | 10 | course 10
fw = mg.autograd.forward_ad
v = mg.tensor([1.0, 10.0], requires_grad=True)
with fw.dual_level():
    d = fw.make_dual(mg.tensor([2.0, 3.0]), v)
    t = fw.unpack_dual(d * d).tangent
    t.sum().backward()
del d, t

# %% forward_ad.complex | 10 | torch docs: forward-mode AD
fw = mg.autograd.forward_ad
with fw.dual_level():
    d = fw.make_dual(mg.tensor([1 + 2j]), mg.tensor([1j]))
    print(fw.unpack_dual(d * d).tangent, fw.unpack_dual(d.abs()).tangent, fw.unpack_dual(d.conj()).tangent)
del d

# %% forward_ad.real_in_complex | 10 | torch docs: forward-mode AD
fw = mg.autograd.forward_ad
with fw.dual_level():
    d = fw.make_dual(mg.tensor([2.0]), mg.tensor([3.0]))
    print(fw.unpack_dual(d * 1j).tangent)
del d

# %% forward_ad.double_dtype | 10 | course
fw = mg.autograd.forward_ad
with fw.dual_level():
    d = fw.make_dual(mg.tensor([2.0]), mg.tensor([3.0]))
    print(fw.unpack_dual(d.double() * 2).tangent, fw.unpack_dual(d * mg.tensor([1.0], dtype=mg.float64)).tangent)
del d

# %% forward_ad.op.$ | 10 | torch: derivatives.yaml
# The tangent of each kind of rule: elementwise, linear, multilinear, written by hand.
#: exp | y = d.exp()
#: log | y = d.log()
#: sqrt | y = d.sqrt()
#: sin | y = d.sin()
#: cos | y = d.cos()
#: tanh | y = d.tanh()
#: sigmoid | y = d.sigmoid()
#: relu | y = (d - 1).relu()
#: abs | y = (d - 1).abs()
#: pow | y = d ** 3
#: pow_tensor | y = d ** d
#: rpow | y = 2 ** d
#: div | y = 1 / d
#: div_tensor | y = d / d.flip(1)
#: mul | y = d * d.flip(1)
#: add | y = d + 2 * d
#: atan2 | y = mg.atan2(d, d.flip(1))
#: maximum | y = mg.maximum(d, mg.ones(2, 3))
#: clamp | y = d.clamp(0.5, 1.4)
#: where | y = mg.where(d > 1, d, d * d)
#: sum | y = d.sum()
#: sum_dim | y = d.sum(1, keepdim=True)
#: mean | y = d.mean(0)
#: prod | y = d.prod(1)
#: max | y = d.max()
#: max_dim | y = d.max(1).values
#: amax | y = d.amax(0)
#: var | y = d.var(1)
#: std | y = d.std()
#: norm | y = d.norm()
#: logsumexp | y = d.logsumexp(1)
#: softmax | y = d.softmax(1)
#: log_softmax | y = d.log_softmax(1)
#: cumsum | y = d.cumsum(1)
#: cumprod | y = d.cumprod(1)
#: view | y = d.view(3, 2)
#: t | y = d.t()
#: expand | y = d[:1].expand(2, 3)
#: index | y = d[mg.tensor([1, 0]), mg.tensor([2, 2])]
#: select | y = d[1]
#: cat | y = mg.cat([d, d * 2])
#: stack | y = mg.stack([d, mg.zeros(2, 3)])
#: gather | y = d.gather(1, mg.tensor([[2], [0]]))
#: flip | y = d.flip(0)
#: repeat | y = d.repeat(1, 2)
#: tril | y = d.tril()
#: sort | y = d.sort(1).values
#: masked_fill | y = d.masked_fill(d > 1, 0)
#: mm | y = d @ d.t()
#: mv | y = d @ d[0]
#: dot | y = d[0] @ d[1]
#: outer | y = mg.outer(d[0], d[1])
#: einsum | y = mg.einsum("ij,kj->ik", d, d)
#: linear | y = mg.nn.functional.linear(d, d)
#: mse_loss | y = mg.nn.functional.mse_loss(d, mg.zeros(2, 3))
#: cross_entropy | y = mg.nn.functional.cross_entropy(d, mg.tensor([0, 2]))
#: lerp | y = mg.lerp(d, d * d, 0.25)
#: addcmul | y = mg.addcmul(d, d, d)
#: floor | y = d.floor()
#: erf | y = d.erf()
fw = mg.autograd.forward_ad
with fw.dual_level():
    d = fw.make_dual(mg.tensor([[0.5, 1.5, 2.5], [0.75, 1.25, 2.0]]), mg.tensor([[1.0, -1.0, 0.5], [2.0, 0.25, -0.5]]))
    ...
    p, t = fw.unpack_dual(y)
    t = t + 0
del d, y, p

# %% forward_ad.decorator | 10 | torch docs: dual_level
fw = mg.autograd.forward_ad
@fw.dual_level()
def derivative(f, x):
    return fw.unpack_dual(f(fw.make_dual(x, mg.ones_like(x)))).tangent
print(derivative(mg.exp, mg.zeros(2)), derivative.__name__)

# %% forward_ad.inference_mode | 10 11 | torch docs: inference_mode
fw = mg.autograd.forward_ad
with fw.dual_level():
    d = fw.make_dual(mg.tensor([1.0, 2.0]), mg.ones(2))
    with mg.inference_mode():
        print(fw.unpack_dual(d * 2).tangent)
    print(fw.unpack_dual(d * 2).tangent)
del d

# %% forward_ad.hessian_by_both_modes | 09 10 | course 10
fw = mg.autograd.forward_ad
x = mg.tensor([1.0, 2.0], requires_grad=True)
with fw.dual_level():
    d = fw.make_dual(x, mg.tensor([1.0, 10.0]))
    g, = mg.autograd.grad((d ** 3).sum(), d, create_graph=True)
    t = fw.unpack_dual(g).tangent
    h, = mg.autograd.grad(t.sum(), x)
print(h)
del d, g, t
