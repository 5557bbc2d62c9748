"""Runs the facts against an engine that is a file, in a child process that may hang or crash."""

from __future__ import annotations

import ast
import functools
import json
import os
import queue
import random
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import minigrad
from minigrad.course import record
from minigrad.course.capstone import child
from minigrad.course.capstone.facts import Fact, expected, facts, words
from minigrad.course.capstone.troubles import TROUBLES
from minigrad.course.judging.limits import TimeLimit, run_limited

FACT_LIMIT = 5.0  # seconds for one program
LATE_LIMIT = 1.0  # the same, when two programs of the milestone were too slow already
MILESTONE_LIMIT = 60.0  # seconds for all programs of a milestone
IMPORT_LIMIT = 20.0
TOLERANCE = 1e-6
CRASH = {"kind": "crash", "text": "It ended the whole process."}
Start = Callable[[list[tuple[str, str, int]]], Any]  # from the programs to a process that has `next` and `end`
HOME = Path(minigrad.__file__).parents[1]


@dataclass
class Finding:
    """What came of one fact."""

    fact: Fact
    kind: str = ""  # empty: green. Else "value", "time", "crash", "not run", "refused", or the name of an error
    text: str = ""
    trace: list[str] = field(default_factory=list)
    symptom: str = ""  # of a wrong value, and its signs: see facts.txt
    signs: str = ""

    @property
    def green(self) -> bool:
        return not self.kind

    @property
    def trouble(self) -> str | None:
        """The name of what is probably wrong."""
        return "import" if self.kind == "refused" else self.fact.trouble(self.kind, f"{self.signs} {self.text}", self.symptom)

    @property
    def hint(self) -> str:
        return TROUBLES[self.trouble] if self.trouble else ""


def find(name: str | os.PathLike[str]) -> Path:
    """A file of the learner's: here, or in work/. FileNotFoundError says where it was looked for."""
    here, there = Path(name), record.work() / name
    for path in (here, there):
        if path.is_file():
            return path.resolve()
    raise FileNotFoundError(f"There is no file {name} here, and none in {there.parent.name}/.")


def judge(path: Path, milestone: str, seed: int = 0, only: frozenset[str] = frozenset(), start: Start | None = None) -> list[Finding]:
    """The facts of a milestone, M1 to M7, or the random programs of M9, or only those with these ids, run with the engine in a file.

    start: how a process with the engine is started, if not here.
    """
    if milestone == "M9":
        from minigrad.course.capstone import programs  # only here: it is made of what stands in this file

        return programs.judge(path, seed, only, start)
    todo = [fact for fact in facts(milestone) if fact.id in only] or facts(milestone)
    refusal = refuse(path)
    if refusal:
        return [Finding(fact, *refusal) for fact in todo]
    came = outcomes_of(path, todo, seed, start)
    return [compare(fact, outcome, expected(fact, seed)) for fact, outcome in zip(todo, came, strict=True)]


def blank(path: Path) -> bool:
    """Whether an engine is still as it was given: its function `tensor` is a blank."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8-sig"))
    except (SyntaxError, ValueError):
        return False
    made = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "tensor"), None)
    return made is not None and ast.unparse(made.body[-1]) == "..."


def refuse(path: Path) -> tuple[str, str] | None:
    """Why an engine is not even run: (kind, text)."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8-sig"), path.name)
    except (SyntaxError, ValueError) as error:
        return "SyntaxError", f"{path.name} is no Python: {error}"
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [("." * node.level) + (node.module or "")]
        for name in names:
            if name.partition(".")[0] not in child.ALLOWED:
                return "refused", f"Line {node.lineno} imports {name}."  # type: ignore[attr-defined]
    return None


def too_late(seconds: float) -> dict[str, Any]:
    """What is said of a program that did not end."""
    return {"kind": "time", "text": f"It took longer than {round(seconds) or 1} s and was stopped."}


FORGED = "forged"  # the kind of what no program can have shown


def outcomes_of(path: Path, todo: Sequence[Fact], seed: int, start: Start | None = None) -> list[dict[str, Any]]:
    """The outcome of each fact. Whoever only says what comes of them is found out, if he does not know how: at its end each program
    shows a number that no table has."""
    drawn = random.Random(f"{todo[0].id} {seed}")
    numbers = [drawn.randrange(10**9) for _ in todo]
    programs = [(fact.id, f"{fact.program}\nshow({number})\n", seed) for fact, number in zip(todo, numbers, strict=True)]
    came, forged = list(outcomes(path, programs, start)), False
    for outcome, number in zip(came, numbers, strict=True):
        if not {"kind", "error"} & outcome.keys():
            forged |= outcome["shown"][-1:] != [number]
            del outcome["shown"][-1:]
    return [{"kind": FORGED, "text": "What came back was not what the program showed."}] * len(todo) if forged else came


def outcomes(path: Path, todo: list[tuple[str, str, int]], start: Start | None = None) -> Generator[dict[str, Any], None, None]:
    """The outcome of each program, as `child.run` gives it; {"kind": "time"} and the like where there is none."""
    start = start or functools.partial(Process, path)
    if sys.platform == "emscripten":  # a kernel in the browser has no processes
        yield from _outcomes_here(path, todo)
        return
    deadline = time.monotonic() + MILESTONE_LIMIT
    done = late = 0
    while done < len(todo):
        if time.monotonic() > deadline:
            yield {"kind": "not run", "text": f"The {MILESTONE_LIMIT:g} seconds of this milestone were over."}
            done += 1
            continue
        process = start(todo[done:])
        try:
            first = process.next(IMPORT_LIMIT)
            if "error" in first or "kind" in first:
                first.setdefault("trace", [])
                yield from [first] * (len(todo) - done)
                return
            while done < len(todo):
                limit = FACT_LIMIT if late < 2 else LATE_LIMIT
                outcome = process.next(max(0.1, min(limit, deadline - time.monotonic())))
                done += 1
                late += outcome.get("kind") == "time"
                yield outcome
                if "kind" in outcome:
                    break
        finally:
            process.end()


