"""12.4 Lost write: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch12.common import Draw
from minigrad.course.bank.ch12.ex04.task import writes_block
from minigrad.course.bank.ch12.known import says
from minigrad.course.bank.shared import run
from minigrad.course.exercise import Part

WRITES_HINTS = {
    "written twice": (
        "The second write covers the first. What stood in `y[0]` before has no influence on the sum any more, so it gets no "
        "gradient: only the last write to a cell counts."
    ),
    "a copy is kept": (
        "`s` is a **clone**: a copy with cells and a history of its own. It holds what `y[0]` was before the second write, and its "
        "gradient flows through the first. Both terms count."
    ),
    "a window is kept": (
        "`s = y[0]` is no copy but a window. After the second write it shows the new value, with the new history. So the sum "
        "is twice the last write, and the first one is lost."
    ),
    "added": (
        "`+=` does not cover the old value, it adds to it: the old value still goes into the sum with slope 1. Both terms count."
    ),
    "a number": (
        "The number covers the first write, and a number has no slope. `y[1]` was not touched, so the second term alone counts."
    ),
}


def slopes(draw: Draw) -> dict[str, float]:
    """Run each program and look at x.grad."""
    return {key: run(writes_block(rule, what))["x"].grad.item() for key, rule, what in draw}


ANSWER = Part(
    reference=slopes,
    accept=says(WRITES_HINTS, lambda got: not isinstance(got, str), "Write the number that `x.grad` holds."),
    hints=(
        "Ask of each program: what does the last line add up, as a formula in `x`? Only then take the slope. A write that "
        "was covered is not in the formula any more.",
        "Two cells, and the windows on them. At the last line, write the formula into each cell that `y` shows, and into "
        "`s`. Is `s` a window on a cell of `y`, or a cell of its own?",
        "The five formulas, in some order, for powers p and q: $x^q$ (twice: once beside a plain number), $2x^q$, "
        '$x^p + x^q$ (twice).\n\n```python\nslopes = {\n    "A": ...,  # p * x**(p - 1), and so on\n}\n```',
    ),
    explanation="""\
`x.grad` is the slope of what the last line adds up. A cell counts with what was written into it **last**.

A clone keeps the old value and the old history. A window keeps neither: it is a way of looking at a cell, and it shows
what is in the cell now, with the history of now. `+=` reads before it writes, so the old value is still part of the new
one. A number has no history: it covers a cell and sends nothing back.

In the graph each write is a CopySlices on top of the one before. Going back, the last write takes the gradient of its
cell and passes 0 on to what it covered. So nothing is added twice and nothing has to be erased.
""",
)
