"""dtype objects with torch's names, and torch's rules of type promotion.

Source: PyTorch, "Tensor Attributes", type promotion: a tensor with dimensions outranks a zero-dimensional one, which
outranks a Python number; a lower rank changes the dtype only when it is of a higher category (bool < int < float < complex).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import errors

__all__ = [
    "can_cast", "complex64", "complex128", "dtype", "finfo", "float16", "float32", "float64", "get_default_dtype", "iinfo", "int8",
    "int16", "int32", "int64", "promote_types", "set_default_dtype", "uint8",
]  # fmt: skip

_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


class dtype:
    """A type of tensor elements, printed as ``minigrad.float32``.

    >>> import minigrad as mg
    >>> mg.float32, mg.float32.itemsize, mg.float32.is_floating_point
    (minigrad.float32, 4, True)
    """

    def __init__(self, name: str, scalar_type: str, tensor_type: str, cpp: str):
        self.name = name
        self.numpy = np.dtype(name)
        self.scalar_type = scalar_type  # as error messages call it: Float, Long, ComplexFloat
        self.tensor_type = tensor_type  # as Tensor.type() calls it: FloatTensor
        # As a few messages call it, which have no name of a tensor's type for bool and complex.
        self.kind = (
            f"CPU{scalar_type}Type" if scalar_type == "Bool" or "Complex" in scalar_type else f"minigrad.{tensor_type}"
        )
        self.cpp = cpp  # as a few messages call it, after the type in C++
        self.category = _CATEGORY[self.numpy.kind]
        self.itemsize = self.numpy.itemsize
        self.is_floating_point = self.numpy.kind == "f"
        self.is_complex = self.numpy.kind == "c"
        self.is_signed = self.numpy.kind in "ifc"

    def __repr__(self) -> str:
        return f"minigrad.{self.name}"

    def __reduce__(self) -> str:
        return self.name  # pickled and copied by name: there is one object per dtype


bool_ = dtype("bool", "Bool", "BoolTensor", "bool")
uint8 = dtype("uint8", "Byte", "ByteTensor", "unsigned char")
int8 = dtype("int8", "Char", "CharTensor", "signed char")
int16 = dtype("int16", "Short", "ShortTensor", "short int")
int32 = dtype("int32", "Int", "IntTensor", "int")
int64 = dtype("int64", "Long", "LongTensor", "long int")
float16 = dtype("float16", "Half", "HalfTensor", "c10::Half")
float32 = dtype("float32", "Float", "FloatTensor", "float")
float64 = dtype("float64", "Double", "DoubleTensor", "double")
complex64 = dtype("complex64", "ComplexFloat", "ComplexFloatTensor", "c10::complex<float>")
complex128 = dtype("complex128", "ComplexDouble", "ComplexDoubleTensor", "c10::complex<double>")

ALL = (bool_, uint8, int8, int16, int32, int64, float16, float32, float64, complex64, complex128)
_FROM_NUMPY = {d.numpy: d for d in ALL}
_COMPLEX_OF = {float16: complex64, float32: complex64, float64: complex128}
_default = float32


def of(array: np.ndarray) -> dtype:
    """The dtype of an array, or a TypeError that names the dtypes there are."""
    try:
        return _FROM_NUMPY[array.dtype]
    except KeyError:
        kind = f"{array.dtype.type.__module__}.{array.dtype.type.__name__}"
        raise TypeError(f"can't convert np.ndarray of type {kind}. There are: {', '.join(d.name for d in ALL)}.") from None


def scalar(value: bool | int | float | complex, target: np.dtype) -> np.ndarray:
    """A number as an array of a dtype without dimensions. RuntimeError when it is too large for it.

    Fractions are cut off, and a small negative integer wraps around in an unsigned dtype, as in PyTorch.
    """
    kind = _FROM_NUMPY[target]
    if kind is bool_:
        value, fits = bool(value), True
    elif kind.category == 1:
        limits = np.iinfo(target)
        low = -int(limits.max) if limits.min == 0 and isinstance(value, int) else int(limits.min)
        fits = not isinstance(value, complex) and low <= value <= limits.max
        value = int(value) if fits else value  # type: ignore[arg-type]
    else:
        largest = float(np.finfo(target).max)
        fits = not (isinstance(value, complex) and kind.category < 3 and value.imag)
        fits = fits and not any(math.isfinite(x) and abs(x) > largest for x in (value.real, value.imag))
    if not fits:
        name = {uint8: "uint8_t", int8: "int8_t", int16: "int16_t", int64: "int64_t"}.get(kind, kind.cpp)
        raise errors.OVERFLOW(name)
    return np.asarray(value.real if isinstance(value, complex) and kind.category < 3 else value).astype(target)


class finfo:
    """The limits of a floating point dtype. ValueError for another.

    >>> import minigrad as mg
    >>> mg.finfo(mg.float32).eps
    1.1920928955078125e-07
    """

    def __init__(self, type: dtype | None = None):
        limits = np.finfo((type or _default).numpy)
        self.bits, self.dtype = limits.bits, limits.dtype.name
        for name in ("resolution", "min", "max", "eps", "smallest_normal", "tiny"):
            setattr(self, name, float(getattr(limits, name)))


class iinfo:
    """The limits of an integer dtype. ValueError for another.

    >>> import minigrad as mg
    >>> mg.iinfo(mg.uint8).max
    255
    """

    def __init__(self, type: dtype):
        limits = np.iinfo(type.numpy)
        self.bits, self.dtype, self.min, self.max = limits.bits, type.name, int(limits.min), int(limits.max)


def get_default_dtype() -> dtype:
    """The dtype that Python floats become. ``minigrad.float32`` unless ``set_default_dtype`` changed it.

    >>> import minigrad as mg
    >>> mg.get_default_dtype()
    minigrad.float32
    """
    return _default


def set_default_dtype(d: dtype) -> None:
    """Choose the dtype that Python floats become: float16, float32 or float64.

    >>> import minigrad as mg
    >>> mg.set_default_dtype(mg.float64); mg.tensor(0.5).dtype
    minigrad.float64
    >>> mg.set_default_dtype(mg.float32)
    """
    global _default
    if not (isinstance(d, dtype) and d.is_floating_point):
        raise TypeError("only floating-point types are supported as the default type")
    _default = d


def of_number(value: bool | int | float | complex) -> dtype:
    """The dtype a Python number has when it becomes a tensor.

    >>> of_number(1), of_number(0.5), of_number(True)
    (minigrad.int64, minigrad.float32, minigrad.bool)
    """
    if isinstance(value, (bool, np.bool_)):
        return bool_
    if isinstance(value, (int, np.integer)):
        return int64
    return _COMPLEX_OF[_default] if isinstance(value, (complex, np.complexfloating)) else _default


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest dtype of at least the category of both that holds both kinds.

    >>> import minigrad as mg
    >>> mg.promote_types(mg.int64, mg.float16), mg.promote_types(mg.uint8, mg.int8)
    (minigrad.float16, minigrad.int16)
    """
    if a is b:
        return a
    low, high = sorted((a, b), key=lambda d: d.category)
    if low.category < high.category and not (low.is_floating_point and high.is_complex):
        return high  # NumPy would widen int64 with float32 to float64; torch does not
    return _FROM_NUMPY[np.promote_types(a.numpy, b.numpy)]


