"""05.4 Kinks: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from minigrad.course.bank.ch05.ex04.task import KINKS, KINKS_SETUP, Draw, caller
from minigrad.course.exercise import Part


def kinks(draw: Draw) -> dict[str, Any]:
    """Run each line and look."""
    space: dict[str, Any] = {"mg": mg}
    exec(KINKS_SETUP, space)
    return {key: eval(f"{caller(rule)}(lambda x: {code})", space) for key, rule, code in draw}


def kinks_by_rule(draw: Draw) -> dict[str, Any]:
    return {key: KINKS[rule][0] for key, rule, _ in draw}


ANSWER = Part(
    reference=kinks,
    alternatives={
        "by the rules": kinks_by_rule,
    },
    hints=(
        "The engine knows no limits from left and right. It has one rule for each operation and puts the number in. Ask of each "
        "line: which operations are there, and what does the rule of each say exactly at 0?",
        "```text\nrelu'(x)      1 where x > 0, else 0\nabs'(x)       sign(x)\n"
        "maximum'      to the larger input; at a tie ½ to each\n"
        "clamp'(x)     1 inside, borders included\nwhere         to the branch that was picked\nsqrt'(x)      1 / (2 √x)\n```\n\n"
        "Where a function is made of several operations, multiply along the path and add up the paths, as everywhere.",
        "Two numbers to think about again: `1.0 / 0.0` is `inf` here, and `inf * 0.0` is `nan`. For the two lines with "
        "`shares`: if the result comes with an index, one entry was picked; if not, all that tie share. The sum of the four is "
        "1 in both.",
    ),
    explanation="""\
At a kink every number between the slopes on both sides is a fair answer (a *subgradient*, where the kink points
down). The engine must pick one, and each operation has made its choice:

| operation | at the kink | because |
|---|---|---|
| `relu` | 0 | its rule asks whether x > 0 |
| `abs` | 0 | its rule is sign(x) |
| `maximum`, `minimum` | ½ to each | both inputs are treated alike |
| `clamp` | 1 | its borders count as inside |
| `where` | the slope of the branch picked | the condition decides |
| `sign`, `floor` | 0 | flat on both sides |
| `sqrt` at 0 | inf | 1 / (2√0) |
| `max()` | 1/n to each that ties | there is no winner |
| `max(dim)` | 1 to the first | its index names a winner |

`maximum(x, 3 * x)` is ½ · 1 + ½ · 3 = 2. `sqrt(x**2)` is inf · 0 = nan, though |x| has the computed slope 0, and
`relu(x) - relu(-x)` is 0, though x has the slope 1: the chain rule is applied to the conventions, and need not give
the convention of the whole.
""",
)
