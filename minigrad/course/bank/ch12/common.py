"""What several exercises of chapter 12 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minigrad as mg

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


LONG = 9
