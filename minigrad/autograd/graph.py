"""``minigrad.autograd.graph``: the nodes of the graph, and hooks on what they save.

The classes that a graph is made of stand in ``core/tape.py``; here is what programs call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.tape import Node
from ..core.tensor import Tensor
from ..modes import state

__all__ = ["Node", "save_on_cpu", "saved_tensors_hooks"]


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
        hooks = self.pack_hook, self.unpack_hook
        if not (callable(hooks[0]) and callable(hooks[1])):
            raise TypeError(f"saved_tensors_hooks takes two functions, not {hooks[0]!r} and {hooks[1]!r}")
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
        packing = state.packing

        def as_before() -> None:
            state.packing = packing
            state.update()

        state.packing, state.walk.ended = packing.copy(), (as_before,)


class save_on_cpu(saved_tensors_hooks):
    """Inside, what backward needs is kept on the cpu: where it is anyway, because there is one device."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cpu") -> None:
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)
