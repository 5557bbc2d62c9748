"""``minigrad.nn.functional``: activations, layers and losses as functions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import creation, errors, random
from ..core.rule import checked
from ..core.tensor import Tensor
from ..core.tensor import wrap as _wrap
from ..core.views import in_place
from ..ops import indexing, matrix, neural, pointwise, shape
from ..ops.reduction import log_softmax as _log_softmax
from ..ops.reduction import sum as _sum
from ..ops.shape import sizes_of
from ..signatures import guarded
from .composed import *  # noqa: F403
from .composed import _reduced, _reduction, of_one_shape

Pair = int | Sequence[int]

# -- activations ---------------------------------------------------------------------------------------------------------


def _guarded(call: Any) -> Any:
    return guarded(call, call.__name__)


_relu = _guarded(pointwise.relu)
_leaky_relu, _leaky_relu_ = _guarded(neural.leaky_relu), guarded(in_place(neural.leaky_relu), "leaky_relu_")


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0), element by element; with ``inplace`` written into the input.

    >>> import minigrad as mg
    >>> mg.nn.functional.relu(mg.tensor([-1., 2.]))
    tensor([0., 2.])
    """
    return input.relu_() if inplace else _relu(input)  # type: ignore[attr-defined]


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """The input where it is positive, negative_slope times the input elsewhere. For floating point tensors."""
    return (_leaky_relu_ if inplace else _leaky_relu)(input, negative_slope)


@_guarded
def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """log(1 + exp(beta · input)) / beta, a smooth relu; the input itself where beta · input is above the threshold."""
    return neural.softplus(input, beta, threshold)


