"""Programs to mend rather than tables to fill: how many exercises of a chapter ask for predictions."""

from __future__ import annotations

import math

import pytest

from minigrad.course import bank


@pytest.mark.parametrize("chapter", bank.chapters())
def test_at_most_one_exercise_in_four_asks_for_a_table(chapter: str) -> None:
    asked = [exercise for exercise in bank.exercises(chapter).values() if not exercise.extra]
    tables = [exercise.id for exercise in asked if exercise.is_value]
    assert len(tables) <= math.ceil(len(asked) / 4), tables


@pytest.mark.parametrize("chapter", bank.chapters())
def test_extras_are_few_and_no_reason_to_be_long(chapter: str) -> None:
    """They are tables, for which another exercise asks by a program; 12.7, for which 12.2 and 12.8 do; the last milestone;
    two algorithms that use the Hessian product of 09.1; and 10.6, which needs chapter 14."""
    exercises = bank.exercises(chapter).values()
    extras = [exercise for exercise in exercises if exercise.extra]
    assert len(extras) <= len(exercises) / 3
    assert all(exercise.is_value or exercise.id in ("09.3", "09.6", "10.6", "12.7", "16.9") for exercise in extras)
    assert bank.minutes(chapter) == sum(e.minutes for e in exercises) - sum(e.minutes for e in extras)
