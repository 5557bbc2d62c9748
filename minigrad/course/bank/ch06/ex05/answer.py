"""06.5 The leaking loop: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def average_loss(w, batches, loss_of, lr):
    """Train w for one step on each batch. Returns the average of the losses: a float, or a Tensor without a graph.

    w: a leaf of shape (n,). loss_of(w, batch): a Tensor of shape (). lr: the size of the steps.
    """
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss.item()
    return total / len(batches)


def average_detached_total(w, batches, loss_of, lr):
    total = mg.zeros(())
    for batch in batches:
        w.grad = None
        loss = loss_of(w, batch)
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
            total = total + loss
    return total / len(batches)


ANSWER = Part(
    reference=average_loss,
    alternatives={
        "added under no_grad": average_detached_total,
    },
    hints=(
        "`total += loss` is an addition like any other. Its result has a history, and the loss is in it. What of the loss do "
        "you need for the average: the Tensor with its past, or its number?",
        "```text\n  total ──► Add ──► Add ──► Add ──► …\n             │       │       │\n             ▼       ▼       ▼\n"
        "           loss₃   loss₂   loss₁      each with its whole graph behind it\n```\n\nWhere must the scissors go, and at "
        "what moment?",
        "Change one line:\n\n```python\ntotal += loss.___()  # a number, or a Tensor without history\n```",
    ),
    explanation="""\
Adding a loss to `total` makes `total` a result. Its graph grows by one loss in every step, and nothing in it can be freed as long
as `total` lives. `backward` frees what the nodes have **saved**, but not the nodes; and in a loop without `backward`, as in a
validation, not even that.

`loss.item()` hands out a Python number, `loss.detach()` a Tensor without history; `no_grad` around the addition does it too. Each
must come in the loop, at the addition. `float(total)` after the loop gives a clean result, when the memory has long been used.

And `backward` needs the loss with its history. So cut what you keep, never what you go backward through.
""",
)
