"""10.6 Teach a Function to go forward: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


class Neighbours(mg.autograd.Function):
    """The products of neighbours, y = x[:-1] * x[1:], with a rule for each direction."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x[:-1] * x[1:]

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        g = mg.zeros_like(x)
        g[:-1] += v * x[1:]
        g[1:] += v * x[:-1]
        return g

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return t[:-1] * x[1:] + x[:-1] * t[1:]


ANSWER = Part(
    reference=Neighbours,
    hints=(
        "`jvp(ctx, t)` gets the tangent of the input and returns the tangent of the output. It is what happens in forward, "
        "written for numbers that move: the product rule.",
        "```text\n x[i] moves with t[i]   ─┐\n"
        "                         ├─►  y[i] = x[i] · x[i+1]  moves with  t[i] · x[i+1] + x[i] · t[i+1]\n"
        " x[i+1] with t[i+1]     ─┘\n\n forward ──save_for_backward──► backward\n         ──save_for_forward───► jvp\n```",
        "```python\n# in forward, one more line:\nctx.___(x)\n\n@staticmethod\ndef jvp(ctx, t):\n    (x,) = ctx.saved_tensors\n"
        "    return t[:-1] * ___ + ___ * t[1:]\n```",
    ),
    explanation="""\
`forward` computes, `backward` turns the cotangent of the output into that of the input, `jvp` turns the tangent of the input
into that of the output. The three know nothing of each other; a dual tensor in the level makes the engine call `jvp` right
after `forward`.

Here J has the entries x[i+1] and x[i] in row i, side by side. `backward` multiplies from the left, so each v is copied to two
places and added. `jvp` multiplies from the right, so each output collects from two places.

`ctx.saved_tensors` holds, in `jvp`, what `save_for_forward` was given, and in `backward` what `save_for_backward` was given.

A good test of both rules at once: v · (J t) = (vᵀJ) · t for random v and t.
""",
)
