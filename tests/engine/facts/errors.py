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
#: view_negative | mg.zeros(4).view(-1, -2)
#: split_negative | mg.zeros(3).split([4, -2, 1])
#: matmul_twice | mg.zeros(2, 3, 4, 5) @ mg.zeros(3, 2, 5, 6)
#: amax_none | print(mg.tensor([1.0, 2.0]).amax(None))
#: logsumexp_keepdim | mg.zeros(2, 3).logsumexp(1, 1)
#: index_fraction_range | mg.zeros(2, 3)[[1.5], 5]
#: pow_bools | mg.pow(True, mg.tensor([True]))
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
#: where_float_condition | mg.where(mg.tensor([1.0]), mg.zeros(1), mg.zeros(1))
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
#: cast_complex | print(mg.tensor([1 + 2j]).float())
#: bitwise_float | mg.tensor([1.0]) & mg.tensor([1.0])
#: invert_float | ~mg.tensor([1.0])
#: remainder_complex | mg.tensor([1j]) % 2
#: reduction    | mg.nn.functional.mse_loss(mg.zeros(1), mg.zeros(1), reduction="avg")
#: dropout_p    | mg.nn.functional.dropout(mg.zeros(1), 2.0)
...

# %% errors.refuses_before_writing | 11 | course
x = mg.zeros(2, 3)
for write in (lambda: x.add_(mg.ones(4)), lambda: x.copy_(mg.ones(4, 4)), lambda: x.fill_("a"), lambda: x.__setitem__(5, 1.0), lambda: x.mul_(1j)):
    try:
        write()
    except Exception as error:
        print(type(error).__name__)
print(x._version)

# %% errors.order.$ | 01 | random programs
# Of several faults PyTorch names one: which is found out first.
#: var_int_dim          | mg.tensor([1, 2]).var(5)
#: maximum_complex      | mg.maximum(mg.ones(2, 3), mg.ones(2, dtype=mg.complex64))
#: minimum_complex      | mg.minimum(mg.ones(2, 3), mg.ones(2, dtype=mg.complex64))
#: clamp_complex        | mg.clamp(mg.ones(2, 3, dtype=mg.complex64), min=mg.ones(2))
#: clamp_by_complex     | mg.clamp(mg.ones(3), min=mg.ones(2, 3, dtype=mg.complex64))
#: clamp_max_complex    | mg.clamp(mg.ones(3), max=mg.ones(2, 3, dtype=mg.complex64))
#: clamp_bools          | mg.clamp(mg.ones(3, dtype=mg.bool), mg.zeros(3, dtype=mg.bool), mg.ones(3, dtype=mg.bool))
#: clamp_bools_one      | x = mg.clamp(mg.ones(3, dtype=mg.bool), mg.zeros(3, dtype=mg.bool))
#: atan2_cast           | mg.ones(3).atan2_(mg.ones(3, dtype=mg.complex64))
#: bitwise_cast         | mg.ones(3, dtype=mg.int64).bitwise_and_(mg.ones(3))
#: logical_cast         | x = mg.ones(3, dtype=mg.bool).logical_and_(mg.ones(3))
#: compare_cast         | x = mg.ones(3, dtype=mg.bool).lt_(mg.ones(3))
#: div_floor_bool       | mg.ones(3, dtype=mg.bool).div(mg.ones(3, dtype=mg.bool), rounding_mode="floor")
#: div_trunc_complex    | mg.ones(3, dtype=mg.complex64).div(mg.ones(3), rounding_mode="trunc")
#: lerp_int_shapes      | mg.lerp(mg.tensor([1, 2]), mg.tensor([1, 2, 3]), 0.5)
#: isclose_shapes       | mg.isclose(mg.ones(2), mg.ones(3))
#: allclose_shapes      | mg.allclose(mg.ones(2), mg.ones(3))
#: masked_select_shapes | mg.ones(2, 3).masked_select(mg.ones(2) > 0)
#: mv_number            | mg.mv(mg.tensor(1.0), mg.ones(2))
#: addmm_kinds          | mg.addmm(mg.ones(2), mg.ones(2), mg.tensor([1]))
#: solve_kinds          | mg.linalg.solve(mg.ones(2, 3), mg.tensor([1, 2]))
#: solve_int            | mg.linalg.solve(mg.tensor([1, 2]), mg.tensor([1, 2]))
#: inv_int              | mg.linalg.inv(mg.tensor([[1, 2, 3], [4, 5, 6]]))
#: cross_entropy_number | mg.nn.functional.cross_entropy(mg.ones(2, 3), mg.tensor(1))
#: cross_entropy_vector | mg.nn.functional.cross_entropy(mg.ones(3), mg.tensor([1, 2]))
#: bce_complex          | F = mg.nn.functional; F.binary_cross_entropy_with_logits(mg.ones(2, dtype=mg.complex64), mg.ones(2))
#: unbind_number        | mg.tensor(1.0).unbind(5)
#: unbind_number_zero   | mg.tensor(1.0).unbind(0)
#: repeat_nothing       | mg.ones(2).repeat()
...

