"""12.2 The recurrence that raises: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


class Repair:
    """Each takes a leaf x of shape () and returns y of shape (2,), with y[0] = x**2 and y[1] = x**3."""

    @staticmethod
    def clone(x):
        y = mg.zeros(2)
        y[0] = x**2
        y[1] = y[0].clone() * x
        return y

    @staticmethod
    def name(x):
        y = mg.zeros(2)
        square = x**2
        y[0] = square
        y[1] = square * x
        return y

    @staticmethod
    def stack(x):
        square = x**2
        return mg.stack([square, square * x])


ANSWER = Part(
    reference=Repair,
    hints=(
        "The multiplication saved `y[0]` for its backward, and saved it as a window on `y`. Then `y` was written. "
        "So either what is saved must be no window, or it must not come from `y`, or `y` must not be written.",
        "Read the message like a timeline. First write: version 1. `y[0] * x` saves at version 1. Second write: version 2. "
        "Backward finds 2 and expected 1. Each repair moves the saved thing away from those cells.",
        "```python\ny[1] = y[0].___() * x            # clone: a copy with history\n\n"
        "square = ___                     # name: before it is written\ny[0] = square\ny[1] = ___ * x\n\n"
        "return mg.stack([___, ___])      # stack: nothing is written at all\n```",
    ),
    explanation="""\
`y[0] * x` needs both factors for its backward, so it saves them. `y[0]` is a window on `y`, and its version is that of
the whole memory. The write to `y[1]` does not touch cell 0, but the engine counts writes for the memory, not for each
cell, and refuses.

* **clone**: `y[0].clone()` has cells of its own, which nobody writes, and a history that leads on to `y[0]`.
* **name**: `square` is the result itself. Writing it into `y` copies its number; nothing is read from `y`.
* **stack**: where nothing is written, nothing can be out of date. Usually the best: one node for the whole tensor
  (exercise 12.7).

All give 2x + 3x² for the sum. `detach()` raises like the original, because it is another window on the same cells.
`.item()` and `.data` do silence the alarm, and lose the way through the square: 2x + x². An alarm that is silenced is worse
than one that rings.
""",
)
