"""``minigrad.testing``: comparing results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import dtypes, errors
from .compat.attributes import Size
from .core.tensor import Tensor

__all__ = ["assert_close"]

_TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "complex64": (1.3e-6, 1e-5),
               "float64": (1e-7, 1e-7), "complex128": (1e-7, 1e-7)}  # fmt: skip


def assert_close(
    actual: Any, expected: Any, *, rtol: float | None = None, atol: float | None = None, equal_nan: bool = False,
    check_dtype: bool = True, msg: str | None = None,
) -> None:  # fmt: skip
    """Raise AssertionError unless two Tensors, arrays or numbers, or sequences of them, agree.

    They agree where |actual - expected| ≤ atol + rtol · |expected|, and shapes and dtypes are equal.
    Tolerances default to those of the dtype; give both or none (ValueError). equal_nan: NaN agrees with NaN. msg: another
    message.

    >>> import minigrad as mg
    >>> mg.testing.assert_close(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 2.0000001]))
    """
    if (rtol is None) != (atol is None):
        raise errors.CLOSE_TOLERANCES("rtol" if rtol is None else "atol")
    if isinstance(expected, Sequence):
        for a, b in zip(actual, expected, strict=True):
            assert_close(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype, msg=msg)
        return
    a, b = (x._array if isinstance(x, Tensor) else np.asarray(x) for x in (actual, expected))
    pairs = [("shape", Size(a.shape), Size(b.shape)), *[("dtype", dtypes.of(a), dtypes.of(b))][:check_dtype]]
    for name, one, other in pairs:
        if one != other:
            raise AssertionError(msg or f"The values for attribute '{name}' do not match: {one} != {other}.")
    if rtol is None or atol is None:
        rtol, atol = map(max, zip(*(_TOLERANCES.get(x.dtype.name, (0.0, 0.0)) for x in (a, b)), strict=True))
    matches = np.isclose(a, b, rtol, atol, equal_nan)
    if not matches.all():
        wrong, largest = int(matches.size - matches.sum()), np.abs(a - b)[~matches].max()
        share = f"Mismatched elements: {wrong} / {matches.size} ({wrong / matches.size:.1%})"
        raise AssertionError(msg or f"Tensor-likes are not close!\n\n{share}\nGreatest absolute difference: {largest}")
