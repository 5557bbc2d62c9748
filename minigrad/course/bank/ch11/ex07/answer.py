"""11.7 The back door: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch11.common import CHANGED, Draw
from minigrad.course.bank.ch11.known import run
from minigrad.course.exercise import Part


def door(code: str) -> str:
    """The gradient that L had when it was computed, beside the one that a backward at the end finds."""
    lines = code.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("L = "))
    right = run("\n".join([*lines[: at + 1], "L.backward()"]))["w"].grad.tolist()
    try:
        space = run(f"{code}\nL.backward()")
    except RuntimeError as error:
        if CHANGED not in str(error):
            raise
        return "raises"
    return "right" if space["w"].grad.tolist() == right else "wrong"


def doors(draw: Draw) -> dict[str, str]:
    """Run each program, and compare its gradient with the right one."""
    return {key: door(code) for key, _, code in draw}


ANSWER = Part(
    reference=doors,
    hints=(
        "Three questions for each program. Does the write go to memory that the tensor **shares**? Had a node **saved** "
        "it before? Did the write go through a **tensor**, which counts, or through NumPy, which does not?",
        "```text\nshared and written after the save? ── no ──► right\n      │ yes\nsaved by a node? ── no ──► right\n"
        "      │ yes\nwritten through a tensor? ── yes ──► raises\n      └── no ──► wrong\n```",
        "Of the six programs three are `right`, two are `wrong`, and one `raises`.",
    ),
    explanation="""\
`from_numpy`, `as_tensor` and `numpy()` share memory; `tensor`, `clone` and `copy` do not. A write through NumPy changes what a
node has saved, and no counter moves: there is no error, and the gradient is wrong. The guard watches the front door only.

So the question "is my gradient right?" has a part that no engine answers for you: who else holds this memory? If you are not
sure, copy.

The outputs of exp and the inputs of a square are saved, those of + are not; and a write before the forward pass is no
danger at all.
""",
)
