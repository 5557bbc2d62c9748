"""13.6 log-softmax: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch13.common import Array
from minigrad.course.bank.ch13.ex06.answer import LogSoftmax
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def with_rule(**rules: Callable[..., Any]) -> type:
    """The reference with other functions in some places."""
    return type("LogSoftmax", (LogSoftmax,), {name: staticmethod(rule) for name, rule in rules.items()})


MISTAKES["exp without a shift"] = Mistake(
    with_rule(forward=lambda z: z - np.log(np.exp(z).sum(axis=1, keepdims=True))),
    "e¹⁰⁰⁰ is infinite, and e⁻¹⁰⁰⁰ is 0, whose logarithm is −inf. Subtract the largest number of each row **before** "
    "`exp`: the result is the same in theory, and no exponential is larger than 1.",
)


def naive_p(z: Array) -> Array:
    e = np.exp(z)
    return e / e.sum(axis=1, keepdims=True)


MISTAKES["the logarithm of softmax, unshifted"] = Mistake(
    with_rule(forward=lambda z: np.log(naive_p(z))),
    "The logarithm of softmax, taken literally, gives inf / inf = NaN for large numbers, and log 0 = −inf for what is "
    "far below. Take the logarithm by hand: z − max − log Σ exp(z − max).",
)


def stable_softmax(z: Array) -> Array:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


MISTAKES["the logarithm of a stable softmax"] = Mistake(
    with_rule(forward=lambda z: np.log(stable_softmax(z))),
    "Your softmax holds, but the share of a class that is 2000 below the largest is rounded to 0, and log 0 is −inf. "
    "The right answer is −2000. Do not compute the share first: z − max − log Σ exp(z − max).",
)

MISTAKES["a little is added to the share"] = Mistake(
    with_rule(forward=lambda z: np.log(stable_softmax(z) + 1e-12)),
    "With 1e-12 added no logarithm is infinite, but none is below −27.6 either, where −2000 may be right; and all others "
    "are a little wrong. Do not compute the share first: z − max − log Σ exp(z − max).",
)


MISTAKES["very little is added to the share"] = Mistake(
    with_rule(forward=lambda z: np.log(stable_softmax(z) + 1e-300)),
    "The little that you add hides −inf, and gives −690 where −2000 is right. Do not compute the share first: "
    "z − max − log Σ exp(z − max).",
)


def forward_from_mean(z: Array) -> Array:
    shifted = z - z.mean(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


MISTAKES["shifted by the mean"] = Mistake(
    with_rule(forward=forward_from_mean),
    "You shift, and not by the maximum of the row. The largest may still lie 1000 above the mean, or whatever else you subtract, and "
    "e¹⁰⁰⁰ is infinite: shift by the maximum.",
)


def forward_clipped(z: Array) -> Array:
    z = np.clip(z, -700, 700)
    return z - np.log(np.exp(z).sum(axis=1, keepdims=True))


MISTAKES["clipped"] = Mistake(
    with_rule(forward=forward_clipped),
    "You clip the numbers, and then all that lie beyond the bound are equal. Shift them: the differences stay what they are.",
)


def forward_max_of_all(z: Array) -> Array:
    shifted = z - z.max()
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


MISTAKES["one maximum for all rows"] = Mistake(
    with_rule(forward=forward_max_of_all),
    "You subtract the largest number of the **whole batch**. In a row that lies far below it all exponentials are 0, "
    "and log 0 is −inf. Each row needs its own: `z.max(axis=1, keepdims=True)`.",
)

MISTAKES["keepdims forgotten"] = Mistake(
    with_rule(forward=lambda z: z - z.max(axis=1) - np.log(np.exp(z - z.max(axis=1)).sum(axis=1))),
    "The maximum of each row has the shape (b,), and NumPy lines it up with the **columns** of `z`. Keep the axis: "
    "`z.max(axis=1, keepdims=True)` has the shape (b, 1). The sum needs it too.",
)

MISTAKES["keepdims forgotten in the vjp"] = Mistake(
    with_rule(vjp=lambda g, z: g - stable_softmax(z) * g.sum(axis=1)),
    "The sum of each row has the shape (b,), and NumPy lines it up with the **columns**. Keep the axis: "
    "`g.sum(axis=1, keepdims=True)` has the shape (b, 1).",
)


def forward_columns(z: Array) -> Array:
    shifted = z - z.max(axis=0)
    return shifted - np.log(np.exp(shifted).sum(axis=0))


COLUMNS = (
    "You normalised the columns: the exponentials of your result add up to 1 down each column. The classes of one "
    "example stand in a **row**: axis 1."
)
MISTAKES["columns"] = Mistake(with_rule(forward=forward_columns), COLUMNS)


def forward_added_down(z: Array) -> Array:
    shifted = z - z.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=0))


MISTAKES["shifted by rows, added up by columns"] = Mistake(with_rule(forward=forward_added_down), COLUMNS)


def forward_shift_lost(z: Array) -> Array:
    return z - np.log(np.exp(z - z.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True))


MISTAKES["the shift is lost"] = Mistake(
    with_rule(forward=forward_shift_lost),
    "You subtracted the maximum inside of `exp`, but not outside. Shift first, and go on with the shifted numbers "
    "only; or add the maximum to the logarithm again.",
)


def forward_all_rows(z: Array) -> Array:
    shifted = z - z.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum())


MISTAKES["all rows together"] = Mistake(
    with_rule(forward=forward_all_rows),
    "You add the exponentials of the whole batch. Each row is an example of its own: `sum(axis=1, keepdims=True)`.",
)

MISTAKES["the sum of g forgotten"] = Mistake(
    with_rule(vjp=lambda g, z: g - stable_softmax(z)),
    "`g − p` is right where `g` adds up to 1 in each row, as a one-hot does. In general the row of J is e − p, "
    "so gᵀJ is g − p · Σg: the sum over the row.",
)

MISTAKES["diagonal only"] = Mistake(
    with_rule(vjp=lambda g, z: g * (1 - stable_softmax(z))),
    "You kept only the diagonal of the Jacobian, 1 − p. But raising one number lowers the log-probability of all the "
    "**others** in its row, by p. So all entries of `g` count: g − p · Σg.",
)

MISTAKES["the transposed Jacobian"] = Mistake(
    with_rule(vjp=lambda g, z: g - (g * stable_softmax(z)).sum(axis=1, keepdims=True)),
    "You multiplied J by g, and not gᵀ by J. J has the entry δ(i, j) − p[j]: its rows are all shifted by the **same** "
    "p. Summed over i, that is g[j] − p[j] · Σg.",
)

MISTAKES["the sum of the whole batch"] = Mistake(
    with_rule(vjp=lambda g, z: g - stable_softmax(z) * g.sum()),
    "You summed `g` over the whole batch. Each row is an example of its own: `g.sum(axis=1, keepdims=True)`.",
)

MISTAKES["the rule of softmax"] = Mistake(
    with_rule(vjp=lambda g, z: stable_softmax(z) * (g - (g * stable_softmax(z)).sum(axis=1, keepdims=True))),
    "That is the rule of **softmax**. The logarithm behind it divides by p, and so it cancels: g − p · Σg.",
)


def whole_batch_p(z: Array) -> Array:
    e = np.exp(z - z.max())
    return e / e.sum(axis=1, keepdims=True)


MISTAKES["one maximum for all rows, in the vjp"] = Mistake(
    with_rule(vjp=lambda g, z: g - whole_batch_p(z) * g.sum(axis=1, keepdims=True)),
    "The formula is right, but your shares have one shift for the **whole batch**. In a row that lies far below it all "
    "exponentials are 0, and 0 / 0 is NaN. You have the log-probabilities: `p = np.exp(LogSoftmax.forward(z))`.",
)

MISTAKES["unshifted p in the vjp"] = Mistake(
    with_rule(vjp=lambda g, z: g - naive_p(z) * g.sum(axis=1, keepdims=True)),
    "The formula is right, but `exp` has no shift here: inf / inf, and a NaN. You have the log-probabilities: "
    "`p = np.exp(LogSoftmax.forward(z))`.",
)

MISTAKES["p less g"] = Mistake(
    with_rule(vjp=lambda g, z: stable_softmax(z) - g),
    "The sign is turned round, and Σg is missing: g − p · Σg. (p − y is the gradient of a *loss*, −log p, for the one-hot y.)",
)


def shifted_in_place(z: Array) -> Array:
    z -= z.max(axis=1, keepdims=True)
    return z - np.log(np.exp(z).sum(axis=1, keepdims=True))


MISTAKES["z is shifted in place"] = Mistake(
    with_rule(forward=shifted_in_place),
    "The numbers are right, but `z -= …` writes into the array of the caller. `shifted = z - …` makes a new one.",
)

MISTAKES["no logarithm"] = Mistake(
    with_rule(forward=stable_softmax), "That is softmax, the shares. Its logarithm is asked for: z − max − log Σ exp(z − max)."
)
