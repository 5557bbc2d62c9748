"""From scores to marks: which submission counts, what lateness costs, and what the teacher changed by hand.

Nothing here is graded again: a deadline, an extension or an adjustment may change at any time.
"""

from __future__ import annotations

import datetime
import math
import unicodedata
from dataclasses import dataclass, field

from minigrad.course.grading import texts
from minigrad.course.grading.assignment import Assignment
from minigrad.course.grading.grade import Graded
from minigrad.course.judge import NOT_ATTEMPTED

DAY = datetime.timedelta(days=1)


@dataclass
class Mark:
    """What counts for one student, and how it came about."""

    student: str
    graded: Graded | None  # the submission that counts, where one does
    score: float | None
    days: int = 0  # days begun after the deadline
    free: int = 0  # of them, late days that cost nothing
    notes: list[str] = field(default_factory=list)
    by_hand: dict[str, float] = field(default_factory=dict)  # points of exercises, as the teacher says


def days_late(graded: Graded, assignment: Assignment) -> int:
    """Days begun after the student's own deadline; 1 where the platform only says that it is late; 0 in time."""
    deadline = assignment.students.get(graded.student, {}).get("deadline", assignment.deadline)
    if not graded.time or deadline is None:
        own = assignment.students.get(graded.student, {}).get("deadline")
        return int(graded.late and own is None)
    over = datetime.datetime.fromisoformat(graded.time) - deadline
    return 0 if over <= datetime.timedelta(minutes=assignment.grace) else math.ceil(over / DAY)


def marks(results: list[Graded], assignment: Assignment) -> dict[str, Mark]:
    """The mark of each student, in the order in which they come."""
    made: dict[str, Mark] = {}
    for student in dict.fromkeys(graded.student for graded in results):
        made[student] = _mark(student, [graded for graded in results if graded.student == student], assignment)
    for change in assignment.adjust:
        student = unicodedata.normalize("NFC", change["student"])
        mark = made.get(student)
        if mark is not None and mark.graded is not None:
            _adjust(mark, change)
        elif mark is not None:
            mark.notes.append(f"by hand, {_points(change['points'])} wait with it: {change['reason']}")
    return made


def unknown_students(assignment: Assignment, known: set[str]) -> list[str]:
    """Students whom the assignment's file names, and who are not there."""
    named = [*assignment.students, *(unicodedata.normalize("NFC", change["student"]) for change in assignment.adjust)]
    return [student for student in dict.fromkeys(named) if student not in known]


def _mark(student: str, all_of: list[Graded], assignment: Assignment) -> Mark:
    best: Mark | None = None
    for graded in all_of:
        days = days_late(graded, assignment)
        graded.late = days > 0
        free = min(days, assignment.students.get(student, {}).get("late_days", assignment.late_days))
        if days > free and assignment.late == "apart":
            continue
        cost = min(1.0, assignment.penalty / 100 * (days - free))
        mark = Mark(student, graded, round(graded.total * (1 - cost), 2), days, free)
        if cost:
            mark.notes.append(f"{texts.count(days - free, 'day')} late: {100 * cost:g} % less than {graded.total:g}.")
        if free:
            mark.notes.append(f"{texts.count(free, 'free late day')} used.")
        was = best.score if best is not None and best.score is not None else -1.0
        better = assignment.counts == "last" or assignment.counts == "best" and graded.total * (1 - cost) > was
        if best is None or _untouched(best.graded) or better and not _untouched(graded):
            best = mark
    if best is None:
        return Mark(student, None, None, notes=["It came after the deadline; it is kept apart, and you decide."])
    if not best.graded.handed_in:  # type: ignore[union-attr]
        best.notes += best.graded.problems  # type: ignore[union-attr]
    return best


def _untouched(graded: Graded | None) -> bool:
    """Whether nothing in it was tried: a sheet as it was given, handed in beside the one with the answers."""
    return graded is not None and bool(graded.scores) and all(score.verdict.outcome == NOT_ATTEMPTED for score in graded.scores)


def _points(points: float, sign: str = "+") -> str:
    return f"{points:{sign}g} point{'s' * (abs(points) != 1)}"


def _adjust(mark: Mark, change: dict) -> None:
    """What the teacher says, on top of what was found out."""
    before = mark.score or 0.0
    if "exercise" in change:
        score = next((s.points for s in mark.graded.scores if s.id == change["exercise"]), 0.0) if mark.graded else 0.0
        mark.score = round(before + change["points"] - mark.by_hand.get(change["exercise"], score), 2)
        mark.by_hand[change["exercise"]] = float(change["points"])
        what = f"{change['exercise']}: {_points(change['points'], '')} by hand, not {score:g}"
    else:
        mark.score = round(before + change["points"], 2)
        what = f"by hand, {_points(change['points'])}"
    mark.notes.append(f"{what}: {change['reason']}")
