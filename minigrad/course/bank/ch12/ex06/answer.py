"""12.6 Forbidden windows: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch12.common import Draw
from minigrad.course.bank.ch12.ex06.task import FORBIDDEN_SETUP, FORBIDDEN_WORDS
from minigrad.course.bank.shared import run
from minigrad.course.exercise import Part

MESSAGES = {
    "returns multiple views": "several",
    "was created in no_grad mode": "no_grad",
    "a leaf Variable": "leaf",
    "single memory location": "one cell",
}


def verdict_of(code: str) -> str:
    try:
        run(FORBIDDEN_SETUP + code)
    except RuntimeError as error:
        return next(word for words, word in MESSAGES.items() if words in str(error))
    return "ok"


def verdicts(draw: Draw) -> dict[str, str]:
    """Run each block by itself, after the first three lines, and look at the error."""
    return {key: verdict_of(code) for key, _, code in draw}


def verdicts_by_rule(draw: Draw) -> dict[str, str]:
    return {key: FORBIDDEN_WORDS.get(rule, "ok") for key, rule, _ in draw}


ANSWER = Part(
    reference=verdicts,
    alternatives={
        "by the rules": verdicts_by_rule,
    },
    hints=(
        "Three questions of each block. On what is the window: a leaf, a result, a constant? How was it opened: alone, with "
        "others, under `no_grad`? Does it show a cell more than once?",
        "Four blocks are fine: an ordinary write to a part of a result; one where window and write are both under `no_grad`; one "
        "with constants only; one that writes to a clone. The other four break one rule each.",
        '```python\nverdicts = {\n    # unbind, split, chunk, for:       "several"\n    # expand:                          '
        '"one cell"\n    # window inside, write outside:    "no_grad"\n    # recorded, and x is the base:     "leaf"\n    '
        '# the other four:                  "ok"\n    "a": ...,\n}\n```',
    ),
    explanation="""\
Four refusals, for four reasons:

* **several**: one node made all the windows. A write through one would change the history of the others, and that node cannot
  tell which. A clone, or an index for each part, is the way round.
* **no_grad**: opened unrecorded, written recorded. The engine asks you to decide.
* **leaf**: a recorded write would turn the leaf into a result. Under `no_grad` it stays what it is.
* **one cell**: `expand` shows one cell in many places, so "add 1 to each" has no meaning. NumPy's read-only flag on
  `np.broadcast_to` is the same rule.

All four come **at the write**, before a number has changed. The alarm of exercise 12.2 comes later, in backward: there
the write itself was fine, and only something that had been saved was out of date.
""",
)
