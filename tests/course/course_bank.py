"""A small bank of exercises, for the tests of the checker."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Case, Exercise, Mistake, register

HINTS = ("think", "look", "write")


def plain_cases(exercise: Exercise, seed: int = 0) -> list[Case]:
    """The cases of an exercise without the edges and without the second call."""
    assert exercise.cases is not None
    return exercise.cases(exercise.rng(seed), exercise.mg.float64)


def double(x, factor=2):
    """Twice x. x: a Tensor of shape (n,)."""
    return factor * x


def double_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [Case(f"{n} numbers", (mg.tensor(rng.normal(size=n), dtype=dtype), 2)) for n in (3, 4)]


def raises_on_four(x, factor):
    if len(x) == 4:
        raise RuntimeError("four is too many")
    return factor * x


register(
    Exercise(
        id="90.1",
        title="Double <it>",
        difficulty=1,
        minutes=2,
        reference=double,
        cases=double_cases,
        hints=HINTS,
        explanation="Because.",
        time_limit=1.0,
        alternatives={"sum": lambda x, factor: x + x},
        mistakes={
            "square": Mistake(lambda x, factor: x * x, "That is the **square**: `x * x`."),
            "no sum": Mistake(lambda x, factor: x.sum(), "Do not sum."),
            "four": Mistake(raises_on_four, "Four is fine."),
        },
    )
)
AGAIN = {"square": lambda x, factor: x**2, "no sum": lambda x, factor: mg.sum(x), "four": raises_on_four}


def predict(draw: tuple[int, int]) -> dict[str, Any]:
    a, b = draw
    return {"sum": a + b, "pair": (a > 0, None), "name": "AddBackward0", "shape": (a, b)}


register(
    Exercise(
        id="90.2",
        title="Predict",
        difficulty=1,
        minutes=2,
        reference=predict,
        draws=lambda rng: (int(rng.integers(1, 9)), int(rng.integers(10, 19))),
        program=lambda draw: f"a, b = {draw}",
        name="answers",
        hints=HINTS,
        explanation="Because.",
        mistakes={
            "product": Mistake(lambda draw: predict(draw) | {"sum": draw[0] * draw[1]}, "A sum, no product."),
            "product, and no name": Mistake(
                lambda draw: predict(draw) | {"sum": draw[0] * draw[1], "name": "Mul"}, "Neither product nor Mul."
            ),
        },
    )
)


def slope(x):
    """The gradient of sum(x²) at x, with one backward pass."""
    (x * x).sum().backward()
    return x.grad


def watch_slope(answer: Any, x: Any) -> dict[str, Any]:
    passes = []
    x.register_hook(lambda g: passes.append(1))
    return {"returns": answer(x), "cost_passes": len(passes)}


def slope_twice(x):
    for _ in range(2):
        x.grad = None
        (x * x).sum().backward()
    return x.grad


register(
    Exercise(
        id="90.3",
        title="Slope",
        difficulty=2,
        minutes=3,
        reference=slope,
        cases=lambda rng, dtype: [Case("three", (mg.tensor(rng.normal(size=3), dtype=dtype, requires_grad=True),))],
        observe=watch_slope,
        hints=HINTS,
        explanation="Because.",
        wasteful={"twice": Mistake(slope_twice, "Right, but twice.")},
        mistakes={"half": Mistake(lambda x: x.detach(), "2 is missing."), "one": Mistake(lambda x: x * 0 + 1, "One.")},
    )
)


def order(n):
    """All numbers below n, in any order. ValueError when n is negative."""
    if n < 0:
        raise ValueError("n must not be negative")
    return list(range(n))


def say_order(case: Case, got: Any, expected: Any) -> str | None:
    try:
        return None if sorted(got["returns"]) == expected["returns"] else "These are not all numbers below n."
    except TypeError:
        return "A list is wanted."


register(
    Exercise(
        id="90.4",
        title="Any order",
        difficulty=2,
        minutes=3,
        reference=order,
        cases=lambda rng, dtype: [
            Case("negative", (-int(rng.integers(1, 9)),)),
            Case("some", (int(rng.integers(5, 9)),)),
            Case("none", (0,)),
        ],
        accept=say_order,
        hints=HINTS,
        explanation="Because.",
        mistakes={
            "one too many": Mistake(lambda n: order(n) + [n], "One too many."),
            "twice": Mistake(lambda n: 2 * order(n), "Each once."),
        },
    )
)
