"""14.2 GradCoeff: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch14.common import applied, no_output, points
from minigrad.course.exercise import Case, Part, Requirement

GRADCOEFF_STARTER = '''\
class GradCoeff(mg.autograd.Function):
    """x as it is; the gradient that comes back is multiplied by the number coeff."""

    @staticmethod
    def forward(ctx, x, coeff):
        ...

    @staticmethod
    def backward(ctx, g):
        ...
'''


def coeff_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [Case(f"coeff = {c:.3g}", (*points(rng, dtype, 3, 2), c)) for c in (-1.0, 0.0, 0.5, rng.uniform(1.5, 3))]


def counting(answer: Any, entries: list[int]) -> Any:
    """The Function, and a note of how many entries each backward returns: the engine passes over a None too many."""
    given = answer.backward

    def backward(ctx: Any, *gradients: Any) -> Any:
        found = given(ctx, *gradients)
        entries.append(len(found) if isinstance(found, tuple) else 1)
        return found

    return type(answer.__name__, (answer,), {"backward": staticmethod(backward)})


def watch_coeff(answer: Any, x: Any, v: Any, u: Any, coeff: float) -> Any:
    entries: list[int] = []
    if hasattr(answer, "backward"):
        answer = counting(answer, entries)
    y = applied(answer, x, coeff)
    if not isinstance(y, mg.Tensor):
        return no_output(y)
    seen: dict[str, Any] = {"output": y.detach().clone(), "requires_grad of the output": y.requires_grad}
    if y.requires_grad:
        (g,) = mg.autograd.grad(y, x, v, retain_graph=True)
        seen["the gradient for x"] = g
        x.grad = None
        head, other = (v * x).sum(), (u * applied(answer, x, coeff)).sum()
        (head + other).backward()
        seen["the gradient of two heads"] = x.grad
        first, second = applied(answer, x, coeff), applied(answer, x, coeff + 1)
        (both,) = mg.autograd.grad((v * first).sum() + (u * second).sum(), x)
        seen[f"the gradient of two calls, with {coeff:.3g} and {coeff + 1:.3g}"] = both
        seen["cost_entries_too_many"] = any(n > 2 for n in entries)
    return seen


def coeff_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("coeff = 2, a whole number, and one number in x", (*points(rng, dtype), 2)),
        Case("coeff = 1, shape (1,)", (*points(rng, dtype, 1), 1.0)),
    ]


TASK = Part(
    id="14.2",
    title="GradCoeff, the gradient reversal",
    difficulty=2,
    minutes=6,
    requirements=(
        Requirement(
            "`forward` takes a Tensor `x` and a plain number `coeff`, and hands the numbers of `x` on unchanged. "
            "`x.view_as(x)` is a new Tensor that looks at them.",
            ("the output is scaled",),
        ),
        Requirement(
            "On the way back the gradient is multiplied by `coeff`.",
            ("the honest gradient", "always the other sign", "the cotangent is overwritten"),
        ),
        Requirement(
            "`backward` returns as many entries as `forward` takes arguments.",
            ("one gradient", "a gradient for the number"),
        ),
    ),
    starter=GRADCOEFF_STARTER,
    cases=coeff_cases,
    edges=coeff_edges,
    observe=watch_coeff,
    may_change_inputs=True,
)
