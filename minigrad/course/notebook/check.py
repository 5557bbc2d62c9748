"""What a learner calls: check, hint, solution, progress, report."""

from __future__ import annotations

import difflib
import inspect
import json
import os
import platform
import re
import sys
import textwrap
from types import FunctionType
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course import bank, record
from minigrad.course.capstone import own
from minigrad.course.exercise import Exercise
from minigrad.course.judge import ERROR, NOT_ATTEMPTED, Verdict, judge
from minigrad.course.judging.attempt import source_of
from minigrad.course.judging.compare import freeze, show
from minigrad.course.showing import render


class Result:
    """The result of a check. It was displayed already; on its own it shows nothing more in a notebook."""

    def __init__(self, verdict: Verdict, title: str = ""):
        self.id, self.outcome, self.passed = verdict.id, verdict.outcome, verdict.passed
        self.text, self.html = render.verdict_text(verdict, title), render.verdict_html(verdict, title)

    def __repr__(self) -> str:
        return f"<{self.id}: {self.outcome}>"

    def __bool__(self) -> bool:
        return self.passed

    def _ipython_display_(self) -> None:
        """Nothing: `check` has displayed it."""


_last: dict[str, tuple[Verdict, Any]] = {}  # for report: the last verdict on each exercise in this session
_hints: dict[str, int] = {}  # how many were shown in this session, for where no record can be kept


def find(id_: Any) -> Exercise:
    """The exercise with this id. LookupError, with the ids that come nearest, when there is none."""
    wanted = re.sub(r"^(\d\.)", r"0\1", str(id_).strip())  # 4.2 means 04.2
    chapter = wanted.partition(".")[0]
    if chapter in bank.chapters() and wanted in bank.exercises(chapter):  # the others need not be loaded
        return bank.exercises(chapter)[wanted]
    known = [id for chapter in bank.chapters() for id in bank.exercises(chapter)]
    near = difflib.get_close_matches(wanted, known, 3, 0.4) or known[:3]
    raise LookupError(f"There is no exercise {str(id_)!r}. Did you mean {' or '.join(repr(n) for n in near)}?")


def check(id: str, answer: Any, *, seed: int | None = None, reference: str | None = None,
          quiet: bool = False) -> Result:  # fmt: skip
    """Say whether an answer is right, and if not, why. Displays the result and returns it; never raises.

    id: the number of the exercise, "04.2". answer: the function, class or dict that you wrote.
    seed: other random inputs than the usual ones. reference: "torch" to compare with PyTorch, where it is installed.
    quiet: return the result and display nothing.
    """
    _show = Result if quiet else _shown
    try:
        exercise = find(id)
        if reference not in (None, "minigrad", "torch"):
            raise LookupError(f'There is no reference {reference!r}. It can be "torch", or be left out.')
        if reference == "torch":
            bank.exercises(exercise.chapter, reference)
        if seed is not None and not isinstance(seed, int):
            raise LookupError(f"The seed must be an integer; it is {seed!r}.")
    except LookupError as error:
        return _show(Verdict(str(id), ERROR, str(error.args[0])))
    except ImportError:
        text = "PyTorch is not installed here, so the answer was not compared with it. Leave `reference` out."
        return _show(Verdict(exercise.id, ERROR, text), exercise.title)
    other = None if reference == "minigrad" else reference
    verdict = judge(exercise, answer, seed=abs(seed or 0), reference=other)
    _last[exercise.id] = verdict, answer
    if verdict.outcome != NOT_ATTEMPTED and not seed:
        record.note(verdict.id, verdict.outcome, verdict.passed)
    result = _show(verdict, exercise.title)
    if verdict.passed and not quiet and not os.environ.get("MINIGRAD_BRIEF"):
        _reward(exercise)
    return result


def _shown(verdict: Verdict, title: str = "") -> Result:
    result = Result(verdict, title)
    render.show(result.html, result.text)
    return result


def _reward(exercise: Exercise) -> None:
    """Show, folded, why an answer is right and another way to write it; and what comes next."""
    same_chapter = bank.exercises(exercise.chapter)
    later = [id for id in same_chapter if id > exercise.id]
    following = f"Next: {later[0]} {same_chapter[later[0]].title}." if later else "That was the last exercise of this chapter."
    if not solutions_allowed():
        return _say(following)
    way = another_way(exercise)
    folded = exercise.explanation.strip() + (f"\n\n**{way[0]}:**\n\n```python\n{way[1]}\n```" if way else "")
    summary = "Why this is right" + (", and another way" if way else "")
    markdown = f"<details><summary>{summary}</summary>\n\n{folded}\n\n</details>\n\n{following}"
    render.show_markdown(markdown, f"{following} solution({exercise.id!r}) tells why this is right.")
    return None


def another_way(exercise: Exercise) -> tuple[str, str] | None:
    """A right answer in another style that can be read by itself: what it is called, and its source."""
    for label, answer in exercise.alternatives.items():
        if not isinstance(answer, FunctionType) or answer.__name__ == "<lambda>" or answer.__closure__:
            continue
        borrowed = set(answer.__code__.co_names) & set(answer.__globals__) - {"mg", "np"}
        if not borrowed:
            return label[:1].upper() + label[1:], textwrap.dedent(inspect.getsource(answer)).strip()
    return None


