"""10.5 All rows at once: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch10.common import Watch, neighbours, passes_in_words
from minigrad.course.bank.shared import random_tensor
from minigrad.course.bank.watching import calls_counted
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def all_rows_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    A, B = tensor(5, 3), tensor(4, 2)
    return [
        Case("f multiplies neighbours, 4 numbers to 3", (neighbours, leaf(4))),
        Case("f(x) = exp(A @ x / 4), 3 numbers to 5", (lambda x: mg.exp(A @ x / 4), leaf(3))),
        Case("f(x) = B @ sin(x), a table (2, 3) to a table (4, 3)", (lambda x: B @ mg.sin(x), leaf(2, 3))),
        Case("f(x) = (x ** 3).sum(), 6 numbers to one of shape ()", (lambda x: (x**3).sum(), leaf(6))),
    ]


def watch_all_rows(answer: Callable[..., Any], f: Callable[..., Any], x: Any) -> Any:
    watch = Watch(f, x)
    with calls_counted(mg) as counted:
        found = answer(watch.f, x)
    if not isinstance(found, mg.Tensor):
        return unfit(found, "a Tensor")
    rows = f(x.detach()).numel()
    calls = counted.total() or watch.backward  # `grad` under a name of one's own is not counted
    return {
        "J": found,
        "the call is made by": watch.caller(),
        "calls of grad": passes_in_words(calls, 1, rows),
        "forward mode": "used" if watch.forward else "not used",
        "cost_f runs for each row": watch.calls >= rows > 4,
    }


def all_rows_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    return [
        Case("f(x) = (x, x²), shape () to shape (2,)", (lambda x: mg.stack([x, x**2]), leaf())),
        Case("f(x) = sin(x), shape (1,) to shape (1,)", (lambda x: mg.sin(x), leaf(1))),
        Case("f(x) = x * x, shape (1, 3) to shape (1, 3)", (lambda x: x * x, leaf(1, 3))),
        Case("f(x) = x², 3 numbers to a table (3, 1)", (lambda x: (x**2).reshape(3, 1), leaf(3))),
    ]


TASK = Part(
    id="10.5",
    title="All rows at once",
    difficulty=3,
    minutes=7,
    requirements=(
        Requirement(
            "`f` takes a Tensor like `x` and returns a Tensor. Both may have any shape, also `f(x)` of shape ().",
            ("a flat identity", "the shape of y twice"),
        ),
        Requirement(
            "J has the shape of `f(x)`, followed by the shape of `x`. So if `f(x)` has shape (4, 3) and `x` has (2, 3), J "
            "has (4, 3, 2, 3). If `f(x)` has shape (), J has the shape of `x`.",
            ("not reshaped", "a matrix", "transposed"),
        ),
        Requirement("One call of `mg.autograd.grad`, and no `functional`.", ("a loop", "two calls", "borrowed")),
    ),
    cases=all_rows_cases,
    edges=all_rows_edges,
    observe=watch_all_rows,
)
