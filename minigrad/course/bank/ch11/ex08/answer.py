"""11.8 A residual block: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def residual(x, A, B):
    """sigmoid(h @ B) * h with h = relu(x @ A) + x.

    x: a leaf of shape (n, k). A, B: leaves of shape (k, k). Returns a Tensor of shape (n, k).
    """
    h = mg.relu(x @ A)
    h = h + x
    y = mg.sigmoid(h @ B)
    return y * h


def residual_on_copies(x, A, B):
    h = mg.relu(x @ A).clone()
    h += x
    y = mg.sigmoid(h @ B).clone()
    y *= h
    return y


ANSWER = Part(
    reference=residual,
    alternatives={
        "on copies": residual_on_copies,
    },
    hints=(
        "Section 3 has a table: which operations keep their output? Mark in the program where such an output is made, and "
        "where it is written over.",
        "`viz.timeline` draws it: a pin of relu at version 0 of `h`, a step by `+=`, and the same with sigmoid and `y`.",
        "```python\nh = mg.relu(x @ A)\nh = ___\ny = mg.sigmoid(h @ B)\nreturn ___\n```",
    ),
    explanation="""\
`h += x` writes over what relu keeps, `y *= h` over what sigmoid keeps. `h = h + x` and `y * h` make new tensors, and the old ones stay
for backward.

After a matrix product or a sum the same `+=` would do no harm, since these keep no output: `h = x @ A; h += x` runs. That is
why such a block often works until somebody puts an activation in front of the `+=`.

What does it cost? One more tensor of shape (n, k) for each. The in-place write did not save it: relu kept its output, and the sum
needed memory of its own.
""",
)
