"""09.8 The curvature of a real loss: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import random_tensor
from minigrad.course.bank.watching import calls_counted
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import Unfit, holds_an_array, unfit


def loss_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    def case(label: str, params: list[Any], loss: Callable[[], Any]) -> Case:
        return Case(label, (loss, params, [random_tensor(rng, dtype, *p.shape) for p in params]))

    x, target = random_tensor(rng, dtype, 6, 3), random_tensor(rng, dtype, 6, 2)
    W, b, U = leaf(3, 4), leaf(4), leaf(4, 2)
    A, c, d = leaf(3, 2), leaf(2), leaf(2)
    w = leaf(3)
    w.grad = random_tensor(rng, dtype, 3)  # from another step
    return [
        case("two layers: W, b and U", [W, b, U], lambda: ((mg.tanh(x @ W + b) @ U - target) ** 2).mean()),
        case("one layer, and a d that is only added", [A, c, d], lambda: (mg.tanh(x @ A) * c).mean() + d.sum()),
        case("one parameter", [w], lambda: (mg.sin(x @ w) ** 2).sum()),
    ]


def loss_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b = (mg.tensor(value, dtype=dtype, requires_grad=True) for value in (0.7, -1.2))
    vs = [mg.tensor(value, dtype=dtype) for value in (2.0, 3.0)]
    return [
        Case("numbers of shape ()", (lambda: mg.exp(a * b), [a, b], vs)),
        Case("v is 0", (lambda: mg.exp(a * b), [a, b], [0 * v for v in vs])),
    ]


def watch_curvature(answer: Callable[..., Any], loss: Callable[[], Any], params: list[Any], vs: list[Any]) -> Any:
    runs = []
    grads = [(p.grad, None if p.grad is None else p.grad.clone()) for p in params]
    before, moved = [p.detach().clone() for p in params], False

    def counted() -> Any:
        nonlocal moved
        moved = moved or any((p != was).any().item() for p, was in zip(params, before, strict=True))
        runs.append(loss())
        return runs[-1]

    with calls_counted(mg) as passes:
        found = answer(counted, params, vs)
    if moved:
        return {"loss is called": "at other numbers than the parameters were given with"}
    if isinstance(found, list | tuple) and len(found) == len(params) and any(h is None for h in found):
        empty = next(k for k, h in enumerate(found) if h is None)
        return Unfit(f"None for params[{empty}]", "a Tensor for each parameter, also where it is zeros")
    if isinstance(found, list | tuple) and (arrays := holds_an_array(found, "a list with a Tensor for each parameter")):
        return arrays
    if isinstance(found, list | tuple) and len(found) != len(params):
        return Unfit(f"{len(found)} of {len(params)} products", "a Tensor for each parameter, also where it is zeros")
    if not isinstance(found, list | tuple) or not all(isinstance(h, mg.Tensor) for h in found):
        return unfit(found, "a list with a Tensor for each parameter")
    seen: dict[str, Any] = {"loss is called": "at the numbers that were given"}
    seen |= {f"H v for params[{k}]": product.detach() for k, product in enumerate(found)}
    changed = [p.grad is not g or g is not None and not mg.equal(g, was) for p, (g, was) in zip(params, grads, strict=True)]
    written = ", ".join(f"params[{k}]" for k in range(len(params)) if changed[k])
    return seen | {
        ".grad was written for": written or "none of the parameters",
        "cost_a tuple": isinstance(found, tuple),
        "cost_calls of loss": len(runs),
        "cost_more than two passes": passes.total() > 2,
    }


TASK = Part(
    id="09.8",
    title="The curvature of a real loss",
    difficulty=3,
    minutes=8,
    requirements=(
        Requirement(
            "`loss()` computes a Tensor of shape () from the leaves in the list `params`. `vs` has a Tensor for each, in its "
            "shape; so has the result.",
            ("v is not used", "only the blocks on the diagonal"),
        ),
        Requirement("No `.grad` may change.", ("backward",)),
        Requirement(
            "If the gradient does not depend on a parameter at all, its product is zeros. It does depend on one at least.",
            ("a parameter that the gradient does not depend on",),
        ),
        Requirement(
            "Two backward passes are enough, however many parameters there are. The checker tells you when you took more.",
        ),
    ),
    cases=loss_cases,
    edges=loss_edges,
    observe=watch_curvature,
    may_change_inputs=True,
)
