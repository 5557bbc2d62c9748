"""06.6 Should backward zero first?: the answer, its hints and why it is right."""

from __future__ import annotations

import re
from typing import Any

from minigrad.course.bank.ch06.common import grad_of
from minigrad.course.bank.ch06.ex06.task import FIRST, FIRST_SETUP, Draw
from minigrad.course.bank.shared import run
from minigrad.course.exercise import Part
from minigrad.course.helpers.graphs import class_of, nodes_of
from minigrad.course.judging.compare import differences

FIRST_TRUE = {rule: "breaks" if k < 4 else "same" for k, rule in enumerate(FIRST)}


def backward_of(t: Any) -> None:
    """The backward that was proposed: it first clears the leaves of its graph."""
    for node in nodes_of(t):
        if class_of(node) == "AccumulateGrad":
            node.variable.grad = None
    t.backward()


def end_of(code: str, **more: Any) -> list[Any]:
    """What a block leaves behind: the two leaves and their gradients."""
    space = run(FIRST_SETUP) | more
    exec(code, space)
    return [grad_of(space[name]) for name in "wv"] + [space[name].item() for name in "wv"]


def verdict_of(code: str) -> str:
    proposed = re.sub(r"(\w+)\.backward\(\)", r"backward_of(\1)", code)
    found = differences(end_of(proposed, backward_of=backward_of), end_of(code), 1e-6)
    return "breaks" if found else "same"


def verdicts(draw: Draw) -> dict[str, str]:
    """Run each block twice, with backward as it is and with the one that was proposed, and compare what is left."""
    return {key: verdict_of(code) for key, _, code in draw}


def verdicts_by_rule(draw: Draw) -> dict[str, str]:
    return {key: FIRST_TRUE[rule] for key, rule, _ in draw}


ANSWER = Part(
    reference=verdicts,
    alternatives={
        "by the rules": verdicts_by_rule,
    },
    hints=(
        "The proposal does harm exactly where something is in the `.grad` of a leaf when a `backward` that reaches this leaf "
        "begins, and where it is still wanted.",
        "For each block, write down the calls of `backward` in their order, and under each the leaves that it reaches:\n\n"
        "```text\n   first.backward()    second.backward()\n        w                    w             → what first brought is "
        "lost\n        w                    v             → nothing is lost\n```\n\nThen ask whether the `.grad` was cleared in "
        "between.",
        'Four of the eight break:\n\n```python\nverdicts = {\n    # two passes to one leaf, nothing cleared between:  "breaks"\n'
        '    # something in .grad before the pass, put there:   "breaks"\n    # one pass, other leaves, or cleared anyway:    '
        '   "same"\n    "a": ...,\n}\n```',
    ),
    explanation="""\
The proposal is tempting: it would save the line that everybody forgets once. It is right for the plain loop, one `backward` for
one step. It breaks all that is made of several passes:

* two losses that each go backward,
* micro-batches, and steps after every second batch,
* a gradient that somebody has put there by hand.

It does no harm within **one** pass: several messages to a leaf are added on the way, before anything is written to `.grad`. Nor
where the leaves are others, or are cleared anyway.

Adding is the choice from which the other can be made: to overwrite, clear first. The other way round it would not work. The price is
a line in the loop.
""",
)
