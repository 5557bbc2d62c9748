"""16.7 Training: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import (
    arrays,
    backward_twice,
    checks,
    contract_with_views,
    graph_with_versions,
    head,
    looking_in,
    modes,
    operations,
    say,
    training,
    values_with_memory,
    views,
    walk_with_shapes,
    writing,
)
from minigrad.course.capstone import assemble
from minigrad.course.exercise import Part


def m7():
    """The name of the file with your engine. The facts of M7 judge it."""
    return assemble(
        head, modes, values_with_memory, graph_with_versions, walk_with_shapes, operations, arrays, checks, contract_with_views,
        looking_in, backward_twice, views, writing, training,
    )  # fmt: skip


ANSWER = Part(
    reference=m7,
    accept=say,
    sections=("training",),
    hints=(
        "Five steps, in this order: compute the loss, forget the old gradients, go backward, note the loss, update inside of "
        "`no_grad`.",
        "```text\n"
        "points (n, 2) ─ @ W1 (2, h) + b1 (h,) ─ tanh ─ @ W2 (h, 1) + b2 (1,) ─► scores (n, 1)\n"
        "labels (n,)  ─ reshape ──────────────────────────────────────────────► target (n, 1)\n"
        "                                         loss = mean of (score - target)²\n"
        "```",
        "```python\n"
        "parameters = [tensor(w, requires_grad=True) for w in weights]\n"
        "for _ in range(steps):\n"
        "    loss = ...\n"
        "    for p in parameters:\n"
        "        p.grad = None\n"
        "    loss.backward()\n"
        "    with no_grad():\n"
        "        for p in parameters:\n"
        "            p -= rate * p.grad\n"
        "```",
    ),
    explanation=(
        "`tensor` copies, so the arrays of the caller stay as they are. The labels become a column: without it (n, 1) − (n,) is an "
        "n × n table, and the mean is taken of n² wrong differences, without any error.\n\n"
        "The update is a write in place on a leaf, allowed inside of `no_grad` (M6), and the next step records a new graph. Six "
        "hundred steps, and the losses agree with minigrad's to 1e-6: your engine is one."
    ),
)
