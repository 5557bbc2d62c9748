"""10.6 Teach a Function to go forward: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch10.common import fw, level_now
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.attempt import unwritten

NEIGHBOURS_STARTER = '''\
class Neighbours(mg.autograd.Function):
    """The products of neighbours, y = x[:-1] * x[1:], with a rule for each direction."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x[:-1] * x[1:]

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        g = mg.zeros_like(x)
        g[:-1] += v * x[1:]
        g[1:] += v * x[:-1]
        return g

    @staticmethod
    def jvp(ctx, t):
        ...
'''


def function_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    return [
        Case("forward: 5 numbers", ("forward", tensor(5), tensor(5), tensor(4))),
        Case("forward: 3 numbers, within exp(N(x * x))", ("within", tensor(3), tensor(3), tensor(2))),
        Case("backward: 6 numbers", ("backward", tensor(6), tensor(6), tensor(5))),
    ]


def watch_function(answer: Any, way: str, x: Any, t: Any, v: Any) -> Any:
    if unwritten(getattr(answer, "jvp", None)):
        return {"Neighbours.jvp": ...}
    written = {"Neighbours.jvp": "written"}
    if way == "backward":
        x = x.detach().requires_grad_()
        y = answer.apply(x)
        answer.apply(x.detach() + 1)  # what is kept on the class, and not in ctx, is overwritten
        guard = after_a_write(answer, x, v)
        (g,) = mg.autograd.grad(y, x, v, create_graph=True)
        written |= {"value": y.detach(), "vᵀJ": g.detach()}
        second = mg.autograd.grad(g, x, t, allow_unused=True)[0] if g.requires_grad else None
        if second is None:
            return written | {"the derivative of vᵀJ": "none, vᵀJ has no graph to x"}
        written |= {"the derivative of vᵀJ": second, "where x is overwritten before backward": guard}
        u = (2 * v).requires_grad_()
        (g,) = mg.autograd.grad(answer.apply(x), x, u, create_graph=True)
        by_v = mg.autograd.grad(g, u, t, allow_unused=True)[0]
        written |= {"vᵀJ for twice that v": g.detach()}
        return written | {"the derivative of vᵀJ by v": "none, vᵀJ has no graph to v" if by_v is None else by_v}
    try:
        with fw.dual_level():
            dual = fw.make_dual(x, t)
            y, moves = fw.unpack_dual(answer.apply(dual) if way == "forward" else mg.exp(answer.apply(dual * dual)))
    finally:
        level_now()
    return written | {"value": y, "tangent": "None" if moves is None else moves}


def after_a_write(answer: Any, x: Any, v: Any) -> str:
    h = x.clone()
    y = answer.apply(h)
    with mg.no_grad():
        h.zero_()
    try:
        mg.autograd.grad(y, x, v)
    except RuntimeError:
        return "an error"
    return "no error"


def function_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    zeros = mg.tensor([0.0, 2.0, 0.0], dtype=dtype)
    return [
        Case("forward: 2 numbers", ("forward", tensor(2), tensor(2), tensor(1))),
        Case("forward: zeros in x", ("forward", zeros, tensor(3), tensor(2))),
        Case("backward: zeros in x", ("backward", zeros.clone(), tensor(3), tensor(2))),
    ]


TASK = Part(
    id="10.6",
    title="Teach a Function to go forward",
    difficulty=3,
    minutes=8,
    extra=True,
    requirements=(
        Requirement(
            "`jvp(ctx, t)` gets the tangent of `x` and returns the tangent of `y`.",
            ("one term", "the VJP", "nothing comes back"),
        ),
        Requirement("Something is missing in `forward`, too.", ("nothing saved for forward",)),
        Requirement(
            "What worked before must go on working.",
            ("nothing saved for backward", "the second derivative", "no way to v", "the guard"),
        ),
    ),
    starter=NEIGHBOURS_STARTER,
    cases=function_cases,
    edges=function_edges,
    observe=watch_function,
    tolerance=1e-6,
)
