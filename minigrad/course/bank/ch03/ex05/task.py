"""03.5 The Jacobian of softmax: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch03.common import ROUGH, Array, rough
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def softmax_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("one row of 3 numbers", (rng.normal(size=(1, 3)),)),
        Case("2 rows of 4 numbers", (rng.normal(size=(2, 4)),)),
        Case("5 rows of 3 numbers", (rng.normal(size=(5, 3)),)),
        Case("2 rows of 9 numbers", (rng.normal(size=(2, 9)),)),
    ]


def by_engine(Z: Array) -> Array:
    """The Jacobian of each row, from the engine."""
    rows = [mg.tensor(row, dtype=mg.float64) for row in Z]
    return np.stack([mg.autograd.functional.jacobian(lambda z: mg.softmax(z, 0), row).numpy() for row in rows])


def watch_softmax(answer: Callable[..., Any], Z: Array) -> Any:
    J = answer(Z)
    right = by_engine(Z)
    if not isinstance(J, np.ndarray):
        return unfit(J, "a NumPy array of shape (B, n, n)")
    if J.shape == right.shape and rough(J, right):
        return {"numbers": ROUGH, "J": right}
    return {"numbers": "exact", "J": J}


def softmax_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("2 rows of one number", (rng.normal(size=(2, 1)),)),
        Case("one row of one number", (rng.normal(size=(1, 1)),)),
        Case("2 rows of 3 numbers, one of them all zeros", (np.stack([np.zeros(3), rng.normal(size=3)]),)),
        Case("3 rows of 3 numbers", (rng.normal(size=(3, 3)),)),
    ]


TASK = Part(
    id="03.5",
    title="The Jacobian of softmax",
    difficulty=3,
    minutes=6,
    requirements=(
        Requirement(
            "`Z` is an array of shape (B, n): a batch of B rows, each with its own softmax.",
            ("the whole batch together", "down the columns"),
        ),
        Requirement(
            "Return an array of shape (B, n, n), with the Jacobian ∂p/∂z of each row.",
            ("the whole batch's Jacobian", "diagonal only", "the other sign"),
        ),
        Requirement(
            "It is exact: no differences. (The numbers are of ordinary size; no care against overflow is needed.)",
            ("differences",),
        ),
        Requirement("Leave `Z` as it is.", attacks=("writes into its inputs",)),
    ),
    cases=softmax_cases,
    edges=softmax_edges,
    observe=watch_softmax,
    tolerance=1e-12,
)
