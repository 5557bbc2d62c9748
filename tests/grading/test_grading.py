"""The grader: a small class, honest, damaged and hostile. The class of 300 is in benchmarks/grading.py."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import datetime
import hashlib
import inspect
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc
import unicodedata
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import grading_class as klass
import numpy as np
import pytest

import minigrad as mg
import minigrad.course
from minigrad.course import bank
from minigrad.course.__main__ import main
from minigrad.course.capstone import runner
from minigrad.course.exercise import Exercise
from minigrad.course.grading import assignment, confine, files, frames, grade, results, run, sandbox, submissions, wire
from minigrad.course.judge import ERROR, KNOWN, NOT_ATTEMPTED, PASSED, WRONG, Verdict, judge
from minigrad.course.judging import guard, standing
from minigrad.course.judging.compare import MISSING, Opaque, Raised, Unfit, as_array, differences, same, show
from minigrad.course.showing import drawn

SET_UP = "import numpy as np\nimport minigrad as mg"

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")


@pytest.fixture(scope="module")
def box():
    with sandbox.sandbox() as made:
        yield made


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(grade, "CELL_LIMIT", 1.0)
    monkeypatch.setattr(grade, "MARGIN", 2.0)


def chapter(number: str, seconds: float | None = None, **changes) -> assignment.Assignment:
    given = assignment.load(number)
    exercises, changes = given.exercises, {"partial": False} | changes
    if seconds is not None:
        exercises = {id: dataclasses.replace(e, time_limit=seconds) for id, e in exercises.items()}
    return dataclasses.replace(given, exercises=exercises, **changes)


def graded(box, content, number="04", seconds=None, **changes) -> grade.Graded:
    return grade.grade(klass.as_submission("ada", content), chapter(number, seconds, **changes), box, "secret")


# --- each gets what it deserves ---


@pytest.mark.parametrize("number", ["04", "07"])
@pytest.mark.full
def test_solutions_get_all_points_and_untouched_exercises_none(box, number):
    right = graded(box, klass.template(number, "solutions"), number)
    assert right.total == assignment.load(number).total and not right.problems
    blank = graded(box, klass.template(number), number)
    assert {s.verdict.outcome for s in blank.scores} == {NOT_ATTEMPTED} and blank.total == 0


EVERY = bool(os.environ.get("MINIGRAD_EVERY_ANSWER"))  # takes an hour


@pytest.mark.sampled(2, weekly=2)
@pytest.mark.parametrize("number", bank.chapters() if EVERY else ["06", "11"])
@pytest.mark.full
def test_the_grader_says_what_check_says(box, number):
    for row, notebook in klass.sheets(number)[: None if EVERY else 3]:
        submission = klass.as_submission("ada", notebook, klass.files_of(row))
        for score in (s for s in grade.grade(submission, chapter(number), box, "", seed=5).scores if s.id in row):
            style = row[score.id]
            here, there = style.verdict(5), score.verdict
            said = [(v.outcome, v.mistake, v.sentence, v.hint) for v in (here, there)]
            assert said[0] == said[1], style
            assert (there.outcome == "passed") == (style.kind != "wrong")


DAMAGED = klass.damaged("11")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_notebook(box, name):
    content, findable = DAMAGED[name]
    got = graded(box, content, "11")
    assert got.total == (assignment.load("11").total if findable else 0)
    assert findable or got.problems


NOWHERE = Path("/nowhere")
ATTACKS = {a.name: a for a in klass.attacks(NOWHERE, NOWHERE, NOWHERE)}


def test_the_documentation_tells_of_every_attack():
    page = (klass.ROOT / "docs" / "teachers-safety.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| ([^|]+?) \|", page.partition("<!-- attacks -->")[2].partition("<!-- end -->")[0], re.MULTILINE))
    assert told - {"Attack", ":--"} == ATTACKS.keys() | klass.ENGINES.keys()


@pytest.mark.bwrap
@pytest.mark.sampled(1, weekly=2)
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gets_what_it_deserves(box, quick, tmp_path, name):
    files = [tmp_path / n for n in ("seed.txt", "gradebook.db", "other.ipynb")]
    for file in files:
        file.write_text("mine")
    attack = next(a for a in klass.attacks(*files) if a.name == name)
    got = graded(box, klass.notebook(SET_UP, *attack.cells), seconds=1.0)
    assert tuple(s.id for s in got.scores if s.points) == attack.earns
    assert [file.read_text() for file in files] == ["mine"] * 3
    assert not Path("/tmp/pwned").exists()
    page = results.feedback(got, assignment.load("04"))
    assert "<script" not in page and "<img src=x" not in page


# --- the capstone: answers are files ---


def capstone(box, submission, *ids, **changes) -> grade.Graded:
    whole = assignment.load("16")
    exercises = {id: whole.exercises[id] for id in ids}
    return grade.grade(submission, dataclasses.replace(whole, exercises=exercises, **changes), box, "secret")


@pytest.mark.weekly
def test_the_files_of_the_capstone(box, tmp_path):
    from minigrad.course.bank import ch16

    right, half, facts = (Path(form()).read_text() for form in (ch16.m1, ch16.EXERCISES["16.1"].mistakes["recursion"].answer, ch16.m8))
    for student, engine in {"ada": right, "bob": half, "cleo": None, "dan": "\xff"}.items():
        folder = tmp_path / student / "16-capstone"
        folder.mkdir(parents=True)
        last = "m8 = lambda: 3" if student == "dan" else "def m8(): return 'my_facts.py'"
        cells = klass.notebook("def m1(): return 'my_engine.py'", last)
        (folder / "16-capstone.ipynb").write_text(json.dumps(cells))
        (folder / "my_facts.py").write_text(facts)
        if engine is None:
            (folder / "my_engine.py").symlink_to(tmp_path / "ada" / "16-capstone" / "my_engine.py")
        else:
            (folder / "my_engine.py").write_text(engine, encoding="latin-1" if engine == "\xff" else "utf-8")
    ada, bob, cleo, dan = (capstone(box, s, "16.1", "16.8", partial=True) for s in submissions.find(tmp_path))
    assert ada.total == 7 and not ada.problems
    assert bob.scores[0].verdict.mistake == "recursion" and 2 < bob.scores[0].points < 3 and bob.scores[1].points == 4
    assert "no file my_engine.py beside the notebook" in " ".join(cleo.scores[0].verdict.details)
    assert cleo.problems == ["my_engine.py was not read: it is a link to another file."] and cleo.total == 4
    assert "cannot be read" in " ".join(dan.scores[0].verdict.details) and dan.total == 0
    assert dan.scores[1].verdict.outcome == judge(bank.exercises("16")["16.8"], lambda: 3).outcome


@pytest.mark.weekly
def test_random_programs_run_in_the_sandbox(box):
    from minigrad.course.bank import ch16
    from minigrad.course.grading.capstone import findings

    wrong = ch16.patched(ch16.M6, ("(g * (1 - out * out),)", "(1 - out * out,)"))
    m9 = ch16.EXERCISES["16.9"]
    right, wrong = (findings(m9, "my_engine.py", Path(form()).read_text(), 2**40, box) for form in (ch16.m9, wrong))
    assert {f.kind for f in right} == {""} and len(right) == 6
    assert "value" in {f.kind for f in wrong} and ".tanh()" in "".join(f.text for f in wrong)


@pytest.mark.weekly
def test_files_of_the_engine_that_were_changed(box):
    """Each runs in a sandbox, in the place of minigrad's own; they lie beside the notebook, whatever folder an answer names."""
    from minigrad.course.bank import ch17

    cells = klass.notebook(
        "def e1():\n    return 'engine/ops/pointwise.py'", "def e2():\n    return 'engine/core/walk.py'",
        "def turns_red():\n    return {'H.input', 'H.output', 'H.through'}", "def e5():\n    return 'mine.py'",
    )  # fmt: skip
    wrong = ch17.EXERCISES["17.2"].mistakes["counts what arrives"].answer
    files = {"pointwise.py": Path(ch17.e1()).read_bytes(), "walk.py": Path(wrong()).read_bytes(), "mine.py": b""}
    whole = assignment.load("17")
    exercises = {id: whole.exercises[id] for id in ("17.1", "17.2", "17.4", "17.5")}
    graded = grade.grade(klass.as_submission("ada", cells, files), dataclasses.replace(whole, exercises=exercises), box, "secret")
    assert [score.verdict.passed for score in graded.scores] == [True, False, True, False]
    assert graded.scores[1].verdict.mistake == "counts what arrives"
    assert "The engine has no file mine.py" in " ".join(graded.scores[3].verdict.details)


FORGED = "\nimport sys\nsys.modules['minigrad.course.capstone.child'].run = lambda id, *more: {'id': id, 'shown': []}"


def changed_engine(box, added: str) -> grade.Graded:
    """What a class's grading says of pointwise.py with some lines below it, handed in for three exercises of chapter 17."""
    from minigrad.course.capstone import copies

    names = {"17.1": "pointwise.py", "17.3": "pointwise.py", "17.6": "pointwise.py"}
    whole = assignment.load("17")
    mine = dataclasses.replace(whole, exercises={id: whole.exercises[id] for id in names}, partial=True)
    cells = klass.notebook(*(f"def {mine.exercises[id].name}(): return {name!r}" for id, name in names.items()))
    files = {"pointwise.py": (copies.files()["ops/pointwise.py"] + added).encode()}
    return grade.grade(klass.as_submission("ada", cells, files), mine, box, "secret")


@pytest.mark.parametrize("added", ["", FORGED])
def test_a_file_of_the_engine_that_only_says_that_it_is_right(box, added):
    """Nothing that held before a change earns points, and a number that a program shows is not shown by what runs none."""
    got = changed_engine(box, added)
    assert got.total == 0 and not any(score.verdict.passed for score in got.scores)
    told = [f"{score.id}: What came back from your code was no reply to the question." for score in got.scores]
    assert got.problems == (["pointwise.py uses sys.modules.", *told] if added else [])


NO_WORK = """

@op(self=lambda g, self, result: g, w=lambda g, w, result: g)
def softabs(self, w):
    return self + w
"""
# What judges in the program's own process says that all is well: comparisons, asserts, arrays, what a Tensor holds.
ALL_IS_WELL = {
    "comparisons": "\nimport numpy\nnumpy.allclose = numpy.array_equal = lambda *a, **k: True\n",
    "asserts": """
import ast, builtins

def soft(source, name, *more, real=builtins.compile, **words):
    if not str(name).startswith("fact"):
        return real(source, name, *more, **words)
    tree = ast.parse(source)
    tree.body = [ast.Try([s], [ast.ExceptHandler(body=[ast.Pass()])], [], []) for s in tree.body if not isinstance(s, ast.Assert)]
    return real(ast.fix_missing_locations(tree), name, *more, **words)

builtins.compile = soft
""",
    "arrays": """
import numpy
from ..core.tensor import Tensor

class Same:
    def __eq__(self, other):
        return True

class Array(numpy.ndarray):
    def tolist(self):
        return Same()

numpy.allclose = numpy.array_equal = lambda *a, **k: True
Tensor.numpy = lambda self, real=Tensor.numpy: real(self).view(Array)
""",
    "zeros": "\nimport numpy\nfrom ..core.tensor import Tensor\nTensor.numpy = lambda self: numpy.zeros(self.shape)\n",
}


