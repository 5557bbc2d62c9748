"""13.2 Clip in the middle: what is asked, and what is seen of an answer."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import nonzero_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def observe_clip(answer: Callable[..., Any], kind: str, x: Any, k: Any, w: Any, gradient_at_h: Any, limit: float) -> Any:
    """What comes of the hook, and what its calls gave back for a gradient that is too large."""
    register, gave = mg.Tensor.register_hook, set()

    def noting(tensor: Any, hook: Callable[[Any], Any]) -> Any:
        @functools.wraps(hook)  # the engine may call it by its name
        def noted(g: Any) -> Any:
            large, before = g.norm().item() > limit, g.clone()
            new = hook(g)
            if large:
                same = isinstance(new, mg.Tensor) and new.shape == before.shape and mg.equal(new, before)
                gave.add("nothing" if new is None else "the same" if same else "another")
            return new

        return register(tensor, noted)

    def watched(h: Any, limit: float) -> Any:
        h.register_hook = functools.partial(noting, h)
        try:
            return answer(h, limit)
        finally:
            del h.register_hook

    seen = observe_passes(watched, kind, x, k, w, gradient_at_h, limit)
    return seen | {"trace_gave": sorted(gave)} if isinstance(seen, dict) else seen


def observe_passes(answer: Callable[..., Any], kind: str, x: Any, k: Any, w: Any, gradient_at_h: Any, limit: float) -> Any:
    """h and another tensor are added, so that the same gradient arrives at both; the kind says who gets it first."""
    if kind == "h first":
        return observe_neighbour(answer, x, k, w, gradient_at_h, limit)
    h, other = x * w, k * 1  # h is made first, so that other gets its gradient first
    arrived: list[Any] = []
    handle = answer(h, limit)
    if isinstance(handle, list | set) or not hasattr(handle, "remove"):
        return unfit(handle, "the handle that `register_hook` returned")
    h.register_hook(lambda g: arrived.append(g.clone()))
    L = ((h + other) * gradient_at_h).sum()
    L.backward(retain_graph=True)
    seen: dict[str, Any] = {"hook runs": "during backward", "the gradient of h, clipped": arrived[0]}
    seen["x.grad"] = x.grad.clone()
    seen["the gradient of a tensor added to h"] = k.grad.clone()
    x.grad = k.grad = None
    for words, factor in (("a second pass, with three times that gradient", 3.0), ("a third one, with a hundredth of it", 0.01)):
        (h * (gradient_at_h * factor)).sum().backward(retain_graph=True)
        seen[f"x.grad in {words}"], x.grad = x.grad, None
    handle.remove()
    L.backward()
    seen["x.grad after handle.remove()"] = x.grad
    return seen


def observe_neighbour(answer: Callable[..., Any], x: Any, k: Any, w: Any, gradient_at_h: Any, limit: float) -> Any:
    other, h = k * 1, x * w
    handle = answer(h, limit)
    if isinstance(handle, list | set) or not hasattr(handle, "remove"):
        return unfit(handle, "the handle that `register_hook` returned")
    ((h + other) * gradient_at_h).sum().backward()
    return {"x.grad": x.grad, "the gradient of a tensor added to h": k.grad}


def clip_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, kind: str, shape: tuple[int, ...], scale: float, limit: float) -> Case:
        x, k = nonzero_tensor(rng, dtype, *shape, leaf=True), nonzero_tensor(rng, dtype, *shape, leaf=True)
        w, gradient = nonzero_tensor(rng, dtype, *shape), scale * nonzero_tensor(rng, dtype, *shape)
        return Case(label, (kind, x, k, w, gradient, limit))

    return [
        case("a gradient that is too large", "h last", (4,), 10.0, float(rng.uniform(0.6, 0.8))),
        case("a matrix of them, small entries, large norm", "h last", (3, 5), 1.0, float(rng.uniform(1.6, 1.8))),
        case("a gradient that is small enough", "h last", (3,), 0.1, float(rng.uniform(1.6, 1.9))),
        case("a gradient of zeros", "h last", (2, 3), 0.0, float(rng.uniform(1.6, 1.9))),
        case("a neighbour that shares the memory of the gradient", "h first", (4,), 10.0, float(rng.uniform(2.2, 2.9))),
    ]


def clip_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, shape: tuple[int, ...], gradient: Any, limit: float) -> Case:
        x, k, w = (
            nonzero_tensor(rng, dtype, *shape, leaf=True),
            nonzero_tensor(rng, dtype, *shape, leaf=True),
            nonzero_tensor(rng, dtype, *shape),
        )
        return Case(label, ("h last", x, k, w, mg.tensor(gradient, dtype=dtype), limit))

    return [
        case("h of shape (), its gradient is negative", (), -3.0, 0.5),
        case("h of shape (1,)", (1,), [2.0], 0.25),
        case("a gradient whose norm is the limit", (2,), [3.0, -4.0], 5.0),
        case("a huge gradient", (2,), [3e5, -4e5], 1.0),
        case("a norm a little over the limit, and both below 1", (2,), [0.48, -0.64], 0.7),
        case("a norm a little under the limit, and both above 1", (2,), [1.5, -2.0], 3.0),
    ]


TASK = Part(
    id="13.2",
    title="Clip in the middle",
    difficulty=2,
    minutes=7,
    requirements=(
        Requirement(
            "A gradient at `h` with a norm larger than `limit` is shrunk to the norm `limit`, and keeps its direction.",
            ("entry by entry", "the square of the norm", "to norm one"),
        ),
        Requirement("A smaller one goes on as it is.", ("also what is small", "times limit")),
        Requirement("Only `h`, and what lies between it and the leaves, may notice.", ("in place",)),
        Requirement("Return the handle of your hook, so that the caller can remove it."),
    ),
    cases=clip_cases,
    edges=clip_edges,
    observe=observe_clip,
    may_change_inputs=True,
)
