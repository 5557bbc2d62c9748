"""14.5 Write gradcheck: what is asked, and what is seen of an answer."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch14.common import LOCKED, function, is_yes_or_no, without
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def of_one(forward: Callable[[Any], Any], rule: Callable[[Any, Any], Any]) -> Any:
    """f of one Tensor with its own backward rule(g, x)."""

    def run(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return forward(x)

    return function("F", run, lambda ctx, g: rule(g, *ctx.saved_tensors)).apply


def of_two(forward: Callable[..., Any], rule: Callable[..., Any]) -> Any:
    """f of two Tensors with its own backward rule(g, x, w), which returns both gradients."""

    def run(ctx: Any, x: Any, w: Any) -> Any:
        ctx.save_for_backward(x, w)
        return forward(x, w)

    return function("F", run, lambda ctx, g: rule(g, *ctx.saved_tensors)).apply


def softmax_rule(g: Any, x: Any) -> Any:
    s = mg.softmax(x, 0)
    return s * (g - (g * s).sum())


def gradcheck_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Always in float64, but for the last: this is what the learner's function must insist on."""

    def leaf(*shape: int) -> Any:
        return mg.tensor(rng.uniform(0.4, 1.6, size=shape), dtype=mg.float64, requires_grad=True)

    A = random_tensor(rng, mg.float64, 3, 4)
    big, weights = 1e9 * rng.uniform(1, 2), random_tensor(rng, mg.float64, 4)
    softmax = of_one(lambda x: mg.softmax(x, 0), softmax_rule)

    def last_spoilt(g: Any, x: Any) -> Any:
        spoilt = 2 * g * x
        spoilt[-1] = 0.9 * spoilt[-1]
        return spoilt

    right = {
        "exp, entry by entry": (of_one(mg.exp, lambda g, x: g * mg.exp(x)), (leaf(3),)),
        "a number comes out": (of_one(lambda x: (x * x).sum(), lambda g, x: 2 * g * x), (leaf(4),)),
        "a table goes in": (lambda x: mg.sin(x) * x.sum(), (leaf(2, 3),)),
        "A @ x, not square": (of_one(lambda x: A @ x, lambda g, x: g @ A), (leaf(4),)),
        "two inputs": (of_two(mg.mul, lambda g, x, w: (g * w, g * x)), (leaf(3), leaf(3))),
        "numbers in the billions": (of_one(lambda x: big * mg.exp(x), lambda g, x: big * g * mg.exp(x)), (leaf(3),)),
        "softmax": (softmax, (leaf(4),)),
        "an input that f does not use": (lambda x, w: mg.exp(x), (leaf(3), leaf(2))),
        "an input that does not require grad": (lambda x, w: x * w, (leaf(4), weights)),
    }
    wrong = {
        "g is forgotten": (of_one(mg.exp, lambda g, x: mg.exp(x)), (leaf(3),)),
        "g is reversed": (of_one(lambda x: 3 * x, lambda g, x: 3 * mg.flip(g, (0,))), (leaf(4),)),
        "the mean of g": (of_one(mg.sin, lambda g, x: g.mean() * mg.cos(x)), (leaf(3),)),
        "a factor 3 is lost": (of_one(lambda x: x**3, lambda g, x: g * x**2), (leaf(3),)),
        "the sign": (of_one(mg.cos, lambda g, x: g * mg.sin(x)), (leaf(3),)),
        "the second input": (of_two(mg.mul, lambda g, x, w: (g * w, g * w)), (leaf(3), leaf(3))),
        "one entry, by a tenth": (of_one(lambda x: x * x, last_spoilt), (leaf(5),)),
        "the diagonal of softmax": (
            of_one(lambda x: mg.softmax(x, 0), lambda g, x: g * mg.softmax(x, 0) * (1 - mg.softmax(x, 0))),
            (leaf(4),),
        ),
        "half a per cent": (of_one(mg.exp, lambda g, x: 1.005 * g * mg.exp(x)), (leaf(3),)),
        "detached on the way": (lambda x: x.detach() * x, (leaf(3),)),
    }
    single = mg.tensor(rng.uniform(0.4, 1.6, size=3), dtype=mg.float32, requires_grad=True)
    flat = mg.tensor([np.pi, 0.5], dtype=mg.float64, requires_grad=True)
    return [
        *(Case(f"a right gradient, {name}", (f, inputs)) for name, (f, inputs) in right.items()),
        Case("a right gradient, which is zero in places", (lambda x: mg.cos(x) * x[1] + 2 * x[1], (flat,))),
        *(Case(f"a wrong gradient, {name}", (f, inputs)) for name, (f, inputs) in wrong.items()),
        Case("an input in float32", (mg.exp, (single,))),
    ]


