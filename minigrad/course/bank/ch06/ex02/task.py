"""06.2 Micro-batches: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch06.common import Probes, grad_of, squared_misses
from minigrad.course.bank.shared import NO_RETURN, came_back
from minigrad.course.exercise import Case, Part, Requirement


def accumulate_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype)

    def case(part: str, sizes: tuple[int, ...], n: int) -> Case:
        w = numbers(n).requires_grad_()
        if part != "w.grad is None":
            w.grad = numbers(n)
        label = f"{part}: {len(sizes)} chunk{'s' * (len(sizes) > 1)} with {', '.join(map(str, sizes))} rows"
        return Case(label, (w, [numbers(size, n + 1) for size in sizes]))

    old = "an old gradient is in w.grad"
    fresh = "w.grad is None"
    return [case(fresh, (8, 8, 3), 4), case(fresh, (2, 7, 1, 4), 3), case(fresh, (6,), 2), case(old, (5, 2, 9), 4), case(old, (3,), 2)]


def watch_accumulate(answer: Callable[..., Any], w: Any, chunks: list[Any]) -> Any:
    probes, most_rows, calls = Probes(), 0, 0

    def mean_loss(w: Any, chunk: Any) -> Any:
        nonlocal most_rows, calls
        most_rows, calls = max(most_rows, len(chunk)), calls + 1
        loss = squared_misses(w, chunk)
        probes.hang_on(loss)
        return loss

    returned = answer(mean_loss, w, list(chunks))
    grad = grad_of(w)
    probes.look()  # behind w.grad may be graphs, too
    held = "retained" if probes.retained else "held" if probes.most_behind > 1 else "one after the other"
    return {
        "w.grad": grad,
        "cost_graphs": "several at once" if probes.waiting else held,
        "cost_graph behind w.grad": bool(w.grad is not None and w.grad.requires_grad),
        "cost_forwards beside": max(0, calls - len(chunks)),
        "cost_returned": came_back(returned),
        "cost_rows": "all at once" if most_rows > max(map(len, chunks)) else "chunk by chunk",
    }


def accumulate_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, sizes: tuple[int, ...], n: int, old: float | None) -> Case:
        w = mg.tensor(rng.normal(size=n), dtype=dtype, requires_grad=True)
        if old is not None:
            w.grad = mg.full((n,), old, dtype=dtype)
        return Case(label, (w, [mg.tensor(rng.normal(size=(size, n + 1)), dtype=dtype) for size in sizes]))

    return [
        case("w.grad is None: one chunk with one row, one weight", (1,), 1, None),
        case("w.grad is None: chunks of one row", (1, 1, 1), 2, None),
        case("an old gradient is in w.grad: it is not a number", (2, 3), 3, float("nan")),
        case("an old gradient is in w.grad: zeros", (4, 1), 2, 0.0),
    ]


TASK = Part(
    id="06.2",
    title="Micro-batches",
    difficulty=3,
    minutes=9,
    requirements=(
        Requirement(
            "`mean_loss(w, chunk)` returns the mean loss over the rows of one chunk, a Tensor of shape `()`.",
            ("divided by all rows", "over its own rows"),
        ),
        Requirement(
            "`w` is a leaf. Its `.grad` may hold a gradient from before, which no longer counts.",
            ("the old gradient is kept", "None.zero_()"),
        ),
        Requirement(
            "`chunks` is a list of Tensors of shape (rows, n). They need not have the same number of rows; `len(chunk)` "
            "tells it.",
            ("the mean of means", "all chunks like the first"),
        ),
        Requirement(
            "Only one chunk fits into memory at a time: call `mean_loss` with one, go backward, then take the next. Return "
            "nothing.",
            ("joined", "something is returned"),
        ),
    ),
    cases=accumulate_cases,
    musts={
        "cost_graphs": "only one chunk fits into memory: call `mean_loss` with one, go backward, which frees it, then take the next.",
        "cost_rows": "only one chunk fits into memory: call `mean_loss` with one chunk at a time.",
        "cost_returned": NO_RETURN,
    },
    edges=accumulate_edges,
    observe=watch_accumulate,
    tolerance=1e-6,
)
