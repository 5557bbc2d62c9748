"""How operations become ``mg.exp(x)``, ``x.exp()``, ``x.exp_()`` and ``x + y``: the one place where names are given out."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from . import creation, dtypes, errors, random, serialization
from .compat.attributes import ReadOnly as _ReadOnly
from .compat.attributes import device as Device
from .compat.promotion import NUMBERS as _NUMBERS
from .core.rule import checked
from .core.seams import seams
from .core.tensor import OPERATIONS, Tensor
from .core.tensor import wrap as _wrap
from .core.views import in_place
from .modes import state
from .ops import indexing, matrix, pointwise, reduction, shape
from .signatures import guarded, number_of


def _operator(name: str, self: Tensor, other: Any) -> Any:
    """``x + y`` with something that is neither Tensor nor number: what Python is left with then names both types."""
    return _with_strange(OPERATIONS[name], "truediv" if name == "div" else name, self, other)


def _with_strange(call: Callable, symbol: str, self: Tensor, other: Any) -> Any:
    if isinstance(other, Tensor) or type(other) in _NUMBERS and symbol != "matmul":
        return call(self, other)
    if symbol == "matmul":
        return NotImplemented
    if isinstance(other, np.generic):
        return call(self, number_of(other))
    if isinstance(other, np.ndarray) and symbol in ("eq", "ne"):
        return creation.as_tensor(np.asarray(getattr(self.numpy(), f"__{symbol}__")(other)))
    return NotImplemented  # all else of an array NumPy computes then, which sees no tensor that requires grad


def _operand(call: Callable, symbol: str) -> Callable:
    """``x & y`` and ``x += y``: a Tensor or a number; anything else is left to Python, which then names both types."""

    def operator(self: Tensor, other: Any) -> Any:
        return _with_strange(call, symbol, self, other)

    operator.__name__ = f"__{symbol}__"
    return _made_hot(operator, call)


def _made_hot(operator: Callable, call: Callable) -> Callable:
    """An operator that two tensors, and a tensor and a number, do not even come to where the operation has a hot path."""
    return functools.update_wrapper(call.hot(operator), operator) if hasattr(call, "hot") else operator


def _reflected(call: Callable) -> Callable:
    """``2 - x``, of a number and a Tensor."""

    def operator(self: Tensor, other: Any) -> Any:
        return call(other, self) if type(other) in _NUMBERS else _as_number(operator, self, other)

    return operator


def _of_tensors(call: Callable) -> Callable:
    """A call of two tensors with a number first."""
    return lambda number, x: call(creation.tensor(number), x)


def _as_number(operator: Callable, self: Tensor, other: Any) -> Any:
    """The operator again with a scalar of NumPy's, or a number of another class, as Python's: it gives way to the tensor's dtype."""
    number = number_of(other) if isinstance(other, np.generic) else +other if isinstance(other, _NUMBERS) else None
    return operator(self, number) if type(number) in _NUMBERS else NotImplemented


def _rsub(number: Any, x: Tensor) -> Tensor:
    if type(number) is bool:
        return pointwise.sub(creation.tensor(number), x)  # which refuses, and says why
    return pointwise.rsub(x, number)


@checked
def _invert(self: Tensor) -> Tensor:
    """~self, of integers or bools."""
    return pointwise.bitwise_not(self)


@checked
def _pos(self: Tensor) -> Tensor:
    return self


@checked
def _iter(self: Tensor) -> Any:
    return iter(shape.unbind(self, 0))


