"""nbgrader itself, on the repository: solutions/ is its source, exercises/ its release."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from minigrad.course import bank
from minigrad.course.grading.gradebook import opened, path_with_programs

ROOT = Path(__file__).parents[2]

# What `nbgrader generate_assignment NAME` does, for all of them in one process.
RELEASE = """
import os
from nbgrader.apps import GenerateAssignmentApp
for name in sorted(os.listdir("solutions")):
    GenerateAssignmentApp.clear_instance()
    app = GenerateAssignmentApp.instance()
    app.initialize([name])
    app.start()
"""

PROGRAMS = os.environ | {"PATH": path_with_programs()}

pytestmark = pytest.mark.nbgrader


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """nbgrader's release of all solutions, and its gradebook."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "solutions", folder / "solutions")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    done = subprocess.run([sys.executable, "-c", RELEASE], cwd=folder, capture_output=True, text=True, env=PROGRAMS)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def cells(path: Path) -> list[tuple]:
    return [(c.id, c.cell_type, c.source, c.metadata) for c in nbformat.read(path, as_version=4).cells]


def test_the_release_is_what_is_committed(released):
    committed = sorted(path.relative_to(ROOT) for path in (ROOT / "exercises").rglob("*") if path.is_file())
    assert sorted(path.relative_to(released) for path in (released / "exercises").rglob("*") if path.is_file()) == committed
    for path in committed:
        read = cells if path.suffix == ".ipynb" else Path.read_bytes
        assert read(released / path) == read(ROOT / path), path


def test_the_release_holds_no_answers(released):
    for path in (released / "exercises").glob("*/*.ipynb"):
        text = path.read_text(encoding="utf-8")
        assert "BEGIN SOLUTION" not in text and "HIDDEN TESTS" not in text and "explanation" not in text


def test_the_gradebook_knows_every_check_with_its_points(released):
    with opened(released / "gradebook.db") as book:
        known = {cell.name: (cell.max_score, cell.cell_type) for a in book.assignments for n in a.notebooks for cell in n.grade_cells}
    exercises = [e for c in bank.chapters() for e in bank.exercises(c).values() if list((ROOT / "exercises").glob(f"{c}-*"))]
    assert known == {f"{e.id.replace('.', '-')}-check": (e.points, "code") for e in exercises}


def test_nbgraders_autograder_leaves_handed_in_files_alone():
    from traitlets.config.loader import PyFileConfigLoader

    kept = PyFileConfigLoader("nbgrader_config.py", str(ROOT)).load_config().Autograde.exclude_overwriting
    files = [path for path in (ROOT / "solutions").glob("*/*") if path.is_file() and path.suffix != ".ipynb"]
    assert kept == {folder: sorted(f.name for f in files if f.parent.name == folder) for folder in {f.parent.name for f in files}}


# --- our grades in nbgrader's gradebook, beside answers that people grade ---


def test_written_answers_stay_for_people(tmp_path):
    import json

    from minigrad.course.__main__ import main

    name = "06-accumulation"
    shutil.copytree(ROOT / "solutions" / name, tmp_path / "solutions" / name)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    source = tmp_path / "solutions" / name / f"{name}.ipynb"
    nb = nbformat.read(source, as_version=4)
    marks = {"grade": True, "grade_id": "why", "locked": False, "points": 5, "schema_version": 3, "solution": True, "task": False}
    nb.cells.append(nbformat.v4.new_markdown_cell("Since gradients add up.", id="why", metadata={"nbgrader": marks}))
    nbformat.write(nb, source)
    done = subprocess.run([sys.executable, "-c", RELEASE], cwd=tmp_path, capture_output=True, text=True, env=PROGRAMS)
    assert done.returncode == 0, done.stderr
    released = nbformat.read(tmp_path / "exercises" / name / f"{name}.ipynb", as_version=4)
    assert "add up" not in released.cells[-1].source

    handed_in = tmp_path / "submitted" / "ada" / name
    handed_in.mkdir(parents=True)
    released.cells[-1].source = "Because they do."
    (handed_in / f"{name}.ipynb").write_text(json.dumps(released))
    (handed_in / "submission_secret.txt").write_text("a receipt")
    (handed_in / "helper.py").write_text("x = 3")
    book = tmp_path / "gradebook.db"
    command = ["grade", str(tmp_path / "submitted"), "--assignment", "06", "--weak-isolation", "--gradebook", str(book)]
    assert main([*command, "--output", str(tmp_path / "out")]) == 0
    with opened(book) as gradebook:
        why = gradebook.find_grade("why", name, name, "ada")
        assert why.needs_manual_grade and why.auto_score is None
        assert not gradebook.find_grade("06-1-check", name, name, "ada").needs_manual_grade
    shown = nbformat.read(tmp_path / "autograded" / "ada" / name / f"{name}.ipynb", as_version=4)
    written = shown.cells[-1]
    assert written.source == "Because they do." and written.metadata.nbgrader.solution and written.metadata.nbgrader.points == 5
    beside = tmp_path / "autograded" / "ada" / name
    assert [(beside / file).read_text() for file in ("submission_secret.txt", "helper.py")] == ["a receipt", "x = 3"]
    page = [sys.executable, "-m", "nbgrader", "generate_feedback", name]
    done = subprocess.run(page, cwd=tmp_path, capture_output=True, text=True, env=PROGRAMS)
    assert done.returncode == 0, done.stderr
    assert "not attempted" in (tmp_path / "feedback" / "ada" / name / f"{name}.html").read_text(encoding="utf-8")
