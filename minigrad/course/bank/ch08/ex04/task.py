"""08.4 Gradient penalty: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch08.common import grads_of, random_leaf
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def penalized_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int, grad: bool = False) -> Any:
        return random_leaf(rng, dtype, *shape, grad=grad)

    A = random_tensor(rng, dtype, 2, 3)
    strengths = rng.uniform(0.3, 0.9, size=3).tolist()
    return [
        Case(
            "w of shape (2,), x of shape (3,)",
            (lambda w, x: (w * mg.tanh(A @ x) ** 2).sum(), leaf(2), leaf(3), strengths[0]),
        ),
        Case(
            "w of shape (5, 4), x of shape (4,)",
            (lambda w, x: mg.sin(w @ x).sum(), leaf(5, 4), leaf(4), strengths[1]),
        ),
        Case(
            "w and x have a .grad already",
            (lambda w, x: (mg.exp(w * x / 4)).mean(), leaf(6, grad=True), leaf(2, 6, grad=True), strengths[2]),
        ),
    ]


def watch_penalized(answer: Callable[..., Any], f: Any, w: Any, x: Any, strength: float) -> Any:
    returned = answer(f, w, x, strength)
    if isinstance(returned, np.ndarray):
        return unfit(returned, "a Tensor of the shape of w")
    return {
        "returns": returned,
        **{f"{name}.grad afterwards": grad for name, grad in grads_of({"w": w, "x": x}).items()},
        "cost_graph": getattr(returned, "requires_grad", False),
    }


def penalized_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_leaf(rng, dtype, *shape)

    zeros = mg.zeros(3, dtype=dtype, requires_grad=True)
    return [
        Case("strength is 0", (lambda w, x: (w * x**2).sum(), leaf(3), leaf(3), 0.0)),
        Case("strength is negative", (lambda w, x: (w * mg.sin(x)).sum(), leaf(3), leaf(3), -1.5)),
        Case("w and x of shape ()", (lambda w, x: mg.exp(w * x), leaf(), leaf(), 0.5)),
        Case("the slope in x is 0", (lambda w, x: (w * x**2).sum() + (w**2).sum(), leaf(3), zeros, 0.7)),
        Case("the slope in x does not depend on w", (lambda w, x: (x**2).sum() + (w**3).sum(), leaf(2), leaf(3), 0.7)),
    ]


TASK = Part(
    id="08.4",
    title="Gradient penalty",
    difficulty=4,
    minutes=11,
    requirements=(
        Requirement(
            "`w` and `x` are leaves that require grad, of any shape; `f(w, x)` has shape `()`; `strength` is a number.",
            ("no strength", "the penalty alone"),
        ),
        Requirement(
            "$\\lVert \\cdot \\rVert^2$ is the sum of the squares of all entries.",
            ("not squared", "the mean", "the square of the sum"),
        ),
        Requirement(
            "Return a Tensor of the shape of `w`. `w.grad` and `x.grad` must stay as they are: they may hold something from "
            "before.",
            ("with respect to x", "backward first", "backward last"),
        ),
    ),
    cases=penalized_cases,
    edges=penalized_edges,
    observe=watch_penalized,
    may_change_inputs=True,
)
