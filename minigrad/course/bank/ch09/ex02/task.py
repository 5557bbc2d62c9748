"""09.2 The whole Hessian: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch09.common import Watch, valley
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def hessian_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(n: int) -> Any:
        return random_tensor(rng, dtype, n, leaf=True)

    A, B = tensor(3, 3), tensor(2, 5)
    return [
        Case("4 variables, neighbours coupled", (valley, leaf(4))),
        Case("f(x) = exp(x[0]) * x @ A @ x, 3 variables", (lambda x: mg.exp(x[0]) * (x @ A @ x), leaf(3))),
        Case("f(x) = sin(B @ x).sum(), 5 variables", (lambda x: mg.sin(B @ x).sum(), leaf(5))),
        Case("f(x) = x[0] ** 3 * x[1], 2 variables", (lambda x: x[0] ** 3 * x[1], leaf(2))),
    ]


def watch_hessian(answer: Callable[..., Any], f: Callable[..., Any], x: Any) -> Any:
    watch = Watch(f, x)
    H = answer(watch.f, x)
    if not isinstance(H, mg.Tensor):
        return unfit(H, "a Tensor of shape (n, n)")
    seen: dict[str, Any] = {"f is called": watch.place()}
    if watch.moved:
        return seen
    if x.dtype == mg.float32:  # the other way round is told by `musts`
        seen["dtype of H, where x is float32"] = str(H.dtype).rpartition(".")[2]
    return seen | {"H": H, "cost_passes": watch.passes}


def hessian_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    stale = random_tensor(rng, dtype, 3, leaf=True)
    stale.grad = random_tensor(rng, dtype, 3)
    return [
        Case("one variable", (lambda x: (x**3).sum(), random_tensor(rng, dtype, 1, leaf=True))),
        Case("variables that do not meet, 3 of them", (lambda x: (x**4).sum(), random_tensor(rng, dtype, 3, leaf=True))),
        Case("x.grad holds a gradient from before", (valley, stale)),
    ]


TASK = Part(
    id="09.2",
    title="The whole Hessian",
    difficulty=3,
    minutes=6,
    requirements=(
        Requirement(
            "`f` takes a Tensor of shape (n,) and returns one of shape (). `x` is a leaf of shape (n,) that requires grad.",
            ("row sums", "one long row"),
        ),
        Requirement(
            "Row i is how entry i of the gradient moves. Each row keeps its own numbers.",
            ("not cleared", "one object"),
        ),
        Requirement("It has the dtype of `x`.", ("float64",), attacks=("float32",)),
        Requirement("n + 1 passes are enough. The checker tells you when you took more."),
    ),
    without={"grad": "the statement does not say what is left in x.grad"},
    cases=hessian_cases,
    musts={
        "dtype": "H must have the dtype of x: `mg.zeros` and `mg.tensor` make float32 of plain numbers.",
    },
    edges=hessian_edges,
    observe=watch_hessian,
)
