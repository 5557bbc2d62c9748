"""12.2 The recurrence that raises: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.core import views
from minigrad.course.bank.ch12.common import default_dtype, grad_of
from minigrad.course.bank.watching import calls_of
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.graphs import class_of, nodes_of
from minigrad.course.judging.compare import unfit

REPAIR_STARTER = '''\
class Repair:
    """Each takes a leaf x of shape () and returns y of shape (2,), with y[0] = x**2 and y[1] = x**3."""

    @staticmethod
    def clone(x):
        """y is a buffer, and y[1] is computed from what is read from y."""
        ...

    @staticmethod
    def name(x):
        """y is a buffer, and nothing is read from it."""
        ...

    @staticmethod
    def stack(x):
        """There is no buffer."""
        ...
'''


def repair_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype)

    def leaf() -> Any:
        return mg.tensor(float(rng.uniform(0.5, 2)), dtype=dtype, requires_grad=True)

    return [Case(f"{way}: {kind} x", (way, leaf(), numbers(2))) for way in WAYS for kind in ("some", "another")]


WAYS = ("clone", "name", "stack")


def reads_back(y: Any) -> bool:
    """Whether what was written into y by some write came out of an earlier one."""
    for node in nodes_of(y):
        if class_of(node) == "CopySlices":
            source, _ = node.next_functions[1]
            todo, seen = [source], set()
            while todo:
                child = todo.pop()
                if child is None or child in seen:
                    continue
                if class_of(child) == "CopySlices":
                    return True
                seen.add(child)
                todo.extend(n for n, _ in child.next_functions)
    return False


def watch_repair(answer: Any, way: str, x: Any, v: Any) -> Any:
    with default_dtype(x.dtype), calls_of(views, "write") as written:
        y = getattr(answer, way)(x)
    if y is None:
        return {"y": None}
    if not isinstance(y, mg.Tensor):
        return unfit(y, "a Tensor y of shape (2,)")
    seen: dict[str, Any] = {"y": y}
    if tuple(y.shape) == (2,):
        writes = [class_of(node) for node in nodes_of(y)].count("CopySlices")
        seen |= {
            "writes into single cells, in the graph of y": min(writes, 2),
            "and the graph of y[1] goes through what is read from y": reads_back(y),
        }
        if way == "stack":  # a write to all of y at once is no CopySlices, nor is one to a tensor that is stacked
            seen["written in place"] = "y" if writes or y._version else "another tensor" if written else "nothing"
        if y.requires_grad:
            y.backward(v)
        seen["x.grad after y.backward(v)"] = grad_of(x)
    return seen


def repair_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(way: str, label: str, number: float) -> Case:
        x = mg.tensor(number, dtype=dtype, requires_grad=True)
        return Case(f"{way}: {label}", (way, x, mg.tensor(rng.normal(size=2), dtype=dtype)))

    return [case(way, label, number) for way in WAYS for label, number in (("x is 0", 0.0), ("a negative x", -1.5))]


TASK = Part(
    id="12.2",
    title="The recurrence that raises",
    difficulty=3,
    minutes=10,
    requirements=(
        Requirement(
            "`Repair.clone(x)`: keep the buffer, and compute `y[1]` from what you **read** from it.",
            ("clone: not read", "clone: no buffer", "clone: still saved"),
        ),
        Requirement(
            "`Repair.name(x)`: keep the buffer, write into `y[0]` and `y[1]`, and read nothing from it.",
            ("name: still read", "name: no buffer", "name: one cell"),
        ),
        Requirement(
            "`Repair.stack(x)`: no buffer, nothing is written in place.",
            ("stack: a buffer", "stack: one write", "stack: no history"),
        ),
        Requirement(
            "In all three the numbers are right, and so is the gradient for every v.",
            ("clone: gradient lost", "name: gradient lost"),
        ),
    ),
    starter=REPAIR_STARTER,
    cases=repair_cases,
    edges=repair_edges,
    observe=watch_repair,
)
