"""05.1 f and f′: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch05.common import NOT_USED, USED, Array, Watch, are_arrays, numpy_type
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def curve_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b, c = (float(rng.uniform(0.6, 1.8) * rng.choice([-1, 1])) for _ in range(3))

    def points(n: int) -> Array:
        return np.sort(rng.normal(size=n)).astype(numpy_type(dtype))

    def ladder(x: Any) -> Any:
        for k in range(3):
            x = mg.sin(x + k) if k % 2 else a * x + x**2
        return x

    return [
        Case("sin(ax) + bx² at 7 points", (lambda x: mg.sin(a * x) + b * x**2, points(7))),
        Case("c exp(−x²) at 5 points", (lambda x: c * mg.exp(-(x**2)), points(5))),
        Case("tanh(ax) − x at 12 points", (lambda x: mg.tanh(a * x) - x, points(12))),
        Case("a function with a loop, at 6 points", (ladder, points(6))),
        Case("b|x| + c at 4 points", (lambda x: b * x.abs() + c, points(4))),
        Case("the function with a loop again, at 6 other points", (ladder, points(6))),
    ]


def watch_curve(answer: Callable[..., Any], f: Callable[..., Any], xs: Array) -> Any:
    watch = Watch()
    result = answer(watch.around(f), xs)
    if not isinstance(result, tuple | list) or len(result) != 2:
        return unfit(result, "a pair of NumPy arrays: the values and the slopes")
    ys, slopes = result
    if any(part is None for part in result):
        return {name: "None" for name, part in (("values", ys), ("slopes", slopes)) if part is None}
    if isinstance(ys, mg.Tensor):
        return {"values": "a Tensor, not a NumPy array"}
    if watch.given and not watch.passes:
        return NOT_USED
    used = USED if watch.passes else NOT_USED
    return {"values": ys, "slopes": slopes, **used, "cost_passes": watch.passes, "cost_kind": are_arrays(ys, slopes)}


def curve_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = numpy_type(dtype)
    return [
        Case("one point", (lambda x: mg.sin(x) + x, rng.normal(size=1).astype(precision))),
        Case("at 0, and at equal points", (lambda x: x**3 + 2 * x, np.array([0.0, 0.0, -1.0, 2.0], precision))),
        Case("a straight line", (lambda x: 3 * x - 1, rng.normal(size=4).astype(precision))),
        Case("points out of order", (lambda x: mg.exp(x), np.array([2.0, -1.0, 0.5], precision))),
    ]


TASK = Part(
    id="05.1",
    title="f and f′",
    difficulty=2,
    minutes=8,
    requirements=(
        Requirement(
            "`f` takes a Tensor and works on each entry by itself. You do not know its formula, and may not guess it.",
        ),
        Requirement("`xs` is a NumPy array of shape (n,). Leave it as it is.", attacks=("writes into its inputs",)),
        Requirement(
            "Return two NumPy arrays of shape (n,): first f(xs), then f′(xs).",
            ("swapped", "tensors", "lists", "mean", "squared"),
        ),
        Requirement(
            "The slopes come from autograd. One backward pass is enough: the checker counts them, and tells you when you "
            "took more.",
            ("no autograd",),
        ),
    ),
    cases=curve_cases,
    edges=curve_edges,
    observe=watch_curve,
    musts={"cost_kind": "two NumPy arrays are wanted, and at least one of yours is something else."},
    tolerance=1e-5,
)
