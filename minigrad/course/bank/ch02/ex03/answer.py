"""02.3 Sort it: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

from minigrad.course.exercise import Case, Part


def topo(root):
    """Every Value behind root, root first, each once, every Value before its inputs. Without recursion.

    root: a Value. Returns a list.
    """
    order, seen, stack = [], set(), [(root, "enter")]
    while stack:
        value, what = stack.pop()
        if what == "leave":  # everything behind it is in the list already
            order.append(value)
        elif value not in seen:
            seen.add(value)
            stack.append((value, "leave"))
            for i in value.inputs:
                if i is not None:
                    stack.append((i, "enter"))
    return order[::-1]


def topo_counting(root):
    waiting, seen, todo = {}, {root}, [root]
    while todo:
        for i in todo.pop().inputs:
            if i is not None:
                waiting[i] = waiting.get(i, 0) + 1
                if i not in seen:
                    seen.add(i)
                    todo.append(i)
    order, ready = [], [root]
    while ready:
        value = ready.pop()
        order.append(value)
        for i in value.inputs:
            if i is not None:
                waiting[i] -= 1
                if not waiting[i]:
                    ready.append(i)
    return order


def say_topo(case: Case, got: Any, expected: Any) -> str | None:
    return None if got["the order"] == expected["the order"] else got["cost_told"]


ANSWER = Part(
    reference=topo,
    accept=say_topo,
    alternatives={
        "counting consumers": topo_counting,
    },
    hints=(
        "When may a Value be put at the *end* of the order? When everything behind it is there already. So walk down "
        "to the leaves first, and append each Value on the way back. Then the list is in the wrong direction, and "
        "that is mended in one line. (Another way: count for each Value how many consumers have not yet come.)",
        "Each Value is met twice, on entering and on leaving:\n\n```text\nenter d   stack: leave d, enter b, enter c\n"
        "enter c   stack: leave d, enter b, leave c, enter b\nenter b   stack: leave d, enter b, leave c, leave b, enter a\n"
        "enter a, leave a, leave b, leave c      the list: a b c\nenter b   seen already\n"
        "leave d                                 the list: a b c d, turned round: d c b a\n```",
        "```python\ndef topo(root):\n    order, seen, stack = [], set(), [(root, \"enter\")]\n    while stack:\n"
        "        value, what = stack.pop()\n        if what == \"leave\":\n            order.append(___)\n"
        "        elif value not in seen:\n            seen.add(value)\n            stack.append((value, ___))\n"
        "            for i in value.inputs:\n                if i is not None:\n"
        "                    stack.append((i, ___))\n    return order[___]\n```",
    ),
    explanation="""\
A Value is appended when it is *left*: then everything behind it is in the list already, so in the reversed list
it stands before everything behind it. The stack holds what is still to do; it takes the place of Python's call
stack, which ends after about 1000 calls, and a network with a long loop has more operations than that.

`seen` is a set, because a Value can be reached on many paths: 2^25 on the ladder of diamonds. It is asked on
entering, so each Value is entered once and each arrow looked at once.

Two other ways are as good. **Counting:** a first walk counts the consumers of each Value; a second one lets a Value
fire when the last of them has. **Numbering:** an input exists before its consumer, so the order of creation, newest
first, is a legal order at once. PyTorch and minigrad do both: they count, and of the nodes that may fire they take the
newest.
""",
)