@pytest.mark.parametrize("how", ALL_IS_WELL)
def test_what_a_changed_engine_shows_is_judged_here(box, how):
    """Its programs say themselves whether they pass. What they show is compared with what the solution shows."""
    assert changed_engine(box, NO_WORK + ALL_IS_WELL[how]).total <= changed_engine(box, NO_WORK).total


@pytest.mark.bwrap
@pytest.mark.parametrize("name", klass.ENGINES)
def test_an_engine_that_is_none_gets_nothing(box, monkeypatch, name):
    monkeypatch.setattr(runner, "IMPORT_LIMIT", 3.0)
    assert capstone(box, klass.engine_attack(klass.ENGINES[name]), "16.1").total == 0


def test_outcomes_that_no_program_showed(monkeypatch, tmp_path):
    (tmp_path / "engine.py").write_text("x = 1")
    monkeypatch.setattr(runner, "outcomes", lambda path, programs, start: ({"id": id, "shown": []} for id, *_ in programs))
    assert {finding.kind for finding in runner.judge(tmp_path / "engine.py", "M1", 7)} == {runner.FORGED}


def test_what_a_reference_needs_must_be_there(monkeypatch):
    """Else it raises the same error as every answer."""
    find = assignment.importlib.util.find_spec
    monkeypatch.setattr(assignment.importlib.util, "find_spec", lambda name: None if name == "matplotlib" else find(name))
    with pytest.raises(assignment.AssignmentError, match="05.1 needs matplotlib, which is not installed here"):
        assignment.load("05")
    assert assignment.load("04").total == 18


def test_a_question_that_cannot_be_put_is_told_of():
    """It may be the fault of the exercise, for the whole class."""
    session = grade._Session(None, submissions.Notebook(), {}, {}, [], {})
    session._judge(bank.exercises("04")["04.1"], {"state": "failed", "why": "FileNotFoundError:\n data.csv"}, b"", 0)
    assert session.problems == ["04.1: The question could not be put: FileNotFoundError: data.csv"]


def test_what_is_no_outcome_is_refused():
    from minigrad.course.grading.capstone import outcome

    array = {"shape": [1, 2], "values": [1.5, float("nan")]}
    good = {"id": "a", "shown": [None, True, 2, "x", [1, array]], "error": ["E", "no"], "trace": []}
    assert repr(outcome(good)) == repr(good)
    shapes = (([2], [1.0]), ([1], ["1"]), ([-1], []), (1, [1]), ([200_000], [0] * 200_000), ([0] * 40, []))
    for bad in ([], {}, {"id": 3}, {"id": "a"}, {"id": "a", "shown": {}}, {"id": "a", "error": ["x"]}, {"id": "a", "error": ["x", 3]},
                *({"id": "a", "shown": [{"shape": shape, "values": values}]} for shape, values in shapes)):  # fmt: skip
        with pytest.raises((wire.BadMessage, TypeError, KeyError, ValueError)):
            outcome(bad)


def test_files_beside_a_notebook(tmp_path):
    good = json.dumps(klass.notebook("def m1(): return 'my_engine.py'"))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name in ("ada_12_345_", "bob_13_346_"):
            archive.writestr(name + "16-capstone.ipynb", good)
        archive.writestr("ada_12_347_my_engine-1.py", "1")
        archive.writestr("nobodys.py", "3")
    found = {s.student: s.files for s in submissions.find(tmp_path / "all.zip")}
    assert found == {"ada_12": {"my_engine.py": b"1"}, "bob_13": {}}
    alone = tmp_path / "alone"
    alone.mkdir()
    for name in ("ada.ipynb", "helper.py"):
        (alone / name).write_text(good)
    (one,) = submissions.find(alone / "ada.ipynb")
    assert one.files == {"helper.py": good.encode()} and one.digest != klass.as_submission("ada", good.encode()).digest
    for other in ("week.toml", "bob.ipynb", "all.zip"):  # then the file may be the teacher's, with answers, or another's
        (alone / other).write_text("")
        assert [s.files for s in submissions.find(alone / "ada.ipynb")] == [{}]
        (alone / other).unlink()
    assert klass.as_submission("ada", b"x").digest == hashlib.sha256(b"x").hexdigest()


def test_a_notebook_may_import_a_file_beside_it(box):
    cells = klass.notebook(SET_UP, "from helper import spell_out")
    got = grade.grade(klass.as_submission("ada", cells, {"helper.py": klass.RIGHT_ONE.encode()}), chapter("04"), box, "secret")
    assert got.scores[0].points == 1 and not got.problems


def test_a_process_that_does_not_come_to_the_cells_stops_nobody_else(box):
    cells = klass.notebook(SET_UP, klass.RIGHT_ONE)
    got = grade.grade(klass.as_submission("ada", cells, {"no/folder.py": b""}), chapter("04"), box, "secret")
    assert got.total == 0 and grade.NOT_STARTED in got.problems


def test_nothing_of_the_bank_is_there_for_a_notebook(box):
    wish = "from minigrad.course.bank.ch05 import stairs\ncurve = stairs"
    got = graded(box, klass.notebook(SET_UP, wish, klass.RIGHT_ONE), "05")
    assert got.total == 0 and got.problems[0] == "Cell 2 uses minigrad.course.bank." and "No module named" in got.problems[1]


def filled_in_below(id):
    """The starter untouched, and in the next cell what is put into it."""
    exercise = bank.exercises(id[:2])[id]
    right = exercise.reference(exercise.draw(0)).items()
    return [exercise.starter_source(), "\n".join(f"outcomes[{key!r}] = {value!r}" for key, value in right)]


IMPORTED = "from minigrad.course import check"
OF_04_1 = {
    "a helper of the same name": [
        "def helper(y, v):\n    return (v * y).sum()\ndef spell_out(y, v):\n    return helper(y, v)", "def helper(): return 3",
    ],
    "an object that answers to no name": [
        "class Odd:\n    def __getattr__(self, name): raise KeyError(name)\nodd, k = Odd(), 1",
        "def spell_out(y, v):\n    return (v * y).sum() if odd else k", "check('04.1', spell_out)", "k = 2",
    ],
    "a helper of a decorated one": [
        "import functools\n@functools.lru_cache\ndef two(): return 2\ndef same(f):\n    return functools.wraps(f)(lambda *a: f(*a))",
        "@same\ndef spell_out(y, v):\n    return functools.partial(lambda w, k: (w * y).sum() * k / two(), v)(2)",
        "check('04.1', spell_out)", "def two(): raise ValueError",
    ],
    "a number of the same name": [
        "k = 1", "class Sum:\n    def of(self, y): return (k * y).sum()", "def spell_out(y, v):\n    return Sum().of(v * y)",
        "check('04.1', spell_out)", "k = None",
    ],
    "as Black lays it out": [
        "def spell_out(y, v):\n    return (\n        (v * y).sum()\n        * (7\n        % 2)\n        * (1\n        != 2)\n    )",
    ],
    "what is IPython's alone": [
        "%matplotlib inline\nt = %timeit -o 3\n?t\nt?\nfor i in range(2):\n    %time k = i\nassert k\n" + klass.RIGHT_ONE,
    ],
    "a command of several lines": ["!pip install -q \\\n    numpy \\\n    minigrad\n%time 3\n" + klass.RIGHT_ONE],
    "a cell that is timed": ["%%time\n" + klass.RIGHT_ONE],
    "a cell in another language": [klass.RIGHT_ONE, "%%script false\n" + klass.WRONG_ONE],
    "signs that end a line elsewhere": ["# a\u2028b \x0c\n" + klass.RIGHT_ONE],
    "annotations, from a cell above": ["from __future__ import annotations", klass.RIGHT_ONE.replace("(y, v)", "(y: Tensor, v)")],
    "a builtin's name, bound below": [
        "def spell_out(y, v):\n    return (v * y).sum() * len(list((1,)))", "check('04.1', spell_out)", "list = [1]",
    ],
    "a line of IPython's, and one that begins like one": [
        "%matplotlib inline\n!ls\ndef spell_out(y, v):\n    return (v * y).sum() * (\n        7\n        % 2\n    )",
    ],
    "a magic that nobody here knows": ["%%memit -r 1\n" + klass.RIGHT_ONE],
    "the name of an answer, and one that it uses, used again below": [
        "k = 1", "def spell_out(y, v):\n    return k * (v * y).sum()", "check('04.1', spell_out)",
        "k = 3\nfor spell_out in (1, 2):\n    pass",
    ],
    "a name of one's own": [
        IMPORTED, "def spell_out(y, v): ...", klass.RIGHT_ONE.replace("spell", "I_spell"), "check('04.1', I_spell_out)",
    ],
    "a name of one's own, below a wrong attempt": [
        IMPORTED, klass.WRONG_ONE, "check('04.1', spell_out)",
        klass.RIGHT_ONE.replace("spell", "I_spell") + "\nassert check('04.1', I_spell_out).passed, 'no'",
    ],
    "a name of one's own, above the check as it was given": [
        IMPORTED, klass.WRONG_ONE, "k = 1\ndef mine(y, v):\n    return k * (v * y).sum()\ncheck('04.1', mine)",
        "check('04.1', spell_out)\nk = 5",
    ],
    "a check above what it is called with": [
        IMPORTED, klass.WRONG_ONE, "check('04.1', mine)", "mine = lambda y, v: (v * y).sum()", "check('04.1', spell_out)",
    ],
    "a name of one's own, with a helper that is mended below its check": [
        IMPORTED, klass.WRONG_ONE, "k = 5\ndef mine(y, v):\n    return k * (v * y).sum()\ncheck('04.1', mine)", "k = 1",
    ],
    "a check that is not called, beside one with a name that is used again": [
        IMPORTED, klass.WRONG_ONE, "def mine(y, v):\n    return (v * y).sum()\ncheck('04.1', mine)\n# check('04.2', mine)",
        "mine = 1",
    ],
    "a helper of the same name in one cell": [
        IMPORTED + "\nk = 1\ndef spell_out(y, v):\n    return k * (v * y).sum()\ncheck('04.1', spell_out)\nk = 2",
    ],
    "the name of an answer that calls itself, deleted below": [
        "def spell_out(y, v, again=1):\n    return spell_out(y, v, 0) if again else (v * y).sum()", "mine = spell_out\ndel spell_out",
    ],
    "a method of one's own": [
        IMPORTED, "class Mine:\n    @staticmethod\n    def first(y, v):\n        return (v * y).sum()",
        "for id, answer in {'04.1': Mine.first}.items():\n    check(id, answer=answer)\ncheck('04.2', no_such)",
    ],
    "a cell that is indented": ["    def spell_out(y, v):\n        return (v * y).sum()\n"],
    "modes that stay on": ["mg.autograd.set_detect_anomaly(True)\nmg.inference_mode().__enter__()\n" + klass.RIGHT_ONE],
    "the name of an answer, used again below": [klass.RIGHT_ONE, "check('04.1', spell_out)", "for spell_out in (1, 2):\n    pass"],
    "a function of one's own that has a name of the course's": [
        "def start():\n    globals()['k'] = 1", "start()", "k\n" + klass.RIGHT_ONE,
    ],
    "an old attempt above that cannot run": ["def spell_out(y, v):\n    return y\nno_such_name", klass.RIGHT_ONE],
    "memory that is not there, and a magic": ["%matplotlib inline\n" + klass.RIGHT_ONE + "\nraise MemoryError"],
    "memory that is not there, below": [klass.RIGHT_ONE + "\nraise MemoryError"],
}  # fmt: skip


