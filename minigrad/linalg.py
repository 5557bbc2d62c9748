"""``minigrad.linalg``: norms, inverses, linear equations."""

from __future__ import annotations

from collections.abc import Sequence

from . import errors
from .core.rule import checked
from .core.tensor import Tensor, dimension
from .dtypes import dtype as DType
from .errors import _LinAlgError as LinAlgError
from .ops import matrix
from .ops.reduction import one_or_several, vector_norm
from .signatures import guarded

__all__ = ["LinAlgError", "inv", "norm", "solve"]


inv = guarded(matrix.inv, "linalg_inv")
solve = guarded(matrix.solve, "linalg_solve")


@checked
def _linalg_norm(
    A: Tensor, ord: float | str | None = None, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
    dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """The norm of a vector or matrix: of all elements, or over one dimension (vectors) or two (matrices).

    ord: for vectors any number (default 2); for matrices "fro". RuntimeError for integers.

    >>> import minigrad as mg
    >>> mg.linalg.norm(mg.tensor([[3., 4.], [0., 0.]]))
    tensor(5.)
    """
    dim = dim[0] if isinstance(dim, Sequence) and len(dim) == 1 else dim
    if ord is None or not isinstance(ord, str) and (isinstance(dim, int) or dim is None and A.ndim == 1):
        return vector_norm(A, 2 if ord is None else ord, one_or_several(dim), keepdim, dtype)
    dims = tuple(dimension(d, A.ndim) for d in ((-2, -1) if dim is None else dim))  # type: ignore[union-attr]
    errors.refuse("norm", **{f"ord={ord}": ord != "fro"})
    return vector_norm(A, 2, dims, keepdim, dtype)


norm = guarded(_linalg_norm, "linalg_norm")
