"""What learning platforms give and take: lists of a class, tables of grades, archives of feedback.

Moodle's grading worksheet is matched by its columns Identifier, Grade and Last modified (grade); Canvas's gradebook begins with
Student (or LastName and FirstName) and ID, has a Section before the assignments, and Points Possible in its second row.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from minigrad.course.grading import texts
from minigrad.course.grading.assignment import Assignment
from minigrad.course.grading.grade import Graded
from minigrad.course.grading.marks import Mark
from minigrad.course.grading.submissions import CANVAS, MOODLE, PLAIN

MOODLE_COLUMNS = ("Identifier", "Full name", "Grade", "Last modified (grade)")
CANVAS_COLUMNS = ("Student", "ID", "Section")
_POINTS = "Points Possible"


class RosterError(Exception):
    """The list of the class cannot be read."""


@dataclass(frozen=True)
class Person:
    """A student in the list of a class."""

    student: str  # as grades call them, where nothing was handed in
    name: str
    number: str
    row: tuple[str, ...]
    alone: bool = True  # nobody else in the list has this name

    def is_of(self, graded: Graded) -> bool:
        """Whether a submission is theirs: by the platform's number, where both have one."""
        if self.number and graded.number:
            return self.number == graded.number
        return _composed(graded.student) in (self.student, *[self.name] * self.alone)


@dataclass(frozen=True)
class Roster:
    """The list of a class: a platform's, or a table whose first column is what grades call the students."""

    platform: str = PLAIN
    columns: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    above: tuple[tuple[str, ...], ...] = ()  # rows before the students, as Canvas's of points


