"""An assignment: which exercises, for how many points, and until when. A chapter's number, or a small TOML file."""

from __future__ import annotations

import datetime
import hashlib
import importlib.util
import inspect
import itertools
import json
import math
import re
import sys
import tomllib
import types
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from minigrad.course import bank
from minigrad.course.exercise import Exercise
from minigrad.course.grading import files
from minigrad.course.judge import judge_all

KEYS = {
    "name", "chapter", "exercises", "points", "partial", "deadline", "late", "counts", "bank", "penalty", "grace", "late_days",
    "students", "adjust",
}  # fmt: skip


# What the folders in exercises/ are called; who installed the package has none.
NAMES = {
    "01": "the-graph", "02": "chain-rule", "03": "jacobians", "04": "vjps", "05": "plot-f-and-slope", "06": "accumulation",
    "07": "retain-graph", "08": "autograd-grad", "09": "higher-order", "10": "forward-mode", "11": "in-place", "12": "views",
    "13": "looking-inside", "14": "function", "15": "training-loop", "16": "capstone",
    "17": "read-the-real-one",
}  # fmt: skip


class AssignmentError(Exception):
    """The file says something that cannot be meant."""


@dataclass(frozen=True)
class Assignment:
    """What a class was given to do."""

    name: str
    exercises: dict[str, Exercise] = field(repr=False)
    points: dict[str, float]
    partial: bool = False  # points for the parts that are right
    deadline: datetime.datetime | None = None
    late: str = "apart"  # or "count"
    penalty: float = 0.0  # percent of the score, for each day begun after the deadline
    grace: float = 0.0  # minutes after the deadline that are not late
    late_days: int = 0  # for each student, days that cost nothing
    students: dict[str, dict[str, Any]] = field(default_factory=dict)  # a deadline or late days of their own
    adjust: tuple[dict[str, Any], ...] = ()  # points by hand, with a reason
    counts: str = "last"  # or "best", "first": which of several submissions
    source: str = ""  # the TOML file, or the chapter's number: other processes load it again

    @property
    def total(self) -> float:
        return sum(self.points.values())

    def fingerprint(self) -> str:
        """Changes when anything changes that a verdict depends on."""
        sources = dict(module for exercise in self.exercises.values() for module in files.all_of(exercise))
        parts = [json.dumps(list(self.exercises)), *(sources[name] for name in sorted(sources))]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def chapters(self) -> frozenset[str]:
        """The chapters that the exercises are of."""
        return frozenset(exercise.chapter for exercise in self.exercises.values())

    @property
    def names(self) -> frozenset[str]:
        """What the answers are called."""
        return frozenset(exercise.name for exercise in self.exercises.values())


def load(source: str, bank_file: Path | None = None) -> Assignment:
    """From the path of a TOML file, or from a chapter's number.

    bank_file: where the file with the teacher's own exercises is, if not where the TOML file says.
    """
    if not source.endswith(".toml"):
        number = source.zfill(2)
        if number not in bank.chapters():
            raise AssignmentError(f"There is no chapter {source!r}. There are: {', '.join(bank.chapters())}.")
        exercises = dict(bank.exercises(number))
        _only_gradable(exercises, f"Chapter {number}")
        points = {id: float(e.points or 0) for id, e in exercises.items()}
        return Assignment(notebook_name(number), exercises, points, True, source=number)
    path = Path(source)
    try:
        with path.open("rb") as file:
            said = tomllib.load(file)
    except OSError as error:
        raise AssignmentError(f"{path} cannot be read ({error.strerror}).") from error
    except tomllib.TOMLDecodeError as error:
        raise AssignmentError(f"{path} is not TOML: {error}.") from error
    return _from(said, path, bank_file)


