"""09.7 tanh and its first six derivatives: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def plot_derivatives(f, xs, n):
    """Draw f and its first n derivatives into one figure, each with a label and all in a legend.

    f: works entry by entry on a Tensor. xs: a Tensor of shape (m,), the places on the horizontal axis.
    Returns the Axes; its lines are f, f', f'', … in this order.
    """
    import matplotlib.pyplot as plt

    x = xs.clone().requires_grad_()
    y = f(x)
    _, ax = plt.subplots()
    ax.plot(xs, y.detach(), label="f")
    for k in range(1, n + 1):
        (y,) = mg.autograd.grad(y.sum(), x, create_graph=True)
        ax.plot(xs, y.detach(), label=f"derivative {k}")
    ax.legend()
    return ax


ANSWER = Part(
    reference=plot_derivatives,
    hints=(
        "f works entry by entry, so one pass from `y.sum()` gives the slopes at all places (chapter 05). The result is a "
        "curve, and you want its slopes in turn. What must the pass leave behind?",
        "```text\n y ──► draw y.detach()\n │\n │ grad of y.sum(), create_graph=True\n ▼\n"
        " y ──► draw y.detach()\n │\n ⋮   six times\n```",
        '```python\nx = xs.clone().requires_grad_()\ny = f(x)\n_, ax = plt.subplots()\nax.plot(xs, y.detach(), label="f")\n'
        "for k in range(1, n + 1):\n    (y,) = mg.autograd.grad(___, x, ___=True)\n"
        '    ax.plot(xs, ___, label=f"derivative {k}")\nax.legend()\nreturn ax\n```',
    ),
    explanation="""\
Each pass returns a curve that hangs on `x` by a graph of its own, because of `create_graph=True`; the next pass starts
there. The graph of f comes from `f(x)`, the graph of the first derivative from the first `grad`, and so on.

What is drawn is `y.detach()`, the numbers without the graph. What is differentiated is `y`. Detach the wrong one, and the
next pass says *does not require grad*.

Look at the heights: tanh stays between −1 and 1, its sixth derivative reaches beyond 50. High derivatives of a tame
function can be wild. The graphs grow too: from 2 nodes to more than 300, for one tanh.
""",
)
