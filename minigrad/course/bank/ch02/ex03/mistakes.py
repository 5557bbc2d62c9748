"""02.3 Sort it: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch02.ex03.answer import topo
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def recursive(root):
    order, seen = [], set()

    def visit(value):
        if value is None or value in seen:
            return
        seen.add(value)
        for i in value.inputs:
            visit(i)
        order.append(value)

    visit(root)
    return order[::-1]


MISTAKES["recursion"] = Mistake(
    recursive,
    "The order is right, but a chain of 5,000 operations is too deep for Python's call stack. It ends at about "
    "1000 calls; a higher limit only moves the end, and is not granted here. "
    "Keep a stack of your own: a list, to which you append what is still to do.",
)


def preorder(root):
    order, seen, stack = [], set(), [root]
    while stack:
        value = stack.pop()
        if value not in seen:
            seen.add(value)
            order.append(value)
            stack.extend(i for i in value.inputs if i is not None)
    return order


ON_ENTERING = (
    "You append a Value when you **enter** it (that is called pre-order), or level by level. Then it stands "
    "before consumers that are found only later: frame 3 of the lower row in the lesson's first picture. "
    "Append it when you **leave** it, when everything behind it is in the list, and turn the list round at "
    "the end."
)

MISTAKES["pre-order"] = Mistake(preorder, ON_ENTERING)


def levels_in_a_list(root):
    order = [root]
    for value in order:
        for i in value.inputs:
            if i is not None and i not in order:
                order.append(i)
    return order


MISTAKES["level by level, a list as memory"] = Mistake(levels_in_a_list, ON_ENTERING)


def preorder_reversed(root):
    return preorder(root)[::-1]


MISTAKES["pre-order, reversed"] = Mistake(
    preorder_reversed,
    "Turning the list round is right for Values that are appended on **leaving**. Yours are appended on "
    "entering. And root must be first.",
)


def inputs_first(root):
    return topo(root)[::-1]


MISTAKES["inputs first"] = Mistake(
    inputs_first,
    "Your list begins with the leaves: that is the order in which the values were computed. Messages run the "
    "other way. Turn the list round.",
)


def no_memory(root):
    order, stack = [], [(root, "enter")]
    while stack:
        value, what = stack.pop()
        if what == "leave":
            order.append(value)
        else:
            stack.append((value, "leave"))
            stack.extend((i, "enter") for i in value.inputs if i is not None)
    return order[::-1]


EVERY_PATH = (
    "You walk **paths**, and a graph has many more paths than nodes: the ladder of 25 diamonds has 26 Values and 2^25 "
    "paths. Remember in a set which Values you have visited, and do not enter those again."
)

MISTAKES["every path"] = Mistake(no_memory, EVERY_PATH)


def late_memory(root):
    return list(dict.fromkeys(no_memory(root)[::-1]))[::-1]


MISTAKES["every path, tidied at the end"] = Mistake(
    late_memory,
    "The list is right, but you walked 2^25 paths to get it: removing what is double at the end is too late. "
    "Remember the Values that you have visited, and do not enter those again.",
)


def list_memory(root):
    order, seen, stack = [], [], [(root, False)]
    while stack:
        value, leaving = stack.pop()
        if leaving:
            order.append(value)
        elif value not in seen:
            seen.append(value)
            stack.append((value, True))
            stack.extend((i, False) for i in value.inputs if i is not None)
    return order[::-1]


LIST_SEARCH = (
    "The order is right, but every look into a list searches the whole list: `value in seen` and `order.count(…)` take "
    "longer and longer as the list grows. Keep what you have seen in a **set** (of Values, or of their `id`s); there a "
    "look takes no time to speak of."
)

MISTAKES["a list as memory"] = Mistake(list_memory, LIST_SEARCH)


def constants_kept(root):
    order, seen, stack = [], set(), [(root, "enter")]
    while stack:
        value, what = stack.pop()
        if what == "leave":
            order.append(value)
        elif value not in seen:
            seen.add(value)
            stack.append((value, "leave"))
            stack.extend((i, "enter") for i in value.inputs)
    return order[::-1]


MISTAKES["constants are not skipped"] = Mistake(
    constants_kept, "Among `inputs` stands None for each constant. It has no inputs of its own, and is no Value: skip it."
)


def without_root(root):
    return topo(root)[1:]


MISTAKES["root is missing"] = Mistake(without_root, "root itself is missing. It is the first to fire.")


def without_leaves(root):
    return [value for value in topo(root) if value.inputs]


MISTAKES["leaves are missing"] = Mistake(
    without_leaves,
    "The leaves are missing. They send no messages, but they are Values behind root, and belong to the end of the list.",
)


def stops_at_a_constant(root):
    order, done, stack = [], set(), [(root, False)]
    while stack:
        value, left = stack.pop()
        if left:
            order.append(value)
        elif value not in done:
            done.add(value)
            stack.append((value, True))
            for i in value.inputs:
                if i is None:
                    break
                stack.append((i, False))
    return order[::-1]


MISTAKES["stops at a constant"] = Mistake(
    stops_at_a_constant,
    "Here the first input is a constant, and what comes after it is missing from your list. Skip the None, and go on: `continue`, "
    "not `break`.",
)


def inputs_emptied(root):
    order, seen, stack = [], set(), [(root, ())]
    while stack:
        value, inputs = stack.pop()
        if value is None:
            order.append(inputs)
        elif value not in seen:
            seen.add(value)
            stack.append((None, value))
            stack.extend((i, ()) for i in value.inputs if i is not None)
            value.inputs = ()
    return order[::-1]


MISTAKES["the inputs are emptied"] = Mistake(
    inputs_emptied,
    "Your function takes the graph apart: the `inputs` of its Values are not what they were, and a second call finds nothing behind "
    "root. Read `value.inputs`, and leave it as it is. What you have visited belongs into a set of your own.",
)
