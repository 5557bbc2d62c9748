"""11.4 The silence of data: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def trap(w, window):
    """A scalar L of w whose gradient goes wrong in silence for window = .data, and raises for .detach().

    w: a leaf of shape (n,). window: a function of one tensor. Returns L; does not call backward.
    """
    y = mg.exp(w)
    window(y).zero_()
    return y.sum()


def trap_input(w, window):
    L = (w**2).sum()
    view = window(w)
    view += 1
    return L


ANSWER = Part(
    reference=trap,
    alternatives={
        "the saved input": trap_input,
    },
    hints=(
        "Both windows show the same memory. Only the counter tells them apart, and the counter matters only for values "
        "that a node has **saved**. So: which operation saves a value that you can still reach by a name?",
        "The picture of section 4: exp saves `y` (the pin); then somebody writes to `y` through a window; "
        "then backward comes back to the pin. With `detach` the step goes up, with `.data` it does not.",
        "Three lines:\n\n```python\ny = mg.exp(w)       # saves y\nwindow(___).___()   # other numbers, in place\n"
        "return y.___()\n```",
    ),
    explanation="""\
`exp` keeps its output, because its slope **is** its output. Write zeros there, and backward multiplies by zeros. With
`detach()` the counter of `y` moves, backward compares 1 with the 0 it noted, and raises. With `.data` the counter stays at
0, nothing is noticed, and the gradient is 0 instead of eʷ.

Three things must come together for the silent kind: the value was **saved**, it was written **after** that, and the write
was **not counted**. If one is missing, all is well or you get an error.

So `.data` has no use that `detach()` or `no_grad()` would not serve. The loud error is the better one.
""",
)
