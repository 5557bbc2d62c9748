"""03.5 The Jacobian of softmax: the answer, its hints and why it is right."""

from __future__ import annotations

import math

import numpy as np

from minigrad.course.exercise import Part


def softmax_jac(Z):
    """The Jacobian of softmax for each row of Z.

    Z: an array of shape (B, n). For a row z, p[i] = exp(z[i]) / sum of all exp(z[k]).
    Returns an array of shape (B, n, n): one table for each row.
    """
    tables = []
    for z in Z:
        p = np.exp(z) / np.exp(z).sum()
        tables.append(np.diag(p) - np.outer(p, p))
    return np.stack(tables)


def softmax_jac_entries(Z):
    B, n = Z.shape
    J = np.empty((B, n, n))
    for b in range(B):
        p = [math.exp(z) for z in Z[b]]
        p = [value / sum(p) for value in p]
        for i in range(n):
            for j in range(n):
                J[b, i, j] = p[i] * ((i == j) - p[j])
    return J


ANSWER = Part(
    reference=softmax_jac,
    alternatives={
        "entry by entry": softmax_jac_entries,
    },
    hints=(
        "p[i] = exp(z[i]) / S, and z[j] occurs in it in up to two places: in S always, above the fraction line only if "
        "i = j. Differentiate both.",
        "For n = 3:\n\n```text\n       z[0]          z[1]          z[2]\n"
        "p[0]   p0 − p0·p0      − p0·p1       − p0·p2\np[1]     − p1·p0     p1 − p1·p1      − p1·p2\n"
        "p[2]     − p2·p0       − p2·p1     p2 − p2·p2\n```\n\nTwo tables: one with p on its diagonal, one with all "
        "products.",
        "```python\nfor z in Z:\n    p = np.exp(z) / ___\n    tables.append(np.diag(___) - np.outer(___, ___))\n"
        "return np.stack(tables)\n```",
    ),
    explanation="""\
With S = Σ exp(z[k]) the quotient rule gives ∂p[i]/∂z[j] = [i = j] · exp(z[i])/S − exp(z[i]) · exp(z[j])/S², and that
is **diag(p) − p pᵀ**.

Three things can be read off without computing. Every row sums to 0: adding the same number to all z changes nothing.
Every column sums to 0: p keeps its sum of 1, so what one entry gains the others lose. And the table is symmetric:
raising z[j] takes from p[i] as much as raising z[i] takes from p[j].

The rows of a batch know nothing of each other. The Jacobian of the whole batch has shape (B, n, B, n), nearly all of it
zeros: of it we keep the B blocks on the diagonal. That is the fifth pattern of the lesson.
""",
)
