"""Operations of neural networks: activations, losses, convolution and pooling.

Convolution is one trilinear form T(x, w, y) = ⟨conv(x, w), y⟩, and all its derivatives are derivatives of that form: the
convolution itself is ∂T/∂y, the transposed convolution ∂T/∂x, and ``convolution_weight`` ∂T/∂w. So the rules of each are the
other two, and they can be differentiated as often as one likes. On arrays all three are windows and one product of matrices
(Chellapilla, Puri, Simard, *High performance convolutional neural networks for document processing*, 2006).
"""

from __future__ import annotations

import math

import numpy as np

from ..core.record import op
from .indexing import scatter_add_zeros
from .pointwise import sigmoid, where
from .reduction import sum_dim
from .shape import reshape

Pair = tuple[int, int]

# -- activations ---------------------------------------------------------------------------------------------------------


@op("elementwise", self=lambda g, self, negative_slope: where(self > 0, g, g * negative_slope))
def leaky_relu(self, negative_slope):
    """self where it is positive, negative_slope · self elsewhere."""
    return np.where(self > 0, self, self * negative_slope)


@op("elementwise", self=lambda g, self, beta, threshold: where(self * beta > threshold, g, g * sigmoid(self * beta)))
def softplus(self, beta, threshold):
    """log(1 + exp(beta · self)) / beta; self where beta · self is above the threshold."""
    return np.where(self * beta > threshold, self, np.log1p(np.exp(self * beta)) / beta)


# -- losses --------------------------------------------------------------------------------------------------------------


NONE, MEAN, SUM = range(3)  # reductions, as PyTorch numbers them


def _reduced(losses, reduction):
    if reduction == NONE:
        return losses
    total = np.add.reduce(losses, None)
    return total if reduction == SUM else total / losses.dtype.type(losses.size)


def _share(reduction, shape) -> float:
    """How much of the cotangent of the loss each of its terms gets."""
    return 1.0 if reduction != MEAN else 1 / max(math.prod(shape), 1)


@op(
    self=lambda g, self, target, reduction: (self - target) * g * (2 * _share(reduction, self.shape)),
    target=lambda g, self, target, reduction: (target - self) * g * (2 * _share(reduction, self.shape)),
)
def mse_loss(self, target, reduction):
    """The squares of the differences, or their mean or sum."""
    difference = self - target
    return _reduced(difference * difference, reduction)


@op(
    self=lambda g, self, target, reduction: g * (sigmoid(self) - target) * _share(reduction, self.shape),
    target=lambda g, self, reduction: -self * g * _share(reduction, self.shape),
    name="BinaryCrossEntropyWithLogits0",
)
def bce_with_logits(self, target, reduction):
    """The cross entropy of probabilities given as logits: -(t log p + (1-t) log(1-p)), without overflow."""
    losses = (1 - target) * self + np.log1p(np.exp(-np.abs(self))) + np.maximum(-self, 0)
    return _reduced(losses.astype(target.dtype, copy=False), reduction)


def _class_weights(self, target, weight, ignore_index):
    """Along which dimension the classes are, which class each loss takes, and what weight it has."""
    dim = 0 if self.ndim == 1 else 1
    counts = target != ignore_index
    chosen = np.where(counts, target, 0)
    weights = counts.astype(self.dtype) if weight is None else np.where(counts, weight[chosen], 0).astype(self.dtype)
    return dim, np.expand_dims(chosen, dim), weights


@op(
    self=lambda g, self_sym_sizes, target, weight, reduction, ignore_index, total_weight: nll_backward(
        g, self_sym_sizes, target, weight, reduction, ignore_index, total_weight
    ),
    constants=("target", "weight"),
    outputs=("output", "total_weight"),
    always_saved=("self",),
    flat=1,
)
def nll_loss(self, target, weight, reduction, ignore_index):
    """Minus the log-probability of the target's class, weighted, and the total of the weights."""
    dim, chosen, weights = _class_weights(self, target, weight, ignore_index)
    losses = -np.take_along_axis(self, chosen, dim).squeeze(dim) * weights
    if reduction == NONE:
        return losses, np.zeros((), self.dtype)
    loss, total = np.add.reduce(losses, None), np.add.reduce(weights, None)
    return (loss / total if reduction == MEAN else loss), total


@op(
    "linear",
    grad=lambda g, target, weight, reduction, ignore_index: nll_loss(g, target, weight, reduction, ignore_index)[0],
    constants=("target", "weight", "total_weight"),
)
def nll_backward(grad, input_sizes, target, weight, reduction, ignore_index, total_weight):
    """Zeros with the cotangent of each loss at the class that it took."""
    result = np.zeros(input_sizes, grad.dtype)
    dim, chosen, weights = _class_weights(result, target, weight, ignore_index)
    share = -weights * grad
    np.put_along_axis(result, chosen, np.expand_dims(share / total_weight if reduction == MEAN else share, dim), dim)
    return result


