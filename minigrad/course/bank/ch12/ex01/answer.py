"""12.1 View or copy?: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch12.common import Draw
from minigrad.course.bank.ch12.ex01.task import KINDS, kinds_program
from minigrad.course.bank.shared import run
from minigrad.course.exercise import Part

KINDS_TRUE = {rule: "copy" if rule in ("reshape that cannot", "list of rows", "mask", "arithmetic") else "view" for rule in KINDS}


def kinds(draw: Draw) -> dict[str, str]:
    """Run the program, and see which results share memory with x."""
    space = run(kinds_program(draw))
    cells = space["x"].numpy()
    return {key: "view" if np.shares_memory(space[key].numpy(), cells) else "copy" for key, _, _ in draw}


def kinds_by_rule(draw: Draw) -> dict[str, str]:
    return {key: KINDS_TRUE[rule] for key, rule, _ in draw}


ANSWER = Part(
    reference=kinds,
    alternatives={
        "by the rules": kinds_by_rule,
    },
    hints=(
        "A view needs no numbers of its own: a start, and one fixed step for each axis, must be enough to find all its "
        "entries among the cells of `x`.",
        "Six cells in a row hold 0 1 2 3 4 5. Point with a finger at the entries of the result, in their order. If your "
        "finger moves along each axis with one fixed step (0 and backward over rows count too), it can be a view. A "
        "list or a mask is never looked at so closely: always a copy.",
        'Six of the ten are views:\n\n```python\nkinds = {\n    "a": "view",  # or "copy"\n    ...\n}\n```\n\nThe four '
        "copies: one picks by a list, one by a mask, one has a result of its own, and one reshapes what lies in memory in another "
        "order, or with gaps.",
    ),
    explanation="""\
A tensor is a piece of memory, a start, a shape, and for each axis a step. Whatever needs only another start, shape
or steps is a **view**: basic indices, `view`, transposes, `expand` (step 0), `unbind`, `split`, and also `detach` and
`.data`, which cut the history and not the memory.

A list or a mask picks cells at any distances, so it **copies**; so does everything that computes.

`reshape` is a view where it can be one, and copies silently where it cannot. `x.t().reshape(6)` wants the numbers
as 0 3 1 4 2 5: steps of +3, −2, +3, −2, +3. No one step describes that. If you need to know, call `view`: it raises where
`reshape` would copy.
""",
)
