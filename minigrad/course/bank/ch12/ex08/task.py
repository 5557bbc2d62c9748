"""12.8 A network with a memory: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch12.common import LONG, default_dtype, grad_of, price_of
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def remember_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int, leaf: bool = False) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=leaf)

    def case(n: int, k: int, m: int) -> Case:
        leaves = tensor(m, m, leaf=True), tensor(k, m, leaf=True)
        return Case(f"{n} inputs, {m} numbers of memory", (*leaves, tensor(n, k), tensor(n, m)))

    return [case(4, 2, 3), case(3, 4, 2), case(LONG, 2, 3)]


def remember_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, W: Any, V: Any, n: int) -> Case:
        leaves = (mg.tensor(value, dtype=dtype, requires_grad=True) for value in (W, V))
        return Case(label, (*leaves, *(mg.tensor(rng.normal(size=(n, m)), dtype=dtype) for m in (2, 3))))

    W, V = rng.normal(size=(3, 3)), rng.normal(size=(2, 3))
    return [case("one input", W, V, 1), case("W is 0: it forgets at once", 0 * W, V, 3), case("V is 0: it hears nothing", W, 0 * V, 3)]


def watch_remember(answer: Callable[..., Any], W: Any, V: Any, x: Any, v: Any) -> Any:
    with default_dtype(x.dtype):
        h = answer(W, V, x)
    if not isinstance(h, mg.Tensor):
        return unfit(h, "a Tensor of shape (n, m)")
    seen: dict[str, Any] = {"h": h}
    if tuple(h.shape) == tuple(v.shape):
        seen["cost_price"] = price_of(h, len(x), "Tanh", parts=2)
        if h.requires_grad:
            h.backward(v)
        alone = len(x) == 1  # then W has no influence
        nothing = alone and (W.grad is None or not W.grad.any())
        seen |= {"V.grad after h.backward(v)": grad_of(V), "W.grad": 0.0 if nothing else grad_of(W)}
    return seen


TASK = Part(
    id="12.8",
    title="A network with a memory",
    difficulty=3,
    minutes=8,
    requirements=(
        Requirement(
            "It returns the same states as one Tensor of shape (n, m).",
            ("only the last", "no memory", "one too many"),
        ),
        Requirement(
            "Backward finds the right gradients of `W` and `V`, through all steps. `W` has shape (m, m), `V` has (k, m), and "
            "`x` holds n inputs of k numbers.",
            ("the buffer rings", "it forgets", "no history"),
        ),
        Requirement(
            "It should be cheap too: n states of work for n states. The checker looks at the graph, and tells you when it is "
            "not.",
        ),
    ),
    cases=remember_cases,
    edges=remember_edges,
    observe=watch_remember,
)
