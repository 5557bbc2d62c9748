"""Operations made of others. Their gradients are those of what they are made of, and so are the names in the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import errors
from .modes import state
from .ops import matrix, pointwise, shape
from .tensor import Tensor, _wrap

pi, e, inf, nan = math.pi, math.e, math.inf, math.nan


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


def exp2(input: Tensor) -> Tensor:
    """2 to the power of the input."""
    return pointwise.pow(2.0, input)


def erfc(input: Tensor) -> Tensor:
    """1 - erf(input)."""
    return 1 - pointwise.erf(input)


def frac(input: Tensor) -> Tensor:
    """What is behind the decimal point, with the sign of the input."""
    return input - pointwise.trunc(input)


def fmod(input: Tensor, other: Any) -> Tensor:
    """The remainder with the sign of the input."""
    return input - pointwise.div(input, other, rounding_mode="trunc") * other


def hypot(input: Tensor, other: Tensor) -> Tensor:
    """√(input² + other²)."""
    return pointwise.sqrt(input * input + other * other)


def deg2rad(input: Tensor) -> Tensor:
    """Degrees as an angle in radians."""
    return input * (math.pi / 180)


def rad2deg(input: Tensor) -> Tensor:
    """An angle in radians as degrees."""
    return input * (180 / math.pi)


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(p / (1 - p)), of the input kept in [eps, 1 - eps]."""
    p = input if eps is None else input.clamp(eps, 1 - eps)
    return pointwise.log(p / (1 - p))


# -- shape -----------------------------------------------------------------------------------------------------------------


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Each vector over the grid of all, one dimension for each; with ``indexing="xy"`` the first two are exchanged.

    >>> import minigrad as mg
    >>> mg.meshgrid(mg.tensor([1, 2]), mg.tensor([3, 4]), indexing="ij")[1]
    tensor([[3, 4],
            [3, 4]])
    """
    vectors = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'minigrad.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    sizes = [v.numel() for v in vectors]
    grid = [v.reshape([-1 if k == d else 1 for k in range(len(sizes))]).expand(sizes) for d, v in enumerate(vectors)]
    return tuple(g.transpose(0, 1) if indexing == "xy" and len(grid) > 1 else g for g in grid)


def atleast_1d(input: Tensor) -> Tensor:
    """The input, with a dimension if it has none."""
    return input if input.ndim else input.reshape(1)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the second dimension, vectors along the only one."""
    parts = [atleast_1d(t) for t in tensors]
    return shape.cat(parts, min(1, parts[0].ndim - 1))


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the first dimension, vectors as rows."""
    return shape.cat([t.reshape(1, -1) if t.ndim < 2 else t for t in tensors], 0)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Joined along the second dimension, vectors as columns."""
    return shape.cat([t.reshape(-1, 1) if t.ndim < 2 else t for t in tensors], 1)


def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension."""
    return input.reshape(-1)


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dimension as several."""
    dim %= input.ndim
    return input.reshape(*input.shape[:dim], *sizes, *input.shape[dim + 1 :])


def tile(input: Tensor, *dims: Any) -> Tensor:
    """Repeated so often along each of the last dimensions."""
    times = tuple(dims[0]) if len(dims) == 1 and isinstance(dims[0], Sequence) else dims
    return input.repeat((1,) * (input.ndim - len(times)) + tuple(times))


def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    """Each element so often, one after the other. repeats: a number, or a tensor with one for each index."""
    input, dim = (input.reshape(-1), 0) if dim is None else (input, dim)
    times = repeats._array if isinstance(repeats, Tensor) else repeats
    return input.index_select(dim, _wrap(np.repeat(np.arange(input.shape[dim]), times)))


def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: None = None
) -> Any:
    """The different elements in ascending order; also, for each element, where it went, and how often each came."""
    errors.refuse("unique", dim=dim)
    if input.requires_grad and state.grad:
        raise NotImplementedError("the derivative for '_unique2' is not implemented.")
    found, inverse, counts = np.unique(input._array, return_inverse=True, return_counts=True)
    parts = found, *((inverse.reshape(input.shape),) * return_inverse), *((counts,) * return_counts)
    return tuple(map(_wrap, parts)) if len(parts) > 1 else _wrap(found)


def tril_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """Where the lower triangle of a matrix is: rows, and columns."""
    return _wrap(np.stack(np.tril_indices(row, offset, col)))


def triu_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """Where the upper triangle of a matrix is: rows, and columns."""
    return _wrap(np.stack(np.triu_indices(row, offset, col)))


