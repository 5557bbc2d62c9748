"""01.3 Find the leaves: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch01.common import changes, state_of
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.graphs import class_of, nodes_of
from minigrad.course.judging.compare import unfit


class TooManyVisits(Exception):
    """The walk read far more edges than the graph has."""


class Watched:
    """Stands for a tensor or a node of a graph, and counts how often `next_functions` is read."""

    def __init__(self, real: Any, log: SimpleNamespace) -> None:
        self._real, self._log = real, log

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._real)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __repr__(self) -> str:
        return repr(self._real)

    @property
    def grad_fn(self) -> Any:
        return watch(self._real.grad_fn, self._log)

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        self._log.reads += 1
        if self._log.reads > self._log.limit:
            raise TooManyVisits
        return tuple((watch(node, self._log), index) for node, index in self._real.next_functions)


def watch(real: Any, log: SimpleNamespace) -> Any:
    """The one Watched of this object in this log; its class is named as the object's."""
    if real is None:
        return None
    if real not in log.known:
        log.known[real] = type(type(real).__name__, (Watched,), {})(real, log)
    return log.known[real]


def ladder(levels: int) -> tuple[dict[str, Any], Any]:
    """Every rung uses the one before it twice: `levels` nodes, 2 ** levels paths."""
    x = mg.tensor(1.0, requires_grad=True)
    t = x * 0.5
    for _ in range(levels - 1):
        t = t + t
    return {"x": x}, t


def random_graph(rng: np.random.Generator, size: int) -> tuple[dict[str, Any], Any]:
    """Leaves, constants, reuse, indexing and branches that are cut off; the result is the last tensor."""
    found = {f"leaf {i}": mg.tensor(rng.normal(size=3).tolist(), requires_grad=True) for i in range(5)}
    pool = [*found.values(), mg.tensor(rng.normal(size=3).tolist())]
    for _ in range(size):
        i, j = rng.integers(len(pool), size=2)
        kind = rng.integers(6)
        if kind == 0:
            pool.append(pool[i].detach() + pool[j])
        elif kind == 1:
            pool.append(pool[i][:2].sum() * 0.1 + pool[j])
        elif kind == 2:
            pool.append(2 * mg.sin(pool[i]))
        else:
            pool.append(mg.sin(pool[i] * pool[j]) if kind % 2 else pool[i] - pool[j])
    return found, pool[-1] + pool[-2]


def leaf_graph(recipe: tuple[Any, ...]) -> tuple[dict[str, Any], Any]:
    """Named leaves and the tensor t whose leaves are asked for."""
    kind = recipe[0]
    if kind == "ladder":
        return ladder(recipe[1])
    if kind == "random":
        return random_graph(np.random.default_rng(recipe[1]), recipe[2])
    a, b = (mg.tensor(recipe[1] * factor, requires_grad=True) for factor in (1, 1 if kind == "twins" else 2))
    k = mg.tensor(recipe[1] * 3, requires_grad=True) if kind == "three edges" else mg.tensor(recipe[1])
    if kind == "an old .grad":
        a.grad, b.grad = (mg.ones_like(leaf) * 7 for leaf in (a, b))
    t = {
        "product": lambda: a * b,
        "itself": lambda: a,
        "constant": lambda: k,
        "from constants": lambda: k * 2 + k,
        "one constant": lambda: (k * a).exp() + 1,
        "diamond": lambda: (a * b) * (a + b),
        "cut": lambda: (a * 2).detach() * b.exp(),
        "square": lambda: a * a,
        "twins": lambda: a * 2 + b * 3,
        "parts": lambda: mg.stack([a, b]).unbind()[1] * 3,
        "three edges": lambda: mg.stack([a, b, k]) * 2,
        "None between": lambda: mg.stack([a, k, b]) * 2,
        "an old .grad": lambda: a * 2 + b,
        "asked twice": lambda: a * 2 + b,
    }[kind]()
    return {"a": a, "b": b, "k": k}, t


