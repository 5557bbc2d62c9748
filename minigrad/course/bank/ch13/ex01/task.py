"""13.1 Stethoscope: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import nonzero_tensor
from minigrad.course.bank.watching import calls_counted
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def hooks_on(t: Any) -> int:
    """How many hooks wait on a tensor."""
    if hasattr(t, "_backward_hooks"):  # PyTorch
        return len(t._backward_hooks or {}) + len(getattr(t, "_post_accumulate_grad_hooks", None) or {})
    from minigrad.viz import peek

    return peek.hooks(t.grad_fn, t)


def observe_norms(answer: Callable[..., Any], tensors: dict[str, Any], L: Any) -> Any:
    passes: list[int] = []
    L.register_hook(lambda g: passes.append(1))
    given, tensors = tensors, dict(tensors)  # an answer may empty the dict that it is given
    before = {name: hooks_on(t) for name, t in tensors.items()}
    with calls_counted(mg) as calls:
        result = answer(given, L)
    pairs = isinstance(result, list | tuple) and all(isinstance(p, list | tuple) and len(p) == 2 for p in result)
    if not pairs or not all(isinstance(name, str) for name, _ in result):
        return unfit(result, "a list of pairs `(name, norm)`")
    seen: dict[str, Any] = {
        "backward passes": len(passes),
        "names": [name for name, _ in result],
        "norms": [norm for _, norm in result],
    }
    more = [hooks_on(t) - before[name] for name, t in tensors.items()]
    seen["hooks left behind"] = sum(n for n in more if n > 0)
    seen["hooks that were there before, and are gone"] = -sum(n for n in more if n < 0)
    seen["calls of backward"] = calls["backward"]
    seen["the .grad of the leaves afterwards"] = {name: t.grad for name, t in tensors.items() if t.is_leaf}
    seen["retains_grad"] = [name for name, t in tensors.items() if t.retains_grad]
    return seen


def norms_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def chain() -> Case:
        x, w = nonzero_tensor(rng, dtype, 4, leaf=True), nonzero_tensor(rng, dtype, 4, leaf=True)
        h = x * w
        u = mg.sin(h)
        L = (u * nonzero_tensor(rng, dtype, 4)).sum()
        return Case("a chain, and its tensors in another order", ({"h": h, "x": x, "L": L, "u": u, "w": w}, L))

    def shared() -> Case:
        x = nonzero_tensor(rng, dtype, 2, 3, leaf=True)
        h = x * 3
        side = mg.exp(x)
        L = (h * nonzero_tensor(rng, dtype, 2, 3)).sum() + (h**2).sum()
        return Case("a tensor used twice, and one that the pass does not reach", ({"x": x, "h": h, "side": side}, L))

    def old() -> Case:
        x = nonzero_tensor(rng, dtype, 5, leaf=True)
        x.grad = nonzero_tensor(rng, dtype, 5)
        h = x**2
        h.register_hook(lambda g: g * 2)
        return Case("a leaf with an old .grad, and a tensor with a hook of somebody else", ({"h": h, "x": x}, (h**2).sum()))

    def neighbour() -> Case:
        a, b = (nonzero_tensor(rng, dtype, 3, leaf=True) for _ in range(2))
        u, v = a * 1, b * 1
        u.register_hook(lambda g: g.mul_(-3))  # u and v share the memory of one gradient; v gets it first
        return Case("a neighbour whose hook writes into the gradient in place", ({"u": u, "v": v}, ((u + v) ** 2).sum()))

    return [chain(), shared(), old(), neighbour()]


def norms_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b, c = nonzero_tensor(rng, dtype, leaf=True), nonzero_tensor(rng, dtype, 3, leaf=True), nonzero_tensor(rng, dtype, 1, leaf=True)
    c.grad = nonzero_tensor(rng, dtype, 1)
    return [
        Case("no tensors at all", ({}, (a * a).sum())),
        Case("one number, and L itself", (lambda L: ({"L": L, "a": a}, L))(mg.exp(a))),
        Case("a gradient of zeros, which arrives nevertheless", ({"b": b}, (b * 0).sum())),
        Case("a leaf with a .grad that the pass does not reach", ({"b": b, "c": c}, (b**2).sum())),
    ]


TASK = Part(
    id="13.1",
    title="Stethoscope",
    difficulty=2,
    minutes=8,
    requirements=(
        Requirement("`tensors` is a dict: names, and tensors that require grad. `L` is a scalar.", ("the norm of the values",)),
        Requirement(
            "It returns a list of pairs `(name, norm)`, one for each tensor at which a gradient arrives, in the order in "
            "which they arrive. `g.norm()` is the norm, the root of the sum of squares.",
            ("the order of the dict", "zero for what is not reached", "the square", "the last name for all"),
        ),
        Requirement(
            "Afterwards all tensors are as before: none of your hooks is left, and nobody else's is gone.",
            ("remove forgotten",),
        ),
        Requirement("`L.backward()` is called once.", ("a pass for each",)),
    ),
    cases=norms_cases,
    edges=norms_edges,
    observe=observe_norms,
    may_change_inputs=True,
)
