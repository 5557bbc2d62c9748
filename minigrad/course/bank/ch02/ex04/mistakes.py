"""02.4 Backprop: the mistakes that are known."""

from __future__ import annotations

from typing import Any

from minigrad.course.bank.ch02.ex03.answer import topo
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def leaves_only(grads: dict[Any, Any]) -> dict[Any, Any]:
    return {value: g for value, g in grads.items() if not value.inputs}


def overwrite(root):
    grads = {root: 1.0}
    for value in topo(root):
        grads.update(value.fire(grads[value]))
    return leaves_only(grads)


MISTAKES["the last message wins"] = Mistake(
    overwrite,
    "`grads[i] = message` forgets what has arrived before: the second consumer of a Value erases the first. "
    "Every consumer pulls at it, and the pulls **add**.",
)


def first_message(root):
    grads = {root: 1.0}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads.setdefault(i, message)
    return leaves_only(grads)


MISTAKES["the first message wins"] = Mistake(
    first_message,
    "Only the first message to each Value is kept (`setdefault`, `if i not in grads`). A later consumer has "
    "something to say too: **add** its message.",
)


def paths(root):
    grads: dict[Any, Any] = {}

    def arrive(value, message):
        grads[value] = grads.get(value, 0) + message
        for i, onward in value.fire(message):
            arrive(i, onward)

    arrive(root, 1.0)
    return leaves_only(grads)


MISTAKES["every path"] = Mistake(
    paths,
    "The gradients are right: you handed on each message by itself, path by path. But a ladder of 25 diamonds "
    "has 2^25 paths and 26 Values. Let the messages **meet**: add them up, and fire each Value once.",
)


def fire_again(root):
    grads = {root: 1.0}

    def visit(value):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
            visit(i)

    visit(root)
    return leaves_only(grads)


FIRES_TWICE = (
    "A Value that is used twice fires twice here: once when the first message comes, and again, with the "
    "**sum**, when the second does. What it sent first is counted double: that is how the lesson's graph "
    "gives 40 in place of 26. Sort first, then let each Value fire once."
)
MISTAKES["a node fires twice"] = Mistake(fire_again, FIRES_TWICE)


def queue_of_messages(root):
    grads, line = {root: 1.0}, [root]
    for value in line:
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
            line.append(i)
    return leaves_only(grads)


FROM_A_QUEUE = FIRES_TWICE + " A queue is no order: the nearest Value is not always the one that has all its messages."
MISTAKES["a node fires twice, from a queue"] = Mistake(queue_of_messages, FROM_A_QUEUE)


def queue_of_waiting(root):
    grads, line = {root: 1.0}, [root]
    while line:
        value = line.pop(0)
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
            if i not in line:
                line.append(i)
    return leaves_only(grads)


MISTAKES["a node fires twice, waiting once"] = Mistake(queue_of_waiting, FROM_A_QUEUE)


def stack_of_messages(root):
    grads, stack = {root: 1.0}, [root]
    while stack:
        value = stack.pop()
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
            stack.append(i)
    return leaves_only(grads)


MISTAKES["a node fires twice, from a stack"] = Mistake(
    stack_of_messages,
    "A Value that is used twice stands in your stack twice, and fires each time with all that has arrived: it is counted double. "
    "Neither a stack nor a queue is the right order. Sort first, then let each Value fire once.",
)


def too_early(root):
    grads, line, seen = {root: 1.0}, [root], {root}
    for value in line:
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
            if i not in seen:
                seen.add(i)
                line.append(i)
    return leaves_only(grads)


TOO_EARLY = (
    "Each Value fires once, but some fire before all their messages are there; what comes later is lost. "
    "Neither the nearest first nor one way to its end is the right order. Use a topological one: `topo` of 02.3."
)

MISTAKES["too early"] = Mistake(too_early, TOO_EARLY)


def shared_array(root):
    grads = {root: 1.0}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            if i in grads:
                grads[i] += message
            else:
                grads[i] = message
    return leaves_only(grads)


