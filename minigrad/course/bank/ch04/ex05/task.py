"""04.5 Several roots: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch04.common import Watch
from minigrad.course.bank.shared import NO_RETURN, came_back, random_tensor
from minigrad.course.exercise import Case, Part, Requirement


def two_heads_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    W, U, C = tensor(4, 3), tensor(2, 4), tensor(5, 6)
    return [
        Case(
            "x of shape (3,), 2 outputs of head2",
            (leaf(3), lambda x: mg.tanh(W @ x), lambda h: (h**2).sum(), lambda h: U @ h, tensor(2)),
        ),
        Case(
            "x of shape (2, 3), 6 outputs of head2",
            (leaf(2, 3), lambda x: mg.exp(x / 2), lambda h: h.sum(), lambda h: (h * h).reshape(6), tensor(6)),
        ),
        Case(
            "x of shape (6,), 5 outputs of head2",
            (
                leaf(6),
                lambda x: mg.sin(x) * x,
                lambda h: (h[0] * h[5]).exp(),
                lambda h: mg.tanh(C @ h),
                tensor(5),
            ),
        ),
    ]


# What backward says to a wrong list of roots. Each has its own cause, so each is an observation of its own.
REFUSALS = ("a second time", "only for scalar outputs", "Mismatch in shape", "got 2 tensors and 1 gradients")


def watch_two_heads(answer: Callable[..., Any], x: Any, trunk: Any, head1: Any, head2: Any, v: Any) -> dict[str, Any]:
    watch = Watch()
    heads = [watch.around(head1, "head1", passes=False), watch.around(head2, "head2", passes=False)]
    try:
        returned = answer(x, watch.around(trunk, "trunk"), *heads, v)
    except RuntimeError as error:
        known = [phrase for phrase in REFUSALS if phrase in str(error)]
        if not known:
            raise
        return {"backward": f"raised RuntimeError: … {known[0]} …"}
    watch.stop()
    return {
        "backward": "raised nothing",
        "x.grad": x.grad,
        "calls of trunk": watch.calls,
        "backward passes through trunk": watch.passes,
        "cost_joined": watch.on_top > 0,
        "cost_returned": came_back(returned),
    }


def two_heads_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    return [
        Case(
            "x of shape (1,), one output of head2",
            (leaf(1), lambda x: mg.exp(x), lambda h: h.sum(), lambda h: h * h, random_tensor(rng, dtype, 1)),
        ),
        Case(
            "v is all zeros",
            (leaf(3), lambda x: mg.sin(x), lambda h: (h**3).sum(), lambda h: h * 2, mg.zeros(3, dtype=dtype)),
        ),
    ]


TASK = Part(
    id="04.5",
    title="Several roots",
    difficulty=2,
    minutes=7,
    requirements=(
        Requirement(
            "`x` is a leaf whose `.grad` is None; `trunk`, `head1` and `head2` are functions of one Tensor; `v` has shape "
            "(m,).",
            ("v is forgotten", "head1 is forgotten", "head2 is forgotten"),
        ),
        Requirement(
            "Call `trunk` **once**, and let backward pass through it **once**. The checker counts both.",
            ("two trunks", "two passes"),
        ),
        Requirement("Return nothing.", ("something is returned",)),
    ),
    cases=two_heads_cases,
    musts={"cost_returned": NO_RETURN},
    edges=two_heads_edges,
    observe=watch_two_heads,
)
