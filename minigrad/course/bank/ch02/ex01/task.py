"""02.1 Local slopes: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import as_asked
from minigrad.course.exercise import Case, Part, Requirement

RULES_STARTER = '''\
class Rules:
    """g is the gradient of the result. Each rule returns one message for each of its inputs a and b."""

    @staticmethod
    def add(g, a, b):
        """a + b. Returns two messages: for a and for b."""
        ...

    @staticmethod
    def sub(g, a, b):
        """a - b. Returns two messages."""
        ...

    @staticmethod
    def mul(g, a, b):
        """a * b. Returns two messages."""
        ...

    @staticmethod
    def div(g, a, b):
        """a / b. Returns two messages."""
        ...

    @staticmethod
    def exp(g, a):
        """exp(a). Returns one message."""
        ...

    @staticmethod
    def log(g, a):
        """The natural logarithm of a. Returns one message."""
        ...

    @staticmethod
    def sin(g, a):
        """sin(a). Returns one message."""
        ...

    @staticmethod
    def pow(g, a, n):
        """a**n, where n is a constant number: it gets no message. Returns one message, for a."""
        ...
'''

TWO_INPUTS = ("add", "sub", "mul", "div")


def rules_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def some(*shape: int, positive: bool = True) -> Any:
        drawn = rng.uniform(0.5, 2.5, shape) * (1 if positive else rng.choice([-1.0, 1.0], shape))
        return drawn.astype(precision) if shape else float(drawn)

    cases = []
    for name in ("add", "sub", "mul", "div", "exp", "log", "sin"):
        for what, shape in (("numbers", ()), ("arrays of shape (3,)", (3,))):
            a, b = (some(*shape, positive=name == "log") for _ in "ab")
            cases.append(Case(f"{name}: {what}", (name, some(*shape, positive=False), a, b if name in TWO_INPUTS else None)))
    for n in (3, -1, 0.5):
        cases.append(Case(f"pow: a number, n = {n}", ("pow", some(positive=False), some(), n)))
    return [*cases, Case("pow: an array of shape (3,), n = 2", ("pow", some(3, positive=False), some(3), 2))]


def observe_rules(answer: Any, rule: str, g: Any, a: Any, b: Any) -> Any:
    method, name = getattr(answer, rule), f"Rules.{rule}"
    result = method(g, a) if b is None else method(g, a, b)
    if rule not in TWO_INPUTS:
        if isinstance(result, tuple | list):
            came = "one message" if len(result) == 1 else f"{len(result)} messages"
            return {f"{name}, the message for a": f"{came} in a {type(result).__name__}, not one by itself"}
        return {f"{name}, the message for a": as_asked(result, numbers=True)}
    if result is None or result is ...:
        result = result, result
    if isinstance(result, tuple | list | np.ndarray) and len(result) == 2:
        shape = np.shape(g)
        told = [as_asked(message, numbers=True) for message in result]
        # A plain number in place of an array of equal ones is as good: NumPy stretches it.
        full = [np.broadcast_to(m, shape) if isinstance(m, np.ndarray) and m.shape == () else m for m in told]
        return {f"{name}, the message for {which}": m for which, m in zip("ab", full, strict=True)}
    count = len(result) if isinstance(result, tuple | list) else 1
    came = "one message" if count == 1 else f"{count} messages"
    return {f"{name}, the message for a": f"{came}, not two", f"{name}, the message for b": None}


def rules_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Where a slope from the result itself, a logarithm or a size goes wrong: at 0, and at negative numbers."""
    precision = np.float32 if dtype is mg.float32 else np.float64
    a, b, g = (np.array(numbers, precision) for numbers in ([0.0, -1.5, 2.0], [-0.5, 2.0, -3.0], [1.0, -2.0, 0.5]))
    cases = [Case(f"{name}: where a is 0", (name, g, a, b)) for name in ("add", "sub", "mul", "div")]
    cases += [Case("mul: where b is 0", ("mul", g, b, a))]
    cases += [Case(f"{name}: at 0, and at a negative number", (name, g, a, None)) for name in ("exp", "sin")]
    return [*cases, *(Case(f"pow: at 0, and at a negative number, n = {n}", ("pow", g, a, n)) for n in (1, 2, 3))]


TASK = Part(
    id="02.1",
    title="Local slopes",
    difficulty=1,
    minutes=8,
    requirements=(
        Requirement(
            "Each rule returns one message for each input: slope × `g`.",
            ("add: g is forgotten", "mul: its own factor", "div: no minus", "sin: the sign"),
        ),
        Requirement(
            "All of them are numbers, or NumPy arrays of one shape. Arrays go entry by entry, and stay as they are.",
            attacks=("mul writes into its inputs",),
        ),
        Requirement(
            "A rule with two inputs returns two messages, as `return …, …`; the last four return one, by itself.",
            ("sub: minus on the wrong side",),
        ),
    ),
    points=2,
    starter=RULES_STARTER,
    cases=rules_cases,
    edges=rules_edges,
    observe=observe_rules,
)
