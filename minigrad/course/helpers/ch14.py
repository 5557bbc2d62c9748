"""A layer of chapter 14, and its pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg


class GradCoeff:
    """x as it is; the gradient that comes back is multiplied by coeff. Made with a hook: chapter 14 writes it as a Function."""

    @staticmethod
    def apply(x: Any, coeff: float) -> Any:
        y = x.view_as(x)
        y.register_hook(lambda g: coeff * g)
        return y


def fit(P3: Any, x: Any, y: Any, steps: int, library: Any = mg) -> tuple[list[Any], list[float]]:
    """Gradient descent for a + b P₃(c + d x) against y, for a function P3: the curve before and after, and the loss at each step."""
    params = [library.tensor(p, dtype=x.dtype, requires_grad=True) for p in (0.0, -1.0, 0.0, 0.3)]
    curves, losses = [], []
    for step in range(steps + 1):
        a, b, c, d = params
        curve = a + b * P3(c + d * x)
        loss = ((curve - y) ** 2).mean()
        losses.append(float(loss.item()))
        if step in (0, steps):
            curves.append(curve.detach())
        loss.backward()
        with library.no_grad():
            for p in params:
                p -= 0.02 * p.grad
                p.grad = None
    return curves, losses


def fit_picture(P3: Callable[[Any], Any] = lambda x: (5 * x**3 - 3 * x) / 2) -> Any:
    """Draw a period of a sine, the curve a + b P₃(c + d x) before and after 400 steps of descent, and the loss.

    P3: the function; if none is given, plain arithmetic.
    """
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS, INK, MUTED

    x = mg.tensor(np.linspace(-np.pi, np.pi, 40), dtype=mg.float64)
    y = mg.sin(x)
    (before, after), losses = fit(P3, x, y, 400)
    plot = Plot(
        7.4,
        3.1,
        "Left: 40 points of a period of a sine. The curve a + b P₃(c + d x) misses them before the fit, and follows them after it. "
        f"Right: the mean squared error over 400 steps, from {losses[0]:.2f} down to {losses[-1]:.3f}; "
        "a line at 0.05, which the checker asks for.",
    )
    left, right = plot.subplots(1, 2)
    left.plot(x.numpy(), y.numpy(), "o", color=MUTED, markersize=3.5)
    left.plot(x.numpy(), before.numpy(), "--", color=COLOURS[1], label="before")
    left.plot(x.numpy(), after.numpy(), color=COLOURS[0], label="after 400 steps")
    left.set(xlabel="x", title="a + b P₃(c + dx)")
    left.annotate("sin(x)", (2.3, 0.85), color=MUTED, fontsize=9)
    plot.name_lines(left, width=12)
    right.plot(losses, color=COLOURS[0])
    right.axhline(0.05, color=INK, linestyle="--", linewidth=1)
    right.text(390, 0.054, "the checker's 0.05", ha="right", color=INK, fontsize=9)
    right.set(xlabel="step", ylabel="mean squared error (log)", yscale="log")
    for axes in (left, right):
        axes.grid()
    return plot


def contract_card() -> Any:
    """Draw what forward and backward get, keep and owe."""
    from matplotlib.patches import FancyBboxPatch

    from minigrad.viz.figure import Plot
    from minigrad.viz.style import BLUE_TINT, INK, LINE, MUTED, ORANGE_TINT

    plot = Plot(
        3.9,
        3.0,
        "forward(ctx, x, k) takes the arguments x and k, and returns y; nothing is recorded in it. It leaves x, a Tensor, in "
        "ctx.save_for_backward, and k, a number, in ctx.k. backward(ctx, g) gets g, shaped like y, reads from ctx, and returns one "
        "entry for each argument: for x the cotangent g times the slope, shaped like x, and for k None.",
    )
    axes = plot.add_subplot()
    axes.set(xlim=(0, 10), ylim=(0, 4.1))
    axes.axis("off")

    def text(x: float, y: float, words: str, **how: Any) -> None:
        axes.text(x, y, words, **{"ha": "center", "va": "center", "fontsize": 9, "color": INK, "family": "monospace"} | how)

    def box(x: float, y: float, wide: float, words: str, face: str) -> None:
        look = {"boxstyle": "round,pad=0,rounding_size=0.15", "facecolor": face, "edgecolor": LINE, "linewidth": 0.9}
        axes.add_patch(FancyBboxPatch((x - wide / 2, y - 0.36), wide, 0.72, **look))
        text(x, y, words)

    def arrow(start: tuple[float, float], end: tuple[float, float], colour: str = INK) -> None:
        axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.3})

    small = {"fontsize": 9, "family": "sans-serif", "color": MUTED}
    box(5, 3.3, 4.2, "forward(ctx, x, k)", BLUE_TINT)
    box(5, 2.0, 7.8, "ctx.save_for_backward(x); ctx.k = k", "#ffffff")
    box(5, 0.7, 4.2, "backward(ctx, g)", ORANGE_TINT)
    text(0.9, 3.3, "x, k")
    text(9.1, 3.3, "y")
    text(9.1, 0.7, "g")
    text(1.05, 0.75, "g · slope,\nNone")
    text(1.05, 3.9, "the arguments", **small)
    text(9.0, 3.9, "the result", **small)
    text(5, 3.9, "nothing is recorded", **small)
    text(7.85, 0.08, "cotangent, shaped like y", **small)
    text(2.3, 0.08, "one entry for each argument", **small)
    text(5.3, 1.35, "kept until backward", **small | {"ha": "left"})
    for start, end in (((1.5, 3.3), (2.9, 3.3)), ((7.1, 3.3), (8.8, 3.3)), ((8.8, 0.7), (7.1, 0.7)), ((2.9, 0.7), (2.15, 0.7))):
        arrow(start, end)
    arrow((5, 2.94), (5, 2.36), MUTED)
    arrow((5, 1.64), (5, 1.06), MUTED)
    return plot
