"""10.7 Gauss-Newton: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch10.common import Watch, level_now, neighbours
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def gauss_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(n: int) -> Any:
        return random_tensor(rng, dtype, n, leaf=True)

    A, B = tensor(9, 6), tensor(5, 7)
    return [
        Case("f(x) = exp(A @ x / 4), 6 numbers to 9", (lambda x: mg.exp(A @ x / 4), leaf(6), tensor(6))),
        Case("f(x) = sin(B @ x), 7 numbers to 5", (lambda x: mg.sin(B @ x), leaf(7), tensor(7))),
        Case("f multiplies neighbours, 8 numbers to 7", (neighbours, leaf(8), tensor(8))),
    ]


def watch_gauss(answer: Callable[..., Any], f: Callable[..., Any], x: Any, v: Any) -> Any:
    watch = Watch(f, x)
    try:
        found = answer(watch.f, x, v)
    finally:
        level = level_now()
    if not isinstance(found, mg.Tensor):
        return unfit(found, "a Tensor of shape (n,)")
    seen: dict[str, Any] = {"f is called": watch.place()}
    if watch.moved:
        return seen | {"f gets": watch.kind()}
    whole = found.ndim == 1 and watch.batches  # a batched call is a pass for each row
    if whole or watch.forward + watch.backward >= 5:
        how_many = "many"
    elif watch.backward > 1:
        how_many = "several backward" if watch.forward else "several backward, none forward"
    else:
        how_many = "several forward" if watch.forward > 1 else "one each"
    seen |= {"JᵀJ v": found.detach().clone(), "cost_f runs more than twice": watch.calls > 2}
    again = answer(f, x, -v)  # the same x once more
    return seen | {"passes": how_many, "the level, afterwards": level, "JᵀJ (-v), then, with the same x": again}


def gauss_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(n: int) -> Any:
        return random_tensor(rng, dtype, n, leaf=True)

    stale = leaf(3)
    stale.grad = random_tensor(rng, dtype, 3)
    return [
        Case("f(x) = sin(x), one number to one", (lambda x: mg.sin(x), leaf(1), random_tensor(rng, dtype, 1))),
        Case("v is all zeros", (neighbours, leaf(4), mg.zeros(4, dtype=dtype))),
        Case("f hands back x", (lambda x: 1 * x, leaf(3), random_tensor(rng, dtype, 3))),
        Case("x.grad holds a gradient from before", (neighbours, stale, random_tensor(rng, dtype, 3))),
    ]


TASK = Part(
    id="10.7",
    title="Gauss–Newton product",
    difficulty=4,
    minutes=8,
    requirements=(
        Requirement(
            "`f` takes a Tensor of shape (n,) and returns one of shape (m,). `x` is a leaf of shape (n,) that requires grad.",
        ),
        Requirement("`v` has shape (n,), and so has the result.", ("only J v", "the gradient of the squares")),
        Requirement(
            "**One** forward pass and **one** backward pass. The checker counts them.",
            ("the trick of 10.3", "all of J", "a backward pass too many", "a forward pass too many"),
        ),
        Requirement("You may call your `jvp` of 10.2, and then `f` runs twice. With a little care it runs only once."),
    ),
    cases=gauss_cases,
    without={
        "grad": "the statement does not say what is left in x.grad",
    },
    edges=gauss_edges,
    observe=watch_gauss,
)
