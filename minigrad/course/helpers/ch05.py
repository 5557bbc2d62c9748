"""The pictures of chapter 05."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg


def slopes_at_kinks() -> Any:
    """The picture of section 5: what is computed at kinks."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS, INK, LINE

    def slopes(f: Callable[[Any], Any], xs: np.ndarray) -> np.ndarray:
        x = mg.tensor(xs, requires_grad=True)
        return mg.autograd.grad(f(x).sum(), x)[0].numpy()

    orange = COLOURS[1]
    plot = Plot(
        8.0,
        3.1,
        "Two panels with computed slopes from -2 to 2. That of |x| jumps from -1 to 1, with a dot at 0 for x = 0. "
        "Those of relu(x), maximum(x, 0) and x.clamp(min=0) jump from 0 to 1, with dots at 0, 0.5 and 1 for x = 0.",
    )
    left, right, zero = np.linspace(-2, -1e-6, 5), np.linspace(1e-6, 2, 5), np.zeros(1)
    relus: dict[str, Callable[[Any], Any]] = {
        "relu at x = 0": mg.relu,
        "maximum at x = 0": lambda x: mg.maximum(x, mg.zeros_like(x)),
        "clamp at x = 0": lambda x: x.clamp(min=0),
    }
    for ax, name, functions in zip(plot.subplots(1, 2), ("|x|", "max(x, 0)"), ({"at x = 0": mg.abs}, relus), strict=True):
        for side in (left, right):
            ax.plot(side, slopes(next(iter(functions.values())), side), color=orange)
        for spelling, f in functions.items():
            slope = slopes(f, zero)[0]
            ax.plot(zero, slope, "o", color=orange, ms=7)
            look = {"textcoords": "offset points", "ha": "right", "fontsize": 9, "color": INK}
            ax.annotate(f"{spelling}: {slope:g}".replace("0.5", "½"), (0, slope), (-7, 5), **look)
        low = ax.dataLim.ymin
        ax.set(xlabel="x", ylim=(low - 0.25, 1.25), yticks=[-1, 0, 1] if low < 0 else [0, 0.5, 1], title=f"slope of {name}")
        ax.axhline(0, color=LINE, lw=0.6, zorder=0)
    return plot
