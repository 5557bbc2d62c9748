"""12.7 Buffer without buffer: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch12.common import LONG, default_dtype, grad_of, price_of
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def echoes_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=True)

    def case(n: int) -> Case:
        v = mg.tensor(rng.normal(size=n), dtype=dtype)
        return Case("1 entry" if n == 1 else f"{n} entries", (leaf(), leaf(n), v))

    return [case(n) for n in (4, 2, 1, LONG)]


def watch_echoes(answer: Callable[..., Any], w: Any, x: Any, v: Any) -> Any:
    with default_dtype(x.dtype):
        h = answer(w, x)
    if not isinstance(h, mg.Tensor):
        return unfit(h, "a Tensor h of shape (n,)")
    seen: dict[str, Any] = {"h": h}
    if tuple(h.shape) == (len(x),):
        seen["cost_price"] = price_of(h, len(x), "Mul", parts=2)
        if h.requires_grad:
            h.backward(v)
        alone = len(x) == 1  # then w has no influence
        seen |= {"x.grad after h.backward(v)": grad_of(x), "w.grad": 0.0 if alone and w.grad is None else grad_of(w)}
    return seen


def echoes_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, w: float, x: Any) -> Case:
        v = mg.tensor(rng.normal(size=len(x)), dtype=dtype)
        return Case(label, (mg.tensor(w, dtype=dtype, requires_grad=True), mg.tensor(x, dtype=dtype, requires_grad=True), v))

    return [
        case("w is 0", 0.0, rng.normal(size=4)),
        case("w is negative", -0.8, rng.normal(size=5)),
        case("w is tiny", 1e-12, rng.normal(size=4)),
        case("zeros in x", 0.5, np.array([0.0, 0.0, 1.0, 0.0])),
    ]


TASK = Part(
    id="12.7",
    title="Buffer without buffer",
    difficulty=3,
    minutes=7,
    extra=True,
    requirements=(
        Requirement("It returns all results as one Tensor of shape (n,).", ("only the last", "one too many")),
        Requirement(
            "`backward` gives the right gradients for both leaves, `w` of shape `()` and `x` of shape (n,).",
            ("the buffer rings", "no history", "cut at every step"),
        ),
        Requirement("Do not write into `x`. A loop in Python is fine.", ("written into x",)),
        Requirement(
            "It should be cheap too: n steps of work for n results, forward and backward. The checker looks at the graph, "
            "and tells you when it is not.",
        ),
    ),
    cases=echoes_cases,
    edges=echoes_edges,
    observe=watch_echoes,
)
