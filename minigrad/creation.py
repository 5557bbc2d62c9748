"""Making tensors: from data, of one value, in a range. Random ones are made in random.py."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import dtypes, errors
from .compat.attributes import Size
from .compat.attributes import device as Device
from .core.rule import checked
from .core.tensor import Tensor
from .core.tensor import wrap as _wrap
from .dtypes import dtype as DType
from .modes import state
from .ops.shape import sizes_of
from .signatures import guarded

__all__ = [
    "BoolTensor", "DoubleTensor", "FloatTensor", "IntTensor", "LongTensor", "arange", "as_tensor", "empty", "empty_like", "eye",
    "from_numpy", "full", "full_like", "linspace", "ones", "ones_like", "tensor", "zeros", "zeros_like",
]  # fmt: skip


def _finish(array: np.ndarray, dtype: DType | None, requires_grad: bool) -> Tensor:
    if dtype is not None:
        array = array.astype(dtype.numpy, copy=False)
    result = _wrap(array)
    if requires_grad and array.dtype.kind not in "fc":
        raise errors.FLOATS_ONLY_NEW()
    result._requires_grad = requires_grad
    return result


def _maker(make: Callable) -> Callable:
    """A public function that makes tensors: a device may be named, and wrong arguments are told in PyTorch's words."""

    checked = guarded(make, make.__name__)

    @functools.wraps(make)
    def function(*args: Any, device: Any = None, **kwargs: Any) -> Tensor:
        if device is not None:
            Device(device)
        return checked(*args, **kwargs)

    return function


def _floats(dtype: DType | None) -> np.dtype:
    return (dtypes.get_default_dtype() if dtype is None else dtype).numpy


def _from_data(data: Any, dtype: DType | None) -> np.ndarray:
    """A new array with the data of numbers, nested sequences, arrays or Tensors."""
    if isinstance(data, Tensor):
        return np.array(data._array)
    if isinstance(data, (np.ndarray, np.generic)):
        return np.array(_usable(data))
    if isinstance(data, (bool, int, float, complex)):
        return _array(data, dtype or dtypes.of_number(data))
    shape: list[int] = []
    numbers: list = []
    kinds: set[DType] = set()
    _walk(data, 0, shape, numbers, kinds)
    return _array(numbers, dtype or functools.reduce(dtypes.promote_types, kinds or {dtypes.get_default_dtype()})).reshape(shape)


@checked
def _usable(array: Any) -> Any:
    """An array of a dtype and a layout that tensors may have. TypeError and ValueError for others."""
    dtypes.of(array)
    return array


def _array(numbers: Any, kind: DType) -> np.ndarray:
    try:
        return state.quietly(np.array, numbers, kind.numpy)  # too large a number is infinite, and nothing is said
    except (OverflowError, TypeError, ValueError):
        flat = numbers if isinstance(numbers, list) else [numbers]
        if any(not -(2**63) <= n < 2**63 for n in flat if isinstance(n, int)):
            raise errors.LONG_LONG() from None
        return np.array([dtypes.scalar(n, kind.numpy) for n in flat], kind.numpy).reshape(np.shape(numbers))


def _walk(data: Any, dim: int, shape: list[int], numbers: list, kinds: set[DType]) -> None:
    """Collect the numbers of nested sequences, their dtypes, and the shape, which the first entry of every level sets."""
    if isinstance(data, Tensor) and data.requires_grad:
        warnings.warn(errors.TO_SCALAR, UserWarning, stacklevel=3)
    of_array = isinstance(data, (Tensor, np.ndarray, np.generic))
    if of_array:
        kinds.add(data.dtype if isinstance(data, Tensor) else dtypes.of(data))
    if isinstance(data, Tensor):
        data = data._number()
    elif isinstance(data, np.ndarray) and data.ndim == 0:
        data = data.item()
    if isinstance(data, (Sequence, np.ndarray)) and not isinstance(data, (str, bytes)):
        if len(shape) == dim:
            if numbers:
                raise TypeError(f"must be real number, not {type(data).__name__}")
            shape.append(len(data))
        elif shape[dim] != len(data):
            raise errors.RAGGED(shape[dim], dim, len(data))
        for item in data:
            _walk(item, dim + 1, shape, numbers, kinds)
    elif isinstance(data, (bool, int, float, complex, np.generic)):
        if len(shape) > dim:
            raise TypeError("not a sequence")
        numbers.append(data)
        if not of_array:
            kinds.add(dtypes.of_number(data))  # type: ignore[arg-type]
    elif isinstance(data, (str, bytes)):
        raise errors.NEW_TYPE(type(data).__name__)
    else:
        raise errors.CONTENT_TYPE(type(data).__name__)