# %% errors.uniform.$ | 15 | torch docs: Tensor.uniform_
#: range       | mg.empty(2).uniform_(1, 0.5)
#: int         | mg.zeros(2, dtype=mg.int64).uniform_()
#: text        | mg.empty(2).uniform_(0, "a")
#: three       | mg.empty(2).uniform_(0, 1, 2)
#: name        | mg.empty(2).uniform_(low=0)
#: leaf        | mg.zeros(2, requires_grad=True).uniform_()
#: expanded    | mg.zeros(1).expand(3).uniform_()
#: normal_std  | mg.empty(2).normal_(0, -1.5)
#: normal_int  | mg.zeros(2, dtype=mg.int64).normal_()
#: normal_leaf | mg.zeros(2, requires_grad=True).normal_()
...

# %% errors.arguments.$ | 01 | torch docs
x, y, b = mg.ones(2, 3), mg.ones(2, 3), mg.ones(2, 3) > 0
#: add_none        | mg.add(x, None)
#: mul_method      | x.mul("a")
#: add_in_place    | x.add_("a")
#: add_none_       | x.add_(None)
#: mul_list        | x.mul_([1.0])
#: clamp_in_place  | x.atan2_(1.0)
#: copy_text       | x.copy_("a")
#: clamp_text      | mg.clamp(x, min="a")
#: clamp_mixed     | mg.clamp(x, min=0, max=y)
#: sum_keepdim_int | x.sum(0, 1)
#: sum_float       | x.sum(0.5)
#: sum_keepdim     | x.sum(keepdim=True)
#: mean_keepdim    | x.mean(keepdim=True)
#: prod_dims       | x.prod(dim=(0, 1))
#: prod_keepdim    | x.prod(keepdim=True)
#: max_keepdim_int | x.max(0, 1)
#: view_nothing    | x.view()
#: view_as         | x.view_as(3)
#: expand_as       | x.expand_as(3)
#: flip_nothing    | x.flip()
#: split_negative  | x.split(-1)
#: scatter_add     | x.scatter_add(0, mg.tensor([[0, 1, 0]]), 1.0)
#: index_select    | x.index_select(0, 1)
#: index_select_fn | mg.index_select(x, 0, 1)
#: matmul          | mg.matmul(x, 2)
#: matmul_method   | x.matmul(2)
#: linear          | mg.nn.functional.linear(x, 2)
#: pad             | mg.nn.functional.pad(x, 1)
...

