"""The picture of M7: two moons told apart by an engine's network, and its losses beside the reference's."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.capstone import child, runner
from minigrad.course.capstone.facts import Library

SEEDED = "M7.curve"  # the same points and the same first weights as this fact
PROGRAM = """points, labels = moons(200)
show(points, labels, *engine.fit(points, labels, network(16), 0.1, 600))
"""


def moons(path: str | os.PathLike[str] | None = None) -> Any:
    """Train on the two moons with the engine in a file (default: with minigrad), and draw boundary and losses."""
    reference = trained(child.run(SEEDED, PROGRAM, Library(mg)))
    if path is None:
        return draw(reference, reference)
    (outcome,) = runner.outcomes(runner.find(path), [(SEEDED, PROGRAM, 0)])
    if "shown" not in outcome or "error" in outcome:
        raise RuntimeError(f"fit did not come to an end: {outcome.get('text') or ': '.join(outcome['error'])}")
    return draw(trained(outcome), reference)


def trained(outcome: dict[str, Any]) -> list[Any]:
    """Points, labels, losses, weights."""

    def arrays(value: Any) -> Any:
        return [arrays(v) for v in value] if isinstance(value, list) else np.array(value["values"]).reshape(value["shape"])

    points, labels, losses, weights = map(arrays, outcome["shown"])
    return [points, labels, np.array(losses), weights]


def draw(mine: list[Any], reference: list[Any]) -> Any:
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import BLUE_TINT, COLOURS, INK, ORANGE_TINT

    points, labels, losses, (W1, b1, W2, b2) = mine

    def score(at: np.ndarray) -> np.ndarray:
        return (np.tanh(at @ W1 + b1) @ W2 + b2)[..., 0]

    right = float((np.sign(score(points)) == labels).mean())
    figure = Plot(8.4, 3.6, "")
    left, axes = figure.subplots(1, 2)
    x, y = np.meshgrid(np.linspace(-1.6, 2.6, 160), np.linspace(-1.1, 1.6, 120))
    left.contourf(x, y, score(np.stack([x, y], axis=-1)) > 0, levels=[-0.5, 0.5, 1.5], colors=[ORANGE_TINT, BLUE_TINT])
    for sign, marker, colour in ((1, "o", COLOURS[0]), (-1, "^", COLOURS[1])):
        left.plot(*points[labels == sign].T, marker, color=colour, markersize=4)
        (x_label, *_), y_label = points[labels == sign].mean(0), sign * (sign * points[labels == sign][:, 1]).max()
        left.text(x_label, y_label + 0.16 * sign, f"label {sign}", ha="center", va="center", fontsize=10, color=INK)
    left.set(xlabel="first coordinate", ylabel="second coordinate", title=f"{right:.1%} told apart")
    axes.semilogy(reference[2], color=COLOURS[1], linewidth=6, alpha=0.45, label="the reference")
    axes.semilogy(losses, color=COLOURS[0], linewidth=1.5, label="this engine")
    axes.set(xlabel="step", ylabel="loss", title=f"{len(losses)} steps")
    figure.name_lines(axes)
    same = len(losses) == len(reference[2]) and bool(np.abs(losses - reference[2]).max() < runner.TOLERANCE)
    figure.alt = (
        f"Two panels. Left: 200 points in two half moons that reach into each other, and the curved boundary that a trained network "
        f"draws between them; {right:.1%} lie on their side. Right: the loss over {len(losses)} steps, falling from "
        f"{losses[0]:.2f} to "
        f"{losses[-1]:.2f}, {'on top of' if same else 'apart from'} the wide line of the reference."
    )
    return figure
