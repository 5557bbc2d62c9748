"""Operations that move elements: views, and copies with another shape.

A view shares memory with its input. Its rule is the view undone, or, where it shows only a part, the part put into zeros.
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from .. import errors
from ..core.record import op
from ..core.rule import checked
from ..core.tensor import Tensor, dimension, wrap
from ..core.views import laid_out
from ..dtypes import result_type
from .pointwise import by_rows


def sizes_of(args) -> tuple[int, ...]:
    """Sizes given as numbers or as one sequence: ``view(2, 3)`` and ``view((2, 3))``."""
    sizes = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    return tuple(map(operator.index, sizes))


@checked
def infer(shape: Sequence[int], count: int) -> tuple[int, ...]:
    """The shape with its -1 filled in. RuntimeError when it does not hold ``count`` elements."""
    known = math.prod(n for n in shape if n != -1)
    return tuple(count // known if n == -1 else n for n in shape)


# -- views ---------------------------------------------------------------------------------------------------------------


@op("linear", self=lambda g, self_sym_sizes: reshape(g, self_sym_sizes), view=True, name="View0")
def view_as_shape(self, size):
    """The same elements in another shape, without a copy. RuntimeError when the strides do not allow it."""
    try:
        return self.reshape(infer(size, self.size), copy=False)
    except ValueError:
        raise errors.VIEW_STRIDE() from None


@op("linear", self=lambda g, self_sym_sizes: reshape(g, self_sym_sizes), view=True)
def reshape_alias(self, size):
    """The same as a view, by the name it has when ``reshape`` makes one of what is not contiguous."""
    return view_as_shape(self, size)


@op("linear", self=lambda g, self_sym_sizes: reshape(g, self_sym_sizes), name="UnsafeView0")
def unsafe_view(self, size):
    """A view of memory that nobody else knows, so that it need not be tracked as one."""
    return self.reshape(size)


@op("linear", self=lambda g: g, view=True)
def alias(self):
    """The same elements under another name."""
    return self[...]


@checked
def view(self, *sizes):
    """The same elements in another shape, sharing memory; one size may be -1."""
    return view_as_shape(self, sizes_of(sizes))


def reshape(self, *sizes):
    """The same elements in another shape: a view where the strides allow it, otherwise a copy."""
    size = infer(sizes_of(sizes), math.prod(self.shape))
    if not isinstance(self, Tensor):  # an array, or what NumPy makes of one without dimensions
        return self.reshape(size)
    try:
        return (view_as_shape if self.is_contiguous() else reshape_alias)(self, size)
    except RuntimeError:
        return unsafe_view(clone_rows(self), size)


@checked
def flatten(self, start_dim=0, end_dim=-1):
    """The dimensions from start_dim to end_dim as one."""
    shape = tuple(self.shape)
    start, end = dimension(start_dim, len(shape)), dimension(end_dim, len(shape))
    if not shape:
        return reshape(self, (1,))
    if start == end:
        return self
    return reshape(self, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


@op("linear", self=lambda g, dim0, dim1: transpose(g, dim0, dim1), view=True)
def transpose(self, dim0, dim1):
    """Two dimensions exchanged."""
    dims = dimension(dim0, self.ndim), dimension(dim1, self.ndim)
    return self.swapaxes(*dims) if self.ndim else self[...]


@op("linear", self=lambda g: t(g), view=True, name="T0")
def t(self):
    """A matrix transposed; fewer than two dimensions as they are."""
    return self.T


def inverse(dims):
    """The order of dimensions that undoes another one."""
    return tuple(int(i) for i in np.argsort([d % len(dims) for d in dims]))


@op("linear", self=lambda g, dims: permute_dims(g, inverse(dims)), view=True, name="Permute0")
def permute_dims(self, dims):
    """The dimensions in another order."""
    return self.transpose(dims)


@checked
def movedim(self, source, destination):
    """Dimensions moved to other places; the others keep their order. One of each, or as many of the one as of the other."""
    rank = self.ndim
    source, destination = ((d,) if isinstance(d, int) else d for d in (source, destination))
    source, destination = ([dimension(d, rank) for d in dims] for dims in (source, destination))
    order = [d for d in range(rank) if d not in source]
    for place, dim in sorted(zip(destination, source, strict=True)):
        order.insert(place, dim)
    return permute_dims(self, tuple(order)) if rank else alias(self)


@checked
def permute(self, *dims):
    """The dimensions in the order given."""
    return permute_dims(self, sizes_of(dims))


@op("linear", self=lambda g, self_sym_sizes: reshape(g, self_sym_sizes), view=True, name="Squeeze0")
def squeeze_all(self):
    """Without its dimensions of size 1."""
    return self.squeeze()


@op("linear", self=lambda g, self_sym_sizes, dim: reshape(g, self_sym_sizes), view=True, name="Squeeze1")
def squeeze_dim(self, dim):
    """Without one dimension, if its size is 1."""
    return self.squeeze(dim) if self.ndim and self.shape[dim] == 1 else self[...]


@op("linear", self=lambda g, self_sym_sizes, dim: reshape(g, self_sym_sizes), view=True, name="Squeeze4")
def squeeze_product(self, dim):
    """Without one dimension, as the product of a vector and a matrix loses it: PyTorch has another node for that."""
    return self.squeeze(dim)


@op("linear", self=lambda g, self_sym_sizes, dim: reshape(g, self_sym_sizes), view=True, name="Squeeze2")
def squeeze_dims(self, dim):
    """Without those of some dimensions whose size is 1."""
    return self.squeeze(tuple(d for d in dim if self.ndim and self.shape[d] == 1))


@checked
def distinct(dims, rank: int) -> tuple[int, ...]:
    """Dimensions as numbers from 0 on, of which none may be named twice."""
    return tuple(dimension(d, rank) for d in dims)


def squeeze(self, dim=None):
    """Without dimensions of size 1: all of them, or only those that are named."""
    if dim is None:
        return squeeze_all(self)
    if isinstance(dim, int):
        return squeeze_dim(self, dimension(dim, len(self.shape)))
    return squeeze_dims(self, distinct(dim, len(self.shape)))


@op("linear", self=lambda g, dim: squeeze_dim(g, dim), view=True, name="Unsqueeze0")
def unsqueeze_dim(self, dim):
    """With a new dimension of size 1."""
    return np.expand_dims(self, dim)


def unsqueeze(self, dim):
    """With a new dimension of size 1 at position dim."""
    return unsqueeze_dim(self, dimension(dim, len(self.shape) + 1))


def stretch(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A view with axes of stride 0 where the array is repeated. Fast, because every ``sum`` needs it in backward."""
    if 0 in shape or not array.flags.c_contiguous:
        view = np.broadcast_to(array, shape)
        if array.flags.writeable:
            view.flags.writeable = True
        return view
    lead = len(shape) - array.ndim
    strides = (0,) * lead + tuple(
        0 if n == 1 and m != 1 else s for n, m, s in zip(array.shape, shape[lead:], array.strides, strict=True)
    )
    return np.ndarray(shape, array.dtype, array, 0, strides)


