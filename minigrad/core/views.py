"""Views and writes.

Note [Views and writes]
    Source: PyTorch, note [View + Inplace update]. A view shares the memory of its *base* and its version, and knows how
    to be made again of a base (``replay``). An in-place operation computes as the ordinary one, writes, counts the
    write, and gives the tensor a new history. A write to a view is a write to a part of the base: the base gets a node
    ``CopySlices``, through which the cotangent of the written part goes one way and the rest another. Every other view
    of the base is then stale: its version differs from that of the memory, and when it is asked for its history it
    takes one from the base as that is now. All that can be refused is refused before anything is written.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .record import edges_of, new_node
from .rule import INPUT, OUTPUT, REGISTRY, Op
from .seams import seams, state
from .tape import Node, OpNode, caller, save_output
from .tensor import OPERATIONS, Edge, Tensor, bump, method


class View:
    """What makes a Tensor a view: its base, how to make it again from the base, and since when its history is true.

    ``origin`` is empty for an ordinary view; otherwise it names why the view must not be written to: "multi" (one of
    several outputs), "function" (returned by a custom Function), "no_grad" or "inference" (made in that mode).
    ``passing``: it is made for one write and then gone, so that nobody will ask for its history. ops/indexing.py sets
    it for most writes like ``x[0] = c``; for others, such as ``x[::2] = c``, it makes an ordinary view. Only
    ``_make_views`` below makes a View; the others call it.
    """

    __slots__ = ("base", "replay", "version", "origin", "passing")

    def __init__(self, base: Tensor, replay: Callable[[Any], Any], origin: str):
        self.base, self.replay, self.origin = base, replay, origin
        self.version, self.passing = base._counter[0], False

    def refuse_write(self, edge: Edge | None, indirect: bool) -> None:
        """Raise if a write to this view (or, indirect, to its base) leaves it without a true history."""
        if self.origin:
            raise seams.error("VIEW_WRITE", self.origin, edge=edge, indirect=indirect)

    def renew(self, tensor: Tensor) -> None:
        """Give a view whose memory was written to through another name its history from the base as it is now."""
        # Where nothing has a history yet, the base may require grad later: then this write counts.
        if self.version == tensor._counter[0] or self.base._gradient_edge() is None and tensor._edge is None:
            return
        self.refuse_write(tensor._edge, indirect=True)
        # This as_strided takes, in place of sizes and strides, a function that makes the view.
        as_strided, base = OPERATIONS["as_strided"], self.base
        if base._gradient_edge() is None:
            args, metas = (base, self.replay, None), ((tensor._array.shape, tensor._array.dtype),)
            node = new_node(REGISTRY["as_strided"].recipes[0, None, False], args, (None,), metas, None)
            set_history(tensor, (node, 0))
        else:
            extension, state.extension = state.extension, None
            before = state.set_grad(True)
            try:
                # Strides cannot tell how a complex tensor looks as a real one.
                same = tensor._array.dtype == base._array.dtype
                # A second tensor for the view, of which only the edge is kept.
                again = as_strided(base, self.replay, order_of(base._array)) if same else self.replay(base)
            finally:
                state.set_grad(before)
                state.extension = extension
            set_history(tensor, again._edge)
        self.version = tensor._counter[0]


@method
def _make_views(self: Tensor, outputs: Sequence[Tensor], call: Callable, rest: tuple, several: bool) -> None:
    """Make the outputs of ``call(self, *rest)`` views of this tensor, with its version."""
    for out in outputs:
        out._counter = self._counter
    if type(self._counter) is not list:
        return  # no write to it will ever be recorded, so nobody has to know that it is a view
    above = self._view
    before = None if above is None else above.replay
    origin = state.switched_off_by if not state.grad else "multi" if several else ""
    if above is not None and (not origin or above.origin == "inference"):
        origin = above.origin
    for number, out in enumerate(outputs):

        def replay(base: Any, number: int = number) -> Any:
            made = call(base if before is None else before(base), *rest)
            return made[number] if isinstance(made, tuple) else made

        out._view = View(self if above is None else above.base, replay, origin)


def set_history(tensor: Tensor, edge: Edge) -> None:
    """Give a tensor a new history after a write, and tell those who watch the one that it has."""
    seams.new_history(tensor, edge)
    tensor._edge = edge


def is_expanded(array: np.ndarray) -> bool:
    """Whether several elements of an array are one in memory."""
    if 0 not in array.strides or array.size == 0:
        return False
    return any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True))


def order_of(array: np.ndarray) -> tuple[int, ...] | None:
    """The dimensions from the slowest to the fastest in memory; None where they come in order."""
    in_order = array.flags.c_contiguous
    return None if in_order else tuple(sorted(range(array.ndim), key=lambda d: -array.strides[d]))


def laid_out(g: Any, order: tuple[int, ...] | None) -> Any:
    """A copy of an array or Tensor whose dimensions lie in memory in that order, to make views of as of a base."""
    if isinstance(g, np.ndarray):
        return g.copy() if order is None else g.transpose(order).copy().transpose(np.argsort(order))
    return g.clone() if order is None else g.permute(order).contiguous().clone().permute(*map(int, np.argsort(order)))


class CopySlices(Node):
    """A write to a view, as the base sees it: the written part went through ``inner``, the rest came through unchanged.

    It is the same node for ``x[0] = c`` and for ``x[0].mul_(c)``; ``inner`` is the node of the copy, or of the product.

    ``edges[0]`` is the history of the base before the write; the others are those of the written values. ``replay``
    makes the view of a base, of a Tensor or of a plain array.
    """

    __slots__ = ("inner", "replay", "order", "expanded", "freed_by")

    def __init__(self, base: Tensor, edge: Edge | None, inner: Node, replay: Callable[[Any], Any]):
        Node.__init__(self, (edge, *inner._edges[1:]), ((base._array.shape, base._array.dtype),), inner._made_at)
        self.inner, self.replay = inner, replay
        self.order, self.expanded = order_of(base._array), is_expanded(base._array)

    _freed = property(lambda self: hasattr(self, "freed_by"))

    def name(self) -> str:
        return "minigrad::autograd::CopySlices"

    def apply(self, cotangents, tensors, needed):
        g = cotangents[0]
        if g is None:
            return [None] * len(self._edges)
        if self._freed:
            raise seams.error("FREED", node=self, freed_by=self.freed_by)
        if self.expanded:  # there is no gradient of that layout to write to
            raise seams.error("OVERLAP")
        rest = laid_out(g, self.order)
        part = self.replay(rest)
        results = list(self.inner.apply([part.clone() if tensors else part.copy()], tensors, None))
        if self._edges[0] is not None:
            written = results[0]
            if not tensors and is_expanded(part):
                raise seams.error("OVERLAP")
            if not tensors:
                part[...] = 0 if written is None else written
            elif written is None:
                part.zero_()
            else:
                part.copy_(written)
            results[0] = rest
        if needed is not None:
            results = [r if e and e[0] in needed else None for r, e in zip(results, self._edges, strict=True)]
        return results

    def _release(self, site):
        self.inner._release(site)
        if not self._freed:
            self.freed_by = site
            self.inner._edges = self._edges  # its own lead to the view, and kept alive how that was made


# -- writes ------------------------------------------------------------------------------------------------------------


def check_inplace(self: Tensor, recorded: bool) -> None:
    """Raise when this tensor must not be written to. Before anything is changed.

    Every write of an in-place operation asks here first, ``x[0] = c`` too, recorded or not. Only the forward of a custom
    Function has written by the time that it is asked.

    ``recorded``: whether the write itself will be recorded, because grad mode is on and an operand requires grad.
    """
    if not recorded:
        return
    view, requires_grad = self._view, self.requires_grad
    if view is not None:
        view.refuse_write(self._edge, indirect=False)
        if requires_grad and view.base.is_leaf:
            raise seams.error("LEAF_VIEW_INPLACE")
    # Also a view whose base got its history by a write, until the view is asked for its own: so it is in PyTorch.
    if requires_grad and self._edge is None and not (view is not None and view.passing):
        raise seams.error("LEAF_INPLACE")


def write(self: Tensor, values: Any, node: OpNode | None) -> list[Node]:
    """Put values into this tensor's memory, count the write, and give tensor and base the history ``node``."""
    self._array[...] = values
    bump(self._counter, caller() if node is None else node._made_at)
    if node is None:
        return []
    node._metas = ((self._array.shape, self._array.dtype),)
    nodes = [node, *set_written_history(self, node)]
    for place, (kind, position) in enumerate(node.recipe.saves):
        if kind == OUTPUT:
            saved = node.saved[place] = save_output(self, position)
            saved[0]._written_by = self._edge and weakref.ref(self._edge[0])
    return nodes


