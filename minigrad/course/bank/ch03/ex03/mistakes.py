"""03.3 Shapes: the mistakes that are known."""

from __future__ import annotations

import math
from collections.abc import Callable

from minigrad.course.bank.ch03.ex03.task import Draw, Shape
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def other_axes(out: Shape, into: Shape) -> Shape:
    """The shape of the output for somebody who takes away the other axis of a table, or forgets that T swaps them."""
    return tuple(size for size in into if size not in out) or into


def believing(shape: Callable[[Shape, Shape], Shape], *rules: str) -> Callable[[Draw], dict[str, Shape]]:
    """The dict of somebody who has this rule for the shape; for these lines only, where some are named."""

    def predict(draw: Draw) -> dict[str, Shape]:
        return {key: shape(out, into) if rule in rules or not rules else out + into for key, rule, _, out, into in draw[1]}

    return predict


MISTAKES["another output"] = Mistake(
    believing(lambda out, into: other_axes(out, into) + into, "vector of table", "table of table"),
    "The axes of the input are right, and come last. But those before them are not the shape of the output. "
    "`X.mean(0)` takes axis 0 away, `.sum(1)` axis 1; `X.T` swaps the two.",
)

MISTAKES["inputs first"] = Mistake(
    believing(lambda out, into: into + out),
    "You put the axes of the input first. **Outputs first**: `J[i, j]` is output i by input j. So the shape "
    "begins with the shape of the output.",
)

MISTAKES["a number has a row"] = Mistake(
    believing(lambda out, into: (out or (1,)) + (into or (1,))),
    "A single number has shape `()`: no axes, so it adds none to the shape of J. Not `(1,)`.",
)

MISTAKES["flattened"] = Mistake(
    believing(lambda out, into: (math.prod(out), math.prod(into))),
    "You flattened: a table with one row for each output and one column for each input. That is how we draw "
    "it. `jacobian` keeps all axes of the output, and then all axes of the input.",
)

MISTAKES["half flattened"] = Mistake(
    believing(lambda out, into: (*out, math.prod(into))),
    "The axes of the input stay apart: `J[i, k, l]` is output i by `X[k, l]`. They are not flattened into one.",
)

MISTAKES["slopes only"] = Mistake(
    believing(lambda out, into: out, "entry by entry"),
    "For a function of each entry by itself only the diagonal is not 0. `jacobian` gives the whole table all "
    "the same, zeros included.",
)

MISTAKES["like the input"] = Mistake(
    believing(lambda out, into: into),
    "That is the shape of the input: right for a gradient, where the output is a single number. Each further "
    "output has such a block of its own, so the axes of the output come before.",
)

MISTAKES["like the output"] = Mistake(
    believing(lambda out, into: out),
    "That is the shape of the output. Each output has a slope for **every** input: the axes of the input come after.",
)

MISTAKES["rows and columns of outer"] = Mistake(
    believing(lambda out, into: out[::-1] + into, "table of vector"),
    "The axes of the output are exchanged. `mg.outer(x, d)` has a row for each entry of `x`, and a column for each of `d`.",
)

MISTAKES["the axes of the input are exchanged"] = Mistake(
    believing(lambda out, into: out + into[::-1]),
    "The axes of the input are exchanged. They come in the order in which `X` itself has them, whatever f makes of it.",
)

MISTAKES["a shared axis is there once"] = Mistake(
    believing(lambda out, into: out + into[len(out) :], "vector of table", "table of vector", "table of table"),
    "An axis of the input that lives on in the output is there twice all the same: output 0 also has a slope, "
    "of 0 perhaps, for row 1 of the input.",
)