def observe_leaves(answer: Callable[..., Any], recipe: tuple[Any, ...]) -> Any:
    found, t = leaf_graph(recipe)
    twins = recipe[0] == "twins"  # which of them is found does not matter, only whether both are
    names = {id(leaf): "a twin" if twins else name for name, leaf in found.items()}
    walks: list[int] = []
    for leaf in found.values():
        if leaf.requires_grad:
            leaf.register_hook(lambda g: walks.append(1))
    watched_for_changes = found | ({} if any(t is leaf for leaf in found.values()) else {"t": t})
    before = {name: state_of(tensor) for name, tensor in watched_for_changes.items()}
    if recipe[0] == "ladder":
        nodes = nodes_of(t)
        log = SimpleNamespace(known={}, reads=0, limit=20 * len(nodes))
        t = watch(t, log)
    if recipe[0] == "asked twice":
        answer(t)
    try:
        returned = answer(t)
    except TooManyVisits:
        return {"the leaves": f"stopped after {log.limit} reads of next_functions in a graph of {len(nodes)} nodes"}
    if not isinstance(returned, list):
        return unfit(returned, "a list of tensors")

    def told(thing: Any) -> str:
        if id(thing) in names:
            return names[id(thing)]
        if thing is t:
            return "`t` itself, a result"
        if hasattr(thing, "variable"):
            return f"the node {class_of(thing)}"
        if not isinstance(thing, mg.Tensor):
            return f"no tensor, but {class_of(thing)}"
        like = [name for name, leaf in found.items() if leaf.tolist() == thing.tolist()]
        return f"another tensor with the numbers of {like[0]}" if like else "another tensor"

    return {
        "the leaves": sorted(told(thing) for thing in returned),
        "what your function changed": changes(before, watched_for_changes),
        "backward passes": "some" if walks else "none",
    }


def leaves_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    value = float(rng.uniform(0.5, 1.5))
    small = {
        "a * b": "product",
        "a leaf itself": "itself",
        "a constant": "constant",
        "computed from constants": "from constants",
        "one constant among the inputs": "one constant",
        "the same leaf twice": "square",
        "two ways to each leaf": "diamond",
        "one branch is detached": "cut",
        "two leaves with equal values": "twins",
        "one part of a stack": "parts",
    }
    cases = [Case(label, ((kind, value),)) for label, kind in small.items()]
    for size in (6, 15, 40):
        cases.append(Case(f"a random graph of {size} steps", (("random", int(rng.integers(2**31)), size),)))
    cases.append(Case("a ladder of 25 diamonds", (("ladder", 26),)))
    more = {
        "three leaves in a stack": "three edges",
        "a constant between two leaves in a stack": "None between",
        "leaves with an old .grad": "an old .grad",
        "asked for a second time on the same graph": "asked twice",
    }
    return [*cases, *(Case(label, ((kind, value),)) for label, kind in more.items())]


TASK = Part(
    id="01.3",
    title="Find the leaves",
    difficulty=3,
    minutes=10,
    requirements=(
        Requirement(
            "The list holds the leaves themselves, not their values, copies or nodes.",
            ("nodes instead of tensors", "a tuple"),
        ),
        Requirement("It holds only leaves that require grad.", ("a constant counts as a leaf to find",)),
        Requirement("For a leaf `t` it is `[t]` if `t` requires grad, else `[]`.", ("t may be a leaf itself",)),
        Requirement(
            "It holds each leaf once, however many paths lead there; two leaves with equal numbers are two.",
            ("every path is walked", "equal is not identical", "two edges of each node", "seen is kept between calls"),
        ),
        Requirement(
            "Walk no path twice: one of the graphs is a ladder of 25 diamonds (`t = t + t`, 25 times).",
            ("duplicates are removed at the end",),
        ),
        Requirement(
            "Change nothing, and call no `backward()`.",
            ("an old .grad is cleared",),
            attacks=("leaves a .grad", "freezes its inputs"),
        ),
    ),
    cases=leaves_cases,
    without={
        "edges": "the graphs themselves are special: a leaf, a constant, twins, a ladder",
    },
    observe=observe_leaves,
)
