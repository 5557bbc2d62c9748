"""How operations become ``mg.exp(x)``, ``x.exp()``, ``x.exp_()`` and ``x + y``: the one place where names are given out."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from . import creation, dtypes, errors
from .ops import indexing, matrix, pointwise, reduction, shape
from .tensor import Tensor, _computed, in_place, refuse_shapes
from .tensor import device as Device

_NUMBERS = (bool, int, float, complex)

# Function and method, by name. In torch's documentation each is both; where it is one only, it stands in a list below.
_BOTH = {
    pointwise: """add sub mul div neg reciprocal pow square remainder floor_divide abs sign sgn angle conj exp expm1 log
        log1p log2 log10 sqrt rsqrt sin cos tan asin acos atan atan2 sinh cosh tanh sigmoid erf relu floor ceil round trunc
        lerp addcmul logaddexp xlogy maximum minimum clamp lt le gt ge eq ne logical_and logical_or logical_xor logical_not
        bitwise_and bitwise_or bitwise_xor bitwise_not isnan isinf isfinite nan_to_num""",
    reduction: """sum mean prod var std norm max min amax amin argmax argmin all any cumsum cumprod softmax log_softmax
        logsumexp sort argsort topk nonzero""",
    shape: """reshape flatten transpose t permute movedim squeeze unsqueeze broadcast_to select narrow unbind split chunk
        diagonal diag clone flip roll tril triu view_as_real view_as_complex""",
    indexing: "masked_fill masked_select index_select index_put gather scatter_add take_along_dim",
    matrix: "mm mv dot bmm matmul outer addmm trace",
}
_METHODS_ONLY = {shape: "view expand repeat transpose_ t_ squeeze_ unsqueeze_", indexing: "copy_ fill_ zero_"}
_FUNCTIONS_ONLY = {shape: "cat stack", reduction: "var_mean", matrix: "einsum"}
_IN_PLACE = {
    pointwise: """add sub mul div neg reciprocal pow square remainder floor_divide abs sign sgn exp expm1 log log1p log2
        log10 sqrt rsqrt sin cos tan asin acos atan atan2 sinh cosh tanh sigmoid erf relu floor ceil round trunc lerp addcmul xlogy
        clamp lt le gt ge eq ne logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor
        bitwise_not nan_to_num""",
    reduction: "cumsum cumprod",
    shape: "tril triu",
    indexing: "index_put scatter_add",
    matrix: "addmm",
}
_CHECK_THEMSELVES = ("cat", "stack", "einsum")
_ALIASES = {"multiply": "mul", "subtract": "sub", "divide": "div", "true_divide": "div", "absolute": "abs",
            "negative": "neg", "swapaxes": "transpose"}  # fmt: skip


def _checked_function(call: Callable, name: str) -> Callable:
    """The public function: refuses a first argument that is no Tensor, as PyTorch's do."""

    @functools.wraps(call)
    def function(*args: Any, **kwargs: Any) -> Any:
        if "input" in kwargs:
            args = (kwargs.pop("input"), *args)
        elif kwargs and not args and name in _OTHER_NAMES:  # where PyTorch has another name than input
            args = tuple(kwargs.pop(key) for key in _OTHER_NAMES[name] if key in kwargs)
        if not args:
            raise TypeError(f'{name}() missing 1 required positional arguments: "input"')
        if not isinstance(args[0], Tensor):
            if name in _NUMBERS_TOO and isinstance(args[0], _NUMBERS):
                args = (creation.tensor(args[0]), *args[1:])
            elif name not in ("pow", "xlogy") or not isinstance(args[0], _NUMBERS):
                raise TypeError(errors.ARGUMENT.format(name, "input", 1, "Tensor", errors.kind_of(args[0])))
        try:
            return call(*args, **kwargs)
        except TypeError as error:
            other = errors.in_torchs_words(call, name, args, kwargs) or errors.one_further(error)
            if other is error:
                raise
            raise other from None

    function.__name__ = function.__qualname__ = name
    return functools.update_wrapper(call.hot(function), function) if hasattr(call, "hot") else function


