"""Pictures of numbers, made with matplotlib (imported when the first one is drawn)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .figure import Plot

# Blue and orange stay apart for every kind of colour vision, and pale zero from both in a grey print.
_NEGATIVE, _ZERO, _POSITIVE = "#3b7fc4", "#ffffff", "#f0932b"
_INK, _GREY, _GRID = "#1a1a1a", "#767676", "#d0d0d0"
_MOST_NUMBERS = 16  # a heat map with more rows or columns than this shows colours only
_CELL = 0.44  # inches


def jacobian(
    J: Any,
    v: Any = None,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str | None = None,
) -> Plot:
    """Draw the Jacobian J, outputs as rows and inputs as columns; with v also what y.backward(v) makes of it.

    J: array or tensor of shape (m, n). v: None, one vector of m weights, or a dict {label: vector} with one
    panel each. A weight stands beside its row, vᵀJ stands under the columns, rows of weight 0 are pale.
    rows and columns name the outputs and the inputs; without them they are y[0], y[1], … and x[0], x[1], …
    """
    try:
        from .figure import Plot
    except ImportError as error:
        raise ImportError("this picture needs matplotlib: pip install matplotlib") from error

    table = np.asarray(J, dtype=float)
    if table.ndim != 2:
        raise ValueError(f"a Jacobian has two axes, outputs and inputs; this J has shape {table.shape}")
    m, n = table.shape
    rows, columns = _names(rows, "y", m), _names(columns, "x", n)
    given = {} if v is None else v if isinstance(v, Mapping) else {"": v}
    weights = {label: np.asarray(vector, dtype=float) for label, vector in given.items()}
    for vector in weights.values():
        if vector.shape != (m,):
            raise ValueError(f"J has {m} rows, so v must have shape ({m},); this one has {vector.shape}")

    panels = max(len(weights), 1)
    cell = _CELL if max(m, n) <= _MOST_NUMBERS else 4.0 / max(m, n)
    strip = 2.0 if weights else 0.0  # room for v on the left and for vᵀJ below, in cells
    size = (panels * ((n + strip) * cell + 0.65) + 0.3, (m + strip) * cell + 0.75 + 0.3 * bool(weights))
    plot = Plot(max(size[0], 2.4), max(size[1], 1.6), _describe(table, weights, title))
    if title:
        plot.suptitle(title, fontsize=11, color=_INK)
    all_axes = plot.subplots(1, panels, squeeze=False)[0]
    if not weights:
        _heat_map(all_axes[0], table, rows, columns)
        return plot
    for ax, (label, vector) in zip(all_axes, weights.items(), strict=True):
        _weighted_heat_map(ax, table, vector, rows, columns, cell)
        ax.set_title(label, fontsize=10, color=_INK)
    plot.supxlabel("same as (v * y).sum().backward()", fontsize=9, color=_INK, family="monospace")
    return plot


def _names(names: Sequence[str] | None, letter: str, count: int) -> list[str]:
    if names is None:
        return [f"{letter}[{i}]" for i in range(count)]
    if len(names) != count:
        raise ValueError(f"{count} names are needed for {letter}; {len(names)} were given")
    return list(names)


def _number(value: float) -> str:
    whole = value == round(value) and abs(value) < 10_000
    return f"{value:.0f}" if whole else f"{value:.3g}"


def _describe(table: np.ndarray, weights: Mapping[str, np.ndarray], title: str | None) -> str:
    """The picture in words: its numbers where there are few, its shape otherwise."""

    def row(numbers: np.ndarray) -> str:
        return "[" + " ".join(_number(x) for x in numbers) + "]"

    m, n = table.shape
    heading = f"{title}: " if title else ""
    if max(m, n) > _MOST_NUMBERS:
        return f"{heading}heat map of a Jacobian with {m} rows (outputs) and {n} columns (inputs)"
    lines = [f"{heading}Jacobian with {m} rows (outputs) and {n} columns (inputs)"]
    lines += [f"    {row(numbers)}" for numbers in table]
    for label, v in weights.items():
        lines.append(f"{label + ', ' if label else ''}v = {row(v)}: vᵀJ = {row(v @ table)}")
    return "\n".join(lines)


def _heat_map(ax: Axes, table: np.ndarray, rows: list[str], columns: list[str]) -> None:
    m, n = table.shape
    _cells(ax, table, 0, 0)
    _ticks(ax, rows, columns, row_of_names=m)
    ax.set(xlim=(0, n), ylim=(m, 0), aspect="equal")
    ax.set_ylabel("outputs", fontsize=9, color=_INK)
    ax.set_xlabel("inputs", fontsize=9, color=_INK)


def _weighted_heat_map(
    ax: Axes, table: np.ndarray, v: np.ndarray, rows: list[str], columns: list[str], cell: float
) -> None:
    m, n = table.shape
    thick = max(1.0, 0.3 / cell)
    gap = 0.7 * thick
    _cells(ax, table, 0, 0, pale=v == 0)
    _cells(ax, v[:, None], -gap - thick, 0, width=thick)
    _cells(ax, (v @ table)[None, :], 0, m + gap, height=thick)
    ax.text(-gap / 2, m / 2, "×", ha="center", va="center", fontsize=11, color=_INK)
    ax.text(n / 2, m + gap / 2, "=", ha="center", va="center", fontsize=11, color=_INK)
    ax.text(-gap - thick / 2, -0.15 * thick, "v", ha="center", va="bottom", fontsize=9, color=_INK)
    ax.text(n / 2, -0.15 * thick, "J", ha="center", va="bottom", fontsize=9, color=_INK)
    ax.text(-0.2 * thick, m + gap + thick / 2, "vᵀJ", ha="right", va="center", fontsize=9, color=_INK)
    _ticks(ax, rows, columns, row_of_names=m)
    ax.set(xlim=(-gap - thick, n), ylim=(m + gap + thick, -0.8 * thick), aspect="equal")


def _cells(
    ax: Axes,
    table: np.ndarray,
    left: float,
    top: float,
    width: float = 1,
    height: float = 1,
    pale: np.ndarray | None = None,
) -> None:
    """Draw a table of coloured cells at (left, top), each block on its own colour scale."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Rectangle

    m, n = table.shape
    colours = LinearSegmentedColormap.from_list("signed", [_NEGATIVE, _ZERO, _POSITIVE])
    limit = float(np.abs(table).max(initial=0)) or 1.0
    box = (left, left + n * width, top + m * height, top)
    alpha = np.ones((m, 1)) if pale is None else np.where(pale, 0.18, 1.0)[:, None]
    ax.imshow(table, cmap=colours, vmin=-limit, vmax=limit, extent=box, alpha=alpha * np.ones((m, n)))
    frame = Rectangle((left, top), n * width, m * height, fill=False, edgecolor=_INK, linewidth=0.8, zorder=3)
    frame.set_clip_on(False)
    ax.add_patch(frame)
    if max(m, n) > _MOST_NUMBERS:
        return
    ax.vlines(left + width * np.arange(1, n), box[2], box[3], colors=_GRID, linewidth=0.5)
    ax.hlines(top + height * np.arange(1, m), box[0], box[1], colors=_GRID, linewidth=0.5)
    for i, j in np.ndindex(m, n):
        x, y = left + (j + 0.5) * width, top + (i + 0.5) * height
        ink = _INK if alpha[i, 0] == 1 and table[i, j] != 0 else _GREY
        ax.text(x, y, _number(float(table[i, j])), ha="center", va="center", fontsize=9, color=ink)


def _ticks(ax: Axes, rows: list[str], columns: list[str], row_of_names: float) -> None:
    m, n = len(rows), len(columns)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0, labelsize=8, colors=_INK)
    few = max(m, n) <= _MOST_NUMBERS
    ax.set_yticks(np.arange(m) + 0.5 if few else [], rows if few else [])
    ax.set_xticks(np.arange(n) + 0.5 if few else [], columns if few else [])
