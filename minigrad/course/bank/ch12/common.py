"""What several exercises of chapter 12 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.helpers.graphs import class_of, nodes_of

Draw = tuple[tuple[str, str, Any], ...]  # (key, rule, what is drawn for this line or block), in the order of the program


@contextlib.contextmanager
def default_dtype(dtype: Any) -> Iterator[None]:
    """New tensors have this dtype: a buffer of another one would convert, that is, copy what is read from it."""
    before = mg.get_default_dtype()
    mg.set_default_dtype(dtype)
    try:
        yield
    finally:
        mg.set_default_dtype(before)


def grad_of(leaf: Any) -> Any:
    """Its gradient, or a word: None would be taken for a forgotten return."""
    return "nothing" if leaf.grad is None else leaf.grad


def draw_lines(table: dict[str, list[Any]], keys: str) -> Callable[[np.random.Generator], Draw]:
    """Draws of one line of each rule, in any order."""

    def draw(rng: np.random.Generator) -> Draw:
        rules = [str(rule) for rule in rng.permutation(list(table))]
        return tuple((key, rule, table[rule][rng.integers(len(table[rule]))]) for key, rule in zip(keys, rules, strict=True))

    return draw


LONG = 30  # so many steps that what grows with their square shows


JOINS, WINDOWS = ("Cat", "Stack"), ("Unbind", "Select", "Slice", "View", "Unsqueeze", "Squeeze", "Reshape")


def joins_again(node: Any) -> bool:
    """Whether a node joins what was joined before, as it is or through windows: it copies all of that once more."""
    before = [child for child, _ in node.next_functions if child is not None]
    before += [child for window in before if class_of(window).startswith(WINDOWS) for child, _ in window.next_functions]
    return class_of(node).startswith(JOINS) and any(child is not None and class_of(child).startswith(JOINS) for child in before)


def price_of(h: Any, n: int, step: str, parts: int | None = None) -> str:
    """What grows with the square of n in a graph, if anything does; a short one tells nothing.

    step: the operation that is done once for each of the n steps. parts: how many cat and stack may join, where that is asked.
    """
    if n < LONG:
        return "too short to tell"
    names = [class_of(node) for node in nodes_of(h)]
    if names.count("CopySlices") > 1:
        return "a buffer"
    if parts is not None and sum(map(joins_again, nodes_of(h))) > parts:
        return "joined at every step"
    if sum(name.startswith(step) for name in names) > 2 * n:
        return "computed again"
    numbers = sum(math.prod(shape) for node in nodes_of(h) for shape, _ in getattr(node, "_metas", ()))  # PyTorch has none
    return "much beside" if numbers > 15 * h.numel() else "once"
