"""06.4 Snapshot: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch06.common import grad_of, numbers_of
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import Unfit, differences, unfit


def snapshot_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype)

    def parameters(*shapes: tuple[int, ...], missing: tuple[int, ...] = ()) -> list[Any]:
        params = [numbers(*shape).requires_grad_() for shape in shapes]
        for k, (p, shape) in enumerate(zip(params, shapes, strict=True)):
            if k not in missing:
                p.grad = numbers(*shape)
        return params

    return [
        Case("each has a gradient: two parameters", (parameters((3,), (2, 4)),)),
        Case("the .grad of one is None: three parameters", (parameters((4,), (), (3, 2), missing=(1,)),)),
        Case("the .grad of one is None: the first and the last of three", (parameters((4,), (2,), (3, 2), missing=(0, 2)),)),
    ]


def watch_snapshot(answer: Callable[..., Any], params: list[Any]) -> Any:
    before = [p.grad for p in params]
    values = [grad_of(p) for p in params]
    copies = answer(list(params))
    if not isinstance(copies, list | tuple):
        return unfit(copies, "a list or a tuple with one entry for each parameter")
    entries = [c for c in copies if c is not None]
    if not all(isinstance(c, mg.Tensor) for c in entries):
        other = unfit(next(c for c in entries if not isinstance(c, mg.Tensor)), "")
        return Unfit(f"a {type(copies).__name__} with {other.came} in it", "a list or a tuple of Tensors and Nones")
    seen: dict[str, Any] = {
        "the snapshot": [numbers_of(c) for c in copies],
        "a .grad was changed": not all(differences(grad_of(p), v, 0) == [] for p, v in zip(params, values, strict=True)),
        "a .grad is another Tensor now": any(p.grad is not g for p, g in zip(params, before, strict=True)),
        "an entry is a .grad itself": any(c is g for c in entries for g in before),
    }
    for p in params:
        if p.grad is not None:
            (p * p + 3 * p).sum().backward()
    seen["the snapshot after another backward"] = [numbers_of(c) for c in copies]
    for p in params:
        if p.grad is not None:
            p.grad.zero_()
    seen["the snapshot after zero_()"] = [numbers_of(c) for c in copies]
    for p in params:
        if p.grad is not None:
            (p * p * p).sum().backward()
    second = answer(list(params))
    seen["the snapshot after a second one"] = [numbers_of(c) for c in copies]
    seen["the second snapshot"] = [numbers_of(c) for c in second] if isinstance(second, list | tuple) else second
    return seen


def snapshot_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    bare, zeros, number = (mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=True) for shape in ((2,), (3,), ()))
    zeros.grad, number.grad = mg.zeros(3, dtype=dtype), mg.tensor(0.0, dtype=dtype)
    return [
        Case("no parameters", ([],)),
        Case("one parameter, whose .grad is None", ([bare],)),
        Case("gradients that are 0", ([zeros, number],)),
    ]


TASK = Part(
    id="06.4",
    title="Snapshot",
    difficulty=2,
    minutes=5,
    requirements=(
        Requirement(
            "An entry is a Tensor with the numbers of `.grad`, or None where `.grad` is None.",
            ("the values", "zeros for None", "None left out"),
        ),
        Requirement(
            "Whatever happens to the parameters later, another `backward` or `zero_()`, the snapshot keeps its numbers.",
            ("the gradients themselves", "detached only", "one list for all calls"),
        ),
        Requirement("Nothing else changes: each `.grad` stays what it is.", ("cleared", "exchanged")),
    ),
    cases=snapshot_cases,
    edges=snapshot_edges,
    observe=watch_snapshot,
)
