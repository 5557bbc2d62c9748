"""05.5 The staircase: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Part


def staircase(ax, f, xs):
    """Draw the slope of f over xs on two logarithmic axes, and return the slopes.

    ax: matplotlib Axes. f: takes a Tensor of shape () and returns one; which way it goes depends on the number.
    xs: a NumPy array of shape (n,), positive and in rising order. Returns a NumPy array of shape (n,).
    """
    slopes = []
    for a in xs:
        x = mg.tensor(a, requires_grad=True)
        f(x).backward()
        slopes.append(x.grad.item())
    ax.loglog(xs, slopes)
    return np.array(slopes)


def staircase_steps(ax, f, xs):
    leaf = mg.tensor(xs, requires_grad=True)
    for i in range(len(xs)):
        f(leaf[i]).backward()
    slopes = leaf.grad.numpy()
    ax.step(xs, slopes, where="post")
    ax.set(xscale="log", yscale="log")
    return slopes


ANSWER = Part(
    reference=staircase,
    alternatives={
        "one leaf, its entries one by one": staircase_steps,
    },
    hints=(
        "In 05.1 all points could share one graph, since all of them took the same steps. Here another number takes another way "
        "through the code. Whose way would a common graph record?",
        "```text\na = 3     b = 2a, 4a, 8a, … 512a     slope 512\na = 4     b = 2a, 4a, 8a, … 256a     slope 256\n```\n\n"
        "One leaf, one call of f and one pass for each number. Collect the slopes in a list.",
        "```python\nslopes = []\nfor a in xs:\n    x = mg.tensor(___, requires_grad=True)\n    ___.backward()\n"
        "    slopes.append(___)\n"
        "ax.___(xs, slopes)\nreturn np.array(slopes)\n```",
    ),
    explanation="""\
Each run of f leaves a graph of the steps that it took, and of no others. The condition of a `while` or an `if` is not
in it: a comparison has no gradient. So backward gives the slope of the branch that was taken.

For the doubling function that is a power of 2, and jumps to half of it where one round less is enough. On logarithmic
axes the slopes are a staircase that goes down: a big number needs fewer rounds.

With all points in one tensor, f would take one way for all of them. That may raise (`if a < border` is ambiguous) or,
worse, run and be wrong (`b.norm()` is then the norm of the whole vector). The sum trick is for functions that treat
each entry by itself, and control flow on a whole tensor does not.

At the jumps themselves f has no slope; you will hardly ever hit one, and if you do, you get the slope of the branch
that was taken.
""",
)
