"""Operations that reduce dimensions, and running sums.

Their rules stretch the cotangent back over the reduced dimensions. ``dim`` is normal here (a tuple of numbers from 0 on,
or one number): the public functions at the end of each group see to that.
"""

from __future__ import annotations

import builtins
import math

import numpy as np

from .. import errors
from ..tensor import dimension, op
from .pointwise import _is_complex, conj, exp, where
from .shape import expand_to, reshape, unsqueeze_dim


def dims_of(dim, rank: int) -> tuple[int, ...]:
    """Dimensions as a sorted-as-given tuple of numbers from 0 on; None or () mean all. Raises as torch does."""
    if dim is None or dim == ():
        return tuple(range(rank))
    normal = tuple(dimension(d, rank) for d in ((dim,) if isinstance(dim, int) else dim))
    for d in normal:
        if normal.count(d) > 1:
            raise RuntimeError(errors.DIM_REPEAT.format(d))
    return tuple(d for d in normal if rank)


def kept(shape, dim) -> tuple[int, ...]:
    """The shape after a reduction that keeps its dimensions as ones."""
    return tuple(1 if i in dim else n for i, n in enumerate(shape))


def restore(g, shape, dim, keepdim):
    """The cotangent of a reduction with its dimensions back, ready to broadcast over the input's shape."""
    return g if keepdim or not shape else reshape(g, kept(shape, dims_of(dim, len(shape))))


# -- sum and mean --------------------------------------------------------------------------------------------------------


def _sum(self, axis=None, keepdims=False):
    kind = np.int64 if self.dtype.kind in "bui" else None
    return np.add.reduce(self, axis, kind, None, keepdims)


@op("linear", self=lambda g, self_sym_sizes: expand_to(g, self_sym_sizes), name="Sum0")
def sum_all(self):
    """The sum of all elements."""
    return _sum(self)


@op(
    "linear",
    self=lambda g, self_sym_sizes, dim, keepdim: expand_to(restore(g, self_sym_sizes, dim, keepdim), self_sym_sizes),
    name="Sum1",
)
def sum_dim(self, dim, keepdim):
    """The sum over dimensions."""
    return _sum(self, dims_of(dim, self.ndim), keepdim)


def sum(self, dim=None, keepdim=False, *, dtype=None):
    """The sum of all elements, or over dimensions. Integers are summed as int64."""
    self = self if dtype is None else self.to(dtype)
    if dim is None:
        return sum_all(self) if not keepdim else sum_dim(self, (), True)
    return sum_dim(self, (dim,) if isinstance(dim, int) else tuple(dim), keepdim)


def _only_floats(self, name):
    if self.dtype.kind not in "fc":
        from ..dtypes import of

        raise RuntimeError(
            f"{name}(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {of(self).scalar_type}"
        )


@op(
    "linear",
    self=lambda g, self_sym_sizes, self_sym_numel: expand_to(g, self_sym_sizes) / (self_sym_numel or 1),
    name="Mean0",
)
def mean_all(self):
    """The mean of all elements."""
    _only_floats(self, "mean")
    return _sum(self) / self.dtype.type(self.size)


@op(
    "linear",
    self=lambda g, self_sym_sizes, dim, keepdim, self_sym_numel: (
        expand_to(restore(g, self_sym_sizes, dim, keepdim), self_sym_sizes) / count_over(self_sym_sizes, dim)
    ),
    name="Mean1",
)
def mean_dim(self, dim, keepdim):
    """The mean over dimensions."""
    _only_floats(self, "mean")
    return _sum(self, dims_of(dim, self.ndim), keepdim) / self.dtype.type(count_over(self.shape, dim))


def count_over(shape, dim) -> int:
    """How many elements fall into one result."""
    return math.prod(shape[d] for d in dims_of(dim, len(shape)))


def mean(self, dim=None, keepdim=False, *, dtype=None):
    """The mean of all elements, or over dimensions. RuntimeError for integers."""
    self = self if dtype is None else self.to(dtype)
    if dim is None:
        return mean_all(self) if not keepdim else mean_dim(self, (), True)
    return mean_dim(self, (dim,) if isinstance(dim, int) else tuple(dim), keepdim)


# -- variance and norm ---------------------------------------------------------------------------------------------------


def _centred(x, dim):
    return x - mean_dim(x, dims_of(dim, len(x.shape)), True)


def _free(shape, dim, correction):
    return builtins.max(0, count_over(shape, dim) - (1 if correction is None else correction))


def _over(a, n):
    return a / n if n else a * math.nan


