"""`boundary`: how a network tells two kinds of points apart, step by step of its training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .living import Play
from .plots import array, plot_class
from .scripts import script_image
from .style import BLUE_TINT, COLOURS, ORANGE_TINT
from .words import figure

if TYPE_CHECKING:
    from .figure import Plot

WIDTH, HEIGHT = 320.0, 220.0  # of each of the two plots
MOST_POINTS, MOST_FRAMES = 400, 40
_GRID = 49, 35  # where the scores are asked for, along and up


@dataclass(frozen=True, repr=False)
class Boundary(Play):
    """A training to look at: `.html` for a notebook or a page, `.still` as a plot of its end, `.text` with what it comes to."""

    still: Plot


def boundary(
    points: Any, labels: Any, scores: Mapping[int, Callable[[np.ndarray], np.ndarray]], losses: Mapping[str, Any]
) -> Boundary:
    """Draw where a network changes its mind, at several steps of a training, and the loss beside it. A player goes through the steps.

    points: shape (n, 2), at most 400. labels: n numbers, 1 or -1. scores: {step: function}, at most 40; after so many steps the
    function gave points of shape (k, 2) k scores: above 0 for label 1. losses: {label: the loss at each step, above 0}, of this
    training, and of one more to compare with, if there is one: a wide line below. All is computed here, so the page only draws;
    where no script may run a still picture of the last step remains. Raises ValueError for what does not fit together.

    >>> from minigrad import viz
    >>> points, labels, losses = [[-1, 0], [1, 0], [2, 1]], [-1, 1, 1], {"loss": [2.0] * 5 + [0.5] * 5}
    >>> viz.boundary(points, labels, {0: lambda p: p[:, 1] - 3, 9: lambda p: p[:, 0]}, losses)
    After 0 steps the loss is 2, and 1 of 3 points lie on their side
    After 9 steps the loss is 0.5, and 3 of 3 points lie on their side
    """
    places, kinds, curves = array(points), array(labels), {label: array(values) for label, values in losses.items()}
    n = len(places)
    if places.shape != (n, 2) or not 0 < n <= MOST_POINTS or kinds.shape != (n,) or not np.isin(kinds, (-1, 1)).all():
        raise ValueError(f"points has shape (n, 2), n at most {MOST_POINTS}, and labels n numbers, 1 or -1")
    if not 0 < len(curves) < 3 or not all(c.ndim == 1 and len(c) and (c > 0).all() for c in curves.values()):
        raise ValueError('losses is {"this": numbers above 0, one for each step}, or has one training more to compare with')
    most, steps = len(next(iter(curves.values()))), sorted(scores)
    if not 0 < len(steps) <= MOST_FRAMES or steps[0] < 0 or steps[-1] > most:
        raise ValueError(f"scores has at most {MOST_FRAMES} functions, of steps from 0 to {most}")
    drawn = _Drawn(places, kinds, curves)
    frames = [drawn.frame(step, scores[step]) for step in steps]
    words = [*dict.fromkeys(frames[k]["words"] for k in (0, -1)), *drawn.compared()]
    still = drawn.still(scores[steps[-1]], ". ".join([frames[-1]["words"], *drawn.compared()]))
    told = {"label": "A training to look at", "width": WIDTH, "height": HEIGHT, "pace": 260, "frames": frames, **drawn.told(steps[-1])}
    html = f"<div>\n{still.html}\n{script_image('boundary', told, shared='plot')}\n</div>"
    return Boundary(html, "\n".join(words), still)


class _Drawn:
    def __init__(self, points: np.ndarray, labels: np.ndarray, losses: dict[str, np.ndarray]) -> None:
        self.points, self.labels, self.curves = points, labels, losses
        self.losses, *self.beside = losses.values()
        low, high = points.min(0), points.max(0)
        room = 0.12 * np.where(high > low, high - low, 1.0)
        self.low, self.high = low - room, high + room
        every = np.log10(np.concatenate(list(losses.values())))
        self.bottom, self.top = float(every.min()), max(float(every.max()), float(every.min()) + 0.1)
        self.grid = [np.linspace(self.low[k], self.high[k], _GRID[k]) for k in (0, 1)]

    def compared(self) -> list[str]:
        """What the second curve of losses says of the first."""
        names = list(self.curves)
        same = [other.shape == self.losses.shape and bool(np.abs(other - self.losses).max() < 1e-6) for other in self.beside]
        return [f"The losses of {names[0]} are {'' if k else 'not '}those of {names[1]}, the wide line" for k in same]

    def heights(self, score: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return self.asked(score, np.stack(np.meshgrid(*self.grid), -1).reshape(-1, 2)).reshape(_GRID[1], _GRID[0])

    def asked(self, score: Callable[[np.ndarray], np.ndarray], places: np.ndarray) -> np.ndarray:
        found = array(score(places))
        if found.shape != (len(places),):
            raise ValueError(f"a function of scores gives a number for each of {len(places)} points, not {found.shape}")
        return found

    def frame(self, step: int, score: Callable[[np.ndarray], np.ndarray]) -> dict[str, Any]:
        """The region of label 1 as a path, the place on the curve of losses, and the sentence."""
        right = int((np.sign(self.asked(score, self.points)) == self.labels).sum())
        loss = self.losses[min(step, len(self.losses) - 1)]
        words = f"After {step} step{'s' * (step != 1)} the loss is {figure(loss, 3)}, "
        words += f"and {right} of {len(self.points)} points lie on their side"
        return {"words": words, "region": self.region(score), "at": self.down(min(step, len(self.losses) - 1), self.losses)}

    def region(self, score: Callable[[np.ndarray], np.ndarray]) -> str:
        from contourpy import contour_generator  # comes with matplotlib

        heights = self.heights(score)
        lines = contour_generator(x=self.grid[0], y=self.grid[1], z=heights, fill_type="OuterOffset")
        filled = lines.filled(0.0, max(float(heights.max()), 0.0) + 1.0)
        path = []
        for outline, starts in zip(*filled, strict=True):
            for a, b in zip(starts, starts[1:], strict=False):
                path.append(_written(np.round([self.across(*point) for point in outline[a:b]]).astype(int)))
        return "".join(path)

    def across(self, x: float, y: float) -> tuple[float, float]:
        """The place of a point in the left plot."""
        u, v = (np.array([x, y]) - self.low) / (self.high - self.low)
        return round(WIDTH * float(u), 1), round(HEIGHT * (1 - float(v)), 1)

    def down(self, step: int, losses: np.ndarray) -> tuple[float, float]:
        """The place of a loss in the right plot, whose height is logarithmic."""
        part = (self.top - float(np.log10(losses[step]))) / (self.top - self.bottom)
        return round(WIDTH * step / max(len(losses) - 1, 1), 1), round(HEIGHT * part, 1)

    def curve(self, losses: np.ndarray) -> str:
        every = sorted({*range(0, len(losses), max(1, len(losses) // 120)), len(losses) - 1})
        return "M" + "L".join(f"{x:g} {y:g}" for x, y in (self.down(step, losses) for step in every))

    def told(self, step: int) -> dict[str, Any]:
        marks = [digit * 10.0**k for k in range(-8, 4) for digit in range(1, 10)]
        every = [v for v in marks if self.bottom <= np.log10(v) <= self.top]
        choices = [[v for v in every if f"{v:e}"[0] in digits] for digits in ("125", "12468", "123456789", "1")]
        inside = next((v for v in choices if 3 <= len(v) <= 5), every if len(every) < 3 else choices[-1])
        return {
            "points": [[*self.across(*point), int(label)] for point, label in zip(self.points, self.labels, strict=True)],
            "losses": self.curve(self.losses), "beside": "".join(map(self.curve, self.beside)),
            "last": max(step, len(self.losses) - 1), "note": self.compared(),
            "marks": [[f"{v:g}", round(HEIGHT * (self.top - float(np.log10(v))) / (self.top - self.bottom), 1)] for v in inside],
        }  # fmt: skip

    def still(self, score: Callable[[np.ndarray], np.ndarray], words: str) -> Plot:
        points, labels = self.points, self.labels
        picture = plot_class()(7.4, 3.2, f"Points of two kinds, the boundary between them, and the loss of a training. {words}.")
        left, axes = picture.subplots(1, 2)
        left.contourf(*self.grid, self.heights(score), levels=[-np.inf, 0, np.inf], colors=[ORANGE_TINT, BLUE_TINT])
        kinds = ((1, "o", COLOURS[0], "● label 1", 0, "left"), (-1, "^", COLOURS[1], "▲ label −1", 1, "right"))
        for sign, marker, colour, name, x, side in kinds:
            if (labels == sign).any():
                left.plot(*points[labels == sign].T, marker, color=colour, markersize=4)
                left.text(x, 1.02, name, transform=left.transAxes, ha=side, va="bottom", fontsize=10, color=colour)
        left.set(xlabel="first coordinate", ylabel="second coordinate")
        for k, (label, values) in reversed(list(enumerate(self.curves.items()))):
            width, alpha, kind = (8, 0.6, " (wide)") if k else (1.5, 1, " (thin)" * len(self.beside))
            axes.semilogy(values, color=COLOURS[k], linewidth=width, alpha=alpha, label=label + kind)
        axes.set(xlabel="step", ylabel="loss")
        picture.name_lines(axes)
        return picture


def _written(ring: np.ndarray) -> str:
    """A closed line as SVG writes it in few bytes: from point to point, without those on the straight way between their neighbours."""
    ring = ring[(ring != np.roll(ring, 1, 0)).any(1)]
    ahead, back = np.roll(ring, -1, 0) - ring, ring - np.roll(ring, 1, 0)
    kept = ring[ahead[:, 0] * back[:, 1] != ahead[:, 1] * back[:, 0]]
    if len(kept) < 3:
        return ""
    return f"M{kept[0][0]} {kept[0][1]}l" + " ".join(f"{x} {y}" for x, y in np.diff(kept, axis=0)) + "z"
