"""``x[...]`` to read and to write, and the operations that pick elements by index or mask.

As in PyTorch, a bracket is a chain of simple operations: an int selects, a slice slices, ``None`` unsqueezes, and what is
left over (masks, index tensors, lists) is one ``index`` at the end. So ``x[0]`` prints ``SelectBackward0``. Writing makes
the same chain of views and copies into the last of them.
"""

from __future__ import annotations

import operator

import numpy as np

from .. import errors
from ..core.record import choice, op
from ..core.rule import checked
from ..core.seams import state
from ..core.tensor import Tensor, dimension
from ..core.tensor import wrap as _wrap
from ..core.views import in_place
from ..dtypes import scalar
from .pointwise import by_rows, flat, mixed, named, where
from .shape import added, alias, as_real, expand, placed, select, slice_dim, unsqueeze_dim, view_as_shape

_END = 2**63 - 1


def _keys(given, shape) -> list:
    """The index as a list of steps, each with its place in the index, the ellipsis filled in. Raises what torch raises."""
    items = list(given) if isinstance(given, tuple) else [given]
    for k, item in enumerate(items):
        if isinstance(item, (list, range, np.ndarray)):
            item = items[k] = _wrap(_plain(item))
        if isinstance(item, Tensor) and item._array.dtype == np.uint8:
            raise errors.lacks("index of bytes: make it bool or long")
        if isinstance(item, Tensor) and not item._array.ndim and item._array.dtype.kind in "bui":
            items[k] = item._array.item()
        elif not isinstance(item, (int, slice, Tensor)) and hasattr(item, "__index__"):
            items[k] = item.__index__()
    taken = sum(_rank(item) for item in items)
    if not shape and isinstance(given, slice):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if taken > len(shape):
        raise errors.INDEX_ZERO_DIM() if not shape and isinstance(given, int) else errors.TOO_MANY_INDICES(len(shape))
    keys: list = list(enumerate(items))
    place = next((k for k, item in keys if item is Ellipsis), None)
    if place is not None:
        keys[place : place + 1] = [(place, slice(None))] * (len(shape) - taken)
    return [key for key in keys if key[1] is not Ellipsis]


def _plain(item):
    """The positions in a list or array: whole numbers, as PyTorch makes them of all numbers but truth values and bytes."""
    array = np.asarray(item)
    if array.dtype.kind not in "buif":
        raise errors.INDEX_TYPE(array.dtype.name)
    return array if array.dtype == bool else array.astype(np.int64)