sigmoid, tanh = map(_guarded, (pointwise.sigmoid, pointwise.tanh))


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(input), scaled so that it sums to 1 along a dimension.

    >>> import minigrad as mg
    >>> mg.nn.functional.softmax(mg.tensor([0., 0.]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return input.softmax(_implicit(input, dim, "softmax"), dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of softmax, without overflow."""
    return input.log_softmax(_implicit(input, dim, "log_softmax"), dtype=dtype)


def _implicit(input: Tensor, dim: int | None, name: str) -> int:
    if dim is not None:
        return dim
    warnings.warn(errors.IMPLICIT_DIM.format(name), UserWarning, stacklevel=3)
    return 0 if input.ndim in (0, 1, 3) else 1


@checked
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """While training: each element is set to 0 with probability p, and the others are divided by 1 - p."""
    if p == 0 or not training or not input.numel():
        return input
    kept = random.bernoulli_(_wrap(np.empty_like(input._array)), 1 - p)._array
    noise = _wrap(kept / kept.dtype.type(1 - p) if p < 1 else np.zeros((), kept.dtype))
    return (in_place(pointwise.mul) if inplace else pointwise.mul)(input, noise)


# -- layers --------------------------------------------------------------------------------------------------------------


@_guarded
@checked
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias: input (…, in), weight (out, in), bias (out,) give (…, out)."""
    columns = shape.t(weight)
    if bias is None:
        return matrix.matmul(input, columns)
    if input.ndim == 2:
        return matrix.addmm(bias, input, columns)
    if input.is_contiguous() and weight.ndim == 2:
        rows = matrix.addmm(bias, shape.reshape(input, (-1, input.shape[-1])), columns)
        return shape.view(rows, (*input.shape[:-1], weight.shape[0]))
    return matrix.matmul(input, columns).add_(bias)


@checked
def _pair(value: Any, name: str) -> tuple[int, int]:
    """Two numbers, for the two dimensions of an image."""
    values = tuple(value) if isinstance(value, Sequence) else (value,)
    return values if len(values) == 2 else values * 2


def _convolution(input, weight, bias, stride, padding, dilation, groups, transposed, output_padding, name) -> Tensor:
    pairs = _pair(stride, "stride"), _pair(padding, "padding"), _pair(dilation, "dilation")
    images = input if input.ndim == 4 else shape.unsqueeze(input, 0)
    _check_convolution(images, weight, bias, *pairs, groups, transposed, output_padding, name)
    result = neural.convolution(images, weight, bias, *pairs, transposed, output_padding, groups)
    return result if input.ndim == 4 else shape.squeeze(result, 0)


@checked
def _check_convolution(input, weight, bias, stride, padding, dilation, groups, transposed, output_padding, name):
    """Images, weights and numbers have to fit together."""


@_guarded
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Pair = 1, padding: Pair | str = 0, dilation: Pair = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The convolution of images (n, c, h, w), or of one image (c, h, w), with weights (out, c / groups, kernel, kernel).

    bias (out,) is added. stride, padding, dilation: one number or one for each dimension; padding may be "valid" (0) or
    "same" (as large as the input, for stride 1). RuntimeError when the shapes do not fit.
    """
    if isinstance(padding, str):
        input, padding = _named_padding(input, weight, padding, stride, dilation)
    return _convolution(input, weight, bias, stride, padding, dilation, groups, False, (0, 0), "conv2d")


@checked
def _named_padding(input: Tensor, weight: Tensor, padding: str, stride: Pair, dilation: Pair) -> tuple[Tensor, Pair]:
    if padding == "valid":
        return input, 0
    total = [d * (k - 1) for d, k in zip(_pair(dilation, "dilation"), weight.shape[-2:], strict=True)]
    if total[0] % 2 or total[1] % 2:
        input = pad(input, (0, total[1] % 2, 0, total[0] % 2))
    return input, (total[0] // 2, total[1] // 2)


@_guarded
def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Pair = 1, padding: Pair = 0, output_padding: Pair = 0,
    groups: int = 1, dilation: Pair = 1,
) -> Tensor:  # fmt: skip
    """The transpose of conv2d: images (n, c, h, w) and weights (c, out / groups, kernel, kernel) give larger images.

    output_padding: how much larger than the smallest size that conv2d would bring back to (h, w).
    """
    extra = _pair(output_padding, "output_padding")
    return _convolution(input, weight, bias, stride, padding, dilation, groups, True, extra, "conv_transpose2d")


def _pool_arguments(input: Tensor, kernel_size: Pair, stride: Any, padding: Pair, dilation: Pair, ceil_mode: bool) -> tuple:
    """The numbers of a pooling as pairs, checked against the size of the images."""
    given = {"kernel_size": kernel_size, "stride": stride or kernel_size, "padding": padding, "dilation": dilation}
    kernel, step, border, spread = (_pair(value, name) for name, value in given.items())
    _check_pool(input, kernel, step, border, spread)
    _check_pooled(input, neural.pooled_sizes(input.shape[-2:], kernel, step, border, spread, ceil_mode))
    return kernel, step, border, spread


@checked
def _check_pool(input, kernel, stride, padding, dilation) -> None:
    """Images and windows have to fit together."""


@checked
def _check_pooled(input, out) -> None:
    """Something must be left of the images."""


def max_pool2d(
    input: Tensor, kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0, dilation: Pair = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window of images (n, c, h, w) or (c, h, w). The stride is the kernel's size unless given.

    ceil_mode: also windows that reach beyond the border. return_indices: also where in its image each element stood.
    """
    pairs = _pool_arguments(input, kernel_size, stride, padding, dilation, ceil_mode)
    values, indices = neural.max_pool2d(input, *pairs, ceil_mode)
    return (values, indices) if return_indices else values


@_guarded
@checked
def avg_pool2d(
    input: Tensor, kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window of images (n, c, h, w) or (c, h, w). The stride is the kernel's size unless given.

    The border counts as zeros: ceil_mode, count_include_pad=False and divisor_override are refused.
    """
    refused = {"ceil_mode": ceil_mode, "count_include_pad": not count_include_pad, "divisor_override": divisor_override}
    errors.refuse("avg_pool2d", **refused, **{f"dtype={input.dtype}": not (input.is_floating_point() or input.is_complex())})
    kernel, step, border, spread = _pool_arguments(input, kernel_size, stride, padding, 1, False)
    images = shape.reshape(input, (-1, 1, *input.shape[-2:]))  # each channel for itself
    means = creation.full((1, 1, *kernel), 1 / math.prod(kernel), dtype=input.dtype)
    pooled = neural.convolution(images, means, None, step, border, spread, False, (0, 0), 1)
    return shape.reshape(pooled, (*input.shape[:-2], *pooled.shape[-2:]))


@_guarded
@checked
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """A border of one number (0 unless given) around the last dimensions: (before, behind) of the last one comes first.

    A negative width cuts off. Only the mode "constant" exists here.
    """
    return neural.constant_pad_nd(input, sizes_of((pad,)), 0 if value is None else value)


# -- losses --------------------------------------------------------------------------------------------------------------


def mse_loss(
    input: Tensor, target: Tensor, size_average: None = None, reduce: None = None, reduction: str = "mean", weight: None = None
) -> Tensor:
    """The squares of input - target: their mean, "sum", or "none" for all of them. Warns when the shapes differ.

    >>> import minigrad as mg
    >>> mg.nn.functional.mse_loss(mg.tensor([1., 2.]), mg.tensor([1., 4.]))
    tensor(2.)
    """
    errors.refuse("mse_loss", weight=weight)
    return neural.mse_loss(*of_one_shape(input, target), _reduction(reduction, size_average, reduce))


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: None = None, ignore_index: int = -100,
    reduce: None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the log-probability of each target's class: input (n, classes, …) of log-probabilities, target (n, …) of classes.

    weight: one number for each class. ignore_index: targets that do not count. The mean is the weighted one. IndexError for
    a class that is not there.
    """
    return _nll_loss_nd(input, target, weight, _reduction(reduction, size_average, reduce), ignore_index)


@checked
def _nll_loss_nd(input, target, weight, how, ignore_index):
    if input.ndim == 1 and target.numel() == 1:
        target = shape.reshape(target, ())
    return neural.nll_loss(input, target, weight, how, ignore_index)[0]


_nll_loss_nd = guarded(_nll_loss_nd, "nll_loss_nd")


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: None = None, ignore_index: int = -100,
    reduce: None = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """The cross entropy of logits, input (n, classes, …) or (classes,), and targets: classes, or probabilities of classes.

    weight: one number for each class. ignore_index: targets that do not count. label_smoothing: how much of the target is
    spread evenly over all classes.

    >>> import minigrad as mg
    >>> mg.nn.functional.cross_entropy(mg.tensor([[0., 0.]]), mg.tensor([1]))
    tensor(0.6931)
    """
    how = _reduction(reduction, size_average, reduce)
    return _cross_entropy_loss(input, target, weight, how, ignore_index, label_smoothing)


@checked
def _cross_entropy_loss(input, target, weight, how, ignore_index, label_smoothing):
    dim = 0 if input.ndim == 1 else 1
    if input.size() == target.size():
        return _soft_cross_entropy(input, target, weight, how, label_smoothing, dim)
    logs = _log_softmax(input, dim)
    loss = _nll_loss_nd(logs, target, weight, how, ignore_index)
    if not label_smoothing:
        return loss
    ignored = pointwise.eq(target, ignore_index)
    weights = creation.ones(input.shape[dim], dtype=input.dtype) if weight is None else weight
    spread = indexing.masked_fill(-_sum(logs * _per_class(weights, logs, dim), dim), ignored, 0.0)
    if how != neural.NONE:
        spread = spread.sum()  # type: ignore[attr-defined]
    if how == neural.MEAN:
        spread = spread / weights[target[~ignored]].sum()
    return loss * (1 - label_smoothing) + spread * (label_smoothing / input.shape[dim])  # type: ignore[operator]


_cross_entropy_loss = guarded(_cross_entropy_loss, "cross_entropy_loss")


def _per_class(weight: Tensor, logs: Tensor, dim: int) -> Tensor:
    """Weights in the shape in which they broadcast over the class dimension."""
    return shape.view(weight, tuple(-1 if d == dim else 1 for d in range(logs.ndim)))


def _soft_cross_entropy(input, target, weight, how, label_smoothing, dim):
    classes = input.shape[dim]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes  # type: ignore[operator]
    terms = _log_softmax(input, dim) * target
    if weight is not None:
        terms = terms * _per_class(weight, input, dim)
    if how == neural.NONE:
        return -_sum(terms, dim)
    total = -_sum(terms)
    return total / (input.numel() / classes) if how == neural.MEAN else total  # type: ignore[operator]


@checked
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: None = None, reduce: None = None,
    reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The cross entropy of probabilities given as logits, and targets between 0 and 1, of one shape. Without overflow.

    weight: a factor for each loss. pos_weight: a factor for the part of the loss that belongs to the target 1.
    """
    if weight is None and pos_weight is None:
        return neural.bce_with_logits(input, target, _reduction(reduction, size_average, reduce))
    factor = 1 if pos_weight is None else 1 + (pos_weight - 1) * target  # type: ignore[operator]
    loss = (1 - target) * input - factor * logsigmoid(input)  # type: ignore[operator]  # noqa: F405
    return _reduced(loss if weight is None else loss * weight, reduction, size_average, reduce)