@op(
    lambda self_t, self, dim, correction, keepdim: (
        sum_dim(_times(_centred(self, dim), self_t), dims_of(dim, len(self.shape)), keepdim)
        * _over(2.0, _free(self.shape, dim, correction))
    ),
    self=lambda g, self, dim, correction, keepdim: (
        restore(g, tuple(self.shape), dim, keepdim) * _over(2.0, _free(self.shape, dim, correction)) * _centred(self, dim)
    ),
    name="Var0",
)
def var_dim(self, dim, correction, keepdim):
    """The variance over dimensions, with n - correction in the denominator."""
    _only_floats(self, "var")
    axes = dims_of(dim, self.ndim)
    d = self - _sum(self, axes, True) / count_over(self.shape, dim)
    return _over(_sum((d * d.conj()).real, axes, keepdim), _free(self.shape, dim, correction))


def _times(a, b):
    product = conj(a) * b
    return product.real if _is_complex(product) else product


@op(
    lambda self_t, self, result, dim, correction, keepdim: (
        sum_dim(_times(_centred(self, dim), self_t), dims_of(dim, len(self.shape)), keepdim)
        * _over(1.0, _free(self.shape, dim, correction))
        / result
    ),
    self=lambda g, self, result, dim, correction, keepdim: (
        restore(where(result == 0, 0.0, g / result), tuple(self.shape), dim, keepdim)
        * _over(1.0, _free(self.shape, dim, correction))
        * _centred(self, dim)
    ),
    name="Std0",
)
def std_dim(self, dim, correction, keepdim):
    """The standard deviation over dimensions; its slope where it is 0 counts as 0."""
    return np.sqrt(var_dim(self, dim, correction, keepdim))


def _variance(call):
    def function(self, dim=None, unbiased=None, keepdim=False, *, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if unbiased is not None:
            correction = 1 if unbiased else 0
        dim = dim if dim is None or isinstance(dim, tuple) else (dim,) if isinstance(dim, int) else tuple(dim)
        return call(self, dim, correction, keepdim)

    function.__doc__ = call.__doc__
    return function


var, std = _variance(var_dim), _variance(std_dim)


@op(
    lambda self_t, self, result, dim, keepdim: (
        sum_dim(_times(self, self_t), dims_of(dim, len(self.shape)), keepdim) / result
    ),
    self=lambda g, self, result, dim, keepdim: (
        self * restore(where(result == 0, 0.0, g / result), tuple(self.shape), dim, keepdim)
    ),
    name="LinalgVectorNorm0",
    always_saved=("ord",),
)
def norm_2(self, ord, dim, keepdim):
    """The Euclidean norm; its slope at 0 is 0."""
    return np.sqrt(_sum((self * self.conj()).real, None if dim is None else dims_of(dim, self.ndim), keepdim))


def norm(self, p="fro", dim=None, keepdim=False):
    """The Euclidean (Frobenius) norm of all elements, or over dimensions. Other norms are in ``minigrad.linalg``."""
    if p not in ("fro", 2, 2.0, None):
        raise NotImplementedError(f"minigrad.norm knows p='fro' and p=2, not p={p!r}")
    return norm_2(self, 2, (dim,) if isinstance(dim, int) else dim, keepdim)


# -- products, extrema ---------------------------------------------------------------------------------------------------


@op(
    lambda self_t, self: sum_all(self_t * _others(self)),
    self=lambda g, self, result: g * conj(_others(self)),
    name="Prod0",
    always_saved=("result",),
)
def prod_all(self):
    """The product of all elements."""
    return np.multiply.reduce(self, None, np.int64 if self.dtype.kind in "bui" else None)


def _others(x):
    """For each element the product of all the others, right also where elements are 0."""
    flat = reshape(x, (-1,))
    n = flat.shape[0]
    rows = expand_to(reshape(flat, (1, n)), (n, n))
    eye = np.eye(n, dtype=bool)
    rows = where(eye if isinstance(rows, np.ndarray) else rows._wrap(eye), 1.0, rows)
    return reshape(prod_last(rows), tuple(x.shape))


def prod_last(x):
    """The product over the last dimension, by pairs, so that it can be differentiated again."""
    while x.shape[-1] > 1:
        half, odd = divmod(x.shape[-1], 2)
        product = x[..., :half] * x[..., half : 2 * half]
        x = product if not odd else _append(product, x[..., -1:])
    return x[..., 0] if x.shape[-1] else x.sum(-1) + 1


def _append(a, b):
    from .shape import cat

    return cat([a, b], len(a.shape) - 1)


def prod(self, dim=None, keepdim=False):
    """The product of all elements, or over one dimension."""
    if dim is None:
        return prod_all(self)
    product = prod_last(self.movedim(dim, -1) if self.ndim else self.reshape(1))
    return product.unsqueeze(dim) if keepdim and self.ndim else product


def _shared(g, self, result):
    """The cotangent, shared by all elements that attain the extremum."""
    at = self == result
    return where(at, g / _count(at), 0.0)


def _count(at):
    return int(np.count_nonzero(getattr(at, "_array", at)))


@op(lambda self_t, self, result: sum_all(_shared(1.0, self, result) * self_t), self=_shared, name="Max1")
def max_all(self):
    """The largest element; ties share the gradient."""
    return _extreme(np.max, self, "max")


@op(lambda self_t, self, result: sum_all(_shared(1.0, self, result) * self_t), self=_shared, name="Min1")
def min_all(self):
    """The smallest element; ties share the gradient."""
    return _extreme(np.min, self, "min")


def _extreme(find, self, name):
    if not self.size:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    return find(self)


def _at_indices(g, self_sym_sizes, dim, indices, keepdim):
    """Zeros with the cotangent where the extremum was found."""
    if not self_sym_sizes:
        return g
    return put_along(g if keepdim else unsqueeze_dim(g, dim), self_sym_sizes, dim,
                     indices if keepdim else unsqueeze_dim(indices, dim))  # fmt: skip


@op("linear", grad=lambda g, dim, indices: take_along(g, dim, indices), constants=("indices",), name="ValueSelecting0")
def put_along(grad, input_sizes, dim, indices):
    """Zeros with values at one index along a dimension."""
    zeros = np.zeros(input_sizes, grad.dtype)
    np.put_along_axis(zeros, indices, grad, dim)
    return zeros


@op("linear", self=lambda g, self_sym_sizes, dim, index: put_along(g, self_sym_sizes, dim, index), constants=("index",))
def take_along(self, dim, index):
    """The values at one index along a dimension."""
    return np.take_along_axis(self, index, dim)


def _found(self_t, dim, indices, keepdim):
    if not len(self_t.shape):
        return self_t
    found = take_along(self_t, dim, indices if keepdim else unsqueeze_dim(indices, dim))
    return found if keepdim else found.squeeze(dim)


def _extreme_at(find, name, text):
    def forward(self, dim, keepdim):
        if not self.ndim:
            return self.copy(), np.zeros((), np.int64)
        indices = np.expand_dims(find(self, dim), dim)
        values = np.take_along_axis(self, indices, dim)
        return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))

    forward.__name__, forward.__doc__ = f"{name}_dim", text
    return op(
        lambda self_t, dim, indices, keepdim: _found(self_t, dim, indices, keepdim),
        self=_at_indices,
        outputs=("values", "indices"),
        name=f"{name.capitalize()}0",
    )(forward)