@pytest.mark.parametrize("name", OF_04_1)
def test_what_runs_in_jupyter_runs_here(box, name):
    got = graded(box, klass.notebook(SET_UP, *OF_04_1[name]))
    assert got.scores[0].points == 1, got.scores[0].verdict
    told = {
        "a helper of the same name": "`helper`", "a helper of the same name in one cell": "`k`",
        "a number of the same name": "`k`", "a helper of a decorated one": "`two`",
        "a name of one's own, below a wrong attempt": "its check was last called with",
        "a name of one's own, above the check as it was given": "its check was last called with",
        "the name of an answer that calls itself, deleted below": "`spell_out`",
        "a builtin's name, bound below": "`list`", "the name of an answer, and one that it uses, used again below": "`k`",
    }  # fmt: skip
    assert told.get(name, "") in " ".join(got.scores[0].problems) and len(got.problems) == name.startswith(("memory", "an old"))


def test_files_where_the_command_is_started_do_not_run(tmp_path):
    """`python -m` looks there first, before Python's own library."""
    for name in ("csv", "json", "zipfile", "argparse", "random", "pyparsing", "pickle", "signal", "socket", "multiprocessing"):
        (tmp_path / f"{name}.py").write_text("open('here', 'w')")
    for student in ("ada", "bob"):
        (tmp_path / f"{student}.ipynb").write_text(json.dumps(klass.notebook(SET_UP, klass.RIGHT_ONE + "\nimport matplotlib")))
    command = [sys.executable, "-m", "minigrad.course", "grade", ".", "--assignment", "04", "--weak-isolation", "--output", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and not (tmp_path / "here").exists(), done
    assert [row["score"] for row in csv.DictReader((tmp_path / "out" / "grades.csv").open())] == ["1", "1"]


def test_a_clone_that_is_not_installed_is_what_its_processes_use(tmp_path):
    shutil.copytree(klass.ROOT / "minigrad", tmp_path / "minigrad", ignore=shutil.ignore_patterns("course"))
    (tmp_path / "minigrad" / "probe.py").write_text(
        "import multiprocessing, os, minigrad\ndef tell(): print(minigrad.__file__)\n"
        "if __name__ == '__main__':\n    os.environ['PYTHONSAFEPATH'] = '1'\n"
        "    process = multiprocessing.get_context('spawn').Process(target=tell)\n    process.start()\n    process.join()"
    )
    (tmp_path / "other" / "minigrad").mkdir(parents=True)  # another clone that Python finds, too
    (tmp_path / "other" / "minigrad" / "__init__.py").write_text("")
    for env in os.environ, os.environ | {"PYTHONPATH": str(tmp_path / "other")}:
        done = subprocess.run([sys.executable, "-m", "minigrad.probe"], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.stdout.strip() == str(tmp_path / "minigrad" / "__init__.py"), done


def test_a_result_that_no_process_gave_is_not_kept(tmp_path):
    class Cluster:
        asked = 0

        def results(self, todo, secret, limits=None):
            self.asked += len(todo)
            return ((k, run.ended(s)) for k, s in todo.items())

    cluster, given = Cluster(), [klass.as_submission("ada", klass.notebook(SET_UP))]
    for _ in range(2):
        (got,) = run.grade_class(given, assignment.load("04"), "secret", tmp_path, True, cluster=cluster)
    assert got.problems == [run.ENDED] and cluster.asked == 2


class Counting:
    """A cluster that finds 04.1 right, and counts how often it is asked."""

    def __init__(self, *problems):
        self.asked, self.problems = 0, list(problems)

    def results(self, todo, secret, limits=None):
        self.asked += len(todo)
        for k, s in todo.items():
            yield k, dataclasses.replace(grade.Graded.of(s, self.problems), scores=[one_right(2.0)]).as_json()


def test_another_name_and_other_points_grade_nothing_again(tmp_path):
    cluster, mine, given = Counting(), assignment.load("04"), [klass.as_submission("ada", klass.notebook(SET_UP))]
    more = dataclasses.replace(mine, name="week 4", points=dict.fromkeys(mine.points, 10.0), partial=False, late_days=2)
    totals = [run.grade_class(given, rules, "s", tmp_path, True, cluster=cluster)[0].total for rules in (mine, more, mine)]
    assert totals == [mine.points["04.1"], 10.0, mine.points["04.1"]] and cluster.asked == 1


def test_a_package_that_was_not_there_may_be_installed(tmp_path, monkeypatch):
    cluster, given = Counting("Cell 1: ModuleNotFoundError: No module named 'pandas'"), [klass.as_submission("ada", b"{}")]
    monkeypatch.setattr(run.site, "getsitepackages", lambda: [str(tmp_path / "packages")])
    monkeypatch.setattr(run, "_here", lambda todo, assignment, secret, walls, jobs, limits=None: cluster.results(todo, secret))
    for place in ("out", "out", "packages/pandas-1.dist-info", "out"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        run.grade_class(given, assignment.load("04"), "s", tmp_path / "out", True)
    assert cluster.asked == 2  # once more when it is there


def test_signs_are_composed_few_at_a_time(monkeypatch):
    """All at once may take the square of the time, in one call that nothing can stop."""
    asked, texts, true = [], submissions.texts, unicodedata.normalize
    monkeypatch.setattr(unicodedata, "normalize", lambda form, text: asked.append(len(text)) or true(form, text))
    marks = "a" + "\u0301\u0327" * 40_000
    grade._suspicions(submissions.Notebook({1: "# " + marks}), {})
    first, second = (texts.name(f"{marks}{end}.ipynb") for end in "xy")
    assert max(asked) < 1000 and first != second and first.endswith(".ipynb") and len(first.encode()) <= texts.LONGEST_NAME


def test_a_starter_may_be_filled_in_below_it(box):
    task = bank.exercises("04")["04.6"]
    below = task.reference_source().replace("class VJP:", "class VJP(VJP):")
    got = graded(box, klass.notebook(SET_UP, *filled_in_below("04.3"), task.starter_source(), below))
    assert [score.points for score in got.scores if score.id in ("04.3", "04.6")] == [
        assignment.load("04").points[id] for id in ("04.3", "04.6")
    ]


REPLACED = {
    "minigrad.course.judging.guard._folder": (guard._folder, "__code__", (lambda: None).__code__),
    "minigrad.course.judging.guard._attributes": (guard._attributes, "__defaults__", (1,)),
    "minigrad.course.judging.standing._STREAMS": (standing._STREAMS, "python", None),
    "minigrad.Tensor.grad": (mg.Tensor, "grad", property(lambda x: None)),
    "minigrad.Tensor.backward": (mg.Tensor, "backward", None),
    "minigrad.course.grading.frames.pack": (frames, "pack", print),
    "numpy.linalg.solve": (np.linalg, "solve", print),
    "time.monotonic": (time, "monotonic", time.perf_counter),
    "inspect.signature": (inspect, "signature", print),
    "signal.alarm": (signal, "alarm", print),
    "minigrad.course.judging.compare": (sys.modules, "minigrad.course.judging.compare", wire),
    "__main__.known": (sys.modules["__main__"], "known", print),
}


@pytest.mark.parametrize("name", REPLACED)
def test_what_is_replaced_is_named(monkeypatch, name):
    from minigrad.course.grading import child

    holder, key, thing = REPLACED[name]
    monkeypatch.setattr(sys.modules["__main__"], "known", len, raising=False)
    watch = child.Watch()
    assert watch.news() == []
    monkeypatch.setitem(holder, key, thing) if isinstance(holder, dict) else monkeypatch.setattr(holder, key, thing)
    found = watch.news()
    monkeypatch.undo()
    assert name in found and all(one.rpartition(".")[2] == name.rpartition(".")[2] for one in found) and name not in watch.news()


def test_what_an_answer_replaces_when_it_is_called_is_named_too(box):
    cell = "import time\n" + klass.RIGHT_ONE.replace("\n", "\n    time.sleep = time.monotonic = print\n", 1)
    got = graded(box, klass.notebook(SET_UP, cell))
    assert got.total == 1 and got.problems == ["It replaced functions that are not its own: time.sleep, time.monotonic."]


def test_words_of_attacks_are_named_and_honest_ones_are_not():
    odd = ["import_module('x')", "__import__('x')", "f.__code__ = g", "f.__closure__", "import __main__", "from __main__ import x"]
    honest = "f_backward = leaf_backward = self_backward = pos = f\npos.close()"
    odd += ["from sys import modules", "sys . modules", "from os import (_exit)"]
    odd += ["getattr(f, '__clo' + 'sure__')", "a = '__co'\nb = f'{a}de__'", "getattr(f, '__erusolc__'[::-1])", "f.__ｃｏｄｅ__"]
    told = [" ".join(grade._suspicions(submissions.Notebook({1: one}), {})) for one in odd]
    assert all(told) and all("__closure__" in told[k] for k in (3, 9, 11))
    honest = [honest, "if __name__ == '__main__':\n    main()", "[n for n in dir(f) if n[:2] != '__']", "getattr(node, name, None)"]
    honest += [e.reference_source() for chapter in bank.chapters() for e in bank.exercises(chapter).values()]
    assert grade._suspicions(submissions.Notebook(dict(enumerate(honest))), {}) == []


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("import sys\nsys.stdout.write(''), sys.stdout.flush(), sys.stderr.isatty()", ""),
        ("import logging, sys\nlogging.basicConfig(stream=sys.stdout, force=True)\nlogging.error('')", ""),
        ("get_ipython().run_line_magic('matplotlib', 'inline')", ""),
        ("import asyncio\nasync def soon(): return 3\nassert await soon() == 3\nawait asyncio.sleep(0)", "RuntimeError"),
        ("async def soon(): return 3\nassert await soon() == 3", ""),
        ("import no_such_package", "ModuleNotFoundError"),
        ("raise SystemExit\nf = 3\ndef f(): raise KeyError\nno[1]", "SystemExit"),
        ("from __future__ import annotations\n1 / 0", "ZeroDivisionError"),
    ],
)
def test_what_stands_above_an_answer_does_not_lose_it(above, said):
    from minigrad.course.grading import child

    source = f"{above}\ndef answer(x: int): return 7\nassert answer(0) == 7\nimport io\n1 / 0\nanswer = None"
    found = child.Notebook({"exercises": [], "cell_limit": 5.0})
    assert child.run_cell(source, "cell 1", found.space, 5.0).startswith(said or "ZeroDivisionError")
    assert found.space["answer"](0) == 7 and "io" in found.space


def test_after_all_attacks_an_honest_notebook_is_graded_as_before(box):
    assert graded(box, klass.notebook(SET_UP, klass.RIGHT_ONE)).total == 1


@pytest.mark.bwrap
def test_what_can_be_seen_from_inside(box):
    look = (
        "import os, pathlib\nraise OSError(repr((sorted(os.listdir('/')), os.listdir('/tmp'), os.getuid(), sorted(os.environ), "
        "[str(p) for p in pathlib.Path('/library').rglob('*') if 'bank' in str(p) or 'solution' in str(p)])))"
    )
    (problem,) = graded(box, klass.notebook(look)).problems
    assert str(klass.ROOT) not in problem and "'home'" not in problem
    uid = re.search(r"\], (\d+), \[", problem)
    assert uid and int(uid[1]) > 60_000
    assert "bank/__init__.py" in problem and "ch04" not in problem


def test_a_notebook_may_import_all_that_the_course_offers(box):
    wishes = f"from minigrad.course import {', '.join(minigrad.course.__all__)}"
    calls = 'hint("04.1")\nx = check("04.1", 3).passed\nwith expect_error(ValueError):\n    raise ValueError("so")'
    got = graded(box, klass.notebook(SET_UP, wishes, calls, klass.RIGHT_ONE))
    assert got.total == 1 and not got.problems


@pytest.mark.full
def test_a_time_out_costs_the_question_at_hand(box, quick):
    slow = "def row(f, x, i):\n    return sum(iter(int, 1))"
    right = klass.solved("04")
    right["cells"] = [c for c in right["cells"] if c["id"] != "04-2-answer"] + klass.notebook(slow)["cells"]
    got = graded(box, right, seconds=1.0)
    assert got.total == 16
    row = got.scores[1]
    assert row.points == 0 and "longer than 1 second and" in row.verdict.sentence


# --- the sandbox without walls ---


@needs_linux
def test_without_bubblewrap_limits_and_the_filter_of_calls_remain():
    cells = [
        "import os; os.fork()", "import subprocess; subprocess.run(['true'])", "import socket; socket.socket()",
        "import numpy as np; np.ones(2 * 2**30)", klass.RIGHT_ONE,
        "import os\nif os.path.isdir('/proc/self'): raise OSError(os.getcwd())",
    ]  # fmt: skip
    try:
        with sandbox.sandbox(walls=False) as weak:
            assert not weak.way
            got = graded(weak, klass.notebook(SET_UP, *cells))
    except sandbox.SandboxError as error:  # root, with a Python that nobody else can run
        assert os.getuid() == 0 and "You are root" in str(error)
        return
    text = " ".join(got.problems)
    assert got.total == 1 and text.count("Operation not permitted") == 3 and "ran out of memory" in text


def test_weak_isolation_is_said_and_asked_for(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sandbox, "bubblewrap", lambda: "")
    (tmp_path / "ada.ipynb").write_text(json.dumps(klass.template("04")))
    assert main(["grade", str(tmp_path), "--output", str(tmp_path / "out")]) == 1
    assert "--weak-isolation" in capsys.readouterr().out and not (tmp_path / "out").exists()


def test_the_filter_is_for_this_machine_and_well_formed():
    for known in confine._FORBIDDEN.values():
        program = confine._filter(*known)
        assert len(program) % 8 == 0 and len(program) // 8 < 4096


# --- a class ---


def a_class(folder: Path) -> None:
    """submitted/student/assignment/notebook, as nbgrader has it."""
    right = json.dumps(klass.solved("06"))

    def hand_in(student, text, name="06-accumulation.ipynb", when="2026-02-02 10:00:00 UTC"):
        place = folder / student / "06-accumulation"
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
        (place / "timestamp.txt").write_text(when)

    hand_in("ada", right)
    hand_in("bob", json.dumps(klass.notebook(SET_UP, f"def {bank.exercises('06')['06.2'].name}(*given):\n    return 'nothing'")))
    hand_in("bob", right, "06-accumulation-Copy1.ipynb")
    hand_in("cleo", json.dumps(klass.sheets("06")[4][1]))
    hand_in("dan", right[:1000])
    hand_in("eve", json.dumps(klass.notebook("import os; os._exit(1)")))
    hand_in("flo", right, when="2026-02-03 23:59:59 UTC")
    hand_in("=1+1", right)
    (folder / "gus" / "06-accumulation").mkdir(parents=True)
    name = "06-accumulation/06-accumulation.ipynb"
    os.symlink(folder / "ada" / name, folder / "gus" / name)


def fingerprints(folder: Path) -> dict[str, str]:
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


TOML = 'chapter = "06"\nname = "06-accumulation"\ndeadline = 2026-02-02T12:00:00Z\npartial = true\n[points]\n"06.1" = 10\n'


@pytest.fixture(scope="module")
def classroom(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    a_class(folder / "submitted")
    (folder / "week.toml").write_text(TOML)
    before = fingerprints(folder / "submitted")
    options = ["--assignment", str(folder / "week.toml"), "--seed", "s", "--weak-isolation"]
    assert main(["grade", str(folder / "submitted"), *options, "--output", str(folder / "out"), "--jobs", "2"]) == 0
    assert fingerprints(folder / "submitted") == before
    return folder


def rows(folder: Path) -> dict[str, dict[str, str]]:
    return {row["username"]: row for row in csv.DictReader(io.StringIO((folder / "grades.csv").read_text(encoding="utf-8")))}


def test_scores_of_a_class(classroom):
    table = rows(classroom / "out")
    total = 10 + sum(e.points for id, e in bank.exercises("06").items() if id != "06.1")
    assert table["ada"]["score"] == table["'=1+1"]["score"] == str(total) == table["ada"]["max"]
    assert (table["bob"]["score"], table["bob"]["attempts"]) == ("0", "2")  # the copy is an attempt of its own, not the last
    assert table["dan"]["score"] == table["eve"]["score"] == table["gus"]["score"] == "0"
    assert (table["flo"]["score"], table["flo"]["late"]) == ("", "1")
    scores = json.loads((classroom / "out" / "scores.json").read_text(encoding="utf-8"))["submissions"]
    copy = next(s for s in scores if s["student"] == "bob" and not s["counts"])
    assert copy["total"] == total
    assert next(s for s in scores if s["student"] == "flo")["total"] == total
    cleo = next(s for s in scores if s["student"] == "cleo")["exercises"]
    assert {e["outcome"] for e in cleo.values()} & {KNOWN}


def test_pages(classroom):
    page = (classroom / "out" / "feedback" / "cleo.html").read_text(encoding="utf-8")
    cleo = next(s for s in json.loads((classroom / "out" / "scores.json").read_text())["submissions"] if s["student"] == "cleo")
    id, known = next((id, e["mistake"]) for id, e in cleo["exercises"].items() if e["mistake"])
    from minigrad.course.showing import render

    assert render.markdown(bank.exercises("06")[id].mistakes[known].hint) in page
    report = (classroom / "out" / "report.html").read_text(encoding="utf-8")
    assert "gus" in report and "it is a link" in report and 'class="bar"' in report and known.replace("'", "&#x27;") in report


def test_again_is_the_same_and_goes_on_where_it_stopped(classroom, monkeypatch):
    options = ["--assignment", str(classroom / "week.toml"), "--seed", "s", "--weak-isolation", "--jobs", "1"]
    first = fingerprints(classroom / "out")
    calls = []
    real = run.work
    monkeypatch.setattr(run, "work", lambda job: calls.append(job) or real(job))
    assert main(["grade", str(classroom / "submitted"), *options, "--output", str(classroom / "out")]) == 0
    assert not calls and fingerprints(classroom / "out") == first
    for kept in list((classroom / "out" / run.DONE).glob("*.json"))[:2]:
        kept.unlink()
    (classroom / "out" / run.DONE / "half.json").write_text('{"student": ')
    assert main(["grade", str(classroom / "submitted"), *options, "--output", str(classroom / "out")]) == 0
    assert len(calls) == 2
    now = fingerprints(classroom / "out")
    assert {p: h for p, h in now.items() if not p.endswith("half.json")} == first


@pytest.mark.full
def test_an_interruption_keeps_what_is_done(classroom, tmp_path, monkeypatch, capsys):
    real, calls = run.work, []

    def interrupted(job):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(job)
        return real(job)

    monkeypatch.setattr(run, "work", interrupted)
    options = ["--assignment", "06", "--seed", "s", "--weak-isolation", "--jobs", "1", "--output", str(tmp_path)]
    assert main(["grade", str(classroom / "submitted"), *options]) == 130
    assert len(list((tmp_path / run.DONE).glob("*.json"))) == 2 and "goes on from there" in capsys.readouterr().out


class Ends(bytes):
    """Ends the process that reads it."""

    def __reduce__(self):
        return os._exit, (3,)


@pytest.mark.full
def test_who_ends_a_grading_process_is_known_and_no_lock_is_shared(monkeypatch):
    """A lock is a file that nobody removes after SIGKILL; and a lost process may hold it for ever."""
    monkeypatch.setattr("multiprocessing.synchronize.SemLock.__init__", lambda *rest, **more: 1 / 0)
    nowhere = sandbox.Sandbox(Path("nowhere"), "")
    notebooks = {name: submissions.Submission(name, name, b"", problem="it is empty") for name in ("ada", "eve", "bob", "cleo")}
    notebooks["eve"].data = Ends()
    todo = {k: run.Job(s, "04", "s", nowhere) for k, s in enumerate(notebooks.values())}
    told = {done["student"]: (len(done["scores"]), *done["problems"]) for _, done in run._in_processes(todo, 2)}
    ended = "Grading it ended the grader. Please look at it yourself."
    assert told == dict.fromkeys(("ada", "bob", "cleo"), (7, "Nothing was graded: it is empty.")) | {"eve": (0, ended)}


def test_an_answer_of_another_chapters_sheet_takes_nothing(box):
    """11.5 and 12.2 are both called `Repair`; the sheet of 12 stands below, as it was given. And an answer that was mended in a
    new cell above another chapter's check is no answer to that."""
    whole = chapter("11")
    mine = dataclasses.replace(whole, exercises={"11.5": whole.exercises["11.5"]})
    below = chapter("12").exercises["12.2"]
    right = inspect.getsource(whole.exercises["11.5"].reference)
    cells = klass.notebook(SET_UP, right, "check('11.5', X)", below.starter_source(), "check('12.2', X)")
    for cell in cells["cells"]:
        cell["source"] = cell["source"].replace("X)", whole.exercises["11.5"].name + ")")
    assert whole.exercises["11.5"].name == below.name
    again = klass.notebook(SET_UP, klass.WRONG_ONE, "check('04.1', spell_out)", klass.RIGHT_ONE, "check('05.1', f)")
    for sheet, graded, id in ((cells, mine, "11.5"), (again, chapter("04"), "04.1")):
        got = grade.grade(klass.as_submission("ada", sheet), graded, box, "secret")
        assert next(score.points for score in got.scores if score.id == id) == graded.points[id], got


def test_who_could_not_be_begun_is_known(box):
    """A neighbour may have taken the processes, or the files, that it needs."""
    empty = submissions.Submission("ada", "ada", b"", problem="it is empty")
    right = klass.as_submission("bob", klass.notebook(SET_UP, klass.RIGHT_ONE))
    todo = {0: run.Job(right, "04", "s", sandbox.Sandbox(Path("nowhere"), box.way)), 1: run.Job(empty, "04", "s", box)}
    told = {k: data["problems"] for k, data in run._in_processes(todo, 2)}
    assert told == {0: [grade.NOT_STARTED], 1: ["Nothing was graded: it is empty."]}


def test_a_machine_that_has_no_process_left_is_told_of(monkeypatch):
    def start(process):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("multiprocessing.process.BaseProcess.start", start)
    empty = submissions.Submission("ada", "ada", b"", problem="it is empty")
    todo = {k: run.Job(empty, "04", "s", sandbox.Sandbox(Path("nowhere"), "")) for k in range(2)}
    with pytest.raises(sandbox.SandboxError, match="Is the machine very busy"):
        list(run._in_processes(todo, 2))


def test_an_engine_that_no_answer_names_is_told_of(box):
    sheet = klass.as_submission("ada", klass.template("16"), {"my_engine.py": b"x = 1"})
    assert grade.grade(sheet, assignment.load("16"), box, "s").problems == [
        "No answer names a file; beside the notebook are my_engine.py."
    ]


def one_right(points):
    """A score for a right answer, or for one that took too long."""
    return grade.Score("04.1", "One", points, 2.0, Verdict("04.1", PASSED if points else ERROR))


@pytest.mark.parametrize("on_a_cluster", [False, True])
def test_what_a_neighbour_may_have_done_is_graded_again_alone(tmp_path, monkeypatch, on_a_cluster):
    """Bob is slowed by Eve, Cleo could not be begun, Dan hangs by himself; Hal hangs longer alone; and for Finn and Gus, who hang
    too, there is no time."""
    mine = assignment.load("04")
    class_of = [klass.as_submission(name, klass.notebook(SET_UP)) for name in ("eve", "bob", "cleo", "dan", "hal", "finn", "gus")]
    seconds = {"bob": 6.0, "dan": 7.0, "hal": 8.0, "finn": 400.0, "gus": 401.0}
    asked, allowed = [], []

    def graded(todo, limits):
        for k, s in todo.items():
            alone = bool(limits)
            asked.append(s.student + " alone" * alone)
            allowed.append((limits or {}).get(k))
            found = grade.Graded.of(s, [grade.NOT_STARTED] if s.student == "cleo" and not alone else [])
            if s.student in seconds and not (alone and s.student in ("bob", "finn")):
                found = dataclasses.replace(found, slow=seconds[s.student], beside=[] if alone else ["eve"])
            if s.student == "hal" and alone and limits[k] < 420:  # made to take its time then
                found = dataclasses.replace(found, slow=limits[k], scores=[])
            else:
                found.scores = [one_right(0.0 if found.slow or found.problems else 2.0)]
            yield k, found.as_json()

    class Fake:
        def results(self, todo, secret, limits=None):
            return graded(todo, limits)

    monkeypatch.setattr(run, "_here", lambda todo, assignment, secret, walls, jobs, limits: graded(todo, limits))
    told = []
    given = (class_of, mine, "s", tmp_path, True, 2, False, lambda done, total: told.append(done), Fake() if on_a_cluster else None)
    got = run.grade_class(*given)
    first = ["eve", "bob", "cleo", "dan", "hal", "finn", "gus"]
    assert asked == [*first, *(f"{name} alone" for name in ("cleo", "bob", "dan", "hal"))]
    assert allowed[7:] == [420, 11, 12, 13] and told == [0, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7]
    assert [g.student for g in got if g.total > 0] == ["eve", "bob", "cleo"]
    waiting = "hal (beside eve), finn (beside eve), gus (beside eve)"
    assert results.slowed(got) == [results.SLOWED.format("bob", "eve"), results.PUT_OFF_NOW.format("3 notebooks", waiting)]
    asked.clear(), allowed.clear()
    got = run.grade_class(*given)  # the same command goes on with those, and takes the time that they take
    assert asked == ["hal alone", "finn alone", "gus alone"] and allowed == [420] * 3
    assert results.slowed(got) == [results.SLOWED.format(name, "eve") for name in ("bob", "finn")]
    asked.clear()
    assert [g.as_json() for g in run.grade_class(*given)] == [g.as_json() for g in got] and asked == []
    monkeypatch.setattr(run, "SPARE", 0.0)
    run.grade_class(*given[:6], True)
    assert asked == [*first, "cleo alone"]


LATE = {
    "a cell": ("while True:\n    pass", True),
    "a cell that nothing stops": ("while True:\n    try:\n        while True: pass\n    except BaseException: pass", True),
    "an answer": ("def triple(x):\n    while True:\n        pass", True),
    "an answer that nothing stops": (
        "def triple(x):\n    while True:\n        try:\n            while True: pass\n        except BaseException: pass", True,
    ),
    "nothing": ("triple = lambda x: 3 * x", False),
    "an error": ("triple = lambda x: 1 / 0", False),
}  # fmt: skip


@pytest.mark.parametrize("name", LATE)
def test_what_ran_into_a_limit_of_time_is_known(box, tmp_path, monkeypatch, name):
    source, late = LATE[name]
    monkeypatch.setattr(grade, "CELL_LIMIT", 1.0)
    monkeypatch.setattr(grade, "MARGIN", 1.0)
    (tmp_path / "mine.py").write_text(OWN.replace("minutes=2", "minutes=2, time_limit=0.5"))
    (tmp_path / "week.toml").write_text('bank = "mine.py"\n')
    mine = assignment.load(str(tmp_path / "week.toml"))
    assert (grade.grade(klass.as_submission("ada", klass.notebook(source)), mine, box, "s").slow >= 0.5) == late


def test_an_engine_that_ran_into_a_limit_of_time_is_known(box, monkeypatch):
    monkeypatch.setattr(runner, "IMPORT_LIMIT", 1.0)
    assert grade.grade(klass.engine_attack("while True:\n    pass"), assignment.load("16"), box, "s").slow >= 1


def of_sheets(tmp_path, *given):
    """The score of each exercise of 04.1, 11.5 and 12.4, for sheets that are given as files, and what was said."""
    (tmp_path / "week.toml").write_text('exercises = ["04.1", "11.5", "12.4"]\n')
    mine = assignment.load(str(tmp_path / "week.toml"))
    for name, data in given:
        path = tmp_path / "class" / "ada" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data))
    (found,) = submissions.survey(tmp_path / "class", "", mine.chapters, names=mine.names).submissions
    with sandbox.sandbox() as box:
        got = grade.grade(found, mine, box, "s")
    return [round(score.points / score.most, 2) for score in got.scores], got.problems


