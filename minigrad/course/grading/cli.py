"""`python -m minigrad.course grade FOLDER`."""

from __future__ import annotations

import argparse
import contextlib
import secrets
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from minigrad.course import bank
from minigrad.course.grading import cgroups, marks, platforms, results, run, sandbox, submissions, texts
from minigrad.course.grading.assignment import Assignment, AssignmentError, load
from minigrad.course.grading.sandbox import SandboxError
from minigrad.course.showing.render import say

if TYPE_CHECKING:
    from minigrad.course.grading.cluster import Cluster

WEAK = """\
bubblewrap {why}, so answers would run less shut in than they should:
* they can read every file that you can read, with other submissions and the gradebook among them;
* {filter}
Grade only a class that you trust in this way, or in a machine that holds nothing else. To go on: --weak-isolation.
docs/teachers-safety.md says what each way protects against."""


def main(options: argparse.Namespace) -> int:
    """Grade; 0 when all submissions have a score."""
    place = Path(options.place)
    if not place.exists():
        say(f"{place} is not there.")
        return 1
    if sys.platform == "win32":
        say("Grading needs Linux, or macOS with --weak-isolation. On Windows, use it in WSL.")
        return 1
    if not options.dask and not _shut_in(bool(sandbox.bubblewrap()), options):
        return 1
    try:
        layout = submissions.PLAIN if options.layout == "plain" else options.layout or ""
        assignment, notes = (load(options.assignment), []) if options.assignment else _guess(place, layout)
        intake = submissions.survey(place, assignment.name, assignment.chapters, layout, assignment.names)
        roster = platforms.roster(Path(options.roster)) if options.roster else None
        found = intake.submissions
        if not any(s.path for s in found):
            why = [f"\n  {one.path}: {one.why}." for one in intake.left[:20]]
            if intake.layout == submissions.NBGRADER:
                why.insert(0, f" The folder below a student's must be called as the assignment: {assignment.name}.")
            raise AssignmentError(f"No notebooks are in {place}." + "".join(why))
        folder = Path(options.output or Path("grades", assignment.name))
        secret = _secret(options, folder)
    except (AssignmentError, submissions.IntakeError, platforms.RosterError, OSError) as error:
        say(str(error))
        return 1
    if not cgroups.parents() and not options.dask:
        notes.append(
            "This machine gives no control groups: what a process keeps in files in memory is limited, but not counted with it."
        )
    try:
        tell, jobs = run.Progress(), max(1, options.jobs or len(run.processors()))
        with _ended_politely(), _cluster(options.dask, assignment) as cluster:
            walls = cluster.walls if cluster else bool(sandbox.bubblewrap())
            if cluster and not _shut_in(walls, options):
                return 1
            graded = run.grade_class(found, assignment, secret, folder, walls, jobs, options.fresh, tell, cluster)
    except SandboxError as error:
        say(f"{error} What was graded is kept; the same command goes on from there.")
        return 1
    except KeyboardInterrupt:
        say("\nInterrupted. What was graded is kept; the same command goes on from there.")
        return 130
    assignment = platforms.by_name(roster or platforms.Roster(), graded, assignment)
    notes += filter(None, [platforms.other_maximum(roster, assignment.name, assignment.total) if roster else ""])
    about = results.Class.of(intake, roster, notes)
    paths = results.write(graded, assignment, folder, secret, options.pseudonyms, about)
    if options.gradebook:
        from minigrad.course.grading import gradebook

        say(gradebook.write(results.counting(graded, assignment), assignment, options.gradebook, found))
    say(f"{assignment.name}, laid out as {intake.layout}.")
    for line in results.remarks(graded, marks.marks(graded, assignment), assignment, about):
        say(line)
    if troubled := sum(bool(g.problems) for g in graded):
        say(f"Damaged, failed in part, or odd: {texts.count(troubled, 'submission')}; the report names them.")
    if intake.left:
        say(f"Not graded: {texts.count(len(intake.left), 'file')}; the report says why.")
    for what, path in paths.items():
        say(f"  {what:9} {path}")
    return 0


def _shut_in(walls: bool, options: argparse.Namespace) -> bool:
    """Whether answers are shut in well, or the teacher knows that they are not; else it is said what is weaker."""
    if walls or options.weak_isolation:
        return True
    where = " on all workers" if options.dask else ""
    filtered = "their network and new processes are cut off by limits of the system alone." if sys.platform == "linux" else (
        "they can use the network and start processes."
    )  # fmt: skip
    say(WEAK.format(why=f"is not here{where} or does not work", filter=filtered))
    return False


def _cluster(address: str | None, assignment: Assignment) -> contextlib.AbstractContextManager[Cluster | None]:
    """The cluster, or nothing."""
    if not address:
        return contextlib.nullcontext()
    from minigrad.course.grading.cluster import Cluster

    return Cluster(address, assignment)


def _guess(place: Path, layout: str) -> tuple[Assignment, list[str]]:
    """The chapter of which most students' notebooks are, and a sentence about those of another."""
    students: dict[str, set[str]] = {}
    for s in submissions.survey(place, layout=layout).submissions:
        students.setdefault(s.student, set()).add(submissions.read(s).chapter())
    chapters = Counter(chapter for theirs in students.values() for chapter in theirs if chapter in bank.chapters())
    if not chapters:
        raise AssignmentError("The notebooks do not tell which chapter they are of: say it with --assignment.")
    (best, count), *others = chapters.most_common()
    if others and others[0][1] == count or 2 * count < sum(not theirs.isdisjoint(chapters) for theirs in students.values()):
        raise AssignmentError(f"There are notebooks of chapters {', '.join(sorted(chapters))}: say which with --assignment.")
    strangers = [student for student, theirs in students.items() if best not in theirs and theirs - {""}]
    notes = [f"Graded as chapter {best}, of which most notebooks are; not those of {', '.join(strangers[:20])}."] if strangers else []
    return load(best), notes


@contextlib.contextmanager
def _ended_politely() -> Iterator[None]:
    """SIGTERM is as good as Ctrl-C: what runs is ended, and what is done is kept."""

    def end(*about: object) -> None:
        raise KeyboardInterrupt

    try:
        before = [(number, signal.signal(number, end)) for number in (signal.SIGTERM, signal.SIGHUP)]
    except ValueError:  # not the main thread
        before = []
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _secret(options: argparse.Namespace, folder: Path) -> str:
    """The teacher's secret: given, or in a file, or made now and kept."""
    if options.seed is not None:
        return str(options.seed)
    path = Path(options.seed_file) if options.seed_file else folder / "seed.txt"
    if options.seed_file or path.exists():
        return path.read_text(encoding="utf-8").strip()
    folder.mkdir(parents=True, exist_ok=True)
    secret = secrets.token_hex(16)
    path.touch(mode=0o600)
    path.write_text(secret + "\n", encoding="utf-8")
    return secret
