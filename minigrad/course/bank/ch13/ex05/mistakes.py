"""13.5 The first culprit: the mistakes that are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.exercise import Mistake
from minigrad.course.helpers.graphs import nodes_of

MISTAKES: dict[str, Mistake] = {}


def culprit_among(root: Any, bad: Callable[[Any], bool], results: bool = True, last: bool = False, first: bool = False) -> Any:
    """The first or last node that sends, or gets, a bad gradient."""
    found = []
    for node in nodes_of(root):

        def hook(sent, arrived, node=node):
            gs = sent if results else arrived
            if any(bad(g) for g in (gs[:1] if first else gs) if g is not None):
                found.append(node.name())

        node.register_hook(hook)
    root.backward()
    return found[-1 if last else 0] if found else None


def is_bad(g: Any) -> bool:
    return bool(mg.isnan(g).any())


def culprit_last(root):
    return culprit_among(root, is_bad, last=True)


MISTAKES["the last"] = Mistake(
    culprit_last,
    "That is the **last** node with a NaN. NaN spreads towards the leaves: whoever gets one hands one on. Look for the "
    "source, the first node in the order of the pass.",
)


def culprit_without_none(root):
    found = []
    for node in nodes_of(root):
        node.register_hook(lambda out, into, n=node: found.append(n.name()) if any(mg.isnan(g).any() for g in out) else None)
    root.backward()
    return found[0] if found else None


MISTAKES["None among the results"] = Mistake(
    culprit_without_none,
    "Not every input of an operation gets a gradient: `results` may hold None, as that of WhereBackward0 does in "
    "section 3. Ask `g is not None` first.",
)


def culprit_arrived(root):
    return culprit_among(root, is_bad, results=False)


MISTAKES["what arrives"] = Mistake(
    culprit_arrived,
    "You named the first node at which a NaN **arrives**. It is the first victim. The culprit is the node that "
    "**sent** it: look at the first argument of the hook, the results.",
)


def culprit_late(root):
    found = []
    for node in nodes_of(root):
        node.register_hook(
            lambda out, into: found.append(node.name()) if any(is_bad(g) for g in out if g is not None) else None  # noqa: B023
        )
    root.backward()
    return found[0] if found else None


MISTAKES["the last node of the loop"] = Mistake(
    culprit_late,
    "Your hooks find the NaN, but all of them give the **last** node of your loop. A function looks up `node` when it is "
    "*called*, and by then the loop has ended. Bind it at once: `lambda results, arrived, node=node: …`, or make the hook "
    "in a function of its own.",
)


def culprit_infinite(root):
    return culprit_among(root, lambda g: not bool(mg.isfinite(g).all()))


MISTAKES["inf counts too"] = Mistake(
    culprit_infinite,
    "You stop at an infinite gradient as well. `inf` is a number, if a large one, and may be quite right: the slope of "
    "a root at 0. Often it becomes a NaN only in the next node, by inf · 0. Ask `mg.isnan`.",
)


def culprit_equal(root):
    return culprit_among(root, lambda g: bool((g == float("nan")).any()))


MISTAKES["compared with =="] = Mistake(
    culprit_equal,
    "A NaN is not equal to anything, not even to itself: `g == float('nan')` is False everywhere. Ask `mg.isnan(g)`.",
    evidence=lambda source, seen: re.search(r"float\(.nan|\.nan\b", source) is not None,
)


def culprit_all(root):
    return culprit_among(root, lambda g: bool(mg.isnan(g).all()))


MISTAKES["only if all are NaN"] = Mistake(
    culprit_all, "You ask whether **all** entries are NaN. One is enough: `mg.isnan(g).any()`."
)


def culprit_zeroth(root):
    return culprit_among(root, is_bad, first=True)


MISTAKES["only the first result"] = Mistake(
    culprit_zeroth,
    "A node has one result for each of its inputs, and you look at the first one only. In the last case the NaN is in "
    "the second gradient of a product. Look at all that are not None.",
)


def culprit_node(root):
    found = []
    for node in nodes_of(root):
        node.register_hook(lambda out, into, n=node: found.append(n) if any(is_bad(g) for g in out if g is not None) else None)
    root.backward()
    return found[0] if found else None


MISTAKES["the node"] = Mistake(culprit_node, "The right node. What is asked for is its name: `node.name()`.")


def culprit_of_leaves(root):
    found = []
    for node in nodes_of(root):

        def hook(sent, arrived, node=node):
            if sent[0] is not None and is_bad(sent[0]):
                found.append(node.name())

        node.register_hook(hook)
    root.backward()
    return found[0] if found else None


MISTAKES["results is empty"] = Mistake(
    culprit_of_leaves,
    "The node of a leaf sends nothing on: its `results` is empty, and has no entry 0. Go through all entries in a loop.",
)


def culprit_of_value(root):
    return root.grad_fn.name() if mg.isnan(root) else culprit_among(root, is_bad)


MISTAKES["the value is NaN"] = Mistake(
    culprit_of_value,
    "Where the value of the root is NaN, you name its own node. The value is not asked for: its gradients may have no NaN, or "
    "have it elsewhere. Look at the gradients in every case.",
)


def culprit_of_value_alone(root):
    return root.grad_fn.name() if mg.isnan(root) else None


MISTAKES["only the value is looked at"] = Mistake(
    culprit_of_value_alone,
    "You name a node only where the **value** of the root is NaN. It may be a fine number, and a gradient NaN: `where` hides the "
    "branch that it did not choose. Look at what each node makes on the way back.",
)

def culprit_last_of_two(root):
    found = []
    for node in nodes_of(root):

        def hook(sent, arrived, node=node):
            if any(is_bad(g) for g in sent if g is not None) and not any(is_bad(g) for g in arrived if g is not None):
                found.append(node.name())

        node.register_hook(hook)
    root.backward()
    return found[-1] if found else None


MISTAKES["the last culprit"] = Mistake(
    culprit_last_of_two,
    "Here two nodes make a NaN of their own, and neither gets one from the other. You name the one to which the pass comes later. "
    "The **first** is asked for.",
)

MISTAKES["none is found"] = Mistake(
    lambda root: root.backward(),
    "You find no NaN, and there is one. Was `root.backward()` called after the hooks were hung on, and on **every** node behind the "
    "root? A hook is called only when the pass comes by.",
)