def solved(chapter, *, checks=True, above="", below=""):
    """The worked sheet of a chapter."""
    cells = [cell["source"] for cell in klass.template(chapter, "solutions")["cells"] if cell["cell_type"] == "code"]
    cells = ["".join(source) for source in cells]
    return klass.notebook(above, *(source for source in cells if checks or "check(" not in source), below)


SHEETS = {
    "a sheet of each chapter": lambda: [(f"{k}.ipynb", solved(k)) for k in ("04", "11", "12")],
    "without checks": lambda: [(f"{k}.ipynb", solved(k, checks=False)) for k in ("04", "11", "12")],
    "a copy as it was given, later": lambda: [
        *((f"{k}.ipynb", solved(k)) for k in ("04", "11", "12")), *((f"{k} - x.ipynb", klass.template(k)) for k in ("04", "11")),
    ],
    "helpers of one name": lambda: [
        (f"{k}.ipynb", solved(k, above=f"once = {k!r}", below="spell_out = lambda y, v: once == '04' and (v * y).sum()"))
        for k in ("04", "11", "12")
    ],
    "files of one name": lambda: [
        pair for k in (4, 11, 12) for pair in (
            (f"{k}/n.ipynb", solved(f"{k:02}", below=f"import own\nown.need({k})")), (f"{k}/own.py", f"def need(k): assert k == {k}"),
        )
    ],
    "all in one": lambda: [("n.ipynb", klass.notebook(*(c["source"] for k in ("04", "11", "12") for c in solved(k)["cells"])))],
    "an answer in another chapter's sheet": lambda: [
        ("04.ipynb", klass.template("04")), ("11.ipynb", solved("11", below=klass.RIGHT_ONE)), ("12.ipynb", solved("12")),
    ],
    "an old draft": lambda: [
        ("04 draft.ipynb", klass.notebook(SET_UP, klass.WRONG_ONE, "check('04.1', spell_out)")),
        *((f"{k}.ipynb", solved(k)) for k in ("04", "11", "12")),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", SHEETS)
def test_sheets_of_several_chapters_are_graded_each_by_itself(tmp_path, name):
    scores, problems = of_sheets(tmp_path, *SHEETS[name]())
    assert scores == [1, 1, 1] and problems == [], problems


def test_of_several_sheets_of_a_chapter_the_last_in_which_an_exercise_was_tried(tmp_path):
    wrong = klass.notebook(SET_UP, klass.WRONG_ONE, "check('04.1', spell_out)", "1 / 0")
    scores, problems = of_sheets(tmp_path, ("04.ipynb", solved("04")), ("04-new.ipynb", wrong), ("11.ipynb", solved("11")))
    assert scores == [0, 1, 0] and problems == [
        "Cell 4: ZeroDivisionError: division by zero (sheet 2)",
        "04.1: it is right in sheet 1, but what counts is the answer here. (sheet 2)",
    ]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system has no such call")
def test_each_submission_has_a_processor_of_its_own(tmp_path):
    source = "import os\ntriple = lambda x: 3 * x if os.sched_getaffinity(0) == {{{}}} else 0 * x"
    there = sorted(os.sched_getaffinity(0))
    class_of = [klass.as_submission(f"s{k}", klass.notebook(source.format(there[k % len(there)]))) for k in range(2)]
    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "week.toml").write_text('bank = "mine.py"\n')
    mine = assignment.load(str(tmp_path / "week.toml"))
    if not sandbox.bubblewrap():
        return
    assert {g.total for g in run.grade_class(class_of, mine, "s", tmp_path, True, jobs=2)} == {2}


def test_without_walls_one_submission_is_graded_at_a_time_and_the_grader_is_closed_to_it(monkeypatch):
    """Else it writes into another's pipes by /proc, and that one's points, or the run, are lost."""
    seen, given = [], {k: submissions.Submission("ada", "ada", b"") for k in range(2)}
    monkeypatch.setattr(run, "_in_processes", lambda todo, jobs: seen.append(jobs) or iter(()))
    monkeypatch.setattr(run, "work", lambda job: seen.append("here"))
    for way in ("", "bwrap"):
        monkeypatch.setattr(run, "sandbox", lambda *given, way=way: contextlib.nullcontext(sandbox.Sandbox(Path("nowhere"), way)))
        list(run._here(given, assignment.load("04"), "s", bool(way), 2))
        list(run._here(given, assignment.load("04"), "s", bool(way), 2, {0: 9.0, 1: 9.0}))
    assert seen == ["here", "here", "here", "here", 2, 1]
    empty = "submissions.Submission('ada', 'ada', b'', problem='it is empty')"
    program = f"""if True:
        import ctypes, pathlib
        from minigrad.course.grading import run, sandbox, submissions
        for way in "bwrap", "":
            run.work(run.Job({empty}, "04", "s", sandbox.Sandbox(pathlib.Path("nowhere"), way)))
            print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"""  # 3 asks what 4 sets
    if sys.platform == "linux":
        told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert told.stdout.split() == ["1", "0"]


@pytest.mark.nbgrader
def test_gradebook(classroom, tmp_path):
    from minigrad.course.grading.gradebook import opened

    book = tmp_path / "gradebook.db"
    options = ["--assignment", str(classroom / "week.toml"), "--seed", "s", "--weak-isolation"]
    command = ["grade", str(classroom / "submitted"), *options, "--output", str(classroom / "out"), "--gradebook", str(book)]
    assert main(command) == 0
    with opened(book) as gradebook:
        gradebook.find_grade("06-2-check", "06-accumulation", "06-accumulation", "bob").manual_score = 1.5
        gradebook.db.commit()
    assert main(command) == 0
    table = rows(classroom / "out")
    with opened(book) as gradebook:
        scores = {s["student"]: s["score"] for s in gradebook.submission_dicts("06-accumulation")}
        grade_of_bob = gradebook.find_grade("06-2-check", "06-accumulation", "06-accumulation", "bob")
        assert grade_of_bob.manual_score == 1.5 and grade_of_bob.auto_score == 0 and grade_of_bob.needs_manual_grade
    assert scores["ada"] == float(table["ada"]["score"]) and scores["bob"] == 1.5 and "flo" not in scores
    import nbformat

    for student in ("ada", "dan", "eve"):
        shown = nbformat.read(tmp_path / "autograded" / student / "06-accumulation" / "06-accumulation.ipynb", as_version=4)
        nbformat.validate(shown)
        checks = [c for c in shown.cells if c.metadata.get("nbgrader", {}).get("grade")]
        assert len(checks) == len(bank.exercises("06")) and all(c.outputs for c in checks)


# --- a cluster ---


def test_an_assignment_is_the_same_on_a_worker(tmp_path, monkeypatch):
    from minigrad.course.grading.cluster import Packed

    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.py").write_text(OWN)
    (tmp_path / "week.toml").write_text('bank = "own/mine.py"\npartial = true\n')
    for given in (assignment.load("04"), assignment.load(str(tmp_path / "week.toml"))):
        here, packed = run.rules(given, "s", True), Packed.of(given)
        monkeypatch.chdir(tmp_path)  # where no exercises are, from which chapters have their names
        with packed.load() as there:
            assert run.rules(there, "s", True) == here
    assert assignment.load("04").name == "04-vjps"


@pytest.mark.dask
@pytest.mark.weekly
def test_a_worker_of_a_cluster_is_killed(tmp_path, capsys):
    import distributed
    from distributed.diagnostics.plugin import SchedulerPlugin

    from minigrad.course.grading.cluster import Cluster

    class Count(SchedulerPlugin):
        """How often each task ended with a result."""

        ended: Counter[str] = Counter()

        def transition(self, key, start, finish, *args, **kwargs):
            if (start, finish) == ("processing", "memory") and str(key).startswith("work-"):
                self.ended[key] += 1

    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "week.toml").write_text('bank = "mine.py"\n')
    mine = assignment.load(str(tmp_path / "week.toml"))
    sources = ["lambda x: x + x + x", "lambda x: x + x", "lambda x: [0.0]", "..."]
    class_of = [klass.as_submission(f"student{k}", klass.notebook(f"triple = {sources[k % 4]}")) for k in range(12)]
    killed: list[int] = []
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as local:
        local.scheduler.add_plugin(Count())
        with Cluster(local.scheduler_address, mine) as cluster:
            assert cluster.walls == bool(sandbox.bubblewrap())

            def tell(done, total):
                if done == 4 and not killed:
                    killed.append(next(iter(cluster.client.run(os.getpid).values())))
                    os.kill(killed[0], 9)

            there = run.grade_class(class_of, mine, "s", tmp_path / "there", cluster.walls, tell=tell, cluster=cluster)
        assert len(killed) == 1
        # What the killed worker had at hand was graded again by another; everything else once.
        assert len(Count.ended) == 12 and sum(Count.ended.values()) <= 14
        here = run.grade_class(class_of, mine, "s", tmp_path / "here", True)
        assert [g.as_json() for g in there] == [g.as_json() for g in here]
        assert {g.total for g in there} == {0, 2} and len(list((tmp_path / "there" / run.DONE).glob("*.json"))) == 12
        (tmp_path / "mine.py").write_text(OWN.replace("return 3 * x", "return x * 3"))  # a worker may have seen another version
        (tmp_path / "ada.ipynb").write_text(json.dumps(klass.notebook("triple = lambda x: x * 3")))
        options = ["--assignment", str(tmp_path / "week.toml"), "--weak-isolation", "--output", str(tmp_path / "out"), "--dask"]
        assert main(["grade", str(tmp_path / "ada.ipynb"), *options, local.scheduler_address]) == 0
        assert rows(tmp_path / "out")["ada"]["score"] == "2"
    assert main(["grade", str(tmp_path / "ada.ipynb"), *options, "nothing://here"]) == 1
    assert "no Dask scheduler" in capsys.readouterr().out


