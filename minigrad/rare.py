"""What an operation does besides, while something rare is on: tangents, hooks on saved tensors, anomaly mode.

Operations come here only while ``state.quick`` is None (see modes.py), so that nothing of this costs the usual one.

A *tangent* is the derivative of a tensor along the direction that ``make_dual`` gave to the inputs. A tensor keeps it with
the level it belongs to; when the level ends, the tangent is nobody's. As in PyTorch, the tangent of a view is a view of the
tangent of the base, and a write to a tensor writes to its tangent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import engine
from .graph import Node, OpNode, PackedTensor, inside_engine
from .modes import state
from .op import OUTPUT, Op

# -- tangents ------------------------------------------------------------------------------------------------------------


@contextmanager
def plain() -> Iterator[None]:
    """Operations inside see no tangents."""
    level, state.forward = state.forward, None
    try:
        yield
    finally:
        state.forward = level


def tangent_of(tensor: Any) -> Any:
    """The tangent of a Tensor at the level that is on, or None. A view finds it in its base."""
    if tensor._dual is not None and tensor._dual[0] is state.forward:
        return tensor._dual[1]
    base = None if tensor._view is None else tangent_of(tensor._view.base)
    if base is None:
        return None
    tangent = _view_of(base, tensor)
    tensor._dual = (state.forward, tangent)
    return tangent


def _view_of(tangent: Any, view: Any) -> Any:
    """The part of the base's tangent that belongs to a view, with history whatever the mode, as views of the base have."""
    grad_mode = state.grad_mode
    state.set_grad(True)
    try:
        with plain():
            return view._view.replay(tangent)
    finally:
        state.set_grad(grad_mode)


def push(call: Callable, args: tuple, outputs: Sequence[Any], values: tuple | None = None) -> tuple:
    """The tangents of the outputs of an operation, from those of its inputs; empty when no input has one.

    values: the inputs where they are other Tensors than ``args``: of a write, the value that is overwritten.
    """
    op: Op = call.op  # type: ignore[attr-defined]
    given: dict[str, Any] = {}
    for name, position in zip(op.rules, op.inputs, strict=True):
        value = args[position]
        if op.takes_list:
            found = [tangent_of(v) for v in value]
            if any(t is not None for t in found):
                zeros = (t if t is not None else v._wrap(np.zeros_like(v._array)) for v, t in zip(value, found, strict=True))
                given[name] = tuple(zeros)
        elif hasattr(value, "_dual") and (t := tangent_of(value)) is not None:
            given[name] = t
    if not given or all(out._array.dtype.kind not in "fc" for out in outputs):
        return ()
    args = values or args
    with plain():
        result = _transposed(op, args, given, outputs) if op.jvp is None else op.push(call, args, given, outputs)
        several = result if isinstance(result, tuple) else (result,)
        return tuple(_fitted(t, out) for t, out in zip(several, outputs, strict=False))


def _fitted(tangent: Any, out: Any) -> Any:
    """A tangent in the shape and dtype of its tensor; None for what is not differentiable."""
    if tangent is None or out._array.dtype.kind not in "fc":
        return None
    if tangent._array.shape != out._array.shape:
        tangent = tangent.expand(out._array.shape).clone()
    return tangent if tangent._array.dtype == out._array.dtype else tangent.to(out.dtype)


def _transposed(op: Op, args: tuple, given: dict[str, Any], outputs: Sequence[Any]) -> Any:
    """J·t for an operation that has no word for it: u ↦ uᵀJ is linear in u, so its own VJP with t is J·t."""
    recorded, out = state.grad_mode, outputs[0]
    u = out._wrap(np.zeros_like(out._array)).requires_grad_()
    state.set_grad(True)
    try:
        pulled = {name: op.rules[name](u, *op.values(op.rules[name], args, outputs)[1:]) for name in given}
    finally:
        state.set_grad(recorded)
    edges = {name: v._gradient_edge() for name, v in pulled.items() if v.requires_grad}
    if not edges:
        return None
    tangents = [given[name].expand(pulled[name].shape) for name in edges]
    gradients = tangents if recorded else [t._array for t in tangents]
    target = u._gradient_edge()
    plan = engine.Plan(list(edges.values()), [target])
    (result,) = engine.run(plan, gradients, retain=recorded, recorded=recorded, tensors=recorded, wrap=out._wrap)
    return result if result is None or recorded else out._wrap(result)


def propagate(call: Callable, args: tuple, outputs: Sequence[Any]) -> None:
    """Give the outputs of an operation their tangents."""
    if state.forward is not None:
        for out, tangent in zip(outputs, push(call, args, outputs), strict=False):
            out._dual = None if tangent is None else (state.forward, tangent)


def write_tangent(tensor: Any, tangent: Any) -> None:
    """What a write to a tensor does to its tangent, or to that of its base: they are written to as well."""
    level, present = state.forward, tangent_of(tensor)
    if present is None and tensor._view is not None:
        base = tensor._view.base
        base._dual = (level, base._wrap(np.zeros_like(base._array)))
        present = _view_of(base._dual[1], tensor)
        tensor._dual = (level, present)
    if present is None:
        tensor._dual = (level, tangent)
    elif present is not tangent:
        with plain():
            present.copy_(tangent)


# -- hooks on saved tensors, and the trace of anomaly mode ---------------------------------------------------------------


def annotate(node: Node, outputs: Sequence[Any]) -> None:
    """What a new node keeps besides: the call that made it, and in place of saved tensors what a hook makes of them."""
    if state.anomaly:
        frame = sys._getframe(1)
        while inside_engine(frame) and frame.f_back is not None:
            frame = frame.f_back
        import traceback  # here, because most programs never come here

        node.metadata["traceback_"] = traceback.format_stack(frame)
        if state.running is not None:
            node.metadata["parent_"] = state.running
    if isinstance(node, OpNode):
        for place in node.recipe.tensor_places:
            kind, number = node.recipe.saves[place]
            output, value = number if kind == OUTPUT else None, node.saved[place]
            if output is not None:
                value[0]._dual = outputs[output]._dual
            if state.packing:
                node.saved[place] = packed(value, output, outputs)


def packed(value: Any, output: int | None, outputs: Sequence[Any]) -> Any:
    """What is kept of a saved value while hooks are on."""
    if type(value) is list:
        return [packed(v, None, outputs) for v in value]
    if type(value) is not tuple:
        return value
    return PackedTensor(value[0] if output is None else outputs[output], state.packing[-1], output)
