"""The picture of M7: two moons told apart by an engine's network, and its losses beside the reference's."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.capstone import child, runner
from minigrad.course.capstone.facts import Library

SEEDED = "M7.curve"  # the same points and the same first weights as this fact
FRAMES = 0, 1, 2, 4, 6, 8, 10, 13, 16, 20, 25, 30, 36, 42, 50, 60, 75, 90, 110, 130, 160, 200, 250, 300, 400, 500, 600
PROGRAM = f"""points, labels = moons(200)
losses, seen = [], [network(16)]
for count in {[b - a for a, b in zip(FRAMES, FRAMES[1:], strict=False)]}:
    more, weights = engine.fit(points, labels, seen[-1], 0.1, count)
    losses, seen = losses + more, seen + [weights]
show(points, labels, losses, *seen)
"""


def moons(path: str | os.PathLike[str] | None = None) -> Any:
    """Train on the two moons with the engine in a file (default: with minigrad), and draw how boundary and losses move."""
    reference = trained(child.run(SEEDED, PROGRAM, Library(mg)))
    if path is None:
        return draw(reference, reference)
    (outcome,) = runner.outcomes(runner.find(path), [(SEEDED, PROGRAM, 0)])
    if "shown" not in outcome or "error" in outcome:
        raise RuntimeError(f"fit did not come to an end: {outcome.get('text') or ': '.join(outcome['error'])}")
    return draw(trained(outcome), reference)


def trained(outcome: dict[str, Any]) -> list[Any]:
    """Points, labels, losses, and the weights after some of the steps."""

    def arrays(value: Any) -> Any:
        return [arrays(v) for v in value] if isinstance(value, list) else np.array(value["values"]).reshape(value["shape"])

    points, labels, losses, *seen = map(arrays, outcome["shown"])
    return [points, labels, np.array(losses), dict(zip(FRAMES, seen, strict=True))]


def draw(mine: list[Any], reference: list[Any]) -> Any:
    from minigrad.viz import boundary

    def score(W1: np.ndarray, b1: np.ndarray, W2: np.ndarray, b2: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        return lambda at: (np.tanh(at @ W1 + b1) @ W2 + b2)[..., 0]

    points, labels, losses, seen = mine
    scores = {step: score(*weights) for step, weights in seen.items()}
    return boundary(points, labels, scores, {"this engine": losses, "the reference": reference[2]})
