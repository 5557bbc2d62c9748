"""Activations, layers and losses made of others. ``minigrad.nn.functional`` offers them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..autograd import no_grad
from ..ops import pointwise
from ..ops.losses import binary_cross
from ..tensor import Tensor, _wrap

# -- activations -----------------------------------------------------------------------------------------------------------


def _given(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    return input.copy_(result) if inplace else result


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """The input kept in [min_val, max_val]; at both ends the slope is 0."""
    inside = (input > min_val) & (input < max_val)
    return _given(input, pointwise.where(inside, input, input.detach().clamp(min_val, max_val).to(input.dtype)), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """The input kept in [0, 6]."""
    return hardtanh(input, 0.0, 6.0, inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The input where it is positive, alpha · (exp(input) - 1) elsewhere."""
    below = pointwise.expm1(pointwise.where(input > 0, 0.0, input)) * alpha
    return _given(input, pointwise.where(input > 0, input, below), inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with two constants that keep mean 0 and variance 1 (Klambauer et al., 2017)."""
    return _given(input, elu(input, 1.6732632423543772848170429916717) * 1.0507009873554804934193349852946, inplace)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """The input times the share of normal numbers below it; approximate="tanh": a formula near to that."""
    if approximate == "none":
        return input * 0.5 * (1 + pointwise.erf(input * math.sqrt(0.5)))
    if approximate != "tanh":
        raise RuntimeError("approximate argument must be either none or tanh.")
    return 0.5 * input * (1 + pointwise.tanh(math.sqrt(2 / math.pi) * (input + 0.044715 * input**3)))


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input · sigmoid(input)."""
    return _given(input, input * input.sigmoid(), inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input · tanh(softplus(input))."""
    return _given(input, input * pointwise.tanh(-logsigmoid(-input)), inplace)


def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)."""
    return input / (1 + input.abs())


def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of sigmoid, without overflow."""
    return -pointwise.logaddexp(-input, _wrap(np.zeros_like(input._array)))


def softmin(input: Tensor, dim: int | None = None) -> Tensor:
    """softmax of minus the input."""
    return (-input).softmax(dim)


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Tensor:
    """The input over its p-norm along a dimension, which counts as eps where it is less."""
    return input / input.norm(p, dim, True).clamp_min(eps).expand_as(input)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along a dimension."""
    sides = [x / x.norm(2, dim, True).clamp_min(eps) for x in (x1, x2)]
    return (sides[0] * sides[1]).sum(dim)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """For each class a row of zeros with a 1 at its place. RuntimeError for classes below 0 or beyond ``num_classes``."""
    classes = tensor._array
    if classes.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor.")
    if classes.size and classes.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(classes.max()) + 1
    elif classes.size and classes.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return _wrap((classes[..., None] == np.arange(num_classes)).astype(np.int64))


# -- layers ----------------------------------------------------------------------------------------------------------------


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: None = None, norm_type: float = 2.0,
    scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of the weight that the input names. The row padding_idx gets no gradient."""
    errors.refuse("embedding", max_norm=max_norm, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)
    rows = weight.index_select(0, input.reshape(-1)).view(*input.shape, weight.shape[1])
    if padding_idx is None:
        return rows
    return pointwise.where((input == padding_idx % weight.shape[0]).unsqueeze(-1), rows.detach(), rows)


def _standard(input: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
    """The input with mean 0 and variance 1 over some dimensions."""
    centred = input - input.mean(dims, keepdim=True)
    return centred * ((centred * centred).mean(dims, keepdim=True) + eps).rsqrt()


def _affine(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    input = input if weight is None else input * weight
    return input if bias is None else input + bias


def layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """The input with mean 0 and variance 1 over its last dimensions, times weight, plus bias."""
    if tuple(input.shape[input.ndim - len(normalized_shape) :]) != tuple(normalized_shape):
        expected = ", ".join(map(str, ["*", *normalized_shape]))
        raise RuntimeError(
            f"Given normalized_shape={list(normalized_shape)}, expected input with shape [{expected}], but got input of size"
            f"{list(input.shape)}"
        )
    return _affine(_standard(input, tuple(range(-len(normalized_shape), 0)), eps), weight, bias)


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Each channel (the second dimension) with mean 0 and variance 1, times weight, plus bias.

    training: of this batch; the running mean and variance move towards those by ``momentum``. Otherwise of the running ones.
    """
    wide = (-1, *[1] * (input.ndim - 2))
    others = (0, *range(2, input.ndim))
    weight, bias = (x if x is None else x.view(wide) for x in (weight, bias))
    if not training:
        return _affine((input - running_mean.view(wide)) * (running_var.view(wide) + eps).rsqrt(), weight, bias)  # type: ignore[union-attr]
    count = input.numel() // input.shape[1]
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    if running_mean is not None:
        with no_grad():
            running_mean.mul_(1 - momentum).add_(input.mean(others), alpha=momentum)
            running_var.mul_(1 - momentum).add_(input.var(others), alpha=momentum)  # type: ignore[union-attr]
    return _affine(_standard(input, others, eps), weight, bias)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:  # fmt: skip
    """softmax(query @ keyᵀ · scale) @ value, with scale 1/√d; attn_mask: where to look (bool), or what is added before softmax."""
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = _wrap(np.tri(*scores.shape[-2:], dtype=bool))
    if attn_mask is not None:
        added = attn_mask if attn_mask._array.dtype != bool else None
        scores = scores.masked_fill(~attn_mask, -math.inf) if added is None else scores + added
    weights = scores.softmax(-1)
    if dropout_p:
        from .functional import dropout

        weights = dropout(weights, dropout_p)
    return weights @ value


# -- losses ----------------------------------------------------------------------------------------------------------------


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return loss if reduction == "none" else getattr(loss, reduction)()


def l1_loss(input: Tensor, target: Tensor, size_average: None = None, reduce: None = None, reduction: str = "mean") -> Tensor:
    """|input - target|: the mean, "sum", or "none" for all of them."""
    errors.refuse("l1_loss", size_average=size_average, reduce=reduce)
    return _reduced((input - target).abs(), reduction)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """Half the square of a difference up to delta, and beyond it a straight line with the slope delta, in the dtype of input."""
    loss = _huber(input, target, reduction, delta)
    return loss.to(input.dtype) if input.is_floating_point() else loss


def _huber(input: Tensor, target: Tensor, reduction: str, delta: float) -> Tensor:
    distance = (input - target).abs()
    return _reduced(pointwise.where(distance < delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta)), reduction)


def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: None = None, reduce: None = None, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """huber_loss over beta: a straight line with the slope 1 beyond beta."""
    errors.refuse("smooth_l1_loss", size_average=size_average, reduce=reduce)
    return l1_loss(input, target, reduction=reduction) if beta == 0 else _huber(input, target, reduction, beta) / beta


def kl_div(
    input: Tensor, target: Tensor, size_average: None = None, reduce: None = None, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """target · (log target - input), of log-probabilities and probabilities; "batchmean": the sum over the first size."""
    errors.refuse("kl_div", size_average=size_average, reduce=reduce)
    loss = pointwise.exp(target) * (target - input) if log_target else pointwise.xlogy(target, target) - target * input
    return loss.sum() / input.shape[0] if reduction == "batchmean" else _reduced(loss, reduction)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: None = None, reduce: None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The cross entropy of probabilities and targets between 0 and 1, of one shape. RuntimeError for inputs beyond 0 and 1."""
    errors.refuse("binary_cross_entropy", size_average=size_average, reduce=reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is deprecated. "
            "Please ensure they have the same size."
        )
    if not ((input._array >= 0) & (input._array <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    loss = binary_cross(input, target)
    return _reduced(loss if weight is None else loss * weight, reduction)
