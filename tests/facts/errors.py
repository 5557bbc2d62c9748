# ruff: noqa
"""Facts, area errors: what public functions say to arguments they do not take."""
import numpy as np

import minigrad as mg

# %% errors.broadcast.$ | 04 | torch docs: broadcasting semantics
#: add       | mg.zeros(2) + mg.zeros(3)
#: mul       | mg.zeros(2, 3) * mg.zeros(2)
#: mul_first | mg.zeros(4, 3) * mg.zeros(5, 3)
#: sub       | mg.zeros(2, 3) - mg.zeros(3, 2)
#: div       | mg.zeros(2) / mg.zeros(3)
#: pow       | mg.zeros(2) ** mg.zeros(3)
#: compare   | mg.zeros(2) > mg.zeros(3)
#: maximum   | mg.maximum(mg.zeros(2), mg.zeros(3))
#: where     | mg.where(mg.tensor([True, False]), mg.zeros(3), mg.zeros(3))
#: lerp      | mg.lerp(mg.zeros(2), mg.zeros(3), 0.5)
#: addcmul   | mg.addcmul(mg.zeros(2), mg.zeros(3), mg.zeros(3))
#: middle    | mg.zeros(2, 3, 4) + mg.zeros(2, 4)
#: empty     | mg.zeros(0) + mg.zeros(2)
#: with_grad | mg.zeros(2, requires_grad=True) * mg.zeros(3)
#: masked_fill | mg.zeros(2).masked_fill(mg.tensor([True, False, True]), 0)
#: broadcast_to | mg.broadcast_to(mg.zeros(3), (2, 2))
#: atan2     | mg.atan2(mg.zeros(2), mg.zeros(3))
...

# %% errors.matrix.$ | 04 | torch docs: matmul
#: mm        | mg.mm(mg.zeros(2, 3), mg.zeros(2, 3))
#: mm_dims   | mg.mm(mg.zeros(3), mg.zeros(3, 2))
#: matmul    | mg.zeros(2, 3) @ mg.zeros(2, 3)
#: matmul_mv | mg.zeros(2, 3) @ mg.zeros(2)
#: matmul_vm | mg.zeros(2) @ mg.zeros(3, 2)
#: matmul_vv | mg.zeros(2) @ mg.zeros(3)
#: matmul_batch | mg.zeros(2, 3, 4) @ mg.zeros(3, 4, 5)
#: matmul_zero_dim | mg.tensor(1.0) @ mg.zeros(2)
#: matmul_number | mg.zeros(2) @ 2
#: mv        | mg.mv(mg.zeros(2, 3), mg.zeros(2))
#: mv_dims   | mg.mv(mg.zeros(3), mg.zeros(3))
#: dot       | mg.dot(mg.zeros(2), mg.zeros(3))
#: dot_dims  | mg.dot(mg.zeros(2, 2), mg.zeros(2, 2))
#: bmm       | mg.bmm(mg.zeros(2, 3, 4), mg.zeros(2, 3, 4))
#: bmm_dims  | mg.bmm(mg.zeros(3, 4), mg.zeros(4, 5))
#: bmm_batch | mg.bmm(mg.zeros(2, 3, 4), mg.zeros(3, 4, 5))
#: addmm     | mg.addmm(mg.zeros(3), mg.zeros(2, 3), mg.zeros(3, 2))
#: outer     | mg.outer(mg.zeros(2, 2), mg.zeros(2))
#: trace     | mg.trace(mg.zeros(2))
#: inv       | mg.linalg.inv(mg.zeros(2, 2))
#: inv_shape | mg.linalg.inv(mg.zeros(2, 3))
#: solve_shape | mg.linalg.solve(mg.eye(2), mg.zeros(3))
#: solve_singular | mg.linalg.solve(mg.zeros(2, 2), mg.zeros(2))
#: einsum_size | mg.einsum("ij,jk->ik", mg.zeros(2, 3), mg.zeros(2, 3))
#: einsum_count | mg.einsum("ij,jk->ik", mg.zeros(2, 3))
#: einsum_dims | mg.einsum("ijk->i", mg.zeros(2, 3))
#: linear    | mg.nn.functional.linear(mg.zeros(2, 3), mg.zeros(4, 5))
#: conv2d_channels | mg.nn.functional.conv2d(mg.zeros(1, 3, 5, 5), mg.zeros(2, 2, 3, 3))
#: conv2d_kernel | mg.nn.functional.conv2d(mg.zeros(1, 1, 2, 2), mg.zeros(1, 1, 3, 3))
#: mse_size  | mg.nn.functional.mse_loss(mg.zeros(2), mg.zeros(3))
#: cross_entropy_batch | mg.nn.functional.cross_entropy(mg.zeros(2, 3), mg.tensor([0, 1, 2]))
#: cross_entropy_class | mg.nn.functional.cross_entropy(mg.zeros(2, 3), mg.tensor([0, 3]))
#: cross_entropy_dtype | mg.nn.functional.cross_entropy(mg.zeros(2, 3), mg.tensor([0.0, 1.0]))
#: bce_size  | mg.nn.functional.binary_cross_entropy_with_logits(mg.zeros(2), mg.zeros(3))
...