@op("linear", self=lambda g, self_sym_sizes: sum_to(g, self_sym_sizes), view=True, name="Expand0")
def expand_to(self, size):
    """Repeated along dimensions of size 1, without a copy."""
    return stretch(self, size)


def sum_to(g, shape):
    """Broadcasting undone. The engine does it: a rule may return the cotangent in the broadcast shape."""
    return g


@checked
def expand(self, *sizes):
    """Dimensions of size 1 repeated to the sizes given, without a copy; -1 keeps a size."""
    size = sizes_of(sizes)
    kept = (1,) * (len(size) - len(self.shape)) + tuple(self.shape)
    return expand_to(self, tuple(m if n == -1 else n for n, m in zip(size, kept, strict=True)))


def broadcast_to(self, size):
    """Dimensions of size 1 repeated to the sizes given, without a copy."""
    return expand(self, size)


@checked
def broadcast_shapes(*shapes) -> tuple[int, ...]:
    """The shape in which shapes meet. Raises what torch raises when they do not."""
    return np.broadcast_shapes(*shapes)


@op("linear", self=lambda g, self_sym_sizes, dim, index: select_backward(g, self_sym_sizes, dim, index), view=True)
def select(self, dim, index):
    """One index of a dimension; the dimension goes away."""
    dim = dimension(dim, self.ndim)
    return self[(slice(None),) * dim + (index, ...)]  # with the dots even one element is a view, not a scalar


@op("linear", grad=lambda g, dim, index: select(g, dim, index))
def select_backward(grad, input_sizes, dim, index):
    """Zeros with the cotangent at the index that was selected."""
    return placed(grad, input_sizes, (slice(None),) * dimension(dim, len(input_sizes)) + (index,))


