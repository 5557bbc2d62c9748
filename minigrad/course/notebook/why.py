"""``why_no_grad``: in words, why a tensor's ``.grad`` is None. PyTorch leaves this to forums."""

from __future__ import annotations

from ...around.callsites import describe
from ...compat.complaints import node_name
from ...core.tensor import Tensor
from ...core.walk import Plan, on_a_path


def why_no_grad(t: Tensor, root: Tensor | None = None) -> str:
    """Say why ``t.grad`` is None, and what to do.

    root: the tensor on which ``backward`` was called. A leaf does not know who used it, so without the root the possible
    causes are listed; with it, the one that holds is named. TypeError when t or root is no Tensor.

    >>> import minigrad as mg
    >>> x = mg.tensor([1., 2.])
    >>> print(mg.why_no_grad(x))
    It does not require grad. Make it with requires_grad=True, or call requires_grad_() before you compute with it.
    """
    for tensor in (t, root):
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"why_no_grad() asks about Tensors, not about {type(tensor).__name__}")
    if t._grad is not None:
        return "It has a gradient: .grad is not None."
    if not t.requires_grad:
        if t.is_inference():
            return "It was made in inference mode, so it takes no part in any graph. Make it, or clone it, outside."
        if not (t.is_floating_point() or t.is_complex()):
            return f"Its dtype is {t.dtype}, and only floating point and complex tensors can require grad."
        return (
            "It does not require grad. Make it with requires_grad=True, or call requires_grad_() before you compute with it."
        )
    if not t.is_leaf:
        return _why_not_kept(t, root)
    if root is None:
        return (
            "It is a leaf and requires grad, so one of these holds: backward() was not called yet; the tensor on which it "
            "was called does not depend on this one; .grad was set to None afterwards; backward was asked for other inputs, "
            "or autograd.grad was used, which leaves .grad alone. Give root=, the tensor on which you called backward, and "
            "the answer names one."
        )
    return _why_not_reached(t, root)


def _why_not_kept(t: Tensor, root: Tensor | None) -> str:
    """A non-leaf."""
    made = f"It is not a leaf: {node_name(t.grad_fn)} made it, at {describe(t.grad_fn._made_at)}."
    if not t._retains:
        return made + " Only leaves keep their gradient. Call retain_grad() on it before backward, or use autograd.grad."
    if root is None:
        return made + " It would keep its gradient, but no backward pass has come through it."
    return made + " It would keep its gradient. " + _why_not_reached(t, root)


def _why_not_reached(t: Tensor, root: Tensor) -> str:
    """A tensor that would keep its gradient."""
    edge = root._gradient_edge()
    if edge is None:
        return "The root has no graph: none of its inputs requires grad, or it was computed under no_grad, or detached."
    target, reachable = t._gradient_edge(), Plan([edge]).pending
    if target is None or target[0] not in reachable:
        return (
            "No path leads from the root to it. The root was computed from other tensors: perhaps from a detached copy, "
            "under no_grad, before this name was given to a new tensor, or before requires_grad was set."
        )
    path = sorted(on_a_path(reachable, {target[0]}), key=lambda node: -node._number)
    custom = next((node_name(node) for node in path if node.runs_user_code), None)
    if any(node._freed for node in path):
        return (
            "A path leads from the root to it, and a backward pass has gone along it already. Since then .grad was set to "
            "None; or that pass was autograd.grad or had inputs=, and did not accumulate here"
            + (f"; or the backward of {custom} returned None for it." if custom else ".")
        )
    return (
        "A path leads from the root to it, so no backward pass from this root has accumulated here since .grad was last "
        "set to None. Call root.backward()." + (f" If you did, {custom} returned None for it." if custom else "")
    )
