"""05.2 The figure: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def draw(ax, f, xs):
    """Draw f and its computed slopes over xs.

    ax: matplotlib Axes. f: as in 05.1. xs: a NumPy array of shape (n,), in rising order.
    Two lines, a legend that names both, and a name for the x axis. Returns nothing.
    """
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    ax.plot(xs, y.detach().numpy(), label="f(x)")
    ax.plot(xs, x.grad.numpy(), label="f′(x)")
    ax.set_xlabel("x")
    ax.legend()


def draw_tensors(ax, f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.backward(mg.ones_like(y))
    x, y, slopes = x.detach(), y.detach(), x.grad
    ax.plot(x, y, label="f")
    ax.plot(x, slopes, label="df/dx")
    ax.axhline(0, color="grey")
    ax.set_xlabel("x")
    ax.figure.legend()


ANSWER = Part(
    reference=draw,
    alternatives={
        "detached tensors": draw_tensors,
    },
    hints=(
        "A plotting library knows nothing of graphs. It wants numbers: the values without their history, and the slopes, "
        "which have none.",
        "```text\nxs ──► x (leaf) ──► y ──► y.sum().backward()\n│                   │\n├─ over xs ── y, cut off from its history\n"
        "└─ over xs ── x.grad\n```\n\nThen the words: a label for each line, the legend, the name of the x axis.",
        "```python\nys, slopes = curve(f, xs)          # your 05.1\nax.plot(xs, ys, label=___)\nax.plot(___, ___, label=___)\n"
        "ax.set_xlabel(___)\nax.___()\n```",
    ),
    explanation="""\
matplotlib turns what it gets into NumPy arrays. A tensor with a history refuses, so that nobody loses it by accident:
`detach()` says that you mean it. `x.grad` was computed without recording, so it has no history.

`draw` gets the `ax` and returns nothing: so the same function fills one panel or a grid of six.
""",
)
