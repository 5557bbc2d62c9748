"""For who writes exercises: the skeleton of a new one, and a trial of one that is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

from minigrad.course.exercise import Exercise
from minigrad.course.judge import KNOWN, PASSED, judge_all

# A small exercise that works: whoever changes it piece by piece can try it after each.
FILES = {
    "task": '''\
"""$id $title: what is asked, and what is seen of an answer. It runs beside the student's code: no answer is in here."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Case, Part, Requirement


def cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Inputs, new for every answer. They depend on rng, so that nobody knows the right reply without computing it."""
    return [Case(f"{n} numbers", (mg.tensor(rng.normal(size=n), dtype=dtype),)) for n in (3, 4)]


def edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """More inputs: the special points and sizes."""
    return [
        Case("one number", (mg.tensor(rng.normal(size=1), dtype=dtype),)),
        Case("a zero among the numbers", (mg.tensor([0.0, float(rng.normal())], dtype=dtype),)),
    ]


TASK = Part(
    id="$id",
    title="$title",
    difficulty=1,  # to 5, and as many points
    minutes=5,
    requirements=(  # the bullets of the statement, each with mistakes that break it
        Requirement("Return a Tensor of the shape of `x`.", ("the sum",)),
        Requirement("Each entry is twice that of `x`.", ("the square",)),
    ),
    cases=cases,
    edges=edges,
)
''',
    "answer": '''\
"""$id $title: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.exercise import Part


def $name(x):
    """Twice x, number by number.

    x: a Tensor of shape (n,). Returns a Tensor of shape (n,).
    """
    return 2 * x


ANSWER = Part(
    reference=$name,  # the learner gets its name, its signature and its docstring
    hints=(
        "The idea: what is twice a number, in one operation?",
        "A picture:\\n\\n```text\\n1  2  3   ──►   2  4  6\\n```",
        "A skeleton:\\n\\n```python\\nreturn ___ * x\\n```",
    ),
    explanation="A number times a Tensor multiplies each of its entries.",
)
''',
    "mistakes": '''\
"""$id $title: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def squared(x):
    return x**2


# A hint that tells what was written needs evidence for it: (source of the answer, what was seen) -> bool.
MISTAKES["the square"] = Mistake(
    squared, "`x**2` is x times x. Twice x is x plus x.", evidence=lambda source, seen: "**" in source
)


def added_up(x):
    return (2 * x).sum()


MISTAKES["the sum"] = Mistake(added_up, "One number came back. Wanted is a number for each entry of x.")
''',
}


def skeleton(id: str, title: str, folder: Path) -> Path:
    """Write the three files of a new exercise into folder/chNN/exMM; the place."""
    if not re.fullmatch(r"\d\d\.[1-9]\d?", id):
        raise ValueError(f"{id!r} is no id. Take one like 80.1: a chapter that the course has not, and a number.")
    chapter, number = id.split(".")
    place = folder / f"ch{chapter}" / f"ex{int(number):02d}"
    if place.exists():
        raise ValueError(f"{place} is there already.")
    name = "_".join(re.findall(r"[a-z0-9]+", title.lower()))
    words = {"id": id, "title": title.replace('"', "'"), "name": name if name.isidentifier() else "answer"}
    place.mkdir(parents=True)
    for part, text in FILES.items():
        (place / f"{part}.py").write_text(Template(text).substitute(words), encoding="utf-8")
    return place


def found(id: str, folder: Path) -> Exercise:
    """An exercise of folder/chNN, which may be the course's own bank."""
    from minigrad.course import bank
    from minigrad.course.grading.assignment import own

    chapter = id.partition(".")[0]
    there = folder.resolve() == bank.HERE.resolve() and chapter in bank.chapters()
    exercises = bank.exercises(chapter) if there else own(folder / f"ch{chapter}")
    if id not in exercises:
        raise LookupError(f"There is no {id} in {folder / f'ch{chapter}'}. There are: {', '.join(exercises)}.")
    return exercises[id]


def troubles(exercise: Exercise) -> Iterator[str]:
    """What an exercise does not keep: its reference passes, its starter runs, each mistake is told from the others."""

    def of(form: Any) -> Any:
        return form(exercise.draw()) if exercise.is_value else form

    if len(exercise.mistakes) < 2:
        yield "Fewer than two mistakes are known: what will most learners write first?"
    try:
        _ = exercise.starter_made
    except Exception as error:
        yield f"The starter does not run: {type(error).__name__}: {error}"
        return
    known = {name: of(mistake.answer) for name, mistake in exercise.mistakes.items()}
    right, *wrong = judge_all(exercise, [of(exercise.reference), *known.values()])
    if right.outcome != PASSED:
        yield f"The reference does not pass: {right.sentence} {' '.join(right.details)}"
    for requirement in exercise.requirements:
        for name in set(requirement.broken_by) - {*known, *exercise.wasteful}:
            yield f"No known mistake {name!r} breaks {requirement.text!r}."
    for name, verdict in zip(known, wrong, strict=True):
        if (verdict.outcome, verdict.hint) != (KNOWN, exercise.mistakes[name].hint):
            other = f" It is taken for {verdict.mistake!r}." if verdict.mistake else ""
            yield f"The mistake {name!r} is not recognised: {verdict.sentence}{other}"
