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
    lines_seen,
    new_axes,
    numpy_type,
)
from minigrad.course.bank.shared import NO_RETURN, came_back, close_figures, in_legends, open_figures
from minigrad.course.exercise import Case, Part, Requirement


def draw_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b = rng.uniform(0.5, 1.5, size=2).tolist()

    def points(n: int) -> Array:
        even = np.linspace(-2, 2 + a, n)
        return (even + rng.uniform(0, 0.5, n) * (even[1] - even[0])).astype(numpy_type(dtype))  # rising, and not in even steps

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


OF_A_SLOPE = re.compile(r"['′’`´]|slope|deriv|grad|prime|rate|tangent|ẏ|\bd[fy]\b|\bDf|/ ?dx", re.I).search


def look_of(line: Any) -> list[Any]:
    return [getattr(line, f"get_{what}", str)() for what in ("color", "linestyle", "marker")]


def names_of(ax: Any, line: Any) -> set[str]:
    """The name of a line; where `ax.legend([…])` gave others, those beside which a legend shows a line that looks so."""
    legends = [legend for legend in (ax.get_legend(), *ax.figure.legends) if legend]
    shown = [(h, t.get_text()) for legend in legends for h, t in zip(legend.legend_handles, legend.get_texts(), strict=True)]
    label = str(line.get_label())
    return {text for handle, text in shown if text == label} or {text for handle, text in shown if look_of(handle) == look_of(line)}


def named_crosswise(ax: Any, lines: list[Any], xs: Array, *parts: Callable[[Array], Array]) -> bool:
    """Whether the values have the name of a slope, and the slopes have not."""
    of_values, of_slopes = (
        {name for line in lines if is_line(line, xs, of(xs)) for name in names_of(ax, line)} for of in parts
    )
    return bool(of_values and of_slopes) and all(map(OF_A_SLOPE, of_values)) and not any(map(OF_A_SLOPE, of_slopes))


def is_near(line: Any, xs: Array, ys: Array) -> bool:
    """Whether a line goes up and down with another, as one of differences does with the slopes."""
    x, y = (np.asarray(part, dtype=float) for part in (line.get_xdata(), line.get_ydata()))
    if x.shape != xs.shape or y.shape != ys.shape or not np.allclose(x, xs, atol=1e-5):
        return False
    best = np.argsort(np.abs(y - ys))[: 3 * len(ys) // 4]  # differences may go wrong at an end
    return bool(np.linalg.norm((y - ys)[best]) < 0.15 * np.linalg.norm(ys[best] - ys[best].mean()))


def watch_draw(answer: Callable[..., Any], f: Callable[..., Any], xs: Array) -> Any:
    ax, before, places = new_axes(), open_figures(), xs.copy()
    try:
        returned = answer(ax, f, xs)
    finally:
        close_figures(before)

    def part(of: int) -> Callable[[Array], Array]:
        """f as a function of arrays for 0, its slopes for 1."""
        return lambda at: mg.autograd.functional.jvp(f, mg.tensor(at), mg.ones(len(at), dtype=mg.tensor(at).dtype))[of].numpy()

    parts = part(0), part(1)
    lines = lines_seen(ax)
    if not any(map(is_stroke, lines)):
        return {"lines": "points, but no line" if lines or ax.collections else "none on the ax that was given"}
    how = [how_drawn(lines, places, of) for of in parts]
    if how[1] == "missing" and any(is_near(line, places, parts[1](places)) for line in lines):
        how[1] = "drawn, but not exactly"
    others = [line for other in ax.figure.axes if other is not ax for line in other.get_lines()]
    if any(there == "missing" and how_drawn(others, places, of) == "drawn" for there, of in zip(how, parts, strict=True)):
        return {"lines": "one is on other Axes"}
    return {
        "the line of f": how[0],
        "the line of f′": how[1],
        "the legend": "names exchanged" if named_crosswise(ax, lines, places, *parts) else legend_of(ax, lines),
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
    musts={"cost_returned": NO_RETURN},
    observe=watch_draw,
)
