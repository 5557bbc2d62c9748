"""What several exercises of chapter 10 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg

fw = mg.autograd.forward_ad


class Watch:
    """A function that an answer is given, watched: where it is called, with what, and how often a pass comes back to it."""

    def __init__(self, f: Callable[..., Any], x: Any) -> None:
        self.inner = f
        self.x = x.detach().numpy().copy()
        self.calls = 0
        self.forward = 0  # calls with a dual tensor
        self.backward = 0  # passes that come back to the input, those of one batched call counted once
        self.rows = 0  # the same, each row of a batch counted
        self.moved = False
        self.borrowed = False  # called by a function of the library that does the whole exercise
        self.batches: list[Any] = []
        self.inputs: list[Any] = []

    def f(self, x: Any) -> Any:
        self.calls += 1
        self.borrowed = self.borrowed or "autograd.functional" in sys._getframe(1).f_globals.get("__name__", "")
        self.forward += fw.unpack_dual(x).tangent is not None
        self.moved = self.moved or not np.array_equal(x.detach().numpy(), self.x)
        if x.requires_grad and not any(x is other for other in self.inputs):
            self.inputs.append(x)
            x.register_hook(self.count)
        return self.inner(x)

    def count(self, g: Any) -> None:
        self.rows += 1
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_name != "_batched":  # where minigrad loops over a batch
            frame = frame.f_back
        if frame is None:
            self.backward += 1
        elif not any(frame is other for other in self.batches):
            self.backward += 1
            self.batches.append(frame)

    def place(self) -> str:
        return "at other points than x" if self.moved else "at x only"

    def caller(self) -> str:
        return "mg.autograd.functional" if self.borrowed else "you"

    def kind(self) -> str:
        return "a dual tensor" if self.forward else "no dual tensor"


def passes_in_words(count: int, most: int, rows: int) -> str:
    """A number of passes or calls, said so that up to `most` are alike, and so are all that a loop over the rows makes."""
    if count <= most:
        return str(most) if most == 1 else f"at most {most}"
    return "one for each row of J, or more" if count >= rows > most else str(count)


def level_now() -> str:
    """Whether a level is still open; if so, it is closed."""
    try:
        fw.exit_dual_level()
    except RuntimeError:
        return "closed"
    return "still open"


def neighbours(x: Any) -> Any:
    return x[:-1] * x[1:]
