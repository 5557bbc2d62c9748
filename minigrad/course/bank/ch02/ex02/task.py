"""02.2 Is this order legal?: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def complete(order: list[str], sends: dict[str, list[str]]) -> bool:
    return sorted(order) == sorted(sends)


def neighbours_only(order, sends):
    if not complete(order, sends):
        return False
    return not any(first in sends[second] for first, second in zip(order, order[1:], strict=False))


def neighbours_joined(order, sends):
    return complete(order, sends) and all(b in sends[a] for a, b in zip(order, order[1:], strict=False))


def root_of(sends: dict[str, list[str]]) -> str:
    return next(name for name in sends if not any(name in children for children in sends.values()))


LESSON_GRAPH = {"d": ["b", "c"], "c": ["b"], "b": ["a"], "a": []}
DIAMOND = {"e": ["c", "d"], "d": ["b"], "c": ["b"], "b": ["a"], "a": []}


def random_sends(rng: np.random.Generator, size: int) -> dict[str, list[str]]:
    """A graph with one root, in which everything can be reached. Names come by chance, so that they tell nothing."""
    names = [str(name) for name in rng.permutation(list("abcdefghij"[:size]))]
    sends: dict[str, list[str]] = {name: [] for name in names}
    for k in range(1, size):
        parents = rng.choice(k, size=min(k, int(rng.integers(1, 3))), replace=False)
        for parent in parents:
            sends[names[parent]].append(names[k])
    last = names[-1]
    for name in names[:-1]:
        if not sends[name]:
            sends[name].append(last)
    return {name: sends[name] for name in sorted(names)}


def legal_orders(sends: dict[str, list[str]], *begun: str) -> list[list[str]]:
    """All legal orders that begin like this, by the alphabet: after each node, whatever waits for nobody any more."""
    left = sorted(sends.keys() - set(begun))
    free = [name for name in left if not any(name in sends[other] for other in left)]
    return [order for name in free for order in legal_orders(sends, *begun, name)] if left else [list(begun)]


def legal_order(rng: np.random.Generator, sends: dict[str, list[str]]) -> list[str]:
    """One of the legal orders, by chance."""
    left, order = set(sends), []
    while left:
        free = sorted(name for name in left if not any(name in sends[other] for other in left))
        order.append(str(rng.choice(free)))
        left.remove(order[-1])
    return order


def apart(rng: np.random.Generator, size: int) -> tuple[list[str], dict[str, list[str]]]:
    """A graph and an illegal order of it, from root to leaf, in which no node stands right after one to which it sends."""
    while True:
        sends = random_sends(rng, size)
        first, last = root_of(sends), next(name for name in sends if not sends[name])
        inside = [str(name) for name in rng.permutation([name for name in sends if name not in (first, last)])]
        order = [first, *inside, last]
        if neighbours_only(order, sends) and order not in legal_orders(sends):
            return order, sends


def is_legal_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def graphs(size: int, count: int) -> list[dict[str, list[str]]]:
        return [random_sends(rng, size) for _ in range(count)]

    def legal(sends: dict[str, list[str]]) -> list[str]:
        return legal_order(rng, sends)

    def several(size: int) -> dict[str, list[str]]:
        """A graph with more than one legal order. If a legal order follows the arrows from node to node, it is the only one."""
        while True:
            sends = random_sends(rng, size)
            if not neighbours_joined(legal(sends), sends):
                return sends

    def without(sends: dict[str, list[str]]) -> list[str]:
        order = legal(sends)
        order.pop(int(rng.integers(1, len(order) - 1)))
        return order

    def doubled(sends: dict[str, list[str]]) -> list[str]:
        order = legal(sends)
        k = int(rng.integers(len(order)))
        return [*order[: k + 1], *order[k:]]

    def replaced(sends: dict[str, list[str]]) -> list[str]:
        order = legal(sends)
        k = int(rng.integers(len(order) - 1))
        return [*order[: k + 1], order[k], *order[k + 2 :]]

    swapped = ["e", "b", "c", "d", "a"]
    big = [several(8) for _ in range(4)]
    small = several(5)
    # Whoever knows one legal order of `small`, accepts one.
    return [
        Case(
            "arrows: legal orders",
            ([(["d", "c", "b", "a"], LESSON_GRAPH), (list("ecdba"), DIAMOND), (list("edcba"), DIAMOND)],),
        ),
        Case("arrows: legal orders of random graphs", ([(legal(g), g) for g in 3 * big] + [(o, small) for o in legal_orders(small)],)),
        Case("arrows: neighbours in the wrong order", ([(["d", "b", "c", "a"], LESSON_GRAPH), (swapped, DIAMOND)],)),
        Case("arrows: a node too early, far from its consumer", ([apart(rng, 7) for _ in range(4)],)),
        Case("arrows: legal orders, turned round", ([(legal(g)[::-1], g) for g in big],)),
        Case("missing: a node is left out", ([(without(g), g) for g in graphs(6, 4)],)),
        Case("twice: a node stands there twice", ([(doubled(g), g) for g in graphs(6, 4)],)),
        Case("length: one node twice, and another not at all", ([(replaced(g), g) for g in graphs(6, 4)],)),
        Case("stranger: a node that is not in the graph", ([([*legal(g), "z"], g) for g in graphs(6, 4)],)),
        Case("stranger: in the place of the last node", ([([*legal(g)[:-1], "z"], g) for g in graphs(6, 4)],)),
    ]


def observe_is_legal(answer: Callable[..., Any], pairs: list[tuple[list[str], dict[str, list[str]]]]) -> Any:
    said = []
    for order, sends in pairs:
        for again in (False, True):
            verdict = answer(list(order), {name: list(children) for name, children in sends.items()})
            if not isinstance(verdict, bool | np.bool_):
                return unfit(verdict, "True or False")
            if again and verdict != said[-1]:
                return {"accepted": "another answer to the same question", "trace_said": said}
            said += [bool(verdict)] * (not again)
    accepted = "all" if all(said) else "some" if any(said) else "none"
    # All that was said is for the example that a learner is shown: it is not compared.
    return {"accepted": accepted, "trace_said": said}


SQUARE = {"L": ["b", "b"], "b": ["a"], "a": []}
TWO_PIECES = {"d": ["c"], "c": [], "b": ["a"], "a": []}


def is_legal_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("arrows: a graph of two pieces", ([(list("dcba"), TWO_PIECES), (list("bdac"), TWO_PIECES)],)),
        Case("arrows: two messages from one node to another", ([(["L", "b", "a"], SQUARE)],)),
        Case("arrows: a single node", ([(["a"], {"a": []})],)),
        Case("arrows: two nodes, turned round", ([(["b", "a"], {"a": ["b"], "b": []})],)),
        Case("missing: an empty order", ([([], LESSON_GRAPH), ([], {"a": []})],)),
        # One arrow is wrong, and it is not the only one of its node: whoever looks at one of each list may miss it.
        Case("arrows: only the second in the list of its node is wrong", ([(list("decba"), DIAMOND)],)),
        Case("arrows: only the first in the list of its node is wrong", ([(list("cedba"), DIAMOND)],)),
        Case("missing: one of two pieces", ([(["d", "c"], TWO_PIECES), (["b", "a"], TWO_PIECES)],)),
    ]


TASK = Part(
    id="02.2",
    title="Is this order legal?",
    difficulty=2,
    minutes=6,
    requirements=(
        Requirement(
            "`sends` is a dict. For each node of the graph, by its name, it holds the list of nodes to which it sends "
            "messages.",
        ),
        Requirement(
            "`order` is a list of names. It may be anything: too short, too long, with names that nobody knows.",
            ("KeyError for a missing node", "ValueError for a missing node"),
        ),
        Requirement(
            "Return `True` if every node of the graph fires exactly once, nothing else fires, and each node fires only after "
            "all that send to it have fired. Else return `False`, and raise no error.",
            (
                "neighbours only", "a node may fire twice", "a stranger", "a node may be missing", "one order only",
                "of two messages one is counted", "only the first of each list", "only the last of each list",
            ),
        ),
        Requirement("Change neither.", attacks=("empties its inputs",)),
    ),
    cases=is_legal_cases,
    edges=is_legal_edges,
    observe=observe_is_legal,
)