# %% errors.call.$ | 01 | torch docs: the forms of each function
# What PyTorch says of a call that has none of a function's forms.
#: exp | x.exp(1)
#: exp2 | x.exp(a=1)
#: t | x.t(1,2)
#: add_fn | mg.add(x,"a")
#: sum | x.sum("a")
#: sum2 | x.sum(0,1)
#: mul | x.mul(y,foo=2)
#: mul2 | x.mul()
#: pow | x.pow()
#: clamp | x.clamp("a")
#: reshape | x.reshape("a")
#: transpose | x.transpose(0)
#: transpose2 | x.transpose("a",1)
#: permute | x.permute("a")
#: max2 | x.max(0,1)
#: std2 | x.std(0,"a")
#: argmax | x.argmax("a")
#: argmax2 | x.argmax(0,1)
#: cat_fn | mg.cat(x)
#: cat_fn2 | mg.cat([x,1])
#: stack_fn | mg.stack(1)
#: gather | x.gather(0)
#: gather2 | x.gather(0,1)
#: index_select | x.index_select(0,[0,1])
#: where_fn | mg.where(1)
#: where_fn2 | mg.where(x>0,1)
#: to | x.to(foo=1)
#: full_fn | mg.full(2,1)
#: full_fn2 | mg.full((2,),"a")
#: arange_fn | mg.arange()
#: arange_fn2 | mg.arange(1,"a")
#: eye_fn | mg.eye("a")
#: eye_fn2 | mg.eye()
#: linspace_fn | mg.linspace(0,1)
#: linspace_fn2 | mg.linspace("a",1,2)
#: tensor_fn | mg.tensor()
#: tensor_fn2 | mg.tensor(1,2)
#: as_tensor_fn | mg.as_tensor()
#: linalg_solve_fn | mg.linalg.solve(x)
#: linalg_solve_fn2 | mg.linalg.solve(x,(1,2))
#: linalg_inv_fn | mg.linalg.inv(1)
#: linalg_norm_fn | mg.linalg.norm("a")
#: linalg_norm_fn2 | mg.linalg.norm(x,ord=(1,2))
#: linear_fn | mg.nn.functional.linear(x)
#: linear_fn2 | mg.nn.functional.linear(x,1)
#: conv2d_fn | mg.nn.functional.conv2d(x,x,bias="a")
#: softplus_fn | mg.nn.functional.softplus("a")
#: split_fn | mg.split(x)
#: addcmul | x.addcmul(y,y,value="a")
#: addmm_fn | mg.addmm(x,y)
#: topk | x.topk("a")
#: topk2 | x.topk(1,2,3)
#: sort | x.sort(descending=1)
#: diagonal | x.diagonal(dim1="a")
#: roll | x.roll("a")
#: unsqueeze | x.unsqueeze()
#: flip | x.flip("a")
#: repeat | x.repeat("a")
#: expand | x.expand("a")
#: requires_grad_ | x.requires_grad_("a")
#: unbind | x.unbind("a")
#: chunk | x.chunk("a")
#: narrow | x.narrow(0,0)
#: expand_as | x.expand_as(1)
#: allclose | x.allclose(1)
#: equal_fn | mg.equal(x,1)
#: tril | x.tril("a")
#: matmul | x.matmul(1)
#: x | x@1
#: mm_fn | mg.mm(x,1)
#: mm_fn2 | mg.mm(x)
#: einsum_fn | mg.einsum(1)
#: result_type_fn | mg.result_type(x)
#: new_zeros | x.new_zeros("a")
#: new_full | x.new_full((2,))
#: contiguous | x.contiguous(1)
#: round | x.round(decimals="a")
#: sub | x.sub("a")
#: sub2 | x.sub(y,alpha="a")
#: x2 | x-"a"
#: div | x.div(y,rounding_mode=1)
#: div2 | x.div(y,rounding="a")
#: softmax | x.softmax()
#: softmax2 | x.softmax("a")
#: cumsum | x.cumsum()
#: cumsum2 | x.cumsum("a")
#: norm | x.norm("a")
#: index_put | x.index_put(1,2)
#: scatter_add | x.scatter_add(0,1,2)
#: uniform_ | x.uniform_("a")
#: normal_ | x.normal_(0,1,2)
#: stack_fn2 | mg.stack([x,1])
#: new_zeros2 | x.new_zeros(2,foo=1)
#: zero_ | x.zero_(1)
#: relu_ | x.relu_(1)
#: relu_fn | mg.relu(x,inplace=True)
#: permute2 | x.permute(mg.tensor([1,0]))
#: mul_ | x.mul_("a")
#: copy_ | x.copy_(y,1)
#: softplus_fn2 | mg.nn.functional.softplus(x,"a")
#: atan2_fn | mg.atan2(2,x)
#: maximum_fn | mg.maximum(x,1)
#: lt_fn | mg.lt(2,x)
#: ones_fn | mg.ones(2,3,names=None)
#: zeros_like_fn | mg.zeros_like([1])
#: zeros_like_fn2 | mg.zeros_like(x,1)
#: flip2 | x.flip(axis=0)
#: bmm_fn | mg.bmm(x,x)
#: addmm_fn2 | mg.addmm(x,y,y,beta=2)
#: to2 | x.to(other=y)
#: linalg_inv_fn2 | mg.linalg.inv(input=mg.eye(2))
#: avg_pool2d_fn | mg.nn.functional.avg_pool2d(x[None],"a")
#: avg_pool2d_fn2 | mg.nn.functional.avg_pool2d(x[None],1,foo=1)
#: conv2d_fn2 | mg.nn.functional.conv2d(x[None,None],mg.ones(1,1,1,1),stride="a")
#: relu_fn2 | mg.nn.functional.relu(1)
#: softmax_fn | mg.nn.functional.softmax(1,0)
#: softmax_fn2 | mg.nn.functional.softmax(x,"a")
#: mse_loss_fn | mg.nn.functional.mse_loss(1,x)
#: cross_entropy_fn | mg.nn.functional.cross_entropy(x,1)
#: pad_fn | mg.nn.functional.pad(x,1)
#: leaky_relu_fn | mg.nn.functional.leaky_relu(x,"a")
#: mean | x.mean(0,1,dtype=3)
#: index_put2 | x.index_put((None,mg.tensor([0])),mg.tensor(1.))
#: repeat2 | x.repeat()
#: logsumexp | x.logsumexp()
#: logsumexp2 | x.logsumexp("a")
#: einsum_fn2 | mg.einsum("ij->i")
x, y = mg.ones(2, 3), mg.ones(2, 3)
...

