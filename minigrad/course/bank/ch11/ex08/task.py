"""11.8 A residual block: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import nonzero_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def residual_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(n: int, k: int) -> Case:
        leaves = (nonzero_tensor(rng, dtype, *shape, leaf=True) for shape in ((n, k), (k, k), (k, k)))
        return Case(f"x of shape ({n}, {k})", (*leaves, nonzero_tensor(rng, dtype, n, k)))

    return [case(4, 3), case(1, 2), case(5, 4)]


def residual_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, x: Any, A: Any) -> Case:
        leaves = (mg.tensor(value, dtype=dtype, requires_grad=True) for value in (x, A, rng.normal(size=(3, 3))))
        return Case(label, (*leaves, nonzero_tensor(rng, dtype, 2, 3)))

    x = np.abs(rng.normal(size=(2, 3)))
    return [
        case("relu lets nothing through", x, -np.ones((3, 3))),
        case("relu lets everything through", x, np.ones((3, 3))),
        case("zeros in x", x * [1, 0, 1], rng.normal(size=(3, 3))),  # not all: where relu gets a 0, its slope is a matter of taste
    ]


def watch_residual(answer: Callable[..., Any], x: Any, A: Any, B: Any, v: Any) -> Any:
    before = {name: t.tolist() for name, t in (("x", x), ("A", A), ("B", B))}
    y = answer(x, A, B)
    if not isinstance(y, mg.Tensor):
        return unfit(y, "a Tensor of the shape of x")
    changed = [name for name, t in (("x", x), ("A", A), ("B", B)) if t.tolist() != before[name]]
    seen: dict[str, Any] = {"y": y, "what is written over": changed or "nothing"}
    if tuple(y.shape) == tuple(x.shape) and y.requires_grad:
        y.backward(v)
        for name, t in (("x", x), ("A", A), ("B", B)):
            seen[f"{name}.grad after y.backward(v)"] = "nothing" if t.grad is None else t.grad
    return seen


TASK = Part(
    id="11.8",
    title="A residual block",
    difficulty=3,
    minutes=8,
    requirements=(
        Requirement(
            "It returns the same numbers, and backward finds the right gradients of all three.",
            ("the write is still there", "past the counter", "the short way is lost"),
        ),
        Requirement(
            "`x`, `A` and `B` are leaves of the shapes (n, k), (k, k) and (k, k), and stay as they are.",
            ("written into x",),
        ),
        Requirement(
            "Mend what is broken, and nothing else: a write that does no harm may stay.",
            ("no input added", "the last factor is gone"),
        ),
    ),
    cases=residual_cases,
    edges=residual_edges,
    observe=watch_residual,
)
