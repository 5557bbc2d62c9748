"""11.1 Which one breaks?: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch11.common import CHANGED, Draw
from minigrad.course.bank.ch11.ex01.task import BREAKS_SETUP
from minigrad.course.bank.ch11.known import run
from minigrad.course.exercise import Part


def line_breaks(code: str) -> str:
    before, after = BREAKS_SETUP.split("# after each line\n")
    try:
        run(f"{before}{code.replace(';  ', chr(10))}\n{after}")
    except RuntimeError as error:
        if CHANGED not in str(error):
            raise
        return "raises"
    return "ok"


def breaks(draw: Draw) -> dict[str, str]:
    """Run each line by itself, and look."""
    return {key: line_breaks(code) for key, _, code in draw}


ANSWER = Part(
    reference=breaks,
    hints=(
        "Write down the slope of each operation. Which numbers appear in it: those of `x`, those of `y`, those of `k`, "
        "or none? These are kept. A line raises if and only if it writes to what was kept.",
        "In the table of section 3 find the row of the operation. *Output* means: `y += 1` raises, `x += 1` does not. "
        "*Input* means the opposite. *Nothing* means: neither does.",
        "Twelve lines, five of them raise: two that write to a kept output, two that write to a kept input, and one "
        "that writes to `k`. The other seven are `ok`.",
    ),
    explanation="""\
An operation keeps what its slope needs, and no more.

| operation | slope | keeps | so do not write to |
|---|---|---|---|
| exp, sigmoid, tanh, sqrt | y, y(1−y), 1−y², 1/2y | output | `y` |
| relu, softmax | is y positive; made of y | output | `y` |
| sin, cos, log, x², \\|x\\| | cos x, −sin x, 1/x, 2x, sign x | input | `x` |
| x · k, x / k | k, 1/k | `k` | `k` |
| x + 1, −x, sum, mean, clone | a number that is always the same | nothing | – |

The write itself is allowed. Backward compares versions when it comes to the node, and raises if what was kept has been
written since. Why do the engines keep the output of exp, and not its input? Because nothing has to be
computed again: the slope is there already.
""",
)