# %% errors.spelled.$ | 01 | torch docs: the forms of each function
# Other spellings of a call: names of arguments, NumPy's names, numbers as tensors.
#: sum | r = x.sum(axis=0)
#: mean | r = x.mean(dim=None)
#: mul_fn | r = mg.mul(x=x,other=y)
#: cat_fn | r = mg.cat((x,y),axis=0)
#: clamp_fn | r = mg.clamp(x,min=mg.tensor(0),max=1)
#: copy_ | r = x.copy_(y,non_blocking=True)
#: type | r = x.type(dtype=mg.float64)
#: exp_fn | r = mg.exp(x,out=None)
#: zeros_fn | r = mg.zeros(2,out=None,layout=None,device="cpu",pin_memory=False)
#: full_fn | r = mg.full(size=(2,),fill_value=1)
#: zeros_like_fn | r = mg.zeros_like(x,memory_format=None)
#: arange_fn | r = mg.arange(end=3)
#: linspace_fn | r = mg.linspace(start=0,end=1,steps=3)
#: eye_fn | r = mg.eye(n=2)
#: size | r = x.size(dim=0)
#: transpose | r = x.transpose(dim0=0,dim1=1)
#: swapaxes | r = x.swapaxes(axis0=0,axis1=1)
#: flatten | r = x.flatten(start_dim=0)
#: narrow | r = x.narrow(dim=0,start=0,length=1)
#: diagonal | r = x.diagonal(offset=0,dim1=0,dim2=1)
#: gather_fn | r = mg.gather(x,1,index=mg.tensor([[0]]))
#: index_put | r = x.index_put((mg.tensor([0]),),mg.tensor(1.),accumulate=True)
#: cumsum | r = x.cumsum(axis=0)
#: argmax | r = x.argmax(axis=0)
#: squeeze | r = x.squeeze(axis=0)
#: unsqueeze | r = x.unsqueeze(axis=0)
#: softmax | r = x.softmax(axis=0)
#: stack_fn | r = mg.stack(tensors=[x])
#: split_fn | r = mg.split(tensor=x,split_size_or_sections=1)
#: t_fn | r = mg.t(input=x)
#: mm_fn | r = mg.mm(input=x,mat2=y.t())
#: matmul_fn | r = mg.matmul(input=x,other=y.t())
#: outer_fn | r = mg.outer(input=x[0],vec2=y[0])
#: dot_fn | r = mg.dot(input=x[0],tensor=x[0])
#: mv_fn | r = mg.mv(input=x,vec=x[0])
#: lerp_fn | r = mg.lerp(input=x,end=y,weight=.5)
#: std_fn | r = mg.std(x,unbiased=False)
#: var_fn | r = mg.var(x,dim=None,correction=2.5)
#: max_fn | r = mg.max(input=x,other=y)
#: all_fn | r = mg.all(x,dim=(0,1))
#: norm_fn | r = mg.norm(x,p=2,dim=0)
#: logsumexp_fn | r = mg.logsumexp(x,dim=0)
#: diag_fn | r = mg.diag(x,diagonal=1)
#: tril_fn | r = mg.tril(x,diagonal=-1)
#: roll_fn | r = mg.roll(x,shifts=1,dims=0)
#: unbind_fn | r = mg.unbind(x,dim=1)
#: chunk_fn | r = mg.chunk(x,chunks=2,dim=1)
#: movedim_fn | r = mg.movedim(x,source=0,destination=1)
#: select_fn | r = mg.select(x,dim=0,index=1)
#: nan_to_num_fn | r = mg.nan_to_num(x,nan=1.0,posinf=None)
#: fill_ | r = x.fill_(value=2)
#: masked_fill | r = x.masked_fill(mask=x>0,value=1)
#: masked_fill_ | r = x.masked_fill_(mask=x>0,value=mg.tensor(1.))
#: clamp_ | r = x.clamp_(max=0)
#: to | r = x.to(dtype=mg.float64)
#: expand | r = x.expand(size=(2,3))
#: repeat | r = x.repeat(repeats=(1,2))
#: view | r = x.view(size=(3,2))
#: reshape | r = x.reshape(shape=(3,2))
#: permute | r = x.permute(dims=(1,0))
#: where | r = x.where(condition=x>0,other=0)
#: numpy | r = x.numpy(force=True)
#: requires_grad_ | r = x.requires_grad_(requires_grad=False)
#: new_tensor | r = x.new_tensor(data=[1])
#: new_full | r = x.new_full(size=(2,),fill_value=1)
#: new_zeros | r = x.new_zeros(size=(2,))
#: linalg_norm_fn | r = mg.linalg.norm(x,ord="fro",dim=(0,1))
#: linalg_solve_fn | r = mg.linalg.solve(A=mg.eye(2),B=mg.ones(2))
#: linear_fn | r = mg.nn.functional.linear(input=x,weight=y,bias=None)
#: softmax_fn | r = mg.nn.functional.softmax(x,dim=0,_stacklevel=3)
x, y = mg.ones(2, 3), mg.ones(2, 3)
...

