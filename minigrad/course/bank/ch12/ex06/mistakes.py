"""12.6 Forbidden windows: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch12.ex06.answer import verdicts
from minigrad.course.bank.ch12.ex06.task import FORBIDDEN, FORBIDDEN_WORDS, WORDS
from minigrad.course.bank.ch12.known import spoiled
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

FORBIDDEN_HINTS = {
    "several windows": (
        "`unbind`, `split`, `chunk` and a `for` loop over a tensor open **several windows with one node**. To write through one of "
        "them, the engine would have to remake all the others. It refuses."
    ),
    "a window from no_grad": (
        "The window was opened under `no_grad`, so it has no history; the write is outside, so it wants to be recorded. Is it part "
        "of the graph or not? The engine does not guess: both inside, or both outside."
    ),
    "a part of a leaf": (
        "What is written to a part of a leaf is written to the leaf. Were it recorded, the leaf would be a result and lose its "
        "`.grad`. So a leaf that requires grad may only be written under `no_grad`, whole or in part."
    ),
    "one cell several times": (
        "`expand` shows each cell several times. A write would meet the same cell again and again, and the result would "
        "depend on the order. That has nothing to do with gradients: constants refuse too."
    ),
    "a part of a result": (
        "`y` is a result, and one window was opened on it, with recording on. That is the ordinary case: CopySlices."
    ),
    "all under no_grad": (
        "Window **and** write are under `no_grad`: nothing is recorded, and nothing is ambiguous. It is how parameters are updated."
    ),
    "windows on a constant": "`k` and what is written are constants. There is no history that the write could spoil.",
    "a clone": "`clone` makes cells of its own, each shown once, and a result, no leaf. So it may be written.",
}

MISTAKES |= {
    f"{rule}: {word}": Mistake(
        spoiled(lambda code, word=word: word, rule, verdicts),  # type: ignore[misc]
        FORBIDDEN_HINTS[rule],
    )
    for rule in FORBIDDEN
    for word in WORDS
    if word != FORBIDDEN_WORDS.get(rule, "ok")
}
