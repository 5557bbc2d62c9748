"""03.6 The best step: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch03.ex06.task import GOOD
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

MISTAKES["zero at zero"] = Mistake(
    lambda f, x: np.cbrt(np.finfo(x.dtype).eps) * abs(x),
    "At x = 0 your step is 0, and the difference divides 0 by 0. Let it grow with |x| only where |x| is large: "
    "`max(1, abs(x))`.",
)

MISTAKES["negative"] = Mistake(
    lambda f, x: np.cbrt(np.finfo(x.dtype).eps) * (x if x else 1.0), "Where x is negative your step is negative. Take `abs(x)`."
)


def by_type(double: Callable[[float], float], single: Callable[[float], float]) -> Callable[..., float]:
    return lambda f, x: double(abs(float(x))) if x.dtype == np.float64 else single(abs(float(x)))


SEARCH = (
    " (If you search: where x + eps is rounded back to x, all slopes are 0 and agree perfectly. Stop before that, where the "
    "slopes begin to change more again. And two neighbours may agree by luck: ask for agreement over several.)"
)

GROW = (
    "Right near x = 1, too small for a large x. Numbers near 5000 lie thousands of times further apart than numbers near 1, "
    "and this f bends clearly only when x moves by about |x|. The whole V moves to the right: let eps grow in "
    "proportion to |x|, for a negative x too."
) + SEARCH


def for_positive_alone(source: str, results: list[Any]) -> bool:
    """No size is taken, and at the large x that is positive, in case 4, the step is right."""
    return "abs" not in source and len(results) > 4 and results[4] == {"eps": GOOD}


MISTAKES["its sign is left"] = Mistake(
    lambda f, x: np.cbrt(np.finfo(x.dtype).eps) * max(1, x),
    "Right where x is large and positive. Where x is negative, the larger one of 1 and x is 1, and the step stays small: take "
    "`abs(x)`.",
    for_positive_alone,
)

MISTAKES["too small in float32, where x is large"] = Mistake(by_type(lambda x: 6e-6 * max(1, x), lambda x: 5e-3), GROW)

TYPE = (
    "Right in float64, too small in float32, which has only 7 digits: round-off begins much earlier. Ask the type of x: "
    "`np.finfo(x.dtype).eps`."
) + SEARCH

MISTAKES["the type is ignored"] = Mistake(lambda f, x: np.cbrt(np.finfo(float).eps) * max(1, abs(x)), TYPE)
MISTAKES["x is ignored"] = Mistake(lambda f, x: 1e-5, GROW)

MISTAKES["too small for zero"] = Mistake(
    by_type(lambda x: 1e-5 * x if x else 1e-12, lambda x: 5e-3 * x),
    "Too small at x = 0. f bends clearly when x moves by about 1 there, as it does near x = 1: use `max(1, abs(x))`.",
)

ROUND_OFF = (
    "Too small: round-off, the left arm of the V. f(x + eps) and f(x − eps) agree in nearly all their digits, and what is "
    "left of the difference is mostly rounding. The bottom of the V lies much further to the right. (Near 1e-8 is the "
    "best step of a difference with **one** side.)"
)

MISTAKES["round-off"] = Mistake(lambda f, x: 1e-12, ROUND_OFF)

TOO_LARGE = (
    "Too large: the right arm of the V. f bends between x − eps and x + eps, and the line through the two points is not the "
    "slope at x. Its error still falls 100× with each step ten times smaller."
)

MISTAKES["bent"] = Mistake(lambda f, x: 1e-2, TOO_LARGE)

MISTAKES["too large, for float32 or for a large x"] = Mistake(
    by_type(lambda x: 1e-5 if x < 100 else 0.01 * x, lambda x: 1.0), TOO_LARGE
)