# %% errors.made.$ | 01 | torch docs: creation ops
# Odd data, bounds, dtypes and sizes.
#: bytes | mg.tensor(b"ab")
#: inf | r = mg.tensor(1e40)
#: of_tensors | r = mg.tensor([mg.tensor([1]), mg.tensor([[2]])])
#: of_rows | mg.tensor([x[0], x[1]])
#: negative | mg.from_numpy(np.ones((2, 2))[::-1])
#: order | mg.as_tensor(np.ones(2, dtype=">f4"))
#: endless | mg.arange(0, float("inf"))
#: arange_nan | mg.arange(float("nan"))
#: arange_complex | mg.arange(1j)
#: linspace_complex | r = mg.linspace(0, 1j, 3)
#: rand_int | mg.rand_like(i)
#: randn_int | mg.randn(2, dtype=mg.int64)
#: rand_complex | print(mg.rand(2, dtype=mg.complex64).dtype)
#: randint | mg.randint(0, 10, 2)
#: randperm | mg.randperm(-1)
#: new_tensor | r = x.new_tensor(x)
#: size_0d | mg.tensor(1).size(0)
#: full_uint8 | mg.full((2,), 300, dtype=mg.uint8)
#: full_inf | mg.full((2,), 1e40)
#: full_half | mg.full((2,), 1e6, dtype=mg.float16)
#: full_complex | mg.full((2,), 1e40, dtype=mg.complex64)
#: fill | mg.ones(2).fill_(1e40)
#: masked | mg.ones(2).masked_fill(mg.tensor([True, False]), 1e40)
#: deepcopy | import copy; print(copy.deepcopy(x.t()).stride())
#: signed | print(mg.int8.is_signed, mg.uint8.is_signed, mg.bool.is_signed)
x, i = mg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), mg.tensor([[1, 2, 3], [4, 5, 6]])
...

