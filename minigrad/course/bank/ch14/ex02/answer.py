"""14.2 GradCoeff: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


class GradCoeff(mg.autograd.Function):
    """x as it is; the gradient that comes back is multiplied by the number coeff."""

    @staticmethod
    def forward(ctx, x, coeff):
        ctx.coeff = coeff
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return ctx.coeff * g, None


ANSWER = Part(
    reference=GradCoeff,
    hints=(
        "`forward` lets x through, `backward` lets the gradient through, multiplied. How many arguments has `forward`? So "
        "many gradients does `backward` owe.",
        "```text\n forward    x ─────────► x        coeff ──► ctx.coeff\n backward   coeff · g ◄── g       None\n```",
        "```python\n@staticmethod\ndef forward(ctx, x, coeff):\n    ctx.coeff = ___\n    return x.view_as(x)\n\n"
        "@staticmethod\ndef backward(ctx, g):\n    return ___, ___\n```",
    ),
    explanation="""\
Each argument of `forward` gets one entry of what `backward` returns, be it a Tensor or not. For a plain number the entry is
None. Return one value for two arguments, and the engine says *incorrect number of gradients (expected 2, got 1)*.

gradcheck rejects this Function, except with coeff = 1: by differences the output follows x, and the gradient says something
else. It is wrong by design. Such a layer stands between a trunk and a second head. With coeff = −1 the head gets better at
its task, and the trunk is pushed to make the task impossible: that is how one trains features that do *not* tell, for example,
which camera took a picture.
""",
)
