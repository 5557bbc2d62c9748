"""10.4 Pick the mode: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.course.bank.ch10.ex04.task import Line
from minigrad.course.exercise import Case, Part
from minigrad.course.judging.compare import differences as compared


def modes(draw: list[Line]) -> dict[str, Any]:
    """For each line the mode that needs fewer passes, and how many."""
    answers: dict[str, Any] = {}
    for letter, kind, n, m, k in draw:
        if "J t" in kind:
            mode, passes = "forward", k
        elif "vT J" in kind:
            mode, passes = "reverse", k
        else:
            mode, passes = ("forward", n) if n < m else ("reverse", m)
        answers[letter], answers[f"{letter} passes"] = mode, passes
    return answers


NOT_A_MODE = 'For a letter alone write the mode, `"forward"` or `"reverse"`, in quotes.'
NOT_A_NUMBER = "For the passes write a whole number, without quotes."

WHY = {
    "J, tall": "All of J: forward fills a column in each pass, reverse a row. Which are fewer?",
    "J, wide": "All of J: forward fills a column in each pass, reverse a row. Which are fewer?",
    "gradient": "A gradient is a J with one row only. One backward pass gives a row.",
    "velocity": "One input: J has one column only. One forward pass gives a column.",
    "J t": "Each J t is one forward pass, whatever the sizes.",
    "vT J": "Each vᵀJ is one backward pass, whatever the sizes.",
    "one J t": "J t is one forward pass, whatever the sizes.",
    "one vT J": "vᵀJ is one backward pass, whatever the sizes.",
}


def say_modes(case: Case, got: Any, expected: Any) -> str | None:
    """A word on the first wrong line, where no known belief explains the answer."""
    wrong = [d.path[0] for d in compared(got, expected, 1e-6)]
    told = [key for key in wrong if key in expected and got.get(key, ...) is not ...]
    if not told:
        return "" if wrong else None
    key = told[0]
    if "passes" in key and not isinstance(got[key], int | float | np.ndarray | np.number):
        return NOT_A_NUMBER
    if "passes" not in key and got[key] not in ("forward", "reverse"):
        return NOT_A_MODE
    return WHY[next(kind for letter, kind, *_ in case.args[0] if letter == key[0])]


ANSWER = Part(
    reference=modes,
    accept=say_modes,
    hints=(
        "What does one pass give? Forward: J t, and with a one-hot t one column. Reverse: vᵀJ, and with a one-hot v one row. "
        "So how many passes make what is wanted?",
        "```text\n             n inputs\n          ┌───────────┐\n m outputs│     J     │   rows: m backward passes\n"
        "          └───────────┘   columns: n forward passes\n\n J t: one forward pass      vᵀJ: one backward pass\n```",
        "Of the eight lines four go forward. A line that wants k products takes k passes; one that wants all of J takes as many "
        "as the smaller of the two sizes; a gradient, and the slopes by one input, take one.",
    ),
    explanation="""\
A forward pass takes one tangent and gives **one column** of J (or a weighted sum of columns, J t). A backward pass takes one
cotangent and gives **one row** (or a weighted sum of rows, vᵀJ).

| wanted | forward | reverse |
|---|---|---|
| all of J, n inputs, m outputs | n | m |
| gradient of one number | n | **1** |
| slopes by one input | **1** | m |
| J t for k directions | **k** | m, or 2k by the trick of 10.3 |
| vᵀJ for k weights | n | **k** |

Training has one loss and many parameters, so it goes backward. A product is never more expensive than one pass, so do not
build J if you want a product with it. And count memory too: reverse keeps what forward has computed until it has gone back.
""",
)