# %% errors.mse_broadcast_warns | 15 | course 15.1
# (4, 1) against (4,): four times four differences, and only a warning.
p = mg.tensor([[1.0], [2.0], [3.0], [4.0]])
t = mg.tensor([1.0, 2.0, 3.0, 4.0])
y = mg.nn.functional.mse_loss(p, t)

# %% errors.dim.$ | 01 | torch docs: sum
#: sum       | mg.zeros(2, 3).sum(2)
#: sum_negative | mg.zeros(2, 3).sum(-3)
#: sum_twice | mg.zeros(2, 3).sum((0, 0))
#: mean      | mg.zeros(2, 3).mean(5)
#: max       | mg.zeros(2, 3).max(2)
#: softmax   | mg.zeros(2, 3).softmax(2)
#: cumsum    | mg.zeros(2, 3).cumsum(2)
#: cat       | mg.cat([mg.zeros(2), mg.zeros(2)], dim=1)
#: stack     | mg.stack([mg.zeros(2), mg.zeros(2)], dim=2)
#: index_select | mg.zeros(2, 3).index_select(2, mg.tensor([0]))
#: index_select_range | mg.zeros(2, 3).index_select(1, mg.tensor([3]))
#: gather_range | mg.zeros(2, 3).gather(1, mg.tensor([[3], [0]]))
#: gather_dtype | mg.zeros(2, 3).gather(1, mg.tensor([[0.0], [0.0]]))
#: gather_dims | mg.zeros(2, 3).gather(1, mg.tensor([0]))
#: sum_zero_dim | print(mg.tensor(3.0).sum(0), mg.tensor(3.0).sum(-1))
#: max_zero_dim | print(mg.tensor(3.0).max(0))
#: topk      | mg.zeros(3).topk(4)
#: sort      | mg.zeros(3).sort(1)
#: flip      | mg.zeros(3).flip(1)
#: roll      | mg.zeros(3).roll(1, 1)
#: size_string | mg.zeros(2).sum("a")
#: narrow_negative | mg.zeros(3).narrow(0, 0, -1)
#: diag_three | mg.zeros(2, 2, 2).diag()
#: tril_one  | mg.zeros(3).tril()
#: norm_dim  | mg.zeros(3).norm(dim=1)
#: masked_select_dtype | mg.zeros(3).masked_select(mg.tensor([1, 0, 1]))
#: index_put_shape | mg.zeros(3).index_put((mg.tensor([0, 1]),), mg.zeros(3))
#: scatter_index | mg.zeros(3).scatter_add(0, mg.tensor([5]), mg.ones(1))
#: take_along_dim | mg.zeros(2, 3).take_along_dim(mg.tensor([0]), 1)
...

