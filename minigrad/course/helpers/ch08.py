"""The picture of chapter 08."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import minigrad as mg

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot


def fits(model: Callable[[Any, Any], Any], points: Any, readings: Any, plain: Any, flat: Any, third: Any) -> Plot:
    """Draw the readings of a sine, and the model with the weights of three fits: no penalty, with it, with one that has no graph."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS, INK, MUTED

    words = (
        "Six readings of a sine, and three fits. Without a penalty the curve goes through all of them and swings far between. With it "
        "the curve is flatter and nearer to the sine; with create_graph=False it is as if there were no penalty."
    )
    plot, t = Plot(3.9, 3.3, words), mg.linspace(0.0, 3.14, 100)
    axes = plot.subplots()
    axes.plot(points.detach().numpy(), readings.numpy(), "o", color=INK, zorder=5)
    place = points[2].item(), readings[2].item()
    axes.annotate("the readings", place, (11, -3), textcoords="offset points", fontsize=9, color=INK)
    axes.plot(t.numpy(), mg.sin(t).numpy(), "--", color=MUTED, linewidth=1.5)
    axes.text(1.08, 0.93, "the truth", ha="right", fontsize=9, color=MUTED)
    for weights, style, look, label in [
        (plain, "-", {"color": COLOURS[0], "linewidth": 7, "alpha": 0.4}, "no penalty"),
        (third, ":", {"color": INK}, "penalty without a graph: no effect"),
        (flat, "-", {"color": COLOURS[1]}, "penalty"),
    ]:
        axes.plot(t.numpy(), model(weights, t).numpy(), style, label=label, **look)
    axes.set(xlabel="x", ylabel="f(x)", xlim=(0, 3.14))
    plot.name_lines(width=15)
    return plot
