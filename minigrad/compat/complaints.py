"""The errors of the engine in PyTorch's words, with notes that say where it happened and what to do."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from .. import dtypes, errors
from ..around.callsites import describe
from ..core.seams import seams
from ..core.tape import Node
from ..core.tensor import Edge, Tensor
from ..modes import state


def node_name(node: Node) -> str:
    """The node's name, also when the user put another ``name`` on the context of a custom Function."""
    return type(node.shown()).name(node)


def short_name(node: Node) -> str:
    """The node's name as some messages have it: Mul for MulBackward0, Pow2 for PowBackward2."""
    name = node_name(node)
    return name if "::" in name else name.replace("Backward", "").removesuffix("0")


def complain(name: str, *values: Any, **about: Any) -> BaseException:
    """The error of that name. See ``Seams.error``."""
    if name in _SPECIAL:
        return _SPECIAL[name](*values, **about)
    return getattr(errors, name)(*values, noted=True)


def _noted(name: str, values: tuple, *notes: str | None) -> BaseException:
    """A message of errors.py with notes of its own, of which the last says where to read more."""
    message = getattr(errors, name)
    error = getattr(builtins, message.kind)(message.format(*values))
    return errors.note(error, *notes, name=name)


def _freed(node: Node, freed_by: Any) -> BaseException:
    """What a second walk through a node raises whose saved tensors the first one freed."""
    notes = (
        f"The saved tensors of {node_name(node)}, recorded at {describe(node._made_at)}, are gone.",
        f"They were freed by the backward pass at {describe(freed_by)}.",
        "Give that earlier call retain_graph=True, or compute the forward again.",
    )
    return _noted("FREED", (), *notes)


def _modified(version: int, expected: int, saved: Any, node: Node) -> BaseException:
    """The error for a saved tensor that was written to in between: an error, not a wrong number."""
    tensor, _, output = saved
    edge: Edge | None = (
        None if tensor.grad_fn is None else (tensor.grad_fn, 0)
    )  # of an input PyTorch does not keep the number
    if output is not None:
        edge = ((tensor._written_by and tensor._written_by()) or node, output)
    if tensor._array.dtype.kind not in "fc":
        edge = None
    origin = "" if edge is None else f", which is output {edge[1]} of {short_name(edge[0])},"
    hint = errors.MODIFIED_HINT_ANOMALY if state.anomaly else errors.MODIFIED_HINT
    kind = dtypes.of(tensor._array).kind
    notes = [f"The value was needed by {node_name(node)}, recorded at {describe(node._made_at)}."]
    overwritten = [site for when, site in tensor._counter[1:] if when > expected]
    if overwritten:
        notes.append(f"It was overwritten at {describe(overwritten[0])}.")
    notes.append("Write to a copy (clone), or use the out-of-place form of that operation.")
    return _noted("MODIFIED", (f"{kind} {list(tensor.shape)}", origin, version, expected, hint), *notes)


def _scalar_only(root: Tensor) -> BaseException:
    if root._array.size == 1:
        return errors.REAL_ONLY(dtypes.of(root._array))
    shape = list(root._array.shape)
    advice = f"This tensor has shape {shape}. Give backward a gradient of that shape, or reduce the tensor to one number first"
    return _noted("SCALAR_ONLY", (), f"{advice}, such as with .sum().")


def _wrong_gradient(index: int, got: list[int], wanted: list[int], node: Node | None) -> BaseException:
    text = errors.WRONG_GRADIENT.format(index, got, wanted)
    error = RuntimeError(text if node is None else f"Function {node_name(node)} returned an {text}")
    return errors.note(error, name="WRONG_GRADIENT")


def _view_write(origin: str, edge: Edge | None, indirect: bool) -> BaseException:
    """The refusal of a write to a view that has, or (indirect) would have, no true history."""
    how = "its base or another view of its base has been" if indirect else "is being"
    mode = "inference" if origin == "inference" else "no_grad"
    if edge is None or origin == mode:
        made = (
            "A view was" if edge is None else f"Output {edge[1]} of {short_name(edge[0])} is a view of a view which was"
        )
        now = "with grad mode enabled" if mode == "no_grad" else "in normal mode"
        text = f"{made} created in {mode} mode and {how} modified inplace {now}."
    else:
        text = f"Output {edge[1]} of {short_name(edge[0])} is a view and {how} modified inplace."
    why = {"multi": errors.MULTI_VIEW, "function": errors.FUNCTION_VIEW}.get(origin, errors.MODE_VIEW)
    text += why.format("inference_mode" if mode == "inference" else mode)
    made_at = f"The view was made at {describe(edge[0]._made_at)}." if edge else None
    return errors.note(
        RuntimeError(text), made_at, "Write to a clone() of it, and use the clone from there on.", name=why.name
    )


_SPECIAL: dict[str, Callable[..., BaseException]] = {
    "FREED": _freed,
    "SCALAR_ONLY": _scalar_only,
    "MODIFIED": _modified,
    "WRONG_GRADIENT": _wrong_gradient,
    "VIEW_WRITE": _view_write,
}

seams.error = complain  # type: ignore[method-assign]
