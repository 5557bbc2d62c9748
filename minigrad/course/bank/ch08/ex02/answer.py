"""08.2 The middle of the graph: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


class Middle:
    """Two ways to ∂L/∂h, where h is no leaf. L: shape (). In both, the .grad of all other tensors stays as it is."""

    @staticmethod
    def by_grad(L, h):
        """Return ∂L/∂h. h.grad stays as it is, too."""
        (g,) = mg.autograd.grad(L, h)
        return g

    @staticmethod
    def by_backward(L, h):
        """Add ∂L/∂h to h.grad, by a call of backward. Return nothing."""
        L.backward(inputs=[h])


ANSWER = Part(
    reference=Middle,
    hints=(
        "A gradient comes by at every node on the way, and normally is handed on. Both functions only have to say: *this one, "
        "here, I want.* One hands it to you, the other leaves it in `h.grad`.",
        "```text\nL ──► … ──► h ──► … ──► x, w\n  ─────────►│\n   walked   │ not walked\n```\n\nThe inputs that you name are "
        "where the walk "
        "ends.",
        "```python\n(g,) = mg.autograd.grad(___, ___)     # by_grad\nL.backward(inputs=[___])              # by_backward\n```",
    ),
    explanation="""\
| | ∂L/∂h goes | leaves | walks |
|---|---|---|---|
| `mg.autograd.grad(L, h)` | into your hand, in a tuple | untouched | from L to h |
| `L.backward(inputs=[h])` | is added to `h.grad` | untouched | from L to h |
| `h.retain_grad(); L.backward()` | is added to `h.grad` | get their `.grad` | all the way |

The first two stop at `h`. `grad` frees only what it walked: the node that made `h` is intact, and you can go on from
there with `h.backward(g)`, the second leg of the chain rule. (After `backward(inputs=[h])` you cannot: it empties
that node's suitcase as well.)
""",
)
