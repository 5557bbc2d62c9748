"""The picture of chapter 09."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot


def growth(counts: dict[str, list[int]]) -> Plot:
    """Draw how many nodes the graphs of two functions and of their derivatives have. The first function's grow, the second's do not.

    counts: {name: how many nodes f, its first derivative and so on have}, of one length.
    """
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS

    told = "; ".join(f"{name}: {', '.join(map(str, row))}" for name, row in counts.items())
    plot = Plot(3.9, 3, f"Bars: nodes in the graph of f and of its derivatives, in order. {told}.")
    ax = plot.subplots()
    (large, rising), (small, flat) = counts.items()
    orders, top = range(len(rising)), max(rising)
    for row, shift, colour in ((rising, -0.2, COLOURS[1]), (flat, 0.2, COLOURS[0])):
        ax.bar_label(ax.bar([k + shift for k in orders], row, 0.38, color=colour), fontsize=9)
    ax.text(orders[-1] - 0.5, top, large, ha="right", fontsize=10, color=COLOURS[1])
    ax.text(orders[-1] + 0.5, flat[-1], small, fontsize=10, color=COLOURS[0])
    ax.set_xticks(orders, ["f", "1st", "2nd", "3rd", *(f"{k}th" for k in orders[4:])])
    ax.set(xlabel="derivative", ylabel="nodes in the graph", xlim=(-0.5, orders[-1] + 1.3), ylim=(0, 1.1 * top))
    return plot
