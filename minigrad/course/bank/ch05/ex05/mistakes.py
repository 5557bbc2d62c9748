"""05.5 The staircase: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch05.common import new_axes
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, but for what it returns
MISTAKES: dict[str, Mistake] = {}


def stairs_by(slopes_of: Callable[[Any, Any], Any], look: Callable[[Any, Any, Any], Any] | None = None) -> Callable[..., Any]:
    """Somebody who is right, except for how the slopes come about, or are drawn."""

    def staircase(ax: Any, f: Any, xs: Any) -> Any:
        slopes = np.array(slopes_of(f, xs))
        (look or (lambda ax, xs, slopes: ax.loglog(xs, slopes)))(ax, xs, slopes)
        return slopes

    return staircase


def one_graph(f: Any, xs: Any) -> Any:
    x = mg.tensor(xs, requires_grad=True)
    f(x).sum().backward()
    return x.grad.numpy()


MISTAKES["one graph for all points"] = Mistake(
    stairs_by(one_graph),
    "You sent all points through f at once. But which way f goes **depends on the number**: for a vector `norm` is one "
    "number for all of them, so all went one common way, and an `if` cannot decide at all. Here each point needs a "
    "call of f of its own.",
)

MISTAKES["one graph for all points, and plain axes"] = Mistake(
    stairs_by(one_graph, lambda ax, xs, slopes: ax.plot(xs, slopes)),
    "As in 05.1 you sent all points through f at once. But which way f goes **depends on the number**, and a common graph "
    "takes one way for all. Each point needs a call of f of its own. (And both axes should be logarithmic.)",
)


def zeroed_object(f: Any, xs: Any) -> list[float]:
    x, slopes = mg.tensor(xs[0], requires_grad=True), []
    for a in xs:
        x.data.fill_(float(a))
        if x.grad is not None:
            x.grad.zero_()
        f(x).backward()
        slopes.append(x.grad)
    return [g.item() for g in slopes]


MISTAKES["one gradient, cleared and kept"] = Mistake(
    stairs_by(zeroed_object),
    "All your slopes are the last one. `x.grad` is **one** tensor: `zero_()` and the next pass write into the very object "
    "that you have kept. Make a new leaf for each point, and keep the number: `x.grad.item()`.",
)


def by_numbers(f: Any, xs: Any) -> list[float]:
    return [f(a).backward() for a in xs]


MISTAKES["no leaf"] = Mistake(
    stairs_by(by_numbers),
    "f wants a Tensor, and you gave it a NumPy number, which records nothing. Make a leaf for each point: "
    "`x = mg.tensor(a, requires_grad=True)`.",
)


def values_returned(ax, f, xs):
    leaves = [mg.tensor(a, requires_grad=True) for a in xs]
    values = [f(leaf) for leaf in leaves]
    mg.stack(values).sum().backward()
    ax.loglog(xs, [leaf.grad.item() for leaf in leaves])
    return np.array([value.item() for value in values])


MISTAKES["the values returned"] = Mistake(
    values_returned, "The figure is right, but you return the **values** f(a). Asked for are the slopes."
)


def right_slopes(f: Any, xs: Any) -> list[float]:
    leaves = [mg.tensor(a, requires_grad=True) for a in xs]
    for leaf in leaves:
        f(leaf).backward()
    return [leaf.grad.item() for leaf in leaves]


def values_drawn(ax, f, xs):
    values = values_returned(new_axes(), f, xs)
    ax.loglog(xs, values)
    return np.array(right_slopes(f, xs))


MISTAKES["the values drawn"] = Mistake(
    values_drawn,
    "The slopes that you return are right, but the line shows the **values** f(a). Draw the slopes: `ax.loglog(xs, slopes)`.",
)

MISTAKES["logarithms on plain axes"] = Mistake(
    stairs_by(right_slopes, lambda ax, xs, slopes: ax.plot(np.log(xs), np.log(slopes))),
    "You drew the logarithms on plain axes: then the axes show log a, and nobody can read a off. Draw the numbers "
    "themselves, and let the **axes** be logarithmic: `ax.loglog(xs, slopes)`.",
)

MISTAKES["points"] = Mistake(
    stairs_by(right_slopes, lambda ax, xs, slopes: (ax.scatter(xs, slopes), ax.set(xscale="log", yscale="log"))),
    "The slopes are right. But these are points (`scatter` draws them, and so does a format like `'.'`), and a line was asked for: "
    "`ax.loglog(xs, slopes)`.",
)


def added_up(f: Any, xs: Any) -> list[float]:
    x, slopes = mg.tensor(xs[0], requires_grad=True), []
    for a in xs:
        x.data.fill_(float(a))
        f(x).backward()
        slopes.append(x.grad.item())
    return slopes


MISTAKES["the slopes add up"] = Mistake(
    stairs_by(added_up),
    "Each slope contains all earlier ones: you go on using one leaf, and `x.grad` adds up. Make a new leaf for each "
    "point, or set `x.grad = None` before each pass.",
)


def same_leaf(f: Any, xs: Any) -> Any:
    x, slopes = mg.tensor(xs[0], requires_grad=True), []
    for a in xs:
        x.data.fill_(float(a))
        f(x).backward()
        slopes.append(x.grad)
    return [g.item() for g in slopes]


MISTAKES["one gradient, kept many times"] = Mistake(
    stairs_by(same_leaf),
    "All your slopes are the same number, the sum of them all. `x.grad` is **one** tensor, and each pass adds to it; you "
    "have kept the same object n times. Make a new leaf for each point, and keep the number: `x.grad.item()`.",
)


def quotient(f: Any, xs: Any) -> list[float]:
    return [f(mg.tensor(a)).item() / a for a in xs]


MISTAKES["no autograd"] = Mistake(
    stairs_by(quotient),
    "The slopes did not come from a backward pass. `f(a) / a` is the slope only where f is a plain multiple of a, and "
    "differences go wrong when a jump lies between the two points. Go backward through f(a), once for each point.",
)

def with_an_axis(f: Any, xs: Any) -> list[float]:
    leaves = [mg.tensor(xs[i : i + 1], requires_grad=True) for i in range(len(xs))]
    for leaf in leaves:
        f(leaf).sum().backward()
    return [leaf.grad.item() for leaf in leaves]


MISTAKES["a leaf of shape (1,)"] = Mistake(
    stairs_by(with_an_axis),
    "The slopes are right, but `f` takes a Tensor of shape `()`, and yours has an axis with one number, `(1,)`. For a number `a`, "
    "`mg.tensor(a, requires_grad=True)` makes one without axes: no brackets around it.",
)

MISTAKES["linear axes"] = Mistake(
    stairs_by(right_slopes, lambda ax, xs, slopes: ax.plot(xs, slopes)),
    "The slopes are right. But on plain axes nearly all points lie in one corner: make both axes logarithmic. "
    '`ax.loglog(…)`, or `ax.set(xscale="log", yscale="log")`.',
)

MISTAKES["one axis"] = Mistake(
    stairs_by(right_slopes, lambda ax, xs, slopes: ax.semilogx(xs, slopes)),
    'The y axis is still linear: the slopes span several powers of ten too. `ax.set_yscale("log")`.',
)

MISTAKES["the other axis"] = Mistake(
    stairs_by(right_slopes, lambda ax, xs, slopes: ax.semilogy(xs, slopes)),
    'The x axis is still linear: the points span several powers of ten too. `ax.set_xscale("log")`.',
)

MISTAKES["nothing is drawn"] = Mistake(
    stairs_by(right_slopes, lambda ax, xs, slopes: None),
    "The slopes are right, but there is no line on the `ax` that you were given. `ax.loglog(xs, slopes)` draws it and "
    "makes both axes logarithmic.",
)


def slopes_listed(ax, f, xs):
    slopes = right_slopes(f, xs)
    ax.loglog(xs, slopes)
    return slopes


WASTEFUL["a list"] = Mistake(
    slopes_listed, "Right numbers, but a NumPy array is wanted, ready to compute with: `np.array(slopes)`. Yours is something else."
)
