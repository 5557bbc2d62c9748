"""01.2 Draw to code: the answer, its hints and why it is right."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import minigrad as mg
from minigrad.course.exercise import Case, Part


def build(a, b, c):
    """Build the graph in the picture. a, b, c: 0-dim leaves that require grad. Returns the last tensor."""
    s = a * b
    return (s - c) / (s.exp() + 1)


def build_reordered(a, b, c):
    s = b * a
    below = mg.tensor(2.5) + mg.exp(s)
    return mg.div(mg.sub(s, c), below)


def say_graph(case: Case, got: Any, expected: Any) -> str | None:
    """Which operation is there too often or too rarely."""
    if got == expected:
        return None
    if got["changed"]:
        return f"Your function changed {' and '.join(got['changed'])}. It should only compute."
    if not got["graph"]:
        return "The tensor that you returned has no graph behind it: its `grad_fn` is None."
    have, want = (Counter(re.findall(r"\w+Backward\d", " ".join(seen["graph"]))) for seen in (got, expected))
    parts = [f"{count} {name} too many" for name, count in (have - want).items()]
    parts += [f"{count} {name} missing" for name, count in (want - have).items()]
    if parts:
        return f"Count the operations: {', '.join(parts)}."
    if "another leaf" in " ".join(got["graph"]):
        return "A leaf in your graph is none of `a`, `b` and `c`: compute with the tensors that you are given, and not with copies."
    return "These are the right operations, joined in another way: follow each arrow once more."


ANSWER = Part(
    reference=build,
    accept=say_graph,
    alternatives={
        "inputs swapped, functions, another constant": build_reordered,
    },
    hints=(
        "Read the picture against the arrows: begin at the leaves, at the top. Each node is one "
        "operation, its arrows lead to its inputs. A node that two arrows reach made a tensor that is "
        "used twice.",
        "`a` and `b` are multiplied, and that product is used **twice**. One of the arrows into it "
        "comes from the subtraction, the other from the exponential. The dotted edge is a plain "
        "number. The quotient is last.",
        "```python\ndef build(a, b, c):\n    s = ...                # the node with two arrows in\n"
        "    numerator = s - ...\n    denominator = ... + 1  # any number will do\n"
        "    return numerator / denominator\n```",
    ),
    explanation="""\
`s` is computed once and used twice, so its MulBackward0 stands once in the graph, and two arrows lead to it.
That sharing is the whole difference between a *graph* and a *tree*: written as
`(a * b - c) / ((a * b).exp() + 1)` the value is the same, but there are two multiplications to record, and
two to walk.

The checker compares graphs, not spelling: `b * a` and `1 + s.exp()` are as good, because the inputs of `+`
and `*` may swap. Those of `-` and `/` may not. Any number may stand for the `1`: the graph keeps only that
something constant was added there.
""",
)
