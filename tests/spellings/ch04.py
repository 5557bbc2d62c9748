"""Right answers of chapter 04 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch04.common import Array
from minigrad.course.bank.ch04.ex02.mistakes import every_row
from minigrad.course.bank.ch04.ex06.answer import VJP
from minigrad.course.bank.ch04.ex06.mistakes import with_rule
from minigrad.course.bank.ch04.ex07.mistakes import central, judge_by, near, normal

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 04.1 Two spellings -------------------------------------------------------------------------------------


def spell_out_mean(y, v):
    return (y * v).mean() * y.numel()


def spell_out_loop(y, v):
    total = 0.0
    for yi, vi in zip(y.reshape(-1), v.reshape(-1), strict=True):
        total = total + yi * vi
    return total


def backward_called_too(y, v):
    y.backward(v, retain_graph=True)
    return (v * y).sum()


def y_changed_by_method(y, v):
    return y.mul_(v).sum()


def repeated_sum(y: Any, v: Any) -> Any:
    return sum((v * y).sum() for _ in range(y.numel()))


ALTERNATIVES["04.1"] = {"mean times the number of entries": spell_out_mean, "loop": spell_out_loop}

def grad_cleared_again(y, v):
    todo = [y.grad_fn]
    for node in todo:
        if hasattr(node, "variable"):
            node.variable.grad = None
        todo += [child for child, _ in node.next_functions if child is not None]
    return spell_out_mean(y, v)


AGAIN["04.1"] = {
    "the old .grad is cleared": grad_cleared_again,
    "sums multiplied": lambda y, v: (y * v.sum()).sum(),
    "one axis summed": lambda y, v: sum(y * v) if y.ndim else y * v,
    "a plain number": lambda y, v: float((v * y.detach()).sum()),
    "v is forgotten": lambda y, v: mg.dot(y.reshape(-1), mg.ones_like(y).reshape(-1)),
    "matrix product": lambda y, v: mg.matmul(v, y),
    "nothing is summed": lambda y, v: mg.mul(y, v) * 1.0,
    "mean": lambda y, v: (y * v).sum() / y.numel(),
    "a factor": repeated_sum,
    "an average with weights": lambda y, v: (v / v.sum() * y).sum(),
    "detached": lambda y, v: mg.tensor((v * y).sum().item()),
    "backward is called": backward_called_too,
    "y is changed": y_changed_by_method,
}


# --- 04.2 One row -------------------------------------------------------------------------------------------


def row_entry(f, x, i):
    x.grad = None
    f(x)[i].backward()
    return x.grad


def row_grad(f, x, i):
    y = f(x)
    v = mg.tensor([float(k == i) for k in range(len(y))], dtype=y.dtype)
    return mg.autograd.grad(y, x, v)[0]


def row_fresh_leaf(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    f(leaf)[i].backward()
    return leaf.grad


def row_of_jacobian(f, x, i):
    rows = []
    for k in range(len(f(x))):
        x.grad = None
        f(x)[k].backward()
        rows.append(x.grad.clone())
    return mg.stack(rows)[i]


def row_like_x_eye(f, x, i):
    x.grad = None
    f(x).backward(mg.eye(len(x), dtype=x.dtype)[i])
    return x.grad


def row_column_matrix(f, x, i):
    return mg.stack(every_row(f, x)).T[i]


def row_sum(f, x, i):
    x.grad = None
    f(x).sum().backward()
    return x.grad.clone()


def row_entry_of_grad_ones(f, x, i):
    x.grad = None
    y = f(x)
    y.backward(mg.ones_like(y))
    return x.grad.clone()[i]


def row_not_cleared_entry(f, x, i):
    mg.autograd.backward(f(x)[i])
    return x.grad


def row_not_cleared_entry_copy(f, x, i):
    f(x)[i].backward()
    return x.grad + 0


def row_zeroed_entry(f, x, i):
    if x.grad is None:
        x.grad = mg.zeros_like(x)
    x.grad *= 0
    f(x)[i].backward()
    return x.grad


def row_values_square(f, x, i):
    x.grad = None
    (f(x)[i] ** 2 / 2).backward()
    return x.grad


def row_differences_loop(f, x, i):
    g = mg.zeros_like(x)
    for k in range(len(x)):
        moved = x.detach().clone()
        moved[k] += 1e-5
        g[k] = (f(moved)[i].item() - f(x)[i].item()) / 1e-5
    return g


def row_array(f, x, i):
    x.grad = None
    y = f(x)
    y.backward(np.eye(len(y))[i])
    return x.grad


ALTERNATIVES["04.2"] = {"backward on one entry": row_entry, "autograd.grad": row_grad, "a leaf of its own": row_fresh_leaf}

def row_of_sums_diagonal(f, x, i):
    x.grad = None
    y = f(x)
    y.backward(mg.ones_like(y))
    kept = mg.zeros_like(x)
    if i < len(x):
        kept[i] = x.grad[i]
    return kept


def row_times_place(f, x, i):
    x.grad = None
    (i * f(x)[i]).backward()
    return x.grad


def row_zeroed_at_the_end_again(f, x, i):
    x.grad, y = None, f(x)
    v = mg.zeros_like(y)
    v[i] = 1.0
    y.backward(v)
    row = x.grad
    x.grad.fill_(0.0)
    return row


AGAIN["04.2"] = {
    "wiped before it is returned": row_zeroed_at_the_end_again,
    "entry of the sum, in its place": row_of_sums_diagonal,
    "the place as weight": row_times_place,
    "all rows": row_of_jacobian,
    "no backward": row_differences_loop,
    "no Tensor": row_array,
    "v like x": row_like_x_eye,
    "column": row_column_matrix,
    "sum of the rows": row_sum,
    "entry of the sum": row_entry_of_grad_ones,
    "grad not cleared": row_not_cleared_entry,
    "grad not cleared, copied": row_not_cleared_entry_copy,
    "the returned row is wiped": row_zeroed_entry,
    "value as weight": row_values_square,
}


# --- 04.3 Will it raise? ------------------------------------------------------------------------------------


# --- 04.4 Weighted samples ----------------------------------------------------------------------------------


def weighted_grad_roots(losses_of, theta, w):
    mg.autograd.backward([losses_of(theta)], grad_tensors=[w])
    return theta.grad.clone()


def weighted_sum_dot(losses_of, theta, w):
    loss = mg.dot(losses_of(theta), w)
    loss.backward()
    return theta.grad


def losses_as_v_detached(losses_of, theta, w):
    (losses_of(theta) ** 2 / 2).sum().backward()
    return theta.grad


def weights_and_losses_as_v_sum(losses_of, theta, w):
    (w * losses_of(theta) ** 2 / 2).sum().backward()
    return theta.grad


def weights_afterwards_ones(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(mg.ones_like(losses))
    return w * theta.grad


def weights_total_afterwards_v(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(mg.ones_like(losses) * w.sum() / len(w))
    return theta.grad


def weighted_mean_v(losses_of, theta, w):
    losses_of(theta).backward(w / w.numel())
    return theta.grad


def weights_normalised_after(losses_of, theta, w):
    losses_of(theta).backward(w)
    return theta.grad / w.sum()


def weights_forgotten_ones(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(mg.ones_like(losses))
    return theta.grad.clone()


def weights_like_theta_grad(losses_of, theta, w):
    return mg.autograd.grad(losses_of(theta), theta, mg.ones_like(theta))[0]


def weights_array(losses_of, theta, w):
    losses_of(theta).backward(w.numpy())
    return theta.grad


def weighted_twice_grad(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(w)
    return mg.autograd.grad(losses, theta, w)[0]


def sample_by_sample_rows(losses_of, theta, w):
    rows = [mg.autograd.grad(losses_of(theta), theta, v)[0] for v in mg.eye(len(w), dtype=w.dtype)]
    return w @ mg.stack(rows)


ALTERNATIVES["04.4"] = {"autograd.backward": weighted_grad_roots}

def weights_without_sign_again(losses_of, theta, w):
    return mg.autograd.grad(losses_of(theta), theta, (w * w).sqrt())[0]


AGAIN["04.4"] = {
    "weights without their signs": weights_without_sign_again,
    "the sum is built": weighted_sum_dot,
    "sample by sample": sample_by_sample_rows,
    "v like theta": weights_like_theta_grad,
    "no Tensor": weights_array,
    "twice": weighted_twice_grad,
    "the losses as v": losses_as_v_detached,
    "weights times losses as v": weights_and_losses_as_v_sum,
    "weights on the gradient": weights_afterwards_ones,
    "mean weight on the gradient": weights_total_afterwards_v,
    "mean": weighted_mean_v,
    "weights made to sum to 1": weights_normalised_after,
    "no weights": weights_forgotten_ones,
}


# --- 04.5 Several roots -------------------------------------------------------------------------------------


def two_heads_cat(x, trunk, head1, head2, v):
    h = trunk(x)
    y = mg.cat([head1(h).reshape(1), head2(h)])
    y.backward(mg.cat([mg.ones(1, dtype=v.dtype), v]))


def two_heads_cut(x, trunk, head1, head2, v):
    h = trunk(x)
    middle = h.detach().requires_grad_()
    head1(middle).backward()
    head2(middle).backward(v)
    h.backward(middle.grad)


def two_calls_swapped(x, trunk, head1, head2, v):
    h = trunk(x)
    y1, y2 = head1(h), head2(h)
    mg.autograd.backward(y2, v)
    mg.autograd.backward(y1)


def two_walks_swapped(x, trunk, head1, head2, v):
    h = trunk(x)
    y1, y2 = head1(h), head2(h)
    mg.autograd.backward([y2], [v], retain_graph=True)
    mg.autograd.backward([y1], retain_graph=True)


def two_trunks_one_call(x, trunk, head1, head2, v):
    mg.autograd.backward([head1(trunk(x)), head2(trunk(x))], [None, v])


def no_v_none(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward((head1(h), head2(h)), (None, None))


def v_alone(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [v])


def one_weight_missing_tensor(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward((head2(h), head1(h)), v)


def heads_added_sum(x, trunk, head1, head2, v):
    h = trunk(x)
    (v * (head2(h) + head1(h))).sum().backward()


def second_head_unweighted_roots(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [None, mg.ones_like(v)])


def first_head_alone_roots(x, trunk, head1, head2, v):
    mg.autograd.backward([head1(trunk(x))])


def second_head_alone_sum(x, trunk, head1, head2, v):
    (v * head2(trunk(x))).sum().backward()


def number_as_v(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [1.0, v])


ALTERNATIVES["04.5"] = {"the graph cut at h": two_heads_cut}

def heads_added_m_times(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [mg.tensor(float(len(v)), dtype=x.dtype), v])


def two_heads_returned_again(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward((head2(h), head1(h)), (v, None))
    return h


def two_heads_only_returned_again(x, trunk, head1, head2, v):
    h = trunk(x)
    return x - mg.autograd.grad([head2(h), head1(h)], [x], [v, None])[0]


AGAIN["04.5"] = {
    "not in .grad": two_heads_only_returned_again,
    "something is returned": two_heads_returned_again,
    "head1 is added m times": heads_added_m_times,
    "the heads are joined": two_heads_cat,
    "two calls": two_calls_swapped,
    "two passes": two_walks_swapped,
    "two trunks": two_trunks_one_call,
    "no v": no_v_none,
    "v for the wrong root": v_alone,
    "one weight missing": one_weight_missing_tensor,
    "head2 is forgotten": first_head_alone_roots,
    "head1 is forgotten": second_head_alone_sum,
    "no Tensor": number_as_v,
    "heads added": heads_added_sum,
    "v is forgotten": second_head_unweighted_roots,
}


# --- 04.6 Write the VJPs ------------------------------------------------------------------------------------


class VJPByEinsum:
    """Every rule in another style."""

    @staticmethod
    def transpose(v, axes):
        back = [list(axes).index(k) for k in range(len(axes))]
        return v.transpose(back)

    @staticmethod
    def sum(v, shape, axis):
        g = np.ones(shape)
        return g * np.expand_dims(v, axis)

    @staticmethod
    def mean(v, shape, axis):
        n = shape[axis]
        return np.repeat(np.expand_dims(v, axis), n, axis) / n

    @staticmethod
    def matmul(v, A, B):
        return [np.einsum("ik,jk->ij", v, B), np.einsum("ij,ik->jk", A, v)]

    @staticmethod
    def index(v, shape, rows):
        g = np.zeros(shape)
        for k, r in enumerate(rows):
            g[r] += v[k]
        return g

    @staticmethod
    def unbroadcast(v, shape):
        while v.ndim > len(shape):
            v = v.sum(0)
        for i, size in enumerate(shape):
            if size == 1 and v.shape[i] > 1:
                v = v.sum(i, keepdims=True)
        return v


class VJPByMatrices:
    """The rules for rows and sums as products with matrices of zeros and ones."""

    @staticmethod
    def transpose(v, axes):
        g = np.empty([v.shape[list(axes).index(k)] for k in range(v.ndim)])
        np.transpose(g, axes)[...] = v
        return g

    @staticmethod
    def sum(v, shape, axis):
        g = np.zeros(shape)
        np.moveaxis(g, axis, 0)[...] = v
        return g

    @staticmethod
    def mean(v, shape, axis):
        g = np.zeros(shape)
        np.moveaxis(g, axis, -1)[...] = np.asarray(v)[..., None] / shape[axis]
        return g

    @staticmethod
    def matmul(v, A, B):
        return (B @ v.T).T, (v.T @ A).T

    @staticmethod
    def index(v, shape, rows):
        picks = np.eye(shape[0])[rows]  # one row of the identity for each row picked
        return np.tensordot(picks.T, v, axes=1)

    @staticmethod
    def unbroadcast(v, shape):
        padded = (1,) * (v.ndim - len(shape)) + tuple(shape)
        return v.sum(tuple(i for i in range(v.ndim) if padded[i] == 1), keepdims=True).reshape(shape)


def index_overwriting_loop(v, shape, rows):
    g = np.zeros(shape)
    for k in range(len(rows)):
        g[rows[k]] = v[k]
    return g


def index_counting_loop(v, shape, rows):
    g = np.zeros(shape)
    for r in rows:
        g[r] += np.ones(shape[1:])
    return g


def lead_axes_loop(v, shape):
    while v.ndim != len(shape):
        v = np.add.reduce(v)
    return v


def stretched_axes_loop(v, shape):
    for i in range(len(shape)):
        if shape[i] == 1:
            v = v.sum(i, keepdims=True)
    return v


def no_keepdims_loop(v, shape):
    v = lead_axes_loop(v, shape)
    for i in reversed(range(len(shape))):
        if shape[i] == 1:
            v = v.sum(i)
    return v


def first_copy_flat(v, shape):
    padded = (1,) * (v.ndim - len(shape)) + tuple(shape)
    return v[tuple(slice(size) for size in padded)].reshape(shape)


def mean_copy_mean(v, shape):
    v = v.mean(axis=tuple(range(v.ndim - len(shape))))
    return v.mean(axis=tuple(i for i, size in enumerate(shape) if size == 1), keepdims=True)


def index_like_v_loop(v, shape, rows):
    g = 0 * v
    for k in range(len(rows)):
        g[rows[k]] += v[k]
    return g


ALTERNATIVES["04.6"] = {"einsum and loops": VJPByEinsum, "matrices of zeros and ones": VJPByMatrices}

AGAIN["04.6"] = {
    "matmul: the second is transposed": with_rule(matmul=lambda v, A, B: (np.dot(v, B.T), np.dot(A.T, v).T)),
    "sum: copies along the wrong axis": with_rule(
        sum=lambda v, shape, axis: np.stack([np.ravel(v)] * shape[axis], -1).reshape(shape)
    ),
    "unbroadcast: the first axis always": with_rule(unbroadcast=lambda v, shape: np.add.reduce(v, axis=0)),
    "unbroadcast: the sum of all": with_rule(unbroadcast=lambda v, shape: np.full(shape, np.sum(v))),
    "transpose: same permutation": with_rule(transpose=lambda v, axes: np.moveaxis(v, axes, range(len(axes)))),
    "transpose: reshape": with_rule(transpose=lambda v, axes: v.ravel().reshape(np.transpose(v, np.argsort(axes)).shape)),
    "transpose: reversed": with_rule(transpose=lambda v, axes: np.transpose(v, range(v.ndim)[::-1])),
    "sum: no expand": with_rule(sum=lambda v, shape, axis: v * np.ones(shape)),
    "sum: the shape of v": with_rule(sum=lambda v, shape, axis: np.array(v) * 1.0),
    "sum: divided": with_rule(sum=lambda v, shape, axis: np.repeat(np.expand_dims(v / shape[axis], axis), shape[axis], axis)),
    "sum: v is forgotten": with_rule(sum=lambda v, shape, axis: np.zeros(shape) + 1),
    "mean: not divided": with_rule(mean=lambda v, shape, axis: np.repeat(np.expand_dims(v, axis), shape[axis], axis)),
    "mean: divided by all": with_rule(mean=lambda v, shape, axis: VJP.sum(v, shape, axis) / (shape[axis] * v.size)),
    "mean: divided by the size of v": with_rule(mean=lambda v, shape, axis: VJP.sum(v / np.prod(v.shape), shape, axis)),
    "mean: divided by the first size": with_rule(mean=lambda v, shape, axis: VJP.sum(v / shape[0], shape, axis)),
    "matmul: not transposed": with_rule(matmul=lambda v, A, B: (np.matmul(v, B), np.matmul(A, v))),
    "matmul: factors in the wrong order": with_rule(matmul=lambda v, A, B: (np.dot(B.T, v), np.dot(v, A.T))),
    "matmul: results swapped": with_rule(matmul=lambda v, A, B: (np.einsum("ij,ik->jk", A, v), np.einsum("ik,jk->ij", v, B))),
    "matmul: results transposed": with_rule(matmul=lambda v, A, B: ((v @ B.T).T, (A.T @ v).T)),
    "matmul: v is forgotten": with_rule(matmul=lambda v, A, B: (0 * A + B.sum(1), 0 * B + A.sum(0)[:, None])),
    "index: overwritten": with_rule(index=index_overwriting_loop),
    "index: the gradient picked again": with_rule(index=lambda v, shape, rows: np.take(v, rows, axis=0)),
    "index: the shape of v": with_rule(index=index_like_v_loop),
    "index: v is forgotten": with_rule(index=index_counting_loop),
    "unbroadcast: only the axes in front": with_rule(unbroadcast=lead_axes_loop),
    "unbroadcast: only the stretched axes": with_rule(unbroadcast=stretched_axes_loop),
    "unbroadcast: no keepdims": with_rule(unbroadcast=no_keepdims_loop),
    "unbroadcast: one of the copies": with_rule(unbroadcast=first_copy_flat),
    "unbroadcast: the mean": with_rule(unbroadcast=mean_copy_mean),
    "unbroadcast: reshape": with_rule(unbroadcast=lambda v, shape: np.array(v).ravel().reshape(shape)),
}


# --- 04.7 The judge -----------------------------------------------------------------------------------------


def dot_test_entries(f, vjp, x):
    """No random u: every entry of x in turn."""
    v = np.random.default_rng(7).normal(size=np.shape(f(x)))
    g = vjp(v, x)
    for k in np.ndindex(x.shape):
        u = np.zeros(x.shape)
        u[k] = 1e-6
        if not np.isclose(np.sum(v * (f(x + u) - f(x - u))) / 2e-6, g[k], rtol=1e-5, atol=1e-7):
            return False
    return True


def dot_test_like_x_rule_first(f, vjp, x):
    v, u = np.random.normal(size=x.shape), np.random.normal(size=x.shape)
    rule = np.vdot(vjp(v, x), u)
    return near(np.sum(central(f, x, u) * v), rule)


def dot_test_u_like_y_rule_first(f, vjp, x):
    v, u = np.random.normal(size=(2, *np.shape(f(x))))
    rule = vjp(v, x)
    return near(np.sum(central(f, x, u) * v), np.sum(u * rule))


def one_sided_back(f: Callable[[Array], Array], x: Array, u: Array) -> Array:
    return -(f(x - 2e-6 * u) - f(x)) / 2e-6


def total_only(f, vjp, x):
    """Central differences of f(x).sum(), entry by entry."""
    total = [(f(x + e) - f(x - e)).sum() / 2e-6 for e in 1e-6 * np.eye(x.size).reshape(x.size, *x.shape)]
    return np.allclose(vjp(np.ones(np.shape(f(x))), x).ravel(), total, rtol=1e-5, atol=1e-7)


def unsummed_loop(f, vjp, x):
    u, v = np.random.default_rng(3).normal(size=x.shape), np.random.default_rng(4).normal(size=np.shape(f(x)))
    left = np.multiply(v, f(x + 1e-6 * u) - f(x - 1e-6 * u)) / 2e-6
    right = np.multiply(vjp(v, x), u)
    return bool((np.abs(left - right) < 1e-6).all())


def moved_by_method(f, vjp, x):
    v, u = np.random.normal(size=np.shape(f(x))), np.random.normal(size=x.shape)
    np.add(x, 1e-6 * u, out=x)
    up = f(x)
    np.subtract(x, 2e-6 * u, out=x)
    Ju = (up - f(x)) / 2e-6
    return near(np.vdot(vjp(v, x), u), np.vdot(v, Ju))


def dot_along(f, vjp, x, u):
    v = np.random.normal(size=np.shape(f(x)))
    return near(np.vdot(v, central(f, x, u)), np.vdot(vjp(v, x), u))


def until_one_agrees(f, vjp, x):
    judge = judge_by(normal, normal)
    return sum(judge(f, vjp, x) for _ in range(8)) > 0


def u_and_v_of_one_seed(f, vjp, x):
    u = np.random.default_rng(0).normal(size=x.shape)
    v = np.random.default_rng(0).normal(size=np.shape(f(x)))
    Ju = (f(x + 1e-6 * u) - f(x - 1e-6 * u)) / 2e-6
    return bool(np.isclose(np.sum(v * Ju), np.sum(vjp(v, x) * u), rtol=1e-5, atol=1e-6))


AGAIN["04.7"] = {
    "x itself is moved": moved_by_method,
    "one pair of many is enough": until_one_agrees,
    "the whole Jacobian": dot_test_entries,
    "the tolerance is too small": judge_by(normal, normal, lambda a, b: abs(a - b) < 1e-12),
    "the step is too large": judge_by(normal, normal, slope=lambda f, x, u: (f(x + 0.05 * u) - f(x - 0.05 * u)) / 0.1),
    "v = ones": total_only,
    "v is 1 or −1": judge_by(lambda rng, shape: np.sign(rng.normal(size=shape)), normal),
    "u is v": u_and_v_of_one_seed,
    "u = ones": judge_by(normal, lambda rng, shape: np.full(shape, 0.5)),
    "signs are not compared": judge_by(normal, normal, lambda a, b: abs(abs(a) - abs(b)) < 1e-5 * abs(a) + 1e-7),
    "u is x": lambda f, vjp, x: dot_along(f, vjp, x, -2 * x),
    "v is never negative": judge_by(lambda rng, shape: np.abs(rng.normal(size=shape)) + 0.05, normal),
    "no tolerance": judge_by(normal, normal, lambda a, b: abs(a - b) <= 0),
    "the 2 is missing": judge_by(normal, normal, slope=lambda f, x, u: (f(x + 1e-5 * u) - f(x - 1e-5 * u)) / 1e-5),
    "J u is nearly zero": judge_by(normal, normal, slope=lambda f, x, u: f(x + 1e-12 * u) - f(x - 1e-12 * u)),
    "differences on one side": judge_by(normal, normal, slope=one_sided_back),
    "the step is too small": judge_by(normal, normal, slope=lambda f, x, u: central(f, x, u, 7e-11)),
    "the tolerance is loose": judge_by(normal, normal, lambda a, b: abs(a - b) < 0.02),
    "v has the shape of x": dot_test_like_x_rule_first,
    "u has the shape of f(x)": dot_test_u_like_y_rule_first,
    "@ for the dot": judge_by(normal, normal, dot=np.dot),
    "not summed": unsummed_loop,
}
