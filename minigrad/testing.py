"""``minigrad.testing``: comparing results, and making input for tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import dtypes, errors, random
from .compat.attributes import Size
from .compat.attributes import device as Device
from .core.rule import checked
from .core.tensor import Tensor
from .core.tensor import wrap as _wrap

__all__ = ["assert_close", "make_tensor"]

_TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "complex64": (1.3e-6, 1e-5),
               "float64": (1e-7, 1e-7), "complex128": (1e-7, 1e-7)}  # fmt: skip
_NUMBERS = (int, float, complex, np.number)


def assert_close(
    actual: Any, expected: Any, *, rtol: float | None = None, atol: float | None = None, equal_nan: bool = False,
    check_dtype: bool = True, msg: str | Callable[[str], str] | None = None,
) -> None:  # fmt: skip
    """Raise AssertionError unless two Tensors, arrays, numbers, or nested sequences or mappings of them agree.

    They agree where |actual - expected| ≤ atol + rtol · |expected|, and shapes and dtypes are equal.
    Tolerances default to those of the dtype; give both or none (ValueError). equal_nan: NaN agrees with NaN. msg: another
    message, or a function of it. TypeError for what cannot be compared.

    >>> import minigrad as mg
    >>> mg.testing.assert_close(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 2.0000001]))
    >>> mg.testing.assert_close(1.0, 1.5)
    Traceback (most recent call last):
        ...
    AssertionError: Scalars are not close!
    <BLANKLINE>
    Expected 1.5 but got 1.0.
    Absolute difference: 0.5 (up to 1e-07 allowed)
    Relative difference: 0.3333333333333333 (up to 1e-07 allowed)
    """
    if (rtol is None) != (atol is None):
        raise errors.CLOSE_TOLERANCES("rtol" if rtol is None else "atol")
    found = _compare(actual, expected, "", (rtol, atol, equal_nan, check_dtype))
    if found is not None:
        raise AssertionError(msg(found) if callable(msg) else msg or found)


def _compare(actual: Any, expected: Any, place: str, options: tuple) -> str | None:
    """What is wrong, or None."""
    where, both = f"\n\nThe failure occurred for item {place}" if place else "", (actual, expected)
    if all(isinstance(x, Sequence) and not isinstance(x, str) for x in both):
        if len(actual) != len(expected):
            return f"The length of the sequences mismatch: {len(actual)} != {len(expected)}" + where
        keys: Any = range(len(actual))
    elif all(isinstance(x, Mapping) for x in both):
        if set(actual) != set(expected):
            missing, additional = sorted(set(expected) - set(actual)), sorted(set(actual) - set(expected))
            return errors.CLOSE_KEYS.format(missing, additional) + where
        keys = sorted(actual)
    else:
        found = _compare_items(actual, expected, *options)
        return None if found is None else found + where
    results = (_compare(actual[k], expected[k], f"{place}{[k]}", options) for k in keys)
    return next((found for found in results if found is not None), None)


def _compare_items(actual: Any, expected: Any, rtol: Any, atol: Any, equal_nan: bool, check_dtype: bool) -> str | None:
    if actual is None or expected is None:
        return None if actual is expected else f"None mismatch: {actual} is not {expected}"
    numbers = isinstance(actual, _NUMBERS) and isinstance(expected, _NUMBERS)
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if not numbers and not (related and isinstance(actual, (Tensor, np.ndarray))):
        raise errors.CLOSE_TYPES(type(actual), type(expected))
    a, b = (x._array if isinstance(x, Tensor) else np.asarray(x) for x in (actual, expected))
    pairs = [("shape", Size(a.shape), Size(b.shape)), *[("dtype", dtypes.of(a), dtypes.of(b))][:check_dtype]]
    for name, one, other in pairs:
        if one != other:
            return f"The values for attribute '{name}' do not match: {one} != {other}."
    if rtol is None:
        rtol, atol = map(max, zip(*(_TOLERANCES.get(x.dtype.name, (0.0, 0.0)) for x in (a, b)), strict=True))
    matches = np.isclose(a, b, rtol, atol, equal_nan)
    if matches.all():
        return None
    places: Any = [None, None]
    with np.errstate(all="ignore"):
        absolute = np.where(matches, 0, np.abs(np.subtract(a, b, dtype=np.int64 if a.dtype.kind in "bui" else None)))
        floats = absolute if a.dtype.kind in "fc" or not a.ndim else absolute.astype(dtypes.get_default_dtype().numpy)
        relative = np.where(matches, 0, floats / np.abs(b).astype(floats.dtype))
    if a.ndim:
        places = [tuple(map(int, np.unravel_index(int(x.argmax()), x.shape))) for x in (absolute, relative)]
    wrong = int(matches.size - matches.sum())
    what, head = "Tensor-likes", f"Mismatched elements: {wrong} / {matches.size} ({wrong / matches.size:.1%})"
    if not a.ndim:
        what, head = "Scalars", f"Expected {b.item()} but got {a.item()}."
    exact = not (rtol or atol)
    lines = [f"{what} are not {'equal' if exact else 'close'}!\n\n{head}"]
    for kind, values, place, tolerance in zip(
        ("absolute", "relative"), (absolute, relative), places, (atol, rtol), strict=True
    ):
        line = f"Greatest {kind}" if place is not None else kind.title()
        at = f" at index {place}" * (place is not None)
        lines.append(
            f"{line} difference: {values.max().item()}{at}" + ("" if exact else f" (up to {tolerance} allowed)")
        )
    return "\n".join(lines)


@checked
def make_tensor(
    *shape: Any, dtype: dtypes.dtype, device: Any, low: float | None = None, high: float | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor of random values from [low, high): uniform, or integers from ceil(low) on.

    shape: sizes, or one sequence of them. low, high: default to -9 and 9 (10 for integers, 0 and 2 for bool).
    ValueError for an empty interval, and for ``requires_grad`` with integers. device: "cpu".

    >>> import minigrad as mg
    >>> t = mg.testing.make_tensor(2, 3, dtype=mg.float64, device="cpu", low=0, high=1)
    >>> t.shape, t.dtype
    (minigrad.Size([2, 3]), minigrad.float64)
    """
    Device(device)
    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Sequence) else tuple(shape)
    low, high = (limit if given is None else given for given, limit in zip((low, high), _interval(dtype), strict=True))
    if dtype.numpy.kind in "fc":
        made = random.uniform_(_wrap(np.empty(sizes, dtype.numpy)), low, high)
    else:
        made = random.randint(math.ceil(low), math.ceil(high), sizes, dtype=dtype)
    return made.requires_grad_(requires_grad)


def _interval(dtype: dtypes.dtype) -> tuple[int, int]:
    """Where the values of a dtype come from, if nothing is said."""
    return (0, 2) if dtype is dtypes.bool_ else (-9, 9 if dtype.category > 1 else 10)
