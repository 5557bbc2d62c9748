"""16.5 Double backward: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import (
    arrays,
    backward_twice,
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


def m5():
    """The name of the file with your engine. The facts of M5 judge it."""
    return assemble(
        head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, looking_in, backward_twice
    )


ANSWER = Part(
    reference=m5,
    accept=say,
    sections=("backward_twice",),
    hints=(
        "A gradient can be differentiated when the backward pass itself is recorded. So the rules must compute with *tensors*, "
        "and what they have saved must still know its history.",
        "```text\n"
        "forward:   x ──► x³ ──► y            node(x³) has saved x, the tensor with its history\n"
        "backward:  1 ──► g · 3 · x² ──► g_x   recorded: g_x depends on x, by way of x²\n"
        "again:     1 ──► 6 · x\n"
        "```",
        "```python\n"
        "def rule(g, a):\n"
        "    return (g * (n * a ** (n - 1)),)  # operations on tensors\n"
        "\n"
        "with enable_grad() if create_graph else no_grad():\n"
        "    seen = list(walk(edge(root), g))\n"
        "```",
    ),
    explanation=(
        "No rule had to change. `run` walks with recording on when `create_graph` is set, and the rules leave a graph behind. "
        "`unbroadcast`, `expand` and `scatter` are made of recorded operations too, and that is why shapes and indices work.\n\n"
        "`create_graph` implies `retain_graph`: the graph of the gradient needs what the first one has saved. `grad` asks the "
        "walk for the nodes of its inputs and writes nowhere, so every `.grad` stays as it is."
    ),
)
