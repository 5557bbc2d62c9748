"""A class in which many hand in what no grader expects: everybody has a row, the honest have their points, the teacher is told."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import os
import re
import sys
from pathlib import Path

import grading_class as klass
import pytest

from minigrad.course.__main__ import main
from minigrad.course.grading import assignment, results, run, sandbox, submissions

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names and kinds of files of Linux")

SET_UP = "import numpy as np\nimport minigrad as mg"
OWN = '''\
"""My own exercise."""

import minigrad as mg
from minigrad.course.exercise import Case, Exercise, Mistake, register


def triple(x):
    """Three times x. x: a Tensor."""
    return 3 * x


def cases(rng, dtype):
    return [Case("zeros: three", (mg.tensor([0.0, 0.0, 0.0], dtype=dtype),)),
            Case("numbers: three", (mg.tensor(rng.normal(size=3), dtype=dtype),)),
            Case("numbers: more", (mg.tensor(rng.normal(size=5), dtype=dtype),))]


register(Exercise(id="80.1", title="Triple", difficulty=2, minutes=2, reference=triple, cases=cases, hints=("a", "b", "c"),
                  explanation="So.", time_limit=3.0, mistakes={"twice": Mistake(lambda x: 2 * x, "That is *twice* x.")}))
'''
RIGHT = "def triple(x):\n    return x + x + x"

# What a student's answer is → whether it earns the two points.
ANSWERS = {
    "half a character printed": ("def triple(x):\n    print('\\ud800')\n    return 3 * x", True),
    "half a character raised": ("def triple(x):\n    raise ValueError('\\udfff' * 9)", False),
    "half a character as a name": ("def triple(x):\n    raise type('\\udc80', (Exception,), {})('\\ud800')", False),
    "half a character returned": ("def triple(x):\n    return {'\\ud800': ['\\udfff', x]}", False),
    "half a character in a cell's error": (RIGHT + "\nraise KeyError('\\ud83d')", True),
    "half a character in the source": (RIGHT + "\ns = '\ud800'", True),
    "control characters": (RIGHT.replace("return", "print('\\0\\x1b[2J\\u202e<b>')\n    return"), True),
    "a comment that hides": ("def triple(x):\n    return x  # \u202e x * 3 nruter", False),
    "HTML": ("def triple(x):\n    raise ValueError('<script>alert(1)</script><img src=x onerror=alert(1)>')", False),
    "a long story": ("def triple(x):\n    print('x' * 10**6)\n    raise ValueError('y' * 10**6)", False),
    "a dict of many keys": ("def triple(x):\n    return {f'key {k}' * 50: [k] * 9 for k in range(9000)}", False),
    "a list of many": ("def triple(x):\n    return [[[0.5] * 30] * 30] * 9", False),
    "a list of too many": ("def triple(x):\n    return list(range(10**5))", False),
    "not a number": ("def triple(x):\n    return x * float('nan')", False),
    "a huge integer": ("def triple(x):\n    return 1 << 10**6", False),
    "the end of the process": ("import os\ndef triple(x):\n    os._exit(0)", False),
    "a closed connection": ("import os\ndef triple(x):\n    os.closerange(3, 64)\n    return 3 * x", False),
    "a forged reply": (klass.FORGE + "lie = {'state': 'seen', 'results': [1, 2, 3], 'printed': ['\\ud800']}\n"
        "child.reply_to = lambda *a: (lie, b'')\n"
                       + RIGHT, False),
    "a reply that is no data": (klass.FORGE + "child.reply_to = lambda *a: ([[[]]] * 9, b'')\n" + RIGHT, False),
    "fewer cases": ("import sys\ndef triple(x):\n    frame = sys._getframe()\n    while frame:\n"
        "        mine = frame.f_locals.get('self')\n"
                    "        if hasattr(mine, 'cases'): del mine.cases[1:]\n        frame = frame.f_back\n    return x", False),
    "fewer results": (klass.FORGE + "real = child.observe\ndef less(*a, **k):\n    seen = real(*a, **k)\n    del seen.results[1:]\n"
                      "    return seen\nchild.observe = less\ndef triple(x): return x", False),
    "more results": (klass.FORGE + "real = child.observe\ndef more(*a, **k):\n    seen = real(*a, **k)\n    seen.results *= 2\n"
                     "    return seen\nchild.observe = more\n" + RIGHT, False),
    "a long reply": (klass.FORGE + "real = child.reply_to\ndef longer(*a, **k):\n    lie, blobs = real(*a, **k)\n"
                     "    lie['printed'] = ['p' * 5000] * 50\n    return lie, blobs\nchild.reply_to = longer\n" + RIGHT, True),
    "an integer that Python does not print": ("def triple(x):\n    return (1 << 16370) + 7", False),
    "the end, later": ("import threading, os, time\ndef triple(x):\n    threading.Timer(0.2, os._exit, (0,)).start()\n"
                       "    time.sleep(0.3)\n    return 3 * x", False),
    "exceptions without end": ("def triple(x):\n    last = None\n    for k in range(10**5):\n        new = ValueError(k)\n"
                               "        new.__cause__, last = last, new\n    raise last", False),
    "modules in the way": ("for name in ('random', 'json', 'pickle'): open(name + '.py', 'w').write('raise SystemExit')\n"
                           + RIGHT, True),
    "errors out of warnings": ("import warnings\nwarnings.simplefilter('error')\nnp.seterr(all='raise')\n" + RIGHT, True),
    "no judge": ("import sys\nfor name in [*sys.modules]:\n    if 'judge' in name or 'wire' in name: del sys.modules[name]\n"
                 + RIGHT, True),
    "no builtins": ("import builtins\nfor name in ('isinstance', 'len', 'type'): delattr(builtins, name)\n" + RIGHT, False),
    "a name in wide letters": (RIGHT.replace("triple", "\uff54\uff52\uff49\uff50\uff4c\uff45"), True),
    "file descriptors in disorder": ("import os\nfor fd in range(3, 30):\n    try: os.dup2(fd, 63 - fd)\n    except OSError: pass\n"
                                     "def triple(x): return x", False),
    "every descriptor written to": ("import os\ndef triple(x):\n    for n in os.listdir('/proc/self/fd'):\n"
                                    "        try: open('/proc/self/fd/' + n, 'wb').write(b'x' * 100)\n"
                                    "        except Exception: pass\n    return x", False),
    "a stop": ("import signal\ndef triple(x):\n    signal.raise_signal(signal.SIGSTOP)\n    return x", False),
    "odd files": ("import os\nos.symlink('/', '/tmp/a')\nos.mkfifo('/tmp/b')\nos.mkdir('/tmp/c', 0)\n" + RIGHT, True),
    "threads": ("import threading, time\nfor _ in range(999):\n    try: threading.Thread(target=time.sleep, args=(99,)).start()\n"
                "    except RuntimeError: break\n" + RIGHT, True),
    "thousands of definitions": ("def triple(x): return x\n" * 3000 + RIGHT, True),
    "the reference of the process": ("import sys\ndef triple(x):\n    frame = sys._getframe()\n    while frame:\n"
                                     "        for thing in frame.f_locals.values():\n"
                                     "            if hasattr(thing, 'reference'): return thing.reference(x)\n"
                                     "        frame = frame.f_back\n    return x", False),
    "an error that is caught": ("try: mg.tensor([1.0, 2.0], requires_grad=True).exp().backward()\nexcept RuntimeError: pass\n"
                                + RIGHT, True),
    "another's function": ("np.allclose = lambda *a: True\n" + RIGHT, True),
    "a method of the judge's": ("import minigrad.course.judging.standing as s\ns.Witness.of = lambda self, answer: answer\n"
                                + RIGHT, True),
    "what the judge does with inputs": ("import importlib\no = importlib.import_module('minigrad.' + 'course.' + 'judging.observed')\n"
                                        "o._fingerprint = lambda x: None\ndef triple(x):\n    y = 3 * x.detach()\n"
                                        "    x.numpy()[...] = 7\n    return y", False),
    "another module": ("import sys, types\nm = 'minigrad.course.judging.compare'\nsys.modules[m] = types.ModuleType(m)\n"
                       + RIGHT, True),
    "few digits": ("import numpy as np\ndef triple(x):\n    return (2.99 * x.numpy()).astype('float16')", False),
    "fewer digits": ("import numpy as np\ndef triple(x):\n    return ((3 - 1e-5) * x.numpy()).astype('float32')", False),
    "patience": ("import time\ndef triple(x):\n    time.sleep(60)", False),
}  # fmt: skip


# What takes as long as it is let → the sentence for the teacher.
SLOW = {
    "no more time limit": ("import signal\ndef triple(x):\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
                           "    while True: pass", "did not stop when its time was over"),
    "the recursion limit": ("import sys\nsys.setrecursionlimit(10**9)\ndef triple(x): return triple(x)",
                            "did not stop when its time was over|ended the process"),  # whichever comes first: time, or memory
    "no more processor": ("import resource\ndef triple(x):\n    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\n"
                          "    while True: pass", "ended the process"),
    "a message that never ends": ("class Endless(Exception):\n    def __str__(self):\n        while True: pass\n"
                                  "def triple(x): raise Endless()", ""),
    "a source that is slow to parse": ("R = 1\ns = f'" + "{R}" * 300_000 + "'\n" + RIGHT, "took too long, and was left out"),
}  # fmt: skip


@pytest.mark.weekly
@pytest.mark.parametrize("name", SLOW)
def test_what_takes_as_long_as_it_is_let(graded, name):
    answer, sentence = SLOW[name]
    mine, eve = assignment.load(str(graded / "week.toml")), klass.as_submission("eve", klass.notebook(SET_UP, answer))
    with sandbox.sandbox() as box:
        got = run.grade_one(eve, mine, box, "s")
    assert [score["verdict"]["outcome"] == "passed" for score in got["scores"]] == [False]
    assert re.search(sentence, " ".join(got["problems"]))


def a_class(folder: Path) -> None:
    folder.mkdir()
    for name, (answer, _) in ANSWERS.items():
        (folder / name).mkdir()
        (folder / name / "week.ipynb").write_text(json.dumps(klass.notebook(SET_UP, answer)))
    for name in ("ada", "zoe"):
        (folder / name).mkdir()
        (folder / name / "week.ipynb").write_text(json.dumps(klass.notebook(SET_UP, RIGHT)))
    latin = os.path.join(os.fsencode(folder), b"M\xfcller")
    os.mkdir(latin)
    with open(os.path.join(latin, b"\xfc.ipynb"), "w") as file:
        file.write(json.dumps(klass.notebook(SET_UP, RIGHT)))
    (folder / "a damaged archive.zip").write_bytes(b"PK\5\6" + b"\xff" * 18)
    os.mkfifo(folder / "a pipe.zip")
    os.symlink(folder / "ada" / "week.ipynb", folder / "a link.ipynb")
    (folder / "deep.ipynb").write_text("[" * 100_000)
    (folder / "nothing").mkdir()


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    a_class(folder / "submitted")
    (folder / "mine.py").write_text(OWN)
    (folder / "week.toml").write_text('bank = "mine.py"\npartial = false\n')
    return folder


@pytest.fixture(scope="module")
def graded(handed_in):
    folder = handed_in
    options = ["--assignment", str(folder / "week.toml"), "--seed", "s", "--weak-isolation", "--jobs", "2"]
    assert main(["grade", str(folder / "submitted"), *options, "--output", str(folder / "out")]) == 0
    return folder


def rows(folder: Path) -> dict[str, dict[str, str]]:
    return {row["username"]: row for row in csv.DictReader(io.StringIO((folder / "out" / "grades.csv").read_text(encoding="utf-8")))}


def told(folder: Path) -> dict[str, dict]:
    return {s["student"]: s for s in json.loads((folder / "out" / "scores.json").read_text(encoding="utf-8"))["submissions"]}


def test_everybody_has_a_row_and_what_they_deserve(graded):
    table = rows(graded)
    deserved = {name: "2" if earns else "0" for name, (_, earns) in ANSWERS.items()} | {"ada": "2", "zoe": "2", "Müller": "2"}
    deserved |= dict.fromkeys(["a damaged archive", "a pipe", "a link", "deep", "nothing"], "0")
    assert {name: row["score"] for name, row in table.items()} == deserved


# Sentences that the teacher finds beside a name, in the report.
SENTENCES = {
    "the end of the process": "ended the process", "a closed connection": "ended the process",
    "a forged reply": "no reply to the question",
    "a reply that is no data": "no reply to the question", "fewer cases": "no reply to the question", "more results": "no reply",
    "fewer results": "no reply to the question", "half a character in a cell's error": "Cell 2: KeyError",
    "another's function": "It replaced functions that are not its own: numpy.allclose",
    "a method of the judge's": "not its own: minigrad.course.judging.standing.Witness.of",
    "what the judge does with inputs": "not its own: minigrad.course.judging.observed._fingerprint",
    "another module": "not its own: minigrad.course.judging.compare.",
    "the end, later": "ended the process", "no builtins": "ended the process", "file descriptors in disorder": "os.dup",
    "every descriptor written to": "/proc/", "the reference of the process": "_getframe",
    "a list of too many": "no reply to the question", "a damaged archive": "damaged", "a pipe": "no notebook",
    "a link": "it is a link to another file", "deep": "it is not JSON", "nothing": "no notebook",
}  # fmt: skip


def test_the_teacher_is_told(graded):
    report = (graded / "out" / "report.html").read_text(encoding="utf-8")
    about = told(graded)
    for name, sentence in SENTENCES.items():
        said = " ".join(about[name]["problems"]) + " ".join(line for line in report.splitlines() if name in line)
        assert sentence in said, (name, said)
    assert "sys.modules" in " ".join(about["a forged reply"]["problems"])  # what an answer has no use for
    assert "checker itself failed" not in "".join(page.read_text(encoding="utf-8") for page in (graded / "out").rglob("*.html"))
    assert not [name for name in ("ada", "an error that is caught", "half a character printed") if about[name]["problems"]]


def test_pages_are_whole_and_small(graded):
    pages = list((graded / "out" / "feedback").glob("*.html"))
    assert len(pages) == len(ANSWERS) + 8
    for page in [*pages, graded / "out" / "report.html"]:
        text = page.read_text(encoding="utf-8")
        assert (
            len(text) < 100_000
            and "<script" not in text
            and "<img src=x" not in text
            and "\u202e" not in text
            and text.endswith("</html>\n")
        )
    page = (graded / "out" / "feedback" / "ada.html").read_text(encoding="utf-8")
    assert "return x + x + x" in page  # the answer, beside its verdict


def test_texts_of_a_verdict_are_of_a_size_that_a_page_can_bear(graded):
    kept = list((graded / "out" / run.DONE).glob("*.json"))
    verdicts = [score["verdict"] for path in kept for score in json.loads(path.read_text(encoding="utf-8"))["scores"]]
    assert len(verdicts) >= len(ANSWERS)
    for verdict in verdicts:
        assert len(verdict["sentence"]) <= 1000 and len(verdict["trace"]) <= 4000 and len(verdict["details"]) <= 12
        assert all(len(line) <= 600 for line in (*verdict["details"], *verdict["printed"])) and len(verdict["printed"]) <= 5


def test_again_changes_nothing(graded):
    before = (graded / "out" / "scores.json").read_bytes()
    options = ["--assignment", str(graded / "week.toml"), "--seed", "s", "--weak-isolation", "--jobs", "1"]
    assert main(["grade", str(graded / "submitted"), *options, "--output", str(graded / "out")]) == 0
    assert (graded / "out" / "scores.json").read_bytes() == before


@pytest.mark.nbgrader
@pytest.mark.weekly
def test_the_gradebook_and_its_notebooks(graded):
    pytest.importorskip("nbgrader.api", reason="nbgrader is not installed (extra: instructor)")
    import nbformat

    from minigrad.course.grading.gradebook import opened

    options = ["--assignment", str(graded / "week.toml"), "--seed", "s", "--weak-isolation", "--jobs", "1"]
    book = graded / "gradebook.db"
    assert main(["grade", str(graded / "submitted"), *options, "--output", str(graded / "out"), "--gradebook", str(book)]) == 0
    with opened(book) as gradebook:
        scores = {s["student"]: s["score"] for s in gradebook.submission_dicts("week")}
    assert scores == {name: float(row["score"]) for name, row in rows(graded).items()}
    for path in (graded / "autograded").glob("*/week/week.ipynb"):
        nbformat.validate(nbformat.read(path, as_version=4))


def test_a_step_that_fails_stays_with_its_student(graded, tmp_path, monkeypatch):
    """Whatever else goes wrong in grading, or in making a page."""
    mine = assignment.load(str(graded / "week.toml"))
    found = [s for s in submissions.find(graded / "submitted") if s.student in ("ada", "zoe", "nothing")]
    real, reason = run.judged, [KeyError("not \ud800 foreseen")]

    def fails(s, *rest):
        if s.student == "zoe":
            raise reason[0]
        return real(s, *rest)

    monkeypatch.setattr(run, "judged", fails)
    got = run.grade_class(found, mine, "s", tmp_path, bool(sandbox.bubblewrap()))
    assert [g.total for g in got] == [2, 0, 0] and "The grader failed (KeyError" in got[2].problems[0]
    reason[:] = [OSError(errno.EMFILE, "too many open files")]
    again = run.grade_class(found, mine, "s", tmp_path / "again", bool(sandbox.bubblewrap()))
    assert again[2].problems == [run.NOT_STARTED] and len(list((tmp_path / "again" / run.DONE).glob("*.json"))) == 2
    page = results.feedback
    monkeypatch.setattr(results, "feedback", lambda g, *rest: 1 / 0 if g.student == "ada" else page(g, *rest))
    results.write(got, mine, tmp_path / "out", "s")
    table = rows(tmp_path)
    assert (table["ada"]["score"], table["zoe"]["score"]) == ("2", "0") and "could not be made" in str(
        told(tmp_path)["ada"]["problems"]
    )


@pytest.mark.weekly
def test_the_clock_of_a_submission(graded, tmp_path, monkeypatch):
    """Also what the teacher's own process does is limited."""
    mine = assignment.load(str(graded / "week.toml"))
    found = [s for s in submissions.find(graded / "submitted") if s.student in ("ada", "zoe")]
    real = run.judged

    def slow(s, *rest):
        while s.student == "ada":
            pass
        return real(s, *rest)

    monkeypatch.setattr(run, "judged", slow)
    monkeypatch.setattr(run, "BUDGET", 8.0)
    got = run.grade_class(found, mine, "s", tmp_path, bool(sandbox.bubblewrap()))
    assert [g.total for g in got] == [0, 2] and "given up" in got[0].problems[0]


