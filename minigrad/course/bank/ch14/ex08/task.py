"""14.8 save_for_backward or attribute?: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch14.common import applied, no_output
from minigrad.course.exercise import Case, Part, Requirement

POWER_STARTER = '''\
class Power(mg.autograd.Function):
    """x * h**n, entry by entry; n is a plain number. What backward needs is guarded."""

    @staticmethod
    def forward(ctx, x, h, n):
        ...

    @staticmethod
    def backward(ctx, g):
        ...
'''


def power_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return mg.tensor(rng.uniform(0.5, 2, size=shape), dtype=dtype)

    return [
        Case(label, (numbers(4), numbers(4), int(rng.integers(lowest, 6)), numbers(4), label))
        for label, lowest in (
            ("nothing is overwritten", 3),  # with n = 2 the slope of a square would pass
            ("h is overwritten before backward", 2),
            ("x is overwritten before backward", 2),
            ("backward twice", 2),
        )
    ]


GUARDS = {text: f"RuntimeError, {text}" for text in ("modified by an inplace operation", "a second time")}


def gradients_or_guard(y: Any, leaves: tuple, v: Any) -> Any:
    try:
        return [t.clone() for t in mg.autograd.grad(y, leaves, v)]
    except RuntimeError as error:
        for text, word in GUARDS.items():
            if text in str(error):
                return word
        raise


def watch_power(answer: Any, x: Any, h: Any, n: int, v: Any, label: str) -> Any:
    x, h = x.clone().requires_grad_(), h.clone().requires_grad_()
    y = applied(answer, x, h, n)
    if not isinstance(y, mg.Tensor):
        return no_output(y)
    saved = getattr(y.grad_fn, "saved_tensors", ())
    seen: dict[str, Any] = {"output": y.detach().clone(), "cost_numbers_saved": sum(t is not None and t.numel() == 1 for t in saved)}
    applied(answer, x.detach() + 1, h.detach() + 1, n + 1)  # what is kept on the class, and not in ctx, is overwritten
    with mg.no_grad():
        if label.startswith("h is"):
            h.zero_()
        elif label.startswith("x is"):
            x.zero_()
    seen["gradients"] = gradients_or_guard(y, (x, h), v)
    if label == "backward twice":
        seen["gradients, once more"] = gradients_or_guard(y, (x, h), v)
    return seen


def power_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*values: float) -> Any:
        return mg.tensor(values, dtype=dtype)

    zeros = "zeros and negative numbers", numbers(0.0, -1.5, 2.0), numbers(1.5, 0.0, -0.5)
    positive = "positive numbers", numbers(0.0, -1.5, 2.0), numbers(1.5, 0.8, 2.5)
    return [
        Case(f"nothing is overwritten: {words} in h, n = {n}", (x.clone(), h.clone(), n, numbers(1.0, -2.0, 0.5), "nothing"))
        for (words, x, h), powers in ((zeros, (1, 2, 3)), (positive, (-2, 0.5, 0)))
        for n in powers
    ]


TASK = Part(
    id="14.8",
    title="Saved, or an attribute?",
    difficulty=3,
    minutes=7,
    requirements=(
        Requirement(
            "`backward` returns what it owes for each of the three arguments. The slope for `h` is x · n · hⁿ⁻¹.",
            ("two gradients", "g is forgotten for h"),
        ),
        Requirement(
            "What `backward` needs is guarded: where the caller overwrites `h` or `x` in between, it raises *modified by an "
            "inplace operation*, as any operation of the engine would.",
            ("h is an attribute", "x is an attribute", "copies"),
        ),
        Requirement("It can be freed: two backward passes without `retain_graph` raise *a second time*.", ("attributes",)),
        Requirement("Decide for each argument: `ctx.save_for_backward`, or an attribute?", ("the number is saved",)),
    ),
    starter=POWER_STARTER,
    cases=power_cases,
    edges=power_edges,
    observe=watch_power,
)
