"""03.2 Jacobian puzzles: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch03.ex01.answer import numjac
from minigrad.course.bank.ch03.ex02.answer import Jac
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def with_rule(**rules: Callable[..., Any]) -> type:
    """The right class, but for these methods."""
    return type("Jac", (Jac,), {name: staticmethod(rule) for name, rule in rules.items()})


def by_differences(eps: float) -> type:
    """All six by central differences."""
    return with_rule(
        relu=lambda x: numjac(lambda x: np.maximum(x, 0), x, eps),
        cumsum=lambda x: numjac(np.cumsum, x, eps),
        running_mean=lambda x, k: numjac(lambda x: np.convolve(x, np.ones(k) / k, "valid"), x, eps),
        outer=lambda x, b: numjac(lambda x: np.outer(x, b).ravel(), x, eps),
        transpose=lambda X: numjac(lambda x: x.reshape(X.shape).T.ravel(), X.ravel(), eps),
        sort=lambda x: numjac(np.sort, x, eps),
    )


MISTAKES["differences"] = Mistake(
    by_differences(1e-6),
    "Nearly right, up to the error of differences. Keep them for the check. Here every entry can be said "
    "exactly: which outputs does `x[j]` reach, and with which slope?",
)


def wrong_rule(rule: str, wrong: Callable[..., Any], hint: str) -> Mistake:
    return Mistake(with_rule(**{rule: wrong}), f"{rule}: {hint}")


MISTAKES["relu: the slopes only"] = wrong_rule(
    "relu",
    lambda x: (x > 0) * 1.0,
    "these are the slopes, and they are right. But J is a table, with a row for each output: the slopes stand "
    "on its diagonal, and elsewhere is 0, because y[i] sees no other input than x[i].",
)

MISTAKES["relu: in every row"] = wrong_rule(
    "relu",
    lambda x: np.ones((len(x), 1)) * (x > 0),
    "each output sees which inputs? y[i] depends on x[i] alone. Off the diagonal all is 0.",
)

MISTAKES["relu: all pass"] = wrong_rule(
    "relu",
    lambda x: np.eye(len(x)),
    "where x[i] is negative, y[i] is 0 and stays 0 when x[i] moves a little. Its slope is 0, not 1.",
)

MISTAKES["relu: the values"] = wrong_rule(
    "relu",
    lambda x: np.diag(np.maximum(x, 0)),
    "these are the values of y on the diagonal. J holds **slopes**: how much y[i] grows for each bit that x[i] grows.",
)

MISTAKES["cumsum: upper"] = wrong_rule(
    "cumsum",
    lambda x: np.triu(np.ones((len(x), len(x)))),
    "upper and lower are swapped. y[0] is x[0] alone, so the **first row** has a single 1. Rows are outputs.",
)

MISTAKES["cumsum: all ones"] = wrong_rule(
    "cumsum", lambda x: np.ones((len(x), len(x))), "each output sees which inputs? y[1] = x[0] + x[1] knows nothing of x[2]."
)

MISTAKES["cumsum: no diagonal"] = wrong_rule(
    "cumsum", lambda x: np.tril(np.ones((len(x), len(x))), -1), "y[i] ends with x[i] itself: the diagonal is 1."
)

MISTAKES["running_mean: transposed"] = wrong_rule(
    "running_mean",
    lambda x, k: Jac.running_mean(x, k).T,
    "shape (n, m), and J has shape (m, n). There are n − k + 1 outputs, so that many rows.",
)

MISTAKES["running_mean: not divided"] = wrong_rule(
    "running_mean",
    lambda x, k: k * Jac.running_mean(x, k),
    "that is the running **sum**. Each x in the window has the slope 1/k.",
)

MISTAKES["running_mean: every input"] = wrong_rule(
    "running_mean",
    lambda x, k: np.full((len(x) - k + 1, len(x)), 1 / k),
    "each output sees which inputs? y[i] sees x[i] to x[i + k − 1], and the rest of its row is 0.",
)

MISTAKES["running_mean: square"] = wrong_rule(
    "running_mean",
    lambda x, k: sum(np.eye(len(x), k=shift) for shift in range(k)) / k,
    "too many rows. The last window begins at n − k, so there are n − k + 1 outputs.",
)

MISTAKES["outer: transposed"] = wrong_rule(
    "outer",
    lambda x, b: Jac.outer(x, b).T,
    "J has a row for each of the len(x) · len(b) products, and a column for each x[i]. Yours is transposed.",
)

MISTAKES["outer: the other order"] = wrong_rule(
    "outer",
    lambda x, b: np.kron(b[:, None], np.eye(len(x))),
    "the right rows in the wrong order. `.ravel()` reads row by row: first all products of x[0], then all of "
    "x[1]. So column 0 begins with the whole of b.",
)

MISTAKES["outer: b everywhere"] = wrong_rule(
    "outer",
    lambda x, b: np.tile(b[:, None], (len(x), len(x))),
    "each output sees which inputs? x[i] · b[j] sees x[i] alone: in every row a single entry is not 0.",
)

MISTAKES["outer: ones"] = wrong_rule(
    "outer",
    lambda x, b: np.kron(np.eye(len(x)), np.ones((len(b), 1))),
    "the places are right. But the slope of x[i] · b[j] by x[i] is b[j], not 1.",
)

MISTAKES["transpose: nothing moves"] = wrong_rule(
    "transpose",
    lambda X: np.eye(X.size),
    "that is the Jacobian of y = x. Entry 1 of X.T.ravel() is X[1, 0], and in X.ravel() that stands at place "
    "q, not at place 1.",
)

MISTAKES["transpose: the way back"] = wrong_rule(
    "transpose",
    lambda X: Jac.transpose(X).T,
    "that is the way back: the ones stand at (input, output), and rows are outputs. In row i the 1 stands in "
    "the column from which y[i] **came**.",
)

MISTAKES["transpose: X.T"] = wrong_rule(
    "transpose",
    lambda X: X.T,
    "that is y itself. J has a row for each of the p · q outputs and a column for each of the p · q inputs.",
)

MISTAKES["sort: the way back"] = wrong_rule(
    "sort",
    lambda x: np.eye(len(x))[np.argsort(np.argsort(x))],
    "that is the way back: the ones stand at (input, output), and rows are outputs. Row 0 belongs to the "
    "smallest entry: its 1 stands in the column where that entry was.",
)

MISTAKES["sort: nothing moves"] = wrong_rule(
    "sort",
    lambda x: np.eye(len(x)),
    "that would be right if x were sorted already. y[0] is the smallest entry, wherever it stands in x.",
)

MISTAKES["sort: no slope"] = wrong_rule(
    "sort",
    lambda x: np.zeros((len(x), len(x))),
    "when the smallest entry grows a little, y[0] grows as much: a slope of 1. Sorting chooses places, and then it copies.",
)

MISTAKES["relu: the sign"] = wrong_rule(
    "relu",
    lambda x: np.diag(np.sign(x)),
    "that is the Jacobian of |x|. Where x[i] is negative, relu is flat: its slope there is 0, not -1.",
)

MISTAKES["cumsum: the terms"] = wrong_rule(
    "cumsum",
    lambda x: np.tril(np.outer(np.ones(len(x)), x)),
    "these are the terms of each sum. J holds **slopes**: in x[0] + … + x[i] each x[j] has the slope 1.",
)

MISTAKES["running_mean: the last row is missing"] = wrong_rule(
    "running_mean",
    lambda x, k: Jac.running_mean(x, k)[:-1],
    "the last row is missing. i goes from 0 to n − k, both included: n − k + 1 rows.",
)
