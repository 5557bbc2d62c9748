"""The pictures of chapter 10."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot


def fillings(J: Any) -> Plot:
    """One Jacobian three times, computed by rows, by columns, and by all rows at once: which pass gave which entry."""
    from matplotlib.patches import Rectangle

    from minigrad.viz.figure import Plot
    from minigrad.viz.style import INK, PALE_BLUE, PALE_ORANGE, PAPER, mix

    J = np.asarray(J)
    m, n = J.shape
    panels = [
        ("by rows: VJPs", m, (n, 1), f"{m} backward passes", PALE_ORANGE),
        ("by columns: JVPs", n, (1, m), f"{n} forward passes", PALE_BLUE),
        ("all rows at once", 1, (n, m), "1 pass in PyTorch", PALE_ORANGE),
    ]
    plot = Plot(
        6.4,
        2.9,
        f"A Jacobian with {m} rows and {n} columns, three times. By rows: pass k fills row k, {m} backward passes. By columns: "
        f"pass k fills column k, {n} forward passes. All rows at once: in PyTorch one batched backward pass fills everything.",
    )
    for ax, (title, passes, (width, height), counter, hue) in zip(plot.subplots(1, 3), panels, strict=True):
        small, beside = {"va": "center", "fontsize": 9}, height == 1
        ax.text(-0.15, -0.3, "pass", ha="right", **small)
        for k in range(passes):
            corner = (0, k) if beside else (k, 0)
            ax.add_patch(Rectangle(corner, width, height, facecolor=mix("#ffffff", hue, 0.5), edgecolor=PAPER, linewidth=6))
            at = (-0.15, k + 0.5) if beside else (k + width / 2, -0.3)
            ax.text(*at, str(k + 1) if passes > 1 else "1: all of it", ha="right" if beside else "center", **small)
        for i, j in np.ndindex(m, n):
            ax.text(j + 0.5, i + 0.5, f"{J[i, j]:g}", ha="center", va="center", fontsize=10, color=INK)
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
