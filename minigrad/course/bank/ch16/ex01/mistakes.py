"""16.1 Scalars: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import backward, graph, head, mistake, modes, operations, patched, values, walk
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}
M1 = (head, modes, values, graph, walk, operations, backward)
ADD_UP = "waiting[parent] = waiting[parent] + message"
MISTAKES["overwrites"] = mistake("overwrite", patched(M1, (ADD_UP, "waiting[parent] = message")))

# A node that gets a message hands on all that it has, each time.
EARLY = """
def walk(root, g):
    waiting, todo, done = {root: g}, [root], 0
    while todo and done < 1000:
        node, done = todo.pop(0), done + 1
        if isinstance(node, Sink):
            continue
        yield node, waiting[node]
        for parent, message in zip(node.parents, node.messages(waiting[node])):
            if parent is not None:
                if isinstance(parent, Sink):
                    yield parent, message
                else:
                    waiting[parent] = waiting[parent] + message if parent in waiting else message
                    todo.append(parent)
"""

MISTAKES["fires before all messages are there"] = mistake(
    "fires_early", patched((head, modes, values, graph, EARLY, operations, backward))
)

RECURSIVE = """
def walk(root, g):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for parent in filter(None, node.parents):
                visit(parent)
            order.append(node)

    visit(root)
    waiting = {root: g}
    for node in reversed(order):
        yield node, waiting[node]
        for parent, message in zip(node.parents, node.messages(waiting[node])):
            if parent is not None:
                waiting[parent] = waiting[parent] + message if parent in waiting else message
"""

MISTAKES["recursion"] = mistake("recursion", patched((head, modes, values, graph, RECURSIVE, operations, backward)))

MISTAKES["the rule forgets its message"] = mistake(
    "message", patched(M1, ("lambda g, out: (g * out,)", "lambda g, out: (out,)"))
)

OTHERS = "None if b is None else g * b, None if a is None else g * a"
MISTAKES["the wrong factor"] = mistake(
    "factor", patched(M1, (OTHERS, "g * a, g * b"), ("(needed(a, b), needed(b, a))", "(a, b)"))
)

MISTAKES["no reflected operations"] = mistake(
    "reflected", patched(M1, ("Tensor.__add__ = Tensor.__radd__ = add", "Tensor.__add__ = add"))
)