class Process:
    """A child with an engine, and the lines that it writes."""

    def __init__(self, path: Path, todo: list[tuple[str, str, int]], command: list[str] | None = None):
        command = command or [sys.executable, "-P", "-B", child.__file__, str(path)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=path.parent,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(HOME), os.environ.get("PYTHONPATH")]))},
        )
        self.lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, args=(json.dumps(todo).encode(),), daemon=True).start()

    def _read(self, request: bytes) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            with self.process.stdin as stdin:
                stdin.write(request)
        except OSError:  # it died before it had read
            pass
        with self.process.stdout as stdout:
            for line in stdout:
                self.lines.put(line)
        self.lines.put(b"")

    def next(self, seconds: float) -> dict[str, Any]:
        """The next outcome."""
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            return too_late(seconds)
        if not line:
            return CRASH
        return json.loads(line)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def _outcomes_here(path: Path, todo: list[tuple[str, str, int]]) -> Iterator[dict[str, Any]]:
    """The same in this process, where only a time limit protects it."""
    try:
        engine = run_limited(lambda: child.load(str(path)), IMPORT_LIMIT)
    except (Exception, SystemExit, TimeLimit) as error:
        yield from [{"error": [child.kind_of(error), str(error)], "trace": child.frames(error)}] * len(todo)
        return
    for id, program, seed in todo:
        try:
            yield run_limited(lambda run=(id, program, engine, seed): child.run(*run), FACT_LIMIT)  # type: ignore[misc]
        except TimeLimit:
            yield {"kind": "time", "text": f"It took longer than {FACT_LIMIT:g} seconds and was stopped."}


# --- Comparing ----------------------------------------------------------------------------------------------


def compare(fact: Fact, outcome: dict[str, Any], want: dict[str, Any]) -> Finding:
    """Green, or what is wrong."""
    if "kind" in outcome:
        return Finding(fact, outcome["kind"], outcome["text"])
    if "error" in outcome:
        kind, text = outcome["error"]
        lacks = re.match(r"(module 'engine'|'Tensor' object) has no attribute '(\w+)'", text) if kind == "AttributeError" else None
        if lacks:
            return Finding(fact, "missing", f"There is no `{'engine' if 'engine' in lacks[1] else 'Tensor'}.{lacks[2]}` yet.")
        return Finding(fact, kind, f"{kind}: {text}", outcome["trace"])
    names = shown_names(fact.program)
    pairs = list(zip(outcome["shown"], want["shown"], strict=False))
    wrong = [place for place, pair in enumerate(pairs) if not same(*pair)]
    if wrong:
        (got, right), known = pairs[wrong[0]], len(names) == len(want["shown"])
        what = names[wrong[0]] if known else f"value {wrong[0] + 1} of those shown"
        text = f"{what}\n  got       {words(got)}\n  expected  {words(right)}"
        symptom, signs = symptoms(got, right, what.endswith(".grad")) if known else ("", "")
        return Finding(fact, "value", text, symptom=symptom, signs=signs + " only" * (len(wrong) == 1))
    if len(outcome["shown"]) != len(want["shown"]):
        return Finding(fact, "value", f"{len(outcome['shown'])} values were shown, and not {len(want['shown'])}.")
    return Finding(fact)


def symptoms(got: Any, want: Any, gradient: bool) -> tuple[str, str]:
    """How a shown value is wrong: the symptom and its sign, as facts.txt has them."""
    if not isinstance(want, dict) or got is not None and not isinstance(got, dict):
        return "flag", ""
    if got is None or not gradient:
        return "nothing" if gradient else "forward", ""
    size, right = (float(np.abs(g["values"]).sum()) for g in (got, want))
    if got["shape"] != want["shape"]:
        return "gradient", "another shape"
    return "gradient", "small" * (size < right) + "large" * (size > right)  # neither where it is NaN


def same(got: Any, want: Any) -> bool:
    """Whether two shown values agree; numbers to 1e-6 of the largest, everything else exactly."""
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(same(g, w) for g, w in zip(got, want, strict=True))
    if not isinstance(want, dict):
        return type(got) is type(want) and got == want
    if not isinstance(got, dict) or got["shape"] != want["shape"]:
        return False
    a, b = np.array(got["values"], dtype=float), np.array(want["values"], dtype=float)
    scale = max([1.0, *np.abs(b[np.isfinite(b)])])
    return bool(np.allclose(a, b, rtol=0.0, atol=TOLERANCE * scale, equal_nan=True))


def shown_names(program: str) -> list[str]:
    """What stands in the calls of `show`, one text for each argument."""
    calls = [n for n in ast.walk(ast.parse(program)) if isinstance(n, ast.Call) and ast.unparse(n.func) == "show"]
    calls.sort(key=lambda call: call.lineno)
    return [ast.unparse(argument) for call in calls for argument in call.args]
