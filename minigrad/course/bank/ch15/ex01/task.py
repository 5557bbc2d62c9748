"""15.1 Mean squared error: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def watch_mse(answer: Callable[..., Any], p: Any, t: Any) -> Any:
    try:
        returned = answer(p, t)
    except ValueError:
        if p.shape != t.shape:
            raise ValueError("the shapes differ") from None  # in whatever words
        raise
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        return unfit(returned, "a pair `(loss, gradient)`")
    return {"loss": returned[0], "gradient": returned[1]}


def mse_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    kind = str(dtype).split(".")[-1]

    def draw(*shape: int) -> Any:
        return rng.normal(size=shape).astype(kind)

    right = [(5,), (4, 1), (1, 6), (3, 7), (2, 3, 4)]
    wrong = [((4, 1), (4,)), ((4,), (4, 1)), ((3, 5), (5,)), ((3,), (1,)), ((6, 1), (6, 2)), ((6, 2), (2, 6))]
    return [Case(f"values: shape {shape}", (draw(*shape), draw(*shape))) for shape in right] + [
        Case(f"shapes: {a} and {b}", (draw(*a), draw(*b))) for a, b in wrong
    ]


def mse_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    kind = str(dtype).split(".")[-1]

    def draw(*shape: int) -> Any:
        return np.asarray(rng.normal(size=shape)).astype(kind)

    same = draw(4)
    return [
        Case("values: shape (1,)", (draw(1), draw(1))),
        Case("values: shape ()", (draw(), draw())),
        Case("values: p and t are equal", (same, same.copy())),
        Case("values: numbers in the thousands", (1e3 * draw(3), 1e3 * draw(3))),
        Case("shapes: (4, 1) and (1, 4)", (draw(4, 1), draw(1, 4))),
        Case("shapes: (1,) and ()", (draw(1), draw())),
        Case("shapes: (2, 3) and (3, 2)", (draw(2, 3), draw(3, 2))),
        Case("shapes: (6,) and (2, 3)", (draw(6), draw(2, 3))),
    ]


TASK = Part(
    id="15.1",
    title="Mean squared error",
    difficulty=2,
    minutes=6,
    requirements=(
        Requirement(
            "Return a pair `(loss, gradient)`: a number, and an array of the shape of `p`.",
            ("the sign", "the factor 2"),
        ),
        Requirement(
            "`p` and `t` may have any number of axes. The mean is over all entries.",
            ("divided by the batch only", "the loss is a sum"),
        ),
        Requirement(
            "Where the two shapes differ, raise a `ValueError`. Nothing is broadcast, and nothing is silently repaired.",
            ("nothing checks the shapes", "only the number of values is compared"),
        ),
        Requirement("Leave both arrays as they are.", attacks=("writes into its inputs",)),
    ),
    cases=mse_cases,
    edges=mse_edges,
    observe=watch_mse,
)
