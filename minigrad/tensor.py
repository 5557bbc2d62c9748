"""Tensor: an array, a place in the graph, a version. And recording: what happens when an operation meets Tensors.

Source of the behaviour: PyTorch 2.13. Views and writes follow its note [View + Inplace update]: views share the version
of their memory; a write to a view becomes part of the *base's* history (CopySlices), and a view whose memory was written
to since it was made finds its new history when it is asked.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import dtypes, errors
from .graph import (
    AccumulateGrad,
    Edge,
    Node,
    OpNode,
    RemovableHandle,
    Unversioned,
    bump,
    caller,
    describe,
    freed_error,
    inside,
    new_node,
    next_number,
    saved_property,
    short_name,
    shown,
)
from .modes import state
from .op import INPUT, OUTPUT, REGISTRY, REQUIRED, Op, Recipe, public
from .printing import size_repr, tensor_repr
from .rare import annotate, plain, propagate, push, tangent_of, write_tangent


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

    def __radd__(self, other: Any) -> Any:
        return Size(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Size:
        return Size(super().__mul__(times))

    __rmul__ = __mul__

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
            if isinstance(type, str) and name not in errors.DEVICES.split(", "):
                raise RuntimeError(errors.DEVICE.format(name))
            raise NotImplementedError(f"minigrad has tensors on the cpu only, not on {type!r}")
        self.index = 0 if number or index == 0 else None

    def __repr__(self) -> str:
        return "device(type='cpu')" if self.index is None else "device(type='cpu', index=0)"

    def __str__(self) -> str:
        return "cpu" if self.index is None else "cpu:0"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and other.index == self.index

    def __hash__(self) -> int:
        return hash(str(self))


class _View:
    """What makes a Tensor a view: its base, how to make it again from the base, and since when its history is true.

    ``origin`` is empty for an ordinary view; otherwise it names why the view must not be written to: "multi" (one of
    several outputs), "function" (returned by a custom Function), "no_grad" or "inference" (made in that mode).
    ``passing``: it is made for one write and then gone, so that nobody will ask for its history.
    """

    __slots__ = ("base", "steps", "relaid", "version", "origin", "passing")

    def __init__(self, base: Tensor, replay: Callable[[Any], Any], origin: str):
        self.base, self.origin, self.passing = base, origin, False
        self.replay = replay
        self.version = base._counter[0]

    @property
    def replay(self) -> Callable[[Any], Any]:
        """Makes the view of a base, Tensor or array, that is laid out as the base is now."""
        undo, steps = self.base._relaid[self.relaid :], self.steps
        return (lambda base: steps(functools.reduce(lambda b, step: step(b), undo[::-1], base))) if undo else steps

    @replay.setter
    def replay(self, steps: Callable[[Any], Any]) -> None:
        self.steps, self.relaid = steps, len(self.base._relaid)

    def refuse_write(self, edge: Edge | None, indirect: bool) -> None:
        """Raise if a write to this view (or, indirect, to its base) leaves it without a true history."""
        if not self.origin:
            return
        how = "its base or another view of its base has been" if indirect else "is being"
        mode = "inference" if self.origin == "inference" else "no_grad"
        if edge is None or self.origin == mode:
            made = (
                "A view was" if edge is None else f"Output {edge[1]} of {short_name(edge[0])} is a view of a view which was"
            )
            now = "with grad mode enabled" if mode == "no_grad" else "in normal mode"
            text = f"{made} created in {mode} mode and {how} modified inplace {now}."
        else:
            text = f"Output {edge[1]} of {short_name(edge[0])} is a view and {how} modified inplace."
        why = {"multi": errors.MULTI_VIEW, "function": errors.FUNCTION_VIEW}.get(self.origin)
        text += why or errors.MODE_VIEW.format({"inference": "inference_mode"}.get(mode, mode))
        raise errors.note(
            RuntimeError(text), f"The view was made at {describe(edge[0]._place)}." if edge else None,
            "Write to a clone() of it, and use the clone from there on.",
        )  # fmt: skip


class _ReadOnly(property):
    """A property that refuses to be set with torch's words."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __set__(self, instance: Any, value: Any) -> None:
        raise errors.note(AttributeError(errors.READ_ONLY.format(self.name)))


