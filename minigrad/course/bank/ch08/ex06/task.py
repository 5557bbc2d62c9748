"""08.6 Two outputs, two cotangents: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch08.common import grads_of, listed, random_leaf
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import Unfit


def pull_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int, grad: bool = False) -> Any:
        return random_leaf(rng, dtype, *shape, grad=grad)

    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    A, x, k = tensor(3, 4), leaf(4), leaf(4)
    h = mg.sin(x) * k
    w, z = leaf(2, 5, grad=True), leaf(5)
    g = mg.exp(w * z)
    t = leaf(6, grad=True)
    e = mg.tanh(t)
    return [
        Case("y of shape (3,), one input", (A @ h, (h**2).sum(), tensor(3), [x], {"x": x, "k": k})),
        Case("y of shape (2, 5), two inputs", (g**2, g.mean(), tensor(2, 5), [z, w], {"w": w, "z": z})),
        Case("s of shape (1,)", (e.reshape(3, 2) ** 3, e[:1] * e[1:2], tensor(3, 2), [t], {"t": t})),
    ]


def watch_pull(answer: Callable[..., Any], y: Any, s: Any, v: Any, inputs: Any, leaves: dict[str, Any]) -> Any:
    walks: list[str] = []  # where a walk came by: at an input, at y
    handles = [t.register_hook(lambda g, place=place: walks.append(place)) for t, place in ((inputs[0], "input"), (y, "y"))]
    found = listed(answer(y, s, v, inputs), len(inputs), "gradients, one for each tensor in inputs")
    for handle in handles:
        handle.remove()
    if isinstance(found, Unfit):
        return found
    return {
        "the gradients": found,
        **{f"{name}.grad afterwards": grad for name, grad in grads_of(leaves).items()},
        "cost_walks": {place: walks.count(place) for place in ("input", "y")},
    }


def pull_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    x, z = random_leaf(rng, dtype, grad=True), random_leaf(rng, dtype, 3)
    u = random_leaf(rng, dtype, 3)
    h, g, k = mg.sin(x), mg.exp(z), mg.exp(u)
    return [
        Case("y of shape (), s of shape ()", (h * 2, h**2, random_tensor(rng, dtype), [x], {"x": x})),
        Case("v is all zeros", (g**2, g.sum(), mg.zeros(3, dtype=dtype), [z], {"z": z})),
        Case("s of shape (1, 1)", (k * 3, (k**3).sum().reshape(1, 1), random_tensor(rng, dtype, 3), [u], {"u": u})),
    ]


TASK = Part(
    id="08.6",
    title="Two outputs, two cotangents",
    difficulty=2,
    minutes=5,
    requirements=(
        Requirement(
            "`y` has any shape, and `v` has the shape of `y`; `s` has one element.",
            ("y alone", "s weighted too", "ones"),
        ),
        Requirement("`s` and `y` both depend on all `inputs`. No `.grad` may change.", ("backward(inputs=)", "backward")),
        Requirement("`y` and `s` have a common trunk: walk it **once**. The checker counts.", ("two walks",)),
    ),
    cases=pull_cases,
    musts={
        "cost_walks": "the common trunk must be walked once.",
    },
    edges=pull_edges,
    observe=watch_pull,
    may_change_inputs=True,
)
