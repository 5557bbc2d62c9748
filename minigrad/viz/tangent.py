"""`tangent`: a point on a function that can be dragged, with the tangent there and the secant through a second point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from .curves import evaluate, rising
from .drawing import Drawing
from .living import Play
from .paint import Dot, Path, Run, Shape, Text, svg
from .picture import CAPTION, INK, MARGIN, MARK, MUTED, SLOPE, SMALL, VALUE, framed
from .scripts import script_image
from .style import LINE
from .words import figure

WIDTH, HEIGHT = 400.0, 230.0  # of the plot
MOST_POINTS = 401
_TOP = 2 * MARGIN + 18  # the words stand above the plot: two lines
_SECANTS = "7 4", "1.6 3.4"
_NAMES, _ROOM, _HIGH = 20, 6.0, 8.0  # places along a line for its name; how far from other lines is enough; half of a name's height


class Tangent(Play):
    """A function to grasp: `.html` for a notebook or a page, `.still` as a drawing, `.text` with the slopes."""


def tangent(
    f: Callable[[Tensor], Tensor],
    xs: Any,
    at: float | None = None,
    step: float | None = None,
    both: bool = False,
    units: tuple[str, str] = ("", ""),
) -> Tangent:
    """Draw f with its tangent at a point and the secant to a second one. The point can be dragged, and a slider sets the step.

    f: a function of a tensor of shape (n,) that works element by element. xs: n numbers in rising order, evenly spread, at most
    401: the places where the point can stand. at: where it stands first (None: in the middle). step: from the point to the
    second one (None: a quarter of the range). both: draw the secant from both sides, from at - step to at + step, as well.
    units: of x and of f, as ("min", "°C"); with one of f both ends of the curve have their numbers. The slope of the tangent
    is autograd's; f and its slopes are computed here, so the page only draws. Where no script may run the still picture
    remains. Raises ValueError for xs that are no such numbers, for a point or a step outside them, and for an f whose result
    has another shape.

    >>> from minigrad import viz
    >>> viz.tangent(lambda x: x**2, [0, 0.5, 1, 1.5, 2], at=0.5, step=1, both=False)
    At x = 0.5 f is 0.25 and the slope of the tangent 1
    The secant with a step of 1 has the slope 2
    """
    places = rising(xs)
    if len(places) > MOST_POINTS or not np.allclose(np.diff(places), (places[-1] - places[0]) / (len(places) - 1)):
        raise ValueError(f"xs is at most {MOST_POINTS} evenly spread numbers: mg.linspace makes them")
    values, slopes = evaluate(f, places, 1)
    middle = (len(places) - 1) // 2
    k = middle if at is None else _index(places - at, "at")
    reach = max(1, len(places) // 4) if step is None else _index(places - places[0] - step, "step")
    if reach < 1 or k + reach >= len(places) or (both and k < reach):
        raise ValueError(f"from {figure(places[k])} a step of {figure(places[reach] - places[0])} leads out of xs, or nowhere")
    graph = _Graph(places, values, slopes, both, units)
    still = graph.still(k, reach)
    html = f"<div>\n{still.html}\n{script_image('tangent', graph.told(k, reach), shared='plot')}\n</div>"
    return Tangent(html, still.text, still)


def _index(distance: np.ndarray, what: str) -> int:
    k = int(np.abs(distance).argmin())
    if abs(distance[k]) > np.ptp(distance) / (len(distance) - 1):
        raise ValueError(f"{what} lies outside xs")
    return k


def _along(line: Path) -> list[tuple[float, float]]:
    (_, (x, y)), (_, (nx, ny)) = line.steps
    return [(x + k / _NAMES * (nx - x), y + k / _NAMES * (ny - y)) for k in range(_NAMES + 1)]


def _around(x: float, y: float, half: float) -> list[tuple[float, float]]:
    """Points of a name with this middle."""
    return [(x + k * half / 2, y) for k in range(-2, 3)]


def _beside(line: Path, half: float, taken: list[tuple[float, float]], top: float) -> tuple[float, float] | None:
    """The middle of a name beside its line: the first place from the right with enough room to what is taken, or the one with
    the most. The page's script does the same."""
    (x, y), *_, (nx, ny) = points = _along(line)
    long = float(np.hypot(nx - x, ny - y)) or 1.0
    off = (abs(ny - y) * half + abs(nx - x) * _HIGH) / long + 4
    found, most, at = None, -1.0, np.array(taken)
    for px, py in reversed(points):
        for side in (1, -1):
            cx, cy = px + side * off * (ny - y) / long, py - side * off * (nx - x) / long
            if not (MARGIN + half <= cx <= MARGIN + WIDTH - half and top + _HIGH <= cy <= top + HEIGHT - _HIGH):
                continue
            away = np.hypot(*np.maximum(np.abs(at - (cx, cy)) - (half, _HIGH), 0).T).min()
            if (room := min(float(away), _ROOM)) > most:
                found, most = (round(cx, 2), round(cy, 2)), room
    return found