def watch_gradcheck(answer: Callable[..., Any], f: Callable[..., Any], inputs: tuple, kind: str = "") -> Any:
    single = any(x.dtype == mg.float32 and x.requires_grad for x in inputs)
    with warnings.catch_warnings(record=True) as caught, without(mg.autograd, "gradcheck", "gradgradcheck") as refused:
        warnings.simplefilter("always")
        found = answer(f, inputs)
    if not is_yes_or_no(found):
        return unfit(found, "True or False")
    warned = any(issubclass(w.category, UserWarning) for w in caught)
    seen: dict[str, Any] = {LOCKED: len(refused), "a UserWarning": warned}
    if kind == "nan":  # told, and not judged: in every other case both ways to compare find the same
        return seen | {"cost_nan": bool(found)}
    if kind == "constant" and warned:  # and what comes back after a warning does not matter
        return seen
    # In float32 the differences themselves are too rough; whatever is found there is not compared.
    return seen if single else seen | {"returns": bool(found)}


def middle_spoilt(g: Any, x: Any) -> Any:
    return g * mg.exp(x) * mg.tensor([1.0, 0.9, 1.0], dtype=x.dtype)


def steep(x: Any) -> Any:
    return (x * mg.tensor([1000.0, 1.0], dtype=x.dtype)).sum()


def steep_spoilt(g: Any, x: Any) -> Any:
    return g * mg.tensor([1000.0, 0.5], dtype=x.dtype)


def gradcheck_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*numbers: float) -> Any:
        return mg.tensor(numbers, dtype=mg.float64, requires_grad=True)

    c = 2.0 + float(rng.uniform())
    number = mg.tensor(c, dtype=mg.float64, requires_grad=True)
    stale = leaf(c, -1.0)
    stale.grad = leaf(1.0, 2.0).detach()
    return [
        Case("a right gradient, a number goes in", (lambda x: x**3, (number,))),
        Case("a right gradient, one entry", (lambda x: mg.sin(x), (leaf(c),))),
        Case("a right gradient, an input that has a .grad", (lambda x: x * x, (stale,))),
        # With a step to one side only, the slope at the bottom of a narrow valley comes out wrong.
        Case("a right gradient, at the bottom of a narrow valley", (lambda x: (1e4 * x**2), (leaf(0.0, 0.0),))),
        Case("a wrong gradient, the first of two inputs", (of_two(mg.mul, lambda g, x, w: (g * x, g * x)), (leaf(c), leaf(-1.0)))),
        Case("a wrong gradient, infinite", (of_one(mg.exp, lambda g, x: g * float("inf")), (leaf(c, 1.0),))),
        Case("a wrong gradient, only where the true one is 0", (of_one(lambda x: 0 * x, lambda g, x: 0 * g + 0.01), (leaf(c, 1.0),))),
        Case("a gradient that is NaN", (of_one(mg.exp, lambda g, x: g * float("nan")), (leaf(c, 1.0),), "nan")),
        Case("a wrong gradient, missing for one of two inputs", (lambda x, w: x * w.detach(), (leaf(c, 1.0), leaf(-1.0, 2.0)))),
        Case("a wrong gradient, missing altogether", (lambda x: x.detach() ** 2, (leaf(c, 1.0),))),
        Case("a right gradient, an output that no input leads to", (lambda x: mg.full((2,), c, dtype=mg.float64), (leaf(c, 1.0),))),
        # Beside large entries a small one is lost in a mean, or in a norm.
        Case("a wrong gradient, in a small entry beside a large one", (of_one(steep, steep_spoilt), (leaf(c, 1.0),))),
        Case("a right gradient, a constant in float32", (lambda x, w: x * w, (leaf(c, 1.0), mg.tensor([0.5, 2.0])), "constant")),
        Case("a right gradient, a fast wave", (lambda x: mg.sin(200 * x), (leaf(0.1, 1.0),))),
        Case("a right gradient, to 5 in 100,000", (of_one(mg.exp, lambda g, x: 1.00005 * g * mg.exp(x)), (leaf(c, 1.0),))),
        Case("a wrong gradient, in the middle entry alone", (of_one(mg.exp, middle_spoilt), (leaf(c, 1.0, 0.5),))),
    ]


TASK = Part(
    id="14.5",
    title="Write gradcheck",
    difficulty=4,
    minutes=20,
    requirements=(
        Requirement(
            "`f` takes the Tensors of the tuple `inputs` and returns **one** Tensor of any shape, also `()`.",
            ("one row",),
        ),
        Requirement(
            "For each input that requires grad, compare the Jacobian by backward passes with the Jacobian by central "
            "differences, with a step of 1e-6. An input that `f` does not use has a Jacobian of zeros; it may use none.",
            ("the first input only", "an unused input", "a missing gradient passes", "one-sided differences", "a long step", "ones"),
        ),
        Requirement(
            "Entries agree if |numerical − analytical| ≤ 1e-5 + 1e-3 · |numerical|.",
            ("absolute tolerance", "relative tolerance", "too generous", "too narrow"),
        ),
        Requirement("Return True or False. Do not change the inputs, not even for a moment.", ("all is well",)),
        Requirement(
            "If an input that requires grad is not float64, give a UserWarning: `warnings.warn(\"…\", UserWarning)`. What you "
            "return then does not matter.",
            ("no warning", "a warning for a constant"),
        ),
    ),
    cases=gradcheck_cases,
    edges=gradcheck_edges,
    observe=watch_gradcheck,
)
