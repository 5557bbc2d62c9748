"""12.9 Row by row: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def centre_rows_by_index(x, w):
    y = x * w
    for i in range(len(y)):
        y[i] -= y[i].mean()
    return y


WASTEFUL["a write for each row"] = Mistake(
    centre_rows_by_index,
    "Right: an index opens one window at a time, and each write is recorded. But n writes are n nodes, and backward each "
    "of them copies the gradient of the **whole** table. One subtraction with `keepdim=True` does it at once.",
)

MISTAKES: dict[str, Mistake] = {}


def centre_rows_broken(x, w):
    y = x * w
    for row in y:
        row -= row.mean()
    return y


MISTAKES["the loop still writes"] = Mistake(
    centre_rows_broken,
    "It is still refused: a loop over a tensor opens **all** its rows at once, with one node (`unbind`), and none of such "
    "windows may be written. Make a new tensor instead of writing.",
)


def centre_rows_named(x, w):
    y = x * w
    for row in y:
        row = row - row.mean()
    return y


MISTAKES["nothing is subtracted"] = Mistake(
    centre_rows_named,
    "No error, and nothing has happened: `row = row - …` gives the *name* to a new tensor and leaves `y` alone. The new "
    "rows must be collected, or all of them made at once.",
)


def centre_rows_without_grad(x, w):
    y = x * w
    with mg.no_grad():
        for row in y:
            row -= row.mean()
    return y


MISTAKES["the graph knows nothing of it"] = Mistake(
    centre_rows_without_grad,
    "The numbers are right, and the gradient is that of `x * w` alone. The mean depends on `w` too: the subtraction must "
    "be recorded, and the mean keep its history.",
)


def minus(mean: Callable[[Any], Any]) -> Callable[..., Any]:
    """The way of the reference, with another mean."""
    return lambda x, w: (lambda y: y - mean(y))(x * w)


MISTAKES["the mean of the columns"] = Mistake(
    minus(lambda y: y.mean(0)), "You subtract from each *column* its mean. From each **row** its own: sum over axis 1."
)

MISTAKES["one mean for all"] = Mistake(minus(lambda y: y.mean()), "One mean for the whole table. Each row has its own.")

MISTAKES["the means lie across"] = Mistake(
    minus(lambda y: y.mean(1)),
    "The means have shape (n,), and broadcasting lines them up with the *columns*. Keep the axis: `y.mean(1, keepdim=True)` has "
    "shape (n, 1).",
    evidence=lambda source, seen: "keepdim" not in source and "mean(0" not in source,
)

MISTAKES["centred before it is scaled"] = Mistake(
    lambda x, w: (x - x.mean(1, keepdim=True)) * w,
    "First scale, then centre: what is subtracted is the mean of the scaled row, of `x * w`.",
)

MISTAKES["the sum, not the mean"] = Mistake(
    lambda x, w: x * w - (x * w).sum(1, keepdim=True),
    "You subtract the sum of the row, and not its mean: divide by the number of its entries, or take `mean`.",
)
