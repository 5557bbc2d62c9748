"""05.2 The figure: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch05.common import new_axes
from minigrad.course.bank.ch05.ex01.answer import curve
from minigrad.course.bank.ch05.ex02.answer import draw
from minigrad.course.bank.shared import RETURNS
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, but for what it returns


def draw_returned(ax, f, xs):
    draw(ax, f, xs)
    return ax


WASTEFUL["something is returned"] = Mistake(draw_returned, f"The figure is right, {RETURNS}")

MISTAKES: dict[str, Mistake] = {}


def draw_tracked(ax, f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    ax.plot(xs, y, label="f")
    ax.plot(xs, x.grad, label="f′")
    ax.legend()


MISTAKES["a tracked tensor"] = Mistake(
    draw_tracked,
    "*Can't call numpy() on Tensor that requires grad.* matplotlib turns what it gets into NumPy arrays, and your "
    "tensor still has its history. Give it `y.detach().numpy()`. (`x.grad` has no history, and may go as it is.)",
)


def drawn_elsewhere(ax, f, xs):
    draw(new_axes(), f, xs)


MISTAKES["nothing on ax"] = Mistake(
    drawn_elsewhere,
    "There is no line on the `ax` that you were given. Draw with `ax.plot(…)`: `plt.plot(…)` draws on another figure.",
)


def drawing(plot: Callable[[Any, Any, Any, Any], Any], *, x: bool = True, legend: bool = True) -> Callable[..., Any]:
    """Somebody who is right, except for the lines, which plot(ax, xs, values, slopes) draws, or for what is left out."""

    def draw(ax: Any, f: Any, xs: Any) -> None:
        plot(ax, xs, *curve(f, xs))
        if x:
            ax.set_xlabel("x")
        if legend:
            ax.legend()

    return draw


def scattered(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.scatter(xs, ys, label="f")
    ax.scatter(xs, slopes, label="f′")


MISTAKES["points"] = Mistake(
    drawing(scattered),
    "These are points (`scatter` draws them, and so does a format like `'.'`). Asked for are lines, which also show where a slope "
    "jumps: `ax.plot(xs, …)`.",
)

MISTAKES["no slopes"] = Mistake(
    drawing(lambda ax, xs, ys, slopes: ax.plot(xs, ys, label="f") and ax.plot(xs, 0 * ys, label="zero")),
    "The line of f is there, that of f′ is not. It is `x.grad` over `xs`, after `y.sum().backward()`.",
)

MISTAKES["no values"] = Mistake(
    drawing(lambda ax, xs, ys, slopes: ax.plot(xs, slopes, label="f′") and ax.plot(xs, 0 * ys, label="zero")),
    "The line of f′ is there, that of f is not. Draw `y.detach().numpy()` over `xs` too.",
)

MISTAKES["only the values"] = Mistake(
    drawing(lambda ax, xs, ys, slopes: ax.plot(xs, ys, label="f")),
    "There is one line where two are wanted: the slopes are missing. Draw `x.grad` over `xs` as well.",
)

MISTAKES["only the slopes"] = Mistake(
    drawing(lambda ax, xs, ys, slopes: ax.plot(xs, slopes, label="f′")),
    "There is one line where two are wanted: the values are missing. Draw `y.detach().numpy()` over `xs` as well.",
)


def one_name(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    for values in (ys, slopes):
        ax.plot(xs, values, label="f")


MISTAKES["one name for both"] = Mistake(
    drawing(one_name),
    "Both lines have the same name in the legend, so nobody can tell which is which. Give each a label of its own.",
)


def both_lines(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(xs, ys, label="f")
    ax.plot(xs, slopes, label="f′")


MISTAKES["names exchanged"] = Mistake(
    drawing(lambda ax, xs, ys, slopes: both_lines(ax, xs, slopes, ys)),
    "Both lines are right, and their names are exchanged: the values are labelled as the slopes, and the slopes as f.",
)

MISTAKES["mean"] = Mistake(
    drawing(lambda ax, xs, ys, slopes: both_lines(ax, xs, ys, slopes / len(xs))),
    "The line of f′ is N times too flat, where N is the number of points. `mean` divides by N: take `sum`.",
)

MISTAKES["no legend"] = Mistake(
    drawing(both_lines, legend=False),
    "Both lines are there, but nobody can tell which is which: no legend is to be seen. `ax.legend()` shows the labels "
    "of the lines.",
)


def without_labels(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(xs, ys)
    ax.plot(xs, slopes)
    ax.legend(handles=[])  # what ax.legend() makes of it, without its warning


MISTAKES["no labels"] = Mistake(
    drawing(without_labels, legend=False),
    'There is a legend, but it is empty: give each line its name, `ax.plot(…, label="f(x)")`, before you call `ax.legend()`. '
    "(A name that begins with `_` is left out of it.)",
)

MISTAKES["the axis has no name"] = Mistake(
    drawing(both_lines, x=False), 'One thing is missing: the name of the x axis. `ax.set_xlabel("x")`.'
)

MISTAKES["neither legend nor name"] = Mistake(
    drawing(both_lines, x=False, legend=False),
    "The lines are right. Now say what is what: a label for each line and `ax.legend()`, and a name for the x axis, "
    '`ax.set_xlabel("x")`.',
)


def over_indices(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(ys, label="f")
    ax.plot(slopes, label="f′")


MISTAKES["over the indices"] = Mistake(
    drawing(over_indices),
    "The values are right, but they are drawn over 0, 1, 2, … `ax.plot` wants the places first: `ax.plot(xs, …)`.",
)


def second_axes(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(xs, ys, label="f")
    ax.twinx().plot(xs, slopes, label="f′")


MISTAKES["on a second Axes"] = Mistake(
    drawing(second_axes),
    "One of the two lines is not on `ax`: it is on other Axes of the figure, as `ax.twinx()` makes them, with a scale of their "
    "own. Draw both with `ax.plot(…)`.",
)


def legend_first(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.legend(handles=[])  # what ax.legend() makes of no line, without its warning
    both_lines(ax, xs, ys, slopes)


MISTAKES["the legend comes first"] = Mistake(
    drawing(legend_first, legend=False),
    "The lines have names, and the legend is empty. Was `ax.legend()` called before they were drawn? It shows the lines that are "
    "there. Call it when both are drawn.",
)

MISTAKES["differences"] = Mistake(
    drawing(lambda ax, xs, ys, slopes: both_lines(ax, xs, ys, np.gradient(ys, xs))),
    "The second line comes near f′, and is not f′. Are these differences of neighbours? They are off by a little everywhere. "
    "`x.grad`, after `y.sum().backward()`, is exact.",
)


def legend_too_early(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(xs, ys, label="f")
    ax.legend()
    ax.plot(xs, slopes, label="f′")


MISTAKES["the legend names one line"] = Mistake(
    drawing(legend_too_early, legend=False),
    "Both lines are there, and the legend names only one. Either the other has no label, or `ax.legend()` was called before "
    "it was drawn: the legend shows the lines that are there. Call it when both are drawn.",
)
