"""Tensor: an array, a place in the graph, a version.

A *leaf* is a Tensor that no recorded operation made. Its cotangents are added up in ``.grad``; those of every other
Tensor go on to the node that made it.

Note [Methods from later files]
    What a method needs may stand in a later file of the engine. It is then put onto Tensor there, by ``@method``, so
    that the files can be read, and imported, one after the other.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .seams import seams, state

Edge = tuple[Any, int]  # a node, and the number of one of its outputs: where a cotangent goes

if TYPE_CHECKING:  # a stub, for tools: what operations, and rooms around the engine, put onto Tensor
    from .operations import Operations
else:
    Operations = object


class Tensor(Operations):
    """An array with a history. Views of one piece of memory have one version, which counts the writes to it.

    Some of these attributes the package has again, with PyTorch's checks: ``core/__init__.py`` names them.

    Note [Versions]
        ``_counter`` is a list that all views of a piece of memory share: the version, then the last writes as (version,
        site), so that an error can name the line (compat/complaints.py looks them up). A list, because it is the
        cheapest thing in Python that can be shared and changed. A counter of another class has a method ``bump`` of its
        own: that of inference mode counts nothing.
    """

    # What every operation asks for is set on each Tensor, because Python then finds it fastest; the rest is on the
    # class.
    _array: np.ndarray
    _counter: list
    _edge: Edge | None = None  # where this tensor's cotangent goes; None for a leaf
    _view: Any = None  # what makes it a view, see views.py
    _requires_grad: bool = False  # set by the user, on a leaf
    _grad: Tensor | None = None
    _accumulator: weakref.ref | None = None  # a leaf's AccumulateGrad, as long as a graph needs it
    _hooks: Any = None  # what watches the gradient of a leaf, see around/hooks.py
    # Set by `write` in views.py on the alias of its result that the node of a write saves: the node that the written
    # tensor shows. Errors name it. For a view it is not the node of the write, but one that comes from the base.
    _written_by: Any = None
    _detached: int = 0  # how many nodes there were when detach_() took its history
    _dual: Any = None  # for forward mode

    __array_priority__ = 1000  # NumPy's operators leave mixed expressions to us

    def _alias(self, edge: Edge | None) -> Tensor:
        """The same memory and version with another history."""
        alias = wrap(self._array)
        alias._counter = self._counter
        alias._edge = edge
        return alias

    def _copy(self) -> Tensor:
        """A copy of the values with this tensor's history, for a rule that needs what a write destroys.

        The copy of a leaf is no leaf: its edge leads to the leaf's AccumulateGrad. A tangent is left behind.
        """
        copy = wrap(self._array.copy())
        copy._edge = self._gradient_edge()
        return copy

    # -- the place in the graph ----------------------------------------------------------------------------------------

    @property
    def grad_fn(self) -> Any:
        """The node that made this tensor, or None for a leaf."""
        if self._view is not None:
            self._view.renew(self)
        return None if self._edge is None else self._edge[0].shown()

    @property
    def is_leaf(self) -> bool:
        """True for tensors that no recorded operation made. Only leaves get ``.grad`` without being asked."""
        return (self._edge if self._view is None else self.grad_fn) is None

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded. Can be set on leaves of floating point or complex dtype."""
        return self._edge is not None or self._requires_grad or bool(self._view and self._view.base.requires_grad)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set ``requires_grad`` and return this tensor. RuntimeError for integers, and to clear it on a non-leaf."""
        if self._edge is not None and not requires_grad:
            raise seams.error("NOT_LEAF")
        if requires_grad and self._array.dtype.kind not in "fc":
            raise seams.error("NOT_FLOAT")
        self._requires_grad = requires_grad and self._edge is None
        return self

    @property
    def grad(self) -> Tensor | None:
        """What backward accumulated here, or None."""
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        self._grad = value

    def detach(self) -> Tensor:
        """The same memory and version, without history. Writes to it are seen by the version check.

        >>> import minigrad as mg
        >>> x = mg.tensor(3.0, requires_grad=True)
        >>> (x * 2).detach()
        tensor(6.)
        """
        return self._alias(None)

    @property
    def _version(self) -> int:
        """How many in-place writes this memory has seen."""
        return self._counter[0]

    # -- the array -----------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return self._array.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._array.dtype

    def numel(self) -> int:
        """The number of elements."""
        return self._array.size

    def is_complex(self) -> bool:
        """Whether the dtype is a complex one."""
        return self._array.dtype.kind == "c"

    def is_contiguous(self) -> bool:
        """Whether the elements lie in memory in row-major order without gaps."""
        return self._array.flags.c_contiguous

    def item(self) -> bool | int | float | complex:
        """The one element as a Python number."""
        return self._array.item()

    def numpy(self) -> np.ndarray:
        """The array itself, sharing memory."""
        return self._array

    # -- operators -----------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Tensor:
        return OPERATIONS["add"](self, other) if type(other) in OPERANDS else seams.operator("add", self, other)

    def __sub__(self, other: Any) -> Tensor:
        return OPERATIONS["sub"](self, other) if type(other) in OPERANDS else seams.operator("sub", self, other)

    def __mul__(self, other: Any) -> Tensor:
        return OPERATIONS["mul"](self, other) if type(other) in OPERANDS else seams.operator("mul", self, other)

    def __truediv__(self, other: Any) -> Tensor:
        return OPERATIONS["div"](self, other) if type(other) in OPERANDS else seams.operator("div", self, other)

    def __pow__(self, other: Any) -> Tensor:
        return OPERATIONS["pow"](self, other) if type(other) in OPERANDS else seams.operator("pow", self, other)

    def __matmul__(self, other: Any) -> Tensor:
        return OPERATIONS["matmul"](self, other) if type(other) is Tensor else seams.operator("matmul", self, other)

    def __len__(self) -> int:
        return len(self._array)

    def __bool__(self) -> bool:
        return bool(self._array)

    def __hash__(self) -> int:
        return id(self)  # == compares elements, so identity is what a tensor is hashed by


new = object.__new__
OPERANDS = {Tensor, bool, int, float, complex}  # what stands beside a Tensor in an expression


def operator(name: str, *operands: Any) -> Any:
    """An operation that one of Python's operators asks for. See ``Seams.operator``."""
    return OPERATIONS[name](*operands)


