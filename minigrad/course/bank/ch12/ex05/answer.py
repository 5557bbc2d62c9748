"""12.5 Through the window: the answer, its hints and why it is right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigrad.course.bank.ch12.common import Draw
from minigrad.course.bank.ch12.ex05.task import windows_block
from minigrad.course.bank.ch12.known import says
from minigrad.course.bank.shared import run
from minigrad.course.exercise import Part

WINDOWS_HINTS = {
    "the base is written": (
        "`v` did not keep its old history. It is a window: after the write it shows the new numbers, and its history is that of "
        "the new `y`. Each entry that it shows has the slope of the product of both factors."
    ),
    "the window is written": (
        "A write through the window is a write to `y`: two cells of `y` are the new products, the other two are as before. The "
        "engine records it on `y`, as CopySlices."
    ),
    "a clone is written": (
        "`clone` copies. What is done to the copy does not reach `y`, neither its numbers nor its history."
    ),
    "another window is written": (
        "Both windows look at cells 1 and 2. The write through `v` changes them for everybody, so `w` shows two written "
        "cells and one old one. Cell 0 is written but `w` does not show it."
    ),
    "written under no_grad": (
        "The numbers in the cells did change. But under `no_grad` the write was not recorded: the graph still says that `y` is "
        "`2 * x`, and the gradient comes from the graph."
    ),
    "summed before the write": (
        "`s` was computed from the old numbers, before the write. It is a result with cells and a history of its own, no window: "
        "a later write to `y` changes nothing in it. (A sum saves nothing, so no alarm rings either.)"
    ),
}


def grads(draw: Draw) -> dict[str, list[float]]:
    """Run each program and look at x.grad."""
    return {key: run(windows_block(rule, factor))["x"].grad.tolist() for key, rule, factor in draw}


def grads_by_rule(draw: Draw) -> dict[str, list[float]]:
    by_rule: dict[str, Callable[[int], list[float]]] = {
        "the base is written": lambda k: [2.0 * k, 2.0 * k, 0.0, 0.0],
        "the window is written": lambda k: [2.0 * k, 2.0 * k, 2.0, 2.0],
        "a clone is written": lambda k: [2.0] * 4,
        "another window is written": lambda k: [0.0, 2.0 * k, 2.0 * k, 2.0],
        "written under no_grad": lambda k: [2.0] * 4,
        "summed before the write": lambda k: [2.0, 2.0, 0.0, 0.0],
    }
    return {key: by_rule[rule](factor) for key, rule, factor in draw}


ANSWER = Part(
    reference=grads,
    accept=says(
        WINDOWS_HINTS, lambda got: np.shape(got) == (4,), "Write a list of four numbers: what `x.grad` holds in the end."
    ),
    alternatives={
        "by the rules": grads_by_rule,
    },
    hints=(
        "Two questions for each program. Which cells does the last line add up? And which of these were multiplied, "
        "recorded, before they were added?",
        "Draw four cells. They begin with slope 2. A recorded write multiplies the slope of each cell that it touches, "
        "whichever window it came through. The last line picks the cells; the others get 0.",
        "Two of the six lists end in 0, 0; one begins with 0; two are the same number four times.\n\n"
        '```python\ngrads = {\n    "A": [..., ..., ..., ...],\n    ...\n}\n```',
    ),
    explanation="""\
For a base and its recorded windows the engine keeps **one history**: that of the base. A recorded write, by
whatever name, becomes the newest node of the base. A window's `grad_fn` is made anew when it is asked for after such a
write: it reads "this part of the base of now".

So `v` learns of `y.mul_`, `y` learns of `v.mul_`, and `w` learns of `v.mul_` where the two overlap. A clone
learns of nothing, and neither does a sum that was already computed.

Under `no_grad` numbers and history part: the cells hold 2k, the graph says 2. Nothing warns you, because nothing
that was saved is out of date.
""",
)
