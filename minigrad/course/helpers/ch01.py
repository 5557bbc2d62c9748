"""The picture that exercise 01.2 asks for."""

from __future__ import annotations

from types import SimpleNamespace

import minigrad as mg

# name: the operation that makes it, and of what
PICTURE = {
    "s": ("mul", "a", "b"),
    "above": ("sub", "s", "c"),
    "e": ("exp", "s"),
    "below": ("add", "e", 1),
    "result": ("div", "above", "below"),
}


def target_graph() -> SimpleNamespace:
    """The leaves and the result of the graph that 01.2 asks for, to be drawn."""
    leaves = {name: mg.tensor(value, requires_grad=True) for name, value in (("a", 2.0), ("b", 3.0), ("c", 4.0))}
    made = dict(leaves)
    for name, (operation, *inputs) in PICTURE.items():
        made[name] = getattr(mg, operation)(*(made.get(i, i) for i in inputs))
    return SimpleNamespace(leaves=leaves, result=made["result"])
