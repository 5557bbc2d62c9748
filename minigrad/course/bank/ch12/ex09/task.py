"""12.9 Row by row: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch12.common import LONG, default_dtype, grad_of
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.graphs import class_of, nodes_of
from minigrad.course.judging.compare import unfit


def centre_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(n: int, k: int) -> Case:
        w = mg.tensor(rng.normal(size=k), dtype=dtype, requires_grad=True)
        x, v = (mg.tensor(rng.normal(size=(n, k)), dtype=dtype) for _ in range(2))
        return Case(f"{n} rows of {k}", (x, w, v))

    return [case(3, 4), case(2, 5), case(LONG, 2)]


def centre_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, x: Any) -> Case:
        w = mg.tensor(rng.normal(size=x.shape[1]), dtype=dtype, requires_grad=True)
        return Case(label, (mg.tensor(x, dtype=dtype), w, mg.tensor(rng.normal(size=x.shape), dtype=dtype)))

    return [
        case("one row", rng.normal(size=(1, 3))),
        case("rows of one number", rng.normal(size=(3, 1))),
        case("zeros", np.zeros((2, 3))),
    ]


def watch_centre(answer: Callable[..., Any], x: Any, w: Any, v: Any) -> Any:
    with default_dtype(x.dtype):
        y = answer(x, w)
    if not isinstance(y, mg.Tensor):
        return unfit(y, "a Tensor of the shape of x")
    seen: dict[str, Any] = {"y": y.detach().clone()}
    if tuple(y.shape) == tuple(x.shape) and y.requires_grad:
        names = [class_of(node) for node in nodes_of(y)]
        seen["cost_price"] = "a write for each row" if len(x) == LONG and names.count("CopySlices") > 1 else "at once"
        y.backward(v)
        seen["w.grad after y.backward(v)"] = grad_of(w)
    return seen


TASK = Part(
    id="12.9",
    title="Row by row",
    difficulty=2,
    minutes=6,
    requirements=(
        Requirement(
            "It returns the table: scaled, and each row less its own mean.",
            ("nothing is subtracted", "the mean of the columns", "one mean for all"),
        ),
        Requirement("Backward finds the right gradient of `w`.", ("the graph knows nothing of it", "the loop still writes")),
        Requirement(
            "`x` has shape (n, k) and is a constant, `w` has shape (k,) and is a leaf. Both stay as they are.",
            attacks=("writes into its inputs",),
        ),
    ),
    cases=centre_cases,
    edges=centre_edges,
    observe=watch_centre,
)
