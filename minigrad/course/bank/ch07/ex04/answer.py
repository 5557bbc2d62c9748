"""07.4 The wrong fix: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def learn(w, h, xs, step, loss_of):
    """Each state follows from the one before. Adds to w.grad the gradient of each loss through its own step only.

    w: a leaf. h: the first state, a constant. xs: the inputs. Returns the last state.
    """
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward()
        h = h.detach()
    return h


def learn_at_use(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.detach(), x)
        loss = loss_of(h)
        loss.backward()
    return h


def learn_no_grad(w, h, xs, step, loss_of):
    for x in xs:
        loss_of(step(w, h, x)).backward()
        with mg.no_grad():
            h = step(w, h, x)
    return h


ANSWER = Part(
    reference=learn,
    alternatives={
        "detached where it is used": learn_at_use,
        "no_grad for the state": learn_no_grad,
    },
    hints=(
        "The error says that a pass came through nodes that had been freed. Which nodes? Not those of its own step: "
        "these are new. So how does the pass get from one step into the step before?",
        "```text\n        step 1          step 2          step 3\n h ──► h₁ ────┬──►    h₂ ────┬──►    h₃\n"
        "              ▼   ✂          ▼   ✂          ▼\n             loss₁          loss₂          loss₃\n```\n\n"
        "Each loss should see its own step. Cut where the scissors are: the numbers go on, the history does not.",
        "One line more in the loop, after `backward`:\n\n```python\nfor x in xs:\n    h = step(w, h, x)\n"
        "    loss_of(h).backward()\n"
        "    h = ___\nreturn h\n```",
    ),
    explanation="""\
The graph of step 2 hangs on the graph of step 1 through the state `h`. The pass from `loss₂` therefore walks into step 1, where
the pass from `loss₁` has emptied the suitcases: hence the error.

`retain_graph=True` takes the error away and leaves the cause. Each pass now walks through all earlier steps again: after
1000 steps it visits hundreds of times as many nodes, and all arrays of all steps stay in memory.

`h = h.detach()` keeps the numbers and cuts the history. The number of nodes stays the same in every step, each pass frees its own
step, and the gradient is the one that was asked for. Its name in the field is *truncated backpropagation through time*.

If you want the gradient through all steps, sum the losses and go backward **once**, at the end: that too needs no `retain_graph`.
""",
)
