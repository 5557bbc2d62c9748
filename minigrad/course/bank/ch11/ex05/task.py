"""11.5 A step between two backwards: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import nonzero_tensor
from minigrad.course.exercise import Case, Part, Requirement

REPAIR_STARTER = '''\
class Repair:
    """Two repairs of a program that takes a step between two backward passes."""

    @staticmethod
    def gradients_first(w, trunk, loss1, loss2, step):
        """trunk is called once; both gradients belong to the w that trunk has seen."""
        ...

    @staticmethod
    def forward_again(w, trunk, loss1, loss2, step):
        """A step for loss1, then a step for loss2 whose gradient belongs to the w after the first step."""
        ...
'''

LR = 0.15  # not that of the notebook: the step that is handed over counts


def step_of(w: Any) -> None:
    """One step of SGD, and the gradient is cleared."""
    with mg.no_grad():
        w -= LR * w.grad
    w.grad = None


def observe_repair(
    answer: Any, method: str, w: Any, trunk: Callable[..., Any], loss1: Callable[..., Any], loss2: Callable[..., Any]
) -> dict[str, Any]:
    calls = []

    def watched_trunk(t: Any) -> Any:
        calls.append(1)
        return trunk(t)

    def step(t: Any) -> None:
        if t.grad is None:
            raise RuntimeError("step(w) was called while w.grad is None" if t is w else "step was called with another tensor than w")
        step_of(t)

    watched_trunk.__name__ = watched_trunk.__qualname__ = "trunk"
    getattr(answer, method)(w, watched_trunk, loss1, loss2, step)
    return {
        "w": w.detach().clone(),
        "calls of trunk": len(calls),
        "w is a leaf that requires grad": w.is_leaf and w.requires_grad,
    }


def repair_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    cases = []
    for method in ("gradients_first", "forward_again"):
        matrix = nonzero_tensor(rng, dtype, 4, 3)
        cases += [
            Case(
                f"{method}: trunk = sin, 3 parameters",
                (
                    method,
                    nonzero_tensor(rng, dtype, 3, leaf=True),
                    mg.sin,
                    lambda h: (h**2).sum(),
                    lambda h: mg.exp(h).sum(),
                ),
            ),
            Case(
                f"{method}: trunk = matrix @ w**2, 3 parameters",
                (
                    method,
                    nonzero_tensor(rng, dtype, 3, leaf=True),
                    lambda w, matrix=matrix: matrix @ w**2,
                    lambda h: mg.sigmoid(h).sum(),
                    lambda h: (h * h).mean(),
                ),
            ),
        ]
    return cases


def repair_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case(
            f"{method}: trunk = exp, one parameter",
            (method, nonzero_tensor(rng, dtype, 1, leaf=True), mg.exp, lambda h: (h**2).sum(), lambda h: mg.sin(h).sum()),
        )
        for method in ("gradients_first", "forward_again")
    ]


TASK = Part(
    id="11.5",
    title="A step between two backwards",
    difficulty=3,
    minutes=10,
    requirements=(
        Requirement(
            "`gradients_first`: `trunk` is called **once**, and both gradients belong to the `w` that `trunk` has seen. In "
            "the end `w` has lost lr times both of them, in one step or in two.",
            ("the trunk is called twice", "only the first loss", "the second repair in place of the first", "no step"),
        ),
        Requirement(
            "`forward_again`: first a step for `loss1`. Then a step for `loss2`, whose gradient belongs to the `w` **after** "
            "the first step. `trunk` is called twice.",
            ("both gradients at the old w", "the losses change places", "the gradients are added up"),
        ),
    ),
    cases=repair_cases,
    edges=repair_edges,
    observe=observe_repair,
    starter=REPAIR_STARTER,
    may_change_inputs=True,
)
