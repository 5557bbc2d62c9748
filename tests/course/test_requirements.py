"""What a statement asks for is checked: each bullet names answers that lack just this, and they are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from attack import EXERCISES, attacks, made

from minigrad.course.exercise import Exercise
from minigrad.course.judge import PASSED, judge_all

FUNCTIONS = {id: exercise for id, exercise in EXERCISES.items() if not exercise.is_value}


def answer_without(exercise: Exercise, name: str):
    """The answer of that name: a known mistake, or what an attack makes of the reference."""
    known = exercise.wasteful | exercise.mistakes
    if name in known:
        return known[name].answer
    return next(made(exercise, lambda found: [one for one in found if one[0] == name])).answer


@pytest.mark.parametrize("exercise", FUNCTIONS.values(), ids=FUNCTIONS)
def test_every_exercise_says_what_it_asks_for(exercise: Exercise) -> None:
    named = [name for requirement in exercise.requirements for name in requirement.broken_by]
    assert named and len(named) == len(set(named)), "each answer breaks one requirement"
    assert set(named) <= {*exercise.wasteful, *exercise.mistakes, *(text for text, _ in attacks(exercise))}


@pytest.mark.sampled(12, weekly=3)
@pytest.mark.parametrize("exercise", FUNCTIONS.values(), ids=FUNCTIONS)
def test_an_answer_that_breaks_one_requirement_is_refused(exercise: Exercise) -> None:
    broken = [(r.text, name) for r in exercise.requirements for name in r.broken_by]
    # Whether it is known does not matter here: what was observed is to refuse it.
    verdicts = judge_all(replace(exercise, mistakes={}), (answer_without(exercise, name) for _, name in broken))
    assert [what for what, verdict in zip(broken, verdicts, strict=True) if verdict.outcome == PASSED] == []
