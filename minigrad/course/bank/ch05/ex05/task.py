"""05.5 The staircase: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch05.common import (
    NOT_USED,
    USED,
    Array,
    Watch,
    are_arrays,
    how_drawn,
    is_line,
    lines_seen,
    new_axes,
    numpy_type,
)
from minigrad.course.bank.shared import close_figures, open_figures
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def staircase_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    limit, factor, border = float(rng.uniform(200, 900)), float(rng.uniform(1.6, 2.8)), float(rng.uniform(2, 4))
    low, high = rng.uniform(0.2, 0.5), rng.uniform(0.8, 1.5)

    def growing(a: Any) -> Any:
        b = factor * a
        while b.norm() < limit:
            b = factor * b
        return b if b.sum() > 0 else 100 * b

    def brackets(a: Any) -> Any:
        return float(low) * a if a < border else float(low) * border + float(high) * (a - border)

    def squaring(a: Any) -> Any:
        while a.sum() < limit:
            a = a * a + a
        return a

    def points(n: int, start: float, end: float) -> Array:
        jitter = np.exp(rng.uniform(-0.02, 0.02, size=n))
        return (np.geomspace(start, end, n) * jitter).astype(numpy_type(dtype))

    return [
        Case(f"multiplied by {factor:.2f} until the norm is {limit:.0f}, at 12 points", (growing, points(12, 0.01, 100))),
        Case(f"two brackets, with the border at {border:.2f}, at 9 points", (brackets, points(9, 0.3, 30))),
        Case(f"a = a·a + a until the sum is {limit:.0f}, at 7 points", (squaring, points(7, 0.5, 20))),
        Case(f"a = a·a + a until the sum is {limit:.0f} again, at 7 other points", (squaring, points(7, 0.3, 40))),
    ]


def stairs(f: Callable[..., Any], xs: Array) -> tuple[Array, Array]:
    """The values of f at these places, and its slopes."""
    leaves = [mg.tensor(a, requires_grad=True) for a in xs]
    values = [f(x) for x in leaves]
    mg.autograd.backward(values)
    return tuple(np.array([t.item() for t in part]) for part in (values, [x.grad for x in leaves]))  # type: ignore[return-value]


def how_stairs_are_drawn(ax: Any, f: Callable[..., Any], xs: Array) -> str:
    """In words, what is seen on the ax of the slopes of f."""
    lines = lines_seen(ax)
    values, ys = stairs(f, xs)
    if not lines:
        return "only points" if ax.collections else "missing"
    with np.errstate(all="ignore"):
        logs = any(is_line(line, log(xs), log(ys)) for line in lines for log in (np.log, np.log10, np.log2))
    how = how_drawn(lines, xs, lambda places: stairs(f, places)[1])
    if logs or how == "drawn":
        return "the logarithms, drawn" if logs else "drawn"
    if any(is_line(line, xs, values) for line in lines):
        return "with the values f(a)"
    return {"missing": "with other values", "not drawn as a line": "only points"}.get(how, how)


def watch_staircase(answer: Callable[..., Any], f: Callable[..., Any], xs: Array) -> Any:
    watch, ax, before, places = Watch(), new_axes(), open_figures(), xs.copy()
    try:
        slopes = answer(ax, watch.around(f), xs)
    finally:
        close_figures(before)
    kind = are_arrays(slopes)
    if isinstance(slopes, mg.Tensor):
        slopes = slopes.detach().numpy()
    if not isinstance(slopes, np.ndarray | list | tuple):
        return unfit(slopes, "a NumPy array with a slope for each point")
    if watch.given and not watch.passes:
        return NOT_USED

    def logarithmic(name: str) -> str:
        return {"log": "logarithmic", "symlog": "symlog, which is linear near 0"}.get(name, name)

    return {
        "slopes": slopes,
        "the line": how_stairs_are_drawn(ax, f, places),
        "the x axis": logarithmic(ax.get_xscale()),
        "the y axis": logarithmic(ax.get_yscale()),
        "what f was given": next((what for what in watch.given if what != "a Tensor of shape ()"), "a Tensor of shape ()"),
        **(USED if watch.passes else NOT_USED),
        "cost_kind": kind,
    }


def staircase_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    border = float(rng.uniform(2, 4))

    def shifted(a: Any) -> Any:
        return 2 * a + 5 if a < border else 3 * a + 1

    return [
        Case(
            "a straight line on each side, with something added, at 6 points",
            (shifted, np.geomspace(0.5, 20, 6).astype(numpy_type(dtype))),
        )
    ]


TASK = Part(
    id="05.5",
    title="The staircase",
    difficulty=3,
    minutes=9,
    requirements=(
        Requirement(
            "`f` takes a Tensor of shape `()` and returns one of shape `()`. It has an `if` or a `while` in it: which way it "
            "goes depends on the number.",
            ("one graph for all points", "a leaf of shape (1,)"),
        ),
        Requirement("`xs` is a NumPy array of shape (n,), positive and in rising order. All slopes are positive."),
        Requirement(
            "Return a NumPy array of shape (n,).",
            ("the values returned", "the slopes add up", "one gradient, kept many times"),
        ),
        Requirement("`f` need not be a plain multiple of its number: f(a) / a is no slope.", ("no autograd",)),
        Requirement("The slopes are drawn over `xs` as a line on `ax`.", ("nothing is drawn", "points", "the values drawn")),
        Requirement("**Both axes** are logarithmic.", ("linear axes", "one axis")),
    ),
    cases=staircase_cases,
    edges=staircase_edges,
    observe=watch_staircase,
    tolerance=1e-5,
    musts={"cost_kind": "a NumPy array is wanted, and yours is something else."},
)
