"""For who writes exercises: the skeleton of a new one, and a trial of one that is there."""

from __future__ import annotations

import difflib
import keyword
import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from minigrad.course.exercise import Exercise
from minigrad.course.judge import ERROR, KNOWN, PASSED, Verdict, judged_by
from minigrad.course.judging.compare import Raised
from minigrad.course.judging.verdict import Standard
from minigrad.course.terminal.attacks import ATTACKS, attacked, attacks, survivors

if TYPE_CHECKING:
    from minigrad.course.grading.assignment import AssignmentError

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
    chapter, number = _split(id)
    if _is_the_courses(chapter) and not _is_the_bank(folder):
        raise ValueError(f"Chapter {chapter} is the course's own. Take a chapter that it has not, as 80.{number}.")
    if not title.strip():
        raise ValueError(f'The title is empty. Say it in quotes: exercise {id} "Slopes of a function".')
    place = folder / f"ch{chapter}" / f"ex{int(number):02d}"
    if place.exists():
        raise ValueError(f"{place} is there already. Without a title, it is tried: exercise {id}.")
    name = "_".join(re.findall(r"[a-z0-9]+", title.lower()))
    usable = name.isidentifier() and not keyword.iskeyword(name)
    words = {"id": id, "title": title.replace("\\", "/").replace('"', "'"), "name": name if usable else "answer"}
    place.mkdir(parents=True)
    for part, text in FILES.items():
        (place / f"{part}.py").write_text(Template(text).substitute(words), encoding="utf-8")
    return place


def _split(id: str) -> list[str]:
    """The chapter and the number of an id."""
    if not re.fullmatch(r"\d\d\.[1-9]\d?", id):
        raise ValueError(f"{id!r} is no id. Take one like 80.1: a chapter that the course has not, a dot, and a number from 1 to 99.")
    return id.split(".")


def _is_the_courses(chapter: str) -> bool:
    from minigrad.course import bank

    return chapter in bank.chapters()


def _is_the_bank(folder: Path) -> bool:
    from minigrad.course import bank

    return folder.resolve() == bank.HERE.resolve()


def found(id: str, folder: Path) -> Exercise:
    """An exercise of folder/chNN, which may be the course's own bank."""
    from minigrad.course import bank
    from minigrad.course.grading.assignment import AssignmentError, own

    chapter, _ = _split(id)
    place, write = folder / f"ch{chapter}", f'python -m minigrad.course exercise {id} "A title"'
    if _is_the_courses(chapter) and not _is_the_bank(folder):
        raise LookupError(f"Chapter {chapter} is the course's own. To try one of its exercises, add --folder {_shortly(bank.HERE)}")
    if not place.is_dir():
        raise LookupError(f"{place} is no folder of exercises. This writes it, with an exercise: {write}")
    try:
        exercises = bank.exercises(chapter) if _is_the_courses(chapter) else own(place)
    except AssignmentError as error:
        raise ValueError(f"{error} {_blamed(error, place)}".rstrip()) from error
    if id not in exercises:
        there = f"There are: {', '.join(exercises)}. " if exercises else ""
        raise LookupError(f"There is no {id} in {place}. {there}This writes it: {write}")
    return exercises[id]


def _shortly(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _blamed(error: AssignmentError, place: Path) -> str:
    """Which file of a folder an error comes from: one that does not load keeps the others of the folder from loading."""
    cause = error.__cause__
    if cause is None:
        return ""
    files = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(cause.__traceback__)]
    if isinstance(cause, SyntaxError) and cause.filename:
        files.append((cause.filename, cause.lineno))
    for name, line in reversed(files):
        if Path(name).is_relative_to(place.resolve()) or Path(name).is_relative_to(place):
            return f"Look at {place / Path(name).resolve().relative_to(place.resolve())}, line {line}."
    for frame, _ in traceback.walk_tb(cause.__traceback__):
        if frame.f_code.co_name == "assembled":
            return f"Look at {place / frame.f_locals['package'].rpartition('.')[2]}."
    return ""


def learners(exercise: Exercise) -> str:
    """What the learner gets besides the statement: of a prediction the program, and the cell."""
    cell = f"The learner's cell:\n\n{exercise.starter_source()}"
    if exercise.program is None:
        return cell
    return f"The program:\n\n{exercise.program(exercise.draw()).strip()}\n\n{cell}"


