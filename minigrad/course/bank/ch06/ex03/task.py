"""06.3 zero_grad: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch06.common import grad_of
from minigrad.course.bank.shared import NO_RETURN, came_back
from minigrad.course.exercise import Case, Part, Requirement


def zero_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype)

    def parameters(bad: bool, missing: int | None) -> list[Any]:
        params = [numbers(3).requires_grad_(), numbers(2, 4).requires_grad_(), numbers().requires_grad_()]
        for k, p in enumerate(params):
            p.grad = None if k == missing else numbers(*p.shape)
        if bad:
            params[1].grad[0, 1], params[1].grad[1, 3] = float("nan"), float("inf")
        return params

    def case(part: str, flag: bool | None, bad: bool = False, missing: int | None = None) -> Case:
        params = parameters(bad, missing)
        option = "zero_grad(params)" if flag is None else f"set_to_none={flag}"
        place = "" if missing is None else f"{('the first', 'the second', 'the last')[missing]} of three, "
        return Case(f"{part}: {place}{option}", (tuple(params) if part == ONCE else params, flag))

    return [
        case("three gradients", False),
        case("three gradients", True),
        case("a nan and an inf in a gradient", False, bad=True),
        *(case("one .grad is None", flag, missing=place) for place in (1, 0, 2) for flag in (False, True)),
        case(ONCE, False),
        case(ONCE, True),
        case("set_to_none is left out", None),
    ]


ONCE = "params is a generator"


def watch_zero_grad(answer: Callable[..., Any], params: Any, set_to_none: bool | None) -> Any:
    """What an answer leaves in each .grad. A tuple of parameters is handed out as a generator; an option that is None is left out."""
    before = [p.grad for p in params]
    given = (p for p in params) if isinstance(params, tuple) else list(params)
    returned = answer(given, *([] if set_to_none is None else [set_to_none]))
    seen: dict[str, Any] = {"cost_returned": came_back(returned)}
    for k, (p, g) in enumerate(zip(params, before, strict=True)):
        seen[f"params[{k}].grad"] = grad_of(p)
        if g is not None and p.grad is not None:
            seen[f"params[{k}].grad is the same Tensor as before"] = p.grad is g
    return seen


def zero_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def lone(*shape: int) -> Any:
        p = mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=True)
        p.grad = mg.full(shape, float("nan"), dtype=dtype)
        return p

    balanced = mg.ones(2, dtype=dtype, requires_grad=True)
    balanced.grad = mg.tensor([1.5, -1.5], dtype=dtype)
    frozen = lone(2).requires_grad_(False)
    return [
        Case("no parameters: set_to_none=False", ([], False)),
        Case("three gradients: one that adds up to 0, set_to_none=False", ([balanced], False)),
        Case("no parameters: set_to_none=True", ([], True)),
        Case("three gradients: one that was frozen since, set_to_none=True", ([frozen], True)),
        Case("three gradients: one number, all of it nan, set_to_none=False", ([lone()], False)),
        Case("three gradients: shape (1,), all of it nan, set_to_none=True", ([lone(1)], True)),
    ]


TASK = Part(
    id="06.3",
    title="Write zero_grad",
    difficulty=2,
    minutes=6,
    requirements=(
        Requirement(
            "`params` is anything that can be looped over **once**: a list, or a generator.",
            ("looped over twice", "by number"),
        ),
        Requirement("With `set_to_none=True`, every `.grad` becomes None.", ("always zero", "a name of one's own")),
        Requirement(
            "With `set_to_none=False`, the Tensor that `.grad` is stays the same object and is filled with zeros, whatever "
            "was in it. Where `.grad` is None, it stays None.",
            ("another Tensor", "times 0", "zeros for None", "the loop ends at None", "only where the sum is not 0"),
        ),
        Requirement(
            "The parameters themselves do not change. Return nothing.", ("the parameters are zeroed", "something is returned")
        ),
    ),
    cases=zero_cases,
    edges=zero_edges,
    musts={"cost_returned": NO_RETURN},
    observe=watch_zero_grad,
)
