"""What chapter 13 looks at a NaN with, and its pictures."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import minigrad as mg
from minigrad.course.showing.expect import expect_error

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot


def show(curves: dict[str, Any], minutes: Any, degrees: Any) -> Plot:
    """Draw curves and the readings of the tea: the bad one, reading 7, in a ring, and another ring where it should stand."""
    from minigrad import viz

    picture = viz.fit(minutes, degrees, curves, xlabel="minutes", ylabel="°C")
    ax, at = picture.axes[0], minutes[7]
    ax.plot([at, at], [73, 37], "o", ms=12, mfc="none", mec="black")
    ax.text(at - 1.8, 73, "73, it was 37", ha="right", va="center")
    return picture


@contextlib.contextmanager
def expect_nan() -> Iterator[None]:
    """Run the block in anomaly mode. Print the error that must come, and of the warning the first and the last line.

    Between these two stands the whole stack of calls, down to those of Jupyter itself.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with expect_error(RuntimeError, match="returned nan values"), mg.autograd.set_detect_anomaly(True):
            yield
    for warning in caught:
        if "Error detected" in str(warning.message):
            first, *_, last = str(warning.message).rstrip().splitlines()
            print(f"UserWarning: {first}\n  …\n{last}")


def log_share(**formulas: Callable[[Any], Any]) -> Plot:
    """Draw the log-share of the first of the scores z and 0, and its slope, as each formula gives them in float32."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS

    zs = np.linspace(-200, 200, 801)
    told = []
    plot = Plot(7.4, 2.8, "")
    every_axes = plot.subplots(1, 2)
    looks = [(COLOURS[0], 7.0), (COLOURS[1], 2.0)]
    for k, ((name, formula), (colour, line)) in enumerate(zip(formulas.items(), looks, strict=True)):
        found = []
        for z in zs:
            scores = mg.tensor([z, 0.0], dtype=mg.float32, requires_grad=True)
            share = formula(scores)[0]
            share.backward()
            found.append((share.item(), scores.grad[0].item()))
        for axes, numbers, what in zip(every_axes, np.array(found).T, ("value", "slope"), strict=True):
            holds = np.isfinite(numbers)
            look = {"color": colour, "linewidth": line, "alpha": 1 if line < 3 else 0.45, "zorder": -line}
            (left, *_, right), (begins, *_, ends) = zs[holds], numbers[holds]
            label = name if holds.all() else f"{name}, up to\nthe crosses"
            axes.plot(zs, np.where(holds, numbers, np.nan), **look)
            place = 0.62, (0.42 if what == "value" else 0.78) - 0.1 * k  # where no line runs
            axes.text(*place, label, va="top", transform=axes.transAxes, color=colour)
            if not holds.all():
                axes.plot([left, right], [begins, ends], "x", color=colour, markersize=8, markeredgewidth=2)
            axes.set(xlabel="z", ylabel=f"{what} of the log-share")
            told.append(f"{name}, {what}: from {begins:.0f} to {ends:.0f} for z from {left:.0f} to {right:.0f}")
    plot.alt = f"The log-share of the first of the scores z and 0, and its slope, where they are finite. {'; '.join(told)}."
    return plot
