"""08.5 The derivative of a line: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch08.common import grads_of
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def second_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf() -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5), dtype=dtype, requires_grad=True)

    def mismatched(x: Any) -> Any:
        return (mg.stack([x, x]) * mg.ones(3, dtype=dtype)).sum()

    a, b = (float(v) for v in rng.uniform(2.0, 4.0, size=2))
    w, u = leaf(), leaf()
    return [
        Case("f(x) = sin(a·x)", (lambda x: mg.sin(a * x), leaf(), {})),
        Case("f(x) = b·x, a line", (lambda x: b * x, leaf(), {})),
        Case("f(x) = w·x, a line whose slope requires grad", (lambda x: w * x, leaf(), {"w": w})),
        Case("f(x) = u·x² − x", (lambda x: u * x**2 - x, leaf(), {"u": u})),
        Case("an f that raises, and its error must come out", (mismatched, leaf(), {})),
    ]


def watch_second(answer: Callable[..., Any], f: Any, x: Any, others: dict[str, Any]) -> Any:
    returned = answer(f, x)
    if returned is not None and not isinstance(returned, mg.Tensor | tuple | list):
        return unfit(returned, "a Tensor of shape ()")
    return {
        "returns": returned,
        **{f"{name}.grad afterwards": grad for name, grad in grads_of({"x": x, **others}).items()},
    }


def second_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    near = rng.uniform(0.5, 1.5, size=2).tolist()
    zero, low, stale, line, fast = (
        mg.tensor(v, dtype=dtype, requires_grad=True) for v in (0.0, 0.0, near[0], 2.0, near[1] / 80)
    )
    stale.grad, line.grad = mg.tensor(3.0, dtype=dtype), mg.tensor(-1.0, dtype=dtype)
    return [
        Case("f(x) = x³ at 0", (lambda x: x**3, zero, {})),
        Case("f(x) = x² at 0, where its slope is 0", (lambda x: x**2, low, {})),
        Case("f(x) = x⁴, where x has a .grad", (lambda x: x**4, stale, {})),
        Case("f(x) = 5·x, a line, where x has a .grad", (lambda x: 5 * x, line, {})),
        Case("f(x) = sin(100·x), which bends fast", (lambda x: mg.sin(100 * x), fast, {})),  # a difference quotient is far off
    ]


TASK = Part(
    id="08.5",
    title="The derivative of a line",
    difficulty=3,
    minutes=9,
    requirements=(
        Requirement(
            "`x` is a leaf of shape `()` that requires grad. `f(x)` has shape `()` and is computed from `x`. `f` may use "
            "other leaves, too.",
            ("the first derivative",),
        ),
        Requirement(
            "Where the first derivative does not depend on `x`, return 0, as a Tensor of shape `()`.",
            ("a line raises", "a slope that depends on others", "None", "zeros of one entry"),
        ),
        Requirement("No `.grad` may change. If `f` itself raises, let its error come out.", ("backward", "everything caught")),
    ),
    cases=second_cases,
    edges=second_edges,
    observe=watch_second,
    may_change_inputs=True,
)
