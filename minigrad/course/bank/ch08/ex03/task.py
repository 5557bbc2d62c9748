"""08.3 Unused: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch08.common import count_walks, listed, random_leaf
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import Unfit


def unused_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_leaf(rng, dtype, *shape)

    def freed(L: Any) -> Any:
        mg.autograd.grad(L, x)
        return L

    x, w, b, c = leaf(3), leaf(2, 4), leaf(5), random_tensor(rng, dtype, 6)
    return [
        Case("all are used", ((mg.sin(x)).sum() * (w**2).sum(), [w, x])),
        Case("the second of three is not used", ((mg.exp(x)).sum() + (w**3).mean(), [x, b, w])),
        Case("none is used", ((x * x).sum(), [w, b])),
        Case("the last of two is not used", ((mg.cos(x)).sum(), [x, w])),
        Case("x[1] is computed after L, so L does not depend on it", ((x * x).sum(), [x[1], x])),
        Case("one of them requires no grad, an error", ((x * c[:3]).sum(), [x, c])),
        Case("L has shape (3,), an error", (x**2, [x, w])),
        Case("L requires no grad, an error", ((c * c).sum(), [x, b])),
        Case("the graph was freed, an error", (freed((x**2).sum()), [x, w])),
    ]


def watch_unused(answer: Callable[..., Any], L: Any, wrt: Any) -> Any:
    walks = count_walks(L)
    found = listed(answer(L, wrt), len(wrt), "gradients, one for each tensor in wrt")
    if isinstance(found, Unfit):
        return found
    return {
        "the gradients": found,
        ".grad afterwards": [t.grad for t in wrt if t.is_leaf],
        "cost_walks": len(walks),
        "cost_graph": any(isinstance(g, mg.Tensor) and g.requires_grad for g in found),
    }


def unused_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b, c = random_leaf(rng, dtype, grad=True), random_leaf(rng, dtype, 1), random_leaf(rng, dtype, 2, 3, grad=True)
    return [
        Case("one tensor of shape (), not used, with a .grad", ((c * c).sum(), [a])),
        Case("one tensor, used, with a .grad", ((c * c).sum(), [c])),
        Case("a gradient of 0, and one that is not used", ((c * 0).sum(), [b, c])),
    ]


TASK = Part(
    id="08.3",
    title="Unused",
    difficulty=2,
    minutes=7,
    requirements=(
        Requirement(
            "Return a list or a tuple with the gradient of `L` with respect to each tensor in `wrt`.",
            ("left out", "one error, all zeros"),
        ),
        Requirement(
            "Where `L` does not depend on a tensor: zeros in the shape of that tensor.",
            ("None is left", "zeros of shape ()"),
        ),
        Requirement("No `.grad` may change.", ("backward", "backward(inputs=)")),
        Requirement(
            "For everything else that is wrong, let the error come out: a tensor in `wrt` that does not require grad, an `L` "
            "that is no scalar or has no graph, a graph that was freed.",
            ("each error a zero", "zeros for constants", "zeros without a graph", "made one number"),
        ),
    ),
    cases=unused_cases,
    edges=unused_edges,
    observe=watch_unused,
    may_change_inputs=True,
)
