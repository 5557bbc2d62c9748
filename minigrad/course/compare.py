"""Observations compared: trees of plain values, with a tolerance for floats and none for the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

COST = "cost_"  # keys that begin so are not judged, only matched against wasteful answers


@dataclass(frozen=True)
class Raised:
    """In an observation: the answer raised this."""

    error: BaseException

    @property
    def kind(self) -> str:
        return type(self.error).__name__


@dataclass(frozen=True)
class Difference:
    """One place where two observations differ, and what to say about it."""

    path: tuple[str, ...]
    got: Any
    expected: Any
    text: str

    @property
    def where(self) -> str:
        return " → ".join(self.path)


def differences(got: Any, expected: Any, tolerance: float, compare_dtype: bool = False) -> list[Difference]:
    """All places where an observation differs from the expected one, first things first. Costs are left out."""
    return list(_walk((), got, expected, tolerance, compare_dtype))


def _walk(path: tuple[str, ...], got: Any, expected: Any, tolerance: float, dtypes: bool) -> Iterator[Difference]:
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in expected:
            if not str(key).startswith(COST):
                yield from _walk((*path, str(key)), got.get(key, MISSING), expected[key], tolerance, dtypes)
        for key in got:
            if key not in expected and not str(key).startswith(COST):
                yield Difference((*path, str(key)), got[key], MISSING, f"there is a {key!r} that nobody asked for")
        return
    if _is_sequence(expected) and _is_sequence(got) and len(got) == len(expected) and not _is_plain(expected):
        for index, (g, e) in enumerate(zip(got, expected, strict=True)):
            yield from _walk((*path, str(index)), g, e, tolerance, dtypes)
        return
    text = _difference(got, expected, tolerance, dtypes)
    if text is not None:
        yield Difference(path, got, expected, text)


def same(a: Any, b: Any, tolerance: float) -> bool:
    """Whether two observations agree, exceptions by their type."""
    if isinstance(a, Raised) or isinstance(b, Raised):
        return isinstance(a, Raised) and isinstance(b, Raised) and type(a.error) is type(b.error)
    return (
        next(iter(_walk((), a, b, tolerance, False)), None) is None
        and next(iter(_walk((), b, a, tolerance, False)), None) is None
    )


def costs(tree: Any) -> dict[str, Any]:
    """What an observation says about the price of an answer."""
    return {k: v for k, v in tree.items() if str(k).startswith(COST)} if isinstance(tree, dict) else {}


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()


def _is_sequence(x: Any) -> bool:
    return isinstance(x, (list, tuple))


def _is_plain(x: Any) -> bool:
    """A list of words, flags and Nones, which is shown whole."""
    return all(item is None or isinstance(item, (str, bool)) for item in x)


def _difference(got: Any, expected: Any, tolerance: float, dtypes: bool) -> str | None:
    """What is different, in words, or None."""
    if got is MISSING:
        return f"it is missing; expected {show(expected)}"
    if got is ...:
        return "it is still `...`"
    if expected is None or isinstance(expected, (str, bool, np.bool_)) or _is_sequence(expected) and _is_plain(expected):
        if isinstance(expected, (bool, np.bool_)):
            right = isinstance(got, (bool, np.bool_)) and bool(got) is bool(expected)
        else:
            right = type(got) is type(expected) and got == expected
        return None if right else f"got {show(got)}, expected {show(expected)}"
    a, b = as_array(got), as_array(expected)
    if b is None:
        return None if got == expected else f"got {show(got)}, expected {show(expected)}"
    if got is None:
        return f"got None, expected {describe(expected)}"
    if a is None:
        return f"got {show(got)}, expected {describe(expected)}"
    if a.shape != b.shape:
        return f"got shape {a.shape}, expected shape {b.shape}"
    if dtypes and dtype_name(got) != dtype_name(expected):
        return f"got dtype {dtype_name(got)}, expected {dtype_name(expected)}"
    if b.dtype.kind not in "fc":
        if np.array_equal(a, b):
            return None
        return f"got {show(got)}, expected {show(expected)}"
    if a.dtype.kind not in "fciub":
        return f"got {show(got)}, expected {describe(expected)}"
    if not a.size:
        return None
    scale = np.max(np.abs(np.where(np.isfinite(b), b, 0)), initial=0)
    with np.errstate(all="ignore"):
        close = np.isclose(a, b, rtol=tolerance, atol=tolerance * max(float(scale), 1e-3), equal_nan=True)
        if close.all():
            return None
        gap = np.abs(a - b)
    largest = f"; largest difference {np.nanmax(gap):.3g}" if a.size > 1 and np.isfinite(gap).any() else ""
    return f"got {show(got)}, expected {show(expected)}{largest}"


def as_array(x: Any) -> np.ndarray | None:
    """The numbers of a number, a list of numbers, an array, or a Tensor of any library; None for anything else."""
    if hasattr(x, "detach"):
        return np.asarray(x.detach().numpy())
    if isinstance(x, (np.ndarray, np.generic, int, float, complex)):
        return np.asarray(x)
    if isinstance(x, (list, tuple)):
        try:
            array = np.asarray([as_array(item) for item in x])
        except ValueError:
            return None
        return array if array.dtype.kind in "fciub" else None
    return None


def dtype_name(x: Any) -> str:
    """The name of a dtype without the library's: float32."""
    return str(getattr(x, "dtype", type(x).__name__)).rpartition(".")[2]


def describe(x: Any) -> str:
    """A value by its kind and shape, for when the value itself says less."""
    array = as_array(x)
    if array is None or isinstance(x, (int, float, complex)):
        return show(x)
    kind = "a Tensor" if hasattr(x, "detach") else "an array" if isinstance(x, np.ndarray) else "numbers"
    return f"{kind} of shape {array.shape}"


def show(x: Any) -> str:
    """A value in a few characters, the same on every machine."""
    array = None if isinstance(x, (bool, str, type(None))) else as_array(x)
    if array is None:
        text = repr(x)
    elif array.dtype.kind in "fc":
        text = np.array2string(array, precision=4, threshold=12, edgeitems=2, separator=", ", suppress_small=True)
    else:
        text = np.array2string(array, threshold=12, edgeitems=2, separator=", ")
    text = " ".join(text.split()).replace("[ ", "[")
    return text if len(text) <= 160 else text[:157] + "…"
