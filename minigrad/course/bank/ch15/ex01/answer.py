"""15.1 Mean squared error: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part


def mse(p, t):
    """The mean squared error, and its gradient for p. p, t: NumPy arrays of one shape. Returns (loss, gradient).

    ValueError where the shapes differ: nothing is broadcast.
    """
    if p.shape != t.shape:
        raise ValueError(f"predictions of shape {p.shape}, targets of shape {t.shape}")
    d = p - t
    return (d**2).mean(), 2 * d / d.size


def mse_dot(p, t):
    if not np.array_equal(p.shape, t.shape):
        raise ValueError("p and t differ in shape")
    d, n = (p - t).ravel(), p.size
    return d @ d / n, (2 / n * d).reshape(p.shape)


ANSWER = Part(
    reference=mse,
    alternatives={
        "as a dot product": mse_dot,
    },
    hints=(
        "Write the loss as a sum over all entries: (1/n) Σ dᵢ² with dᵢ = pᵢ − tᵢ. Each pᵢ stands in one term only, so each "
        "entry of "
        "the gradient has one term as well. And before that: when do two arrays have an entry for an entry?",
        "As in section 2: a column against a row fills a whole square with differences. Only the diagonal was meant. "
        "Look at "
        "the shapes before you subtract.",
        '```python\ndef mse(p, t):\n    if p.shape != ...:\n        raise ValueError("...")\n    d = p - t\n'
        "    return (d**2).mean(), ... / d.size\n```",
    ),
    explanation="""\
The loss is the mean of d² over all n entries, so each entry of the gradient is 2d/n. `d.size` counts all entries;
`len(d)` counts rows.

The check of the shapes is the more useful half. NumPy and PyTorch broadcast, so `(4, 1)` minus `(4,)` is a table of
16 differences, and its mean is a plausible number: wrong, and no error. PyTorch's own `mse_loss` only warns. A
function that knows what it wants should raise.
""",
)
