"""08.2 The middle of the graph: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch08.common import grads_of, random_leaf
from minigrad.course.bank.shared import NO_RETURN, came_back, random_tensor
from minigrad.course.bank.watching import calls_counted
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit

MIDDLE_STARTER = '''\
class Middle:
    """Two ways to ∂L/∂h, where h is no leaf. L: shape (). In both, the .grad of all other tensors stays as it is."""

    @staticmethod
    def by_grad(L, h):
        """Return ∂L/∂h. h.grad stays as it is, too."""
        ...

    @staticmethod
    def by_backward(L, h):
        """Add ∂L/∂h to h.grad, by a call of backward. Return nothing."""
        ...
'''


def middle_graph(rng: np.random.Generator, dtype: Any, kind: int) -> tuple[Any, Any, dict[str, Any]]:
    """L, h and the leaves."""
    if kind == 0:  # a chain
        x, w = random_leaf(rng, dtype, 3), random_leaf(rng, dtype, 3)
        h = x * w
        return mg.sin(h).sum(), h, {"x": x, "w": w}
    if kind == 1:  # h is used twice, x also beside it
        x, w = random_leaf(rng, dtype, 4, grad=True), random_leaf(rng, dtype, 2, 4)
        h = w @ x
        return (mg.exp(h) + h**2).mean() * x.sum(), h, {"x": x, "w": w}
    x, w = random_leaf(rng, dtype, 5), random_leaf(rng, dtype, 2, 5, grad=True)
    h = mg.tanh(w * x)
    h.grad = random_tensor(rng, dtype, 2, 5)  # not by backward: that would make h retain what grad finds, too
    return (h**3).sum(), h, {"x": x, "w": w}


MIDDLES = ("h on the only path", "h used twice, and a path beside it", "h has a .grad already")


def middle_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case(f"{name}: {words}", (name, *middle_graph(rng, dtype, kind)))
        for name in ("by_grad", "by_backward")
        for kind, words in enumerate(MIDDLES)
    ]


def watch_middle(answer: Any, name: str, L: Any, h: Any, leaves: dict[str, Any]) -> Any:
    with calls_counted(mg) as calls:
        returned = getattr(answer, name)(L, h)
    if name == "by_grad" and isinstance(returned, np.ndarray):
        return unfit(returned, "a Tensor of the shape of h")
    seen: dict[str, Any] = {"returns": returned}
    if name == "by_backward":
        came = came_back(returned)
        seen = {"calls of backward": min(1, calls["backward"]), "cost_returned": came}
    return seen | {f"{key}.grad afterwards": grad for key, grad in grads_of({"h": h, **leaves}).items()}


TASK = Part(
    id="08.2",
    title="The middle of the graph",
    difficulty=2,
    minutes=8,
    requirements=(
        Requirement(
            "`by_grad(L, h)` returns it, as a Tensor of the shape of `h`. `h.grad` stays as it is, too.",
            ("by_grad: a tuple", "by_grad: backward(inputs=)", "by_grad: retain_grad and backward"),
        ),
        Requirement(
            "`by_backward(L, h)` *adds* it to `h.grad`, by a call of `backward`.",
            ("by_backward: overwritten", "by_backward: only returned"),
        ),
        Requirement("In both the `.grad` of the **leaves** stays as it is.", ("by_backward: retain_grad",)),
    ),
    starter=MIDDLE_STARTER,
    cases=middle_cases,
    without={
        "edges": "the graphs are random ones, with and without a .grad from before",
    },
    musts={"cost_returned": f"in `by_backward`, {NO_RETURN}"},
    observe=watch_middle,
    may_change_inputs=True,
)
