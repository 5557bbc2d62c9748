"""12.5 Through the window: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch12.ex05.answer import WINDOWS_HINTS, grads
from minigrad.course.bank.ch12.known import spoiled
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def grads_belief(rule: str, believed: Callable[[int], list[float]]) -> Mistake:
    return Mistake(spoiled(believed, rule, grads), WINDOWS_HINTS[rule])


MISTAKES["v kept its old history"] = grads_belief("the base is written", lambda k: [2, 2, 0, 0])
MISTAKES["v shows all of y"] = grads_belief("the base is written", lambda k: [2 * k] * 4)
MISTAKES["only the write counts"] = grads_belief("the base is written", lambda k: [k, k, 0, 0])
MISTAKES["y does not know of it"] = grads_belief("the window is written", lambda k: [2, 2, 2, 2])
MISTAKES["y lost the other cells"] = grads_belief("the window is written", lambda k: [2 * k, 2 * k, 0, 0])
MISTAKES["all of y is written"] = grads_belief("the window is written", lambda k: [2 * k] * 4)
MISTAKES["a clone is a window"] = grads_belief("a clone is written", lambda k: [2 * k, 2 * k, 2, 2])
MISTAKES["windows do not see each other"] = grads_belief("another window is written", lambda k: [0, 2, 2, 2])
MISTAKES["w is written whole"] = grads_belief("another window is written", lambda k: [0, 2 * k, 2 * k, 2 * k])
MISTAKES["the numbers decide"] = grads_belief("written under no_grad", lambda k: [2 * k, 2 * k, 2, 2])
MISTAKES["no_grad cuts the cells off"] = grads_belief("written under no_grad", lambda k: [0, 0, 2, 2])
MISTAKES["s follows the write"] = grads_belief("summed before the write", lambda k: [2 * k, 2 * k, 0, 0])
