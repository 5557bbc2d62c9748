"""`python -m minigrad.course grade FOLDER`."""

from __future__ import annotations

import argparse
import contextlib
import secrets
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from minigrad.course import bank
from minigrad.course.grading import results, run, sandbox, submissions
from minigrad.course.grading.assignment import Assignment, AssignmentError, load
from minigrad.course.grading.grade import SandboxError
from minigrad.course.render import say

if TYPE_CHECKING:
    from minigrad.course.grading.cluster import Cluster

WEAK = """\
bubblewrap {why}, so answers would run less shut in than they should:
* they can read every file that you can read, with other submissions and the gradebook among them;
* {filter}
Grade only a class that you trust in this way, or in a machine that holds nothing else. To go on: --weak-isolation.
docs/teachers-grading.md says what each way protects against."""


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
        assignment = load(options.assignment) if options.assignment else _guess(place)
        found = submissions.find(place, assignment.name)
        if not found:
            raise AssignmentError(f"No notebooks are in {place}.")
        folder = Path(options.output or Path("grades", assignment.name))
        secret = _secret(options, folder)
    except (AssignmentError, OSError) as error:
        say(str(error))
        return 1
    try:
        tell, jobs = run.Progress(), max(1, options.jobs)
        with _cluster(options.dask, assignment) as cluster:
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
    paths = results.write(graded, assignment, folder, secret, options.pseudonyms)
    if options.gradebook:
        from minigrad.course.grading import gradebook

        say(gradebook.write(results.counting(graded, assignment), assignment, options.gradebook, found))
    chosen = results.counting(graded, assignment)
    mean = sum(g.total for g in chosen.values()) / len(chosen) if chosen else 0.0
    say(f"{assignment.name}: {len(found)} submissions of {len({g.student for g in graded})} students.")
    say(f"Mean: {mean:.1f} of {assignment.total:g} points.")
    troubled = sum(bool(g.problems) for g in graded)
    if troubled:
        say(f"{troubled} notebooks were damaged or failed in part; the report names them.")
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


def _guess(place: Path) -> Assignment:
    """The chapter of which most notebooks are."""
    chapters = Counter(submissions.read(s).chapter() for s in submissions.find(place))
    known = [chapter for chapter in chapters if chapter in bank.chapters()]
    if len(known) > 1:
        raise AssignmentError(f"There are notebooks of chapters {', '.join(sorted(known))}: say which with --assignment.")
    if not known:
        raise AssignmentError("The notebooks do not tell which chapter they are of: say it with --assignment.")
    return load(known[0])


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
