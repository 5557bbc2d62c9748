"""09.7 tanh and its first six derivatives: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def pyplot() -> Any:
    import matplotlib.pyplot as plt

    return plt


def drawn(xs: Any, curves: Any, legend: bool = True) -> Any:
    """The Axes with these curves."""
    _, ax = pyplot().subplots()
    for k, y in enumerate(curves):
        ax.plot(xs.detach().numpy(), np.asarray(y.detach()), label=f"order {k}" if legend else None)
    if legend:
        ax.legend()
    return ax


def curves_point_by_point(f, xs, n):
    table: list[list[float]] = [[] for _ in range(n + 1)]
    for value in xs:
        x = value.detach().clone().requires_grad_()
        y = f(x)
        table[0].append(y.item())
        for k in range(n):
            (y,) = mg.autograd.grad(y, x, create_graph=True)
            table[k + 1].append(y.item())
    return drawn(xs, [mg.tensor(row, dtype=xs.dtype) for row in table])


WASTEFUL["point by point"] = Mistake(
    curves_point_by_point,
    "You took a pass for each point and each order. f works entry by entry, so the gradient of `y.sum()` holds the "
    "slopes at all points: one pass for each order.",
)


def curves_from_scratch(f, xs, n):
    found = []
    for k in range(n + 1):
        x = xs.clone().requires_grad_()
        y = f(x)
        for _ in range(k):
            (y,) = mg.autograd.grad(y.sum(), x, create_graph=True)
        found.append(y)
    return drawn(xs, found)


WASTEFUL["each order from f"] = Mistake(
    curves_from_scratch,
    "You begin each order with `f` again: 1 + 2 + … + n passes. With its graph, an order leads to the next by one pass: go on from "
    "the last one.",
)

MISTAKES: dict[str, Mistake] = {}


def curves(f, xs, n, total: Callable[..., Any] = lambda y: y.sum(), **options: Any) -> list[Any]:
    x = xs.clone().requires_grad_()
    found = [f(x)]
    for _ in range(n):
        found += mg.autograd.grad(total(found[-1]), x, **{"create_graph": True, **options})
    return found


MISTAKES["the graph is lost"] = Mistake(
    lambda f, xs, n: drawn(xs, curves(f, xs, n, create_graph=False)),
    "A curve came out that cannot be differentiated. Which call was to build its graph? For f it is `f(x)`, for "
    "every derivative `grad` with `create_graph=True`. And `detach` only what you draw, not what you go on with.",
)


def curves_tracked(f, xs, n):
    _, ax = pyplot().subplots()
    for y in curves(f, xs, n):
        ax.plot(xs, y, label="f")
    ax.legend()
    return ax


MISTAKES["drawn with its history"] = Mistake(
    curves_tracked,
    "Matplotlib asks for an array, and a Tensor that requires grad gives none. Draw `y.detach()`, and go on "
    "differentiating `y`.",
)

MISTAKES["not summed"] = Mistake(
    lambda f, xs, n: drawn(xs, curves(f, xs, n, total=lambda y: y)),
    "`y` has an entry for each point, and a backward pass starts at one number. Sum: entry i of y depends on entry "
    "i of x alone, so the gradient of `y.sum()` holds the slope at each point.",
)

MISTAKES["mean"] = Mistake(
    lambda f, xs, n: drawn(xs, curves(f, xs, n, total=lambda y: y.mean())),
    "`mean` divides by the number of points, once more in every order, so your curves grow flatter and flatter. Take `sum`.",
)


def curves_accumulated(f, xs, n):
    x = xs.clone().requires_grad_()
    y = f(x)
    found = [y]
    for _ in range(n):
        y.sum().backward(create_graph=True)
        y = x.grad
        found.append(y.clone())
    return drawn(xs, found)


MISTAKES["derivatives added"] = Mistake(
    curves_accumulated,
    "From the second derivative on your curves are sums: `backward` adds to `x.grad`, where the one before still "
    "lies. `mg.autograd.grad` returns each by itself.",
)

MISTAKES["f is missing"] = Mistake(
    lambda f, xs, n: drawn(xs, curves(f, xs, n)[1:]),
    "In the Axes that you return there is one curve too few: f itself is missing. The lines are f, f′, f″, …, which makes n + 1.",
)


def curves_last_missing(f, xs, n):
    return drawn(xs, curves(f, xs, n)[:-1])


MISTAKES["the last is missing"] = Mistake(
    curves_last_missing, "There is one curve too few: the last derivative is missing. f and n derivatives make n + 1 lines."
)


def curves_apart(f, xs, n):
    for y in curves(f, xs, n):
        ax = drawn(xs, [y])
    return ax


MISTAKES["a figure for each"] = Mistake(
    curves_apart, "Each curve is in a figure of its own. Make **one** Axes before the loop, and draw all curves into it."
)


def curves_by_differences(f, xs, n):
    y = f(xs).numpy()
    found = [mg.tensor(y)]
    for _ in range(n):
        y = np.gradient(y, xs.numpy())
        found.append(mg.tensor(y))
    return drawn(xs, found)


MISTAKES["differences"] = Mistake(
    curves_by_differences,
    "Those are differences between neighbouring points, and each order loses more digits. The engine gives the exact "
    "slope at each point: `mg.autograd.grad` with `create_graph=True`.",
)


def curves_of_numbers(f, xs, n):
    _, ax = pyplot().subplots()
    for k, y in enumerate(curves(f, xs, n)):
        ax.plot(y.detach(), label=str(k))
    ax.legend()
    return ax


MISTAKES["drawn over the numbers of the points"] = Mistake(
    curves_of_numbers,
    "A line is drawn over 0, 1, 2, …, the numbers of its points. Give every `ax.plot` the places as well, `ax.plot(xs, y.detach())`.",
)


def curves_unlabelled(f, xs, n):
    ax = drawn(xs, curves(f, xs, n), legend=False)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # matplotlib's own: no artists with labels
        ax.legend()
    return ax


MISTAKES["no labels"] = Mistake(
    curves_unlabelled, "The legend is empty: it lists the lines that have a label. Give each line one, `ax.plot(…, label=…)`. "
    "(A name that begins with `_` is left out of it.)",
)


def curves_labelled_once(f, xs, n):
    _, ax = pyplot().subplots()
    for k, y in enumerate(curves(f, xs, n)):
        ax.plot(xs, y.detach(), label=f"order {k}" if k == 0 else None)
    ax.legend()
    return ax


MISTAKES["some without a label"] = Mistake(
    curves_labelled_once,
    "Some of the lines are not in the legend: they have no label, or one that begins with `_`, which is left out of it. Give each "
    "line a name of its own, `ax.plot(…, label=…)`.",
)


def curves_legend_early(f, xs, n):
    _, ax = pyplot().subplots()
    for k, y in enumerate(curves(f, xs, n)):
        ax.plot(xs, y.detach(), label=f"order {k}")
        if k == 0:
            ax.legend()
    return ax


MISTAKES["the legend comes too early"] = Mistake(
    curves_legend_early,
    "Each line has a label, and the legend does not name them all. Was `ax.legend()` called before the last of them was drawn? It "
    "shows the lines that are there. Call it once, after the loop.",
)


def curves_legend_first(f, xs, n):
    _, ax = pyplot().subplots()
    ax.legend(handles=[])  # what ax.legend() makes of no line, without its warning
    for k, y in enumerate(curves(f, xs, n)):
        ax.plot(xs, y.detach(), label=f"order {k}")
    return ax


MISTAKES["the legend comes first"] = Mistake(
    curves_legend_first,
    "The lines have labels, and the legend is empty. Was `ax.legend()` called before they were drawn? It shows the lines that are "
    "there. Call it after the loop.",
)


def curves_over(others: Callable[[Any], Any]) -> Callable[..., Any]:
    """f over xs, and the derivatives over other places."""

    def plot(f, xs, n):
        _, ax = pyplot().subplots()
        for k, y in enumerate(curves(f, xs, n)):
            ax.plot(others(xs.numpy()) if k else xs.numpy(), y.detach(), label=f"order {k}")
        ax.legend()
        return ax

    return plot


MISTAKES["derivatives over other places"] = Mistake(
    curves_over(lambda xs: xs[::-1]),
    "One of the lines runs over `xs` from the right to the left, so its heights stand at the wrong places. Draw every line over "
    "`xs` as it is: `ax.plot(xs, y.detach())`.",
)


def curves_no_legend(f, xs, n):
    _, ax = pyplot().subplots()
    for k, y in enumerate(curves(f, xs, n)):
        ax.plot(xs, y.detach(), label=f"order {k}")
    return ax


MISTAKES["no legend"] = Mistake(
    curves_no_legend,
    "The curves are right, but nobody can tell them apart: call `ax.legend()` after drawing, and give each line a `label=`.",
)


def curves_alike(f, xs, n):
    _, ax = pyplot().subplots()
    for y in curves(f, xs, n):
        ax.plot(xs, y.detach(), label="f")
    ax.legend()
    return ax


MISTAKES["one label for all"] = Mistake(
    curves_alike, "All labels are the same, so the legend tells nothing. Give each line a label of its own, as `label=str(k)`."
)
