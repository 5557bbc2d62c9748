"""10.3 A JVP out of two VJPs: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch10.common import Watch, level_now, neighbours, passes_in_words
from minigrad.course.bank.shared import random_tensor
from minigrad.course.bank.watching import calls_counted
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def twice_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    A, B, C = tensor(7, 5), tensor(4, 2), tensor(6, 3)
    return [
        Case("f multiplies neighbours, 5 numbers to 4", (neighbours, leaf(5), tensor(5))),
        Case("f(x) = exp(A @ x / 4), 5 numbers to 7", (lambda x: mg.exp(A @ x / 4), leaf(5), tensor(5))),
        Case("f(x) = C @ x, linear, 3 numbers to 6", (lambda x: C @ x, leaf(3), tensor(3))),
        Case("f(x) = B @ sin(x), a table (2, 3) to a table (4, 3)", (lambda x: B @ mg.sin(x), leaf(2, 3), tensor(2, 3))),
    ]


def watch_twice(answer: Callable[..., Any], f: Callable[..., Any], x: Any, t: Any) -> Any:
    watch = Watch(f, x)
    try:
        with calls_counted(mg) as calls:
            found = answer(watch.f, x, t)
    finally:
        level_now()
    if not isinstance(found, mg.Tensor):
        return unfit(found, "a Tensor of the shape of f(x)")
    seen: dict[str, Any] = {"f is called": watch.place(), "f gets": watch.kind(), "the two passes are made by": watch.caller()}
    if watch.moved:
        return {"f is called": watch.place()}
    passes = max(watch.rows, calls.total())  # one by u alone does not come back to x
    return seen | {"J t": found, "backward passes": passes_in_words(passes, 2, f(x.detach()).numel())}


def twice_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    stale = leaf(3)
    stale.grad = random_tensor(rng, dtype, 3)
    return [
        Case("f(x) = sin(x), shape (1,)", (lambda x: mg.sin(x), leaf(1), random_tensor(rng, dtype, 1))),
        Case("t is all zeros", (lambda x: mg.exp(x), leaf(3), mg.zeros(3, dtype=dtype))),
        Case("x.grad holds a gradient from before", (neighbours, stale, random_tensor(rng, dtype, 3))),
    ]


TASK = Part(
    id="10.3",
    title="A JVP out of two VJPs",
    difficulty=4,
    minutes=9,
    requirements=(
        Requirement(
            "`x` is a leaf that requires grad, `t` has its shape. `f(x)` depends on `x`, and may have another shape.",
            ("u of the shape of x", "t is missing"),
        ),
        Requirement(
            "Two passes, whatever the sizes; a batch of cotangents is a pass for each.",
            ("row by row", "row by row in one call", "a third pass"),
        ),
        Requirement(
            "Do it with backward passes alone: no forward mode, no `functional`, no differences.",
            ("forward mode", "borrowed", "differences"),
        ),
    ),
    cases=twice_cases,
    edges=twice_edges,
    observe=watch_twice,
)
