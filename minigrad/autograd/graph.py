"""``minigrad.autograd.graph``: the nodes of the graph, and hooks on what they save.

The classes that a graph is made of stand in ``core/tape.py``; here is what programs call.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .. import errors
from ..around.hooks import RemovableHandle
from ..core.tape import AccumulateGrad, Node, caller
from ..core.tensor import Tensor, bump
from ..core.walk import Plan
from ..modes import state

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "get_gradient_edge",
    "increment_version", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks",
]  # fmt: skip


class GradientEdge(NamedTuple):
    """A place in the graph where a gradient arrives: output ``output_nr`` of ``node``."""

    node: Node
    output_nr: int
    ownership_token: Node | None = None  # PyTorch needs it to keep a graph alive; here the node is enough


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge at which the gradient of a tensor arrives. It stands for the tensor in ``grad`` and ``backward``.

    Keeping the edge instead of the tensor keeps the graph, but not the tensor's memory. RuntimeError for a tensor that
    does not require grad.

    >>> import minigrad as mg
    >>> x = mg.tensor(3.0, requires_grad=True)
    >>> h = x * x
    >>> edge = mg.autograd.graph.get_gradient_edge(h)
    >>> mg.autograd.grad(h * 5, edge)
    (tensor(5.),)
    """
    if not tensor.requires_grad:
        raise errors.NO_EDGE()
    edge = tensor._gradient_edge()
    if edge is None:  # a view made under no_grad
        raise errors.MULTI_NO_GRAD()
    return GradientEdge(edge[0].shown(), edge[1])


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a write that the engine could not see, such as one through NumPy, so that saved values are known to be stale.

    tensor: one Tensor, or several. RuntimeError for anything else. Tensors made in inference mode count no versions.

    >>> import minigrad as mg
    >>> x = mg.ones(2)
    >>> x.numpy()[0] = 5
    >>> mg.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    if not isinstance(tensor, (Tensor, Iterable)):
        raise errors.INCREMENT()
    for each in (tensor,) if isinstance(tensor, Tensor) else tuple(tensor):
        if not isinstance(each, Tensor):
            raise errors.INCREMENT_EACH()
        if not each.is_inference():
            bump(each._counter, caller())


# -- hooks on saved tensors ----------------------------------------------------------------------------------------------


