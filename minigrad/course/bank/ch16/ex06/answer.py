"""16.6 Versions and views: the answer, its hints and why it is right."""

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
    values_with_memory,
    views,
    walk_with_shapes,
    writing,
)
from minigrad.course.capstone import assemble
from minigrad.course.exercise import Part


def m6():
    """The name of the file with your engine. The facts of M6 judge it."""
    return assemble(
        head, modes, values_with_memory, graph_with_versions, walk_with_shapes, operations, arrays, checks, contract_with_views,
        looking_in, backward_twice, views, writing,
    )  # fmt: skip


ANSWER = Part(
    reference=m6,
    accept=say,
    sections=("values_with_memory", "graph_with_versions", "contract_with_views", "views", "writing"),
    hints=(
        "Three questions, one after the other. Who shares the numbers (then they share the count of writes)? What did a rule "
        "save, and at which count? And after a write: what is the *history* of the tensor now, and of those who look at the "
        "same numbers?",
        "```text\n"
        "memory  [ 0 1 2 3 4 5 ]  version 7\n"
        "           ▲     ▲\n"
        "y ─────────┴─────┘  base          v = y[1:3]: a window on the base\n"
        "\n"
        "v.mul_(w):  y  ◄── node with two inputs: the old y (zeros in the window), and v * w (the window)\n"
        "            v  ◄── looks at y anew when it is asked for its node\n"
        "```",
        "```python\n"
        "def write(t, new):\n"
        "    if t.base is not None:  # a view writes into its base\n"
        "        return write(t.base, put(t.base, t.window, new))\n"
        "    t.array[...] = new.array\n"
        "    t.memory.version += 1\n"
        "    t.node = new.node  # while recording\n"
        "```",
    ),
    explanation=(
        "**Memory.** What shares numbers shares a `Memory` with one `version`. A node saves tensors *with* their versions and "
        "compares when its rule is asked.\n\n"
        "**Saved means saved with the history of that day.** `as_saved` keeps the array, the memory and the node: the tensor "
        "itself may get "
        "another node by a later write.\n\n"
        "**One way to write.** Every operation in place is the ordinary operation on a copy of the old numbers, then `write`. A view "
        "writes into its base: `put` is the base with the window replaced, an operation like any other, with a rule that can be "
        "differentiated. Views do not get told; they look again when they are asked for their node and the base has another one.\n\n"
        "All refusals come before the first number changes."
    ),
)
