"""Scores into nbgrader's gradebook, where formgrader shows them. Grades that people gave by hand are left alone."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import sysconfig
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from minigrad.course.grading import texts
from minigrad.course.grading.assignment import Assignment
from minigrad.course.grading.grade import Graded, Score
from minigrad.course.grading.submissions import LARGEST, MOST_CELLS, Submission, too_many_parts
from minigrad.course.showing import render


def write(chosen: dict[str, Graded], assignment: Assignment, path: str, submissions: list[Submission]) -> str:
    """Write the scores of the submissions that count; what was done, in a sentence.

    Beside the gradebook, in autograded/, formgrader finds each notebook with our verdicts as the outputs of the checks.
    """
    try:
        import nbgrader.api  # noqa: F401
    except ImportError:
        return "The gradebook was not written: nbgrader is not installed (pip install 'minigrad-course[instructor]')."
    data = {(s.student, s.attempt): s for s in submissions}
    course = Path(path).resolve().parent
    with warnings.catch_warnings(), opened(path) as book:
        warnings.simplefilter("ignore")  # of nbgrader's own queries
        cells = _cells(book, assignment)
        marks = _marks(book, assignment)
        failed = []
        for student, graded in chosen.items():
            if re.search('[<>"]', student):  # formgrader's pages have it as it is, so it would be HTML there
                failed.append(f"\n  {student}: not written, since nbgrader would show this name as HTML.")
                continue
            if not re.fullmatch(r"[^/\\+\0]+", student) or student in (".", ".."):  # a part of paths, and of formgrader's addresses
                failed.append(f"\n  {student}: not written, since no student of nbgrader's can have this name.")
                continue
            try:
                _enter(book, assignment, graded, data[student, graded.attempt], cells)
                _show(course, assignment, graded, data[student, graded.attempt], marks, cells)
            except Exception as error:  # of one student's; the others' are written all the same
                book.db.rollback()
                failed.append(f"\n  {student}: not written ({type(error).__name__}). Please enter this score by hand.")
    return f"The scores of {texts.count(len(chosen) - len(failed), 'student')} were written into {path}." + "".join(failed)


def _enter(
    book: Any, assignment: Assignment, graded: Graded, submission: Submission, cells: dict[str, tuple[str, str, float]]
) -> None:
    """One student's scores."""
    student = graded.student
    book.update_or_create_student(student)
    when = submission.time.astimezone(datetime.UTC).replace(tzinfo=None) if submission.time else None
    book.update_or_create_submission(assignment.name, student, timestamp=when)
    for score in graded.scores:
        notebook, name, most = cells[score.id]
        grade = book.find_grade(name, notebook, assignment.name, student)
        grade.auto_score = most * score.points / score.most if score.most else 0.0
        grade.needs_manual_grade = grade.manual_score is not None  # as nbgrader does: somebody should look again
    book.db.commit()


def path_with_programs() -> str:
    """Where nbgrader finds the programs of its own environment, which it calls by name, and which need not be activated."""
    return sysconfig.get_path("scripts") + os.pathsep + os.environ.get("PATH", "")


@contextlib.contextmanager
def opened(path: str | os.PathLike) -> Iterator[Any]:
    """nbgrader's gradebook in a file."""
    from nbgrader.api import Gradebook

    before = os.environ.get("PATH", "")
    os.environ["PATH"] = path_with_programs()
    try:
        with Gradebook(f"sqlite:///{Path(path).resolve()}") as book:
            yield book
    finally:
        os.environ["PATH"] = before


def grade_id(id: str) -> str:
    """What the cell of an exercise's check is called in the notebooks."""
    return f"{id.replace('.', '-')}-check"


def _cells(book: Any, assignment: Assignment) -> dict[str, tuple[str, str, float]]:
    """For each exercise the notebook and the cell in the gradebook, and its points there. What is not there is made."""
    from nbgrader.api import MissingEntry

    try:
        known = {
            cell.name: (notebook.name, cell.name, float(cell.max_score))
            for notebook in book.find_assignment(assignment.name).notebooks
            for cell in notebook.grade_cells
        }
    except MissingEntry:
        book.add_assignment(assignment.name)
        known = {}
    if assignment.deadline is not None:
        book.update_or_create_assignment(assignment.name, duedate=assignment.deadline.astimezone(datetime.UTC).replace(tzinfo=None))
    found = {}
    for id in assignment.exercises:
        name = grade_id(id)
        if name not in known:
            book.update_or_create_notebook(assignment.name, assignment.name)
            book.update_or_create_grade_cell(name, assignment.name, assignment.name, max_score=assignment.points[id], cell_type="code")
            known[name] = (assignment.name, name, assignment.points[id])
        found[id] = known[name]
    return found


