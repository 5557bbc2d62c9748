"""Observations: trees of plain values, copied out of an answer's reach, compared with a tolerance, shown in a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

COST = "cost_"  # keys that begin so are not judged, only matched against wasteful answers
GRAPH = "graph"  # the entry that lists a graph: a wrong one is drawn beside the wanted one
TRACE = "trace_"  # neither are these: they are there for the evidence of a known mistake
LONGEST = 160  # characters of a value that is shown
# At least, where such numbers are expected.
FLOAT_TOLERANCE = {np.dtype("float32"): 1e-4, np.dtype("complex64"): 1e-4, np.dtype("float16"): 1e-2}
# Where more digits are expected than came: room for what float32 cannot hold after a few operations, and for no other error.
ROUNDING = {np.dtype("float32"): 1e-6, np.dtype("complex64"): 1e-6}


@dataclass(frozen=True)
class Raised:
    """In an observation: the answer raised this."""

    kind: str
    text: str
    trace: str = ""  # for the learner; not compared
    out_of_time: bool = False


@dataclass(frozen=True)
class Opaque:
    """In an observation: an object that is none of the plain values."""

    kind: str
    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Unfit:
    """In an observation: what came back is not of the kind that was asked for, so there is nothing to compare."""

    came: str
    wanted: str  # in words

    def __repr__(self) -> str:
        return self.came


def unfit(came: Any, wanted: str) -> Unfit:
    """What to observe of an answer that gave back another kind of thing than was wanted."""
    kind = "NumPy array" if isinstance(came, np.ndarray) else type(came).__name__
    return Unfit("None" if came is None else f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}", wanted)


def holds_an_array(came: Any, wanted: str) -> Unfit | None:
    """What to observe of a list or a tuple of Tensors where arrays, lists or numbers stand among them; None if there are none."""
    arrays = sum(isinstance(x, np.ndarray) for x in came)
    lists = sum(isinstance(x, list) and not any(hasattr(item, "detach") for item in x) for x in came)
    numbers = sum(isinstance(x, int | float | np.generic) for x in came)
    for count, name in ((arrays, "NumPy array"), (lists, "list"), (numbers, "number")):
        if count:
            return Unfit(f"{name}s in the place of Tensors" if count == len(came) else f"a {name} among the Tensors", wanted)
    return None


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()


def freeze(x: Any, library: str = "minigrad") -> Any:
    """A copy that nothing can change any more: Tensors as arrays, containers as dict, list and tuple.

    library: the name that messages and types carry; it is written as minigrad's.
    """
    if x is None or x is ... or x is MISSING or type(x) in (bool, int, float, complex, Raised, Opaque, Unfit):
        return x
    if isinstance(x, str):
        return str.__str__(x).replace("torch", "minigrad") if library == "torch" else str.__str__(x)
    if isinstance(x, np.bool_ | bool):
        return bool(x)
    if hasattr(x, "detach") and hasattr(x, "numpy"):
        return np.array(x.detach().numpy())
    if isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "biufc":
        return np.array(x)
    if isinstance(x, Mapping):
        return {_key(key): freeze(value, library) for key, value in x.items()}
    if isinstance(x, tuple):
        return tuple(freeze(item, library) for item in x)
    if isinstance(x, list):
        return [freeze(item, library) for item in x]
    if isinstance(x, set | frozenset):
        return sorted((freeze(item, library) for item in x), key=repr)
    try:
        text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(x))
    except Exception:  # the learner's own __repr__
        text = f"<{type(x).__name__}>"
    return Opaque(type(x).__name__, text)


def _key(key: Any) -> Any:
    return key if isinstance(key, str | int | tuple) else repr(key)


@dataclass(frozen=True)
class Difference:
    """One place where two observations differ, and what to say about it."""

    path: tuple[str, ...]
    got: Any
    expected: Any
    tell: Callable[[], str]  # asked only for what is shown

    @property
    def text(self) -> str:
        return self.tell()

    @property
    def where(self) -> str:
        return " → ".join(self.path)


def differences(got: Any, expected: Any, tolerance: float, compare_dtype: bool = False) -> list[Difference]:
    """All places where an observation differs from the expected one, first things first. Costs are left out."""
    return list(_walk((), got, expected, tolerance, compare_dtype))


def _walk(path: tuple[str, ...], got: Any, expected: Any, tolerance: float, dtypes: bool) -> Iterator[Difference]:
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in expected:
            if not str(key).startswith((COST, TRACE)):
                yield from _walk((*path, str(key)), got.get(key, MISSING), expected[key], tolerance, dtypes)
        for key in got:
            if key not in expected and not str(key).startswith((COST, TRACE)):
                yield Difference((*path, str(key)), got[key], MISSING, partial("there is a {!r} that nobody asked for".format, key))
        return
    if isinstance(expected, tuple) and _is_otherwise_written(got, expected):
        ints = " of ints" * is_shape(expected)
        yield Difference(path, got, expected, lambda: f"got {show(got)}, expected a tuple{ints}")
        return
    if isinstance(expected, list | tuple) and not _is_plain(expected):
        rows = isinstance(got, list | tuple) or isinstance(got, np.ndarray) and got.ndim
        if rows and len(got) == len(expected):  # an array may have millions
            for index, (g, e) in enumerate(zip(got, expected, strict=True)):
                yield from _walk((*path, str(index)), g, e, tolerance, dtypes)
            return
    tell = _difference(got, expected, tolerance, dtypes)
    if tell is not None:
        yield Difference(path, got, expected, tell)


def same(a: Any, b: Any, tolerance: float) -> bool:
    """Whether two observations agree; exceptions by their type and by what their message is about."""
    if isinstance(a, Raised) or isinstance(b, Raised):
        return isinstance(a, Raised) and isinstance(b, Raised) and a.kind == b.kind and _says(a) == _says(b)
    return not any(_walk((), a, b, tolerance, False)) and not any(_walk((), b, a, tolerance, False))


# What the messages of minigrad and NumPy are about, by words that stay the same. One thing can be said in several ways.
_ABOUT = {
    "a gradient's shape": r"Mismatch in shape",
    "a gradient's type": r"either Tensors or None",
    "what a hook returns": r"^hook '.*' has changed the (size|type) of value|but hook returned",
    "a product of matrices": (
        r"size mismatch|cannot be multiplied|not aligned|core dimension|enough dimensions"
        r"|same number of elements|at least 1D|1D tensors|consistent tensor size"
    ),
    "a reshape": r"cannot reshape|is invalid for input of size|axes don't match",
    "a broadcast": r"must match the size of tensor|could( not|n't) (be )?broadcast|broadcastable|shape mismatch",
}


def _says(raised: Raised) -> str:
    """What a message is about; where that is not known, the message with its numbers left out."""
    about = (thing for thing, words in _ABOUT.items() if re.search(words, raised.text))
    return next(about, re.sub(r"\d+", "#", raised.text))


def about_shapes(x: Any) -> bool:
    """Whether an error says that shapes do not fit."""
    return isinstance(x, Raised) and _says(x) in _ABOUT


def costs(tree: Any) -> dict[str, Any]:
    """What an observation says about the price of an answer."""
    return {k: v for k, v in tree.items() if str(k).startswith(COST)} if isinstance(tree, dict) else {}


def _is_plain(items: list[Any] | tuple[Any, ...]) -> bool:
    """A list of words, flags and Nones, which is compared and shown whole."""
    return all(item is None or isinstance(item, str | bool) for item in items)


def _difference(got: Any, expected: Any, tolerance: float, dtypes: bool) -> Callable[[], str] | None:
    """What says in words what is different, or None."""
    if got is MISSING:
        return lambda: f"it is missing; expected {show(expected)}"
    if got is ...:
        return lambda: "it is still `...`"

    def both() -> str:
        return f"got {show(got)}, expected {show(expected)}"

    if isinstance(expected, list | tuple) and isinstance(got, list | tuple) and _is_plain(expected):
        return None if _exactly(list(got), list(expected)) else both
    b = as_array(expected)
    if b is None or isinstance(expected, bool):
        value = got.item() if isinstance(got, np.ndarray) and got.shape == () else got
        return None if _exactly(value, expected) else both
    a = as_array(got)
    if a is None or isinstance(got, bool) and b.dtype.kind != "b":  # False is no 0
        return lambda: f"got {show(got)}, expected {describe(expected)}"
    if a.shape != b.shape:
        return lambda: f"got shape {a.shape}, expected shape {b.shape}"
    if dtypes and a.dtype != b.dtype:
        return lambda: f"got dtype {a.dtype}, expected {b.dtype}"
    if (a == b).all():
        return None
    if a.dtype.kind not in "fc" and b.dtype.kind not in "fc":
        return both
    # What is expected says how near is near: an answer that has fewer digits gets room for its rounding, and no more.
    tolerance = max(tolerance, FLOAT_TOLERANCE.get(b.dtype, 0.0), ROUNDING.get(a.dtype, 0.0))
    with np.errstate(all="ignore"):
        scale = float(np.max(np.abs(b[np.isfinite(b)]), initial=1e-3))
        if np.isclose(a, b, rtol=tolerance, atol=tolerance * scale, equal_nan=True).all():
            return None
        gap = np.abs(a - b)
    # Where a nan is too many or missing, the gap between the other numbers is no help.
    alike = show(got) == show(expected)
    if not (a.size > 1 or alike) or not np.array_equal(np.isnan(a), np.isnan(b)) or not np.isfinite(gap).any():
        return both
    largest = float(np.nanmax(gap))
    if alike and largest > 1e-3 * scale:  # it lies in what is not shown
        place = np.unravel_index(np.nanargmax(gap), gap.shape)
        where = ", ".join(map(str, place))
        return lambda: f"at [{where}] got {show(a[place])}, expected {show(b[place])}; largest difference {largest:.2g}"
    why = ": a difference quotient, few digits, or a slip of small effect leave so little" if alike else ""
    return lambda: f"{both()}; largest difference {largest:.2g}{why}"


def _exactly(a: Any, b: Any) -> bool:
    """Equal and of one type, so that True is not 1; within a list, item by item."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_exactly(x, y) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and not isinstance(a, np.ndarray) and a == b


