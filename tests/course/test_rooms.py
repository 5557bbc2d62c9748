"""The rooms of `minigrad/course`: imports go one way between them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

COURSE = Path(__file__).parents[2] / "minigrad" / "course"
# Each imports only from those before it.
ROOMS = [
    "data", "exercise", "judging", "record", "showing", "helpers", "capstone", "bank", "judge", "notebook", "grading", "terminal",
    "__init__", "__main__",
]  # fmt: skip
UPWARD = {("capstone", "bank"): "own.py: an engine up to a milestone is the answer to an exercise"}


def imported(path: Path) -> set[str]:
    """The rooms from which a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").startswith("minigrad.course"):
            rest = str(node.module).split(".")[2:]
            found.update(rest[:1] or {a.name if a.name in ROOMS else "__init__" for a in node.names})
        elif isinstance(node, ast.Import):
            found.update(a.name.split(".")[2] for a in node.names if a.name.startswith("minigrad.course."))
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_one_way_between_rooms(room: str) -> None:
    folder = COURSE / room
    files = list(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    assert files
    above = {(room, other) for path in files for other in imported(path) if ROOMS.index(other) > ROOMS.index(room)}
    assert above == {pair for pair in UPWARD if pair[0] == room}


def test_every_file_is_in_a_room() -> None:
    assert {p.stem for p in COURSE.iterdir() if p.name != "__pycache__"} == set(ROOMS)
