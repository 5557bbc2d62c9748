"""Right answers of chapter 17 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch17.ex01.mistakes import softabs
from minigrad.course.bank.ch17.ex02.mistakes import COUNT, counting
from minigrad.course.bank.ch17.ex03.mistakes import LOOKED_FOR, OURS, RECOMPUTED, again
from minigrad.course.bank.ch17.ex05.mistakes import RULE, quantised
from minigrad.course.bank.ch17.ex06.mistakes import REFUSES, ZERO, slices

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 17.1 A new operation -----------------------------------------------------------------------------------


ROOT = "np.sqrt(self * self + w * w)"

ALTERNATIVES["17.1"] = {
    "the root once more": softabs(
        ("result: g * self / result", "w: g * self / (self * self + w * w) ** 0.5"),
        ("w, result: g * w / result", "self, w: g * w / (self * self + w * w) ** 0.5"),
    ),
    "by the quotient first": softabs(("g * self / result", "(self / result) * g"), ("g * w / result", "(w / result) * g")),
}

AGAIN["17.1"] = {
    "the rule forgets its cotangent": softabs(("g * self / result", "self / result * (g == g)")),
    "one rule only": softabs(("g * w / result", "None")),
    "rules in NumPy": softabs(
        ("g * w / result", "by_hand(g, w, result) if isinstance(g, Tensor) else g * w / result"),
        ("@op", "def by_hand(g, x, y):\n    return wrap(g.numpy() * x.numpy() / y.numpy())\n\n\n@op"),
    ),
}


# --- 17.2 A walk that counts --------------------------------------------------------------------------------


HANDED_ON = "            for index, edge in enumerate(edges):\n"
WHETHER = "            runs = on_path is None or"

ALTERNATIVES["17.2"] = {
    "a plain dict": counting("ran[node.shown().name()] = ran.get(node.shown().name(), 0) + 1\n"),
    "a function": counting(
        "count(node)\n",
        "count(node)\n",
        "ran.clear()",
        ("def on_a_path", "def count(node):\n    ran.update([node.shown().name()])\n\n\ndef on_a_path"),
    ),
}

AGAIN["17.2"] = {
    "some nodes are not counted": counting(watched="ran.update([] if accumulates else [node.shown().name()])\n"),
    "the class that nobody has looked at": counting("ran[node.name()] += 1\n", "ran[node.name()] += 1\n"),
    "numbers of an earlier pass": counting(clear="recorded and ran.clear()"),
    "counts what arrives": counting(
        "pass\n",
        "pass\n",
        "ran.clear()",
        (HANDED_ON, "            ran.update([e[0].shown().name() for e in edges if e])\n" + HANDED_ON),
    ),
    "counts what is only captured": counting(
        COUNT, "pass\n", "ran.clear()", (WHETHER, "            ran[node.shown().name()] += 1\n" + WHETHER)
    ),
}


# --- 17.3 Computed again, not kept --------------------------------------------------------------------------


ALTERNATIVES["17.3"] = {
    "a function in place of a class attribute": again(
        (
            "self.call, self.args, self.version = call, [save(a) for a in args], result._version",
            "kept, self.version = [*map(save, args)], result._version\n"
            "        self.again = lambda node: call(*unpack(kept, node))",
        ),
        (RECOMPUTED, "return self.again(node)"),
    )
}

AGAIN["17.3"] = {
    "the value is still held": again(
        ("result._version", "result._version\n        self.result = result"), (RECOMPUTED, "return self.result")
    ),
    "arguments without versions": again(
        (RECOMPUTED, "return self.call(*[a[0] if type(a) is tuple else a for a in self.args])")
    ),
    "no history": again(
        (
            RECOMPUTED,
            "before = state.set_grad(False)\n        try:\n            "
            + RECOMPUTED
            + "\n        finally:\n            state.set_grad(before)",
        )
    ),
    "a value that was written to since": again(("again.version == tensor._version", "again.version <= tensor._version")),
    "found by an id": again(
        (OURS, "cheap.__dict__[str(id(result))] = Again(call, args, result)"),
        (LOOKED_FOR, "again = vars(cheap).get(str(id(tensor)))"),
    ),
}


# --- 17.4 What the version check is for ---------------------------------------------------------------------


ALTERNATIVES["17.4"] = {"as a set": lambda: {"H.through", "H.output", "H.input"}}

AGAIN["17.4"] = {
    "all that is about versions": lambda: ("H.unsaved", "H.through", "H.output", "H.input", "H.counted"),
    "the refusals before a write": lambda: {"H.leaf", "H.through", "H.input", "H.output"},
    "without the view": lambda: ("H.output", "H.input", "H.input"),
}


# --- 17.5 A rounded cotangent -------------------------------------------------------------------------------


ALTERNATIVES["17.5"] = {
    "by the operation itself": quantised((RULE, "round_whole(g / step) * step")),
    "half up": quantised((RULE, "floor(g / step + 0.5) * step")),
    "by adding zero": quantised(("self.copy()", "self + 0.0")),
}

AGAIN["17.5"] = {
    "rounds forward": quantised(("self.copy()", "np.rint(self / step) * step")),
    "the same array": quantised(("self.copy()", "self[...]")),
    "not the nearest": quantised((RULE, "trunc(g / step) * step")),
    "NumPy in the rule": quantised((RULE, "np.rint(g / step) * step")),
}


# --- 17.6 A write to a slice --------------------------------------------------------------------------------


INNER = "list(self.inner.apply([part.clone() if tensors else part.copy()], tensors, None))"

ALTERNATIVES["17.6"] = {
    "without the special cases": slices(
        ("        if self.expanded:", "        if False:"),
        ("            if not tensors and is_expanded(part):", "            if False:"),
    ),
    "zero first": slices(
        (ZERO, "part[...] = 0\n                if written is not None:\n                    part[...] = written")
    ),
}

AGAIN["17.6"] = {
    "the window is not cleared": slices(("results[0] = rest", "results[0] = g")),
    "the whole cotangent for the part": slices(
        (INNER, "[None] + [rest.clone() if tensors else rest.copy()] * (len(self._edges) - 1)")
    ),
    "the old numbers never count": slices((ZERO, "part[...] = 0 if written is None else part")),
    "works on what came in": slices(
        ("rest = laid_out(g, self.order)", "rest = laid_out(g, self.order) if tensors else g[...]")
    ),
    "does not refuse": slices((REFUSES, REFUSES.replace("self._freed", "self.inner is None"))),
    "the window is written in arrays": slices(("part.copy_(written)", "np.copyto(part._array, written._array)")),
    "only for arrays": slices(
        ("[part.clone() if tensors else part.copy()]", "[part.clone().detach() if tensors else part.copy()]")
    ),
}
