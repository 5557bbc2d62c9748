"""Saved tensors from outside: what a node keeps, for drawings; and hooks that keep something else in place of a tensor."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import errors
from ..core.rule import INPUT, OUTPUT
from ..core.tape import GONE, AccumulateGrad, Node, OpNode, SavedTensor
from ..core.tensor import Edge, Tensor
from ..core.views import CopySlices
from ..modes import state


class SavedInfo(NamedTuple):
    """What is known of one saved tensor, for drawings and ledgers."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    nbytes: int
    storage: int
    saved_version: int
    version_now: int
    is_output: bool
    freed: bool
    requires_grad: bool = False
    tensor: Any = None  # what is kept, without its history where it is an output of the node itself


def saved_info(saved: SavedTensor, name: str) -> SavedInfo:
    """What is known of a saved tensor."""
    t, version, output = saved
    array, counter = t._array, t._counter
    return SavedInfo(
        name, array.shape, array.dtype, array.nbytes, id(counter), version, counter[0], output is not None, False,
        output is not None or t.requires_grad, t,
    )  # fmt: skip


def freed_info(name: str, is_output: bool = False) -> SavedInfo:
    """What is known of a saved tensor that is gone."""
    return SavedInfo(name, (), np.dtype(bool), 0, 0, 0, 0, is_output, True)


def info_of_saved(node: Node) -> list[SavedInfo]:
    """What a node keeps of tensors."""
    if isinstance(node, CopySlices):
        return info_of_saved(node.inner)
    if not isinstance(node, OpNode):
        return []
    result = []
    for name, (kind, _), value in zip(node.recipe.names, node.recipe.saves, node.saved, strict=True):
        if kind in (INPUT, OUTPUT) and value is GONE:
            result.append(freed_info(name, kind == OUTPUT))
        elif kind in (INPUT, OUTPUT):
            items = value if type(value) is list else (value,)
            result += [saved_info(item, name) for item in items if type(item) is tuple]
    return result


class PackedTensor:
    """A tensor for which a hook keeps something else; another hook makes a tensor of that again. No version is checked."""

    __slots__ = ("packed", "hook", "edge", "output", "dual")

    def __init__(self, tensor: Tensor, hooks: tuple[Callable, Callable], output: int | None):
        pack, self.hook = hooks
        self.edge: Edge | None = tensor._gradient_edge() if output is None else None
        self.output, self.dual = output, tensor._dual
        version, grad_mode = tensor._counter[0], state.set_grad(False)
        try:
            self.packed = pack(tensor)
        finally:
            state.set_grad(grad_mode)
        if tensor._counter[0] != version:
            raise errors.PACK_WRITES()

    def unpack(self, node: Node) -> Tensor:
        """What the hook gives back, with the history of what was packed."""
        tensor = self.hook(self.packed)
        if not isinstance(tensor, Tensor):
            raise errors.UNPACK_TYPE(type(tensor).__name__)
        edge = self.edge if self.output is None else (node, self.output)
        if edge is None and self.dual is None:
            return tensor
        alias = tensor._alias(edge)
        if edge is not None and type(edge[0]) is AccumulateGrad:
            alias._edge, alias._requires_grad, alias._accumulator = None, True, weakref.ref(edge[0])
        alias._dual = self.dual
        return alias


def packed(value: Any, output: int | None, outputs: Sequence[Any]) -> Any:
    """What is kept of a saved value while hooks are on."""
    if type(value) is list:
        return [packed(v, None, outputs) for v in value]
    if type(value) is not tuple:
        return value
    return PackedTensor(value[0] if output is None else outputs[output], state.packing[-1], output)
