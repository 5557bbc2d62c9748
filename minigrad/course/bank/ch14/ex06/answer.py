"""14.6 once_differentiable: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch14.ex06.task import ONCE_SETUP, Draw
from minigrad.course.exercise import Part

ONCE_ERRORS = {"does not require grad": "no graph", "differentiate twice": "twice", "not have been used": "unused"}


def once_outcome(code: str) -> str:
    space: dict[str, Any] = {"mg": mg}
    exec(ONCE_SETUP, space)
    truth = eval(code.replace("Exp.apply", "mg.exp"), space).detach().numpy()
    try:
        found = eval(code, space)
    except RuntimeError as error:
        return next((word for text, word in ONCE_ERRORS.items() if text in str(error)), str(error))
    if found is None:
        return "None"
    return "right" if np.allclose(found.detach().numpy(), truth) else "wrong"


def once(draw: Draw) -> dict[str, str]:
    """Run each line by itself and look."""
    return {key: once_outcome(code) for key, _, code in draw}


ANSWER = Part(
    reference=once,
    hints=(
        "Two questions for each line. Does the cotangent that reaches Exp require grad, that is, does something nonlinear come "
        "after Exp? And does the second pass run the decorator's node: does it run everything (`backward`), or only what "
        "leads to x (`grad`)?",
        "```text\n g constant       Exp's part of the gradient: a constant, no node\n"
        " g requires grad  Exp's part of the gradient: ──► [raises when run]     no way on to x\n\n"
        " backward()       runs every node\n grad(…, x)       runs only nodes that lead to x\n```",
        "Alone: the gradient is a constant, *does not require grad*. Beside another term: that term's part is right, "
        "Exp's part is missing, and nobody says so. Inside a nonlinear function: `backward` runs into the node, `grad` "
        "finds no way to x. Both inside and beside: `backward` runs into it, `grad` goes round it.",
    ),
    explanation="""\
`once_differentiable` runs `backward` without recording. If one of the cotangents requires grad, it hangs a node behind the
result that raises *trying to differentiate twice a function that was marked with @once_differentiable*. That node has no way on
to x.

So the promise is: **if a later pass runs that node, it raises.** It says nothing where the node is not there (the cotangent was a
constant, as after a sum), or is not run (`autograd.grad` runs only what leads to the inputs). With another term beside it you then
get a second derivative that lacks a part: a wrong number, and no error.

PyTorch does exactly the same. Use the decorator, it catches many cases, and check second derivatives with `gradgradcheck`
before you believe them.
""",
)
