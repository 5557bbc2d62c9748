"""14.7 Twice?: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch14.ex05.mistakes import checker, close
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def slope(f: Any, x: Any, v: Any) -> Any:
    """The gradient of v · f at x, with a graph if it can have one, and the leaf that it was taken at."""
    x = x.detach().clone().requires_grad_()
    return x, mg.autograd.grad(f(x), x, v, create_graph=True)[0]


def has_graph(f, x):
    return slope(f, x, mg.ones_like(f(x)).detach())[1].requires_grad


MISTAKES["it has a graph"] = Mistake(
    has_graph,
    "You ask whether the gradient has a graph. Beside another term it has one, and a part of it may be dead all the same; "
    "and the gradient of a straight line has none, rightly. Compare the **numbers** with differences of the gradient.",
)


def raises_nothing(f, x):
    try:
        (g,) = mg.autograd.grad(f(x).sum(), x, create_graph=True)
        mg.autograd.grad(g.sum(), x)
    except RuntimeError:
        return False
    return True


SILENT = (
    "No error is no proof. Beside another term, a dead second derivative counts as zero in silence; and a straight line raises *does "
    "not require grad*, though its second derivative is rightly zero. Compare the **numbers** with differences of the gradient."
)

MISTAKES["it raised nothing"] = Mistake(raises_nothing, SILENT)


def raises_nothing_backward(f, x):
    z = x.detach().clone().requires_grad_()
    try:
        (g,) = mg.autograd.grad(f(z).sum(), z, create_graph=True)
        g.sum().backward()
    except RuntimeError:
        return False
    return True


MISTAKES["backward raised nothing"] = Mistake(raises_nothing_backward, SILENT)


def first_only(f, x):
    return checker()(f, (x,))


MISTAKES["the first derivative only"] = Mistake(
    first_only,
    "You say True of all of these. If you compare the gradient with differences of f, that is the check of the *first* "
    "derivative. Go one up: compare the derivative of the gradient with differences of the **gradient**. If you do so already: how "
    "large may the difference be? 1e-5 + 1e-3 of the size will do.",
)


def differ(f: Any, x: Any, v: Any) -> np.ndarray:
    """The second derivatives of v · f, by differences: shape (n, n)."""
    found = []
    for place in np.ndindex(tuple(x.shape)):
        step = np.zeros(tuple(x.shape))
        step[place] = 1e-6
        ends = [slope(f, x.detach() + mg.tensor(s * step), v)[1].detach().numpy().reshape(-1) for s in (1, -1)]
        found.append((ends[0] - ends[1]) / 2e-6)
    return np.stack(found, 1)


def twice_checker(no_graph: Any = 0.0, rows: slice = slice(None), **options: Any) -> Callable[..., bool]:
    """A twice_ok that takes a gradient without a graph for zeros, or returns no_graph if that is False."""

    def check(f, x):
        v = mg.tensor(np.random.default_rng(1).uniform(0.5, 2, size=tuple(f(x).shape)))
        z, g = slope(f, x, v)
        H = differ(f, x, v)
        if not g.requires_grad:
            return no_graph is not False and close(H, np.zeros_like(H))
        for row, i in list(zip(H, range(len(H)), strict=True))[rows]:
            found = mg.autograd.grad(g.reshape(-1)[i], z, retain_graph=True, **(options or {"allow_unused": True}))[0]
            if not close(row, np.zeros_like(row) if found is None else found.numpy().reshape(-1)):
                return False
        return True

    return check


MISTAKES["a straight line"] = Mistake(
    twice_checker(no_graph=False),
    "You reject a straight line. Its gradient is a constant without a graph, and that is right: differences of the "
    "gradient are zero as well. Take *no graph* for zeros, and compare.",
)

MISTAKES["an error gets out"] = Mistake(
    twice_checker(allow_unused=False),
    "Where there is no way from the gradient to x, `grad` raises *not used*. Ask with `allow_unused=True` and "
    "take None for zeros: whether zero is right, the differences will tell.",
)


def errors_are_right(f, x):
    try:
        return twice_checker(allow_unused=False)(f, x)
    except RuntimeError:
        return True


ERROR_IS_NO_PROOF = (
    "Where a pass finds no way to x, by an error or by a None, you say True. That may be the very fault that is looked for. Take "
    "zeros there (`allow_unused=True`), and compare."
)

MISTAKES["an error is answered with True"] = Mistake(errors_are_right, ERROR_IS_NO_PROOF)


def no_graph_is_right(f, x):
    return not has_graph(f, x) or errors_are_right(f, x)


MISTAKES["an error, and no graph, are answered with True"] = Mistake(
    no_graph_is_right,
    f"{ERROR_IS_NO_PROOF} So where the gradient has no graph at all.",
)

ONE_ENTRY = (
    "You say True where the second derivative of one entry is wrong. Do you look at one entry of the gradient only, the first or the "
    "last? Each has its own row: compare all of them."
)
MISTAKES["the first entry only"] = Mistake(twice_checker(rows=slice(1)), ONE_ENTRY)
MISTAKES["the last entry only"] = Mistake(twice_checker(rows=slice(-1, None)), ONE_ENTRY)


def errors_are_wrong(f, x):
    try:
        return twice_checker(allow_unused=False)(f, x)
    except RuntimeError:
        return False


MISTAKES["an error is answered with False"] = Mistake(
    errors_are_wrong,
    "You say False where the gradient has a graph, and no way leads from it to x. It may be right: the slope of `w * x` is w, a leaf "
    "of its own, and its derivative by x is 0. Ask with `allow_unused=True`, take None for zeros, and compare.",
)


def of_either_sign(f, x):
    v = mg.tensor(np.random.default_rng(1).uniform(0.5, 2, size=tuple(f(x).shape)))
    z, g = slope(f, x, v)
    H = np.zeros((z.numel(),) * 2)
    for row, i in zip(H, range(len(H)), strict=True):
        if g.requires_grad:
            found = mg.autograd.grad(g.reshape(-1)[i], z, retain_graph=True, allow_unused=True)[0]
            row[:] = 0 if found is None else found.numpy().reshape(-1)
    return close(np.abs(differ(f, x, v)), np.abs(H))


MISTAKES["the sizes are compared"] = Mistake(
    of_either_sign,
    "You say True of a second derivative of the wrong sign. Take the absolute value of the *difference*, not of the two numbers.",
)
