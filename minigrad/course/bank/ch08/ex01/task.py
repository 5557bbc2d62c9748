"""08.1 Hands off .grad: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch08.common import count_walks, grads_of, listed, random_leaf
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import Unfit


def grads_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int, grad: bool = False) -> Any:
        return random_leaf(rng, dtype, *shape, grad=grad)

    a, b = leaf(3), leaf(3)
    w, c, x = leaf(2, 4, grad=True), leaf(2), leaf(4, grad=True)
    p, q, r = leaf(5, grad=True), leaf(grad=True), leaf(2, 5, grad=True)
    return [
        Case("one of two leaves, nobody has a .grad yet", ((mg.sin(a) * b).sum(), [b], {"a": a, "b": b})),
        Case("two of three leaves, some have a .grad", (((w @ x + c) ** 2).sum(), [c, w], {"w": w, "c": c, "x": x})),
        Case("all of three leaves, all have a .grad", ((mg.exp(q * p) * r).mean(), [r, p, q], {"p": p, "q": q, "r": r})),
    ]


def watch_grads(answer: Callable[..., Any], L: Any, wrt: Any, leaves: dict[str, Any]) -> Any:
    walks = count_walks(L)
    found = listed(answer(L, wrt), len(wrt), "gradients, one for each tensor in wrt")
    if isinstance(found, Unfit):
        return found
    return {
        "the gradients": found,
        **{f"{name}.grad afterwards": grad for name, grad in grads_of(leaves).items()},
        "cost_walks": len(walks),
    }


def grads_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b = random_leaf(rng, dtype, grad=True), random_leaf(rng, dtype, 1)
    c = random_leaf(rng, dtype, 3, grad=True)
    return [
        Case("one leaf of shape (), which is L's only one", (a * a, [a], {"a": a})),
        Case("a gradient of 0", ((b * 0).sum() + (c**2).sum(), [b, c], {"b": b, "c": c})),
        Case("the last of three leaves, all have a .grad", (((c * a) ** 2).sum() + b.sum(), [c], {"a": a, "b": b, "c": c})),
    ]


TASK = Part(
    id="08.1",
    title="Hands off .grad",
    difficulty=1,
    minutes=5,
    requirements=(
        Requirement(
            "`L` has shape `()`. It may depend on more leaves than those in `wrt`.",
            ("the first alone", "put back for wrt alone"),
        ),
        Requirement(
            "Return a list or a tuple of Tensors, in the order of `wrt`.",
            ("a tuple in each place", "the tuple in a list", "NumPy arrays"),
        ),
        Requirement(
            "Some leaves may have a `.grad` from before. **No `.grad` may change**, neither of the leaves in `wrt` nor of "
            "others.",
            ("backward", "backward(inputs=wrt)", "read and reset"),
        ),
        Requirement("One walk is enough. The checker tells you when you took more."),
    ),
    cases=grads_cases,
    edges=grads_edges,
    observe=watch_grads,
    may_change_inputs=True,
)
