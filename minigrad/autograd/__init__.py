"""``minigrad.autograd``: backward and grad, with every check that PyTorch makes before it walks the graph."""

from __future__ import annotations

import functools
import operator
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .. import dtypes, errors
from ..compat.attributes import Size
from ..core.seams import seams
from ..core.tape import AccumulateGrad, caller
from ..core.tensor import Edge, Tensor
from ..core.tensor import wrap as _wrap
from ..core.walk import Plan, fit, run
from ..modes import detect_anomaly, enable_grad, inference_mode, no_grad, set_detect_anomaly, set_grad_enabled, state
from ..ops.shape import stack
from . import forward_ad, functional, graph
from .function import Function
from .gradcheck import gradcheck, gradgradcheck

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "forward_ad", "functional", "grad", "gradcheck",
    "gradgradcheck", "graph", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled",
]  # fmt: skip

Tensors = Tensor | Sequence[Tensor]


def backward(
    tensors: Tensors, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    inputs: Tensors | dict[str, Tensor] | None = None,
) -> None:  # fmt: skip
    """Add to ``.grad`` of every leaf the vector-Jacobian product of ``tensors`` with ``grad_tensors``.

    tensors: the roots.
    grad_tensors: for each root a Tensor of its shape, or None for a root with one element.
    retain_graph: keep what was saved, for another pass (default: the value of create_graph).
    create_graph: record this pass, so that its results can be differentiated again.
    inputs: add only to the ``.grad`` of these.

    Raises RuntimeError for a root without history, a gradient that is missing or of the wrong shape, a freed graph, and a
    saved value that was overwritten; TypeError for a gradient that is no Tensor. Nothing is changed when a check fails.

    >>> import minigrad as mg
    >>> x = mg.tensor(3.0, requires_grad=True)
    >>> mg.autograd.backward([x * x, x * 5])
    >>> x.grad
    tensor(11.)
    """
    wanted = None if inputs is None else _inputs(inputs)
    if wanted == ():
        raise errors.NO_INPUTS("backward")
    roots = _tuple(tensors)
    cotangents = _cotangents(roots, _tuple_or_nones(grad_tensors, len(roots)))
    edges = _root_edges(roots)
    targets = None if wanted is None else [_edge_of_input(tensor, retain=True) for tensor in wanted]
    _walk(Plan(edges, targets, accumulate=True), cotangents, retain_graph, create_graph)


def grad(
    outputs: Tensors, inputs: Tensors | dict[str, Tensor], grad_outputs: Any = None,
    retain_graph: bool | None = None, create_graph: bool = False, only_inputs: bool = True,
    allow_unused: bool | None = None, is_grads_batched: bool = False, materialize_grads: bool = False,
) -> Any:  # fmt: skip
    """The vector-Jacobian products of ``outputs`` with ``grad_outputs``, one for each of ``inputs``. ``.grad`` is untouched.

    Returns a tuple of Tensors, or a dict with the keys of ``inputs`` when that is a dict.
    allow_unused: give None for an input that the outputs do not depend on, instead of raising. materialize_grads: give
    zeros for it. is_grads_batched: the first dimension of each of grad_outputs counts vectors; the walk is made once for
    each (a loop, where PyTorch vectorises), and the results are stacked. The rest is as in ``backward``.

    >>> import minigrad as mg
    >>> x = mg.tensor(3.0, requires_grad=True)
    >>> (slope,) = mg.autograd.grad(x**3, x, create_graph=True)
    >>> mg.autograd.grad(slope, x)
    (tensor(18.),)
    """
    if materialize_grads and allow_unused is False:
        raise errors.MATERIALIZE()
    allow_unused = _flag(materialize_grads if allow_unused is None else allow_unused)
    roots, wanted = _tuple(outputs), _inputs(inputs)
    if not wanted:
        raise errors.NO_INPUTS("grad")
    errors.refuse("grad", only_inputs=not only_inputs)
    grads = _tuple_or_nones(grad_outputs, len(roots))
    if is_grads_batched:
        found = _batched(roots, wanted, grads, retain_graph, create_graph, allow_unused, materialize_grads)
    else:
        found = next(_vjps(roots, wanted, [(grads, retain_graph)], create_graph, allow_unused, materialize_grads))
    return dict(zip(inputs, found, strict=True)) if isinstance(inputs, dict) else found


def _vjps(roots, wanted, rows: Iterable, create_graph, allow_unused, materialize) -> Iterator[tuple]:
    """What ``grad`` returns, for one row of cotangents (with its retain_graph) after the other; what to run is planned once."""
    plan = None
    for grads, retain_graph in rows:
        cotangents = _cotangents(roots, grads)
        if plan is None:
            edges = _root_edges(roots)
            targets = [_edge_of_input(tensor) for tensor in wanted]
            plan = Plan(edges, targets)
        results = _walk(plan, cotangents, retain_graph, create_graph)
        given = {id(g._array): g for g in cotangents}  # a cotangent that came through as it is stays that Tensor
        answer: dict[Any, Tensor] = {}  # an input that is asked for twice gets one and the same Tensor
        found: list[Tensor | None] = []
        for index, (tensor, target, g) in enumerate(zip(wanted, targets, results, strict=True)):
            if g is None and not allow_unused:
                raise errors.INPUT_UNUSED(index, noted=True)
            if g is not None:
                if target not in answer:
                    answer[target] = g if isinstance(g, Tensor) else given[id(g)] if id(g) in given else _wrap(g)
                found.append(answer[target])
            elif materialize:
                found.append(_wrap(np.zeros_like(tensor._array)).requires_grad_(create_graph))
            else:
                found.append(None)
        yield tuple(found)


