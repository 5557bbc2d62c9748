"""All that drawings read from the engine, in one place. Reading changes nothing, and no hook runs."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import autograd
from ..around.callsites import line_of
from ..around.hooks import count_hooks
from ..around.hooks import forget_hooks as forget_hooks
from ..around.saved import SavedInfo as SavedInfo
from ..core.tape import AccumulateGrad as AccumulateGrad
from ..core.tape import Node as Node
from ..core.tape import Site as Site
from ..core.tensor import Tensor as Tensor
from ..core.tensor import wrap
from ..core.walk import Plan
from ..core.walk import fit as _fit

Edge = tuple[Node, int]


def edge_of(tensor: Tensor) -> Edge | None:
    """The node that made a tensor, and which of its outputs the tensor is."""
    node = tensor.grad_fn
    return None if node is None else (node, tensor.output_nr)


def gradient_edge(tensor: Tensor) -> Edge | None:
    """Where the gradient of a tensor arrives: also for a leaf."""
    edge = tensor._gradient_edge()
    return edge and (edge[0].shown(), edge[1])


def edges(node: Node) -> tuple[tuple[Node | None, int], ...]:
    return node.next_functions


def is_leaf_node(node: Node) -> bool:
    return isinstance(node, AccumulateGrad)


def variable(node: Node) -> Tensor:
    """The leaf that an AccumulateGrad adds to."""
    return node.variable


def title(node: Node) -> str:
    """`MulBackward0`, `AccumulateGrad`: the name without its namespace."""
    return node.name().rpartition("::")[2]


def number(node: Node) -> int:
    return node._seq


def output_specs(node: Node) -> tuple[tuple[tuple[int, ...], str], ...]:
    """Shape and dtype of each output, known without the outputs."""
    return tuple((tuple(shape), str(np.dtype(dtype))) for shape, dtype in node._metas)


def input_names(node: Node) -> tuple[str, ...]:
    """What the operation calls the inputs that its edges stand for; empty where it does not say."""
    op = getattr(node, "op", None)
    return () if op is None or op.takes_list else tuple(op.rules)


def operation(node: Node) -> str:
    """The name under which the operation is declared: `mul`; nothing for a node that is no declared operation."""
    op = getattr(node, "op", None)
    return "" if op is None else op.name


def site(node: Node) -> Site | None:
    """The call that made the node, for `place`."""
    return node._made_at


def array(tensor: Tensor) -> np.ndarray:
    return tensor._array


def saved(node: Node) -> list[SavedInfo]:
    """The tensors that a node saved, those that are operands first and in their order."""
    names = input_names(node)
    return sorted(node._info_of_saved(), key=lambda info: names.index(info.name) if info.name in names else len(names))


def takes_list(node: Node) -> bool:
    op = getattr(node, "op", None)
    return op is not None and op.takes_list


def rules(node: Node) -> dict[str, Callable] | None:
    """The declared rule for each operand; None for a node that is no declared operation."""
    op = getattr(node, "op", None)
    return None if op is None else op.rules


def operands(node: Node) -> tuple[str, ...]:
    """A word for the operand at each edge, also where the operation does not name it."""
    names, count = input_names(node), len(node.next_functions)
    if names:
        return names
    if takes_list(node):
        return tuple(f"tensors[{k}]" for k in range(count))
    if title(node) == "CopySlices":
        return ("base", *(f"values {k}" if count > 2 else "values" for k in range(1, count)))
    return tuple(f"input {k}" for k in range(count))


def start(roots: Sequence[Tensor], gradients: Sequence[Tensor | None]) -> tuple[list[Edge], list[Tensor]]:
    """Where a pass begins, and with which cotangents. Raises what `backward` raises for wrong ones."""
    cotangents = autograd._cotangents(tuple(roots), tuple(gradients))
    return [(node.shown(), output) for node, output in autograd._root_edges(roots)], cotangents


def walk(edges: Sequence[Edge], cotangents: Sequence[Tensor]) -> None:
    """Let the engine walk backward from the edges, as `backward` does."""
    autograd._walk(Plan(edges, accumulate=True), cotangents, None, False)


def fit(g: Any, node: Node, output: int) -> Any:
    """A cotangent as it arrives at an output of a node: broadcasting and casts undone."""
    shape, dtype = node._metas[output]
    return _fit(np.asarray(getattr(g, "_array", g)), shape, dtype, None, 0)


def slopes(node: Node) -> list[tuple[Node, Any]]:
    """Of an operation on single numbers: where its edges lead, and the slope along each."""
    one = np.ones((), node._metas[0][1])
    pairs = zip(edges(node), node.apply([one], False, None), strict=True)
    return [(source, 0.0 if g is None else np.float64(fit(g, source, output))) for (source, output), g in pairs if source is not None]


def settings(node: Node) -> dict[str, Any]:
    """What a node keeps beside tensors: dimensions, shapes, numbers. Not the alpha of add while it is 1."""
    tensors = {info.name for info in node._info_of_saved()}
    found = {}
    for name in node._names_of_saved():
        if name not in tensors:
            try:
                found[name] = getattr(node, f"_saved_{name}")
            except RuntimeError:  # it went with the saved tensors
                continue
    if found.get("alpha") == 1:
        del found["alpha"]
    return found


def setting(value: Any) -> str | None:
    """A number, a word or a few numbers as text; None for what has no short form, the same on every run."""
    if isinstance(value, Tensor):
        value = value._array.item() if value._array.size == 1 else None
    if isinstance(value, (float, complex)):
        return _figure(value)
    plain = value if isinstance(value, (tuple, list)) else (value,)
    text = str(value)
    return text if all(isinstance(v, (int, str)) for v in plain) and len(text) <= 30 else None


def hooks(node: Node | None, tensor: Tensor | None = None) -> int:
    """How many hooks wait at a node; for a leaf those of the tensor too."""
    return count_hooks(node, tensor)


def grad(tensor: Tensor) -> Tensor | None:
    """What `.grad` holds, without the warning that a non-leaf gives."""
    return tensor._grad


def storage(tensor: Tensor) -> int:
    """The same number for all tensors that share memory, as in `SavedInfo.storage`."""
    return id(tensor._counter)


def memory(tensor: Tensor) -> tuple[int, int]:
    """The memory that a tensor keeps alive, as a number that all windows on it share, and its size in bytes.

    The whole memory counts, also for a window on a part of it: nothing is freed while the window lives.
    """
    owner, at = tensor._array, tensor._array.base
    while at is not None:
        owner = at if isinstance(at, np.ndarray) else owner
        at = getattr(at, "base", None)
    return id(owner), owner.nbytes


def writes(tensor: Tensor) -> list[tuple[int, Site | None]]:
    """The last in-place writes to a tensor's memory: the version that each made, and where it stands."""
    return list(tensor._counter[1:])


