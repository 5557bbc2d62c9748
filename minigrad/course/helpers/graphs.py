"""What lessons and exercises look at graphs with, whichever library has made them."""

from __future__ import annotations

from typing import Any


def class_of(node: Any) -> str:
    """MulBackward0, AccumulateGrad, …: a node's name as the pictures write it."""
    return type(node).__name__


def nodes_of(*tensors: Any) -> list[Any]:
    """Every node behind the tensors, each once."""
    seen: dict[Any, None] = {}
    todo = [t.grad_fn for t in tensors]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen[node] = None
            todo.extend(child for child, _ in node.next_functions)
    return list(seen)


def suitcase(node: Any) -> list[tuple[int, int]]:
    """What a node has saved: for each array a pair (place, bytes). The place tells which array it is.

    An array has the same place in every node that keeps it. A node that saves nothing has an empty list, and so has
    one that was freed. A plain number, as in 2 * x, is not listed.
    """
    if _is_tensor(node):
        raise TypeError("suitcase() wants a node, such as y.grad_fn; this is a Tensor")
    if hasattr(node, "_info_of_saved"):
        return [(info.storage, info.nbytes) for info in node._info_of_saved() if not info.freed]
    arrays = []  # PyTorch has only the attributes
    for name in dir(node):
        if name.startswith("_saved_"):
            try:
                value = getattr(node, name)
            except RuntimeError:  # freed
                continue
            items = value if isinstance(value, tuple) else (value,)
            arrays += [(place_of(item), item.nbytes) for item in items if _is_tensor(item)]
    return arrays


def _is_tensor(x: Any) -> bool:
    return hasattr(x, "detach")  # a node, too, says whether it requires grad


def place_of(t: Any) -> int:
    """Where the numbers of a tensor are in memory."""
    place: int = t.detach().numpy().__array_interface__["data"][0]
    return place
