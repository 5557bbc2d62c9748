"""03.1 Finite differences: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part


def numjac(f, x, eps=1e-6):
    """The Jacobian of f at x, by central differences.

    f: takes an array of shape (n,), returns one of shape (m,). x: an array of shape (n,), perhaps of whole numbers.
    eps: the step. Returns an array of shape (m, n).
    """
    x = np.asarray(x, dtype=float)
    columns = []
    for step in eps * np.eye(len(x)):
        columns.append((f(x + step) - f(x - step)) / (2 * eps))
    return np.stack(columns, axis=1)


def numjac_filled(f, x, eps=1e-6):
    J = np.zeros((len(f(x)), len(x)))
    for j in range(len(x)):
        up, down = x.astype(float), x.astype(float)
        up[j] += eps
        down[j] -= eps
        J[:, j] = (f(up) - f(down)) / eps / 2
    return J


ANSWER = Part(
    reference=numjac,
    alternatives={
        "filled column by column": numjac_filled,
    },
    hints=(
        "Column j of J says how all outputs move when `x[j]` alone moves. So move `x[j]` alone, a little up and a "
        "little down, and see how far f goes.",
        "```text\n          x[0]    x[1]    x[2]\n         ┌                        ┐\n   y[0]  │   ·       ·       ·    │\n"
        "   y[1]  │   ·       ·       ·    │\n         └   ▲                    ┘\n"
        "     (f(x + step) − f(x − step)) / (2 eps),  step = (eps, 0, 0)\n```\n\n"
        "n columns, each with two calls of f. The rows of `eps * np.eye(n)` are the n steps.",
        "```python\nx = np.asarray(x, dtype=___)\ncolumns = []\nfor step in eps * np.eye(len(x)):\n"
        "    columns.append((f(___) - f(___)) / ___)\nreturn np.stack(columns, axis=___)\n```",
    ),
    explanation="""\
A step in one input gives one **column**: n inputs, n columns, 2n calls of f. `np.stack(…, axis=1)` puts them side by
side; with `axis=0` they would be rows, and J would come out transposed.

Both sides are worth their price. Expand f around x: in `f(x + s) - f(x - s)` all even terms cancel. What is left of
the error is of the size of eps², while one side alone leaves a term with eps. So a step ten times smaller gives two
more digits, not one, until rounding takes over.

Three things can go wrong unseen. An array of whole numbers cannot hold a step of 0.001. An `x` that is moved and moved
back need not be the same to the last bit. And a function may return its own input, or a view of it: then an array that
is written to again changes a result that you already hold. New arrays, `x + step` and `x - step`, avoid all three.
""",
)
