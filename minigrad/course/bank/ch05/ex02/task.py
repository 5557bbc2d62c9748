"""05.2 The figure: what is asked, and what is seen of an answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch05.common import (
    Array,
    how_drawn,
    is_line,
    is_stroke,
    new_axes,
    numpy_type,
)
from minigrad.course.bank.shared import came_back, close_figures, in_legends, open_figures
from minigrad.course.exercise import Case, Part, Requirement


def draw_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b = rng.uniform(0.5, 1.5, size=2).tolist()

    def points(n: int) -> Array:
        return np.linspace(-2, 2 + a, n).astype(numpy_type(dtype))

    return [
        Case("sin(ax) + bx over 40 points", (lambda x: mg.sin(a * x) + b * x, points(40))),
        Case("x exp(−bx²) over 33 points", (lambda x: x * mg.exp(-b * x**2), points(33))),
    ]


def legend_of(ax: Any, lines: list[Any]) -> str:
    entries = in_legends(ax)
    if not entries:
        named = any(not str(line.get_label()).startswith("_") for line in lines)
        return "missing" if entries is None else "without entries" + ", and lines have names" * named
    return "one entry" if len(entries) == 1 else "one name for two lines" if len(set(entries)) == 1 else "names both"


def named_crosswise(lines: list[Any], xs: Array, ys: Array, slopes: Array) -> bool:
    """Whether the values have the name of a slope, and the slopes have not."""
    told = [
        [bool(re.search(r"['′’]|slope|deriv|grad|/ ?dx", str(line.get_label()))) for line in lines if is_line(line, xs, part)]
        for part in (ys, slopes)
    ]
    hidden = any(str(line.get_label()).startswith("_") for line in lines if is_line(line, xs, slopes))
    return told == [[True], [False]] and not hidden


def watch_draw(answer: Callable[..., Any], f: Callable[..., Any], xs: Array) -> Any:
    ax, before = new_axes(), open_figures()
    try:
        returned = answer(ax, f, xs)
    finally:
        close_figures(before)
    x = mg.tensor(xs)
    ys, slopes = (t.numpy() for t in mg.autograd.functional.jvp(f, x, mg.ones_like(x)))
    lines = [line for line in ax.get_lines() if line.get_visible()]
    if not any(map(is_stroke, lines)):
        return {"lines": "points, but no line" if lines or ax.collections else "none on the ax that was given"}
    how = [how_drawn(lines, xs, part) for part in (ys, slopes)]
    others = [line for other in ax.figure.axes if other is not ax for line in other.get_lines()]
    if any(there == "missing" and how_drawn(others, xs, part) == "drawn" for there, part in zip(how, (ys, slopes), strict=True)):
        return {"lines": "one is on other Axes"}
    return {
        "the line of f": how[0],
        "the line of f′": how[1],
        "the legend": "names exchanged" if named_crosswise(lines, xs, ys, slopes) else legend_of(ax, lines),
        "the name of the x axis": "there" if ax.get_xlabel().strip() else "missing",
        "cost_returned": came_back(returned),
    }


TASK = Part(
    id="05.2",
    title="The figure",
    difficulty=1,
    minutes=6,
    requirements=(
        Requirement(
            "two lines over `xs`: the values of `f`, and its slopes. `f` and `xs` are as in 05.1, and you may use your "
            "`curve`;",
            ("no slopes", "no values", "points", "over the indices"),
        ),
        Requirement(
            "a label for each line, and a legend that shows both;",
            ("no labels", "no legend", "one name for both", "names exchanged"),
        ),
        Requirement("a name for the x axis.", ("the axis has no name",)),
    ),
    cases=draw_cases,
    without={
        "edges": "a line needs several points; what is drawn is compared by its numbers",
    },
    observe=watch_draw,
)
