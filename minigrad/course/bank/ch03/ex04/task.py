"""03.4 Chain: what is asked, and what is seen of an answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch03.common import Array
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def random_map(rng: np.random.Generator, m: int, n: int, kind: str) -> tuple[Any, Any]:
    """A map of n numbers to m, with its Jacobian."""
    W = rng.normal(size=(m, n)) / math.sqrt(n)
    if kind == "tanh":
        return (lambda x: np.tanh(W @ x)), (lambda x: (1 / np.cosh(W @ x) ** 2)[:, None] * W)
    if kind == "sin":
        return (lambda x: np.sin(W @ x)), (lambda x: np.cos(W @ x)[:, None] * W)
    return (lambda x: W @ x**2), (lambda x: W * (2 * x))


def chain_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def maps(*sizes: int) -> list[tuple[Any, Any]]:
        kinds = [str(kind) for kind in rng.permutation(["tanh", "sin", "square"])]
        return [random_map(rng, m, n, kind) for n, m, kind in zip(sizes, sizes[1:], kinds, strict=False)]

    return [
        Case("three maps, 2 → 5 → 3 → 4", (2, maps(2, 5, 3, 4), rng.normal(size=2))),
        # Where all sizes are equal, no wrong order and no wrong point raises: it tells them apart.
        Case("three maps, 3 → 3 → 3 → 3", (3, maps(3, 3, 3, 3), rng.normal(size=3))),
        Case("two maps, 4 → 1 → 3", (4, maps(4, 1, 3), rng.normal(size=4))),
        Case("one map, 3 → 5", (3, maps(3, 5), rng.normal(size=3))),
    ]


ALL_ASKED = "each Jacobian was asked for"


def watch_chain(answer: Callable[..., Any], n: int, maps: list[tuple[Any, Any]], x: Array) -> Any:
    """The product; and whether the Jacobians were used, each at a point of the right size."""
    asked: set[int] = set()
    sizes = [n]
    for f, _ in maps:
        sizes.append(len(f(np.ones(sizes[-1]))))

    def fits(at: Any, k: int, name: str) -> None:
        if np.shape(at) != (sizes[k],):
            raise ValueError(f"{name} of map {k} takes {sizes[k]} numbers; this is {np.shape(at)}")

    def watched(k: int) -> tuple[Any, Any]:
        f, J = maps[k]

        def map_f(at: Array) -> Array:
            fits(at, k, "f")
            return np.asarray(f(at))

        def map_J(at: Array) -> Array:
            fits(at, k, "J")
            asked.add(k)
            return np.asarray(J(at))

        map_f.__name__ = map_f.__qualname__ = "f"
        map_J.__name__ = map_J.__qualname__ = "J"
        return map_f, map_J

    product = answer([watched(k) for k in range(len(maps))], x)
    if not isinstance(product, np.ndarray):
        return unfit(product, "a NumPy array of shape (m, n)")
    if not asked and product.shape == (sizes[-1], n):
        return {"the Jacobians": "none was asked for"}
    told = ALL_ASKED if len(asked) == len(maps) else "some were not asked for" if asked else "none was asked for"
    return {"the Jacobians": told, "J": product}


def chain_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def maps(*sizes: int) -> list[tuple[Any, Any]]:
        return [random_map(rng, m, n, "sin") for n, m in zip(sizes, sizes[1:], strict=False)]

    return [
        Case("one map, 1 → 1", (1, maps(1, 1), rng.normal(size=1))),
        Case("two maps, 1 → 1 → 1", (1, maps(1, 1, 1), rng.normal(size=1))),
        Case("four maps, 1 → 3 → 2 → 2 → 1", (1, maps(1, 3, 2, 2, 1), rng.normal(size=1))),
    ]


TASK = Part(
    id="03.4",
    title="Chain",
    difficulty=2,
    minutes=7,
    requirements=(
        Requirement(
            "`maps` is a list of pairs `(f, J)`, in the order in which they are applied: the first to `x`, the next to what "
            "comes out, and so on. There may be one, two or more.",
            ("in the order of application", "the last one only"),
        ),
        Requirement(
            "`f(x)` is the value, an array; `J(x)` is the Jacobian of `f` at `x`, an array of shape (outputs, inputs).",
            ("all at x", "one step too far"),
        ),
        Requirement(
            "Return the Jacobian of the whole at `x`, an array. Use the chain rule; no differences.",
            ("differences", "added", "entry by entry"),
        ),
        Requirement("One map alone is its own Jacobian, whatever its size.", ("begun with 1",)),
    ),
    cases=chain_cases,
    edges=chain_edges,
    observe=watch_chain,
)
