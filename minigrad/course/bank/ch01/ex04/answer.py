"""01.4 Why is .grad None?: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

from minigrad.course.bank.ch01.common import Draw
from minigrad.course.exercise import Case, Part
from minigrad.course.judging.compare import differences


def reasons(draw: Draw) -> dict[str, str]:
    """The reason that each snippet was written for."""
    return {letter: reason for letter, reason, _ in draw}


REBOUND = (
    "`x` was a leaf once. Which line gave its **name** to another tensor? The leaf is still there, with "
    "its gradient if it got one, but nothing is called `x` any more except the newcomer."
)

BRANCH = (
    "`backward` did run, and `x` is a leaf that requires grad. Start at the tensor on which it was called "
    "and follow the edges: is there one that leads to `x`?"
)

CALL = "No backward pass ran at all. Look for the call, with its parentheses: a forward pass fills no `.grad`."

CONSTANT = (
    "Ask `x.requires_grad` first. It is False here: nothing that leads to `x` was ever recorded, so there "
    "is no walk that could have missed it."
)

PRODUCT = (
    "`x` is the *result* of an operation. It requires grad (print it: it has a `grad_fn`), but only leaves "
    "keep a gradient, and the leaf behind it never had this name."
)

# What to say about a case, by its right reason; and what to say instead when a certain other one was given.
WHY = {"not_called": CALL, "rebound": REBOUND, "no_rg": CONSTANT, "non_leaf": PRODUCT, "not_reached": BRANCH}


def say_reason(case: Case, got: Any, expected: Any) -> str | None:
    """The five words, where another stands."""
    if not differences(got, expected, 0.0):
        return None
    given = [got.get(letter, ...) for letter in expected]
    strange = [mine for mine in given if mine is not ... and not (isinstance(mine, str) and mine in WHY)]
    return f"A reason is one of these words: {', '.join(map(repr, WHY))}." if strange else ""


ANSWER = Part(
    reference=reasons,
    accept=say_reason,
    hints=(
        "A gradient arrives in `x.grad` if four things hold: a backward pass **ran**, the name `x` "
        "still means the tensor it meant, that tensor is a **leaf that requires grad**, and the walk "
        "**came to it**. Find the first that fails.",
        "Draw an arrow from each name to its tensor, and move the arrow at each `x = …`. A case with "
        "two lines `x = …` is `rebound`. Then sketch the graph behind the tensor on which "
        "`backward()` is called: is `x` in it?",
        "In this order: no `backward()` with parentheses: `not_called`. Two assignments to `x`: "
        "`rebound`. `x` made from constants, `detach()`, `no_grad`, a comparison: `no_rg`. `x` is a "
        "result: `non_leaf`. What is left: `not_reached`.",
    ),
    explanation="""\
Five reasons, and each has its own remedy:

| reason | what to do |
|---|---|
| `not_called` | call `L.backward()`, with parentheses |
| `rebound` | keep the name of a leaf: `w = w - …` makes a new tensor and forgets the old one |
| `no_rg` | ask for it at the start, with `requires_grad=True` or `x.requires_grad_()` |
| `non_leaf` | give the leaf a name and look there, or call `x.retain_grad()` before `backward()` |
| `not_reached` | look for the cut: `detach`, `.data`, `.item()`, `no_grad`, a branch, another loss |

`mg.why_no_grad(x, root=L)` answers this question for a tensor of your own.
""",
)
