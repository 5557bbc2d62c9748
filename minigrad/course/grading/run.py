"""A class: every submission graded, in several processes, and every result written down as soon as it is there."""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import json
import multiprocessing
import multiprocessing.connection
import os
import signal
import site
import sys
import threading
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import minigrad
from minigrad.course.grading import confine, texts
from minigrad.course.grading.assignment import Assignment, load
from minigrad.course.grading.grade import ATTACK, BUDGET, NOT_STARTED, OTHERWISE, PUT_OFF, Graded, judged, with_points
from minigrad.course.grading.sandbox import NO_START, Sandbox, SandboxError, end_all, sandbox
from minigrad.course.grading.submissions import Submission
from minigrad.course.judging.limits import TimeLimit, run_limited

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from minigrad.course.grading.cluster import Cluster

ENDED = "Grading it ended the grader. Please look at it yourself."
DONE = ".done"  # the folder of finished results, so that an interrupted run can go on
TRIES = 2  # for a submission during which a grading process ended
SPARE, SPARE_EACH = 30.0, 0.1  # seconds for all together, or for each submission: to grade again what ran into a limit of time
LONGER = 5.0  # seconds that one may take longer alone than beside others: who does was made to, and has to wait for the next run
MOST_BESIDE = 8  # are named, of those who were graded at the same time

Limits = dict[int, float] | None  # seconds for each of a few submissions, which are then graded one after the other, in this order
Results = Generator[tuple[int, dict[str, Any]], None, None]


@dataclass(frozen=True)
class Job:
    """One submission to grade; all that a process must know to do it."""

    submission: Submission
    assignment: str
    secret: str
    sandbox: Sandbox
    limit: float = BUDGET  # seconds


def work(job: Job) -> dict[str, Any]:
    """Grade one submission, in whatever process this runs."""
    return grade_one(job.submission, _assignment(job.assignment), job.sandbox, job.secret, job.limit)


def grade_one(s: Submission, assignment: Assignment, box: Sandbox, secret: str, limit: float = BUDGET) -> dict[str, Any]:
    """What is known of one submission, without its points. What is wrong stays with it, and every text in it can be written."""
    if not box.way:
        confine.close()
    slow = 0.0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of files that are parsed here: one for every few characters
            return texts.clean(run_limited(lambda: judged(s, assignment, box, secret).as_json(), limit))
    except SandboxError:
        raise
    except TimeLimit:
        problem = f"It took longer than {BUDGET / 60:g} minutes in all, and was given up. Please look at this notebook yourself."
        slow = limit
    except Exception as error:
        problem = f"The grader failed ({type(error).__name__}: {error}). Please look at this notebook yourself."[:600]
        if isinstance(error, OSError) and error.errno in (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM):
            problem = NOT_STARTED  # the machine had no process or file left for it
    end_all()
    return texts.clean(replace(Graded.of(s, [problem]), slow=slow).as_json())


@functools.cache
def _assignment(source: str) -> Assignment:
    return load(source)


def grade_class(
    submissions: list[Submission],
    assignment: Assignment,
    secret: str,
    folder: Path,
    walls: bool,
    jobs: int = 1,
    fresh: bool = False,
    tell: Callable[[int, int], None] = lambda done, total: None,
    cluster: Cluster | None = None,
) -> list[Graded]:
    """The results of all submissions, in their order. What `folder` holds from an earlier run is not graded again.

    cluster: the work is done there, and not in processes of this machine.
    """
    done = folder / DONE
    done.mkdir(parents=True, exist_ok=True)
    kept = rules(assignment, secret, walls) + ("" if cluster else installed())
    paths = {k: done / f"{_key(submission, kept)}.json" for k, submission in enumerate(submissions)}
    results: dict[int, Graded] = {}
    if not fresh:
        results = {k: with_points(known, assignment) for k, path in paths.items() if (known := _read(path)) is not None}

    def keep(k: int, graded: Graded) -> None:
        results[k] = with_points(graded, assignment)
        if not {ENDED, NOT_STARTED} & set(graded.problems):  # that may have been this machine's fault
            _write(paths[k], json.dumps(graded.as_json()))

    def found(numbers: list[int], limits: Limits = None) -> Results:
        todo = {k: submissions[k] for k in numbers}
        return cluster.results(todo, secret, limits) if cluster else _here(todo, assignment, secret, walls, jobs, limits)

    tell(len(results), len(submissions))
    with contextlib.closing(found([k for k in paths if k not in results])) as graded:
        for k, data in graded:
            keep(k, Graded.from_json(data))
            tell(len(results) - sum(map(_doubtful, results.values())), len(submissions))
    clear = len(results) - sum(map(_doubtful, results.values()))
    with contextlib.closing(_again(dict(results), found)) as again:
        for number, (k, one) in enumerate(again, clear + 1):
            keep(k, one)
            tell(number, len(submissions))
    return [_at_its_place(results[k], submission) for k, submission in enumerate(submissions)]


