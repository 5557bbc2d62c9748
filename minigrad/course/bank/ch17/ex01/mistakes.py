"""17.1 A new operation: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch16.known import mistake
from minigrad.course.bank.ch17.ex01.answer import SOFTABS
from minigrad.course.bank.ch17.known import with_text
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}
POINTWISE = "ops/pointwise.py"


def softabs(*swaps: tuple[str, str]) -> Callable[[], str]:
    """An answer to 17.1, with some text exchanged."""
    text = SOFTABS
    for old, new in swaps:
        assert old in text, old
        text = text.replace(old, new)
    return with_text(POINTWISE, add=text)


MISTAKES["the rule forgets its cotangent"] = mistake("forgets_g", softabs(("g * self / result", "self / result")))
MISTAKES["one rule only"] = mistake("one_rule", softabs((", w=lambda g, w, result: g * w / result", "")))

MISTAKES["rules in NumPy"] = mistake(
    "raw", softabs(("self, result: g * self / result", "self, w: g * self / np.hypot(self, w)"))
)
