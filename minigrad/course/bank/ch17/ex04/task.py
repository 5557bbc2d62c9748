"""17.4 What the version check is for: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.exercise import Case, Part
from minigrad.course.judging.compare import unfit


def cases_4(rng, dtype):
    return [Case("the facts that turn red", ())]


def observe_4(answer):
    """The ids in the order of the alphabet: any collection will do."""
    said = answer()
    if not isinstance(said, list | tuple | set | frozenset) or not all(isinstance(name, str) for name in said):
        return unfit(said, "a list of texts, the ids of facts")
    return {"facts": sorted(set(said))}


TASK = Part(
    id="17.4",
    title="Break the version check",
    difficulty=2,
    minutes=15,
    cases=cases_4,
    observe=observe_4,
    without={
        "edges": "what turns red is one set of facts, and nothing is given to the function",
        "second call": "the function takes nothing, and names facts: there are no other inputs",
        "both dtypes": "the function names facts, and computes nothing",
    },
)
