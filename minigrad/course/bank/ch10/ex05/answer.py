"""10.5 All rows at once: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def all_rows(f, x):
    """The Jacobian of f at x, from one call of mg.autograd.grad.

    f: takes a Tensor like x, returns a Tensor of any shape. x: a leaf of any shape that requires grad.
    Returns a Tensor: its shape is the shape of f(x), followed by the shape of x.
    """
    y = f(x)
    m = y.numel()
    vs = mg.eye(m, dtype=y.dtype).reshape(m, *y.shape)
    (rows,) = mg.autograd.grad(y, x, vs, is_grads_batched=True)
    return rows.reshape(*y.shape, *x.shape)


def all_rows_flat(f, x):
    y = f(x)
    J = mg.autograd.grad(y.reshape(-1), x, mg.eye(y.numel(), dtype=y.dtype), is_grads_batched=True)[0]
    return J.view(y.shape + x.shape)


ANSWER = Part(
    reference=all_rows,
    alternatives={
        "y made flat": all_rows_flat,
    },
    hints=(
        "Row i of J is the VJP with the one-hot `v` at place i. All one-hots, stacked, are the identity. With "
        "`is_grads_batched=True` the first axis of what you hand over counts the vs.",
        "```text\n        y: (4, 3)                vs: (12, 4, 3)             rows: (12, 2, 3)           J: (4, 3, 2, 3)\n"
        " m = 12 outputs   ──►   12 one-hots, each like y  ──►  12 rows, each like x  ──►  reshape\n```",
        "```python\ny = f(x)\nm = y.numel()\nvs = mg.eye(m, dtype=y.dtype).reshape(m, *___)\n"
        "(rows,) = mg.autograd.grad(y, x, vs, ___=True)\nreturn rows.reshape(*___, *___)\n```",
    ),
    explanation="""\
With `is_grads_batched=True` the first axis of `grad_outputs` is a list of cotangents. Every one of them must look like `y`, so
the identity of size m gets the shape (m, *y.shape). What comes back has the same first axis, followed by the axes of `x`.

The rows come in the order in which `reshape(-1)` reads `y`, so the last `reshape` gives that axis its shape back, and moves no
number.

Where `y` has shape (), m is 1: one row, and J has the shape of `x`. It is the gradient.

PyTorch walks the graph once, with an axis more in every rule. `minigrad` walks once for each row, within the one call. The
numbers are the same.
""",
)
