"""Operations made of others. Their gradients are those of what they are made of, and so are the names in the graph."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import errors
from .core.rule import checked
from .core.tensor import Tensor
from .core.tensor import wrap as _wrap
from .modes import state
from .ops import matrix, shape

# -- pointwise -------------------------------------------------------------------------------------------------------------


def clamp_min(input: Tensor, min: Any) -> Tensor:
    """The larger of the input and a bound."""
    return input.clamp(min=min)


def clamp_max(input: Tensor, max: Any) -> Tensor:
    """The smaller of the input and a bound."""
    return input.clamp(max=max)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """input + value · tensor1 / tensor2."""
    return input + value * (tensor1 / tensor2)


# -- shape -----------------------------------------------------------------------------------------------------------------


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Each vector over the grid of all, one dimension for each; with ``indexing="xy"`` the first two are exchanged.

    >>> import minigrad as mg
    >>> mg.meshgrid(mg.tensor([1, 2]), mg.tensor([3, 4]), indexing="ij")[1]
    tensor([[3, 4],
            [3, 4]])
    """
    return _grid(list(tensors[0]) if isinstance(tensors[0], (list, tuple)) else list(tensors), indexing)


@checked
def _grid(vectors: list[Tensor], indexing: str | None) -> tuple[Tensor, ...]:
    sizes = [v.numel() for v in vectors]
    grid = [v.reshape([-1 if k == d else 1 for k in range(len(sizes))]).expand(sizes) for d, v in enumerate(vectors)]
    return tuple(g.transpose(0, 1) if indexing == "xy" and len(grid) > 1 else g for g in grid)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the second dimension, vectors along the only one."""
    parts = [t if t.ndim else t.reshape(1) for t in tensors]
    return shape.cat(parts, min(1, parts[0].ndim - 1))


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the first dimension, vectors as rows."""
    return shape.cat([t.reshape(1, -1) if t.ndim < 2 else t for t in tensors], 0)


def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension."""
    return input.reshape(-1)


def tile(input: Tensor, *dims: Any) -> Tensor:
    """Repeated so often along each of the last dimensions."""
    times = tuple(dims[0]) if isinstance(dims[0], Sequence) else dims
    return input.repeat((1,) * (input.ndim - len(times)) + times)


def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    """Each element so often, one after the other. repeats: a number, or a tensor with one for each index."""
    input, dim = (input.reshape(-1), 0) if dim is None else (input, dim)
    times = repeats._array if isinstance(repeats, Tensor) else repeats
    return input.index_select(dim, _wrap(np.repeat(np.arange(input.shape[dim]), times)))


def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: None = None) -> Any:
    """The different elements in ascending order; also, for each element, where it went, and how often each came."""
    errors.refuse("unique", dim=dim)
    if input.requires_grad and state.grad:
        raise NotImplementedError("the derivative for '_unique2' is not implemented.")
    found, inverse, counts = np.unique(input._array, return_inverse=True, return_counts=True)
    parts = found, *((inverse.reshape(input.shape),) * return_inverse), *((counts,) * return_counts)
    return tuple(map(_wrap, parts)) if len(parts) > 1 else _wrap(found)


# -- reading and writing at indices ----------------------------------------------------------------------------------------


def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: None = None) -> Tensor:
    """The input with src (or one number) written along a dimension where ``gather`` would read.

    >>> import minigrad as mg
    >>> mg.scatter(mg.zeros(2, 3), 1, mg.tensor([[2], [0]]), 1.0)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    errors.refuse("scatter", reduce=reduce)
    src = value if src is None else src
    src = src if isinstance(src, Tensor) else _wrap(np.asarray(src, input._array.dtype))
    places = [index if d == dim % index.ndim else _wrap(grid) for d, grid in enumerate(np.indices(index.shape))]
    return input.index_put(places, src[tuple(slice(n) for n in index.shape)] if src.ndim else src)  # type: ignore[index]


def _fill_diagonal_(self: Tensor, fill_value: float) -> Tensor:
    """One number on the diagonal of a matrix, in place."""
    self.diagonal().fill_(fill_value)  # type: ignore[attr-defined]
    return self


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The input with the slices of source written at the indices along a dimension."""
    return input.movedim(dim, 0).index_put((index,), source.movedim(dim, 0)).movedim(0, dim)


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """The input with the slices of source, times alpha, added at the indices along a dimension."""
    return input.movedim(dim, 0).index_put((index,), source.movedim(dim, 0) * alpha, True).movedim(0, dim)


# -- reductions ------------------------------------------------------------------------------------------------------------


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of the difference."""
    return (input - other).norm(p)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    """The p-norms of all differences between rows (…, n, d) and rows (…, m, d): (…, n, m)."""
    return (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1)


def median(input: Tensor) -> Tensor:
    """The middle element, the lower of two."""
    return input.reshape(-1).sort()[0][(input.numel() - 1) // 2]


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements are in each of so many equal parts of [min, max]; from the smallest to the largest, if both are 0."""
    bounds = (min, max) if min != max else (input._array.min(), input._array.max())
    return _wrap(np.histogram(input._array, bins, bounds)[0].astype(input._array.dtype))


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 on is there, or the sum of its weights."""
    return _wrap(np.bincount(input._array, None if weights is None else weights._array, minlength))


# -- about tensors ---------------------------------------------------------------------------------------------------------


def _cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """This tensor: all tensors are on the cpu."""
    return self


def _cuda(self: Tensor, device: Any = "cuda") -> Tensor:
    """NotImplementedError: there is one device."""
    return self.to(device or "cuda")


def bind(namespace: dict[str, Any]) -> None:
    """Put these functions into the package, and most of them, with the forms that write in place, onto Tensor."""
    calls = {name: call for name, call in globals().items() if getattr(call, "__module__", "") == __name__ and name[0] != "_"}
    del calls["bind"]
    namespace.update(calls, pi=math.pi, e=math.e, inf=math.inf, nan=math.nan, real=shape.real, imag=shape.imag, inverse=matrix.inv)
    for name in ("numel", "is_floating_point", "is_complex", "is_inference"):
        namespace[name] = getattr(Tensor, name)
    for name in calls.keys() - {"meshgrid", "hstack", "vstack", "cdist"}:
        setattr(Tensor, name, calls[name])
    for name in ("clamp_min", "clamp_max", "addcdiv", "scatter", "index_copy", "index_add"):
        setattr(Tensor, f"{name}_", _in_place(calls[name]))
    Tensor.cpu, Tensor.cuda, Tensor.__getattr__, Tensor.inverse = _cpu, _cuda, errors.missing(), matrix.inv
    Tensor.fill_diagonal_ = _fill_diagonal_
    Tensor.is_cuda, Tensor.is_cpu = property(lambda self: False), property(lambda self: True)


def _in_place(call: Callable) -> Callable:
    @functools.wraps(call)
    def call_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return self.copy_(call(self.clone(), *args, **kwargs))  # backward needs what is overwritten

    call_.__doc__ = f"``{call.__name__}``, in place."
    return call_
