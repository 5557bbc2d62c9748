"""11.7 The back door: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch11.ex07.answer import doors
from minigrad.course.bank.ch11.known import believing
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def at_the_door(rule: str, believed: str, hint: str) -> Mistake:
    """Somebody is right except about the program of one rule."""
    return Mistake(believing(doors, {rule: believed}), hint)


BACK_DOOR = (
    "The array and the tensor are **one memory**, and what was written is what a node had saved. But NumPy knows nothing of "
    "the counter: the version stays at 0, backward is content, and its numbers are wrong."
)

MISTAKES["the counter sees NumPy's writes"] = at_the_door("shared from NumPy", "raises", BACK_DOOR)
MISTAKES["from_numpy copies"] = at_the_door("shared from NumPy", "right", BACK_DOOR)
MISTAKES["the counter sees writes to numpy()"] = at_the_door("shared with NumPy", "raises", BACK_DOOR)
MISTAKES["numpy() copies"] = at_the_door("shared with NumPy", "right", BACK_DOOR)
A_COPY = "Here the array has memory **of its own**: `mg.tensor`, `.copy()` and `.clone()` copy. Nobody touched what was saved."
MISTAKES["a copy is shared"] = at_the_door("copied", "wrong", A_COPY)
MISTAKES["a copy is counted"] = at_the_door("copied", "raises", A_COPY)

UNSAVED = (
    "The array is shared and was written, but no node had saved this value: `+` keeps nothing, `sin` keeps its input, `exp` its "
    "output. The gradient is right."
)

MISTAKES["everything is saved"] = at_the_door("not saved", "wrong", UNSAVED)
MISTAKES["every write raises"] = at_the_door("not saved", "raises", UNSAVED)

COUNTED = (
    "Here the write went through a **tensor**, and tensors count. `detach()` and `no_grad` share or move the counter of "
    "what was saved, wherever its memory came from. Backward raises."
)

MISTAKES["a tensor's write is hidden"] = at_the_door("counted", "wrong", COUNTED)
MISTAKES["a tensor's write does no harm"] = at_the_door("counted", "right", COUNTED)

UNWRITTEN = (
    "Nothing was written after it was saved. `a = …` gives the name `a` to another array; and a write *before* `L` is computed "
    "is part of what is computed."
)

MISTAKES["a new name writes"] = at_the_door("nothing is written", "wrong", UNWRITTEN)
MISTAKES["a new name is counted"] = at_the_door("nothing is written", "raises", UNWRITTEN)

MISTAKES["the counter sees everything"] = Mistake(
    believing(doors, {"shared from NumPy": "raises", "shared with NumPy": "raises"}),
    "You trust the counter. It counts writes that go through **tensors**; NumPy writes to the same memory and tells "
    "nobody. No error, wrong gradient.",
)