seams.operator = operator
# For the engine alone: in the package methods.py gives each of these again.
_OTHERS = {"__radd__": "add", "__rmul__": "mul", "__rsub__": "rsub", "__getitem__": "getitem", "__setitem__": "setitem"}
_OTHERS |= {f"__{symbol}__": symbol for symbol in ("neg", "lt", "le", "gt", "ge", "eq", "ne")}
for _symbol, _name in _OTHERS.items():
    setattr(Tensor, _symbol, lambda *operands, name=_name: operator(name, *operands))


def wrap(array: np.ndarray) -> Tensor:
    """A Tensor around an array: no copy, no history, version 0."""
    tensor = new(Tensor)
    tensor._array = array
    tensor._counter = [0] if state.extension is None else state.extension.counter()
    tensor._edge = tensor._view = None
    tensor._requires_grad = False
    return tensor


def bump(counter: list, site: Any) -> None:
    """Count one in-place write to the memory whose counter this is. See Note [Versions].

    Called by ``write`` in views.py for all in-place operations, by ``AccumulateGrad.accumulate`` for a ``.grad``, and
    outside of the engine by optimizers for their parameters, not for moments of their own, and for what a custom
    Function marks as dirty. One place counts without it: where ``accumulate`` keeps a sum that the walk made, it sets the
    version to the number of additions.
    """
    if type(counter) is not list:
        counter.bump(site)  # type: ignore[attr-defined]
        return
    counter[0] += 1
    counter.append((counter[0], site))
    if len(counter) > 17:  # the version, and the last 16 writes
        del counter[1]


OPERATIONS: dict[str, Callable] = {}  # by name, as they are declared: for the engine, which needs a few itself


def method(function: Callable) -> Callable:
    """Put a function onto Tensor as a method. See Note [Methods from later files]."""
    function.__qualname__ = f"Tensor.{function.__name__}"
    setattr(Tensor, function.__name__, function)
    return function


def dimension(dim: int, rank: int) -> int:
    """A dimension as a number from 0 to rank - 1; those below 0 count from the end."""
    rank = rank or 1
    if not -rank <= dim < rank:
        raise seams.error("DIM_RANGE", -rank, rank - 1, dim)
    return dim % rank
