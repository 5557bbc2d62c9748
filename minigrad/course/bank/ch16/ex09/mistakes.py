"""16.9 Random programs: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch16.ex06.mistakes import M6
from minigrad.course.bank.ch16.known import patched
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

MISTAKES["a special value goes wrong"] = Mistake(
    patched(M6, ("n * a ** (n - 1) if n else 0", "n * a ** (n - 1)")),
    "The program that is shown is the shortest that was found: no line of it can be left out. Work out by hand what it gives, "
    "from the first line to the last, and print what your rules hand on: the first difference is the mistake.",
)

MISTAKES["a result that cannot be used"] = Mistake(
    patched(M6, ("out = Tensor(np.asarray(array))", "out = Tensor(array)")),
    "The program that is shown ends with an error, or never, where minigrad gives a result; it is the shortest that was "
    "found. What is the tensor like that the last line uses, and which line made it?",
)
