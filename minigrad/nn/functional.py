"""``minigrad.nn.functional``: activations, layers and losses as functions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import creation, errors, random
from ..ops import indexing, matrix, neural, pointwise, shape
from ..ops.reduction import log_softmax as _log_softmax
from ..ops.reduction import sum as _sum
from ..ops.shape import sizes_of
from ..signatures import guarded
from ..tensor import Tensor, _wrap, in_place

Pair = int | Sequence[int]

# -- activations ---------------------------------------------------------------------------------------------------------


def _guarded(call: Any) -> Any:
    return guarded(call, call.__name__)


_relu, _sigmoid, _tanh = map(_guarded, (pointwise.relu, pointwise.sigmoid, pointwise.tanh))
_leaky_relu, _threshold = map(_guarded, (neural.leaky_relu, neural.threshold))
_leaky_relu_, _threshold_ = (guarded(in_place(call), f"{call.__name__}_") for call in (neural.leaky_relu, neural.threshold))


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


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """The input where it is above the threshold, ``value`` elsewhere."""
    return (_threshold_ if inplace else _threshold)(input, threshold, value)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)), element by element."""
    return _sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent, element by element."""
    return _tanh(input)


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


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """While training: each element is set to 0 with probability p, and the others are divided by 1 - p."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return (_dropout_ if inplace else _dropout)(input, p, training)


def _dropout(input, p, train):
    noise = _noise(input, p, train)
    return input if noise is None else pointwise.mul(input, noise)


def _dropout_(input, p, train):
    noise = _noise(input, p, train)
    return input if noise is None else input.mul_(noise)


def _noise(input, p, train):
    """What dropout multiplies by; None where it changes nothing."""
    if p == 0 or not train or not input.numel():
        return None
    if p == 1:
        return creation.zeros((), dtype=input.dtype)
    if input._array.dtype.kind not in "fc":
        raise RuntimeError(errors.RESULT_CAST.format("Float", input.dtype.scalar_type))
    kept = random.bernoulli_(_wrap(np.empty_like(input._array)), 1 - p)._array
    return _wrap(kept / kept.dtype.type(1 - p))


_dropout, _dropout_ = guarded(_dropout, "dropout"), guarded(_dropout_, "dropout_")


# -- layers --------------------------------------------------------------------------------------------------------------