def _rank(item) -> int:
    """How many dimensions one entry of an index takes up."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, Tensor) and item._array.dtype.kind == "b":
        return item._array.ndim
    return 1


def _views(self, index):
    """The chain of views for the simple entries, and the tensors for the rest: (view, indices or None)."""
    result, dim, indices = self, 0, {}
    for position, item in _keys(index, tuple(self.shape)):
        if isinstance(item, bool):
            result = unsqueeze_dim(result, dim)
            indices[dim] = _wrap(np.asarray([0] if item else [], dtype=np.int64))
            dim += 1
        elif isinstance(item, int):
            size = result.shape[dim]
            if not -size <= item < size:
                raise errors.INDEX_RANGE(item, position, size)
            result = select(result, dim, item)
        elif isinstance(item, slice):
            start, stop, step = _bounds(item)
            if (start, step) != (0, 1) or stop < result.shape[dim]:
                result = slice_dim(result, dim, start, stop, step)
            dim += 1
        elif item is None:
            result = unsqueeze_dim(result, dim)
            dim += 1
        else:
            if not isinstance(item, Tensor):
                raise (errors.NEW_TYPE if isinstance(item, str) else errors.INDEX_TYPE)(type(item).__name__)
            indices[dim] = item
            dim += item._array.ndim if item._array.dtype.kind == "b" else 1
    return result, _aligned(result, indices) if indices else None


def _bounds(item: slice) -> tuple[int, int, int]:
    """Start, stop and step of a slice, as numbers."""
    start, stop, step = (None if v is None else v.__index__() for v in (item.start, item.stop, item.step))
    if step is not None and step <= 0:
        raise ValueError(errors.SLICE_STEP if step else "slice step cannot be zero")
    return start or 0, _END if stop is None else stop, 1 if step is None else step


@checked
def _aligned(self, indices: dict) -> tuple:
    """The tensors of positions and masks in the order of the dimensions; None for each dimension that stays."""
    entries, dim = [], 0
    while dim <= max(indices):
        entries.append(indices.get(dim))
        dim += _rank(entries[-1]) or 1
    return tuple(entries)


def _numpy_index(indices) -> tuple:
    return tuple(slice(None) if i is None else i for i in indices)


@op(
    "linear",
    self=lambda g, self_sym_sizes, indices: index_put_zeros(g, self_sym_sizes, indices),
    constants=("indices",),
    name="Index0",
)
def index(self, indices):
    """The elements at positions given by tensors, one per dimension or None."""
    return by_rows(self[_numpy_index(indices)])


@op("linear", grad=lambda g, indices: index(g, indices), constants=("indices",), name="IndexPut0")
def index_put_zeros(grad, input_sizes, indices):
    """Zeros with the cotangent added at positions; a position that was read twice receives twice."""
    return added(grad, input_sizes, _numpy_index(indices))


def getitem(self, index_):
    """``self[index]``: views for ints, slices, None and ``...``; a copy for masks, index tensors and lists."""
    if type(index_) is int and self._array.ndim and -(size := len(self._array)) <= index_ < size:
        return select(self, 0, index_)  # by far the most frequent one
    view, indices = _views(self, index_)
    if indices is not None:
        return index(view, indices)
    if view is not self:
        return view
    return slice_dim(self, 0, *_bounds(index_)) if isinstance(index_, slice) else alias(self)


@op(
    "linear",
    weight=lambda g, weight_sym_sizes, indices, padding_idx: index_put_zeros(
        g if padding_idx is None else where(unsqueeze_dim(indices == padding_idx, -1), 0.0, g), weight_sym_sizes, (indices,)
    ),
    constants=("indices",),
)
def embedding(weight, indices, padding_idx):
    """The rows of a matrix at positions. The row padding_idx gets no gradient."""
    return weight[indices]


# -- writing -------------------------------------------------------------------------------------------------------------


@op("linear", self=flat, other=lambda g: g, name="minigrad::autograd::CopyBackwards", numbers=True)
def copied(self, other):
    """What is left when other is copied over self: other, broadcast, in the dtype of self."""
    fits = isinstance(other, np.ndarray) and other.shape == self.shape
    return as_real(other if fits else np.broadcast_to(other, self.shape), self.dtype).astype(self.dtype)


copy_ = in_place(copied, "copy_")


@op("elementwise", self=flat, name="Fill2")
def filled(self, value):
    """A tensor of one number."""
    return np.full_like(self, scalar(value, self.dtype))


@op("linear", self=flat, value=lambda g: g.sum(), name="Fill3")
def filled_from(self, value):
    """A tensor of one number that is itself a tensor."""
    return np.full_like(self, as_real(value, self.dtype)) if self.size else self


fill_number_, fill_tensor_ = in_place(filled), in_place(filled_from)


def fill_(self, value):
    """Every element becomes ``value``: a number, or a tensor of zero dimensions."""
    return (fill_tensor_ if isinstance(value, Tensor) else fill_number_)(self, value)


@op("linear", self=flat, name="Zero0")
def zeroed(self):
    """Zeros in place of a tensor."""
    return np.zeros_like(self)


zero_ = in_place(zeroed)


def _drawn(called):
    def forward(self, numbers):
        """Random numbers, which were drawn before, in place of a tensor."""
        return np.array(numbers, self.dtype).reshape(self.shape)

    return op("elementwise", self=flat, name=f"{called.capitalize()}0")(named(forward, called))


uniform, normal, bernoulli = map(_drawn, ("uniform", "normal", "bernoulli"))


@op(
    "linear",
    self=lambda g, indices, accumulate: g if accumulate else index_fill_zero(g, indices),
    values=lambda g, indices: index(g, indices),
    constants=("indices",),
    name="IndexPut0",
)
def index_put(self, indices, values, accumulate=False):
    """self with ``values`` put (or added) at positions given by tensors."""
    places = _numpy_index(indices)
    if not accumulate and values.size == 1 and fills(indices):
        values = scalar(values.item(), self.dtype).reshape(values.shape)  # PyTorch fills it in, and so converts it
    result = self.copy(order="K")
    if accumulate:
        np.add.at(result, places, values)
    else:
        result[places] = values
    return result


def fills(indices) -> bool:
    """Whether an index picks elements by a mask only."""
    return all(getattr(i, "_array", i).dtype == bool for i in indices if i is not None)


@op("linear", self=lambda g, indices: index_fill_zero(g, indices), constants=("indices",), name="IndexPut0")
def index_fill_zero(self, indices):
    """self with zeros at positions: what reaches the old values below a write."""
    result = self.copy()
    result[_numpy_index(indices)] = 0
    return result


index_put_at = index_put


@checked
def _by_dimension(self, indices):
    places, dim = {}, 0
    for tensor in indices:
        places[dim] = tensor
        dim += _rank(tensor)
    return _aligned(self, places)


@choice
def index_put(self, indices, values, accumulate=False):  # type: ignore[no-redef]
    """self with ``values`` put, or added, at the positions that tensors of indices (or masks) give."""
    return index_put_at, (self, _by_dimension(self, indices), values, accumulate)


_put_in_place = in_place(index_put_at)


def setitem(self, index_, value):
    """``self[index] = value``. RuntimeError, before anything is written, where torch refuses the write."""
    key = _simple(index_)
    view, indices = None if key is None else _part_to_write(self, key), None
    if view is None:
        view, indices = _views(self, index_)
    if not isinstance(value, Tensor):
        if not isinstance(value, (bool, int, float, complex, np.integer)):
            raise TypeError(f"can't assign a {errors.kind_of(value)} to a minigrad.{self.dtype.tensor_type}")
        value = _wrap(scalar(value.item() if isinstance(value, np.generic) else value, self._array.dtype))
    if indices is None and value._array.shape == view._array.shape:
        copy_(view, value)
    elif indices is None and not value.shape:
        fill_(view, value)
    elif indices is None:
        value = _without_leading_ones(value)
        copy_(view, value if value.shape == view.shape else expand(value, view.shape))
    else:
        _put_in_place(view, indices, _without_leading_ones(value) if 1 in value.shape[:1] else value)


def _part_to_write(self, key) -> Tensor | None:
    """The view that a simple index gives, for a write that alone will see it; None where the usual way has to be gone."""
    if state.extension is not None or self._view is not None:
        return None
    try:
        part = _wrap(self._array[key])
    except IndexError:  # tried again, for who explains it
        return None
    if part._array.shape == self._array.shape:
        return None
    self._make_views((part,), operator.getitem, (key,), False)
    if part._view is not None:
        part._view.passing = True
    return part


def _simple(index_) -> tuple | None:
    """An index of numbers and slices forward, as NumPy needs it to make a view, also of one element; None for any other."""
    items = index_ if type(index_) is tuple else (index_,)
    for item in items:
        if type(item) is not int and (type(item) is not slice or item.step not in (None, 1)):
            return None
    return (*items, ...)


def _without_leading_ones(value):
    """torch drops leading dimensions of size 1 before it broadcasts a value, by a view."""
    shape = list(value.shape)
    while shape and shape[0] == 1:
        shape.pop(0)
    return view_as_shape(value, tuple(shape))


# -- masks and index tensors ---------------------------------------------------------------------------------------------


@mixed(
    self=lambda g, mask: where(mask, 0.0, g),
    value=lambda g, mask: where(mask, g, 0.0).sum(),
    constants=("mask",),
    tensor="MaskedFill1",
    number="MaskedFill0",
    between=2,
)
def masked_fill(self, mask, value):
    """self with a number, or a tensor of zero dimensions, where the mask is true."""
    filling = value.astype(self.dtype) if isinstance(value, np.ndarray) else scalar(value, self.dtype)
    return by_rows(np.where(mask, filling, self))


@op(
    "linear",
    self=lambda g, self, mask: masked_scatter_zeros(g, tuple(self.shape), mask),
    constants=("mask",),
    name="MaskedSelect0",
)
def masked_select(self, mask):
    """The elements where the mask is true, as a vector. The two broadcast against each other."""
    self, mask = np.broadcast_arrays(self, mask)
    return self[mask]


@op("linear", grad=lambda g, mask: masked_select(g, mask), constants=("mask",), name="MaskedScatter0")
def masked_scatter_zeros(grad, input_sizes, mask):
    """Zeros with the cotangent, element after element, where the mask is true."""
    shape = np.broadcast_shapes(input_sizes, mask.shape)
    return placed(grad, shape, np.broadcast_to(mask, shape))


@op(
    "linear",
    self=lambda g, self_sym_sizes, dim, index: index_add_zeros(g, self_sym_sizes, dim, index),
    constants=("index",),
    name="IndexSelect0",
)
def index_select_dim(self, dim, index):
    """The entries of one dimension at the positions of a vector."""
    return np.take(self, np.atleast_1d(index), dim) if self.ndim else self.copy()


@op("linear", grad=lambda g, dim, index: index_select_dim(g, dim, index), constants=("index",), name="IndexAdd0")
def index_add_zeros(grad, input_sizes, dim, index):
    """Zeros with the cotangent added along a dimension."""
    return added(grad, input_sizes, (slice(None),) * dim + (index,) if input_sizes else ())


@checked
def index_select(self, dim, index):
    """The entries of one dimension at the positions of a vector, as a copy."""
    return index_select_dim(self, dimension(dim, len(self.shape)), index)


@op(
    "linear",
    self=lambda g, self_sym_sizes, dim, index: scatter_add_zeros(g, self_sym_sizes, dim, index),
    constants=("index",),
    always_saved=("self",),
    name="Gather0",
)
def gather_dim(self, dim, index):
    """Along a dimension, the elements at the positions that index gives for each place."""
    return by_rows(np.asarray(self[_grid(index, dim)]))


@op("linear", grad=lambda g, dim, index: gather_dim(g, dim, index), constants=("index",), name="ScatterAdd0")
def scatter_add_zeros(grad, input_sizes, dim, index):
    """Zeros with the cotangent added at the positions that were gathered."""
    return added(grad, input_sizes, _grid(index, dim))


def _grid(index, dim):
    if not index.ndim:
        return ()
    grid = list(np.ogrid[tuple(slice(n) for n in index.shape)])
    grid[dim] = index
    return tuple(grid)


@checked
def gather(self, dim, index):
    """Along a dimension, the elements at the positions that ``index`` gives for each place."""
    return gather_dim(self, dimension(dim, len(self.shape)), index)


@op(
    "linear",
    self=lambda g: g,
    src=lambda g, dim, index: gather_dim(g, dim, index),
    constants=("index",),
    name="ScatterAdd0",
)
def scatter_add_dim(self, dim, index, src):
    """self with the elements of src added at the positions that index gives along a dimension."""
    result = self.copy()
    np.add.at(result, _grid(index, dim), src[tuple(slice(n) for n in index.shape)])
    return result


@choice
@checked
def scatter_add(self, dim, index, src):
    """self with the elements of ``src`` added at the positions that ``index`` gives along a dimension."""
    return scatter_add_dim, (self, dimension(dim, len(self.shape)), index, src)
