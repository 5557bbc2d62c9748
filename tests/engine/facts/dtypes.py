# ruff: noqa
"""Facts, area dtypes: promotion, the dtype of results and of gradients."""
import numpy as np

import minigrad as mg

# %% dtypes.promote.$ | 01 | torch docs: tensor attributes
# Dimensions over zero-dim over Python numbers: a number of lower rank decides only by its kind.
#: int_plus_int     | r = mg.tensor([1, 2]) + 1
#: int_plus_float   | r = mg.tensor([1, 2]) + 1.5
#: int_times_bool   | r = mg.tensor([1, 2]) * True
#: int_plus_complex | r = mg.tensor([1, 2]) + 1j
#: float_plus_int   | r = mg.tensor([1.0, 2.0]) + 1
#: float_plus_complex | r = mg.tensor([1.0, 2.0]) + 1j
#: bool_plus_int    | r = mg.tensor([True, False]) + 1
#: bool_plus_bool   | r = mg.tensor([True, False]) + mg.tensor([True, True])
#: bool_times_bool  | r = mg.tensor([True, False]) * mg.tensor([True, True])
#: bool_plus_float  | r = mg.tensor([True, False]) + 0.5
#: bool_plus_true   | r = mg.tensor([True, False]) + True
#: uint8_plus_int8  | r = mg.tensor([200], dtype=mg.uint8) + mg.tensor([1], dtype=mg.int8)
#: uint8_wraps      | r = mg.tensor([200], dtype=mg.uint8) + mg.tensor([100], dtype=mg.uint8)
#: int32_plus_int64 | r = mg.tensor([1], dtype=mg.int32) + mg.tensor([1])
#: int32_plus_zero_dim_int64 | r = mg.tensor([1], dtype=mg.int32) + mg.tensor(1)
#: int32_plus_zero_dim_float64 | r = mg.tensor([1], dtype=mg.int32) + mg.tensor(1.0, dtype=mg.float64)
#: float32_plus_zero_dim_float64 | r = mg.tensor([1.0]) + mg.tensor(1.0, dtype=mg.float64)
#: zero_dim_float32_plus_float64 | r = mg.tensor(1.0) + mg.tensor(1.0, dtype=mg.float64)
#: float32_plus_float64 | r = mg.tensor([1.0]) + mg.tensor([1.0], dtype=mg.float64)
#: half_plus_float  | r = mg.tensor([1.0], dtype=mg.float16) + mg.tensor([1.0])
#: half_plus_number | r = mg.tensor([1.0], dtype=mg.float16) + 2.5
#: half_plus_long   | r = mg.tensor([1.0], dtype=mg.float16) + mg.tensor([1])
#: float_plus_long  | r = mg.tensor([1.0]) + mg.tensor([2])
#: long_plus_zero_dim_float | r = mg.tensor([1]) + mg.tensor(2.5)
#: zero_dim_long_plus_number | r = mg.tensor(1) + 2.5
#: zero_dim_float_plus_long | r = mg.tensor(1.5) + mg.tensor([2])
#: complex_plus_double | r = mg.tensor([1j]) + mg.tensor([1.0], dtype=mg.float64)
#: complex_plus_zero_dim_double | r = mg.tensor([1j]) + mg.tensor(1.0, dtype=mg.float64)
#: double_plus_complex_number | r = mg.tensor([1.0], dtype=mg.float64) + 1j
#: long_true_divide | r = mg.tensor([1, 2]) / 2
#: long_divide_long | r = mg.tensor([7, 8]) / mg.tensor([2, 3])
#: long_floor_divide | r = mg.tensor([7, -7]) // 2
#: long_remainder   | r = mg.tensor([7, -7]) % 3
#: bool_divide      | r = mg.tensor([True, True]) / 2
#: long_pow         | r = mg.tensor([2, 3]) ** 2
#: long_pow_float   | r = mg.tensor([2, 3]) ** 0.5
#: float_pow_long   | r = mg.tensor([2.0, 3.0]) ** mg.tensor([2, 3])
#: number_pow_long  | r = 2 ** mg.tensor([2, 3])
#: float_number_pow_long | r = 2.5 ** mg.tensor([2, 3])
#: two_zero_dims    | r = mg.tensor(1) * mg.tensor(True)
#: compare          | r = mg.tensor([1, 2]) == mg.tensor([1.0, 3.0])
#: where            | r = mg.where(mg.tensor([True, False]), mg.tensor([1.0, 2.0]), mg.tensor([1.0, 2.0], dtype=mg.float64))
#: where_number     | r = mg.where(mg.tensor([True, False]), mg.tensor([1, 2]), 2.5)
#: maximum          | r = mg.maximum(mg.tensor([1, 2]), mg.tensor([1.5, 1.5]))
#: cat              | r = mg.cat([mg.tensor([1, 2]), mg.tensor([1.5])])
#: stack            | r = mg.stack([mg.tensor([1, 2]), mg.tensor([1.5, 2.5])])
#: clamp            | r = mg.tensor([1, 2, 3]).clamp(max=2)
#: clamp_float      | r = mg.tensor([1, 2, 3]).clamp(max=1.5)
#: atan2            | r = mg.atan2(mg.tensor([1, 2]), mg.tensor([2, 1]))
#: lerp_mixed_error | r = mg.lerp(mg.tensor([1.0]), mg.tensor([2.0], dtype=mg.float64), 0.5)
...