_OTHER_NAMES = {"pow": ("self",), "xlogy": ("self",), "split": ("tensor", "split_size_or_sections")}
_NUMBERS_TOO = {"add", "sub", "mul", "div", "remainder", "floor_divide"}  # torch.mul(2., x) is allowed


def _operand(call: Callable, symbol: str) -> Callable:
    """``x + y``: a Tensor or a number; anything else is left to Python, which then names both types."""
    takes_arrays = symbol not in ("radd", "rmul", "lt", "le", "gt", "ge")

    def operator(self: Tensor, other: Any) -> Any:
        if isinstance(other, Tensor) or type(other) in _NUMBERS:
            return call(self, other)
        if isinstance(other, np.generic):
            return call(self, other.item())  # a number, which gives way to the tensor's dtype
        if isinstance(other, np.ndarray) and takes_arrays:
            self.numpy()  # which refuses a tensor that requires grad: PyTorch lets NumPy compute this
            return call(self, creation.as_tensor(other))
        return NotImplemented

    # Two tensors, and a tensor and a number, do not even come here where the operation has a hot path.
    operator.__name__ = f"__{symbol}__"
    return functools.update_wrapper(call.hot(operator), operator) if hasattr(call, "hot") else operator


def _rsub(self: Tensor, other: Any) -> Any:
    if type(other) is bool:
        return pointwise.sub(creation.tensor(other), self)  # which refuses, and says why
    return pointwise.rsub(self, other) if isinstance(other, _NUMBERS) else NotImplemented


def _rdiv(self: Tensor, other: Any) -> Any:
    return pointwise.reciprocal(self) * other if isinstance(other, _NUMBERS) else NotImplemented


def _rpow(self: Tensor, other: Any) -> Any:
    return pointwise.pow_base(other, self) if isinstance(other, _NUMBERS) else NotImplemented


def _invert(self: Tensor) -> Tensor:
    """~self, of integers or bools."""
    if self._array.dtype.kind not in "bui":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return pointwise.bitwise_not(self)


def _matmul(self: Tensor, other: Any) -> Any:
    return matrix.matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _pos(self: Tensor) -> Tensor:
    if self._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


def _iter(self: Tensor) -> Any:
    if not self.ndim:
        raise TypeError(errors.ITER_0D)
    return iter(shape.unbind(self, 0))


def _to(
    self: Tensor, *args: Any, dtype: dtypes.dtype | None = None, device: Any = None, non_blocking: bool = False,
    copy: bool = False,
) -> Tensor:  # fmt: skip
    """This tensor in another dtype (or that of another tensor): itself when nothing changes and no copy is asked for.

    device: "cpu", because there is no other. non_blocking: nothing has to be waited for.
    """
    for arg in args if device is None else (*args, device):
        if isinstance(arg, Tensor):
            dtype = arg.dtype
        elif isinstance(arg, dtypes.dtype):
            dtype = arg
        elif isinstance(arg, np.dtype):  # the engine's way to name one
            dtype = dtypes._FROM_NUMPY[arg]
        else:
            Device(arg)
    if not copy and (dtype is None or dtype is self.dtype):
        return self
    if dtype is not None and dtype.category < 2:  # the end of differentiability: nothing is asked of the history
        return self._wrap(_computed(shape.to_copy.op, (self._array, dtype)))
    return shape.to_copy(self, dtype or self.dtype)


def _abs_(self: Tensor) -> Tensor:
    """The absolute value, in place."""
    if self.is_complex():
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return in_place(pointwise.abs)(self)


def _masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """self with a number, or a tensor of zero dimensions, where the mask is true; in place."""
    if isinstance(mask, Tensor) and mask._array.dtype == bool:
        refuse_shapes(self._array, mask._array)  # in this order, which is not that of the other form
    return _filled_in_place(self, mask, value)


_filled_in_place = in_place(indexing.masked_fill)


def _type_as(self: Tensor, other: Tensor) -> Tensor:
    """This tensor in the dtype of another."""
    if not isinstance(other, Tensor):
        raise TypeError(errors.ARGUMENT.format("type_as", "other", 1, "Tensor", errors.kind_of(other)))
    return _to(self, other.dtype)