def _to(
    self: Tensor, *args: Any, dtype: dtypes.dtype | None = None, device: Any = None, non_blocking: bool = False,
    copy: bool = False,
) -> Tensor:  # fmt: skip
    """This tensor in another dtype (or that of another tensor): itself when nothing changes and no copy is asked for.

    device: "cpu", because there is no other. non_blocking: nothing has to be waited for.
    """
    if len(args) > 1 and isinstance(args[-1], bool):  # non_blocking, or that and copy
        *args, _, copy = (*args, copy) if not isinstance(args[-2], bool) else args  # type: ignore[assignment]
    for arg in args if device is None else (*args, device):
        if isinstance(arg, Tensor):
            dtype = arg.dtype
        elif isinstance(arg, dtypes.dtype):
            dtype = arg
        elif isinstance(arg, np.dtype):  # the engine's way to name one
            dtype = dtypes._FROM_NUMPY[arg]
        elif arg is not None:
            Device(arg)
    if not copy and (dtype is None or dtype is self.dtype):
        return self
    if dtype is not None and dtype.category < 2:  # the end of differentiability: nothing is asked of the history
        return _wrap(state.quietly(shape.to_copy.op.checked, self._array, dtype))
    return shape.to_copy(self, dtype or self.dtype)


@checked
def _abs_(self: Tensor) -> Tensor:
    """The absolute value, in place."""
    return in_place(pointwise.abs)(self)


def _type_as(self: Tensor, other: Tensor) -> Tensor:
    """This tensor in the dtype of another."""
    return _to(self, other.dtype)


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """input where the condition holds, other elsewhere; a condition alone gives where it holds, a vector for each dimension.

    >>> import minigrad as mg
    >>> mg.where(mg.tensor([True, False]), mg.tensor([1., 2.]), 0.0)
    tensor([1., 0.])
    """
    if isinstance(condition, Tensor) and input is None and other is None:
        return reduction.nonzero(condition, as_tuple=True)
    return pointwise.where(_condition(condition), input, other)


@checked
def _condition(condition: Tensor) -> Tensor:
    return condition


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of so many indices each along a dimension; a list of sizes makes one view for each."""
    return tensor.split(split_size_or_sections, dim)


def is_tensor(obj: Any) -> bool:
    """Whether something is a Tensor."""
    return isinstance(obj, Tensor)


@checked
def _contains(self: Tensor, element: Any) -> bool:
    return bool((element == self).any().item())


def _cast(dtype: dtypes.dtype) -> Callable:
    def method(self: Tensor) -> Tensor:
        return _to(self, dtype)

    method.__doc__ = f"This tensor as {dtype}; itself when it is that already."
    return method


def _expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expanded to the shape of another tensor."""
    return shape.expand(self, other.shape)


def _view_as(self: Tensor, other: Tensor) -> Tensor:
    """Viewed in the shape of another tensor."""
    return shape.view(self, other.shape)


def _transposed(self: Tensor) -> Tensor:
    """All dimensions in reverse order."""
    if self.ndim != 2:
        warnings.warn(errors.T_RANK if self.ndim else errors.TRANSPOSED_0D.format("T"), UserWarning, stacklevel=2)
    return shape.permute_dims(self, tuple(range(self.ndim - 1, -1, -1)))


@checked
def _matrix_transposed(self: Tensor) -> Tensor:
    """The last two dimensions exchanged."""
    if not self.ndim:
        warnings.warn(errors.TRANSPOSED_0D.format("mT"), UserWarning, stacklevel=2)
        return self
    return shape.transpose(self, -2, -1)


