"""Forward mode: what tensors' tangents become in operations.

A *tangent* is the derivative of a tensor along the direction that ``make_dual`` gave to the inputs. A tensor keeps it with
the level it belongs to; when the level ends, the tangent is nobody's. Writes to what has a tangent, or with it, are refused.

How an operation's JVP is found is told by a word in its declaration, because most operations need no formula of their own:

* ``"linear"``: the operation is linear in all its inputs together, so the tangent goes through the operation itself;
* ``"multilinear"``: linear in each input separately (mul, matmul): one term per input;
* ``"elementwise"``: the Jacobian is diagonal, so the VJP rule is the JVP too;
* nothing: the VJP transposed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core import walk
from ..core.rule import NUMEL, OUTPUT, SIZES, Op, conjugated, parameters_of
from ..core.tensor import Tensor, wrap
from ..modes import state


@contextmanager
def no_tangents() -> Iterator[None]:
    """Operations inside see no tangents."""
    level, state.forward = state.forward, None
    try:
        yield
    finally:
        state.forward = level


def tangent_of(tensor: Any) -> Any:
    """The tangent of a Tensor at the level that is on, or None."""
    return tensor._dual[1] if tensor._dual is not None and tensor._dual[0] is state.forward else None


def propagate(call: Callable, args: tuple, outputs: Sequence[Any]) -> None:
    """Give the outputs of an operation their tangents, from those of its inputs."""
    if state.forward is None:
        return
    op: Op = call.op  # type: ignore[attr-defined]
    given: dict[str, Any] = {}
    for name, position in zip(op.rules, op.inputs, strict=True):
        value = args[position]
        if op.takes_list:
            found = [tangent_of(v) for v in value]
            if any(t is not None for t in found):
                zeros = (
                    t if t is not None else wrap(np.zeros_like(v._array)) for v, t in zip(value, found, strict=True)
                )
                given[name] = tuple(zeros)
        elif isinstance(value, Tensor) and (t := tangent_of(value)) is not None:
            given[name] = t
    if not given or all(out._array.dtype.kind not in "fc" for out in outputs):
        return
    with no_tangents():
        result = _transposed(op, args, given, outputs) if op.jvp is None else pushed(op, call, args, given, outputs)
        several = result if isinstance(result, tuple) else (result,)
        tangents = [_fitted(t, out) for t, out in zip(several, outputs, strict=False)]
    for out, tangent in zip(outputs, tangents, strict=False):
        out._dual = None if tangent is None else (state.forward, tangent)


def _fitted(tangent: Any, out: Any) -> Any:
    """A tangent in the shape and dtype of its tensor; None for what is not differentiable."""
    if tangent is None or out._array.dtype.kind not in "fc":
        return None
    if tangent._array.shape != out._array.shape:
        tangent = tangent.expand(out._array.shape).clone()
    return tangent if tangent._array.dtype == out._array.dtype else tangent.to(out.dtype)


def _transposed(op: Op, args: tuple, given: dict[str, Any], outputs: Sequence[Any]) -> Any:
    """J·t for an operation that has no word for it: u ↦ uᵀJ is linear in u, so its own VJP with t is J·t."""
    recorded, turn = state.grad_mode, op.conjugates and outputs[0].is_complex()
    us = [
        wrap(np.zeros_like(out._array)).requires_grad_()
        for out in outputs[: op.with_gradient]
        if out._array.dtype.kind in "fc"
    ]
    state.set_grad(True)
    try:
        pulled = {}
        for name in given:
            rule = op.rules[name]
            g, values = us if op.returns_several else us[0], _named(op, rule, args, outputs)[1:]
            pulled[name] = (conjugated(rule) if turn else rule)(g, *values)
    finally:
        state.set_grad(recorded)
    edges = {name: v._gradient_edge() for name, v in pulled.items() if v is not None and v.requires_grad}
    if not edges:
        return None
    tangents = [given[name].expand(pulled[name].shape).to(pulled[name].dtype) for name in edges]
    gradients = tangents if recorded else [t._array for t in tangents]
    plan = walk.Plan(list(edges.values()), [u._gradient_edge() for u in us])
    results = walk.run(plan, gradients, retain=recorded, recorded=recorded, tensors=recorded)
    return tuple(result if result is None or recorded else wrap(result) for result in results)


# -- by the word of the declaration --


def pushed(op: Op, call: Callable, args: tuple, tangents: dict[str, Any], outputs: Sequence[Any]) -> Any:
    """The tangent of the output(s): J·t. ``call`` is the operation, on arrays or on Tensors.

    ``tangents`` maps names of inputs to their tangents; an input without one is constant.
    """
    by_name = dict(zip(op.parameters, args, strict=True))
    if op.jvp == "linear":
        zeros = {n: _zeros(by_name[n]) for n in op.rules if n not in tangents}
        return call(*{**by_name, **zeros, **tangents}.values())
    terms = []
    for name, tangent in tangents.items():
        if op.jvp == "multilinear":
            terms.append(call(*{**by_name, name: tangent}.values()))
        else:
            rule = op.rules[name]
            terms.append(rule(tangent, *_named(op, rule, args, outputs)[1:]))
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _named(op: Op, rule: Callable, args: tuple, outputs: Sequence[Any]) -> list:
    """What a rule names, out of a call's arguments and outputs; None for its cotangent."""
    found: list = []
    for name in parameters_of(rule):
        if name in ("g", "gs"):
            found.append(None)
        else:
            kind, number = op.source(name, "jvp")
            value = outputs[number] if kind == OUTPUT else args[number]
            if kind == SIZES:
                value = tuple(value.shape)
            found.append(math.prod(value.shape) if kind == NUMEL else value)
    return found


def _zeros(value: Any) -> Any:
    """The tangent of a constant: zeros like an array or a Tensor, 0.0 for a number."""
    if isinstance(value, Tensor):
        return wrap(np.zeros_like(value._array))
    return np.zeros_like(value) if isinstance(value, np.ndarray) else 0.0