# -- convolution ---------------------------------------------------------------------------------------------------------

# How a convolution lies: (sizes of x, sizes of y, kernel, stride, padding, dilation, groups), each but the last a pair.
Geometry = tuple[Pair, Pair, Pair, Pair, Pair, Pair, int]


def windows(x: np.ndarray, out: Pair, kernel: Pair, stride: Pair, dilation: Pair) -> np.ndarray:
    """The elements of x (…, H, W) under the kernel at each of its places: (…, out, out, kernel, kernel), without a copy."""
    x = np.ascontiguousarray(x)
    *lead, down, right = x.strides
    strides = (*lead, down * stride[0], right * stride[1], down * dilation[0], right * dilation[1])
    return np.ndarray((*x.shape[:-2], *out, *kernel), x.dtype, x, 0, strides)


def overlap(parts: np.ndarray, sizes: Pair, stride: Pair, dilation: Pair) -> np.ndarray:
    """The transpose of ``windows``: each element of (…, out, out, kernel, kernel) added where it was taken from."""
    *lead, h, w, rows, columns = parts.shape
    x = np.zeros((*lead, *sizes), parts.dtype)
    for i in range(rows):
        for j in range(columns):
            top, left = i * dilation[0], j * dilation[1]
            at = slice(top, top + h * stride[0], stride[0]), slice(left, left + w * stride[1], stride[1])
            x[(..., *at)] += parts[..., i, j]
    return x


def padded(x: np.ndarray, before: Pair, after: Pair, value: float = 0) -> np.ndarray:
    """x with a border around its last two dimensions."""
    if before == after == (0, 0):
        return x
    h, w = x.shape[-2:]
    result = np.full((*x.shape[:-2], before[0] + h + after[0], before[1] + w + after[1]), value, x.dtype)
    result[..., before[0] : before[0] + h, before[1] : before[1] + w] = x
    return result


