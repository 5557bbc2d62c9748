"""What PyTorch refuses, and in which words: a table beside the operations, so that they can be mathematics only.

``refusals.txt`` has a block for each function: its name, or several, and below it, a line each, when a call is refused and what is
said, with ``->`` between. The condition and what stands in braces are Python, with the function's parameters by name. Letters
alone, such as ``bc``, are kinds of the first argument's dtype. What is said is a message of errors.py with its values,
``kernel NAME`` for a dtype for which PyTorch has no code, or an error and its text (RuntimeError where none is named). A line
without ``->`` is a statement, for what the lines below it need.

``promotion.txt`` says how the dtypes of the operands of an operation meet.
"""

from __future__ import annotations

import functools
import inspect
import math  # noqa: F401  (this, and what else is imported and not used here, is for the table)
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from . import dtypes, errors
from .compat.promotion import WORDS, refuse_output, refuse_shapes  # noqa: F401
from .core.seams import seams
from .core.tensor import Tensor, dimension  # noqa: F401


def scalar_type(x: Any) -> str:
    """What messages call the dtype of an array or Tensor: Float, Long."""
    return (x.dtype if isinstance(x, Tensor) else dtypes.of(x)).scalar_type


def cpp(x: Any) -> str:
    """What some messages call the dtype of an array or Tensor: as in C++."""
    return (x.dtype if isinstance(x, Tensor) else dtypes.of(x)).cpp


def no_kernel(name: str, *operands: Any) -> NotImplementedError:
    """The error for a dtype for which PyTorch has no code, which it finds out after it has looked at the shapes."""
    refuse_shapes(*operands)
    return NotImplementedError(f"\"{name}\" not implemented for '{scalar_type(operands[0])}'")


def refuse_expansion(array: Any, size: tuple[int, ...]) -> None:
    """Raise where an array or Tensor cannot be expanded to sizes; -1 keeps a size."""
    shape, lead = tuple(array.shape), len(size) - array.ndim
    if lead < 0:
        kind = (array.dtype if isinstance(array, Tensor) else dtypes.of(array)).kind
        raise errors.EXPAND_RANK(kind, list(shape), list(size), len(size), len(shape))
    for i, n in reversed(list(enumerate(size))):
        if i < lead and n < 0:
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension {i}"
            )
        if i >= lead and shape[i - lead] not in (1, n) and n != -1:
            raise errors.EXPAND_SIZE(n, shape[i - lead], i, list(size), list(shape))


def refuse_positions(self: Tensor, dim: int, index: np.ndarray) -> None:
    """Raise for positions along a dimension, or a mask over some, that do not fit a tensor."""
    if index.dtype not in (bool, np.uint8, np.int32, np.int64):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    for k, n in enumerate(index.shape if index.dtype == bool else ()):
        if n != self.shape[dim + k]:
            raise errors.INDEX_MASK(list(index.shape), k, list(self.shape), dim + k)
    size = self.shape[dim]
    if index.dtype != bool and index.size and not size:
        raise IndexError("index is out of bounds for dimension with size 0")
    if index.dtype != bool and index.size and not (-size <= index.min() and index.max() < size):
        raise errors.INDEX_RANGE(index[(index < -size) | (index >= size)].ravel()[0], dim, size)


def refuse_places(self: Tensor, dim: int, index: Tensor, name: str, what: str) -> None:
    """Raise for what gives no place along a dimension for each of its elements."""
    positions, size = index._array, (*self.shape, 1)[dim]
    if positions.dtype not in (np.int32, np.int64):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if positions.ndim != self.ndim:
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {what} tensor")
    bad = positions[(positions < 0) | (positions >= size)].ravel()
    if bad.size:
        raise RuntimeError(f"index {bad[0]} is out of bounds for dimension {dim} with size {size}")


def meet(shapes: list[tuple[int, ...]]) -> bool:
    """Whether shapes broadcast against each other."""
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


@functools.cache
def blocks(table: str = "refusals.txt") -> dict[str, list[tuple[int, str]]]:
    """The lines of a table, numbered, by the names of functions."""
    found: dict[str, list[tuple[int, str]]] = {}
    names: list[str] = []
    for number, line in enumerate(errors.table(table).splitlines()):
        if line and not line.startswith(("#", " ")):
            names = line.split()
        elif line.startswith(" "):
            for name in names:
                found.setdefault(name, []).append((number, line.lstrip()))
    return found


def _statement(line: str, name: str, parameters: list[str]) -> str:
    """One line of the table as Python."""
    condition, arrow, said = line.partition(" -> ")
    if not arrow:
        return line
    if re.fullmatch("[buifc]+", condition):
        condition = f"{parameters[0]}.dtype.kind in {condition!r}"
    if kernel := re.fullmatch(r"kernel (.*)", said):
        operands = ", ".join(p for p in parameters if name in WORDS or p == parameters[0])
        return f"if {condition}: raise no_kernel(f{kernel[1]!r}, {operands})"
    if re.match(r"_?[A-Z][A-Z_0-9]+\(", said):
        return f"if {condition}: raise errors.{said}"
    error, colon, text = re.fullmatch(r"(?:(\w+Error)(: ))?(.*)", said).groups()  # type: ignore[union-attr]
    quotes = '"""' if text.endswith("'") else "'''"
    return f"if {condition}: raise {error or 'RuntimeError'}(f{quotes}{text}{quotes})"


def checked(function: Callable) -> Callable:
    """The function with the checks that the table has for it; itself where it has none."""
    lines = blocks().get(function.__name__)
    if lines is None:
        return function
    checking: Callable | None = None

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal checking
        if checking is None:  # made when it is first called, because most programs call few
            checking = _checking(function, lines)
        return checking(*args, **kwargs) if kwargs else checking(*args)

    call.takes_floats = all(re.match("[buic]+ -> ", line) for _, line in lines)  # type: ignore[attr-defined]
    return call


def _checking(function: Callable, lines: list[tuple[int, str]]) -> Callable:
    """The checks of the table, and then the function, as one function of its parameters."""
    spec = inspect.getfullargspec(function)
    stars = [f"*{spec.varargs}"] if spec.varargs else ["*"] if spec.kwonlyargs else []
    given = ", ".join([*spec.args, *stars[: bool(spec.varargs)], *(f"{name}={name}" for name in spec.kwonlyargs)])
    # Each statement stands in the line that it has in the table, so that a traceback shows that line.
    source = [""] * lines[0][0]
    source[-1:] = [f"def call({', '.join([*spec.args, *stars, *spec.kwonlyargs])}):"]
    for number, line in lines:
        source += [""] * (number - len(source))
        source.append(f" {_statement(line, function.__name__, [*spec.args, *spec.kwonlyargs])}")
    space: dict[str, Any] = {**globals(), "forward": function, "name": function.__name__}
    exec(compile("\n".join([*source, f" return forward({given})"]), __file__[:-2] + "txt", "exec"), space)
    space["call"].__defaults__, space["call"].__kwdefaults__ = spec.defaults, spec.kwonlydefaults
    return space["call"]


seams.check = checked  # type: ignore[method-assign]
for word, lines in blocks("promotion.txt").items():
    WORDS.update((name, word) for _, line in lines for name in line.split())
