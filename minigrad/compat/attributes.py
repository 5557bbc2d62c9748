"""The rest of PyTorch's Tensor: what it says of itself, what it refuses, how it turns into other things."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .. import dtypes, errors
from ..around.extension import Unversioned
from ..around.tangents import tangent_of
from ..core.tape import next_number
from ..core.tensor import Tensor, dimension, wrap
from ..modes import state
from ..printing import size_repr, tensor_repr


class Size(tuple):
    """A shape: a tuple that prints as torch's does."""

    __slots__ = ()

    def __repr__(self) -> str:
        return size_repr(self)

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other: tuple) -> Size:
        return Size(super().__add__(other))

    def numel(self) -> int:
        """The product of the sizes."""
        return math.prod(self)


class device:
    """Where tensors are. There is one place, the cpu; the class is here so that programs can name it.

    >>> import minigrad as mg
    >>> mg.device("cpu")
    device(type='cpu')
    """

    type: str = "cpu"

    def __init__(self, type: Any = "cpu", index: int | None = None):
        name, _, number = str(type).partition(":")
        if name != "cpu" or number not in ("", "0") or index not in (None, 0):
            raise NotImplementedError(f"minigrad has tensors on the cpu only, not on {type!r}")

    def __repr__(self) -> str:
        return "device(type='cpu')"

    def __str__(self) -> str:
        return "cpu"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device)

    def __hash__(self) -> int:
        return hash("cpu")


