"""04.1 Two spellings: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch04.common import Watch
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def spell_out_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    matrix, block = tensor(3, 4), tensor(3, 4, 2)
    return [
        Case("y of shape (4,), the products of neighbours in x", (lambda x: x[:-1] * x[1:], leaf(5), tensor(4))),
        Case("y = sin(x @ matrix), shape (2, 4)", (lambda x: mg.sin(x @ matrix), leaf(2, 3), tensor(2, 4))),
        Case("y = (x**3).sum(), shape ()", (lambda x: (x**3).sum(), leaf(4), tensor())),
        Case("y = block * exp(x), shape (3, 4, 2)", (lambda x: block * mg.exp(x), leaf(2), tensor(3, 4, 2))),
        Case("y = (x * x).reshape(5, 1)", (lambda x: (x * x).reshape(5, 1), leaf(5), tensor(5, 1))),
    ]


def watch_spell_out(answer: Callable[..., Any], f: Callable[..., Any], x: Any, v: Any) -> dict[str, Any]:
    y, watch = f(x), Watch()
    y.register_hook(watch.count)
    version = y._version
    L = answer(y, v)
    if watch.passes:
        return {"backward": "called by your function"}
    seen: dict[str, Any] = {
        "backward": "left to the checker",
        "y": "as it was" if y._version == version else "changed in place",
    }
    if not isinstance(L, mg.Tensor):
        return unfit(L, "a Tensor `L` of shape ()")
    seen |= {
        "shape of L": tuple(L.shape),
        "L requires grad": L.requires_grad,
        "x.grad before L.backward()": x.grad,
    }
    if L.numel() == 1 and L.requires_grad:
        L.backward()
        seen["x.grad after L.backward()"] = x.grad
    return seen


def leaf_with_grad(rng: np.random.Generator, dtype: Any) -> Any:
    x = random_tensor(rng, dtype, 3, leaf=True)
    x.grad = random_tensor(rng, dtype, 3)
    return x


def spell_out_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    x, v = random_tensor(rng, dtype, 3, leaf=True), random_tensor(rng, dtype, 1)
    zeros, partly = mg.zeros(3, dtype=dtype), mg.tensor([1.5, 0.0, -2.0], dtype=dtype)
    return [
        Case("y of shape (1,)", (lambda x: (x * x)[:1], x, v)),
        Case("v is all zeros", (lambda x: mg.exp(x), random_tensor(rng, dtype, 3, leaf=True), zeros)),
        Case("v is zero in one place", (lambda x: mg.exp(x), random_tensor(rng, dtype, 3, leaf=True), partly)),
        Case("y of shape (1, 1, 2)", (lambda x: mg.sin(x).reshape(1, 1, 2), random_tensor(rng, dtype, 2, leaf=True),
                                      random_tensor(rng, dtype, 1, 1, 2))),
        Case("x has a .grad already", (mg.sin, leaf_with_grad(rng, dtype), random_tensor(rng, dtype, 3))),
    ]


TASK = Part(
    id="04.1",
    title="Two spellings",
    difficulty=1,
    minutes=4,
    requirements=(
        Requirement(
            "`L.backward()` leaves in every leaf exactly what `y.backward(v)` would have left there.",
            ("v is forgotten", "mean", "a factor", "detached", "the old .grad is cleared"),
        ),
        Requirement(
            "`L` is a scalar Tensor, of shape `()`. `y` is the result of some computation and has any shape: `()`, `(4,)`, "
            "`(2, 4)`, `(3, 4, 2)`. `v` is a Tensor of the same shape.",
            ("nothing is summed", "matrix product"),
        ),
        Requirement("Do not call `backward` yourself.", ("backward is called",)),
        Requirement("Do not change `y` or `v`.", ("y is changed",)),
    ),
    cases=spell_out_cases,
    edges=spell_out_edges,
    observe=watch_spell_out,
)
