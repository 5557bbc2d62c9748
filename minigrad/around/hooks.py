"""Hooks: a user's functions that see, and may replace, the cotangents of a backward pass. And what PyTorch shows of a node.

The walk knows hooks only as an object on a node with three methods; nearly all nodes have none.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import errors
from ..core.seams import seams
from ..core.tape import AccumulateGrad, Node, OpNode
from ..core.tensor import Edge, Tensor, wrap
from ..core.walk import fit
from ..modes import state
from .callsites import line_of
from .saved import info_of_saved


class RemovableHandle:
    """What registering a hook returns: ``remove()`` takes the hook away again. Also a context manager."""

    _next = itertools.count().__next__

    def __init__(self, hooks: dict[int, Callable], hook: Callable):
        self.hooks, self.id = hooks, self._next()
        hooks[self.id] = hook

    def remove(self) -> None:
        """Take the hook away. Harmless when it is gone already."""
        self.hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class Hooks:
    """The hooks of one node."""

    __slots__ = ("tensor", "retain", "before_", "after_", "post")

    def __init__(self, of_leaf: Hooks | None = None) -> None:
        # By output number: what Tensor.register_hook put there. A leaf keeps its own while its nodes come and go.
        self.tensor: dict[int, dict[int, Callable]] = {} if of_leaf is None else of_leaf.tensor
        self.post: dict[int, Callable] = {} if of_leaf is None else of_leaf.post
        self.retain: dict[int, Callable] = {}  # retain_grad: sees the gradient last, after every other hook
        self.before_: dict[int, Callable] = {}
        self.after_: dict[int, Callable] = {}

    def arrived(self, node: Node, cotangents: list, tensors: bool) -> None:
        """Tensor.register_hook, in the order of registration; retain_grad sees the result last."""
        for output in {**self.tensor, **self.retain}:
            g = cotangents[output]
            g = g if tensors or g is None else wrap(g)
            for hook in tuple(self.tensor.get(output, {}).values()):
                answer = _checked(hook, g, hook(g))
                g = g if answer is None else answer
            if g is not None and output in self.retain:
                self.retain[output](g)
            cotangents[output] = g if tensors or g is None else g._array

    def before(self, node: Node, cotangents: list, tensors: bool) -> None:
        """Node.register_prehook."""
        given = _wrapped(cotangents, tensors)
        for hook in tuple(self.before_.values()):
            answer = hook(given)
            given = given if answer is None else _all_checked(hook, given, answer)
        cotangents[:] = _unwrapped(given, tensors)

    def after(self, node: Node, results: Sequence, cotangents: list, tensors: bool) -> Sequence:
        """Node.register_hook; for a leaf, register_post_accumulate_grad_hook before it."""
        if type(node) is AccumulateGrad:
            for hook in tuple(self.post.values()):
                result = hook(node.variable)
                if result is not node.variable and _checked(hook, node.variable, result) is not None:
                    raise errors.HOOK_POST()
        if not self.after_:
            return results
        fitted = []
        for index, (g, edge) in enumerate(zip(results, node._edges, strict=False)):
            if g is not None and edge is not None:
                shape, dtype = edge[0]._metas[edge[1]]
                g = fit(g if tensors else np.asarray(g), shape, dtype, node, index)
            fitted.append(g)
        given, outputs = _wrapped(fitted, tensors), _wrapped(cotangents, tensors)
        for hook in tuple(self.after_.values()):
            answer = hook(given, outputs)
            given = given if answer is None else _all_checked(hook, given, answer)
        return _unwrapped(given, tensors)


def _checked(hook: Callable, before: Any, after: Any) -> Any:
    """What a hook returned in place of a gradient: None, or a Tensor of the same dtype and shape."""
    if after is None:
        return None
    if before is None:
        raise errors.HOOK_NONE()
    if not isinstance(after, Tensor):
        raise errors.HOOK_VALUE(type(after).__name__)
    name = getattr(hook, "__name__", "<unknown>")
    if after._array.dtype != before._array.dtype:
        raise errors.HOOK_TYPE(name, before.type(), after.type())
    if after._array.shape != before._array.shape:
        raise errors.HOOK_SIZE(name)
    return after


def _all_checked(hook: Callable, before: tuple, after: Any) -> tuple:
    """What a hook on a node returned in place of all its gradients, which must be as many."""
    if not isinstance(after, tuple) or len(after) != len(before):
        raise errors.HOOK_TUPLE(len(before), errors.kind_of(after))
    return tuple(_checked(hook, old, new) for old, new in zip(before, after, strict=True))


def _wrapped(values: Sequence, tensors: bool) -> tuple:
    return tuple(g if tensors or g is None else wrap(np.asarray(g)) for g in values)


def _unwrapped(values: Sequence, tensors: bool) -> list:
    return [g if tensors or g is None else g._array for g in values]


# -- registering ---------------------------------------------------------------------------------------------------------


def hooks_of(node: Node) -> Hooks:
    """The hooks of a node, made when first asked for."""
    if node._hooks is None or isinstance(node, AccumulateGrad) and node._hooks is node.variable._hooks:
        node._hooks = Hooks(node._hooks)
    return node._hooks


def _hooks_of_leaf(leaf: Tensor) -> Hooks:
    """The hooks of a leaf, which outlive its node."""
    if leaf._hooks is None:
        leaf._hooks = Hooks()
        node = None if leaf._accumulator is None else leaf._accumulator()
        if node is not None:
            if node._hooks is None:
                node._hooks = leaf._hooks
            else:
                node._hooks.tensor, node._hooks.post = leaf._hooks.tensor, leaf._hooks.post
    return leaf._hooks


def _on_tensor(function: Callable) -> Callable:
    setattr(Tensor, function.__name__, function)
    return function


@_on_tensor
def register_hook(self: Any, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Call ``hook(gradient)`` once in each backward pass; a Tensor it returns replaces the gradient.

    Returns a handle with ``remove()``. RuntimeError when this tensor does not require grad.

    >>> import minigrad as mg
    >>> x = mg.tensor(3.0, requires_grad=True)
    >>> handle = x.register_hook(lambda g: g * 10)
    >>> (x * x).backward()
    >>> x.grad
    tensor(60.)
    """
    if not self.requires_grad:
        raise errors.HOOK_NO_GRAD()
    if self._hooked is None:
        self._hooked = {}  # as in PyTorch it stays when the history can't be found, and a second call is taken
        node = self.grad_fn
        hooks = _hooks_of_leaf(self) if node is None else hooks_of(node)
        self._hooked = hooks.tensor.setdefault(self.output_nr, {})
    return RemovableHandle(self._hooked, hook)