@op(
    "linear",
    self=lambda g, self_sym_sizes, dim, start, end, step: slice_backward(g, self_sym_sizes, dim, start, end, step),
    view=True,
    name="Slice0",
)
def slice_dim(self, dim, start, end, step):
    """A range of indices of one dimension."""
    return self[(slice(None),) * dim + (slice(start, end, step),)]


@op("linear", grad=lambda g, dim, start, end, step: slice_dim(g, dim, start, end, step))
def slice_backward(grad, input_sizes, dim, start, end, step):
    """Zeros with the cotangent in the range that was sliced."""
    return placed(grad, input_sizes, (slice(None),) * dim + (slice(start, end, step),))


def placed(values, shape, index):
    """Zeros with values at an index."""
    zeros = np.zeros(shape, values.dtype)
    zeros[index] = values
    return zeros


def added(values, shape, index):
    """Zeros with values added at an index, where it names a place several times also several values."""
    zeros = np.zeros(shape, values.dtype)
    np.add.at(zeros, index, values)
    return zeros


@checked
def narrow(self, dim, start, length):
    """``length`` indices of a dimension from ``start`` on."""
    dim = dimension(dim, len(self.shape))
    start = start + self.shape[dim] if start < 0 else start
    return slice_dim(self, dim, start, start + length, 1)


@op("linear", self=lambda gs, self_sym_sizes, dim: stack_all(gs, self_sym_sizes, dim), view=True, name="Unbind0")
def unbind_dim(self, dim):
    """One view per index of a dimension."""
    return tuple(self[(slice(None),) * dim + (i, ...)] for i in range(self.shape[dim]))


@checked
def unbind(self, dim=0):
    """One view per index of a dimension, as a tuple."""
    dim = dimension(dim, len(self.shape))
    return unbind_dim(self, dim)


def stack_all(gs, sizes, dim):
    """The cotangents of all parts stacked; a part that was not used counts as zeros."""
    part = tuple(n for i, n in enumerate(sizes) if i != dim)
    return stack_list(tuple(_or_zeros(g, gs, part) for g in gs), dim)


def _or_zeros(g, gs, shape):
    return g if g is not None else _zeros(shape, next(other for other in gs if other is not None))


def _zeros(shape, like):
    """Zeros of a shape: an array or a Tensor, as another is one."""
    zeros = np.zeros(shape, getattr(like, "_array", like).dtype)
    return zeros if isinstance(like, np.ndarray) else wrap(zeros)


@op(
    "linear",
    self=lambda gs, self_sym_sizes, split_size, dim: cat_sizes(
        gs, self_sym_sizes, parts_of(self_sym_sizes[dim], split_size), dim
    ),
    view=True,
    name="Split0",
)
def split_dim(self, split_size, dim):
    """Views of ``split_size`` indices each; the last may be smaller."""
    return split_sizes.op.forward(self, parts_of(self.shape[dim], split_size), dim)


def parts_of(size: int, part: int) -> list[int]:
    """A size cut into parts of at most ``part``."""
    if size == 0 or part == 0:
        return [size]
    return [min(part, size - start) for start in range(0, size, part)]


@checked
def split(self, split_size, dim=0):
    """Views of ``split_size`` indices each along a dimension; a list of sizes makes one view for each."""
    dim = dimension(dim, len(self.shape))
    if isinstance(split_size, int):
        return split_dim(self, split_size, dim)
    return split_sizes(self, tuple(split_size), dim)


@op(
    "linear",
    self=lambda gs, self_sym_sizes, split_sizes, dim: cat_sizes(gs, self_sym_sizes, split_sizes, dim),
    view=True,
    name="SplitWithSizes0",
)
def split_sizes(self, split_sizes, dim):
    """One view for each of the sizes."""
    lead, bounds = (slice(None),) * dim, pairwise(accumulate(split_sizes, initial=0))
    return tuple(self[(*lead, slice(start, end))] for start, end in bounds)


def cat_sizes(gs, sizes, parts, dim):
    """The cotangents of all parts one after the other; a part that was not used counts as zeros."""
    shapes = [(*sizes[:dim], n, *sizes[dim + 1 :]) for n in parts]
    return cat_list(tuple(_or_zeros(g, gs, shape) for g, shape in zip(gs, shapes, strict=True)), dim)


