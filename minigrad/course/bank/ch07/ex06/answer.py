"""07.6 retain or create?: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from minigrad.course.bank.ch07.common import FREED, Draw
from minigrad.course.bank.ch07.ex06.task import CUBE_SETUP
from minigrad.course.exercise import Part


def end_of(code: str) -> str:
    space: dict[str, Any] = {"mg": mg}
    exec(CUBE_SETUP, space)
    exec("x, L = cube()", space)
    try:
        exec(code, space)
    except RuntimeError as error:
        return "freed" if FREED in str(error) else "no graph"
    return "ok"


def ends(draw: Draw) -> dict[str, str]:
    """Run each line by itself and look."""
    return {key: end_of(code) for key, _, code in draw}


def ends_by_rule(draw: Draw) -> dict[str, str]:
    by_rule = {"retain": "ok", "create": "ok", "slope of create": "ok", "slope of retain": "no graph", "slope of neither": "no graph"}
    return {key: by_rule.get(rule, "freed") for key, rule, _ in draw}


ANSWER = Part(
    reference=ends,
    alternatives={
        "by the rules": ends_by_rule,
    },
    hints=(
        "Two questions, one for each switch. `retain_graph`: may what was saved for `L` stay after this call? `create_graph`: "
        "shall the gradient itself get a graph? And what does the first take for granted when you give only the second?",
        "```text\n                     the graph of L     the gradient g\nneither              freed              no graph\n"
        "retain_graph=True    kept               no graph\ncreate_graph=True    kept               has a graph\n"
        "create, not retain   freed              has a graph\n```\n\nA switch holds for the call in which it stands.",
        "Go through each line call by call, with a note on whether L's graph is *there* or *freed*. A line with `g` asks about "
        "the graph of `g`. You will find three times `ok`, four times `freed`, twice `no graph`.",
    ),
    explanation="""\
| call | the graph of `L` afterwards | the gradient |
|---|---|---|
| `grad(L, x)` | freed | plain |
| `grad(L, x, retain_graph=True)` | kept | plain |
| `grad(L, x, create_graph=True)` | kept: create implies retain | has a graph |
| `grad(L, x, create_graph=True, retain_graph=False)` | freed | has a graph |

`retain_graph` is about the old graph, `create_graph` about a new one. The default of `retain_graph` is the value of `create_graph`,
because the new graph hangs on the old: it often uses the same saved arrays. Each switch holds for its own call.

Use `create_graph` when you will differentiate the gradient (chapters 08 and 09), `retain_graph` when another pass will come
through the same graph, and neither in an ordinary training step.
""",
)
