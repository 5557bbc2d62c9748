"""03.2 Jacobian puzzles: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part


class Jac:
    """The Jacobians of six functions, at x. Tables are read row by row, as .ravel() does."""

    @staticmethod
    def relu(x):
        """y = np.maximum(x, 0). x: shape (n,), no entry is 0."""
        return np.diag((x > 0) * 1.0)

    @staticmethod
    def cumsum(x):
        """y = np.cumsum(x): y[i] = x[0] + … + x[i]."""
        return np.tril(np.ones((len(x), len(x))))

    @staticmethod
    def running_mean(x, k):
        """y[i] = x[i : i + k].mean(), for i = 0, …, n - k."""
        n = len(x)
        return sum(np.eye(n - k + 1, n, shift) for shift in range(k)) / k

    @staticmethod
    def outer(x, b):
        """y = np.outer(x, b).ravel(): all products x[i] * b[j], in the order (0, 0), (0, 1), … By x; b is constant."""
        return np.kron(np.eye(len(x)), b[:, None])

    @staticmethod
    def transpose(X):
        """y = X.T.ravel(). X: shape (p, q); the inputs are X.ravel()."""
        places = np.arange(X.size).reshape(X.shape)
        return np.eye(X.size)[places.T.ravel()]

    @staticmethod
    def sort(x):
        """y = np.sort(x). No two entries of x are equal."""
        return np.eye(len(x))[np.argsort(x)]


ANSWER = Part(
    reference=Jac,
    hints=(
        "Write y[0], y[1], y[2] out as formulas, for a small x. Row i of J is then read off: which entries of x occur "
        "in y[i], and with which factor? All others are 0.",
        "Six patterns:\n\n| | in each row | |\n|---|---|---|\n| relu | at most one, on the diagonal | 0 or 1 |\n"
        "| cumsum | a run from the left to the diagonal | 1 |\n| running_mean | a run of k, one further to the right "
        "in each row | 1/k |\n| outer | one; the columns are stairs of height len(b) | entries of b |\n"
        "| transpose, sort | one, and one in each column | 1 |\n\nThe Jacobian of what only moves numbers is the "
        "identity with its rows moved.",
        "```python\nrelu:          np.diag(___)\ncumsum:        np.tril(___)\n"
        "running_mean:  sum(np.eye(n - k + 1, n, shift) for shift in ___) / ___\n"
        "outer:         np.kron(np.eye(len(x)), ___)\ntranspose:     np.eye(X.size)[___]\n"
        "sort:          np.eye(len(x))[___]\n```",
    ),
    explanation="""\
Row by row, with one question: *which inputs does this output see, and with which slope?*

| function | y[i] sees | pattern |
|---|---|---|
| relu | x[i], if it is positive | diagonal of zeros and ones |
| cumsum | x[0] … x[i] | lower triangle |
| running mean | x[i] … x[i + k − 1] | a band, m × n |
| outer | one x | a column of blocks, each with b |
| transpose, sort | one x, from another place | a permutation: the rows of the identity, moved |

All of them but relu and sort are **linear**: y = J x, with the same J everywhere. Then column j is what the function
does to the j-th row of the identity, which gives a second way to write them. Sort is linear as long as the order stays
the same, relu as long as no sign changes: a Jacobian belongs to a *point*.

For a permutation, J and its transpose look alike, and only one is right: the 1 of row i stands where y[i] came from.
The transpose is the way back, which chapter 04 needs.
""",
)
