"""08.4 Gradient penalty: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def penalized(f, w, x, strength):
    """The gradient, with respect to w, of f(w, x) + strength · ‖∂f/∂x‖². Nobody's .grad changes.

    w, x: leaves that require grad. f(w, x): shape (). ‖·‖²: the sum of the squares. Returns a Tensor of the shape of w.
    """
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (g,) = mg.autograd.grad(loss + strength * (slope**2).sum(), w)
    return g


def penalized_apart(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, [x], create_graph=True)
    (g_loss,) = mg.autograd.grad(loss, w, retain_graph=True)
    (g_penalty,) = mg.autograd.grad((slope * slope).sum(), w, allow_unused=True)
    return g_loss if g_penalty is None else g_loss + strength * g_penalty


ANSWER = Part(
    reference=penalized,
    alternatives={
        "apart": penalized_apart,
    },
    hints=(
        "Two derivatives, one after the other: first with respect to `x`, then, of something built *with* that slope, with "
        "respect to `w`. For the second, the engine must know how the slope came about.",
        "```text\nw ─┬─► f ──────────────► loss ─┐\nx ─┘   └─► grad ─► slope ─► ‖·‖² ─┴─► + ──► grad with respect to w\n"
        "           create_graph\n```",
        "```python\nloss = f(w, x)\n(slope,) = mg.autograd.grad(loss, ___, create_graph=___)\n"
        "total = loss + strength * ___\n(g,) = mg.autograd.grad(total, ___)\nreturn g\n```",
    ),
    explanation="""\
With `create_graph=True` the backward pass is itself recorded. The slope is then a result like any other, with a graph
that leads to `w` and `x`, and a penalty built from it can be differentiated.

What makes this exercise dangerous is its silent form. Without `create_graph` the first walk frees the graph, and the
message suggests `retain_graph=True`. With that, the program runs: the loss has the right *value*, penalty included,
but the slope counts as a constant, and the gradient is that of the loss without penalty. Nothing tells you. (Without
the loss in the sum you would get an error: *does not require grad*.)

`autograd.grad` in both places keeps `.grad` clean. `loss.backward(create_graph=True)` would leave gradients with
graphs in `w.grad` and `x.grad`, and each graph leads back to its leaf: a cycle, which can keep
their memory alive. Hence the warning.
""",
)
