"""What exercises of several chapters share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import minigrad as mg


def random_tensor(rng: np.random.Generator, dtype: Any, *shape: int, leaf: bool = False) -> Any:
    return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=leaf)


def nonzero_tensor(rng: np.random.Generator, dtype: Any, *shape: int, leaf: bool = False) -> Any:
    """Numbers whose size is between 0.5 and 1.5."""
    return mg.tensor(rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape), dtype=dtype, requires_grad=leaf)


IN_ARRAYS = "The numbers may be right, but they are in NumPy arrays. Wanted are Tensors: leave `.numpy()` away."  # a hint
ALL_EDGES = "A node has an edge for **each** input, and `mg.stack` takes any number of them: follow all of its `next_functions`."

NO_RETURN = "nothing should be returned."  # where `cost_returned` is a must
RETURNS = "and your function returns something besides. Leave the `return` away."  # the end of a hint


def came_back(returned: Any) -> str:
    """In words: what an answer returned that should return nothing."""
    return "nothing" if returned is None else "something"


def run(source: str) -> dict[str, Any]:
    """The variables that a small program leaves behind."""
    space: dict[str, Any] = {"mg": mg}
    exec(source, space)
    return space


def as_asked(result: Any, numbers: bool = False) -> Any:
    """One of the arrays that a rule returned, or what came in its place. numbers: Python's own will do as well."""
    if result is None or result is ...:
        return result
    if isinstance(result, np.ndarray | np.generic) or numbers and isinstance(result, int | float):
        return np.asarray(result)
    return f"a {type(result).__name__}, not an array"


def open_figures() -> set[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return set() if pyplot is None else set(pyplot.get_fignums())


def close_figures(but: set[int]) -> None:
    """Close what an answer has opened with pyplot: it would be shown below the check."""
    for number in open_figures() - but:
        sys.modules["matplotlib.pyplot"].close(number)


def in_legends(ax: Any) -> list[str] | None:
    """The names in the legends of an Axes and of its figure; None where there is no legend. Matplotlib hides those with a _."""
    legends = [legend for legend in (ax.get_legend(), *ax.figure.legends) if legend is not None]
    names = [text.get_text() for legend in legends for text in legend.get_texts()]
    return [name for name in names if name.strip() and not name.startswith("_")] if legends else None
