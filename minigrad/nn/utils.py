"""``minigrad.nn.utils``: what is done to all parameters, or their gradients, together."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..autograd import no_grad
from ..core.tensor import Tensor
from ..creation import zeros
from ..ops.reduction import vector_norm
from ..ops.shape import cat, split, stack


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All numbers of some parameters in one vector."""
    return cat([parameter.view(-1) for parameter in parameters])  # type: ignore[attr-defined]


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give parameters the numbers of a vector, in order. They share its memory then."""
    parameters = list(parameters)
    for parameter, part in zip(parameters, split(vec, [p.numel() for p in parameters]), strict=True):
        parameter.data = part.view_as(parameter).data


@no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scale the gradients so that their norm, of all together, is at most ``max_norm``. Returns the norm before.

    RuntimeError for a norm that is not finite, if ``error_if_nonfinite``. foreach chooses another way to the same result in
    PyTorch, and nothing here.

    >>> import minigrad as mg
    >>> w = mg.tensor([3., 4.], requires_grad=True)
    >>> (w * w / 2).sum().backward()
    >>> mg.nn.utils.clip_grad_norm_(w, 1.0), w.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    max_norm, norm_type = float(max_norm), float(norm_type)
    tensors = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    grads = [tensor._grad for tensor in tensors if tensor._grad is not None]
    if not grads:
        return zeros(())
    norms = stack([vector_norm(g, norm_type, None, False) for g in grads])
    total = vector_norm(norms, norm_type, None, False)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it is not clipped.")
    scale = (max_norm / (total + 1e-6)).clamp(max=1.0)  # type: ignore[operator]
    for g in grads:
        g.mul_(scale)  # type: ignore[attr-defined]
    return total


@no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamp each number of the gradients to ±``clip_value``. foreach: as in ``clip_grad_norm_``."""
    for tensor in [parameters] if isinstance(parameters, Tensor) else parameters:
        if tensor._grad is not None:
            tensor._grad.clamp_(-float(clip_value), float(clip_value))  # type: ignore[attr-defined]
