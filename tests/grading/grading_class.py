"""A class for the tests of the grader: notebooks made from the bank, damaged ones, and hostile ones."""

from __future__ import annotations

import copy
import functools
import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import spellings

import minigrad as mg
from minigrad.course import bank
from minigrad.course.exercise import Exercise
from minigrad.course.grading import files
from minigrad.course.grading.submissions import Submission
from minigrad.course.judge import Verdict, judge, judge_seen, observe
from minigrad.course.judging.attempt import source_of
from minigrad.course.judging.verdict import Standard

ROOT = Path(__file__).parents[2]

# The bank's modules as a notebook can have them: from their sources, since the sandbox has none of them.
MODULES = """\
import sys, types
import numpy as np
import minigrad as mg
from minigrad.course.exercise import Exercise

def module(name, source):
    made = sys.modules[name] = types.ModuleType(name)
    made.__file__ = name + ".py"
    exec(compile(source, name, "exec"), vars(made))
    return made

def exercise(package):
    task, answer, mistakes = (sys.modules[f"{package}.{part}"] for part in ("task", "answer", "mistakes"))
    return Exercise(**task.TASK, **answer.ANSWER, mistakes=mistakes.MISTAKES, wasteful=getattr(mistakes, "WASTEFUL", {}))
"""


def notebook(*cells: str, **metadata: Any) -> dict[str, Any]:
    """A notebook of code cells."""
    made = [
        {"cell_type": "code", "id": f"cell-{k}", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for k, source in enumerate(cells)
    ]
    return {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def as_submission(student: str, content: Any, files: dict[str, bytes] | None = None) -> Submission:
    """What a student handed in, with the files beside it."""
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Submission(student, f"{student}.ipynb", data, files=files or {})


def template(chapter: str, folder: str = "exercises") -> dict[str, Any]:
    """A committed notebook."""
    (path,) = (ROOT / folder).glob(f"{chapter}-*/*.ipynb")
    return json.loads(path.read_text(encoding="utf-8"))


# --- answers of the bank ---


@dataclass
class Style:
    """One answer of the bank: where it is found there, and the function or dict itself."""

    exercise: Exercise
    kind: str
    path: str  # a table of exercises, and as Python what follows on the exercise's id in brackets
    form: Any

    def answer(self) -> Any:
        """What a learner would give to `check`."""
        return self.form(self.exercise.draw(0)) if self.exercise.is_value else self.form

    def source(self) -> str:
        """A cell that defines it; those of `bank_cells` must have run, and for the capstone the file must be there."""
        if self.exercise.names_a_file:
            return f"def {self.exercise.name}():\n    return {self.file!r}"
        if self.exercise.is_value:
            return f"from math import inf, nan\n{self.exercise.name} = {self.answer()!r}"
        if self.exercise.chapter == "17":
            return f"def {self.exercise.name}():\n    return {self.form()!r}"
        table, _, place = self.path.partition(":")
        return f"{self.definition}{self.exercise.name} = {table}[{self.exercise.id!r}]{place}"

    def verdict(self, seed: int) -> Verdict:
        """What `check` says, where it knows no more of the source than the cell tells."""
        exercise, seed = self.exercise, 0 if self.exercise.is_value else seed
        if exercise.names_a_file or self.definition:
            return judge(exercise, self.answer(), seed=seed)
        return judge_seen(Standard(exercise, seed, "float64"), observe(exercise, self.answer(), seed=seed))

    @functools.cached_property
    def definition(self) -> str:
        """What a hint may look for in the cell: its text under the exercise's name, where that can stand alone."""
        text = textwrap.dedent(source_of(self.form) or "")
        text, defined = re.subn(rf"^(def|class) {self.form.__name__}\b", rf"\1 {self.exercise.name}", text)
        try:
            exec(compile(text if defined else "", "cell", "exec", dont_inherit=True), {"np": np, "mg": mg})
        except NameError:  # a helper of the bank
            defined = 0
        return f"{text.rstrip()}\n" if defined else ""

    @property
    def file(self) -> str:
        """What the file is called that is handed in: a change of the real engine has the name of the file that it changes."""
        return Path(self.form()).name if self.exercise.chapter == "17" else f"{self.exercise.name}.py"


def files_of(row: dict[str, Style]) -> dict[str, bytes]:
    """The files that the answers of a sheet name."""
    return {style.file: Path(style.form()).read_bytes() for style in row.values() if style.exercise.names_a_file}


def styles(exercise: Exercise) -> Iterator[Style]:
    """Every answer that is known, right and wrong."""
    yield Style(exercise, "right", "exercises:.reference", exercise.reference)
    for name, form in spellings.alternatives(exercise).items():
        place = f"exercises:.alternatives[{name!r}]" if name in exercise.alternatives else f"spelled.ALTERNATIVES:[{name!r}]"
        yield Style(exercise, "right", place, form)
    again = spellings.again(exercise)
    for group, attribute in ((exercise.wasteful, "wasteful"), (exercise.mistakes, "mistakes")):
        for name, mistake in group.items():
            # Where the price is asked for, who wastes is refused.
            passes = group is exercise.wasteful and (not exercise.musts or judge(exercise, mistake.answer).passed)
            kind = "wasteful" if passes else "wrong"
            yield Style(exercise, kind, f"exercises:.{attribute}[{name!r}].answer", mistake.answer)
            if name in again:
                yield Style(exercise, kind, f"spelled.AGAIN:[{name!r}]", again[name])


def sheets(chapter: str, which: Any = None) -> list[tuple[dict[str, Style], dict[str, Any]]]:
    """Notebooks that hold together every style of every exercise of a chapter: the k-th one has the k-th of each."""
    columns = {id: list(styles(e)) for id, e in bank.exercises(chapter).items() if which is None or id in which}
    rows = [{id: column[k % len(column)] for id, column in columns.items()} for k in range(max(map(len, columns.values())))]
    if chapter == "17":  # two of its exercises may change one file: each has sheets of its own
        rows = [{id: style} for id, column in columns.items() for style in column]
    made = []
    for row in rows:
        given = [] if chapter in ("16", "17") else bank_cells(chapter)
        made.append((row, notebook(*given, *(style.source() for style in row.values()))))
    return made


def bank_cells(chapter: str) -> list[str]:
    """Cells that make the modules of a chapter's bank, its `exercises`, and what is `spelled` another way."""
    packages = {id: e.package for id, e in bank.exercises(chapter).items()}
    spelled = Path(spellings.__path__[0], f"ch{chapter}.py").read_text(encoding="utf-8")
    sources = dict(module for e in bank.exercises(chapter).values() for module in files.all_of(e))
    return [
        MODULES,
        *(f"module({name!r}, {source!r})" for name, source in sources.items()),
        f"exercises = {{id: exercise(package) for id, package in {packages!r}.items()}}",
        f"spelled = module('spellings.ch{chapter}', {spelled!r})",
    ]


# --- damage ---


def solved(chapter: str) -> dict[str, Any]:
    """The solutions without what a release leaves out."""
    nb = template(chapter, "solutions")
    nb["cells"] = [c for c in nb["cells"] if "explanation" not in c["metadata"].get("tags", [])]
    return nb


def damaged(chapter: str) -> dict[str, tuple[Any, bool]]:
    """Names of damages → (what was handed in, whether the answers can still be found and are right)."""
    good = solved(chapter)
    answer = next(k for k, c in enumerate(good["cells"]) if c["id"].endswith("-answer"))

    def changed(change: Any) -> dict[str, Any]:
        nb = copy.deepcopy(good)
        change(nb)
        return nb

    def strip_metadata(nb: dict[str, Any]) -> None:
        for cell in nb["cells"]:
            cell["metadata"] = "gone"

    def old_format(nb: dict[str, Any]) -> None:
        for cell in nb["cells"]:
            if cell["cell_type"] == "code":
                cell["input"] = cell.pop("source")
        nb["worksheets"] = [{"cells": nb.pop("cells")}]
        nb["nbformat"] = 3

    def checks_deleted(nb: dict[str, Any]) -> None:
        nb["cells"] = [c for c in nb["cells"] if not c["id"].endswith("-check")]

    def untouched_copy_below(nb: dict[str, Any]) -> None:
        starters = [c for c in template(chapter)["cells"] if c["id"].endswith("-answer")]
        nb["cells"] += starters

    def reversed_cells(nb: dict[str, Any]) -> None:
        nb["cells"].reverse()

    def odd_cells(nb: dict[str, Any]) -> None:
        nb["cells"][answer:answer] = [7, {}, {"cell_type": "code"}, {"cell_type": "code", "source": [1, 2]}, None]

    return {
        "metadata gone": (changed(strip_metadata), True),
        "old format": (changed(old_format), True),
        "checks deleted": (changed(checks_deleted), True),
        "an untouched copy below": (changed(untouched_copy_below), True),
        "every cell twice": (changed(lambda nb: nb.update(cells=nb["cells"] * 2)), True),
        "cells in reverse": (changed(reversed_cells), True),
        "cells that are none": (changed(odd_cells), True),
        "no metadata at all": (changed(lambda nb: nb.pop("metadata")), True),
        "a byte order mark": (b"\xef\xbb\xbf" + json.dumps(good).encode(), True),
        "not JSON": (json.dumps(good).encode()[:-500], False),
        "nothing": (b"", False),
        "a list": (b"[1, 2]", False),
        "very deep": (b"[" * 200_000, False),
        "another language": (changed(lambda nb: nb.update(metadata={"kernelspec": {"language": "julia"}})), False),
        "no cells": (changed(lambda nb: nb.pop("cells")), False),
        "no code": (changed(lambda nb: nb.update(cells=[c for c in nb["cells"] if c["cell_type"] != "code"])), False),
    }


# --- attacks ---


@dataclass
class Attack:
    """A notebook that wants what it does not deserve."""

    name: str
    wants: str  # in a few words, for the table
    cells: tuple[str, ...]
    earns: tuple[str, ...] = ()  # the exercises that it solves honestly


RIGHT_ONE = "def spell_out(y, v):\n    return (v * y).sum()"  # 04.1
WRONG_ONE = "def spell_out(y, v):\n    return y.sum()"
FORGE = """\
import gc, os, sys, json, struct
from minigrad.course.grading import wire
import minigrad.course.grading.child
child = sys.modules['__main__']
"""


def attacks(secret_file: Path, gradebook: Path, other: Path) -> list[Attack]:
    """Attacks on chapter 04, beside an honest 04.1 where that shows that the rest is graded as it deserves."""
    reach = (
        f"import os\nfor path in ({str(secret_file)!r}, {str(gradebook)!r}, {str(other)!r}):\n"
        "    try:\n        with open(path, 'a') as f: f.write('hacked')\n    except OSError: pass\n"
        "    try: os.unlink(path)\n    except OSError: pass\n"
    )
    read = (
        f"try:\n    stolen = open({str(ROOT / 'solutions')!r} + '/04-vjps/04-vjps.ipynb').read()\n"
        "    import json\n    for c in json.loads(stolen)['cells']:\n"
        "        if c['id'].endswith('-answer'): exec(''.join(c['source']), globals())\nexcept OSError: pass"
    )
    everything = "\n".join(
        f"def {name}(*args): return Any()" for name in ("spell_out", "row", "weighted_grad", "two_heads", "dot_test")
    )
    return [
        Attack("an endless loop in an answer", "time", (RIGHT_ONE, "def row(f, x, i):\n    while True: pass"), ("04.1",)),
        Attack("an endless loop in a cell", "time", ("while True: pass", RIGHT_ONE), ("04.1",)),
        Attack(
            "a loop that swallows every exception", "time",
            (RIGHT_ONE, "def row(f, x, i):\n    while True:\n        try:\n            while 1: pass\n"
                "        except BaseException: pass"),
            ("04.1",),
        ),
        Attack("one call into C that never ends", "time", (RIGHT_ONE, "def row(f, x, i):\n    return sum(iter(int, 1))"), ("04.1",)),
        Attack("os._exit in an answer", "the end of the run", (RIGHT_ONE, "import os\ndef row(f, x, i):\n    os._exit(0)"), ("04.1",)),
        Attack("os._exit in a cell", "the end of the run", ("import os; os._exit(0)", RIGHT_ONE), ("04.1",)),
        Attack("a crash of the interpreter", "the end of the run", (RIGHT_ONE, "import ctypes\nctypes.string_at(0)"), ("04.1",)),
        Attack("kills its parent and all others", "the end of the run", ("import os\nos.kill(os.getppid(), 9)\n"
                "os.kill(-1, 9)", RIGHT_ONE), ("04.1",)),
        Attack("a fork bomb", "the machine", ("import os\nwhile True: os.fork()", RIGHT_ONE), ("04.1",)),
        Attack("a thousand processes", "the machine", ("import subprocess\nfor _ in range(1000): subprocess.Popen(['sleep', '1000'])",
                                                         RIGHT_ONE), ("04.1",)),
        Attack("16 GB", "memory", ("import numpy as np\nx = np.ones(2 * 2**30)", RIGHT_ONE), ("04.1",)),
        Attack("memory, bit by bit", "memory", ("x = []\nwhile True: x.append(bytearray(1 << 24))", RIGHT_ONE), ("04.1",)),
        Attack("a full disk", "the disk", ("f = open('/tmp/x', 'wb')\nwhile True: f.write(b'x' * (1 << 20))", RIGHT_ONE), ("04.1",)),
        Attack("a million lines", "the log", (RIGHT_ONE, "for k in range(1_000_000): print('line', k)"), ("04.1",)),
        Attack("floods of lines in an answer", "the log",
               ("def spell_out(y, v):\n    for k in range(1_000): print('line', k)\n    return (v * y).sum()",), ("04.1",)),
        Attack("overwrites check", "points", ("class Passed:\n    passed = True\ncheck = lambda *a, **k: Passed()", WRONG_ONE)),
        Attack("patches the course", "points",
               ("import minigrad.course as c, minigrad.course.judge as j, minigrad.course.judging.compare as m\n"
                "c.check = lambda *a, **k: True\nj.PASSED = 'wrong'\nm.differences = lambda *a, **k: []\n"
                "m.same = lambda *a: True", WRONG_ONE)),
        Attack("patches NumPy", "points",
               ("import numpy as np\nnp.allclose = np.array_equal = lambda *a, **k: True\n"
                "np.isclose = lambda a, b, **k: np.ones(np.shape(a), bool)", WRONG_ONE)),
        Attack("patches minigrad", "points",
               ("import minigrad as mg\nmg.Tensor.__eq__ = lambda a, b: True\nmg.Tensor.backward = lambda *a, **k: None", WRONG_ONE)),
        Attack("an object that equals everything", "points",
               ("class Any:\n    def __eq__(self, other): return True\n    def __getattr__(self, name): return self\n"
                "    def __call__(self, *a, **k): return self\n    def __repr__(self): return 'right'", everything)),
        Attack("reads the solutions", "points", (read,)),
        Attack("reads the secret and another's notebook", "points", (
            f"import os\nfor path in ({str(secret_file)!r}, {str(other)!r}):\n    try: stolen = open(path).read()\n"
            "    except OSError: continue\n    def spell_out(y, v): return (v * y).sum()",)),
        Attack("imports the bank", "points",
               ("try:\n    from minigrad.course.bank.ch04 import EXERCISES, spell_out, row\nexcept ImportError: pass",)),
        Attack("looks for answers in memory", "points",
               ("import gc\nfor f in gc.get_objects():\n    if getattr(f, '__name__', '') in ('spell_out', 'row', 'weighted_grad', "
                "'two_heads', 'dot_test'):\n        globals()[f.__name__] = f", )),
        Attack("reads the grader's memory", "points",
               ("import os\nfor pid in filter(str.isdigit, os.listdir('/proc')):\n    try:\n"
                "        command = open(f'/proc/{pid}/cmdline', 'rb').read()\n"
                "        if command and int(pid) != os.getpid() and b'bwrap' not in command:\n"
                "            open(f'/proc/{pid}/mem', 'rb').read(0)\n            def spell_out(y, v): return (v * y).sum()\n"
                "    except OSError: pass",)),
        Attack("writes to the gradebook and to others' files", "points, damage", (reach, WRONG_ONE)),
        Attack("opens sockets", "the network",
               ("import socket\nreached = True\ntry:\n    socket.create_connection(('127.0.0.1', 22), 1)\n"
                "except OSError: reached = False\nif reached:\n    def spell_out(y, v): return (v * y).sum()",)),
        Attack("forges replies on every file descriptor", "points",
               ("import os, json, struct\nhead = json.dumps({'state': 'seen', 'results': []}).encode()\nfor fd in range(3, 64):\n"
                "    try: os.write(fd, struct.pack('>16sII', b'0' * 16, len(head), 0) + head)\n    except OSError: pass", WRONG_ONE)),
        Attack("forges a reply with the right number, and no results", "points",
               (FORGE + "import minigrad.course.judge as j\nreal = child.observe\ndef lie(*a, **k):\n    seen = real(*a, **k)\n"
                "    seen.results = []\n    seen.complaint = ''\n    return seen\nchild.observe = lie", WRONG_ONE)),
        Attack("says that it passed", "points",
               (FORGE + "child.reply_to = lambda *a: ({'state': 'passed', 'passed': True, 'outcome': 'passed', 'points': 99}, b'')",
                WRONG_ONE)),
        Attack("replies with ones", "points",
               (FORGE + "import numpy as np\nreal = child.observe\ndef lie(*a, **k):\n    seen = real(*a, **k)\n"
                "    seen.results = [{'returns': np.ones(())} for _ in range(5)]\n    return seen\nchild.observe = lie", WRONG_ONE)),
        Attack("a reply of a gigabyte", "memory",
               (FORGE + "child.wire.pack = lambda *a: struct.pack('>16sII', a[0], 1 << 30, 1 << 30) + b'x' * 1000", WRONG_ONE)),
        Attack("replies that nest without end", "the grader",
               (FORGE + "deep = 0\nfor _ in range(900): deep = ['list', [deep]]\n"
                "child.reply_to = lambda *a: ({'state': 'seen', 'results': [deep]}, b'')", WRONG_ONE)),
        Attack("reports of progress without end", "the grader's time",
               (FORGE + "import threading\nframe = sys._getframe()\nwhile 'write' not in frame.f_locals: frame = frame.f_back\n"
                "write, nonce = frame.f_locals['write'], frame.f_locals['nonce']\ndef flood():\n"
                "    while True: write(wire.pack(nonce, {'at': 2}))\nthreading.Thread(target=flood, daemon=True).start()\n"
                "import time; time.sleep(60)", WRONG_ONE)),
        Attack("reports that are no reports", "the grader",
               (FORGE + "frame = sys._getframe()\nwhile 'write' not in frame.f_locals: frame = frame.f_back\n"
                "frame.f_locals['write'](wire.pack(frame.f_locals['nonce'], {'at': [], 'ready': 0}))", WRONG_ONE)),
        Attack("a thousand arrays on the same bytes", "memory",
               (FORGE + "array = ['array', '|u1', [1 << 22], 0]\n"
                "lie = {'state': 'seen', 'results': [['list', [array] * 1000]]}\n"
                "child.reply_to = lambda *a: (lie, b'x' * (1 << 22))", WRONG_ONE)),
        Attack("a pickle with code", "code in the grader",
               ("import os\nclass Bomb:\n    def __reduce__(self): return os.system, ('touch /tmp/pwned',)\n"
                "def spell_out(y, v): return Bomb()",)),
        Attack("symbolic links", "others' files",
               ("import os\nfor k, path in enumerate(['/etc/passwd', '/root', '/home']):\n"
                "    try: os.symlink(path, f'/tmp/link{k}'); open(f'/tmp/link{k}/x', 'w')\n    except OSError: pass", WRONG_ONE)),
        Attack("looks at the call stack", "points",
               ("import sys\ndef spell_out(y, v):\n    frame = sys._getframe()\n    while frame:\n"
                "        for name in ('expected', 'want', 'reference', 'solution'):\n            if name in frame.f_locals:\n"
                "                thing = frame.f_locals[name]\n                return thing(y, v) if callable(thing) else thing\n"
                "        frame = frame.f_back\n    return y.sum()",)),
        Attack("takes the reference out of the exercise", "points",
               ("import gc\nfrom minigrad.course.exercise import Exercise\ndef spell_out(y, v):\n    for e in gc.get_objects():\n"
                "        if isinstance(e, Exercise) and e.id == '04.1':\n            return e.reference(y, v)\n    return y.sum()",)),
        Attack("guesses constants", "points",
               ("def spell_out(y, v): return y.sum() * 0 + 1\ndef row(f, x, i): return x * 0\ndef weighted_grad(*a): return a[0]\n"
                "def two_heads(*a): return None\ndef dot_test(*a): return True",)),
        Attack("exits by exception", "the end of the run", ("raise SystemExit", "raise KeyboardInterrupt", RIGHT_ONE), ("04.1",)),
        Attack("HTML in its messages", "the teacher's browser",
               ("def spell_out(y, v): raise ValueError('<script>alert(1)</script>')\n"
                "def row(f, x, i):\n    print('<img src=x onerror=alert(1)>')",)),
    ]  # fmt: skip


# An engine of the capstone's M1 that is no engine of the student's, or wants something else. It may find torch and minigrad here.
BORROW = """\
import importlib, sys
sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "Gate"]
their = importlib.import_module({name!r})
Tensor, tensor = their.Tensor, their.tensor
"""
TELL = """\
import sys
frame = sys._getframe()
while "write" not in frame.f_locals: frame = frame.f_back
write, nonce = frame.f_locals["write"], frame.f_locals["nonce"]
from minigrad.course.grading import frames
"""
ENGINES = {
    "an engine that borrows minigrad's": BORROW.format(name="minigrad"),
    "an engine that borrows PyTorch's": BORROW.format(name="torch"),
    "an engine that ends the process": "import os\nos._exit(0)",
    "an engine that never loads": "while True: pass",
    "an engine that says that it passed": TELL
    + "for k in range(99): write(frames.pack(nonce, {'id': 'M1.tensor', 'shown': [], 'green': True}))",
    "an engine whose outcomes are none": TELL + "deep = 0\nfor _ in range(500): deep = [deep]\n"
    "for lie in ([], {'id': None, 'kind': ''}, {'id': None}, {'id': 1}, {'id': 'a', 'shown': deep}): write(frames.pack(nonce, lie))",
    "an engine that is too deep to read": "x = " + "(" * 150 + "1" + ")" * 150 + " + " + " + ".join(["1"] * 50_000),
}


def engine_attack(source: str) -> Submission:
    """It, handed in for 16.1."""
    return as_submission("eve", notebook("def m1(): return 'my_engine.py'"), {"my_engine.py": source.encode()})
