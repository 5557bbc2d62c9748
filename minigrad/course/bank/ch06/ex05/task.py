"""06.5 The leaking loop: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch06.common import Probes, numbers_of, squared_misses
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit

LEAK_STARTER = '''\
def average_loss(w, batches, loss_of, lr):
    """Train w for one step on each batch. Returns the average of the losses: a float, or a Tensor without a graph.

    w: a leaf of shape (n,). loss_of(w, batch): a Tensor of shape (). lr: the size of the steps.
    """
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss
    return total / len(batches)
'''

STEPS = 50


def average_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(steps: int, n: int) -> Case:
        w = mg.tensor(rng.normal(size=n), dtype=dtype, requires_grad=True)
        batches = [mg.tensor(rng.normal(size=(2, n + 1)), dtype=dtype) for _ in range(steps)]
        return Case(f"{steps} batches", (w, batches, float(rng.uniform(0.01, 0.03))))

    return [case(STEPS, 3), case(4, 2)]


def held(most: int, steps: int) -> str:
    """In words, how many graphs of steps before were alive at once."""
    return "none but the last" if most <= 1 else "more and more" if most >= steps // 2 else f"up to {most}"


def watch_average(answer: Callable[..., Any], w: Any, batches: list[Any], lr: float) -> Any:
    probes = Probes()

    def loss_of(w: Any, batch: Any) -> Any:
        loss = squared_misses(w, batch)
        probes.hang_on(loss)
        return loss

    result = answer(w, list(batches), loss_of, lr)
    if not isinstance(result, float | mg.Tensor | np.ndarray | np.number):
        return unfit(result, "a number")
    return {
        "the average": numbers_of(result),
        "w afterwards": numbers_of(w),
        "old graphs in memory during the loop": held(probes.most, len(batches)),
        "old graphs whose loss is gone, in memory all the same": held(probes.most_behind if probes.most <= 1 else 0, len(batches)),
        "the result has a graph": bool(isinstance(result, mg.Tensor) and result.requires_grad),
    }


def average_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    w = mg.tensor(rng.normal(size=1), dtype=dtype, requires_grad=True)
    one = Case("one batch, one weight", (w, [mg.tensor(rng.normal(size=(2, 2)), dtype=dtype)], 0.02))
    w = mg.tensor(rng.normal(size=2), dtype=dtype, requires_grad=True)
    batches = [mg.tensor(rng.normal(size=(rows, 3)), dtype=dtype) for rows in (5, 1, 2)]
    return [one, Case("batches with 5, 1 and 2 rows", (w, batches, 0.02))]


TASK = Part(
    id="06.5",
    title="The leaking loop",
    difficulty=2,
    minutes=8,
    requirements=(
        Requirement(
            "After each step, no more than one step's graph is alive. The checker counts the graphs at each step.",
            ("it leaks", "too late", "the losses before are kept"),
        ),
        Requirement(
            "The training stays as it is: the same losses, the same steps of the caller's `w`.",
            ("after the step", "another w", "no training", "not cleared"),
        ),
        Requirement(
            "The result is the average of the losses: a float, or a Tensor without a graph.",
            ("the sum", "the last alone", "an average over the rows"),
        ),
    ),
    starter=LEAK_STARTER,
    cases=average_cases,
    edges=average_edges,
    observe=watch_average,
    may_change_inputs=True,
    tolerance=1e-6,
)