@_guarded
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias: input (…, in), weight (out, in), bias (out,) give (…, out)."""
    if not input.ndim or not weight.ndim:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {input.ndim}D and {weight.ndim}D")
    columns = shape.t(weight)
    if bias is None:
        return matrix.matmul(input, columns)
    if input.ndim == 2:
        return matrix.addmm(bias, input, columns)
    if input.is_contiguous() and weight.ndim == 2:
        rows = matrix.addmm(bias, shape.reshape(input, (-1, input.shape[-1])), columns)
        return shape.view(rows, (*input.shape[:-1], weight.shape[0]))
    return matrix.matmul(input, columns).add_(bias)


def _pair(value: Any, name: str) -> tuple[int, int]:
    """Two numbers, for the two dimensions of an image."""
    values = tuple(value) if isinstance(value, Sequence) else (value,)
    if len(values) not in (1, 2):
        raise RuntimeError(errors.CONV_PAIR.format(name, name, list(values)))
    return values if len(values) == 2 else values * 2


def _check_convolution(weight: Any, bias: Any, *numbers: Any) -> None:
    """TypeError for arguments of the wrong type."""
    tensors = isinstance(weight, Tensor) and isinstance(bias, Tensor | None)
    if not (tensors and all(isinstance(n, int) for value in numbers for n in (value if isinstance(value, Sequence) else (value,)))):
        raise TypeError(numbers)


def _convolution(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int,
    transposed: bool, output_padding: Any, name: str,
) -> Tensor:  # fmt: skip
    stride, padding, dilation = _pair(stride, "stride"), _pair(padding, "padding"), _pair(dilation, "dilation")
    if input.ndim not in (3, 4):
        raise RuntimeError(
            f"Expected 3D (unbatched) or 4D (batched) input to {name}, but got input of size: {list(input.shape)}"
        )
    images = input if input.ndim == 4 else shape.unsqueeze(input, 0)
    _check_sizes(images, weight, bias, stride, padding, dilation, groups, transposed, output_padding)
    result = neural.convolution(images, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    return result if input.ndim == 4 else shape.squeeze(result, 0)


def _check_sizes(input, weight, bias, stride, padding, dilation, groups, transposed, output_padding) -> None:
    """Raise what torch raises when images, weights and numbers do not fit together."""
    sizes, weights = list(input.shape), list(weight.shape)
    if len(weights) != 4:
        raise RuntimeError("weight should have at least three dimensions")
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(dilation)}")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if weights[0] % groups or weights[0] < groups:
        raise RuntimeError(errors.CONV_GROUPS.format(groups, groups, weights))
    channels = weights[0] if transposed else weights[1] * groups
    if sizes[1] != channels:
        start = "transposed=1" if transposed else f"groups={groups}"
        raise RuntimeError(errors.CONV_CHANNELS.format(start, weights, sizes, channels, sizes[1]))
    out = weights[1] * groups if transposed else weights[0]
    if bias is not None and list(bias.shape) != [out]:
        start = "transposed=1, weight" if transposed else "weight"
        raise RuntimeError(errors.CONV_BIAS.format(start, weights, out, list(bias.shape)))
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, weights[2:], strict=True)]
    if transposed:
        if any(o >= s and o >= d for o, s, d in zip(output_padding, stride, dilation, strict=True)):
            raise RuntimeError(errors.CONV_OUTPUT_PADDING.format(*output_padding, *stride, *dilation))
        found = neural.geometry_of(sizes, weights, stride, padding, dilation, True, output_padding, groups)[0]
        if min(found) < 1:
            raise RuntimeError(errors.CONV_SMALL.format(*sizes[2:], *found))
    elif any(n + 2 * p < r for n, p, r in zip(sizes[2:], padding, reach, strict=True)):
        inner = [n + 2 * p for n, p in zip(sizes[2:], padding, strict=True)]
        raise RuntimeError(errors.CONV_KERNEL.format(*inner, *reach))


@_guarded
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Pair = 1, padding: Pair | str = 0, dilation: Pair = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The convolution of images (n, c, h, w), or of one image (c, h, w), with weights (out, c / groups, kernel, kernel).

    bias (out,) is added. stride, padding, dilation: one number or one for each dimension; padding may be "valid" (0) or
    "same" (as large as the input, for stride 1). RuntimeError when the shapes do not fit.
    """
    _check_convolution(weight, bias, stride, 0 if isinstance(padding, str) else padding, dilation, groups)
    if isinstance(padding, str):
        input, padding = _named_padding(input, weight, padding, stride, dilation)
    return _convolution(input, weight, bias, stride, padding, dilation, groups, False, (0, 0), "conv2d")


def _named_padding(input: Tensor, weight: Tensor, padding: str, stride: Pair, dilation: Pair) -> tuple[Tensor, Pair]:
    if padding == "valid":
        return input, 0
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if _pair(stride, "stride") != (1, 1):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
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
    _check_convolution(weight, bias, stride, padding, output_padding, dilation, groups)
    extra = _pair(output_padding, "output_padding")
    return _convolution(input, weight, bias, stride, padding, dilation, groups, True, extra, "conv_transpose2d")


