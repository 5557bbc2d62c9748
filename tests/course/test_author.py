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

PAGE = Path(__file__).parents[2] / "docs" / "teachers-exercises.md"


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
        ("task", '("the sum",)', '("the sum",), ("detachd",)', "There is no attack 'detachd'. Is it 'detached'?"),
        ("task", '("the sum",)', '("the sum",), ("clears .grad",)', "The attack 'clears .grad' changes nothing in any case"),
        ("task", "    edges=edges,", "    edges=edges, tolerance=1e-3,", "The attack 'a slip in the sixth digit' passes"),
        ("task", "    edges=edges,", "    edges=edges, without={'values': '-'},", "'writes into its inputs' is not tried"),
        ("answer", "return 2 * x\n", "return two * x\n", "The reference raises in every case, as NameError: name 'two'"),
        ("mistakes", "return (2 * x).sum()", "return total(x)", "'the sum' raises in every case, as NameError"),
        ("mistakes", "return x**2", "return x + x", "If it is wrong, a case is missing"),
        ("mistakes", '"**" in source', '"pow" in source', "its evidence is not found in its own source"),
        ("mistakes", "lambda source, seen:", "lambda source:", "the exercise's own code fails with TypeError"),
        ("task", "def edges(rng: np.random.Generator, dtype: Any)", "def edges(rng: Any)", "own code fails with TypeError: edges()"),
        ("task", "(mg.tensor(rng.normal(size=1), dtype=dtype),)", "mg.tensor([1.0])", "its arguments are a tuple, as (x,)"),
    ],
)
def test_a_trial_says_what_is_broken(place: Path, file: str, old: str, new: str, said: str) -> None:
    change(place / f"{file}.py", old, new)
    if "edges=" in old:
        change(place / "task.py", '("the square",)', '("the square",), ("a slip in the sixth digit", "writes into its inputs")')
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
        (["80.2", " "], "The title is empty"),
        (["Twice as much"], "is no id"),
        (["80.01"], "is no id"),
        (["04.9", "Another"], "Chapter 04 is the course's own"),
        (["04.1"], "add --folder"),
    ],
)
def test_what_cannot_be_is_said(place: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["exercise", *words, "--folder", str(place.parents[1])]) == 1
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("task", '("the sum",)', '("the sum")', 'write ("the sum",), with a comma. Look at {}/task.py, line'),
        ("task", '    title="Twice \'as\' much",\n', "", "'title'. Look at {}."),
        ("task", "        Case(", "        Case((", "Look at {}/task.py, line 23."),
        ("answer", "import Part", "import Parts", "Look at {}/answer.py, line 5."),
        ("answer", '        "A skeleton:', '    ), foot=(\n        "A skeleton:', "Look at {}."),
    ],
)
def test_what_does_not_load_is_named(place: Path, file: str, old: str, new: str, said: str) -> None:
    text = (place / f"{file}.py").read_text(encoding="utf-8")
    (place / f"{file}.py").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        author.found("80.1", place.parents[1])
    assert said.format(place) in str(caught.value)


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
    page = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^## [^\n]*`(\w+\.py)`\n\n```python\n(.*?)\n```", page, re.MULTILINE | re.DOTALL)
    assert [name for name, _ in blocks] == ["task.py", "answer.py", "mistakes.py"]
    for name, text in blocks:
        (place / name).write_text(text + "\n", encoding="utf-8")
    assert tried(place) == []
    (place.parents[1] / "week5.toml").write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    exercise = assignment.load(str(place.parents[1] / "week5.toml")).exercises["80.1"]
    for form, outcome in ((lambda f, x: f(x) * 0, WRONG), (lambda f, x: mg.autograd.functional.jacobian(f, x), PASSED)):
        assert judge(exercise, form).outcome == outcome


def write_predictions_of_the_page(folder: Path, **swaps: tuple[str, str]) -> None:
    """The page's second example, in ch80/ex02. swaps: for a file, what is exchanged in it."""
    page = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n# (ch80/ex02/(\w+)\.py)\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL)
    assert [file for _, file, _ in blocks] == ["task", "answer", "mistakes"]
    (folder / "ch80" / "ex02").mkdir(parents=True)
    for name, file, text in blocks:
        (folder / name).write_text(text.replace(*swaps.get(file, ("", "")), 1) + "\n", encoding="utf-8")


def test_the_predictions_of_the_page_keep_their_promises(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_predictions_of_the_page(tmp_path)
    assert cli.main(["exercise", "80.2", "--folder", str(tmp_path)]) == 0
    program = capsys.readouterr().out.split("The program:\n\n")[1].split("\n\nThe learner's cell:")[0]
    exec(program, {"mg": mg})
    exercise = author.found("80.2", tmp_path)
    assert capsys.readouterr().out.split() == [f"tensor({value}.)" for value in exercise.reference(exercise.draw()).values()]


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("task", "(x**2).backward()", "(x**2).backward(", "The program is no Python"),
        ("task", 'draw["x"]', 'draw["y"]', "The program is not made: KeyError: 'y'"),
        ("task", "rng.integers(3, 7)", "rng.integers(2, 3)", "If it is wrong, choose other numbers in draws"),
        ("task", 'name="in_grad",', 'name="in_grad", words=("yes", "no"),', "none of the words: yes, no"),
        ("answer", '"b": draw["k"]', '"b": draw["kk"]', "The reference fails with KeyError: 'kk'"),
        ("mistakes", 'in_grad(draw) | {"b": 2', '{"b": 2', "has other entries than the reference: b, not a, b"),
        ("mistakes", "def replaced(draw):", "def replaced():", "The mistake 'replaced' fails with TypeError"),
    ],
)
def test_a_trial_of_predictions_says_what_is_broken(tmp_path: Path, file: str, old: str, new: str, said: str) -> None:
    write_predictions_of_the_page(tmp_path, **{file: (old, new)})
    assert [trouble for trouble in author.troubles(author.found("80.2", tmp_path)) if said in trouble]
