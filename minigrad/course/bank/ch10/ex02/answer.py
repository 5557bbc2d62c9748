"""10.2 One direction: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch10.common import fw
from minigrad.course.exercise import Part


def jvp(f, x, t):
    """J t: how fast the outputs of f move when x moves in the direction t, from one run of f with a dual tensor.

    f: takes a Tensor like x, returns a Tensor. x, t: Tensors of one shape. Returns a Tensor of the shape of f(x).
    """
    with fw.dual_level():
        y, moves = fw.unpack_dual(f(fw.make_dual(x, t)))
    return mg.zeros_like(y) if moves is None else moves


ANSWER = Part(
    reference=jvp,
    hints=(
        "A tangent says how fast each **input** moves. It is attached to the input before `f` runs, travels through every "
        "operation, and is taken off the output.",
        "```text\n ┌─ level ───────────────────────────────────────┐\n"
        " │  x, t ──make_dual──►  f  ──unpack_dual──► y, J t │\n"
        " └────────────────────────────────────────────────┘\n```\n\nWhat is not unpacked before the level ends, is lost.",
        "```python\nwith fw.dual_level():\n    y, moves = fw.___(f(fw.___(___, ___)))\n"
        "return mg.zeros_like(y) if moves is ___ else moves\n```",
    ),
    explanation="""\
Every operation inside the level computes its value as always and, beside it, the tangent of its result. When `f` is done,
the tangent of the output is J t: no graph, no second walk.

The tangent is an ordinary Tensor, so it may leave the level once it is unpacked. What ends with the level is the tie between
a value and its tangent.

If no tangent arrives, the output did not depend on the input (or the way was cut, by `detach` or by NumPy). The engine says
None, and the numbers are zeros.
""",
)