# %% errors.operators.$ | 01 | Python's number and sequence protocols
#: iadd | x += "a"
#: isub | x -= [1]
#: imul | x *= None
#: ipow | x **= "a"
#: imod | x %= "a"
#: numpy_number | x += np.float32(2)
#: numpy_grad | mg.ones(3, requires_grad=True) * np.ones(3)
#: contains | print(1 in x, 9 in x, x[0] in x)
#: contains_text | "a" in x
#: reversed | r = reversed(x)
#: transposed | x.T = 1
#: assigned | x[0] = np.ones(3)
#: iand | b &= b
#: ior | b |= True
x, b = mg.ones(2, 3), mg.tensor([True, False])
...

# %% errors.results.$ | 01 | torch docs
# Results of which little is said: narrow dtypes, signs of zero, layouts, names of classes.
#: sum_int8 | r = i.sum(0, dtype=mg.int8)
#: prod_int8 | r = i.prod(dtype=mg.int8)
#: pair | print(type(x.max(0)).__name__, type(x.sort()).__name__, type(x.topk(1)).__name__)
#: stable | r, q = x.sort(stable=True)
#: stable_off | r, q = x.sort(stable=False)
#: argsort | r = x.argsort(stable=True)
#: all_of_none | r = x.all(()); q = i.any(dim=[])
#: topk | r, q = x.topk(2); print(q.is_contiguous())
#: remainder | r = x % -2; q = mg.tensor([4.0, -4.0]) % 2
#: ambiguous | mg.zeros(0, 3).view(-1, 0)
#: repeat | x.repeat(-1, 2)
#: mask | x.masked_fill(mg.tensor([1, 2], dtype=mg.uint8), 0)
#: mean_dtype | r = i.mean(0, dtype=mg.float64)
x, i = mg.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]], requires_grad=True), mg.tensor([[1, 2, 3], [4, 5, 6]])
m = mg.tensor([[2.0, 1.0], [1.0, 3.0]])
...

# %% errors.layout.$ | 01 | torch docs: Tensor views
# Which results keep the order of their input's memory, and which come row by row.
#: reductions | a = [p.sum(1), p.mean(1), p.prod(1), p.var(1), p.std(1), p.norm(dim=1), p.logsumexp(1), p.amax(1), p.all(1)]
#: running    | a = [t.cumsum(0), t.cumprod(1), t.softmax(0), t.log_softmax(1), mg.nn.functional.softmax(p, 1)]
#: joined     | a = [mg.cat([t, t]), mg.stack([t, t]), t.repeat(1, 1), t.masked_fill(t > 1, 0), t.tril(), t.roll(1, 0)]
#: indexed    | a = [x[:, [0, 2]], t[:, [0, 1]], p[:, [0, 1], [0, 1]], x[None, :, [0, 1]], t[:, mg.tensor([True, True, False])]]
#: viewed     | a = [p.softmax(-1).view(-1), p.sum(1).view(-1)]
x = mg.arange(12.0).reshape(3, 4)
t, p = x.t(), x.view(3, 2, 2).permute(2, 0, 1)
...
print([r.stride() for r in a])

# %% errors.number_into.$ | 01 | torch docs: indexing
#: float32 | x[0] = np.float32(3)
#: int64   | x[0] = np.int64(3)
#: float64 | x[0] = np.float64(3)
x = mg.zeros(2)
...

