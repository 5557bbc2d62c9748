"""11.2 The leaf rule: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

from minigrad.course.bank.ch11.common import Draw
from minigrad.course.bank.ch11.ex02.task import RULE_SETUP
from minigrad.course.bank.ch11.known import run
from minigrad.course.exercise import Case, Part
from minigrad.course.judging.compare import differences


def after(code: str) -> Any:
    """The word for the error that a line raises, or else the version of w."""
    try:
        return run(RULE_SETUP + code)["w"]._version
    except RuntimeError as error:
        return "view" if "a view of a leaf" in str(error) else "leaf"


def versions(draw: Draw) -> dict[str, Any]:
    """Run each line by itself, and look."""
    return {key: after(code) for key, _, code in draw}


REFUSED = (
    "`w` is a leaf that requires grad, and this line would write to it while recording is on. That is refused at once, "
    "before a number is changed. Under `mg.no_grad()` it is allowed."
)

PART_REFUSED = (
    "A part of `w` is a window on the memory of `w`: to write there is to write to the leaf. It is refused at once, and the "
    "message says *a view of a leaf*."
)

WRITES_COUNT = (
    "The counter counts **writes**, under `no_grad` as elsewhere, and nothing sets it back. `no_grad` lifts the leaf rule; "
    "it does not hide the write."
)

NEW_NAME = (
    "`w = …` writes to nothing. It computes a **new** tensor and gives it the name `w`; a new tensor is at version 0. "
    "(And it is no leaf.)"
)

DETACH_SHARES = (
    "`w.detach()` has the memory of `w` and **the same counter**. It does not require grad, so the write is allowed; and "
    "the counter of `w` sees it."
)

DATA_HIDES = (
    "`w.data` has the memory of `w`, but a counter **of its own**. The write is allowed, the numbers of `w` change, and its "
    "counter does not move."
)

OTHER_TENSOR = (
    "This line writes to another tensor: to a result, a copy or a constant. That is allowed, and `w` is not written; its "
    "counter stays at 0."
)

BY_RULE = {
    "leaf": REFUSED,
    "part": PART_REFUSED,
    "no_grad once": WRITES_COUNT,
    "no_grad more than once": WRITES_COUNT,
    "new name": NEW_NAME,
    "detach": DETACH_SHARES,
    "data": DATA_HIDES,
    "other tensor": OTHER_TENSOR,
}


def say_version(case: Case, got: Any, expected: Any) -> str | None:
    """What to say about the first wrong entry, where no known belief gives it."""
    wrong = [d.path[0] for d in differences(got, expected, 0.0)]
    told = [key for key in wrong if key in expected and got.get(key, ...) is not ...]
    if not told:
        return "" if wrong else None
    mine = got[told[0]]
    if mine not in ("leaf", "view") and (isinstance(mine, bool) or not isinstance(mine, int)):
        return 'Each value is `"leaf"`, `"view"`, or a number, without quotes: the version of `w`.'
    return BY_RULE[next(rule for key, rule, _ in case.args[0] if key == told[0])]


ANSWER = Part(
    reference=versions,
    accept=say_version,
    hints=(
        "Two questions. Does the line **write** into the memory of `w`? If not, the answer is 0. If it does: does the "
        "tensor that is written require grad, and is recording on? Then it is refused. Else count the writes.",
        "Three windows on the same memory: `w[0]` is a view and falls under the leaf rule; `w.detach()` does not, and "
        "shares the counter; `w.data` does not, and has a counter of its own.",
        'One line is `"leaf"` and one is `"view"`. Three leave the counter at 0, two at 1, and one at 2.',
    ),
    explanation="""\
The leaf rule is about **recording**: a leaf that requires grad must not get a history, so while recording is on nobody may
write to it, nor to a view of it. It is checked at once, before the write.

The counter is about **writes**. It belongs to the memory, so all windows that share it count together, and nothing sets it
back.

| the line | leaf rule | counter of `w` |
|---|---|---|
| `w += 1`, `w[0] = 5` | refused | stays |
| the same under `no_grad` | allowed | moves, once for each write |
| `w.detach().add_(1)` | allowed | moves: it is shared |
| `w.data.add_(1)` | allowed | **stays**: `.data` has its own |
| `w = w + 1` | nothing is written | a new tensor, at 0 |
""",
)
