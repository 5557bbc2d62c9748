"""12.3 The VJP of a slice assignment: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit

Array = np.ndarray


def setitem_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def case(code: str, shape: tuple[int, ...], index: Any, values: tuple[int, ...]) -> Case:
        part = "broadcast" if values != np.empty(shape)[index].shape else "one value for each cell"
        return Case(f"{part}: y[{code}] = values, y of shape {shape}, values of shape {values}", (array(*shape), index, values))

    def array(*shape: int) -> Array:
        return rng.normal(size=shape).astype(precision)

    mask = np.array([[True, False, True], [False, False, False], [True, True, False], [False, True, False]])
    return [
        case("1:4", (5,), slice(1, 4), (3,)),
        case("3", (5,), 3, ()),
        case("2", (4, 3), 2, (3,)),
        case("1:3", (4, 3), slice(1, 3), (2, 3)),
        case("::2", (7,), slice(None, None, 2), (4,)),
        case(":, 1", (4, 3), (slice(None), 1), (4,)),
        case("1:3, ::2", (4, 5), (slice(1, 3), slice(None, None, 2)), (2, 3)),
        case("mask", (4, 3), mask, (5,)),
        case("[3, 0]", (4, 3), [3, 0], (2, 3)),
        case("1:4", (5,), slice(1, 4), ()),
        case("1:4", (6,), slice(1, 4), (1,)),
        case("1:3", (4, 3), slice(1, 3), (3,)),
        case("1:3, ::2", (4, 5), (slice(1, 3), slice(None, None, 2)), (2, 1)),
        case("mask", (4, 3), mask.copy(), ()),
    ]


def watch_setitem(answer: Callable[..., Any], v: Array, index: Any, shape: tuple[int, ...]) -> Any:
    result = answer(v, index, shape)
    if not (isinstance(result, list | tuple) and len(result) == 2):
        return unfit(result, "two arrays, for y before the write and for values")
    found = [a if isinstance(a, np.ndarray | np.generic | float) else f"a {type(a).__name__}, not an array" for a in result]
    return {"for y before the write": found[0], "for values": found[1]}


def setitem_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def case(code: str, shape: tuple[int, ...], index: Any, values: tuple[int, ...]) -> Case:
        part = "broadcast" if values != np.empty(shape)[index].shape else "one value for each cell"
        v = rng.normal(size=shape).astype(precision)
        return Case(f"{part}: y[{code}] = values, y of shape {shape}, values of shape {values}", (v, index, values))

    return [
        case("0", (1,), 0, ()),
        case("-1", (4,), -1, ()),
        case("1, 2", (2, 3), (1, 2), ()),
        case(":", (3,), slice(None), (3,)),
        case("[2]", (3, 2), [2], (1, 2)),
        case(":", (3,), slice(None), ()),
        case("1", (2, 3), 1, ()),
        case("1", (2, 3), 1, (1,)),
        case("2:2", (4,), slice(2, 2), ()),
        case(":, 1:", (3, 3), (slice(None), slice(1, None)), (3, 1)),
        case("1:", (3, 2, 2), slice(1, None), (1, 2)),
    ]


TASK = Part(
    id="12.3",
    title="The VJP of a slice assignment",
    difficulty=4,
    minutes=12,
    requirements=(
        Requirement(
            "`v` is an array of the shape of `y`: the cotangent of `y` **after** the write.",
            ("v is forgotten", "overwritten cells not zeroed"),
        ),
        Requirement(
            "`index` is what stood in the brackets: an int, a slice, a tuple of these, a mask, or a list. It picks no cell "
            "twice.",
            ("nothing left of the old y",),
        ),
        Requirement(
            "`shape` is the shape of `values`. They were broadcast to the shape of `y[index]`, so `shape` has at most as "
            "many axes.",
            ("values not summed", "values averaged"),
        ),
        Requirement(
            "Return two arrays: the cotangent of `y` **before** the write, with the shape of `y`, and that of `values`, with "
            "`shape`. Do not change `v`.",
            ("the two are swapped", "v is changed"),
        ),
    ),
    cases=setitem_cases,
    edges=setitem_edges,
    observe=watch_setitem,
)
