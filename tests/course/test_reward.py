"""What a right answer earns: the explanation, another way to write it, and what comes next."""

import importlib
import json

import numpy as np
import pytest

import minigrad as mg
from minigrad.course import bank, check, record
from minigrad.course.showing import render

checks = importlib.import_module("minigrad.course.notebook.check")
EXERCISES = {e.id: e for chapter in bank.chapters() for e in bank.exercises(chapter).values()}


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    seen: list[tuple[str, str | None]] = []
    monkeypatch.delenv("MINIGRAD_BRIEF", raising=False)
    monkeypatch.setattr(render, "show_markdown", lambda text, as_text=None: seen.append((text, as_text)))
    return seen


def test_a_right_answer_is_explained_behind_a_fold(shown: list) -> None:
    exercise = EXERCISES["04.1"]
    assert check("04.1", exercise.reference).passed
    ((text, in_a_terminal),) = shown
    assert text.startswith("<details><summary>Why this is right, and another way</summary>\n\n")
    folded, _, below = text.partition("</details>")
    assert exercise.explanation.strip() in folded and "def spell_out_flat" in folded
    assert below.strip() == "Next: 04.2 " + EXERCISES["04.2"].title + "."
    assert in_a_terminal == below.strip() + " solution('04.1') tells why this is right."


def test_a_wrong_one_is_not(shown: list) -> None:
    assert not check("04.1", lambda y, v: y.sum()).passed
    assert shown == []


def test_nor_is_a_quiet_check_or_a_built_notebook(shown: list, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = EXERCISES["04.1"].reference
    assert check("04.1", answer, quiet=True).passed
    monkeypatch.setenv("MINIGRAD_BRIEF", "1")
    assert check("04.1", answer).passed
    assert shown == []


def test_where_solutions_are_the_teachers_only_what_comes_next_is_told(
    shown: list, monkeypatch: pytest.MonkeyPatch, tmp_path, capsys: pytest.CaptureFixture
) -> None:
    (tmp_path / "assignment.json").write_text(json.dumps({"solutions": False}))
    monkeypatch.setattr(record, "root", lambda: tmp_path)
    assert check("04.1", EXERCISES["04.1"].reference).passed
    assert shown == [] and "Next: 04.2" in capsys.readouterr().out


def test_the_last_of_a_chapter(shown: list) -> None:
    last = list(bank.exercises("04"))[-1]
    checks._reward(EXERCISES[last])
    assert shown[0][0].endswith("That was the last exercise of this chapter.")


def test_another_way_can_be_read_by_itself() -> None:
    """It uses nothing but its arguments, minigrad and NumPy, and it is right."""
    ways = {id: checks.another_way(e) for id, e in EXERCISES.items()}
    assert sum(way is not None for way in ways.values()) > 50
    for id in ("04.1", "09.2"):
        space = {"mg": mg, "np": np}
        exec(ways[id][1], space)
        (answer,) = (value for name, value in space.items() if callable(value) and name not in ("mg", "np"))
        assert check(id, answer, quiet=True).passed
