"""Pictures of numbers, made with matplotlib (imported when the first one is drawn)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .style import INK, LINE, MARK, MUTED, PAPER, mix, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .figure import Plot

_MOST_NUMBERS = 16  # a heat map with more rows or columns than this shows colours only
_CELL, _SMALL, _PHONE = 0.44, 0.27, 4.05  # inches; a picture of this width fits on a phone, and cells get smaller for that


def jacobian(
    J: Any,
    v: Any = None,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str | None = None,
    fill: str | Sequence[str] | None = None,
    filled: int | None = None,
    names: tuple[str, str] = ("J", "y"),
) -> Plot:
    """Draw the Jacobian J, outputs as rows and inputs as columns; with v also what y.backward(v) makes of it.

    J: array or tensor of shape (m, n). v: None, one vector of m weights, or a dict {label: vector} with one
    panel each. A weight stands beside its row, vᵀJ stands under the columns, rows of weight 0 are pale.
    rows and columns name the outputs and the inputs; without them they are y[0], y[1], … and x[0], x[1], …
    names: what the picture calls the matrix and the outputs, as ("H", "g") for a Hessian.

    fill, instead of v: how J is computed. "rows": one vector-Jacobian product after the other, "columns": one
    Jacobian-vector product after the other, "all": every row in one batched pass; several of these give a panel each.
    filled: how many rows or columns are there already (by default half of them); the next one is outlined.
    Raises ValueError for what does not fit together.
    """
    plot_of = plot_class()
    table = array(J)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"a Jacobian has two axes, outputs and inputs, and is not empty; this J has shape {table.shape}")
    m, n = table.shape
    rows, columns = names_of(rows, names[1], m), names_of(columns, "x", n)
    given = {} if v is None else v if isinstance(v, Mapping) else {"": v}
    weights = {label: array(vector) for label, vector in given.items()}
    for vector in weights.values():
        if vector.shape != (m,):
            raise ValueError(f"J has {m} rows, so v must have shape ({m},); this one has {vector.shape}")

    if fill is not None:
        if v is not None:
            raise ValueError("fill shows how J is computed, v what a pass makes of it: give one of the two")
        return _filling(table, [fill] if isinstance(fill, str) else list(fill), filled, rows, columns, title)
    if filled is not None:
        raise ValueError('filled goes with fill="rows" or fill="columns"')

    panels = max(len(weights), 1)
    strip = 2.0 if weights else 0.0  # room for v on the left and for vᵀJ below, in cells
    beside = 0.07 * max(map(len, rows)) + (0.28 if weights else 0.37)  # inches, for the names of the rows
    apart = 0.45 * (panels > 1)  # inches, from panel to panel: clearly more than from v to J
    fitting = max(_SMALL, min(_CELL, (_PHONE - 0.3 - apart / 2 - beside) / (n + strip)))
    cell = 4.0 / max(m, n) if max(m, n) > _MOST_NUMBERS else fitting
    wide = panels * ((n + strip) * cell + beside + apart) + 0.3 - apart
    high = (m + strip) * cell + 0.75 + 0.3 * bool(weights) + 0.24 * (panels > 1)
    plot = plot_of(max(wide, 2.4), max(high, 1.6), _describe(table, weights, title, names[0]))
    if title:
        plot.suptitle(title, fontsize=11, color=INK)
    if panels > 1:  # on a phone they go one below the other
        plot.get_layout_engine().set(h_pad=0.2, wspace=panels * apart / plot.get_figwidth())  # type: ignore[union-attr, call-arg]
    all_axes = plot.subplots(1, panels, squeeze=False)[0]
    if not weights:
        _heat_map(all_axes[0], table, rows, columns)
        return plot
    for ax, (label, vector) in zip(all_axes, weights.items(), strict=True):
        _weighted_heat_map(ax, table, vector, rows, columns, cell, names[0])
        ax.set_title(label, fontsize=10, color=INK)
        if panels == 1:
            ax.set_xlabel(f"same as (v * {names[1]}).sum().backward()", fontsize=9, color=INK, family="monospace", labelpad=10)
    return plot


def plot_class() -> type[Plot]:
    """The class of all plots. Raises ImportError, in one sentence, where matplotlib is missing."""
    try:
        from .figure import Plot
    except ImportError as error:
        raise ImportError("this picture needs matplotlib: pip install matplotlib") from error
    return Plot


def array(values: Any) -> np.ndarray:
    return np.asarray(values.detach() if hasattr(values, "detach") else values, dtype=float)


def names_of(names: Sequence[str] | None, letter: str, count: int) -> list[str]:
    if names is None:
        return [f"{letter}[{i}]" for i in range(count)]
    if len(names) != count:
        raise ValueError(f"{count} names are needed for {letter}; {len(names)} were given")
    return list(names)


def _number(value: float, short: bool = False) -> str:
    """For a cell. short: with two digits, if it is a fraction below 1."""
    whole = value == round(value) and abs(value) < 10_000
    text = f"{value:.0f}" if whole else f"{value:.3g}"
    return text if len(text) < 6 and (whole or not short or abs(value) >= 1) else f"{value:.2g}"


def _short(table: np.ndarray) -> bool:
    """Whether one of its fractions below 1 has no room for three digits: then none of them has three."""
    return any(abs(value) < 1 and len(f"{value:.3g}") > 5 for value in table.flat)


def _describe(table: np.ndarray, weights: Mapping[str, np.ndarray], title: str | None, name: str) -> str:
    """The picture in words: its numbers where there are few, its shape otherwise."""

    def row(numbers: np.ndarray) -> str:
        return "[" + " ".join(_number(x, _short(table)) for x in numbers) + "]"

    m, n = table.shape
    heading = f"{title}: " if title else ""
    if max(m, n) > _MOST_NUMBERS:
        return f"{heading}heat map of a Jacobian with {m} rows (outputs) and {n} columns (inputs)"
    what = "Jacobian" if name == "J" else f"Matrix {name}"
    lines = [f"{heading}{what} with {m} rows (outputs) and {n} columns (inputs)"]
    lines += [f"    {row(numbers)}" for numbers in table]
    for label, v in weights.items():
        lines.append(f"{label + ', ' if label else ''}v = {row(v)}: vᵀ{name} = {row(v @ table)}")
    return "\n".join(lines)


_MODES = {"rows": "vector-Jacobian product", "columns": "Jacobian-vector product", "all": "batched pass"}


def _filling(
    table: np.ndarray, modes: list[str], filled: int | None, rows: list[str], columns: list[str], title: str | None
) -> Plot:
    """A panel for each way to compute J, stopped on the way, with the number of passes under it."""
    m, n = table.shape
    counts = {"rows": m, "columns": n, "all": 1}
    if not modes or any(mode not in counts for mode in modes):
        raise ValueError(f"fill is {', '.join(map(repr, counts))}, or a list of these, not {modes!r}")
    if filled is not None and not 0 <= filled <= min(counts[mode] for mode in modes):
        raise ValueError(f"filled is between 0 and {min(counts[mode] for mode in modes)} here, not {filled}")
    heading = f"{title}: " if title else ""
    told = [f"{heading}a Jacobian with {m} rows (outputs) and {n} columns (inputs), while it is computed"]
    ready = {mode: (counts[mode] + 1) // 2 if filled is None else filled for mode in modes}
    for mode in modes:
        passes = "pass" if counts[mode] == 1 else "passes"
        told.append(f"{_by(mode)}: {ready[mode]} of {counts[mode]} {passes} made, each a {_MODES[mode]}")
    cell = _CELL if max(m, n) <= _MOST_NUMBERS else 4.0 / max(m, n)
    width = len(modes) * (max(n * cell, 1.5) + 0.75) + 0.3
    plot = plot_class()(width, m * cell + 1.25, "\n".join(told))
    if title:
        plot.suptitle(title, fontsize=11, color=INK)
    for ax, mode in zip(plot.subplots(1, len(modes), squeeze=False)[0], modes, strict=True):
        _partly(ax, table, mode, ready[mode], rows, columns)
        ax.set_title(_by(mode), fontsize=10, color=INK)
        count = f"{ready[mode]} of {counts[mode]} pass" + "es" * (counts[mode] != 1)
        ax.set_xlabel(f"{count}\n{_MODES[mode] if mode == 'all' else 'each a ' + _MODES[mode]}", fontsize=9, color=INK)
    return plot


def _by(mode: str) -> str:
    return "all rows at once" if mode == "all" else f"by {mode}"


def _partly(ax: Axes, table: np.ndarray, mode: str, ready: int, rows: list[str], columns: list[str]) -> None:
    from matplotlib.patches import Rectangle

    m, n = table.shape
    there = np.zeros((m, n), bool)
    there[(slice(None), slice(ready)) if mode == "columns" else slice(m if mode == "all" and ready else ready)] = True
    _cells(ax, table, 0, 0, missing=~there)
    if ready < (n if mode == "columns" else m) and mode != "all":
        corner, size = ((ready, 0), (1, m)) if mode == "columns" else ((0, ready), (n, 1))
        following = Rectangle(corner, *size, fill=False, edgecolor=MARK, linewidth=2.5, zorder=4)
        following.set_clip_on(False)
        ax.add_patch(following)
        if max(m, n) <= _MOST_NUMBERS:
            ax.text(corner[0] + size[0] / 2, corner[1] + size[1] / 2, "next", ha="center", va="center", fontsize=9, color=INK)
    _ticks(ax, rows, columns)
    ax.set(xlim=(0, n), ylim=(m, 0), aspect="equal")


def _heat_map(ax: Axes, table: np.ndarray, rows: list[str], columns: list[str]) -> None:
    m, n = table.shape
    _cells(ax, table, 0, 0)
    _ticks(ax, rows, columns)
    ax.set(xlim=(0, n), ylim=(m, 0), aspect="equal")
    ax.set_ylabel("outputs", labelpad=8)
    ax.set_xlabel("inputs")


def _weighted_heat_map(
    ax: Axes, table: np.ndarray, v: np.ndarray, rows: list[str], columns: list[str], cell: float, name: str
) -> None:
    m, n = table.shape
    thick = max(1.0, 0.3 / cell)
    gap = 0.7 * thick
    _cells(ax, table, 0, 0, pale=v == 0)
    _cells(ax, v[:, None], -gap - thick, 0, width=thick, powers=True)
    _cells(ax, (v @ table)[None, :], 0, m + gap, height=thick, powers=True)
    ax.text(-gap / 2, m / 2, "×", ha="center", va="center", fontsize=11, color=INK)
    ax.text(n / 2, m + gap / 2, "=", ha="center", va="center", fontsize=11, color=INK)
    ax.text(-gap - thick / 2, -0.15 * thick, "v", ha="center", va="bottom", fontsize=9, color=INK)
    ax.text(n / 2, -0.15 * thick, name, ha="center", va="bottom", fontsize=9, color=INK)
    ax.text(-0.2 * thick, m + gap + thick / 2, f"vᵀ{name}", ha="right", va="center", fontsize=9, color=INK)
    _ticks(ax, rows, columns)
    ax.set(xlim=(-gap - thick, n), ylim=(m + gap + thick, -0.8 * thick), aspect="equal")


def _cells(
    ax: Axes,
    table: np.ndarray,
    left: float,
    top: float,
    width: float = 1,
    height: float = 1,
    pale: np.ndarray | None = None,
    missing: np.ndarray | None = None,
    powers: bool = False,
) -> None:
    """Draw a table of coloured cells at (left, top), each block on its own colour scale. Missing cells are grey.

    powers: where the numbers are as unlike as 1 and 100, equal factors are equal steps of colour.
    """
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Rectangle

    m, n = table.shape
    limit = float(np.abs(table).max(initial=0)) or 1.0
    few, short = max(m, n) <= _MOST_NUMBERS, _short(table)
    faded = np.zeros(m, bool) if pale is None else pale
    missing = np.zeros((m, n), bool) if missing is None else missing
    shades, known = table / limit, np.abs(table[(table != 0) & np.isfinite(table)])
    if powers and known.size and known.max() >= 100 * known.min():
        steps = np.log10(np.maximum(np.abs(table), known.min()) / known.min()) + 1
        shades = np.sign(table) * steps / steps.max()
    fills = [[_fill(shades[i, j], bool(faded[i]), bool(missing[i, j])) for j in range(n)] for i in range(m)]
    box = (left, left + n * width, top + m * height, top)
    if not few:
        ax.imshow([[to_rgb(fill) for fill in row] for row in fills], extent=box)
    frame = Rectangle((left, top), n * width, m * height, fill=False, edgecolor=LINE, linewidth=0.8, zorder=3)
    frame.set_clip_on(False)
    ax.add_patch(frame)
    if not few:
        return
    for i, j in np.ndindex(m, n):
        corner = (left + j * width, top + i * height)
        cell = Rectangle(corner, width, height, facecolor=fills[i][j], edgecolor=PAPER, linewidth=1.2, clip_on=False)
        ax.add_patch(cell)
        if not missing[i, j]:
            ink = MUTED if faded[i] or table[i, j] == 0 else INK
            middle = (corner[0] + width / 2, corner[1] + height / 2)
            ax.text(*middle, _number(float(table[i, j]), short), ha="center", va="center", fontsize=9, color=ink)


def _fill(shade: float, faded: bool, missing: bool) -> str:
    if missing:
        return "#e9e9e9"
    return mix("#ffffff", signed(shade, 1.0), 0.18 if faded else 1.0)


def _ticks(ax: Axes, rows: list[str], columns: list[str]) -> None:
    m, n = len(rows), len(columns)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    few = max(m, n) <= _MOST_NUMBERS
    ax.set_yticks(np.arange(m) + 0.5 if few else [], rows if few else [])
    ax.set_xticks(np.arange(n) + 0.5 if few else [], columns if few else [])