class ReadOnly(property):
    """A property that refuses to be set with torch's words."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __set__(self, instance: Any, value: Any) -> None:
        raise errors.READ_ONLY(self.name)


class _Attributes(Tensor):
    """A drawer: everything in it is put onto Tensor."""

    @ReadOnly
    def output_nr(self) -> int:
        """Which output of ``grad_fn`` this tensor is."""
        return 0 if self._edge is None else self._edge[1]

    grad_fn, is_leaf, ndim = map(ReadOnly, (Tensor.grad_fn.fget, Tensor.is_leaf.fget, Tensor.ndim.fget))  # type: ignore[attr-defined]

    @Tensor.requires_grad.setter  # type: ignore[attr-defined]
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise errors.FLAG_TYPE()
        if self._edge is not None:
            raise errors.NONLEAF_FLAG("" if value else errors.NONLEAF_DETACH)
        self._set_requires_grad(value, errors.FLOATS_ONLY_FLAG)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set ``requires_grad`` and return this tensor. RuntimeError for integers, and to clear it on a non-leaf.

        >>> import minigrad as mg
        >>> mg.ones(2).requires_grad_()
        tensor([1., 1.], requires_grad=True)
        """
        if not isinstance(requires_grad, bool):
            kind = errors.kind_of(requires_grad)
            raise TypeError(errors.ARGUMENT.format("requires_grad_", "requires_grad", 1, "bool", kind))
        self._set_requires_grad(requires_grad, errors.FLOATS_ONLY_METHOD)
        return self

    def _set_requires_grad(self, value: bool, not_float: errors.Message) -> None:
        if self._edge is not None:
            if not value:
                raise errors.NONLEAF_FLAG(errors.NONLEAF_DETACH)
            return
        if value and self._array.dtype.kind not in "fc":
            raise not_float()
        if value and self.is_inference() and not state.inference:
            raise errors.INFERENCE_FLAG()
        self._requires_grad = bool(value)

    @property
    def grad(self) -> Tensor | None:
        """What backward accumulated here, or None. Warns when read on a non-leaf that does not retain it."""
        if self._grad is None and not self._retains and self._edge is not None:
            warnings.warn(errors.NONLEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise errors.GRAD_TYPE(errors.kind_of(value))
            if value.dtype is not self.dtype:
                raise errors.GRAD_DTYPE(value.dtype.cpp, self.dtype.scalar_type)
            if value._array.shape != self._array.shape:
                raise errors.GRAD_SHAPE(list(value._array.shape), list(self._array.shape))
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @ReadOnly
    def retains_grad(self) -> bool:
        """Whether ``retain_grad`` was called on this non-leaf."""
        return self._retains

    def detach_(self) -> Tensor:
        """Forget this tensor's history, in place. RuntimeError for views."""
        if self._view is not None:
            raise errors.DETACH_VIEW()
        if self._edge is not None:
            self._detached = next_number()  # nodes made before it may have saved it with the history that is now gone
        self._edge = None
        self._requires_grad = False
        return self

    @property
    def data(self) -> Tensor:
        """The same memory with a version counter of its own: writes to it slip past the version check."""
        data = wrap(self._array)
        data._counter = Unversioned([0]) if type(self._counter) is Unversioned else [0]
        return data

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise errors.DATA_TYPE(errors.kind_of(value))
        if value._array.dtype.kind not in "fc" and self.requires_grad:
            raise errors.DATA_INTEGERS()
        self._array = value._array

    @ReadOnly
    def _version(self) -> int:
        """How many in-place writes this memory has seen. RuntimeError for a tensor made in inference mode."""
        if type(self._counter) is Unversioned:
            raise errors.INFERENCE_VERSION()
        return self._counter[0]

    @ReadOnly
    def _base(self) -> Tensor | None:
        """The tensor that this one is a view of."""
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    def is_inference(self) -> bool:
        """Whether this tensor was made in inference mode, so that no recorded operation can save it."""
        return type(self._counter) is Unversioned

    @ReadOnly
    def shape(self) -> Size:
        """The sizes of the dimensions."""
        return Size(self._array.shape)

    @ReadOnly
    def dtype(self) -> dtypes.dtype:
        """The type of the elements."""
        return dtypes.of(self._array)

    @ReadOnly
    def device(self) -> device:
        """Where the tensor is: always the cpu."""
        return device()

    @ReadOnly
    def itemsize(self) -> int:
        """Bytes per element."""
        return self._array.itemsize

    @ReadOnly
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._array.nbytes

    def element_size(self) -> int:
        """Bytes of one element."""
        return self._array.itemsize

    def size(self, dim: int | None = None) -> Size | int:
        """The shape, or the size of one dimension."""
        if dim is not None and not self._array.ndim:
            raise IndexError(errors.NO_DIMENSIONS.format(dim))
        return self.shape if dim is None else self._array.shape[dimension(dim, self._array.ndim)]

    def data_ptr(self) -> int:
        """The address of the first element: views of one memory that begin at one place have the same."""
        return self._array.ctypes.data

    def storage_offset(self) -> int:
        """How many elements the memory has before the first of this tensor: more than 0 for some views."""
        return 0 if self._view is None else (self.data_ptr() - self._view.base.data_ptr()) // self._array.itemsize

    def dim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    ndimension, nelement = dim, Tensor.numel

    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        """The distance, in elements, from one index to the next, in each dimension."""
        strides = tuple(s // self._array.itemsize for s in self._array.strides)
        return strides if dim is None else strides[dimension(dim, self._array.ndim)]

    def is_floating_point(self) -> bool:
        """Whether the dtype is a floating point one."""
        return self._array.dtype.kind == "f"

    def type(self, dtype: Any = None) -> Any:
        """The name of the tensor's type, ``minigrad.FloatTensor``; with a dtype, the tensor in that dtype."""
        return f"minigrad.{self.dtype.tensor_type}" if dtype is None else self.to(dtype)

    def item(self) -> bool | int | float | complex:
        """The one element as a Python number. RuntimeError for more or fewer than one."""
        if self._array.size != 1:
            raise RuntimeError(errors.ITEM.format(self._array.size))
        return self._array.item()

    def tolist(self) -> Any:
        """The elements as nested lists, or a number for zero dimensions."""
        return self._array.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array itself, sharing memory. RuntimeError for a tensor that requires grad, unless ``force`` detaches it."""
        if self.requires_grad and state.grad_mode and not force:
            raise errors.NUMPY_GRAD()
        return self._array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Tensor:
        return wrap(np.asarray(array.astype(np.uint8) if array.dtype == bool else array))

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        try:
            name = None if self.grad_fn is None else type(self.grad_fn).__name__
        except RuntimeError:  # a view that lost its history to a write
            name = "Invalid"
        tangent = None if state.forward is None else tangent_of(self)
        return tensor_repr(
            self._array,
            grad_fn=name,
            requires_grad=self.requires_grad,
            default_dtype=dtypes.get_default_dtype().name,
            tangent=None if tangent is None else f"{tangent}",
        )

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError(errors.LEN_0D)
        return len(self._array)

    def __bool__(self) -> bool:
        if self._array.size != 1:
            raise RuntimeError(errors.TRUTH.format("no values" if self._array.size == 0 else "more than one value"))
        return bool(self._array.item())

    def _number(self) -> Any:
        if self._array.size != 1:
            raise ValueError(errors.NUMBER)
        return self._array.item()

    def __float__(self) -> float:
        if self.requires_grad:
            warnings.warn(errors.TO_SCALAR, UserWarning, stacklevel=2)
        number = self._number()
        return float(number if getattr(number, "imag", 0) else number.real)

    def __int__(self) -> int:
        return int(self._number())

    def __complex__(self) -> complex:
        return complex(self._number())

    def __index__(self) -> int:
        if self._array.size != 1 or self._array.dtype.kind not in "iub":
            raise TypeError(errors.INTEGER)
        return int(self._array.item())

    def __format__(self, spec: str) -> str:
        return (
            object.__format__(self, spec) if self._array.ndim or type(self) is not Tensor else format(self.item(), spec)
        )

    def __deepcopy__(self, memo: dict) -> Tensor:
        if not self.is_leaf:
            raise errors.DEEPCOPY()
        copy = wrap(self._array.copy(order="K"))
        copy._requires_grad = self._requires_grad
        copy.__class__ = type(self)
        memo[id(self)] = copy
        if self._grad is not None:
            copy._grad = self._grad.__deepcopy__(memo)
        return copy


for _name, _attribute in vars(_Attributes).items():
    if not _name.startswith("__") or callable(_attribute):
        setattr(Tensor, _name, _attribute)
