"""16.3 The contract: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import (
    arrays,
    backward_with_contract,
    checks,
    contract,
    graph,
    head,
    modes,
    operations,
    say,
    values,
    walk_with_shapes,
)
from minigrad.course.capstone import assemble
from minigrad.course.exercise import Part


def m3():
    """The name of the file with your engine. The facts of M3 judge it."""
    return assemble(
        head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, backward_with_contract
    )


ANSWER = Part(
    reference=m3,
    accept=say,
    sections=("checks", "contract", "backward_with_contract"),
    hints=(
        "A contract has two sides: what is promised, and what is refused. Refuse *first*: look at the root, at v and at the "
        "graph before the first `.grad` is written.",
        "```text\n"
        "backward(v)\n"
        "  1. check    the root has a graph · one element, or a v · v is a Tensor · shapes agree\n"
        "  2. walk     collect the gradients of the leaves; a freed node raises here\n"
        "  3. write    add to .grad, each leaf its own array\n"
        "  4. free     what the rules had saved, unless retain_graph\n"
        "```",
        "```python\n"
        "seen = list(walk(edge(self), start_of(self, gradient)))  # 1 and 2\n"
        "for node, g in seen:\n"
        "    if isinstance(node, Sink):\n"
        "        ...  # 3\n"
        "    if not retain_graph:\n"
        "        node.saved = None  # 4, where it had saved something\n"
        "```",
    ),
    explanation=(
        "`start_of` holds every refusal that needs no walk. `backward` turns the generator into a list: if a node in the middle "
        "was freed, the error comes before the first `.grad` is touched. (PyTorch is less strict there: leaves that the walk has "
        "passed are already written.)\n\n"
        "Only nodes that had saved something are freed. So `(x + y).sum()` may be walked twice, as in PyTorch.\n\n"
        "A first gradient is copied (`tensor(g.array)`): v itself, or the message to another leaf, may be the same array."
    ),
)
