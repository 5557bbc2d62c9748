"""The pictures of chapter 12."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot


def addresses(t: Any, memory: Any) -> np.ndarray | None:
    """For each entry of t the number of its cell in a contiguous memory, or None where t lives elsewhere."""
    a, base = t.detach().numpy(), memory.detach().numpy()
    if not np.shares_memory(a, base):
        return None
    first = a.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    steps = (index * stride for index, stride in zip(np.indices(a.shape), a.strides, strict=True))
    return (sum(steps, np.full(a.shape, first)) // base.itemsize).astype(int)


def memory_cells(memory: Any, tensors: dict[str, Any], written: Sequence[int] = ()) -> Plot:
    """Draw the cells of a contiguous tensor in a row, and under them where other tensors look, each under its name.

    In a cell stands the index under which the tensor shows it, [:,0] where that is each of a column's. What lives elsewhere is
    shown as a copy. written: cells to mark.
    """
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import ALERT, BLUE, INK, LINE, MARK, MUTED, mix

    values = [f"{v:g}" for v in memory.detach().numpy().ravel()]
    places = {name: addresses(t, memory) for name, t in tensors.items()}
    told = [
        f"{name} is a copy, in other cells" if cells is None else f"{name} looks at {', '.join(map(str, cells.ravel()))}"
        for name, cells in places.items()
    ]
    n, rows = len(values), len(places)
    alt = f"{n} memory cells, numbered from 0, hold {', '.join(values)}. {'; '.join(told)}."
    alt += f" Cells that were written: {', '.join(map(str, written))}." if written else ""
    left = 1.2 + 0.19 * max(6, *map(len, places))  # in cells: room for the names
    plot = Plot(0.4 * (n + left + 0.1), 0.42 * rows + 1.05 + 0.2 * bool(written), alt)
    axes = plot.add_subplot()
    axes.set(xlim=(-left, n + 0.1), ylim=(rows + 0.65, -1.1 - 0.45 * bool(written)), aspect="auto")
    axes.axis("off")

    def box(cell: int, row: float, height: float, face: str, text: str) -> None:
        axes.bar(cell + 0.5, height, 0.94, row, color=face, edgecolor=LINE, linewidth=0.8)
        axes.text(cell + 0.5, row + height / 2, text, ha="center", va="center", fontsize=9, color=INK)

    label = {"ha": "right", "va": "center", "fontsize": 9, "color": MUTED}
    axes.text(-0.3, -0.85, "cell", **label)
    axes.text(-0.3, -0.1, "memory", **label | {"fontsize": 10, "color": INK})
    for cell, value in enumerate(values):
        axes.text(cell + 0.5, -0.85, str(cell), ha="center", va="center", fontsize=9, color=MUTED)
        box(cell, -0.55, 0.9, "#ffffff", value)
        if cell in written:
            axes.bar(cell + 0.5, 0.9, 0.94, -0.55, fill=False, edgecolor=MARK, linewidth=2.5)
            axes.text(cell + 0.5, -1.3, "written", ha="center", va="center", fontsize=9, color=ALERT)
    for row, (name, cells) in enumerate(places.items()):
        shown = axes.text(-0.3, row + 0.95, name, **label | {"color": INK, "family": "monospace"})
        if cells is None:
            axes.text(0.05, row + 0.95, "a copy, in other cells", va="center", fontsize=10, color=MUTED, style="italic")
            continue
        axes.annotate("in", (0, 0.5), (-6, 0), shown, textcoords="offset points", **label)
        for cell in range(n):
            if len(at := np.argwhere(cells == cell)):
                index = [":" if spread else str(i) for i, spread in zip(at[0], np.ptp(at, axis=0), strict=True)]
                box(cell, row + 0.6, 0.7, mix("#ffffff", BLUE, 0.3), f"[{','.join(index)}]" if index.count(":") < 2 else f"{len(at)}×")
            else:
                axes.plot([cell + 0.1, cell + 0.9], [row + 0.95] * 2, color=LINE, linewidth=0.8)
    return plot