# %% dtypes.result_type | 01 | torch docs: result_type
print(mg.result_type(mg.tensor([1, 2]), 1.0), mg.result_type(mg.tensor([1, 2], dtype=mg.uint8), mg.tensor(1)))
print(mg.result_type(mg.tensor([1.0]), mg.tensor(1.0, dtype=mg.float64)), mg.result_type(mg.tensor(1.0), mg.tensor(1.0, dtype=mg.float64)))
print(mg.result_type(1, 2.5), mg.result_type(mg.tensor([True]), 1), mg.result_type(mg.tensor([1.0]), 1j), mg.result_type(True, False))

# %% dtypes.result_type.table | 01 | torch docs: tensor attributes
# The whole table of two tensors with dimensions.
kinds = [mg.bool, mg.uint8, mg.int8, mg.int16, mg.int32, mg.int64, mg.float16, mg.float32, mg.float64, mg.complex64, mg.complex128]
for a in kinds:
    print(*[str(mg.result_type(mg.ones(1, dtype=a), mg.ones(1, dtype=b))).split(".")[1] for b in kinds])

# %% dtypes.result_type.zero_dim_table | 01 | torch docs: tensor attributes
# Dimensioned on the left, zero-dim on the right. Without float16: with a complex number it makes complex32, which minigrad has not.
kinds = [mg.bool, mg.uint8, mg.int32, mg.int64, mg.float32, mg.float64, mg.complex64, mg.complex128]
for a in kinds:
    print(*[str(mg.result_type(mg.ones(1, dtype=a), mg.ones((), dtype=b))).split(".")[1] for b in kinds])

# %% dtypes.result_type.promote_types | 01 | torch docs: promote_types
print(mg.promote_types(mg.int32, mg.float32), mg.promote_types(mg.uint8, mg.int8), mg.promote_types(mg.complex64, mg.float64))

# %% dtypes.can_cast | 01 | torch docs: can_cast
print(mg.can_cast(mg.float64, mg.float32), mg.can_cast(mg.float32, mg.int32), mg.can_cast(mg.bool, mg.uint8), mg.can_cast(mg.complex64, mg.float32))

# %% dtypes.unary_of_int.$ | 01 | torch docs: tensor attributes
# Functions with real results turn integers into the default float; the others keep them.
#: exp    | r = mg.tensor([0, 1]).exp()
#: sqrt   | r = mg.tensor([4, 9]).sqrt()
#: sin    | r = mg.tensor([0, 1]).sin()
#: sigmoid | r = mg.tensor([0, 1]).sigmoid()
#: reciprocal | r = mg.tensor([2, 4]).reciprocal()
#: abs    | r = mg.tensor([-2, 4]).abs()
#: neg    | r = -mg.tensor([2, 4])
#: square | r = mg.tensor([2, 4]).square()
#: relu   | r = mg.relu(mg.tensor([-2, 4]))
#: sign   | r = mg.tensor([-2, 0]).sign()
#: floor  | r = mg.tensor([2, 4]).floor()
#: round  | r = mg.tensor([2, 4]).round()
#: exp_bool | r = mg.tensor([True]).exp()
#: erf    | r = mg.tensor([0, 1]).erf()
#: log_zero | r = mg.tensor([0, 1]).log()
#: exp_default_double | mg.set_default_dtype(mg.float64); r = mg.tensor([1]).exp()
...

