"""11.9 A loss that stops falling: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import nonzero_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.graphs import place_of
from minigrad.course.judging.compare import unfit


def train_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(n: int, k: int, m: int, p: int) -> Case:
        W, U = (nonzero_tensor(rng, dtype, *shape, leaf=True) for shape in ((k, m), (m, p)))
        x, target = nonzero_tensor(rng, dtype, n, k), nonzero_tensor(rng, dtype, n, p)
        return Case(f"{n} points, {m} hidden numbers", (W, U, x, target, 0.05))

    return [case(5, 3, 4, 2), case(7, 2, 3, 1)]


def train_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, W: Any, U: Any, n: int = 4, rate: float = 0.1) -> Case:
        leaves = (mg.tensor(value, dtype=dtype, requires_grad=True) for value in (W, U))
        return Case(label, (*leaves, nonzero_tensor(rng, dtype, n, 3), nonzero_tensor(rng, dtype, n, 1), rate))

    W, U = rng.normal(size=(3, 2)), rng.normal(size=(2, 1))
    return [case("W is 0", 0 * W, U), case("one point: its mean is itself", W, U, n=1), case("rate is 0", W, U, rate=0.0)]


def watch_training(answer: Callable[..., Any], W: Any, U: Any, x: Any, target: Any, rate: float) -> Any:
    places = [place_of(t) for t in (W, U)]
    losses = [answer(W, U, x, target, rate) for _ in range(3)]
    if not all(isinstance(loss, float) for loss in losses):
        return unfit(losses[0], "a number, as `loss.item()` gives it")
    return {
        "the losses of three steps": losses,
        "W after them": W.detach(),
        "U after them": U.detach(),
        "W and U are in the memory where they were": [place_of(t) for t in (W, U)] == places,
        "W and U are leaves that require grad": [t.is_leaf and t.requires_grad for t in (W, U)],
    }


TASK = Part(
    id="11.9",
    title="A loss that stops falling",
    difficulty=3,
    minutes=12,
    requirements=(
        Requirement(
            "`train_step` makes one step of gradient descent for `W` and `U`, in place.",
            ("the branch is still detached", "nothing has moved", "uphill", "old gradients are still there"),
        ),
        Requirement(
            "The hidden numbers are centred, and the gradient knows of it.",
            ("the mean has no history", "no longer centred"),
        ),
        Requirement(
            "It returns the loss before the step, as a number. The checker makes three steps, and compares the losses and "
            "both parameters.",
        ),
    ),
    cases=train_cases,
    edges=train_edges,
    observe=watch_training,
    may_change_inputs=True,
    without={
        "version": "W and U are written by each step, in one write or in several",
        "grad": "the statement does not say what is left there",
    },
)
