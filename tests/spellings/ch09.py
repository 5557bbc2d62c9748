"""Right answers of chapter 09 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch09.common import gradient_at
from minigrad.course.bank.ch09.ex01.answer import hvp, hvp_cotangent
from minigrad.course.bank.ch09.ex02.answer import hessian
from minigrad.course.bank.ch09.ex02.mistakes import hessian_each_anew, row_sums
from minigrad.course.bank.ch09.ex03.answer import diagonal_one_graph
from minigrad.course.bank.ch09.ex03.mistakes import diagonal_by, signs
from minigrad.course.bank.ch09.ex04.answer import newton_inverse
from minigrad.course.bank.ch09.ex04.mistakes import newton_by
from minigrad.course.bank.ch09.ex05.answer import nth
from minigrad.course.bank.ch09.ex05.mistakes import slope_of
from minigrad.course.bank.ch09.ex06.answer import newton_direction
from minigrad.course.bank.ch09.ex06.mistakes import direction_by, rounds
from minigrad.course.bank.ch09.ex07.mistakes import curves, curves_unlabelled, drawn, pyplot
from minigrad.course.bank.ch09.ex08.answer import curvature_by_cotangents
from minigrad.course.bank.ch09.known import moved_to

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 09.1 Hessian times vector ------------------------------------------------------------------------------


def hvp_backward(f, x, v):
    g = mg.autograd.grad(f(x), [x], create_graph=True)[0]
    x.grad = None
    g.backward(v)
    return x.grad


def hvp_all_backward(f, x, v):
    x.grad = None
    f(x).backward(create_graph=True)
    g, x.grad = x.grad, None
    (g * v).sum().backward()
    return x.grad


def hvp_fresh_leaf(f, x, v):
    z = x.detach().clone().requires_grad_()
    g = mg.autograd.grad(f(z), z, create_graph=True)[0]
    return mg.autograd.grad(mg.dot(g.reshape(-1), v.reshape(-1)), z)[0].detach()


def hvp_detached(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    x.grad = None
    (g.detach() * v).sum().backward()
    return x.grad


def hvp_not_summed_backward(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    (v * g).backward()
    return x.grad


def hvp_dot(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(mg.dot(g, v), x)[0]


def hvp_whole_rows(f, x, v):
    total = mg.zeros_like(x).detach()
    for i in range(x.numel()):
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        (row,) = mg.autograd.grad(g.reshape(-1)[i], x)
        total = total + v.reshape(-1)[i] * row
    return total


def hvp_ones_cotangent(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g, x, mg.ones_like(g))[0]


def hvp_ones_times_v_again(f, x, v):
    return mg.mul(v, hvp_ones_cotangent(f, x, v))


def hvp_slope_again(f, x, v):
    return mg.dot(gradient_at(f, x).reshape(-1), v.reshape(-1))


def hvp_gradient_added_again(f, x, v):
    x.grad = None
    mg.autograd.backward(f(x), create_graph=True)
    x.grad.backward(v)
    return x.grad


def hvp_not_cleared_again(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    g.backward(v)
    return x.grad


def hvp_differences_one_side(f, x, v):
    return (gradient_at(f, moved_to(x, 1e-6 * v)) - gradient_at(f, x)) / 1e-6


def hvp_mean_again(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g, x, v / v.numel())[0]


def hvp_tuple_again(f, x, v):
    g = mg.autograd.grad(f(x), x, create_graph=True)
    x.grad = None
    (v * g).sum().backward()
    return x.grad


def hvp_gradient_again(f, x, v):
    return mg.autograd.grad(f(x), [x], create_graph=True)[0].detach()


def hvp_entries_again(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.mul(v, g)


def hvp_number_again(f, x, v):
    return mg.dot(hvp_cotangent(f, x, v).reshape(-1), v.reshape(-1))


def hvp_never_cleared_again(f, x, v):
    mg.autograd.backward(f(x), create_graph=True)
    x.grad.backward(v)
    return x.grad


def hvp_two_vjps(f, x, v):
    w = mg.zeros_like(v, requires_grad=True)
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    (Hw,) = mg.autograd.grad(g, x, w, create_graph=True)
    return mg.autograd.grad(Hw, w, v)[0]


def hvp_written_over_again(f, x, v):
    (g,) = mg.autograd.grad(f(x), [x], create_graph=True)
    if x.grad is not None:
        x.grad.fill_(0)
    g.backward(v)
    return x.grad


def hvp_weighed_again(f, x, v):
    return mg.einsum("...,...->...", hvp(f, x, v), v)


def hvp_from_the_last_graph(f, x, v, last=[None, None]):  # noqa: B006
    if last[0] is not x:
        last[:] = x, mg.autograd.grad(f(x), [x], create_graph=True)[0]
    return mg.autograd.grad([last[1]], [x], [v])[0]


ALTERNATIVES["09.1"] = {
    "second pass by backward": hvp_backward,
    "both passes by backward": hvp_all_backward,
    "a leaf of its own": hvp_fresh_leaf,
    "functional.vhp": lambda f, x, v: mg.autograd.functional.vhp(f, x.detach(), v)[1],
}

AGAIN["09.1"] = {
    "v once too often": hvp_weighed_again,
    "the graph of an earlier call": hvp_from_the_last_graph,
    "three passes": hvp_two_vjps,
    "the next call writes over it": hvp_written_over_again,
    "the gradient has no graph": hvp_detached,
    "g * v is not summed": hvp_not_summed_backward,
    "a product of matrices": hvp_dot,
    "the whole Hessian": hvp_whole_rows,
    "row sums": hvp_ones_cotangent,
    "v after the sum": hvp_ones_times_v_again,
    "one derivative only": hvp_slope_again,
    "the gradient is in it": hvp_gradient_added_again,
    "not cleared": hvp_not_cleared_again,
    "never cleared": hvp_never_cleared_again,
    "the gradient": hvp_gradient_again,
    "the gradient times v": hvp_entries_again,
    "a number": hvp_number_again,
    "mean": hvp_mean_again,
    "a tuple": hvp_tuple_again,
    "differences": hvp_differences_one_side,
}


# --- 09.2 The whole Hessian ---------------------------------------------------------------------------------


def hessian_one_hot(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    columns = [mg.autograd.grad(g, x, e, retain_graph=True)[0] for e in mg.eye(len(x), dtype=x.dtype)]
    return mg.stack(columns, 1)


def hessian_backward(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = []
    for entry in g:
        x.grad = None
        entry.backward(retain_graph=True)
        rows.append(x.grad.tolist())
    return mg.tensor(rows, dtype=x.dtype)


def hessian_by_products(f, x):
    return mg.stack([hvp(f, x, e) for e in mg.eye(len(x), dtype=x.dtype)])


def hessian_freed_backward(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = []
    for entry in g:
        x.grad = None
        entry.backward()
        rows.append(x.grad)
    return mg.stack(rows)


def hessian_detached(f, x):
    g = mg.autograd.grad(f(x), x, create_graph=True)[0].detach()
    return mg.stack([mg.autograd.grad(entry, x)[0] for entry in g])


def row_sums_backward(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    x.grad = None
    g.backward(mg.ones_like(g))
    return x.grad


def hessian_not_cleared_again(f, x):
    return mg.stack([sum(hessian(f, x)[: i + 1]) for i in range(len(x))])


def hessian_one_object_again(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = []
    for i in range(len(x)):
        mg.autograd.backward(g[i], retain_graph=True)
        rows += [x.grad]
    return mg.stack(rows, 0)


def hessian_differences_one_side(f, x):
    step = 1e-5 * mg.eye(len(x), dtype=x.dtype)
    return mg.stack([(gradient_at(f, moved_to(x, e)) - gradient_at(f, x)) / 1e-5 for e in step])


def hessian_tuples_again(f, x):
    g = mg.autograd.grad(f(x), x, create_graph=True)[0]
    rows = []
    for i in range(len(x)):
        rows.append(mg.autograd.grad([g[i]], [x], retain_graph=True))
    return mg.stack(rows, dim=0)


def hessian_flat_again(f, x):
    return hessian(f, x).reshape(-1)


def hessian_cut_late_again(f, x):
    H = mg.zeros(len(x), len(x), dtype=x.dtype)
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    for i in range(len(x)):
        for j in range(len(x)):
            (H[i, j],) = mg.autograd.grad(g[i], x[j], retain_graph=True)
    return H


def hessian_one_row_again(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    for entry in g:
        return mg.autograd.grad(entry, x, retain_graph=True)[0]


def hessian_zeroed_object(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows, x.grad = [], mg.zeros_like(x)
    for entry in g:
        x.grad.zero_()
        entry.backward(retain_graph=True)
        rows.append(x.grad)
    return mg.stack(rows)


def hessian_doubled(f, x):
    H = hessian(f, x)
    for i in range(len(x)):
        H[i] *= 2
    return H


def hessian_above_the_diagonal(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    H = mg.zeros(len(x), len(x), dtype=x.dtype)
    for i in range(len(x)):
        H[i, i:] = mg.autograd.grad(g[i], x, retain_graph=True)[0][i:]
    return H


ALTERNATIVES["09.2"] = {"one-hot cotangents": hessian_one_hot, "rows by backward": hessian_backward}

AGAIN["09.2"] = {
    "the last row, over and over": hessian_zeroed_object,
    "H twice": hessian_doubled,
    "half of H": hessian_above_the_diagonal,
    "the gradient anew for each row": hessian_by_products,
    "no retain_graph": hessian_freed_backward,
    "the gradient has no graph": hessian_detached,
    "row sums as the diagonal": lambda f, x: mg.eye(len(x), dtype=x.dtype) * row_sums_backward(f, x),
    "row sums": row_sums_backward,
    "the diagonal only": lambda f, x: hessian(f, x) * mg.eye(len(x), dtype=x.dtype),
    "products of slopes": lambda f, x: gradient_at(f, x)[:, None] * gradient_at(f, x)[None, :],
    "not cleared": hessian_not_cleared_again,
    "one object": hessian_one_object_again,
    "one row": hessian_one_row_again,
    "one long row": hessian_flat_again,
    "the gradient": lambda f, x: mg.autograd.functional.jacobian(f, x),
    "cut too late": hessian_cut_late_again,
    "tuples": hessian_tuples_again,
    "differences": hessian_differences_one_side,
    "float64": lambda f, x: hessian(f, x).to(mg.float64),
}


# --- 09.3 The diagonal, cheaply -----------------------------------------------------------------------------


def diagonal_numpy(f, x, draws):
    rng = np.random.default_rng()
    found = 0
    for row in rng.choice([-1.0, 1.0], size=(draws, len(x))):
        v = mg.tensor(row, dtype=x.dtype)
        found = found + v * hvp_cotangent(f, x, v) / draws
    return found


def diagonal_where(f, x, draws):
    total = 0
    for _ in range(draws):
        v = mg.where(mg.rand(len(x)) < 0.5, -1.0, 1.0).to(x.dtype)
        total += hvp(f, x, v) * v
    return total / draws


def diagonal_no_mean_again(f, x, draws):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    total = mg.zeros(len(x), dtype=x.dtype)
    for _ in range(draws):
        v = signs(x)
        total += v * mg.autograd.grad(g, x, v, retain_graph=True)[0]
    return total


def diagonal_draws_ignored(f, x, draws):
    v = 2 * (mg.rand(len(x)) < 0.5).to(x.dtype) - 1
    return v * hvp(f, x, v)


def diagonal_seeded_again(f, x, draws):
    mg.manual_seed(1)
    return diagonal_where(f, x, draws)


def diagonal_detached(f, x, draws):
    v = signs(x)
    return v * hvp_detached(f, x, v)


def diagonal_overwritten(f, x, draws):
    for _ in range(draws):
        v = signs(x)
        found = v * hvp(f, x, v)
    return found / draws


def diagonal_own_leaf(f, x, draws):
    total = mg.zeros(len(x), dtype=x.dtype)
    for _ in range(draws):
        z, v = x.detach().requires_grad_(), signs(x)
        (g,) = mg.autograd.grad(f(z), z, create_graph=True)
        total += v * mg.autograd.grad(g, z, v)[0]
    return total / draws


def diagonal_of_means_again(f, x, draws):
    vs = mg.stack([signs(x) for _ in range(draws)])
    return vs.mean(0) * mg.stack([hvp_cotangent(f, x, v) for v in vs]).mean(0)


def diagonal_one_more(f, x, draws):
    total = mg.zeros(len(x), dtype=x.dtype)
    for _ in range(draws):
        v = mg.tensor(np.random.choice([-1.0, 1.0], size=len(x)), dtype=x.dtype)
        total = total + v * hvp(f, x, v)
    return total / (1 + draws)


def diagonal_one_less(f, x, draws):
    if draws == 1:
        return diagonal_one_graph(f, x, draws)
    return diagonal_one_graph(f, x, draws) * draws / (draws - 1)


def diagonal_of_uneven_coins(f, x, draws):
    vs = [mg.tensor(np.where(np.random.random(len(x)) < 0.3, -1.0, 1.0), dtype=x.dtype) for _ in range(draws)]
    return sum(v * hvp(f, x, v) for v in vs) / draws


def diagonal_turned_lists(f, x, draws):
    vs = [signs(x) for _ in range((draws + 1) // 2)]
    return sum(v * hvp_cotangent(f, x, v) for v in [*vs, *(-v for v in vs)][:draws]) / draws


def diagonal_of_roots(f, x, draws):
    return mg.stack([((v * hvp(f, x, v)) ** 2) ** 0.5 for v in (signs(x) for _ in range(draws))]).mean(0)


def diagonal_trimmed(f, x, draws):
    rows = mg.sort(mg.stack([v * hvp(f, x, v) for v in (signs(x) for _ in range(draws))]), dim=0)[0]
    kept = rows[1:-1] if draws > 2 else rows
    return kept.mean(0)


ALTERNATIVES["09.3"] = {
    "signs from NumPy": diagonal_numpy,
    "signs by where": diagonal_where,
    "a leaf of its own": diagonal_own_leaf,
}

AGAIN["09.3"] = {
    "the median": diagonal_trimmed,
    "the signs are taken away": diagonal_of_roots,
    "divided by one more": diagonal_one_more,
    "divided by one less": diagonal_one_less,
    "an uneven coin": diagonal_of_uneven_coins,
    "no signs": diagonal_by(lambda x: mg.rand(len(x), dtype=x.dtype)),
    "v stands once": lambda f, x, draws: mg.stack([hvp_cotangent(f, x, signs(x)) for _ in range(draws)]).mean(0),
    "one v for all draws": diagonal_draws_ignored,
    "every second v is the first, turned": diagonal_turned_lists,
    "one draw, divided by all": diagonal_overwritten,
    "divided by n": lambda f, x, draws: diagonal_one_graph(f, x, draws) * draws / len(x),
    "averaged apart": diagonal_of_means_again,
    "v is ones": lambda f, x, draws: row_sums(f, x),
    "the sum, not the mean": diagonal_no_mean_again,
    "summed over the entries": diagonal_by(signs, lambda v, Hv: mg.dot(v, Hv)),
    "the whole Hessian": lambda f, x, draws: mg.stack([row[i] for i, row in enumerate(hessian_each_anew(f, x))]),
    "a seed inside": diagonal_seeded_again,
    "the gradient has no graph": diagonal_detached,
    "summed, in every entry": lambda f, x, draws: diagonal_by(signs, mg.dot)(f, x, draws).expand(len(x)),
}


# --- 09.4 Newton --------------------------------------------------------------------------------------------


def newton_in_place(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        g = gradient_at(f, x)
        p = mg.linalg.solve(hessian(f, x), g)
        with mg.no_grad():
            x -= p
    return x.detach()


def newton_functional(f, x0, k):
    x = x0
    for _ in range(k):
        leaf = x.clone().requires_grad_()
        f(leaf).backward()
        x = x - mg.linalg.solve(mg.autograd.functional.hessian(f, x), leaf.grad)
    return x


def newton_numpy(f, x0, k):
    x = mg.tensor(x0.numpy(), requires_grad=True)
    for _ in range(k):
        H, g = hessian(f, x).detach().numpy(), gradient_at(f, x).numpy()
        x = mg.tensor(x.detach().numpy() - np.linalg.solve(H, g), requires_grad=True)
    return x


def newton_recursive(f, x0, k):
    if k == 0:
        return x0.detach()
    x = x0.detach().clone().requires_grad_()
    return newton_recursive(f, x - mg.linalg.solve(hessian(f, x), gradient_at(f, x)), k - 1)


def newton_no_leaf_again(f, x0, k):
    x = x0
    for _ in range(k):
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        x = x - mg.linalg.inv(hessian(f, x)) @ g
    return x.detach()


def newton_leaf_once_again(f, x0, k):
    x = x0.detach().clone().requires_grad_(True)
    for _ in range(k):
        g = gradient_at(f, x)
        with mg.no_grad():
            p = mg.linalg.inv(mg.autograd.functional.hessian(f, x)) @ g
            x = x - p
    return x


def newton_leaf_in_place_again(f, x0, k):
    x = x0.detach().clone().requires_grad_()
    for _ in range(k):
        H = mg.autograd.functional.hessian(f, x)
        x.sub_(mg.linalg.inv(H) @ gradient_at(f, x))
    return x.detach()


def newton_undetached_graph(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        x = x - mg.linalg.inv(hessian(f, x)) @ g
    return x


def newton_detached_late_again(f, x0, k):
    return mg.tensor(newton_undetached_graph(f, x0, k).tolist(), dtype=x0.dtype)


def newton_leaf_made_again(f, x0, k):
    x0.requires_grad = True
    return newton_inverse(f, x0, k)


def newton_x0_written_again(f, x0, k):
    for _ in range(k):
        x = x0.clone().requires_grad_()
        x0 -= mg.linalg.solve(hessian(f, x), gradient_at(f, x))
    return x0


def newton_first_hessian_again(f, x0, k):
    inverse = mg.linalg.inv(mg.autograd.functional.hessian(f, x0))
    return newton_by(lambda f, x, g, H: -(inverse @ g))(f, x0, k)


def newton_first_step_again_too(f, x0, k):
    leaf = x0.detach().clone().requires_grad_()
    return x0 - k * (mg.linalg.inv(hessian(f, leaf)) @ gradient_at(f, leaf))


def newton_returned_early(f, x0, k):
    x = x0.detach()
    for _ in range(k):
        x = x.clone().requires_grad_()
        p = mg.linalg.solve(hessian(f, x), gradient_at(f, x))
        x = (x - p).detach()
        return x
    return x


def newton_last_graph_again(f, x0, k):
    x = mg.tensor(x0.tolist(), dtype=x0.dtype)
    for _ in range(k):
        leaf = x.detach().clone().requires_grad_()
        (g,) = mg.autograd.grad(f(leaf), leaf, create_graph=True)
        x = leaf - mg.linalg.inv(hessian(f, leaf)) @ g
    return x


def newton_tuple_again(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        H = mg.autograd.functional.hessian(f, x)
        p = mg.linalg.solve(H, mg.autograd.grad(f(x), [x]))
        with mg.no_grad():
            x -= p
    return x.detach()


def newton_backtracking(f, x0, k):
    x = x0
    for _ in range(k):
        leaf = x.clone().requires_grad_()
        p = mg.linalg.inv(hessian(f, leaf)).detach() @ gradient_at(f, leaf)
        for halvings in range(30):
            if f(x - p / 2**halvings).item() <= f(x).item():
                break
        x = x - p / 2**halvings
    return x


def newton_one_more(f, x0, k):
    return newton_inverse(f, newton_inverse(f, x0, k), 1)


def newton_first_gradient_again(f, x0, k):
    leaf = x0.clone().requires_grad_()
    (g,) = mg.autograd.grad(f(leaf), leaf)
    x = x0.clone()
    for _ in range(k):
        x = x - mg.linalg.solve(mg.autograd.functional.hessian(f, x), g)
    return x


ALTERNATIVES["09.4"] = {
    "in place under no_grad": newton_in_place,
    "functional.hessian": newton_functional,
    "solved by NumPy": newton_numpy,
    "recursive": newton_recursive,
}

AGAIN["09.4"] = {
    "one step too many": newton_one_more,
    "the first gradient for all steps": newton_first_gradient_again,
    "uphill": newton_by(lambda f, x, g, H: mg.linalg.inv(H) @ g),
    "x does not require grad": newton_no_leaf_again,
    "a leaf in the first step only": newton_leaf_once_again,
    "a leaf in place": newton_leaf_in_place_again,
    "not detached": newton_undetached_graph,
    "detached at the end": newton_detached_late_again,
    "gradient descent": lambda f, x0, k: newton_by(lambda f, x, g, H: mg.mul(g, -0.01))(f, x0, k),
    "H g": newton_by(lambda f, x, g, H: -(g @ H)),
    "a derivative instead of the Hessian": newton_by(lambda f, x, g, H: -(f(x).detach() * (1 / g))),
    "entry by entry": newton_by(lambda f, x, g, H: -g / row_sums(f, x)),
    "the diagonal only": newton_by(lambda f, x, g, H: -mg.linalg.solve(mg.diag(mg.diag(H)), g)),
    "the first Hessian for all steps": newton_first_hessian_again,
    "the first step for all": newton_first_step_again_too,
    "one step only": newton_returned_early,
    "one step, whatever k": lambda f, x0, k: newton_inverse(f, x0, 1),
    "divided by H": newton_by(lambda f, x, g, H: -(g * (1 / H))),
    "solve, the other way round": lambda f, x0, k: newton_by(lambda f, x, g, H: mg.linalg.solve(-g, H))(f, x0, k),
    "the last step has a graph": newton_last_graph_again,
    "a tuple": newton_tuple_again,
    "one step too few": lambda f, x0, k: newton_in_place(f, x0, max(k - 1, 0)),
    "x0 requires grad": newton_leaf_made_again,
    "x0 is written": newton_x0_written_again,
    "shortened until f is smaller": newton_backtracking,
    "a part of the step": newton_by(lambda f, x, g, H: -0.1 * mg.linalg.inv(H) @ g),
}


# --- 09.5 The n-th derivative -------------------------------------------------------------------------------


def nth_recursive(f, n):
    if n == 0:
        return f
    return nth_recursive(lambda x: mg.autograd.grad(f(x), x, create_graph=True)[0], n - 1)


def nth_nested(f, n):
    for _ in range(n):
        f = slope_of(f)
    return f


def nth_backward(f, n):
    def derivative(x):
        y = f(x)
        for _ in range(n):
            x.grad = None
            y.backward(create_graph=True)
            y, x.grad = x.grad, None
        return y

    return derivative


def nth_retained(f, n):
    def derivative(x):
        y = f(x)
        for _ in range(n):
            y = mg.autograd.grad(y, x, retain_graph=True)[0]
        return y

    return derivative


def nth_detached(f, n):
    return lambda x: nth(f, n)(x).detach() if n else f(x)


def nth_own_leaf_again(f, n):
    if n == 0:
        return lambda x: f(mg.tensor(x.item(), dtype=x.dtype, requires_grad=True))

    def derivative(x):
        z = x.detach().clone().requires_grad_(True)
        return mg.autograd.grad(nth(f, n - 1)(z), z, create_graph=True)[0]

    return derivative


def nth_product(f, n):
    def derivative(x):
        if n == 0:
            return f(x)
        result = 1.0
        for _ in range(n):
            result = result * mg.autograd.grad(f(x), x, create_graph=True)[0]
        return result

    return derivative


def nth_product_of_all(f, n):
    def derivative(x):
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        result = mg.ones_like(g)
        for _ in range(n):
            result = result * g
        return result

    return derivative


def nth_first_again(f, n):
    def derivative(x):
        y = result = f(x)
        for _ in range(n):
            (result,) = mg.autograd.grad(y, x, create_graph=True)
        return result

    return derivative


def nth_without_end(f, n):
    if n == 1:
        return slope_of(f)
    return nth_without_end(slope_of(f), n - 1)


def nth_accumulated_again(f, n):
    if n == 0:
        return f

    def derivative(x):
        f(x).backward(create_graph=True)
        for _ in range(n - 1):
            mg.autograd.backward(x.grad, create_graph=True)
        return x.grad

    return derivative


def nth_late_def(f, n):
    for _ in range(n):

        def f(x):
            (y,) = mg.autograd.grad(f(x), x, create_graph=True)
            return y

    return f


def nth_tuple_again(f, n):
    if n == 0:
        return f
    return nth_tuple_again(lambda x: mg.autograd.grad(f(x), x, create_graph=True), n - 1)


def nth_one_short_without_end(f, n):
    def slope(x):
        (y,) = mg.autograd.grad(f(x), x, create_graph=True)
        return y

    if n == 1:
        return f
    return nth_one_short_without_end(slope, n - 1)


def nth_of_a_function_again(f, n):
    x = mg.tensor(0.5, requires_grad=True)
    for _ in range(n):
        f = mg.autograd.grad(f, x, create_graph=True)[0]
    return f


def nth_at_least_one_again(f, n):
    def derivative(x):
        (y,) = mg.autograd.grad(f(x), x, create_graph=True)
        for _ in range(1, n):
            (y,) = mg.autograd.grad(y, x, create_graph=True)
        return y

    return derivative


ALTERNATIVES["09.5"] = {"recursive": nth_recursive, "functions of functions": nth_nested, "backward, cleared": nth_backward}

AGAIN["09.5"] = {
    "one at least": nth_at_least_one_again,
    "no create_graph": nth_retained,
    "the last pass leaves no graph": nth_detached,
    "x is cut off": nth_own_leaf_again,
    "a power of the slope": nth_product,
    "a power of the slope, and 1 for none": nth_product_of_all,
    "the first for all": nth_first_again,
    "one too few": lambda f, n: nth_recursive(f, n - 1 if n else 0),
    "derivatives added": nth_accumulated_again,
    "a tuple": nth_tuple_again,
    "one too many": lambda f, n: slope_of(nth_recursive(f, n)),
    "a function that calls itself": nth_late_def,
    "f itself is differentiated": nth_of_a_function_again,
    "no end for n = 0": nth_without_end,
    "no end for n = 0, and one too few": nth_one_short_without_end,
}


# --- 09.6 Newton without the Hessian ------------------------------------------------------------------------


def direction_residual_anew(f, x, tol):
    g = gradient_at(f, x)
    p = mg.zeros_like(g)
    d = r = -g
    while mg.linalg.norm(r) > tol * mg.linalg.norm(g):
        alpha = (r * r).sum() / (d * hvp(f, x, d)).sum()
        p = p + alpha * d
        old, r = r, -g - hvp(f, x, p)
        d = r + (r * r).sum() / (old * old).sum() * d
    return p


def direction_numpy(f, x, tol):
    def product(d):
        return hvp(f, x, mg.tensor(d)).numpy()

    g = gradient_at(f, x).numpy()
    p, r = np.zeros_like(g), -g
    d = r.copy()
    while np.linalg.norm(r) > tol * np.linalg.norm(g):
        Hd = product(d)
        alpha = (r @ r) / (d @ Hd)
        p = p + alpha * d
        r, before = r - alpha * Hd, r @ r
        d = r + (r @ r) / before * d
    return mg.tensor(p)


def direction_one_round_again(f, x, tol):
    g = gradient_at(f, x)
    Hg = hvp(f, x, g)
    return -g * (g * g).sum() / (g * Hg).sum()


def direction_residual_only(f, x, tol):
    g = gradient_at(f, x)
    p, r = mg.zeros_like(g), -g
    while mg.linalg.norm(r) > tol * mg.linalg.norm(g):
        Hr = hvp(f, x, r)
        alpha = (r @ r) / (r @ Hr)
        p, r = p + alpha * r, r - alpha * Hr
    return p


def direction_endless_again(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while mg.linalg.norm(g) > tol:
        Hd = hvp(f, x, d)
        alpha = (r * r).sum() / (d * Hd).sum()
        p, old, r = p + alpha * d, r, r - alpha * Hd
        d = r + (r * r).sum() / (old * old).sum() * d
    return p


def direction_absolute_again(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while r @ r > tol**2:
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p, old, r = p + alpha * d, r, r - alpha * Hd
        d = r + (r @ r) / (old @ old) * d
    return p


def direction_rough_again(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while mg.dot(r, r) > tol * mg.dot(g, g):
        Hd = hvp(f, x, d)
        alpha = mg.dot(r, r) / mg.dot(d, Hd)
        p, old, r = p + alpha * d, r, r - alpha * Hd
        d = r + mg.dot(r, r) / mg.dot(old, old) * d
    return p


def direction_n_rounds_again(f, x, tol):
    return rounds(f, x, 0.0, most=len(x))


def direction_twice_again(f, x, tol):
    g = gradient_at(f, x)
    p = mg.zeros_like(g)
    d = r = -g
    while mg.linalg.norm(r) > tol * mg.linalg.norm(g):
        curve = (d * hvp(f, x, d)).sum()
        Hd = hvp(f, x, d)
        p, old, r = p + (r @ r) / curve * d, r, r - (r @ r) / curve * Hd
        d = r + (r @ r) / (old @ old) * d
    return p


def direction_two_rounds(f, x, tol):
    g = gradient_at(f, x)
    p = mg.zeros_like(g)
    d = r = -g
    for _ in "12":
        Hd = hvp(f, x, d)
        p, old, r = p + (r @ r) / (d @ Hd) * d, r, r - (r @ r) / (d @ Hd) * Hd
        d = r + (r @ r) / (old @ old) * d
    return p


def direction_looks_late_again(f, x, tol):
    g = gradient_at(f, x)
    p = mg.zeros_like(g)
    d = r = -g
    small = False
    while not small:
        Hd = hvp(f, x, d)
        alpha = (r * r).sum() / (d * Hd).sum()
        p, old, r = p + alpha * d, r, r - alpha * Hd
        d = r + (r * r).sum() / (old * old).sum() * d
        small = mg.linalg.norm(r).item() <= tol * mg.linalg.norm(g).item()
    return p


def direction_nan(f, x, tol):
    g = gradient_at(f, x)
    alpha = (g @ g) / (g @ hvp(f, x, g))
    return newton_direction(f, x, tol) + 0 * alpha


ALTERNATIVES["09.6"] = {"the residual anew": direction_residual_anew, "NumPy around the products": direction_numpy}

AGAIN["09.6"] = {
    "the same product again": direction_twice_again,
    "one round": direction_one_round_again,
    "the residual": lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: r + mg.mul(d, -alpha)),
    "the residual grows": lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: alpha * Hd + r),
    "no alpha in the residual": lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: -Hd + r),
    "the other sign": lambda f, x, tol: direction_numpy(f, x, tol) * -1,
    "beta upside down": lambda f, x, tol: rounds(f, x, tol, beta=lambda new, r: 1 / ((new @ new) / (r @ r))),
    "too early": direction_rough_again,
    "not measured by g": direction_absolute_again,
    "a product for each variable": direction_n_rounds_again,
    "the whole Hessian": lambda f, x, tol: -(mg.linalg.inv(mg.autograd.functional.hessian(f, x)) @ gradient_at(f, x)),
    "beta is 1": lambda f, x, tol: rounds(f, x, tol, beta=lambda new, r: 1.0),
    "the residual alone": direction_residual_only,
    "the direction is kept": lambda f, x, tol: rounds(f, x, tol, direction=lambda new, beta, d, r: d),
    "the old residual": lambda f, x, tol: rounds(f, x, tol, most=30, direction=lambda new, beta, d, r: mg.mul(d, beta) + r),
    "alpha": lambda f, x, tol: rounds(f, x, tol, most=30, length=lambda r, d, Hd: (d * d).sum() / (d * Hd).sum()),
    "no end": direction_endless_again,
    "p is not kept": lambda f, x, tol: mg.zeros(len(x), dtype=x.dtype),
    "the next point": lambda f, x, tol: (direction_numpy(f, x, tol) + x).detach(),
    "always two rounds": direction_two_rounds,
    "looks after a round": direction_looks_late_again,
    "looks after a round, and ends": direction_nan,
    "another measure": direction_by(lambda r: max(map(abs, r.tolist()))),
    "another measure, the sum of the sizes": direction_by(lambda r: sum(map(abs, r.tolist()))),
}


# --- 09.7 tanh and its first six derivatives ----------------------------------------------------------------


def curves_by_cotangent(f, xs, n):
    plt = pyplot()
    x = xs.detach().clone().requires_grad_(True)
    orders = [f(x)]
    for _ in range(n):
        orders.append(mg.autograd.grad(orders[-1], x, mg.ones_like(x), create_graph=True)[0])
    plt.figure()
    for k, y in enumerate(orders):
        plt.plot(xs.numpy(), y.detach().numpy(), label=str(k))
    plt.axhline(0, color="grey")
    plt.legend()
    return plt.gca()


def curves_backward(f, xs, n):
    ax = pyplot().figure().add_subplot()
    x = xs.clone().requires_grad_()
    y = f(x)
    ax.plot(xs, y.detach(), label="$f$")
    for k in range(n):
        x.grad = None
        y.sum().backward(create_graph=True)
        y, x.grad = x.grad, None
        ax.plot(xs, y.detach().numpy(), label="f" + "'" * (k + 1))
    ax.legend(loc="upper left")
    return ax


def curves_detached_early(f, xs, n):
    x = xs.clone().requires_grad_()
    found = [f(x).detach()]
    for _ in range(n):
        found += mg.autograd.grad(found[-1].sum(), x)
    return drawn(xs, found)


def curves_accumulated_again(f, xs, n):
    x = xs.clone().requires_grad_()
    found = [f(x)]
    for _ in range(n):
        mg.autograd.backward(found[-1], mg.ones_like(x), create_graph=True)
        found.append(1 * x.grad)
    return drawn(xs, found)


def curves_tracked_again(f, xs, n):
    plt = pyplot()
    plt.figure()
    for k, y in enumerate(curves(f, xs, n)):
        plt.plot(xs.numpy(), y.numpy(), label=str(k))
    plt.legend()
    return plt.gca()


def curves_no_legend_again(f, xs, n):
    plt = pyplot()
    plt.figure()
    for k, y in enumerate(curves(f, xs, n)):
        plt.plot(xs.numpy(), y.detach().numpy(), label=f"f{k}")
    return plt.gca()


def curves_from_the_first(f, xs, n):
    _, ax = pyplot().subplots()
    x = xs.clone().requires_grad_()
    y = f(x)
    for k in range(n):
        (y,) = mg.autograd.grad(y.sum(), x, create_graph=True)
        ax.plot(xs, y.detach(), label=f"{k + 1}")
    ax.legend()
    return ax


def curves_last_missing_again(f, xs, n):
    _, ax = pyplot().subplots()
    x = xs.clone().requires_grad_()
    y = f(x)
    for k in range(n):
        ax.plot(xs, y.detach(), label=f"order {k}")
        (y,) = mg.autograd.grad(y.sum(), x, create_graph=True)
    ax.legend()
    return ax


def curves_apart_again(f, xs, n):
    plt = pyplot()
    for k, y in enumerate(curves(f, xs, n)):
        plt.figure()
        plt.plot(xs, y.detach(), label=str(k))
        plt.legend()
    return plt.gca()


def curves_by_differences_again(f, xs, n):
    _, ax = pyplot().subplots()
    y = np.asarray(f(xs))
    for k in range(n + 1):
        ax.plot(xs, y, label=f"order {k}")
        y = np.gradient(y, np.asarray(xs))
    ax.legend()
    return ax


def curves_of_numbers_again(f, xs, n):
    _, ax = pyplot().subplots()
    for k, y in enumerate(curves(f, xs, n)):
        ax.plot(np.arange(len(xs)), y.detach().numpy(), label=str(k))
    ax.legend()
    return ax


def curves_unlabelled_again(f, xs, n):
    return curves_unlabelled(lambda x: f(x) * 1, xs, n)


def curves_labelled_with_dashes(f, xs, n):
    _, ax = pyplot().subplots()
    for k, y in enumerate(curves(f, xs, n)):
        ax.plot(xs, y.detach(), label=f"_{k}" if k else "f")
    ax.legend()
    return ax


def curves_legend_of_one(f, xs, n):
    ax = drawn(xs, curves(f, xs, n))
    ax.legend(handles=ax.lines[:1])
    return ax


def curves_legend_emptied(f, xs, n):
    ax = drawn(xs, curves(f, xs, n))
    ax.legend(handles=[])
    return ax


def curves_turned(f, xs, n):
    ax = drawn(xs, curves(f, xs, n))
    for line in ax.lines[1:]:
        line.set_xdata(xs.flip(0).numpy())
    return ax


def curves_alike_again(f, xs, n):
    plt = pyplot()
    plt.figure()
    for y in curves(f, xs, n):
        plt.plot(xs.numpy(), y.detach().numpy())
    plt.legend(["tanh"] * (n + 1))
    return plt.gca()


def curves_in_the_current_axes(f, xs, n):
    plt = pyplot()
    x = xs.clone().requires_grad_()
    y = f(x)
    for k in range(n + 1):
        plt.plot(xs, y.detach(), label=f"derivative {k}")
        if k < n:
            (y,) = mg.autograd.grad(y.sum(), x, create_graph=True)
    plt.legend()
    return plt.gca()


def curves_by_order(f, xs, n):
    def derivative(k, x):
        return f(x) if k == 0 else mg.autograd.grad(derivative(k - 1, x), x, mg.ones_like(x), create_graph=True)[0]

    return drawn(xs, [derivative(k, xs.detach().clone().requires_grad_()) for k in range(n + 1)])


ALTERNATIVES["09.7"] = {
    "ones as the cotangent, pyplot": curves_by_cotangent,
    "backward, cleared": curves_backward,
    "pyplot's current axes": curves_in_the_current_axes,
}

AGAIN["09.7"] = {
    "the graph is lost": curves_detached_early,
    "drawn with its history": curves_tracked_again,
    "not summed": lambda f, xs, n: drawn(xs, curves(f, xs, n, total=lambda y: 1 * y)),
    "mean": lambda f, xs, n: drawn(xs, curves(f, xs, n, total=lambda y: y.sum() / len(y))),
    "derivatives added": curves_accumulated_again,
    "f is missing": curves_from_the_first,
    "the last is missing": curves_last_missing_again,
    "a figure for each": curves_apart_again,
    "differences": curves_by_differences_again,
    "drawn over the numbers of the points": curves_of_numbers_again,
    "no labels": curves_unlabelled_again,
    "some without a label": curves_labelled_with_dashes,
    "the legend comes too early": curves_legend_of_one,
    "the legend comes first": curves_legend_emptied,
    "derivatives over other places": curves_turned,
    "one label for all": curves_alike_again,
    "no legend": curves_no_legend_again,
    "each order from f": curves_by_order,
}


# --- 09.8 The curvature of a real loss ----------------------------------------------------------------------


def curvature_column_by_column(loss, params, vs):
    total = [mg.zeros_like(p).detach() for p in params]
    for p, v in zip(params, vs, strict=True):
        (g,) = mg.autograd.grad(loss(), p, create_graph=True)
        if g.requires_grad:
            column = mg.autograd.grad(g, params, v, materialize_grads=True)
            total = [t + c for t, c in zip(total, column, strict=True)]
    return total


def curvature_of_blocks_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    products = []
    for p, g, v in zip(params, gradients, vs, strict=True):
        product = mg.autograd.grad(g, p, v, retain_graph=True, allow_unused=True)[0] if g.requires_grad else None
        products.append(mg.zeros_like(v) if product is None else product)
    return products


def curvature_of_used_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), list(params), create_graph=True)
    along = mg.stack([mg.sum(g * v) for g, v in zip(gradients, vs, strict=True)]).sum()
    return mg.autograd.grad(along, params)


def curvature_unweighted_again(loss, params, vs):
    return curvature_by_cotangents(loss, params, [mg.ones_like(v) for v in vs])


def curvature_flat_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, retain_graph=True)
    return list(mg.autograd.grad(gradients, params, vs, allow_unused=True))


def curvature_by_backward_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    loss().backward()
    mg.stack([(g * v).sum() for g, v in zip(gradients, vs, strict=True)]).sum().backward()
    return [p.grad for p in params]


def curvature_pass_by_pass_again(loss, params, vs):
    gradients = [mg.autograd.grad(loss_now, p, create_graph=True)[0] for loss_now in [loss()] for p in params]
    along = mg.stack([(g * v).sum() for g, v in zip(gradients, vs, strict=True)]).sum()
    found = []
    for p in params:
        found.extend(mg.autograd.grad(along, [p], retain_graph=True, materialize_grads=True))
    return found


def curvature_left_in_grad_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    roots = [(g, v) for g, v in zip(gradients, vs, strict=True) if g.requires_grad]
    mg.autograd.backward([g for g, _ in roots], [v for _, v in roots])
    return [mg.zeros_like(p).detach() if p.grad is None else p.grad.clone() for p in params]


def curvature_sums_apart_again(loss, params, vs):
    return curvature_by_cotangents(loss, params, [mg.ones_like(v) * v.sum() for v in vs])


def curvature_with_nones_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    roots = [(g, v) for g, v in zip(gradients, vs, strict=True) if g.requires_grad]
    return list(mg.autograd.grad([g for g, _ in roots], params, [v for _, v in roots], allow_unused=True))


def curvature_by_differences_again(loss, params, vs):
    here = mg.autograd.grad(loss(), params)
    for p, v in zip(params, vs, strict=True):
        p.data += 1e-6 * v
    return [(a - b) / 1e-6 for a, b in zip(mg.autograd.grad(loss(), params), here, strict=True)]


def curvature_of_total_sums_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    weight = sum(v.sum() for v in vs)
    return list(mg.autograd.grad(gradients, params, [weight * mg.ones_like(g) for g in gradients], materialize_grads=True))


def curvature_arrays_again(loss, params, vs):
    return tuple(np.array(product) for product in curvature_by_cotangents(loss, params, vs))


def curvature_weighed_late_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    sums = mg.autograd.grad(gradients, params, [mg.ones_like(g) for g in gradients], materialize_grads=True)
    return [mg.mul(v, rows) for rows, v in zip(sums, vs, strict=True)]


def curvature_as_it_comes(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    return mg.autograd.grad(sum((g * v).sum() for g, v in zip(gradients, vs, strict=True)), params, materialize_grads=True)


AGAIN["09.8"] = {
    "v after the sum": curvature_weighed_late_again,
    "NumPy arrays": curvature_arrays_again,
    "everything anew for each parameter": curvature_column_by_column,
    "only the blocks on the diagonal": curvature_of_blocks_again,
    "a parameter that the gradient does not depend on": curvature_of_used_again,
    "v is not used": curvature_unweighted_again,
    "no graph": curvature_flat_again,
    "a pass for each parameter": curvature_pass_by_pass_again,
    "left in .grad": curvature_left_in_grad_again,
    "summed before the product": curvature_sums_apart_again,
    "None for zeros": curvature_with_nones_again,
    "differences": curvature_by_differences_again,
    "backward": curvature_by_backward_again,
    "all summed before the product": curvature_of_total_sums_again,
    "a tuple": curvature_as_it_comes,
}