def set_written_history(self: Tensor, node: Node) -> list[Node]:
    """Give a tensor that was written to the history ``node``; a view gets it from its base."""
    view = self._view
    if view is None:
        set_history(self, (node, 0))
        return []
    slices = CopySlices(view.base, view.base._gradient_edge(), node, view.replay)
    set_history(view.base, (slices, 0))
    if not view.passing:
        view.version = -1  # no version that a memory can have, so that it is renewed
        view.renew(self)
    return [slices]


def in_place(call: Callable, name: str = "") -> Callable:
    """The in-place form of an operation: ``x.exp_()`` from ``exp``. name: what errors call it, if not that."""
    if hasattr(call, "choose"):
        return _in_place_choice(call)
    op: Op = call.op  # type: ignore[attr-defined]
    name = name or f"{op.name}_"

    def call_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        full = (self, *args)
        if kwargs or len(full) != len(op.parameters):
            full = op.bind(full, kwargs)
        wish = state.grad and self._array.dtype.kind in "fc"
        check_inplace(self, wish and True in [isinstance(full[i], Tensor) and full[i].requires_grad for i in op.inputs])
        if state.extension is not None:
            state.extension.before_write(self, full)
        recorded, mask, edges = edges_of(op, full) if wish else (False, 0, ())
        values = np.asarray(seams.compute(op, full, self, name))
        node, kept = None, full
        if recorded:
            recipe = op.recipes[mask, None, values.dtype.kind == "c"]
            if (INPUT, 0) in recipe.saves:  # the rule needs the value that is about to be overwritten
                kept = (self._copy(), *full[1:])
            node = new_node(recipe, kept, edges, (), None)
        nodes = write(self, values, node)
        if state.extension is not None:
            state.extension.after_write(self, nodes)
        return self

    return functools.update_wrapper(call_, op.forward)


def _in_place_choice(call: Callable) -> Callable:
    forms: dict[Callable, Callable] = {}

    def call_(*args: Any, **kwargs: Any) -> Any:
        operation, full = call.choose(*args, **kwargs)  # type: ignore[attr-defined]
        if operation not in forms:
            forms[operation] = in_place(operation, f"{call.__name__}_")
        return forms[operation](*full)

    return functools.update_wrapper(call_, call)
