"""The pictures of chapter 06."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import minigrad as mg

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot



def descent(zero: bool, lr: float = 0.2, steps: int = 30, start: float = 5.0) -> tuple[list[float], list[float]]:
    """Gradient descent on w²: w before each step, and the w.grad with which it is made."""
    w, places, grads = mg.tensor(start, requires_grad=True), [], []
    for _ in range(steps):
        if zero:
            w.grad = None
        (w**2).backward()
        places.append(w.item())
        grads.append(w.grad.item())
        with mg.no_grad():
            w -= lr * w.grad
    return [*places, w.item()], grads


def descents() -> Plot:
    """Draw 30 steps of descent on w², with and without zeroing: w over the steps, and w.grad over w."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS, INK, LINE

    runs = {"zeroed before each step": descent(True), "never zeroed": descent(False)}
    ends = {label: places[-1] for label, (places, _) in runs.items()}
    plot = Plot(
        7.4,
        3.1,
        f"Gradient descent on w², 30 steps from w = 5 with lr = 0.2. Zeroed before each step, w falls to "
        f"{ends['zeroed before each step']:.0e}. Never zeroed, it swings between about -5 and 5 and is at "
        f"{ends['never zeroed']:.2f} in the end. Drawn as w.grad over w, the one runs straight into the middle, the other goes "
        f"round and round on an ellipse.",
    )
    left, right = plot.subplots(1, 2)
    for (label, (places, grads)), colour, mark, line in zip(runs.items(), COLOURS[:2], "os", ("-", "--"), strict=True):
        left.plot(places, color=colour, marker=mark, markersize=3.5, linestyle=line, label=label)
        right.plot(places[:-1], grads, color=colour, marker=mark, markersize=3.5, linestyle=line)
    for axes in (left, right):
        axes.axhline(0, color=LINE, linewidth=0.8)
        axes.grid()
    left.set(xlabel="step", ylabel="w", title="where w is")
    right.set(xlabel="w", ylabel="w.grad", title="what each step is made with")
    right.axvline(0, color=LINE, linewidth=0.8)
    right.plot([5], [10], marker="*", markersize=13, color=INK, linestyle="")
    right.annotate("start", (5, 10), (-14, 2), textcoords="offset points", ha="right", fontsize=9)
    plot.name_lines(left, width=10)
    return plot


def shares(weights: dict[str, list[float]], gradients: dict[str, float], right: float) -> Plot:
    """Draw how the gradients of chunks, each times its weight, pile up to one number; a line says what is right.

    weights: {label: one weight for each chunk}, a row each. gradients: {name of the chunk: its gradient}.
    """
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import INK, PAPER

    parts = {label: [w * g for w, g in zip(row, gradients.values(), strict=True)] for label, row in weights.items()}
    totals = {label: sum(row) for label, row in parts.items()}
    told = "; ".join(f"{label}: {' + '.join(f'{x:.2f}' for x in row)} = {totals[label]:.2f}" for label, row in parts.items())
    alt = f"What each chunk ({', '.join(gradients)}) adds to w.grad. {told}. The whole batch gives {right:.2f}."
    plot = Plot(3.9, 0.5 * len(weights) + 1.5, alt)
    axes = plot.add_subplot()
    most = max(totals.values())
    for row, (label, widths) in enumerate(parts.items()):
        left = 0.0
        for k, width in enumerate(widths):
            axes.barh(row, width, 0.62, left, color=("#9cc3ea", "#f7c58a", "#d5dade")[k % 3], edgecolor=PAPER)
            if width > 0.13 * most:
                axes.text(left + 0.02 * most, row, f"{width:.2f}", va="center", fontsize=9, color=INK)
            if not row:
                axes.text(left + 0.02 * most, -0.36, textwrap.fill(list(gradients)[k], 6), va="bottom", fontsize=9, color=INK)
            left += width
        axes.text(1.03 * most, row, f"{totals[label]:.2f}", va="center", fontsize=9.5, color=INK)
    axes.axvline(right, color=INK, linestyle="--", linewidth=1.2)
    beside = {"xytext": (6, 0), "textcoords": "offset points"}
    axes.annotate("the whole batch", (right, len(weights) - 0.35), **beside, va="center", fontsize=9, color=INK)
    axes.set(xlabel="w.grad", xlim=(0, 1.13 * most), ylim=(len(weights) - 0.1, -0.95))
    axes.set_yticks(range(len(weights)), list(weights), fontsize=9)
    return plot