@pytest.mark.parametrize("walls", [True, pytest.param(False, marks=pytest.mark.weekly)])
@pytest.mark.parametrize("place", [pytest.param("here", marks=pytest.mark.weekly), pytest.param("cluster", marks=pytest.mark.dask)])
def test_the_same_with_walls_and_without_here_and_on_a_cluster(handed_in, tmp_path, monkeypatch, walls, place):
    """As root without walls it is refused, where nobody else could run this Python."""
    mine = assignment.load(str(handed_in / "week.toml"))
    names = ("ada", "half a character raised", "a forged reply", "the end of the process", "a list of too many", "a pipe", "Müller")
    found = [s for s in submissions.find(handed_in / "submitted") if s.student in names]
    here = {g.student: g.total for g in run.grade_class(found, mine, "s", tmp_path / "here", bool(sandbox.bubblewrap()))}
    assert len(found) == len(names)
    if not walls:  # a worker looks for bubblewrap where its PATH says
        monkeypatch.setenv("PATH", str(tmp_path))
    try:
        with on_a_cluster(mine) if place == "cluster" else contextlib.nullcontext() as cluster:
            shut_in = bool(sandbox.bubblewrap())
            assert cluster is None or cluster.walls == shut_in
            there = run.grade_class(found, mine, "s", tmp_path / "there", shut_in, cluster=cluster)
    except sandbox.SandboxError as error:
        assert not walls and os.getuid() == 0 and "You are root" in str(error)
        return
    assert {g.student: g.total for g in there} == here and set(here) == set(names) and set(here.values()) == {0, 2}
    assert all(g.problems for g in there if g.student in ("a forged reply", "the end of the process", "a list of too many", "a pipe"))


@contextlib.contextmanager
def on_a_cluster(mine: assignment.Assignment):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed (extra: dask)")
    from minigrad.course.grading.cluster import Cluster

    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as local,
        Cluster(local.scheduler_address, mine) as cluster,
    ):
        yield cluster
        assert not any(cluster.client.run(lambda dask_worker: dask_worker.periodic_callbacks["profile"].is_running()).values())
