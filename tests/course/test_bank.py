"""Every entry of the bank keeps its promises: right answers pass in every style, each known mistake gets its own hint."""

from __future__ import annotations

import inspect
import linecache
import os
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest
import spellings

from minigrad.course import bank
from minigrad.course.exercise import Exercise, Mistake
from minigrad.course.judge import KNOWN, NOT_ATTEMPTED, PASSED, Verdict, judge, judge_all
from minigrad.course.judging.attempt import unwritten

EXERCISES = {e.id: e for chapter in bank.chapters() for e in bank.exercises(chapter).values()}
WASTEFUL = {e.id: e for e in EXERCISES.values() if e.wasteful}
LONG = "MINIGRAD_SEEDS" in os.environ
SEEDS = range(int(os.environ.get("MINIGRAD_SEEDS", "1")))  # the long run takes 200

every_exercise = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
Form = Callable[..., Any]


def answer(exercise: Exercise, form: Form, seed: int) -> Any:
    """What a learner hands in: the function itself, or the dict that it predicts for a draw."""
    return form(exercise.draw(seed)) if exercise.is_value else form


def right(exercise: Exercise) -> dict[str, Form]:
    return {"the reference": exercise.reference, **spellings.alternatives(exercise)}


def spelled(exercise: Exercise, mistakes: dict[str, Mistake]) -> dict[tuple[str, str], Form]:
    """Every spelling of every mistake. A dict can be written in one way only."""
    again = spellings.again(exercise)
    ways = {(name, "answer"): mistake.answer for name, mistake in mistakes.items()}
    return ways | {(name, "again"): again[name] for name in mistakes if name in again}


def verdicts(exercise: Exercise, forms: dict[Any, Form], seed: int = 0, dtype: str = "float64") -> Iterator[tuple[Any, Verdict]]:
    answers = [answer(exercise, form, seed) for form in forms.values()]
    return zip(forms, judge_all(exercise, answers, seed=seed, dtype=dtype), strict=True)


class Drawn(Exception):
    """A random number was asked for."""


class NoNumbers:
    def __getattr__(self, name: str) -> Any:
        raise Drawn(name)


def draws(exercise: Exercise) -> bool:
    """Whether a seed makes a difference: whether the cases ask for a random number."""
    cases: Callable[..., Any] = exercise.draws if exercise.is_value else exercise.cases  # type: ignore[assignment]
    try:
        cases(NoNumbers(), *[] if exercise.is_value else [exercise.mg.float64])
    except Drawn:
        return True
    return False


def seeds(exercise: Exercise) -> Iterable[int]:
    return SEEDS if draws(exercise) else SEEDS[:1]


@every_exercise
@pytest.mark.sampled(6, weekly=3)
def test_the_reference_passes_and_a_mistake_does_not(exercise: Exercise) -> None:
    """What `make test` asks of each exercise; the next two look at every answer."""
    mistake = next(iter(exercise.mistakes.values()))
    answers = [answer(exercise, form, 0) for form in (exercise.reference, mistake.answer)]
    assert [verdict.outcome for verdict in judge_all(exercise, answers)] == [PASSED, KNOWN]


@pytest.mark.sampled(80, weekly=20)
@every_exercise
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_right_answers_pass(exercise: Exercise, dtype: str) -> None:
    wrong = []
    for seed in seeds(exercise):
        for name, verdict in verdicts(exercise, right(exercise), seed, dtype):
            if verdict.outcome != PASSED or verdict.hint:
                wrong.append((name, seed, verdict))
    assert not wrong


@pytest.mark.sampled(80, weekly=24)
@every_exercise
def test_known_mistakes_get_their_own_hints_also_written_another_way(exercise: Exercise) -> None:
    wrong = []
    for seed in seeds(exercise):
        for (name, way), verdict in verdicts(exercise, spelled(exercise, exercise.mistakes), seed):
            if (verdict.outcome, verdict.hint) != (KNOWN, exercise.mistakes[name].hint):
                wrong.append((name, way, seed, verdict))
    assert not wrong


@pytest.mark.full
@pytest.mark.parametrize("exercise", WASTEFUL.values(), ids=WASTEFUL)
def test_wasteful_answers_get_their_notes(exercise: Exercise) -> None:
    for (name, _), verdict in verdicts(exercise, spelled(exercise, exercise.wasteful)):
        # Refused where the price is asked for, else passed; the hint is the same.
        assert verdict.passed or exercise.musts and verdict.mistake == name, verdict
        assert verdict.hint == exercise.wasteful[name].hint, verdict