def _again(results: dict[int, Graded], found: Callable[[list[int], Limits], Results]) -> Generator[tuple[int, Graded], None, None]:
    """Who could not be begun, or ran into a limit of time beside others, graded once more alone: one of these may have taken what
    processors share. What hangs takes its time once more: that has a bound, and the next run goes on."""
    turns = [k for k, one in results.items() if _doubtful(one)]
    turns.sort(key=lambda k: (results[k].again != PUT_OFF, results[k].slow))  # last what hangs most, as what is made for it does
    bounded = {k for k in turns if results[k].slow and results[k].again != PUT_OFF}  # the others have all the time there is
    left = max(SPARE, SPARE_EACH * len(results))
    with contextlib.closing(found(turns, {k: results[k].slow + LONGER if k in bounded else BUDGET for k in turns})) as graded:
        for k in turns:
            before, began = results[k], time.monotonic()
            if k in bounded and before.slow > left:
                yield k, replace(before, again=PUT_OFF)
                continue
            after = Graded.from_json(next(graded)[1])
            left -= time.monotonic() - began if k in bounded else 0.0
            given_up = k in bounded and after.slow >= before.slow + LONGER
            yield k, replace(before, again=PUT_OFF) if given_up else _of_both(before, after)


def _doubtful(graded: Graded) -> bool:
    """Whether a neighbour may have made it what it is."""
    return NOT_STARTED in graded.problems or bool(graded.slow and graded.beside and graded.again != OTHERWISE)


def _of_both(before: Graded, after: Graded) -> Graded:
    """What counts where a submission was graded beside others, and again alone: the latter. Nothing odd is forgotten."""
    odd = [problem for problem in before.problems if ATTACK.match(problem) and problem not in after.problems]
    after = replace(after, problems=after.problems + odd)
    first, then = ([(score.id, score.verdict.outcome, score.verdict.parts) for score in one.scores] for one in (before, after))
    return replace(after, beside=before.beside, again=OTHERWISE) if before.slow and first != then else after


def _at_its_place(graded: Graded, submission: Submission) -> Graded:
    """A result from an earlier run may have had another number: a submission has come in between."""
    graded.attempt, graded.path, graded.upload = submission.attempt, submission.path, submission.upload
    return graded


def _here(
    todo: dict[int, Submission], assignment: Assignment, secret: str, walls: bool, jobs: int, limits: Limits = None
) -> Results:
    """On this machine."""
    if todo:
        sheets = [sheet for s in todo.values() for sheet in s.sheets or (s,)]
        plots = any(b"matplotlib" in sheet.data or b"minigrad.viz" in sheet.data for sheet in sheets)
        with sandbox(walls, plots) as box:
            given = {k: Job(s, assignment.source, secret, box, (limits or {}).get(k, BUDGET)) for k, s in todo.items()}
            if box.way and jobs > 1 and (limits or len(given) > 1):  # without walls one could write into another's pipes
                yield from _in_processes(given, 1 if limits else jobs)
            else:
                yield from ((k, work(job)) for k, job in given.items())


def _in_processes(todo: dict[int, Job], jobs: int) -> Results:
    """Each process has a line of its own: who ended is seen at once, with what it had at hand, and nothing waits for it.

    No pool of the library's: that of Python 3.11.2 waits for ever for processes that were ended, and its locks stay in
    /dev/shm where the run is killed.
    """
    waiting, tries = list(todo), Counter[int]()
    lines: dict[Connection, BaseProcess] = {}
    at: dict[Connection, int] = {}  # what each has at hand
    begun: dict[Connection, float] = {}
    beside: dict[int, dict[str, float]] = {k: defaultdict(float) for k in todo}  # for how many seconds who was at the same time
    try:
        while waiting or at:
            while waiting and len(at) < jobs:
                line = next((line for line in lines if line not in at), None) or _one_more(lines)
                at[line], begun[line] = waiting.pop(0), time.monotonic()
                with contextlib.suppress(OSError):  # it ended, as is noticed below
                    line.send(todo[at[line]])
            for line in cast("list[Connection]", multiprocessing.connection.wait(list(at))):
                k = at.pop(line)
                for other, j in at.items():
                    both = time.monotonic() - max(begun[line], begun[other])
                    beside[k][todo[j].submission.student] += both
                    beside[j][todo[k].submission.student] += both
                try:
                    done = line.recv()
                except (EOFError, OSError):
                    lines.pop(line).join()
                    line.close()
                    tries[k] += 1
                    if tries[k] < TRIES:
                        waiting.insert(0, k)
                        continue
                    done = ended(todo[k].submission)
                if isinstance(done, Exception):
                    done = Graded.of(todo[k].submission, [NOT_STARTED]).as_json()
                if done["slow"]:
                    names = sorted(beside[k], key=beside[k].__getitem__, reverse=True)
                    more = len(names) - MOST_BESIDE
                    done["beside"] = names[:MOST_BESIDE] + [f"{more} more"] * (more > 0)
                yield k, done
    finally:
        for line, process in lines.items():
            if line in at:
                process.terminate()
            else:
                with contextlib.suppress(OSError):  # it ended by itself
                    line.send(None)
        for process in lines.values():  # what they had at hand can be cleared away when they are gone
            process.join(5)


