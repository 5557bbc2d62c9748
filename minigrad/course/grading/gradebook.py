"""Scores into nbgrader's gradebook, where formgrader shows them. Grades that people gave by hand are left alone."""

from __future__ import annotations

import datetime
import json
import os
import re
import warnings
from pathlib import Path
from typing import Any

from minigrad.course import render
from minigrad.course.grading.assignment import Assignment
from minigrad.course.grading.grade import Graded, Score
from minigrad.course.grading.submissions import LARGEST, Submission


def write(chosen: dict[str, Graded], assignment: Assignment, path: str, submissions: list[Submission]) -> str:
    """Write the scores of the submissions that count; what was done, in a sentence.

    Beside the gradebook, in autograded/, formgrader finds each notebook with our verdicts as the outputs of the checks.
    """
    try:
        from nbgrader.api import Gradebook
    except ImportError:
        return "The gradebook was not written: nbgrader is not installed (pip install 'minigrad-course[instructor]')."
    data = {(s.student, s.attempt): s for s in submissions}
    course = Path(path).resolve().parent
    with warnings.catch_warnings(), Gradebook(f"sqlite:///{Path(path).resolve()}") as book:
        warnings.simplefilter("ignore")  # of nbgrader's own queries
        cells = _cells(book, assignment)
        for student, graded in chosen.items():
            submission = data[student, graded.attempt]
            book.update_or_create_student(student)
            when = submission.time.astimezone(datetime.UTC).replace(tzinfo=None) if submission.time else None
            book.update_or_create_submission(assignment.name, student, timestamp=when)
            for score in graded.scores:
                notebook, name, most = cells[score.id]
                grade = book.find_grade(name, notebook, assignment.name, student)
                grade.auto_score = most * score.points / score.most if score.most else 0.0
                grade.needs_manual_grade = grade.manual_score is not None  # as nbgrader does: somebody should look again
            book.db.commit()
            _show(course, assignment, graded, submission, cells)
    return f"{len(chosen)} students' scores were written into {path}."


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


def _show(
    course: Path, assignment: Assignment, graded: Graded, submission: Submission, cells: dict[str, tuple[str, str, float]]
) -> None:
    """The student's notebook for formgrader: its sources, no outputs of its own, and whole metadata."""
    if not re.fullmatch(r"[^/\\+\0]+", graded.student) or graded.student in (".", ".."):
        return  # nbgrader has no such student
    scores = {grade_id(score.id): score for score in graded.scores}
    for notebook in sorted({notebook for notebook, _, _ in cells.values()}):
        names = {name for its, name, _ in cells.values() if its == notebook}
        points = {name: most for _, name, most in cells.values()}
        content = _notebook(submission.data, {name: scores[name] for name in scores if name in names}, points)
        folder = course / "autograded" / graded.student / assignment.name
        folder.mkdir(parents=True, exist_ok=True)
        new = folder / f"{notebook}.ipynb.new"
        new.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(new, folder / f"{notebook}.ipynb")
        if submission.time is not None:
            (folder / "timestamp.txt").write_text(
                f"{submission.time.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S.%f} UTC", encoding="utf-8"
            )


def _notebook(data: bytes, scores: dict[str, Score], points: dict[str, float]) -> dict[str, Any]:
    """A valid notebook out of whatever was handed in."""
    try:
        read = json.loads(data[:LARGEST].decode("utf-8-sig", "replace"))
        given = read.get("cells") if isinstance(read, dict) else None
    except (ValueError, RecursionError):
        given = None
    cells, seen = [], set()
    for number, cell in enumerate(given if isinstance(given, list) else []):
        source = cell.get("source") if isinstance(cell, dict) else None
        source = "".join(map(str, source)) if isinstance(source, list) else source
        if not isinstance(source, str):
            continue
        metadata = cell.get("metadata")
        marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
        name = marks.get("grade_id") if isinstance(marks, dict) else None
        if cell.get("cell_type") == "code" and isinstance(name, str) and name in scores and name not in seen:
            seen.add(name)
            cells.append(_check(name, source, scores[name], points[name]))
        else:
            cells.append(_cell("code" if cell.get("cell_type") == "code" else "markdown", source, f"cell-{number}"))
    lost = [name for name in scores if name not in seen]
    cells += [_check(name, f"# The cell of this check ({name}) was missing.", scores[name], points[name]) for name in lost]
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _cell(kind: str, source: str, id: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": id, "metadata": {}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _check(name: str, source: str, score: Score, points: float) -> dict[str, Any]:
    """The locked cell of a check, with the grader's verdict as its output."""
    told = render.verdict_text(score.verdict, score.title) + "\n"
    marks = {"grade": True, "grade_id": name, "locked": True, "points": points, "schema_version": 3, "solution": False, "task": False}
    cell = _cell("code", source, name)
    cell["metadata"] = {"deletable": False, "editable": False, "nbgrader": marks | {"cell_type": "code"}}
    cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": told}]
    return cell
