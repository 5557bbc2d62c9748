"""`valley`: gradient descent on a valley, with a slider for the learning rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import autograd
from ..creation import tensor
from ..dtypes import float64
from .drawing import Drawing
from .living import Play
from .paint import Dot, Path, Rect, Run, Shape, Text, svg
from .picture import CAPTION, INK, MARGIN, PAPER, SMALL, framed
from .scripts import script_image
from .style import BLUE, LINE

WIDTH, HEIGHT = 400.0, 210.0  # of the plot
MOST_STEPS = 100
_TOP = 2 * MARGIN + 18  # the words stand above the plot
_PLACES = 50  # of the slider up to the learning rate that jumps over the floor at once; from twice as many on it leaves the valley
_LEVELS = (0.005, 0.03, 0.1, 0.25, 0.5, 1.0)  # parts of f at the start
_VERDICTS = (
    "no jumps from wall to wall, but slow in the flat direction", "it crosses the floor each time",
    "too large, the walk leaves the valley",
)  # fmt: skip


class Valley(Play):
    """A learning rate to try: `.html` for a notebook or a page, `.still` as a drawing, `.text` with what the walk comes to."""


def valley(
    steep: Sequence[float] = (1.0, 20.0), start: Sequence[float] = (-4.0, 1.0), lr: float | None = None, steps: int = 30
) -> Valley:
    """Draw gradient descent on f(w) = (steep[0] w[0]² + steep[1] w[1]²) / 2. Sliders set the learning rate and the steps.

    steep: how steep the two directions are, two numbers above 0. start: two numbers that are not 0. lr: the first learning rate,
    taken to the nearest of the slider's places; None: just too small to jump over the floor. steps: 1 to 100. The walk that is
    drawn here is the engine's; in the page a few lines of script make it anew. Where no script may run the still picture remains.
    Raises ValueError for numbers outside these bounds.

    >>> from minigrad import viz
    >>> viz.valley(steep=(1.0, 100.0), lr=0.019, steps=60)
    With lr = 0.019, 60 steps lead from (-4, 1) to (-1.265, 0.002), and f from 58 to 0.801
    Each step multiplies w[0] by 0.981 and w[1] by -0.9: it crosses the floor each time
    """
    if len(steep) != 2 or not all(0 < s < float("inf") for s in steep):
        raise ValueError(f"steep is two numbers above 0, not {steep!r}")
    if len(start) != 2 or not all(0 < abs(w) < float("inf") for w in start):
        raise ValueError(f"start is two numbers that are not 0, not {start!r}")
    if not 1 <= steps <= MOST_STEPS:
        raise ValueError(f"steps is between 1 and {MOST_STEPS}, not {steps}")
    place = 0.9 * _PLACES if lr is None else lr * _PLACES * max(steep)
    if not 0.5 <= place <= 2.2 * _PLACES + 0.5:
        raise ValueError(f"lr is between {1 / _PLACES / max(steep):g} and {2.2 / max(steep):g} in this valley, not {lr:g}")
    graph = _Graph([float(s) for s in steep], [float(w) for w in start])
    still = graph.still(round(place), int(steps))
    html = f"<div>\n{still.html}\n{script_image('valley', graph.told(round(place), int(steps)), shared='plot')}\n</div>"
    return Valley(html, still.text, still)


def descend(steep: Sequence[float], start: Sequence[float], lr: float, steps: int) -> list[list[float]]:
    """The places of the walk, with the engine's gradients."""
    walk, scale = [list(start)], tensor(steep, dtype=float64)
    for _ in range(steps):
        w = tensor(walk[-1], dtype=float64, requires_grad=True)
        (slope,) = autograd.grad((scale * w**2).sum() / 2, w)
        walk.append((w.detach() - lr * slope).tolist())
    return walk


def _rounded(value: float) -> str:
    if abs(value) >= 1e6:  # as the page's script writes it
        return f"{value:.1e}".replace("e+0", "e+")
    if abs(value) >= 1000:  # four digits, the rest is 0
        return f"{float(f'{value:.4g}'):.0f}"
    return f"{round(value, 3) + 0.0:.3f}".rstrip("0").rstrip(".")


