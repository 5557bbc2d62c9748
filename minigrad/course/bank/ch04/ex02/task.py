"""04.2 One row: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch04.common import Watch
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def row_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(n: int) -> Any:
        return random_tensor(rng, dtype, n, leaf=True)

    narrow, wide = tensor(3, 6), tensor(5, 2)
    return [
        Case("4 inputs, 3 outputs", (lambda x: x[:-1] * x[1:], leaf(4), 1, 2)),
        Case("2 inputs, 5 outputs", (lambda x: mg.sin(wide @ x), leaf(2), 0, 1)),
        Case("6 inputs, 3 outputs", (lambda x: mg.exp(narrow @ x / 4), leaf(6), 2, 0)),
        Case("2 inputs, 1 output", (lambda x: (x**3).sum().reshape(1), leaf(2), 0, 0)),
    ]


def watch_row(answer: Callable[..., Any], f: Callable[..., Any], x: Any, i: int, k: int) -> Any:
    watch = Watch()
    watched = watch.around(f, "f")
    first = answer(watched, x, i)
    if not isinstance(first, mg.Tensor):
        return unfit(first, "a Tensor of shape (n,)")
    seen: dict[str, Any] = {"backward passes for one row": watch.passes}
    if watch.passes:
        seen[f"row {i}"] = first.clone()
        seen[f"row {k}, then, with the same x"] = answer(watched, x, k)
        seen[f"row {i}, looked at again"] = first
    return seen


def row_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    stale = random_tensor(rng, dtype, 3, leaf=True)
    stale.grad = random_tensor(rng, dtype, 3)
    return [
        Case(
            "one input, 3 outputs",
            (lambda x: mg.stack([x[0], x[0] ** 2, mg.sin(x[0])]), random_tensor(rng, dtype, 1, leaf=True), 1, 2),
        ),
        Case("one input, one output", (lambda x: mg.exp(x), random_tensor(rng, dtype, 1, leaf=True), 0, 0)),
        Case("x.grad holds a gradient from before", (lambda x: x * x, stale, 2, 0)),
        Case("a row of zeros", (lambda x: mg.stack([x[0] * 0, x[1] * x[2]]), random_tensor(rng, dtype, 3, leaf=True), 0, 1)),
    ]


TASK = Part(
    id="04.2",
    title="One row of the Jacobian",
    difficulty=2,
    minutes=7,
    requirements=(
        Requirement(
            "`f` takes a Tensor of shape (n,) and returns one of shape (m,). `x` is a leaf of shape (n,) that requires grad; "
            "`i` is an int from 0 to m − 1.",
        ),
        Requirement(
            "Return a Tensor of shape (n,): how output `i` moves with each input.",
            ("column", "sum of the rows", "value as weight"),
        ),
        Requirement(
            "`row` is called again and again with the same `x`. So begin with `x.grad = None`, or the rows add up. A row "
            "that you have returned must keep its numbers.",
            ("grad not cleared", "the returned row is wiped"),
        ),
        Requirement("One backward pass for one row: the checker counts.", ("all rows", "no backward")),
    ),
    cases=row_cases,
    edges=row_edges,
    observe=watch_row,
)