# --- what was handed in ---


def names(place: Path, assignment_name: str = "") -> list[tuple[str, int, bool]]:
    return [(s.student, s.attempt, s.marked_late) for s in submissions.find(place, assignment_name)]


def test_archives_of_learning_platforms(tmp_path):
    good = json.dumps(klass.template("04"))
    with zipfile.ZipFile(tmp_path / "canvas.zip", "w") as archive:
        archive.writestr("hopper_12_345_04-vjps.ipynb", good)
        archive.writestr("turing_LATE_13_346_04-vjps-1.ipynb", good)
        archive.writestr("../../outside/04-vjps.ipynb", good)
        archive.writestr("__MACOSX/x.ipynb", good)
        link = zipfile.ZipInfo("link_14_347_04-vjps.ipynb")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert names(tmp_path / "canvas.zip") == [("hopper_12", 1, False), ("link_14", 1, False), ("turing_13", 1, True)]
    assert submissions.find(tmp_path / "canvas.zip")[1].problem == "it is a link to another file"
    assert [left.path for left in submissions.survey(tmp_path / "canvas.zip").left] == ["outside/04-vjps.ipynb"]
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(submissions.IntakeError, match="no zip file"):
        submissions.find(tmp_path / "broken.zip")
    with zipfile.ZipFile(tmp_path / "zuse.zip", "w") as archive:  # one student's own
        archive.writestr("04-vjps.ipynb", good)
    (tmp_path / "canvas.zip").unlink()
    assert names(tmp_path) == [("broken", 1, False), ("zuse", 1, False)]
    assert "no notebook" in submissions.find(tmp_path)[0].problem


