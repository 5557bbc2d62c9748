"""11.4 The silence of data: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch11.common import CHANGED
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import Unfit, unfit

WINDOWS: dict[str, Callable[[Any], Any]] = {
    "a copy": lambda t: t.detach().clone(),
    "detach": lambda t: t.detach(),
    "data": lambda t: t.data,
}


def observe_trap(answer: Callable[..., Any], w: Any) -> Any:
    """The gradient with each window, beside the one that the program has where the write goes to a copy."""
    seen, right = {}, None
    for name, window in WINDOWS.items():
        leaf = w.detach().clone().requires_grad_()
        passes: list[int] = []
        handed: list[Any] = []

        def watched(t: Any, window: Callable[[Any], Any] = window, handed: list[Any] = handed) -> Any:
            handed.append(window(t))
            return handed[-1]

        leaf.register_hook(lambda g, passes=passes: passes.append(1))
        try:
            L = answer(leaf, watched)
        except RuntimeError as error:
            if CHANGED not in str(error):
                raise
            seen["backward"] = "called by your function"
            return seen
        if passes:
            seen["backward"] = "called by your function"
            return seen
        if not isinstance(L, mg.Tensor):
            return unfit(L, "a Tensor: the scalar L")
        if L.numel() != 1:
            return Unfit(f"a Tensor of shape {tuple(L.shape)}", "a scalar: one number")
        if right is None:
            seen["the window"] = use_of(handed)
        seen[f"window = {name}"] = gradient_in_words(L, leaf, right)
        if right is None:
            right = leaf.grad
    return seen


def use_of(handed: list[Any]) -> str:
    """What became of the tensors that the window handed out."""
    if not handed:
        return "is not called"
    if any(t.requires_grad for t in handed):
        return "has a history"
    return "is written" if any(t._version for t in handed) else "is not written"


def gradient_in_words(L: Any, leaf: Any, right: Any) -> str:
    if not L.requires_grad:
        return "no graph leads from L to w"
    try:
        L.backward()
    except RuntimeError as error:
        if CHANGED not in str(error):
            raise
        return "backward raises"
    if leaf.grad is None:
        return "no gradient reaches w"
    if right is None:
        return "a gradient"
    return "the same gradient" if mg.allclose(leaf.grad, right, equal_nan=True) else "another gradient"


def trap_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case(f"w of shape ({n},)", (mg.tensor(rng.uniform(0.5, 1.5, n), dtype=dtype),)) for n in (3, 4)
    ]


TASK = Part(
    id="11.4",
    title="The silence of data",
    difficulty=3,
    minutes=10,
    requirements=(
        Requirement(
            "with `window` = detach, backward raises *modified by an inplace operation*;",
            ("the value was not saved", "the write comes too early"),
        ),
        Requirement(
            "with `window` = data, backward runs, and leaves another gradient in `w.grad` than it would without your write.",
            ("the same numbers", "the window is not used"),
        ),
        Requirement(
            "Write through the window, and do not call `backward` yourself.",
            ("backward is called", "data in any case"),
        ),
    ),
    without={
        "values": "a write through the window may reach w itself",
        "edges": "a write to a part of the tensor needs several entries",
    },
    cases=trap_cases,
    observe=observe_trap,
)
