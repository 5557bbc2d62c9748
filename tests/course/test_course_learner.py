"""What a learner calls, from a notebook and from a terminal: check, hint, solution, progress, report, start."""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import course_bank
import nbformat
import numpy as np
import pytest

import minigrad as mg
from minigrad import course
from minigrad.course import __main__ as cli
from minigrad.course import bank, record
from minigrad.course.showing import render

check_module = importlib.import_module("minigrad.course.notebook.check")  # the package has a function of that name
check = course.check


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A course of its own, with the small bank as chapter 90, and nobody's record."""
    entries = course_bank.EXERCISES  # type: ignore[attr-defined]
    monkeypatch.setattr(bank, "chapters", lambda: ["90"])
    monkeypatch.setattr(bank, "exercises", lambda chapter, mg="minigrad": entries)
    monkeypatch.setattr(bank, "chapter_title", lambda chapter: "Trial & error")
    monkeypatch.setattr(record, "_told", set())
    monkeypatch.setattr(check_module, "_last", {})
    monkeypatch.setattr(check_module, "_hints", {})
    monkeypatch.delenv("MINIGRAD_WORK", raising=False)
    monkeypatch.setenv("MINIGRAD_BRIEF", "1")  # what a right answer earns is in test_reward.py
    root = tmp_path / "a course, naïve & <new>"
    for name in ("exercises", "notebooks", "elsewhere"):
        (root / name).mkdir(parents=True)
    monkeypatch.chdir(root / "elsewhere")
    yield root


