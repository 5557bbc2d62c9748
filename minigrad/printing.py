"""The text of a tensor, letter for letter as PyTorch 2.13 prints it (with `minigrad.` for `torch.`).

Four steps lead from an array to its text:

1. choose the elements that are shown: all, or the edges of every dimension when there are many (`_shown`);
2. write them in one style, chosen by looking at all shown elements together (`_texts`);
3. nest them in brackets and break the lines (`_nest`);
4. add what else must be said, such as `dtype=` or `grad_fn=` (`tensor_repr`).

This module knows arrays only. A tensor hands over its array and the facts to be named after the numbers.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from types import SimpleNamespace
from typing import Any

import numpy as np

_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}
_options = SimpleNamespace(**_PROFILES["default"], sci_mode=None)


def set_printoptions(
    precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
    linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None,
) -> None:  # fmt: skip
    """Set how tensors are printed; an option left at None keeps its value.

    precision: digits after the point (4).
    threshold: a tensor with more elements than this is summarised (1000).
    edgeitems: how many elements a summary shows at each end of a dimension (3).
    linewidth: how long a line may be (80).
    profile: "default", "short" or "full" sets these four together; the options given beside it win.
    sci_mode: True or False turns scientific notation on or off; None lets the numbers decide.

    As in PyTorch, each call without `sci_mode` sets it back to None, and an unknown profile changes nothing.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen = _PROFILES.get(profile or "", {}) | {k: v for k, v in given.items() if v is not None}
    for option, value in chosen.items():
        setattr(_options, option, value)
    _options.sci_mode = sci_mode


def size_repr(shape: Sequence[int]) -> str:
    """The text of a Size: `minigrad.Size([2, 3])`."""
    return f"minigrad.Size({list(shape)})"


def parameter_repr(text: str) -> str:
    """The text of a Parameter whose tensor prints as `text`."""
    return "Parameter containing:\n" + text


def tensor_repr(
    array: np.ndarray, *, default_dtype: str = "float32", grad_fn: str | None = None, requires_grad: bool = False,
    tangent: str | None = None, name: str = "tensor",
) -> str:  # fmt: skip
    """The text of a tensor with the values of `array`.

    default_dtype: the name of the default float dtype, which goes without saying.
    grad_fn: the name of the node (`MulBackward0`); with it `requires_grad` goes without saying.
    tangent: the text of the tangent (what `f"{tangent}"` gives).
    name: what stands before the bracket; for a subclass of Tensor, the name of the class.
    """
    indent = len(name) + 1
    dtype = array.dtype.name
    suffixes = []
    if array.size:
        numbers = numbers_text(array, indent)
        default_complex = "complex128" if default_dtype == "float64" else "complex64"
        dtype_is_clear = dtype in (default_dtype, default_complex, "int64", "bool")
        size_is_clear = _options.edgeitems > 0
    else:  # nothing to see: only the default dtype goes without saying
        numbers = "[]"
        dtype_is_clear = dtype == default_dtype
        size_is_clear = array.ndim == 1
    if not size_is_clear:
        suffixes.append(f"size={array.shape}")
    if not dtype_is_clear:
        suffixes.append(f"dtype=minigrad.{dtype}")
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    return _with_suffixes(f"{name}({numbers}", suffixes, indent)


def numbers_text(array: np.ndarray, indent: int = 0) -> str:
    """The nested numbers alone, such as `[1., 2.]`; lines after the first are moved right by `indent`."""
    if not array.size:
        return "[]"
    summarised = array.size > _options.threshold
    if summarised and not _options.edgeitems and array.ndim:
        return "[...]"
    edge = _options.edgeitems if summarised else 0  # 0: nothing is cut
    shown = _shown(array, edge) if edge else array
    if shown.dtype.kind == "c":
        texts, width = _complex_texts(shown)
    else:
        texts, width = _texts(shown.ravel().tolist(), shown.dtype.kind == "f")
    return _nest(iter(texts), array.shape, edge, indent, width + 2)  # 2 for the comma and the space


def _shown(array: np.ndarray, edge: int) -> np.ndarray:
    """The elements of `array` that a summary shows."""
    kept = [[*range(n)] if n <= 2 * edge else [*range(edge), *range(n - edge, n)] for n in array.shape]
    return array[np.ix_(*kept)]


def _texts(values: list[Any], is_float: bool) -> tuple[list[str], int]:
    """The texts of `values` in one common style, aligned right, and the width that counts for line breaks."""
    if not is_float:
        texts = [str(value) for value in values]
        width = max(map(len, texts))
    else:
        # Zeros, infinities and nan have no say in the style, nor in the width; they may turn out wider.
        counts = [value != 0 and math.isfinite(value) for value in values]
        write = _float_style([value for value, counted in zip(values, counts, strict=True) if counted])
        texts = [write(value) for value in values]
        width = max((len(text) for text, counted in zip(texts, counts, strict=True) if counted), default=1)
    return [text.rjust(width) for text in texts], width


def _float_style(values: list[float]) -> Callable[[float], str]:
    """How floats are written, given those that count: `1.`, `1.5000` or `1.5000e+00`."""
    whole = all(value.is_integer() for value in values)
    sci = False
    if values:
        sizes = [abs(value) for value in values]
        low, high = min(sizes), max(sizes)
        sci = high / low > 1000 or high > 1e8 or low < 1e-4
        if _options.sci_mode is not None:
            sci = _options.sci_mode
    if sci:
        return f"{{:.{_options.precision}e}}".format
    if whole:
        return lambda value: f"{value:.0f}." if math.isfinite(value) else str(value)
    return f"{{:.{_options.precision}f}}".format


def _complex_texts(array: np.ndarray) -> tuple[list[str], int]:
    """As `_texts`: real and imaginary parts each have their own style and width."""
    reals, real_width = _texts(array.real.ravel().tolist(), True)
    imags, imag_width = _texts(array.imag.ravel().tolist(), True)
    texts = []
    for real, imag in zip(reals, imags, strict=True):
        imag = imag.lstrip()
        texts.append(f"{real}{imag}j" if imag.startswith("-") else f"{real}+{imag}j")
    return texts, real_width + imag_width + 1


def _nest(texts: Iterator[str], shape: tuple[int, ...], edge: int, indent: int, step: int) -> str:
    """Put `texts` into the brackets of `shape`; `step` is the room that one number takes in a line."""
    if not shape:
        return next(texts)
    n, *inner = shape
    cut = 0 < 2 * edge < n
    shown = 2 * edge if cut else n
    indent += 1
    if inner:
        items = [_nest(texts, tuple(inner), edge, indent, step) for _ in range(shown)]
        per_line = 1
    else:
        items = list(islice(texts, shown))
        per_line = max(1, math.floor((_options.linewidth - indent + 1) / step))
    if cut:
        items.insert(edge, "..." if inner else " ...")
    lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
    new_line = "," + "\n" * max(1, len(inner)) + " " * indent  # blank lines set matrices apart
    return "[" + new_line.join(lines) + "]"


def _with_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    """Close `text` after its suffixes; one that finds no room in the last line begins a new one."""
    column = len(text.rpartition("\n")[2]) + 2  # two columns stay free until the first break
    for suffix in suffixes:
        length = len(suffix.replace("minigrad.", "torch."))  # lines break where PyTorch breaks them
        column += length + 2
        if column > _options.linewidth:
            column = indent + length
            text += ",\n" + " " * indent + suffix
        else:
            text += ", " + suffix
    return text + ")"
