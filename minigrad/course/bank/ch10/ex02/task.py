"""10.2 One direction: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch10.common import Watch, level_now, neighbours
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def jvp_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    A, B, constant = tensor(7, 5), tensor(4, 2), tensor(2)
    return [
        Case("f multiplies neighbours, 4 numbers to 3", (neighbours, tensor(4), tensor(4))),
        Case("f(x) = exp(A @ x / 4), 5 numbers to 7", (lambda x: mg.exp(A @ x / 4), tensor(5), tensor(5))),
        Case("f(x) = B @ sin(x), a table (2, 3) to a table (4, 3)", (lambda x: B @ mg.sin(x), tensor(2, 3), tensor(2, 3))),
        Case("f(x) = (x ** 3).sum(), 6 numbers to one", (lambda x: (x**3).sum(), tensor(6), tensor(6))),
        Case("f is constant, 3 numbers to 2 that do not depend on them", (lambda x: 2 * constant, tensor(3), tensor(3))),
    ]


def watch_jvp(answer: Callable[..., Any], f: Callable[..., Any], x: Any, t: Any) -> Any:
    watch = Watch(f, x)
    try:
        found = answer(watch.f, x, t)
    finally:
        level = level_now()
    if not isinstance(found, mg.Tensor):
        found = tuple(found) if isinstance(found, tuple) else found  # what unpack_dual returns is a tuple too
        return unfit(found, "a Tensor of the shape of f(x)")
    seen: dict[str, Any] = {"f gets": watch.kind(), "f is called": watch.place()}
    if watch.moved:
        return seen
    seen |= {"cost_runs": watch.calls, "runs of f": "a few" if watch.calls <= 2 else "many"}
    return seen | {"J t": found, "returns": "a Tensor", "the level, afterwards": level}


def jvp_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    return [
        Case("f(x) = x³, one number of shape ()", (lambda x: x**3, tensor(), tensor())),
        Case("f(x) = sin(x), shape (1,)", (lambda x: mg.sin(x), tensor(1), tensor(1))),
        Case("t is all zeros", (lambda x: mg.exp(x), tensor(3), mg.zeros(3, dtype=dtype))),
        Case("f is constant, 3 numbers to a table", (lambda x: mg.ones(2, 4, dtype=dtype), tensor(3), tensor(3))),
        Case("f hands back a part of x", (lambda x: x[1:], tensor(3), tensor(3))),
        Case("x is a leaf that requires grad", (lambda x: x * mg.sin(x), random_tensor(rng, dtype, 3, leaf=True), tensor(3))),
    ]


TASK = Part(
    id="10.2",
    title="One direction",
    difficulty=2,
    minutes=7,
    requirements=(
        Requirement(
            "`f` takes a Tensor like `x` and returns a Tensor; either may have any shape. `t` has the shape of `x`.",
            ("zeros of x's shape",),
        ),
        Requirement("Use a dual tensor, and call `f` once.", ("a VJP", "all of J", "differences")),
        Requirement(
            "Where the output does not depend on the input, the answer is zeros of the shape of the output.",
            ("None for a constant", "the number 0"),
        ),
        Requirement("The level is closed when your function is done.", ("the level is left open",)),
    ),
    cases=jvp_cases,
    edges=jvp_edges,
    observe=watch_jvp,
    musts={"cost_runs": "`f` must run only once."},
)
