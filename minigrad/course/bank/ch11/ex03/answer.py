"""11.3 One step of SGD, in place: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def sgd_step_(params, lr):
    """One step of gradient descent, in place: take lr times its gradient from each tensor in the list params."""
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad


def sgd_detached(params, lr):
    for p in params:
        if p.grad is None:
            continue
        window = p.detach()
        window += -lr * p.grad


ANSWER = Part(
    reference=sgd_step_,
    alternatives={
        "through a detached window": sgd_detached,
    },
    hints=(
        "Two things are needed: a **write**, so that everybody who holds the tensor sees the new numbers; and no "
        "**recording**, because the step belongs to no graph.",
        "In section 2 compare `p -= 0.1` under `no_grad` with `p = p - 0.1`: the one changes the numbers in the memory, the "
        "other moves the name to a new tensor, and the picture shows what hangs on that. And some parameter may have "
        "`.grad` None.",
        "```python\ndef sgd_step_(params, lr):\n    with mg.___():\n        for p in params:\n"
        "            if p.grad is ___:\n                p ___ lr * p.grad\n```",
    ),
    explanation="""\
`p -= lr * p.grad` under `no_grad` writes into the memory that the model, the optimizer and everybody else share. `p` is the
same object and still a leaf that requires grad, and its counter moves, so that a graph that needed the old value
says so.

`p = p - lr * p.grad` moves the *name*. Inside a function only your own name moves; in a training loop `p` becomes a
result, its next `.grad` is None, and the loop fails one turn later.

`p.data -= …` gives the same numbers, and is in much old code. It hides the write from the counter: the top of the lesson
shows what that can cost. `mg.optim.SGD` does what you did, under `no_grad`.
""",
)
