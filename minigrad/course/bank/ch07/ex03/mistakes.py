"""07.3 Weigh it: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch07.ex03.answer import saved_bytes
from minigrad.course.bank.shared import ALL_EDGES
from minigrad.course.exercise import Mistake
from minigrad.course.helpers.graphs import nodes_of, place_of, suitcase
from minigrad.course.judging.limits import TimeLimit

MISTAKES: dict[str, Mistake] = {}


def bytes_shared_twice(root):
    return sum(size for node in nodes_of(root) for _, size in suitcase(node))


MISTAKES["shared arrays counted twice"] = Mistake(
    bytes_shared_twice,
    "An array that two nodes keep is in memory **once**. Remember the places that you have counted: "
    "`suitcase` gives you the place of each array.",
)


def bytes_once_a_node(root):
    return sum(size for node in nodes_of(root) for _, size in set(suitcase(node)))


MISTAKES["once for each node"] = Mistake(
    bytes_once_a_node,
    "Within one node you count an array once, but across nodes you count it again. Let the set (or dict) of places "
    "live outside the loop over the nodes.",
)


def paths_of(root: Any) -> list[Any]:
    """The nodes behind root, once for each path to them. Where these are too many it does not wait for the time limit."""
    nodes, todo = [], [root.grad_fn]
    while todo:
        if len(nodes) > 10_000:
            raise TimeLimit
        node = todo.pop()
        if node is not None:
            nodes.append(node)
            todo.extend(child for child, _ in node.next_functions)
    return nodes


def bytes_without_seen(root):
    return sum(dict(pair for node in paths_of(root) for pair in suitcase(node)).values())


MISTAKES["every path is walked"] = Mistake(
    bytes_without_seen,
    "You count each array once, but walk every **path**: a node with two arrows coming in is visited twice, and so is "
    "all behind it. The last graph has 2²⁵ paths. Keep the nodes that you have seen, as in exercise 01.3.",
)


def bytes_of_paths(root):
    return sum(size for node in paths_of(root) for _, size in suitcase(node))


MISTAKES["every path is walked and weighed"] = Mistake(
    bytes_of_paths,
    "A node with two arrows coming in was visited twice, and so was all behind it. Keep the nodes that you have "
    "seen (exercise 01.3). And an array in two suitcases counts once: keep the places, too.",
)


def bytes_of_the_last(root):
    return sum(dict(suitcase(root.grad_fn)).values())


MISTAKES["the last node only"] = Mistake(
    bytes_of_the_last, "That is the suitcase of `root.grad_fn` alone. Walk along the `next_functions` to all nodes behind it."
)


def bytes_of_first_edge(root):
    arrays, node = {}, root.grad_fn
    while node is not None:
        arrays.update(suitcase(node))
        node = node.next_functions[0][0] if node.next_functions else None
    return sum(arrays.values())


MISTAKES["only the first edge is followed"] = Mistake(
    bytes_of_first_edge,
    "You followed the first edge of each node only. A product has two, and a constant's edge leads to None.",
)


def bytes_with_leaves(root):
    """Saved or not, each leaf is counted. (None is saved twice in the graphs where that matters.)"""
    return saved_bytes(root) + sum(leaf.nbytes for leaf in unsaved_leaves(root))


def unsaved_leaves(root: Any) -> list[Any]:
    nodes = nodes_of(root)
    saved = [getattr(node, name) for node in nodes for name in dir(node) if name.startswith("_saved_") and not is_freed(node)]
    places = {place_of(value) for value in saved if isinstance(value, mg.Tensor)}
    return [node.variable for node in nodes if hasattr(node, "variable") and place_of(node.variable) not in places]


def is_freed(node: Any) -> bool:
    return bool(getattr(node, "_freed", False))


MISTAKES["leaves counted though not saved"] = Mistake(
    bytes_with_leaves,
    "You counted leaves that nobody has saved. AccumulateGrad knows its leaf in order to write its `.grad`; that is no "
    "saved array, and it is not freed. Count what `suitcase` gives, and nothing else.",
)


def bytes_with_root(root):
    return saved_bytes(root) + root.nbytes


MISTAKES["the result counted though not saved"] = Mistake(
    bytes_with_root,
    "You counted the result of the graph. A sum does not save its result: no rule needs it. Count what "
    "`suitcase` gives, and nothing else.",
)


def bytes_of_the_tensor(root):
    return sum(size for _, size in suitcase(root))


MISTAKES["the tensor for its node"] = Mistake(
    bytes_of_the_tensor, "The suitcases belong to the **nodes**. A tensor leads to its node with `root.grad_fn`: begin there."
)


def bytes_with_none(root):
    arrays, seen, todo = {}, set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            arrays.update(suitcase(node))
            todo.extend(child for child, _ in node.next_functions)
    return sum(arrays.values())


MISTAKES["None is no node"] = Mistake(
    bytes_with_none,
    "The edge of a constant leads to None, and None has no `next_functions`. Leave it out: `if node is None: continue`.",
)


def bytes_of_pairs(root):
    arrays, seen, todo = {}, set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        arrays.update(suitcase(node))
        todo.extend(node.next_functions)
    return sum(arrays.values())


MISTAKES["pairs for nodes"] = Mistake(
    bytes_of_pairs,
    "An entry of `next_functions` is a **pair**: the node, and a number. Take the node: `for child, _ in node.next_functions`.",
)


def bytes_by_name(root):
    arrays, names, todo = {}, set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node.name() in names:
            continue
        names.add(node.name())
        arrays.update(suitcase(node))
        todo.extend(child for child, _ in node.next_functions)
    return sum(arrays.values())


MISTAKES["one node of a kind"] = Mistake(
    bytes_by_name,
    "You leave out a node when one of the same **name** was there. Two `ExpBackward0` are two nodes, with a suitcase "
    "each. Remember the nodes themselves.",
)


def arrays_counted(root):
    return len({place for node in nodes_of(root) for place, _ in suitcase(node)})


MISTAKES["arrays instead of bytes"] = Mistake(
    arrays_counted, "That is the number of arrays. Add up their sizes: the second item of each pair."
)


def sizes_in_a_set(root):
    return sum({size for node in nodes_of(root) for _, size in suitcase(node)})


MISTAKES["equal sizes taken for one array"] = Mistake(
    sizes_in_a_set, "Two arrays of the same size are still two arrays. Tell them apart by their **place**, not by their size."
)


def bytes_of_two_levels(root):
    arrays = dict(suitcase(root.grad_fn))
    for node, _ in root.grad_fn.next_functions:
        arrays.update(suitcase(node))
    return sum(arrays.values())


MISTAKES["one step behind root"] = Mistake(
    bytes_of_two_levels,
    "You looked at `root.grad_fn` and at the nodes directly behind it. Go on from these, to the end of the graph.",
)


def bytes_of_four(root):
    nodes, total = nodes_of(root), 0
    for node in nodes:
        for name in dir(node):
            value = getattr(node, name) if name.startswith("_saved_") else None
            total += 4 * value.numel() if isinstance(value, mg.Tensor) else 0
    return total


MISTAKES["four bytes a number"] = Mistake(
    bytes_of_four,
    "You count 4 bytes for each number. A float64 has 8, and a whole number too. `suitcase(node)` gives the bytes, and tells by "
    "the place which arrays are the same.",
    lambda source, seen: "4" in source and "numel" in source,
)


def with_all_leaves(size: Callable[[Any], int]) -> Callable[..., Any]:
    """An answer that counts each leaf besides what is saved, also where it is saved."""
    return lambda root: saved_bytes(root) + sum(size(node.variable) for node in nodes_of(root) if hasattr(node, "variable"))


LEAVES_BESIDES = (
    "You counted the leaves besides what `suitcase` gives. AccumulateGrad knows its leaf in order to write its `.grad`; that is "
    "no saved array. Where a leaf was saved, it is in a suitcase."
)

MISTAKES["all leaves besides"] = Mistake(with_all_leaves(lambda leaf: leaf.nbytes), LEAVES_BESIDES)

MISTAKES["all leaves besides, four bytes a number"] = Mistake(with_all_leaves(lambda leaf: 4 * leaf.numel()), LEAVES_BESIDES)


def bytes_of_two_edges(root):
    seen, arrays, todo = set(), {}, [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            arrays |= dict(suitcase(node))
            todo += [child for child, _ in node.next_functions[:2]]
    return sum(arrays.values())


MISTAKES["two edges of each node"] = Mistake(
    bytes_of_two_edges,
    f"What is behind the third input of a stack is missing. {ALL_EDGES}",
)
