"""14.3 LegendrePolynomial3: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch14.common import applied, derivatives, no_output, points
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.ch14 import fit
from minigrad.course.judging.compare import unfit

LEGENDRE_STARTER = '''\
class LegendrePolynomial3(mg.autograd.Function):
    """P₃(x) = ½ (5x³ − 3x), entry by entry. x may be a plain number; then so is the result."""

    @staticmethod
    def forward(ctx, x):
        ...

    @staticmethod
    def backward(ctx, g):
        ...
'''


def legendre_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    x = mg.tensor(np.linspace(-np.pi, np.pi, 40), dtype=dtype)
    y = mg.sin(rng.uniform(0.9, 1.1) * x)
    return [
        Case("the function: a vector", (*points(rng, dtype, 5), None)),
        Case("the function: a table", (*points(rng, dtype, 3, 2), None)),
        Case("the function: a plain number", (float(rng.uniform(0.5, 2)), None, None, None)),
        Case("the fit: a sine of another frequency", (x, y, None, 200)),
    ]


def watch_legendre(answer: Any, x: Any, v: Any, u: Any, steps: int | None) -> Any:
    if isinstance(x, float):
        y = applied(answer, x)
        return {"output": y} if isinstance(y, float) else unfit(y, "a plain number, as x is one here")
    if steps is None:
        seen = derivatives(answer, x, v, u)
        saved = getattr(getattr(applied(answer, x), "grad_fn", None), "saved_tensors", ())
        return seen | {"cost_nothing_saved": not saved} if isinstance(seen, dict) else seen
    y = applied(answer, x)
    if not isinstance(y, mg.Tensor):
        return no_output(y)
    loss = fit(answer.apply, x, v, steps, library=mg)[1][-1]
    return {"loss after the fit": "below 0.05" if loss < 0.05 else "0.05 or more, or not a number"}


def legendre_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def at(label: str, x: Any) -> Case:
        leaf = mg.tensor(x, dtype=dtype, requires_grad=True)
        return Case(f"the function: {label}", (leaf, *(random_tensor(rng, dtype, *np.shape(x)) for _ in "vu"), None))

    return [
        at("0, and numbers of both signs", [0.0, -1.5, 1.0]),
        at("one number of shape ()", -0.5),
        Case("the function: the plain number 0", (0.0, None, None, None)),
        Case("the function: a negative plain number", (-1.5, None, None, None)),
    ]


TASK = Part(
    id="14.3",
    title="A cubic of one's own",
    difficulty=2,
    minutes=8,
    requirements=(
        Requirement(
            "`x` is a Tensor of any shape, or a plain number. (If nothing requires grad, `apply` makes no node and just "
            "calls `forward`.) For a plain number a plain number must come out: `LegendrePolynomial3.apply(2.0)` is 17.0. So "
            "use operators, and not methods such as `x.pow`.",
            ("a Tensor's methods", "the half", "another polynomial"),
        ),
        Requirement("`backward` returns the gradient for `x`.", ("g is forgotten", "a factor 3 is lost")),
        Requirement("The second derivative is right, too.", ("the second derivative is dead", "the cotangent is cut off")),
    ),
    starter=LEGENDRE_STARTER,
    cases=legendre_cases,
    edges=legendre_edges,
    observe=watch_legendre,
)