# %% dtypes.reduce.$ | 01 | torch docs: sum
#: sum_bool   | r = mg.tensor([True, True]).sum()
#: sum_uint8  | r = mg.tensor([200, 100], dtype=mg.uint8).sum()
#: sum_int32  | r = mg.tensor([1, 2], dtype=mg.int32).sum()
#: sum_half   | r = mg.tensor([1.0, 2.0], dtype=mg.float16).sum()
#: sum_dtype  | r = mg.tensor([1, 2]).sum(dtype=mg.float64)
#: mean_int   | r = mg.tensor([1, 2]).mean()
#: mean_bool  | r = mg.tensor([True]).mean()
#: mean_int_dtype | r = mg.tensor([1, 2]).mean(dtype=mg.float32)
#: prod_int   | r = mg.tensor([2, 3], dtype=mg.int32).prod()
#: cumsum_int32 | r = mg.tensor([1, 2], dtype=mg.int32).cumsum(0)
#: cumsum_bool | r = mg.tensor([True, True]).cumsum(0)
#: max_int    | r = mg.tensor([1, 3]).max()
#: max_bool   | r = mg.tensor([True, False]).max()
#: argmax     | r = mg.tensor([1.0, 3.0]).argmax()
#: var_int    | r = mg.tensor([1, 3]).var()
#: std_int    | r = mg.tensor([1, 3]).std()
#: norm_int   | r = mg.tensor([3, 4]).norm()
#: all_int    | r = mg.tensor([1, 0]).all()
#: all_uint8  | r = mg.tensor([1, 0], dtype=mg.uint8).all()
#: any_float  | r = mg.tensor([0.0, 2.0]).any()
#: softmax_int | r = mg.tensor([1, 2]).softmax(0)
#: softmax_int_dtype | r = mg.tensor([1, 2]).softmax(0, dtype=mg.float32)
#: logsumexp_int | r = mg.tensor([1, 2]).logsumexp(0)
#: matmul_int | r = mg.tensor([[1, 2]]) @ mg.tensor([[3], [4]])
#: matmul_mixed | r = mg.tensor([[1.0, 2.0]]) @ mg.tensor([[3], [4]])
#: mm_mixed_float | r = mg.ones(1, 2).mm(mg.ones(2, 1, dtype=mg.float64))
#: dot_mixed  | r = mg.dot(mg.ones(2), mg.ones(2, dtype=mg.float64))
#: matmul_bool | r = mg.tensor([[True]]) @ mg.tensor([[True]])
#: mean_empty | r = mg.zeros(0).mean()
#: sum_empty  | r = mg.zeros(0).sum()
#: prod_empty | r = mg.zeros(0).prod()
#: max_empty  | r = mg.zeros(0).max()
#: max_dim_empty | r = mg.zeros(0, 2).max(0)
#: var_one    | r = mg.tensor([1.0]).var()
#: argmax_empty | r = mg.zeros(0).argmax()
...

# %% dtypes.grad.$ | 04 | course
# A gradient has the dtype of its tensor, whatever happened on the way.
#: double_times_float | y = a * d
#: float_plus_double_scalar | y = a * mg.tensor(2.0, dtype=mg.float64)
#: int_times_float    | y = a * mg.tensor([2, 3])
#: cast_up            | y = a.double() * d
#: cast_down          | y = d.float() * a
#: half               | y = a.half() * 3
#: float_times_complex | y = (a * mg.tensor([1j, 2j])).abs()
#: complex_part       | y = (d * 1j).imag
#: mean               | y = a.mean() + d.mean()
#: matmul_double      | y = d @ d
#: where              | y = mg.where(a > 1.5, a, d)
#: cat                | y = mg.cat([a, d])
#: scalar_double      | y = a * d[0]
#: pow                | y = a ** d
a = mg.tensor([1.0, 2.0], requires_grad=True)
d = mg.tensor([3.0, 4.0], dtype=mg.float64, requires_grad=True)
...
y.sum().backward()

# %% dtypes.grad.two_times_int_tensor | 01 | course
# 2 * x with an integer tensor: nothing to differentiate.
x = mg.tensor([1, 2, 3])
y = 2 * x
z = y / 3

# %% dtypes.grad.int_does_not_block | 01 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
n = mg.tensor([3, 4])
y = (x * n).sum()
y.backward()

# %% dtypes.grad.sum_dtype | 04 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.sum(dtype=mg.float64).backward()

# %% dtypes.grad.int_operand_requires | 01 | course
# The product of an int leaf and a float leaf: only the float gets a gradient.
x = mg.tensor([1.0, 2.0], requires_grad=True)
n = mg.tensor([3, 4])
y = x * n
print(y.grad_fn.next_functions[1])

# %% dtypes.grad.half_accumulates | 06 | course
x = mg.tensor([1.0, 2.0], dtype=mg.float16, requires_grad=True)
(x * x).sum().backward()
(x * x).sum().backward()

# %% dtypes.number_kinds | 01 | course
x = mg.tensor([1, 2])
print((x * 2).dtype, (x * 2.0).dtype, (x * np.float32(2)).dtype, (x * np.int8(2)).dtype, (x * True).dtype, (x * 2j).dtype)

# %% dtypes.repr_eq_hash | 01 | torch docs: dtype
print(repr(mg.float32), mg.float32 == mg.float, mg.float32 == mg.float64, {mg.float32: 1}[mg.float], mg.tensor(1.0).dtype is mg.float32)
print(type(mg.float32).__name__, isinstance(mg.float32, mg.dtype))

# %% dtypes.finfo | 03 | torch docs: type info
print(mg.finfo(mg.float32).eps, mg.finfo(mg.float64).eps, mg.finfo(mg.float32).max)

# %% dtypes.overflow_number | 01 | course
mg.tensor([1], dtype=mg.uint8).fill_(300)

# %% dtypes.large_int | 01 | course
mg.tensor([2 ** 70])

# %% dtypes.float_to_int_truncates | 01 | course
x = mg.tensor([1.9, -1.9, 2.5]).long()
y = mg.tensor([300, -1]).to(mg.uint8)

# %% dtypes.complex_to_bool | 01 | torch docs: Tensor.bool
x = mg.tensor([1j, 0, 1]).bool()

# %% dtypes.tensor_dtype_number | 01 | course
mg.tensor([1.5], dtype="float32")
