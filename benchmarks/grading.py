"""The grader against every answer of the bank, and against a class of 300.

    python benchmarks/grading.py agree [CHAPTER …]   every right and wrong answer: the grader says what `check` says
    python benchmarks/grading.py class [300]         a class with broken and hostile notebooks: scores, time, memory
    python benchmarks/grading.py attacks [--write]   the table of attacks in docs/teachers-grading.md
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import grading_class as klass  # noqa: E402

from minigrad.course import bank  # noqa: E402
from minigrad.course.grading import assignment, grade, sandbox  # noqa: E402
from minigrad.course.judge import judge  # noqa: E402

SEED = 11


def agree(chapters: list[str]) -> int:
    """Compare the two verdicts on each answer; how many differ."""
    different = count = 0
    with sandbox.sandbox() as box:
        for chapter in chapters or bank.chapters():
            start, told = time.monotonic(), 0
            for row, notebook in klass.sheets(chapter):
                graded = grade.grade(klass.as_submission("ada", notebook), assignment.load(chapter), box, "", seed=SEED)
                for score in graded.scores:
                    style = row[score.id]
                    seed = 0 if style.exercise.is_value else SEED
                    here, there = judge(style.exercise, style.answer(), seed=seed), score.verdict
                    count, told = count + 1, told + 1
                    if (here.outcome, here.mistake, here.sentence, here.hint) != (there.outcome, there.mistake, there.sentence, there.hint):
                        different += 1
                        print(f"{score.id}{style.path}: check says {here}\n  the grader says {there}", flush=True)
            print(f"{chapter}: {told} answers, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{count} answers, {different} verdicts differ")
    return different


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["agree"]
    sys.exit({"agree": agree}[what](rest) != 0)
