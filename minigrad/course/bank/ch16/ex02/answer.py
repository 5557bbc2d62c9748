"""16.2 Arrays: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import (
    arrays,
    backward_with_cotangent,
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


def m2():
    """The name of the file with your engine. The facts of M2 judge it."""
    return assemble(head, modes, values, graph, walk_with_shapes, operations, arrays, backward_with_cotangent)


ANSWER = Part(
    reference=m2,
    accept=say,
    sections=("walk_with_shapes", "arrays", "backward_with_cotangent"),
    hints=(
        "Every rule of M1 stays as it is: NumPy works entry by entry. What is new is that shapes change, forward and "
        "backward. **Copying forward is adding backward; adding forward is copying backward.** Undo broadcasting in one place.",
        "```text\n"
        "input   (3, 1)   ->   in the product (2, 3, 4)\n"
        "                       ^  ^  ^\n"
        "                     new  |  stretched\n"
        "message (2, 3, 4): sum over axis 0 (new) and axis 2 (stretched), then reshape to (3, 1)\n"
        "```",
        "```python\n"
        "def unbroadcast(g, shape):\n"
        "    new = g.ndim - len(shape)\n"
        "    stretched = [k + new for k, n in enumerate(shape) if n == 1]\n"
        "    return g.sum((*range(new), *stretched), keepdims=True).reshape(shape)\n"
        "\n"
        "np.add.at(zeros, index, g)  # the rule of x[index]: repeated rows add up\n"
        "```",
    ),
    explanation=(
        "**One place undoes broadcasting**: the walk, which knows the shape of each input. No rule has to think of it, and none "
        "can forget it. `expand` profits: its rule is just `g`.\n\n"
        "`scatter` is the rule of indexing, and `pick` is the rule of `scatter`. That pair makes M5 work for indices too. "
        "`matmul` gives vectors a second axis and takes it away again, so there is one rule, for tables.\n\n"
        "The line with `node.hooks` belongs to M4; until then the dict is empty."
    ),
)
