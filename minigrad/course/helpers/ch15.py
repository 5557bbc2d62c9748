"""The pictures of chapter 15: the losses of the orders, and digits."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot


def side_by_side(curves: Mapping[str, Sequence[float]], unit: str = "step") -> Plot:
    """Draw each list of losses in a panel of its own, all to the same scale; the first is the right one, the others are orange."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS

    rows = -(-len(curves) // 2)
    told = [f"{label}: {', '.join(f'{loss:.2g}' for loss in losses)}" for label, losses in curves.items()]
    plot = Plot(3.6, 1.8 * rows + 0.2, "\n".join([f"Loss over {unit}s, a panel for each:", *told]))
    every_axes = plot.subplots(rows, 2, sharex=True, sharey=True)
    for k, (ax, (label, losses)) in enumerate(zip(every_axes.flat, curves.items(), strict=False)):
        ax.plot(losses, "o-", color=COLOURS[bool(k)], ms=3.5, lw=1.5)
        ax.set_title(textwrap.fill(label, 16))
        ax.tick_params(labelleft=True, labelbottom=True)
        ax.set(xlabel=unit, ylabel="" if k % 2 else "loss")
        ax.grid()
    return plot


def gallery(images: np.ndarray, labels: Sequence[int], guesses: Sequence[int] | None = None) -> Plot:
    """Draw digits of 8 × 8 pixels, ten in a row, each under its label and, if given, under what a network reads."""
    from minigrad.viz.figure import Plot

    titles = [f"{label}" for label in labels]
    if guesses is not None:
        titles = [f"{label} → {guess}" for label, guess in zip(labels, guesses, strict=True)]
    rows, told = -(-len(images) // 10), "; ".join(titles).replace("→", "read as")
    plot = Plot(7.2, 0.95 * rows + 0.1, f"{len(images)} handwritten digits of 8 × 8 pixels: {told}")
    for ax, image, title in zip(plot.subplots(rows, 10, squeeze=False).flat, images, titles, strict=True):
        ax.imshow(image, cmap="gray_r", vmin=0, vmax=16)
        ax.set_title(title, pad=4)
        ax.set(xticks=[], yticks=[])
    return plot
