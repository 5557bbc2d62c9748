"""04.6 Write the VJPs: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch04.ex06.answer import VJP
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def with_rule(**rules: Callable[..., Any]) -> type:
    """The reference with other rules in some places."""
    return type("VJP", (VJP,), {name: staticmethod(rule) for name, rule in rules.items()})


def wrong_rule(name: str, rule: Callable[..., Any], hint: str) -> Mistake:
    """A mistake in one rule. Only the cases of that rule, those with its label, are compared."""
    return Mistake(with_rule(**{name: rule}), hint)


MISTAKES["transpose: same permutation"] = wrong_rule(
    "transpose",
    lambda v, axes: np.transpose(v, axes),
    "transpose: you applied the same permutation again. Going back needs the **inverse** one. "
    "For two axes they are the same, for three they need not be: (2, 0, 1) is undone by (1, 2, "
    "0).",
)

MISTAKES["transpose: reshape"] = wrong_rule(
    "transpose",
    lambda v, axes: v.reshape([v.shape[k] for k in np.argsort(axes)]),
    "transpose: the shape is right, but the numbers stand in the wrong places. `reshape` reads "
    "them on in the same order; `transpose` moves them.",
)

MISTAKES["transpose: reversed"] = wrong_rule(
    "transpose", lambda v, axes: v.T, "transpose: `v.T` reverses all axes. That undoes `axes` only if it was a reversal."
)

MISTAKES["sum: no expand"] = wrong_rule(
    "sum",
    lambda v, shape, axis: np.broadcast_to(v, shape),
    "sum: `v` lacks the axis that was summed away, and broadcasting adds axes in front only. "
    "Put the axis back where it was, with size 1, and broadcast then.",
)

MISTAKES["sum: the shape of v"] = wrong_rule(
    "sum",
    lambda v, shape, axis: v,
    "sum: the result must have the shape of x. Every x along the axis went into the sum with "
    "slope 1, so each of them gets the whole v of that sum.",
)

MISTAKES["sum: divided"] = wrong_rule(
    "sum",
    lambda v, shape, axis: np.broadcast_to(np.expand_dims(v, axis), shape) / shape[axis],
    "sum: each x gets the **whole** v of its sum, not a share of it. Dividing belongs to mean.",
)

MISTAKES["sum: v is forgotten"] = wrong_rule(
    "sum",
    lambda v, shape, axis: np.ones(shape),
    "sum: ones are right if v is ones. What if the next operation multiplies the sum by 10?",
)

MISTAKES["mean: not divided"] = wrong_rule(
    "mean",
    lambda v, shape, axis: np.broadcast_to(np.expand_dims(v, axis), shape),
    "mean: that is the rule of sum. Each of the N entries moves the mean by 1/N only.",
)

MISTAKES["mean: divided by all"] = wrong_rule(
    "mean",
    lambda v, shape, axis: np.broadcast_to(np.expand_dims(v, axis), shape) / np.prod(shape),
    "mean: N is the number of entries in **one** mean, the size of the axis, not the number of entries of x.",
)

MISTAKES["mean: divided by the size of v"] = wrong_rule(
    "mean",
    lambda v, shape, axis: np.broadcast_to(np.expand_dims(v, axis), shape) / v.size,
    "mean: you divided by the number of means. N is the number of entries that went into one of them: `shape[axis]`.",
)

MISTAKES["mean: divided by the first size"] = wrong_rule(
    "mean",
    lambda v, shape, axis: np.broadcast_to(np.expand_dims(v, axis), shape) / shape[0],
    "mean: `shape[0]` is N only when the mean is over axis 0. N is the size of the axis: `shape[axis]`.",
)

MISTAKES["matmul: not transposed"] = wrong_rule(
    "matmul",
    lambda v, A, B: (v @ B, A @ v),
    "matmul: right partners, but their transposes are needed. Let the shapes lead you: for A "
    "you want (2, 3) out of v (2, 4) and B (3, 4).",
)

MISTAKES["matmul: factors in the wrong order"] = wrong_rule(
    "matmul",
    lambda v, A, B: (B.T @ v, v @ A.T),
    "matmul: the factors stand in the wrong order. B stood to the right of A, so Bᵀ stands to "
    "the right of v; and Aᵀ to its left.",
)

MISTAKES["matmul: results swapped"] = wrong_rule(
    "matmul",
    lambda v, A, B: (A.T @ v, v @ B.T),
    "matmul: both arrays are right, in the wrong order. First the gradient for A, then the one for B.",
)

MISTAKES["matmul: results transposed"] = wrong_rule(
    "matmul", lambda v, A, B: (B @ v.T, v.T @ A), "matmul: both results are transposed. The gradient for A has the shape of A."
)

MISTAKES["matmul: v is forgotten"] = wrong_rule(
    "matmul",
    lambda v, A, B: (np.ones_like(v) @ B.T, A.T @ np.ones_like(v)),
    "matmul: these are the gradients of `(A @ B).sum()`: `v` is not in them.",
)


def index_buffered(v, shape, rows):
    g = np.zeros(shape)
    g[rows] += v
    return g


MISTAKES["index: overwritten"] = wrong_rule(
    "index",
    index_buffered,
    "index: repeated rows must **add**. A row that was picked three times gets three messages, "
    "and only the last one is left here. Neither `into[rows] = v` nor `into[rows] += v` adds them up: "
    "NumPy computes all of `into[rows] + v` first and then writes, the last one wins. "
    "`np.add.at(into, rows, v)` adds one after the other.",
)

MISTAKES["index: the gradient picked again"] = wrong_rule(
    "index",
    lambda v, shape, rows: v[rows],
    "index: you picked from v. Going back is the other way round: each v[k] goes **to** row "
    "rows[k] of a zero array of x's shape.",
)


def index_like_v(v, shape, rows):
    g = np.zeros_like(v)
    np.add.at(g, rows, v)
    return g


MISTAKES["index: the shape of v"] = wrong_rule(
    "index",
    index_like_v,
    "index: the zeros to add into must have the shape of **x**, `np.zeros(shape)`. Yours have the shape of v.",
)


def index_counting(v, shape, rows):
    g = np.zeros(shape)
    np.add.at(g, rows, 1.0)
    return g


MISTAKES["index: v is forgotten"] = wrong_rule(
    "index", index_counting, "index: you counted how often each row was picked. That is vᵀJ for v = ones only."
)


def lead_axes(v, shape):
    return v.sum(axis=tuple(range(v.ndim - len(shape))))


MISTAKES["unbroadcast: only the axes in front"] = wrong_rule(
    "unbroadcast",
    lead_axes,
    "unbroadcast: the axes in front are summed, but an axis of size 1 that was stretched is a "
    "copy too: sum over it, and keep it with size 1.",
)


def stretched_axes(v, shape):
    return v.sum(axis=tuple(i for i, size in enumerate(shape) if size == 1), keepdims=True)


MISTAKES["unbroadcast: only the stretched axes"] = wrong_rule(
    "unbroadcast",
    stretched_axes,
    "unbroadcast: the stretched axes are summed, but broadcasting also puts new axes **in "
    "front**. Sum those away first, so that the axes of v and of shape stand side by side.",
)


def no_keepdims(v, shape):
    v = lead_axes(v, shape)
    return v.sum(axis=tuple(i for i, size in enumerate(shape) if size == 1))


MISTAKES["unbroadcast: no keepdims"] = wrong_rule(
    "unbroadcast",
    no_keepdims,
    "unbroadcast: the numbers are right, the shape is not. x has an axis of size 1 there, so "
    "its gradient has one too: `keepdims=True`.",
)


def first_copy(v, shape):
    v = v[(0,) * (v.ndim - len(shape))]
    return v[tuple(slice(0, 1) if size == 1 else slice(None) for size in shape)]


MISTAKES["unbroadcast: one of the copies"] = wrong_rule(
    "unbroadcast",
    first_copy,
    "unbroadcast: you took v of the first copy only. x was used in every copy, so all their messages **add**.",
)


def mean_copy(v, shape):
    g = VJP.unbroadcast(v, shape)
    return g * g.size / v.size


MISTAKES["unbroadcast: the mean"] = wrong_rule(
    "unbroadcast",
    mean_copy,
    "unbroadcast: the messages of the copies add; you averaged them. Copying forward is adding backward.",
)

MISTAKES["unbroadcast: reshape"] = wrong_rule(
    "unbroadcast",
    lambda v, shape: v.reshape(shape),
    "unbroadcast: v has more entries than x, because x was copied. The copies' messages must be "
    "added up; a reshape cannot do that.",
)

MISTAKES["matmul: the second is transposed"] = wrong_rule(
    "matmul",
    lambda v, A, B: (v @ B.T, v.T @ A),
    "matmul: the gradient for A is right, the one for B is transposed. It has the shape of B: `A.T @ v`.",
)

MISTAKES["sum: copies along the wrong axis"] = wrong_rule(
    "sum",
    lambda v, shape, axis: np.repeat(v, shape[axis]).reshape(shape),
    "sum: the copies of v lie along the wrong axis, unless it is the last one. Put the axis back first, "
    "`np.expand_dims(v, axis)`, and stretch v along it.",
)

MISTAKES["unbroadcast: the first axis always"] = wrong_rule(
    "unbroadcast",
    lambda v, shape: v.sum(0),
    "unbroadcast: you sum over an axis that was not stretched. Where v has the shape of x already, nothing was copied and nothing "
    "is to be added: sum only over the axes that are new or stretched.",
)

MISTAKES["unbroadcast: the sum of all"] = wrong_rule(
    "unbroadcast",
    lambda v, shape: np.broadcast_to(v.sum(), shape),
    "unbroadcast: every x got the sum of the whole of v. Each x gets only the sum over its **own** copies.",
)
