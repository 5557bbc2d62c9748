"""The skeleton of a new exercise works as it is, is tried with one command, and is graded as the course's own are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import minigrad as mg
from minigrad.course import __main__ as cli
from minigrad.course.grading import assignment, files
from minigrad.course.grading.cluster import Packed
from minigrad.course.judge import PASSED, WRONG, judge
from minigrad.course.terminal import author


@pytest.fixture
def place(tmp_path: Path) -> Path:
    assert cli.main(["exercise", "80.1", 'Twice "as" much', "--folder", str(tmp_path)]) == 0
    return tmp_path / "ch80" / "ex01"


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def tried(place: Path) -> list[str]:
    return list(author.troubles(author.found("80.1", place.parents[1])))


def test_a_skeleton_keeps_its_promises(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(path.name for path in place.iterdir()) == ["answer.py", "mistakes.py", "task.py"]
    assert tried(place) == []
    assert cli.main(["exercise", "80.1", "--folder", str(place.parents[1])]) == 0
    assert "def twice_as_much(x):" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("answer", "return 2 * x\n", "return 2 * x + len(x) * 0 + next(COUNT)\n", "The reference does not pass"),
        ("answer", "ANSWER = Part(\n", "ANSWER = Part(\n    starter='def twice_as_much(x)',\n", "The starter does not run"),
        ("mistakes", "return x**2", "return x + x", "'the square' is not recognised"),
        ("mistakes", "return (2 * x).sum()", "return x**2", "It is taken for 'the square'"),
        ("mistakes", 'MISTAKES["the sum"] =', "_ =", "Fewer than two mistakes"),
        ("task", '("the sum",)', '("a sum",)', "No known mistake 'a sum' breaks 'Return a Tensor"),
    ],
)
def test_a_trial_says_what_is_broken(place: Path, file: str, old: str, new: str, said: str) -> None:
    change(place / f"{file}.py", old, new)
    if "COUNT" in new:
        change(place / "answer.py", "from minigrad.course", "from itertools import count\n\nfrom minigrad.course")
        change(place / "answer.py", "ANSWER = Part(", "COUNT = count()\nANSWER = Part(")
    assert [trouble for trouble in tried(place) if said in trouble]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["80.1", "Another"], "is there already"),
        (["8.1", "Another"], "is no id"),
        (["80.2"], "There are: 80.1"),
        (["81.1"], "no folder of exercises"),
    ],
)
def test_what_cannot_be_is_said(place: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["exercise", *words, "--folder", str(place.parents[1])]) == 1
    assert said in capsys.readouterr().out


def test_an_exercise_of_a_folder_is_graded_without_its_answer(place: Path) -> None:
    week = place.parents[1] / "week.toml"
    week.write_text('bank = "ch80"\n', encoding="utf-8")
    mine = assignment.load(str(week))
    exercise = mine.exercises["80.1"]
    (inside,) = files.for_the_child(exercise)
    assert inside == ("minigrad.course.bank.ch80.ex01.task", (place / "task.py").read_text(encoding="utf-8"))
    before = mine.fingerprint()
    with Packed.of(mine).load() as there:
        assert there.fingerprint() == before
    change(place / "task.py", '="80.1"', '="80.2"')
    with pytest.raises(assignment.AssignmentError, match="has the id 80.2, not 80.1"):
        assignment.load(str(week))
    change(place / "task.py", '="80.2"', '="80.1"')
    change(place / "answer.py", "return 2 * x", "return x + x")
    assert assignment.load(str(week)).fingerprint() != before
    learns = "from minigrad.course.bank.ch80.ex01.answer import twice_as_much"
    change(place / "task.py", "import minigrad as mg", f"import minigrad as mg\n{learns}")
    with pytest.raises(assignment.AssignmentError, match=r"give its answer away.*ch80\.ex01\.answer"):
        assignment.load(str(week))


def test_the_exercise_of_the_page_keeps_its_promises(place: Path) -> None:
    """What a teacher finds in docs/teachers-exercises.md, file by file."""
    page = (Path(__file__).parents[2] / "docs" / "teachers-exercises.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^## [^\n]*`(\w+\.py)`\n\n```python\n(.*?)\n```", page, re.MULTILINE | re.DOTALL)
    assert [name for name, _ in blocks] == ["task.py", "answer.py", "mistakes.py"]
    for name, text in blocks:
        (place / name).write_text(text + "\n", encoding="utf-8")
    assert tried(place) == []
    (place.parents[1] / "week5.toml").write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    exercise = assignment.load(str(place.parents[1] / "week5.toml")).exercises["80.1"]
    for form, outcome in ((lambda f, x: f(x) * 0, WRONG), (lambda f, x: mg.autograd.functional.jacobian(f, x), PASSED)):
        assert judge(exercise, form).outcome == outcome
