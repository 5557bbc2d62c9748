"""What several exercises of chapter 09 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg


class Watch:
    """A function that an answer is given, watched: where it is called, and how often a backward pass comes back to its input."""

    def __init__(self, f: Callable[..., Any], x: Any = None) -> None:
        self.inner = f
        self.x = None if x is None else x.detach().numpy().copy()
        self.passes = 0
        self.moved = False
        self.borrowed = False  # called by a function of the library that does the whole exercise
        self.behind: list[int] = []  # for each call, the nodes behind the input
        self.inputs: list[Any] = []

    def f(self, x: Any) -> Any:
        if self.x is not None and not np.array_equal(x.detach().numpy(), self.x):
            self.moved = True
        self.borrowed = self.borrowed or "autograd.functional" in sys._getframe(1).f_globals.get("__name__", "")
        self.behind.append(nodes_behind(x))
        if x.requires_grad and not any(x is other for other in self.inputs):
            self.inputs.append(x)
            x.register_hook(self.count)  # fires once in every backward pass that reaches x
        return self.inner(x)

    def count(self, g: Any) -> None:
        self.passes += 1

    def place(self) -> str:
        return "at other points than x" if self.moved else "at x only"


def nodes_behind(t: Any, most: int = 2000) -> int:
    """How many nodes stand behind t."""
    seen: set[Any] = set()
    todo = [t.grad_fn]
    while todo and len(seen) < most:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo.extend(child for child, _ in node.next_functions)
    return len(seen)


def in_words(passes: int, n: int) -> int | str:
    """A number of passes, where it does not grow with the number of variables."""
    return passes if passes < n else "as many as there are variables, or more"


def valley(x: Any) -> Any:
    """Neighbours are coupled, and every second derivative changes from point to point."""
    return (x[:-1] ** 2 * x[1:]).sum() + (x**4).sum() / 4


def gradient_at(f: Callable[..., Any], x: Any) -> Any:
    (g,) = mg.autograd.grad(f(x), x)
    return g
