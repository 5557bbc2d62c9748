"""One's own engine: it grows with the chapters, its board is recorded and shown, and nothing that a learner wrote in it is lost."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from minigrad import course
from minigrad.course import record
from minigrad.course.capstone import assemble, examine, facts, own

ROOT = Path(__file__).parents[2]
BLANK = (ROOT / "exercises" / "16-capstone" / "my_engine.py").read_bytes()
ADDS_WRONG = own.reference("M1").replace("waiting[parent] + message", "message")


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MINIGRAD_WORK", str(tmp_path))
    monkeypatch.chdir(ROOT)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


# --- Starting from the reference ---


@pytest.mark.full
def test_the_reference_up_to_each_milestone_is_green_so_far_and_no_further() -> None:
    order = list(own.CHAPTERS)
    for name in ("M1", "M3", "M6"):
        done = order[: order.index(name) + 1]
        board = examine(assemble(own.reference(name)), tuple(done))
        assert board.passed, board.text()
    assert not examine(assemble(own.reference("M3")), ("M5",)).passed
    assert not examine(assemble(own.reference("M5")), ("M6",)).passed


def test_what_is_said_to_be_enough_is_enough_to_begin() -> None:
    """The milestones before it in the course are in the reference up to it."""
    assert own.BEFORE.keys() == own.CHAPTERS.keys() - {"M1"}
    order = list(own.CHAPTERS)
    for name, before in own.BEFORE.items():
        assert order.index(before) < order.index(name)


def test_start_upto_keeps_what_a_learner_wrote(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    course.start("16")
    assert (work / own.FILE).read_bytes() == BLANK
    course.start("16", upto="m1")  # the blank is nobody's work
    assert (work / own.FILE).read_text() == own.reference("M1") and len(list(work.glob("*old*"))) == 0
    course.start("16", upto="M1")
    assert len(list(work.glob("*old*"))) == 0, "the same once more is no reason to keep a copy"
    for mine in ("# mine\n", "# mine too\n"):
        (work / own.FILE).write_text(mine)
        course.start("16", upto="M2")
    assert (work / own.FILE).read_text() == own.reference("M2")
    assert [(work / f"my_engine-old-{k}.py").read_text() for k in (1, 2)] == ["# mine\n", "# mine too\n"]
    text = said(capsys)
    assert "The engine can do all up to M2 now" in text and "Your own engine is kept as" in text
    assert "my_engine.py" not in "".join(line for line in text.splitlines() if "stays as it is" in line)


@pytest.mark.parametrize(("chapter", "upto", "words"), [
    ("16", "M9", "There is one for each of M1, M2, M3, M4, M5, M6, M7"), ("04", "M1", "for chapter 16 only"),
])  # fmt: skip
def test_a_wrong_call_changes_nothing(chapter: str, upto: str, words: str, work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    course.start(chapter, upto=upto)
    assert words in said(capsys) and list(work.iterdir()) == []


def test_where_the_teacher_hands_out_solutions_there_is_none(
    work: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.modules["minigrad.course.notebook.check"], "solutions_allowed", lambda: False)
    course.start("16", upto="M1")
    assert "handed out by the teacher" in said(capsys) and list(work.iterdir()) == []


# --- The board that fills ---


def test_the_board_is_recorded_and_shown(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    course.progress()
    assert "Your engine is not begun" in said(capsys)
    (work / own.FILE).write_text(ADDS_WRONG)
    course.conformance(own.FILE, "M1")
    said(capsys)
    course.progress("02")
    text = said(capsys)
    count = re.search(r"M1 scalars +chapter 02 +(\d+) of (\d+) green  ([✓✗]+)", text)
    assert count and int(count[2]) == len(facts.facts("M1")) == len(count[3]) and count[3].count("✓") == int(count[1]) < int(count[2])
    assert "M7 training" in text and text.count("not run yet") == 6
    (work / own.FILE).write_text(own.reference("M1"))
    course.progress()
    assert f"{count[1]} of {count[2]} green, before your last change" in said(capsys)
    course.conformance(own.FILE, "M1")
    course.progress()
    assert f"{count[2]} of {count[2]} green  ✓" in said(capsys)
    assert re.search(r'width:100%;[^"]*"></span></span></td><td style="text-align:left">20 of 20 green</td>', own.progress_html())


def test_only_whole_milestones_of_ones_own_engine_with_the_usual_numbers_are_recorded(work: Path) -> None:
    path = work / own.FILE
    path.write_text(own.reference("M1"))
    examine(path, ("M1.add",))
    examine(path, ("M1",), seed=3)
    examine(assemble(own.reference("M1")), ("M1",))
    assert "engine" not in record.read()
    examine(path, ("M1",))
    assert list(record.read()["engine"]) == ["M1"]


def test_chapters_without_a_milestone_do_not_show_the_board(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / own.FILE).write_text(own.reference("M1"))
    examine(work / own.FILE, ("M1",))
    course.progress("03")
    assert "engine" not in said(capsys)


@pytest.mark.parametrize("damaged", [[], "text", {"M1": 3}, {"M1": ["✓", "x"]}, {"M1": None}])
def test_a_damaged_board_is_no_board(damaged: object, work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (work / own.FILE).write_text(own.reference("M1"))
    (work / record.FILE).write_text(json.dumps({"exercises": {}, "started": {}, "engine": damaged}))
    course.progress("16")
    assert "M1 scalars                chapter 02      not run yet" in said(capsys)


def test_who_has_no_engine_is_told_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    course.conformance(own.FILE, "M3")
    text = said(capsys)
    assert 'start("16")' in text and 'start("16", upto="M2")' in text and "M1 to M2 already" in text


# --- The lessons ask for it ---


@pytest.mark.parametrize("milestone", own.CHAPTERS)
def test_the_lessons_ask_for_the_milestones_where_they_are_said_to(milestone: str) -> None:
    for chapter in own.CHAPTERS[milestone].split(", "):
        (path,) = (ROOT / "chapters").glob(f"{chapter}-*.py")
        text = path.read_text(encoding="utf-8")
        assert f"## Your engine: {milestone}" in text
        assert f'conformance("my_engine.py", "{milestone}")' in text and "93-your-engine.ipynb" in text
