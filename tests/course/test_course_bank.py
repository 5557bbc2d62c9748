"""Entries, and the loading of the bank, also with another library in minigrad's place."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import course_bank
import numpy as np
import pytest

from minigrad.course import bank
from minigrad.course.exercise import Case, Exercise, register

FILES = {
    "ch95/__init__.py": '"""A trial of many imports.\n\nMore about it.\n"""\n',
    "ch95/common.py": '''\
from dataclasses import dataclass

import minigrad.linalg as algebra


@dataclass
class Pair:
    a: int
''',
    "ch95/ex01/task.py": '''\
from __future__ import annotations

import numpy as np

import minigrad
import minigrad as mg
from minigrad import float64
from minigrad.course.bank.ch95.common import Pair, algebra
from minigrad.course.exercise import Case, Exercise, Part
from minigrad.linalg import norm

TASK = Part(
    id="95.1", title="Length", difficulty=1, minutes=1, cases=lambda rng, dtype: [Case("five", (rng.normal(size=5).astype(dtype),))]
)
''',
    "ch95/ex01/answer.py": '''\
from minigrad.course.exercise import Part


def length(x):
    """The length of x."""
    from minigrad import sqrt

    return sqrt((x * x).sum())


ANSWER = Part(reference=length, hints=("a", "b", "c"), explanation="d")
''',
    "ch95/ex01/mistakes.py": "MISTAKES = {}\n",
}


@pytest.fixture
def other_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A bank with one chapter, in which NumPy plays the part of the other library."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(bank, "HERE", tmp_path)
    monkeypatch.setattr(bank, "__path__", [str(tmp_path)])
    for cache in (bank.folder, bank.copied):
        cache.cache_clear()
    yield
    for cache in (bank.folder, bank.copied):
        cache.cache_clear()
    for name in [name for name in sys.modules if name.startswith("minigrad.course.bank.ch95")]:
        del sys.modules[name]


def test_a_chapter_can_be_bound_to_another_library(other_bank: None) -> None:
    assert bank.chapters() == ["95"]
    entry = bank.exercises("95", "numpy")["95.1"]
    space = entry.space
    assert space["mg"] is space["minigrad"] is entry.mg is np
    assert space["Pair"].__module__ == "minigrad.course.bank.ch95_numpy.common"
    assert space["algebra"] is np.linalg and space["norm"] is np.linalg.norm and space["float64"] is np.float64
    assert space["Exercise"] is Exercise and isinstance(entry, Exercise)
    case, again = entry.fresh_cases(dtype="float32")
    assert again.dtype == "float32"
    assert case.args[0].dtype == np.float32
    assert entry.reference(np.array([3.0, 4.0])) == 5.0  # also imports inside of functions
    assert bank.exercises("95", "numpy") is bank.exercises("95", "numpy")
    assert entry.starter_source() == 'def length(x):\n    """The length of x."""\n    ...'


def test_a_missing_library_is_said_as_such(other_bank: None) -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        bank.exercises("95", "no_such_library")


def test_the_bank_lists_its_chapters_and_titles() -> None:
    assert bank.chapters() == sorted(bank.chapters()) and bank.chapters()
    for chapter in bank.chapters():
        title = bank.chapter_title(chapter)
        assert title and "\n" not in title and not title.endswith(".")
        entries = bank.exercises(chapter)
        numbers = [int(id_.split(".")[1]) for id_ in entries]
        assert numbers == list(range(1, len(entries) + 1)), "in the order of the notebook"
        assert all(id_ == e.id and e.chapter == chapter for id_, e in entries.items())
        assert len({e.name for e in entries.values()}) == len(entries), "answers are found by name"


def test_an_exercise_is_made_once_and_alone() -> None:
    chapter = bank.chapters()[0]
    module = importlib.import_module(f"minigrad.course.bank.ch{chapter}")
    assert bank.exercises(chapter) is module.EXERCISES
    assert bank.exercises(chapter)[f"{chapter}.1"] is bank.exercises(chapter)[f"{chapter}.1"]
    loaded = """if True:
        import sys
        from minigrad.course import check
        assert check("07.2", lambda x, trunk, head1, head2: (x, x, x), quiet=True).outcome == "wrong"
        print(*(name[21:] for name in sys.modules if name.startswith("minigrad.course.bank.")))
    """
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    others = {name for name in done.stdout.split() if not name.startswith(("ch07.ex02", "shared", "watching"))}
    assert others <= {"ch07", "ch07.common", "ch07.known"}


def test_the_old_names_of_a_chapter_are_found_in_its_files() -> None:
    ch07 = importlib.import_module("minigrad.course.bank.ch07")
    assert ch07.three_gradients is bank.exercises("07")["07.2"].reference
    assert ch07.random_tensor.__module__ == "minigrad.course.bank.shared"
    with pytest.raises(AttributeError, match="no attribute 'not_there'"):
        _ = ch07.not_there


def entry(**changes: Any) -> Exercise:
    def answer(x):
        """Doc."""

    options: dict[str, Any] = {
        "id": "95.2", "title": "T", "difficulty": 2, "minutes": 1, "reference": answer, "hints": ("a", "b", "c"),
        "explanation": "e", "cases": lambda rng, dtype: [Case("one", (rng.normal(),))],
    }  # fmt: skip
    return Exercise(**(options | changes))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"id": "4.2"}, "must look like"),
        ({"difficulty": 6}, "1 to 5"),
        ({"cases": None}, "either cases or draws"),
        ({"draws": lambda rng: 1}, "either cases or draws"),
        ({"cases": None, "draws": lambda rng: 1, "name": "x"}, "needs program and name"),
    ],
)
def test_an_entry_that_cannot_work_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        entry(**changes)


def test_an_id_is_registered_once() -> None:
    first = register(entry(id="95.3"))
    assert first.space is globals()
    with pytest.raises(ValueError, match="twice"):
        register(entry(id="95.3"))


def test_points_follow_the_difficulty_unless_they_are_given() -> None:
    assert (entry().points, entry(points=7).points) == (2, 7)


def test_a_starter_needs_a_docstring() -> None:
    with pytest.raises(ValueError, match="docstring"):
        entry(reference=lambda x: x).starter_source()


def test_draws_and_cases_depend_on_the_id_and_the_seed_alone() -> None:
    value = lambda e, seed=0: e.fresh_cases(seed)[0].args[0]  # noqa: E731
    assert value(entry()) == value(entry()) != value(entry(), 1)
    assert value(entry()) != value(entry(id="95.4"))
    assert course_bank.EXERCISES["90.2"].draw() == (7, 11)  # type: ignore[attr-defined]