@contextlib.contextmanager
def _nothing_from_here() -> Iterator[None]:
    """Processes that are started in the block do not look for Python's modules where the command was started."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        os.environ.pop("PYTHONSAFEPATH") if before is None else os.environ.update(PYTHONSAFEPATH=before)


def _one_more(lines: dict[Connection, BaseProcess]) -> Connection:
    """Start a process that grades."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    place = min(set(range(len(lines) + 1)) - {int(process.name) for process in lines.values()})
    number = dict(enumerate(processors())).get(place)
    process = context.Process(target=_serve, name=str(place), args=(theirs, number), daemon=True)
    try:
        with _nothing_from_here():
            process.start()
    except OSError as error:
        raise SandboxError(NO_START) from error
    theirs.close()
    lines[ours] = process
    return ours


def processors() -> list[int]:
    """The numbers of those that this process may use."""
    return sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else list(range(os.cpu_count() or 1))


def _serve(line: Connection, processor: int | None) -> None:
    """In a process that grades: one job after the other, until it is told to end, or the run is no more. What it has started
    then ends with it.

    No handler in Python: the signal may come to another thread, and the one that waits for work would never know.
    """

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            multiprocessing.connection.wait([parent.sentinel])
            end_all()
            os._exit(1)

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who gives out the work
    threading.Thread(target=watch, daemon=True).start()
    if processor is not None and sys.platform == "linux":
        # Limits are by the clock: what one submission computes must take no time from another's.
        os.sched_setaffinity(0, {processor})
    while (job := line.recv()) is not None:
        try:
            line.send(work(job))
        except Exception as error:  # that of the sandbox: the run cannot go on
            line.send(error)


def ended(s: Submission) -> dict[str, Any]:
    """The result of a submission that no process survives."""
    return Graded.of(s, [ENDED]).as_json()


def rules(assignment: Assignment, secret: str, walls: bool) -> str:
    """Changes when a verdict might: the exercises, the secret, the version of the course."""
    parts = [assignment.fingerprint(), secret, minigrad.__version__, str(walls), _code()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def installed() -> str:
    """Changes with the packages that notebooks may import."""
    places = filter(os.path.isdir, site.getsitepackages())
    return " ".join(sorted({name for place in places for name in os.listdir(place) if name.endswith("-info")}))


@functools.cache
def _code() -> str:
    """The checker's own files."""
    course = Path(minigrad.__file__).parent / "course"
    files = [course / "judge.py", *sorted([*(course / "judging").glob("*.py"), *Path(__file__).parent.glob("*.py")])]
    files += sorted((course / "capstone").glob("[!_.]*.*"))
    return hashlib.sha256(b"\0".join(f.read_bytes() for f in files)).hexdigest()


def _key(submission: Submission, rules: str) -> str:
    parts = [rules, submission.student, submission.path, submission.digest, submission.problem, str(submission.time)]
    return hashlib.sha256("\0".join([*parts, str(submission.marked_late)]).encode()).hexdigest()[:32]


def _read(path: Path) -> Graded | None:
    try:
        return Graded.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)


class Progress:
    """A bar in a terminal; a line now and then in a log."""

    def __init__(self) -> None:
        self.start, self.first = time.monotonic(), -1

    def __call__(self, done: int, total: int) -> None:
        if self.first < 0:
            self.first = done
        if not sys.stderr.isatty():
            if done == total or done % 50 == 0:
                print(f"{done} of {total} graded", file=sys.stderr, flush=True)
            return
        filled = round(30 * done / total) if total else 30
        pace = (time.monotonic() - self.start) / max(1, done - self.first)
        left = "" if done == self.first or done == total else f", about {_span(pace * (total - done))} left"
        bar = "█" * filled + "░" * (30 - filled)
        print(f"\r{bar} {done} of {total}{left}\x1b[K", end="\n" if done == total else "", file=sys.stderr, flush=True)


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
