"""What several exercises of chapter 02 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.course.helpers.values import Value


def everything_behind(root: Any) -> list[Any]:
    """Every Value behind root, root first, each once; in no special order."""
    found, todo = {root: None}, [root]
    while todo:
        for i in todo.pop().inputs:
            if i is not None and i not in found:
                found[i] = None
                todo.append(i)
    return list(found)


class TooMuch(Exception):
    """An answer looked at far more than the graph holds."""


def expression(text: str, rng: np.random.Generator | None = None, shape: tuple[int, ...] = ()) -> dict[str, Any]:
    """The leaves of a small program and its last Value, `L`."""
    rng = rng or np.random.default_rng(0)
    space: dict[str, Any] = {name: Value(rng.uniform(0.5, 1.5, shape) if shape else rng.uniform(0.5, 1.5)) for name in "ab"}
    exec(text, space)
    return {name: space[name] for name in ("a", "b", "L")}


def random_graph(rng: np.random.Generator, size: int, dtype: Any = np.float64) -> dict[str, Any]:
    """Leaves of shape (3,), constants and much reuse; the last Value is one number."""
    leaves = {name: Value(rng.uniform(0.3, 1.2, 3).astype(dtype)) for name in "abc"}
    pool = list(leaves.values())
    for _ in range(size):
        x, y = (pool[int(rng.integers(max(0, len(pool) - 4), len(pool)))] for _ in range(2))
        kind = int(rng.integers(5))
        if kind == 0:
            pool.append(x + float(rng.normal()))
        elif kind == 1:
            pool.append((x * -0.5).exp())
        else:
            pool.append((x + y, x - y, x * y * 0.5)[kind - 2])
    total = pool[-1]
    for leaf in leaves.values():
        total = total + leaf * pool[-2]
    return leaves | {"L": total.sum()}