class _Graph:
    def __init__(self, steep: list[float], start: list[float]) -> None:
        self.steep, self.start = steep, start
        ends = sorted((1.15 * start[0], -0.6 * start[0]))
        self.left, self.right, self.high = ends[0], ends[1], 1.3 * abs(start[1])

    def f(self, w: Sequence[float]) -> float:
        return sum(s * x**2 for s, x in zip(self.steep, w, strict=True)) / 2

    def at(self, w: Sequence[float]) -> tuple[float, float]:
        """The place of a point on the paper."""
        x = MARGIN + WIDTH * (w[0] - self.left) / (self.right - self.left)
        return round(x, 2), round(_TOP + HEIGHT * (self.high - w[1]) / (2 * self.high), 2)

    def inside(self, w: Sequence[float]) -> bool:
        return self.left <= w[0] <= self.right and abs(w[1]) <= self.high

    def level(self, height: float) -> list[Path]:
        """The ellipse on which f has this height, as far as it is in the plot: pieces of a line through 72 of its points."""
        radii = [math.sqrt(2 * height / s) for s in self.steep]
        ring = [(radii[0] * math.cos(math.pi * k / 36), radii[1] * math.sin(math.pi * k / 36)) for k in range(73)]
        pieces: list[list[tuple[str, tuple[float, ...]]]] = [[]]
        for w in ring:
            if self.inside(w):
                pieces[-1].append(("L" if pieces[-1] else "M", self.at(w)))
            elif pieces[-1]:
                pieces.append([])
        return [Path(tuple(piece), LINE, 0.8) for piece in pieces if len(piece) > 1]

    def words(self, lr: float, steps: int, end: Sequence[float]) -> list[str]:
        points = ["(" + ", ".join(map(_rounded, w)) + ")" for w in (self.start, end)]
        factors = [1 - lr * s for s in self.steep]
        verdict = 2 if max(map(abs, factors)) > 1 + 1e-9 else 1 if min(factors) < -1e-9 else 0
        return [
            f"With lr = {lr:.3g}, {steps} steps lead from {points[0]} to {points[1]}, "
            f"and f from {_rounded(self.f(self.start))} to {_rounded(self.f(end))}",
            f"Each step multiplies w[0] by {_rounded(factors[0])} and w[1] by {_rounded(factors[1])}: {_VERDICTS[verdict]}",
        ]

    def still(self, place: int, steps: int) -> Drawing:
        lr = place / _PLACES / max(self.steep)
        walk = descend(self.steep, self.start, lr, steps)
        drawn = walk[: next((k for k, w in enumerate(walk) if not self.inside(w)), len(walk))]
        shapes: list[Shape] = [piece for part in _LEVELS for piece in self.level(part * self.f(self.start))]
        for a, b in (((self.left, 0.0), (self.right, 0.0)), ((0.0, -self.high), (0.0, self.high))):
            shapes.append(Path((("M", self.at(a)), ("L", self.at(b))), LINE, 0.8))
        shapes.append(Path(tuple(("L" if k else "M", self.at(w)) for k, w in enumerate(drawn)), BLUE, 1.6))
        shapes += [Dot(*self.at(w), 2.4, BLUE) for w in drawn]
        shapes.append(Dot(*self.at(self.start), 5, INK))
        for name, (x, y), (right, below) in (("start", self.at(self.start), (11, 4)), ("lowest", self.at((0, 0)), (-18, 17))):
            shapes.append(Text(x + right, y + below, (Run(name, SMALL),)))
        if len(drawn) > steps:
            x, y = self.at(drawn[-1])
            last = Run(f"after {steps}", SMALL)
            left = min(max(x - last.width / 2, MARGIN), MARGIN + WIDTH - last.width)
            shapes.append(Rect(left - 2, y - 20, last.width + 4, 13, 3, PAPER, "none", 0))
            shapes.append(Text(left, y - 10, (last,)))
        words = self.words(lr, steps, walk[-1])
        shapes += [Text(MARGIN, MARGIN + 6 + 17 * row, (Run(text, CAPTION),)) for row, text in enumerate(words)]
        wide = max([WIDTH, *(shape.width for shape in shapes if isinstance(shape, Text))])
        scene = framed(shapes, round(wide + 2 * MARGIN), round(_TOP + HEIGHT + MARGIN))
        alt = ". ".join(words) + "."
        return Drawing(svg(scene, alt), "\n".join(words), alt, scene)

    def told(self, place: int, steps: int) -> dict[str, Any]:
        return {
            "label": "Gradient descent with a learning rate to choose", "steep": self.steep, "start": self.start, "place": place,
            "steps": steps, "most": MOST_STEPS, "left": self.left, "right": self.right, "high": self.high, "width": WIDTH,
            "height": HEIGHT, "levels": [part * self.f(self.start) for part in _LEVELS], "verdicts": _VERDICTS,
        }  # fmt: skip