def place(site: Site | tuple[str, int] | None) -> tuple[int, str] | None:
    """The line of a call and its text, as far as it can be found; None for a call that the engine made itself."""
    found = line_of(site) if site is not None and not isinstance(site[0], str) else site
    return None if found is None else (found[1], linecache.getline(found[0], found[1]).strip())


def zero() -> Tensor:
    return wrap(np.zeros((), np.float32))


def address(tensor: Tensor) -> tuple[Any, ...]:
    """Equal for two tensors that are the same window on the same memory."""
    array = tensor._array
    return array.__array_interface__["data"][0], array.shape, array.strides


def dtype_name(tensor: Tensor) -> str:
    return str(tensor._array.dtype)


def lines(tensor: Tensor | np.ndarray) -> list[str]:
    """The values of a small tensor or array, a line per row; nothing when it is large."""
    array = getattr(tensor, "_array", tensor)
    if (
        array.ndim > 2
        or any(n > most for n, most in zip(array.shape[::-1], (4, 3), strict=False))
        or not array.size
    ):
        return []
    if array.ndim == 0:
        return [_figure(array.item())]
    rows = array.tolist() if array.ndim == 2 else [array.tolist()]
    return ["[" + ", ".join(_figure(v) for v in row) + "]" for row in rows]


def brief(value: Tensor | np.ndarray | np.float64) -> str:
    """The values of a small tensor or array on one line, of a large one its shape."""
    array = np.asarray(getattr(value, "_array", value))
    rows = lines(array)
    text = ", ".join(rows)
    if not rows or len(text) > 44:
        return f"shape {array.shape}"
    return f"[{text}]" if array.ndim == 2 else text


def _figure(value: Any) -> str:
    """At most four digits: 2.0, 0.3333, 1.5e-07, True."""
    if isinstance(value, complex):
        sign = "-" if math.copysign(1, value.imag) < 0 else "+"
        return f"{_figure(value.real)} {sign} {_figure(abs(value.imag))}j"
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.4g}"
    return text + ".0" if text.lstrip("-").isdigit() else text


def kind_of(value: object) -> str:
    """The type of a value, with its module where that tells more: int, torch.Tensor."""
    return f"{type(value).__module__}.{type(value).__name__}".removeprefix("builtins.")
