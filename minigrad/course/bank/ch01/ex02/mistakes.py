"""01.2 Draw to code: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch01.ex02.answer import build
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def quotient(s, t, c):
    """The graph above the product; s and t are to be the same tensor."""
    return (s - c) / (t.exp() + 1)


MISTAKES["the shared node is computed twice"] = Mistake(
    lambda a, b, c: quotient(a * b, a * b, c),
    "The picture has one MulBackward0 with **two** arrows coming in; you have two of them, "
    "with one arrow each. Every time the line runs, a new node is made. Compute it once and "
    "use its name twice.",
)

MISTAKES["one addition too many"] = Mistake(
    lambda a, b, c: build(a, b, c) + 0,
    "One node too many: an AddBackward0 comes last. `+ 0` changes no number, but it is an operation and it is recorded.",
)

MISTAKES["one multiplication too many"] = Mistake(
    lambda a, b, c: build(a, b, c) * 1,
    "One node too many: a MulBackward0 comes last. `* 1` changes no number, but it is an operation and it is recorded.",
)

MISTAKES["the difference the wrong way round"] = Mistake(
    lambda a, b, c: (c - (s := a * b)) / (s.exp() + 1),
    "SubBackward0 has an order: its left arrow leads to what stands left of the minus.",
)

MISTAKES["the quotient upside down"] = Mistake(
    lambda a, b, c: ((s := a * b).exp() + 1) / (s - c), "DivBackward0 has an order: its left arrow leads to the numerator."
)

MISTAKES["the constant is missing"] = Mistake(
    lambda a, b, c: ((s := a * b) - c) / s.exp(),
    "The dotted edge is missing. It is an input of AddBackward0 that leads nowhere: a "
    "constant was added there. Which number it was, the graph does not say.",
)

MISTAKES["the constant is a leaf that requires grad"] = Mistake(
    lambda a, b, c: ((s := a * b) - c) / (s.exp() + mg.ones_like(a).requires_grad_()),
    "The dotted edge leads nowhere: what was added there does not require grad. Yours does, so an AccumulateGrad waits at it.",
)
