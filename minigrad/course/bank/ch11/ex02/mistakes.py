"""11.2 The leaf rule: the mistakes that are known."""

from __future__ import annotations

from typing import Any

from minigrad.course.bank.ch11.ex02.answer import (
    DATA_HIDES,
    DETACH_SHARES,
    NEW_NAME,
    OTHER_TENSOR,
    PART_REFUSED,
    REFUSED,
    WRITES_COUNT,
    versions,
)
from minigrad.course.bank.ch11.known import believing
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def about(rule: str, believed: Any, hint: str) -> Mistake:
    """Somebody is right except about the lines of one rule."""
    return Mistake(believing(versions, {rule: believed}), hint)


MISTAKES["a leaf may be written"] = about("leaf", 1, REFUSED)
MISTAKES["a write to a leaf is not counted"] = about("leaf", 0, REFUSED)
MISTAKES["a leaf taken for a view"] = about("leaf", "view", "`w` itself is written here, and no part of it: *a leaf Variable*.")
MISTAKES["a part may be written"] = about("part", 1, PART_REFUSED)
MISTAKES["a part has a counter of its own"] = about("part", 0, PART_REFUSED)

MISTAKES["a part taken for the leaf"] = about(
    "part",
    "leaf",
    "It is refused, but the message is the other one: what is written is *a view of a leaf*, a window on the memory of `w`.",
)

MISTAKES["no_grad does not count"] = about("no_grad once", 0, WRITES_COUNT)
MISTAKES["no_grad changes nothing"] = about("no_grad once", "leaf", WRITES_COUNT)
MISTAKES["no_grad resets the version"] = about("no_grad more than once", 0, WRITES_COUNT)

MISTAKES["no_grad counts as one write"] = about(
    "no_grad more than once",
    1,
    "Two writes, two counts. The counter does not know of `with` blocks, and it does not look at the "
    "numbers: adding 1 and taking it away again are two writes.",
)

MISTAKES["no_grad changes nothing, twice"] = about("no_grad more than once", "leaf", WRITES_COUNT)
MISTAKES["a new tensor counts on"] = about("new name", 1, NEW_NAME)
MISTAKES["a new name is refused"] = about("new name", "leaf", NEW_NAME)
MISTAKES["detach has its own counter"] = about("detach", 0, DETACH_SHARES)
MISTAKES["detach is refused"] = about("detach", "leaf", DETACH_SHARES)
MISTAKES["detach is refused as a view"] = about("detach", "view", DETACH_SHARES)
MISTAKES["data shares the counter"] = about("data", 1, DATA_HIDES)
MISTAKES["data is refused"] = about("data", "leaf", DATA_HIDES)
MISTAKES["data is refused as a view"] = about("data", "view", DATA_HIDES)
MISTAKES["results are refused"] = about("other tensor", "leaf", OTHER_TENSOR)
MISTAKES["parts of results are refused"] = about("other tensor", "view", OTHER_TENSOR)
MISTAKES["another tensor counts for w"] = about("other tensor", 1, OTHER_TENSOR)
