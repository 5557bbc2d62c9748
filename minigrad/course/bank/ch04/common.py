"""What several exercises of chapter 04 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg

Array = np.ndarray


class Watch:
    """Watches functions that an answer is given: the backward passes through their results, and what is recorded after.

    `on_top` counts the graph's nodes that are recorded outside of these functions, once the first has been called.
    """

    def __init__(self) -> None:
        self.passes = self.calls = self.on_top = 0
        self.probe = mg.ones(1, requires_grad=True) * 1  # no leaf, so that each clock makes one node only
        self.last: int | None = None

    def clock(self) -> int:
        """The number of a node that is made now."""
        with mg.enable_grad():
            node: Any = (self.probe * 1).grad_fn
        return int(node._sequence_nr())

    def stop(self) -> None:
        """Count what was recorded since the last of the functions ended."""
        if self.last is not None:
            self.on_top += self.clock() - self.last - 1

    def around(self, f: Callable[..., Any], name: str, passes: bool = True) -> Callable[..., Any]:
        """f, watched; under its own name in error messages. passes: count the backward passes through its result."""

        def watched(x: Any) -> Any:
            self.stop()
            y = f(x)
            if passes:
                self.calls += 1
                if y.requires_grad:  # a walk that ends at y does not pass: its node does not run
                    (y.grad_fn or y).register_hook(self.count)
            self.last = self.clock()
            return y

        watched.__name__ = watched.__qualname__ = name
        return watched

    def count(self, *cotangents: Any) -> None:
        self.passes += 1
