"""12.1 View or copy?: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch12.ex01.answer import KINDS_TRUE, kinds
from minigrad.course.bank.ch12.known import spoiled
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

KINDS_HINTS = {
    "basic index": (
        "An index of numbers, slices, steps and `...` moves nothing: the cells that it picks lie at equal distances, so a "
        "start and a step describe them. A view."
    ),
    "reshape": (
        "`view`, and `reshape` or `flatten` of a tensor that lies in memory in its own order, only count the same cells in "
        "another way. A view."
    ),
    "transpose": "A transposed tensor reads the same cells in another order: its steps are swapped, no number moves. A view.",
    "reshape that cannot": (
        "`reshape` is **not always** a view. Write down the numbers in the order in which the new tensor wants them, and the "
        "cells in which they lie. If no fixed step leads from each to the next, they must be copied; `view` would raise."
    ),
    "list of rows": (
        "A list or a tensor of positions may pick cells in any order and twice, so no start and step describe them. The "
        "numbers are copied, even where a slice would have picked the same."
    ),
    "mask": "A mask picks cells at any distances, so they are copied. That holds even if the mask is True everywhere.",
    "expand": "`expand` copies nothing. It shows each cell several times: a step of 0. (`repeat` copies.) A view.",
    "arithmetic": (
        "Arithmetic, `clone`, `repeat`, `stack` and a new dtype give a result in cells of its own, even if the numbers are "
        "the same. A copy."
    ),
    "detach": "`detach()` and `.data` cut off the **history**, not the memory: they look at the same cells. A view.",
    "parts": "`unbind`, `split` and `chunk` open several windows at once. None of them copies. A view.",
}

MISTAKES |= {
    f"{rule}: {'copy' if right == 'view' else 'view'}": Mistake(
        spoiled(lambda code, right=right: "copy" if right == "view" else "view", rule, kinds),  # type: ignore[misc]
        KINDS_HINTS[rule],
    )
    for rule, right in KINDS_TRUE.items()
}
