"""04.6 Write the VJPs: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch04.common import Array
from minigrad.course.bank.shared import as_asked
from minigrad.course.exercise import Case, Part, Requirement

VJP_STARTER = '''\
class VJP:
    """Backward rules on NumPy arrays: v has the shape of y, and what is returned has the shape of x."""

    @staticmethod
    def transpose(v, axes):
        """y = np.transpose(x, axes)."""
        ...

    @staticmethod
    def sum(v, shape, axis):
        """y = x.sum(axis). shape: the shape of x. axis: one int, perhaps negative."""
        ...

    @staticmethod
    def mean(v, shape, axis):
        """y = x.mean(axis). shape: the shape of x. axis: one int, perhaps negative."""
        ...

    @staticmethod
    def matmul(v, A, B):
        """y = A @ B, both with two axes. Returns two arrays: for A and for B."""
        ...

    @staticmethod
    def index(v, shape, rows):
        """y = x[rows]. shape: the shape of x. rows: a 1-d array of ints, perhaps with repeats."""
        ...

    @staticmethod
    def unbroadcast(v, shape):
        """y = np.broadcast_to(x, v.shape). shape: the shape of x."""
        ...
'''


def vjp_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def array(*shape: int) -> Array:
        return rng.normal(size=shape).astype(precision)

    repeated = rng.permutation([0, 2, 2, 2, 3, 3])
    return [
        Case("transpose: shape (2, 5), axes (1, 0)", ("transpose", array(5, 2), (1, 0))),
        Case("transpose: shape (2, 3, 4), axes (2, 0, 1)", ("transpose", array(4, 2, 3), (2, 0, 1))),
        Case("transpose: shape (2, 3, 4, 5), axes (1, 3, 0, 2)", ("transpose", array(3, 5, 2, 4), (1, 3, 0, 2))),
        Case("sum: shape (3, 5), axis 0", ("sum", array(5), (3, 5), 0)),
        Case("sum: shape (3, 5), axis 1", ("sum", array(3), (3, 5), 1)),
        Case("sum: shape (2, 3, 4), axis -2", ("sum", array(2, 4), (2, 3, 4), -2)),
        Case("sum: shape (4,), axis 0", ("sum", array(), (4,), 0)),
        Case("mean: shape (3, 5), axis 0", ("mean", array(5), (3, 5), 0)),
        Case("mean: shape (2, 3, 4), axis 1", ("mean", array(2, 4), (2, 3, 4), 1)),
        Case("mean: shape (2, 3, 4), axis -1", ("mean", array(2, 3), (2, 3, 4), -1)),
        Case("matmul: (2, 3) @ (3, 4)", ("matmul", array(2, 4), array(2, 3), array(3, 4))),
        # A square one, where even the wrong products have the right shape: it tells them apart.
        Case("matmul: (3, 3) @ (3, 3)", ("matmul", array(3, 3), array(3, 3), array(3, 3))),
        Case("matmul: (5, 1) @ (1, 2)", ("matmul", array(5, 2), array(5, 1), array(1, 2))),
        Case("index: shape (5, 2), no row repeated", ("index", array(3, 2), (5, 2), np.array([4, 0, 3]))),
        Case("index: shape (4,), rows repeated", ("index", array(6), (4,), repeated)),
        Case("index: shape (4, 3), rows repeated", ("index", array(6, 3), (4, 3), repeated.copy())),
        Case("unbroadcast: same shape, (2, 3) from (2, 3)", ("unbroadcast", array(2, 3), (2, 3))),
        Case("unbroadcast: axes in front, (4, 2, 3) from (3,)", ("unbroadcast", array(4, 2, 3), (3,))),
        Case(
            "unbroadcast: a stretched axis, (2, 5, 3) from (2, 1, 3)",
            ("unbroadcast", array(2, 5, 3), (2, 1, 3)),
        ),
        Case("unbroadcast: both, (4, 2, 3) from (2, 1)", ("unbroadcast", array(4, 2, 3), (2, 1))),
        Case("unbroadcast: a single number, (4, 3) from ()", ("unbroadcast", array(4, 3), ())),
    ]


def watch_vjp(answer: Any, rule: str, *args: Any) -> Any:
    result = getattr(answer, rule)(*args)
    name = f"VJP.{rule}"
    if rule != "matmul":
        return {name: as_asked(result)}
    if result is None or result is ...:
        result = result, result
    if isinstance(result, list | tuple) and len(result) == 2:
        return {f"{name}, for {which}": as_asked(g) for which, g in zip("AB", result, strict=True)}
    came = f"{len(result)} of them" if isinstance(result, list | tuple) else f"one {type(result).__name__}"
    return {f"{name}, for A": f"{came}, not two arrays", f"{name}, for B": None}


def vjp_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def array(*shape: int) -> Array:
        return rng.normal(size=shape).astype(precision)

    return [
        Case("transpose: shape (4,), axes (0,)", ("transpose", array(4), (0,))),
        Case("transpose: shape (1, 3, 1), axes (1, 2, 0)", ("transpose", array(3, 1, 1), (1, 2, 0))),
        Case("sum: shape (1,), axis 0", ("sum", array(), (1,), 0)),
        Case("sum: shape (3, 3), axis -1", ("sum", array(3), (3, 3), -1)),
        Case("sum: shape (1, 4), axis 1", ("sum", array(1), (1, 4), 1)),
        Case("mean: shape (5,), axis -1", ("mean", array(), (5,), -1)),
        Case("mean: shape (3, 3), axis 1", ("mean", array(3), (3, 3), 1)),
        Case("mean: shape (4, 1), axis 0", ("mean", array(1), (4, 1), 0)),
        Case("matmul: (1, 1) @ (1, 1)", ("matmul", array(1, 1), array(1, 1), array(1, 1))),
        Case("matmul: (1, 4) @ (4, 1)", ("matmul", array(1, 1), array(1, 4), array(4, 1))),
        Case("index: shape (1,), one row, three times", ("index", array(3), (1,), np.array([0, 0, 0]))),
        Case("index: shape (3, 1), one row", ("index", array(1, 1), (3, 1), np.array([1]))),
        Case("unbroadcast: a single number, () from ()", ("unbroadcast", array(), ())),
        Case("unbroadcast: (1, 3) from (3,)", ("unbroadcast", array(1, 3), (3,))),
        Case("unbroadcast: (1, 1) from (1,)", ("unbroadcast", array(1, 1), (1,))),
        Case("unbroadcast: (3, 3) from (1, 3)", ("unbroadcast", array(3, 3), (1, 3))),
        Case("unbroadcast: (2, 3, 4) from (1, 1)", ("unbroadcast", array(2, 3, 4), (1, 1))),
    ]


TASK = Part(
    id="04.6",
    title="Write the VJPs",
    difficulty=3,
    minutes=25,
    requirements=(
        Requirement(
            "Each rule returns vᵀJ, a NumPy array of the shape of `x`; `matmul` returns two.",
            ("transpose: same permutation", "sum: no expand", "matmul: results swapped", "unbroadcast: no keepdims"),
        ),
        Requirement(
            "It is right for every `v`, not only for ones.",
            ("sum: v is forgotten", "matmul: v is forgotten", "index: v is forgotten"),
        ),
        Requirement(
            "Do not change `v` or any other argument. You may call one rule from another, as `VJP.sum(…)`.",
            attacks=("sum writes into its inputs", "index writes into its inputs"),
        ),
    ),
    points=6,
    starter=VJP_STARTER,
    cases=vjp_cases,
    edges=vjp_edges,
    observe=watch_vjp,
)