@_maker
def tensor(data: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A leaf with a copy of the data: numbers, nested sequences of them, or an array.

    Python floats become the default dtype, ints int64. RuntimeError for integers that shall require grad, ValueError for
    rows of different lengths, TypeError for what holds no numbers.

    >>> import minigrad as mg
    >>> mg.tensor([[1., 2.], [3., 4.]]).shape
    minigrad.Size([2, 2])
    """
    if isinstance(data, Tensor):
        warnings.warn(errors.COPY_TENSOR.format("minigrad.tensor"), UserWarning, stacklevel=3)
    return _finish(_from_data(data, dtype), dtype, requires_grad)


@_maker
def as_tensor(data: Any, dtype: DType | None = None) -> Tensor:
    """The data as a Tensor, without a copy where none is needed: a Tensor itself, an array sharing its memory."""
    if isinstance(data, Tensor):
        return data if dtype is None or dtype is data.dtype else data.to(dtype)
    return _finish(_usable(data) if isinstance(data, np.ndarray) else _from_data(data, dtype), dtype, False)


@checked
def from_numpy(array: np.ndarray) -> Tensor:
    """A Tensor that shares the array's memory. TypeError for anything but an array."""
    return _wrap(_usable(array))


@checked
def _shape(size: tuple, name: str) -> tuple[int, ...]:
    return sizes_of(size)


@_maker
def zeros(*size: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros.

    >>> import minigrad as mg
    >>> mg.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    return _finish(np.zeros(_shape(size, "zeros"), _floats(dtype)), None, requires_grad)


@_maker
def ones(*size: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones."""
    return _finish(np.ones(_shape(size, "ones"), _floats(dtype)), None, requires_grad)


@_maker
def empty(*size: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor whose elements are not set. Here they are zeros, so that a program prints the same twice."""
    return _finish(np.zeros(_shape(size, "empty"), _floats(dtype)), None, requires_grad)


@_maker
def full(size: Sequence[int], fill_value: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one value, in the dtype of that value unless one is given."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    kind = dtype or dtypes.of_number(value)
    return _finish(np.full(_shape((size,), "full"), dtypes.scalar(value, kind.numpy)), None, requires_grad)


@_maker
@checked
def eye(n: int, m: int | None = None, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Ones on the diagonal of an (n, m) matrix, zeros elsewhere."""
    return _finish(np.eye(n, m, dtype=_floats(dtype)), None, requires_grad)


_FUSED = np.dtype(np.float32), np.dtype(np.float64)  # in which PyTorch rounds a · b + c once


def _fused(a: np.ndarray, b: Any, c: Any) -> np.ndarray:
    """a · b + c, rounded once, as a processor does that has an instruction for both. a: float32 or float64."""
    if a.dtype == np.float32:
        return (np.asarray(a, np.float64) * np.float64(np.float32(b)) + np.float64(np.float32(c))).astype(np.float32)
    product, (a1, a2), (b1, b2) = a * b, _halves(a), _halves(b)
    total = product + c
    lost = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2
    return total + ((product - (total - (total - product))) + (c - (total - product)) + lost)


def _halves(x: Any) -> tuple[Any, Any]:
    """A float64 as a sum of two, whose products with other halves are exact."""
    high = x * 134217729.0
    high -= high - x
    return high, x - high


@_maker
@checked
def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """The numbers from start (0 when only one is given) up to, not including, end."""
    if end is None:
        start, end = 0, start
    kind = dtype or (
        dtypes.get_default_dtype() if any(isinstance(v, float) for v in (start, end, step)) else dtypes.int64
    )
    count = math.ceil((end - start) / step)
    values = _steps(start, step, count, kind.numpy) if kind.numpy in _FUSED else (np.arange(count) * step + start).astype(kind.numpy)
    return _finish(values, None, requires_grad)


def _steps(start: Any, step: Any, count: int, kind: np.dtype) -> np.ndarray:
    """start + k · step as PyTorch computes it, two vectors of 256 bits at a time, each from its first number, which is rounded."""
    numbers = np.arange(float(count))
    found, width = _fused(numbers, float(step), float(start)).astype(kind), 32 // kind.itemsize
    whole = count - count % (2 * width)
    found[:whole] = _fused(numbers[:width], float(step), found[:whole:width, None].astype(float)).ravel()
    return found


@_maker
@checked
def linspace(
    start: float, end: float, steps: int, *, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """``steps`` numbers from start to end, both included, at equal distances."""
    first, last = (x.item() if isinstance(x, Tensor) else x for x in (start, end))
    values = np.linspace(first, last, steps)
    if dtype is None and values.dtype.kind == "c":
        dtype = dtypes.promote_types(dtypes.get_default_dtype(), dtypes.complex64)
    kind = _floats(dtype)
    if kind in _FUSED:  # from both ends to the middle, as PyTorch does it
        numbers, (first, last) = np.arange(steps, dtype=kind), np.array([first, last], kind)
        step = (last - first) / kind.type(max(steps - 1, 1))
        near = _fused(numbers, step, first), _fused(numbers - kind.type(steps - 1), step, last)
        values = np.where(numbers < max(steps // 2, 1), *near)
    return _finish(values.astype(kind), None, requires_grad)


def _like(make):
    def function(
        input: Tensor, *args: Any, dtype: DType | None = None, requires_grad: bool = False, device: Any = None
    ) -> Tensor:
        shape = tuple(input._array.shape)
        dtype = dtype or input.dtype
        return make(shape, *args, dtype=dtype, requires_grad=requires_grad, device=device)

    function.__doc__ = f"``{make.__name__}`` in the shape and dtype of another tensor."
    return guarded(function, f"{make.__name__}_like")


zeros_like, ones_like, empty_like, full_like = map(_like, (zeros, ones, empty, full))


def _new(make):
    def method(
        self: Tensor, *args: Any, dtype: DType | None = None, requires_grad: bool = False, device: Any = None
    ) -> Tensor:
        if make is tensor and args and isinstance(args[0], Tensor):
            warnings.warn(errors.COPY_TENSOR.format("tensor.new_tensor"), UserWarning, stacklevel=3)
            args = (args[0]._array,)
        return make(*args, dtype=dtype or self.dtype, requires_grad=requires_grad, device=device)

    method.__name__ = f"new_{make.__name__}"
    method.__doc__ = f"``{make.__name__}`` in the dtype of this tensor."
    return method


new_zeros, new_ones, new_empty, new_full, new_tensor = (_new(make) for make in (zeros, ones, empty, full, tensor))


def _legacy(dtype: DType | None, *args: Any) -> Tensor:
    """An old constructor, such as ``FloatTensor``: sizes give a tensor of that shape, a sequence one with that data."""
    if len(args) == 1 and not isinstance(args[0], (int, Size)):
        return as_tensor(args[0], dtype=dtype or dtypes.get_default_dtype())
    return zeros(*args or (0,), dtype=dtype)


Tensor.__new__ = staticmethod(lambda cls, *args: _legacy(None, *args))  # type: ignore[method-assign, assignment]
FloatTensor, DoubleTensor, LongTensor, IntTensor, BoolTensor = (
    functools.partial(_legacy, d) for d in (dtypes.float32, dtypes.float64, dtypes.int64, dtypes.int32, dtypes.bool_)
)
