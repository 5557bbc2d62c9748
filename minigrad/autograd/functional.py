"""``minigrad.autograd.functional``: whole Jacobians and Hessians of a function, and their products with vectors.

The function takes Tensors and returns a Tensor or a tuple of them; what comes back has the same nesting. ``create_graph``
makes the results differentiable. TypeError for inputs, outputs or vectors that are no Tensors. ``strict`` is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .. import autograd, errors
from ..core.tensor import Tensor, wrap
from ..creation import zeros_like
from ..modes import enable_grad, set_grad_enabled, state
from ..ops.shape import stack
from . import forward_ad

Pair = tuple[Any, Any]  # what the function gave, and the product

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_OUTPUTS = "outputs of the user-provided function"


def _as_tuple(values: Any, what: str, function: str) -> tuple[bool, tuple[Tensor, ...]]:
    """Whether it was a tuple, and the tuple."""
    several = isinstance(values, tuple)
    for index, value in enumerate(values if several else (values,)):
        if not isinstance(value, Tensor):
            place = f"value at index {index}" if several else f"given {what}"
            raise errors.FUNCTIONAL_TYPE(what, function, place, type(value))
    return several, values if several else (values,)


def _prepared(inputs: Sequence[Tensor], create_graph: bool, need_graph: bool = True) -> tuple[Tensor, ...]:
    """New Tensors with the values of the inputs, so that the function may use the originals as constants."""
    kept = [create_graph and x.requires_grad for x in inputs]
    return tuple(
        x.view_as(x) if k else x.detach().requires_grad_(need_graph) for x, k in zip(inputs, kept, strict=True)
    )


def _finished(results: Any, create_graph: bool) -> Any:
    """Results without history, unless the caller wants to differentiate them."""
    if isinstance(results, Tensor):
        return results if create_graph else results.detach()
    return tuple(_finished(r, create_graph) for r in results)


def _unpacked(results: Sequence, several: bool) -> Any:
    return tuple(results) if several else results[0]


def _vector(v: Any, like: Sequence[Tensor], several: bool, create_graph: bool, function: str, missing: str) -> Any:
    """The vectors, checked against what they are to match; None where a one is meant."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise missing()
        return None
    vectors = _prepared(_as_tuple(v, "v", function)[1], create_graph, need_graph=False)
    if len(vectors) != len(like):
        raise errors.V_COUNT(len(like), len(vectors)) if several else errors.V_SINGLE()
    for index, (vector, other) in enumerate(zip(vectors, like, strict=True)):
        if vector.shape != other.shape:
            place = f"Entry {index} in " if several else ""
            raise errors.V_SIZE(place, other.shape, vector.shape)
    return vectors