def is_inference(input: Tensor) -> bool:
    """Whether a tensor was made in inference mode."""
    return input.is_inference()


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """input where the condition holds, other elsewhere; a condition alone gives where it holds, a vector for each dimension.

    >>> import minigrad as mg
    >>> mg.where(mg.tensor([True, False]), mg.tensor([1., 2.]), 0.0)
    tensor([1., 0.])
    """
    if isinstance(condition, Tensor) and input is None and other is None:
        return reduction.nonzero(condition, as_tuple=True)
    fits = isinstance(condition, Tensor) and all(isinstance(x, Tensor) or type(x) in _NUMBERS for x in (input, other))
    if not fits:
        forms: list[Any] = ["(Tensor condition)", "(Tensor condition, Tensor input, Tensor other, *, Tensor out = None)"]
        for kinds in (("Number", "Tensor"), ("Tensor", "Number"), ("Number", "Number")):
            names = ("self" if kinds[0] == "Number" else "input", "other")
            text = ", ".join(f"{kind} {name}" for kind, name in zip(kinds, names, strict=True))
            forms.append((f"(Tensor condition, {text})", ("Tensor", *kinds)))
        raise errors.combination("where", (condition, input, other), *forms)
    if condition._array.dtype == np.uint8:
        warnings.warn(errors.WHERE_BYTES, UserWarning, stacklevel=2)
        condition = condition.bool()  # type: ignore[attr-defined]
    elif condition._array.dtype != bool:
        raise RuntimeError(errors.WHERE_CONDITION.format(condition.dtype.scalar_type))
    return pointwise.where(condition, input, other)


def is_tensor(obj: Any) -> bool:
    """Whether something is a Tensor."""
    return isinstance(obj, Tensor)


def _reflected(call: Callable) -> Callable:
    def operator(self: Tensor, other: Any) -> Any:
        return call(creation.tensor(other), self) if isinstance(other, _NUMBERS) else NotImplemented

    return operator


def _cast(dtype: dtypes.dtype) -> Callable:
    def method(self: Tensor) -> Tensor:
        return _to(self, dtype)

    method.__doc__ = f"This tensor as {dtype}; itself when it is that already."
    return method


def _expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expanded to the shape of another tensor."""
    errors.need_tensor(other, "expand_as", "other", 1)
    return shape.expand(self, *other.shape)


def _view_as(self: Tensor, other: Tensor) -> Tensor:
    """Viewed in the shape of another tensor."""
    errors.need_tensor(other, "view_as", "other", 1)
    return shape.view(self, *other.shape)


def _view(self: Tensor, *sizes: Any, size: Any = None) -> Tensor:
    """The same elements in another shape, sharing memory; one size may be -1. RuntimeError when strides forbid it."""
    if not sizes and size is None:
        raise errors.combination("view", (), "(minigrad.dtype dtype)", "(tuple of ints size)")
    return shape.view(self, *sizes, size=size)


def _transposed(self: Tensor) -> Tensor:
    """All dimensions in reverse order."""
    if not self.ndim:
        warnings.warn(errors.TRANSPOSED_0D.format("T"), UserWarning, stacklevel=2)
    elif self.ndim != 2:
        warnings.warn(errors.T_RANK, UserWarning, stacklevel=2)
    return shape.permute_dims(self, tuple(range(self.ndim - 1, -1, -1)))


def _matrix_transposed(self: Tensor) -> Tensor:
    """The last two dimensions exchanged."""
    if not self.ndim:
        warnings.warn(errors.TRANSPOSED_0D.format("mT"), UserWarning, stacklevel=2)
        return self
    if self.ndim < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {self.ndim}-D tensor.")
    return shape.transpose(self, -2, -1)


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Where |input - other| ≤ atol + rtol · |other|. RuntimeError when the dtypes differ."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.scalar_type} did not match {other.dtype.scalar_type}")
    refuse_shapes(input._array, other._array)
    return input._wrap(np.isclose(input._array, other._array, rtol, atol, equal_nan))


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether two tensors agree everywhere within a tolerance.

    >>> import minigrad as mg
    >>> mg.allclose(mg.tensor([0.1 + 0.2]), mg.tensor([0.3]))
    True
    """
    for position, value in ((1, input), (2, other)):
        if not isinstance(value, Tensor):
            name = ("input", "other")[position - 1]
            raise TypeError(errors.ARGUMENT.format("allclose", name, position, "Tensor", type(value).__name__))
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
    "to": _to, "type_as": _type_as, "contiguous": shape.contiguous, "expand_as": _expand_as, "view_as": _view_as,
    "view": _view, "where": lambda self, condition, other: where(condition, self, other),
    "new_zeros": creation.new_zeros, "new_ones": creation.new_ones, "new_empty": creation.new_empty,
    "new_full": creation.new_full, "new_tensor": creation.new_tensor, "uniform_": creation.uniform_, "normal_": creation.normal_,
}  # fmt: skip


