"""Checking a whole exercise notebook from a terminal: its cells run in a process of their own, with a time limit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from minigrad.course import bank, record
from minigrad.course.check import Result, note
from minigrad.course.judge import NOT_ATTEMPTED, judge
from minigrad.course.start import copy_of, template
from minigrad.course.start import start as copy_exercises

CELL_LIMIT = 300  # seconds for a whole notebook


def start(chapter: str, again: bool) -> int:
    """Copy the exercises; 1 when there are none."""
    try:
        template(chapter)
    except LookupError as error:
        print(error.args[0])
        return 1
    copy_exercises(chapter, again)
    return 0


def check(chapter: str, path: str | None = None) -> int:
    """Run the answers of a notebook and print one line for each exercise; 0 when all are right."""
    number = str(chapter).strip().zfill(2)
    if number not in bank.chapters():
        print(f"There is no chapter {chapter!r}. There are: {', '.join(bank.chapters())}.")
        return 1
    try:
        notebook = Path(path) if path else copy_of(number)
    except LookupError as error:
        print(error.args[0])
        return 1
    if not notebook.exists():
        print(f"{notebook} is not there. `python -m minigrad.course start {number}` makes it.")
        return 1
    command = [sys.executable, "-m", "minigrad.course.terminal", number, str(notebook.resolve())]
    try:
        return subprocess.run(command, timeout=CELL_LIMIT).returncode
    except subprocess.TimeoutExpired:
        print(f"The notebook took longer than {CELL_LIMIT} seconds and was stopped.")
        return 1


def _check_here(number: str, path: str) -> int:
    """In the child process: run the cells that are no checks, then judge what they left, by name."""
    try:
        cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    except (ValueError, KeyError, TypeError):
        print(f"{path} is not a notebook.")
        return 1
    space: dict[str, Any] = {"__name__": "__main__"}
    for count, cell in enumerate((c for c in cells if c.get("cell_type") == "code"), 1):
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        if not source.lstrip().startswith(("check(", "progress(", "hint(", "solution(")):
            _run(source, f"cell-{count}", space)
    right = True
    for exercise in bank.exercises(number).values():
        if exercise.name not in space:
            print(f"○ {exercise.id} {exercise.title}: `{exercise.name}` is not defined in the notebook")
            right = False
            continue
        verdict = judge(exercise, space[exercise.name])
        if verdict.outcome != NOT_ATTEMPTED:
            record.update(lambda r, verdict=verdict: note(r, verdict))  # type: ignore[misc]
        print(Result(verdict, exercise.title).text)
        right = right and verdict.passed
    return 0 if right else 1


def _run(source: str, name: str, space: dict[str, Any]) -> None:
    """Run one cell; a cell that fails is reported, and the others still run."""
    import linecache

    lines = [line for line in source.splitlines() if not line.lstrip().startswith(("%", "!"))]
    text = "\n".join(lines) + "\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)  # so that answers have a source
    try:
        exec(compile(text, name, "exec"), space)
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    sys.exit(_check_here(*sys.argv[1:3]))
