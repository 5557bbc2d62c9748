"""02.4 Backprop: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch02.common import TooMuch, everything_behind, expression, random_graph
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.values import Value
from minigrad.course.judging.compare import unfit

GRAPHS = {
    "reuse: L = a + a": "L = a + a",
    "reuse: L = a * a": "L = a * a",
    "reuse: b = a * 2; c = b + 1; L = b * c, the lesson's graph": "b = a * 2; c = b + 1; L = b * c",
    "reuse: s = a * b; L = s * s.exp()": "s = a * b; L = s * s.exp()",
    "reuse: s = a * b; L = s.exp() * s": "s = a * b; L = s.exp() * s",
    "constants: L = (a * 3 - 2) * b + 1": "L = (a * 3 - 2) * b + 1",
    "shared: arrays, L = ((a + b) + a).sum()": "L = ((a + b) + a).sum()",
    "shared: arrays, L = (b + (a + b)).sum()": "L = (b + (a + b)).sum()",
    "twice: s = a * b; L = s * s + a, called a second time": "s = a * b; L = s * s + a",
}


def backprop_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def recipe(kind: str, text: str = "", size: int = 0) -> tuple[Any, ...]:
        return ((kind, text, size, int(rng.integers(2**31)), precision),)

    cases = [Case(label, recipe("twice" if label.startswith("twice") else "small", text)) for label, text in GRAPHS.items()]
    cases += [Case(f"random: arrays, {size} operations and more", recipe("random", size=size)) for size in (6, 12, 25)]
    return [
        *cases,
        Case("ladder: 25 diamonds, t = t + t again and again", recipe("ladder", size=25)),
        # Not too deep for a recursion: nothing is asked about that here.
        Case("long: a chain of 200 operations", recipe("chain", size=200)),
    ]


def graph_for(kind: str, text: str, size: int, seed: int, precision: Any) -> dict[str, Any]:
    """Leaves by their names, and the root as L."""
    rng = np.random.default_rng(seed)
    if kind == "random":
        return random_graph(rng, size, precision)
    if kind == "leaf":
        return {"L": Value(precision(rng.uniform(0.5, 1.5)))}
    if kind in ("ladder", "chain"):
        a = t = Value(precision(rng.uniform(0.5, 1.5)))
        for _ in range(size):
            t = t + t if kind == "ladder" else t + 1.0
        return {"a": a, "L": t * (0.5**size if kind == "ladder" else 3.0)}
    found = expression(text, rng, (3,) if "sum" in text else ())
    for name in "ab":
        found[name].data = np.asarray(found[name].data, precision)[()]
    return found


def observe_backprop(answer: Callable[..., Any], recipe: tuple[Any, ...]) -> Any:
    kind, graph = recipe[0], graph_for(*recipe)
    root = graph.pop("L")
    behind = everything_behind(root)
    fired, limit, once = [0], 30 * len(behind), sum(bool(value.inputs) for value in behind)

    def watched(rule: Callable[..., Any]) -> Callable[..., Any]:
        def counted_rule(g: Any) -> Any:
            fired[0] += 1
            if fired[0] > limit:
                raise TooMuch("firings")
            return rule(g)

        return counted_rule

    for value in behind:
        if value.inputs:
            value.rule = watched(value.rule)
    before = [np.array(value.data) for value in behind]
    try:
        returned = answer(root)
        if kind == "twice":
            fired[0] = 0
            returned = answer(root)
        more = fired[0] > once
    except TooMuch:
        return {"the walk": f"stopped after {limit} firings in a graph of {len(behind)} Values"}
    if not isinstance(returned, dict):
        return unfit(returned, "a dict {leaf: gradient}")
    names = {id(leaf): name for name, leaf in graph.items()} or {id(root): "root"}
    seen = {
        f"the gradient of {names[id(value)]}": "missing" for value in behind if id(value) in names
    }
    for key, g in returned.items():
        if id(key) in names:
            seen[f"the gradient of {names[id(key)]}"] = g
    here = {id(value) for value in behind}
    strangers = [key for key in returned if id(key) not in names]
    earlier = any(isinstance(key, Value) and id(key) not in here for key in strangers)
    lives_on = "Values of an earlier call: is there a dict that lives on?"
    seen["firings"] = "some Values fire more than once" if more else "each Value fires once"
    kept = all(np.array_equal(value.data, data) for value, data in zip(behind, before, strict=True))
    seen["the data of the Values, afterwards"] = "as it was" if kept else "changed"
    seen["keys that are no leaves"] = "none" if not strangers else lives_on if earlier else "some"
    return seen


def backprop_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64
    texts = {"a gradient of 0": "L = (a - a + b).sum()", "a factor of 0": "L = (a * 0 + b).sum()", "one operation": "L = a * b"}
    cases = [Case(f"shared: {label}, {text}", (("small", text, 0, 0, precision),)) for label, text in texts.items()]
    return [*cases, Case("leaf: root is a leaf itself", (("leaf", "", 0, 0, precision),))]


TASK = Part(
    id="02.4",
    title="Backprop",
    difficulty=4,
    minutes=11,
    requirements=(
        Requirement(
            "`root` is a `Value` whose data is one number. The Values behind it hold numbers or arrays.",
            ("it starts with the value", "the last message wins", "every path"),
        ),
        Requirement(
            "`value.fire(g)` gives the messages of a Value at which `g` has arrived: a list of pairs `(input, message)`. "
            "Constants are left out of it already, and a leaf gives an empty list.",
        ),
        Requirement("You may use your `topo` of 02.3."),
        Requirement(
            "Leave the graph as it was: a second call must give the same. Let each Value fire once.",
            ("state between two calls", "a node fires twice", "a shared array", "the graph is emptied", "the data is changed"),
        ),
        Requirement(
            "The dict holds the leaves, and nothing else. If `root` is a leaf itself, it is `{root: 1.0}`.", ("not only leaves",)
        ),
    ),
    cases=backprop_cases,
    edges=backprop_edges,
    observe=observe_backprop,
)
