"""14.1 Exp: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


class Exp(mg.autograd.Function):
    """eˣ, entry by entry. It saves its output."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


ANSWER = Part(
    reference=Exp,
    hints=(
        "`forward` computes, and lays aside what `backward` will need. `backward` gets the cotangent `g` of the output and "
        "returns the cotangent of x: g times the derivative. What is the derivative of eˣ, and where have you got it already?",
        "```text\n forward    x ──exp──► y ──►\n                      │ save\n backward   ◄── g · y ◄── g\n```",
        "```python\n@staticmethod\ndef forward(ctx, x):\n    y = ___\n    ctx.save_for_backward(___)\n    return y\n\n"
        "@staticmethod\ndef backward(ctx, g):\n    (y,) = ctx.saved_tensors\n    return ___\n```",
    ),
    explanation="""\
The derivative of eˣ is the output itself, so the output is what to save. The engine's own `exp` does the same.

`forward` runs without recording. Everything that you compute in it is a plain number for the engine, except the Tensor that
you **return**: that one gets `ExpBackward` as its `grad_fn` when `forward` is over. So when `backward` runs with
`create_graph=True` and computes `g * y`, the engine can go on from `y`, through `ExpBackward`, to x. That is why the second
derivative works, and the third.

With an intermediate result, or with a NumPy array, `g * e` is a product with a constant. Its derivative is zero, or there is
none, and no error says so. `gradgradcheck` does.
""",
)
