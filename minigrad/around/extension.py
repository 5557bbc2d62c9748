"""What takes part in every operation while something rare is on: dual numbers, inference mode, anomaly mode, packing hooks."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import errors
from ..compat.complaints import node_name
from ..core.rule import OUTPUT
from ..core.seams import Extension
from ..core.tape import Node, OpNode, inside_engine
from ..core.tensor import Tensor
from ..modes import state
from .saved import packed
from .tangents import propagate, tangent_of


class Unversioned(list):
    """The counter of tensors that were made in inference mode: it does not count, and only a saved tensor would ask."""

    def __getitem__(self, index: Any) -> Any:
        raise errors.INFERENCE_SAVED()

    def bump(self, site: Any) -> None:
        if not state.inference:
            raise errors.INFERENCE_WRITE()


class Around(Extension):
    """All that is rare, together. See ``Extension`` for what each method is for."""

    def counter(self) -> list:
        return Unversioned([0]) if state.inference else [0]

    def computed(self, call: Callable, args: tuple, outputs: tuple, node: Node | None) -> None:
        propagate(call, args, outputs)
        if node is not None:
            annotate(node, outputs)

    def before_write(self, tensor: Tensor, args: tuple) -> None:
        if state.forward is not None and any(isinstance(a, Tensor) and tangent_of(a) is not None for a in args):
            raise errors.lacks("writes in forward mode: use the form of the operation that does not write")

    def after_write(self, tensor: Tensor, nodes: list) -> None:
        for number, node in enumerate(nodes):
            annotate(node, () if number else (tensor,))

    def after_node(self, node: Node, results: Sequence) -> None:
        """Refuse a gradient that is not a number."""
        for number, g in enumerate(results if state.anomaly and state.check_nan else ()):
            if g is not None and np.isnan(getattr(g, "_array", g)).any():
                raise errors.ANOMALY_NAN(node_name(node), number)

    def failed(self, node: Node) -> None:
        """Warn with the call that made a node, and with those of the nodes in whose backward it was made."""
        if not state.anomaly:
            return
        trace = node.metadata.get("traceback_")
        text = errors.ANOMALY_NO_TRACE if trace is None else errors.ANOMALY_TRACE
        warnings.warn(text.format(node_name(node), "".join(trace or ())), UserWarning, stacklevel=5)
        while (parent := node.metadata.get("parent_")) is not None:
            node = parent
            trace = "".join(node.metadata.get("traceback_", ()))
            warnings.warn(errors.ANOMALY_PARENT.format(node_name(node), trace), UserWarning, stacklevel=5)


def annotate(node: Node, outputs: Sequence[Any]) -> None:
    """What a new node keeps besides: the call that made it, and in place of saved tensors what a hook makes of them."""
    if state.anomaly:
        frame = sys._getframe(1)
        while inside_engine[frame.f_code.co_filename] and frame.f_back is not None:
            frame = frame.f_back
        import traceback  # here, because most programs never come here

        node.metadata["traceback_"] = traceback.format_stack(frame)
        if state.walk is not None and state.walk.node is not None:
            node.metadata["parent_"] = state.walk.node.shown()
    if isinstance(node, OpNode):
        for place in node.recipe.tensor_places:
            kind, number = node.recipe.saves[place]
            output, value = number if kind == OUTPUT else None, node.saved[place]
            if output is not None:
                value[0]._dual = outputs[output]._dual
            if state.packing:
                node.saved[place] = packed(value, output, outputs)


type(state).together = Around()
