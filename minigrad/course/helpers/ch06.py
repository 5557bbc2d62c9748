"""The pictures of chapter 06."""

from __future__ import annotations

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
    """Draw 30 steps of descent on w², with and without clearing: w over the steps, and w.grad over w."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS, INK, LINE

    runs = {"cleared before each step": descent(True), "never cleared": descent(False)}
    ends = {label: places[-1] for label, (places, _) in runs.items()}
    plot = Plot(
        7.4,
        3.1,
        f"Gradient descent on w², 30 steps from w = 5 with lr = 0.2. Cleared before each step, w falls to "
        f"{ends['cleared before each step']:.0e}. Never cleared, it swings between about -5 and 5 and is at "
        f"{ends['never cleared']:.2f} in the end. Drawn as w.grad over w, the one runs straight into the middle, the other goes "
        f"round and round on an ellipse, against the clock.",
    )
    left, right = plot.subplots(1, 2)
    for (label, (places, grads)), colour, mark, line in zip(runs.items(), COLOURS[:2], "os", ("-", "--"), strict=True):
        left.plot(places, color=colour, marker=mark, markersize=3.5, linestyle=line, label=label)
        right.plot(places[:13], grads[:13], color=colour, marker=mark, markersize=3.5, linestyle=line)  # a bit more than once round
        if label == "never cleared":  # which way it goes round
            (x, y), (nx, ny) = ((places[k], grads[k]) for k in (4, 5))
            arrow = {"arrowstyle": "-|>", "color": colour, "mutation_scale": 20}
            right.annotate("", (0.4 * x + 0.6 * nx, 0.4 * y + 0.6 * ny), (x, y), arrowprops=arrow)
    for axes in (left, right):
        axes.axhline(0, color=LINE, linewidth=0.8)
        axes.grid()
    left.set(xlabel="step", ylabel="w", title="where w is")
    right.set(xlabel="w", ylabel="w.grad", title="w.grad at the first steps")
    right.text(-1.9, 4.5, "never\ncleared", color=COLOURS[1], fontsize=9, ha="center", va="center")
    right.text(2.6, 1.2, "cleared", color=COLOURS[0], fontsize=9, va="center")
    right.axvline(0, color=LINE, linewidth=0.8)
    for axes, start, beside in ((left, (0, 5), (10, 0)), (right, (5, 10), (-40, 2))):
        axes.plot(*start, marker="*", markersize=13, color=INK)
        axes.annotate("start", start, beside, textcoords="offset points", fontsize=9)
    plot.name_lines(left, width=10)
    return plot


def shares(weights: dict[str, list[float]], gradients: dict[str, float], right: float) -> Plot:
    """Draw how the gradients of chunks, each times its weight, pile up to one number; a line says what is right.

    weights: {label: one weight for each chunk}, a row each. gradients: {name of the chunk: its gradient}.
    """
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import ALERT, BLUE, INK, MUTED, PAPER, mix

    parts = {label: [w * g for w, g in zip(row, gradients.values(), strict=True)] for label, row in weights.items()}
    sums = {label: f"{' + '.join(f'{x:.2f}' for x in row)} = {sum(row):.2f}" for label, row in parts.items()}
    told = "; ".join(f"{label}: {text}" for label, text in sums.items())
    alt = f"What each chunk ({', '.join(gradients)}) adds to w.grad. {told}. The whole batch gives {right:.2f}."
    plot = Plot(3.9, 0.62 * len(weights) + 0.95, alt)
    axes = plot.add_subplot()
    for row, (label, widths) in enumerate(parts.items()):
        left = 0.0
        for k, (name, width) in enumerate(zip(gradients, widths, strict=True)):
            look = {"color": mix("#ffffff", BLUE, (0.55, 0.25, 0.45)[k % 3]), "edgecolor": PAPER}
            axes.barh(row, width, 0.42, left, **look)
            if not row:
                inside = width > 0.025 * len(name) * max(map(sum, parts.values()))
                at = left + 0.01 * right * len(parts) + (0 if inside else width)
                axes.text(at, 0, name, va="center", fontsize=9, color=INK if inside else MUTED)
            left += width
        good = abs(left - right) < 1e-6 * abs(right)
        words = f"{label}: {sums[label]}, {'right' if good else 'wrong'}"
        axes.text(0, row - 0.28, words, va="bottom", fontsize=9, color=INK if good else ALERT)
        axes.vlines(right, row - 0.24, row + 0.34, color=INK, linestyle="--", linewidth=1, zorder=0)
    beside = {"xytext": (6, 0), "textcoords": "offset points"}
    axes.annotate(f"the whole batch: {right:g}", (right, len(weights) - 0.5), **beside, va="center", fontsize=9, color=INK)
    axes.set(xlabel="w.grad", xlim=(0, None), ylim=(len(weights) - 0.25, -0.75), yticks=[])
    axes.spines["left"].set_visible(False)
    return plot
