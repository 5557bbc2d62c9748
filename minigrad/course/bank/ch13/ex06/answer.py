"""13.6 log-softmax: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part


class LogSoftmax:
    """The logarithm of softmax, row by row: z[i, j] - log(sum over k of exp(z[i, k])). NumPy arrays of shape (b, n)."""

    @staticmethod
    def forward(z):
        """Returns the log-probabilities, an array of the shape of z."""
        shifted = z - z.max(axis=1, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))

    @staticmethod
    def vjp(g, z):
        """g: the cotangent of the result, of its shape. Returns the gradient for z."""
        p = np.exp(LogSoftmax.forward(z))
        return g - p * g.sum(axis=1, keepdims=True)


ANSWER = Part(
    reference=LogSoftmax,
    hints=(
        "Adding a number to all entries of a row changes nothing in the result. So choose the shift that suits you: with the "
        "largest entry at 0 no exponential overflows, and at least one of them is 1, so that the logarithm is harmless. "
        "For the vjp: entry i of the result is z[i] − log Σ exp(z). Its slope by z[j] is δ(i, j) − p[j].",
        "```text\nz        1000   -1000      0       e^z:   inf       0      1     sum inf\n"
        "z - max     0   -2000  -1000       e^:      1       0      0     sum   1    log 0\n"
        "result      0   -2000  -1000\n\n        | 1-p0   -p1   -p2 |\n"
        "    J = |  -p0  1-p1   -p2 |        g J = g - p * (g0 + g1 + g2)\n"
        "        |  -p0   -p1  1-p2 |\n```",
        "```python\n@staticmethod\ndef forward(z):\n    shifted = z - z.max(axis=1, keepdims=True)\n    return shifted - ...\n"
        "\n"
        "@staticmethod\ndef vjp(g, z):\n    p = np.exp(LogSoftmax.forward(z))\n"
        "    return g - p * ...   # the sum of g over each row\n```",
    ),
    explanation="""\
`z − max − log Σ exp(z − max)`: the shift cancels in theory, and decides everything in practice. After it the largest
exponent is 0, so nothing overflows; the sum is between 1 and n, so its logarithm is small; and what lies 2000 below keeps its −2000,
because it never goes through `exp` and back.

Even the logarithm of a *stable* softmax fails there: the share e⁻²⁰⁰⁰ is rounded to 0 before the logarithm can save it.

For the gradient: ∂ result[i] / ∂ z[j] = δ(i, j) − p[j], so gᵀJ = g − p Σg. No division anywhere, and p is at most 1. With `g` a
one-hot this is the famous *one-hot minus p* of classification.
""",
)