def bind(namespace: dict[str, Any]) -> None:
    """Put the public functions into a namespace, and the methods and operators onto Tensor."""
    tables = ((_BOTH, True, True), (_METHODS_ONLY, False, True), (_FUNCTIONS_ONLY, True, False))
    for table, as_function, as_method in tables:
        for room, names in table.items():
            for name in names.split():
                call = getattr(room, name)
                if as_method:
                    setattr(Tensor, name, call)
                if as_function:
                    namespace[name] = call if name in _CHECK_THEMSELVES else _checked_function(call, name)
    for room, names in _IN_PLACE.items():
        for name in names.split():
            setattr(Tensor, f"{name}_", in_place(getattr(room, name)))
    Tensor.abs_, Tensor.masked_fill_ = _abs_, _masked_fill_
    for alias, name in _ALIASES.items():
        setattr(Tensor, alias, getattr(Tensor, name))
        namespace[alias] = namespace[name]
    for call in (isclose, allclose, equal):
        setattr(Tensor, call.__name__, call)
        namespace[call.__name__] = call
    for name, dtype in _CASTS.items():
        setattr(Tensor, name, _cast(dtype))
    for name, call in _METHODS.items():
        setattr(Tensor, name, call)
    Tensor.T, Tensor.mT = property(_transposed), property(_matrix_transposed)
    Tensor.real, Tensor.imag = property(shape.real), property(shape.imag)
    namespace["result_type"], namespace["is_tensor"], namespace["complex"] = result_type, is_tensor, pointwise.complex_of
    namespace["where"] = where
    namespace["is_inference"] = _checked_function(is_inference, "is_inference")
    _bind_operators()


def _bind_operators() -> None:
    for symbol, name in {"add": "add", "radd": "add", "sub": "sub", "mul": "mul", "rmul": "mul", "truediv": "true_div",
                         "pow": "pow", "floordiv": "floor_divide", "mod": "remainder",
                         "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "eq": "eq", "ne": "ne",
                         "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}.items():  # fmt: skip
        setattr(Tensor, f"__{symbol}__", _operand(getattr(pointwise, name), symbol))
    Tensor.__rsub__, Tensor.__rtruediv__, Tensor.__rpow__ = _rsub, _rdiv, _rpow
    Tensor.__rfloordiv__, Tensor.__rmod__ = _reflected(pointwise.floor_divide), _reflected(pointwise.remainder)
    Tensor.__pos__, Tensor.__matmul__, Tensor.__iter__ = _pos, _matmul, _iter
    Tensor.__neg__, Tensor.__abs__, Tensor.__invert__ = pointwise.neg, pointwise.abs, _invert
    Tensor.__iadd__, Tensor.__isub__ = Tensor.add_, Tensor.sub_
    Tensor.__imul__, Tensor.__itruediv__, Tensor.__ipow__ = Tensor.mul_, Tensor.div_, Tensor.pow_
    Tensor.__ifloordiv__, Tensor.__imod__ = Tensor.floor_divide_, Tensor.remainder_
    Tensor.__getitem__, Tensor.__setitem__ = indexing.getitem, indexing.setitem
    Tensor.__hash__ = object.__hash__  # == compares elements, so identity is what a tensor is hashed by
