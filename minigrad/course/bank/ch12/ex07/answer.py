"""12.7 Buffer without buffer: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from minigrad.course.exercise import Part


def echoes(w, x):
    """h[0] = x[0], and then h[k] = w * h[k - 1] + x[k].

    w: a leaf of shape (). x: a leaf of shape (n,), n at least 1. Returns h, a Tensor of shape (n,).
    """
    h = x[0]
    results = [h]
    for k in range(1, len(x)):
        h = w * h + x[k]
        results.append(h)
    return mg.stack(results)


def echoes_unbound(w, x):
    results: list[Any] = []
    for entry in x:
        results.append(entry + w * results[-1] if results else entry)
    return mg.stack(tuple(results))


ANSWER = Part(
    reference=echoes,
    alternatives={
        "a loop over x": echoes_unbound,
    },
    hints=(
        "Why does one want a buffer? To have all results in one tensor at the end, and the last one at hand. A Python list "
        "does the first, a variable the second, and neither is a write to a tensor.",
        "The graph that you want is a chain, one Mul and one Add for each step, and beside it **one** StackBackward0 with an "
        "arrow to every link.",
        "```python\nh = x[0]\nresults = [h]\nfor k in range(1, len(x)):\n    h = ___\n    results.append(___)\n"
        "return mg.___(results)\n```",
    ),
    explanation="""\
Appending to a Python list writes into no tensor: the list holds references to results, each with cells of its own. `stack`
copies them once, in one node with n edges, and its backward hands each its own number.

The obvious buffer raises, for `w * h[k - 1]` saves a window. With clones it is right, but each write is a CopySlices whose
backward copies the gradient of the whole buffer. `cat` at every step copies what is there again and again.
Both take time that grows with n²: for n = 10,000 that is a hundred million numbers instead of ten thousand.

The rule of thumb: **collect, then stack**. It needs no clone and no thought about versions.
""",
)