def _marks(book: Any, assignment: Assignment) -> dict[str, dict[str, dict[str, Any]]]:
    """For each notebook the metadata of the cells that nbgrader knows in it, by their names."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for notebook in book.find_assignment(assignment.name).notebooks:
        marks = found.setdefault(notebook.name, {})
        empty = {"grade": False, "solution": False, "task": False, "locked": False, "schema_version": 3}
        for cell in notebook.solution_cells:
            marks[cell.name] = empty | {"grade_id": cell.name, "solution": True}
        for cell in (*notebook.grade_cells, *notebook.task_cells):
            task = cell in notebook.task_cells
            of = marks.setdefault(cell.name, empty | {"grade_id": cell.name, "locked": True})
            of |= {"grade": not task, "task": task, "points": cell.max_score, "cell_type": cell.cell_type}
    return found


def _show(
    course: Path,
    assignment: Assignment,
    graded: Graded,
    submission: Submission,
    marks: dict[str, dict[str, dict[str, Any]]],
    cells: dict[str, tuple[str, str, float]],
) -> None:
    """The student's notebook for formgrader: its sources, no outputs of its own, and whole metadata."""
    said = {cells[score.id][1]: score for score in graded.scores}
    for notebook in sorted({notebook for notebook, _, _ in cells.values()}):
        content = _notebook(submission.sheets or (submission,), marks[notebook], said)
        folder = course / "autograded" / graded.student / assignment.name
        folder.mkdir(parents=True, exist_ok=True)
        new = folder / f"{notebook}.ipynb.new"
        new.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(new, folder / f"{notebook}.ipynb")
        for name, data in submission.files.items():
            (folder / name).write_bytes(data)
        for name in ("submission_secret.txt", "timestamp.txt"):
            (folder / name).unlink(missing_ok=True)  # of an earlier hand-in
        if submission.receipt:
            (folder / "submission_secret.txt").write_bytes(submission.receipt)
        if submission.time is not None:
            when = f"{submission.time.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
            (folder / "timestamp.txt").write_text(when, encoding="utf-8")


def _given(sheets: Iterable[Submission]) -> Iterator[Any]:
    """The cells that were handed in, of the latest sheet first; one sheet at a time is held."""
    for sheet in reversed([sheet for sheet in sheets if not too_many_parts(sheet.data)]):
        with contextlib.suppress(ValueError, RecursionError):
            read = texts.loads(sheet.data[:LARGEST])
            cells = read.get("cells") if isinstance(read, dict) else None
            yield from cells[:MOST_CELLS] if isinstance(cells, list) else []


def _notebook(sheets: Iterable[Submission], marks: dict[str, dict[str, Any]], said: dict[str, Score]) -> dict[str, Any]:
    """A valid notebook out of whatever was handed in: each cell that nbgrader knows once, with its own metadata."""
    cells = []
    left = dict(marks)
    for number, cell in enumerate(_given(sheets)):
        source = cell.get("source") if isinstance(cell, dict) else None
        source = "".join(map(str, source)) if isinstance(source, list) else source
        if not isinstance(source, str):
            continue
        metadata = cell.get("metadata")
        its = metadata.get("nbgrader") if isinstance(metadata, dict) else None
        name = its.get("grade_id") if isinstance(its, dict) else None
        kind = "code" if cell.get("cell_type") == "code" else "markdown"
        if isinstance(name, str) and name in left and left[name].get("cell_type", kind) == kind:
            cells.append(_known(kind, source, left.pop(name), said))
        else:
            cells.append(_cell(kind, source, f"cell-{number}"))
    for name, mark in left.items():
        if mark["grade"] or mark["task"]:
            sign = "# " if mark["cell_type"] == "code" else ""
            cells.append(_known(mark["cell_type"], f"{sign}This cell, {name}, was missing.", mark, said))
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _cell(kind: str, source: str, id: str) -> dict[str, Any]:
    source = texts.writable(source) if kind == "code" else _quiet(texts.writable(source))
    cell: dict[str, Any] = {"cell_type": kind, "id": id, "metadata": {}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


# What makes HTML of Markdown do or fetch something: tags, links, pictures, and commands of MathJax.
_ACTIVE = re.compile(r"[<>\[\]&]|://|\\(?:href|url|class|style|cssId|require|unicode|data)", re.IGNORECASE)


def _quiet(markdown: str) -> str:
    """A student's Markdown as formgrader may show it: with anything active in it, it is shown as it was typed."""
    if not _ACTIVE.search(markdown):
        return markdown
    fence = "`" * max(3, 1 + max((len(run[0]) for run in re.finditer("`+", markdown)), default=0))
    return f"{fence}text\n{markdown}\n{fence}"


def _known(kind: str, source: str, mark: dict[str, Any], said: dict[str, Score]) -> dict[str, Any]:
    """A cell that nbgrader knows; a check has the grader's verdict as its output."""
    name = mark["grade_id"]
    cell = _cell(kind, source, name)
    cell["metadata"] = {"deletable": False, "editable": not mark["locked"], "nbgrader": {"cell_type": kind} | mark}
    if name in said and kind == "code":
        told = render.verdict_text(said[name].verdict, said[name].title) + "\n"
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": told}]
    return cell
