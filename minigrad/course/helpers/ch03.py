"""The pictures of chapter 03."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import minigrad as mg
    from minigrad.viz.figure import Plot


def errors_by_step(f: Callable[[Any], Any], slope: Callable[[Any], Any]) -> Plot:
    """Draw the error of a difference against its step: with both sides, with one side, and with both sides in float32.

    f: a function of an array. slope: its exact slope. An error is the largest at nine points between 0.5 and 1.5.
    """
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS

    points = np.linspace(0.5, 1.5, 9)

    def errors(kind: Any, steps: np.ndarray, sides: int = 2) -> list[float]:
        x = points.astype(kind)
        found = [(f(x + kind(e)) - f(x - kind(e) * (sides - 1))) / kind(sides * e) for e in steps]
        return [np.abs(each - slope(points)).max() for each in found]

    told = "Three V: that of one side turns at a smaller step than that of both sides, and higher up; float32 at a far larger one."
    plot = Plot(3.9, 3.3, f"The error of the slope against eps, both logarithmic. {told}")
    ax = plot.add_subplot(xlabel="eps", ylabel="error of the slope", xscale="log", yscale="log", ylim=(1e-13, 10))
    steps = 10.0 ** np.arange(-13, -0.4, 0.25)
    ax.plot(steps, errors(np.float64, steps), "o-", color=COLOURS[0], markersize=4.5, linewidth=2.5)
    ax.plot(steps, errors(np.float64, steps, sides=1), "s-", color=COLOURS[1], markersize=2, linewidth=1)
    ax.plot(steps[25:], errors(np.float32, steps[25:]), "^:", color=COLOURS[2], markersize=3)
    names = ((1e-6, 5e-12, "both sides"), (3e-6, 1e-4, "one side"), (2e-1, 2.0, "both sides, float32"))
    for (at, height, name), colour in zip(names, COLOURS, strict=False):
        ax.text(at, height, name, fontsize=10, color=colour, ha="right", va="center")
    return plot


def heat_maps(
    tables: dict[str, mg.Tensor],
    signs: tuple[str, ...] = (),
    framed: tuple[tuple[int, ...], ...] = (),
    names: tuple[str, ...] = (),
    below: str = "",
) -> Plot:
    """Tables beside each other, with cells of one size; a colour says the same in all of them, for each table's largest number.

    signs: what stands before each table, which then has its numbers in it. framed: (column, row, width, height) of a part of each.
    names: of each table the letters of its outputs and its inputs, as "yx". below: what stands below the last one.
    """
    from matplotlib.patches import Rectangle

    from minigrad.viz.figure import Plot
    from minigrad.viz.style import GRID, INK, LINE, MUTED, signed

    # The size of a cell, and how many rows there is room for; margins in inches.
    cell, rows, left, right, head = (0.36, 4, 0.62, 0.16, 0.3) if signs else (0.18, 6, 0.4, 0.22, 0.45)
    most = max(J.shape[1] for J in tables.values())
    columns = [J.shape[1] if signs else most for J in tables.values()]  # panels of one width stand in line on a phone
    widths = [cell * n + left + right for n in columns]
    told = [" ".join(title.split()) + (f" {J.tolist()}" if signs else "") for title, J in tables.items()]
    plot = Plot(sum(widths) + 0.1, cell * rows + head + 0.35 + 0.25 * bool(below), "\n".join(["Jacobians, beside each other.", *told]))
    axes = plot.subplots(1, len(tables), width_ratios=widths)
    for k, (ax, (title, J)) in enumerate(zip(axes, tables.items(), strict=True)):
        (m, n), limit = J.shape, J.abs().max().item()
        for i, j in np.ndindex(m, n):
            ax.add_patch(Rectangle((j, i), 1, 1, facecolor=signed(J[i, j].item(), limit), edgecolor=GRID, linewidth=0.5))
            if signs:
                ax.text(j + 0.5, i + 0.5, f"{J[i, j].item():g}", ha="center", va="center", fontsize=10, color=INK)
        ax.add_patch(Rectangle((0, 0), n, m, fill=False, edgecolor=LINE))
        if framed:
            column, row, width, height = framed[k]
            ax.add_patch(Rectangle((column, row), width, height, fill=False, edgecolor=INK, linewidth=2))
        look = {"ha": "center", "va": "center", "fontsize": 9, "color": MUTED}
        if names:
            for i in range(m):
                ax.text(-0.19 / cell, i + 0.5, f"{names[k][0]}[{i}]", **look)
            for j in range(n):
                ax.text(j + 0.5, m + 0.13 / cell, f"{names[k][1]}[{j}]", **look)
        else:
            ax.text(n / 2, m + 0.13 / cell, "inputs", **look)
            ax.text(-0.13 / cell, m / 2, "outputs" if m * cell > 0.5 else "", rotation=90, **look)
        ax.text(n / 2, -0.08 / cell, title, ha="center", va="bottom", fontsize=10, color=INK)
        if signs:
            ax.text(-0.48 / cell, 2, signs[k], ha="center", va="center", fontsize=15, color=INK)
        if below and k == len(tables) - 1:
            ax.text(n / 2, m + 0.4 / cell, below, ha="center", va="center", fontsize=10, color=INK)
        room, depth = (columns[k] - n) / 2, rows + (0.5 if below else 0.25) / cell
        ax.set(xlim=(-room - left / cell, n + room + right / cell), ylim=(depth, -head / cell), aspect="equal")
        ax.axis("off")
    return plot
