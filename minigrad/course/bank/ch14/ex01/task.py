"""14.1 Exp: what is asked, and what is seen of an answer."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch14.common import applied, derivatives, points
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement

EXP_STARTER = '''\
class Exp(mg.autograd.Function):
    """eˣ, entry by entry. It saves its output."""

    @staticmethod
    def forward(ctx, x):
        ...

    @staticmethod
    def backward(ctx, g):
        ...
'''


def exp_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("a vector", points(rng, dtype, 4)),
        Case("a table", points(rng, dtype, 2, 3)),
        Case("a number", points(rng, dtype)),
    ]


def watch_exp(answer: Any, x: Any, v: Any, u: Any) -> Any:
    seen = derivatives(answer, x, v, u)
    if not isinstance(seen, dict):
        return seen
    y = applied(answer, x)
    saved = [t for t in getattr(y.grad_fn, "saved_tensors", ()) if t is not None]
    seen["cost_unguarded"] = not saved
    seen["cost_saves_input"] = any(t is x for t in saved)
    was_on = gc.isenabled()
    gc.disable()  # without the collector, what is in a cycle stays
    try:
        alive = weakref.ref(y)
        del y, saved
        seen["cost_cycle"] = alive() is not None
    finally:
        if was_on:
            gc.enable()
    return seen


def exp_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def at(label: str, x: Any) -> Case:
        return Case(label, (mg.tensor(x, dtype=dtype, requires_grad=True), *(random_tensor(rng, dtype, *np.shape(x)) for _ in "vu")))

    return [at("0 and negative numbers", [0.0, -2.0, -30.0]), at("one number, shape (1,)", [0.5]), at("0, shape ()", 0.0)]


TASK = Part(
    id="14.1",
    title="Exp",
    difficulty=2,
    minutes=6,
    requirements=(
        Requirement("`x` is a Tensor of any shape. Inside `forward` you may use `x.exp()` or `mg.exp(x)`."),
        Requirement("Save what `backward` needs, in the way that the engine guards.", ("a cycle", "the input, unguarded")),
        Requirement("vᵀJ is right for a random cotangent.", ("g is forgotten", "the input is taken for the output")),
        Requirement("So is the **second** derivative.", ("the second derivative is dead", "the cotangent is cut off")),
    ),
    starter=EXP_STARTER,
    cases=exp_cases,
    musts={"cost_unguarded": "nothing went to `ctx.save_for_backward`: where it is overwritten, nobody notices."},
    edges=exp_edges,
    observe=watch_exp,
)
