"""14.9 needs_input_grad: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.graphs import nodes_of
from minigrad.course.judging.compare import unfit


def define_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Each with two sets of inputs; which of them require grad is the same in both, or not."""
    Flags = tuple[bool, ...]

    def inputs(both: tuple[Flags, Flags], *shapes: tuple[int, ...]) -> Any:
        return [tuple(random_tensor(rng, dtype, *s, leaf=flag) for s, flag in zip(shapes, flags, strict=True)) for flags in both]

    def product(flags: Flags, later: Flags = ()) -> Any:
        rules = (lambda g, a, b: g @ b.T, lambda g, a, b: a.T @ g)
        return mg.matmul, rules, inputs((flags, later or flags), (2, 3), (3, 4)), random_tensor(rng, dtype, 2, 4)

    def three(flags: Flags, results: bool = False) -> Any:
        rules = (lambda g, a, b, c: g * b, lambda g, a, b, c: g * a, lambda g, a, b, c: g)
        both = inputs((flags, flags), (4,), (4,), (4,))
        both = [tuple(t * 2 if results else t for t in one) for one in both]
        return (lambda a, b, c: a * b + c), rules, both, random_tensor(rng, dtype, 4)

    return [
        Case("a @ b, both require grad", product((True, True))),
        Case("a @ b, only a requires grad", product((True, False))),
        Case("a @ b, only b requires grad", product((False, True))),
        Case("a * b + c, a and c require grad", three((True, False, True))),
        Case("a * b + c, only b requires grad", three((False, True, False))),
        Case("a @ b, only a requires grad in the first call, and only b in the second", product((True, False), (False, True))),
        Case("a * b + c, where a and c are results of operations that require grad", three((True, False, True), results=True)),
    ]


def gradients_or_count(y: Any, wanted: list, v: Any) -> Any:
    """The gradients, or the count that the engine complains of, whatever name the learner's class has."""
    try:
        return ["none came" if g is None else g for g in mg.autograd.grad(y, wanted, v, allow_unused=True)]
    except RuntimeError as error:
        if "incorrect number of gradients" in str(error):
            return "RuntimeError: an " + str(error).partition("returned an ")[2]
        raise


def watch_define(answer: Callable[..., Any], f: Any, rules: tuple, both: list[tuple], v: Any) -> Any:
    calls = [0] * len(rules)

    def counted(k: int) -> Callable[..., Any]:
        def rule(*args: Any) -> Any:
            calls[k] += 1
            return rules[k](*args)

        return rule

    made = answer(f, *(counted(k) for k in range(len(rules))))
    if not callable(made) or isinstance(made, type):
        return unfit(made, "a function: `apply` of your Function, not called")
    results = [made(*inputs) for inputs in both]
    if not all(isinstance(y, mg.Tensor) for y in results):
        return unfit(results[0], "a function that returns a Tensor")
    seen: dict[str, Any] = {"outputs": [y.detach().clone() for y in results]}
    graphs = [nodes_of(y) for y in results if y.requires_grad]
    seen["cost_nothing_saved"] = not all(any(getattr(node, "saved_tensors", ()) for node in nodes) for nodes in graphs)
    for name, y, inputs in zip(("first", "second"), results, both, strict=True):
        if y.requires_grad:
            wanted = [t for t in inputs if t.requires_grad]
            seen[f"gradients of the {name} call"] = gradients_or_count(y, wanted, v)
    seen["calls of each rule"] = calls
    return seen


def define_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def inputs(*flags: bool) -> list[tuple[Any, ...]]:
        return [tuple(random_tensor(rng, dtype, 1, leaf=flag) for flag in flags) for _ in range(2)]

    square = (lambda x: x * x), (lambda g, x: 2 * g * x,)
    return [
        Case("one input, x², one entry", (*square, inputs(True), random_tensor(rng, dtype, 1))),
        Case("one input, x², which requires no grad", (*square, inputs(False), random_tensor(rng, dtype, 1))),
    ]


TASK = Part(
    id="14.9",
    title="Skip useless work",
    difficulty=3,
    minutes=8,
    requirements=(
        Requirement(
            "`f` takes some Tensors and returns one. `rules[k](g, *inputs)` is the gradient for input number k, where `g` is "
            "the cotangent of the output.",
            ("g is replaced",),
        ),
        Requirement(
            "Return a function that takes the same Tensors as `f`, and can be differentiated by these rules.",
            ("the class is returned", "too few entries"),
        ),
        Requirement("**Call a rule only if the gradient of its input is needed.** The checker counts.", ("all the work",)),
        Requirement(
            "What you return may be called several times before the first backward pass.",
            ("one memory for all calls",),
        ),
    ),
    cases=define_cases,
    edges=define_edges,
    observe=watch_define,
)