def _batched(roots, wanted, grads, retain_graph, create_graph, allow_unused, materialize) -> tuple:
    """One walk for each entry of the first dimension, the results stacked."""
    sizes = [len(g) if g._array.ndim else None for g in grads if g is not None]
    if not sizes or None in sizes or any(size != sizes[0] for size in sizes):
        raise errors.BATCHED_SIZES(sizes)
    for index, (root, g) in enumerate(zip(roots, grads, strict=True)):
        shape = root._array.shape
        if g is not None and g._array.shape[1:] != shape:
            # PyTorch cuts the first dimension off twice before it names the shape.
            raise errors.BATCHED_SHAPE(index, Size(g._array.shape[2:]), index, Size(shape))
    count = sizes[0]
    vectors = ([None if g is None else g[k] for g in grads] for k in range(count))
    rows = ((row, True if k + 1 < count else retain_graph) for k, row in enumerate(vectors))
    found = _vjps(roots, wanted, rows, create_graph, allow_unused, materialize)
    columns = zip(*found, strict=True)
    return tuple(None if column[0] is None else stack(column) for column in columns)


def _tuple(tensors: Any) -> tuple:
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)


def _inputs(inputs: Any) -> tuple:
    return tuple(inputs.values()) if isinstance(inputs, dict) else _tuple(inputs)


def _tuple_or_nones(grads: Any, count: int) -> tuple:
    return (None,) * count if grads is None else _tuple(grads)


def _root_edges(roots: Sequence[Any]) -> list[Edge]:
    edges = []
    for index, root in enumerate(roots):
        edge = root._gradient_edge()
        if edge is None:
            raise errors.NO_GRAPH(index, noted=True)
        edges.append(edge)
    return edges


def _edge_of_input(tensor: Any, retain: bool = False) -> Edge:
    """Where the gradient of an input arrives. With ``retain`` a non-leaf will keep it in ``.grad``."""
    if not isinstance(tensor, Tensor):
        raise errors.INPUT_TYPE(type(tensor).__name__)
    if retain and not tensor.is_leaf or not tensor.requires_grad and retain:
        tensor.retain_grad()
    edge = tensor._gradient_edge()
    if edge is None and tensor.requires_grad:
        return AccumulateGrad(tensor), 0  # a view made under no_grad: nothing leads there
    if edge is None:
        raise errors.INPUT_NO_GRAD(noted=True)
    return edge


def _walk(plan: Plan, cotangents: Sequence[Any], retain_graph: bool | None, create_graph: bool) -> list:
    """The cotangents brought to the dtype of their roots, and then the walk itself."""
    recorded = _flag(create_graph)
    retain = recorded if retain_graph is None else _flag(retain_graph)
    # User's code must see the tangent of a cotangent, and that one which was given requires grad.
    tensors = recorded or state.forward is not None or any(g._requires_grad or g._edge is not None for g in cotangents)
    given = cotangents if tensors else [g._array for g in cotangents]
    cotangents = [
        fit(g, node._metas[output][0], node._metas[output][1], None, index)
        for index, (g, (node, output)) in enumerate(zip(given, plan.roots, strict=True))
    ]
    if recorded and not plan.captured:
        warnings.warn(errors.CREATE_GRAPH_CYCLE, UserWarning, stacklevel=4)
    walk = functools.partial(run, plan, cotangents, retain=retain, recorded=recorded, tensors=tensors, site=caller())
    if state.walk is None:
        return walk()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 200)  # a pass in a hook of another one, which may nest as deep as memory allows
    try:
        return walk()
    finally:
        sys.setrecursionlimit(limit)


def _flag(value: Any) -> bool:
    """A flag as PyTorch's engine takes it: anything that can be an index. TypeError, in Python's words, for the rest."""
    return bool(operator.index(value))


def _cotangents(roots: Sequence[Any], grads: Sequence[Any]) -> list[Tensor]:
    """One cotangent per root: the one given, checked, or a one for a root with a single element."""
    result = []
    for root, g in zip(roots, grads, strict=False):
        if not isinstance(root, Tensor):
            raise errors.ROOT_TYPE()
        shape, kind = root._array.shape, root._array.dtype
        if g is None:
            if root.requires_grad:
                if np.prod(shape) != 1:
                    raise errors.SCALAR_ONLY(list(shape), noted=True)
                if kind.kind == "c":
                    raise errors.REAL_ONLY(dtypes.of(np.empty(0, kind)))
            result.append(_wrap(np.ones(shape, kind)))
            continue
        if not isinstance(g, Tensor):
            raise errors.GRADIENT_TYPE(type(g).__name__)
        if g._array.shape != shape:
            # As in PyTorch, index compares gradients with ==, which itself complains about some shapes.
            place, which = grads.index(g), roots.index(root)
            raise errors.GRADIENT_SHAPE(place, list(g.shape), which, list(shape), noted=True)
        if g.is_complex() != (kind.kind == "c"):
            place, which = grads.index(g), roots.index(root)
            raise errors.GRADIENT_DTYPE(place, g.dtype, which, dtypes.of(np.empty(0, kind)))
        result.append(g)
    if len(result) < len(roots):
        raise errors.COUNT(len(roots), len(result))
    return result


seams.backward = backward


def Variable(data: Tensor, requires_grad: bool = False) -> Tensor:
    """The old name of Tensor: ``Variable(t, requires_grad=True)`` is a leaf that shares t's memory."""
    return data.detach().requires_grad_(requires_grad)
