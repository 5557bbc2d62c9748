"""01.1 Passport control: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

from minigrad.course.bank.ch01.common import Draw
from minigrad.course.bank.ch01.ex01.task import passport_program
from minigrad.course.bank.shared import run
from minigrad.course.exercise import Case, Part
from minigrad.course.helpers.graphs import class_of
from minigrad.course.judging.compare import differences

Passport = tuple[bool, bool, str | None]


def passport_of(t: Any) -> Passport:
    return t.is_leaf, t.requires_grad, None if t.grad_fn is None else class_of(t.grad_fn)


def passports(draw: Draw) -> dict[str, Passport]:
    """Run the program and look."""
    space = run(passport_program(draw))
    return {key: passport_of(space[key]) for key, _, _ in draw}


NO_HISTORY = (
    "History exists only if some input requires grad. Here none does, so nothing was recorded: no "
    "`grad_fn`, and no history means **leaf**. A constant computed from constants is a leaf like any "
    "other."
)

COPY = (
    "`clone`, `+ 0`, `* 1` and `double()` are all recorded; only `detach` is not. The numbers may be the "
    "same, but the result came out of an operation on a tracked tensor. So it has a `grad_fn`, and it is no leaf."
)

ENOUGH = (
    "One input that requires grad is enough: the operation is recorded, and the result "
    "requires grad too. The constants in it are only edges that lead nowhere."
)

WINDOW = (
    "`[0]`, `[1:]` and `view` are operations too, each with its node (SelectBackward0, SliceBackward0, "
    "ViewBackward0). The engine must know which part of `w` the result shows, or it could not send the "
    "gradient back to the right place. No leaf."
)

CUT = (
    "`detach()` and `.data` hand out the same numbers **without the history**: the result is a constant, "
    "`requires_grad` is False, and so is everything computed from it alone. A tensor without history is a "
    "leaf."
)

MODE = (
    "Under `no_grad` nothing is recorded, whatever the inputs are. The result has no `grad_fn`, does not "
    "require grad, and, having no history, is a leaf."
)

FRESH = (
    "Nothing was recorded *behind* this tensor, and it requires grad: that is a leaf whose gradient is "
    "wanted. `requires_grad_()` sets the flag on the tensor itself. And `w.float()` has nothing to "
    "convert: it returns `w`."
)

SLOPE = (
    "A comparison, an index and an integer have no slope, so the engine does not record them; "
    "`zeros_like` and `ones_like` take only shape and dtype from `w`. The result is a constant: a leaf "
    "that does not require grad."
)

BY_RULE = {
    "constants": NO_HISTORY,
    "one is enough": ENOUGH,
    "copies": COPY,
    "windows": WINDOW,
    "cuts": CUT,
    "no_grad": MODE,
    "new leaves": FRESH,
    "no slope": SLOPE,
}


def say_passport(case: Case, got: Any, expected: Any) -> str | None:
    """Why the first wrong passport cannot be right, where no known belief gives it."""
    wrong = [d.path[0] for d in differences(got, expected, 0.0)]
    told = [key for key in wrong if key in expected and got.get(key, ...) is not ...]
    if not told:
        return "" if wrong else None
    mine, right = got[told[0]], expected[told[0]]
    if not isinstance(mine, tuple) or len(mine) != 3:
        return "A passport is a tuple of three, in round brackets: `(is_leaf, requires_grad, grad_fn)`."
    is_leaf, requires_grad, name = mine
    if ... in mine:
        return ""
    if not (isinstance(is_leaf, bool) and isinstance(requires_grad, bool) and isinstance(name, str | None)):
        return "The first two are `True` or `False`; the third is a node's name as a string, or `None`."
    if is_leaf != (name is None):
        return "No tensor has this passport. A leaf has no `grad_fn`, and what is no leaf has one."
    if not is_leaf and not requires_grad:
        return "No tensor has this passport. A node is left only for a result that requires grad."
    if not is_leaf and not right[0]:
        if name and name.casefold() == right[2].casefold():
            return f"Nearly: copy the name from the table, capital letters and all: `{right[2]}`."
        return "Recorded it was. But the node has another name: it is named after the operation that came last."
    rule = next(rule for key, rule, _ in case.args[0] if key == told[0])
    return BY_RULE[rule]


ANSWER = Part(
    reference=passports,
    accept=say_passport,
    hints=(
        "Ask two questions of each line. Was an operation **recorded** here? It was if at least one "
        "input requires grad, the result can have a slope, and recording is on. If not: was "
        "`requires_grad` **asked for** on this very tensor? The first gives a non-leaf, the second a "
        "leaf that requires grad, neither gives a constant.",
        "There are only three kinds of passport:\n\n| | `is_leaf` | `requires_grad` | `grad_fn` |\n"
        "|---|---|---|---|\n| recorded result | False | True | a name |\n| leaf that requires grad | "
        "True | True | None |\n| constant | True | False | None |\n\nSort the eight names into these "
        "rows.",
        "Four of the eight are constants and one is a leaf that requires grad. The other three were "
        "recorded; take their names from the table in the statement:\n\n```python\npassports = {\n"
        '    "p": (False, True, "...Backward0"),\n    "q": (True, False, None),\n    ...\n}\n```',
    ),
    explanation="""\
Of the eight combinations that three yes-or-no answers allow, only three ever occur:

| | `is_leaf` | `requires_grad` | `grad_fn` | here |
|---|---|---|---|---|
| recorded result | False | True | a name | an input is tracked; copies and windows too |
| leaf that requires grad | True | True | None | you asked for `requires_grad` on the tensor itself |
| constant | True | False | None | only constants in; cut off; under `no_grad`; no slope |

So one question does most of the work: *was it recorded?* It was if **some** input requires grad, **and**
recording is on, **and** the result can have a slope. What was not recorded has no history, and what has no
history is a leaf. `clone`, `view` and `[ ]` are recorded because a gradient must find its way back through
them. `detach` exists for not being recorded.
""",
)
