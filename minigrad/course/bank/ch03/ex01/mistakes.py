"""03.1 Finite differences: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch03.common import Array
from minigrad.course.bank.ch03.ex01.answer import numjac
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def one_sided(f, x, eps=1e-6):
    x = np.asarray(x, dtype=float)
    return np.stack([(f(x + step) - f(x)) / eps for step in eps * np.eye(len(x))], axis=1)


ONE_SIDE = (
    "Your difference has one side only. From eps = 0.01 to 0.001 its error fell 10×, not 100×. Look from both sides: "
    "`f(x + step) - f(x - step)`, over the whole way of `2 * eps`."
)

MISTAKES["one-sided"] = Mistake(one_sided, ONE_SIDE)


def one_sided_back(f, x, eps=1e-6):
    x = np.asarray(x, dtype=float)
    return np.stack([(f(x) - f(x - step)) / eps for step in eps * np.eye(len(x))], axis=1)


MISTAKES["one-sided, backward"] = Mistake(one_sided_back, ONE_SIDE)


def transposed(f, x, eps=1e-6):
    return np.array([(f(x + step) - f(x - step)) / (2 * eps) for step in eps * np.eye(len(x))])


MISTAKES["transposed"] = Mistake(
    transposed,
    "Rows are outputs, columns are inputs: J has shape (m, n). One step in `x[j]` moves all outputs at once, and "
    "what it gives is **column** j. Yours stands as a row.",
)


def numjac_by(f: Any, x: Array, eps: float, slope: Callable[..., Array]) -> Array:
    """The Jacobian from f above, at and below x."""
    columns = []
    for j in range(len(x)):
        e = np.zeros(len(x))
        e[j] = eps
        columns.append(slope(np.array(f(x + e)), np.array(f(x + 0.0)), np.array(f(x - e))))
    return np.array(columns).T


MISTAKES["the 2 is missing"] = Mistake(
    lambda f, x, eps=1e-6: numjac_by(f, x, eps, lambda up, here, down: (up - down) / eps),
    "Twice too large: from x − step to x + step it is **2 eps**, not eps.",
)

MISTAKES["times eps"] = Mistake(
    lambda f, x, eps=1e-6: numjac_by(f, x, eps, lambda up, here, down: (up - down) / 2 * eps),
    "Nearly zero. Python reads `d / 2 * eps` as `(d / 2) * eps`: write `d / (2 * eps)`.",
)


def moved_in_place(f, x, eps=1e-6):
    columns = []
    for j in range(len(x)):
        x[j] += eps
        up = f(x).copy()
        x[j] -= 2 * eps
        down = f(x).copy()
        x[j] += eps
        columns.append((up - down) / (2 * eps))
    return np.stack(columns, axis=1)


MISTAKES["x is moved in place"] = Mistake(
    moved_in_place,
    "You moved `x` itself. (`up = x` makes no copy: it is a second name for the same array.) Even if you move it "
    "back, rounding may leave it a little off, and whoever else holds x sees it move. Make a new array for each "
    "point: `x + step`.",
)


def eps_lost_like(f, x, eps=1e-6):
    columns = []
    for j in range(len(x)):
        step = np.zeros_like(x)
        step[j] = eps
        columns.append((f(x + step) - f(x - step)) / (2 * eps))
    return np.stack(columns, axis=-1)


LOST = (
    "x holds whole numbers here, and an array of whole numbers cannot hold `x[j] + eps`: NumPy cuts it off. The step "
    "is lost. Turn x into floats first: `x.astype(float)`."
)

MISTAKES["whole numbers"] = Mistake(eps_lost_like, LOST)


def eps_lost(f, x, eps=1e-6):
    J = np.zeros((len(f(x)), len(x)))
    for j in range(len(x)):
        up, down = x.copy(), x.copy()
        up[j] += eps
        down[j] -= eps
        J[:, j] = (f(up) - f(down)) / (2 * eps)
    return J


MISTAKES["whole numbers, down is 1"] = Mistake(eps_lost, LOST)


def one_array(f, x, eps=1e-6):
    J = np.zeros((len(f(x)), len(x)))
    moved = x.astype(float)
    for j in range(len(x)):
        moved[j] = x[j] + eps
        up = f(moved)
        moved[j] = x[j] - eps
        J[:, j] = (up - f(moved)) / (2 * eps)
        moved[j] = x[j]
    return J


MISTAKES["one array for both sides"] = Mistake(
    one_array,
    "Zeros, because f may hand back its own input, or a part of it, as `x[1:]` does. You moved one array up, "
    "called f, and moved the same array down: that moved the first result too. Give f a new array each time.",
)


def all_at_once(f, x, eps=1e-6):
    return (f(x + eps) - f(x - eps)) / (2 * eps)


MISTAKES["all inputs at once"] = Mistake(
    all_at_once,
    "`x + eps` moves **all** inputs together, so you get one number for each output: the sum of its row. "
    "Move one input at a time: n steps give n columns.",
)


def not_put_back(f, x, eps=1e-6):
    up, down = np.array(x, dtype=float), np.array(x, dtype=float)
    J = np.zeros((len(f(x)), len(x)))
    for j in range(len(x)):
        up[j] += eps
        down[j] -= eps
        J[:, j] = (f(up) - f(down)) / (2 * eps)
    return J


MISTAKES["the last step stays"] = Mistake(
    not_put_back,
    "The first column is right. Then `x[0]` stays where you moved it, while `x[1]` moves too. Begin each column at x itself.",
)

MISTAKES["steps of 1"] = Mistake(
    lambda f, x, eps=1e-6: np.array([(f(x + e) - f(x - e)) / (2 * eps) for e in np.eye(len(x))]).T,
    "You divide by 2 eps, but the step is 1: the rows of `np.eye(n)` are steps of 1. Multiply by eps.",
)

MISTAKES["eps is ignored"] = Mistake(
    lambda f, x, eps=1e-6: numjac(f, x, 1e-6),
    "Your table is the same for two different `eps`. The step is `eps`, in both places where the formula has it, and what comes "
    "out is not rounded. The checker looks at how the error falls with `eps`.",
)


def table_of_whole_numbers(f, x, eps=1e-6):
    return numjac(f, x, eps).astype(x.dtype)


MISTAKES["a table of whole numbers"] = Mistake(
    table_of_whole_numbers,
    "x holds whole numbers here, and so does your table: it cuts off what stands behind the point of each slope. Make the table "
    "without `dtype=x.dtype`, and not from `x`: `np.zeros((m, n))` holds floats.",
)
