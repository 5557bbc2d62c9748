"""15.7 A check in one direction: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}
Directions = Callable[[list[Any]], list[Any]]


def normal_directions(params: list[Any]) -> list[Any]:
    return [np.random.normal(size=tuple(p.shape)) for p in params]


def all_ones(params: list[Any]) -> list[Any]:
    return [np.ones(tuple(p.shape)) for p in params]


def close(slope: float, change: float) -> bool:
    return bool(np.isclose(slope, change, rtol=1e-4, atol=1e-12 * abs(change)))


def directional(
    directions: Directions = normal_directions,
    agree: Callable[[float, float], bool] = close,
    clear: bool = True,
    restore: bool = True,
    none: str = "zero",
    times: int = 1,
    back: float = -1e-6,
) -> Callable[..., bool]:
    """An answer with NumPy. none: what a missing gradient does: it is zero, its parameter is left out, or it raises."""

    def answer(loss: Any, params: Any) -> bool:
        if clear:
            for p in params:
                p.grad = None
        loss().backward()
        for _ in range(times):
            used = [p for p in params if none != "leave out" or p.grad is not None]
            us = directions(used)
            slope = sum(
                float((p.grad * mg.tensor(u)).sum()) for p, u in zip(used, us, strict=True) if none == "raises" or p.grad is not None
            )
            kept = [p.detach().numpy().copy() for p in used]
            values = []
            for step in (1e-6, back):
                for p, k, u in zip(used, kept, us, strict=True):
                    p.data = mg.tensor(k + step * u)
                with mg.no_grad():
                    values.append(float(loss()))
            if restore:
                for p, k in zip(used, kept, strict=True):
                    p.data = mg.tensor(k)
            if not agree(slope, (values[0] - values[1]) / (1e-6 - back)):
                return False
        return True

    return answer


MISTAKES["the direction of all ones"] = Mistake(
    directional(all_ones),
    "Along a direction of ones only the **sum** of the gradient is compared. A gradient whose entries stand in the wrong "
    "places, or are all replaced by their mean, has the right sum. Draw the direction at random, entry by entry.",
)


def one_number_each(params: list[Any]) -> list[Any]:
    return [np.full(tuple(p.shape), np.random.normal()) for p in params]


MISTAKES["one random number for each parameter"] = Mistake(
    directional(one_number_each),
    "Within each parameter your direction has the same number everywhere, so only the sum of its gradient counts. Draw "
    "a number "
    "for every *entry*.",
)


def only_one(params: list[Any]) -> list[Any]:
    return [np.random.normal(size=tuple(p.shape)) * (k == 0) for k, p in enumerate(params)]


MISTAKES["only the first parameter moves"] = Mistake(
    directional(only_one),
    "Only the first parameter moves, so only its gradient is tested. One direction goes through **all** parameters at "
    "once: "
    "a random array for each.",
)

MISTAKES["gradients left over"] = Mistake(
    directional(clear=False),
    "There was something in `.grad` already, and backward adds to it. Clear the gradients before you begin.",
)

MISTAKES["the parameters stay moved"] = Mistake(
    directional(restore=False),
    "The parameters are not where they were: you stepped forth and back and forgot the way home. Keep copies, or undo "
    "both steps.",
)


def close_absolute(slope: float, change: float) -> bool:
    return bool(abs(slope - change) < 1e-3)


ABSOLUTE = (
    "What is a small difference? Beside a slope of a million, 1 is small; beside a slope of a millionth it is enormous. "
    "Compare *relative* to the size of the two numbers: `abs(a - b) <= 1e-4 * (abs(a) + abs(b))`. (If you do so: is the "
    "direction random? Along the gradient itself a step is as long as that is large.)"
)
MISTAKES["an absolute tolerance"] = Mistake(directional(agree=close_absolute), ABSOLUTE)
MISTAKES["a wide absolute tolerance"] = Mistake(directional(agree=lambda slope, change: abs(slope - change) < 1), ABSOLUTE)


def answers_of(results: list[Any]) -> list[Any]:
    return [result.get("returns") for result in results if isinstance(result, dict)]


def says_true_of_wrong(source: str, results: list[Any]) -> bool:
    """Is a right gradient refused, as that of the first case is, and are wrong ones accepted? They are more than half of the cases."""
    said = answers_of(results)
    return said[:1] == [False] and said.count(True) > len(results) / 2


MISTAKES["turned round"] = Mistake(
    directional(agree=lambda a, b: not close(a, b)),
    "You say False of right gradients and True of wrong ones: the comparison is turned round.",
    says_true_of_wrong,
)

MISTAKES["always True"] = Mistake(
    lambda loss, params: True,
    "You say True of all of these, also where a gradient is of the wrong sign. Print the two numbers that you compare: do they come "
    "from two different ways?",
    lambda source, results: False not in answers_of(results),
)

MISTAKES["numbers must be equal"] = Mistake(
    directional(agree=lambda a, b: a == b),
    "You said False of gradients that are right. Print both numbers. If they nearly agree, the tolerance is missing, or too narrow "
    "beside such numbers: two slopes that were computed in different ways are never equal to the last bit, and 1e-4 of their size is "
    "small enough. If they do not, look at the differences: is eps 1e-6, and are the parameters back where they were before you go "
    "the other way?",
)

MISTAKES["a missing gradient is skipped"] = Mistake(
    directional(none="leave out"),
    "A parameter whose `.grad` is None was left out of the test. But perhaps the loss depends on it, and somebody has "
    "detached it: that is one of the bugs to be found. Move it like the others, and count its gradient as zero.",
)

MISTAKES["a missing gradient raises"] = Mistake(
    directional(none="raises"),
    "One of the parameters has no gradient: its `.grad` is None, and nothing can be computed with that. It counts with zero, and "
    "the parameter moves like the others.",
)

MISTAKES["one-sided differences"] = Mistake(
    directional(back=0.0),
    "You refused a right gradient, near the bottom of a valley. A difference to **one** side is off by half the step times the second "
    "derivative, and beside a small slope that is much. Asked for are central differences: a step to both sides.",
)

BOTH_ARE_0 = (
    "Here both slopes are exactly 0, so they agree. A relative tolerance of 0 is 0: `0 < 0` is False, and to divide by a slope of 0 "
    "is an error, or NaN. Multiply instead, and allow for equality: `abs(a - b) <= 1e-4 * (abs(a) + abs(b))`."
)


def less_than(a: float, b: float) -> bool:
    return abs(a - b) < 1e-4 * (abs(a) + abs(b))


def divided(a: float, b: float) -> bool:
    return abs(a - b) / (abs(a) + abs(b)) <= 1e-4


MISTAKES["two slopes of 0 do not agree"] = Mistake(directional(agree=less_than), BOTH_ARE_0)
MISTAKES["divided by a slope of 0"] = Mistake(directional(agree=divided), BOTH_ARE_0)
