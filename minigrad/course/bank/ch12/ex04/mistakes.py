"""12.4 Lost write: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch12.ex04.answer import WRITES_HINTS, slopes
from minigrad.course.bank.ch12.known import spoiled
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def slope_of_first(what: tuple[int, int, int, int]) -> float:
    x, p, _, _ = what
    return float(p * x ** (p - 1))


def slope_of_second(what: tuple[int, int, int, int]) -> float:
    x, _, q, _ = what
    return float(q * x ** (q - 1))


def slope_of_both(what: tuple[int, int, int, int]) -> float:
    return slope_of_first(what) + slope_of_second(what)


def slope_belief(rule: str, believed: Callable[[Any], float]) -> Mistake:
    return Mistake(spoiled(believed, rule, slopes), WRITES_HINTS[rule])


MISTAKES["both writes count"] = slope_belief("written twice", slope_of_both)
MISTAKES["the first write counts"] = slope_belief("written twice", slope_of_first)
MISTAKES["the copy is lost"] = slope_belief("a copy is kept", slope_of_second)
MISTAKES["the copy follows"] = slope_belief("a copy is kept", lambda what: 2 * slope_of_second(what))
MISTAKES["the window stays as it was"] = slope_belief("a window is kept", slope_of_both)
MISTAKES["the window is lost"] = slope_belief("a window is kept", slope_of_second)
MISTAKES["added to nothing"] = slope_belief("added", slope_of_second)
MISTAKES["a covered write counts"] = slope_belief("a number", slope_of_both)
MISTAKES["a number stops everything"] = slope_belief("a number", lambda what: 0.0)


def value(rule: str, what: tuple[int, int, int, int]) -> float:
    """What the last line of a program adds up."""
    x, p, q, n = what
    first, last = x**p, x**q
    both = first + last
    found = {"written twice": last, "a copy is kept": both, "a window is kept": 2 * last, "added": both, "a number": n + last}
    return float(found[rule])


MISTAKES["the values, not the slopes"] = Mistake(
    lambda draw: {key: value(rule, what) for key, rule, what in draw},
    "Your number is what the last line adds up: the *value*. Asked for is `x.grad`, its slope. Write the sum as a formula in x, and "
    "take the derivative.",
)
