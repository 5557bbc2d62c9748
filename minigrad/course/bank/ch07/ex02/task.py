"""07.2 Two heads, three gradients: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch07.common import FREED, NO_HISTORY, is_kept
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import Unfit, holds_an_array, unfit


def three_gradients_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    W, U, c = tensor(4, 3), tensor(2, 4), tensor(5)
    return [
        Case(
            "x of shape (3,)",
            (leaf(3), lambda x: mg.tanh(W @ x), lambda h: (h**2).sum(), lambda h: (U @ h).exp().mean()),
        ),
        Case(
            "heads that save nothing",
            (leaf(5), lambda x: mg.exp(x / 2), lambda h: h.sum(), lambda h: h.mean() - h[3]),
        ),
        Case(
            "x of shape (2, 5)",
            (leaf(2, 5), lambda x: mg.sin(x) * x, lambda h: (h * c).sum(), lambda h: mg.tanh(h[0]).sum()),
        ),
    ]


def watch_three_gradients(answer: Callable[..., Any], x: Any, trunk: Any, head1: Any, head2: Any) -> Any:
    trunks: list[Any] = []
    passes: list[int] = []

    def watched_trunk(at: Any) -> Any:
        h = trunk(at)
        trunks.append(h)
        if h.requires_grad:
            h.register_hook(lambda g: passes.append(1))
        return h

    watched_trunk.__name__ = watched_trunk.__qualname__ = "trunk"
    try:
        returned = answer(x, watched_trunk, head1, head2)
    except RuntimeError as error:
        known = [phrase for phrase in (FREED, NO_HISTORY) if phrase in str(error)]
        if not known:
            raise
        return {"backward": f"raised RuntimeError: … {known[0]} …", "passes before": len(passes)}
    if not isinstance(returned, tuple | list):
        return unfit(returned, "three Tensors: the gradients of l1, l2 and l1 + l2")
    if len(returned) != 3:
        return Unfit(f"{len(returned)} values", "three Tensors: the gradients of l1, l2 and l1 + l2")
    if arrays := holds_an_array(returned, "three Tensors: the gradients of l1, l2 and l1 + l2"):
        return arrays
    names = ("the gradient of l1", "the gradient of l2", "the gradient of l1 + l2")
    return {
        "backward": "raised nothing",
        **dict(zip(names, returned, strict=True)),
        "cost_trunks": len(trunks),
        "cost_passes": len(passes),
        "cost_kept": any(is_kept(h, x) for h in trunks if h.requires_grad),
        "cost_graphs": any(isinstance(g, mg.Tensor) and g.requires_grad for g in returned),
    }


def three_gradients_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case(
            "x of shape ()",
            (random_tensor(rng, dtype, leaf=True), lambda x: mg.exp(x), lambda h: h * h, lambda h: mg.sin(h)),
        ),
        Case(
            "a head whose gradient is 0",
            (random_tensor(rng, dtype, 3, leaf=True), lambda x: x**2, lambda h: (h * 0).sum(), lambda h: (h**2).sum()),
        ),
    ]


TASK = Part(
    id="07.2",
    title="Two heads, three gradients",
    difficulty=2,
    minutes=8,
    requirements=(
        Requirement(
            "`x` is a leaf whose `.grad` is None. What is in `x.grad` afterwards does not matter.",
            ("not cleared", "zeroed under your hands"),
        ),
        Requirement("`trunk`, `head1` and `head2` are functions of one Tensor; `l1` and `l2` have shape `()`."),
        Requirement("The trunk is expensive: call it **once**.", ("two trunks",)),
        Requirement(
            "Return three Tensors, each with its own numbers: the gradients with respect to `x`, of `l1`, of `l2` and of `l1 "
            "+ l2`.",
            ("another order", "up to h", "one object under two names", "NumPy arrays"),
        ),
        Requirement(
            "Two backward passes are enough, and the last may give the graph up. The checker tells you when you took more, "
            "or kept it.",
        ),
    ),
    cases=three_gradients_cases,
    musts={
        "cost_trunks": "the trunk must be called once.",
    },
    edges=three_gradients_edges,
    observe=watch_three_gradients,
    may_change_inputs=True,
)
