"""Operations that reduce dimensions, and running sums.

Their rules stretch the cotangent back over the reduced dimensions. ``dim`` is normal here (a tuple of numbers from 0 on,
or one number): the public functions at the end of each group see to that.
"""

from __future__ import annotations

import builtins
import functools
import math
import warnings

import numpy as np

from .. import errors
from ..core.record import choice, op
from ..core.rule import checked
from ..core.seams import seams
from ..core.tensor import dimension, wrap
from . import shape
from .indexing import scatter_add_zeros
from .pointwise import abs, by_rows, cast, exp, maximum, minimum, named, pow, sgn, where, zeros_like


def dims_of(dim, rank: int) -> tuple[int, ...]:
    """Dimensions as a sorted-as-given tuple of numbers from 0 on; None or () mean all. Raises as torch does."""
    if dim is None or dim == ():
        return tuple(range(rank))
    normal = shape.distinct((dim,) if isinstance(dim, int) else dim, rank)
    return normal if rank else ()


def kept(sizes, dim) -> tuple[int, ...]:
    """The sizes after a reduction that keeps its dimensions as ones."""
    return tuple(1 if i in dim else n for i, n in enumerate(sizes))


def restore(g, sizes, dim, keepdim):
    """The cotangent of a reduction with its dimensions back, ready to broadcast over the input's shape."""
    dims = () if keepdim or not sizes else dims_of(dim, len(sizes))
    if isinstance(g, np.ndarray):
        return shape.reshape(g, kept(sizes, dims)) if dims else g
    return functools.reduce(shape.unsqueeze_dim, sorted(dims), g)


def stretched(g, sizes, dim, keepdim):
    """The cotangent of a sum, for each of the elements that were summed."""
    return shape.expand_to(restore(g, sizes, dim, keepdim), sizes)


def _attains(self, result):
    """Where the extremum is attained; a NaN attains NaN."""
    return (self == result) | ((self != self) & (result != result))


# -- sum and mean --------------------------------------------------------------------------------------------------------


WHOLE = object()  # what ``x.sum()`` means when no dim is given: not the same node as ``x.sum(None)``


def _kind(self, dtype=None):
    """The dtype in which sums and products are taken: the one that is asked for; int64 for integers."""
    return dtype.numpy if dtype else np.dtype(np.int64) if self.dtype.kind in "bui" else self.dtype


def _sum(self, axis=None, keepdims=False, dtype=None):
    kind = _kind(self, dtype) if dtype or self.dtype.kind in "bui" else None
    result = np.add.reduce(self, axis, kind, None, keepdims)
    return by_rows(result) if self.ndim > 2 else result


def one_or_several(dim):
    """One dimension or several, as it is saved: a tuple, or None for all."""
    return dim if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)


@op("linear", self=lambda g, self_sym_sizes: shape.expand_to(g, self_sym_sizes), name="Sum0")
def sum_all(self, dtype=None):
    """The sum of all elements."""
    return _sum(self, dtype=dtype)


@op("linear", self=lambda g, self_sym_sizes, dim, keepdim: stretched(g, self_sym_sizes, dim, keepdim), name="Sum1")
def sum_dim(self, dim, keepdim, dtype=None):
    """The sum over dimensions."""
    return _sum(self, dims_of(dim, self.ndim), keepdim, dtype)


def sum(self, dim=WHOLE, keepdim=False, *, dtype=None):
    """The sum of all elements, or over dimensions. Integers are summed as int64."""
    return sum_all(self, dtype) if dim is WHOLE else sum_dim(self, one_or_several(dim), keepdim, dtype)


@op(
    "linear",
    self=lambda g, self_sym_sizes, self_sym_numel: shape.expand_to(g, self_sym_sizes) / self_sym_numel,
    name="Mean0",
)
def mean_all(self, dtype=None):
    """The mean of all elements."""
    return _mean(self, None, False, dtype)


@op(
    "linear",
    self=lambda g, self_sym_sizes, dim, keepdim, self_sym_numel: _mean_slope(g, self_sym_sizes, dim, keepdim),
    name="Mean1",
)
def mean_dim(self, dim, keepdim, dtype=None):
    """The mean over dimensions."""
    return _mean(self, dim, keepdim, dtype)


def _mean_slope(g, sizes, dim, keepdim):
    return stretched(g, sizes, dim, keepdim) / count_over(sizes, dim)


def _mean(self, dim, keepdim, dtype):
    total = _sum(self, dims_of(dim, self.ndim), keepdim, dtype)
    return total / total.dtype.type(count_over(self.shape, dim))


