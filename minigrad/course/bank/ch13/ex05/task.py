"""13.5 The first culprit: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import nonzero_tensor
from minigrad.course.exercise import Case, Part, Requirement

# Each makes of h, which has numbers of both signs and a zero, something whose gradient is NaN.
NANS: dict[str, Callable[[Any], Any]] = {
    "a root under where": lambda h: mg.where(h > 0, mg.sqrt(h), 0.0),
    "a power under where": lambda h: mg.where(h > 0, h**0.5, 0.0),
    "sin(h) / h under where": lambda h: mg.where(h == 0, 1.0, mg.sin(h) / h),
    "the root of a sum of squares that is zero": lambda h: mg.sqrt(((h * 0) ** 2).sum()) + h,
    "an exponential that overflows under where": lambda h: mg.where(h > -9, 0.0, mg.exp(1000 + h)),
    "h times its logarithm": lambda h: mg.abs(h) * mg.log(mg.abs(h)),
    "the logarithm of a softmax that underflows": lambda h: mg.log(mg.softmax(h * 2000, 0)),
}


def nan_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def start() -> Any:
        values = rng.permutation([0.0, *rng.uniform(0.5, 1.5, 2), *-rng.uniform(0.5, 1.5, 2)])
        return mg.tensor(values, dtype=dtype, requires_grad=True)

    def finish(y: Any, x: Any) -> Any:
        ends = (lambda: (y * nonzero_tensor(rng, dtype, 5)).sum(), lambda: mg.tanh(y).mean(), lambda: ((y - 1) ** 2).sum() / 5)
        return ends[rng.integers(3)]() + mg.cos(x).sum()

    def composite(make: Callable[[Any], Any]) -> Any:
        x = start()
        w = nonzero_tensor(rng, dtype, 5, leaf=True)
        return finish(make(mg.sinh(x) * w), x)

    def second() -> Any:
        """The NaN is in the second gradient of a product: 0 times an infinite factor."""
        x = start()
        infinite = mg.full_like(x, float("inf")).requires_grad_()
        return finish(mg.where(x > -9, 0.0, infinite * x), x)

    cases = [Case(label, (composite(make),)) for label, make in NANS.items()]
    cases.insert(2, Case("no NaN at all", (composite(mg.tanh),)))
    positive = mg.tensor([0.0, *rng.uniform(0.5, 1.5, 3)], dtype=dtype, requires_grad=True)
    cases.insert(4, Case("an infinite gradient, and no NaN", (mg.sqrt(positive).sum() * 0.5,)))
    cases.append(Case("a NaN in the second gradient of a node", (second(),)))
    return cases


def of_two(dtype: Any) -> Any:
    """A root and a power under where, each of a leaf of its own."""
    a, b = (mg.tensor([-1.0, 4.0], dtype=dtype, requires_grad=True) for _ in range(2))
    return mg.where(a > 0, mg.sqrt(2 * a), 0.0).sum() + mg.where(b > 0, b**0.5, 0.0).sum()


def nan_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    zero = mg.tensor([0.0], dtype=dtype, requires_grad=True)
    x = nonzero_tensor(rng, dtype, 3, leaf=True)
    low = mg.ones(3, dtype=dtype, requires_grad=True)
    return [
        Case("one number: 0 times the root of 0", ((0 * mg.sqrt(zero)).sum(),)),
        Case("a value that is NaN, and no gradient that is", ((x * 2).sum() + float("nan"),)),
        Case("the last operation is the culprit", (mg.sqrt(-1 - (x * x).sum()),)),
        Case("a NaN that comes to no leaf", (mg.where(low > 9, mg.sqrt(mg.where(low > 9, low, 0.0)), 0.0).sum(),)),
        Case("two culprits, neither of them behind the other", (of_two(dtype),)),
    ]


TASK = Part(
    id="13.5",
    title="The first culprit",
    difficulty=3,
    minutes=10,
    requirements=(
        Requirement(
            "Return the name of the node whose backward made the **first** NaN, as `node.name()` gives it.",
            ("the last", "the last culprit", "what arrives", "the node", "only if all are NaN"),
        ),
        Requirement("Where no gradient is NaN, return None. Infinite is not NaN.", ("inf counts too",)),
        Requirement("The values may be finite or not. What is left in `.grad` does not matter."),
    ),
    cases=nan_cases,
    edges=nan_edges,
    may_change_inputs=True,
)
