"""Activations, layers and losses made of others. ``minigrad.nn.functional`` offers them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..autograd import no_grad
from ..core.rule import checked
from ..core.tensor import Tensor
from ..core.tensor import wrap as _wrap
from ..ops import indexing, losses, neural, pointwise, shape

__all__ = [
    "batch_norm", "binary_cross_entropy", "cosine_similarity", "elu", "embedding", "gelu", "hardtanh", "huber_loss", "kl_div",
    "l1_loss", "layer_norm", "logsigmoid", "normalize", "one_hot", "pairwise_distance", "relu6", "scaled_dot_product_attention",
    "silu", "smooth_l1_loss",
]  # fmt: skip

# -- activations -----------------------------------------------------------------------------------------------------------


def _given(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    return input.copy_(result) if inplace else result


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """The input kept in [min_val, max_val]; at both ends the slope is 0."""
    within, kept = (input > min_val) & (input < max_val), input.detach().clamp(min_val, max_val)
    return _given(input, pointwise.where(within, input, kept), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """The input kept in [0, 6]; at both ends the slope is 0."""
    return hardtanh(input, 0.0, 6.0, inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The input where it is positive, alpha · (exp(input) - 1) elsewhere."""
    below = pointwise.expm1(pointwise.where(input > 0, 0.0, input)) * alpha
    return _given(input, pointwise.where(input > 0, input, below), inplace)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """The input times the share of normal numbers below it; approximate="tanh": a formula near to that."""
    if approximate == "tanh":
        return 0.5 * input * (1 + pointwise.tanh(math.sqrt(2 / math.pi) * (input + 0.044715 * input**3)))
    return input * 0.5 * (1 + pointwise.erf(input * math.sqrt(0.5)))


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input · sigmoid(input)."""
    return _given(input, input * input.sigmoid(), inplace)


def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of sigmoid, without overflow."""
    return -pointwise.logaddexp(-input, _wrap(np.zeros_like(input._array)))


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Tensor:
    """The input over its p-norm along a dimension, which counts as eps where it is less."""
    return input / input.norm(p, dim, True).clamp_min(eps).expand_as(input)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along a dimension."""
    return (normalize(x1, 2.0, dim, eps) * normalize(x2, 2.0, dim, eps)).sum(dim)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norms of the differences along the last dimension, to which eps is added, so that none is 0."""
    return (x1 - x2 + eps).norm(p, -1, keepdim)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """For each class a row of zeros with a 1 at its place. RuntimeError for classes below 0 or beyond ``num_classes``."""
    return _wrap(_rows_of_one(tensor._array, num_classes))


@checked
def _rows_of_one(classes: np.ndarray, num_classes: int) -> np.ndarray:
    count = classes.max() + 1 if num_classes == -1 else num_classes
    return (classes[..., None] == np.arange(count)).astype(np.int64)


# -- layers ----------------------------------------------------------------------------------------------------------------


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """The rows of the weight that the input names. The row padding_idx gets no gradient."""
    return indexing.embedding(weight, input, padding_idx if padding_idx is None else padding_idx % weight.shape[0])


