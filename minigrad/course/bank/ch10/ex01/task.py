"""10.1 Dual numbers: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.watching import calls_of
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.attempt import unwritten
from minigrad.course.judging.compare import unfit

DUAL_STARTER = '''\
class Dual:
    """A number that moves: value + tangent * ε, where ε * ε = 0."""

    def __init__(self, value, tangent=0.0):
        self.value = value
        self.tangent = tangent

    def __repr__(self):
        return f"Dual({self.value:g}, {self.tangent:g})"

    @staticmethod
    def of(other):
        """other, if it is a Dual; a number becomes a Dual that stands still."""
        return other if isinstance(other, Dual) else Dual(other)

    def __add__(self, other):
        other = Dual.of(other)
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __sub__(self, other):
        ...

    def __mul__(self, other):
        ...

    def __truediv__(self, other):
        ...

    def sin(self):
        ...

    def exp(self):
        ...
'''


def dual_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def pair() -> tuple[float, float]:
        return float(rng.uniform(0.5, 1.5) * rng.choice([-1, 1])), float(rng.uniform(0.5, 2.5) * rng.choice([-1, 1]))

    k = float(rng.uniform(1.5, 3.5))
    return [
        Case("`+`: `d + e`", ("__add__", lambda d, e: d + e, pair(), pair())),
        Case("`+`: `d + k`, where k is a number", ("__add__", lambda d: d + k, pair())),
        Case("`+`: `k + d`, where k is a number", ("__add__", lambda d: k + d, pair())),
        Case("`-`: `d - e`", ("__sub__", lambda d, e: d - e, pair(), pair())),
        Case("`-`: `d - k`, where k is a number", ("__sub__", lambda d: d - k, pair())),
        Case("`-`: `k - d`, where k is a number", ("__sub__", lambda d: k - d, pair())),
        Case("`*`: `d * e`", ("__mul__", lambda d, e: d * e, pair(), pair())),
        Case("`*`: `d * d`", ("__mul__", lambda d: d * d, pair())),
        Case("`*`: `d * k`, where k is a number", ("__mul__", lambda d: d * k, pair())),
        Case("`*`: `k * d`, where k is a number", ("__mul__", lambda d: k * d, pair())),
        Case("`/`: `d / e`", ("__truediv__", lambda d, e: d / e, pair(), pair())),
        Case("`/`: `d / k`, where k is a number", ("__truediv__", lambda d: d / k, pair())),
        Case("`/`: `k / d`, where k is a number", ("__truediv__", lambda d: k / d, pair())),
        Case("sin: `d.sin()`", ("sin", lambda d: d.sin(), pair())),
        Case("exp: `d.exp()`", ("exp", lambda d: d.exp(), pair())),
        Case(
            "all together: `(2 * d * e + 3).sin() / (d.exp() - 5)`",
            ("exp", lambda d, e: (2 * d * e + 3).sin() / (d.exp() - 5), pair(), pair()),
        ),
    ]


def watch_dual(answer: Any, rule: str, f: Callable[..., Any], *pairs: tuple[float, float]) -> Any:
    if unwritten(getattr(answer, rule, None)):
        return {f"Dual.{rule}": ...}
    duals = [answer(*p) for p in pairs]
    with calls_of(mg, "tensor", "as_tensor", "from_numpy") as made:
        found = f(*duals)
    if not (hasattr(found, "value") and hasattr(found, "tangent")):
        return unfit(found, "a Dual")
    seen = {f"Dual.{rule}": "written", "minigrad": "used" if made else "not used", "value": found.value, "tangent": found.tangent}
    return seen | {f"operand {k}, afterwards": [d.value, d.tangent] for k, d in enumerate(duals, 1)}


def dual_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    zero, still, negative, ones = (0.0, 1.5), (2.0, 0.0), (-1.5, 0.5), (1.0, 1.0)
    return [
        Case("`-`: `d - d`", ("__sub__", lambda d: d - d, negative)),
        Case("`*`: `d * e`, where one value is 0", ("__mul__", lambda d, e: d * e, zero, negative)),
        Case("`*`: `0 * d`", ("__mul__", lambda d: 0 * d, negative)),
        Case("`/`: `d / e`, where the value of d is 0", ("__truediv__", lambda d, e: d / e, zero, negative)),
        Case("`/`: `d / e`, where the tangent of e is 0", ("__truediv__", lambda d, e: d / e, negative, still)),
        Case("`/`: `0 / d`", ("__truediv__", lambda d: 0 / d, negative)),
        Case("`/`: `1 / d`, a whole number", ("__truediv__", lambda d: 1 / d, still)),
        Case("sin: `d.sin()` at 0", ("sin", lambda d: d.sin(), zero)),
        Case("exp: `d.exp()` at 0", ("exp", lambda d: d.exp(), zero)),
        Case("exp: `d.exp()` at a negative number", ("exp", lambda d: d.exp(), negative)),
        Case("sin: `(d * d).sin()`", ("sin", lambda d: (d * d).sin(), ones)),
        # Where value + ε loses digits: differences lose them too.
        Case("sin: `d.sin()` at a large number", ("sin", lambda d: d.sin(), (1e5, 0.5))),
        Case("exp: `d.exp()` at a large number", ("exp", lambda d: d.exp(), (300.0, 0.5))),
    ]


TASK = Part(
    id="10.1",
    title="Dual numbers",
    difficulty=2,
    minutes=10,
    requirements=(
        Requirement("They return a new `Dual`, and leave the old ones alone.", ("an operand is changed",)),
        Requirement(
            "A plain number may stand on either side: `d * 2` and `2 * d`, `d - 2` and `2 - d`, and so on. For `2 + d` "
            "Python calls `d.__radd__(2)`, a method with an **r** in front, because the 2 does not know what to do. You will "
            "need four of them.",
            ("no reflected product", "the difference reflected as it is", "a number moves"),
        ),
        Requirement("`np.sin`, `np.cos` and `np.exp` are there for the values. Do not use `minigrad` here.", ("minigrad does it",)),
        Requirement(
            "Each rule moves the tangent as calculus says.",
            (
                "the product rule lost a term",
                "the sign in the quotient",
                "sin without the tangent",
                "exp of the tangent",
                "differences",
            ),
        ),
    ),
    points=3,
    starter=DUAL_STARTER,
    cases=dual_cases,
    edges=dual_edges,
    observe=watch_dual,
)