max_dim = _extreme_at(np.argmax, "max", "The largest elements along a dimension, and where they are: (values, indices).")
min_dim = _extreme_at(np.argmin, "min", "The smallest elements along a dimension, and where they are: (values, indices).")


class ValuesAndIndices(tuple):
    """What ``max(dim)`` and its kin return: a pair with names."""

    __slots__ = ()
    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])


def max(self, dim=None, keepdim=False):
    """The largest element; along a dimension (values, indices); with a second tensor as ``maximum``."""
    return _extremum(self, dim, keepdim, max_all, max_dim, "maximum")


def min(self, dim=None, keepdim=False):
    """The smallest element; along a dimension (values, indices); with a second tensor as ``minimum``."""
    return _extremum(self, dim, keepdim, min_all, min_dim, "minimum")


def _extremum(self, dim, keepdim, over_all, along, of_two):
    if dim is None:
        return over_all(self)
    if hasattr(dim, "_array"):
        return getattr(self, of_two)(dim)
    return ValuesAndIndices(along(self, dimension(dim, len(self.shape)), keepdim))


def _shared_dim(g, self, result, dim, keepdim):
    shape, axes = tuple(self.shape), dims_of(dim, len(self.shape))
    at = self == restore(result, shape, axes, keepdim)
    ones = where(at, 1.0, 0.0)
    return where(at, restore(g, shape, axes, keepdim) / sum_dim(ones, axes, True), 0.0)


def _amax(find, name, text):
    def forward(self, dim, keepdim):
        return find(self, axis=dims_of(dim, self.ndim), keepdims=keepdim)

    forward.__name__, forward.__doc__ = name, text
    return op(
        lambda self_t, self, result, dim, keepdim: sum_dim(
            _shared_dim(where(result == result, 1.0, 1.0), self, result, dim, keepdim) * self_t,
            dims_of(dim, len(self.shape)),
            keepdim,
        ),
        self=_shared_dim,
    )(forward)


