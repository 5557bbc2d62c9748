"""The judge's own sentences, and the lines that show a case."""

from __future__ import annotations

import inspect
from typing import Any

from minigrad.course.exercise import Case, Exercise
from minigrad.course.judging.attempt import has_dots
from minigrad.course.judging.compare import MISSING, Difference, Unfit, as_array, show
from minigrad.course.judging.observed import parameters_of

ROUNDED = (
    "The numbers came in float32, and the inputs are in float64: half of the digits are lost. Is there a Tensor of the "
    "default dtype on the way, as `mg.zeros(n)` and `mg.randn(n)` make it? `dtype=x.dtype`, or `mg.zeros_like(x)`, keeps all of them. "
    "(`.float()` and `np.float32` lose them in any case.)"
)
DEAR = (
    "It costs more than it needs: of what the checker counts (calls, passes, what is kept), there is more than in the model answer. "
    "Look once more at what the text says about it, or compare with the solution when you are done."
)
ALIASES = (
    "The entries {} are **one tensor** under several names. What is written into it later, and `.grad` is added to in place, shows "
    "under all of them. Note a number, `w.grad.item()`, or a copy, `w.grad.clone()`, of each moment."
)
WHY_NONE = {
    "bare": "Did you forget `return`?",
    "valued": "What stands after its `return` was None.",
    "both": "Either it came to its end without a `return`, or what stands after its `return` was None.",
}

def returned_none(got: Any, want: Any) -> bool:
    """Whether None came back where a value was wanted."""
    if isinstance(got, Unfit):
        return got.came == "None"
    if not isinstance(got, dict) or not isinstance(want, dict):  # where an error is wanted, nothing is
        return False
    return got.get("returns", MISSING) is None and want.get("returns") is not None


def called(exercise: Exercise, case: Case) -> str:
    """What is called in a case: the answer, or the one of its methods that the case begins with."""
    if not inspect.isclass(exercise.reference):
        return f"`{exercise.name}`"
    return f"`{case.part}`" if callable(getattr(exercise.reference, case.part, None)) else f"A method of `{exercise.name}`"


def inputs_of(exercise: Exercise, args: tuple[Any, ...]) -> list[str]:
    """The inputs that can be shown, in one line, by the names of the reference's parameters where there is one for each."""
    named = [f"{name} = " for name in parameters_of(exercise, args)] or [""] * len(args)
    shown = [name + show(arg) for name, arg in zip(named, args, strict=True) if as_array(arg) is not None]
    return [f"Input: {', '.join(shown)}"] if shown else []


def explain_prediction(got: Any, want: Any, found: list[Difference], words: tuple[str, ...]) -> tuple[str, list[str]]:
    """How many entries are right, how many open, and the first wrong one. What is right is not told: run the program."""
    open_keys = [str(key) for key, value in got.items() if has_dots(value)]
    wrong = [str(key) for key in want if any(d.path[0] == str(key) for d in found)]
    told = [key for key in wrong if key not in open_keys]
    lines = []
    if open_keys:
        lines.append(f"Still open: {', '.join(open_keys)}.")
    if told:
        mine = got.get(told[0], MISSING)
        wrote = "It is missing." if mine is MISSING else f"You wrote {show(mine)}."
        stranger = bool(words) and mine is not MISSING and not (isinstance(mine, str) and mine in words)
        choice = f" That is none of the words: {', '.join(map(repr, words))}." if stranger else ""
        lines.append(f"The first that is wrong: {told[0]}. {wrote}{choice}")
    strangers = [str(key) for key in got if key not in want]
    if strangers:
        lines.append(f"Not asked for: {', '.join(strangers)}.")
    right = len(want) - len(wrong)
    end = ", but there is more than was asked for." if right == len(want) else "."
    return f"{right} of {len(want)} {'is' if right == 1 else 'are'} right{end}", lines
