"""Functions that a module calls: before its forward, after it, and when a backward pass comes through.

A full backward hook gets the gradients of the module's inputs and outputs. Both go through a Function that changes nothing, so
that there is one node before the module, and one behind it, at which they arrive together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..around.hooks import RemovableHandle
from ..autograd import Function
from ..core.tensor import Tensor


class BackwardHookFunction(Function):
    """The identity of several tensors."""

    @staticmethod
    def forward(ctx: Any, *args: Tensor) -> Any:
        ctx.mark_non_differentiable(*[x for x in args if not x.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        return args


def register(module: Any, kind: str, hook: Callable) -> RemovableHandle:
    """Keep a hook of a kind, "before", "after" or "backward"; its handle removes it."""
    hooks = module.__dict__.setdefault("_hooks", {"before": {}, "after": {}, "backward": {}})
    return RemovableHandle(hooks[kind], hook)


def call(module: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """``module.forward`` with everything that was registered."""
    before, after, backward = ([*hooks.values()] for hooks in module._hooks.values())
    for hook in before:
        args = _replaced(args, hook(module, args))
    node = None
    if backward:
        args, node = _through(args)
    result = module.forward(*args, **kwargs)
    for hook in after:
        changed = hook(module, args, result)
        result = result if changed is None else changed
    values = result if isinstance(result, tuple) else (result,)
    if not backward or not all(isinstance(x, Tensor) for x in values):  # PyTorch watches tensors and tuples of them only
        return result
    values, last = _through(values)
    if last is not None:
        _watch(module, backward, args, node, last)
    return values if isinstance(result, tuple) else values[0]


def _replaced(values: tuple, changed: Any) -> tuple:
    """What a hook returned, as a tuple; the values as they were, if it returned None."""
    return values if changed is None else changed if isinstance(changed, tuple) else (changed,)


def _through(values: tuple) -> tuple[tuple, Any]:
    """The same values, the tensors among them through one node, and that node; None where nothing requires grad."""
    tensors = [x for x in values if isinstance(x, Tensor)]
    if not any(x.requires_grad for x in tensors):
        return values, None
    outputs = BackwardHookFunction.apply(*tensors)
    left = iter(outputs)
    found = tuple(next(left) if isinstance(x, Tensor) else x for x in values)
    return found, next((x.grad_fn for x in outputs if x.grad_fn is not None), None)


def _watch(module: Any, hooks: list, args: tuple, first: Any, last: Any) -> None:
    """Call hooks when gradients are there at the first node, or at the last, if no input has a gradient."""
    arrived: list[tuple] = []

    def report(grads: tuple, _: tuple = ()) -> tuple:
        left = iter(grads)
        found = tuple(next(left) if isinstance(x, Tensor) and first else None for x in args)
        for hook in hooks:
            found = _replaced(found, hook(module, found, arrived[-1]))
        return found

    def came(grads: tuple) -> None:
        arrived.append(grads)
        if not first:
            report(())

    last.register_prehook(came)
    if first:
        first.register_hook(report)