def _pool_arguments(
    input: Tensor, kernel_size: Pair, stride: Any, padding: Pair, dilation: Pair, ceil_mode: bool, name: str
):
    """The numbers of a pooling as pairs, checked against the size of the images."""
    pairs = []
    for argument, value in (("kernel_size", kernel_size), ("stride", kernel_size if stride is None else stride),
                            ("padding", padding), ("dilation", dilation)):  # fmt: skip
        if isinstance(value, Sequence) and len(value) not in (1, 2):
            raise RuntimeError(f"{name}: {argument} must either be a single int, or a tuple of two ints")
        pairs.append(_pair(value, argument))
    kernel, step, border, spread = pairs
    if input.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    if 0 in step:
        raise RuntimeError("stride should not be zero")
    for k, p, d in zip(kernel, border, spread, strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(errors.POOL_PAD.format(p, k, d))
    c, h, w = input.shape[-3:]
    out = neural.pooled_sizes((h, w), kernel, step, border, spread, ceil_mode)
    if min(out) < 1:
        raise RuntimeError(errors.POOL_SMALL.format(c, h, w, c, *(max(n, 0) for n in out)))
    return kernel, step, border, spread


def max_pool2d(
    input: Tensor, kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0, dilation: Pair = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest element of each window of images (n, c, h, w) or (c, h, w). The stride is the kernel's size unless given.

    ceil_mode: also windows that reach beyond the border. return_indices: also where in its image each element stood.
    """
    values, indices = _max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)
    return (values, indices) if return_indices else values


def _max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode):
    pairs = _pool_arguments(input, kernel_size, stride, padding, dilation, ceil_mode, "max_pool2d")
    return neural.max_pool2d(input, *pairs, ceil_mode)


_max_pool2d = guarded(_max_pool2d, "max_pool2d")


@_guarded
def avg_pool2d(
    input: Tensor, kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window of images (n, c, h, w) or (c, h, w). The stride is the kernel's size unless given.

    count_include_pad: whether the border counts as elements. divisor_override: divide by this number instead.
    """
    kernel, step, border, _ = _pool_arguments(input, kernel_size, stride, padding, 1, ceil_mode, "avg_pool2d")
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    return neural.avg_pool2d(input, kernel, step, border, ceil_mode, count_include_pad, divisor_override)


@_guarded
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """A border of one number (0 unless given) around the last dimensions: (before, behind) of the last one comes first.

    A negative width cuts off. Only the mode "constant" exists here.
    """
    pad = sizes_of((pad, ) if isinstance(pad, Sequence) else pad)
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if mode != "constant":
        raise errors.lacks(f"pad with mode={mode!r}")
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(errors.PAD_LENGTH.format(len(pad), input.ndim))
    return neural.constant_pad_nd(input, tuple(pad), 0 if value is None else value)


# -- losses --------------------------------------------------------------------------------------------------------------

_REDUCTIONS = {"none": neural.NONE, "mean": neural.MEAN, "sum": neural.SUM}


def _reduction(name: str) -> int:
    if name not in _REDUCTIONS:
        raise ValueError(f"{name} is not a valid value for reduction")
    return _REDUCTIONS[name]


def mse_loss(
    input: Tensor, target: Tensor, size_average: None = None, reduce: None = None, reduction: str = "mean", weight: None = None
) -> Tensor:
    """The squares of input - target: their mean, "sum", or "none" for all of them. Warns when the shapes differ.

    >>> import minigrad as mg
    >>> mg.nn.functional.mse_loss(mg.tensor([1., 2.]), mg.tensor([1., 4.]))
    tensor(2.)
    """
    errors.refuse("mse_loss", size_average=size_average, reduce=reduce, weight=weight)
    if target.size() != input.size():
        warnings.warn(errors.MSE_SIZE.format(target.size(), input.size()), UserWarning, stacklevel=2)
    how = _reduction(reduction)
    sizes = shape.broadcast_shapes(input.shape, target.shape)
    input, target = (x if tuple(x.shape) == sizes else shape.expand(x, sizes) for x in (input, target))
    return neural.mse_loss(input, target, how)


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: None = None, ignore_index: int = -100,
    reduce: None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the log-probability of each target's class: input (n, classes, …) of log-probabilities, target (n, …) of classes.

    weight: one number for each class. ignore_index: targets that do not count. The mean is the weighted one. IndexError for
    a class that is not there.
    """
    errors.refuse("nll_loss", size_average=size_average, reduce=reduce)
    return _nll_loss_nd(input, target, weight, _reduction(reduction), ignore_index)


def _nll_loss_nd(input, target, weight, how, ignore_index):
    if not input.ndim:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    count = target.shape[0] if target.ndim else 0
    if input.ndim > 1 and input.shape[0] != count:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({count}).")
    if target._array.dtype not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.scalar_type}")
    if input.ndim == 1 and target.ndim == 1 and count != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {count}")
    classes = input.shape[0 if input.ndim == 1 else 1]
    if weight is not None and list(weight.shape) != [classes]:
        raise RuntimeError(errors.NLL_WEIGHT.format(classes, list(weight.shape)))
    if weight is not None:
        matrix.same_dtype(input._array, weight._array)
    if input.ndim <= 2:
        if input.ndim == 1 and target.numel() == 1:
            target = shape.reshape(target, ())
        if target.ndim != input.ndim - 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        return neural.nll_loss(input, target, weight, how, ignore_index)[0]
    if tuple(target.shape) != (input.shape[0], *input.shape[2:]):
        raise RuntimeError(f"size mismatch (got input: {list(input.shape)} , target: {list(target.shape)}")
    if input.ndim == 4:
        return neural.nll_loss2d(input, target, weight, how, ignore_index)[0]
    rows = (*input.shape[:2], 1, -1)  # as PyTorch, which has a kernel for images only
    loss = neural.nll_loss2d(
        shape.reshape(input, rows), shape.reshape(target, (target.shape[0], 1, -1)), weight, how, ignore_index
    )[0]
    return loss if how != neural.NONE else shape.view(loss, target.shape)


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
    errors.refuse("cross_entropy", size_average=size_average, reduce=reduce)
    return _cross_entropy_loss(input, target, weight, _reduction(reduction), ignore_index, label_smoothing)


def _cross_entropy_loss(input, target, weight, how, ignore_index, label_smoothing):
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    dim = 0 if input.ndim == 1 else 1
    if input.size() == target.size():
        if not target.is_floating_point():
            kind = target.dtype.scalar_type
            raise RuntimeError(f"Expected floating point type for target with class probabilities, got {kind}")
        return _soft_cross_entropy(input, target, weight, how, label_smoothing, dim)
    logs = _log_softmax(input, dim)
    loss = _nll_loss_nd(logs, target, weight, how, ignore_index)
    if not label_smoothing:
        return loss
    ignored = pointwise.eq(target, ignore_index)
    spread = -_sum(logs if weight is None else logs * _per_class(weight, logs, dim), dim)
    spread = indexing.masked_fill(spread, ignored, 0.0)
    if how != neural.NONE:
        spread = spread.sum()  # type: ignore[attr-defined]
    if how == neural.MEAN:
        known = pointwise.logical_not(ignored)
        if weight is None:
            spread = spread / known.sum()  # type: ignore[attr-defined]
        else:
            safe = indexing.masked_fill(target, ignored, 0)
            spread = spread / (weight[safe] * known).sum()  # type: ignore[index]
    spread = neural.times(spread, label_smoothing / input.shape[dim])
    return neural.times(loss, 1 - label_smoothing) + spread


_cross_entropy_loss = guarded(_cross_entropy_loss, "cross_entropy_loss")


def _per_class(weight: Tensor, logs: Tensor, dim: int) -> Tensor:
    """Weights in the shape in which they broadcast over the class dimension."""
    return shape.view(weight, tuple(-1 if d == dim else 1 for d in range(logs.ndim)))


def _soft_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, how: int, label_smoothing: float, dim: int
) -> Tensor:
    classes = input.shape[dim]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes  # type: ignore[operator]
    terms = _log_softmax(input, dim) * target
    if weight is not None:
        terms = terms * _per_class(weight, input, dim)
    if how == neural.NONE:
        return -_sum(terms, dim)
    total = -_sum(terms)
    return neural.over(total, input.numel() / classes) if how == neural.MEAN else total


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: None = None, reduce: None = None,
    reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The cross entropy of probabilities given as logits, and targets between 0 and 1, of one shape. Without overflow.

    weight: a factor for each loss. pos_weight: a factor for the part of the loss that belongs to the target 1.
    """
    errors.refuse("binary_cross_entropy_with_logits", size_average=size_average, reduce=reduce)
    how = _reduction(reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    for name, factor in (("weight", weight), ("pos_weight", pos_weight)):
        if factor is not None and factor.requires_grad:
            raise RuntimeError(errors.BCE_WEIGHT.format(name))
    return neural.bce_with_logits(input, target, weight, pos_weight, how)


from .composed import (  # noqa: E402, F401  (its parts need nothing from here)
    batch_norm,
    binary_cross_entropy,
    cosine_similarity,
    elu,
    embedding,
    gelu,
    hardtanh,
    huber_loss,
    kl_div,
    l1_loss,
    layer_norm,
    logsigmoid,
    mish,
    normalize,
    one_hot,
    relu6,
    scaled_dot_product_attention,
    selu,
    silu,
    smooth_l1_loss,
    softmin,
    softsign,
)


def __getattr__(name: str) -> Any:
    raise errors.missing(__name__, name)
