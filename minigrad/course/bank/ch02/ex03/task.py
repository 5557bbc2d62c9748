"""02.3 Sort it: what is asked, and what is seen of an answer."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad.course.bank.ch02.common import TooMuch, everything_behind, expression, random_graph
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.values import Value
from minigrad.course.judging.compare import unfit


class Counted(Value):
    """A Value that counts how often its inputs are read, and how often it is compared with another."""

    def __init__(self, data: Any, inputs: Any, log: dict[str, int]) -> None:
        self._inputs, self._log = inputs, log
        super().__init__(data)

    def _count(self, what: str) -> None:
        self._log[what] = self._log.get(what, 0) + 1
        if self._log[what] > self._log["limit"]:
            raise TooMuch(what)

    @property  # type: ignore[misc]
    def inputs(self) -> Any:
        self._count("reads")
        return self._inputs

    @inputs.setter
    def inputs(self, given: Any) -> None:
        """What a Value is given when it is made is known already."""

    def __eq__(self, other: object) -> bool:
        self._count("comparisons")
        return self is other

    def __hash__(self) -> int:
        return id(self)


def counted(kind: str, size: int) -> Any:
    """A ladder, of which `inputs` may be read not too often, or a chain, whose Values may be compared not too often."""
    log = {"limit": 30 * size, "reads" if kind == "chain" else "comparisons": -(10**9)}
    value = Counted(0.0, (), log)
    for _ in range(size):
        value = Counted(0.0, (value, value) if kind == "ladder" else (value,), log)
    return value


SMALL = {
    "four operations, and a leaf that is used twice": ["L = ((a + b).exp() * b).exp()", "L = (b + a.exp() * a).exp()"],
    "a Value that is used twice, on a short way and on a long one": [
        "s = a * b; L = s * s.exp()",
        "s = a * b; L = s.exp() * s",
        "s = a * b; t = s.exp(); L = (t * s) + (t + s)",
        "s = a * b; t = s.exp(); L = (s + t) + (s * t)",
    ],
    "constants": ["L = (a * 2 + 1).exp()", "s = a * 3; L = s * s + b"],
}

DEEP = 5_000  # several times as deep as Python calls itself


def topo_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    seeds = [int(rng.integers(2**31)) for _ in range(6)]
    return [
        *(Case(label, (("small", texts),)) for label, texts in SMALL.items()),
        Case("six random graphs", (("random", seeds),)),
        Case("a ladder of 25 diamonds, t = t + t again and again", (("ladder", 25),)),
        Case("a chain of 500 operations", (("chain", 500),)),
        Case(f"a chain of {DEEP:,} operations", (("deep", DEEP),)),
    ]


def fault(order: Any, root: Any) -> tuple[str, str]:
    """What is wrong with a list of Values: a word, and the same in a sentence. Two empty ones for nothing."""
    if any(value is None for value in order):
        return "None", "There is a None in the list: that is the place of a constant, and no Value."
    if not all(isinstance(value, Value) for value in order):
        return "kind", "There is something in the list that is no Value."
    wanted, got = {id(value) for value in everything_behind(root)}, [id(value) for value in order]
    there = set(got)
    if there - wanted:
        return "stranger", "There is a Value in the list that is not behind root."
    if len(there) < len(got):
        return "twice", f"A Value stands in the list more than once: there are {len(wanted)}, your list holds {len(got)}."
    if id(root) not in there:
        return "no root", "root itself is missing."
    if there != wanted:
        missing = [value for value in everything_behind(root) if id(value) not in there]
        if missing == [value for value in everything_behind(root) if not value.inputs]:
            return "no leaves", "The leaves are missing: they are Values too, and come last."
        return "missing", f"{len(missing)} of {len(wanted)} Values are missing."

    arrows = [(id(v), id(i)) for v in everything_behind(root) for i in v.inputs if i is not None]

    def legal(ids: list[int]) -> bool:
        place = {key: k for k, key in enumerate(ids)}
        return all(place[v] < place[i] for v, i in arrows)

    if legal(got):
        return "", ""
    if legal(got[::-1]):
        return "turned round", "Every Value comes *after* its inputs. The root must be first."
    return "too early", "A Value stands in the list before one of its consumers: it would fire too early."


def roots_for(kind: str, of: Any) -> dict[str, Any]:
    """The roots at which an answer is tried, by a name for each."""
    if kind == "random":
        return {f"random graph {k}": random_graph(np.random.default_rng(seed), 12)["L"] for k, seed in enumerate(of, 1)}
    if kind == "small":
        return {text: expression(text)["L"] for text in of}
    if kind in ("ladder", "chain"):
        return {kind: counted(kind, of)}
    if kind == "made":
        return {of: Value(1.0, (None, Value(1.0).exp()))}
    value = Value(1.0)
    for _ in range(of):
        value = Value(1.0, (value,))
    return {kind: value}


@contextlib.contextmanager
def shallow() -> Iterator[None]:
    """Here Python calls itself no deeper than usual, also for those who raise its limit."""
    depth, setter = sys.getrecursionlimit(), sys.setrecursionlimit
    setter(max(1000, len(inspect.stack(0)) + 400))
    sys.setrecursionlimit = lambda limit: None  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.setrecursionlimit = setter
        setter(depth)


def observe_topo(answer: Callable[..., Any], recipe: tuple[str, Any]) -> Any:
    found = []
    for text, root in roots_for(*recipe).items():
        behind = None if hasattr(root, "_log") else everything_behind(root)
        for again in (False, True) if recipe[0] == "small" else (False,):  # what was left behind shows in a second call
            try:
                with shallow():
                    order = answer(root)
            except TooMuch as error:
                return {"the order": f"stopped: too many {error}", "cost_told": TOLD_TOO_MUCH[str(error)]}
            if not isinstance(order, list | tuple):
                return unfit(order, "a list of Values")
            if getattr(root, "_log", None):
                root._log.update(reads=0, comparisons=0, limit=10**9)  # from here on it is the checker that looks
            if behind is not None and len(everything_behind(root)) != len(behind):
                word, sentence = "emptied", "Your function has changed `inputs`: fewer Values are behind root now than before."
            else:
                word, sentence = fault(order, root)
            if word and again:
                word, sentence = "second call", f"{SECOND_CALL} {sentence}"
            if word:
                break
        found.append((word, f"In the graph of `{text}`: {sentence}" if "=" in text else sentence))
    worst = max(found, key=lambda f: FAULTS.index(f[0]))
    return {"the order": worst[0] or "right", "cost_told": worst[1]}  # the sentence is for the learner: it is not compared


# Of the faults in several graphs the last of these is told. In a chain the wrong ways may look alike.
FAULTS = ("", "second call", "turned round", "too early", "missing", "no leaves", "no root", "twice", "stranger", "kind", "None")
FAULTS += ("emptied",)

SECOND_CALL = (
    "The first call is right, a second one on the same graph is not. Is something kept from one call to the next, on the Values or "
    "outside of the function? What is wrong the second time:"
)
TOLD_TOO_MUCH = {
    "reads": "Your function was stopped: it read `inputs` more than 30 times as often as there are Values.",
    "comparisons": "Your function was stopped: it compared Values more than 30 times as often as there are Values.",
}


def topo_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("a leaf alone", (("small", ["L = a"]),)),
        Case("one Value, twice an input", (("small", ["L = a + a"]),)),
        Case("a constant before a Value among the inputs", (("made", "L = 2 - a.exp()"),)),
    ]


TASK = Part(
    id="02.3",
    title="Sort it",
    difficulty=3,
    minutes=10,
    requirements=(
        Requirement(
            "Each Value stands in the list once, before its inputs, so `root` is first. Any legal order is right.",
            ("pre-order", "inputs first", "root is missing", "leaves are missing"),
        ),
        Requirement(
            "In the place of a constant stands `None`; a leaf has an empty tuple.",
            ("constants are not skipped", "stops at a constant"),
        ),
        Requirement(
            "One graph is a ladder of 25 diamonds: walk no path twice.",
            ("every path", "every path, tidied at the end"),
        ),
        Requirement(
            "One is a chain of 5,000 operations: write no recursion, and search no long list again and again.",
            ("recursion", "a list as memory"),
        ),
    ),
    cases=topo_cases,
    edges=topo_edges,
    observe=observe_topo,
)