@pytest.mark.full
@pytest.mark.sampled(6, weekly=6)
@pytest.mark.parametrize("exercise", [e for e in EXERCISES.values() if LONG or e.id.endswith(".1")], ids=lambda e: e.id)
def test_answers_judged_together_are_judged_as_alone(exercise: Exercise) -> None:
    """Which lets the tests above judge them together. Every answer in the long run, else a few of each chapter."""
    forms = {**right(exercise), **spelled(exercise, exercise.mistakes), **spelled(exercise, exercise.wasteful)}
    if not LONG:
        forms = {name: forms[name] for name in random.Random(exercise.id).sample(list(forms), 4)}
    for name, verdict in verdicts(exercise, forms, seed=SEEDS[-1]):
        assert verdict == judge(exercise, answer(exercise, forms[name], SEEDS[-1]), seed=SEEDS[-1]), name


@pytest.mark.parametrize("exercise", [e for e in EXERCISES.values() if not draws(e)], ids=lambda e: e.id)
def test_where_no_number_is_drawn_every_seed_gives_the_same(exercise: Exercise) -> None:
    """Which lets the tests above take one seed."""
    inputs = [told([(case.label, *case.args) for case in exercise.fresh_cases(seed)]) for seed in range(5)]
    assert all(these == inputs[0] for these in inputs)


def told(tree: Any) -> Any:
    """Plain values and arrays, to be compared byte by byte."""
    if isinstance(tree, list | tuple):
        return [told(item) for item in tree]
    if isinstance(tree, np.ndarray):
        return str(tree.dtype), tree.shape, tree.tobytes()
    assert type(tree) in (str, int, float, bool), "what else is in there, a seed might change"
    return repr(tree)


@every_exercise
def test_the_starter_is_no_attempt(exercise: Exercise) -> None:
    space: dict[str, Any] = {"mg": exercise.mg, "np": np}
    source = exercise.starter_source() + "\n"
    linecache.cache["starter"] = (len(source), None, source.splitlines(keepends=True), "starter")
    exec(compile(source, "starter", "exec"), space)
    assert [v.outcome for v in judge_all(exercise, [space[exercise.name], ...])] == [NOT_ATTEMPTED] * 2


def methods(exercise: Exercise) -> list[str]:
    """The methods that the starter leaves open and a case calls by its name."""
    if not inspect.isclass(exercise.reference):
        return []
    given = vars(exercise.starter_made)
    return sorted({case.part for case in exercise.fresh_cases() if case.part in given and unwritten(given[case.part])})


@pytest.mark.parametrize("exercise", [e for e in EXERCISES.values() if methods(e)], ids=lambda e: e.id)
def test_a_method_that_is_not_written_yet_is_told(exercise: Exercise) -> None:
    """Of the right answer one method is left as it was given, or is not there."""
    *_, name = methods(exercise)
    for left in (staticmethod(lambda *args: ...), None):
        verdict = judge(exercise, type(exercise.name, (exercise.reference,), {name: left}))
        assert (verdict.sentence, verdict.mistake, verdict.parts[name]) == (f"`{name}` is not written yet.", "", False)



@every_exercise
def test_an_entry_is_complete(exercise: Exercise) -> None:
    assert len(exercise.mistakes) >= 2
    again = spellings.again(exercise).keys()
    assert exercise.is_value or exercise.mistakes.keys() <= again
    assert again <= exercise.mistakes.keys() | exercise.wasteful.keys()
    assert len(exercise.hints) == 3 and all(rung.strip() for rung in exercise.hints)
    assert exercise.explanation.strip()
    assert all(m.hint.strip() for m in exercise.mistakes.values())
    assert len({m.hint for m in exercise.mistakes.values()}) >= 2
    assert exercise.minutes > 0


@pytest.mark.sampled(29, weekly=16)
@pytest.mark.parametrize("exercise", [e for e in EXERCISES.values() if not e.is_value], ids=lambda e: e.id)
def test_constants_and_echoes_earn_nothing(exercise: Exercise) -> None:
    if inspect.isclass(exercise.reference):
        guesses: list[Any] = [type(exercise.name, (), {})]
    else:
        count = len(inspect.signature(exercise.reference).parameters)
        names = ", ".join(f"a{k}" for k in range(count))
        guesses = [eval(f"lambda {names}: {body}") for body in ("0.0", "None", "[]", "True", "False", "a0", f"a{count - 1}")]
    assert not any(verdict.passed for verdict in judge_all(exercise, guesses))


@pytest.mark.sampled(1, weekly=12)
@pytest.mark.torch
@every_exercise
def test_pytorch_agrees_with_the_reference(exercise: Exercise) -> None:
    verdict = judge(exercise, answer(exercise, exercise.reference, 0), reference="torch")
    assert verdict.outcome == PASSED, verdict
