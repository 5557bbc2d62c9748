"""04.2 One row: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def row(f, x, i):
    """Row i of the Jacobian of f at x, from one backward pass.

    f: takes a Tensor of shape (n,), returns one of shape (m,). x: a leaf of shape (n,). i: an int.
    Returns a Tensor of shape (n,).
    """
    x.grad = None
    y = f(x)
    v = mg.zeros_like(y)
    v[i] = 1.0
    y.backward(v)
    return x.grad


def row_eye(f, x, i):
    x.grad = None
    y = f(x)
    y.backward(gradient=mg.eye(len(y), dtype=y.dtype)[i])
    return x.grad.clone()


ANSWER = Part(
    reference=row,
    alternatives={
        "row of the identity": row_eye,
    },
    hints=(
        "One pass gives vᵀJ: a weighted sum of the rows, with one weight for each output. Which weights "
        "leave exactly row `i` standing?",
        "`v` = (0, 1, 0) picks row 1 of the table. `v` stands beside "
        "the rows, so it is as long as `y`. The result stands under the columns, so it is as long as "
        "`x`.",
        "```python\nx.grad = None\ny = f(x)\nv = mg.zeros_like(___)\nv[___] = ___\ny.backward(v)\nreturn ___\n```",
    ),
    explanation="""\
A one-hot `v` gives weight 1 to row `i` and 0 to all others, so vᵀJ **is** row `i`. `v` lives where `y`
lives: it has m entries. The result lives where `x` lives: it has n entries. Functions with m ≠ n make the
two impossible to confuse.

`f(x)[i].backward()` is the same: the backward rule of `[i]` puts the incoming 1 into a vector of zeros, and
that is our `v`.

`x.grad = None` is needed because `backward` adds to what is there (chapter 06). The whole Jacobian takes m
such passes, one for each output; the number of inputs does not matter. So reverse mode is made for few
outputs, best of all for one loss.
""",
)
