"""17.5 A rounded cotangent: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch16.known import mistake
from minigrad.course.bank.ch17.ex01.mistakes import POINTWISE
from minigrad.course.bank.ch17.ex05.answer import QUANTISED
from minigrad.course.bank.ch17.known import with_text
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def quantised(*swaps: tuple[str, str]) -> Callable[[], str]:
    """An answer to 17.5, with some of its text exchanged."""
    text = QUANTISED
    for old, new in swaps:
        assert old in text, old
        text = text.replace(old, new)
    return with_text(POINTWISE, add=text)


RULE = "round(g / step) * step"
MISTAKES["rounds forward"] = mistake("rounds_forward", quantised((RULE, "g"), ("self.copy()", "np.round(self / step) * step")))
MISTAKES["the same array"] = mistake("shares", quantised(("self.copy()", "self")))
MISTAKES["not the nearest"] = mistake("not_nearest", quantised((RULE, "floor(g / step) * step")))
MISTAKES["NumPy in the rule"] = mistake("only_arrays", quantised((RULE, "np.round(g / step) * step")))