def text(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


# -- check -----------------------------------------------------------------------------------------------------------


def test_check_shows_its_result_and_returns_it(capsys: pytest.CaptureFixture[str]) -> None:
    result = check("90.1", lambda x, factor: 2 * x)
    assert result.passed and result and result.outcome == "passed" and result.id == "90.1"
    assert text(capsys) == "✓ 90.1 Double <it>: passed\nRight.\n" == result.text + "\n"
    assert result._ipython_display_() is None


@pytest.mark.parametrize("answer", [lambda x, factor: 2 * x, lambda x, factor: x, lambda x: undefined])  # noqa: F821
def test_a_quiet_check_shows_nothing(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    result = check("90.1", answer, quiet=True)
    assert (text(capsys), result.text) == ("", check("90.1", answer).text)


@pytest.mark.parametrize("id_", ["90.1 ", " 90.1"])
def test_ids_may_have_blanks_around_them(id_: str) -> None:
    assert check(id_, lambda x, factor: 2 * x).passed


@pytest.mark.parametrize("id_", ["90.7", "901", 90.1 + 5, None, "", "x" * 1000])
def test_an_unknown_id_names_the_nearest(id_: Any, capsys: pytest.CaptureFixture[str]) -> None:
    result = check(id_, lambda x: x)
    assert (result.passed, result.outcome) == (False, "error")
    assert "There is no exercise" in text(capsys)
    assert "'90." in result.text
    course.hint(id_)
    course.solution(id_)
    course.report(id_)
    assert text(capsys).count("There is no exercise") == 3


def test_one_digit_of_a_chapter_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = course_bank.EXERCISES["90.1"]  # type: ignore[attr-defined]
    monkeypatch.setattr(bank, "chapters", lambda: ["04"])
    monkeypatch.setattr(bank, "exercises", lambda chapter, mg="minigrad": {"04.2": entry})
    assert check_module.find("4.2") is check_module.find("04.2") is check_module.find(4.2) is entry


def test_other_seeds_and_references_are_asked_for_properly(capsys: pytest.CaptureFixture[str]) -> None:
    assert check("90.1", lambda x, factor: 2 * x, seed=7).passed
    assert check("90.1", lambda x, factor: 2 * x, seed=-7).passed
    assert check("90.1", lambda x, factor: 2 * x, reference="minigrad").passed
    assert not check("90.1", lambda x, factor: 2 * x, seed="seven").passed  # type: ignore[arg-type]
    assert not check("90.1", lambda x, factor: 2 * x, reference="jax").passed
    assert "There is no reference 'jax'" in text(capsys)


def test_a_missing_pytorch_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def missing(chapter: str, mg: str = "minigrad") -> Any:
        if mg == "torch":
            raise ModuleNotFoundError("No module named 'torch'")
        return course_bank.EXERCISES  # type: ignore[attr-defined]

    monkeypatch.setattr(bank, "exercises", missing)
    assert not check("90.1", lambda x, factor: 2 * x, reference="torch").passed
    assert "PyTorch is not installed here" in text(capsys)


def test_a_terminal_without_signs_still_gets_the_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "out").open("w", encoding="ascii") as out:
        monkeypatch.setattr(sys, "stdout", out)
        check("90.1", lambda x, factor: 2 * x)
    assert (tmp_path / "out").read_text() == "? 90.1 Double <it>: passed\nRight.\n"


# -- how it looks ----------------------------------------------------------------------------------------------------


class Strict(HTMLParser):
    """Collects tags and text; nothing that runs, and nothing that is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"div", "b", "p", "code", "pre", "i", "br", "table", "tr", "td", "span"}, tag
        assert {name for name, _ in attrs} <= {"style", "role", "aria-label"}
        assert not any("color:" in value.replace("border-color", "") for _, value in attrs if value)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def words_of(page: str) -> str:
    parser = Strict()
    parser.feed(page)
    parser.close()
    assert not parser.open
    return " ".join("".join(parser.words).split())


def shout(x, factor):
    print("<script>alert(1)</script> & more")
    raise ValueError("<b>bold</b> & `code`")


@pytest.mark.parametrize(
    ("answer", "sign", "words"),
    [
        (lambda x, factor: 2 * x, "✓", "passed"),
        (..., "○", "not attempted"),
        (lambda x, factor: x**2, "✗", "That is the square"),
        (lambda x, factor: x * 5, "✗", "not yet"),
        (shout, "✗", "error in your code"),
    ],
)
def test_html_and_text_say_the_same_and_a_word_stands_beside_every_colour(answer: Any, sign: str, words: str) -> None:
    result = check("90.1", answer)
    seen = words_of(result.html)
    assert seen.startswith(f"{sign} 90.1 Double <it>: ") and words in seen
    assert result.text.startswith(f"{sign} 90.1 Double <it>: ") and words in result.text
    assert len(result.text.splitlines()) <= 10


def test_what_an_answer_says_is_shown_and_not_run() -> None:
    page = check("90.1", shout).html
    assert "<script>" not in page
    assert "<script>alert(1)</script> & more" in words_of(page)
    assert "ValueError: <b>bold</b> & `code`" in words_of(page)


def test_hints_keep_their_code_and_emphasis() -> None:
    page = check("90.1", lambda x, factor: x**2).html
    assert "That is the <b>square</b>: <code>x * x</code>." in page
    assert "**" not in check("90.1", lambda x, factor: x**2).text


def test_markdown_of_hints_becomes_html() -> None:
    page = render.markdown("One `a < b`, **bold**, *it*, 2 * 3 * 4.\n\nTwo\n\n```python\nx = '<'\n```\n")
    assert page == (
        "<p>One <code>a &lt; b</code>, <b>bold</b>, <i>it</i>, 2 * 3 * 4.</p><p>Two</p><pre>x = &#x27;&lt;&#x27;</pre>"
    )
    words_of(page)


# -- hints, solutions, reports ---------------------------------------------------------------------------------------


def test_hints_climb_three_rungs_and_stay_on_the_last(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for _ in range(4):
        course.hint("90.1")
        shown.append(text(capsys))
    assert ["think" in shown[0], "look" in shown[1], "write" in shown[2], "write" in shown[3]] == [True] * 4
    assert "Hint 1 of 3: the idea" in shown[0] and "Hint 3 of 3" in shown[3] and "last" in shown[2]
    assert record.read()["exercises"]["90.1"]["hints"] == 3
    course.hint("90.1", 1)
    assert "think" in text(capsys)
    course.hint("90.1")
    assert "write" in text(capsys)
    course.hint("90.3", 3)  # none may be left out
    assert "think" in text(capsys)


def test_hints_climb_where_nothing_can_be_recorded(unwritable: Path, capsys: pytest.CaptureFixture[str]) -> None:
    course.hint("90.1")
    course.hint("90.1")
    assert "Hint 2 of 3" in text(capsys)


def test_a_solution_opens_after_an_attempt(capsys: pytest.CaptureFixture[str]) -> None:
    course.solution("90.1")
    check("90.1", ...)
    course.solution("90.1")
    assert text(capsys).count("Try 90.1 first") == 2
    check("90.1", lambda x, factor: x)
    text(capsys)
    course.solution("90.1")
    shown = text(capsys)
    assert "return factor * x" in shown and "Because." in shown
    check("90.2", {"sum": 1})
    course.solution("90.2")
    expected = course_bank.predict(course_bank.EXERCISES["90.2"].draw())  # type: ignore[attr-defined]
    assert f'"sum": {expected["sum"]},' in text(capsys)


def test_a_solution_is_code_also_where_it_is_not_finite() -> None:
    for value in (float("inf"), -float("inf"), float("nan"), 0.5, "yes", [1.0, 0.0]):
        np.testing.assert_equal(eval(check_module._source(value), {"np": np}), value)


def test_a_class_may_keep_solutions_shut(fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check("90.1", lambda x, factor: x)
    (fresh / "assignment.json").write_text('{"solutions": false}')
    course.solution("90.1")
    assert "handed out by the teacher" in text(capsys)
    for other in ('{"solutions": true}', "not json", "[]"):
        (fresh / "assignment.json").write_text(other)
        course.solution("90.1")
        assert "Because." in text(capsys)


def test_a_report_has_all_that_is_needed_to_look_into_it(capsys: pytest.CaptureFixture[str]) -> None:
    course.report("90.1")
    assert "Run the check of 90.1 first" in text(capsys)

    def my_answer(x, factor):
        return x * 5  # a remark

    check("90.1", my_answer, seed=3)
    text(capsys)
    course.report("90.1")
    shown = text(capsys)
    for part in ("90.1", f"minigrad {mg.__version__}", "Python 3.", "NumPy 2.", sys.platform, "Seed: 3", "3 numbers"):
        assert part in shown
    assert "return x * 5  # a remark" in shown and "not yet" in shown and "got [" in shown
    check("90.2", {"sum": 1})
    course.report("90.2")
    assert "{'sum': 1}" in text(capsys)


# -- the record ------------------------------------------------------------------------------------------------------


@pytest.fixture
def unwritable(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing can be made in here, whoever runs the tests: where the folder should be there is a file."""
    (fresh / "work").write_text("in the way")
    return fresh / "work"


def test_attempts_are_recorded_and_a_pass_is_kept(fresh: Path) -> None:
    check("90.1", ...)
    assert not (fresh / "work").exists()
    check("90.1", lambda x, factor: x)
    check("90.1", lambda x, factor: 2 * x)
    check("90.1", lambda x, factor: x)
    check("90.1", ...)
    saved = json.loads((fresh / "work" / ".progress.json").read_text())
    assert saved["exercises"]["90.1"] == {"attempts": 3, "passed": True, "hints": 0, "last": "wrong"}
    assert [p.name for p in (fresh / "work").iterdir()] == [".progress.json"]


def test_other_seeds_are_not_recorded(fresh: Path) -> None:
    check("90.1", lambda x, factor: 2 * x, seed=5)
    assert not (fresh / "work").exists()


def test_the_work_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fresh: Path) -> None:
    monkeypatch.setenv("MINIGRAD_WORK", str(tmp_path / "mine" / "too"))
    check("90.1", lambda x, factor: 2 * x)
    assert (tmp_path / "mine" / "too" / ".progress.json").exists()
    assert not (fresh / "work").exists()


