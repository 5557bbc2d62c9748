"""06.1 The ledger: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.course.bank.ch06.ex01.task import LEDGER_LINES, LEDGER_SETUP, LedgerDraw
from minigrad.course.bank.shared import run
from minigrad.course.exercise import Case, Part
from minigrad.course.judging.compare import differences


def ledger(draw: LedgerDraw) -> dict[str, Any]:
    """Run the program, and look at w.grad after each line."""
    space, seen = run(LEDGER_SETUP.format(start=draw[0])), {}
    for key, rule, k in draw[1]:
        exec(LEDGER_LINES[rule].format(k=k), space)
        grad = space["w"].grad
        seen[key] = None if grad is None else grad.item()
    return seen


ADDED = (
    "`backward` does not write `.grad`, it **adds** to it: `+=`. Whatever stood there before the line is still in it, until "
    "a line says otherwise."
)

NOT_ZERO = (
    "`None` and 0 are not the same. None says: nothing has come here since the start, or since `w.grad = None`. Write the word "
    "`None`, without quotes."
)

ZEROED = "`w.grad.zero_()` writes a 0 into the tensor that is there. The tensor stays, so `.grad` is 0, and not None."
BUILT = "Computing `y` builds a graph and nothing more. `.grad` changes only when somebody calls `backward`."

STEPPED = (
    "The step reads no gradient here, and it clears none. `w -= 1` changes `w`, and `w.grad` stays as it is, out of date or not. "
    "Clearing is a line of its own."
)

SLOPES = "What `backward` brings is the **slope**, not the value. The slope of 5·w is 5, wherever w is; that of w² is 2w."
PATHS = "`w + k * w` uses `w` twice, so two messages come to it: 1 from the first place, k from the second. Both count."

FRESH = "Before this line there is no sum in `.grad`, only None or 0. What stands there afterwards is the slope of this line alone."

LEDGER_HINTS = {
    "build": BUILT,
    "line": f"{ADDED} {SLOPES}",
    "square": f"{ADDED} The slope of w² is 2w, at the `w` of now.",
    "twice": f"{ADDED} {PATHS}",
    "none": NOT_ZERO,
    "zero": ZEROED,
    "step": STEPPED,
}


def say_ledger(case: Case, got: Any, expected: Any) -> str | None:
    """The hint of the first wrong line's rule, where no known belief explains the answer."""
    wrong = [d.path[0] for d in differences(got, expected, 1e-6)]
    told = [key for key in wrong if key in expected and got.get(key, ...) is not ...]
    if not told:
        return "" if wrong else None
    value = got[told[0]]
    if isinstance(value, bool) or value is not None and not isinstance(value, int | float | np.ndarray):
        return "Each entry is a number or None, the bare word without quotes."
    rule = next(rule for key, rule, _ in case.args[0][1] if key == told[0])
    if value is None and rule in ("line", "square", "twice"):
        return "None is no trap. A backward that finds None in .grad counts it as nothing, and stores its slope there."
    before = dict(zip(expected, [None, *expected.values()], strict=False))[told[0]]
    return (LEDGER_HINTS[rule] if before else LEDGER_HINTS[rule].replace(ADDED, FRESH)).replace("**", "")


ANSWER = Part(
    reference=ledger,
    accept=say_ledger,
    hints=(
        "Keep two columns on paper: `w`, and `w.grad`. Only three kinds of line change `w.grad`: a `backward` adds a slope to "
        "it, `w.grad = None` takes it away, `zero_()` makes it 0. Only one kind changes `w`.",
        "```text\n  line                   w     w.grad\n                         2     None\n  (3 * w).backward()     2     3\n"
        "  (w**2).backward()      2     3 + 4\n  w.grad.zero_()         2     0\n```\n\nGo on like this, line by line.",
        "The slope of `k * w` is k, that of `w + k * w` is 1 + k, that of `w**2` is 2w, with the `w` of that moment. "
        "`y = k * w` has no `backward`, and adds nothing:\n\n"
        '```python\ngrads = {\n    "a": None,  # or a number: what stood there before, plus the slope\n    ...\n}\n```',
    ),
    explanation="""\
One rule for each kind of line:

* `….backward()` **adds** the slope to what is there. None counts as nothing, so the first slope is stored as it is.
* `w.grad = None` forgets; `w.grad.zero_()` keeps the tensor and writes 0 into it.
* `y = k * w` only builds a graph.
* `w -= 1` moves `w`. The gradient from before stays, although it belongs to the old place. The next slope is taken at the new one.

Nothing in the engine clears `.grad` on its own: not a step, not the end of a pass. Clearing is your line.
""",
)
