"""13.7 The where trap: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import nonzero_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def observe_root(answer: Callable[..., Any], x: Any, g: Any) -> Any:
    y = answer(x)
    if not isinstance(y, mg.Tensor):
        return unfit(y, "a Tensor of the shape of `x`")
    seen: dict[str, Any] = {"value": y.detach().clone(), "requires grad": y.requires_grad}
    if tuple(y.shape) != tuple(x.shape) or not y.requires_grad:
        return seen
    seen["exactly 0 where x is not above 0"] = bool((y.detach()[x.detach() <= 0] == 0).all())  # a tiny number is hard to see
    y.backward(g, retain_graph=True)
    seen["x.grad"] = None if x.grad is None else x.grad.clone()
    # A NaN that comes from elsewhere must come through.
    x.grad = None
    y.backward(g * float("nan"))
    seen["cost_hides"] = x.grad is not None and not bool(mg.isnan(x.grad[x.detach() > 0]).all())
    return seen


def root_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, values: Any) -> Case:
        x = mg.tensor(values, dtype=dtype, requires_grad=True)
        return Case(label, (x, nonzero_tensor(rng, dtype, *x.shape)))

    mixed = rng.permutation([0.0, *rng.uniform(0.5, 4, 3), *-rng.uniform(0.5, 4, 2)])
    return [
        case("-1, 0 and 4", [-1.0, 0.0, 4.0]),
        case("positive numbers only", rng.uniform(0.3, 4, 5)),
        case("a matrix of all signs", mixed.reshape(2, 3)),
        case("zeros and a small number", [0.0, 1e-6, 0.0, 2.0]),
    ]


def root_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Each tiny number by itself: beside a larger one, nobody would see it."""

    def case(label: str, values: Any, leaf: bool = True) -> Case:
        x = mg.tensor(values, dtype=dtype, requires_grad=leaf)
        return Case(label, (x, nonzero_tensor(rng, dtype, *x.shape)))

    tiny = [10.0**-k for k in (5, 7, 9, 11, 14, 20, 30)]
    return [
        *(case(f"the number {number:.0e}", [number]) for number in tiny),
        case("one number of shape ()", 2.25),
        case("0 of shape ()", 0.0),
        case("a negative number near 0", [-1e-9]),
        case("a huge number", [1e30]),
        case("1, the favourite harmless number", [1.0, -1.0, 4.0]),
        case("a tensor that requires no grad", [-1.0, 0.0, 4.0], leaf=False),
    ]


TASK = Part(
    id="13.7",
    title="The where trap",
    difficulty=3,
    minutes=7,
    requirements=(
        Requirement(
            "The value is the root of `x` where x > 0, and exactly 0 elsewhere.",
            ("clamped a little above", "a little is added", "known by the harmless number"),
        ),
        Requirement(
            "The gradient is 1 / (2√x) where x > 0, and exactly 0 elsewhere.",
            ("one where", "clamped at 0", "only the input is cleaned", "detached"),
        ),
        Requirement("`x` is a tensor of any shape, and stays as it is.", attacks=("writes into its inputs",)),
    ),
    cases=root_cases,
    edges=root_edges,
    observe=observe_root,
    may_change_inputs=True,
)