def combine(dimensioned: dtype | None, zero_dim: dtype | None, number: dtype | None) -> dtype:
    """One dtype out of the three ranks that take part, each None where nobody stands there."""
    result = dimensioned
    for lower in (zero_dim, number):
        if lower is None:
            continue
        if result is None:
            result = lower
        elif lower.category > result.category:
            if lower.is_complex and result.is_floating_point:
                lower = _COMPLEX_OF[result]  # the width of the floats is kept
            result = lower if result.category < 2 or lower.is_complex else result
    assert result is not None
    return result


def result_type(*operands: Any) -> dtype:
    """The dtype in which arrays (of any rank) and Python numbers meet."""
    ranks: list[dtype | None] = [None, None, None]
    for x in operands:
        if hasattr(x, "ndim") and not isinstance(x, np.generic):
            rank, d = (0 if x.ndim else 1), of(x)
        else:
            rank, d = 2, of_number(x)
        seen = ranks[rank]
        ranks[rank] = d if seen is None else promote_types(seen, d)
    return combine(*ranks)


def can_cast(source: dtype, target: dtype) -> bool:
    """Whether torch writes a result of one dtype into a tensor of the other: never to a lower category.

    >>> import minigrad as mg
    >>> mg.can_cast(mg.float64, mg.float32), mg.can_cast(mg.float32, mg.int64)
    (True, False)
    """
    return source.category <= target.category
