"""01.1 Passport control: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch01.common import Draw
from minigrad.course.bank.ch01.ex01.answer import (
    COPY,
    CUT,
    ENOUGH,
    FRESH,
    MODE,
    NO_HISTORY,
    SLOPE,
    WINDOW,
    Passport,
    passports,
)
from minigrad.course.bank.shared import run
from minigrad.course.exercise import Mistake
from minigrad.course.helpers.graphs import class_of

MISTAKES: dict[str, Mistake] = {}


def belief(rule: str, passport: Callable[[str], Passport], hint: str) -> Mistake:
    """Somebody is right except about the lines of one rule, where they write passport(code)."""

    def predict(draw: Draw) -> dict[str, Passport]:
        return passports(draw) | {key: passport(code) for key, its_rule, code in draw if its_rule == rule}

    return Mistake(predict, hint)


MISTAKES["a result is never a leaf"] = belief("constants", lambda code: (False, False, None), NO_HISTORY)


def if_recorded(code: str) -> str:
    """The name that the line's operation would have, were everything differentiable and nothing cut off."""
    uncut = code.replace(".detach()", "").replace(".data", "")
    result = run(f"w, h, k, n = [mg.ones(3, requires_grad=True) * 1 for _ in range(4)]\nx = {uncut}")["x"]
    return "CloneBackward0" if result.grad_fn is None else class_of(result.grad_fn)


MISTAKES["recorded without requiring grad"] = belief("constants", lambda code: (False, False, if_recorded(code)), NO_HISTORY)
MISTAKES["everything is recorded"] = belief("constants", lambda code: (False, True, if_recorded(code)), NO_HISTORY)
MISTAKES["a constant switches recording off"] = belief("one is enough", lambda code: (True, False, None), ENOUGH)
MISTAKES["a copy is a new leaf"] = belief("copies", lambda code: (True, True, None), COPY)
MISTAKES["a copy is a constant"] = belief("copies", lambda code: (True, False, None), COPY)
MISTAKES["a part of a leaf is a leaf"] = belief("windows", lambda code: (True, True, None), WINDOW)
MISTAKES["a part is a constant"] = belief("windows", lambda code: (True, False, None), WINDOW)
MISTAKES["detach keeps requires_grad"] = belief("cuts", lambda code: (True, True, None), CUT)
MISTAKES["detach cuts nothing"] = belief("cuts", lambda code: (False, True, if_recorded(code)), CUT)
MISTAKES["a detached tensor is no leaf"] = belief("cuts", lambda code: (False, False, None), CUT)
MISTAKES["no_grad records, backward skips"] = belief("no_grad", lambda code: (False, True, if_recorded(code)), MODE)
MISTAKES["no_grad only clears the flag"] = belief("no_grad", lambda code: (False, False, if_recorded(code)), MODE)
MISTAKES["a result under no_grad is no leaf"] = belief("no_grad", lambda code: (False, False, None), MODE)
MISTAKES["no_grad keeps the flag"] = belief("no_grad", lambda code: (True, True, None), MODE)
MISTAKES["a call never gives a leaf"] = belief("new leaves", lambda code: (False, True, if_recorded(code)), FRESH)

MISTAKES["the grad_fn of a leaf"] = belief(
    "new leaves",
    lambda code: (True, True, "AccumulateGrad"),
    "AccumulateGrad waits *at* a leaf, in the graph of whatever uses it. The leaf's own `grad_fn` is None.",
)

MISTAKES["made from w, so tracked"] = belief("no slope", lambda code: (False, True, if_recorded(code)), SLOPE)
MISTAKES["a flag without history"] = belief("no slope", lambda code: (True, True, None), SLOPE)


def slip(change: Callable[[Passport], Passport], hint: str) -> Mistake:
    """Somebody is right, but writes the passports in another way."""

    def predict(draw: Draw) -> dict[str, Passport]:
        return {key: change(right) for key, right in passports(draw).items()}

    return Mistake(predict, hint)


MISTAKES["None in quotes"] = slip(
    lambda p: (p[0], p[1], str(p[2])), "Write Python's `None`, without quotes, where there is no node."
)

MISTAKES["a name without its digit"] = slip(
    lambda p: (p[0], p[1], p[2] and p[2].removesuffix("0")),
    "The name of a node ends in a digit: `MulBackward0`. Copy it from the table.",
)