# %% errors.numbers.$ | 01 | torch docs: type promotion
# Python numbers beside tensors that cannot hold them.
#: floor_complex | u // 1j
#: clamp_complex | u.clamp(1j)
#: clamp_complex_float | mg.ones(2).clamp(max=1j)
#: clamp_bool  | b.clamp(True)
#: clamp_bools | b.clamp(False, True)
#: clamp_bool_max | b.clamp(max=True)
#: fill_bool   | r = [b.clone().fill_(1j), b.masked_fill(b, 0j)]
#: copy_bool   | r = [b.clone().copy_(mg.tensor([1j, 0j]))]
u, b = mg.tensor([1, 200], dtype=mg.uint8), mg.tensor([True, False])
...

# %% errors.too_many.$ | 01 | torch docs
# What goes by name alone, and sizes that a function takes as one tuple.
#: add         | x.add(y, 2)
#: sub         | mg.sub(x, y, 2)
#: addcmul     | x.addcmul(y, y, 2)
#: addcmul_    | x.addcmul_(y, y, 2)
#: addmm       | x.addmm(x, y, 2)
#: clone       | x.clone(True)
#: reshape     | mg.reshape(x, 1, 4)
#: permute     | mg.permute(x, 1, 0)
#: flip        | mg.flip(x, 0, 1)
#: max         | x.max(y, True)
#: view_as_real | x.view_as_real()
x, y = mg.ones(2, 2), mg.ones(2, 2)
...

# %% errors.flags.$ | 01 | torch docs
# A number where a bool belongs, a bool where a dimension does, and what is no tuple of dimensions.
#: amax        | x.amax(0, 1)
#: prod        | x.prod(0, 1)
#: logsumexp   | x.logsumexp(0, 1)
#: std         | x.std(0, 1)
#: var         | x.var(0, 0.0)
#: std_twice   | x.std(True, 1)
#: norm        | mg.linalg.norm(x, keepdim=1)
#: transpose   | x.transpose(False, True)
#: unsqueeze   | x.unsqueeze(True)
#: gather      | x.gather(True, mg.zeros(2, 2, dtype=mg.int64))
#: range       | x.sum(range(2))
#: set         | x.mean({0})
x = mg.ones(2, 2)
...

# %% errors.numpy_dims.$ | 01 | torch docs
#: argmax  | r = x.argmax(np.int64(0))
#: any     | r = x.any(np.int64(1))
#: squeeze | r = x.squeeze(np.int64(0))
#: amax    | r = x.amax(None)
#: remainder | r = mg.remainder(7, x)
#: bitwise | r = mg.bitwise_and(3, x)
x = mg.tensor([[1, 2, 4]])
...

# %% errors.python_dtypes.$ | 01 | torch docs
# Python's types may stand for dtypes.
#: tensor | r = mg.tensor([1, 2], dtype=float)
#: complex | r = mg.tensor([1, 2], dtype=complex)
#: zeros  | r = mg.zeros(2, dtype=int)
#: ones   | r = mg.ones(2, dtype=bool, requires_grad=None)
#: to     | r = mg.ones(2).to(int)
#: sum    | r = mg.ones(2).sum(dtype=float)
#: new    | r = mg.ones(2).new_zeros(2, dtype=int)
#: string | mg.zeros(2, dtype="float32")
#: numpy  | mg.zeros(2, dtype=np.float32)
...

# %% errors.contents.$ | 01 | torch docs: tensor
#: mixed   | mg.tensor([1, "a"])
#: rows    | mg.tensor([[1, 2], 3])
#: floats  | mg.tensor([3.0, (1, 2)])
#: empty   | mg.empty(3, -1)
#: ones    | mg.ones(-1)
#: zeros   | mg.zeros(3, -1)
#: seed    | mg.manual_seed("a")
...

# %% errors.copied_none | 06 | torch docs: copy_
# As when a gradient is missing.
mg.ones(2).copy_(None)

# %% errors.linspace_tensors.$ | 01 | torch docs: linspace
#: numbers  | r = [mg.linspace(z, 1, 3), mg.linspace(0, mg.tensor(1), 3), mg.linspace(z, z.detach() + 1, 3)]
#: complex  | r = mg.linspace(0, mg.tensor(1j), 3)
#: vector   | mg.linspace(mg.ones(2), 1, 3)
#: both     | mg.linspace(z, mg.ones(2, 2), 3)
z = mg.tensor(0.0, requires_grad=True)
...

