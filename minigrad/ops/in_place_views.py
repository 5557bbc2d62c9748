"""``x.t_()``, ``x.squeeze_()``: a tensor becomes a view of itself. No value changes, but the layout that its views know."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.record import edges_of, new_node
from ..core.rule import Op, node_type
from ..core.seams import state
from ..core.tape import caller
from ..core.tensor import Tensor, bump
from ..core.views import View, check_inplace


def view_in_place(view: Callable, stem: str, undo: Callable | None = None) -> Callable:
    """``x.t_()`` from ``t``: the tensor itself becomes the view. No value changes, but it counts as a write.

    stem: of the node, because PyTorch has another for it: ``T1``. undo: ``undo(x, shape)`` is x in the shape that it had;
    without it the operation undoes itself.
    """
    operation: Op = view.op  # type: ignore[attr-defined]
    type_of_node = node_type(operation, stem)

    def call_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        full = operation.bind((self, *args), kwargs)
        rest = full[1:]  # the steps below are kept by the tensor: they must not hold it
        check_inplace(self, state.grad and self.requires_grad)
        recorded, mask, edges = edges_of(operation, full) if state.grad else (False, 0, ())
        array, shape = operation.checked(self._array, *rest), self._array.shape
        bump(self._counter, caller())
        node = None
        if recorded:
            node = new_node(operation.recipes[mask, None, False], full, edges, ((array.shape, array.dtype),), None)
            node.__class__ = type_of_node  # which is not the operation's
        if state.extension is not None:
            state.extension.computed(view, full, (self,), node)
        self._array = array
        above = self._view
        if above is not None:
            _continue(above, lambda x: view(x, *rest))
        else:
            self._undo_layout += ((lambda x: view(x, *rest)) if undo is None else (lambda x: undo(x, shape)),)
        if node is not None:
            self._edge = (node, 0)
            if above is not None:
                above.version = self._counter[0]
        return self

    return functools.update_wrapper(call_, operation.forward)


def _continue(view: View, step: Callable[[Any], Any]) -> None:
    """One more step on the way from the base to a view, from the base as it is laid out now."""
    before, view.layouts = view.replay, len(view.base._undo_layout)
    view.steps = lambda base: step(before(base))
