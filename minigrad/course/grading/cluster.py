"""The same work on a Dask cluster: each submission is a task, and each worker has a sandbox of its own.

A worker sees the submissions, the assignment and the secret; it needs the same version of the course, and bubblewrap.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import tempfile
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from minigrad.course.grading import run, sandbox
from minigrad.course.grading.assignment import Assignment, load
from minigrad.course.grading.sandbox import SandboxError
from minigrad.course.grading.submissions import Submission

WAIT = 30  # seconds for a scheduler to answer, and for a first worker
_one_at_a_time = threading.Lock()  # modes and options of minigrad belong to the process, and a worker may have threads


class ClusterError(SandboxError):
    """The cluster cannot do the work."""


@dataclass(frozen=True)
class Packed:
    """An assignment as texts: the workers have none of the teacher's files."""

    name: str
    text: str = ""  # of the TOML file; without one, the name is a chapter's number
    bank: str = ""
    files: tuple[tuple[str, str], ...] = ()  # places and texts of the teacher's own exercises

    @classmethod
    def of(cls, assignment: Assignment) -> Packed:
        """Read the files that an assignment came from."""
        if not assignment.source.endswith(".toml"):
            return cls(assignment.source)
        path = Path(assignment.source)
        text = path.read_text(encoding="utf-8")
        bank = tomllib.loads(text).get("bank")
        if bank is None:
            return cls(path.name, text)
        place = path.parent / bank
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        told = tuple((str(PurePosixPath(file.relative_to(place.parent))), file.read_text(encoding="utf-8")) for file in files)
        return cls(path.name, text, place.name, told)

    @contextlib.contextmanager
    def load(self) -> Iterator[Assignment]:
        """The assignment; its files are there as long as the block runs."""
        if not self.text:
            yield load(self.name)
            return
        with tempfile.TemporaryDirectory(prefix="minigrad-assignment-") as folder:
            place, bank = Path(folder, self.name), Path(folder, self.bank)
            place.write_text(self.text, encoding="utf-8")
            for name, text in self.files:
                Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, name).write_text(text, encoding="utf-8")
            yield load(str(place), bank if self.bank else None)


@dataclass(frozen=True)
class Order:
    """A task: one submission to grade."""

    submission: Submission
    assignment: Packed
    secret: str
    walls: bool
    limit: float = run.BUDGET


# -- on a worker -----------------------------------------------------------------------------------------------------


def work(order: Order) -> dict[str, Any]:
    """Grade one submission. Called on a worker, in whichever of its threads."""
    with _one_at_a_time:
        _unwatched()
        box = _sandbox(order.walls)
        if order.walls and not box.way:
            raise ClusterError("A worker that joined later has no bubblewrap.")
        return run.grade_one(order.submission, _assignment(order.assignment), box, order.secret, order.limit)


@functools.cache
def _unwatched() -> None:
    """Switch off this worker's profiler. It holds our frames every 10 ms, and so keeps alive what exercises count the living of."""
    from distributed import get_worker

    worker, off = get_worker(), threading.Event()
    if (profile := worker.periodic_callbacks.get("profile")) is not None:
        worker.loop.add_callback(profile.stop)
        worker.loop.add_callback(off.set)
        off.wait(WAIT)


@functools.cache
def _sandbox(walls: bool) -> sandbox.Sandbox:
    """This worker's own, until it ends."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(sandbox.sandbox(walls))


@functools.lru_cache(1)  # only the last: the exercises of two teachers may have the same names
def _assignment(packed: Packed) -> Assignment:
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(packed.load())


def about(packed: Packed) -> dict[str, Any]:
    """What a worker must tell before it gets work."""
    with _one_at_a_time:
        return {"walls": bool(sandbox.bubblewrap()), "rules": run.rules(_assignment(packed), "", True)}


# -- here ------------------------------------------------------------------------------------------------------------


class Cluster:
    """A cluster for one assignment; `with` connects to it. ClusterError where that fails, or where it does not fit."""

    def __init__(self, address: str, assignment: Assignment):
        self.address, self.packed = address, Packed.of(assignment)
        self.rules = run.rules(assignment, "", True)
        self.walls = False

    def __enter__(self) -> Cluster:
        try:
            import distributed
        except ImportError:
            raise ClusterError("Dask is not installed: pip install 'minigrad-course[dask]'.") from None
        self.distributed = distributed
        try:
            self.client = distributed.Client(self.address, timeout=WAIT, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise ClusterError(f"There is no Dask scheduler at {self.address} ({type(error).__name__}).") from error
        try:
            self._look()
        except BaseException:
            self.client.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.client.close()  # what is not done yet is cancelled with it

    def _look(self) -> None:
        try:
            self.client.wait_for_workers(1, timeout=WAIT)
            told = self.client.run(about, self.packed)
        except TimeoutError:
            raise ClusterError(f"The cluster at {self.address} has no workers.") from None
        except ModuleNotFoundError as error:
            raise ClusterError(f"The workers of {self.address} have no {error.name}: install the same course there.") from error
        except Exception as error:
            raise ClusterError(f"The workers of {self.address} cannot grade this: {type(error).__name__}: {error}.") from error
        others = sorted(worker for worker, its in told.items() if its["rules"] != self.rules)
        if others:
            raise ClusterError(f"These workers have another version of the course: {', '.join(others)}.")
        self.walls = all(its["walls"] for its in told.values())

    def results(self, todo: dict[int, Submission], secret: str, limits: run.Limits = None) -> run.Results:
        """The number and the result of each submission, as they come. What a lost worker had is graded by another."""
        if limits and len(todo) > 1:
            for k, submission in todo.items():
                yield from self.results({k: submission}, secret, limits)
            return
        numbers = {}
        for k, submission in todo.items():
            order = Order(submission, self.packed, secret, self.walls, (limits or {}).get(k, run.BUDGET))
            numbers[self.client.submit(work, order, pure=False)] = k
        done = self.distributed.as_completed(list(numbers), loop=self.client.loop, with_results=True, raise_errors=False)
        for future, data in done:
            k = numbers.pop(future)
            if future.status != "finished":
                data = self._failed(future, todo[k])
            if data["slow"] and not limits and len(todo) > 1:
                data["beside"] = ["others of the class"]  # who, is not known
            yield k, data

    def _failed(self, future: Any, submission: Submission) -> dict[str, Any]:
        error = future.exception() if future.status == "error" else None
        if isinstance(error, self.distributed.KilledWorker):
            return run.ended(submission)
        if isinstance(error, SandboxError):
            raise error
        raise ClusterError(f"The cluster at {self.address} gave up ({type(error).__name__ if error else 'connection lost'}).")