def test_outside_of_the_course_the_record_is_beside_you(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lonely = tmp_path / "lonely"
    lonely.mkdir()
    monkeypatch.chdir(lonely)
    check("90.1", lambda x, factor: 2 * x)
    assert (lonely / "work" / ".progress.json").exists()


def test_where_nothing_can_be_written_answers_are_checked_and_it_is_said_once(
    unwritable: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check("90.1", lambda x, factor: 2 * x).passed
    assert check("90.1", lambda x, factor: 2 * x).passed
    course.progress()
    shown = text(capsys)
    assert shown.count("not recorded") == 1
    assert unwritable.read_text() == "in the way"


def test_a_deleted_folder_is_no_obstacle(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = fresh / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert check("90.1", lambda x, factor: 2 * x).passed
    course.progress()


DAMAGED = [
    "",
    "{",
    "[]",
    "3",
    '{"exercises": 5}',
    '{"exercises": {"90.1": 7}}',
    '{"exercises": {"90.1": {"hints": "x"}}}',
    "\x00",
]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_record_is_put_aside_and_kept(fresh: Path, content: str, capsys: pytest.CaptureFixture[str]) -> None:
    (fresh / "work").mkdir()
    (fresh / "work" / ".progress.json").write_text(content)
    course.progress()
    assert "put aside as .progress.json.damaged-1" in text(capsys)
    check("90.1", lambda x, factor: 2 * x)
    assert (fresh / "work" / ".progress.json.damaged-1").read_text() == content
    assert record.read()["exercises"]["90.1"]["passed"]
    (fresh / "work" / ".progress.json").write_text("again")
    course.progress()
    assert (fresh / "work" / ".progress.json.damaged-1").read_text() == content
    assert (fresh / "work" / ".progress.json.damaged-2").read_text() == "again"


def test_what_a_later_version_wrote_is_kept(fresh: Path) -> None:
    (fresh / "work").mkdir()
    path = fresh / "work" / ".progress.json"
    path.write_text('{"exercises": {"90.9": {"attempts": 1, "mood": "good"}}, "badges": [1]}')
    check("90.1", lambda x, factor: 2 * x)
    saved = json.loads(path.read_text())
    assert saved["badges"] == [1] and saved["exercises"]["90.9"]["mood"] == "good"


def _note_many(folder: str, name: str, count: int, together: Any) -> None:
    os.environ["MINIGRAD_WORK"] = folder
    together.wait(60)
    for k in range(count):
        record.note(f"{name}.{k}", "passed", True)


@pytest.mark.full
def test_two_kernels_lose_nothing_of_each_other(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    folder, together = str(tmp_path / "both"), context.Barrier(2)
    jobs = [context.Process(target=_note_many, args=(folder, str(k), 8, together)) for k in range(2)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join(60)
    saved = json.loads((tmp_path / "both" / ".progress.json").read_text())
    assert len(saved["exercises"]) == 16
    assert [p.name for p in (tmp_path / "both").iterdir()] == [".progress.json"]


def test_the_lock_of_a_dead_kernel_does_not_last(fresh: Path) -> None:
    (fresh / "work").mkdir()
    (fresh / "work" / ".progress.json.lock").touch()
    check("90.1", lambda x, factor: 2 * x)
    assert record.read()["exercises"]["90.1"]["passed"]


# -- progress --------------------------------------------------------------------------------------------------------


def test_progress_is_a_bar_and_a_mark_for_each_exercise(capsys: pytest.CaptureFixture[str]) -> None:
    check("90.1", lambda x, factor: 2 * x)
    check("90.2", {"sum": 1})
    text(capsys)
    course.progress()
    shown = text(capsys).splitlines()
    assert shown[:2] == ["90 · Trial & error", "  █████░░░░░░░░░░░░░░░ 1 of 4"]
    assert shown[-2] == "" and shown[-1].startswith("Your engine is not begun")
    assert shown[2:5] == ["  ✓ 90.1 Double <it>", "  ✗ 90.2 Predict", "  ○ 90.3 Slope"]
    page = render.progress_html(check_module.progress_rows())
    assert "✗ 90.2 Predict" in words_of(page) and "Trial & error" in words_of(page)
    course.progress("90")
    assert text(capsys).splitlines() == shown[:-2]
    course.progress("91")
    assert "Trial" not in text(capsys)


# -- start -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def template(fresh: Path) -> Path:
    folder = fresh / "exercises" / "90-trial"
    folder.mkdir()
    path = folder / "90-trial.ipynb"
    path.write_text('{"cells": []}')
    return path


@pytest.mark.parametrize("chapter", ["90", 90, " 90 "])
def test_start_copies_once_and_never_overwrites(
    template: Path, fresh: Path, chapter: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = fresh / "work" / "90-trial-exercises.ipynb"
    course.start(chapter)
    assert "ready: work/90-trial-exercises.ipynb" in text(capsys)
    assert mine.read_bytes() == template.read_bytes()
    mine.write_text("my answers")
    course.start(chapter)
    assert "there already" in text(capsys)
    assert mine.read_text() == "my answers"
    assert template.read_text() == '{"cells": []}'


def test_a_copy_with_the_name_of_earlier_days_is_still_the_copy(
    template: Path, fresh: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = fresh / "work" / "90-trial.ipynb"
    mine.parent.mkdir()
    mine.write_text("my answers")
    course.start("90")
    assert "there already" in text(capsys)
    assert [path.name for path in mine.parent.glob("*.ipynb")] == ["90-trial.ipynb"]


def test_start_again_keeps_every_old_copy(template: Path, fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work = fresh / "work"
    for k in range(3):
        course.start("90", again=True)
        (work / "90-trial-exercises.ipynb").write_text(f"try {k}")
    assert "kept as work/90-trial-exercises-old-2.ipynb" in text(capsys)
    assert sorted((p.name, p.read_text()) for p in work.glob("*.ipynb")) == [
        ("90-trial-exercises-old-1.ipynb", "try 0"),
        ("90-trial-exercises-old-2.ipynb", "try 1"),
        ("90-trial-exercises.ipynb", "try 2"),
    ]


def test_a_changed_template_is_reported_and_not_merged(
    template: Path, fresh: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course.start("90")
    course.start("90")
    assert "have changed" not in text(capsys)
    template.write_text('{"cells": [1]}')
    course.start("90")
    course.start("90")
    assert text(capsys).count("have changed") == 2
    assert (fresh / "work" / "90-trial-exercises.ipynb").read_text() == '{"cells": []}'
    course.start("90", again=True)
    text(capsys)
    course.start("90")
    assert "have changed" not in text(capsys)


def test_start_says_what_there_is(
    template: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any
) -> None:
    course.start("7")
    assert "There are: 90." in text(capsys)
    monkeypatch.chdir(tmp_path)
    course.start("90")
    assert "Start Python in the folder of the course" in text(capsys)


def test_start_where_nothing_can_be_written(template: Path, unwritable: Path, capsys: pytest.CaptureFixture[str]) -> None:
    course.start("90")
    assert "cannot be written" in text(capsys)
    assert unwritable.read_text() == "in the way"


# -- expected errors -------------------------------------------------------------------------------------------------


def test_an_expected_error_is_printed_with_its_notes(capsys: pytest.CaptureFixture[str]) -> None:
    error = ValueError("bad <object at 0x7f12ab>")
    error.add_note("seen in /tmp/ipykernel_123/456.py, line 3")
    with course.expect_error(ValueError, match="bad"):
        raise error
    assert text(capsys) == "ValueError: bad <object>\n  note: seen in cell, line 3\n"


def test_a_message_seen_before_is_printed_as_far_as_it_is_looked_for(capsys: pytest.CaptureFixture[str]) -> None:
    error = ValueError("bad number in line 3: must be less than 4")
    error.add_note("seen at home")
    with course.expect_error(ValueError, match=r"line \d", short=True):
        raise error
    assert text(capsys) == "ValueError: bad number in line 3 …\n  note: seen at home\n"


def test_no_error_or_another_one_is_a_failure() -> None:
    with pytest.raises(AssertionError, match="nothing was raised"), course.expect_error(ValueError):
        pass
    with pytest.raises(AssertionError, match="TypeError came"), course.expect_error(ValueError):
        raise TypeError("other")
    with pytest.raises(AssertionError, match="has no 'good'"), course.expect_error(ValueError, match="good"):
        raise ValueError("bad")
    with pytest.raises(KeyboardInterrupt), course.expect_error(ValueError):
        raise KeyboardInterrupt


def test_a_lesson_shows_an_error_without_saying_that_one_comes(capsys: pytest.CaptureFixture[str]) -> None:
    error = RuntimeError("bad <object at 0x7f12ab>")
    error.add_note("here")
    with course.show_error():
        raise error
    assert text(capsys) == "RuntimeError: bad <object>\n  note: here\n"
    with course.show_error(upto="bad"):
        raise error
    assert text(capsys) == "RuntimeError: bad …\n  note: here\n"
    with course.show_error():
        print("fine")
    assert text(capsys) == "fine\n"
    with pytest.raises(TypeError), course.show_error():
        raise TypeError("other")


# -- the terminal ----------------------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]


def terminal(*arguments: str, work: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """The real course in a process of its own."""
    env = os.environ | {"MINIGRAD_WORK": str(work), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "minigrad.course", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=120, cwd=ROOT, env=env, check=False, **options
    )


def notebook(path: Path, *cells: str) -> str:
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells]), path)
    return str(path)


def test_commands_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    assert "copy a chapter's exercises" in text(capsys)
    with pytest.raises(SystemExit) as end:
        cli.main(["--help"])
    assert end.value.code == 0
    assert re.findall(r"^    (\w+)", text(capsys), re.M) == [
        "start",
        "check",
        "status",
        "hint",
        "solution",
        "explain",
        "report",
        "conformance",
        "exercise",
        "doctor",
        "grade",
    ]
    with pytest.raises(SystemExit) as end:
        cli.main(["dance"])
    assert end.value.code == 2


def test_exit_codes_tell_what_happened(template: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["start", "90"]) == 0
    assert cli.main(["start", "7"]) == 1
    assert cli.main(["start", "90", "--again"]) == 0
    assert cli.main(["status"]) == 0
    assert cli.main(["hint", "90.1"]) == 0
    assert cli.main(["hint", "90.7"]) == 1
    assert cli.main(["check", "7"]) == 1
    assert cli.main(["check", "90", "nowhere.ipynb"]) == 1
    assert "nowhere.ipynb is not there" in text(capsys)


ANSWERS = """
import minigrad as mg
def spell_out(y, v):
    return (v * y).sum()
"""


def test_a_notebook_is_checked_cell_by_cell(tmp_path: Path) -> None:
    path = notebook(
        tmp_path / "mine ü.ipynb",
        "%matplotlib inline\nimport minigrad as mg\nfrom minigrad.course import check, hint\nprint('noise')",
        "1 / 0",
        ANSWERS + "check('04.1', spell_out)\nhint('04.1')",
        "import sys\nsys.exit(3)",
        "this is no Python",
        "def row(f, x, i):\n    return undefined_name",
        "dot_test = 5",
    )
    run = terminal("check", "4", path, work=tmp_path)
    lines = run.stdout.splitlines()
    assert run.returncode == 1, run.stderr
    assert lines[0] == "Cell 2: ZeroDivisionError: division by zero"
    assert lines[1] == "Cell 4: SystemExit: 3"
    assert lines[2].startswith("Cell 5: SyntaxError")
    assert lines[3] == "✓ 04.1 Two spellings: passed"
    assert lines[4].startswith("✗ 04.2 ") and "NameError" in lines[4]
    assert lines[5].startswith("○ 04.3 ") and "is not defined in the notebook" in lines[5]
    assert "must be a function" in lines[9]
    assert lines[-1] == "1 of 7 passed."
    assert len(lines) == 3 + 7 + 1
    assert "noise" not in run.stdout
    saved = json.loads((tmp_path / ".progress.json").read_text())["exercises"]
    assert saved["04.1"]["passed"] and saved["04.1"]["hints"] == 0 and saved["04.1"]["attempts"] == 1


@pytest.mark.full
def test_a_report_from_the_terminal(tmp_path: Path) -> None:
    path = notebook(tmp_path / "mine.ipynb", ANSWERS.replace("v * y", "y"))
    run = terminal("report", "04.1", path, work=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "return (y).sum()" in run.stdout and "Where did v go?" in run.stdout and "NumPy" in run.stdout
    assert terminal("report", "04.2", path, work=tmp_path).returncode == 1


def test_what_is_no_notebook_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("hello")
    run = terminal("check", "04", str(tmp_path / "a.ipynb"), work=tmp_path)
    assert (run.returncode, run.stdout.strip().endswith("is not a notebook.")) == (1, True)


def test_an_endless_cell_is_stopped_and_the_others_still_count(tmp_path: Path) -> None:
    path = notebook(tmp_path / "mine.ipynb", "while True:\n    pass", ANSWERS)
    code = (
        "import sys; from minigrad.course.terminal import commands; commands.CELL_LIMIT = 0.5; "
        "commands._check_here('04', sys.argv[1], '')"
    )
    env = os.environ | {"MINIGRAD_WORK": str(tmp_path), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    run = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, encoding="utf-8", timeout=60, env=env, check=False
    )
    assert run.stdout.splitlines()[:2] == [
        "Cell 1 took longer than 0.5 seconds and was stopped.",
        "✓ 04.1 Two spellings: passed",
    ]


# --- Where to continue ---


def test_resume_begins_at_the_beginning(capsys: pytest.CaptureFixture[str]) -> None:
    course.resume()
    assert text(capsys).splitlines() == ["You have not begun yet: chapter 90 is the place."]


def test_resume_shows_the_chapters_that_are_begun(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    two_chapters(monkeypatch)
    record.update(lambda r: r["started"].update({"92": "x"}))
    solve("90.1", passed=False)
    course.resume()
    assert text(capsys).splitlines() == [
        "90 ░░░░░░░░░░░░░░░░░░░░ 0 of 4  Trial & error",
        "92 ░░░░░░░░░░░░░░░░░░░░ 0 of 4  Trial & error",
        "You were in chapter 90. Next: 90.1 Double <it>.",
    ]


def test_resume_names_the_next_exercise(capsys: pytest.CaptureFixture[str]) -> None:
    check("90.1", lambda x, factor: 2 * x)
    text(capsys)
    course.resume()
    assert text(capsys).splitlines()[-1] == "You were in chapter 90. Next: 90.2 Predict."


def two_chapters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bank, "chapters", lambda: ["90", "91", "92"])
    monkeypatch.setattr(bank, "exercises", lambda chapter, mg="minigrad": {
        id.replace("90", chapter): type("E", (), {"id": id.replace("90", chapter), "title": e.title})
        for id, e in course_bank.EXERCISES.items()})  # type: ignore[attr-defined]  # fmt: skip


def solve(*ids: str, attempts: int = 1, passed: bool = True) -> None:
    for id in ids:
        record.update(lambda r, id=id: record.entry(r, id).update(attempts=attempts, passed=passed))


def said(capsys: pytest.CaptureFixture[str]) -> str:
    text(capsys)
    course.resume()
    return text(capsys).splitlines()[-1]


def test_resume_goes_on_to_what_is_open(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    two_chapters(monkeypatch)
    record.update(lambda r: r["started"].update({"91": "x"}))
    assert said(capsys) == "You have opened the exercises of chapter 91. Next: 91.1 Double <it>."
    solve("90.1", "90.2", "90.3", "90.4", "92.1")
    assert said(capsys) == "You were in chapter 92. Next: 92.2 Predict."
    record.update(lambda r: r.update(latest="90.4"))
    assert said(capsys) == "You have solved all of chapter 90. Next: chapter 91."
    solve("92.2", "92.3", "92.4")
    record.update(lambda r: r.update(latest="92.4"))
    assert said(capsys) == "You have solved all of chapter 92. Next: chapter 91."
    solve("91.1", "91.2", "91.3", "91.4")
    assert said(capsys) == "You have solved everything that is here."


def test_resume_survives_a_strange_record(capsys: pytest.CaptureFixture[str]) -> None:
    record.update(lambda r: r.update(latest=["?"]))
    assert said(capsys).startswith("You have not begun yet")


def test_resume_links_to_the_copy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown: list[str] = []
    (tmp_path / "90-x.ipynb").write_text("{}")
    resume_module = importlib.import_module("minigrad.course.notebook.resume")
    monkeypatch.setattr(render, "show", lambda as_html, as_text: shown.append(as_html))
    monkeypatch.setattr(resume_module, "copy_of", lambda chapter: tmp_path / "90-x.ipynb")
    monkeypatch.setattr(resume_module, "lesson", lambda chapter: tmp_path / "90-lesson.ipynb")
    check("90.2", {"sum": 1})
    course.resume()
    assert "90-x.ipynb" in shown[-1] and "90-lesson.ipynb" in shown[-1] and "Trial &amp; error" in shown[-1]