def _grad(outputs: Sequence[Any], inputs: Sequence[Tensor], vectors: Any = None, **options: Any) -> tuple:
    """``autograd.grad``, where outputs without history are left out."""
    pairs = [(o, v) for o, v in zip(outputs, vectors or [None] * len(outputs), strict=True) if o is not None]
    pairs = [(o, v) for o, v in pairs if o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    roots, cotangents = zip(*pairs, strict=True)
    return autograd.grad(roots, inputs, cotangents, allow_unused=True, **options)


def _products(kind: str, func: Callable, inputs: Any, v: Any, create_graph: bool, strict: bool) -> tuple[Any, Any]:
    """vjp, jvp, vhp and hvp: one or two passes back; where the vector comes from the right, one more, through a dummy."""
    errors.refuse(kind, strict=strict)
    hessian_product, from_right = kind in ("vhp", "hvp"), kind in ("jvp", "hvp")
    with enable_grad():
        tuple_in, inputs = _as_tuple(inputs, "inputs", kind)
        inputs = _prepared(inputs, create_graph)
        if kind != "vjp":
            v = _vector(v, inputs, tuple_in, create_graph, kind, errors.V_MISSING_INPUT)
        tuple_out, outputs = _as_tuple(func(*inputs), _OUTPUTS, kind)
        if kind == "vjp":
            v = _vector(v, outputs, tuple_out, create_graph, kind, errors.V_MISSING_OUTPUT)
        source, target, like = outputs, inputs, inputs
        if hessian_product:
            _single(kind, tuple_out, outputs)
            source = _grad(outputs, inputs, create_graph=True)
        if from_right:
            # vᵀJ is linear in v, so its derivative with respect to v, applied to the vector, is J times the vector.
            like = inputs if hessian_product else outputs
            target = tuple(zeros_like(x, requires_grad=True) for x in like)
            source = _grad(source, inputs, target, create_graph=True)
    with set_grad_enabled(create_graph or state.grad_mode):
        found = _grad(source, target, v, create_graph=create_graph)
        result = tuple(zeros_like(x) if g is None else g for g, x in zip(found, like, strict=True))
    tuple_result = tuple_out if kind == "jvp" else tuple_in
    return (
        _unpacked(_finished(outputs, create_graph), tuple_out),
        _unpacked(_finished(result, create_graph), tuple_result),
    )


def _single(function: str, several: bool, outputs: tuple[Tensor, ...]) -> None:
    """Raise unless a function gave one Tensor with one element."""
    if several:
        raise errors.SINGLE_TENSOR(function)
    if outputs[0].numel() != 1:
        raise errors.SINGLE_ELEMENT(function)


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Pair:
    """``func(*inputs)``, and the product vᵀJ with its Jacobian: v has the shape of the outputs, the product of the inputs.

    v may be left out for a function with a single element (RuntimeError otherwise, as for a v of another shape).

    >>> import minigrad as mg
    >>> mg.autograd.functional.vjp(mg.exp, mg.tensor([0.0, 1.0]), mg.tensor([1.0, 10.0]))
    (tensor([1.0000, 2.7183]), tensor([ 1.0000, 27.1828]))
    """
    return _products("vjp", func, inputs, v, create_graph, strict)


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Pair:
    """``func(*inputs)``, and the product Jv with its Jacobian: v has the shape of the inputs, the product of the outputs.

    Two passes back give it, as in PyTorch; ``forward_ad`` needs only the forward one. v as in ``vjp``.

    >>> import minigrad as mg
    >>> mg.autograd.functional.jvp(lambda x: x.sum(), mg.ones(3), mg.tensor([1.0, 2.0, 3.0]))
    (tensor(3.), tensor(6.))
    """
    return _products("jvp", func, inputs, v, create_graph, strict)


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Pair:
    """``func(*inputs)``, a single element, and the product vᵀH with its Hessian. v has the shape of the inputs.

    >>> import minigrad as mg
    >>> mg.autograd.functional.vhp(lambda x: (x ** 3).sum(), mg.tensor([1.0, 2.0]), mg.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    return _products("vhp", func, inputs, v, create_graph, strict)


def hvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Pair:
    """``func(*inputs)``, a single element, and the product Hv with its Hessian. ``vhp`` gives the same with less work.

    >>> import minigrad as mg
    >>> mg.autograd.functional.hvp(lambda x: x[0] ** 2 * x[1], mg.tensor([1.0, 2.0]), mg.tensor([1.0, 0.0]))
    (tensor(2.), tensor([4., 2.]))
    """
    return _products("hvp", func, inputs, v, create_graph, strict)


def jacobian(
    func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The Jacobian of a function: for each output and each input a Tensor of the output's shape, then the input's.

    vectorize: where PyTorch computes all rows at once; here the rows are computed one after the other in any case, and the
    flag only decides what may be combined. strategy: "reverse-mode" (a row per pass) or "forward-mode" (a column per pass,
    needs vectorize). NotImplementedError and RuntimeError for combinations that PyTorch does not have either.

    >>> import minigrad as mg
    >>> mg.autograd.functional.jacobian(lambda x: x ** 2, mg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise errors.STRATEGY()
    errors.refuse("jacobian", strict=strict)
    if strategy == "forward-mode":
        if create_graph:
            raise errors.FORWARD_CREATE_GRAPH()
        return _forward_jacobian(func, inputs, vectorize)
    with enable_grad():
        tuple_in, inputs = _as_tuple(inputs, "inputs", "jacobian")
        inputs = _prepared(inputs, create_graph)
        tuple_out, outputs = _as_tuple(func(*inputs), _OUTPUTS, "jacobian")
        result = []
        for out in outputs:
            if out.is_complex() and out.requires_grad:
                raise errors.REAL_ONLY(out.dtype)
            rows: list[list[Tensor]] = [[] for _ in inputs]
            for found in _rows(out, inputs, create_graph):
                for g, x, row in zip(found, inputs, rows, strict=True):
                    row.append(zeros_like(x) if g is None else g)
            result.append([stack(row, 0).view((*out.shape, *x.shape)) for row, x in zip(rows, inputs, strict=True)])
        nested = _finished(result, create_graph)
    return _unpacked([_unpacked(row, tuple_in) for row in nested], tuple_out)


def _rows(out: Tensor, inputs: Sequence[Tensor], create_graph: bool) -> Iterator[tuple]:
    """The rows of the Jacobian of one output, one pass each."""
    vectors = (((vector,), True) for vector in _basis(out))
    if not out.requires_grad:
        return ((None,) * len(inputs) for _ in vectors)
    return autograd._vjps((out,), inputs, vectors, create_graph, allow_unused=True, materialize=False)


def _basis(like: Tensor) -> Any:
    """The unit vectors in the shape of a tensor."""
    for k in range(like.numel()):
        vector = np.zeros_like(like._array, order="C")
        vector.flat[k] = 1
        yield wrap(vector)


def _forward_jacobian(func: Callable, inputs: Any, vectorize: bool) -> Any:
    """A column for each element of each input, by dual numbers."""
    tuple_in, inputs = _as_tuple(inputs, "inputs", "jacobian")
    if not vectorize:
        raise errors.FORWARD_VECTORIZE()
    columns: list[list[list[Tensor]]] = []
    for k, x in enumerate(inputs):
        columns.append([])
        for tangent in _basis(x):
            with forward_ad.dual_level():
                duals = [forward_ad.make_dual(y, tangent if j == k else zeros_like(y)) for j, y in enumerate(inputs)]
                tuple_out, outputs = _as_tuple(func(*duals), "outputs", "None")
                pairs = [forward_ad.unpack_dual(out) for out in outputs]
                columns[-1].append([zeros_like(p) if t is None else t for p, t in pairs])
    result = []
    for number in range(len(columns[0][0])):
        row = []
        for x, column in zip(inputs, columns, strict=True):
            j = stack([entry[number] for entry in column], 0)
            row.append(j.permute(*range(1, j.ndim), 0).reshape((*j.shape[1:], *x.shape)))
        result.append(row if tuple_in else row[0])
    return result if tuple_out else result[0]  # lists, as PyTorch has it


def hessian(
    func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The Hessian of a function with a single element: for each pair of inputs a Tensor of the shapes of both.

    The Jacobian of the gradient. outer_jacobian_strategy: how that Jacobian is computed, "reverse-mode" or "forward-mode"
    (needs vectorize). RuntimeError for a function with more than one element. The rest is as in ``jacobian``.

    >>> import minigrad as mg
    >>> mg.autograd.functional.hessian(lambda x: x[0] ** 2 * x[1], mg.tensor([1.0, 2.0]))
    tensor([[4., 2.],
            [2., 0.]])
    """
    tuple_in, inputs = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise errors.OUTER_STRATEGY()

    def single(*args: Tensor) -> Tensor:
        several, outputs = _as_tuple(func(*args), _OUTPUTS, "hessian")
        _single("hessian", several, outputs)
        return outputs[0].squeeze()

    def gradient(*args: Tensor) -> tuple[Tensor, ...]:
        if outer_jacobian_strategy == "forward-mode":
            args = tuple(x.requires_grad_() for x in args)
        return jacobian(single, args, create_graph=True)

    result = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return result if tuple_in else result[0][0]
