"""What a statement asks for is checked: each bullet names answers that lack just this, and they are refused."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from attack import EXERCISES, attacks, made

from minigrad.course.exercise import Exercise
from minigrad.course.judge import PASSED, judge_all

FUNCTIONS = {id: exercise for id, exercise in EXERCISES.items() if not exercise.is_value}


def _named(names: tuple[str, ...], found: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return [one for one in found if one[0] in names]


def breaking(exercise: Exercise) -> Iterator[tuple[str, Any]]:
    """Each answer that breaks a requirement, with the words that name both."""
    known = exercise.wasteful | exercise.mistakes
    for requirement in exercise.requirements:
        for name in requirement.broken_by:
            yield f"{requirement.text} {name}", known[name].answer
        for one in made(exercise, functools.partial(_named, requirement.attacks)):
            yield f"{requirement.text} {one.text}", one.answer


@pytest.mark.parametrize("exercise", FUNCTIONS.values(), ids=FUNCTIONS)
def test_every_exercise_says_what_it_asks_for(exercise: Exercise) -> None:
    named = [name for requirement in exercise.requirements for name in requirement.broken_by]
    tried = [name for requirement in exercise.requirements for name in requirement.attacks]
    assert len(named) == len(set(named)) and named + tried, "each answer breaks one requirement"
    assert set(named) <= {*exercise.wasteful, *exercise.mistakes}
    assert set(tried) <= {text for text, _ in attacks(exercise)}


@pytest.mark.sampled(48, weekly=11)
@pytest.mark.parametrize("exercise", FUNCTIONS.values(), ids=FUNCTIONS)
def test_an_answer_that_breaks_one_requirement_is_refused(exercise: Exercise) -> None:
    broken = list(breaking(exercise))
    # Whether it is known does not matter here: what was observed is to refuse it.
    verdicts = judge_all(replace(exercise, mistakes={}), (answer for _, answer in broken))
    assert [what for (what, _), verdict in zip(broken, verdicts, strict=True) if verdict.outcome == PASSED] == []
