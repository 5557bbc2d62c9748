"""12.8 A network with a memory: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def remember(W, V, x):
    """h[0] = tanh(x[0] @ V), and then h[t] = tanh(h[t - 1] @ W + x[t] @ V).

    W: a leaf of shape (m, m). V: a leaf of shape (k, m). x: shape (n, k), n at least 1. Returns h, a Tensor of shape (n, m).
    """
    h = mg.tanh(x[0] @ V)
    states = [h]
    for t in range(1, len(x)):
        h = mg.tanh(h @ W + x[t] @ V)
        states.append(h)
    return mg.stack(states)


def remember_inputs_first(W, V, x):
    inputs, states = x @ V, []
    h = mg.zeros_like(inputs[:1])
    for t in range(x.shape[0]):
        h = (h @ W + inputs[t : t + 1]).tanh()
        states += [h]
    return mg.cat(states)


ANSWER = Part(
    reference=remember,
    alternatives={
        "the inputs first": remember_inputs_first,
    },
    hints=(
        "Which operation saves a part of the buffer? Not the write, and not `+`. Who asks for the old numbers in backward?",
        "`h @ W` keeps h: its backward needs hᵀ. When h is `states[t]`, that is a window; when it is the last result, it is a "
        "tensor with cells of its own, which nobody writes to.",
        "```python\nh = mg.tanh(x[0] @ V)\nstates = [h]\nfor t in range(1, len(x)):\n    h = ___\n    states.append(___)\n"
        "return ___\n```",
    ),
    explanation="""\
A matrix product saves both of its factors. The left one is `states[t]`, a window on the buffer, and the write of the
next state raises the version of the whole buffer. So backward raises, at the first step that it comes to.

Three repairs run, and one of them is wrong. `states[t].clone()` costs a copy at each step, and each write is a
CopySlices whose backward copies the gradient of the whole buffer. A list and one `stack` cost n states and no more.
`states[t].detach().clone()` runs too, and the network **learns nothing from the past**: the gradient ends one step
back. Sometimes that is wanted, for sequences so long that nobody can keep all states. Then it is called *truncated
backpropagation through time*, and one does it every hundred steps, and knows it.
""",
)