def count_over(sizes, dim) -> int:
    """How many elements fall into one result."""
    return math.prod(sizes[d] for d in dims_of(dim, len(sizes)))


def mean(self, dim=WHOLE, keepdim=False, *, dtype=None):
    """The mean of all elements, or over dimensions. RuntimeError for integers, unless a dtype is asked for."""
    return mean_all(self, dtype) if dim is WHOLE else mean_dim(self, one_or_several(dim), keepdim, dtype)


# -- variance and norm ---------------------------------------------------------------------------------------------------


def _free(sizes, dim, correction):
    return count_over(sizes, dim) - (1 if correction is None else correction)


def _var_slope(g, self, dim, correction, keepdim):
    g, free = restore(g, self.shape, dim, keepdim), _free(self.shape, dim, correction)
    centred = self - mean_dim(self, dims_of(dim, len(self.shape)), True)
    return g * (2.0 / free if free else math.inf) * centred


@op(self=_var_slope, name="Var0")
def var_dim(self, dim, correction, keepdim):
    """The variance over dimensions, with n - correction in the denominator."""
    axes = dims_of(dim, self.ndim)
    # From the first on, so that equal numbers give 0.
    d = self - self[tuple(slice(1) if k in axes else slice(None) for k in range(self.ndim))]
    d = d - _sum(d, axes, True) / count_over(self.shape, dim)
    free = builtins.max(0, _free(self.shape, dim, correction))
    return np.true_divide(_sum((d * d.conj()).real, axes, keepdim), free, dtype=d.real.dtype)


@op(
    self=lambda g, self, result, dim, correction, keepdim: _var_slope(
        g / where(result == 0, math.inf, 2 * result), self, dim, correction, keepdim
    ),
    name="Std0",
)
def std_dim(self, dim, correction, keepdim):
    """The standard deviation over dimensions; its slope where it is 0 counts as 0."""
    return np.sqrt(var_dim(self, dim, correction, keepdim))


def _variance(call, name):
    def function(self, dim=None, unbiased=None, keepdim=False, *, correction=None):
        if isinstance(dim, bool) and unbiased is None:
            dim, unbiased = None, dim
        dim, correction = one_or_several(dim), correction if unbiased is None else int(unbiased)
        if self._array.dtype.kind in "fc" and (_free(self.shape, dim, correction) <= 0 or not self.numel()):
            warnings.warn(errors.FREEDOM.format(name), UserWarning, stacklevel=2)
        return call(self, dim, correction, keepdim)

    return named(function, name, call.__doc__)


var, std = _variance(var_dim, "var"), _variance(std_dim, "std")


def _norm_slope(g, self, ord, result, dim, keepdim):
    """torch's formulas, which differ in what they say at 0 and at infinity."""
    g, result = restore(g, self.shape, dim, keepdim), restore(result, self.shape, dim, keepdim)
    if ord == 0:
        return None
    if ord == 1:
        return sgn(self) * g
    if ord == 2:
        return g * (self / where(result == 0, math.inf, result))
    size = abs(self)
    if math.isinf(ord):
        ones = cast(_attains(size, result), size)
        return sgn(self) * (ones * (g / sum_dim(ones, dim, True)))
    scale = g / where(result == 0, math.inf, pow(result, ord - 1))
    return (sgn(self) * where(self == 0, 0.0, pow(size, ord - 1)) if ord < 2 else self * pow(size, ord - 2)) * scale


@op(self=_norm_slope, name="LinalgVectorNorm0")
def vector_norm(self, ord, dim, keepdim, dtype=None):
    """The sum of the ``ord``-th powers of the absolute values, and its root; its slope at 0 is 0."""
    size = np.abs(self if dtype is None else self.astype(dtype.numpy))
    axes = dims_of(dim, self.ndim)
    if math.isinf(ord):
        return by_rows((np.max if ord > 0 else np.min)(size, axes, keepdims=keepdim))
    if ord == 0:
        return _sum((size != 0).astype(size.dtype), axes, keepdim)
    if ord == 1:
        return _sum(size, axes, keepdim)
    if ord == 2:
        return np.sqrt(_sum(size * size, axes, keepdim))
    return np.power(_sum(np.power(size, ord), axes, keepdim), 1 / ord)


