"""02.2 Is this order legal?: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

from minigrad.course.exercise import Case, Part


def is_legal(order, sends):
    """May the nodes fire in this order? True or False.

    order: a list of names. sends: a dict from the name of each node to a list of the nodes it sends messages to.
    """
    if sorted(order) != sorted(sends):
        return False
    place = {name: k for k, name in enumerate(order)}
    return all(place[name] < place[child] for name in sends for child in sends[name])


def is_legal_set(order, sends):
    fired = set()
    for name in order:
        if name in fired or name not in sends:
            return False
        consumers = {other for other in sends if name in sends[other]}
        if not consumers <= fired:
            return False
        fired.add(name)
    return len(fired) == len(sends)


def why_not(order: list[str], sends: dict[str, list[str]]) -> str:
    """What is wrong with an order, or that nothing is."""
    told = f"The order is {' '.join(order) or 'empty'}"
    for name, children in sends.items():
        for child in children:
            if name in order and child in order and order.index(child) < order.index(name):
                return f"{told}, and {name} sends to {child}: then {child} would fire before {name}'s message has come."
    left_out = [name for name in sends if name not in order]
    if left_out:
        return f"{told}, and {left_out[0]} never fires."
    twice = [name for name in order if order.count(name) > 1]
    if twice:
        return f"{told}, and {twice[0]} fires twice."
    strangers = [name for name in order if name not in sends]
    if strangers:
        return f"{told}, and there is no node {strangers[0]} in the graph."
    return f"{told}, and every node comes after all that send to it: {arrows_of(sends)}."


def arrows_of(sends: dict[str, list[str]]) -> str:
    return ", ".join(f"{name} → {child}" for name, children in sends.items() for child in children)


def say_is_legal(case: Case, got: Any, expected: Any) -> str | None:
    """The first order about which something else was said than is right."""
    if got["accepted"] == expected["accepted"]:
        return None
    (pairs,) = case.args
    if "another" in got["accepted"]:
        order, last = pairs[len(got["trace_said"]) - 1][0], got["trace_said"][-1]
        return (
            f"The order is {' '.join(order) or 'empty'}. You said {last}, and when asked the same once more, {not last}. Is something "
            "kept from one call to the next, outside of the function? Make it anew in each call."
        )
    for (order, sends), verdict in zip(pairs, got["trace_said"], strict=True):
        if verdict != is_legal(order, sends):
            return f"You said {verdict}. {why_not(order, sends)}"
    return ""


ANSWER = Part(
    reference=is_legal,
    accept=say_is_legal,
    alternatives={
        "what has fired": is_legal_set,
    },
    hints=(
        "A node may fire only when all its consumers have fired. Each arrow of the graph is one condition: its sender "
        "stands before its receiver. And there is one more condition, on the list itself.",
        "Write the order as a line, and draw every arrow of the graph above it. The order is legal if all arrows "
        "point to the right:\n\n```text\nd → c → b → a        d ─► c,  d ─► b,  c ─► b,  b ─► a   all to the right\n"
        "d   b   c   a        c ─► b points to the left\n```",
        "```python\ndef is_legal(order, sends):\n    if sorted(order) != ___:\n        return False\n"
        "    place = {name: k for k, name in enumerate(order)}\n    for name, children in sends.items():\n"
        "        for child in children:\n            if ___:\n                return False\n    return True\n```",
    ),
    explanation="""\
Two conditions. The list holds each node exactly once; and each arrow points to the right, from a node that fires
earlier to one that fires later. Nothing else is asked: where no arrow (and no path of arrows) joins two nodes,
either may go first. So a graph may have many legal orders, and a backward pass gives the same gradients with each.

Such an order is called **topological**. A graph without cycles always has one. A graph with a cycle has none: its
nodes would wait for each other for ever.

Looking up a name's place in a dict makes the work grow with the number of arrows. `order.index` is as right, and
searches the whole list each time.
""",
)