def hint(id: str, number: int | None = None) -> None:
    """Show the next of three hints: the idea, then a picture of it, then a skeleton of the code.

    number: show this one once more.
    """
    try:
        exercise = find(id)
    except LookupError as error:
        return _say(str(error.args[0]))
    rungs = ("the idea", "the picture", "the skeleton")
    used = max(record.read()["exercises"].get(exercise.id, {}).get("hints", 0), _hints.get(exercise.id, 0))
    if number is not None and 1 <= number <= used:
        rung = number - 1
    else:
        rung = min(used, len(rungs) - 1)
        _hints[exercise.id] = rung + 1
        record.update(lambda r: record.entry(r, exercise.id).update(hints=rung + 1))
    last = f"This is the last one; `hint({exercise.id!r}, 1)` shows the first again."
    more = "Call it again for the next." if rung + 1 < len(rungs) else last
    render.show_markdown(f"**Hint {rung + 1} of {len(rungs)}: {rungs[rung]}.** {more}\n\n{exercise.hints[rung]}")
    return None


def solution(id: str) -> None:
    """Show the answer and its explanation, once you have tried."""
    try:
        exercise = find(id)
    except LookupError as error:
        return _say(str(error.args[0]))
    if not solutions_allowed():
        return _say("In this class solutions are handed out by the teacher.")
    tried_now = exercise.id in _last and _last[exercise.id][0].outcome != NOT_ATTEMPTED
    if not tried_now and not record.read()["exercises"].get(exercise.id, {}).get("attempts"):
        return _say(f"Try {exercise.id} first: run its check with an answer of your own. `hint({exercise.id!r})` helps.")
    render.show_markdown(f"```python\n{solution_source(exercise)}\n```\n\n{exercise.explanation}")
    return None


def solution_source(exercise: Exercise) -> str:
    """The reference as source: a function or class, or for a prediction the dict for draw 0."""
    if not exercise.is_value:
        return exercise.reference_source()
    rows = [f"    {json.dumps(key)}: {_source(value)}," for key, value in exercise.reference(exercise.draw()).items()]
    return "\n".join([f"{exercise.name} = {{", *rows, "}"])


def _source(value: Any) -> str:
    """A value as the course writes it, with double quotes."""
    if isinstance(value, float) and not np.isfinite(value):
        return repr(value).replace("inf", "np.inf").replace("nan", "np.nan")
    text = repr(value)
    return text if '"' in text or "\\" in text else text.replace("'", '"')


def solutions_allowed() -> bool:
    """False when a teacher's assignment.json at the root of the course says {"solutions": false}."""
    try:
        return bool(json.loads((record.root() / "assignment.json").read_text(encoding="utf-8")).get("solutions", True))
    except (OSError, ValueError, AttributeError):
        return True


def progress(chapter: str | None = None) -> None:
    """Show what is solved: a bar for each chapter, a mark for each exercise; and the board of your own engine.

    chapter: only this one; then the board is shown where the chapter asks for a part of the engine, once it is begun.
    """
    number = None if chapter is None else str(chapter).strip().zfill(2)
    rows = progress_rows(number)
    shown, told = render.progress_html(rows), render.progress_text(rows)
    builds = number in (None, "16") or any(number in chapters for chapters in own.CHAPTERS.values()) and bool(own.rows())
    if builds:
        shown, told = shown + own.progress_html(), f"{told}\n\n{own.progress_text()}"
    render.show(shown, told)


def progress_rows(chapter: str | None = None) -> list[dict[str, Any]]:
    """For each chapter its title and (mark, id, title) of its exercises."""
    done = record.read()["exercises"]
    return [
        {
            "title": f"{number} · {bank.chapter_title(number)}",
            "marks": [(_mark(done.get(e.id)), e.id, e.title) for e in bank.exercises(number).values()],
        }
        for number in bank.chapters()
        if chapter in (None, number)
    ]


def _mark(entry: dict[str, Any] | None) -> str:
    if not entry or not entry.get("attempts"):
        return "○"
    return "✓" if entry["passed"] else "✗"


def report(id: str) -> None:
    """Print a text to send when you believe that a check is wrong: versions, seed, case, answer, verdict."""
    try:
        exercise = find(id)
    except LookupError as error:
        return _say(str(error.args[0]))
    if exercise.id not in _last:
        return _say(f"Run the check of {exercise.id} first, then the report knows what to say.")
    verdict, answer = _last[exercise.id]
    print(
        "To send: put this text into a new issue of the course's project.\n\n"
        f"Exercise {exercise.id} {exercise.title}\n"
        f"minigrad {mg.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, {sys.platform}\n"
        f"Seed: {verdict.seed}. Case: {verdict.case or 'all'}.\n\n"
        f"Answer:\n{source_of(answer) or show(freeze(answer))}\n\n"
        f"Verdict:\n{render.verdict_text(verdict, exercise.title)}\n\n"
        "Why I believe that the answer is right:\n"
    )
    return None


def _say(text: str) -> None:
    render.show(f"<p>{render.inline(text)}</p>", text)
