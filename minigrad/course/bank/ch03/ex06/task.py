"""03.6 The best step: what is asked, and what is seen of an answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit

EACH = 9  # functions in a case


class Wave(NamedTuple):
    f: Callable[[Any], Any]
    slope: float  # at x
    best: float  # step


def random_wave(rng: np.random.Generator, x: Any) -> Wave:
    """A function that bends clearly when x moves by max(1, |x|), and its best step at x.

    The error is about c s² / 6 + u |f| / 3s, where c is the size of the third derivative: smallest where s³ = u |f| / c.
    """
    kind = type(x)
    unit, scale = float(np.finfo(kind).eps), max(1.0, abs(float(x)))
    size, turns = kind(rng.uniform(0.5, 2.0)), kind(rng.uniform(0.7, 1.4) / scale)
    shift = kind(rng.uniform(0.6, 0.95) - float(turns) * float(x))
    angle = float(turns) * float(x) + float(shift)

    def f(t: Any) -> Any:
        return size * np.sin(turns * kind(t) + shift)

    slope = float(size) * float(turns) * math.cos(angle)
    return Wave(f, slope, (unit * math.tan(angle)) ** (1 / 3) / float(turns))


def best_eps_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """In both types, whatever the one that is asked for."""
    points = {
        "float64, x near 1": np.float64(rng.uniform(0.5, 2.0)),
        "float64, x = 0": np.float64(0.0),
        "float64, x in the thousands": np.float64(-rng.uniform(4000, 9000)),
        "float32, x near 1": np.float32(-rng.uniform(0.5, 2.0)),
        "float32, x in the hundreds": np.float32(rng.uniform(300, 900)),
    }
    return [
        Case(f"{group}: {EACH} functions", ([random_wave(rng, x) for _ in range(EACH)], x)) for group, x in points.items()
    ]


GOOD = "within a factor of 10 of the best"


def watch_best_eps(answer: Callable[..., Any], waves: list[Wave], x: Any) -> Any:
    """In words, what the middle one of the steps is: so neither luck nor ill luck decides."""
    ratios = []
    for wave in waves:
        step = answer(wave.f, x)
        if isinstance(step, bool) or not isinstance(step, int | float | np.number | np.ndarray) or np.size(step) != 1:
            return unfit(step, "a positive number")
        size = float(np.asarray(step).item())
        if not size > 0 or not math.isfinite(size):
            return {"eps": "no positive number"}
        ratios.append(math.log10(size / wave.best))
    decades = float(np.median(ratios))
    if abs(decades) <= 1:
        return {"eps": GOOD}
    return {"eps": "too small by more than a factor of 10" if decades < 0 else "too large by more than a factor of 10"}


def best_eps_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    points = {
        "float32, x = 0": np.float32(0.0),
        "float32, x near 0": np.float32(rng.uniform(0.0005, 0.001)),
        "float64, x near 0": np.float64(-rng.uniform(1e-6, 1e-5)),
    }
    return [
        Case(f"{group}: {EACH} functions", ([random_wave(rng, x) for _ in range(EACH)], x)) for group, x in points.items()
    ]


TASK = Part(
    id="03.6",
    title="The best step",
    difficulty=3,
    minutes=6,
    requirements=(
        Requirement(
            "`x` is a `np.float64` or a `np.float32`, and `f` computes in the type of its `x`. (`x.dtype` is that type, and "
            "`np.finfo(x.dtype).eps` is the gap between 1 and the next number.)",
            ("the type is ignored",),
        ),
        Requirement(
            "`x` may be 0, negative, or in the thousands. `f` bends clearly when x moves by about max(1, |x|), and hardly when it "
            "moves by much less.",
            ("zero at zero", "negative", "x is ignored"),
        ),
        Requirement("Return a positive number. It must be within a factor of 10 of the best step.", ("round-off", "bent")),
    ),
    cases=best_eps_cases,
    edges=best_eps_edges,
    observe=watch_best_eps,
)