# -- reading and writing at indices ----------------------------------------------------------------------------------------


def _places(index: Tensor, dim: int) -> tuple[Tensor, ...]:
    """Where ``gather`` would read: an index tensor for each dimension."""
    grid = np.indices(index.shape)
    return tuple(index if d == dim % index.ndim else _wrap(grid[d]) for d in range(index.ndim))


def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: None = None) -> Tensor:
    """The input with src (or one number) written along a dimension where ``gather`` would read.

    >>> import minigrad as mg
    >>> mg.scatter(mg.zeros(2, 3), 1, mg.tensor([[2], [0]]), 1.0)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    errors.refuse("scatter", reduce=reduce)
    src = value if src is None else src
    if isinstance(src, Tensor) and src.ndim:
        values = src[tuple(slice(n) for n in index.shape)]  # type: ignore[index]
    else:
        values = src if isinstance(src, Tensor) else _wrap(np.asarray(src, input._array.dtype))
    return input.index_put(_places(index, dim), values)


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The input with the slices of source written at the indices along a dimension."""
    return input.movedim(dim, 0).index_put((index,), source.movedim(dim, 0)).movedim(0, dim)


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """The input with the slices of source, times alpha, added at the indices along a dimension."""
    return input.movedim(dim, 0).index_put((index,), source.movedim(dim, 0) * alpha, True).movedim(0, dim)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """The input with one number in the slices at the indices along a dimension."""
    number = value if isinstance(value, Tensor) else _wrap(np.asarray(value, input._array.dtype))
    return input.movedim(dim, 0).index_put((index,), number).movedim(0, dim)


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The input with elements of source, one after the other, where the mask is true."""
    places = mask.expand(input.shape).nonzero(as_tuple=True)
    return input.index_put(places, source.reshape(-1)[: len(places[0])])


# -- reductions ------------------------------------------------------------------------------------------------------------


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of the difference."""
    return (input - other).norm(p)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    """The p-norms of all differences between rows (…, n, d) and rows (…, m, d): (…, n, m)."""
    return (x1.unsqueeze(-2) - x2.unsqueeze(-3)).norm(p, -1)