class _Graph:
    def __init__(self, xs: np.ndarray, ys: np.ndarray, slopes: np.ndarray, both: bool, units: tuple[str, str]) -> None:
        self.xs, self.ys, self.slopes, self.both, self.top = xs, ys, slopes, both, _TOP + 17 * both
        per = f"{units[1]}/{units[0]}" if all(units) else ""
        self.units = [unit and f" {unit}" for unit in (*units, per)]
        finite = ys[np.isfinite(ys)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        room = 0.12 * (high - low) or 1.0
        self.low, self.high = low - 1.7 * room, high + room  # below the axis a name has room

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The place of a point on the paper."""
        across = (x - self.xs[0]) / (self.xs[-1] - self.xs[0])
        return round(MARGIN + WIDTH * across, 2), round(self.top + HEIGHT * (self.high - y) / (self.high - self.low), 2)

    def axes(self) -> list[Path]:
        """The lines on which x and f are 0, where they are in the plot."""
        x, y = self.at(0.0, 0.0)
        left, top = self.at(self.xs[0], self.high)
        right, low = self.at(self.xs[-1], self.low)
        level, upright = Path((("M", (left, y)), ("L", (right, y))), LINE, 0.8), Path((("M", (x, top)), ("L", (x, low))), LINE, 0.8)
        return [level] * (top <= y <= low) + [upright] * bool(left <= x <= right)

    def line(self, k: int, slope: float, through: float) -> Path | None:
        """The straight line of some slope through a point, as far as it is inside the plot."""
        x, left, right = self.xs[k], self.xs[0], self.xs[-1]
        if not np.isfinite([slope, through]).all():
            return None
        if slope:
            ends = sorted(x + (edge - through) / slope for edge in (self.low, self.high))
            left, right = max(left, ends[0]), min(right, ends[1])
        a, b = (self.at(end, through + slope * (end - x)) for end in (left, right))
        return Path((("M", a), ("L", b)), MARK, 2.0)

    def secants(self, k: int, reach: int) -> list[tuple[str, int, int]]:
        """What each is called, and its two points."""
        if not self.both:
            return [("secant", k, k + reach)]
        return [("dashed secant", k, k + reach), ("dotted secant from both sides", k - reach, k + reach)]

    def words(self, k: int, reach: int) -> list[str]:
        x, y, per = self.units
        step = figure(self.xs[reach] - self.xs[0]) + x
        where = f"At x = {figure(self.xs[k])}{x} f is {figure(self.ys[k])}{y}"
        lines = [f"{where} and the slope of the tangent {figure(self.slopes[k])}{per}"]
        for name, a, b in self.secants(k, reach):
            lines.append(f"The {name} with a step of {step} has the slope {figure(self.rise(a, b))}{per}")
        return lines

    def rise(self, a: int, b: int) -> float:
        with np.errstate(all="ignore"):
            return float((self.ys[b] - self.ys[a]) / (self.xs[b] - self.xs[a]))

    def still(self, k: int, reach: int) -> Drawing:
        steps: list[tuple[str, tuple[float, ...]]] = []
        for x, y in zip(self.xs, self.ys, strict=True):
            if np.isfinite(y):
                steps.append(("L" if steps and steps[-1][0] != "break" else "M", self.at(x, y)))
            elif steps:
                steps.append(("break", ()))
        shapes: list[Shape] = [*(axes := self.axes()), Path(tuple(s for s in steps if s[0] != "break"), INK, 2.0)]
        taken = [self.at(x, y) for x, y in zip(self.xs, self.ys, strict=True) if np.isfinite(y)]
        taken += [at for axis in axes for at in _along(axis)]
        for x in (0, -1):
            label = Run(f"x = {figure(self.xs[x])}{self.units[0]}", SMALL)
            left = self.at(self.xs[x], self.low)[0] + (x and -label.width)
            shapes.append(Text(left, self.top + HEIGHT + 14, (label,)))
            if self.units[1] and np.isfinite(self.ys[x]):  # where the curve does not go
                label = Run(f"{figure(self.ys[x])}{self.units[1]}", SMALL)
                across, down = self.at(self.xs[x], self.ys[x])
                above = self.ys[x] > self.ys[-2 if x else 1]
                shapes.append(Text(across + (x and -label.width), down + (-8 if above else 16), (label,)))
                taken += _around(across + (-0.5 if x else 0.5) * label.width, down + (-12 if above else 12), label.width / 2)
        lines: list[tuple[Path, Run]] = []
        names = ("one side", "both sides") if self.both else ("secant",)
        for dash, called, (_, a, b) in zip(_SECANTS, names, self.secants(k, reach), strict=False):
            line = self.line(a, self.rise(a, b), self.ys[a])
            lines += [(Path(line.steps, MUTED, 1.8, dash), Run(called, CAPTION))] if line else []
            shapes += [Dot(*self.at(self.xs[e], self.ys[e]), 4, MUTED) for e in (a, b) if np.isfinite(self.ys[e])]
        line = self.line(k, self.slopes[k], self.ys[k])
        lines += [(line, Run("tangent", SLOPE))] if line else []
        shapes += [drawn for drawn, _ in lines]
        for drawn, name in reversed(lines):
            others = [at for other, _ in lines if other is not drawn for at in _along(other)]
            if place := _beside(drawn, name.width / 2, taken + others, self.top):
                shapes.append(Text(place[0] - name.width / 2, place[1] + 4, (name,)))
                taken += _around(*place, name.width / 2)
        shapes += [Dot(*self.at(self.xs[k], self.ys[k]), 6, VALUE.fill)] if np.isfinite(self.ys[k]) else []
        words = self.words(k, reach)
        for row, text in enumerate(words):
            shapes.append(Text(MARGIN, MARGIN + 6 + 17 * row, (Run(text, CAPTION if row else SLOPE),)))
        wide = max([MARGIN + WIDTH, *(shape.x + shape.width for shape in shapes if isinstance(shape, Text))])
        scene = framed(shapes, round(wide + MARGIN), round(self.top + HEIGHT + MARGIN + 6))
        alt = ". ".join(words) + "."
        return Drawing(svg(scene, alt), "\n".join(words), alt, scene)

    def told(self, k: int, reach: int) -> dict[str, Any]:
        def plain(numbers: np.ndarray) -> list[float | None]:
            return [float(f"{v:.7g}") if np.isfinite(v) else None for v in numbers]

        return {
            "label": "A function with a point to drag", "xs": plain(self.xs), "ys": plain(self.ys), "slopes": plain(self.slopes),
            "low": self.low, "high": self.high, "width": WIDTH, "height": HEIGHT, "at": k, "reach": reach, "both": self.both,
            "units": self.units,
        }  # fmt: skip