def _columns(x, geometry):
    """x as (batch, groups, channels of a group and kernel, places): every window a column."""
    _, out, kernel, stride, padding, dilation, groups = geometry
    view = windows(padded(x, padding, padding), out, kernel, stride, dilation)  # (n, c, out, out, kernel, kernel)
    n, c = x.shape[:2]
    return view.transpose(0, 1, 4, 5, 2, 3).reshape(n, groups, c // groups * math.prod(kernel), math.prod(out))


def _grouped(w, groups):
    """The weights (out, in / groups, kernel, kernel) as one matrix for each group."""
    return w.reshape(groups, w.shape[0] // groups, -1)


@op(
    "multilinear",
    x=lambda g, w, geometry: convolve_input(g, w, geometry),
    w=lambda g, x, geometry: convolve_weight(x, g, geometry),
)
def convolve(x, w, geometry):
    """∂T/∂y: the convolution of x (n, c, h, w) with weights (o, c / groups, kernel, kernel)."""
    product = np.matmul(_grouped(w, geometry[-1]), _columns(x, geometry))
    return product.reshape(x.shape[0], w.shape[0], *geometry[1])


@op(
    "multilinear",
    y=lambda g, w, geometry: convolve(g, w, geometry),
    w=lambda g, y, geometry: convolve_weight(g, y, geometry),
)
def convolve_input(y, w, geometry):
    """∂T/∂x: the transposed convolution of y (n, o, h, w)."""
    sizes, out, kernel, stride, padding, dilation, groups = geometry
    n, c = y.shape[0], w.shape[1] * groups
    columns = np.matmul(_grouped(w, groups).transpose(0, 2, 1), y.reshape(n, groups, -1, math.prod(out)))
    parts = columns.reshape(n, c, *kernel, *out).transpose(0, 1, 4, 5, 2, 3)
    (h, w_), (top, left) = sizes, padding
    x = overlap(parts, (h + 2 * top, w_ + 2 * left), stride, dilation)
    return x[..., top : top + h, left : left + w_]


@op(
    "multilinear",
    x=lambda g, y, geometry: convolve_input(y, g, geometry),
    y=lambda g, x, geometry: convolve(x, g, geometry),
)
def convolve_weight(x, y, geometry):
    """∂T/∂w: how the weights meet x (n, c, h, w) and y (n, o, h, w)."""
    kernel, groups = geometry[2], geometry[-1]
    rows = y.reshape(y.shape[0], groups, -1, math.prod(geometry[1]))
    product = np.add.reduce(np.matmul(rows, _columns(x, geometry).swapaxes(-1, -2)), 0)
    return product.reshape(y.shape[1], x.shape[1] // groups, *kernel)


def geometry_of(input_sizes, weight_sizes, stride, padding, dilation, transposed, output_padding, groups) -> Geometry:
    """How an input and weights of these shapes lie. x is the larger side, so the input of a transposed convolution is y."""
    kernel, sizes = tuple(weight_sizes[2:]), tuple(input_sizes[2:])
    reach = tuple(d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True))
    if transposed:
        pairs = zip(sizes, stride, padding, reach, output_padding, strict=True)
        out = tuple((n - 1) * s - 2 * p + r + o for n, s, p, r, o in pairs)
        return out, sizes, kernel, stride, padding, dilation, groups  # type: ignore[return-value]
    out = tuple((n + 2 * p - r) // s + 1 for n, p, r, s in zip(sizes, padding, reach, stride, strict=True))
    return sizes, out, kernel, stride, padding, dilation, groups  # type: ignore[return-value]


def _input_slope(g, input, weight, stride, padding, dilation, transposed, output_padding, groups):
    geometry = geometry_of(input.shape, weight.shape, stride, padding, dilation, transposed, output_padding, groups)
    return (convolve if transposed else convolve_input)(g, weight, geometry)


def _weight_slope(g, input, weight, stride, padding, dilation, transposed, output_padding, groups):
    geometry = geometry_of(input.shape, weight.shape, stride, padding, dilation, transposed, output_padding, groups)
    return convolve_weight(g, input, geometry) if transposed else convolve_weight(input, g, geometry)


@op(
    input=_input_slope,
    weight=_weight_slope,
    bias=lambda g: sum_dim(g, (0, 2, 3), False),
    always_saved=("input", "weight"),
)
def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """The convolution of images (n, c, h, w), or the transposed one, plus a number for each channel of the result."""
    geometry = geometry_of(input.shape, weight.shape, stride, padding, dilation, transposed, output_padding, groups)
    result = (convolve_input if transposed else convolve)(input, weight, geometry)
    if bias is not None:
        result += bias.reshape(-1, 1, 1)
    return result


# -- pooling -------------------------------------------------------------------------------------------------------------


def pooled_sizes(sizes, kernel, stride, padding, dilation, ceil_mode) -> Pair:
    """How many places a window has; with ceil_mode also those that reach beyond the border."""
    result = []
    for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        places = (-(-room // s) if ceil_mode else room // s) + 1
        result.append(places - (ceil_mode and (places - 1) * s >= n + p))
    return tuple(result)  # type: ignore[return-value]


def _border(sizes, out, kernel, stride, padding, dilation) -> Pair:
    """How much must be added behind, so that the last window has all its elements."""
    return tuple(  # type: ignore[return-value]
        max((o - 1) * s + d * (k - 1) + 1 - n - p, 0)
        for n, o, k, s, p, d in zip(sizes, out, kernel, stride, padding, dilation, strict=True)
    )


def _put_back(g, sizes, places):
    flat = (*sizes[:-2], sizes[-2] * sizes[-1])
    lead = (*g.shape[:-2], -1)
    return reshape(scatter_add_zeros(reshape(g, lead), flat, len(sizes) - 2, reshape(places, lead)), sizes)


@op(
    self=lambda g, self_sym_sizes, result1: _put_back(g, self_sym_sizes, result1),
    always_saved=("self",),
    outputs=("result0", "result1"),
    name="MaxPool2DWithIndices0",
)
def max_pool2d(self, kernel_size, stride, padding, dilation, ceil_mode):
    """The largest element in each window, and where it stands in its image."""
    h, w = self.shape[-2:]
    out = pooled_sizes((h, w), kernel_size, stride, padding, dilation, ceil_mode)
    lowest = -np.inf if self.dtype.kind == "f" else np.iinfo(self.dtype).min
    behind = _border((h, w), out, kernel_size, stride, padding, dilation)
    view = windows(padded(self, padding, behind, lowest), out, kernel_size, stride, dilation)
    view = view.reshape(*view.shape[:-2], -1)
    best = np.argmax(view, -1)
    i, j = np.divmod(best, kernel_size[1])
    rows = np.arange(out[0])[:, None] * stride[0] - padding[0] + i * dilation[0]
    columns = np.arange(out[1]) * stride[1] - padding[1] + j * dilation[1]
    return np.take_along_axis(view, best[..., None], -1)[..., 0], rows * w + columns


# -- borders -------------------------------------------------------------------------------------------------------------


@op(self=lambda g, pad: constant_pad_nd(g, tuple(-n for n in pad), 0))
def constant_pad_nd(self, pad, value):
    """self with a border of one number: ``pad`` gives its width before and behind the last dimension, and so on inwards."""
    widths = [(0, 0)] * (self.ndim - len(pad) // 2) + list(zip(pad[-2::-2], pad[::-2], strict=True))
    kept = self[tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(self.shape, widths, strict=True))]
    result = np.full(tuple(n + a + b for n, (a, b) in zip(self.shape, widths, strict=True)), value, self.dtype)
    result[tuple(slice(max(a, 0), n - max(b, 0)) for n, (a, b) in zip(result.shape, widths, strict=True))] = kept
    return result
