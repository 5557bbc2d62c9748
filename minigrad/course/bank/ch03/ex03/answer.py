"""03.3 Shapes: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from minigrad.course.bank.ch03.ex03.task import Draw, Shape, shapes_setup
from minigrad.course.exercise import Case, Part
from minigrad.course.judging.compare import differences


def shapes(draw: Draw) -> dict[str, Shape]:
    """Run each line and look."""
    space: dict[str, Any] = {"mg": mg, "jacobian": mg.autograd.functional.jacobian}
    exec(shapes_setup(draw), space)
    return {key: tuple(eval(code, space)) for key, _, code, *_ in draw[1]}


def shapes_by_rule(draw: Draw) -> dict[str, Shape]:
    return {key: out + into for key, _, _, out, into in draw[1]}


def say_shape(case: Case, got: Any, expected: Any) -> str | None:
    """What a shape looks like, where the first wrong entry is none."""
    wrong = [d.path[0] for d in differences(got, expected, 0.0)]
    mine = next((got[key] for key in wrong if key in expected and got.get(key, ...) is not ...), ())
    if not isinstance(mine, tuple) or any(type(size) is float for size in mine):
        return "A shape is a tuple, in round brackets, with an int for each axis: `(4, 2)`, for one axis `(4,)`, for none `()`."
    return "" if wrong else None


ANSWER = Part(
    reference=shapes,
    accept=say_shape,
    alternatives={
        "outputs, then inputs": shapes_by_rule,
    },
    hints=(
        "J has one number for each pair of an output and an input. How many axes does it take to name an output? How "
        "many to name an input?",
        "```text\nJ[ i …,  j … ]\n   │      └── names an input: the axes of the input\n"
        "   └───────── names an output: the axes of the output\n```\n\nA single number needs no axes to be named.",
        "`shape of J = shape of output + shape of input`, where + joins tuples: `(4,) + (2, 3)` is `(4, 2, 3)`, and "
        "`() + (2, 3)` is `(2, 3)`. So two questions a line: what shape goes in, what shape comes out?",
    ),
    explanation="""\
`shape of J = shape of output + shape of input`, always in this order.

For a vector of a vector that is the table of m rows and n columns. For a table of a table it is a block with four axes:
`J[i, j, k, l]` is output (i, j) by input (k, l). Read both row by row, that is `J.reshape(m, n)`, and you have the
table again; this is how matrices are drawn and multiplied in this chapter.

Where the output is a single number it adds no axes, and J has the shape of the input: it is the **gradient**. That is
why `x.grad` has the shape of `x`.
""",
)
