"""17.4 What the version check is for: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

from minigrad.course.exercise import Case, Part


def turns_red():
    """The ids of the facts H that turn red without the version check, as a list of texts such as "H.product"."""
    return ["H.input", "H.output", "H.through"]


def accept_4(case: Case, got: Any, expected: Any) -> str | None:
    """How many of the facts are right, and not which."""
    said, right = set(got["facts"]) if isinstance(got, dict) else set(), set(expected["facts"])
    if said == right:
        return None
    if odd := sorted(name for name in said if not name.startswith("H.")):
        return f'{odd[0]!r} is no id of a fact H. They look like "H.product".'
    return f"{len(said & right)} of your {len(said)} facts do turn red, and {len(right - said)} more do."


ANSWER = Part(
    reference=turns_red,
    accept=accept_4,
    hints=(
        "The check stands where a saved value is taken out again, not where a tensor is written to. Which function of "
        "`tape.py` raises `MODIFIED`?",
        "```text\n"
        "save      (tensor, version 0)\n"
        "write     tensor is at version 1           counted as before\n"
        "unpack    1 is not 0: refused              ◄── this goes\n"
        "```",
        "```python\n"
        "if False and tensor._counter[0] != version:\n"
        "```\n"
        "Then `engine_board()`, and put it back.",
    ),
    explanation=(
        "Three facts of thirteen: a saved *input* that was overwritten, a saved *output*, and one that was overwritten "
        "through a **view**, which shares the counter. Nothing else notices. Writes are still counted (H.counted), leaves "
        "are still refused (H.leaf: that is checked *before* a write, and by another function), and every gradient that "
        "was right before is right now.\n\n"
        "That is what makes the missing check dangerous: backward raises nothing and returns a plausible number. The same "
        "line stands in PyTorch, in `SavedVariable::unpack`."
    ),
)
