"""16.4 Modes, detach, hooks: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import (
    arrays,
    backward_with_contract,
    checks,
    contract,
    graph,
    head,
    looking_in,
    modes,
    operations,
    say,
    values,
    walk_with_shapes,
)
from minigrad.course.capstone import assemble
from minigrad.course.exercise import Part


def m4():
    """The name of the file with your engine. The facts of M4 judge it."""
    return assemble(
        head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, looking_in, backward_with_contract
    )


ANSWER = Part(
    reference=m4,
    accept=say,
    sections=("looking_in",),
    hints=(
        "A mode is a flag that many blocks change and each must put back: also when the block ends with an error, and to what "
        "it was *before*, not to what you like. A hook belongs to the place where all messages have been added.",
        "```text\n"
        "no_grad        before = on    -> off ...... back to on\n"
        "  no_grad        before = off   -> off .. back to off   (not on)\n"
        "    error!          ^ __exit__ runs on the way out, too\n"
        "```\n"
        "```text\n"
        "message ─┐\n"
        "         + ─► hooks, in order ─► the node fires, or .grad is written\n"
        "message ─┘\n"
        "```",
        "```python\n"
        "class no_grad:\n"
        "    def __enter__(self):\n"
        "        self.before = ...\n"
        "    def __exit__(self, *error):\n"
        "        ...  # put self.before back; return nothing, so that an error goes on\n"
        "\n"
        "for hook in hooks:  # in the walk\n"
        "    new = hook(g)\n"
        "    g = g if new is None else new\n"
        "```",
    ),
    explanation=(
        "`no_grad` was there since M1. It is a class and no function with `yield`, because `__exit__` runs in any case; "
        "`enable_grad` is the same class with the other value.\n\n"
        "Hooks live on the node (of a leaf: on its sink), because that is where the sum of the messages arrives. They are "
        "keyed by a number, so that `remove` takes away one of two equal hooks, and the walk goes over a *copy* of them: a hook "
        "may remove itself."
    ),
)