_amax_dim = _amax(np.max, "amax", "The largest elements over dimensions; ties share the gradient.")
_amin_dim = _amax(np.min, "amin", "The smallest elements over dimensions; ties share the gradient.")


def amax(self, dim=(), keepdim=False):
    """The largest elements over dimensions; ties share the gradient."""
    return _amax_dim(self, (dim,) if isinstance(dim, int) else tuple(dim), keepdim)


def amin(self, dim=(), keepdim=False):
    """The smallest elements over dimensions; ties share the gradient."""
    return _amin_dim(self, (dim,) if isinstance(dim, int) else tuple(dim), keepdim)


def _arg(find, name, text):
    def forward(self, dim=None, keepdim=False):
        return find(self, None if dim is None else dimension(dim, self.ndim), keepdims=keepdim)

    forward.__name__, forward.__doc__ = name, text
    return op(constants=("self",))(forward)


argmax = _arg(np.argmax, "argmax", "Where the largest element is, in the flattened tensor or along a dimension.")
argmin = _arg(np.argmin, "argmin", "Where the smallest element is, in the flattened tensor or along a dimension.")


def _truth(ufunc, name, text):
    def forward(self, dim=None, keepdim=False):
        return ufunc.reduce(self.astype(bool), None if dim is None else dims_of(dim, self.ndim), None, None, keepdim)

    forward.__name__, forward.__doc__ = name, text
    return op(constants=("self",))(forward)


all = _truth(np.logical_and, "all", "Whether all elements are true.")
any = _truth(np.logical_or, "any", "Whether some element is true.")


# -- along a dimension ---------------------------------------------------------------------------------------------------


@op("linear", self=lambda g, dim: flip_cumsum(g, dim), name="Cumsum0")
def cumsum_dim(self, dim):
    """Running sums."""
    return np.cumsum(self, dim, np.int64 if self.dtype.kind in "bui" else None) if self.ndim else self.copy()


def flip_cumsum(g, dim):
    """Running sums from the other end."""
    from .shape import flip_dims

    return flip_dims(cumsum_dim(flip_dims(g, (dim,)), dim), (dim,)) if len(g.shape) else g


def cumsum(self, dim):
    """Running sums along a dimension."""
    return cumsum_dim(self, dimension(dim, len(self.shape)))


@op(
    lambda self_t, result, dim: (self_t - sum_dim(self_t * result, (dim,), True)) * result,
    self=lambda g, result, dim: (g - sum_dim(g * result, (dim,), True)) * result,
    promote="float",
    name="Softmax0",
)
def softmax_dim(self, dim):
    """exp(self), scaled so that it sums to 1 along a dimension."""
    e = np.exp(self - np.max(self, dim, keepdims=True, initial=-np.inf))
    return e / np.sum(e, dim, keepdims=True)


@op(
    lambda self_t, result, dim: self_t - sum_dim(self_t * exp(result), (dim,), True),
    self=lambda g, result, dim: g - exp(result) * sum_dim(g, (dim,), True),
    promote="float",
    name="LogSoftmax0",
)
def log_softmax_dim(self, dim):
    """The logarithm of softmax, without overflow."""
    shifted = self - np.max(self, dim, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.sum(np.exp(shifted), dim, keepdims=True))


def _along(call):
    def function(self, dim, *, dtype=None):
        self = self if dtype is None else self.to(dtype)
        if not len(self.shape):
            dimension(dim, 0)
            return reshape(call(reshape(self, (1,)), 0), ())
        return call(self, dimension(dim, len(self.shape)))

    function.__doc__ = call.__doc__
    return function


softmax, log_softmax = _along(softmax_dim), _along(log_softmax_dim)


@op(
    lambda self_t, self, result, dim, keepdim: sum_dim(
        self_t * exp(self - restore(result, tuple(self.shape), dim, keepdim)), dims_of(dim, len(self.shape)), keepdim
    ),
    self=lambda g, self, result, dim, keepdim: (
        restore(g, tuple(self.shape), dim, keepdim) * exp(self - restore(result, tuple(self.shape), dim, keepdim))
    ),
    promote="float",
)
def logsumexp(self, dim, keepdim):
    """log(sum(exp(self))) over dimensions, without overflow."""
    axes = dims_of(dim, self.ndim)
    top = np.max(self, axes, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    result = np.log(_sum(np.exp(self - top), axes, True)) + top
    return result if keepdim else result.reshape(tuple(n for i, n in enumerate(self.shape) if i not in axes))


_logsumexp = logsumexp


def logsumexp(self, dim, keepdim=False):  # type: ignore[no-redef]
    """log(sum(exp(self))) over dimensions, without overflow."""
    return _logsumexp(self, (dim,) if isinstance(dim, int) else tuple(dim), keepdim)
