"""17.2 A walk that counts: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch16.known import mistake
from minigrad.course.bank.ch17.known import with_text
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}
QUICKLY = "                results = node.apply(cotangents, tensors, needed)  # as almost every node does: nothing watches it\n"
WATCHED = "            walk.node = node\n"
BEGIN = "    pending, captures, on_path, needed = "
IMPORT = "from typing import Any\n"
TABLE = "ndarray = np.ndarray  #"
COUNT = "ran[node.shown().name()] += 1\n"


def counting(quick: str = COUNT, watched: str = COUNT, clear: str = "ran.clear()", *more: tuple[str, str]) -> Callable[[], str]:
    """An answer to 17.2: with this where almost every node runs, this where a watched one does, and this where a pass begins."""
    return with_text(
        "core/walk.py",
        (IMPORT, IMPORT + "from collections import Counter\n"),
        (TABLE, "ran = Counter()\n" + TABLE),
        (BEGIN, f"    {clear}\n" + BEGIN),
        (QUICKLY, f"                {quick}" + QUICKLY),
        (WATCHED, f"            {watched}" + WATCHED),
        *more,
    )


MISTAKES["some nodes are not counted"] = mistake("leaves_too", counting(watched="pass\n"))

MISTAKES["the class that nobody has looked at"] = mistake(
    "shown", counting("ran[type(node).__name__] += 1\n", "ran[node.name()] += 1\n")
)

MISTAKES["numbers of an earlier pass"] = mistake("never_reset", counting(clear="pass"))
ARRIVES = "                target, output = edge\n"

MISTAKES["counts what arrives"] = mistake(
    "edges",
    counting("pass\n", "pass\n", "ran.clear()", (ARRIVES, ARRIVES + "                ran[target.shown().name()] += 1\n")),
)

POPPED = "            hooks, edges = node._hooks, node._edges"

MISTAKES["counts what is only captured"] = mistake(
    "not_run", counting("pass\n", "pass\n", "ran.clear()", (POPPED, "            ran[node.shown().name()] += 1\n" + POPPED))
)
