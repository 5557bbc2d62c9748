"""09.2 The whole Hessian: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch09.common import gradient_at
from minigrad.course.bank.ch09.ex02.answer import hessian
from minigrad.course.bank.ch09.known import A_TUPLE, DIFFERENCES, NO_GRAPH, moved_to
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def hessian_each_anew(f, x):
    rows = []
    for i in range(len(x)):
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        rows.append(mg.autograd.grad(g[i], x)[0])
    return mg.stack(rows)


WASTEFUL["the gradient anew for each row"] = Mistake(
    hessian_each_anew,
    "You took 2n passes: the gradient is computed anew for each row. Once is enough, with "
    "`retain_graph=True` for the rows. That makes n + 1.",
)

MISTAKES: dict[str, Mistake] = {}


def hessian_freed(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.stack([mg.autograd.grad(g[i], x)[0] for i in range(len(x))])


MISTAKES["no retain_graph"] = Mistake(
    hessian_freed,
    "The first row came, and freed the graph of `g` behind it. The second row needs the same graph. Keep it for "
    "all rows: `retain_graph=True`.",
)


def hessian_no_graph(f, x):
    (g,) = mg.autograd.grad(f(x), x)
    return mg.stack([mg.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(len(x))])


MISTAKES["the gradient has no graph"] = Mistake(hessian_no_graph, NO_GRAPH)


def row_sums(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g.sum(), x)[0]


MISTAKES["row sums as the diagonal"] = Mistake(
    lambda f, x: mg.diag(row_sums(f, x)),
    "The gradient of `g.sum()` is not the diagonal: entry i is Hᵢ₁ + Hᵢ₂ + …, the sum of row i. The two agree "
    "only where the variables do not meet. And the rest of H is not zero.",
)

MISTAKES["row sums"] = Mistake(
    row_sums,
    "That is H times (1, 1, …): one number for each row, its sum. H has n rows of n numbers, and each row takes a "
    "pass of its own: the gradient of `g[i]`.",
)

MISTAKES["the diagonal only"] = Mistake(
    lambda f, x: mg.diag(mg.diag(hessian(f, x))),
    "Your diagonal is right, and the rest is zero. You threw away most of each row: the gradient of `g[i]` is all of row i.",
)

MISTAKES["products of slopes"] = Mistake(
    lambda f, x: mg.outer(gradient_at(f, x), gradient_at(f, x)),
    "`g[i] * g[j]` is a product of two first derivatives. A second derivative is the derivative **of** a "
    "derivative: of `g[i]`, with respect to `x[j]`.",
)


def hessian_not_cleared(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = []
    for entry in g:
        entry.backward(retain_graph=True)
        rows.append(x.grad.clone())
    return mg.stack(rows)


MISTAKES["not cleared"] = Mistake(
    hessian_not_cleared,
    "Row 0 is right, row 1 is rows 0 and 1 added, and so on: `backward` adds to `x.grad`. Use "
    "`mg.autograd.grad`, or clear `x.grad` before each row.",
)


def hessian_one_object(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = []
    for entry in g:
        entry.backward(retain_graph=True)
        rows.append(x.grad)
    return mg.stack(rows)


MISTAKES["one object"] = Mistake(
    hessian_one_object,
    "All your rows are the same: the sum of all rows. `x.grad` is **one** Tensor, and each `backward` adds to it, "
    "also to the rows that you have put aside. `mg.autograd.grad` returns a new Tensor each time.",
)


def hessian_one_row(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g[0], x)[0]


MISTAKES["one row"] = Mistake(
    hessian_one_row, "That is row 0 alone. Does a `return` stand inside the loop? H has a row for each entry of `g`."
)


def hessian_flat(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.cat([mg.autograd.grad(entry, x, retain_graph=True)[0] for entry in g])


MISTAKES["one long row"] = Mistake(
    hessian_flat, "`mg.cat` lays the rows end to end: n² numbers in one row. `mg.stack` lays them one below the other."
)

MISTAKES["the gradient"] = Mistake(
    gradient_at,
    "That is the gradient, the Jacobian of f. H is the Jacobian of the **gradient**: differentiate each `g[i]` once more.",
)


def hessian_cut_late(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.stack([mg.stack([mg.autograd.grad(e, x[i], retain_graph=True)[0] for i in range(len(x))]) for e in g])


MISTAKES["cut too late"] = Mistake(
    hessian_cut_late,
    "`x[i]`, written here, is a new tensor, and `g` was not computed from it (chapter 08). Differentiate with respect to "
    "`x`, all of it: that gives the whole row at once.",
)


def hessian_tuples(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.stack([mg.autograd.grad(entry, x, retain_graph=True) for entry in g])


MISTAKES["tuples"] = Mistake(hessian_tuples, A_TUPLE)


def hessian_differences(f, x):
    step = 1e-6 * mg.eye(len(x), dtype=x.dtype)
    return mg.stack([(gradient_at(f, moved_to(x, e)) - gradient_at(f, moved_to(x, -e))) / 2e-6 for e in step])


MISTAKES["differences"] = Mistake(hessian_differences, DIFFERENCES)


def hessian_last_row(f, x):
    return mg.stack([hessian(f, x)[-1]] * len(x))


MISTAKES["the last row, over and over"] = Mistake(
    hessian_last_row,
    "All your rows are the last one. `x.grad` is **one** Tensor: when it is set to 0 and filled again, the rows that you have put "
    "aside change with it. Put `x.grad.clone()` aside, or use `mg.autograd.grad`.",
)

MISTAKES["H twice"] = Mistake(
    lambda f, x: hessian(f, x) + hessian(f, x).T,
    "That is 2 H. H is symmetric already, also where each row comes from a pass of its own: add no transpose.",
)

MISTAKES["half of H"] = Mistake(
    lambda f, x: mg.triu(hessian(f, x)),
    "Below the diagonal your H is 0. H is symmetric: Hⱼᵢ is Hᵢⱼ, and the pass for row i gives the whole row.",
)


def hessian_in_float64(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    H = mg.zeros(len(x), len(x), dtype=mg.float64)
    for i in range(len(x)):
        H[i] = mg.autograd.grad(g[i], x, retain_graph=True)[0]
    return H


MISTAKES["float64"] = Mistake(
    hessian_in_float64,
    "Where `x` is in float32, your H is in float64. It should have the dtype of `x`, whatever that is: `dtype=x.dtype`.",
)