@checked
def chunk(self, chunks, dim=0):
    """About ``chunks`` views of equal size along a dimension."""
    dim = dimension(dim, len(self.shape))
    if not self.shape[dim]:
        return split_sizes(self, (0,) * chunks, dim)
    return split_dim(self, -(-self.shape[dim] // chunks), dim)


@op(
    "linear",
    self=lambda g, self_sym_sizes, offset, dim1, dim2: diagonal_backward(g, self_sym_sizes, offset, dim1, dim2),
    view=True,
)
def diagonal(self, offset=0, dim1=0, dim2=1):
    """The diagonal of two dimensions, as the last one. A view."""
    view = self.diagonal(offset, dim1, dim2)
    view.flags.writeable = self.flags.writeable
    return view


diagonal_of = diagonal  # the next functions have a parameter of that name


@op("linear", self=lambda g, offset: diagonal(g, offset, 0, 1))
def diag_embed(self, offset):
    """A square matrix with a vector on a diagonal, zeros elsewhere."""
    return np.diag(self, offset)


@checked
def diag(self, diagonal=0):
    """The diagonal of a matrix, as a copy; of a vector, the matrix that has it on the diagonal."""
    return diag_embed(self, diagonal) if len(self.shape) == 1 else clone_rows(diagonal_of(self, diagonal, 0, 1))


@op("linear", grad=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2))
def diagonal_backward(grad, input_sizes, offset, dim1, dim2):
    """Zeros with the cotangent on the diagonal."""
    zeros = np.zeros(input_sizes, grad.dtype)
    view = zeros.diagonal(offset, dim1, dim2)
    view.flags.writeable = True
    view[...] = grad
    return zeros


@op("linear", self=lambda g, self_sym_sizes, replay, order: _scattered(g, self_sym_sizes, replay, order), view=True)
def as_strided(self, replay, order=None):
    """The view that ``replay`` makes of a base, whose memory has that order. Used to give a view its history anew, as PyTorch does."""
    return replay(self)


def _scattered(g, sizes, replay, order):
    if not math.prod(g.shape):  # PyTorch's zeros have no history then
        return _zeros(sizes, g)
    return as_strided_scatter(g, sizes, replay, order)


@op("linear", grad=lambda g, replay, order: as_strided(laid_out(g, order), replay, order), name="AsStridedScatter0")
def as_strided_scatter(grad, input_sizes, replay, order=None):
    """Zeros of the base's shape with the cotangent added where the view shows them."""
    places = replay(laid_out(np.arange(math.prod(input_sizes)).reshape(input_sizes), order))
    return added(grad.ravel(), math.prod(input_sizes), places.ravel()).reshape(input_sizes)


@op("linear", self=lambda g: view_as_complex(contiguous(g)), view=True)
def view_as_real(self):
    """A complex tensor as one of real numbers, with a last dimension of size 2 more."""
    kind = self.real.dtype
    strides = (*self.strides, kind.itemsize)
    return np.lib.stride_tricks.as_strided(self.real, (*self.shape, 2), strides)


@op("linear", self=lambda g: view_as_real(g), view=True)
def view_as_complex(self):
    """Pairs of real numbers, in a last dimension of size 2, as complex numbers."""
    kind = np.result_type(self, np.complex64)
    # What has no elements may have any strides.
    return self.view(kind)[..., 0] if self.size else np.zeros(self.shape[:-1], kind)


def real(self):
    """The real part: a view for complex tensors, the tensor itself for others."""
    return select(view_as_real(self), -1, 0) if self.is_complex() else self


@checked
def imag(self):
    """The imaginary part, a view. RuntimeError for tensors that are not complex."""
    return select(view_as_real(self), -1, 1)


# -- copies --------------------------------------------------------------------------------------------------------------


@op("linear", self=lambda g: g)
def clone(self):
    """A copy with its own memory, with the strides in the same order; the gradient passes through."""
    return self.copy(order="C" if 0 in self.strides else "K")


@op("linear", self=lambda g: g, name="Clone0")
def clone_rows(self):
    """A copy in row-major order."""
    return self.copy()


def contiguous(self):
    """An array or Tensor with its elements in row-major order: itself when they are already."""
    array = self if isinstance(self, np.ndarray) else self._array
    return self if array.flags.c_contiguous else clone_rows(self)


@op("linear", self=lambda g: g, name="ToCopy0")
def to_copy(self, dtype):
    """A copy in another dtype; the gradient comes back in the dtype of the input."""
    return as_real(self, dtype.numpy, 6).astype(dtype.numpy)


def as_real(values, kind, stacklevel=2):
    """Values as they are brought to a dtype: with a warning without their imaginary parts, if it has none."""
    if values.dtype.kind != "c" or kind.kind in "cb":
        return values
    if values.size:
        warnings.warn(errors.CASTS_COMPLEX, UserWarning, stacklevel=stacklevel)
    return values.real


@op("linear", tensors=lambda g, tensors_sym_sizes, dim: cut(g, tensors_sym_sizes, dim), name="Cat0")
def cat_list(tensors, dim):
    """Arrays one after the other along a dimension."""
    arrays = met(tensors)
    return by_rows(np.concatenate([t for t in arrays if t.shape != (0,)] or arrays[:1], dim))


def met(arrays):
    """Arrays in the one dtype in which they meet."""
    kind = result_type(*arrays).numpy
    return [a.astype(kind, copy=False) for a in arrays]


def cut(g, shapes, dim):
    """The cotangent of a concatenation, cut into the parts of its inputs."""
    parts, start = [], 0
    for shape in shapes:
        if shape == (0,):  # PyTorch allows an empty vector among tensors of any rank
            parts.append(slice_dim(reshape(g, (-1,)), 0, 0, 0, 1))
            continue
        parts.append(slice_dim(g, dim, start, start + shape[dim], 1))
        start += shape[dim]
    return parts


@checked
def cat(tensors, dim=0):
    """Tensors one after the other along a dimension."""
    shapes = [tuple(t.shape) for t in tensors if tuple(t.shape) != (0,)]
    if not shapes:
        return cat_list(tuple(tensors), 0)
    return cat_list(tuple(tensors), dimension(dim, len(shapes[0])))


@op(
    "linear",
    tensors=lambda g, tensors_sym_sizes, dim: [select(g, dim, k) for k in range(len(tensors_sym_sizes))],
    name="Stack0",
)
def stack_list(tensors, dim):
    """Arrays side by side along a new dimension."""
    return by_rows(np.stack(met(tensors), dim))


@checked
def stack(tensors, dim=0):
    """Tensors of one shape side by side along a new dimension."""
    return stack_list(tuple(tensors), dimension(dim, len(tensors[0].shape) + 1))


@op("linear", self=lambda g, repeats, self_sym_sizes: _unrepeat(g, repeats, self_sym_sizes), name="Repeat0")
def repeat_tiles(self, repeats):
    """Copies side by side."""
    return by_rows(np.tile(self, repeats))


def _unrepeat(g, repeats, sizes):
    lead = len(repeats) - len(sizes)
    split = [n for r, s in zip(repeats, (1,) * lead + tuple(sizes), strict=True) for n in (r, s)]
    tiles = tuple(range(0, 2 * len(repeats), 2))
    return reshape(reshape(g, split).sum(tiles), sizes)


@checked
def repeat(self, *repeats):
    """Copies side by side: ``repeats[i]`` times along dimension i."""
    return repeat_tiles(self, sizes_of(repeats))


@op("linear", self=lambda g, dims: flip_dims(g, dims), name="Flip0")
def flip_dims(self, dims):
    """Reversed along dimensions."""
    return np.flip(self, dims if self.ndim else ()).copy()


def flip(self, *dims):
    """Reversed along the dimensions given."""
    return flip_dims(self, distinct(sizes_of(dims), len(self.shape)))


@op("linear", self=lambda g, shifts, dims: roll_dims(g, tuple(-s for s in shifts), dims), name="Roll0")
def roll_dims(self, shifts, dims):
    """Shifted along dimensions; what falls out comes in at the other end."""
    return np.roll(np.ascontiguousarray(self) if self.ndim else self, shifts if dims else shifts[0], dims or None)


@checked
def roll(self, shifts, dims=()):
    """Shifted by ``shifts`` along ``dims`` (flattened when none are given)."""
    shifts, dims = (tuple(v) if isinstance(v, Sequence) else (v,) for v in (shifts, dims))
    return roll_dims(self, shifts, dims)


@op("linear", self=lambda g, diagonal: tril(g, diagonal))
def tril(self, diagonal=0):
    """The lower triangle; zeros elsewhere."""
    return by_rows(np.tril(self, diagonal))


@op("linear", self=lambda g, diagonal: triu(g, diagonal))
def triu(self, diagonal=0):
    """The upper triangle; zeros elsewhere."""
    return by_rows(np.triu(self, diagonal))