# %% errors.kinds.$ | 01 | torch docs
# An argument of another kind than the documented one is refused before anything is computed.
x = mg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
#: add_alpha      | mg.add(x, x, alpha=[1])
#: addmm_beta     | mg.addmm(x[:, :2], x[:, :2], x[:, :2], beta=None)
#: tril           | x.tril(1.0)
#: nonzero        | x.nonzero(as_tuple=1)
#: nan_to_num     | x.nan_to_num([1])
#: topk           | x.topk(1, largest=1)
#: sort           | x.sort(stable=1)
#: roll           | x.roll(1.0)
#: size           | x.size("a")
#: to             | x.to(copy=1)
#: numpy          | x.numpy(force=1)
#: ones_tensor    | print(mg.ones(mg.tensor([2])))
#: full           | mg.full((1,), mg.tensor(1.0, requires_grad=True))
#: allclose       | mg.allclose(x, x, atol=[1])
#: isclose        | mg.isclose(x, x, equal_nan=1)
#: conv           | mg.nn.functional.conv2d(x[None], mg.ones(1, 1, 1, 1), stride=[True])
#: outer          | mg.outer(x[0], 2)
#: norm           | x.norm(dim="a")
#: nll            | mg.nn.functional.nll_loss(x, mg.tensor([0, 1]), ignore_index="a")
#: cross_entropy  | mg.nn.functional.cross_entropy(x, mg.tensor([0, 1]), ignore_index=1.0)
#: smoothing      | mg.nn.functional.cross_entropy(x, mg.tensor([0, 1]), label_smoothing="a")
#: logits         | mg.nn.functional.cross_entropy("a", x)
#: as_tensor      | mg.as_tensor([1.0], mg.float64)
#: unhashed       | print(hash(x) == id(x))
...

# %% errors.flags.$ | 09 13 | torch docs: autograd
# The flags of a backward pass: anything that can be an index.
x = mg.ones(3, requires_grad=True)
y = (x * 2).sum()
#: retain         | y.backward(retain_graph="a")
#: retain_tensor  | y.backward(retain_graph=mg.ones(3))
#: retain_two     | y.backward(retain_graph=2); y.backward()
#: create_none    | y.backward(retain_graph=True, create_graph=None)
#: create         | mg.autograd.grad(y, x, create_graph="yes")
#: unused         | mg.autograd.grad(y, x, allow_unused="a")
#: materialize    | mg.autograd.grad(y, x, materialize_grads=1.0)
...
print(x.grad)

# %% errors.integer_result.$ | 05 | random calls
# A sum in integers of what requires grad has no place in the graph; without a graph it is a sum.
x = mg.tensor([[1.0, 2.5], [3.0, 4.0]], requires_grad=True)
#: sum            | x.sum(dtype=mg.int64)
#: sum_dim        | x.sum(0, dtype=mg.bool)
#: prod           | x.prod(1, dtype=mg.int32)
#: cumsum         | x.cumsum(0, dtype=mg.int64)
#: range_first    | x.sum(5, dtype=mg.int64)
#: cast           | y = x.long()
#: detached       | y = x.detach().sum(dtype=mg.int64)
#: mean           | x.mean(dtype=mg.int64)
#: mean_dim       | x.detach().mean(0, dtype=mg.bool)
#: norm           | x.norm(dtype=mg.int64)
#: norm_complex   | x.norm(dtype=mg.complex64)
...

# %% errors.interior_without_gradient | 11 | random programs
# A leaf that a write made a result is refused also where no gradient arrives.
class Second(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y
    @staticmethod
    def backward(ctx, g):
        return None, g
w = mg.ones(2, requires_grad=True)
x = mg.tensor(-0.5, requires_grad=True)
y = Second.apply(x, w)
e = x.exp()
x.requires_grad_(False)
x.add_(e)
(y * y).sum().backward()
