"""14.8 save_for_backward or attribute?: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


class Power(mg.autograd.Function):
    """x * h**n, entry by entry; n is a plain number. What backward needs is guarded."""

    @staticmethod
    def forward(ctx, x, h, n):
        ctx.save_for_backward(x, h)
        ctx.n = n
        return x * h**n

    @staticmethod
    def backward(ctx, g):
        x, h = ctx.saved_tensors
        return g * h**ctx.n, g * x * ctx.n * h ** (ctx.n - 1), None


ANSWER = Part(
    reference=Power,
    hints=(
        "Two of the three arguments are Tensors, and somebody may write to them. One is a number, and nobody can. Which "
        "of them needs a guard, and which place for it has one?",
        "```text\n x, h  Tensors   ──► ctx.save_for_backward(x, h)    version checked, freed after the pass\n"
        " n     a number  ──► ctx.n = n                      a plain attribute\n```",
        "```python\n@staticmethod\ndef forward(ctx, x, h, n):\n    ctx.save_for_backward(___, ___)\n    ctx.n = ___\n"
        "    return x * h**n\n\n"
        "@staticmethod\ndef backward(ctx, g):\n    x, h = ctx.saved_tensors\n    return g * h**ctx.n, g * ___, None\n```",
    ),
    explanation="""\
`save_for_backward` does three things that an attribute does not. It remembers the **version** of each Tensor, so that an
overwritten one raises instead of giving a wrong gradient. It is **freed** when the backward pass is done, so the memory is back
early, and a second pass raises *a second time*. And a saved **output** makes no reference cycle.

An attribute is right for whatever is no Tensor: exponents, shapes, flags. It is shorter, and for a Tensor it is a trap:
`h.zero_()` between forward and backward gave a gradient of zero, and no error.
""",
)