def roster(path: Path) -> Roster:
    """Read it. RosterError where that fails."""
    made = _read(path)
    people = [replace(p, student=_composed(p.student), name=_composed(p.name)) for p in made.people]
    names = Counter(person.name for person in people)
    return replace(made, people=tuple(replace(person, alone=names[person.name] == 1) for person in people))


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _read(path: Path) -> Roster:
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = [tuple(row) for row in csv.reader(io.StringIO(text), delimiter=_separator(text)) if any(cell.strip() for cell in row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RosterError(f"{path} cannot be read ({error}). It is a CSV file in UTF-8.") from error
    if not rows:
        raise RosterError(f"{path} is empty.")
    columns = tuple(cell.strip() for cell in rows[0])
    if "Identifier" in columns and "Grade" in columns:
        k, name = columns.index("Identifier"), columns.index("Full name") if "Full name" in columns else columns.index("Identifier")
        people = [Person(f"{r[name]}_{_digits(r[k])}", r[name], _digits(r[k]), r) for r in rows[1:] if len(r) == len(columns)]
        return Roster(MOODLE, columns, tuple(people))
    k = 2 if columns[:2] == ("LastName", "FirstName") else 1  # Canvas exports the name in one column, or in two
    if columns[k : k + 1] == ("ID",) and "Section" in columns and (k == 2 or columns[0] == "Student"):
        listed = [(", ".join(r[:k]), r[k].strip(), r) for r in rows[1:] if len(r) > k and r[k].strip().isdigit()]
        people = [Person(f"{_in_files(name)}_{id}", name, id, r) for name, id, r in listed if name != "Student, Test"]  # Canvas's own
        return Roster(CANVAS, columns, tuple(people), tuple(r for r in rows[1:] if _POINTS in r[0]))
    headed = columns[0].lower() in ("username", "student", "user", "id", "name", "login")
    rest = [tuple(cell.strip() for cell in row) for row in rows[1 if headed else 0 :]]
    names = 1 if headed and len(columns) > 1 and "name" in columns[1].lower() else 0
    return Roster(PLAIN, columns, tuple(Person(r[0], r[names] if len(r) > names else r[0], "", r) for r in rest))


def _in_files(name: str) -> str:
    """A name as Canvas writes it into the names of files: `Ng, David` is ngdavid."""
    return re.sub(r"[\W_]", "", name).lower()


def _separator(text: str) -> str:
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _digits(identifier: str) -> str:
    """The number at the end of `Participant 123`."""
    match = re.search(r"(\d+)\s*$", identifier)
    return match[1] if match else ""


def by_name(of: Roster, results: list[Graded], assignment: Assignment) -> Assignment:
    """The assignment, whose file may call students as the list or the platform does, where only one is called so."""
    students = {graded.student for graded in results}

    def known(name: str) -> str:
        its = called(name, of, results)
        return name if name in students or len(its) != 1 else its.pop()

    adjust = tuple(one | {"student": known(_composed(one["student"]))} for one in assignment.adjust)
    return replace(assignment, students={known(name): its for name, its in assignment.students.items()}, adjust=adjust)


def called(name: str, of: Roster, results: list[Graded]) -> set[str]:
    """The students that the list or the platform calls so, those who handed in nothing among them."""
    here = {g.student for g in results if g.name == name or any(p.name == name and p.is_of(g) for p in of.people)}
    return here | {person.student for person in missing(of, results) if person.name == name}


def missing(of: Roster, results: list[Graded]) -> list[Person]:
    """Who is in the list and handed in nothing."""
    return [person for person in of.people if not any(person.is_of(graded) for graded in results)]


def strangers(of: Roster, results: list[Graded]) -> list[str]:
    """Who handed in, and is not in the list."""
    names = {g.student: g for g in results}
    return [student for student, graded in names.items() if of.people and not any(person.is_of(graded) for person in of.people)]


def _column(of: Roster, assignment: str) -> int:
    """The column of the assignment in Canvas's gradebook; 0 where there is none."""
    section = of.columns.index("Section") + 1
    known = [k for k, c in enumerate(of.columns) if k >= section and re.fullmatch(re.escape(assignment) + r"(?: \(\d+\))?", c)]
    return known[0] if known else 0


def other_maximum(of: Roster, assignment: str, total: float) -> str:
    """A sentence where the platform counts to another number than the assignment; else empty."""
    most = ""
    if of.platform == MOODLE and "Maximum Grade" in of.columns and of.people:
        most = of.people[0].row[of.columns.index("Maximum Grade")]
    elif of.platform == CANVAS and of.above and 0 < (at := _column(of, assignment)) < len(of.above[0]):
        most = of.above[0][at]
    try:
        there = float(most.replace(",", "."))
    except ValueError:
        return ""
    if there == total or not there > 0:
        return ""
    return (
        f"In {of.platform} the most is {there:g} points, and this assignment has {total:g}: set it there to {total:g} first, "
        f"or {total:g} points become {100 * total / there:.0f} %."
    )


def table(layout: str, of: Roster, marks: dict[str, Mark], results: list[Graded], assignment: str, total: float) -> tuple[str, str]:
    """The name and the text of the file that the platform imports; both empty where none is known."""
    platform = of.platform if of.platform != PLAIN else layout
    if platform not in (MOODLE, CANVAS):
        return "", ""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\r\n")
    scores = {graded.student: marks[graded.student].score for graded in results}
    people = list(of.people) if of.platform == platform else _from(results)

    def score(person: Person) -> str:
        theirs = [scores[graded.student] for graded in results if person.is_of(graded)]
        return "" if not theirs or theirs[-1] is None else f"{theirs[-1]:g}"

    if platform == MOODLE:
        columns = of.columns if of.platform == MOODLE else MOODLE_COLUMNS
        rows.writerow(columns)
        for person in people:
            row = list(person.row) or [f"Participant {person.number}", texts.cell(person.name), "", ""]
            row[columns.index("Grade")] = score(person) or row[columns.index("Grade")]
            rows.writerow(row)
        return "moodle.csv", file.getvalue()
    section = of.columns.index("Section") + 1 if of.platform == CANVAS else 3
    at = _column(of, assignment) if of.platform == CANVAS else 0
    rows.writerow([*(of.columns[:section] if of.platform == CANVAS else CANVAS_COLUMNS), of.columns[at] if at else assignment])
    rows.writerow([f"    {_POINTS}", *[""] * (section - 1), f"{total:g}"])
    for person in people:  # without a score what is there stays: an empty cell would take it away
        kept = person.row[at] if 0 < at < len(person.row) else ""
        rows.writerow([*(person.row[:section] or (texts.cell(person.name), person.number, "")), score(person) or kept])
    return "canvas.csv", file.getvalue()


def _from(results: list[Graded]) -> list[Person]:
    """The list of those who handed in."""
    known = {graded.student: graded for graded in results}
    return [Person(student, graded.name, graded.number, ()) for student, graded in known.items()]


def archive(layout: str, path: Path, pages: dict[str, Path], results: dict[str, Graded]) -> None:
    """One zip file with the page of each student that counts, named as the platform hands it out to its student."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for student, page in sorted(pages.items()):
            graded = results[student]
            name = page.name
            if layout == MOODLE:
                name = f"{graded.name.replace('_', ' ')}_{graded.number}_assignfeedback_file_feedback.html"
            elif layout == CANVAS and (match := re.match(r"([^_]+_(?:LATE_)?\d+_\d+_)", graded.upload)):
                name = f"{match[1]}feedback.html"
            info = zipfile.ZipInfo(texts.writable(name))  # without a time, so that the same pages make the same archive
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            made.writestr(info, page.read_bytes())