# %% errors.type.$ | 01 | torch docs
#: exp_number   | mg.exp(2.0)
#: exp_list     | mg.exp([1.0, 2.0])
#: exp_array    | mg.exp(np.array([1.0]))
#: exp_none     | mg.exp(None)
#: exp_nothing  | mg.exp()
#: sin_int      | mg.sin(1)
#: relu_number  | mg.relu(1.0)
#: sum_number   | mg.sum(1.0)
#: sum_list     | mg.sum([1.0, 2.0])
#: mean_list    | mg.mean([1.0])
#: matmul_list  | mg.matmul([1.0], [2.0])
#: add_numbers  | mg.add(1, 2)
#: mul_string   | mg.mul(mg.zeros(2), "a")
#: add_string   | mg.zeros(2) + "a"
#: radd_string  | "a" + mg.zeros(2)
#: add_none     | mg.zeros(2) + None
#: add_list     | mg.zeros(2) + [1.0, 2.0]
#: mul_list     | mg.zeros(2) * [1.0, 2.0]
#: sub_dict     | mg.zeros(2) - {}
#: div_string   | mg.zeros(2) / "a"
#: pow_string   | mg.zeros(2) ** "a"
#: compare_string | print(mg.zeros(2) == "a")
#: less_string  | mg.zeros(2) < "a"
#: maximum_number | mg.maximum(mg.zeros(2), 1.0)
#: dot_number   | mg.dot(mg.zeros(2), 1.0)
#: cat_tensor   | mg.cat(mg.zeros(2))
#: cat_numbers  | mg.cat([1.0, 2.0])
#: stack_tensor | mg.stack(mg.zeros(2))
#: where_number_condition | mg.where(1, mg.zeros(2), mg.zeros(2))
#: where_float_condition | mg.where(mg.tensor([1.0]), mg.zeros(1), mg.zeros(1))
#: view_float   | mg.zeros(2).view(1.5)
#: reshape_string | mg.zeros(2).reshape("a")
#: zeros_float  | mg.zeros(2.5)
#: zeros_string | mg.zeros("a")
#: arange_string | mg.arange("a")
#: softmax_without_dim | mg.softmax(mg.zeros(2))
#: functional_softmax_without_dim | print(mg.nn.functional.softmax(mg.zeros(2)))
#: unknown_keyword | mg.exp(mg.zeros(2), base=2)
#: unknown_method | mg.zeros(2).exponential
#: unknown_function | mg.exponential(mg.zeros(2))
#: call_tensor  | mg.zeros(2)(1)
#: clamp_nothing | mg.zeros(2).clamp()
#: lerp_number  | mg.lerp(mg.zeros(2), 1.0, 0.5)
#: conv2d_number | mg.nn.functional.conv2d(1.0, 2.0)
#: grad_number  | mg.autograd.grad(1.0, 2.0)
#: fill_many    | mg.zeros(2).fill_(mg.zeros(2))
#: math_on_tensor | import math; print(math.sqrt(mg.tensor(4.0)))
#: numpy_function_requires_grad | np.exp(mg.tensor([0.0], requires_grad=True))
#: numpy_left_operand | print(np.array([1.0, 2.0]) * mg.tensor([1.0, 2.0]))
#: pow_negative_int | mg.tensor([2]) ** -1
#: int_by_zero  | mg.tensor([1]) // 0
#: int_remainder_zero | mg.tensor([1]) % 0
#: rounding_mode | mg.div(mg.ones(1), 2, rounding_mode="up")
#: alpha_float_int | mg.add(mg.tensor([1]), mg.tensor([1]), alpha=0.5)
#: randint_empty | mg.randint(5, 5, (2,))
#: linspace_negative | mg.linspace(0, 1, -1)
#: eye_negative | mg.eye(-1)
#: full_without_value | mg.full((2,))
#: arange_step  | mg.arange(0, 1, -1)
#: arange_zero  | mg.arange(0, 1, 0)
#: complex_dtypes | mg.complex(mg.zeros(1), mg.zeros(1, dtype=mg.float64))
#: complex_ints | mg.complex(mg.tensor([1]), mg.tensor([1]))
#: compare_complex | mg.tensor([1j]) > mg.tensor([0j])
#: sort_complex | mg.tensor([1j]).sort()
#: floor_complex | mg.tensor([1j]).floor()
#: relu_complex | mg.relu(mg.tensor([1j]))
#: max_complex  | mg.tensor([1j]).max()
#: view_as_real_real | mg.view_as_real(mg.zeros(2))
#: view_as_complex_shape | mg.view_as_complex(mg.zeros(3))
#: float_of_complex | float(mg.tensor(1j))
#: cast_complex | print(mg.tensor([1 + 2j]).float())
#: bitwise_float | mg.tensor([1.0]) & mg.tensor([1.0])
#: invert_float | ~mg.tensor([1.0])
#: remainder_complex | mg.tensor([1j]) % 2
#: reduction    | mg.nn.functional.mse_loss(mg.zeros(1), mg.zeros(1), reduction="avg")
#: dropout_p    | mg.nn.functional.dropout(mg.zeros(1), 2.0)
#: not_implemented_device | mg.zeros(2, device="nowhere")
...

# %% errors.refuses_before_writing | 11 | course
x = mg.zeros(2, 3)
for write in (lambda: x.add_(mg.ones(4)), lambda: x.copy_(mg.ones(4, 4)), lambda: x.fill_("a"), lambda: x.__setitem__(5, 1.0), lambda: x.mul_(1j)):
    try:
        write()
    except Exception as error:
        print(type(error).__name__)
print(x._version)
