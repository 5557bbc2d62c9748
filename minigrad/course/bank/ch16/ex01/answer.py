"""16.1 Scalars: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import backward, graph, head, modes, operations, say, values, walk
from minigrad.course.capstone import assemble
from minigrad.course.exercise import Part


def m1():
    """The name of the file with your engine. The facts of M1 judge it."""
    return assemble(head, modes, values, graph, walk, operations, backward)


ANSWER = Part(
    reference=m1,
    accept=say,
    sections=("head", "modes", "values", "graph", "walk", "operations", "backward"),
    hints=(
        "Three things are enough: a tensor knows the node that made it; a node knows its rule and the nodes of its inputs; "
        "`backward` walks from the end and lets a node fire when all its messages are there. Chapter 02 has the walk.",
        "```text\n"
        "a ──┐\n"
        "    ├─► mul ─► c ──┐        node of c: rule g → (g·b, g·a)\n"
        "b ──┤              ├─► add ─► y      parents: (leaf a, leaf b)\n"
        "    └──────────────┘\n"
        "```\n"
        "b gets two messages: one by way of `mul`, one from `add`. Number the nodes as they are made. Then *newest first* is a "
        "right order, and a heap gives it without recursion.",
        "```python\n"
        "waiting, queue = {root: g}, [(-root.number, root)]\n"
        "while queue:\n"
        "    node = heapq.heappop(queue)[1]\n"
        "    g = waiting.pop(node)\n"
        "    for parent, message in zip(node.parents, node.rule(g)):\n"
        "        ...  # a constant: skip; already waiting: add; new: put it into waiting and into the queue\n"
        "```",
    ),
    explanation=(
        "**What the sections do.** `values` is the tensor, `graph` the node with its rule, what the rule needs (`saved`) and where "
        "its messages go (`parents`). A node takes its number after its inputs exist, so that newer always means closer to the end. "
        "`walk` is the heart: newest first, each node once, with the sum of its messages. No recursion, so no depth is too deep, "
        "and no set of visited nodes: a node enters the queue with its first message and leaves it with all of them.\n\n"
        "**One decision that pays later.** The rules are written with operations on *tensors*, not with NumPy. Therefore the walk "
        "must not record (`no_grad`), or every backward pass would build a second graph. In M5 we let it, and double backward is "
        "there without a new rule.\n\n"
        "`needed` saves a factor only when the other one wants a gradient. It looks like thrift; M6 shows that it is also the "
        "right thing."
    ),
)