def _from(said: dict[str, Any], path: Path, bank_file: Path | None) -> Assignment:
    strangers = sorted(said.keys() - KEYS)
    if strangers:
        raise AssignmentError(f"{path}: nobody knows {', '.join(strangers)}. There are: {', '.join(sorted(KEYS))}.")
    mine = own(bank_file or path.parent / said["bank"]) if "bank" in said else {}
    chapter = str(said["chapter"]).zfill(2) if "chapter" in said else None
    all_ids = mine if chapter is None and mine else bank.exercises(chapter) if chapter in bank.chapters() else {}
    if chapter is not None and not all_ids:
        raise AssignmentError(f"{path}: there is no chapter {chapter}.")
    ids = said.get("exercises", list(all_ids))
    points = said.get("points", {})
    if not ids or not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
        raise AssignmentError(f'{path}: say which exercises, as exercises = ["04.1", "04.2"], or chapter = "04".')
    exercises = {}
    for id in ids:
        here = mine if id in mine else bank.exercises(id.partition(".")[0]) if id.partition(".")[0] in bank.chapters() else {}
        if id not in here:
            raise AssignmentError(f"{path}: there is no exercise {id!r}.")
        exercises[id] = here[id]
    _only_gradable(exercises, str(path))
    names = [e.name for e in exercises.values()]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise AssignmentError(f"{path}: two exercises call their answer {twice[0]}; put them into two assignments.")
    lost = [id for id in points if id not in exercises]
    if lost or not all(isinstance(p, int | float) and not isinstance(p, bool) and p >= 0 for p in points.values()):
        stranger = f" {lost[0]} is none of them." if lost else ""
        raise AssignmentError(f"{path}: points are numbers, each for one of the exercises.{stranger}")
    for key, words in (("late", ("apart", "count")), ("counts", ("last", "best", "first"))):
        if said.get(key, words[0]) not in words:
            raise AssignmentError(f"{path}: {key} is one of {', '.join(words)}.")
    if not isinstance(said.get("partial", True), bool):
        raise AssignmentError(f"{path}: partial is true or false.")
    for key, most in (("penalty", 100), ("grace", 1e6), ("late_days", 1000)):
        value = said.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most or key == "late_days" and value % 1:
            raise AssignmentError(f"{path}: {key} is a number from 0 to {most:g}: {_MEANS[key]}.")
    if "penalty" in said and said.get("late") == "apart":
        raise AssignmentError(f'{path}: with late = "apart" nothing late counts, so there is nothing that a penalty is taken from.')
    name = str(said.get("name", path.stem if chapter is None or "exercises" in said else notebook_name(chapter)))
    if not re.fullmatch(r"(?!\.{1,2}$)[^/\\\0]+", name):
        raise AssignmentError(f"{path}: name is a name, and no path: results lie in grades/ below it.")
    return Assignment(
        name,
        exercises,
        {id: float(points.get(id, e.points)) for id, e in exercises.items()},
        said.get("partial", True),
        _deadline(said.get("deadline"), path),
        said.get("late", "count" if "penalty" in said else "apart"),
        float(said.get("penalty", 0)),
        float(said.get("grace", 0)),
        int(said.get("late_days", 0)),
        _students(said.get("students", {}), path),
        _adjustments(said.get("adjust", []), exercises, path),
        said.get("counts", "last"),
        str(path),
    )


_MEANS = {
    "penalty": "percent of the score that each late day costs",
    "grace": "minutes after the deadline that are not late",
    "late_days": "whole days that cost a student nothing",
}


def _students(said: Any, path: Path) -> dict[str, dict[str, Any]]:
    """What is different for single students, by what the grades call them."""
    made = {}
    for student, own in said.items() if isinstance(said, dict) else [("", None)]:
        if not isinstance(own, dict) or own.keys() - {"deadline", "late_days"} or not own:
            below = "deadline = 2026-12-02T23:59:00+01:00, or late_days = 2"
            has = f" {student} has {', '.join(own) or 'nothing'}." if isinstance(own, dict) else ""
            raise AssignmentError(f'{path}: say [students."ada"], and below it {below}.{has}')
        days = own.get("late_days", 0)
        if type(days) is not int or days < 0:
            raise AssignmentError(f"{path}: late_days of {student} is a whole number of days.")
        its = dict(own)
        if "deadline" in own:
            its["deadline"] = _deadline(own["deadline"], path)
        made[unicodedata.normalize("NFC", student)] = its
    return made


def _adjustments(said: Any, exercises: dict[str, Exercise], path: Path) -> tuple[dict[str, Any], ...]:
    """Points by hand."""
    for one in said if isinstance(said, list) else [None]:
        one = one if isinstance(one, dict) else {}
        texts = [one.get("student"), one.get("reason"), one.get("exercise", "-")]
        if one.keys() - {"student", "exercise", "points", "reason"} or not all(isinstance(x, str) and x.strip() for x in texts):
            below = 'student = "ada", points = 2, reason = "…", and exercise = "04.3" where it is of one'
            raise AssignmentError(f"{path}: say [[adjust]], and below it {below}. This one has {', '.join(one) or 'nothing'}.")
        if isinstance(one.get("points"), bool) or not isinstance(one.get("points"), int | float) or not math.isfinite(one["points"]):
            raise AssignmentError(f"{path}: the points of the adjustment for {one['student']} are a number.")
        if one.get("exercise", next(iter(exercises))) not in exercises:
            raise AssignmentError(f"{path}: the adjustment for {one['student']} is of {one['exercise']!r}, which is no exercise here.")
    return tuple(said)


def _only_gradable(exercises: Mapping[str, Exercise], where: str) -> None:
    strangers = [id for id, exercise in exercises.items() if not (exercise.names_a_file or files.can_watch(exercise))]
    if strangers:
        raise AssignmentError(
            f'{where}: {", ".join(strangers)} cannot be graded: write the exercise as `Exercise(id="…", …)` at the top of its '
            "module, so that what watches the answer can be cut out for the sandbox."
        )
    for id, exercise in exercises.items():
        needed = frozenset[str]().union(*(files.imported(module) for module, _ in files.all_of(exercise)))
        if lacking := [name for name in sorted(needed) if importlib.util.find_spec(name) is None]:
            # The reference and every answer would raise the same error, and so agree.
            raise AssignmentError(f"{where}: {id} needs {lacking[0]}, which is not installed here.")


