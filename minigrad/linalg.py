"""``minigrad.linalg``: norms, inverses, linear equations."""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import errors
from .dtypes import dtype as DType
from .errors import _LinAlgError as LinAlgError
from .ops import matrix
from .ops.reduction import amax, amin, one_or_several, vector_norm
from .signatures import guarded
from .tensor import Tensor, dimension

__all__ = ["LinAlgError", "inv", "norm", "solve"]


inv = guarded(matrix.inv, "linalg_inv")
solve = guarded(matrix.solve, "linalg_solve")


def norm(
    A: Tensor, ord: float | str | None = None, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
    dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """The norm of a vector or matrix: of all elements, or over one dimension (vectors) or two (matrices).

    ord: for vectors any number (default 2); for matrices "fro", 1, -1, inf, -inf. RuntimeError for integers.

    >>> import minigrad as mg
    >>> mg.linalg.norm(mg.tensor([[3., 4.], [0., 0.]]))
    tensor(5.)
    >>> mg.linalg.norm(mg.tensor([[3., -4.], [0., 1.]]), ord=1)
    tensor(5.)
    """
    if ord is not None and not isinstance(ord, (int, float, str)):
        raise TypeError(type(ord))
    if isinstance(dim, Sequence) and len(dim) == 1 and not isinstance(ord, str):
        dim = dim[0]
    if ord is None or isinstance(dim, int) and not isinstance(ord, str) or dim is None and A.ndim == 1:
        return vector_norm(A, 2 if ord is None else ord, one_or_several(dim, keepdim), keepdim, dtype)
    if dim is None:
        if A.ndim != 2:
            raise RuntimeError(
                f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D."
            )
        dim = (-2, -1)
    if isinstance(dim, int) or len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim if isinstance(dim, int) else list(dim)}")
    return _matrix_norm(A, ord, tuple(dimension(d, A.ndim) for d in dim), keepdim, dtype)


norm = guarded(norm, "linalg_norm")


def _matrix_norm(A: Tensor, ord: float | str, dims: tuple[int, ...], keepdim: bool, dtype: DType | None) -> Tensor:
    if ord == "fro":
        return vector_norm(A, 2, dims, keepdim, dtype)
    if ord in (2, -2, "nuc"):
        raise errors.lacks(f"matrix norm of order {ord}, because it has no singular values")
    if isinstance(ord, str) or ord not in (1, -1, math.inf, -math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    summed, compared = dims if abs(ord) == 1 else dims[::-1]  # the largest column sum, or the largest row sum
    if not keepdim and compared > summed:
        compared -= 1
    return (amax if ord > 0 else amin)(vector_norm(A, 1, (summed,), keepdim, dtype), compared, keepdim)
