"""14.7 Twice?: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch14.common import LOCKED, function, is_yes_or_no, without
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit

once_differentiable = mg.autograd.function.once_differentiable


def exp_forward(ctx, x):
    y = x.exp()
    ctx.save_for_backward(y)
    return y


def exp_keeps_intermediate(ctx, x):
    ctx.e = x.exp()
    return ctx.e * 1


def exp_numpy(ctx, x):
    ctx.e = np.exp(x.detach().numpy())
    return mg.tensor(ctx.e)


def mirrored(ctx, x):
    """Each entry times its opposite, which is kept as an intermediate: the second derivative is wrong beside the diagonal only."""
    ctx.save_for_backward(x)
    ctx.other = x.flip(0) * 1
    return x * ctx.other


def mirrored_back(ctx, g):
    (x,) = ctx.saved_tensors
    return g * ctx.other + (g * x).flip(0)


def times_saved(ctx, g):
    return ctx.saved_tensors[0] * g


def log_sum(ctx, x):
    ctx.p = mg.softmax(x, 0)
    return mg.logsumexp(x, 0)


def only_once(word, twice):
    """An exp whose first derivative is right, and whose second pass does this with the gradient that it gets."""
    later = function(word, lambda ctx, x: x * 0, lambda ctx, g: twice(g)).apply
    return function("Exp", exp_forward, lambda ctx, g: g * ctx.saved_tensors[0] + later(ctx.saved_tensors[0])).apply


def refuse(g):
    raise RuntimeError("there is no second derivative")


def turned(ctx, g):
    """The right first derivative, and minus the second."""
    (y,) = ctx.saved_tensors
    return g * (2 * y.detach() - y)


def twice_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Always in float64: differences need it."""

    def leaf(*shape: int) -> Any:
        return mg.tensor(rng.uniform(0.4, 1.4, size=shape), dtype=mg.float64, requires_grad=True)

    own = function("Exp", exp_forward, times_saved).apply
    dead = function("Exp", exp_keeps_intermediate, lambda ctx, g: g * ctx.e).apply
    array = function("Exp", exp_numpy, lambda ctx, g: mg.tensor(g.detach().numpy() * ctx.e)).apply
    marked = function("Exp", exp_forward, once_differentiable(times_saved)).apply
    A, k = random_tensor(rng, mg.float64, 3, 4), rng.uniform(2, 3)
    right = {
        "sin": (mg.sin, leaf(3)),
        "a straight line, k * x": (lambda x: k * x, leaf(3)),
        "A @ x, then squared": (lambda x: (A @ x) ** 2, leaf(4)),
        "an Exp that saves its output": (lambda x: own(x) * x.sum(), leaf(2, 3)),
        "a number comes out": (lambda x: (x**3).sum() * x[0], leaf(3)),
        "a once-differentiable Exp of a constant": (lambda x: x**2 * marked(x.detach() * 0 + k), leaf(3)),
    }
    wrong = {
        "an Exp that keeps an intermediate": (dead, leaf(3)),
        "the same, beside x²": (lambda x: dead(x) + x**2, leaf(3)),
        "the same, taken from x²": (lambda x: x**2 - dead(x), leaf(3)),
        "an Exp in NumPy, times x": (lambda x: array(x) * x, leaf(4)),
        "a once-differentiable Exp": (marked, leaf(3)),
        "a once-differentiable Exp, beside x²": (lambda x: marked(x) + k * x**2, leaf(3)),
        "a once-differentiable Exp, squared": (lambda x: marked(x) ** 2, leaf(3)),
        "a once-differentiable Exp, squared, beside sin": (lambda x: marked(x) ** 2 + mg.sin(x), leaf(2, 2)),
    }
    return [
        *(Case(f"right second derivatives, {name}", pair) for name, pair in right.items()),
        *(Case(f"wrong second derivatives, {name}", pair) for name, pair in wrong.items()),
    ]


def watch_twice(answer: Callable[..., Any], f: Callable[..., Any], x: Any) -> Any:
    with without(mg.autograd, "gradcheck", "gradgradcheck") as refused:
        found = answer(f, x)
    if not is_yes_or_no(found):
        return unfit(found, "True or False")
    return {LOCKED: len(refused), "returns": bool(found)}


def twice_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return mg.tensor(rng.uniform(0.4, 1.4, size=shape), dtype=mg.float64, requires_grad=True)

    dead = function("Exp", exp_keeps_intermediate, lambda ctx, g: g * ctx.e).apply
    slope = mg.tensor([0.5, -1.0, 2.0], dtype=mg.float64, requires_grad=True)
    return [
        Case("right second derivatives, one number of shape ()", (lambda x: mg.exp(x), leaf())),
        Case(
            "right second derivatives, outputs that add up to a straight line", (lambda x: mg.cat([mg.sin(x), x - mg.sin(x)]), leaf(2))
        ),
        Case("wrong second derivatives, one number of shape ()", (dead, leaf())),
        # With ones for a cotangent the two mistakes cancel.
        Case("wrong second derivatives, outputs that cancel each other", (lambda x: mg.cat([dead(x), -dead(x)]), leaf(3))),
        Case("wrong second derivatives, beside the diagonal only", (function("Mirror", mirrored, mirrored_back).apply, leaf(4))),
        # Each row of its table adds up to 0.
        Case("wrong second derivatives, a log-sum-exp", (function("LogSumExp", log_sum, lambda ctx, g: g * ctx.p).apply, leaf(3))),
        Case("wrong second derivatives, the second pass raises an error", (only_once("Never", refuse), leaf(3))),
        Case("wrong second derivatives, which are NaN", (only_once("Lost", lambda g: g * float("nan")), leaf(3))),
        Case("wrong second derivatives, in the last output alone", (lambda x: mg.cat([mg.sin(x), dead(x)[-1:]]), leaf(3))),
        Case("wrong second derivatives, in the middle output alone", (lambda x: mg.cat([mg.sin(x), dead(x)[1:2]]), leaf(3))),
        Case("wrong second derivatives, of the other sign", (function("Exp", exp_forward, turned).apply, leaf(3))),
        Case("right second derivatives, a straight line whose slope is a leaf", (lambda x: slope * x, leaf(3))),
    ]


TASK = Part(
    id="14.7",
    title="Twice, or only once?",
    difficulty=4,
    minutes=9,
    requirements=(
        Requirement("`f` takes a Tensor like `x` and returns one of any shape. `x` is a leaf in float64."),
        Requirement(
            "Compare the second pass, `autograd.grad` of a gradient made with `create_graph=True`, with central differences "
            "of the gradient. If `f` returns several numbers, weigh them first, with one fixed random cotangent. The "
            "tolerance of 14.5 will do.",
            ("the first derivative only", "it has a graph", "the sizes are compared"),
        ),
        Requirement(
            "Return True or False. No error may get out, also where the gradient has no graph (a straight line: True) or no "
            "way to `x`, and where the second pass raises an error of its own (False).",
            ("a straight line", "an error gets out", "an error is answered with False"),
        ),
    ),
    cases=twice_cases,
    without={
        "states": "for one fixed cotangent a seed may be set",
    },
    edges=twice_edges,
    observe=watch_twice,
    may_change_inputs=True,
)