@checked
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Where |input - other| ≤ atol + rtol · |other|. RuntimeError when the dtypes differ."""
    return _wrap(np.isclose(input._array, other._array, rtol, atol, equal_nan))


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether two tensors agree everywhere within a tolerance.

    >>> import minigrad as mg
    >>> mg.allclose(mg.tensor([0.1 + 0.2]), mg.tensor([0.3]))
    True
    """
    return bool(isclose(input, other, rtol, atol, equal_nan)._array.all())


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same elements."""
    return input._array.shape == other._array.shape and bool((input._array == other._array).all())


def result_type(a: Any, b: Any) -> dtypes.dtype:
    """The dtype in which two operands, Tensors or numbers, meet."""
    return dtypes.result_type(*(x._array if isinstance(x, Tensor) else x for x in (a, b)))


_CASTS = {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "long": dtypes.int64, "int": dtypes.int32,
    "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8, "bool": dtypes.bool_, "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
}  # fmt: skip
_METHODS = {
    "to": _to, "type_as": _type_as, "expand_as": _expand_as, "view_as": _view_as, "abs_": _abs_,
    "where": lambda self, condition, other: where(condition, self, other), "masked_fill_": in_place(indexing.masked_fill),
}  # fmt: skip


_ALL = (pointwise, reduction, shape, indexing, matrix, creation, random, dtypes, Tensor)
_ROOMS: dict[str, Any] = {room.__name__.rpartition(".")[2]: room for room in _ALL}  # type: ignore[attr-defined]
_LINES = [line.split() for line in errors.table("names.txt").splitlines() if line]


def _named(*kinds: str) -> dict[str, Callable]:
    """What names.txt lists under some kinds, by name."""
    chosen = ((_ROOMS[line[1]], name) for line in _LINES if line[0] in kinds for name in line[2:])
    return {name.partition("=")[0]: getattr(room, name.rpartition("=")[2]) for room, name in chosen}


def bind(namespace: dict[str, Any]) -> None:
    """Put the public functions into a namespace, and the methods and operators onto Tensor."""
    both = _named("both", "written") | {"isclose": isclose, "allclose": allclose, "equal": equal}
    written = {f"{name}_": in_place(call) for name, call in _named("written").items()}
    casts = {name: _cast(dtype) for name, dtype in _CASTS.items()}
    for name, call in (both | _named("method") | written | casts | _METHODS).items():
        setattr(Tensor, name, guarded(call, name, method=True))
    for name, call in (both | _named("function")).items():
        namespace[name] = guarded(call, name)
    for name, call in {"T": _transposed, "mT": _matrix_transposed}.items():
        read_only = _ReadOnly(call)
        read_only.name = name
        setattr(Tensor, name, read_only)
    Tensor.real, Tensor.imag = property(shape.real), property(shape.imag)
    namespace["is_tensor"], namespace["norm"], namespace["split"] = is_tensor, reduction.norm, split
    for name, call in {"result_type": result_type, "where": where, "complex": pointwise.complex_of}.items():
        namespace[name] = guarded(call, name)
    _bind_operators()


def _bind_operators() -> None:
    seams.operator = _operator
    core = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "true_div"}  # see core/tensor.py
    both = {**core, "pow": "pow", "floordiv": "floor_divide", "mod": "remainder", "and": "bitwise_and", "or": "bitwise_or",
            "xor": "bitwise_xor"}  # fmt: skip
    new = {"radd": "add", "rmul": "mul", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "eq": "eq", "ne": "ne"}
    for symbol, name in core.items():
        plain = getattr(Tensor, f"__{symbol}__")
        setattr(Tensor, f"__{symbol}__", _made_hot(plain, getattr(pointwise, name)))
    for symbol, name in (both | new).items():
        if symbol not in core and symbol != "pow":
            setattr(Tensor, f"__{symbol}__", _operand(getattr(pointwise, name), symbol))
    for symbol, name in both.items():
        setattr(Tensor, f"__i{symbol}__", _operand(in_place(getattr(pointwise, name), f"{name}_"), f"i{symbol}"))
    Tensor.__rsub__, Tensor.__rpow__ = _reflected(_rsub), _reflected(pointwise.pow)
    Tensor.__rtruediv__ = _reflected(lambda number, x: pointwise.reciprocal(x) * number)
    Tensor.__rmod__ = _reflected(pointwise.remainder)
    for symbol in ("floordiv", "and", "or", "xor"):
        setattr(Tensor, f"__r{symbol}__", _reflected(_of_tensors(getattr(pointwise, both[symbol]))))
    Tensor.__pos__, Tensor.__iter__ = _pos, _iter
    Tensor.__neg__, Tensor.__abs__, Tensor.__invert__ = pointwise.neg, pointwise.abs, _invert
    Tensor.__reduce_ex__ = serialization.pickled
    Tensor.__contains__ = _contains
    Tensor.__reversed__ = lambda self: self.flip(0) if self.ndim else self
    Tensor.__getitem__, Tensor.__setitem__ = indexing.getitem, indexing.setitem  # type: ignore[misc, index]
