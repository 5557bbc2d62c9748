"""17.2 A walk that counts: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import say
from minigrad.course.capstone import edited
from minigrad.course.exercise import Part


def e2():
    """The name of the file that you changed."""
    return edited(
        "core/walk.py",
        ("from typing import Any\n", "from typing import Any\nfrom collections import Counter\n"),
        ("ndarray = np.ndarray  #", "ran = Counter()  # by name: how many nodes the last pass ran\nndarray = np.ndarray  #"),
        ("    pending, captures, on_path, needed = ", "    ran.clear()\n    pending, captures, on_path, needed = "),
        (
            "                results = node.apply(cotangents, tensors, needed)  # as almost",
            "                ran[node.shown().name()] += 1\n"
            "                results = node.apply(cotangents, tensors, needed)  # as almost",
        ),
        ("            walk.node = node\n", "            ran[node.shown().name()] += 1\n            walk.node = node\n"),
    )


ANSWER = Part(
    reference=e2,
    accept=say,
    hints=(
        "Find the lines in `run` where a node's `apply` (or, for a leaf, `accumulate`) is called. There is the moment to "
        "count; not where something arrives, nor where something is taken from the heap.",
        "```text\n"
        "while True:\n"
        "    hand the results on        one turn for each edge: a node with two consumers is met twice\n"
        "    take the next node         also one that is only an input of `grad`\n"
        "    nobody watches it?  run it, and go on            ◄── count\n"
        "    captured, and does not run?  go on\n"
        "    run it, or accumulate                            ◄── count\n"
        "```",
        "```python\n"
        "ran = Counter()  # at the top of walk.py\n"
        "...\n"
        "ran.clear()  # where a pass begins\n"
        "...\n"
        "ran[node.shown().name()] += 1  # where a node runs\n"
        "```",
    ),
    explanation=(
        "Five lines, in one file. The walk has a **short way** for the node that nobody watches, and a long one for leaves, "
        "hooks and the inputs of `grad`. A change that holds for all nodes has to be made in both.\n\n"
        "`node.shown()` is there for speed: all nodes of operations are of one class, `OpNode`, while they walk, and get the "
        "class that bears their name when somebody looks. Counting looks at every node, so a walk that counts is slower. In "
        "minigrad itself such things stand in `around/` and are asked for only while they are switched on (`state.extension`)."
    ),
)
