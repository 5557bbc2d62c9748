"""The grader against every answer of the bank, against attacks, and against a class of 300.

python benchmarks/grading.py agree [CHAPTER …]   every right and wrong answer: the grader says what `check` says
python benchmarks/grading.py attacks [--write]   the tables in docs/teachers-safety.md
python benchmarks/grading.py class [300]         a class, a fifth damaged and a fifth hostile: scores and time
python benchmarks/grading.py pace [SIZE …] [--write]  seconds for classes of these sizes, and with 1, 2, 4 processes
python benchmarks/grading.py interrupted [300]   the same class, killed at random moments: nothing is lost
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "grading")]

import grading_class as klass  # noqa: E402
from test_intake import ZIPS  # noqa: E402

from minigrad.course import bank  # noqa: E402
from minigrad.course.grading import assignment, grade, run, sandbox  # noqa: E402
from minigrad.course.grading.gradebook import path_with_programs  # noqa: E402
from minigrad.course.judging.compare import same  # noqa: E402
from minigrad.course.judging.guard import guarded  # noqa: E402
from minigrad.course.judging.observed import Observed  # noqa: E402

SEED = 11
SET_UP = "import numpy as np\nimport minigrad as mg"
PAGE = ROOT / "docs" / "teachers-safety.md"


def agree(chapters: list[str]) -> bool:
    """Compare the two verdicts on each answer."""
    different = count = 0
    with sandbox.sandbox() as box:
        for chapter in chapters or bank.chapters():
            start, told = time.monotonic(), 0
            for row, notebook in klass.sheets(chapter):
                submission = klass.as_submission("ada", notebook, klass.files_of(row))
                graded = grade.grade(submission, assignment.load(chapter), box, "", seed=SEED)
                for score in (s for s in graded.scores if s.id in row):
                    style, there = row[score.id], score.verdict
                    here = style.verdict(SEED)
                    count, told = count + 1, told + 1
                    fields = ("outcome", "mistake", "sentence", "hint")
                    if any(getattr(here, f) != getattr(there, f) for f in fields):
                        different += 1
                        print(f"{score.id}{style.path}: check says {here}\n  the grader says {there}", flush=True)
            print(f"{chapter}: {told} answers, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{count} answers, {different} verdicts differ")
    return different == 0


# Without walls these would try to end or fill this machine; whether the filter of calls stops them is not tried here.
TOO_DANGEROUS = ("kills", "fork bomb", "thousand processes", "symbolic links", "full disk")


def attacks(options: list[str]) -> bool:
    """Run each attack with bubblewrap, without, and on nbgrader's own autograder, and write what came of it."""
    names = [(attack.name, attack.wants) for attack in klass.attacks(*[Path("/nowhere")] * 3)]
    rows = {name: [name, wants, *["not tried"] * 3] for name, wants in (*names, *((name, "points") for name in klass.ENGINES))}
    for column, walls in ((3, True), (4, False)):
        with sandbox.sandbox(walls) as box, tempfile.TemporaryDirectory() as folder:
            if walls and not box.way:
                sys.exit("bubblewrap is not here: the table cannot be made.")
            files = [Path(folder, name) for name in ("seed.txt", "gradebook.db", "other.ipynb")]
            for attack in klass.attacks(*files):
                if not walls and any(word in attack.name for word in TOO_DANGEROUS):
                    continue
                for file in files:
                    file.write_text("mine")
                notebook = klass.notebook(SET_UP, *attack.cells)
                graded = grade.grade(klass.as_submission("eve", notebook), assignment.load("04"), box, "secret")
                earned = tuple(score.id for score in graded.scores if score.verdict.passed)
                harmless = all(file.exists() and file.read_text() == "mine" for file in files)
                rows[attack.name][column] = "stopped" if earned == attack.earns and harmless else "**gets through**"
                print(rows[attack.name], flush=True)
            for name, source in klass.ENGINES.items():
                graded = grade.grade(klass.engine_attack(source), assignment.load("16"), box, "secret")
                rows[name][column] = "**gets through**" if any(s.verdict.passed for s in graded.scores) else "stopped"
                print(rows[name], flush=True)
    held = all(row[3] == "stopped" for row in rows.values())
    for name, word in plainly():
        rows[name][2] = word
        print(rows[name], flush=True)
    head = ["| Attack | wants | nbgrader's autograder | ours, with bubblewrap | ours, without |", "|:--|:--|:--|:--|:--|"]
    table = [*head, *(f"| {' | '.join(row)} |" for row in rows.values())]
    probes = facts()
    text = {"attacks": "\n".join(table), "facts": probes}
    if "--write" in options:
        _write(PAGE, text)
    else:
        print(*text.values(), sep="\n\n")
    return held