@checked
def norm(self, p="fro", dim=None, keepdim=False, dtype=None):
    """The ``p``-norm of all elements, or over dimensions; "fro" is the 2-norm. RuntimeError for integers."""
    return _vector_norm(self, 2 if p == "fro" else 2.0 if p is None else p, dim, keepdim, dtype=dtype)


def _vector_norm(self, ord, dim, keepdim, *, dtype):
    return vector_norm(self, ord, one_or_several(dim), keepdim, dtype)


_vector_norm = seams.form(_vector_norm, "linalg_vector_norm")


# -- products, extrema ---------------------------------------------------------------------------------------------------


@op(self=lambda g, self, result: g * _others(self, result) if self.shape else g, name="Prod0")
def prod_all(self, dtype=None):
    """The product of all elements."""
    return _prod(self, dtype=dtype)


def _prod_slope(g, self, result, dim, keepdim):
    g, result = restore(g, self.shape, dim, keepdim), restore(result, self.shape, dim, keepdim)
    return g * _others(self, result, dim) if self.shape else g


@op(self=_prod_slope, name="Prod1")
def prod_dim(self, dim, keepdim, dtype=None):
    """The product over one dimension."""
    return _prod(self, dims_of(dim, self.ndim), keepdim, dtype)


def _prod(self, axis=None, keepdims=False, dtype=None):
    return by_rows(np.multiply.reduce(self, axis, _kind(self, dtype), None, keepdims))


def _others(x, product, dim=None):
    """For each element the product of all the others (along a dimension), right also where elements are 0."""
    if np.all(getattr(x, "_array", x)):
        return product / x
    last = shape.reshape(x, (-1,)) if dim is None else shape.transpose(x, dim, -1)
    if last.shape[-1] == 1:
        return zeros_like(x) + 1.0  # there are no others
    others = prod_dim(_without_each(last), len(last.shape), False)
    return shape.reshape(others, tuple(x.shape)) if dim is None else shape.transpose(others, dim, -1)


def _without_each(x):
    """A row for each element of the last dimension, with 1 in place of that element."""
    n = x.shape[-1]
    rows = shape.expand_to(shape.unsqueeze_dim(x, len(x.shape) - 1), (*x.shape[:-1], n, n))
    eye = np.eye(n, dtype=bool)
    return where(eye if isinstance(rows, np.ndarray) else wrap(eye), 1.0, rows)


def prod(self, dim=None, keepdim=False, *, dtype=None):
    """The product of all elements, or over one dimension. Integers are multiplied as int64."""
    return prod_all(self, dtype) if dim is None else prod_dim(self, dim, keepdim, dtype)


def _shared(g, self, result):
    """The cotangent, shared by all elements that attain the extremum."""
    at = _attains(self, result)
    return where(at, g / _count(at), 0.0)


def _count(at):
    return int(np.count_nonzero(getattr(at, "_array", at)))


def _extreme(find, name, text):
    declare = op(self=_shared, name=f"{name.capitalize()}1")
    return declare(named(lambda self: find(self), f"{name}_all", text))


max_all = _extreme(np.max, "max", "The largest element; ties share the gradient.")
min_all = _extreme(np.min, "min", "The smallest element; ties share the gradient.")


def _at_indices(g, self_sym_sizes, dim, indices, keepdim):
    """Zeros with the cotangent where the extremum was found."""
    if not self_sym_sizes:
        return g
    g, indices = (x if keepdim else shape.unsqueeze_dim(x, dim) for x in (g, indices))
    return scatter_add_zeros(g, self_sym_sizes, dim, indices)


def _extreme_at(find, name, text):
    def forward(self, dim, keepdim):
        if not self.ndim:
            return self.copy(), np.zeros((), np.int64)
        indices = np.expand_dims(find(self, dim), dim)
        values = np.take_along_axis(self, indices, dim)
        return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))

    declare = op(self=_at_indices, outputs=("values", "indices"), name=f"{name.capitalize()}0")
    return declare(named(forward, f"{name}_dim", text))


max_dim = _extreme_at(np.argmax, "max", "The largest elements along a dimension: (values, indices).")
min_dim = _extreme_at(np.argmin, "min", "The smallest elements along a dimension: (values, indices).")


class ValuesAndIndices(tuple):
    """What ``max(dim)`` and its kin return: a pair with names, of a class for each."""

    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])

    @classmethod
    @functools.cache
    def of(cls, operation):
        """The class of an operation's pairs."""
        return type(operation, (cls,), {"__module__": "minigrad.return_types"})

    def __repr__(self):
        return f"minigrad.return_types.{type(self).__name__}(\nvalues={self[0]!r},\nindices={self[1]!r})"


