"""The grader against every answer of the bank, against attacks, and against a class of 300.

    python benchmarks/grading.py agree [CHAPTER …]   every right and wrong answer: the grader says what `check` says
    python benchmarks/grading.py attacks [--write]   the tables in docs/teachers-grading.md
    python benchmarks/grading.py class [300]         a class with damaged and hostile notebooks: scores and time
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import grading_class as klass  # noqa: E402

from minigrad.course import bank  # noqa: E402
from minigrad.course.compare import same  # noqa: E402
from minigrad.course.grading import assignment, grade, run, sandbox, slices, submissions  # noqa: E402
from minigrad.course.guard import guarded  # noqa: E402
from minigrad.course.judge import _Observed, judge  # noqa: E402

SEED = 11
SET_UP = "import numpy as np\nimport minigrad as mg"
PAGE = ROOT / "docs" / "teachers-grading.md"


def agree(chapters: list[str]) -> bool:
    """Compare the two verdicts on each answer."""
    different = count = 0
    with sandbox.sandbox() as box:
        for chapter in chapters or bank.chapters():
            start, told = time.monotonic(), 0
            for row, notebook in klass.sheets(chapter):
                submission = klass.as_submission("ada", notebook, klass.files_of(row))
                graded = grade.grade(submission, assignment.load(chapter), box, "", seed=SEED)
                for score in graded.scores:
                    style, there = row[score.id], score.verdict
                    here = judge(style.exercise, style.answer(), seed=0 if style.exercise.is_value else SEED)
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
    """Run each attack with bubblewrap and without, and write what came of it."""
    rows, held = [], True
    for walls in (True, False):
        with sandbox.sandbox(walls) as box, tempfile.TemporaryDirectory() as folder:
            if walls and not box.way:
                sys.exit("bubblewrap is not here: the table cannot be made.")
            files = [Path(folder, name) for name in ("seed.txt", "gradebook.db", "other.ipynb")]
            for k, attack in enumerate(klass.attacks(*files)):
                if not walls and any(word in attack.name for word in TOO_DANGEROUS):
                    rows[k].append("not tried")
                    continue
                for file in files:
                    file.write_text("mine")
                notebook = klass.notebook(SET_UP, *attack.cells)
                graded = grade.grade(klass.as_submission("eve", notebook), assignment.load("04"), box, "secret")
                earned = tuple(score.id for score in graded.scores if score.points)
                harmless = all(file.exists() and file.read_text() == "mine" for file in files)
                word = "stopped" if earned == attack.earns and harmless else "**gets through**"
                held &= word == "stopped" or not walls
                if walls:
                    rows.append([attack.name, attack.wants])
                rows[k].append(word)
                print(attack.name, walls, word, flush=True)
    table = ["| Attack | wants | with bubblewrap | without |", "|:--|:--|:--|:--|", *(f"| {' | '.join(row)} |" for row in rows)]
    probes = facts()
    text = {"attacks": "\n".join(table), "facts": probes}
    if "--write" in options:
        page = PAGE.read_text(encoding="utf-8")
        for name, body in text.items():
            page = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m, b=body: f"{m[1]}{b}\n{m[2]}", page, flags=re.DOTALL)
        PAGE.write_text(page, encoding="utf-8")
    else:
        print(*text.values(), sep="\n\n")
    return held


def facts() -> str:
    """What the grader does not judge by numbers that depend on the inputs, or cannot keep to itself."""
    fixed, coded, leaking = [], [], []
    for chapter in bank.chapters():
        for exercise in bank.exercises(chapter).values():
            if exercise.is_value or not slices.can_watch(exercise):
                continue
            with guarded():
                one, two = (_Observed(exercise, exercise.reference, seed, "float64", 60).results for seed in (5, 6))
            if all(same(a, b, 1e-9) for a, b in zip(one, two, strict=True)):
                fixed.append(exercise.id)
            by_code = grade.sent(exercise, 5)[0] is None
            coded += [exercise.id] if by_code else []
            leaking += [exercise.id] if slices.leaks(exercise, by_code) else []
    return (
        f"* Facts alone, the same for all inputs: {', '.join(fixed)}.\n"
        f"* The inputs are built inside, since they hold functions or tensors with a history: {', '.join(coded)}.\n"
        f"* What watches the answer calls the reference, so it is inside too: {', '.join(leaking)}."
    )


def a_class(options: list[str]) -> bool:
    """A class of many: its scores must be what each deserves, and twice the same."""
    size, chapter = int(options[0]) if options else 300, "06"
    sheets, damaged, hostile = klass.sheets(chapter), klass.damaged(chapter), klass.attacks(*[Path("/nowhere")] * 3)
    given = assignment.load(chapter)
    shuffled = random.Random(0)
    found: list[submissions.Submission] = []
    deserved: dict[str, set[str] | None] = {}
    for k in range(size):
        student = f"student{k:03}"
        kind = shuffled.choices(("solved", "blank", "bank", "damaged", "hostile"), (30, 10, 45, 8, 7))[0]
        content: Any
        ids: set[str] | None = set(given.exercises)
        if kind == "solved":
            content = klass.solved(chapter)
        elif kind == "blank":
            content, ids = klass.template(chapter), set()
        elif kind == "bank":
            row, content = shuffled.choice(sheets)
            ids = {id for id, style in row.items() if style.kind != "wrong"}
        elif kind == "damaged":
            content, findable = damaged[shuffled.choice(sorted(damaged))]
            ids = ids if findable else set()
        else:
            content, ids = klass.notebook(SET_UP, *shuffled.choice(hostile).cells), set()
        found.append(klass.as_submission(student, content))
        deserved[student] = ids
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        start = time.monotonic()
        results = run.grade_class(found, given, "secret", Path(one), True, os.cpu_count() or 1, tell=run.Progress())
        seconds = time.monotonic() - start
        again = run.grade_class(found[::7], given, "secret", Path(two), True, os.cpu_count() or 1, tell=run.Progress())
    wrong = [g.student for g in results if {s.id for s in g.scores if s.points} != deserved[g.student]]
    same_again = [json.dumps(g.as_json()) for g in again] == [json.dumps(g.as_json()) for g in results[::7]]
    pace = f"{seconds / size:.2f} s each, {os.cpu_count()} cores"
    print(f"{size} submissions of chapter {chapter} in {seconds:.0f} s, {pace}")
    twice = "the same" if same_again else "different"
    print(f"scores that are not what was deserved: {len(wrong)} {wrong[:10]}; graded again: {twice}")
    return not wrong and same_again


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["agree"]
    sys.exit(not {"agree": agree, "attacks": attacks, "class": a_class}[what](rest))