def troubles(exercise: Exercise) -> Iterator[str]:
    """What an exercise does not keep: its reference passes, its starter runs, each mistake is told from the others."""
    if len(exercise.mistakes) < 2:
        yield "Fewer than two mistakes are known: what will most learners write first?"
    if exercise.is_value:
        unable = list(_of_a_prediction(exercise))
        yield from unable
        if unable:
            return
    try:
        _ = exercise.starter_made
    except Exception as error:
        yield f"The starter does not run: {_said(error)}"
        return
    draw = (exercise.draw(),) if exercise.is_value else ()
    known = {name: m.answer(*draw) if draw else m.answer for name, m in exercise.mistakes.items()}
    standard = Standard(exercise, 0, "float64")
    right, *wrong = judged_by(standard, [exercise.reference(*draw) if draw else exercise.reference, *known.values()])
    if right.outcome != PASSED:
        yield f"The reference does not pass: {_sentence(right)} {' '.join(right.details)}".rstrip()
        if _fails_itself(right):
            return
    raised = _raised(standard.expected.results)
    if raised is not None:
        yield f"The reference raises in every case, as {raised.kind}: {raised.text}"
        return
    for requirement in exercise.requirements:
        for name in sorted(set(requirement.broken_by) - {*known, *exercise.wasteful}):
            yield f"No known mistake {name!r} breaks {requirement.text!r}."
    for name, verdict in zip(known, wrong, strict=True):
        if (verdict.outcome, verdict.hint) != (KNOWN, exercise.mistakes[name].hint):
            yield _unknown(exercise, name, verdict)
            continue
        raised = None if exercise.is_value else _raised(standard.of(exercise.mistakes[name], False).results)
        if raised is not None and raised.kind in ("AttributeError", "NameError"):
            yield f"The mistake {name!r} raises in every case, as {raised.kind}: {raised.text}. Is this what students write?"
    yield from _attacked(exercise)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _raised(results: list[Any]) -> Raised | None:
    """What was raised in the first case, where something was raised in every one."""
    return results[0] if results and all(isinstance(result, Raised) for result in results) else None


def _fails_itself(verdict: Verdict) -> bool:
    return verdict.outcome == ERROR and verdict.sentence.startswith("The checker itself failed")


def _sentence(verdict: Verdict) -> str:
    """A verdict's sentence; where the exercise itself failed, how it did."""
    return f"the exercise's own code fails with {verdict.trace}" if _fails_itself(verdict) else verdict.sentence


def _unknown(exercise: Exercise, name: str, verdict: Verdict) -> str:
    """Why a known mistake is not recognised."""
    told = f"The mistake {name!r} is not recognised:"
    if verdict.passed:
        missing = "choose other numbers in draws" if exercise.is_value else "a case is missing in which it does not"
        return f"{told} it passes, as it does what is right. If it is wrong, {missing}."
    if verdict.mistake:
        return f"{told} It is taken for {verdict.mistake!r}. Add a case in which the two differ, or make one of them."
    if exercise.mistakes[name].evidence is not None and not _fails_itself(verdict):
        return f"{told} its evidence is not found in its own source, or in what was seen of it."
    return f"{told} {_sentence(verdict) or 'its answer is not told from others.'}"


def _of_a_prediction(exercise: Exercise) -> Iterator[str]:
    """What does not run in an exercise that asks for predictions."""
    assert exercise.program is not None, "a value exercise has a program"
    try:
        draw = exercise.draw()
        compile(exercise.program(draw), "the program", "exec")
    except SyntaxError as error:
        yield f"The program is no Python: {error.msg}, in line {error.lineno}."
        return
    except Exception as error:
        yield f"The program is not made: {_said(error)}"
        return
    given: dict[str, Any] = {}
    forms = {"The reference": exercise.reference} | {f"The mistake {name!r}": m.answer for name, m in exercise.mistakes.items()}
    for who, form in forms.items():
        try:
            given[who] = form(draw)
        except Exception as error:
            yield f"{who} fails with {_said(error)}"
            continue
        if not isinstance(given[who], dict):
            yield f"{who} gives no dict, but {given[who]!r}."
    right = given.get("The reference")
    if not isinstance(right, dict):
        return
    for who, answer in given.items():
        if isinstance(answer, dict) and answer.keys() != right.keys():
            yield f"{who} has other entries than the reference: {', '.join(answer)}, not {', '.join(right)}."
    strangers = sorted({str(value) for value in right.values() if exercise.words and value not in exercise.words})
    if strangers:
        yield f"The reference gives {', '.join(strangers)}, which is none of the words: {', '.join(exercise.words)}."


def _attacked(exercise: Exercise) -> Iterator[str]:
    """The attacks that the requirements name, and that are not refused."""
    known = dict(attacks(exercise))
    for requirement in exercise.requirements:
        for name in requirement.attacks:
            if name not in known:
                yield _no_attack(name, list(known), name in ATTACKS)
                continue
            met, passed = survivors(exercise, [attacked(exercise, name, *known[name])])
            if not met:
                yield f"The attack {name!r} changes nothing in any case: a case is missing that meets it."
            elif passed:
                yield f"The attack {name!r} passes, so nothing checks {requirement.text!r}: look at the cases and at what is seen."


def _no_attack(name: str, names: list[str], elsewhere: bool) -> str:
    """Why an attack is not tried."""
    if not names:
        return f"The attack {name!r} is not tried: a prediction is no function, and has no attacks."
    if elsewhere:
        return f"The attack {name!r} is not tried: `without` or `musts` of the exercise say that it is not asked for."
    near = difflib.get_close_matches(name, names, 1)
    return f"There is no attack {name!r}. " + (f"Is it {near[0]!r}?" if near else f"There are: {', '.join(names)}.")
