"""07.1 Suitcase or not?: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from minigrad.course.bank.ch07.common import Draw
from minigrad.course.bank.ch07.ex01.task import TWICE_SETUP
from minigrad.course.exercise import Part


def second_pass_of(code: str) -> str:
    space: dict[str, Any] = {"mg": mg}
    exec(TWICE_SETUP, space)
    try:
        exec(f"twice(lambda x: {code})", space)
    except RuntimeError:
        return "raises"
    return "survives"


def second_pass(draw: Draw) -> dict[str, str]:
    """Run each line by itself and look."""
    return {key: second_pass_of(code) for key, _, code in draw}


SURVIVORS = ("add", "neg", "sum", "mean", "move", "of constants")


def second_pass_by_rule(draw: Draw) -> dict[str, str]:
    return {key: "survives" if rule in SURVIVORS else "raises" for key, rule, _ in draw}


ANSWER = Part(
    reference=second_pass,
    alternatives={
        "by the rules": second_pass_by_rule,
    },
    hints=(
        "Ask of each operation on the way from `x` to `y`: to go *backward* through it, which numbers must one know "
        "besides the incoming gradient? If the answer is *none*, nothing is saved, and there is nothing to be freed.",
        "Write the slope next to each line:\n\n```text\nx + w      1             no number of the forward pass in it\n"
        "w * x      w             must be remembered\nexp(x)     exp(x)        must be remembered\n"
        "x.sum()    1, copied     only the shape\n```\n\nA plain number that stands in the formula as a factor is saved "
        "too: as a tensor with one entry.",
        "Six survive, eight raise. You can ask the nodes: a line raises when some node on the way has an array in its "
        "suitcase.\n\n```python\nx = mg.tensor([0.5, 1.5, 2.0], requires_grad=True)\n"
        "node = (___).grad_fn\n[n for n in dir(node) if isinstance(getattr(node, n, None), mg.Tensor)]\n```",
    ),
    explanation="""\
A node saves what its rule needs besides the incoming gradient, and nothing else.

| operation | rule | saved |
|---|---|---|
| `+`, `−`, `neg` | ± the gradient | nothing |
| `sum`, `mean`, `expand` | copy, add up | a shape, no array |
| `reshape`, `x[:2]`, `clone`, `stack` | move back | positions, no array |
| `2 * x`, `x / 3` | times the number | **the number, as a tensor** |
| `w * x` | times `w` | `w` |
| `x**2`, `sin`, `log` | from the input | the input |
| `exp`, `tanh`, `sqrt`, `relu` | from the output | the output |

The first pass empties the suitcases that it comes by. A second pass raises at the first node whose array is gone; one that
meets no such node goes through. Do not build on that: it takes one `2 *` to break it.
""",
)
