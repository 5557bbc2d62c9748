"""The pictures of chapter 10."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot


def fillings(J: Any) -> Plot:
    """One Jacobian three times, computed by rows, by columns, and by all rows at once: which pass gave which entry."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import INK, PALE_BLUE, PALE_ORANGE, mix

    J = np.asarray(J)
    m, n = J.shape
    row, column = np.indices(J.shape)
    panels = [
        ("by rows: VJPs", row, m, f"{m} backward passes", PALE_ORANGE),
        ("by columns: JVPs", column, n, f"{n} forward passes", PALE_BLUE),
        ("all rows at once", np.zeros_like(row), 1, "1 pass in PyTorch", PALE_ORANGE),
    ]
    plot = Plot(
        6.4,
        2.9,
        f"A Jacobian with {m} rows and {n} columns, three times. By rows: pass k fills row k, {m} backward passes. By columns: "
        f"pass k fills column k, {n} forward passes. All rows at once: in PyTorch one batched backward pass fills everything.",
    )
    for ax, (title, number, passes, counter, hue) in zip(plot.subplots(1, 3), panels, strict=True):
        for i, j in np.ndindex(m, n):
            k = int(number[i, j])
            ax.add_patch(_square(j, i, mix("#ffffff", hue, 0.3 + 0.4 * (k % 2))))
            ax.text(j + 0.5, i + 0.5, f"{J[i, j]:g}", ha="center", va="center", fontsize=10, color=INK)
        small = {"va": "center", "fontsize": 9}
        ax.text(-0.15, -0.3, "pass", ha="right", **small)
        for k in range(passes):
            at = (-0.15, k + 0.5) if number is row else (k + 0.5 if passes > 1 else n / 2, -0.3)
            ax.text(*at, str(k + 1) if passes > 1 else "1: all of it", ha="right" if number is row else "center", **small)
        ax.text(n / 2, -0.95, title, ha="center", va="center", fontsize=10)
        ax.text(n / 2, m + 0.45, counter, ha="center", va="center", fontsize=10, weight="bold")
        ax.set(xlim=(-1.2, n + 0.9), ylim=(m + 0.8, -1.3), aspect="equal")
        ax.axis("off")
    return plot


def speeds(moments: Any, tangent: Any) -> Plot:
    """Draw how far each point of the tea's curve moves for a minute of half, and mark the one that moves most."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import INK

    most = tangent.argmax()
    when, peak = moments[most].item(), tangent[most].item()
    told = f"not at all at the start, at most {peak:.1f} °C, at minute {when:.0f}"
    plot = Plot(3.9, 2.6, f"How far each point moves for a minute of half: {told}")
    ax = plot.subplots()
    ax.plot(moments, tangent)
    ax.plot(when, peak, "o", color=INK)
    ax.annotate(f"minute {when:.0f}", (when, peak), (0, -16), textcoords="offset points", ha="center")
    ax.set(xlabel="minutes", ylabel="°C hotter per minute of half")
    return plot


def _square(x: float, y: float, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    from minigrad.viz.style import PAPER

    return Rectangle((x, y), 1, 1, facecolor=colour, edgecolor=PAPER, linewidth=1.5)