def _write(path: Path, parts: dict[str, str]) -> None:
    """Put the parts where the page has their names."""
    page = path.read_text(encoding="utf-8")
    for name, body in parts.items():
        page = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m, b=body: f"{m[1]}{b}\n{m[2]}", page, flags=re.DOTALL)
    path.write_text(page, encoding="utf-8")


# nbgrader's autograder sets no limits: what fills memory, disk or the table of processes would take this machine.
NO_LIMITS = ("fork bomb", "thousand processes", "16 GB", "memory, bit by bit", "full disk")

PLAIN = """
import sys
from nbgrader.apps import AutogradeApp, GenerateAssignmentApp
app = {"generate": GenerateAssignmentApp, "autograde": AutogradeApp}[sys.argv[1]].instance()
app.initialize(sys.argv[2:])
app.start()
"""


def plainly() -> Iterator[tuple[str, str]]:
    """Each attack on nbgrader's autograder, in a toy course of Eve and Zoe, which a machine of its own shuts in.

    Eve hands in the attack, Zoe an honest notebook. Inside they are alone with the teacher's files, with all rights on them.
    """
    with tempfile.TemporaryDirectory() as folder:
        for chapter in ("04", "16"):
            course = Path(folder, chapter)
            (name,) = [path.name for path in (ROOT / "solutions").glob(f"{chapter}-*")]
            shutil.copytree(ROOT / "solutions" / name, course / "solutions" / name)
            shutil.copy(ROOT / "nbgrader_config.py", course)
            done = _alone(course, "generate", name)
            if done is None or not (course / "exercises" / name).is_dir():
                raise RuntimeError("nbgrader does not release the assignment")
        secret = "secret/seed.txt", "gradebook.db", "submitted/zoe/04-vjps/04-vjps.ipynb"
        course = Path(folder, "trial")  # the attacks know the names of its files
        for attack in klass.attacks(*(course / path for path in secret)):
            if not any(word in attack.name for word in NO_LIMITS):
                yield attack.name, _plain_result(Path(folder, "04"), course, attack.cells, {}, attack.earns)
        for name, source in klass.ENGINES.items():
            submission = klass.engine_attack(source)
            cells = tuple(c["source"] for c in json.loads(submission.data)["cells"])
            yield name, _plain_result(Path(folder, "16"), course, cells, submission.files, ())


