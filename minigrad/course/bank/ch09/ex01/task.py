"""09.1 Hessian times vector: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch09.common import Watch, in_words, valley
from minigrad.course.bank.shared import random_tensor
from minigrad.course.bank.watching import calls_counted
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def hvp_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    A, B, weights = tensor(5, 5), tensor(3, 6), tensor(2, 3)
    return [
        Case("x is a vector: 4 variables, neighbours coupled", (valley, leaf(4), tensor(4), tensor(4))),
        Case("x is a vector: f(x) = x @ A @ x, 5 variables", (lambda x: x @ A @ x, leaf(5), tensor(5), tensor(5))),
        Case(
            "x is a vector: f(x) = exp(B @ x / 4).sum(), 6 variables",
            (lambda x: mg.exp(B @ x / 4).sum(), leaf(6), tensor(6), tensor(6)),
        ),
        Case(
            "x is a table: shape (2, 3)",
            (lambda x: (weights * mg.sin(x)).sum() * (x * x).sum(), leaf(2, 3), tensor(2, 3), tensor(2, 3)),
        ),
    ]


def watch_hvp(answer: Callable[..., Any], f: Callable[..., Any], x: Any, v: Any, w: Any) -> Any:
    watch = Watch(f, x)
    with calls_counted(mg) as calls:
        first = answer(watch.f, x, v)
    if not isinstance(first, mg.Tensor):
        return unfit(first, "a Tensor of the shape of x")
    seen: dict[str, Any] = {"f is called": watch.place()}
    if watch.moved:
        return seen
    seen["backward passes"] = in_words(max(2, watch.passes), max(3, x.numel()))  # one is enough where forward mode does the rest
    seen["H v"] = first.detach().clone()
    second = answer(watch.f, x, w)
    seen["H w, then, with the same x"] = second.detach().clone() if isinstance(second, mg.Tensor) else second
    seen["H v, looked at again"] = first
    seen["H v of 2 f, then, at the same x"] = answer(lambda x: 2 * f(x), x, v)
    seen["cost_passes"] = calls.total()  # mg.autograd.functional.hvp makes a third pass, which does not come back to x
    return seen


def hvp_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    stale = leaf(3)
    stale.grad = tensor(3)
    return [
        Case("one variable, shape (1,)", (lambda x: (x**3).sum(), leaf(1), tensor(1), tensor(1))),
        Case("one variable, shape ()", (lambda x: mg.exp(x), leaf(), tensor(), tensor())),
        Case("x.grad holds a gradient from before", (valley, stale, tensor(3), tensor(3))),
        Case("v is all zeros", (valley, leaf(3), mg.zeros(3, dtype=dtype), tensor(3))),
    ]


TASK = Part(
    id="09.1",
    title="Hessian times vector",
    difficulty=3,
    minutes=6,
    requirements=(
        Requirement(
            "`f` takes a Tensor like `x` and returns one of shape (). `x` is a leaf that requires grad. It may have any "
            "shape, also that of a table; `v` has the same shape, and so has the result.",
            ("a product of matrices",),
        ),
        Requirement(
            "The checker calls your function again with the same `x` and another `v`: the second "
            "product must be right too, and the first must keep its numbers.",
            ("not cleared",),
        ),
        Requirement(
            "**Two** backward passes. The checker counts, and also sees when `f` is asked at other points.",
            ("the whole Hessian", "differences"),
        ),
    ),
    without={"grad": "the statement does not say what is left in x.grad"},
    cases=hvp_cases,
    edges=hvp_edges,
    observe=watch_hvp,
)
