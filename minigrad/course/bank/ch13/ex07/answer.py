"""13.7 The where trap: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def sqrt_or_zero(x):
    """The root of x where x > 0, and 0 elsewhere; with the gradient 0 elsewhere. x: a Tensor. Returns a Tensor of its shape."""
    positive = x > 0
    inside = mg.where(positive, x, 1.0)
    return mg.where(positive, mg.sqrt(inside), 0.0)


def root_masked(x):
    y = mg.zeros_like(x)
    positive = x > 0
    y[positive] = mg.sqrt(x[positive])
    return y


ANSWER = Part(
    reference=sqrt_or_zero,
    alternatives={
        "only what is positive": root_masked,
    },
    hints=(
        "`where` chooses between two results that were **both** computed. In backward it sends 0 to the one that was not "
        "chosen, and 0 · NaN and 0 · inf are NaN. So the branch that is not chosen must have a finite slope.",
        "```text\nx ──► where(x > 0, x, 1) ──► sqrt ──► where(x > 0, ·, 0) ──► y\n"
        "      cleans the input               chooses the value\n```\n\n"
        "At −1 the root sees a 1: its slope there is 0.5, and 0 · 0.5 is 0.",
        "```python\npositive = x > 0\ninside = mg.where(positive, x, ...)   # a number whose root has a finite slope\n"
        "return mg.where(positive, ..., 0.0)\n```",
    ),
    explanation="""\
Two `where`s: the first keeps the root away from numbers at which it has no finite slope; the second chooses the value.

With one `where` the *values* are right, and the gradient is 0 · NaN. The multiplication by 0 does not switch a branch off:
both branches were computed, and both are walked back through.

`mg.sqrt(mg.where(x > 0, x, 0.0))` passes as well, and so does `relu` inside: at 0 the root makes an infinite gradient, and the
backward of `where` and `relu` writes a 0 over it; it does not multiply. But it is luck that the value at 0 is the wanted one.
And where the gradient that comes in at 0 is a 0, there *is* a NaN for a moment, and anomaly mode stops. `clamp` lets the
gradient through at its bound, and so the inf.

The same cure fits every function with an edge: log(x), x / norm(x), arccos(x), sin(x) / x. Clean the input, compute, choose.

A hook that turns NaN into 0 gives the same numbers. But it hides every NaN, also the next one, which is a real mistake.
""",
)
