"""16.8 Break a friend's engine: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import five_facts, patched
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}
M8 = (five_facts,)
FACTS = "my_facts.py"


def say_of_facts(kind: str) -> str:
    return {
        "not caught": "One of your facts passes on the friend's engine. Read again what the friend says: for which inputs is it so?",
        "words": "A fact must hold for every right engine, whatever its messages and insides are. Look at values, flags, "
        "versions and types of errors.",
        "not on minigrad": "A fact must pass on minigrad, in other words for its messages: run it there first, with "
        "`import minigrad as engine`.",
    }[kind]


MISTAKES["does not catch"] = Mistake(
    patched(M8, ("[-1.5, 0.0, 2.5]", "[-1.5, 0.5, 2.5]"), ("[0.0, 0.0, 1.0]", "[0.0, 1.0, 1.0]"), name=FACTS),
    say_of_facts("not caught"),
)

MISTAKES["depends on words"] = Mistake(
    patched(M8, ("assert y._version == before + 1", "assert repr(x)"), name=FACTS), say_of_facts("words")
)

MISTAKES["wrong on minigrad"] = Mistake(
    patched(M8, ("[0.0, 0.0, 1.0]", "[0.0, 1.0, 1.0]"), name=FACTS), say_of_facts("not on minigrad")
)
