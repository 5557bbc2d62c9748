"""13.3 How many calls?: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch13.ex03.answer import (
    AFTER_ADDING,
    GRAD_ADDS_NOTHING,
    NOT_REACHED,
    ONCE_WITH_THE_SUM,
    THIS_PASS_ONLY,
    calls,
)
from minigrad.course.bank.ch13.ex03.task import CallsDraw
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def calls_belief(key: str, believed: Callable[[int, int, int, int], list[float]]) -> Callable[[CallsDraw], dict[str, Any]]:
    """The dict of somebody who is right but for one key."""
    return lambda draw: calls(draw) | {key: believed(*draw[:4])}


MISTAKES["once per use"] = Mistake(calls_belief("h", lambda a, b, c, d: [c, d] * 3), ONCE_WITH_THE_SUM)
MISTAKES["once per use, newest first"] = Mistake(calls_belief("h", lambda a, b, c, d: [d, c] * 3), ONCE_WITH_THE_SUM)
MISTAKES["the last use"] = Mistake(calls_belief("h", lambda a, b, c, d: [d] * 3), ONCE_WITH_THE_SUM)

MISTAKES["once in all"] = Mistake(
    calls_belief("h", lambda a, b, c, d: [c + d]),
    "A hook stays until you remove it. There are three passes, so it is called three times.",
)

MISTAKES["h adds up"] = Mistake(
    calls_belief("h", lambda a, b, c, d: [c + d, 2 * (c + d), 3 * (c + d)]),
    "Only `.grad` adds up from pass to pass. What a hook gets is the gradient of this pass.",
)

HOOKS_RUN_IN_GRAD = "`mg.autograd.grad` is a pass like any other: it comes by at `h` and at `x`, and their hooks are called."
MISTAKES["grad calls no hooks"] = Mistake(calls_belief("h", lambda a, b, c, d: [c + d] * 2), HOOKS_RUN_IN_GRAD)

SLOPE_OF_L = (
    "The hook on a tensor gets the slope of `L` **with respect to that tensor**: for `h` the sum of its two factors in `L`."
)

MISTAKES["the slope up to x"] = Mistake(calls_belief("h", lambda a, b, c, d: [a * (c + d)] * 3), SLOPE_OF_L)
MISTAKES["zeros for what is not reached"] = Mistake(calls_belief("side", lambda a, b, c, d: [0.0] * 3), NOT_REACHED)
MISTAKES["one zero"] = Mistake(calls_belief("side", lambda a, b, c, d: [0.0]), NOT_REACHED)
MISTAKES["its own slope"] = Mistake(calls_belief("side", lambda a, b, c, d: [b] * 3), NOT_REACHED)
MISTAKES["a one"] = Mistake(calls_belief("side", lambda a, b, c, d: [1.0] * 3), NOT_REACHED)

MISTAKES["the leaf's hook sees .grad"] = Mistake(
    calls_belief("x", lambda a, b, c, d: [a * (c + d), 2 * a * (c + d), 3 * a * (c + d)]), THIS_PASS_ONLY
)

MISTAKES["the leaf's hook sees .grad, and grad calls none"] = Mistake(
    calls_belief("x", lambda a, b, c, d: [a * (c + d), 2 * a * (c + d)]), THIS_PASS_ONLY
)

MISTAKES["the leaf once per use"] = Mistake(calls_belief("x", lambda a, b, c, d: [a * c, a * d] * 3), ONCE_WITH_THE_SUM)

MISTAKES["the leaf's hook once in all"] = Mistake(
    calls_belief("x", lambda a, b, c, d: [a * (c + d)]), "A hook on a leaf stays as well: three passes, three calls."
)

MISTAKES["grad calls no hook of a leaf"] = Mistake(calls_belief("x", lambda a, b, c, d: [a * (c + d)] * 2), HOOKS_RUN_IN_GRAD)
MISTAKES["the slope of h at x"] = Mistake(calls_belief("x", lambda a, b, c, d: [c + d] * 3), SLOPE_OF_L)
MISTAKES["each pass for itself"] = Mistake(calls_belief("after", lambda a, b, c, d: [a * (c + d)] * 2), AFTER_ADDING)

MISTAKES["each pass for itself, three times"] = Mistake(
    calls_belief("after", lambda a, b, c, d: [a * (c + d)] * 3), AFTER_ADDING
)

MISTAKES["grad adds too"] = Mistake(
    calls_belief("after", lambda a, b, c, d: [k * a * (c + d) for k in (1, 2, 3)]), GRAD_ADDS_NOTHING
)

MISTAKES["grad calls what comes after, first"] = Mistake(
    calls_belief("after", lambda a, b, c, d: [a * (c + d), a * (c + d), 2 * a * (c + d)]), GRAD_ADDS_NOTHING
)

MISTAKES["grad calls what comes after, last"] = Mistake(
    calls_belief("after", lambda a, b, c, d: [a * (c + d), 2 * a * (c + d), 2 * a * (c + d)]), GRAD_ADDS_NOTHING
)

MISTAKES["only the last state"] = Mistake(
    calls_belief("after", lambda a, b, c, d: [2 * a * (c + d)]), "It is called once for each `backward`, not once at the end."
)
