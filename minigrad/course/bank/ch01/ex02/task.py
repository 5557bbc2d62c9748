"""01.2 Draw to code: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch01.common import changes, state_of
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.graphs import class_of
from minigrad.course.judging.compare import unfit

COMMUTES = {"AddBackward0", "MulBackward0"}


def listing(t: Any, leaves: dict[str, Any]) -> list[str]:
    """A graph in words: two graphs have the same ones if and only if they are isomorphic, where no two nodes of the
    one compute the same. A line is a node and its inputs, by number; those of + and * may swap.
    """
    names = {id(leaf): name for name, leaf in leaves.items()}
    written: dict[Any, str] = {}  # each node with everything behind it, written out

    def write(node: Any) -> str:
        if node is None:
            return "None"
        if hasattr(node, "variable"):
            return names.get(id(node.variable), "another leaf")
        if node not in written:
            written[node] = f"{class_of(node)}({', '.join(write(child) for child in inputs(node))})"
        return written[node]

    def inputs(node: Any) -> list[Any]:
        children = [child for child, _ in node.next_functions]
        return sorted(children, key=write) if class_of(node) in COMMUTES else children

    write(t.grad_fn)
    nodes = sorted(written, key=lambda node: (len(written[node]), written[node]))
    number = {node: str(k) for k, node in enumerate(nodes, 1)}
    return [
        f"{number[node]}: {class_of(node)}({', '.join(number.get(child) or write(child) for child in inputs(node))})"
        for node in nodes
    ]


def observe_build(answer: Callable[..., Any], a: Any, b: Any, c: Any) -> Any:
    inputs = {"a": a, "b": b, "c": c}
    before = {name: state_of(t) for name, t in inputs.items()}
    result = answer(a, b, c)
    if not isinstance(result, mg.Tensor):
        return unfit(result, "a tensor: the last one, whose node is at the bottom of the picture")
    return {"graph": listing(result, inputs), "changed": changes(before, inputs)}


def build_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaves(*values: float) -> tuple[Any, ...]:
        return tuple(mg.tensor(value, dtype=dtype, requires_grad=True) for value in values)

    return [
        Case("three numbers", leaves(*rng.uniform(0.5, 2.0, 3).tolist())),
        Case("other signs", leaves(*rng.uniform(-2.0, -0.5, 3).tolist())),
    ]


TASK = Part(
    id="01.2",
    title="Draw to code",
    difficulty=2,
    minutes=6,
    requirements=(
        Requirement(
            "Arrows leave a box in the order of the inputs, the first input on the left. The inputs of `+` and `*` may "
            "change places, those of `-` and `/` may not.",
            ("the difference the wrong way round", "the quotient upside down"),
        ),
        Requirement(
            "What is one box in the picture is one node in your graph, also where two arrows come in.",
            ("the shared node is computed twice",),
        ),
        Requirement("No box more and none less.", ("one addition too many", "one multiplication too many")),
        Requirement(
            "The dotted edge is a constant; any number will do.",
            ("the constant is missing", "the constant is a leaf that requires grad"),
        ),
    ),
    cases=build_cases,
    without={
        "edges": "the graph is looked at, and it is the same for all numbers",
    },
    observe=observe_build,
    may_change_inputs=True,
)
