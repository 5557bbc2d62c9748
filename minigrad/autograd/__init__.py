"""``minigrad.autograd``: backward and grad, with every check that PyTorch makes before it walks the graph."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import engine, errors
from ..graph import caller
from ..modes import enable_grad, no_grad, set_grad_enabled
from ..tensor import Tensor, _wrap

__all__ = ["backward", "grad", "no_grad", "enable_grad", "set_grad_enabled"]

Tensors = Tensor | Sequence[Tensor]


def backward(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Add to ``.grad`` of every leaf the vector-Jacobian product of ``tensors`` with ``grad_tensors``.

    tensors: the roots. grad_tensors: for each root a Tensor of its shape, or None for a root with one element.
    retain_graph: keep what was saved, for another pass (default: the value of create_graph).
    create_graph: record this pass, so that its results can be differentiated again.
    inputs: add only to the ``.grad`` of these.

    Raises RuntimeError for a root without history, a gradient that is missing or of the wrong shape, a freed graph, and a
    saved value that was overwritten; TypeError for a gradient that is no Tensor. Nothing is changed when a check fails.
    """
    if inputs is not None and not isinstance(inputs, Tensor) and len(inputs) == 0:
        raise RuntimeError(errors.NO_INPUTS)
    roots = _tuple(tensors)
    grads = _tuple(grad_tensors) if grad_tensors is not None else (None,) * len(roots)
    wanted = None if inputs is None else _tuple(inputs)
    results = _run(roots, grads, retain_graph, create_graph, wanted, accumulate=True)
    if wanted is not None:
        for tensor, g in zip(wanted, results, strict=True):
            if g is not None:
                _accumulate(tensor, g, create_graph)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    *,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The vector-Jacobian products of ``outputs`` with ``grad_outputs``, one for each of ``inputs``. ``.grad`` is untouched.

    allow_unused: give None for an input that the outputs do not depend on, instead of raising.
    materialize_grads: give zeros for it. The other arguments and errors are those of ``backward``.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")
    wanted = _tuple(inputs)
    roots = _tuple(outputs)
    grads = _tuple(grad_outputs) if grad_outputs is not None else (None,) * len(roots)
    results = _run(roots, grads, retain_graph, create_graph, wanted, accumulate=False)
    answer = []
    for index, (tensor, g) in enumerate(zip(wanted, results, strict=True)):
        if g is None and not allow_unused and not materialize_grads:
            raise errors.note(
                RuntimeError(errors.INPUT_UNUSED.format(index)),
                "No path leads from the outputs to this input. Was it replaced by a new tensor, or detached, on the way?",
            )
        if g is None:
            answer.append(_wrap(np.zeros_like(tensor._array)) if materialize_grads else None)
        else:
            answer.append(g if create_graph else _wrap(g))
    return tuple(answer)


def _tuple(tensors: Any) -> tuple:
    return (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)


def _run(roots, grads, retain_graph, create_graph, wanted, *, accumulate) -> list:
    """Check everything, then walk."""
    cotangents = _cotangents(roots, grads)
    edges = []
    for index, root in enumerate(roots):
        edge = root._gradient_edge()
        if edge is None:
            raise errors.note(
                RuntimeError(errors.NO_GRAPH.format(index)),
                "No input of this tensor requires grad, or it was computed under no_grad or detached.",
            )
        edges.append(edge)
    inputs = None
    if wanted is not None:
        inputs = []
        for tensor in wanted:
            edge = tensor._gradient_edge()
            if edge is None:
                raise RuntimeError(errors.INPUT_NO_GRAD)
            inputs.append(edge)
    if create_graph and accumulate:
        warnings.warn(errors.CREATE_GRAPH_CYCLE, UserWarning, stacklevel=4)
    if not create_graph:
        cotangents = [g._array for g in cotangents]
    cotangents = [
        engine.fit(g, *edge[0].metas[edge[1]], edge[0], i) for i, (g, edge) in enumerate(zip(cotangents, edges, strict=True))
    ]
    return engine.run(
        edges,
        cotangents,
        retain=create_graph if retain_graph is None else bool(retain_graph),
        recorded=bool(create_graph),
        inputs=inputs,
        site=caller(),
        wrap=_wrap,
    )


def _cotangents(roots, grads) -> list[Tensor]:
    """One cotangent per root: the one given, checked, or a one for a root with a single element."""
    if len(roots) != len(grads):
        raise RuntimeError(errors.COUNT.format(len(roots), len(grads)))
    result = []
    for index, (root, g) in enumerate(zip(roots, grads, strict=True)):
        if g is None:
            if root.requires_grad:
                if root._array.size != 1:
                    raise errors.note(
                        RuntimeError(errors.SCALAR_ONLY),
                        f"This tensor has shape {list(root.shape)}. Give backward a gradient of that shape, or reduce the "
                        "tensor to one number first, such as with .sum().",
                    )
                if root.is_complex():
                    raise RuntimeError(errors.REAL_ONLY.format(root.dtype))
            result.append(_wrap(np.ones_like(root._array)))
            continue
        if not isinstance(g, Tensor):
            raise TypeError(errors.GRADIENT_TYPE.format(type(g).__name__))
        if g._array.shape != root._array.shape:
            raise errors.note(
                RuntimeError(errors.GRADIENT_SHAPE.format(index, list(g.shape), index, list(root.shape))),
                "The gradient lives where the output lives: one number for each element of the output. "
                "It is not broadcast.",
            )
        if g.is_complex() != root.is_complex():
            raise RuntimeError(errors.GRADIENT_DTYPE.format(index, g.dtype, index, root.dtype))
        result.append(g)
    return result


def _accumulate(tensor: Tensor, g: Any, recorded: bool) -> None:
    """Add to ``.grad`` what arrived at one of the ``inputs`` of backward, leaf or not."""
    if recorded:
        tensor._grad = g if tensor._grad is None else tensor._grad + g
    elif tensor._grad is None:
        tensor._grad = _wrap(g.copy())
    else:
        with no_grad():
            tensor._grad += _wrap(g)


def _backward_method(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
    """Add to ``.grad`` of every leaf the product vᵀJ of ``gradient`` with the Jacobian of this tensor.

    gradient: a Tensor of this tensor's shape; may be left out for a tensor with one element.
    retain_graph, create_graph, inputs, and the errors raised: as in ``minigrad.autograd.backward``.

    >>> import minigrad as mg
    >>> x = mg.tensor([1., 2., 3.], requires_grad=True)
    >>> (x * x).backward(mg.tensor([1., 0., 10.]))
    >>> x.grad
    tensor([ 2.,  0., 60.])
    """
    backward(self, gradient, retain_graph, create_graph, inputs)


Tensor.backward = _backward_method  # type: ignore[attr-defined]
