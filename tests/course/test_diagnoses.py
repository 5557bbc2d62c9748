"""A diagnosis needs evidence: no known mistake is named for an answer that does something else.

Each known mistake is judged while the exercise does not know it, and so are the wrong answers that attack.py makes. Whatever
other mistake is named then must do what the answer does, in every case by which it was recognised; and a word on what the
learner wrote is certain only where the source shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import spellings
from attack import EXERCISES, made

from minigrad.course.exercise import Exercise
from minigrad.course.judge import KNOWN, Seen, Verdict, observe
from minigrad.course.judging.attempt import source_of
from minigrad.course.judging.compare import Raised, about_shapes, same
from minigrad.course.judging.verdict import Judgement, Standard

FUNCTIONS = [e for e in EXERCISES.values() if not e.is_value]


def verdicts(exercise: Exercise) -> Iterator[tuple[str, Any, Verdict]]:
    """Wrong answers, and what is said about them when the exercise does not know them."""
    standard = Standard(exercise, 0, "float64")  # one for all: what a mistake does is observed once
    again = spellings.again(exercise)
    forms = [(name, form) for name, mistake in exercise.mistakes.items() for form in (mistake.answer, again.get(name))]
    forms += [("", one.answer) for one in made(exercise, lambda all_of_them: all_of_them[::7])]
    for name, form in forms:
        standard.exercise = replace(exercise, mistakes={other: m for other, m in exercise.mistakes.items() if other != name})
        yield name, form, Judgement(standard).of(form)


def against(exercise: Exercise, answer: Any, verdict: Verdict, seen: dict[str, Seen]) -> list[str]:
    """The cases that speak against the mistake that a verdict names."""
    mistake = exercise.mistakes[verdict.mistake]
    for key, form in (("reference", exercise.reference), (verdict.mistake, mistake.answer)):
        if key not in seen:
            seen[key] = observe(exercise, form)
    mine, its = observe(exercise, answer), seen[verdict.mistake]
    cases = exercise.fresh_cases()
    here = next(case for case in cases if case.title == verdict.case)
    found, tolerance = [], max(exercise.tolerance, 1e-4)
    for case, a, b in zip(cases, mine.results, its.results, strict=False):
        other_part = ":" in here.label and case.part != here.part
        if other_part or case.edge > (here.edge or bool(here.dtype)) or case.dtype not in ("", here.dtype):
            continue
        if not same(a, b, tolerance) and not (isinstance(a, Raised) and not about_shapes(a)):
            found.append(case.title)
    # Where the results are right, the fault is in what was done besides, and both have done it.
    facts, right = mine.changed, seen["reference"]
    wrong = [a for a, r in zip(mine.results, right.results, strict=False) if not same(a, r, tolerance)]
    besides = {k: set(f) - set(right.changed.get(k, [])) for k, f in facts.items()}
    if exercise.accept is None and not wrong and not any(besides[k] & set(its.changed.get(k, [])) for k in besides):
        found.append("what was done besides")
    return found


@pytest.mark.sampled(90, weekly=90)
@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.id)
def test_no_mistake_is_named_for_an_answer_that_does_something_else(exercise: Exercise) -> None:
    unfounded, seen = [], {}
    for name, form, verdict in verdicts(exercise):
        if verdict.outcome != KNOWN or verdict.mistake not in exercise.mistakes:
            continue
        mistake = exercise.mistakes[verdict.mistake]
        source = source_of(form)
        if verdict.certain and not (mistake.evidence and source and mistake.evidence(source, observe(exercise, form).results)):
            unfounded.append((name, verdict.mistake, "certain, and the source does not show it"))
        if verdict.case and (cases := against(exercise, form, verdict, seen)):
            unfounded.append((name, verdict.mistake, *cases))
    assert not unfounded
