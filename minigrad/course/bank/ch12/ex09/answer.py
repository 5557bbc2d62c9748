"""12.9 Row by row: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def centre_rows(x, w):
    """x * w, and from each row its own mean subtracted.

    x: shape (n, k). w: a leaf of shape (k,). Returns a Tensor of shape (n, k); x and w stay as they are.
    """
    y = x * w
    return y - y.mean(1, keepdim=True)


def centre_rows_stacked(x, w):
    return mg.stack([row - row.mean() for row in x * w])


ANSWER = Part(
    reference=centre_rows,
    alternatives={
        "row by row, then stacked": centre_rows_stacked,
    },
    hints=(
        "Which of the three refusals of the lesson is it? Read the message: how many windows did the loop open?",
        "A table and a column of means, one for each row: `y` has shape (n, k), the means (n, 1), and the column is stretched.",
        "```python\ny = x * w\nreturn y - y.mean(___, keepdim=___)\n```",
    ),
    explanation="""\
`for row in y` is `y.unbind()`: all rows at once, out of one node. A write through one would have to remake all the others, so each is
refused, before a number has changed.

`row = row - row.mean()` raises nothing and does nothing, since a name is no window. Under `no_grad` the loop runs, and the graph does
not know of it: right numbers, wrong gradient, the worst of the three. `y[i] -= …` is right, at the price of a CopySlices for each row.
A new tensor, `y - y.mean(1, keepdim=True)`, is one node and the shortest line.
""",
)
