"""13.3 How many calls?: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch13.ex03.task import CallsDraw, calls_program
from minigrad.course.bank.ch13.known import by_key
from minigrad.course.bank.shared import run
from minigrad.course.exercise import Part


def calls(draw: CallsDraw) -> dict[str, list[float]]:
    """Run the program, and look."""
    return run(calls_program(draw))["calls"]


def calls_by_rule(draw: CallsDraw) -> dict[str, list[float]]:
    a, _, c, d, *_ = draw
    s = float(c + d)
    return {"h": [s] * 3, "side": [], "x": [a * s] * 3, "after": [a * s, 2 * a * s]}


ONCE_WITH_THE_SUM = (
    "`h` is used twice, and yet its hook is called **once** in each pass, with the sum: the engine waits until all that is "
    "due at `h` has come, and only then goes on."
)

NOT_REACHED = (
    "No path leads from `L` to `side`. The pass does not come by, so the hook is not called at all: an empty list, not a zero."
)

THIS_PASS_ONLY = (
    "A hook on a leaf gets the gradient of **this pass**, before it is added to `.grad`. What earlier passes left there is not in "
    "it."
)

AFTER_ADDING = (
    "The post-accumulate hook is called **after** the adding, and reads `.grad`: after the second `backward` that is the sum of "
    "both."
)

GRAD_ADDS_NOTHING = (
    "`mg.autograd.grad` hands you the gradient and adds nothing to `.grad`. So hooks on tensors run, but what comes *after "
    "accumulation* does not."
)

ANSWER = Part(
    reference=calls,
    accept=by_key(
        {"h": ONCE_WITH_THE_SUM, "side": NOT_REACHED, "x": THIS_PASS_ONLY, "after": f"{AFTER_ADDING} {GRAD_ADDS_NOTHING}"},
        lambda value: isinstance(value, list | tuple | np.ndarray),
        "Each value is a list of numbers, such as `[2.0, 3.0]`; where a hook is never called, the list is empty: `[]`.",
    ),
    alternatives={
        "by the rules": calls_by_rule,
    },
    hints=(
        "Count first: how many passes come by at each tensor? Then the number: a hook on a tensor gets the whole gradient of "
        "this one pass. Only `.grad` remembers earlier passes.",
        "```text\nL ──c──► h ┐\nL ──d──► h ┴─► (sum) hook of h ──a──► hook of x ──► added to x.grad ──► hook after\n"
        "side: no way leads there\n```\n\n`mg.autograd.grad` ends before *added to x.grad*.",
        '```python\ncalls = {\n    "h": [s, s, s],        # s: the sum of the two factors of h in L\n    "side": [],\n'
        '    "x": [t, t, t],        # t = s times the factor of x in h\n'
        '    "after": [..., ...],   # after the first and after the second backward\n}\n```',
    ),
    explanation="""\
* **`h`**: the gradients of both uses are added first; then the hook is called, once in each pass. Three passes, three calls,
  always with the same number.
* **`side`**: nothing leads from `L` to it. Its hook is never called.
* **`x`**: the hook of a leaf stands *before* the adding. It sees the gradient of one pass, each time the same.
* **`after`**: the post-accumulate hook stands *behind* the adding. It sees `.grad` as it has become: once the gradient, then
  twice. `mg.autograd.grad` does not add, and does not come there.
""",
)