def _plain_result(template: Path, course: Path, cells: tuple[str, ...], files: dict[str, bytes], earns: tuple[str, ...]) -> str:
    shutil.rmtree(course, ignore_errors=True)
    shutil.copytree(template, course)
    (course / "secret").mkdir()
    (course / "secret" / "seed.txt").write_text("mine")
    (name,) = [path.name for path in (course / "exercises").iterdir()]
    released = json.loads((course / "exercises" / name / f"{name}.ipynb").read_text(encoding="utf-8"))
    kept = {}
    for student, answers in (("eve", cells), ("zoe", (klass.RIGHT_ONE,))):
        notebook = copy.deepcopy(released)
        for cell in notebook["cells"]:
            if cell["id"].endswith("-answer"):
                cell["source"] = "" if student == "eve" or cell["id"] == "04-1-answer" else cell["source"]
        place = 1 + next(k for k, cell in enumerate(notebook["cells"]) if cell["id"] == "set-up")
        notebook["cells"][place:place] = klass.notebook(*answers)["cells"]
        home = course / "submitted" / student / name
        home.mkdir(parents=True)
        (home / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        for file, data in (files if student == "eve" else {}).items():
            (home / file).write_bytes(data)
        kept[student] = (home / f"{name}.ipynb").read_bytes()
    if _alone(course, "autograde", name) is None:
        return "**the run does not end**"
    harmed = (course / "secret" / "seed.txt").read_text() != "mine" if (course / "secret" / "seed.txt").exists() else True
    zoes = course / "submitted" / "zoe" / name / f"{name}.ipynb"
    harmed |= not zoes.exists() or zoes.read_bytes() != kept["zoe"]
    earned = {}
    for student in kept:
        earned[student] = _earned(course / "gradebook.db", name, student)
    if harmed or (earned["zoe"] or ()) != (("04.1",) if name.startswith("04") else ()):
        return "**harms others**"
    if earned["eve"] is None:
        return "**no score**"
    more = set(earned["eve"]) - set(earns)
    if more:
        return f"**{len(more)} exercise{'s' * (len(more) > 1)} “right”**"
    return "stopped" if earned["eve"] == earns else "**loses points**"


def _earned(gradebook: Path, name: str, student: str) -> tuple[str, ...] | None:
    """The exercises with points; None without a score."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{gradebook}?mode=ro", uri=True)) as book:
            rows = book.execute(
                "SELECT base_cell.name, grade.auto_score FROM grade JOIN base_cell ON grade.cell_id = base_cell.id "
                "JOIN submitted_notebook ON grade.notebook_id = submitted_notebook.id "
                "JOIN submitted_assignment ON submitted_notebook.assignment_id = submitted_assignment.id "
                "WHERE submitted_assignment.student_id = ?", (student,),
            ).fetchall()  # fmt: skip
    except sqlite3.Error:
        return None
    if not rows or all(score is None for _, score in rows):
        return None
    return tuple(sorted(cell.removesuffix("-check").replace("-", ".") for cell, score in rows if score))


def _alone(course: Path, what: str, name: str) -> str | None:
    """Run a program of nbgrader's; None when it did not end in time. It sees this machine's files, and may write to the course."""
    home = course / "home"
    home.mkdir(exist_ok=True)
    walls = [sandbox.bubblewrap(), "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--unshare-pid"]
    walls += ["--unshare-net", "--unshare-ipc", "--die-with-parent", "--bind", str(course), str(course), "--chdir", str(course)]
    if str(ROOT).startswith("/tmp/"):
        walls += ["--ro-bind", str(ROOT), str(ROOT)]
    env = os.environ | {"HOME": str(home), "PATH": path_with_programs(), "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(home)}
    try:
        done = subprocess.run([*walls, sys.executable, "-c", PLAIN, what, name], env=env, capture_output=True, text=True, timeout=400)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout + done.stderr


def facts() -> str:
    """What the grader does not judge by numbers that depend on the inputs, or cannot keep to itself."""
    fixed, half, coded = [], [], []
    for chapter in bank.chapters():
        for exercise in bank.exercises(chapter).values():
            if exercise.is_value or exercise.names_a_file:
                continue
            with guarded():
                seen = [Observed(exercise, exercise.reference, seed, "float64", 60).results for seed in (5, 6, 7, 8)]
                cases = exercise.fresh_cases(5)
            parts: dict[str, bool] = {}
            for case, first, *others in zip(cases, *seen, strict=False):
                parts[case.part] = parts.get(case.part, True) and all(same(first, other, 1e-9) for other in others)
            (fixed if all(parts.values()) else half if 2 * sum(parts.values()) >= len(parts) else []).append(exercise.id)
            coded += [exercise.id] if grade.sent(exercise, 5)[0] is None else []
    return (
        f"* Facts alone, the same for all inputs: {', '.join(fixed)}.\n"
        f"* At least half of the parts are the same for all inputs, and a table of them earns those points: {', '.join(half)}.\n"
        f"* The inputs are built inside, since they hold functions or tensors with a history: {', '.join(coded)}."
    )


# In place of a notebook, what no notebook is; made by hand where bytes are not enough.
NO_FILES = ("a pipe", "a link", "an empty folder", "a name in Latin-1", "another kind of file")


def make_class(place: Path, size: int, chapter: str, hostile: bool = True) -> dict[str, set[str]]:
    """Write a class into an empty folder: a fifth damaged, and a fifth hostile. Returns the exercises that each student deserves.

    Attacks and damages come in turn, so that a class of 300 has each of them. hostile: else these are honest too.
    """
    sheets, every = klass.sheets(chapter), set(assignment.load(chapter).exercises)
    attacks = [(klass.notebook(SET_UP, *a.cells), a.earns if chapter == "04" else ()) for a in klass.attacks(*[Path("/nowhere")] * 3)]
    damages = [*klass.damaged(chapter).values(), *((data, None) for data in ZIPS.values()), *((name, None) for name in NO_FILES)]
    fifth = size // 5
    kinds = ["damaged"] * fifth + ["hostile"] * (fifth if hostile else 0)
    kinds += [("solved", "bank", "solved", "bank", "solved", "blank")[k % 6] for k in range(size - len(kinds))]
    shuffled = random.Random(0)
    shuffled.shuffle(kinds)
    turn: dict[str, int] = dict.fromkeys(kinds, 0)
    deserved: dict[str, set[str]] = {}
    for k, kind in enumerate(kinds):
        student, turn[kind] = f"student{k:04}", turn[kind] + 1
        content: Any
        if kind == "solved":
            content, ids = klass.solved(chapter), every
        elif kind == "blank":
            content, ids = klass.template(chapter), set()
        elif kind == "bank":
            row, content = sheets[turn[kind] % len(sheets)]
            ids = {id for id, style in row.items() if style.kind != "wrong"}
        elif kind == "hostile":
            content, ids = attacks[turn[kind] % len(attacks)]
        else:
            content, whole = damages[turn[kind] % len(damages)]
            ids = every if whole else set()
            if whole is None and isinstance(content, str):
                _no_file(place, student, content)
                content = None
        if content is not None:
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            zipped = kind == "damaged" and content in ZIPS.values()
            (place / f"{student}.{'zip' if zipped else 'ipynb'}").write_bytes(data)
        deserved[student] = set(ids)
    return deserved


def _no_file(place: Path, student: str, what: str) -> None:
    if what == "a pipe":
        os.mkfifo(place / f"{student}.ipynb")
    elif what == "a link":
        os.symlink(place / "student0000.ipynb", place / f"{student}.ipynb")
    else:
        (place / student).mkdir()
        if what == "a name in Latin-1":
            Path(os.fsdecode(os.path.join(os.fsencode(place / student), b"\xfc.ipynb"))).write_bytes(b"{}")
        elif what == "another kind of file":
            (place / student / "answers.tar.gz").write_bytes(b"...")


@contextlib.contextmanager
def _on_disk(size: int, chapter: str, hostile: bool = True) -> Iterator[tuple[Path, dict[str, set[str]]]]:
    """A folder with a class in `submitted`, and what each deserves."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "submitted")
        place.mkdir()
        yield Path(folder), make_class(place, size, chapter, hostile)


def _command(folder: Path, output: str, chapter: str) -> list[str]:
    """The command that grades the class there. The walls are not asked about: where there are none, it says so."""
    return [sys.executable, "-m", "minigrad.course", "grade", str(folder / "submitted"), "--assignment", chapter, "--seed", "s",
            "--output", str(folder / output), "--weak-isolation"]  # fmt: skip


QUIET: dict[str, Any] = {"env": os.environ | {"PYTHONPATH": str(ROOT)}, "stdout": subprocess.DEVNULL}


def _held(folder: Path, output: str, deserved: dict[str, set[str]]) -> bool:
    """Whether everybody has a row, with what is deserved; what was found is printed."""
    written = (folder / output / "scores.json").read_bytes()
    rows: dict[str, set[str]] = {}
    for s in json.loads(written)["submissions"]:
        rows[s["student"]] = {id for id, score in s["exercises"].items() if score["outcome"] == "passed"}
    wrong = sorted(student for student in deserved if rows.get(student) != deserved[student])
    print(f"{len(deserved)} students, {len(rows)} rows; not what was deserved: {len(wrong)} {wrong[:10]}")
    print(f"the scores' sum: {hashlib.sha256(written).hexdigest()[:12]}", flush=True)
    return not wrong and rows.keys() == deserved.keys()


def a_class(options: list[str]) -> bool:
    """A class of many: its scores must be what each deserves. Twice the same: `interrupted` prints the same sum."""
    size, chapter = int(options[0]) if options else 300, "04"
    with _on_disk(size, chapter) as (folder, deserved):
        start = time.monotonic()
        subprocess.run(_command(folder, "one", chapter), check=True, **QUIET)
        seconds = time.monotonic() - start
        print(f"{size} submissions of chapter {chapter} in {seconds:.0f} s, {seconds / size:.2f} s each, {os.cpu_count()} cores")
        return _held(folder, "one", deserved)


def pace(options: list[str]) -> bool:
    """How the time grows with the class, and falls with processes. Without hostile notebooks, which take what they are let."""
    sizes = [int(n) for n in options if n != "--write"] or [10, 30, 100, 300, 1000]
    cores = os.cpu_count() or 1
    rows = [(n, cores) for n in sizes] + [(sizes[len(sizes) // 2], jobs) for jobs in (1, 2, 4)]
    table = ["| submissions | processes | seconds | seconds each |", "|--:|--:|--:|--:|"]
    print(*table, sep="\n", flush=True)
    for size, jobs in dict.fromkeys(rows):
        with _on_disk(size, "06", hostile=False) as (folder, _):
            start = time.monotonic()
            subprocess.run([*_command(folder, "one", "06"), "--jobs", str(jobs)], check=True, **QUIET)
            seconds = time.monotonic() - start
        table.append(f"| {size} | {jobs} | {seconds:.1f} | {seconds / size:.2f} |")
        print(table[-1], flush=True)
    if "--write" in options:
        _write(ROOT / "benchmarks" / "README.md", {"grading": "\n".join([f"Measured on {cores} cores.", "", *table])})
    return True


def interrupted(options: list[str]) -> bool:
    """Kill the command at random moments until it is through: nothing is lost or graded twice, the scores are as deserved."""
    size, chapter = int(options[0]) if options else 300, "04"
    shuffled, kills = random.Random(), 0
    with _on_disk(size, chapter) as (folder, deserved):
        written: dict[str, int] = {}
        while True:
            grading = subprocess.Popen(_command(folder, "one", chapter), start_new_session=True, **QUIET)
            with contextlib.suppress(subprocess.TimeoutExpired):
                grading.wait(shuffled.uniform(1, 4 + size / 5))
            ended = grading.poll() is not None
            if not ended:
                os.killpg(grading.pid, 9)
                grading.wait()
                kills += 1
            now = {path.name: path.stat().st_mtime_ns for path in (folder / "one" / run.DONE).glob("*.json")}
            if any(now.get(name) != when for name, when in written.items()):
                print("a result was lost, or graded again")
                return False
            written = now
            if ended:
                break
        print(f"killed {kills} times, nothing was lost or graded again; the command ended with {grading.returncode}", flush=True)
        return not grading.returncode and _held(folder, "one", deserved)


COMMANDS = {"agree": agree, "attacks": attacks, "class": a_class, "pace": pace, "interrupted": interrupted}

if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["agree"]
    sys.exit(not COMMANDS[what](rest))
