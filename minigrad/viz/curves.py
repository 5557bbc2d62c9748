"""Pictures of functions and of training: `curve`, `fit`, `losses`, `paths`. matplotlib is imported when the first one is drawn."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import autograd
from ..core.tensor import Tensor
from ..creation import tensor
from ..modes import no_grad
from .plots import plot_class
from .style import COLOURS, DASHES, INK, LINE, MARKERS, MUTED, PAPER
from .words import figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .figure import Plot

_GRID_POINTS = 121  # of a contour map, along each axis
_FEW_STEPS = 8  # points of a way whose steps are numbered
_PRIMES = ("f", "f′", "f″", "f‴")


def curve(
    f: Callable[[Tensor], Tensor] | Mapping[str, Callable[[Tensor], Tensor]],
    xs: Any,
    derivatives: int = 1,
    tangents: int = 3,
    points: Sequence[float] = (),
) -> Plot:
    """Draw f, its derivatives as autograd computes them, and tangents of f.

    f: a function of a tensor of shape (n,) that works element by element, or a dict {label: function} with one panel each.
    xs: n numbers in rising order, a list, an array or a tensor. derivatives: how many of them to draw. tangents: how many
    short tangents, evenly spread. points: places at which the computed slope is told, with a dot: on the derivative, or on f where
    none is drawn.
    Raises ValueError for xs that are no such numbers, and for an f whose result has another shape.
    """
    plot = plot_class()
    places = rising(xs)
    if derivatives < 0 or tangents < 0:
        raise ValueError("derivatives and tangents are counts: 0 or more")
    functions = dict(f) if isinstance(f, Mapping) else {"": f}
    lines = {label: evaluate(g, places, max(derivatives, 1)) for label, g in functions.items()}
    marks = {label: evaluate(g, np.asarray(points, float), 1) for label, g in functions.items()} if len(points) else {}
    told = [_told(label, places, values, derivatives, points, marks.get(label)) for label, values in lines.items()]
    figure = plot(max(3.9, 3.2 * len(functions)), 3.1, "\n".join(told))
    for ax, (label, values) in zip(figure.subplots(1, len(functions), squeeze=False)[0], lines.items(), strict=True):
        for order in range(derivatives + 1):
            name = _prime(order)
            look = {"color": _pick(COLOURS, order), "ls": _pick(DASHES, order), "lw": 1.4 if order else 2.4}  # one may lie on f
            ax.plot(places, _broken(values[order]) if order else values[0], label=f"{name}(x)", **look)
        _tangents(ax, places, values[0], values[1], tangents)
        ax.margins(y=0.12)
        if marks:
            heights = marks[label][bool(derivatives)]
            ax.plot(points, heights, "o", color=_pick(COLOURS, int(bool(derivatives))), ms=6, label="_")
            for x, y, slope in zip(points, heights, marks[label][1], strict=True):
                _beside(ax, f"f′({_figure(x)}) = {_figure(slope)}", np.array([(x, y)]), INK)
        if tangents:
            ends = np.concatenate([line.get_xydata() for line in ax.get_lines()[derivatives + 1 :: 2]])
            _beside(ax, "tangents" if tangents > 1 else "tangent", ends, INK)
        _finish(ax, "x", "value")
        figure.name_lines(ax)
        ax.set_title(label, fontsize=10, color=INK)
    return figure


def fit(
    xs: Any, ys: Any, models: Mapping[str, Any] | None = None, xlabel: str = "x", ylabel: str = "y", at: Any = None
) -> Plot:
    """Draw measured points, and what models say of the same places, or of others.

    xs, ys: n numbers each, lists, arrays or tensors. models: {label: numbers}, drawn as lines in rising order. at: the places of
    which the models speak, closer together where a line should have no corners; without it those of the points. Raises
    ValueError for anything that is not one number for each place.
    """
    plot = plot_class()
    places, heights = _numbers(xs, "xs"), _numbers(ys, "ys")
    if places.ndim != 1 or not len(places):
        raise ValueError(f"xs is at least one number, in a list; these have shape {places.shape}")
    lines = {label: _numbers(values, label) for label, values in (models or {}).items()}
    fine = places if at is None else _numbers(at, "at")
    if fine.ndim != 1 or not len(fine):
        raise ValueError(f"at is at least one number, in a list; these have shape {fine.shape}")
    told = [f"{len(places)} measured points, {ylabel} over {xlabel}"]
    for label, values in {"ys": heights, **lines}.items():
        where, name = (places, "xs") if label == "ys" or at is None else (fine, "places in at")
        if values.shape != where.shape:
            raise ValueError(f"{label} has a number for each of the {len(where)} {name}; these have shape {values.shape}")
        ends = ", ".join(f"{_figure(values[k])} at {_figure(where[k])}" for k in np.argsort(where)[[0, -1]])
        told.append(f"{'measured' if label == 'ys' else label}: {ends}")
    figure = plot(3.9, 2.9, "\n".join(told))
    ax, order = figure.subplots(), np.argsort(fine)
    for k, (label, values) in enumerate(lines.items()):
        ax.plot(fine[order], values[order], color=_pick(COLOURS, k), ls=_pick(DASHES, k), lw=2, label=label)
    few = len(places) <= 20
    ax.plot(places, heights, "o", color=INK if few else MUTED, ms=5 if few else 3, zorder=3 if few else 1, label="_measured")
    _finish(ax, xlabel, ylabel)
    figure.name_lines(width=14)
    return figure


def losses(curves: Mapping[str, Any], log: bool | None = None, unit: str = "step") -> Plot:
    """Draw losses over the steps of a training.

    curves: {label: numbers}, one number for each step. log: a logarithmic axis; None: where all numbers are above 0 and
    spread over more than a factor of 100. unit: what a step is called, as "epoch". Raises ValueError for anything that is
    no list of numbers.
    """
    plot = plot_class()
    if not isinstance(curves, Mapping) or not curves:
        raise ValueError('losses takes a dict of at least one list, as {"SGD": [2.0, 1.5, 1.2]}')
    series = {label: _numbers(values, label) for label, values in curves.items()}
    for label, values in series.items():
        if values.ndim != 1 or not len(values):
            raise ValueError(f"the losses of {label!r} are at least one number, in a list; these have shape {values.shape}")
    sound = np.concatenate([values[np.isfinite(values)] for values in series.values()])
    if log is None:
        log = bool(len(sound) and sound.min() > 0 and sound.max() > 100 * sound.min())
    # Two digits: where a training ends, the next ones are the processor's.
    told = [f"Loss over {unit}s" + (", on a logarithmic axis" if log else "")]
    for label, values in series.items():
        bad = int((~np.isfinite(values)).sum())
        told.append(
            f"{label}: {_figure(values[0], 2)} at {unit} 0, {_figure(values[-1], 2)} at {unit} {len(values) - 1}"
            + (f"; {bad} of {len(values)} are not finite and not drawn" if bad else "")
        )
    figure = plot(3.9, 2.9, "\n".join(told))
    ax = figure.subplots()
    for k, (label, values) in enumerate(series.items()):
        few = {"marker": _pick(MARKERS, k), "ms": 4} if len(values) <= 12 else {}
        turns = np.count_nonzero(np.diff(np.sign(np.diff(values[np.isfinite(values)]))))
        zigzag = turns > 0.1 * len(values)  # in dashes it would be noise
        look = {"ls": "-", "lw": 1.5} if zigzag else {"ls": _pick(DASHES, k), "lw": 2}
        ax.plot(np.where(np.isfinite(values), values, np.nan), color=_pick(COLOURS, k), label=label, **look, **few)
    if log:
        ax.set_yscale("log")
    ax.locator_params(axis="x", integer=True)  # there is no step 0.5
    _finish(ax, unit, "loss" + (" (log)" if log else ""))
    if len(series) > 1:
        figure.name_lines(width=14)
    return figure


def paths(
    f: Callable[[Tensor], Tensor],
    tracks: Mapping[str, Any],
    xlim: tuple[float, float] | None = None,
    ylim: tuple[float, float] | None = None,
    log: bool = True,
    name: str = "x",
    zoom: tuple[tuple[float, float], tuple[float, float]] | None = None,
) -> Plot:
    """Draw the ways of optimizers over the contour lines of f. Where a way is short its steps are numbered.

    f: a function of a tensor of shape (2,) that returns one number. tracks: {label: points}, points of shape (k, 2).
    xlim, ylim: the part of the plane to draw; without them where the points are. log: contour lines at levels that grow by
    a factor, so that a narrow valley is seen; False: at even distances. name: what a point is called. zoom: the limits of a part
    that is drawn larger, as ((0, 1), (0, 1)). Raises ValueError for points of another shape.
    """
    plot = plot_class()
    if not isinstance(tracks, Mapping):
        raise ValueError('paths takes a dict of points, as {"Newton": [[0.0, 1.0], [1.0, 1.0]]}')
    ways = {label: _numbers(points, label) for label, points in tracks.items()}
    for label, points in ways.items():
        if points.ndim != 2 or points.shape[1:] != (2,) or not len(points):
            raise ValueError(f"the points of {label!r} have shape (k, 2); these have {points.shape}")
    if not ways and (xlim is None or ylim is None):
        raise ValueError("without tracks, xlim and ylim say what to draw")
    sound = {label: points[np.isfinite(points).all(1)] for label, points in ways.items()}
    limits = [_limits(given, [p[:, axis] for p in sound.values()]) for axis, given in enumerate((xlim, ylim))]
    told = [f"Contour lines of f for {name}[0] from {_figure(limits[0][0])} to {_figure(limits[0][1])} and {name}[1] from "
            f"{_figure(limits[1][0])} to {_figure(limits[1][1])}"]  # fmt: skip
    for label, points in sound.items():
        lost = len(ways[label]) - len(points)
        start, end = ([_figure(v) for v in points[k]] for k in (0, -1)) if len(points) else (["?"] * 2, ["?"] * 2)
        told.append(
            f"{label}: {len(points) - 1} step{'s' * (len(points) != 2)} from ({', '.join(start)}) to ({', '.join(end)})"
            + (f"; {lost} points are not finite and not drawn" if lost else "")
        )
    figure = plot(7.8 if zoom else 3.9, 3.8, "\n".join(told))
    parts = [limits] if zoom is None else [limits, [_limits(given, []) for given in zoom]]
    for ax, part in zip(axes := figure.subplots(1, len(parts), squeeze=False)[0], parts, strict=True):
        grid = [np.linspace(low, high, _GRID_POINTS) for low, high in part]
        heights = _heights(f, *np.meshgrid(*grid))
        ax.contour(*grid, heights, levels=_levels(heights, log), colors=LINE, linewidths=0.7, alpha=0.7)
        for k, (label, points) in enumerate(sound.items()):
            few = {"marker": _pick(MARKERS, k), "ms": 3, "lw": 1.8 + 0.6 * (k < len(sound) - 1)}  # the last way lies over the others
            few = few if len(points) <= 20 else {"lw": 1.0}  # many steps are a blot
            ax.plot(points[:, 0], points[:, 1], color=_pick(COLOURS, k), label=label, **few)
            ax.plot(*points[:1].T, marker="o", ms=9, mfc=PAPER, mec=INK, ls="", zorder=3)
        for k, points in enumerate(sound.values()):  # over all lines, each with a rim of paper
            ax.plot(*points[-1:].T, marker="x", ms=12, mew=5.5, color=PAPER, ls="", zorder=3)
            ax.plot(*points[-1:].T, marker="x", ms=9, mew=2.4, color=_pick(COLOURS, k), ls="", zorder=3)
        ax.set(xlim=part[0], ylim=part[1])
        _finish(ax, f"{name}[0]", f"{name}[1]")
        ax.grid(False)
    if zoom is not None:
        (left, right), (low, high) = parts[1]
        axes[0].plot([left, right, right, left, left], [low, low, high, high, low], color=INK, lw=1)
        axes[1].set_title("in the box, larger")
    ax = axes[0]
    figure.draw_without_rendering()  # now everything has its place
    taken = [_beside(ax, "start", np.array([at]), INK) for at in dict.fromkeys(tuple(p[0]) for p in sound.values() if len(p))]
    for k, (label, points) in enumerate(sound.items()):
        others = [way for name, way in sound.items() if name != label]
        if len(points):
            taken.append(_beside(ax, label, points[1:] if points[1:].size else points, _pick(COLOURS, k), others, taken))
        steps: dict[int, str] = {}  # of a short way; where it stands still they share a place
        for step in range(1, len(points) if 2 < len(points) <= _FEW_STEPS else 0):
            before = [at for at in steps if np.abs(points[at] - points[step]).max() < 0.04 * (limits[0][1] - limits[0][0])]
            steps[before[-1] if before else step] = ", ".join([*(steps[at] for at in before[-1:]), str(step)])
        taken += [_beside(ax, text, points[[at]], _pick(COLOURS, k), (), taken) for at, text in steps.items()]
    return figure


# --- numbers


def _numbers(values: Any, name: str) -> np.ndarray:
    """As an array of float64. Lists may hold tensors."""
    try:
        if isinstance(values, (list, tuple)):
            return np.asarray([_numbers(v, name) for v in values], float)
        return np.asarray(values.detach() if hasattr(values, "detach") else values, float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}") from None


def rising(xs: Any) -> np.ndarray:
    """At least two numbers in rising order, as float64."""
    places = _numbers(xs, "xs")
    if places.ndim != 1 or len(places) < 2 or not (np.diff(places) > 0).all():
        raise ValueError(f"xs is at least two numbers in rising order; these have shape {places.shape}")
    return places


def evaluate(f: Callable[[Tensor], Tensor], places: np.ndarray, count: int) -> list[np.ndarray]:
    """f and its first derivatives at the places. Where nothing depends on x any more the derivative is 0."""
    x = tensor(places, requires_grad=True)
    y = f(x)
    found = []
    for order in range(count + 1):
        if not isinstance(y, Tensor):
            raise TypeError(f"f takes and returns a tensor; this one returned {type(y).__name__}")
        if y.shape != x.shape:
            raise ValueError(f"f works element by element: of x with shape {tuple(x.shape)} it made {tuple(y.shape)}")
        found.append(np.array(y._array, float))
        if order < count:
            y = autograd.grad(y.sum(), x, create_graph=True, materialize_grads=True)[0] if y.requires_grad else x * 0
    return found


def _heights(f: Callable[[Tensor], Tensor], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """f over a grid: in one call where f allows that, and point by point where it does not."""

    def at(point: Any) -> float:
        value = f(tensor([float(number) for number in point]))  # float32, as a learner's constants are
        if not isinstance(value, Tensor) or value.numel() != 1:
            shape = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
            raise ValueError(f"f makes one number of a tensor of shape (2,); this one made {shape}")
        return float(value._array.reshape(()))

    with no_grad(), np.errstate(all="ignore"):
        corners = [(0, 0), (-1, -1), (3, 7)]
        expected = [at([x[k], y[k]]) for k in corners]
        try:
            whole = f(tensor(np.stack([x, y])))
            heights = np.asarray(whole._array, float)
            if heights.shape == x.shape and np.allclose([heights[k] for k in corners], expected, equal_nan=True):
                return heights
        except Exception:  # f was written for one point
            pass
        return np.array([at(point) for point in zip(x.ravel(), y.ravel(), strict=True)]).reshape(x.shape)


def _levels(heights: np.ndarray, log: bool) -> np.ndarray:
    sound = heights[np.isfinite(heights)]
    low, high = (float(sound.min()), float(sound.max())) if sound.size else (0.0, 1.0)
    if high <= low:
        return np.array([low])
    steps = np.geomspace(1e-3, 1.0, 10) if log else np.linspace(0, 1, 17)[1:]
    return low + (high - low) * steps


def _limits(given: tuple[float, float] | None, values: list[np.ndarray]) -> tuple[float, float]:
    if given is not None:
        low, high = given
        if not low < high:
            raise ValueError(f"limits are a lower and a higher number, not {low} and {high}")
        return float(low), float(high)
    every = np.concatenate(values)
    low, high = (float(every.min()), float(every.max())) if every.size else (-1.0, 1.0)
    margin = 0.15 * (high - low) or 1.0
    return low - margin, high + margin


# --- words and shapes


def _prime(order: int) -> str:
    return _PRIMES[order] if order < len(_PRIMES) else f"f⁽{''.join('⁰¹²³⁴⁵⁶⁷⁸⁹'[int(d)] for d in str(order))}⁾"


def _figure(value: float, digits: int = 4) -> str:
    return f"{float(figure(value, digits)):g}"  # and no power of ten before a million


def _told(
    label: str, xs: np.ndarray, values: list[np.ndarray], derivatives: int, points: Sequence[float], marks: Any
) -> str:
    """One function in words: its values at both ends and in the middle."""
    heading = f"{label}: " if label else ""
    middle = len(xs) // 2
    what = "f" if not derivatives else f"f and its first {derivatives} derivatives" if derivatives > 1 else "f and its derivative"
    lines = [f"{heading}{what} for x from {_figure(xs[0])} to {_figure(xs[-1])}"]
    for order in range(derivatives + 1):
        at = ", ".join(f"{_figure(values[order][k])} at {_figure(xs[k])}" for k in (0, middle, -1))
        lines.append(f"    {_prime(order)}(x): {at}")
    if marks is not None:
        lines += [f"    slope {_figure(s)} at {_figure(p)}" for p, s in zip(points, marks[1], strict=True)]
    return "\n".join(lines)


def _tangents(ax: Axes, xs: np.ndarray, ys: np.ndarray, slopes: np.ndarray, count: int) -> None:
    """Short straight lines that touch the curve, all equally wide in x."""
    if not count:
        return
    half = 0.33 * (xs[-1] - xs[0]) / count
    at = np.unique(np.linspace(0, len(xs) - 1, count + 2).round().astype(int)[1:-1])
    for k in at:
        reach = np.array([-half, half])
        ax.plot(xs[k] + reach, ys[k] + slopes[k] * reach, color=INK, lw=1.3, zorder=3, label="_")
        ax.plot(xs[k], ys[k], "o", color=INK, ms=3.5, zorder=3)


def _beside(
    ax: Axes, words: str, points: np.ndarray, colour: str, others: Sequence[np.ndarray] = (), taken: Sequence[np.ndarray] = ()
) -> np.ndarray:
    """Write at one of the points that is no other way's, in one row or in more, on that side of it where the lines are furthest away.
    It gives the place of the words, as points; `taken` are such places."""
    ax.get_xlim(), ax.get_ylim()  # now the limits are those of the lines
    unit, box = ax.get_figure(root=True).dpi / 72, ax.get_window_extent()  # type: ignore[union-attr]
    text = ax.annotate(words, (0, 0), (0, 0), "data", "offset points", ha="center", va="center", fontsize=9, linespacing=1.15,
                       color=colour, bbox={"fc": PAPER, "ec": "none", "pad": 1})  # fmt: skip
    halves = {}
    for width in (99, 18, 12):
        text.set_text(form := textwrap.fill(words, width))
        halves[form] = np.asarray(text.get_window_extent().size) / unit / 2

    def line(way: np.ndarray) -> np.ndarray:
        at = ax.transData.transform(way) / unit
        return np.concatenate([at[:1], *(np.linspace(a, b, 40) for a, b in pairwise(at))])

    drawn = np.concatenate([*(line(np.asarray(found.get_xydata())) for found in ax.get_lines()), *taken])
    enough = 15.0 if len(points) == 1 else 7.0  # the first place that has as much room is taken
    places = ax.transData.transform(points[:: len(points) // 50 + 1]) / unit
    own = [at for at in places if all(np.hypot(*(line(other) - at).T).min() > 15 for other in others if len(other))]

    def middle(choice: tuple[np.ndarray, tuple[int, int], str]) -> np.ndarray:
        at, (x, y), form = choice
        return at + (x * (9 + halves[form][0]), y * (7 + halves[form][1]))

    def room(choice: tuple[np.ndarray, tuple[int, int], str]) -> float:
        here, half = middle(choice), halves[choice[2]]
        (left, low), (right, high) = here - half, here + half
        if left < box.x0 / unit or right > box.x1 / unit or low < box.y0 / unit or high > box.y1 / unit + 15:
            return -1.0
        return float(np.nanmin(np.hypot(*np.maximum(np.abs(drawn - here) - half, 0).T), initial=enough))

    sides = [(0, 1), (0, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (-1, -1), (1, -1)]
    best = max(((at, side, form) for at in own or places for side in sides for form in halves), key=room)
    text.xy, form = tuple(ax.transData.inverted().transform(best[0] * unit)), best[2]
    text.set_text(form)
    text.xyann = tuple(middle(best) - best[0])
    return middle(best) + halves[form] * [(i / 4, j / 2) for i in range(-4, 5) for j in range(-2, 3)]


def _broken(ys: np.ndarray) -> np.ndarray:
    """A gap where a derivative jumps: a line across would be a slope that is not there."""
    ys, jumps = ys.copy(), np.abs(np.diff(ys)) > 0.3 * np.ptp(ys)
    if len(ys) >= 50:
        ys[1:][jumps] = np.nan
    return ys


def _pick(looks: Sequence[Any], k: int) -> Any:
    return looks[k % len(looks)]


def _finish(ax: Axes, xlabel: str, ylabel: str) -> None:
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.grid()
