"""Answers of new learners get the verdicts that they deserve by the exercises' statements: a part of them here, all weekly."""

from __future__ import annotations

import os

import pytest
from trial import answers, faults

ANSWERS = answers()
WEEKLY = "MINIGRAD_EVERY_ANSWER" in os.environ
# Each of the capstone's answers is an engine that runs through the board: weekly only.
CHAPTERS = sorted({a["exercise"].split(".")[0] for a in ANSWERS} - (set() if WEEKLY else {"16"}))
STEP = 1 if WEEKLY else 24
# What the checker does not see: exercise and label of the answer, and why.
OPEN = {
    ("14.5", "nan compares"): "it compares as 'numpy style right' does, which is to pass; a note tells both of the NaN",
}


def of(chapter: str) -> list[dict]:
    return [a for a in ANSWERS if a["exercise"].startswith(f"{chapter}.") and (a["exercise"], a["label"]) not in OPEN]


@pytest.mark.sampled(40, weekly=8)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_answers_are_judged_as_they_deserve(chapter: str) -> None:
    chosen = of(chapter)[int(chapter) % STEP :: STEP]
    assert chosen
    assert faults(chosen) == []


def test_what_is_open_is_among_the_answers() -> None:
    assert {(a["exercise"], a["label"]) for a in ANSWERS} >= OPEN.keys()