def std_mean(input: Tensor, dim: Any = None, *, correction: float = 1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The standard deviation, and the mean."""
    dims = tuple(range(input.ndim)) if dim is None else dim
    return input.std(dims, correction=correction, keepdim=keepdim), input.mean(dims, keepdim)


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest element."""
    dims = () if dim is None else dim
    return input.amin(dims, keepdim), input.amax(dims, keepdim)


def nansum(input: Tensor) -> Tensor:
    """The sum of what is a number."""
    return input.masked_fill(input.isnan(), 0).sum()


def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not 0."""
    return (input != 0).sum() if dim is None else (input != 0).sum(dim)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle element, the lower of two; along a dimension also where it is."""
    if dim is None:
        flat = input.reshape(-1)
        return flat.sort()[0][(len(flat) - 1) // 2]
    values, indices = input.sort(dim=dim, stable=True)
    middle = (input.shape[dim] - 1) // 2
    found = values.narrow(dim, middle, 1), indices.narrow(dim, middle, 1)
    return found if keepdim else tuple(x.squeeze(dim) for x in found)


def quantile(input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The number below which the share q of the elements is, between two elements in proportion."""
    input, dim = (input.reshape(-1), 0) if dim is None else (input, dim)
    place = float(q) * (input.shape[dim] - 1)
    values = input.sort(dim)[0]
    low, high = (values.narrow(dim, round(k), 1) for k in (math.floor(place), math.ceil(place)))
    found = low + (high - low) * (place - math.floor(place))
    return found if keepdim else found.squeeze(dim)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements are in each of so many equal parts of [min, max]; from the smallest to the largest, if both are 0."""
    bounds = (min, max) if min != max else (input._array.min(), input._array.max())
    return _wrap(np.histogram(input._array, bins, bounds)[0].astype(input._array.dtype))


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 on is there, or the sum of its weights."""
    return _wrap(np.bincount(input._array, None if weights is None else weights._array, minlength))


def searchsorted(input: Tensor, values: Tensor, *, right: bool = False) -> Tensor:
    """Where each value belongs in a sorted vector."""
    return _wrap(np.searchsorted(input._array, values._array, "right" if right else "left"))


def isin(input: Tensor, test_elements: Any) -> Tensor:
    """Which elements are among others."""
    others = test_elements._array if isinstance(test_elements, Tensor) else test_elements
    return _wrap(np.isin(input._array, others))


# -- matrices --------------------------------------------------------------------------------------------------------------


def inverse(input: Tensor) -> Tensor:
    """The inverse of square matrices."""
    return matrix.inv(input)


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta · input + alpha · batch1 @ batch2."""
    return beta * input + alpha * matrix.bmm(batch1, batch2)


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta · input + alpha · mat @ vec."""
    return beta * input + alpha * matrix.mv(mat, vec)


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The sum of the products of two vectors, the first one conjugated."""
    return matrix.dot(pointwise.conj(input), other)


def kron(input: Tensor, other: Tensor) -> Tensor:
    """The products of all elements of one matrix with the whole other matrix."""
    grid = input[:, None, :, None] * other[None, :, None, :]  # type: ignore[index]
    return grid.reshape(input.shape[0] * other.shape[0], input.shape[1] * other.shape[1])


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sums of products over the last dimensions of a and the first of b, or over two lists of dimensions."""
    left, right = (range(a.ndim - dims, a.ndim), range(dims)) if isinstance(dims, int) else dims
    left, right = [d % a.ndim for d in left], [d % b.ndim for d in right]
    free = [d for d in range(a.ndim) if d not in left], [d for d in range(b.ndim) if d not in right]
    n = math.prod(a.shape[d] for d in left)
    rows, columns = a.permute(*free[0], *left).reshape(-1, n), b.permute(*right, *free[1]).reshape(n, -1)
    return matrix.mm(rows, columns).reshape([*(a.shape[d] for d in free[0]), *(b.shape[d] for d in free[1])])


def cross(input: Tensor, other: Tensor, dim: int = -1) -> Tensor:
    """The vectors that are orthogonal to both, along a dimension of 3."""
    return input.roll(-1, dim) * other.roll(-2, dim) - input.roll(-2, dim) * other.roll(-1, dim)


# -- about tensors ---------------------------------------------------------------------------------------------------------


def numel(input: Tensor) -> int:
    """How many elements there are."""
    return input.numel()


def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is one of floats."""
    return input.is_floating_point()


def is_complex(input: Tensor) -> bool:
    """Whether the dtype is complex."""
    return input.is_complex()


def real(input: Tensor) -> Tensor:
    """The real part: the tensor itself, if it is real."""
    return input.real


def imag(input: Tensor) -> Tensor:
    """The imaginary part of a complex tensor."""
    return input.imag


def view_of_device(self: Tensor, memory_format: Any = None) -> Tensor:
    """This tensor: all tensors are on the cpu."""
    return self


def _absent(self: Tensor, name: str) -> Any:
    error = AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)
    raise errors.note(error, None if name.startswith("__") else "docs/scope.md lists what is there.")


def _cuda(self: Tensor, device: Any = None) -> Tensor:
    """NotImplementedError: there is one device."""
    raise NotImplementedError("minigrad has tensors on the cpu only, not on 'cuda'")


def bind(namespace: dict[str, Any]) -> None:
    """Put these functions into the package, and most of them, with the forms that write in place, onto Tensor."""
    numbers = {"pi": pi, "e": e, "inf": inf, "nan": nan}
    functions_only = {
        "meshgrid", "hstack", "vstack", "column_stack", "tril_indices", "triu_indices", "real", "imag", "cdist", "searchsorted",
    }  # fmt: skip
    methods_too = {"numel", "is_floating_point", "is_complex"}  # which are there
    written = "clamp_min clamp_max addcdiv scatter index_copy index_add index_fill masked_scatter fmod frac exp2 erfc logit"
    calls = {
        name: call
        for name, call in globals().items()
        if callable(call) and getattr(call, "__module__", "") == __name__ and name[0] != "_" and name not in ("bind", "view_of_device")
    }
    namespace.update(calls | numbers)
    for name, call in calls.items():
        if name not in functions_only | methods_too:
            setattr(Tensor, name, call)
    for name in written.split():
        setattr(Tensor, f"{name}_", _in_place(calls[name]))
    Tensor.cpu, Tensor.cuda, Tensor.__getattr__ = view_of_device, _cuda, _absent
    Tensor.is_cuda, Tensor.is_cpu = property(lambda self: False), property(lambda self: True)


def _in_place(call: Callable) -> Callable:
    def call_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return self.copy_(call(self.clone(), *args, **kwargs))  # backward needs what is overwritten

    call_.__doc__ = f"``{call.__name__}``, in place."
    return call_
