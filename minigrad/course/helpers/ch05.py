"""The pictures of chapter 05."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg


def computed(f: Callable[[Any], Any], xs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values and slopes of f. Each point is a leaf of its own, so that f may branch; one backward pass goes to all of them."""
    points = [mg.tensor(float(x), dtype=mg.float64, requires_grad=True) for x in xs]
    values = [f(point) for point in points]
    slopes = mg.autograd.grad(values, points)
    return np.array([value.item() for value in values]), np.array([slope.item() for slope in slopes])


def sine_and_kinks() -> Any:
    """The picture at the beginning of the lesson: the sine with its computed slopes, and what is computed at kinks."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS, DASHES, INK, LINE

    blue, orange = COLOURS[:2]

    plot = Plot(
        7.4,
        3.1,
        "Left: sin(x) from -4 to 4, its slope as computed by one backward pass, and nine short tangents that follow the sine. "
        "Right: computed slopes from -2 to 2. That of |x| jumps from -1 to 1, with a dot "
        "at 0 for x = 0. Those of relu(x), maximum(x, 0) and x.clamp(min=0) jump from 0 to 1, with dots at 0, 0.5 and 1 for x = 0.",
    )
    smooth, kinks = plot.subplots(1, 2)
    xs = np.linspace(-4, 4, 201)
    ys, slopes = computed(mg.sin, xs)
    smooth.plot(xs, ys, color=blue, label="sin(x)")
    smooth.plot(xs, slopes, color=orange, ls=DASHES[1], label="its slope, one backward pass")
    nine = slice(20, 181, 20)
    for x, y, slope in zip(xs[nine], ys[nine], slopes[nine], strict=True):
        reach = 0.4 / np.hypot(1, slope)
        smooth.plot([x - reach, x + reach], [y - reach * slope, y + reach * slope], color=INK, lw=1.6)
    smooth.set(xlabel="x", ylim=(-1.25, 1.25), yticks=[-1, 0, 1])
    left, right = np.linspace(-2, -1e-6, 5), np.linspace(1e-6, 2, 5)
    relus: dict[str, Callable[[Any], Any]] = {
        "relu(x)": mg.relu,
        "maximum(x, 0)": lambda x: mg.maximum(x, mg.zeros_like(x)),
        "x.clamp(min=0)": lambda x: x.clamp(min=0),
    }
    for side in (left, right):
        kinks.plot(side, computed(lambda x: x.abs(), side)[1], color=blue, label="slope of |x|" if side is right else None)
        kinks.plot(
            side,
            computed(mg.relu, side)[1] + 0.03,
            color=orange,
            ls=DASHES[1],
            label="slope of max(x, 0), three spellings" if side is right else None,
        )
    zero = np.zeros(1)
    kinks.plot(zero, computed(lambda x: x.abs(), zero)[1], "o", color=blue, ms=9)
    for shift, (name, f) in zip((-0.2, -0.05, -0.2), relus.items(), strict=True):
        slope = computed(f, zero)[1]
        kinks.plot(zero, slope, "s", color=orange, ms=5)
        kinks.annotate(name, (0, slope[0]), (0.15, slope[0] + shift), fontsize=9, color=INK)
    kinks.annotate("|x|", (0, 0), (-0.3, 0.08), fontsize=9, color=INK)
    kinks.set(xlabel="x", ylim=(-1.25, 1.25), yticks=[-1, 0, 0.5, 1])
    for ax in (smooth, kinks):
        ax.axhline(0, color=LINE, lw=0.6, zorder=0)
    plot.name_lines()
    return plot
