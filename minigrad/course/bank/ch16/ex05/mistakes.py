"""16.5 Double backward: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import (
    arrays,
    backward_twice,
    checks,
    contract,
    graph,
    head,
    looking_in,
    mistake,
    modes,
    operations,
    patched,
    values,
    walk_with_shapes,
)
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}
M5 = (head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, looking_in, backward_twice)

MISTAKES["rules in raw NumPy"] = mistake(
    "raw_numpy", patched(M5, ("g * (n * a ** (n - 1) if n else 0)", "tensor(g.array * n * a.array ** (n - 1))"))
)

MISTAKES["one rule in raw NumPy"] = mistake(
    "raw_rule", patched(M5, ("lambda g, out: (g * out,)", "lambda g, out: (g * tensor(out.array),)"))
)

MISTAKES["grad writes into .grad"] = mistake(
    "pollutes",
    patched(
        M5,
        (
            "    gradients = tuple(found.get(edge(t)) for t in inputs)",
            "    gradients = tuple(found.get(edge(t)) for t in inputs)\n    for t, g in zip(inputs, gradients):\n  "
            "      t.grad = g",
        ),
    ),
)

MISTAKES["an unused input is silent"] = mistake(
    "unused", patched(M5, ("if None in gradients and not allow_unused:", "if False:"))
)
