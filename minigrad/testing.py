"""``minigrad.testing``: comparing results, and making input for tests."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import creation, dtypes, errors
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
    options = {"rtol": rtol, "atol": atol, "equal_nan": equal_nan, "dtype": check_dtype}
    found = _compare(actual, expected, (), options)
    if found is not None:
        raise AssertionError(msg(found) if callable(msg) else msg or found)


def _compare(actual: Any, expected: Any, place: tuple, options: dict[str, Any]) -> str | None:
    """What is wrong, or None."""
    where = f"\n\nThe failure occurred for item {''.join(str([key]) for key in place)}" if place else ""
    both = (actual, expected)
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
        found = _compare_items(actual, expected, options)
        return None if found is None else found + where
    return next(
        (found for k in keys if (found := _compare(actual[k], expected[k], (*place, k), options)) is not None), None
    )


def _compare_items(actual: Any, expected: Any, options: dict[str, Any]) -> str | None:
    both = (actual, expected)
    if actual is None or expected is None:
        return None if actual is expected else f"None mismatch: {actual} is not {expected}"
    if all(isinstance(x, (bool, np.bool_)) for x in both):
        return None if bool(actual) is bool(expected) else f"Booleans mismatch: {actual} is not {expected}"
    if all(isinstance(x, _NUMBERS) for x in both):
        a, b = (x.item() if isinstance(x, np.number) else x for x in both)
        return _compare_numbers(a, b, options)
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if not related or not isinstance(actual, (Tensor, np.ndarray)):
        raise errors.CLOSE_TYPES(type(actual), type(expected))
    a, b = (x if isinstance(x, Tensor) else creation.as_tensor(x) for x in both)
    return _compare_arrays(a, b, options)


def _tolerances(names: list[str], options: dict[str, Any]) -> tuple[float, float]:
    rtol, atol = options["rtol"], options["atol"]
    if (rtol is None) != (atol is None):
        raise errors.CLOSE_TOLERANCES("rtol" if rtol is None else "atol")
    if rtol is not None:
        return rtol, atol
    defaults = [_TOLERANCES.get(name, (0.0, 0.0)) for name in names]
    return max(r for r, _ in defaults), max(a for _, a in defaults)


def _compare_numbers(actual: Any, expected: Any, options: dict[str, Any]) -> str | None:
    kinds = {int: "int64", float: "float64", complex: "complex128", bool: "bool"}
    rtol, atol = _tolerances([kinds[type(actual)], kinds[type(expected)]], options)
    if options["dtype"] and type(actual) is not type(expected):
        return f"The (d)types do not match: {type(actual)} != {type(expected)}."
    if actual == expected or options["equal_nan"] and cmath.isnan(actual) and cmath.isnan(expected):
        return None
    difference = abs(actual - expected)
    if cmath.isfinite(difference) and difference <= atol + rtol * abs(expected):
        return None
    return _scalars(actual, expected, rtol, atol)


def _compare_arrays(actual: Tensor, expected: Tensor, options: dict[str, Any]) -> str | None:
    rtol, atol = _tolerances([actual.dtype.name, expected.dtype.name], options)
    pairs: list[tuple[str, Any, Any]] = [("shape", actual.shape, expected.shape)]
    if options["dtype"]:
        pairs.append(("dtype", actual.dtype, expected.dtype))
    for name, a, b in pairs:
        if a != b:
            return f"The values for attribute '{name}' do not match: {a} != {b}."
    kind = dtypes.promote_types(actual.dtype, expected.dtype).numpy
    a, b = actual._array.astype(kind), expected._array.astype(kind)
    matches = np.isclose(a, b, rtol, atol, options["equal_nan"])
    if matches.all():
        return None
    if not a.ndim:
        return _scalars(a.item(), b.item(), rtol, atol)
    if a.dtype.kind not in "fc":
        a, b = a.astype(np.int64), b.astype(np.int64)
    wrong = int(matches.size - matches.sum())
    with np.errstate(all="ignore"):
        absolute = np.where(matches, 0, np.abs(a - b))
        floats = absolute if a.dtype.kind in "fc" else absolute.astype(dtypes.get_default_dtype().numpy)
        relative = np.where(matches, 0, floats / np.abs(b).astype(floats.dtype))
    where = [tuple(int(i) for i in np.unravel_index(int(x.argmax()), x.shape)) for x in (absolute, relative)]
    head = f"Mismatched elements: {wrong} / {matches.size} ({wrong / matches.size:.1%})"
    return _mismatch("Tensor-likes", head, (absolute.max().item(), relative.max().item()), where, (atol, rtol))


def _scalars(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    difference = abs(actual - expected)
    relative = float("inf") if expected == 0 else difference / abs(expected)
    head = f"Expected {expected} but got {actual}."
    return _mismatch("Scalars", head, (difference, relative), (None, None), (atol, rtol))


def _mismatch(what: str, head: str, differences: Sequence, places: Sequence, tolerances: Sequence[float]) -> str:
    exact = not any(tolerances)
    lines = [f"{what} are not {'equal' if exact else 'close'}!\n\n{head}"]
    for kind, difference, place, tolerance in zip(
        ("absolute", "relative"), differences, places, tolerances, strict=True
    ):
        line = f"{kind.title()} difference: {difference}"
        if place is not None:
            line = f"Greatest {kind} difference: {difference} at index {place}"
        lines.append(line + ("" if exact else f" (up to {tolerance} allowed)"))
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
    kind, random = dtype.numpy, creation.generator()
    if kind.kind == "c":
        array = random.uniform(low, high, sizes) + 1j * random.uniform(low, high, sizes)
    elif kind.kind == "f":
        array = random.uniform(low, high, sizes)
    else:
        array = random.randint(np.ceil(low), np.ceil(high), sizes)
    return _wrap(np.asarray(array).astype(kind)).requires_grad_(requires_grad)


def _interval(dtype: dtypes.dtype) -> tuple[int, int]:
    """Where the values of a dtype come from, if nothing is said."""
    return (0, 2) if dtype is dtypes.bool_ else (-9, 9 if dtype.category > 1 else 10)
