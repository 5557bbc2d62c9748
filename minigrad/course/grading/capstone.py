"""The capstone: an engine that a student handed in runs in the sandbox, and what it shows is compared here."""

from __future__ import annotations

import functools
import math
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from minigrad.course.capstone import facts, friends, house, runner
from minigrad.course.capstone.copies import FOLDER
from minigrad.course.capstone.runner import Finding
from minigrad.course.grading import wire
from minigrad.course.grading.sandbox import NO_START, START_LIMIT, Child, Lost, Sandbox, SandboxError

MOST_VALUES = 100_000  # in what one program shows


def findings(exercise: Any, name: str, text: str, seed: int, sandbox: Sandbox) -> list[Finding]:
    """What the facts of an exercise's milestone say about the text of a file, with random numbers from this seed.

    FileNotFoundError, for a change of the real engine, when the file has the name of none of its files.
    """
    milestone, seed = exercise.milestone, seed % 2**32
    if milestone in facts.HOUSE:
        texts = house.changed(name, text, milestone)
        whole = {"engine": {f"{FOLDER}/{file}": text for file, text in texts.items()}, "name": f"{FOLDER}/__init__.py"}
        want = house.expected(exercise.reference, milestone, seed)
        return house.judge(texts, milestone, seed, functools.partial(Process, sandbox, whole), want)
    with tempfile.TemporaryDirectory(prefix="minigrad-engine-") as folder:
        path = Path(folder, re.sub(r"[^\w.-]", "_", Path(name).name)[-80:].strip(".") or "file.py")
        path.write_text(text, encoding="utf-8")
        if milestone == "M8":
            return friends.judge(path, lambda friend: functools.partial(Process, sandbox, {"friend": friend}))
        order = {"engine": {path.name: text}, "name": path.name}
        return runner.judge(path, milestone, seed, start=functools.partial(Process, sandbox, order))


class Process:
    """A process with an engine, as the runner of the capstone wants it."""

    def __init__(self, sandbox: Sandbox, order: dict[str, Any], todo: list[tuple[str, str, int]]):
        for again in (True, False):
            self.child = Child(sandbox, "engine", bare="engine" in order)
            try:
                self.child.send(order | {"todo": todo})
                self.child.receive(START_LIMIT)
                return
            except Lost as lost:
                self.child.end()
                if not again:
                    raise SandboxError(NO_START) from lost

    def next(self, seconds: float) -> dict[str, Any]:
        """The next outcome; of what comes nothing is believed but that it is data."""
        try:
            return outcome(self.child.receive(seconds)[0])
        except Lost as lost:
            if str(lost) == "time":
                return runner.too_late(seconds)
            return runner.CRASH if str(lost) == "ended" else {"kind": "crash", "text": "What came back was no outcome."}
        except (wire.BadMessage, TypeError, ValueError, KeyError, OverflowError, RecursionError):
            return {"kind": "crash", "text": "What came back was no outcome."}

    def end(self) -> None:
        """End it."""
        self.child.end()


def outcome(header: Any) -> dict[str, Any]:
    """An outcome, built anew from what may be in one."""
    made: dict[str, Any] = {"id": None if header["id"] is None else wire.text(header["id"])}
    if "shown" in header:
        budget = [MOST_VALUES]
        made["shown"] = [_plain(value, budget, 0) for value in _list(header["shown"])]
    if "error" in header:
        kind, said = header["error"]
        made["error"] = [wire.text(kind)[:100], wire.text(said)[:300]]
        made["trace"] = [wire.text(line)[:300] for line in _list(header.get("trace", []))[:4]]
    elif "shown" not in header and made["id"] is not None:
        raise wire.BadMessage("no outcome")
    return made


def _plain(value: Any, budget: list[int], depth: int) -> Any:
    budget[0] -= 1
    if budget[0] < 0 or depth > 20:
        raise wire.BadMessage("too many values")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value[:1000]
    if type(value) is int:
        return value if abs(value) < 1 << 63 else str(value)[:40]
    if isinstance(value, list):
        return [_plain(item, budget, depth + 1) for item in value]
    shape, values = _list(value["shape"]), _list(value["values"])
    budget[0] -= len(values)
    if any(type(n) is not int or n < 0 for n in shape) or len(shape) > 32 or math.prod(shape) != len(values) or budget[0] < 0:
        raise wire.BadMessage("no array")
    if not all(type(x) in (int, float) for x in values):
        raise wire.BadMessage("no numbers")
    return {"shape": shape, "values": np.array(values, dtype=float).tolist()}


def _list(x: Any) -> list[Any]:
    if not isinstance(x, list):
        raise wire.BadMessage("no list")
    return x
