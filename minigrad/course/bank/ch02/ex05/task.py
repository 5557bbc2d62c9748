"""02.5 Bug hunter: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch02.common import everything_behind
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.values import Value, engine_A, engine_B, engine_C, engine_D, engine_E
from minigrad.course.judging.compare import unfit

Array = np.ndarray
ENGINES = {"A": engine_A, "B": engine_B, "C": engine_C, "D": engine_D, "E": engine_E}
FEWEST = {"A": 1, "B": 2, "C": 3, "D": 2, "E": 2}  # operations; a test tries all smaller expressions

WITNESS_STARTER = '''\
class Witness:
    """For each engine, the smallest expression for which its gradients are wrong. a and b: Values, arrays of shape (3,)."""

    @staticmethod
    def A(a, b):
        """Convicts engine_A. Returns a Value made from a and b."""
        ...

    @staticmethod
    def B(a, b):
        """Convicts engine_B."""
        ...

    @staticmethod
    def C(a, b):
        """Convicts engine_C."""
        ...

    @staticmethod
    def D(a, b):
        """Convicts engine_D."""
        ...

    @staticmethod
    def E(a, b):
        """Convicts engine_E."""
        ...
'''


def operations_of(root: Any) -> list[Any]:
    return [value for value in everything_behind(root) if value.inputs]


def uses_of(root: Any) -> dict[Any, int]:
    """For each Value behind root, how many arrows lead to it."""
    uses: dict[Any, int] = {}
    for value in operations_of(root):
        for i in value.inputs:
            if i is not None:
                uses[i] = uses.get(i, 0) + 1
    return uses


def level_by_level(root: Any) -> list[Any]:
    """Every Value behind root, each where it is met last: after all that use it."""
    met: dict[Any, None] = {}
    level = [root]
    while level:
        for value in level:
            met.pop(value, None)
        met |= dict.fromkeys(level)
        level = list(dict.fromkeys(i for value in level for i in value.inputs if i is not None))
    return list(met)


def is_convicted(engine: Callable[[Any], dict[Any, Any]], root: Any) -> bool:
    """Whether the engine's gradient at some leaf differs from the right one."""
    right: dict[Any, Any] = {root: np.ones_like(root.data)}
    for value in level_by_level(root):
        for i, message in value.fire(right[value]):
            right[i] = right.get(i, 0) + message
    found = engine(root)
    return any(not np.allclose(found.get(value, 0), g, rtol=1e-6) for value, g in right.items() if not value.inputs)


def shares_an_array(root: Any) -> bool:
    """Whether some operation sends one and the same array to two Values."""
    sent = [value.fire(np.ones_like(value.data)) for value in operations_of(root)]
    return any(len(pairs) == 2 and pairs[0][0] is not pairs[1][0] and pairs[0][1] is pairs[1][1] for pairs in sent)


def judged(letter: str, root: Any) -> str:
    """What an expression is worth against an engine, in a few words: where it fails, what it lacks."""
    size, operations = len(operations_of(root)), operations_of(root)
    if is_convicted(ENGINES[letter], root):
        return "convicted" if size <= FEWEST[letter] else "convicted, but there is a smaller expression"
    if letter == "D":
        return "not convicted: one operation" if size <= 1 else "not convicted"
    uses = [[value for value in operations if i in value.inputs] for i in everything_behind(root)]
    twice = [i for i, count in uses_of(root).items() if count > 1]
    if not twice:
        return "not convicted: nothing is used twice"
    if letter in "BC" and not any(i.inputs for i in twice):
        return "not convicted: only leaves are used twice"
    if letter == "C" and all(len(consumers) < 2 for i, consumers in zip(everything_behind(root), uses, strict=True) if i.inputs):
        return "not convicted: both messages come from one operation"
    if letter == "E" and not shares_an_array(root):
        return "not convicted: no array is shared"
    return "not convicted"


def observe_witness(answer: Any, letter: str, a: Any, b: Any) -> Any:
    root = getattr(answer, letter)(Value(a), Value(b))
    if root is ... or root is None:
        return {f"Witness.{letter}": root}
    if not isinstance(root, Value):
        return unfit(root, f"from Witness.{letter}: a Value made from a and b")
    if any(not value.inputs and value.data is not a and value.data is not b for value in everything_behind(root)):
        return {f"Witness.{letter}": "asked about another leaf than a and b. Make the expression from these"}
    return {f"Witness.{letter}": judged(letter, root)}


def witness_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def array() -> Array:
        return rng.uniform(0.4, 1.6, 3).astype(precision)

    return [Case(f"{letter}: engine_{letter}", (letter, array(), array())) for letter in ENGINES]


TASK = Part(
    id="02.5",
    title="Bug hunter",
    difficulty=4,
    minutes=8,
    requirements=(
        Requirement(
            "The expression convicts its engine: for at least one leaf the engine's gradient is wrong.",
            ("A: a tree", "B: only leaves are used twice", "D: one operation", "E: no array is shared"),
        ),
        Requirement(
            "It is the **smallest** that does. No engine needs more than three operations; `+`, `-`, `*` and `exp` count one "
            "each, a leaf and a constant count nothing.",
            ("A: too large", "B: too large", "C: too large", "D: too large", "E: too large"),
        ),
    ),
    points=5,
    starter=WITNESS_STARTER,
    cases=witness_cases,
    without={
        "edges": "the leaves are arrays of three numbers, and what counts is the expression",
    },
    observe=observe_witness,
)
