"""01.3 Find the leaves: the mistakes that are known."""

from __future__ import annotations

from typing import Any

from minigrad.course.bank.ch01.ex03.answer import leaves
from minigrad.course.bank.shared import ALL_EDGES
from minigrad.course.exercise import Mistake
from minigrad.course.helpers.graphs import nodes_of

MISTAKES: dict[str, Mistake] = {}


def leaves_every_path(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    found, todo = [], [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None:
            continue
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo.extend(child for child, _ in node.next_functions)
    return found


MISTAKES["every path is walked"] = Mistake(
    leaves_every_path,
    "A leaf that can be reached on two paths came twice: you walk *paths*, and a graph has "
    "many more paths than nodes. On the ladder of 25 diamonds you would walk 2^25 of them. "
    "Remember the nodes that you have visited, and skip those.",
)


def leaves_late_set(t):
    return list({id(leaf): leaf for leaf in leaves_every_path(t)}.values())


MISTAKES["duplicates are removed at the end"] = Mistake(
    leaves_late_set,
    "Each leaf would come once, but on the way you walk 2^25 paths: to leave out a *leaf* that is found again is too late. "
    "Remember visited *nodes*, and skip them during the walk.",
)


def leaves_with_constants(t):
    if t.grad_fn is None:
        return [t]
    return leaves(t)


MISTAKES["a constant counts as a leaf to find"] = Mistake(
    leaves_with_constants,
    "A constant is a leaf by its flag, but no gradient ever comes there. If `t` does not "
    "require grad, the answer is an empty list.",
)


def leaves_not_itself(t):
    return [] if t.grad_fn is None else leaves(t)


LEAF_ITSELF = (
    "`t` may be a leaf itself: then its `grad_fn` is None, and there is no node to start from. The answer is "
    "`[t]` if it requires grad, else `[]`. (`a.backward()` on a 0-dim leaf does put 1 in `a.grad`.)"
)

MISTAKES["t may be a leaf itself"] = Mistake(leaves_not_itself, LEAF_ITSELF)


def leaves_no_start(t):
    return leaves(t) if t.grad_fn.next_functions else []


MISTAKES["the start is None"] = Mistake(leaves_no_start, LEAF_ITSELF)


def leaves_one_step(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    found: list[Any] = []
    for node, _ in t.grad_fn.next_functions:
        if hasattr(node, "variable") and not any(leaf is node.variable for leaf in found):
            found.append(node.variable)
    return found


ONE_STEP = (
    "You looked one step back. The nodes there have `next_functions` of their own: keep a "
    "list of nodes still to visit, and go on until it is empty."
)

MISTAKES["one step only"] = Mistake(leaves_one_step, ONE_STEP)


def leaves_one_step_doubled(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    return [node.variable for node, _ in t.grad_fn.next_functions if hasattr(node, "variable")]


MISTAKES["one step only, some twice"] = Mistake(leaves_one_step_doubled, ONE_STEP)


def leaves_no_none(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo.extend(child for child, _ in node.next_functions)
    return found


MISTAKES["None is not skipped"] = Mistake(
    leaves_no_none,
    "None edges are constants: `next_functions` holds `(None, 0)` for an input that does not "
    "require grad. Nothing is behind it; skip it.",
)


def leaves_nodes(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    return [node for node in nodes_of(t) if hasattr(node, "variable")]


MISTAKES["nodes instead of tensors"] = Mistake(
    leaves_nodes, "These are the AccumulateGrad nodes. The tensor that such a node fills is its `.variable`."
)


def leaves_copied(t):
    return leaves(t) if t.grad_fn is None else [leaf.detach().clone() for leaf in leaves(t)]


MISTAKES["copies"] = Mistake(
    leaves_copied,
    "The numbers are those of the leaves, but the tensors are others: no gradient of `t` comes to them. `clone()`, `detach()` and "
    "`mg.tensor(…)` make new ones. Return the `.variable` itself.",
)


def leaves_by_name(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    return [node.variable for node in nodes_of(t) if node.name() == "AccumulateGrad"]


MISTAKES["the name of AccumulateGrad"] = Mistake(
    leaves_by_name,
    'No leaf was found. If you ask for `node.name() == "AccumulateGrad"`: the `name()` of '
    "this node only ends so, after `::autograd::`, as in PyTorch. Ask for `hasattr(node, "
    '"variable")`.',
)


def leaves_equal_values(t):
    values: dict[str, Any] = {}
    for leaf in leaves(t):
        values.setdefault(str(leaf.tolist()), leaf)
    return list(values.values())


TWINS = (
    "Two leaves with equal values were taken for one. Tensors are told apart by identity (`is`), not by "
    "their numbers: `in` on a list of tensors compares numbers. Sets and dicts go by identity. Better "
    "still: remember the *nodes* that you have seen."
)

MISTAKES["equal is not identical"] = Mistake(leaves_equal_values, TWINS)


def leaves_in_list(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    found = []
    for node in nodes_of(t):
        if hasattr(node, "variable") and node.variable not in found:
            found.append(node.variable)
    return found


MISTAKES["in compares numbers"] = Mistake(leaves_in_list, TWINS)


def leaves_in_list_every_path(t):
    found = []
    for leaf in leaves_every_path(t):
        if leaf not in found:
            found.append(leaf)
    return found


MISTAKES["in compares numbers, on every path"] = Mistake(leaves_in_list_every_path, TWINS)

START_AND_STEP = (
    "Here `t` is a leaf itself, so its `grad_fn` is None: the answer is `[t]` if it requires grad, else `[]`. And behind other "
    "tensors you look one step back only: follow each node further, to its end."
)

MISTAKES["the start is None, and one step only"] = Mistake(
    lambda t: leaves_one_step(t) if t.grad_fn.next_functions else [], START_AND_STEP
)

MISTAKES["the start is None, and one step only, some twice"] = Mistake(
    lambda t: leaves_one_step_doubled(t) if t.grad_fn.next_functions else [], START_AND_STEP
)


def leaves_two_edges(t):
    found, seen, todo = [], set(), [t.grad_fn]
    if t.grad_fn is None:
        return leaves(t)
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo.extend(child for child, _ in node.next_functions[:2])
    return found


MISTAKES["two edges of each node"] = Mistake(
    leaves_two_edges,
    f"The third leaf in a stack is missing. {ALL_EDGES}",
)

NODES_SEEN: set[Any] = set()


def leaves_kept_seen(t):
    found, todo = [], [t.grad_fn]
    if t.grad_fn is None:
        return leaves(t)
    while todo:
        node = todo.pop()
        if node is None or node in NODES_SEEN:
            continue
        NODES_SEEN.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo.extend(child for child, _ in node.next_functions)
    return found


MISTAKES["seen is kept between calls"] = Mistake(
    leaves_kept_seen,
    "The first call is right; a second one on the same graph finds less. Something is kept from one call to the next: a set outside "
    "of the function, perhaps, or one that stands as a default, `seen=set()`. Make it anew in each call.",
)


def leaves_cleared(t):
    found = leaves(t)
    for leaf in found:
        leaf.grad = None
    return found


MISTAKES["an old .grad is cleared"] = Mistake(
    leaves_cleared,
    "The leaves are right, but those that had a `.grad` have another one now, or none. You are asked to look, and to write nothing.",
)

MISTAKES["a tuple"] = Mistake(lambda t: tuple(leaves(t)), "The leaves are to come in a **list**: `list(…)` makes one of a tuple.")
MISTAKES["a set"] = Mistake(lambda t: set(leaves(t)), "The leaves are to come in a **list**: `list(…)` makes one of a set.")