def as_array(x: Any) -> np.ndarray | None:
    """The numbers of a number, an array, a Tensor, or a list of these; None for anything else."""
    if hasattr(x, "detach"):
        return np.asarray(x.detach().numpy())
    if isinstance(x, np.ndarray | np.generic | int | float | complex):
        array = np.asarray(x)
    elif isinstance(x, list | tuple):
        items: list[np.ndarray] = []
        for item in x:
            one = as_array(item)
            if one is None or items and one.shape != items[0].shape:
                return None
            items.append(one)
        array = np.asarray(items)
    else:
        return None
    return array if array.dtype.kind in "fciub" else None


def describe(x: Any) -> str:
    """A value by its shape, where it has one."""
    array = as_array(x)
    return show(x) if array is None or array.ndim == 0 else f"numbers of shape {array.shape}"


def _is_otherwise_written(got: Any, expected: tuple[Any, ...]) -> bool:
    """Whether a list stands where a shape or a row of words and flags is a tuple, or floats in the place of ints."""
    if not is_shape(expected) and not _is_plain(expected):
        return False
    return isinstance(got, list) or is_shape(expected) and isinstance(got, tuple) and any(type(item) is float for item in got)


def is_shape(x: Any) -> bool:
    """Whether a value is a tuple of ints, as a shape is: one thing, and no row of numbers."""
    return isinstance(x, tuple) and all(type(item) is int for item in x)


def show(x: Any) -> str:
    """A value in a few characters, the same on every machine."""
    plain = isinstance(x, bool) or is_shape(x) or isinstance(x, list | tuple) and _is_plain(x)
    array = None if plain else as_array(x)
    if array is None and isinstance(x, list | tuple) and not plain:
        told, room = [], LONGEST
        for item in x:
            told.append(show(item))
            room -= len(told[-1]) + 2
            if room < 0:  # the rest would be cut off
                break
        text = ("[{}]" if isinstance(x, list) else "({})").format(", ".join(told))
    elif array is None:
        try:
            text = repr(x)
        except ValueError:  # Python writes no whole number of more than 4,300 digits
            text = "a number with thousands of digits"
    else:
        number: Any = {kind: lambda v: f"{v:.5g}" for kind in ("float_kind", "complex_kind")}
        text = np.array2string(array, threshold=12, edgeitems=2, separator=", ", formatter=number)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "…"