@_on_tensor
def register_post_accumulate_grad_hook(self: Any, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call ``hook(leaf)`` after ``leaf.grad`` was updated. RuntimeError for anything but a leaf that requires grad.

    >>> import minigrad as mg
    >>> x = mg.tensor(3.0, requires_grad=True)
    >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
    >>> (x * x).backward()
    tensor(6.)
    """
    if not self.requires_grad:
        raise errors.HOOK_NO_GRAD()
    if not self.is_leaf:
        raise errors.HOOK_POST_LEAF()
    return RemovableHandle(_hooks_of_leaf(self).post, hook)


@_on_tensor
def retain_grad(self: Any) -> None:
    """Keep the gradient of a non-leaf in ``.grad``. RuntimeError when it does not require grad.

    >>> import minigrad as mg
    >>> h = mg.tensor(3.0, requires_grad=True) * 2
    >>> h.retain_grad()
    >>> (h * h).backward()
    >>> h.grad
    tensor(12.)
    """
    if not self.requires_grad:
        raise errors.RETAIN_NO_GRAD()
    if self._retains or self._edge is None:
        return
    self.grad_fn  # noqa: B018  (which a view may have to find anew)
    self._retains = True
    _put_retain_hook(self, self._edge)


def _new_history(tensor: Any, edge: Edge) -> None:
    """retain_grad follows a tensor to its new node; the hooks of what the tensor was before are called no more."""
    if tensor._retains and tensor._edge is not None and tensor._edge[0]._hooks is not None:
        tensor._edge[0]._hooks.retain.pop(tensor._edge[1], None)
    node = None if tensor._accumulator is None else tensor._accumulator()
    if node is not None and tensor._hooks is not None:
        node._hooks = None
    tensor._hooked = tensor._hooks = None
    if tensor._retains:
        _put_retain_hook(tensor, edge)


seams.new_history = _new_history  # type: ignore[method-assign]


def _put_retain_hook(tensor: Any, edge: Edge) -> None:
    reference = weakref.ref(tensor)  # the node must not hold its own output

    def keep(g: Tensor) -> None:
        tensor = reference()
        if tensor is not None:
            if tensor._grad is None:
                tensor._grad = g.clone() if state.grad else wrap(g._array.copy())
            else:
                tensor._grad = tensor._grad + g

    hooks_of(edge[0]).retain[edge[1]] = keep


def count_hooks(node: Node | None, tensor: Tensor | None = None) -> int:
    """How many hooks wait at a node, and at a leaf of which there may be no node."""
    found = [x._hooks for x in (node, tensor) if x is not None and x._hooks is not None]
    tables = {id(t): t for hooks in found for t in (hooks.before_, hooks.after_, hooks.post, *hooks.tensor.values())}
    return sum(map(len, tables.values()))


def forget_hooks(tensor: Any) -> None:
    """Take all hooks off a leaf."""
    tensor._hooks = tensor._hooked = None


# -- what PyTorch shows of a node ----------------------------------------------------------------------------------------


def _call(self: Node, *gradients: Any) -> Any:
    """Run this one node by hand: from a gradient (or None) for each output to one for each input. No hook is called.

    TypeError for anything but that many Tensors; RuntimeError when what was saved is gone.

    >>> import minigrad as mg
    >>> x = mg.tensor(3.0, requires_grad=True)
    >>> (x * 5).grad_fn(mg.tensor(2.0))
    (tensor(10.), None)
    """
    if len(gradients) != len(self._metas) or not all(g is None or isinstance(g, Tensor) for g in gradients):
        raise TypeError(f"a node takes a Tensor, or None, for each of its outputs: {len(self._metas)}")
    results = self.apply(list(gradients), True, None)
    return results[0] if len(results) == 1 else tuple(results)


def _metadata(self: Any) -> dict:
    """A dictionary for the user's own notes."""
    if not hasattr(self, "_metadata"):
        self._metadata = {}
    return self._metadata


def _register_hook(self: Node, hook: Callable) -> RemovableHandle:
    """Call ``hook(grad_inputs, grad_outputs)`` after the node ran; what it returns replaces ``grad_inputs``."""
    return RemovableHandle(hooks_of(self).after_, hook)


def _register_prehook(self: Node, hook: Callable) -> RemovableHandle:
    """Call ``hook(grad_outputs)`` before the node runs; what it returns replaces ``grad_outputs``."""
    return RemovableHandle(hooks_of(self).before_, hook)


Node.__call__ = _call  # type: ignore[method-assign]
Node.metadata = property(_metadata)  # type: ignore[attr-defined]
Node.requires_grad = property(lambda self: True, doc="True: a node exists only where a gradient is required.")  # type: ignore[attr-defined]
Node.register_hook, Node.register_prehook = _register_hook, _register_prehook  # type: ignore[attr-defined]
Node._sequence_nr = lambda self: self._number  # type: ignore[attr-defined]
AccumulateGrad._sequence_nr = lambda self: 2**64 - 1  # type: ignore[attr-defined]
Node._seq = property(lambda self: self._number)  # type: ignore[attr-defined]
Node._site = lambda self: line_of(self._made_at)  # type: ignore[attr-defined]
Node._info_of_saved = info_of_saved  # type: ignore[attr-defined]
Node._names_of_saved = lambda self: self.op.saved_names if isinstance(self, OpNode) else ()  # type: ignore[attr-defined]
for _function in (_call, _register_hook, _register_prehook):
    _function.__name__ = {"_call": "__call__"}.get(_function.__name__, _function.__name__[1:])
Tensor._hooked, Tensor._retains = None, False
