"""07.3 Weigh it: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


# Each builds a graph from leaves and constants, and gives its root.
def chain_of_outputs(x):
    return mg.exp(mg.tanh(mg.exp(x))).sum()


def nothing_saved(x, y):
    return (-(x + y)).sum() + x.mean()


def used_by_two(x, y):
    return (x * y).sum() + mg.sin(x).sum()


def itself(x):
    return (x * x).sum()


def layer(W, X, b):
    return mg.tanh(X @ W.T + b).sum()


def made_of_constants(k, x):
    return (mg.exp(k) * (k * x)).sum()


def second_edge(k, x):
    return (k + x.cos() * mg.exp(x)).sum()


def last_edge(k, x):
    return (x.sin() * mg.exp(x) + k).sum()


def middle_edge(k, x, y):
    return mg.stack([mg.exp(x), k, mg.tanh(y)]).sum()


def twice_used(x):
    h = mg.exp(x)
    return (mg.sin(h) + mg.cos(h) * h).sum()


def ladder(x):
    for _ in range(25):
        x = x + x
    return mg.tanh(x)


def picked(x, rows):
    return (x[rows] ** 2).sum()


def stacked(x, y, z):
    return mg.stack([mg.exp(x), mg.tanh(y), mg.exp(z)]).sum()


GRAPHS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        chain_of_outputs,
        nothing_saved,
        used_by_two,
        itself,
        layer,
        made_of_constants,
        second_edge,
        last_edge,
        middle_edge,
        twice_used,
        ladder,
        picked,
        stacked,
    )
}


def saved_bytes_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    m, n, k = (int(size) for size in rng.permutation(np.arange(5, 30))[:3])
    return [
        Case("three in a chain, each saves its result", ("chain_of_outputs", leaf(m), "fresh")),
        Case("nothing is saved", ("nothing_saved", leaf(n), leaf(n), "fresh")),
        Case("an array that two nodes keep", ("used_by_two", leaf(k), leaf(k), "fresh")),
        Case("an array that one node keeps twice", ("itself", leaf(n), "fresh")),
        Case("a layer of a network", ("layer", leaf(m, n), tensor(k, n), leaf(m), "fresh")),
        Case("constants", ("made_of_constants", tensor(m), leaf(m), "fresh")),
        Case("the first edge leads to None", ("second_edge", tensor(k), leaf(k), "fresh")),
        Case("the last edge leads to None", ("last_edge", tensor(n), leaf(n), "fresh")),
        Case("the edge in the middle leads to None", ("middle_edge", tensor(m), leaf(m), leaf(m), "fresh")),
        Case("a result that three nodes keep", ("twice_used", leaf(m), "fresh")),
        Case("rows that are picked", ("picked", leaf(m, 3), mg.tensor(rng.integers(m, size=n)), "fresh")),
        Case("after a backward pass", ("layer", leaf(n, m), tensor(k, m), leaf(n), "freed")),
        Case("after a pass that retained the graph", ("chain_of_outputs", leaf(k), "retained")),
        Case("a ladder with 2²⁵ paths", ("ladder", leaf(), "fresh")),
    ]


def watch_saved_bytes(answer: Callable[..., Any], name: str, *args: Any) -> Any:
    *inputs, state = args
    root = GRAPHS[name](*inputs)
    if state != "fresh":
        root.backward(retain_graph=state == "retained")
    returned = answer(root)
    if hasattr(returned, "item"):
        returned = returned.item()
    if not isinstance(returned, int) or isinstance(returned, bool):
        return unfit(returned, "an int, the number of bytes")
    return {"bytes": returned}


def saved_bytes_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("a leaf of one number, three in a chain", ("chain_of_outputs", random_tensor(rng, dtype, 1, leaf=True), "fresh")),
        Case(
            "after a backward pass, where nothing was saved",
            ("nothing_saved", *(random_tensor(rng, dtype, 4, leaf=True) for _ in "ab"), "freed"),
        ),
        Case("three in a stack", ("stacked", *(random_tensor(rng, dtype, 4, leaf=True) for _ in "abc"), "fresh")),
    ]


TASK = Part(
    id="07.3",
    title="Weigh it",
    difficulty=3,
    minutes=9,
    requirements=(
        Requirement(
            "`suitcase(node)`, given below, lists the arrays of **one** node as pairs `(place, bytes)`. `place` is a number "
            "that tells which array it is: the same array has the same place in every suitcase.",
            ("equal sizes taken for one array",),
        ),
        Requirement(
            "An array that is in several suitcases is in memory once, so it counts **once**.",
            ("shared arrays counted twice", "once for each node"),
        ),
        Requirement(
            "Count what is saved, and nothing else: not the leaves, not the result, if nobody has saved them.",
            ("leaves counted though not saved", "the result counted though not saved", "arrays instead of bytes"),
        ),
        Requirement(
            "`root` is a Tensor with a `grad_fn`. A node may be reached on many paths: one of the graphs has 2²⁵ of them. "
            "Return an int.",
            ("every path is walked", "two edges of each node"),
        ),
    ),
    cases=saved_bytes_cases,
    edges=saved_bytes_edges,
    observe=watch_saved_bytes,
    may_change_inputs=True,
    time_limit=1.0,
)
