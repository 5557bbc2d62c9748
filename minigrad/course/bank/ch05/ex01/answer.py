"""05.1 f and f′: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def curve(f, xs):
    """The values and the slopes of f at the points xs, from one backward pass.

    f: takes a Tensor and works on each entry by itself. xs: a NumPy array of shape (n,).
    Returns two NumPy arrays of shape (n,): f(xs) and f′(xs).
    """
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    return y.detach().numpy(), x.grad.numpy()


def curve_ones(f, xs):
    x = mg.tensor(xs).requires_grad_()
    y = f(x)
    y.backward(mg.ones_like(y))
    return [y.detach().numpy(), x.grad.numpy()]


ANSWER = Part(
    reference=curve,
    alternatives={
        "gradient of ones": curve_ones,
    },
    hints=(
        "`f` works on each entry by itself, so its Jacobian is diagonal, and the slopes are on the diagonal. Which `v` makes "
        "vᵀJ the diagonal?",
        "```text\nx[0] ──► y[0] ──┐\nx[1] ──► y[1] ──┼──► sum      ∂sum/∂x[1] = ∂y[1]/∂x[1]: no other path\n"
        "x[2] ──► y[2] ──┘\n```\n\nFirst a leaf made from `xs`, then `f`, then one backward pass from the sum.",
        "```python\nx = mg.tensor(xs, ___=True)\ny = f(x)\ny.___().backward()\nreturn y.___().numpy(), x.___.numpy()\n```",
    ),
    explanation="""\
Entry i of `y` depends on entry i of `x` and on no other, so J is diagonal, with the slopes f′(xᵢ) on the diagonal.
`y.sum()` gives every row the weight 1. The sum of the rows of a diagonal matrix is its diagonal: all slopes, in one
pass.

`mean` has the weights 1/N, `y.backward(x)` the weights x: they give slopes, but those of another function.

A pass for each point gives the same numbers for N times the price. Each pass then looks at one row, in which there is
one number that is not 0.

At the end `detach` cuts the values off from their history: NumPy holds numbers, and no graph. `x.grad` has no history
to begin with. Nowhere was a formula for f′ needed, and `f` may have loops in it.
""",
)