def _extremum(over_all, along, of_two, text):
    def function(self, dim=None, keepdim=False):
        if dim is None:
            return over_all(self)
        if hasattr(dim, "_array"):
            return of_two(self, dim)
        return ValuesAndIndices.of(function.__name__)(along(self, dimension(dim, len(self.shape)), keepdim))

    return named(function, along.op.name.removesuffix("_dim"), text)


_TEXT = "The {} element; along a dimension (values, indices); with a second tensor as ``{}``."
max = _extremum(max_all, max_dim, maximum, _TEXT.format("largest", "maximum"))
min = _extremum(min_all, min_dim, minimum, _TEXT.format("smallest", "minimum"))


def _shared_dim(g, self, result, dim, keepdim):
    at = cast(self == restore(result, self.shape, dim, keepdim), self)
    return at * (restore(g, self.shape, dim, keepdim) / sum_dim(at, dims_of(dim, len(self.shape)), True))


def _amax(find, name, text):
    def forward(self, dim, keepdim):
        return by_rows(find(self, axis=dims_of(dim, self.ndim), keepdims=keepdim))

    return op(self=_shared_dim)(named(forward, name, text))


def _over(call):
    def function(self, dim=(), keepdim=False):
        return call(self, one_or_several(dim) or (), keepdim)

    return named(function, call.op.name, call.__doc__)


_amax_dim = _amax(np.max, "amax", "The largest elements over dimensions; ties share the gradient.")
_amin_dim = _amax(np.min, "amin", "The smallest elements over dimensions; ties share the gradient.")
amax, amin = _over(_amax_dim), _over(_amin_dim)


def _arg(find, name, text):
    def forward(self, dim=None, keepdim=False):
        return find(self, None if dim is None else dimension(dim, self.ndim), keepdims=keepdim)

    return op(constants=("self",))(named(forward, name, text))


argmax = _arg(np.argmax, "argmax", "Where the largest element is, in the flattened tensor or along a dimension.")
argmin = _arg(np.argmin, "argmin", "Where the smallest element is, in the flattened tensor or along a dimension.")


def _truth(ufunc, name, text):
    def forward(self, dim=None, keepdim=False):
        axes = () if dim == () else dims_of(dim, self.ndim)  # of none: each element's own
        result = by_rows(np.asarray(ufunc.reduce(self.astype(bool), axes, None, None, keepdim)))
        return result.astype(np.uint8) if self.dtype == np.uint8 else result  # so PyTorch has it

    return op(constants=("self",))(named(forward, name, text))


all = _truth(np.logical_and, "all", "Whether all elements are true.")
any = _truth(np.logical_or, "any", "Whether some element is true.")


# -- along a dimension ---------------------------------------------------------------------------------------------------


@op("linear", self=lambda g, dim: flip_cumsum(g, dim), name="Cumsum0")
def cumsum_dim(self, dim, dtype=None):
    """Running sums."""
    if not self.ndim:
        return self.astype(_kind(self, dtype))
    return np.cumsum(by_rows(self), dim, _kind(self, dtype)) + 0  # the sum begins at 0, so that it is never -0


def flip_cumsum(g, dim):
    """Running sums from the other end."""
    return shape.flip_dims(cumsum_dim(shape.flip_dims(g, (dim,)), dim), (dim,))


@choice
def cumsum(self, dim, *, dtype=None):
    """Running sums along a dimension."""
    return cumsum_dim, (self, dimension(dim, len(self.shape)), dtype)


def _cumprod_slope(g, self, dim):
    """For each k the sum over i ≥ k of g_i · Π over j ≤ i, j ≠ k of x_j: no division, because elements may be 0."""
    if not self.shape:
        return g
    rows = _without_each(shape.transpose(self, dim, -1))
    terms = shape.triu(cumprod_dim(rows, len(rows.shape) - 1), 0) * shape.unsqueeze(shape.transpose(g, dim, -1), -2)
    return shape.transpose(sum_dim(terms, (-1,), False), dim, -1)


@op(self=_cumprod_slope, name="Cumprod0")
def cumprod_dim(self, dim, dtype=None):
    """Running products."""
    return np.cumprod(by_rows(self), dim, _kind(self, dtype)) if self.ndim else self.astype(_kind(self, dtype))


@choice
def cumprod(self, dim, *, dtype=None):
    """Running products along a dimension."""
    return cumprod_dim, (self, dimension(dim, len(self.shape)), dtype)