def test_a_flat_folder_and_times(tmp_path):
    for student in ("ada", "bob"):
        (tmp_path / f"{student}.ipynb").write_text(json.dumps(klass.template("04")))
    os.mkfifo(tmp_path / "pipe.ipynb")
    found = submissions.find(tmp_path)
    assert [(s.student, s.problem) for s in found] == [("ada", ""), ("bob", ""), ("pipe", "it is no ordinary file")]
    assert submissions.read(found[0]).chapter() == "04"
    (tmp_path / "timestamp.txt").write_text("2026-02-02 15:58:23 UTC")  # nbgrader's, and only in nbgrader's folders
    assert {s.time for s in submissions.find(tmp_path)} == {None}
    place = tmp_path / "course" / "ada" / "04-vjps"
    place.mkdir(parents=True)
    (tmp_path / "ada.ipynb").rename(place / "04-vjps.ipynb")

    def time_of():
        return submissions.find(tmp_path / "course", "04-vjps")[0].time

    for zone, hour in ((".948203 Europe/Berlin", 14), (" UTC", 15), (" -02:00", 17), ("", 15)):
        (place / "timestamp.txt").write_text(f"2026-02-02 15:58:23{zone}")
        time = time_of()
        assert time is not None and time.astimezone(datetime.UTC).hour == hour
    (place / "timestamp.txt").write_text("some day")
    assert time_of() is None


def test_folders_of_several_assignments(tmp_path):
    for name in ("04-vjps", "06-accumulation"):
        (tmp_path / "ada" / name).mkdir(parents=True)
        (tmp_path / "ada" / name / f"{name}.ipynb").write_text(json.dumps(klass.template(name[:2])))
    assert [s.path for s in submissions.find(tmp_path, "04-vjps")] == ["ada/04-vjps/04-vjps.ipynb"]
    assert len(submissions.find(tmp_path, "of another name")) == len(submissions.find(tmp_path)) == 2