class Tensor:
    """An array with torch's semantics. Made by ``minigrad.tensor`` and by operations, rarely by hand.

    >>> import minigrad as mg
    >>> x = mg.tensor([1., 2.], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    # What every operation asks for is set on each Tensor, because Python then finds it fastest; the rest is on the class, so
    # that making a Tensor sets only what differs.
    _array: np.ndarray
    _counter: list  # [version, (version, site of the write), …], shared by all views of this memory
    _edge: Edge | None = None  # where this tensor's cotangent goes; None for a leaf
    _view: _View | None = None
    _requires_grad: bool = False  # set by the user, on a leaf
    _grad: Tensor | None = None
    _accumulator: weakref.ref[AccumulateGrad] | None = None
    _hooks: dict[int, Callable] | None = None  # those of another tensor than a leaf are its node's too; t_() does not move them
    _post_hooks: dict[int, Callable] | None = None
    _retains: bool = False
    _remade: weakref.ref[Node] | None = None  # of what a node saved: the node that a written view then got from its base
    _detached: int = 0  # how many nodes there were when detach_() took its history
    _relaid: tuple[Callable[[Any], Any], ...] = ()  # what undoes each t_(), squeeze_() …: views are of the layout before it
    _dual: tuple[Any, Tensor | None] | None = None  # the level of a tangent, and the tangent (see rare.py)

    __array_priority__ = 1000  # NumPy's operators leave mixed expressions to us

    if TYPE_CHECKING:  # methods.py puts these here

        def __getattr__(self, name: str) -> Any: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = (
            __matmul__
        ) = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = (
            __xor__
        ) = __iadd__ = __isub__ = __imul__ = __itruediv__ = __getitem__ = cast(Callable[..., Any], None)
        __neg__ = __abs__ = __invert__ = __pos__ = __iter__ = __setitem__ = cast(Callable[..., Any], None)

    def __new__(cls, *args: Any) -> Tensor:
        """``Tensor(2, 3)`` is an empty tensor of that shape, ``Tensor([2., 3.])`` one with that data, both in float32."""
        from .creation import legacy  # the one other import upward: making tensors needs Tensor

        return legacy(dtypes.get_default_dtype(), args, kept=True)

    def _wrap(self, array: np.ndarray) -> Tensor:
        return _wrap(array)

    def _alias(self, edge: Edge | None) -> Tensor:
        """The same memory and version with another history."""
        alias = _new(Tensor)
        alias._array = self._array
        alias._counter = self._counter
        alias._edge = edge
        alias._view = None
        alias._requires_grad = False
        return alias

    def _copy(self) -> Tensor:
        """A copy of the values with this tensor's history, for a rule that needs what an in-place write destroys."""
        copy = _wrap(self._array.copy())
        copy._edge = self._gradient_edge()
        return copy

    # -- the graph ---------------------------------------------------------------------------------------------------

    def _gradient_edge(self) -> Edge | None:
        """Where this tensor's cotangent goes: to the node that made it, or to a leaf's AccumulateGrad."""
        if self._view is not None:
            self._renew_history()
        if self._edge is not None:
            return self._edge
        if not self._requires_grad:
            return None
        node = self._accumulator() if self._accumulator is not None else None
        if node is None:
            node = AccumulateGrad(self)
            self._accumulator = weakref.ref(node)  # the node holds the leaf; the other way round would be a cycle
        return node, 0

    def _renew_history(self) -> None:
        """A view whose memory was written to through another name takes its history from the base as it is now."""
        view = self._view
        assert view is not None
        if view.version == self._counter[0]:
            return
        from .ops.shape import as_strided  # the one import upward: a view is remade by an operation

        if view.base._gradient_edge() is None:
            if self._edge is None:
                return  # the base may require grad later, and then this write counts
            view.refuse_write(self._edge, indirect=True)
            metas = ((self._array.shape, self._array.dtype),)
            recipe = as_strided.op.recipe(0)  # type: ignore[attr-defined]
            node = new_node(recipe, (view.base, view.replay, None), (None,), metas, caller(), None)
            self._set_history((node, 0))
            view.version = self._counter[0]
            return
        view.refuse_write(self._edge, indirect=True)
        before = state.grad_mode
        state.set_grad(True)
        try:
            with plain():
                # Strides cannot tell how a complex tensor looks as a real one.
                same = self._array.dtype == view.base._array.dtype
                again = as_strided(view.base, view.replay, order_of(view.base._array)) if same else view.replay(view.base)
        finally:
            state.set_grad(before)
        self._set_history(again._edge)
        view.version = self._counter[0]

    @_ReadOnly
    def grad_fn(self) -> Node | None:
        """The node that made this tensor, or None for a leaf."""
        if self._view is not None:
            self._renew_history()
        return None if self._edge is None else shown(self._edge[0])

    @_ReadOnly
    def output_nr(self) -> int:
        """Which output of ``grad_fn`` this tensor is."""
        return 0 if self._edge is None else self._edge[1]

    @_ReadOnly
    def is_leaf(self) -> bool:
        """True for tensors that no recorded operation made. Only leaves get ``.grad`` without being asked."""
        return self.grad_fn is None

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded. Can be set on leaves of floating point or complex dtype."""
        if self._edge is not None or self._requires_grad:
            return True
        return self._view is not None and self._view.base.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise errors.note(RuntimeError(errors.FLAG_TYPE))
        if self._edge is not None:
            raise errors.note(RuntimeError(errors.NONLEAF_FLAG.format("" if value else errors.NONLEAF_DETACH)))
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

    def _set_requires_grad(self, value: bool, not_float: str) -> None:
        if self._edge is not None:
            if not value:
                raise errors.note(RuntimeError(errors.NONLEAF_FLAG.format(errors.NONLEAF_DETACH)))
            return
        if value and self._array.dtype.kind not in "fc":
            raise errors.note(RuntimeError(not_float))
        if value and self.is_inference() and not state.inference:
            raise errors.note(RuntimeError(errors.INFERENCE_FLAG))
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
                raise errors.note(TypeError(errors.GRAD_TYPE.format(errors.kind_of(value))))
            if value is self:
                raise errors.note(RuntimeError(errors.GRAD_SELF))
            if value.dtype is not self.dtype:
                raise errors.note(RuntimeError(errors.GRAD_DTYPE.format(value.dtype.cpp, self.dtype.scalar_type)))
            if value._array.shape != self._array.shape:
                raise errors.note(RuntimeError(errors.GRAD_SHAPE.format(list(value._array.shape), list(self._array.shape))))
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @_ReadOnly
    def retains_grad(self) -> bool:
        """Whether ``retain_grad`` was called on this non-leaf."""
        return self._retains

    def retain_grad(self) -> None:
        """Keep the gradient of a non-leaf in ``.grad``. RuntimeError when it does not require grad.

        >>> import minigrad as mg
        >>> h = mg.tensor(3.0, requires_grad=True) * 2
        >>> h.retain_grad()
        >>> (h * h).backward()
        >>> h.grad
        tensor(12.)
        """
        if not self.requires_grad:
            raise errors.note(RuntimeError(errors.RETAIN_NO_GRAD))
        if self._retains or self._edge is None:
            return
        self.grad_fn  # noqa: B018  (which a view may have to find anew)
        self._retains = True
        self._put_retain_hook()

    def _set_history(self, edge: Edge) -> None:
        """Give this tensor the history of an in-place write; retain_grad follows it to the new node."""
        if self._retains and self._edge is not None and self._edge[0]._hookset is not None:
            self._edge[0]._hookset.retain.pop(self._edge[1], None)
        self._edge = edge
        self._hooks = None  # those of what the tensor was before are called no more
        if self._retains:
            self._put_retain_hook()

    def _put_retain_hook(self) -> None:
        assert self._edge is not None
        me = weakref.ref(self)  # the node must not hold its own output

        def keep(g: Tensor) -> None:
            tensor = me()
            if tensor is not None:
                recorded = state.grad
                if tensor._grad is None:
                    tensor._grad = g.clone() if recorded else _wrap(g._array.copy())
                else:
                    tensor._grad = tensor._grad + g

        self._edge[0]._hooks().retain[self._edge[1]] = keep

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook(gradient)`` once in each backward pass; a Tensor it returns replaces the gradient.

        Returns a handle with ``remove()``. RuntimeError when this tensor does not require grad.

        >>> import minigrad as mg
        >>> x = mg.tensor(3.0, requires_grad=True)
        >>> handle = x.register_hook(lambda g: g * 10)
        >>> (x * x).backward()
        >>> x.grad
        tensor(60.)
        """
        if not self.requires_grad:
            raise errors.note(RuntimeError(errors.HOOK_NO_GRAD))
        if self._hooks is None:
            self._hooks = {}  # as in PyTorch it stays when the history can't be found, and a second call is taken
            node = self.grad_fn
            if node is not None:
                self._hooks = node._hooks().tensor.setdefault(self.output_nr, {})
        return RemovableHandle(self._hooks, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(leaf)`` after ``leaf.grad`` was updated. RuntimeError for anything but a leaf that requires grad.

        >>> import minigrad as mg
        >>> x = mg.tensor(3.0, requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
        >>> (x * x).backward()
        tensor(6.)
        """
        if not self.requires_grad:
            raise errors.note(RuntimeError(errors.HOOK_NO_GRAD))
        if not self.is_leaf:
            raise errors.note(RuntimeError(errors.HOOK_POST_LEAF))
        if self._post_hooks is None:
            self._post_hooks = {}
        return RemovableHandle(self._post_hooks, hook)

    def detach(self) -> Tensor:
        """The same memory and version, without history. Writes to it are seen by the version check.

        >>> import minigrad as mg
        >>> x = mg.tensor(3.0, requires_grad=True)
        >>> (x * 2).detach()
        tensor(6.)
        """
        return self._alias(None)

    def detach_(self) -> Tensor:
        """Forget this tensor's history, in place. RuntimeError for views."""
        if self._view is not None:
            raise errors.note(RuntimeError(errors.DETACH_VIEW))
        if self._edge is not None:
            self._detached = next_number()  # nodes made before it may have saved it with the history that is now gone
        self._edge = None
        self._requires_grad = False
        return self

    @property
    def data(self) -> Tensor:
        """The same memory with a version counter of its own: writes to it slip past the version check."""
        data = _wrap(self._array)
        data._counter = Unversioned([0]) if type(self._counter) is Unversioned else [0]
        return data

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise errors.note(TypeError(errors.DATA_TYPE.format(errors.kind_of(value))))
        if value._array.dtype.kind not in "fc" and self.requires_grad:
            raise errors.note(RuntimeError(errors.DATA_INTEGERS))
        self._array = value._array

    @_ReadOnly
    def _version(self) -> int:
        """How many in-place writes this memory has seen. RuntimeError for a tensor made in inference mode."""
        if type(self._counter) is Unversioned:
            raise errors.note(RuntimeError(errors.INFERENCE_VERSION))
        return self._counter[0]

    @_ReadOnly
    def _base(self) -> Tensor | None:
        """The tensor that this one is a view of."""
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    def is_inference(self) -> bool:
        """Whether this tensor was made in inference mode, so that no recorded operation can save it."""
        return type(self._counter) is Unversioned

    # -- the array ---------------------------------------------------------------------------------------------------

    @_ReadOnly
    def shape(self) -> Size:
        """The sizes of the dimensions."""
        return Size(self._array.shape)

    @_ReadOnly
    def dtype(self) -> dtypes.dtype:
        """The type of the elements."""
        return dtypes.of(self._array)

    @_ReadOnly
    def device(self) -> device:
        """Where the tensor is: always the cpu."""
        return device()

    @_ReadOnly
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    @_ReadOnly
    def itemsize(self) -> int:
        """Bytes per element."""
        return self._array.itemsize

    @_ReadOnly
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._array.nbytes

    def element_size(self) -> int:
        """Bytes of one element."""
        return self._array.itemsize

    def size(self, dim: int | None = None) -> Size | int:
        """The shape, or the size of one dimension."""
        return self.shape if dim is None else self._array.shape[self._dimension(dim)]

    def _dimension(self, dim: int) -> int:
        if not self._array.ndim and isinstance(dim, int):
            raise IndexError(errors.NO_DIMENSIONS.format(dim))
        return dimension(dim, self._array.ndim)

    def dim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    def numel(self) -> int:
        """The number of elements."""
        return self._array.size

    nelement = numel

    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        """The distance, in elements, from one index to the next, in each dimension."""
        array = self._array
        if not array.size:  # NumPy may give what has no elements any strides
            array = np.empty([max(n, 1) for n in array.shape], array.dtype)
        strides = tuple(s // array.itemsize for s in array.strides)
        return strides if dim is None else strides[self._dimension(dim)]

    def is_contiguous(self) -> bool:
        """Whether the elements lie in memory in row-major order without gaps."""
        return self._array.flags.c_contiguous

    def is_floating_point(self) -> bool:
        """Whether the dtype is a floating point one."""
        return self._array.dtype.kind == "f"

    def is_complex(self) -> bool:
        """Whether the dtype is a complex one."""
        return self._array.dtype.kind == "c"

    def type(self, dtype: Any = None) -> Any:
        """The name of the tensor's type, ``minigrad.FloatTensor``; with a dtype, such a name or type, the tensor in that dtype."""
        if dtype is None:
            return f"minigrad.{self.dtype.tensor_type}"
        if isinstance(dtype, type):  # FloatTensor has a dtype, Tensor means the default, and others are refused
            name = dtype.__name__ if dtype.__module__ == "builtins" else f"{dtype.__module__}.{dtype.__name__}"
            dtype = dtypes.get_default_dtype() if dtype is Tensor else getattr(dtype, "dtype", name)
        if isinstance(dtype, str):
            names = {kind.tensor_type: kind for kind in dtypes.ALL}
            if (name := dtype.removeprefix("minigrad.").removeprefix("torch.")) not in names:
                raise ValueError(f"invalid type: '{dtype}'")
            dtype = names[name]
        if not isinstance(dtype, dtypes.dtype):
            raise TypeError("dtype must be a type, str, or dtype object")
        return self.to(dtype)

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
            raise errors.note(RuntimeError(errors.NUMPY_GRAD))
        return self._array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Tensor:
        return _wrap(np.asarray(array.astype(np.uint8) if array.dtype == bool else array))

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

    def _real_number(self, kind: str) -> Any:
        number = self._number()
        if isinstance(number, complex):
            if number.imag:
                raise RuntimeError(errors.OVERFLOW.format(kind))
            return number.real
        return number

    def __float__(self) -> float:
        if self.requires_grad:
            warnings.warn(errors.TO_SCALAR, UserWarning, stacklevel=2)
        return float(self._real_number("double"))

    def __int__(self) -> int:
        return int(self._real_number("int64_t"))

    def __complex__(self) -> complex:
        return complex(self._number())

    def __index__(self) -> int:
        if self._array.size != 1 or self._array.dtype.kind not in "iub":
            raise TypeError(errors.INTEGER)
        return int(self._array.item())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if self._array.ndim == 0 and type(self) is Tensor else object.__format__(self, spec)

    def __hash__(self) -> int:
        return id(self)  # == compares elements, so identity is what a tensor is hashed by

    def __deepcopy__(self, memo: dict) -> Tensor:
        if not self.is_leaf:
            raise errors.note(RuntimeError(errors.DEEPCOPY))
        copy = _wrap(self._array.copy(order="K"))
        copy._requires_grad = self._requires_grad
        copy.__class__ = type(self)
        memo[id(self)] = copy
        if self._grad is not None:
            copy._grad = self._grad.__deepcopy__(memo)
        return copy


_new, ndarray, _getframe = object.__new__, np.ndarray, sys._getframe  # looked up once: every operation asks for them


def _wrap(array: np.ndarray) -> Tensor:
    """A Tensor around an array: no copy, no history, version 0."""
    tensor = _new(Tensor)
    tensor._array = array
    tensor._counter = [0] if state.quick is not None or not state.inference else Unversioned([0])
    tensor._edge = tensor._view = None
    tensor._requires_grad = False
    return tensor


def dimension(dim: int, rank: int) -> int:
    """A dimension as a number from 0 to rank - 1. IndexError as torch's when it is out of range."""
    if not -max(rank, 1) <= dim < max(rank, 1):
        raise IndexError(errors.DIM_RANGE.format(-max(rank, 1), max(rank, 1) - 1, dim))
    return dim + max(rank, 1) if dim < 0 else dim


# -- recording -----------------------------------------------------------------------------------------------------------


def op(
    jvp: str | Callable | None = None,
    *,
    name: str | None = None,
    outputs: Sequence[str] = ("result",),
    constants: Sequence[str] = (),
    promote: str = "",
    view: bool = False,
    always_saved: Sequence[str] = (),
    plain: int = 0,
    numbers: bool | None = None,
    refuses: dict[str, tuple[type[Exception], str]] | None = None,
    ufunc: np.ufunc | None = None,
    **rules: Callable,
) -> Callable[[Callable], Callable]:
    """Declare an operation (see op.py) and make it callable: on arrays it computes, on Tensors it also records.

    jvp: how its tangent is found. name: of the node, ``Sum1`` for SumBackward1, when it is not the function's with a 0.
    outputs: names of the outputs. constants: arguments that may be Tensors and have no rule (indices, masks).
    promote: how dtypes meet, a word of _PROMOTE.
    view: the result shares memory with the first argument. always_saved: what torch saves and no rule needs.
    plain: how many of the outputs, at the end, have no gradient although they are floating point.
    numbers: whether a Python number may stand where a Tensor is expected; those that promote usually allow it.
    refuses: the error for a first operand of these kinds of dtype, such as ``{"bc": kernel("remainder_cpu")}``.
    ufunc: what computes the same of floats of one dtype, when all else has its default: faster, without a call of Python's.
    """

    def declare(forward: Callable) -> Callable:
        stem = name or "".join(part.capitalize() for part in forward.__name__.split("_")) + "0"
        operation = Op(
            forward, rules, jvp, outputs=outputs, constants=constants, promote=promote, view=view,
            always_saved=always_saved, plain=plain, numbers=bool(promote) if numbers is None else numbers, refuses=refuses or {},
            ufunc=ufunc,
        )  # fmt: skip
        REGISTRY[forward.__name__] = operation
        operation.node_type = _node_type(operation, stem)
        return functools.update_wrapper(_recorder(operation), forward)

    return declare


def _node_type(operation: Op, stem: str) -> type[OpNode]:
    """The class of an operation's nodes: ``MulBackward0`` from ``Mul0``; a name without a number stays as it is."""
    body: dict[str, Any] = {"__slots__": ()}
    body.update({f"_saved_{value}": saved_property(value, _number_tensor) for value in operation.saved_names})
    if stem[-1].isdigit():
        return type(f"{stem[:-1]}Backward{stem[-1]}", (OpNode,), body)
    if "::" in stem:
        body["name"] = lambda self: stem
    return type(stem.rpartition("::")[2], (OpNode,), body)


def kernel(name: str) -> tuple[type[Exception], str]:
    """The refusal of a dtype for which PyTorch has no kernel; ``{}`` stands for the dtype."""
    return NotImplementedError, f"\"{name}\" not implemented for '{{}}'"


def _number_tensor(value: bool | int | float | complex) -> Tensor:
    """A Python number as PyTorch shows it among saved tensors: in its widest type."""
    return _wrap(np.asarray(value))


def _meet(arrays: list, positions: Sequence[int]) -> None:
    """Bring operands to the dtype in which they meet. Python numbers stay: NumPy gives way to the array, as torch does."""
    target = dtypes.result_type(*(arrays[i] for i in positions)).numpy
    only_numbers = not any(type(arrays[i]) is np.ndarray for i in positions)
    for i in positions:
        if only_numbers or type(arrays[i]) is np.ndarray and arrays[i].dtype != target:
            arrays[i] = np.asarray(arrays[i]).astype(target)


def _arith(arrays: list) -> None:
    a, b = arrays[0], arrays[1]
    if type(a) is np.ndarray:
        if type(b) is np.ndarray:
            if a.dtype is b.dtype:
                return
        elif a.dtype.kind == "f" and type(b) is not complex:
            return
    _meet(arrays, (0, 1))


def _choice(arrays: list) -> None:
    _meet(arrays, (1, 2))


def _three(arrays: list) -> None:
    _meet(arrays, [i for i in (0, 1, 2) if arrays[i] is not None])


def _float(arrays: list) -> None:
    if arrays[0].dtype.kind not in "fc":
        arrays[0] = arrays[0].astype(dtypes.get_default_dtype().numpy)


def _divide(arrays: list) -> None:
    if dtypes.result_type(*arrays[:2]).category < 2:  # each straight to float: uint8 would lose the sign of an int64
        arrays[:2] = [np.asarray(a).astype(dtypes.get_default_dtype().numpy) for a in arrays[:2]]
    else:
        _arith(arrays)


def _subtract(arrays: list) -> None:
    bools = [dtypes.of(a) is dtypes.bool_ if type(a) is np.ndarray else type(a) is bool for a in arrays[:2]]
    if any(bools):
        raise RuntimeError(errors.BOOL_MINUS if all(bools) else errors.BOOL_MINUS_ONE)
    _arith(arrays)


# How the dtypes of operands meet, by the word in the declaration.
_PROMOTE: dict[str, Callable[[list], None] | None] = {
    "": None,
    "arith": _arith,  # the first two operands
    "divide": _divide,  # the same, and integers become the default float
    "subtract": _subtract,  # the same, and bools are refused
    "float": _float,  # one operand; integers become the default float
    "choice": _choice,  # the second and third
    "three": _three,  # all of the three that are there
}
_MEETING = ("arith", "divide", "subtract", "choice", "three")  # where several operands meet, element by element


def refuse_shapes(*operands: Any) -> None:
    """Raise torch's message when operands do not broadcast; NumPy's was a ValueError."""
    a: tuple[int, ...] = ()
    for b in (x.shape for x in operands if isinstance(x, np.ndarray)):
        rank = max(len(a), len(b))
        for dim in range(-1, -min(len(a), len(b)) - 1, -1):
            if a[dim] != b[dim] and 1 not in (a[dim], b[dim]):
                raise errors.note(RuntimeError(errors.BROADCAST.format(a[dim], b[dim], rank + dim))) from None
        a = np.broadcast_shapes(a, b)


def _refuse_output(shape: tuple[int, ...], operands: Sequence[Any]) -> None:
    """Raise when operands meet in another shape than that of the tensor that is to be written to."""
    shapes = [x.shape for x in operands if isinstance(x, np.ndarray) and x.shape != shape]
    if shapes:
        refuse_shapes(*operands)
        meet = np.broadcast_shapes(shape, *shapes)
        if meet != shape:
            raise errors.note(RuntimeError(errors.OUTPUT_SHAPE.format(list(shape), list(meet))))


def _recorder(op: Op) -> Callable:
    """The callable of an operation."""
    general = _general(op)
    general.op = op  # type: ignore[attr-defined]
    refuses_floats = any("f" in kinds for kinds in op.refuses)
    one, two = op.slots == (0,), op.slots == (0, 1) and op.inputs in ((0, 1), ())
    if op.view or op.takes_list or len(op.outputs) > 1 or refuses_floats or not (one or two):
        return general
    hot = functools.partial(_unary if one else _binary, op)
    call = _unary(op, general, arrays=True) if one else hot(general)
    call.op = op  # type: ignore[attr-defined]
    if two or len(op.parameters) == 1:  # of other arguments than operands public functions first ask what they are
        call.hot = hot  # type: ignore[attr-defined]
    return call


def _edge_of(a: Any) -> Edge | None:
    """Where the cotangent of an argument goes, if it is a Tensor that wants one."""
    if not isinstance(a, Tensor):
        return None
    return a._gradient_edge() if a._view is not None or a._edge is None else a._edge


def edges_of(op: Op, args: tuple) -> tuple[bool, int, tuple]:
    """Whether a call is recorded, which inputs want a gradient, as bits, and where the gradients go."""
    inputs = args[op.inputs[0]] if op.takes_list else [args[i] for i in op.inputs]
    edges, mask = [], 0
    for position, a in enumerate(inputs):
        edge = _edge_of(a)
        edges.append(edge)
        if edge is not None:
            mask |= 1 if op.takes_list else 1 << position
    return mask != 0 or any(isinstance(a, Tensor) and _is_cut_off(a) for a in inputs), mask, tuple(edges)


def _is_cut_off(tensor: Tensor) -> bool:
    """Whether a tensor requires grad and will never get one: a view of such a tensor that was made under no_grad."""
    return tensor._view is not None and tensor._view.base.requires_grad


def _general(op: Op) -> Callable:
    """Any operation on any arguments: lists of Tensors, views, several outputs, dtypes that have to meet."""
    forward = op.forward

    def call(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is ndarray and not kwargs and not any(isinstance(a, Tensor) for a in args):
            return forward(*args)  # in a rule
        if kwargs or len(args) != len(op.parameters):
            args = op.bind(args, kwargs)
        try:
            arrays = _operands(op, args)
            if arrays is None:
                return forward(*args)
            out = _computed(op, arrays)
        except (RuntimeError, IndexError):
            if state.grad:
                edges_of(op, args)  # in PyTorch views have found their new history when an operation fails
            raise
        several = isinstance(out, (tuple, list))
        outputs = tuple([_wrap(np.asarray(o)) for o in out]) if several else (_wrap(np.asarray(out)),)
        recorded, mask, edges = edges_of(op, args) if op.inputs and op.smooth != 0 and state.grad else (False, 0, ())
        node = None
        metas = tuple([(o._array.shape, o._array.dtype) for o in outputs if o._array.dtype.kind in "fc"]) if recorded else ()
        if recorded and outputs and not metas:
            _refuse_integers(op, args, outputs[0]._array)
        if metas:
            node = new_node(op.recipe(mask), args, edges, metas, caller(), outputs)
            for number, o in enumerate(outputs[: op.smooth]):
                if o._array.dtype.kind in "fc":
                    o._edge = (node, number)
        if op.view:
            _make_views(args[0], outputs, call, args[1:], op.returns_several)
        if state.quick is None:
            propagate(call, args, outputs)
            if node is not None:
                annotate(node, outputs)
        return outputs if several else outputs[0]

    return call


_NUMBERS = (bool, int, float, complex)


_TWO = ("arith", "divide", "subtract")  # where neither operand may be missing


def _operands(op: Op, args: tuple, into: np.ndarray | None = None, called: str = "") -> list | None:
    """The arguments with arrays in place of Tensors, of dtypes that meet; None when there is no Tensor among them.

    Raises TypeError for what is neither Tensor nor, where one may stand, a number, and what the operation refuses.
    ``into``: the array that a write goes to, whose shape the operands have to fit. ``called``: the name in an error, which
    counts arguments as the method does; a function has one more.
    """
    arrays = list(args)
    found, strange = False, None
    for i in op.slots:
        a = args[i]
        if isinstance(a, Tensor):
            arrays[i] = a._array
            found = True
        elif type(a) is tuple:
            arrays[i] = [t._array if isinstance(t, Tensor) else t for t in a]
            found = found or any(isinstance(t, Tensor) for t in a)
        elif strange is None and not (op.numbers and isinstance(a, _NUMBERS)) and (a is not None or op.promote in _TWO):
            strange = i
    if not found:
        return None
    if strange is not None:
        kind = errors.kind_of(args[strange])
        raise TypeError(errors.ARGUMENT.format(called or op.name, public(op.parameters[strange]), strange, "Tensor", kind))
    promote = _PROMOTE[op.promote]
    if promote is not None:
        promote(arrays)
        if into is not None:
            _refuse_output(into.shape, [arrays[i] for i in op.slots])
            if op.smooth != 0 and (op.rules or op.refuses):  # truth values can be written to any dtype
                _refuse_cast(arrays[op.slots[0]], into)
    for kinds, (error, text) in op.refuses.items():
        first = arrays[op.slots[0]]
        if type(first) is np.ndarray and first.dtype.kind in kinds:
            if promote is not None and error is NotImplementedError:  # which PyTorch finds out last
                refuse_shapes(*arrays)
            raise error(text.format(dtypes.of(first).scalar_type))
    return arrays


def _computed(op: Op, arrays: Sequence[Any]) -> Any:
    """The forward, with torch's message where shapes do not broadcast."""
    try:
        out = state.quietly(op.forward, *arrays)
        if op.promote in _MEETING and type(out) is ndarray and out.ndim > 1:
            return in_order_of([a for a in arrays if type(a) is ndarray], out)
        return out
    except ValueError as error:
        if "broadcast" in str(error):
            refuse_shapes(*arrays)
        raise
    except OverflowError:  # a Python integer that the dtype of the others cannot hold wraps around
        (kind,) = {a.dtype for a in arrays if isinstance(a, np.ndarray)}
        named = zip(op.parameters, arrays, strict=True)
        wrapped = [np.asarray(a).astype(kind) if name in ("self", "other") and type(a) is int else a for name, a in named]
        return state.quietly(op.forward, *wrapped)


# The hot path: what follows does what _general does, for one or two operands that need no special care. Almost every
# operation of a program runs through it, so it asks for nothing twice. Everything else, also a call that fails, goes to
# ``otherwise``: to _general, or to an operator or a function around it that first looks at what it was given.


_ABSENT: Any = object()  # an operand that did not come by position: perhaps by name


def _unary(op: Op, otherwise: Callable, arrays: bool = False) -> Callable:
    forward, kernel, tail, alone_recipe, recipe = op.forward, op.kernel, op.defaults[1:], op.recipe(1, 1), op.recipe(1)
    can_record, wants_float = bool(op.inputs), op.promote != "" or bool(op.refuses)
    alone, arity = REQUIRED not in tail, len(op.parameters)

    def call(self: Any = _ABSENT, /, *rest: Any, **kwargs: Any) -> Any:
        quick, grad = state.hot
        if kwargs or quick is None or not isinstance(self, Tensor) or wants_float and self._array.dtype.kind != "f":
            if arrays and type(self) is ndarray and not kwargs:  # in a rule
                return forward(self, *rest)
            return otherwise(*(() if self is _ABSENT else (self, *rest)), **kwargs)
        edge = None
        if grad and can_record:
            edge = self._edge
            if self._view is not None:
                edge = self._gradient_edge()
                if edge is None and _is_cut_off(self):
                    return otherwise(self, *rest)
            elif edge is None and self._requires_grad:
                edge = self._gradient_edge()
        try:
            if not rest and alone:
                out = quick(kernel, self._array)
            elif len(rest) + 1 == arity:
                out = quick(kernel, self._array, *rest)
            else:
                return otherwise(self, *rest)
        except (TypeError, RuntimeError, IndexError):
            return otherwise(self, *rest)
        result = _new(Tensor)
        result._array = out if type(out) is ndarray else np.asarray(out)  # NumPy gives scalars for zero dimensions
        result._counter = [0]
        result._edge = result._view = None
        result._requires_grad = False
        if edge is not None:
            _record(result, recipe if rest else alone_recipe, (self, *rest), (edge,))
        return result

    return call


def _binary(op: Op, otherwise: Callable) -> Callable:
    kernel, tail, inputs, numbers = op.kernel, op.defaults[2:], op.inputs if op.smooth != 0 else (), op.numbers
    meets, by_element = op.promote != "" or bool(op.refuses), op.promote in _MEETING
    of_self, of_other, of_both = (op.recipe(mask, 2) for mask in (1, 2, 3))
    if REQUIRED in tail:
        return otherwise

    def call(self: Any = _ABSENT, other: Any = _ABSENT, /, *rest: Any, **kwargs: Any) -> Any:
        quick, grad = state.hot
        if quick is None or rest or kwargs or not isinstance(self, Tensor):
            return otherwise(*[a for a in (self, other, *rest) if a is not _ABSENT], **kwargs)
        a = self._array
        if isinstance(other, Tensor):
            b: Any = other._array
            dtype = a.dtype
            if meets and (dtype is not b.dtype or dtype.kind != "f"):
                return otherwise(self, other)
        elif numbers and (type(other) is float or type(other) is int) and a.dtype.kind == "f":
            b = other
        else:
            return otherwise(self) if other is _ABSENT else otherwise(self, other)
        try:
            out = quick(kernel, a, b)
        except (TypeError, ValueError, RuntimeError, IndexError):  # again, for torch's message and what else an error leaves
            return otherwise(self, other)
        if a.ndim > 1 and by_element and b is not other and not a.flags.c_contiguous:
            out = in_order_of((a, b), out)
        result = _new(Tensor)
        result._array = out if type(out) is ndarray else np.asarray(out)
        result._counter = [0]
        result._edge = result._view = None
        result._requires_grad = False
        if grad and inputs:
            edge, other_edge = self._edge, None
            if self._view is not None or edge is None and self._requires_grad:
                edge = self._gradient_edge()
            if b is not other:
                other_edge = other._edge
                if other._view is not None or other_edge is None and other._requires_grad:
                    other_edge = other._gradient_edge()
            if edge is not None or other_edge is not None:
                recipe = of_other if edge is None else of_self if other_edge is None else of_both
                _record(result, recipe, (self, other), (edge, other_edge))
            elif self._view is not None and _is_cut_off(self) or b is not other and other._view is not None and _is_cut_off(other):
                return otherwise(self, other)
        return result

    return call


def _record(result: Tensor, recipe: Recipe, args: tuple, edges: tuple) -> None:
    """Give a result its history: the node that undoes the operation."""
    array = result._array
    metas = ((array.shape, array.dtype),)
    first = edges[0] or edges[1]
    if metas == first[0]._metas:  # as it mostly is: then it is kept once
        metas = first[0]._metas
    elif array.dtype.kind not in "fc":
        _refuse_integers(recipe.op, args, array)
        return  # an integer result is the end of differentiability
    frame = _getframe(2)  # the first step of caller(), which is mostly the last
    code = frame.f_code
    site = caller(3) if inside[code.co_filename] else (code, frame.f_lasti)
    result._edge = new_node(recipe, args, edges, metas, site, (result,)), 0


def _refuse_integers(op: Op, args: tuple, array: np.ndarray) -> None:
    """Raise for a sum, product or so that was asked for in integers, of what requires grad. A cast just cuts the graph off."""
    if op.name != "to_copy" and args[0]._array.dtype.kind in "fc":
        raise errors.note(RuntimeError(errors.INTEGER_RESULT.format(dtypes.of(array).scalar_type)))


def _make_views(parent: Tensor, outputs: Sequence[Tensor], call: Callable, rest: tuple, several: bool) -> None:
    """The outputs share the parent's memory: give them its version counter, and the way to make them again."""
    if type(parent._counter) is Unversioned:
        for out in outputs:
            out._counter = parent._counter  # no write to it will ever be recorded, so nobody has to know that it is a view
        return
    above = parent._view
    base, before = (parent, None) if above is None else (above.base, above.replay)
    mode = "inference" if state.inference else "" if state.grad else "no_grad"
    origin = mode or ("multi" if several else "")
    if above is not None and (not origin or above.origin == "inference"):
        origin = above.origin
    for number, out in enumerate(outputs):

        def replay(base: Any, number: int = number) -> Any:
            made = call(base if before is None else before(base), *rest)
            return made[number] if isinstance(made, tuple) else made

        out._counter = parent._counter
        out._view = _View(base, replay, origin)


def part_to_write(self: Tensor, key: tuple) -> Tensor | None:
    """The view that a simple index gives, for a write that alone will see it; None where the usual way has to be gone."""
    if state.quick is None or self._view is not None:
        return None
    try:
        part = _wrap(self._array[key])
    except IndexError:  # tried again, for torch's message
        return None
    if part._array.shape == self._array.shape:
        return None
    _make_views(self, (part,), operator.getitem, (key,), False)
    if part._view is not None:
        part._view.passing = True
    return part


# -- in place ------------------------------------------------------------------------------------------------------------


def is_expanded(array: np.ndarray) -> bool:
    """Whether several elements of an array are one in memory."""
    strides = array.strides
    return 0 in strides and array.size > 0 and any(s == 0 and n > 1 for s, n in zip(strides, array.shape, strict=True))


def order_of(array: np.ndarray) -> tuple[int, ...] | None:
    """The dimensions from the slowest to the fastest in memory; None where they come in order."""
    if array.flags.c_contiguous:
        return None
    return tuple(sorted(range(array.ndim), key=lambda d: -array.strides[d]))


def laid_out(g: Any, order: tuple[int, ...] | None) -> Any:
    """A copy of an array or Tensor whose dimensions lie in memory in that order, so that views of a base can be made of it."""
    if isinstance(g, np.ndarray):
        return g.copy() if order is None else g.transpose(order).copy().transpose(np.argsort(order))
    return g.clone() if order is None else g.permute(order).contiguous().clone().permute(*map(int, np.argsort(order)))


def in_order_of(operands: Sequence[np.ndarray], out: np.ndarray) -> np.ndarray:
    """The result of an operation on elements, as it lies in PyTorch's memory (TensorIterator::reorder_dimensions).

    The first operand says which of two dimensions is the faster; the next one is asked only where the first was stretched.
    NumPy goes by rows where operands disagree.
    """
    if all(a.flags.c_contiguous for a in operands):
        return out
    shape, strides = out.shape, [np.broadcast_to(a, out.shape).strides for a in operands]
    order = [*range(out.ndim)]
    for start in reversed(order[:-1]):
        moving = start
        for other in range(start + 1, out.ndim):
            a, b = order[other], order[moving]
            both = ((s[a] - s[b], s[a] == s[b] and shape[a] - shape[b]) for s in strides if s[a] and s[b])
            slower = next((difference or size for difference, size in both if difference or size > 0), 0)
            if slower < 0:
                break
            if slower > 0:
                order[other], order[moving] = b, a
                moving = other
    return out if out.transpose(order).flags.c_contiguous else laid_out(out, tuple(order))


_NOT_FREED: Any = object()


class CopySlices(Node):
    """A write to a view, as the base sees it: the written part went through ``inner``, the rest came through unchanged.

    ``edges[0]`` is the history of the base before the write; the others are those of the written values. ``replay`` makes
    the view of a base, of a Tensor or of a plain array.
    """

    __slots__ = ("inner", "replay", "order", "expanded", "freed_by")

    def __init__(self, base: Tensor, edge: Edge | None, inner: Node, replay: Callable[[Any], Any]):
        super().__init__((edge, *inner._edges[1:]), ((base._array.shape, base._array.dtype),), inner._place)
        self.inner, self.replay, self.freed_by = inner, replay, _NOT_FREED
        self.order, self.expanded = order_of(base._array), is_expanded(base._array)

    def name(self) -> str:
        return "minigrad::autograd::CopySlices"

    def apply(self, cotangents, quietly, wanted):
        g, recorded = cotangents[0], quietly is None
        if g is None:
            return [None] * len(self._edges)
        if self._freed:
            raise freed_error(self, self.freed_by)
        if self.expanded:  # there is no gradient of that layout to write to
            raise RuntimeError(errors.OVERLAP)
        rest = laid_out(g, self.order)
        part = self.replay(rest)
        results = list(self.inner.apply([part.clone() if recorded else part.copy()], quietly, None))
        if self._edges[0] is not None:
            written = 0 if results[0] is None else results[0]
            if recorded:
                part.copy_(written) if isinstance(written, Tensor) else part.zero_()
            elif is_expanded(part):
                raise errors.note(RuntimeError(errors.OVERLAP))
            else:
                part[...] = written
            results[0] = rest
        if wanted is not None:
            results = [None if e is None or e[0] not in wanted else g for g, e in zip(results, self._edges, strict=True)]
        return results

    def _release(self, site):
        self.inner._release(site)
        if not self._freed:
            self.freed_by = site
            self.inner._edges = self._edges  # it held what the view was before

    # Also where nothing was saved: PyTorch lets go of the written part as a whole.
    _freed = property(lambda self: self.freed_by is not _NOT_FREED)

    def _info_of_saved(self):
        return self.inner._info_of_saved()


def check_inplace(self: Tensor, recorded: bool) -> None:
    """Raise what torch raises when this tensor must not be written to. Before anything is changed.

    ``recorded``: whether the write itself will be recorded, because grad mode is on and an operand requires grad.
    """
    view = self._view
    if view is not None and recorded:
        view.refuse_write(self._edge, indirect=False)
        if recorded and self.requires_grad and view.base.is_leaf:
            raise errors.note(
                RuntimeError(errors.LEAF_VIEW_INPLACE),
                "Update a leaf inside `with minigrad.no_grad():`, or write to a view of a computed tensor.",
            )
    passing = view is not None and view.passing
    if recorded and self._edge is None and self.requires_grad and not passing:  # also of a view that did not yet renew its history
        raise errors.note(
            RuntimeError(errors.LEAF_INPLACE),
            "Update a leaf inside `with minigrad.no_grad():`, or write to a computed tensor, such as x.clone().",
        )


# Operations that may write to an expanded tensor, and what PyTorch warns of then; which do not look at their operands' memory.
_MASK = ("masked_fill_", "mask", "scalar")
_PUT = ("index_put_", "indices", "tensor")
_EXPANDED: dict[str, Callable[[tuple], tuple]] = {
    "filled": lambda args: (), "zeroed": lambda args: (),
    "masked_fill_number": lambda args: (_MASK,), "masked_fill_tensor": lambda args: (_MASK,),
    # One element where a mask is true is filled in, and PyTorch then warns of that too.
    "index_put": lambda args: (_PUT, _MASK) if args[2]._array.size == 1 and all(
        i is None or i._array.dtype.kind == "b" for i in args[1]) else (_PUT,),
}  # fmt: skip
_MAY_OVERLAP = ("filled_from", "addmm", "masked_fill_tensor")


def _check_overlap(operation: Op, args: tuple) -> bool:
    """Raise where an element would be written twice, or be read through an operand when it was written already.

    Returns whether the tensor is expanded, so that several of its elements are one.
    """
    target = args[0]._array
    expanded = is_expanded(target)
    if expanded:
        if operation.name not in _EXPANDED:
            raise errors.note(RuntimeError(errors.OVERLAP))
        for what in _EXPANDED[operation.name](args):
            warnings.warn(errors.EXPANDED_WRITE.format(*what), UserWarning, stacklevel=4)
    owner = target if target.base is None else target.base
    whole = operation.name == "index_put"  # which may not even read the very elements that it writes to
    for operand in args[1:]:
        if isinstance(operand, Tensor) and (whole or operand is not args[0]):
            source = operand._array
            shared = owner is (source if source.base is None else source.base) and operation.name not in _MAY_OVERLAP
            if shared and (operand is args[0] or _overlap(target, source, whole)):
                raise errors.note(RuntimeError(errors.PARTIAL_OVERLAP))
    return expanded


def _changed(target: np.ndarray, out: np.ndarray) -> np.ndarray:
    """What an expanded array becomes when only those elements are written that changed."""
    once = target[tuple(slice(0, 1) if s == 0 else slice(None) for s in target.strides)].copy()
    result = np.lib.stride_tricks.as_strided(once, target.shape, [s and t for s, t in zip(target.strides, once.strides, strict=True)])
    changed = out != target
    result[changed] = out[changed]
    return result


def write(self: Tensor, values: Any, node: OpNode | None) -> Tensor:
    """Put values into this tensor's memory, count the write, and give the tensor (and its base) the history ``node``."""
    if state.mutable is not None:
        state.mutable.before_write(self)
    self._array[...] = values
    site = caller() if node is None else node._place
    bump(self._counter, site)
    if node is None:
        return self
    node._metas = ((self._array.shape, self._array.dtype),)
    node.save_outputs((self,))
    set_written_history(self, node)
    if self._view is not None and self._edge is not None:
        for kind_and_place, saved in zip(node.recipe.saves, node.saved, strict=True):
            if kind_and_place[0] == OUTPUT:
                saved[0]._remade = weakref.ref(self._edge[0])
    if state.quick is None:
        annotate(node, (self,))
    return self


def set_written_history(self: Tensor, node: Node) -> None:
    """Give a tensor that was written to the history ``node``; for a view, give it to the base, from where it comes back."""
    view = self._view
    if view is None:
        self._set_history((node, 0))
        return
    base = view.base
    slices = CopySlices(base, base._gradient_edge(), node, view.replay)
    base._set_history((slices, 0))
    if state.quick is None:
        annotate(slices, ())
    if not view.passing:
        view.version = -1
        self._renew_history()  # from the base


def in_place(call: Callable, name: str = "") -> Callable:
    """The in-place form of an operation: ``x.exp_()`` from ``exp``. name: what errors call it, if not that."""
    if hasattr(call, "choose"):
        return _in_place_choice(call)
    operation: Op = call.op  # type: ignore[attr-defined]
    name = name or f"{operation.name}_"

    def call_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        full = (self, *args)
        if kwargs or len(full) != len(operation.parameters):
            full = operation.bind(full, kwargs)
        recorded = state.grad and self._array.dtype.kind in "fc"
        recorded = recorded and any(isinstance(full[i], Tensor) and full[i].requires_grad for i in operation.inputs)
        check_inplace(self, recorded)
        _, mask, edges = edges_of(operation, full) if recorded else (False, 0, ())
        expanded = _check_overlap(operation, full)
        out = np.asarray(_computed(operation, _operands(operation, full, self._array, name)))  # type: ignore[arg-type]
        check_result(self, out)
        if expanded:
            out = _changed(self._array, out)
        node, kept = None, full
        if recorded:
            recipe = operation.recipe(mask)
            if (INPUT, 0) in recipe.saves:  # the rule needs the value that is about to be overwritten
                kept = (self._copy(), *full[1:])
            node = new_node(recipe, kept, edges, (), caller(), None)
        if state.forward is None:
            return write(self, out, node)
        result = _wrap(out)
        result._edge = None if node is None else (node, 0)
        tangents = push(call, full, (result,), (self._copy(), *full[1:]))
        write(self, out, node)
        for tangent in tangents:
            write_tangent(self, tangent)
        return self

    return functools.update_wrapper(call_, operation.forward)


def view_in_place(view: Callable, stem: str, undo: Callable | None = None) -> Callable:
    """``x.t_()`` from ``t``: the tensor itself becomes the view. No value changes, but it counts as a write.

    stem: of the node, because PyTorch has another for it: ``T1``. undo: ``undo(x, shape)`` is x in the shape that it had;
    without it the operation undoes itself.
    """
    operation: Op = view.op  # type: ignore[attr-defined]
    node_type = _node_type(operation, stem)

    def call_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        full = operation.bind((self, *args), kwargs)
        rest = full[1:]  # the steps below are kept by the tensor: they must not hold it
        check_inplace(self, state.grad and self.requires_grad)
        recorded, mask, edges = edges_of(operation, full) if state.grad else (False, 0, ())
        array = operation.forward(self._array, *rest)
        if type(self._counter) is Unversioned and not state.inference:
            raise errors.note(RuntimeError(errors.INFERENCE_WRITE))
        tangent = None if state.forward is None else tangent_of(self)
        site = caller()
        node = None
        if recorded:
            node = new_node(operation.recipe(mask), full, edges, (), site, None)
            node.__class__ = node_type  # which is not the operation's
        self._array, shape = array, self._array.shape
        bump(self._counter, site)
        above = self._view
        if above is not None:
            before = above.replay
            above.replay = lambda base: view(before(base), *rest)
            if node is not None:
                above.version = self._counter[0]
        else:
            self._relaid += ((lambda x: view(x, *rest)) if undo is None else (lambda x: undo(x, shape)),)
        if node is not None:
            node._metas = ((array.shape, array.dtype),)
            self._edge = (node, 0)
            if state.quick is None:
                annotate(node, (self,))
        if tangent is not None:
            with plain():
                self._dual = (state.forward, view(tangent, *rest))
        return self

    return functools.update_wrapper(call_, operation.forward)


def choice(choose: Callable) -> Callable:
    """A public function that is one of several operations: ``choose`` gives the operation and all its arguments."""

    def call(*args: Any, **kwargs: Any) -> Any:
        operation, full = choose(*args, **kwargs)
        return operation(*full)

    call.choose = choose  # type: ignore[attr-defined]
    return functools.update_wrapper(call, choose)


def _in_place_choice(call: Callable) -> Callable:
    forms: dict[Callable, Callable] = {}

    def call_(*args: Any, **kwargs: Any) -> Any:
        operation, full = call.choose(*args, **kwargs)  # type: ignore[attr-defined]
        if operation not in forms:
            forms[operation] = in_place(operation, f"{call.__name__}_")
        return forms[operation](*full)

    return functools.update_wrapper(call_, call)


def _overlap(a: np.ndarray, b: np.ndarray, whole: bool) -> bool:
    """Whether two arrays share memory, and not, unless ``whole``, the same elements in the same order.

    Told of arrays without gaps only.
    """
    (a_low, a_high), (b_low, b_high) = np.lib.array_utils.byte_bounds(a), np.lib.array_utils.byte_bounds(b)
    if not (a_low < b_high and b_low < a_high) or a_high - a_low != a.nbytes or b_high - b_low != b.nbytes:
        return False
    return whole or (a_low, a_high, a.strides) != (b_low, b_high, b.strides)


def _refuse_cast(result: np.ndarray, target: np.ndarray) -> None:
    """Raise for a result that would lose its kind of number where it is written to."""
    kinds = dtypes.of(result), dtypes.of(target)
    if not dtypes.can_cast(*kinds):
        raise errors.note(RuntimeError(errors.RESULT_CAST.format(kinds[0].scalar_type, kinds[1].scalar_type)))


def check_result(self: Tensor, out: np.ndarray) -> None:
    """Raise unless a result can be written into this tensor: no lower category of dtype, and the same shape."""
    if out.shape != self._array.shape:
        raise errors.note(RuntimeError(errors.OUTPUT_SHAPE.format(list(self._array.shape), list(out.shape))))
    _refuse_cast(out, self._array)
    if type(self._counter) is Unversioned and not state.inference:
        raise errors.note(RuntimeError(errors.INFERENCE_WRITE))
