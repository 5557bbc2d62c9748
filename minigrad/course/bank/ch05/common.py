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
        self.given: list[str] = []  # what the function was called with, in words
        self.weights: list[Array] = []  # with which a backward pass began at its result

    def around(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """The function, watched. It is one object for each f: what an answer keeps for a function would show in a later case."""
        if not hasattr(f, "watched"):

            def watched(x: Any) -> Any:
                return watched.watch.call(f, x)  # type: ignore[attr-defined]

            watched.__name__ = watched.__qualname__ = "f"
            f.watched = watched  # type: ignore[attr-defined]
        f.watched.watch = self  # type: ignore[attr-defined]
        return f.watched  # type: ignore[attr-defined]

    def call(self, f: Callable[..., Any], x: Any) -> Any:
        self.given.append(f"a Tensor of shape {tuple(x.shape)}" if isinstance(x, mg.Tensor) else "no Tensor")
        if isinstance(x, mg.Tensor) and mg.autograd.forward_ad.unpack_dual(x).tangent is not None:
            self.passes += 1
        y = f(x)
        if y.requires_grad:
            y.register_hook(self.count)  # fires once in every backward pass that reaches y
        return y

    def count(self, g: Any) -> None:
        self.passes += 1
        self.weights.append(np.array(g.detach().numpy()))


USED, NOT_USED = {"autograd": "used"}, {"autograd": "not used"}


def lines_seen(ax: Any) -> list[Any]:
    """The lines of an Axes that can be seen."""
    return [line for line in ax.get_lines() if line.get_visible() and line.get_alpha() != 0 and line.get_linewidth() > 0]


def is_line(line: Any, xs: Array, ys: Array) -> bool:
    x, y = (np.asarray(part, dtype=float) for part in (line.get_xdata(), line.get_ydata()))
    return x.shape == xs.shape and y.shape == ys.shape and bool(np.allclose(x, xs, atol=1e-5) and np.allclose(y, ys, atol=1e-4))


def is_elsewhere(line: Any, xs: Array, of: Callable[[Array], Array]) -> bool:
    """Whether a line has the values of a function at places of its own, none of which is outside of xs."""
    x = np.asarray(line.get_xdata(), dtype=float)
    return x.ndim == 1 and x.size > 1 and bool(xs.min() <= x.min() and x.max() <= xs.max()) and is_line(line, x, of(x))


def is_stroke(line: Any) -> bool:
    """Whether the points of a line are joined."""
    return line.get_linestyle() not in ("None", "none", " ", "")


def how_drawn(lines: list[Any], xs: Array, of: Callable[[Array], Array]) -> str:
    """In a word, how the line of a function over xs is drawn."""
    ys = of(xs)
    there = [line for line in lines if is_line(line, xs, ys)]
    if there:
        return "drawn" if any(map(is_stroke, there)) else "not drawn as a line"
    if any(is_line(line, np.arange(len(xs)), ys) for line in lines):
        return "drawn over 0, 1, 2, …"
    if any(is_line(line, xs, ys / len(xs)) for line in lines):
        return "drawn, but N times too small"
    return "drawn, but over other places than xs" if any(is_elsewhere(line, xs, of) for line in lines) else "missing"


def new_axes() -> Any:
    from matplotlib.figure import Figure

    return Figure().subplots()


def are_arrays(*results: Any) -> str:
    """In a word, whether what was returned are NumPy arrays."""
    return "NumPy" if all(isinstance(result, np.ndarray) for result in results) else "other"