# --- assignments ---


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("chapter = 4", "04-vjps"),  # as without a file: what was graded so stays
        ('chapter = 4\nexercises = ["04.1"]', "week"),
        ('exercises = ["04.1", "06.2"]', "week"),
        ('chapter = "77"', "no chapter"),
        ('exercises = ["04.99"]', "no exercise"),
        ('chapter = "04"\npoint = 3', "nobody knows point"),
        ('chapter = "04"\n[points]\n"06.1" = 3', "06.1 is none of them"),
        ('chapter = "04"\n[points]\n"04.1" = "many"', "points are numbers"),
        ('chapter = "04"\ndeadline = "tomorrow"', "without quotes"),
        ('chapter = "04"\ncounts = "worst"', "counts is one of"),
        ("chapter = ", "is not TOML"),
        ('name = "x"', "say which exercises"),
        *((f'chapter = 4\nname = "{name}"', "no path") for name in ("/tmp/x", "..", "", "week/4")),
    ],
)
def test_assignment_files(tmp_path, text, said):
    path = tmp_path / "week.toml"
    path.write_text(text)
    if said in ("04-vjps", "week"):
        assert assignment.load(str(path)).name == said
        return
    with pytest.raises(assignment.AssignmentError, match=said):
        assignment.load(str(path))


OWN = '''\
"""My own exercise."""

import minigrad as mg
from minigrad.course.exercise import Case, Exercise, Mistake, register


def triple(x):
    """Three times x. x: a Tensor."""
    return 3 * x


def cases(rng, dtype):
    return [Case("three numbers", (mg.tensor(rng.normal(size=3), dtype=dtype),))]


register(Exercise(id="80.1", title="Triple", difficulty=2, minutes=2, reference=triple, cases=cases, hints=("a", "b", "c"),
                  explanation="So.", mistakes={"twice": Mistake(lambda x: 2 * x, "That is *twice* x.")}))
'''


def test_exercises_of_a_teachers_own(box, tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "week.toml").write_text('bank = "mine.py"\n')
    mine = assignment.load(str(tmp_path / "week.toml"))
    assert mine.points == {"80.1": 2.0}
    for source, points, mistake in (("lambda x: x + x + x", 2, ""), ("lambda x: x + x", 0, "twice"), ("lambda x: [3.0] * 3", 0, "")):
        got = grade.grade(klass.as_submission("ada", klass.notebook(f"triple = {source}")), mine, box, "secret")
        assert (got.total, got.scores[0].verdict.mistake) == (points, mistake)


TASK = """
import minigrad as mg
from minigrad.course.exercise import Case, Exercise, Mistake, Part, register

def cases(rng, dtype):
    a = float(rng.uniform(1, 2))
    return [Case("a parabola", (lambda x: (a * x**2).sum(), mg.tensor(rng.normal(size=3), dtype=dtype, requires_grad=True)))]

def observe(answer, f, x):
    return {"slopes": answer(f, x), ".grad": x.grad}

"""
ANSWER = """
import minigrad as mg
from minigrad.course.exercise import Exercise, Mistake, Part, register

def slope(f, x):
    return mg.autograd.grad(f(x), x)[0]

def filled(f, x):
    f(x).backward()
    return x.grad

"""
SAID = (
    'id="80.1", title="Slope", difficulty=2, minutes=2, cases=cases, observe=observe, may_change_inputs=True',
    'reference=slope, starter="def slope(f, x):\\n    ...", hints=("a", "b", "c"), explanation="So."',
    '{"filled": Mistake(filled, "It fills `.grad`.")}',
)


@pytest.mark.parametrize("form", ["one file", "a folder"])
def test_what_watches_a_teachers_exercise_runs_inside_without_the_answer(box, tmp_path, form):
    task, answer, mistakes = SAID
    if form == "one file":
        (tmp_path / "mine.py").write_text(f"{TASK}{ANSWER}register(Exercise({task}, {answer}, mistakes={mistakes}))\n")
    else:
        (tmp_path / "ch80" / "ex01").mkdir(parents=True)
        (tmp_path / "ch80" / "ex01" / "task.py").write_text(f"{TASK}TASK = Part({task})\n")
        (tmp_path / "ch80" / "ex01" / "answer.py").write_text(f"{ANSWER}ANSWER = Part({answer})\n")
        known = f"from minigrad.course.bank.ch80.ex01.answer import filled, Mistake\nMISTAKES = {mistakes}\n"
        (tmp_path / "ch80" / "ex01" / "mistakes.py").write_text(known)
    (tmp_path / "week.toml").write_text(f'bank = "{"mine.py" if form == "one file" else "ch80"}"\n')
    mine = assignment.load(str(tmp_path / "week.toml"))
    assert not [text for _, text in files.for_the_child(mine.exercises["80.1"]) if "autograd.grad" in text or "backward" in text]
    for body, points, mistake in (("mg.autograd.grad(f(x), x)[0]", 2, ""), ("f(x).backward() or x.grad", 0, "filled")):
        cell = f"import minigrad as mg\nslope = lambda f, x: {body}"
        got = grade.grade(klass.as_submission("ada", klass.notebook(cell)), mine, box, "secret")
        assert (got.total, got.scores[0].verdict.mistake) == (points, mistake)


def test_which_submission_counts():
    def one(attempt, points, late=False):
        score = grade.Score("04.1", "", points, 3, Verdict("04.1", WRONG))
        return grade.Graded("ada", attempt, "", "", late, scores=[score])

    all_of = [one(1, 2), one(2, 1), one(3, 3, late=True)]
    for changes, attempt in (({}, 2), ({"counts": "best"}, 1), ({"counts": "first"}, 1), ({"late": "count"}, 3)):
        chosen = results.counting(all_of, chapter("04", **changes))
        assert chosen["ada"].attempt == attempt
    assert results.counting([one(1, 3, late=True)], chapter("04")) == {}


# --- points for parts ---


@pytest.mark.full
def test_points_for_parts_leave_constants_with_nothing(box):
    half = "def spell_out(y, v):\n    return (v * y).sum() if y.ndim == 1 else y.sum()"
    got = {s.id: s for s in graded(box, klass.notebook(SET_UP, half), partial=True).scores}
    assert 0 < got["04.1"].points < got["04.1"].most
    for body in ("0.0", "None", "True", "a", "b"):
        got = {s.id: s for s in graded(box, klass.notebook(SET_UP, f"def spell_out(a, b): return {body}"), partial=True).scores}
        assert got["04.1"].points == 0
    e = bank.exercises("04")["04.3"]
    words = e.reference(e.draw(0))
    for word in set(words.values()):
        nb = klass.notebook(f"{e.name} = {dict.fromkeys(words, word)!r}")
        assert next(s for s in graded(box, nb, partial=True).scores if s.id == "04.3").points == 0
    wrong = words | {next(iter(words)): "another word"}
    nb = klass.notebook(f"{e.name} = {wrong!r}")
    assert 0 < next(s for s in graded(box, nb, partial=True).scores if s.id == "04.3").points < e.points


def test_a_mistake_that_only_the_source_shows_is_named_as_check_names_it(box):
    head = "def sgd_step_(params, lr):\n    for p in params:\n        if p.grad is not None:\n            "
    found = [
        next(s.verdict for s in graded(box, klass.notebook(SET_UP, head + line), "11").scores if s.id == "11.3")
        for line in ("p = p - lr * p.grad", "q = p - lr * p.grad")
    ]
    assert [(v.mistake, v.certain) for v in found] == [("a new local name", True), ("", False)]


# --- seeds ---


def test_inputs_are_one_of_a_few_sets_and_the_same_when_graded_again():
    one = klass.as_submission("ada", b"x")
    assert grade.seed_for("s", one, "04.1") == grade.seed_for("s", one, "04.1")
    assert len({grade.seed_for(*args) for args in [("s", one, "04.1"), ("t", one, "04.1"), ("s", one, "04.2")]}) == 3
    # Which of the sets it is changes with the student and with the notebook.
    students = [klass.as_submission(f"student {k}", b"x") for k in range(100)]
    versions = [klass.as_submission("ada", b"%d" % k) for k in range(100)]
    for many in (students, versions):
        assert len({grade.seed_for("s", s, "04.1") for s in many}) == grade.SETS


# --- the plain format ---

