"""07.3 Weigh it: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

from minigrad.course.exercise import Part
from minigrad.course.helpers.graphs import suitcase


def saved_bytes(root):
    """How many bytes the arrays have that the graph behind root keeps. An array counts once, whoever keeps it.

    root: a Tensor with a grad_fn. Returns an int.
    """
    arrays = {}
    seen, todo = set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        for place, size in suitcase(node):
            arrays[place] = size
        todo.extend(child for child, _ in node.next_functions)
    return sum(arrays.values())


def saved_bytes_recursive(root):
    seen, places, total = set(), set(), 0

    def visit(node: Any) -> None:
        nonlocal total
        if node is None or node in seen:
            return
        seen.add(node)
        for place, size in suitcase(node):
            if place not in places:
                places.add(place)
                total += size
        for child, _ in node.next_functions:
            visit(child)

    visit(root.grad_fn)
    return total


ANSWER = Part(
    reference=saved_bytes,
    alternatives={
        "recursion": saved_bytes_recursive,
    },
    hints=(
        "It is the walk of exercise 01.3, with a question asked at each node: what is in your suitcase? And one array may be "
        "in several suitcases.",
        "```text\nL = (x * y).sum() + sin(x).sum()\n\nMulBackward0   x, y        12 + 12 bytes\n"
        "SinBackward0   x           already counted\nSumBackward0   nothing\nAddBackward0   nothing\n"
        "                           24 bytes\n```\n\nThe node is visited once (a set of nodes), and the array counted once (a "
        "dict from place to size).",
        "```python\narrays = {}                      # place -> bytes\nseen, todo = set(), [root.grad_fn]\nwhile todo:\n"
        "    node = todo.pop()\n    if node is None or node in seen:\n        continue\n    ...\n"
        "    for place, size in suitcase(node):\n        ...\n    todo.extend(...)\nreturn sum(...)\n```",
    ),
    explanation="""\
Two kinds of sharing, and each has its own memory: a **set of nodes**, because a node with two arrows coming in is one node; and
a **dict of places**, because an array in two suitcases is one array. In `x * x` even one node has it twice.

What a forward pass costs in memory is mostly this sum: a layer `tanh(X @ W.T + b)` keeps `X` for the gradient of `W`, and
its own result for the slope of tanh. It grows with the batch and with the depth, and the arrays in the middle have no other
owner. After `backward()` it is 0. That is why the engine empties the suitcases without being asked.
""",
)
