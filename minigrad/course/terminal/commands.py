"""Checking a whole exercise notebook from a terminal: its cells run in a process of their own, with time limits."""

from __future__ import annotations

import ast
import contextlib
import json
import linecache
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from minigrad.course import bank, record
from minigrad.course.judge import NOT_ATTEMPTED, judge
from minigrad.course.judging.limits import TimeLimit, run_limited
from minigrad.course.notebook.check import check as check_one
from minigrad.course.notebook.check import report
from minigrad.course.notebook.start import copy_of, engine_up_to, template
from minigrad.course.notebook.start import start as copy_exercises
from minigrad.course.showing import render

CELL_LIMIT = 30.0  # seconds for one cell
NOTEBOOK_LIMIT = 300  # seconds for all of them; then the process is ended, whatever it does
OF_THE_COURSE = {"check", "hint", "progress", "report", "solution", "start"}


def start(chapter: str, again: bool, upto: str | None = None) -> int:
    """Copy the exercises; 1 when there are none, or no engine up to that milestone."""
    try:
        number = template(chapter).stem[:2]
        if upto is not None:
            engine_up_to(number, upto.strip().upper())
    except LookupError as error:
        render.say(error.args[0])
        return 1
    copy_exercises(chapter, again, upto)
    return 0


def exercise(id: str, title: str | None, folder: str) -> int:
    """Write the skeleton of an exercise, or try one that is there; 0 when all is well."""
    from minigrad.course.grading.assignment import AssignmentError
    from minigrad.course.terminal import author

    try:
        if title is not None:
            place = author.skeleton(id, title, Path(folder))
            render.say(
                f"{place} has an exercise that works. Change task.py, answer.py and mistakes.py, and try it after each change: "
                f"python -m minigrad.course exercise {id}" + (f" --folder {folder}" if folder != "." else "")
            )
            return 0
        tried = author.found(id, Path(folder))
        found = list(author.troubles(tried))
    except (AssignmentError, LookupError, ValueError) as error:
        render.say(str(error.args[0]))
        return 1
    render.say("\n".join(found) or f"{id} keeps its promises. {author.learners(tried)}")
    return 1 if found else 0


def check(chapter: str, path: str | None = None, only: str | None = None) -> int:
    """Run the answers of a notebook and print one line for each exercise; 0 when all are right.

    only: print the report on this exercise instead.
    """
    number = str(chapter).strip().zfill(2)
    if number not in bank.chapters():
        render.say(f"There is no chapter {chapter!r}. There are: {', '.join(bank.chapters())}.")
        return 1
    try:
        notebook = Path(path) if path else copy_of(number)
    except LookupError as error:
        render.say(error.args[0])
        return 1
    if not notebook.is_file():
        makes = "" if path else f" `python -m minigrad.course start {number}` makes it."
        render.say(f"{notebook} is not there.{makes}")
        return 1
    command = [sys.executable, "-m", "minigrad.course.terminal.commands", number, str(notebook), only or ""]
    sys.stdout.flush()
    try:
        return subprocess.run(command, timeout=NOTEBOOK_LIMIT, stdin=subprocess.DEVNULL).returncode
    except subprocess.TimeoutExpired:
        render.say(f"The notebook took longer than {NOTEBOOK_LIMIT} seconds and was stopped.")
        return 1


def conformance(options: Any) -> int:
    """The board of an engine; 0 when every fact of the milestones that were asked is green."""
    from minigrad.course.capstone import board
    from minigrad.course.capstone.facts import describe

    try:
        if options.show:
            render.say(describe(options.show))
            return 0
        told = board.examine(options.engine, tuple(options.milestone), options.facts, max(0, options.seed))
    except (FileNotFoundError, LookupError) as error:
        render.say(str(error.args[0]))
        return 1
    render.say(told.text(board.on_terminal()))
    if options.bars:
        Path(options.bars).write_text(told.bars(), encoding="utf-8")
    return 0 if told.passed else 1


def _check_here(number: str, path: str, only: str) -> int:
    """In the child process: run the cells without their calls of the checker, then judge what they left, by name."""
    try:
        cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
        sources = [("".join(cell["source"]), _name(cell)) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError):
        render.say(f"{path} is not a notebook.")
        return 1
    space: dict[str, Any] = {"__name__": "__main__"}
    here = os.getcwd()
    with contextlib.suppress(OSError):
        os.chdir(Path(path).parent)  # as Jupyter does
        sys.path.insert(0, os.getcwd())
    for count, (source, name) in enumerate(sources, 1):
        _run(source, name or f"cell {count}", space)
    os.chdir(here)
    exercises = bank.exercises(number)
    if only:
        if exercises[only].name not in space:
            render.say(f"`{exercises[only].name}` is not defined in {path}.")
            return 1
        with contextlib.redirect_stdout(None):
            check_one(only, space[exercises[only].name])
        report(only)
        return 0
    passed = 0
    for exercise in exercises.values():
        if exercise.name not in space:
            render.say(f"○ {exercise.id} {exercise.title}: {exercise.name} is not defined in the notebook")
            continue
        verdict = judge(exercise, space[exercise.name])
        if verdict.outcome != NOT_ATTEMPTED:
            record.note(verdict.id, verdict.outcome, verdict.passed)
        render.say(render.verdict_line(verdict, exercise.title))
        passed += verdict.passed
    render.say(f"{passed} of {len(exercises)} passed.")
    return 0 if passed == len(exercises) else 1


def _name(cell: dict[str, Any]) -> str:
    """What to call a cell that the course has named: "the answer cell of 01.2"; else empty."""
    grade_id = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", "")
    chapter, number, kind = grade_id.split("-") if grade_id.count("-") == 2 else ("", "", "")
    return f"the {kind} cell of {chapter}.{number}" if kind else ""


def _run(source: str, name: str, space: dict[str, Any]) -> None:
    """Run one cell in silence; a cell that fails is reported, and the others still run."""
    lines = ["" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()]
    text = "\n".join(lines) + "\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)  # so that answers have a source
    try:
        tree = ast.parse(text, name)
        tree.body = [statement for statement in tree.body if not _calls_the_course(statement)]
        code = compile(tree, name, "exec")
        with contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
            run_limited(lambda: exec(code, space), CELL_LIMIT)
    except TimeLimit:
        render.say(f"{name[0].upper()}{name[1:]} took longer than {CELL_LIMIT:g} seconds and was stopped.")
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also SystemExit
        render.say(f"{name[0].upper()}{name[1:]}: {type(error).__name__}: {error}")


def _calls_the_course(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in OF_THE_COURSE


if __name__ == "__main__":
    sys.exit(_check_here(*sys.argv[1:4]))