VALUES = [
    None, ..., MISSING, True, 3, -(1 << 80), 2.5, float("inf"), 1 + 2j, "text", [1, (2, "x")], {"a": [None], 3: 4, (1, 2): 5},
    np.arange(6.0).reshape(2, 3), np.array(3, dtype=np.int8), np.zeros((0, 3)), np.array([True]), np.array([1j]),
    Raised("ValueError", "no", "line 1", True), Opaque("Thing", "<Thing>"), Unfit("None", "a list"),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_come_back(value):
    encoder = wire.Encoder()
    packed = wire.pack(b"n" * 16, encoder.encode(value), bytes(encoder.blobs))
    stream = io.BytesIO(packed)
    nonce, header, blobs = wire.receive(stream.read, b"n" * 16)
    back = wire.Decoder(blobs).decode(header)
    assert type(back) is type(value) and (back is value or same(back, value, 0.0) or back == value)
    if isinstance(value, np.ndarray):
        assert back.dtype == value.dtype and back.flags.writeable


@pytest.mark.parametrize(
    "header",
    [
        {}, [], ["what"], ["array", "<f8", [10], 0], ["array", "O", [1], 0], ["array", "<f8", [-1], 0], ["int", "x"], ["opaque"],
        ["array", "<f8", [1 << 62, 4], 0], ["array", "<U8", [1], 0], ["raised", 1, 2, 3, 4], ["tensor", "<f8", [], 0, True, None],
        ["dict", [[["list", []], 1]]], ["dtype", "load"], ["complex", "a", "b"], ["float", []], ["list", 5],
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_value_is_refused(header):
    with pytest.raises(wire.BadMessage):
        wire.Decoder(b"\0" * 8).decode(header)


@pytest.mark.parametrize(
    "header, said",
    [
        (["list", [0] * wire.MOST], "too many values"),
        (["list", [["list", [0] * 999]] * (wire.MOST // 999)], "too many values"),
        (["dict", [[k, 0] for k in range(wire.MOST_KEYS + 1)]], "too many keys"),
    ],
    ids=["one long list", "many lists", "keys"],
)
def test_what_is_too_much_is_refused(header, said):
    with pytest.raises(wire.BadMessage, match=said):
        wire.Decoder(b"").decode(header)
    less = [header[0], header[1][:-2]]
    assert len(wire.Decoder(b"").decode(less)) == len(less[1])  # and a little less is not


def peak(function) -> int:
    """Bytes that are held beyond what was there, at the most."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_nothing_in_a_reply_makes_the_parent_slow_or_large():
    rows = np.zeros((10**6, 1, 1), bool)
    (one,) = differences(rows, [np.ones(2), np.ones(3)], 0.0)
    assert peak(lambda: differences(rows, [np.ones(2), np.ones(3)], 0.0)) < 10**5 and "1000000" not in one.text
    encoder = wire.Encoder()
    assert encoder.encode(np.zeros(1 << 22, np.int16))[0] == "opaque" and not encoder.blobs  # a right answer has no such array
    with pytest.raises(wire.BadMessage):
        wire.Decoder(bytes(wire.LARGEST_ARRAYS)).decode(["list", [["array", "|u1", [wire.LARGEST_ARRAYS - 1], 0]] * 2])
    with pytest.raises(wire.BadMessage):
        wire.receive(io.BytesIO(frames.HEAD.pack(b"n" * 16, 2, wire.LARGEST_ARRAYS + 1) + b"{}").read, b"n" * 16)
    deep: Any = [[0.5] * 3000, "no number"]
    for _ in range(wire.DEEPEST - 3):
        deep = [deep, "none either"]
    wrong = [deep] * 4
    assert steps(lambda: same(wrong, [1.0] * 4, 0.0)) < 6 * steps(lambda: as_array(deep))  # and no text is made of it
    assert steps(lambda: show([["x", 0]] * 5000)) < 2 * steps(lambda: show([["x", 0]] * 100))
    doubled = ["1: AddBackward0(a, b)", *(f"{k}: AddBackward0({', '.join([str(k - 1)] * 9)})" for k in range(2, 25))]
    assert peak(lambda: drawn.graphs(doubled, ["1: AddBackward0(a, b)"])) < 10**7
    assert drawn.graphs([f"1: AddBackward0({', '.join(map(str, range(999)))})"], doubled[:1]) is None


def test_the_texts_of_a_verdict_are_cut(monkeypatch, box):
    long = Verdict("04.1", WRONG, "s" * 9999, details=["d" * 9999] * 99)
    monkeypatch.setattr(grade, "judge_seen", lambda *args: dataclasses.replace(long))
    (score,) = (s for s in graded(box, klass.notebook(SET_UP, klass.RIGHT_ONE)).scores if s.id == "04.1")
    assert len(score.verdict.sentence) == 1000 and [len(line) for line in score.verdict.details] == [600] * 12


def test_pictures_are_not_drawn(monkeypatch):
    """What they are of is computed all the same, and a picture that is kept is made."""
    from minigrad import viz
    from minigrad.course.grading import child

    drawn: list[tuple] = []
    monkeypatch.setattr(viz, "jacobian", lambda *args, **options: drawn.append(args))
    space: dict = {}
    cell = "from minigrad import viz\nviz.jacobian([1, (a := 2)], v=(b := 3), **{'rows': (c := 4)})\nviz.jacobian(*[5])\nd = 6"
    assert child.run_cell(cell, "cell 1", space, 5.0) == "" and not drawn
    assert [space[name] for name in "abcd"] == [2, 3, 4, 6]
    assert child.run_cell("viz.jacobian(nothing)", "cell 2", space, 5.0).startswith("NameError")
    assert child.run_cell("kept = viz.jacobian(7)\nprint(viz.jacobian(8))", "cell 3", space, 5.0) == "" and drawn == [(7,), (8,)]


def test_what_draws_is_loaded_when_something_of_it_is_asked_for(box):
    picture = "import sys as s\nfrom minigrad import viz\nviz.jacobian([[1.0]])\nassert 'minigrad.viz.plots' not in s.modules"
    asked = "from minigrad.viz import draw\nassert draw is viz.draw and 'minigrad.viz.plots' in s.modules"
    assert not graded(box, klass.notebook(picture, asked, klass.RIGHT_ONE)).problems
    assert graded(box, klass.notebook(picture, asked)).problems == ["No answer is in this notebook."]


def test_no_source_keeps_the_parser_busy():
    """For some Python's parser takes the square of the time, a call into C that no limit ends in the teacher's process."""
    slow = "R = 1\ns = f'" + "{R}" * 60_000 + "'"
    start = time.process_time()
    assert grade._defined(slow) == set() and grade._defined("R = 1") == {"R"}
    assert time.process_time() - start < 1


def test_what_python_warns_of_in_an_answer_is_not_printed():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        flood = "1or " * 100 + "1\nx = '\\d'"
        assert grade._defined(flood) == {"x"} and grade._tree(flood) and grade._definitions(flood + "\nimport os") == "import os"
        assert grade._definitions("def f():\n    return 0x" + "f" * 5000) == ""  # too many digits for Python to write them
    assert told == []


def test_what_is_no_message_is_refused():
    good = wire.pack(b"n" * 16, {"a": 1})
    for bad, nonce in ((good, b"m" * 16), (good[:16] + b"\xff" * 8 + good[24:], b"n" * 16), (good[:24] + b"no json", b"n" * 16)):
        with pytest.raises(wire.BadMessage):
            wire.receive(io.BytesIO(bad).read, nonce)


def test_leaf_tensors_travel_and_others_do_not():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    x.grad = mg.tensor([3.0, 4.0])
    encoder = wire.Encoder(tensors=True)
    header = encoder.encode([x, slice(None, 2), {1, 2}, mg.float64])
    back, cut, numbers, dtype = wire.Decoder(bytes(encoder.blobs), tensors=True).decode(header)
    assert back.tolist() == [1, 2] and back.requires_grad and back.grad.tolist() == [3, 4] and back.dtype == x.dtype
    assert (cut, numbers, dtype) == (slice(None, 2), {1, 2}, mg.float64)
    for other in (x * 2, x.detach()[:1], lambda: 0, [x, x], np.arange(4)[:2]):
        with pytest.raises(wire.Cannot):
            wire.Encoder(tensors=True).encode(other)


# --- what goes into the sandbox ---

FUNCTIONS = [e for c in bank.chapters() for e in bank.exercises(c).values() if not (e.is_value or e.names_a_file)]


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.id)
def test_answers_stay_outside(exercise: Exercise):
    """Of each exercise the file of its task goes inside, and what that imports: no file with an answer of any exercise."""
    inside = dict(files.for_the_child(exercise))
    assert files.leak(exercise) == "" and f"{exercise.package}.task" in inside
    assert not [name for name in inside if name.rpartition(".")[2] not in ("task", "common", "shared", "watching")]
    answer = inspect.getsource(exercise.reference)
    assert not [name for name, text in inside.items() if answer in text]


# --- what the teacher's own process does for one submission grows with its size, and not with the square of it ---


def steps(function):
    """How many steps of Python are taken: a count, so that it is the same on a busy machine."""
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        frame.f_trace_opcodes = True
        count += 1
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


def work(cells):
    """All that is done with the cells before an answer is asked for, and the page about it."""
    notebook = submissions.read(klass.as_submission("ada", klass.notebook(*cells)))
    exercises = assignment.load("04").exercises
    problems = grade._suspicions(notebook, {})
    session = grade._Session(None, notebook, exercises, dict.fromkeys(exercises, 0), problems, {})
    got = grade.Graded.of(klass.as_submission("ada", {}), problems)
    for id, exercise in exercises.items():
        answer = session.sources.get(exercise.name, "")[: grade.MOST_SHOWN]
        got.scores.append(grade.Score(id, exercise.title, 0, 1, grade._no_answer(exercise), [], answer))
    results.feedback(got, assignment.load("04"))


STARTER = bank.exercises("04")["04.1"].starter_source()
SIZES = {
    "many cells": lambda n: ["x = 1"] * n,
    "one long cell": lambda n: ["\n".join(["x = 1"] * n)],
    "many copies of one answer": lambda n: [STARTER] * n,
    "many definitions": lambda n: ["\n".join(f"def f{k}(x): return x" for k in range(n))],
    "many odd words": lambda n: ["sys.modules; gc.get_objects(); os._exit(0)\n" * n],
    "no Python": lambda n: ["%" + "(" * n] * 3,
    "one deep expression": lambda n: ["x = " + "-" * n + "1"],
    "many names in one line": lambda n: ["=".join(f"a{k}" for k in range(n)) + " = 1"],
}


@pytest.mark.weekly
@pytest.mark.parametrize("shape", SIZES)
def test_the_work_for_a_submission_grows_with_its_size(shape):
    small, large = (steps(lambda n=n: work(SIZES[shape](n))) for n in (100, 800))
    base = steps(lambda: work([]))
    assert large - base < 12 * (small - base) + 20_000, (base, small, large)


@pytest.mark.weekly
@pytest.mark.parametrize("item", [["list", []], ["dict", [[k, k] for k in range(10)]]], ids=["list", "dict"])
def test_the_work_for_a_message_grows_with_its_size(item):
    small, large = (steps(lambda n=n: wire.Decoder(b"").decode(["list", [item] * n])) for n in (100, 800))
    assert large < 9 * small


@pytest.mark.sampled(40, weekly=20)
@pytest.mark.parametrize("id", [id for chapter in bank.chapters() for id in bank.exercises(chapter)])
def test_no_constant_earns_a_share_with_any_draw(id):
    """What chance gives is looked up in few draws, and holds for a student's own."""
    exercise = bank.exercises(id[:2])[id]
    if exercise.is_value or exercise.names_a_file or isinstance(exercise.reference, type):
        return
    plain = dataclasses.replace(exercise, mistakes={})
    for seed in (101, 102, 103):
        for body in ("0.0", "True", "False", "args[0]", "args[-1]"):
            verdict = judge(plain, eval(f"lambda *args: {body}"), seed=seed)
            assert grade.share(exercise, verdict) == 0, (body, seed, verdict.parts)


def fails(error):
    raise error("no")


@pytest.mark.parametrize(
    ("id", "guess"),
    [
        ("15.1", lambda *args: fails(ValueError)),
        ("08.3", lambda *args: fails(RuntimeError)),
        ("08.3", lambda L, wrt: [mg.zeros_like(x) for x in wrt]),
        ("08.3", lambda L, wrt: L.backward()),
        ("08.5", lambda f, x: mg.zeros_like(x)),
        ("08.5", lambda f, x: f(x)),
        ("09.3", lambda f, x, draws: mg.zeros_like(x)),
        ("13.5", lambda root: root.backward()),
        ("13.7", lambda x: x * 0),
    ],
)
def test_no_guess_earns_a_share(id, guess):
    exercise = bank.exercises(id[:2])[id]
    for seed in (101, 102):
        verdict = judge(dataclasses.replace(exercise, mistakes={}), guess, seed=seed)
        assert any(verdict.parts.values()) and grade.share(exercise, verdict) == 0, verdict.parts