def _sorted_pair(self, dim, descending, count=None):
    if not self.ndim:
        return self.copy(), np.zeros((), np.int64)
    if descending:  # of equal elements the first comes first, so sorting backwards has to begin from the end
        order = self.shape[dim] - 1 - np.flip(np.argsort(np.flip(self, dim), dim, kind="stable"), dim)
    else:
        order = np.argsort(self, dim, kind="stable")
    order = by_rows(order[(slice(None),) * dim + (slice(count),)])
    return np.take_along_axis(self, order, dim), order


def _ordering(node):
    """The declaration of an operation that gives elements in order, and where they were."""
    return op(
        self=lambda g, self_sym_sizes, dim, indices: _at_indices(g, self_sym_sizes, dim, indices, True),
        outputs=("values", "indices"),
        name=node,
    )


def _sort(name, node):
    def forward(self, dim, descending):
        """The elements in order along a dimension, and where they were: (values, indices)."""
        return _sorted_pair(self, dim, descending)

    return _ordering(node)(named(forward, name))


sort_dim, sort_stable = _sort("sort_dim", "Sort0"), _sort("sort_stable", "Sort1")


@_ordering("Topk0")
def topk_dim(self, k, dim, largest):
    """The k largest (or smallest) elements along a dimension, and where they are: (values, indices)."""
    return _sorted_pair(self, dim, largest, k)


def sort(self, dim=-1, descending=False, *, stable=None):
    """The elements in order along a dimension: (values, indices). NaN counts as the largest; equal ones keep their order."""
    call = sort_dim if stable is None else sort_stable  # another node, though the order is always stable
    return ValuesAndIndices.of("sort")(call(self, dimension(dim, len(self.shape)), descending))


def argsort(self, dim=-1, descending=False, *, stable=None):
    """Where the elements of the sorted tensor were."""
    return sort(self, dim, descending)[1]


def topk(self, k, dim=-1, largest=True, sorted=True):
    """The k largest (or smallest) elements along a dimension, in order: (values, indices)."""
    return ValuesAndIndices.of("topk")(topk_dim(self, k, dimension(dim, len(self.shape)), largest))


@op(constants=("self",))
def nonzero_rows(self):
    """One row of indices for each element that is not 0."""
    return np.argwhere(self)


def nonzero(self, *, as_tuple=False):
    """Where the elements are not 0: one row of indices for each, or, as_tuple, one vector for each dimension."""
    rows = nonzero_rows(self)
    if not as_tuple:
        return rows
    return shape.unbind_dim(rows if self.shape else shape.reshape(self != 0, (1,)).nonzero(), 1)


@op(self=lambda g, result, dim: (g - sum_dim(g * result, (dim,), True)) * result, name="Softmax0")
def softmax_dim(self, dim):
    """exp(self), scaled so that it sums to 1 along a dimension."""
    e = np.exp(by_rows(self) - np.max(self, dim, keepdims=True, initial=-np.inf))
    return e / np.sum(e, dim, keepdims=True)


@op(self=lambda g, result, dim: g - exp(result) * sum_dim(g, (dim,), True), name="LogSoftmax0")
def log_softmax_dim(self, dim):
    """The logarithm of softmax, without overflow."""
    shifted = by_rows(self) - np.max(self, dim, keepdims=True, initial=-np.inf)
    return shifted - np.log(np.sum(np.exp(shifted), dim, keepdims=True))


def _along(call):
    def function(self, dim, *, dtype=None):
        return call(self if dtype is None else self.to(dtype), dimension(dim, len(self.shape)))

    return named(function, call.op.name.removesuffix("_dim"), call.__doc__)


softmax, log_softmax = _along(softmax_dim), _along(log_softmax_dim)


def _logsumexp_slope(g, self, result, dim, keepdim):
    return restore(g, self.shape, dim, keepdim) * exp(self - restore(result, self.shape, dim, keepdim))


@op(self=_logsumexp_slope, name="Logsumexp0")
def logsumexp_dim(self, dim, keepdim):
    """log(sum(exp(self))) over dimensions, without overflow."""
    axes = dims_of(dim, self.ndim)
    top = np.max(self.real, axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    result = np.log(_sum(np.exp(self - top), axes, True)) + top
    return by_rows(result if keepdim else result.squeeze(axes))


def logsumexp(self, dim, keepdim=False):
    """log(sum(exp(self))) over dimensions, without overflow."""
    return logsumexp_dim(self, one_or_several(dim), keepdim)
