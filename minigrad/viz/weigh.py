"""`weigh`: a Jacobian whose rows are weighed by sliders, and the sum of the rows below: vᵀJ."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from .drawing import Drawing
from .living import Play
from .paint import Rect, Run, Shape, Style, Text, svg
from .picture import CAPTION, INK, MARGIN, PLAIN, RIM, SLOPE, SMALL, framed
from .plots import array, names_of
from .scripts import script_image
from .style import ORANGE_TINT, PLAIN_BOX, VALUE
from .words import figure

MOST, REACH = 8, 5  # rows or columns; and how far the weights go, up and down, in halves
_WIDE, _HIGH, _GAP, _NAMES = 58.0, 40.0, 3.0, 54.0


class Weigh(Play):
    """Weights to move: `.html` for a notebook or a page, `.still` as a drawing, `.text` with v and vᵀJ."""


def weigh(J: Any, v: Any = None, *, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None) -> Weigh:
    """Draw the Jacobian J with a slider for the weight of each row, each row times its weight, and their sum: vᵀJ.

    J: array or tensor of shape (m, n), at most 8 by 8. v: the first weights, m numbers from -5 to 5 in halves; None: all 1.
    rows and columns name the outputs and the inputs; without them they are y[0], y[1], … and x[0], x[1], … The sum is what
    `y.backward(v)` leaves in x.grad. Where no script may run the still picture remains. Raises ValueError for what does not fit
    together.

    >>> from minigrad import viz
    >>> viz.weigh([[2, 1, 0], [0, 3, 2]], v=[1, -1])
    v = [1, -1]: vᵀJ = [2, -2, -2]
    """
    table = array(J)
    if table.ndim != 2 or not table.size or max(table.shape) > MOST or not np.isfinite(table).all():
        raise ValueError(f"J is a table of finite numbers, at most {MOST} by {MOST}; this one has shape {table.shape}")
    m, n = table.shape
    weights = np.ones(m) if v is None else array(v)
    if weights.shape != (m,) or not (np.isin(2 * weights, np.arange(-2 * REACH, 2 * REACH + 1))).all():
        raise ValueError(f"v is {m} numbers from -{REACH} to {REACH} in halves, one for each row of J, not {weights.tolist()}")
    named, below = names_of(rows, "y", m), names_of(columns, "x", n)
    still = _still(table, weights, named, below)
    told = {
        "label": "A Jacobian with weights to choose", "J": table.tolist(), "v": weights.tolist(), "rows": named, "columns": below,
        "reach": REACH, "key": _KEY,
    }  # fmt: skip
    return Weigh(f"<div>\n{still.html}\n{script_image('weigh', told, shared='plot')}\n</div>", still.text, still)


_show = partial(figure, digits=6)
_KEY = "In each cell J, and below it v times J"


def _still(J: np.ndarray, v: np.ndarray, rows: list[str], columns: list[str]) -> Drawing:
    (m, n), sums = J.shape, v @ J
    words = f"v = [{', '.join(map(_show, v))}]: vᵀJ = [{', '.join(map(_show, sums))}]"
    shapes: list[Shape] = [Text(MARGIN + 4, MARGIN + 8, (Run(_KEY, CAPTION),))]

    def place(row: int, column: int) -> tuple[float, float]:
        return MARGIN + _NAMES + column * (_WIDE + _GAP), MARGIN + 40 + row * (_HIGH + _GAP)

    def text(x: float, y: float, words: str, look: Style) -> None:
        shapes.append(Text(x, y, (Run(words, look),), middle=True))

    def cell(row: int, column: int, fill: str, large: Run, small: str = "") -> None:
        x, y = place(row, column)
        shapes.append(Rect(x, y, _WIDE, _HIGH, 4, fill, RIM, 1))
        shapes.append(Text(x + _WIDE / 2, y + (17 if small else 25), (large,), middle=True))
        if small:
            text(x + _WIDE / 2, y + 33, small, SLOPE)

    for row, name in enumerate([*rows, "vᵀJ"]):
        x, y = place(row, 0)
        text(x - _NAMES / 2 - 4, y + 25, name, SMALL)
    for column, name in enumerate(["v", *columns]):
        x, y = place(0, column)
        text(x + _WIDE / 2, y - 7, name, SMALL)
    for i in range(m):
        cell(i, 0, "#ffffff", Run(_show(v[i]), Style(13, VALUE, bold=True)))
        for j in range(n):
            cell(i, j + 1, PLAIN_BOX, Run(_show(J[i, j]), PLAIN), _show(v[i] * J[i, j]))
    for j in range(n):
        cell(m, j + 1, ORANGE_TINT, Run(_show(sums[j]), Style(13, INK, bold=True)))
    x, y = place(m + 1, n + 1)
    scene = framed(shapes, x + MARGIN, y + MARGIN)
    alt = f"A Jacobian with {m} rows and {n} columns, each row times its weight, and their sum. {words}."
    return Drawing(svg(scene, alt), words, alt, scene)
