"""08.3 Unused: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def grad_or_zeros(L, wrt):
    """The gradients of L with respect to each tensor in wrt; zeros of its shape where L does not depend on it.

    Returns a list or a tuple. Nobody's .grad changes. Every other error that autograd.grad raises comes out.
    """
    found = mg.autograd.grad(L, wrt, allow_unused=True)
    return [mg.zeros_like(t) if g is None else g for t, g in zip(wrt, found, strict=True)]


def zeros_loop(L, wrt):
    result = list(mg.autograd.grad(L, wrt, allow_unused=True))
    for k in range(len(wrt)):
        if result[k] is None:
            result[k] = mg.zeros(wrt[k].shape)
    return result


ANSWER = Part(
    reference=grad_or_zeros,
    alternatives={
        "a loop": zeros_loop,
    },
    hints=(
        "`autograd.grad` has several reasons to raise. One of them you want to allow, the others not. There is an argument "
        "that allows just this one.",
        "```text\nwrt          [x,      b,      w]\nfound        (∂L/∂x,  None,  ∂L/∂w)      with allow_unused=True\n"
        "wanted       [∂L/∂x,  0 0 0,  ∂L/∂w]      zeros in the shape of b\n```",
        "```python\nfound = mg.autograd.grad(L, wrt, allow_unused=___)\n"
        "return [mg.zeros_like(___) if g is None else ___ for t, g in zip(wrt, found)]\n```",
    ),
    explanation="""\
`allow_unused=True` allows one thing: a tensor to which no path leads gets `None`. (Where you know that it is meant to
be zero, `materialize_grads=True` writes the zeros for you, in the right shape.)

Everything else is still an error, and should be: a tensor that does not require grad, a loss that is no scalar, a
graph that is gone. `try … except` cannot tell them apart. It would also turn the fourth case into a riddle: `x[1]`,
written after `L`, is a *new* tensor. `L` depends on `x`, but not on this piece of it.
""",
)
