"""The checker against automatic wrong answers. attack.py makes them, and `bank_survivors.txt` says of each that passes why."""

from __future__ import annotations

import pytest
from attack import EXERCISES, attacks, explained, mutants, survivors

from minigrad.course.exercise import Exercise


@pytest.mark.sampled(38, weekly=38)
@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_wrong_answers_made_out_of_the_right_one_are_refused(exercise: Exercise) -> None:
    count, passed = survivors(exercise)
    assert count and set(passed) <= explained().get(exercise.id, set())


@pytest.mark.weekly
def test_only_wrong_answers_that_exist_are_explained() -> None:
    for number, texts in explained().items():
        exercise = EXERCISES[number]
        assert texts <= {text for text, _ in mutants(exercise) + attacks(exercise)}, number