class saved_tensors_hooks:
    """Inside, ``pack_hook(tensor)`` returns what is kept of a saved tensor; ``unpack_hook`` makes a tensor of that again.

    Only the innermost pair is used. Packing must not write to its tensor (RuntimeError), and what it returns should not hold
    the tensor itself; unpacking must return a Tensor (TypeError). Versions of packed tensors are not checked.

    >>> import minigrad as mg
    >>> x = mg.tensor([1.0, 2.0], requires_grad=True)
    >>> with mg.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), mg.tensor):
    ...     y = x.sin()
    >>> y.grad_fn._saved_self
    tensor([1., 2.], requires_grad=True)
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if state.no_packing is not None:
            raise RuntimeError(state.no_packing)
        hooks = self.pack_hook, self.unpack_hook
        if not (callable(hooks[0]) and callable(hooks[1])):
            raise TypeError(
                "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types are supported:\n"
                "    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\n"
                f"Invoked with: {hooks[0]!r}, {hooks[1]!r}"
            )
        _until_the_pass_ends()
        state.packing.append(hooks)
        state.update()

    def __exit__(self, *exc: object) -> None:
        _until_the_pass_ends()
        state.packing.pop()
        state.update()


def _until_the_pass_ends() -> None:
    """Let what is now changed about hooks on saved tensors, if that is inside a backward pass, not outlast it."""
    if state.walk is not None and not state.walk.ended:
        packing, no_packing = state.packing, state.no_packing

        def as_before() -> None:
            state.packing, state.no_packing = packing, no_packing
            state.update()

        state.packing, state.walk.ended = packing.copy(), (as_before,)


class save_on_cpu(saved_tensors_hooks):
    """Inside, what backward needs is kept on the cpu: where it is anyway, because there is one device."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cpu") -> None:
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, entering ``saved_tensors_hooks`` raises RuntimeError with this message.

    >>> import minigrad as mg
    >>> with mg.autograd.graph.disable_saved_tensors_hooks("not here"):
    ...     with mg.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
    ...         pass
    Traceback (most recent call last):
        ...
    RuntimeError: not here
    """
    _until_the_pass_ends()
    before, state.no_packing = state.no_packing, error_message
    if state.packing:
        state.no_packing = before
        raise RuntimeError(error_message)
    try:
        yield
    finally:
        state.no_packing = before


class _Kept:
    """What is kept of a saved tensor while its memory may be overwritten: the tensor, and a clone once it was."""

    __slots__ = ("tensor", "__weakref__")

    def __init__(self, tensor: Tensor):
        self.tensor: Tensor | None = tensor


class _AllowMutationOnSavedContext:
    """The saved tensors of an ``allow_mutation_on_saved_tensors`` block."""

    def __init__(self) -> None:
        self.kept: weakref.WeakSet[_Kept] = weakref.WeakSet()  # a graph that is freed takes its own away

    def pack(self, tensor: Tensor) -> _Kept:
        kept = _Kept(tensor.detach())
        self.kept.add(kept)
        return kept

    def unpack(self, kept: _Kept) -> Tensor:
        if state.mutable is None or kept.tensor is None:
            raise errors.MUTATION_OUTSIDE()
        return kept.tensor

    def before_write(self, tensor: Tensor) -> None:
        """Clone what is saved in the memory that is about to be overwritten."""
        for kept in self.kept:
            if kept.tensor is not None and kept.tensor._counter is tensor._counter:
                kept.tensor = kept.tensor.clone()

    def clear(self) -> None:
        """Let go of everything, so that the graphs recorded inside cannot be walked any more."""
        for kept in self.kept:
            kept.tensor = None


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """Inside, a saved tensor may be overwritten: it is cloned first. Forward and backward must both run inside.

    AssertionError in a backward pass outside; RuntimeError for a block inside a block.

    >>> import minigrad as mg
    >>> with mg.autograd.graph.allow_mutation_on_saved_tensors():
    ...     a = mg.ones(2, requires_grad=True)
    ...     b = a.clone()
    ...     out = (b ** 2).sum()
    ...     b = b.zero_()
    ...     out.backward()
    >>> a.grad
    tensor([2., 2.])
    """
    context = _AllowMutationOnSavedContext()
    with saved_tensors_hooks(context.pack, context.unpack):
        if state.mutable is not None:
            raise errors.MUTATION_NESTED()
        state.mutable = context
        try:
            yield context
        finally:
            context.clear()
            state.mutable = None


# -- one hook for several gradients --------------------------------------------------------------------------------------


def _will_run(plan: Plan, node: Node) -> bool:
    """Whether a pass will run a node, or did. As in PyTorch the root does not count when there is only one."""
    runs = node in plan.pending and (plan.needed is None or node in plan.needed)
    runs = runs and not (len(plan.roots) == 1 and node is plan.roots[0][0])
    if runs and type(node) is AccumulateGrad and (node, 0) in plan.captured:
        raise errors.WILL_RUN_LEAF()
    return runs


class _MultiHandle(RemovableHandle):
    def __init__(self, handles: tuple[RemovableHandle, ...]):
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable, *, mode: str = "all") -> RemovableHandle:
    """Call ``fn`` once in a backward pass, for several tensors together.

    mode "all": ``fn(gradients)`` when the gradients of all tensors that this pass reaches are there, None for the others.
    mode "any": ``fn(gradient)`` with the first of them. Returns a handle with ``remove()``. ValueError for another mode.

    >>> import minigrad as mg
    >>> a, b = mg.tensor(1.0, requires_grad=True), mg.tensor(2.0, requires_grad=True)
    >>> handle = mg.autograd.graph.register_multi_grad_hook((a, b), print)
    >>> (a * b).backward()
    [tensor(2.), tensor(1.)]
    """
    if mode not in ("all", "any"):
        raise errors.MULTI_MODE(("all", "any"), mode)
    arrived: weakref.WeakKeyDictionary[Any, dict[int, Tensor]] = weakref.WeakKeyDictionary()  # by pass and position
    if mode == "all" and any(not t.requires_grad for t in tensors):
        raise errors.MULTI_NO_GRAD()
    nodes = [get_gradient_edge(t).node for t in tensors if t.requires_grad]

    def hook_for(position: int) -> Callable[[Tensor], None]:
        def hook(gradient: Tensor) -> None:
            assert state.walk is not None, "expected this hook to be called inside a backward call"
            came = arrived.setdefault(state.walk, {})
            came[position] = gradient
            if mode == "any" and len(came) == 1:
                fn(gradient)
            if mode == "all" and len(came) == sum(_will_run(state.walk.plan, node) for node in nodes):
                fn([came.get(k) for k in range(len(tensors))])
                came.clear()

        return hook

    return _MultiHandle(tuple(t.register_hook(hook_for(k)) for k, t in enumerate(tensors) if t.requires_grad))
