"""01.3 Find the leaves: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.exercise import Part


def leaves(t):
    """The leaves that a backward pass from t would reach: a list of tensors, each once, in any order."""
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo.extend(child for child, _ in node.next_functions)
    return found


def leaves_recursive(t):
    seen = {}

    def visit(node):
        if node is None or node in seen:
            return
        seen[node] = type(node).__name__ == "AccumulateGrad"
        for child, _ in node.next_functions:
            visit(child)

    visit(t.grad_fn)
    if t.is_leaf and t.requires_grad:
        return [t]
    return [node.variable for node, is_end in seen.items() if is_end]


ANSWER = Part(
    reference=leaves,
    alternatives={
        "recursive": leaves_recursive,
    },
    hints=(
        "A walk needs two containers: the nodes still **to visit**, and the nodes already **seen**. "
        "Start with `t.grad_fn`; for each node, look at its `next_functions`. The walk ends at nodes "
        "that have a `.variable`.",
        "In the first picture of the lesson: AddBackward0, its two children, then AccumulateGrad of "
        "`a`, of `b`, of `c`. Two arrows lead to AccumulateGrad of `b`: when you come along the "
        "second one, it is in `seen`. A dotted edge is a `None` in `next_functions`.",
        "```python\ndef leaves(t):\n    if t.grad_fn is None:\n"
        "        return ...          # a leaf itself: wanted or constant?\n"
        "    found, seen, todo = [], set(), [t.grad_fn]\n    while todo:\n        node = todo.pop()\n"
        "        if node is None or node in ...:\n            continue\n        seen.add(node)\n"
        '        if hasattr(node, "variable"):\n            found.append(...)\n'
        "        for child, _ in node.next_functions:\n            todo.append(...)\n"
        "    return found\n```",
    ),
    explanation="""\
Two things make this a walk over a *graph*. `None` among the `next_functions` is an input that needs no
gradient: nothing is behind it. And a node that was seen is never entered again. Without the second the walk
follows every *path*: each diamond doubles their number, and 25 diamonds have 2²⁵ = 33,554,432 paths over some
thirty nodes. Removing duplicates from the result does not help; the time is spent by then.

`seen` holds nodes, which are told apart by identity. A leaf has one AccumulateGrad however often it is used,
so no leaf can come twice. `backward()` begins with the same walk: it must know what lies behind before it
starts. A recursive version is as right here; on a chain of some thousand operations Python's recursion limit
stops it, and chapter 02 shows how to do without.
""",
)
