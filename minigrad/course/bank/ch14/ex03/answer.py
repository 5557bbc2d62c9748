"""14.3 LegendrePolynomial3: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


class LegendrePolynomial3(mg.autograd.Function):
    """P₃(x) = ½ (5x³ − 3x), entry by entry. x may be a plain number; then so is the result."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * (5 * x**3 - 3 * x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 1.5 * (5 * x**2 - 1)


ANSWER = Part(
    reference=LegendrePolynomial3,
    hints=(
        "Differentiate ½(5x³ − 3x) on paper first. The derivative contains x, so x is what `backward` needs: an input. And "
        "`backward` returns it times g.",
        "```text\n forward    x ──► ½(5x³ − 3x)\n            │ save\n backward   g · ½(15x² − 3) ◄── g\n```",
        "```python\n@staticmethod\ndef forward(ctx, x):\n    ctx.save_for_backward(___)\n    return 0.5 * (5 * x**3 - 3 * x)\n\n"
        "@staticmethod\ndef backward(ctx, g):\n    (x,) = ctx.saved_tensors\n    return g * ___\n```",
    ),
    explanation="""\
The derivative is ½(15x² − 3) = 1.5(5x² − 1). It needs the input, so the input is saved.

Nothing but first derivatives is needed for the fit. Still, `backward` is written in Tensor operations on a saved input, and
so the second derivative, 15x, comes for free.

In this fit a and c stay 0, for the data are odd. b and d find the stretch that makes the cubic look like one period of a
sine. With a factor 3 lost the fit would still go down, more slowly: a loss that falls is no proof of a gradient. Use gradcheck.
""",
)
