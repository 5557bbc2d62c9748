"""09.5 The n-th derivative: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def nth_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def point() -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5), dtype=dtype)

    a, b = rng.uniform(0.5, 1.5, size=2)
    growing = lambda x: mg.exp(a * x) * mg.sin(b * x)  # noqa: E731
    return [
        Case("sin, n = 0 and 1", (mg.sin, point(), (0, 1))),
        Case("sin, n = 2, 3, 4, 8", (mg.sin, point(), (2, 3, 4, 8))),
        Case("exp(a x) * sin(b x), n = 1, 2, 3, 5", (growing, point(), (1, 2, 3, 5))),
        Case("x * sin(x²), n = 3, 4", (lambda x: x * mg.sin(x**2), point(), (3, 4))),
        Case("nth(nth(f, 2), n) for exp(sin(x)), n = 1, 2", (nth_of_nth, point(), (1, 2))),
    ]


def nth_of_nth(x: Any) -> Any:
    return mg.exp(mg.sin(x))


def watch_nth(answer: Callable[..., Any], f: Callable[..., Any], point: Any, orders: tuple[int, ...]) -> Any:
    if f is nth_of_nth:
        f = answer(f, 2)
    seen = {}
    for n in orders:
        derivative = answer(f, n)
        if not callable(derivative):
            return unfit(derivative, "a function")
        seen[f"n = {n}"] = derivative(point.clone().requires_grad_())
    return seen


def nth_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    zero, negative = mg.tensor(0.0, dtype=dtype), mg.tensor(-1.5, dtype=dtype)
    return [
        Case("sin at 0, n = 0, 1, 2, 3", (mg.sin, zero, (0, 1, 2, 3))),
        Case("x⁶ at a negative number, n = 0, 1, 4", (lambda x: x**6, negative, (0, 1, 4))),
        Case("exp(-x) at 0, n = 5, then 1", (lambda x: mg.exp(-x), zero.clone(), (5, 1))),
    ]


TASK = Part(
    id="09.5",
    title="The n-th derivative",
    difficulty=3,
    minutes=7,
    requirements=(
        Requirement(
            "`f` takes a Tensor of shape () that requires grad and returns one of shape (). So does the function that you "
            "return.",
            ("the first for all", "a power of the slope", "one too few"),
        ),
        Requirement(
            "It can be differentiated again: `nth(nth(f, 2), 3)` is the fifth derivative.",
            ("the last pass leaves no graph", "x is cut off"),
        ),
        Requirement("`nth(f, 0)` is f itself.", ("one too many",)),
    ),
    cases=nth_cases,
    edges=nth_edges,
    observe=watch_nth,
)