def _standard(input: Tensor, dims: tuple[int, ...], eps: float, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """The input with mean 0 and variance 1 over some dimensions, times weight, plus bias."""
    centred = input - input.mean(dims, keepdim=True)
    return _affine(centred * ((centred * centred).mean(dims, keepdim=True) + eps).rsqrt(), weight, bias)


def _affine(input: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    input = input if weight is None else input * weight
    return input if bias is None else input + bias


@checked
def layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """The input with mean 0 and variance 1 over its last dimensions, times weight, plus bias."""
    return _standard(input, tuple(range(-len(normalized_shape), 0)), eps, weight, bias)


@checked
def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Each channel (the second dimension) with mean 0 and variance 1, times weight, plus bias.

    training: of this batch; the running mean and variance move towards those by ``momentum``. Otherwise of the running ones.
    """
    others, wide = (0, *range(2, input.ndim)), (-1, *[1] * (input.ndim - 2))
    weight, bias = (x if x is None else x.view(wide) for x in (weight, bias))
    if not training:
        return _affine((input - running_mean.view(wide)) * (running_var.view(wide) + eps).rsqrt(), weight, bias)  # type: ignore[union-attr]
    if running_mean is not None:
        with no_grad():
            running_mean.mul_(1 - momentum).add_(input.mean(others), alpha=momentum)
            running_var.mul_(1 - momentum).add_(input.var(others), alpha=momentum)  # type: ignore[union-attr]
    return _standard(input, others, eps, weight, bias)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:  # fmt: skip
    """softmax(query @ keyᵀ · scale) @ value, with scale 1/√d; attn_mask: where to look (bool), or what is added before softmax."""
    errors.refuse("scaled_dot_product_attention", dropout_p=dropout_p)
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    mask = _wrap(np.tri(*scores.shape[-2:], dtype=bool)) if is_causal else attn_mask
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask._array.dtype == bool else scores + mask
    return scores.softmax(-1) @ value


# -- losses ----------------------------------------------------------------------------------------------------------------


_REDUCTIONS = {"none": neural.NONE, "mean": neural.MEAN, "sum": neural.SUM}


@checked
def _reduction(name: str, size_average: None = None, reduce: None = None) -> int:
    """The number by which operations know a way to reduce. ValueError for a name that is none; its older forms are refused."""
    errors.refuse("losses", size_average=size_average, reduce=reduce)
    return _REDUCTIONS[name]


def _reduced(loss: Tensor, reduction: str, *older: None) -> Tensor:
    _reduction(reduction, *older)
    return loss if reduction == "none" else getattr(loss, reduction)()


def of_one_shape(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Input and target, broadcast. Warns when their shapes differ."""
    if target.size() != input.size():
        warnings.warn(errors.MSE_SIZE.format(target.size(), input.size()), UserWarning, stacklevel=3)
    sizes = shape.broadcast_shapes(input.shape, target.shape)
    return tuple(x if tuple(x.shape) == sizes else shape.expand(x, sizes) for x in (input, target))  # type: ignore[return-value]


def l1_loss(input: Tensor, target: Tensor, size_average: None = None, reduce: None = None, reduction: str = "mean") -> Tensor:
    """|input - target|: the mean, "sum", or "none" for all of them. Warns when the shapes differ, as the other losses do."""
    return _reduced(pointwise.sub(*of_one_shape(input, target)).abs(), reduction, size_average, reduce)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """Half the square of a difference up to delta, and beyond it a straight line with the slope delta, in the dtype of input."""
    input, target = of_one_shape(input, target)
    target = target.to(input.dtype) if input.is_floating_point() else target
    return losses.huber_loss(input, target, _reduction(reduction), delta)


def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: None = None, reduce: None = None, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """huber_loss over beta: a straight line with the slope 1 beyond beta."""
    if beta == 0:
        return l1_loss(input, target, size_average, reduce, reduction)
    return losses.smooth_l1(*of_one_shape(input, target), _reduction(reduction, size_average, reduce), beta)


def kl_div(input: Tensor, target: Tensor, size_average: None = None, reduce: None = None, reduction: str = "mean") -> Tensor:
    """target · (log target - input), of log-probabilities and probabilities; "batchmean": the sum over the first size."""
    loss = target * pointwise.log(pointwise.where(target > 0, target, 1.0)) - target * input
    return loss.sum() / input.shape[0] if reduction == "batchmean" else _reduced(loss, reduction, size_average, reduce)


@checked
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: None = None, reduce: None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The cross entropy of probabilities and targets between 0 and 1, of one shape. RuntimeError for inputs beyond 0 and 1."""
    if weight is None:
        return losses.binary_cross(input, target, _reduction(reduction, size_average, reduce))
    return _reduced(losses.binary_cross(input, target, neural.NONE) * weight, reduction, size_average, reduce)
