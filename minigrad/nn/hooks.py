"""Functions that a module calls: before its forward, after it, and when a backward pass comes through.

A full backward hook gets the gradients of the module's inputs and outputs. Both go through a Function that changes nothing, so
that there is one node before the module, and one behind it, at which they arrive together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import Function
from ..graph import RemovableHandle
from ..tensor import Tensor

KINDS = "forward_pre", "forward", "full_backward_pre", "full_backward"


class BackwardHookFunction(Function):
    """The identity of several tensors."""

    @staticmethod
    def forward(ctx: Any, *args: Tensor) -> Any:
        ctx.mark_non_differentiable(*[x for x in args if not x.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        return args


def register(module: Any, kind: str, hook: Callable, **options: bool) -> RemovableHandle:
    """Keep a hook of a kind; its handle removes it."""
    if kind not in module.__dict__.setdefault("_hooks", {}):
        module._hooks[kind] = {}
    hooks = module._hooks[kind]
    first = options.pop("prepend", False)
    others = dict(hooks)
    handle = RemovableHandle(hooks, (hook, options))  # type: ignore[arg-type]
    if first:
        for key in others:  # behind the new one
            hooks[key] = hooks.pop(key)
    return handle


def call(module: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """``module.forward`` with everything that was registered."""
    hooks = {kind: list(module._hooks.get(kind, {}).values()) for kind in KINDS}
    for hook, options in hooks["forward_pre"]:
        if options["with_kwargs"]:
            changed = hook(module, args, kwargs)
            args, kwargs = (args, kwargs) if changed is None else changed
        else:
            changed = hook(module, args)
            args = args if changed is None else changed if isinstance(changed, tuple) else (changed,)
    backward = hooks["full_backward_pre"] or hooks["full_backward"]
    arrived: dict[str, tuple] = {}
    if backward:
        args = _watched_inputs(module, args, hooks["full_backward"], arrived)
    result = module.forward(*args, **kwargs)
    for hook, options in hooks["forward"]:
        changed = hook(module, args, kwargs, result) if options["with_kwargs"] else hook(module, args, result)
        result = result if changed is None else changed
    return _watched_outputs(module, result, hooks, arrived) if backward else result


def _through(values: tuple) -> tuple[tuple, Any]:
    """The same values, the tensors among them through one node, and that node; None where nothing requires grad."""
    places = [k for k, x in enumerate(values) if isinstance(x, Tensor)]
    if not any(values[k].requires_grad for k in places):
        return values, None
    found = list(values)
    outputs = BackwardHookFunction.apply(*[values[k] for k in places])
    for k, output in zip(places, outputs, strict=True):
        found[k] = output
    return tuple(found), next(x.grad_fn for x in outputs if x.grad_fn is not None)


def _watched_inputs(module: Any, args: tuple, hooks: list, arrived: dict[str, tuple]) -> tuple:
    args, node = _through(args)
    if node is None:
        arrived["no inputs"] = tuple(None for _ in args)
        return args

    def finished(grad_inputs: tuple, _: tuple) -> Any:
        if "outputs" not in arrived:
            raise RuntimeError(
                f"Module backward hook for {type(module).__name__} is called before the grad_output one: the outputs of the "
                "module do not depend on what was differentiated"
            )
        return _report(module, hooks, _spread(args, grad_inputs), arrived.pop("outputs"))

    node.register_hook(finished)
    return args


def _spread(values: tuple, grads: tuple) -> tuple:
    """One gradient for each value, None for what is no tensor."""
    left = iter(grads)
    return tuple(next(left) if isinstance(x, Tensor) else None for x in values)


def _report(module: Any, hooks: list, grad_inputs: tuple, grad_outputs: tuple) -> tuple:
    for hook, _ in hooks:
        changed = hook(module, grad_inputs, grad_outputs)
        if changed is not None:
            grad_inputs = changed if isinstance(changed, tuple) else (changed,)
    return grad_inputs


def _watched_outputs(module: Any, result: Any, hooks: dict[str, list], arrived: dict[str, tuple]) -> Any:
    values = result if isinstance(result, tuple) else (result,)
    if not all(isinstance(x, Tensor) for x in values):
        return result  # PyTorch watches tensors and tuples of them only
    values, node = _through(values)
    if node is None:
        return result

    def came(grads: tuple) -> tuple:
        for hook, _ in hooks["full_backward_pre"]:
            changed = hook(module, grads)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        arrived["outputs"] = grads
        if "no inputs" in arrived:
            _report(module, hooks["full_backward"], arrived["no inputs"], grads)
        return grads

    node.register_prehook(came)
    return values if isinstance(result, tuple) else values[0]
