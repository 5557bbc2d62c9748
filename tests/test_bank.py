"""Every entry of the bank keeps its promises: right answers pass in every style, each known mistake gets its own hint."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from minigrad.course import bank
from minigrad.course.exercise import Exercise
from minigrad.course.judge import KNOWN, NOT_ATTEMPTED, PASSED, judge

EXERCISES = {e.id: e for chapter in bank.chapters() for e in bank.exercises(chapter).values()}
RIGHT = [(e, name) for e in EXERCISES.values() for name in ("the reference", *e.alternatives)]
WRONG = [(e, name) for e in EXERCISES.values() for name in e.mistakes]
WASTEFUL = [(e, name) for e in EXERCISES.values() for name in e.wasteful]
SEEDS = range(int(os.environ.get("MINIGRAD_SEEDS", "1")))  # a nightly run takes 200


def ids(pairs: list[tuple[Exercise, str]]) -> list[str]:
    return [f"{e.id} {name}" for e, name in pairs]


def answer(exercise: Exercise, form: Any, seed: int) -> Any:
    """What a learner hands in: the function itself, or the dict that it predicts for a draw."""
    return form(exercise.draw(seed)) if exercise.is_value else form


@pytest.mark.parametrize(("exercise", "name"), RIGHT, ids=ids(RIGHT))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_right_answer_passes(exercise: Exercise, name: str, dtype: str) -> None:
    form = exercise.alternatives.get(name, exercise.reference)
    for seed in SEEDS:
        verdict = judge(exercise, answer(exercise, form, seed), seed=seed, dtype=dtype)
        assert verdict.outcome == PASSED, (seed, verdict)
        assert not verdict.hint


@pytest.mark.parametrize(("exercise", "name"), WRONG, ids=ids(WRONG))
def test_a_known_mistake_gets_its_own_hint_also_written_another_way(exercise: Exercise, name: str) -> None:
    mistake = exercise.mistakes[name]
    forms = [mistake.answer, mistake.again]
    assert mistake.again is not None or exercise.is_value  # a dict can be written in one way only
    for form in filter(None, forms):
        for seed in SEEDS:
            verdict = judge(exercise, answer(exercise, form, seed), seed=seed)
            assert (verdict.outcome, verdict.hint) == (KNOWN, mistake.hint), (seed, verdict)


@pytest.mark.parametrize(("exercise", "name"), WASTEFUL, ids=ids(WASTEFUL))
def test_a_wasteful_answer_passes_with_its_note(exercise: Exercise, name: str) -> None:
    mistake = exercise.wasteful[name]
    for form in filter(None, (mistake.answer, mistake.again)):
        verdict = judge(exercise, form)
        assert (verdict.outcome, verdict.hint) == (PASSED, mistake.hint), verdict


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_the_starter_is_no_attempt(exercise: Exercise) -> None:
    space: dict[str, Any] = {"mg": exercise.mg, "np": np}
    source = exercise.starter_source() + "\n"
    import linecache

    linecache.cache["starter"] = (len(source), None, source.splitlines(keepends=True), "starter")
    exec(compile(source, "starter", "exec"), space)
    assert judge(exercise, space[exercise.name]).outcome == NOT_ATTEMPTED
    assert judge(exercise, ...).outcome == NOT_ATTEMPTED


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_an_entry_is_complete(exercise: Exercise) -> None:
    assert len(exercise.mistakes) >= 2
    assert len(exercise.hints) == 3 and all(rung.strip() for rung in exercise.hints)
    assert exercise.explanation.strip()
    assert all(m.hint.strip() for m in exercise.mistakes.values())
    assert len({m.hint for m in exercise.mistakes.values()}) >= 2
    assert exercise.minutes > 0


@pytest.mark.parametrize("exercise", [e for e in EXERCISES.values() if not e.is_value], ids=lambda e: e.id)
def test_constants_and_echoes_earn_nothing(exercise: Exercise) -> None:
    import inspect

    if inspect.isclass(exercise.reference):
        guesses: list[Any] = [type(exercise.name, (), {})]
    else:
        count = len(inspect.signature(exercise.reference).parameters)
        names = ", ".join(f"a{k}" for k in range(count))
        guesses = [eval(f"lambda {names}: {body}") for body in ("0.0", "None", "[]", "True", "False", "a0", f"a{count - 1}")]
    for guess in guesses:
        assert not judge(exercise, guess).passed


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_pytorch_agrees_with_the_reference(exercise: Exercise) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    verdict = judge(exercise, answer(exercise, exercise.reference, 0), reference="torch")
    assert verdict.outcome == PASSED, verdict