def _deadline(value: Any, path: Path) -> datetime.datetime | None:
    if isinstance(value, datetime.datetime):
        return value if value.tzinfo else value.astimezone()  # the teacher's own zone
    if value is not None:
        raise AssignmentError(f"{path}: the deadline is a date and a time, as 2026-11-30T23:59:00+01:00, without quotes.")
    return None


def own(path: Path) -> Mapping[str, Exercise]:
    """A teacher's own exercises: of a folder as those of the bank, or of one file."""
    name = f"{files.BANK}.{path.stem}"  # its frames are the checker's, and not shown to learners
    if path.stem in {f"ch{chapter}" for chapter in bank.chapters()}:
        raise AssignmentError(f"{path} has the name of a chapter of the course; call it something else.")
    if path.is_dir():
        if not re.fullmatch(r"ch\d\d", path.name):
            raise AssignmentError(f"{path}: call a folder of exercises ch80, as the exercises in it are 80.1, 80.2.")
        module, run = types.ModuleType(name), None
        module.__path__ = [str(path)]
    else:
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise AssignmentError(f"{path} is no Python module, and no folder of exercises.")
        module, run = importlib.util.module_from_spec(spec), spec.loader.exec_module
    for known in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
        del sys.modules[known]  # a process that goes on living may have met another version of it
    files.forget()
    sys.modules[name] = module
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # a file may change twice in a second
    try:
        if run is not None:
            run(module)
        exercises = dict(bank.Folder(name, "minigrad") if run is None else getattr(module, "EXERCISES", {}))
        for exercise in exercises.values():
            files.all_of(exercise)  # what it is made of can be read
    except Exception as error:
        raise AssignmentError(f"{path} cannot be loaded: {type(error).__name__}: {error}.") from error
    finally:
        sys.dont_write_bytecode = writes
    for exercise in exercises.values():
        _only_gradable({exercise.id: exercise}, str(path))
        leak = files.leak(exercise) or _told(exercise)
        if leak:
            raise AssignmentError(f"{path}: {exercise.id} would give its answer away. {leak}")
    return exercises


def _told(exercise: Exercise) -> str:
    """What of all that comes to the student's process is the right answer itself, in a sentence; empty where nothing is."""
    if exercise.is_value or exercise.names_a_file:
        return ""
    answers: dict[str, Any] = {}
    for name, thing in files.functions(exercise).items():
        answers[f"What builds or observes its cases needs `{name}`, which answers it: compare in `accept`, which runs here."] = thing
    if not inspect.isclass(exercise.reference):
        names = list(inspect.signature(exercise.reference).parameters)
        try:
            given = dict(zip(names, exercise.fresh_cases(0)[0].args, strict=True))
        except Exception:  # cases that cannot be built are told of where they are tried
            given = {}
        for place in (place for name, arg in given.items() for place in _places(name, arg)):
            sentence = f"In all cases the input `{place}` is the right answer: let it be computed."
            answers[sentence] = eval(f"lambda {', '.join(names)}: {place}")
    verdicts = judge_all(replace(exercise, mistakes={}), answers.values())
    return next((sentence for sentence, verdict in zip(answers, verdicts, strict=True) if verdict.passed), "")


def _places(name: str, x: Any, depth: int = 0) -> Iterator[str]:
    """An argument, and what lies open in it: entries, defaults, what a function has around it. As Python writes it."""
    yield name
    if depth == MOST_DEPTH:
        return
    inside: dict[str, Any] = {}
    if isinstance(x, dict):
        inside = {f"[{key!r}]": value for key, value in x.items() if isinstance(key, str | int)}
    elif isinstance(x, list | tuple):
        inside = {f"[{k}]": value for k, value in enumerate(x)}
    elif isinstance(x, types.FunctionType):
        inside = {f".__defaults__[{k}]": value for k, value in enumerate(x.__defaults__ or ())}
        inside |= {f".__kwdefaults__[{key!r}]": value for key, value in (x.__kwdefaults__ or {}).items()}
        inside |= {f".__closure__[{k}].cell_contents": cell.cell_contents for k, cell in enumerate(x.__closure__ or ())}
    for place, value in itertools.islice(inside.items(), MOST_PLACES):
        yield from _places(name + place, value, depth + 1)


MOST_DEPTH, MOST_PLACES = 3, 10  # of what lies in an argument


def notebook_name(chapter: str) -> str:
    """The name of a chapter's exercises, as 04-vjps: the same wherever the command runs, since results lie under it."""
    return f"{chapter}-{NAMES[chapter]}" if chapter in NAMES else chapter
