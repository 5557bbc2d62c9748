"""Answers whose right verdict is known from the exercise's statement, judged as a notebook would. See test_trials.py.

`python tests/course/trial.py [EXERCISE or CHAPTER …]` judges those, and prints each that is not judged as it deserves.
"""

from __future__ import annotations

import contextlib
import gc
import gzip
import io
import json
import linecache
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import types
from typing import Any

HERE = pathlib.Path(__file__).parent
SEEDS = (0, 1)
LIMIT = 420.0  # seconds for the answers of one chapter


def answers() -> list[dict[str, Any]]:
    """What learners gave, or would give: the code of a cell, the name of the answer in it, the verdict it deserves, and why.

    An answer with `or_note` breaks a rule on the price: it may fail, or pass with a note, but not pass without.
    """
    return json.loads(gzip.decompress((HERE / "trials.json.gz").read_bytes()))


def space_of(code: str, folder: str, number: int) -> dict[str, Any]:
    """Run code as a cell does: in a fresh __main__ without a file, from a source that linecache knows."""
    import numpy as np

    import minigrad as mg

    name = os.path.join(folder, f"ipykernel_{os.getpid()}", f"{number}.py")
    os.makedirs(os.path.dirname(name), exist_ok=True)
    pathlib.Path(name).write_text(code, encoding="utf-8")
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    main = types.ModuleType("__main__")
    main.__dict__.update(np=np, math=math, mg=mg)
    sys.modules["__main__"] = main
    exec(compile(code, name, "exec", dont_inherit=True), main.__dict__)
    return main.__dict__


def judged(answer: dict[str, Any], folder: str, number: int) -> tuple[str, bool, str]:
    """pass, fail or mixed; whether each pass has a note; and what was said."""
    import numpy as np

    import minigrad as mg
    from minigrad.course import bank
    from minigrad.course.judge import judge

    exercise = bank.exercises(answer["exercise"].split(".")[0])[answer["exercise"]]
    verdicts = []
    mg.set_grad_enabled(True)
    mg.set_default_dtype(mg.float32)
    mg.manual_seed(12345)
    np.random.seed(12345)
    gc.collect()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for seed in (0,) if exercise.is_value or exercise.names_a_file else SEEDS:
                # Anew for each seed, as one who restarts the kernel: what an answer keeps outside of itself counts once.
                verdicts.append(judge(exercise, space_of(answer["code"], folder, number)[answer["name"]], seed=seed))
    except BaseException as error:  # the cell itself failed: nobody gets a pass for that
        return "fail", False, f"{type(error).__name__}: {error}"
    passed = [v.passed for v in verdicts]
    said = " / ".join(f"{v.outcome} {v.mistake} {v.case} {v.sentence}" for v in verdicts)
    return "pass" if all(passed) else "mixed" if any(passed) else "fail", all(v.hint for v in verdicts), said


def faults(chosen: list[dict[str, Any]]) -> list[str]:
    """The answers, all of one chapter, that are not judged as they deserve. They run in a process of their own."""
    process = subprocess.run(
        [sys.executable, __file__, "--work"], input=json.dumps(chosen), capture_output=True, text=True, timeout=LIMIT,
        env={**os.environ, "MPLBACKEND": "agg"}, check=False,
    )  # fmt: skip
    if process.returncode:
        return [process.stderr[-500:]]
    return json.loads(process.stdout.splitlines()[-1])


def work() -> None:
    found = []
    with tempfile.TemporaryDirectory(prefix="trial-") as folder:
        for number, answer in enumerate(json.load(sys.stdin)):
            got, noted, said = judged(answer, folder, number)
            if got != answer["expect"] and not (answer.get("or_note") and got == "pass" and noted):
                found.append(
                    f"{answer['exercise']} expected {answer['expect']}, got {got}: {answer['label']} ({answer['why']}): {said}"
                )
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    else:
        mine = [a for a in answers() if not sys.argv[1:] or any(f"{a['exercise']}.".startswith(f"{o}.") for o in sys.argv[1:])]
        count = 0
        for chapter in dict.fromkeys(a["exercise"].split(".")[0] for a in mine):
            told = faults([a for a in mine if a["exercise"].startswith(f"{chapter}.")])
            count += len(told)
            print("\n".join(told))
        print(f"{len(mine) - count} of {len(mine)} answers judged as they deserve")
