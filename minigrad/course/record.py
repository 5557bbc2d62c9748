"""The learner's own record: one JSON file in work/, written whole or not at all, and never sent anywhere."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

FILE = ".progress.json"


def root() -> Path:
    """The folder of the course: the nearest one upward with exercises/ and notebooks/, else the current one."""
    try:
        here = Path.cwd()
    except OSError:  # the current folder was deleted
        return Path()
    for folder in (here, *here.parents):
        if (folder / "exercises").is_dir() and (folder / "notebooks").is_dir():
            return folder
    return here


def work(course: Path | None = None) -> Path:
    """The folder for the learner's copies and record: $MINIGRAD_WORK, or work/ in the folder of the course."""
    chosen = os.environ.get("MINIGRAD_WORK")
    return Path(chosen) if chosen else (course or root()) / "work"


def read() -> dict[str, Any]:
    """The record: {"exercises": {id: {…}}, "started": {chapter: hash of the template}}, and the
    exercise that was checked last as "latest". Empty when there is none.

    A file that cannot be read as one is put aside under another name, so that nothing in it is lost.
    """
    path = work() / FILE
    empty: dict[str, Any] = {"exercises": {}, "started": {}}
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(record, dict) and _is_whole(record | {k: record.get(k, {}) for k in empty}):
            return empty | record
    except FileNotFoundError:
        return empty
    except OSError as error:
        _say_once(f"Your record cannot be read ({error.strerror}). Answers are checked all the same.")
        return empty
    except ValueError:
        pass
    number = 1
    while (aside := path.with_name(f"{FILE}.damaged-{number}")).exists():
        number += 1
    with contextlib.suppress(OSError):
        os.replace(path, aside)
        print(f"Your record was damaged. It was put aside as {aside.name}; a new one begins.")
    return empty


def _is_whole(record: dict[str, Any]) -> bool:
    exercises, started = record["exercises"], record["started"]
    return (
        isinstance(exercises, dict)
        and isinstance(started, dict)
        and all(
            isinstance(entry, dict) and all(isinstance(entry.get(key, 0), int) for key in ("attempts", "hints", "passed"))
            for entry in exercises.values()
        )
    )


_told: set[str] = set()  # what was said once in this session


def _say_once(text: str) -> None:
    if text not in _told:
        _told.add(text)
        print(text)


def update(change: Callable[[dict[str, Any]], None]) -> None:
    """Read the record, change it and write it, with no other kernel in between. Says once when that is not possible."""
    try:
        folder = work()
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder / f"{FILE}.lock"):
            record = read()
            change(record)
            new = folder / f"{FILE}.{os.getpid()}"
            new.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            os.replace(new, folder / FILE)
    except OSError as error:
        _say_once(f"Your progress is not recorded: {work()} cannot be written ({error.strerror}).")


@contextlib.contextmanager
def _locked(path: Path, patience: float = 2.0) -> Iterator[None]:
    """Hold a lock file. One that is older than the patience belongs to a process that died, and is taken over."""
    deadline = time.monotonic() + patience
    while True:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            if time.monotonic() > deadline:
                path.unlink(missing_ok=True)
            time.sleep(0.01)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def entry(record: dict[str, Any], id_: str) -> dict[str, Any]:
    """What is recorded of one exercise."""
    return record["exercises"].setdefault(id_, {"attempts": 0, "passed": False, "hints": 0, "last": ""})


def note(id_: str, outcome: str, passed: bool) -> None:
    """Record an attempt. What was passed once stays passed."""

    def change(record: dict[str, Any]) -> None:
        of = entry(record, id_)
        record["latest"] = id_
        of.update(attempts=of.get("attempts", 0) + 1, passed=of.get("passed", False) or passed, last=outcome)

    update(change)
