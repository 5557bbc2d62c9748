"""nbgrader itself, on the repository: solutions/ is its source, exercises/ its release."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from minigrad.course import bank

ROOT = Path(__file__).parent.parent

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

pytest.importorskip("nbgrader", reason="nbgrader is not installed (extra: instructor)")


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """nbgrader's release of all solutions, and its gradebook."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "solutions", folder / "solutions")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    done = subprocess.run([sys.executable, "-c", RELEASE], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def cells(path: Path) -> list[tuple]:
    return [(c.id, c.cell_type, c.source, c.metadata) for c in nbformat.read(path, as_version=4).cells]


def test_the_release_is_what_is_committed(released):
    committed = sorted(path.relative_to(ROOT) for path in (ROOT / "exercises").rglob("*") if path.is_file())
    assert sorted(path.relative_to(released) for path in (released / "exercises").rglob("*") if path.is_file()) == committed
    for path in committed:
        assert cells(released / path) == cells(ROOT / path), path


def test_the_release_holds_no_answers(released):
    for path in (released / "exercises").glob("*/*.ipynb"):
        text = path.read_text(encoding="utf-8")
        assert "BEGIN SOLUTION" not in text and "HIDDEN TESTS" not in text and "explanation" not in text


def test_the_gradebook_knows_every_check_with_its_points(released):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{released / 'gradebook.db'}") as book:
        known = {cell.name: (cell.max_score, cell.cell_type) for a in book.assignments for n in a.notebooks for cell in n.grade_cells}
    exercises = [e for c in bank.chapters() for e in bank.exercises(c).values() if list((ROOT / "exercises").glob(f"{c}-*"))]
    assert known == {f"{e.id.replace('.', '-')}-check": (e.points, "code") for e in exercises}
