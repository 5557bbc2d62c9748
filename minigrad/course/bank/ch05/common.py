"""What several exercises of chapter 05 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg

Array = np.ndarray


def numpy_type(dtype: Any) -> np.dtype:
    return mg.zeros(1, dtype=dtype).numpy().dtype


class Watch:
    """Counts the backward passes through the results of a function, and the calls with a dual number."""

    def __init__(self) -> None:
        self.passes = 0

    def around(self, f: Callable[..., Any]) -> Callable[..., Any]:
        def watched(x: Any) -> Any:
            if isinstance(x, mg.Tensor) and mg.autograd.forward_ad.unpack_dual(x).tangent is not None:
                self.passes += 1
            y = f(x)
            if y.requires_grad:
                y.register_hook(self.count)  # fires once in every backward pass that reaches y
            return y

        watched.__name__ = watched.__qualname__ = "f"
        return watched

    def count(self, g: Any) -> None:
        self.passes += 1


NOT_USED = {"autograd": "not used"}


def is_line(line: Any, xs: Array, ys: Array) -> bool:
    x, y = (np.asarray(part, dtype=float) for part in (line.get_xdata(), line.get_ydata()))
    return x.shape == xs.shape and y.shape == ys.shape and bool(np.allclose(x, xs, atol=1e-5) and np.allclose(y, ys, atol=1e-4))


def is_near(line: Any, xs: Array, ys: Array) -> bool:
    """Whether most points of a line are near those of another, as those of differences are near the slopes."""
    x, y = (np.asarray(part, dtype=float) for part in (line.get_xdata(), line.get_ydata()))
    if x.shape != xs.shape or y.shape != ys.shape or not np.allclose(x, xs, atol=1e-5):
        return False
    return bool(np.quantile(np.abs(y - ys), 0.75) < 0.15 * np.abs(ys).max())


def is_stroke(line: Any) -> bool:
    """Whether the points of a line are joined."""
    return line.get_linestyle() not in ("None", "none", " ", "")


def how_drawn(lines: list[Any], xs: Array, ys: Array) -> str:
    """In a word, how a line with these values is drawn."""
    there = [line for line in lines if is_line(line, xs, ys)]
    if there:
        return "drawn" if any(map(is_stroke, there)) else "not drawn as a line"
    if any(is_line(line, np.arange(len(xs)), ys) for line in lines):
        return "drawn over 0, 1, 2, …"
    if any(is_line(line, xs, ys / len(xs)) for line in lines):
        return "drawn, but N times too small"
    return "drawn, but not exactly" if any(is_near(line, xs, ys) for line in lines) else "missing"


def new_axes() -> Any:
    from matplotlib.figure import Figure

    return Figure().subplots()


def are_arrays(*results: Any) -> str:
    """In a word, whether what was returned are NumPy arrays."""
    return "NumPy" if all(isinstance(result, np.ndarray) for result in results) else "other"
