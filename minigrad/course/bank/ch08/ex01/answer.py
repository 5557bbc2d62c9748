"""08.1 Hands off .grad: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def grads(L, wrt):
    """The gradients of L with respect to each leaf of the list wrt, as a list or tuple. Nobody's .grad changes.

    L: a Tensor of shape (), computed from these leaves and perhaps from others.
    """
    return list(mg.autograd.grad(L, wrt))


def grads_put_back(L, wrt):
    before = [t.grad for t in wrt]
    for t in wrt:
        t.grad = None
    L.backward(inputs=wrt)
    found = [t.grad for t in wrt]
    for t, old in zip(wrt, before, strict=True):
        t.grad = old
    return found


ANSWER = Part(
    reference=grads,
    alternatives={
        "backward(inputs=), and all put back": grads_put_back,
    },
    hints=(
        "`L.backward()` writes into the `.grad` of every leaf behind `L`. There is a function that walks the same graph and "
        "*returns* what it finds.",
        "```text\nmg.autograd.grad(L, [a, b])\n                 │     │\n       from here ┘     └ to these, one gradient for "
        "each, in this order\n\n"
        "gives a tuple:  (∂L/∂a, ∂L/∂b)\n```",
        "```python\nreturn list(mg.autograd.grad(___, ___))\n```",
    ),
    explanation="""\
`mg.autograd.grad(L, wrt)` walks once, only along the paths that lead to the tensors in `wrt`, and hands the gradients
out as a tuple. It writes nowhere: whoever keeps something in `.grad`, as a training loop does, finds it unchanged.

To do the same with `backward` one would have to give `inputs=wrt`, so that no other leaf gets anything, remember each
old `.grad`, and put it back afterwards. It can be done (it is among the answers that pass), and shows what `grad`
saves you.
""",
)