MISTAKES["a shared array"] = Mistake(
    shared_array,
    "For `+` both messages are **the same array**. `grads[i] += message` writes into it, and so changes the "
    "gradient of another Value. `grads[i] = grads[i] + message` makes a new one.",
)


def kept_state(root):
    order = topo(root)
    for value in order:
        value.grad = getattr(value, "grad", 0)
    root.grad = 1.0
    for value in order:
        for i, message in value.fire(value.grad):
            i.grad = i.grad + message
    return {value: value.grad for value in order if not value.inputs}


STATE = (
    "The first call is right, the second on the same graph is not: something of the first is still there. Gradients that "
    "are stored on the Values (or in a dict outside of the function) must be cleared. Better: keep them in a dict that the "
    "function makes anew each time."
)

MISTAKES["state between two calls"] = Mistake(kept_state, STATE)


def all_values(root):
    grads = {root: 1.0}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
    return grads


MISTAKES["not only leaves"] = Mistake(
    all_values,
    "The gradients are right, but the dict holds those of all Values. Give back the leaves only: the Values without inputs.",
)


def nothing_at_root(root):
    grads: dict[Any, Any] = {}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
    return leaves_only(grads)


MISTAKES["nothing has arrived"] = Mistake(
    nothing_at_root,
    "A Value fires at which nothing has arrived: there is no entry for it. Does a 1 stand at root before the "
    "walk begins? And does the order begin with root, and not with the leaves?",
)


def never_one(root):
    grads = {root: root.data}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
    return leaves_only(grads)


MISTAKES["it starts with the value"] = Mistake(
    never_one,
    "All gradients are too large by the factor `root.data`. What stands at the root is the slope of root with "
    "respect to itself: 1.",
)


def fires_on_entering(root):
    grads, stack, seen = {root: 1.0}, [root], set()
    while stack:
        value = stack.pop()
        if value not in seen:
            seen.add(value)
            for i, message in value.fire(grads[value]):
                grads[i] = grads.get(i, 0) + message
                stack.append(i)
    return leaves_only(grads)


MISTAKES["too early, depth first"] = Mistake(fires_on_entering, TOO_EARLY)


def fired_to_see(root):
    grads = {root: 1.0}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
    return {value: g for value, g in grads.items() if not value.fire(1.0)}


MISTAKES["fired to see whether it is a leaf"] = Mistake(
    fired_to_see,
    "The gradients are right, but Values fire more than once. If you fire one again to see whether it is a leaf: ask "
    "`value.inputs`, which is empty then.",
)


def silent_leaves(root):
    grads = {root: 1.0}
    for value in topo(root)[::-1]:
        for i, message in value.fire(grads.get(value, 0.0)):
            grads[i] = grads.get(i, 0.0) + message
    return leaves_only(grads)


MISTAKES["from the leaves to the root"] = Mistake(
    silent_leaves,
    "Values fire at which nothing has arrived yet, with 0, and so the messages are 0. Walk from the root to the leaves, and put the 1 "
    "at the root before you begin.",
)


def emptied(root):
    grads, order = {root: 1.0}, topo(root)
    leaves = [value for value in order if not value.inputs]
    for value in order:
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
        value.inputs, value.rule = (), lambda g: ()
    return {leaf: grads[leaf] for leaf in leaves}


MISTAKES["the graph is emptied"] = Mistake(
    emptied,
    "The first call is right, and takes the graph apart: a second call finds no inputs any more. Read `value.inputs`, and leave "
    "it as it is.",
)


def stepped(root):
    grads = all_values(root)
    for value in grads:
        if not value.inputs:
            value.data = value.data - 0.1 * grads[value]
    return leaves_only(grads)


MISTAKES["the data is changed"] = Mistake(
    stepped,
    "The gradients are right, and the graph is not what it was: some of its Values have another `.data` now. Who asks for gradients "
    "wants no step yet. Write into your own dict only.",
)
