"""03.1 Finite differences: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch03.common import Array
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit

STEPS = (1e-2, 1e-3)


def numjac_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Always in float64: differences need it."""

    def array(*shape: int) -> Array:
        return np.asarray(rng.normal(size=shape))

    few, many, one = array(3, 4), array(5, 2), array(1, 3)
    whole = rng.permutation(np.arange(2, 9))[:4]
    return [
        Case("a smooth f: 4 inputs, 3 outputs", (lambda x: np.sin(few @ x), array(4))),
        Case("a smooth f: 2 inputs, 5 outputs", (lambda x: np.exp(many @ x / 2), array(2))),
        Case("a smooth f: 3 inputs, 1 output", (lambda x: one @ x**3, array(3))),
        Case("whole numbers in x: 4 inputs, 2 outputs", (lambda x: (x**3)[:-2] * x[2:], whole)),
        Case("f hands back a part of its input: f(x) = x[1:], 4 inputs, 3 outputs", (lambda x: x[1:], array(4))),
    ]


def step_matters(f: Callable[[Array], Array], x: Array) -> bool:
    """Whether the slope of a chord depends on how long it is, for one of the inputs."""
    for e in np.eye(len(x)):
        first, second = ((f(x + eps * e) - f(x - eps * e)) / (2 * eps) for eps in STEPS)
        if not np.allclose(first, second, rtol=1e-9):
            return True
    return False


def watch_numjac(answer: Callable[..., Any], f: Callable[[Array], Array], x: Array) -> Any:
    """J for two steps; or in words, that x itself was moved, or that the step makes no difference."""
    mine = x.copy()
    moved = []

    def watched(at: Array) -> Array:
        if not np.array_equal(mine, x):
            moved.append(True)
        return f(at)

    watched.__name__ = watched.__qualname__ = "f"
    seen: dict[str, Any] = {"x": "left alone"}
    told = f"the tables for eps = {STEPS[0]:g} and for eps = {STEPS[1]:g}"
    for eps in STEPS:
        J = answer(watched, mine, eps)
        if moved or not np.array_equal(mine, x):
            return {"x": "moved in place"}
        if not isinstance(J, np.ndarray):
            return unfit(J, "a NumPy array of shape (m, n)")
        seen[f"J for eps = {eps:g}"] = J
    _, first, second = seen.values()
    if np.array_equal(first, second) and step_matters(f, x):
        return {"x": "left alone", told: "equal in every digit"}
    return seen | {told: "differ a little, where f bends"}


def numjac_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b = (float(number) for number in rng.uniform(0.5, 2.0, 2))
    return [
        Case("one input, 3 outputs", (lambda x: np.array([a * x[0], np.sin(b * x[0]), x[0] ** 2]), np.array([0.0]))),
        Case("one input, one output", (lambda x: np.exp(a * x), np.array([-b]))),
        Case("f hands back its input, 3 numbers, one of them 0", (lambda x: x, np.array([a, 0.0, -b]))),
    ]


TASK = Part(
    id="03.1",
    title="Finite differences",
    difficulty=2,
    minutes=10,
    requirements=(
        Requirement(
            "`f` takes a NumPy array of shape (n,) and returns one of shape (m,). It may return its own input, or a part of it.",
            ("one array for both sides",),
        ),
        Requirement(
            "`x` is an array of shape (n,). It may hold whole numbers. Leave it as it is.",
            ("x is moved in place", "whole numbers"),
        ),
        Requirement(
            "For each input, take the step `eps` to both sides: (f(x + s) − f(x − s)) / (2 eps), as in section 2.",
            ("one-sided", "the 2 is missing", "eps is ignored"),
        ),
        Requirement("Return an array of shape (m, n).", ("transposed",)),
    ),
    cases=numjac_cases,
    edges=numjac_edges,
    observe=watch_numjac,
)
