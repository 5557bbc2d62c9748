"""From scores to marks and files for platforms: lateness, adjustments, lists of a class, what changed, what is alike."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import json
import linecache
import re
import time
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import grading_class as klass
import pytest

from minigrad.course import bank
from minigrad.course.__main__ import main
from minigrad.course.grading import assignment, grade, gradebook, marks, platforms, results, submissions
from minigrad.course.judge import KNOWN, NOT_ATTEMPTED, PASSED, WRONG, Verdict

IDS = list(bank.exercises("04"))


def given(text: str, tmp_path: Path) -> assignment.Assignment:
    (tmp_path / "week.toml").write_text('chapter = "04"\n' + text)
    return assignment.load(str(tmp_path / "week.toml"))


def one(student: str, points: float = 3, when: str = "", **changes) -> grade.Graded:
    score = grade.Score("04.1", "Spell out", points, 3, Verdict("04.1", PASSED if points else WRONG))
    made = grade.Graded(
        student, 1, f"{student}/n.ipynb", "d", time=f"2026-02-{when}+00:00" if when else "", scores=[score], name=student
    )
    return dataclasses.replace(made, **changes)


def report_on(all_of: list[grade.Graded], mine: assignment.Assignment, roster: str = "", folder: Path | None = None) -> str:
    """The page of a class, whose list is a table with these lines."""
    about = results.Class()
    if folder is not None:
        (folder / "class.csv").write_text(roster)
        about = results.Class(roster=platforms.roster(folder / "class.csv"))
    return results.report(all_of, marks.marks(all_of, mine), mine, results._file_names(all_of, "s", False), about, [])


# --- lateness ---

DEADLINE = "deadline = 2026-02-02T12:00:00Z\n"


@pytest.mark.parametrize(
    ("text", "when", "score"),
    [
        ("", "02 12:00:00", 3),
        ("", "02 12:00:01", None),
        ('late = "count"', "09 12:00:00", 3),
        ("grace = 15", "02 12:15:00", 3),
        ("grace = 15", "02 12:15:01", None),
        ("penalty = 10", "02 12:00:01", 2.7),
        ("penalty = 10", "03 12:00:00", 2.7),
        ("penalty = 10", "03 12:00:01", 2.4),
        ("penalty = 10", "28 12:00:00", 0),
        ("penalty = 10\ngrace = 15", "02 12:15:00", 3),
        ("penalty = 10\ngrace = 15", "02 12:16:00", 2.7),
        ("late_days = 2", "04 11:00:00", 3),
        ("late_days = 2", "04 13:00:00", None),
        ("penalty = 20\nlate_days = 1", "04 11:00:00", 2.4),
        ("penalty = 10", "", 3),
        ("[students.ada]\ndeadline = 2026-02-05T12:00:00Z", "05 12:00:00", 3),
        ("[students.ada]\ndeadline = 2026-02-05T12:00:00Z", "05 12:00:01", None),
        ("penalty = 50\n[students.ada]\nlate_days = 1", "03 09:00:00", 3),
        ("penalty = 50\n[students.bob]\nlate_days = 1", "03 09:00:00", 1.5),
    ],
)
def test_what_lateness_costs(tmp_path, text, when, score):
    mark = marks.marks([one("ada", when=when)], given(DEADLINE + text, tmp_path))["ada"]
    assert mark.score == score
    if when and score not in (3, None):
        assert re.match(r"(1 day|([2-9]|\d\d) days) late", mark.notes[0])


def test_a_mark_of_lateness_without_a_time(tmp_path):
    for text, score in (("", None), ("penalty = 10\n", 2.7), ("[students.ada]\ndeadline = 2026-02-05T12:00:00Z\n", 3)):
        assert marks.marks([one("ada", late=True)], given(DEADLINE + text, tmp_path))["ada"].score == score


def test_of_several_the_best_is_chosen_after_the_penalty(tmp_path):
    all_of = [one("ada", 2, "02 10:00:00"), one("ada", 3, "05 10:00:00", attempt=2)]
    for text, attempt in (('counts = "best"', 1), ('counts = "last"', 2), ('counts = "first"', 1)):
        assert marks.marks(all_of, given(DEADLINE + "penalty = 20\n" + text, tmp_path))["ada"].graded.attempt == attempt


def test_an_untouched_sheet_does_not_count_over_one_with_answers(tmp_path):
    bare = one("ada", 0)
    bare.scores[0].verdict = Verdict("04.1", NOT_ATTEMPTED)
    broken = one("ada", scores=[], problems=[grade.NOT_STARTED])  # nobody knows what is in it
    for counts in ("last", "best", "first"):
        mine = given(f'counts = "{counts}"\n', tmp_path)
        for all_of in ([bare, one("ada", 1)], [one("ada", 1), bare]):
            assert marks.marks(all_of, mine)["ada"].score == 1
        assert marks.marks([bare, bare], mine)["ada"].score == 0
        assert marks.marks([one("ada", 1), broken], mine)["ada"].score == (0 if counts == "last" else 1)


def test_points_by_hand_are_kept(tmp_path):
    text = (
        '[[adjust]]\nstudent = "ada"\nexercise = "04.1"\npoints = 2.5\nreason = "a slip of the pen"\n'
        '[[adjust]]\nstudent = "bob"\npoints = -1\nreason = "handed in twice"\n'
        '[[adjust]]\nstudent = "Jose\u0301"\npoints = 1\nreason = "x"\n'
    )
    mine = given(text, tmp_path)
    made = marks.marks([one("ada", 0), one("bob"), one("Jos\u00e9")], mine)
    assert [mark.score for mark in made.values()] == [2.5, 2, 4]
    assert made["ada"].notes == ["04.1: 2.5 points by hand, not 0: a slip of the pen"]
    page = results.feedback(made["ada"].graded, mine, "", made["ada"])
    assert "a slip of the pen" in page and f"2.5 of {mine.total:g} points" in page and "2.5 of 3</span>" in page
    paths = results.write([one("ada", 0)], mine, tmp_path / "out", "s")
    (row,) = csv.DictReader(paths["table"].open(encoding="utf-8"))
    assert row["score"] == row["04.1"] == "2.5"  # the points of a row add up
    report = report_on([one("zoe")], mine)
    assert "ada is named in the assignment" in report


def test_points_by_hand_that_nobody_can_mean_are_told(tmp_path):
    text = "".join(f'[[adjust]]\nstudent = "{who}"\npoints = 20\nreason = "x"\n' for who in ("ada", "Jo", "Nora", "Nobody"))
    mine = given(text, tmp_path)
    jos = [one("Jo_1", name="Jo"), one("Jo_2", name="Jo")]
    report = report_on([one("ada"), *jos], mine, "name\nada\nJo_1\nJo_2\nNora\n", tmp_path)
    assert f"ada has 23 of {mine.total:g} points." in report and "names Jo, and there are Jo_1, Jo_2: say which" in report
    assert "names Nora, who handed in nothing" in report and "Nobody is named in the assignment" in report
    one_there = given('[[adjust]]\nstudent = "Ada Li"\npoints = 5\nreason = "x"\n', tmp_path)
    another = "Participant 8,Ada Li,x,x,,10.00,Yes,-,-,\r\nParticipant 8,"
    (tmp_path / "list.csv").write_text(WORKSHEET.replace("Participant 8,", another))
    two_of_a_name = platforms.roster(tmp_path / "list.csv")
    ada = [one("Ada Li_7", name="Ada Li", number="7")]
    assert platforms.by_name(two_of_a_name, ada, one_there).adjust[0]["student"] == "Ada Li"  # one of them handed in nothing
    assert '<a href="feedback/Jo_2.html">Jo_2</a></td><td>3</td>' in report


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("penalty = 101", "penalty is a number from 0 to 100"),
        ("grace = -1", "grace"),
        ("late_days = 1.5", "late_days"),
        ('late = "apart"\npenalty = 5', "nothing that a penalty"),
        ("students = 3", "students"),
        ("[students.ada]\npoints = 3", "students"),
        ('[students.ada]\ndeadline = "soon"', "without quotes"),
        ('[[adjust]]\nstudent = "ada"\npoints = 3', "adjust"),
        ('[[adjust]]\nstudent = "ada"\npoints = nan\nreason = "x"', "a number"),
        ('[[adjust]]\nstudent = "ada"\npoints = 1\nreason = "x"\nexercise = "06.1"', "no exercise here"),
        ("partial = 3", "true or false"),
    ],
)
def test_rules_that_cannot_be_meant(tmp_path, text, said):
    with pytest.raises(assignment.AssignmentError, match=said):
        given(text, tmp_path)


def test_the_deadline_that_could_not_be_applied_is_told(tmp_path):
    mine = given(DEADLINE, tmp_path)
    timed, untimed = one("ada", when="02 10:00:00"), one("bob")
    for all_of, said in (([untimed], "not applied to anybody"), ([timed, untimed], "not applied to 1 student"), ([timed], "")):
        report = report_on(all_of, mine)
        assert (said in report) if said else ("not applied" not in report)


# --- lists of a class, and the files that platforms import ---

WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),"
    "Last modified (grade),Feedback comments\r\n"
    "Participant 7,Ada Li,ada@x.org,Submitted for grading,,10.00,Yes,-,-,\r\n"
    'Participant 8,"Li, Ada",l@x.org,No submission,4.00,10.00,Yes,-,-,\r\n'
    "Participant 9,-5,m@x.org,Submitted for grading,,10.00,Yes,-,-,\r\n"
)
GRADEBOOK = (
    "Student,ID,SIS User ID,SIS Login ID,Section,week (31),Other (32),Current Score\r\n    Points Possible,,,,,10,5,(read only)\r\n"
    '"Li, Ada",7,u7,ada,S1,,5,\r\n"Best, Bob",8,u8,bob,S1,,,\r\n"Student, Test",,,,S1,,,\r\n'
)


def of_platform(number: str, name: str = "x", points: float = 3) -> grade.Graded:
    return one(f"{name}_{number}", points, name=name, number=number, upload=f"{name}_{number}_55_n.ipynb")


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def moodle_imports(text: str) -> dict[str, str]:
    """As Moodle's importer of grading worksheets finds its columns: by their names, all three; the number is what follows a word."""
    head, *body = rows(text)
    number, score, _ = (head.index(name) for name in ("Identifier", "Grade", "Last modified (grade)"))
    return {row[number].removeprefix("Participant "): row[score] for row in body}


def canvas_imports(text: str) -> dict[str, str]:
    """As Canvas's importer reads a gradebook: names, number and section first, then assignments; a row of points is no student."""
    head, *body = rows(text)
    two = head[:2] == ["LastName", "FirstName"]
    names = 3 if two else 2  # with the number, which is their last
    assert len(head) > names + 1 and (two or "Student" in head[0]) and "ID" in head[names - 1]
    count = names + 1
    if re.search(r"SIS\s+Login\s+ID", head[names]):
        count += 1
    elif re.search(r"SIS\s+User\s+ID", head[names]) and re.search(r"SIS\s+Login\s+ID", head[names + 1]):
        count += 2 + ("Integration ID" in head)
        count += "Root Account" in head[count - 1]
    assert "Section" in head[count - 1] and len(head) == count + 1
    assert re.sub(r" \(\d+\)$", "", head[count]) == "week"
    return {row[names - 1]: row[count] for row in body if "Points Possible" not in row[0]}


@pytest.mark.parametrize("layout", [submissions.MOODLE, submissions.CANVAS])
def test_a_name_is_no_formula_in_a_platforms_table(tmp_path, layout):
    eve = of_platform("7", '=HYPERLINK("http://x")')
    _, text = platforms.table(layout, platforms.Roster(), marks.marks([eve], given("", tmp_path)), [eve], "week", 18)
    cells = [cell for row in rows(text) for cell in row]
    assert not [cell for cell in cells if cell.startswith("=")] and '\'=HYPERLINK("http://x")' in cells


def test_what_moodle_imports(tmp_path):
    all_of = [of_platform("7", "Ada Li"), of_platform("9", "-5", 1.5)]
    made = marks.marks(all_of, given("", tmp_path))
    name, text = platforms.table(submissions.MOODLE, platforms.Roster(), made, all_of, "week", 18)
    assert name == "moodle.csv" and moodle_imports(text) == {"7": "3", "9": "1.5"} and rows(text)[2][1] == "-5"
    (tmp_path / "sheet.csv").write_bytes(WORKSHEET.encode())
    roster = platforms.roster(tmp_path / "sheet.csv")
    name, text = platforms.table(submissions.MOODLE, roster, made, all_of, "week", 18)
    assert moodle_imports(text) == {"7": "3", "8": "4.00", "9": "1.5"}  # who handed in nothing keeps what is there
    assert rows(text)[0] == rows(WORKSHEET.removeprefix("\ufeff"))[0] and rows(text)[2][1] == "Li, Ada"
    assert [person.number for person in platforms.missing(roster, all_of)] == ["8"]


def test_what_canvas_imports(tmp_path):
    all_of = [of_platform("7", "liada"), of_platform("8", "bestbob", 0)]
    made = marks.marks(all_of, given("", tmp_path))
    name, text = platforms.table(submissions.CANVAS, platforms.Roster(), made, all_of, "week", 18)
    assert name == "canvas.csv" and canvas_imports(text) == {"7": "3", "8": "0"} and rows(text)[1][3] == "18"
    (tmp_path / "book.csv").write_text(GRADEBOOK)
    roster = platforms.roster(tmp_path / "book.csv")
    text = platforms.table(submissions.CANVAS, roster, made, all_of[:1], "week", 18)[1]
    assert canvas_imports(text) == {"7": "3", "8": ""} and rows(text)[0][-1] == "week (31)" and rows(text)[2][0] == "Li, Ada"
    head = "Student,ID,SIS User ID,SIS Login ID,Integration ID,Root Account,Section,Notes,week (31)\r\n"
    (tmp_path / "book.csv").write_text(head + '"Li, Ada",7,u7,ada,,x.org,S1,"a note",\r\n')
    text = platforms.table(submissions.CANVAS, platforms.roster(tmp_path / "book.csv"), made, all_of, "week", 18)[1]
    assert canvas_imports(text) == {"7": "3"}
    (tmp_path / "book.csv").write_text("LastName,FirstName,ID,Section,week (31)\r\nLi,Ada,7,S1,\r\nBest,Bob,9,S1,EX\r\n")
    roster = platforms.roster(tmp_path / "book.csv")
    assert canvas_imports(platforms.table(submissions.CANVAS, roster, made, all_of, "week", 18)[1]) == {"7": "3", "9": "EX"}
    assert [person.name for person in platforms.missing(roster, all_of)] == ["Best, Bob"]


@pytest.mark.parametrize(
    ("text", "total", "said"),
    [
        (WORKSHEET, 18, "In Moodle the most is 10 points, and this assignment has 18: set it there to 18 first, or 18 points become"),
        (WORKSHEET.replace("10.00,Yes", '"10,00",Yes'), 5, "In Moodle the most is 10 points"),
        (GRADEBOOK, 8, "In Canvas the most is 10 points, and this assignment has 8: set it there to 8 first, or 8 points become 80"),
        (WORKSHEET, 10, ""), (GRADEBOOK, 10, ""), (GRADEBOOK.replace("week", "other week"), 8, ""), ("ada\nbob\n", 8, ""),
    ],
)  # fmt: skip
def test_another_maximum_of_the_platform_is_told(tmp_path, text, total, said):
    (tmp_path / "list.csv").write_text(text)
    assert platforms.other_maximum(platforms.roster(tmp_path / "list.csv"), "week", total)[: len(said) or 9] == said


def test_the_command_the_report_and_the_page_tell_of_the_class(tmp_path, capsys):
    """With one who handed in a damaged archive, one with another chapter, and a worksheet of another maximum."""
    place = tmp_path / "all"
    files = {"Ada_1": ("n.ipynb", klass.template("04")), "Eve_2": ("w.zip", "PK"), "Hugo_3": ("n.ipynb", klass.template("05"))}
    for student, (name, content) in files.items():
        (place / f"{student}_assignsubmission_file_").mkdir(parents=True)
        (place / f"{student}_assignsubmission_file_" / name).write_text(json.dumps(content))
    head, first = WORKSHEET.splitlines()[:2]
    (tmp_path / "list.csv").write_text("\n".join([head, first.replace("Participant 7,Ada Li", "Participant 1,Ada")]))
    (tmp_path / "week.toml").write_text(
        f'chapter = "04"\n{DEADLINE}late = "count"\n[[adjust]]\nstudent = "Ada"\npoints = 2\nreason = "spoken"\n'
    )
    options = ["--assignment", str(tmp_path / "week.toml"), "--roster", str(tmp_path / "list.csv"), "--output", str(tmp_path / "out")]
    assert main(["grade", str(place), *options, "--weak-isolation"]) == 0
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for told in (capsys.readouterr().out, report):
        assert "3 students: 2 handed in a notebook (2 notebooks), 1 no notebook." in told and "In Moodle the most is 10 points" in told
    assert "Moodle&#x27;s worksheet has times; they are not read." in report and "is not there" not in report
    table = {row[0]: row for row in rows((tmp_path / "out" / "grades.csv").read_text(encoding="utf-8"))}
    reason = "There is no notebook. A .zip file: it is no zip file, or a damaged one."
    assert table["Eve_2"][-1] == reason and table["Ada_1"][1] == "2"  # by the name that the list has
    with zipfile.ZipFile(tmp_path / "out" / "feedback.zip") as archive:
        pages = {name.partition("_")[0]: archive.read(name).decode() for name in archive.namelist()}
    assert pages["Eve"].count(reason) == 1 and len(pages) == 3
    for page in (pages["Hugo"], report):
        assert "This notebook is of chapter 05; graded was chapter 04." in page


def test_the_command_counts_the_list_and_names_whom_it_does_not_know(tmp_path, capsys):
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "ada.ipynb").write_text(json.dumps(klass.template("04")))
    (tmp_path / "list.csv").write_text("name\nada\nbob\ncleo\n")
    (tmp_path / "week.toml").write_text('chapter = "04"\n[[adjust]]\nstudent = "Ada Li"\npoints = 2\nreason = "spoken"\n')
    options = ["--assignment", str(tmp_path / "week.toml"), "--roster", str(tmp_path / "list.csv"), "--output", str(tmp_path / "out")]
    assert main(["grade", str(tmp_path / "all"), *options, "--weak-isolation"]) == 0
    said, report = capsys.readouterr().out, (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    counted = "1 student: 1 handed in a notebook (1 notebook), 0 no notebook. The list of the class has 2 more, who handed in nothing."
    unknown = "Ada Li is named in the assignment's file, and is not there."
    assert counted in said and unknown in said and counted in report and report.count(unknown.replace("'", "&#x27;")) == 1


def test_what_looks_odd_stands_before_what_was_damaged(tmp_path):
    sentences = {
        "ada": "There is no notebook.", "bob": "Cell 3: It replaced functions",
        "eve": "Cell 3 uses sys.modules.", "flo": "It replaced functions that are not its own: os.name.",
        "gil": "Cell 9 ended the process, and was left out.", "hal": "04.1: What came back from your code was no reply.",
    }  # fmt: skip
    graded = [one(who, problems=["Cell 1: NameError: x", what]) for who, what in sentences.items()]
    mine = given("", tmp_path)
    report = report_on(graded, mine)
    odd, damaged = report.partition("look odd</h2>")[2].split("<h2>")[:2]
    assert re.findall("<b>(.*?)</b>", odd) == ["eve", "flo", "gil", "hal"] and re.findall("<b>(.*?)</b>", damaged) == ["ada", "bob"]
    assert "n.ipynb): Cell 3 uses sys.modules. Cell 1" in odd


def test_a_student_may_be_called_as_the_list_has_it(tmp_path):
    (tmp_path / "book.csv").write_text(GRADEBOOK.replace('"Student, Test",,', '"Student, Test",4999,'))
    roster = platforms.roster(tmp_path / "book.csv")
    assert [person.student for person in roster.people] == ["liada_7", "bestbob_8"]  # one form, and not the platform's own student
    mine = given('[students."Li, Ada"]\nlate_days = 2\n[students."twice"]\nlate_days = 1\n', tmp_path)
    all_of = [of_platform("7", "liada"), of_platform("8", "twice"), of_platform("9", "twice")]
    assert list(platforms.by_name(roster, all_of, mine).students) == ["liada_7", "twice"]


def test_who_is_late_has_no_grade_for_the_platform(tmp_path):
    mine = given(DEADLINE, tmp_path)
    late = of_platform("7", "Ada Li")
    late.time = "2026-02-09 10:00:00+00:00"
    made = marks.marks([late], mine)
    assert moodle_imports(platforms.table(submissions.MOODLE, platforms.Roster(), made, [late], "week", 18)[1]) == {"7": ""}


def test_a_list_of_names(tmp_path):
    for text in ("username,name\nada,Ada\nbob,Bob B\nJose\u0301,J\n", "ada;Ada\nbob;Bob B\nJos\u00e9;J\n", "ada\nbob\nJos\u00e9\n"):
        (tmp_path / "list.csv").write_text(text)
        roster = platforms.roster(tmp_path / "list.csv")
        all_of = [one("ada"), one("Jos\u00e9"), one("eve")]
        assert [person.student for person in platforms.missing(roster, all_of)] == ["bob"]
        assert platforms.strangers(roster, all_of) == ["eve"]
    mine = given("", tmp_path)
    about = results.Class(roster=roster)
    results.write(all_of, mine, tmp_path / "out", "s", about=about)
    table = {
        row["username"]: row for row in csv.DictReader(io.StringIO((tmp_path / "out" / "grades.csv").read_text(encoding="utf-8")))
    }
    assert table["bob"]["score"] == "" and table["bob"]["note"] == "Nothing was handed in." and table["ada"]["score"] == "3"
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "bob handed in nothing" in report and "eve is not in the list" in report
    for bad in (b"", b"\xff\xfe\x00"):
        (tmp_path / "list.csv").write_bytes(bad)
        with pytest.raises(platforms.RosterError):
            platforms.roster(tmp_path / "list.csv")


def test_numbers_stay_and_formulas_do_not_run(tmp_path):
    names = ["-5", "+49", "=1+1", "@x", "-5+cmd", "a;=1", "ada"]
    all_of = [one(name) for name in names]
    mine = given("", tmp_path)
    text = results.table(all_of, marks.marks(all_of, mine), mine, results._file_names(all_of, "s", False))
    assert [row[0] for row in rows(text)[1:]] == ["-5", "+49", "'=1+1", "'@x", "'-5+cmd", "a;'=1", "ada"]
    assert {row[-1] for row in rows(text)[1:]} == {""}  # no note is no text


def test_feedback_goes_back_as_one_archive(tmp_path):
    mine = given("", tmp_path)
    for layout, all_of, inside in (
        (submissions.MOODLE, [of_platform("7", "Ada_Li")], ["Ada Li_7_assignfeedback_file_feedback.html"]),
        (submissions.CANVAS, [of_platform("7", "liada")], ["liada_7_55_feedback.html"]),
        (submissions.PLAIN, [one("ada"), one("bob", attempt=2)], ["ada.html", "bob~2.html"]),
    ):
        results.write(all_of, mine, tmp_path / "out", "s", about=results.Class(layout=layout))
        with zipfile.ZipFile(tmp_path / "out" / "feedback.zip") as archive:
            assert archive.namelist() == inside and b"3 of 18 points" in archive.read(inside[0])
    # Moodle takes apart what it is given at the first four underscores.
    assert inside and ["Ada Li", "7", "assignfeedback", "file", "feedback.html"][1:4] == ["7", "assignfeedback", "file"]


# --- what a regrade and a report tell ---


def test_a_regrade_says_whose_score_changed_and_why(tmp_path):
    mine, out = given("", tmp_path), tmp_path / "out"
    results.write([one("ada"), one("bob"), one("cleo"), one("dan")], mine, out, "s")
    assert "changed since" not in (out / "report.html").read_text(encoding="utf-8")
    again = [one("ada"), one("bob", 0), one("cleo", 1, digest="other"), one("eve")]
    results.write(again, mine, out, "s")
    report = (out / "report.html").read_text(encoding="utf-8")
    assert "bob: 3 before, now 0: 04.1 3 → 0 (wrong)" in report and "cleo: 3 before, now 1: another notebook counts" in report
    assert "dan: 3 before, now not there" in report and "eve: nothing before, now 3" in report and "ada: " not in report
    adjusted = given('[[adjust]]\nstudent = "ada"\npoints = 1\nreason = "spoken"\n', tmp_path)
    results.write(again, adjusted, out, "s")
    assert "ada: 3 before, now 4: by hand, +1 point: spoken" in (out / "report.html").read_text(encoding="utf-8")
    (out / "scores.json").write_text('{"submissions": [3, {"student": []}]}')
    results.write(again, adjusted, out, "s")


def test_a_row_says_why_there_are_no_points_and_what_the_teacher_gave(tmp_path):
    mine = given('[[adjust]]\nstudent = "kofi"\npoints = -2\nreason = "spoken"\n', tmp_path)
    kofi = one("kofi", 0, problems=["This notebook is of chapter 03."])
    (row,) = csv.DictReader(results.write([kofi], mine, tmp_path / "out", "s")["table"].open(encoding="utf-8"))
    assert row["note"] == "by hand, -2 points: spoken This notebook is of chapter 03."
    report = report_on([kofi], mine, "name,group\nkofi,1\nnora,2\n", tmp_path)
    assert "kofi has -2 of" in report and "<td>nora</td><td></td><td>Nothing was handed in.</td>" in report


def test_no_page_is_called_as_anothers():
    two = [one("li"), one("li", attempt=2), one("li-2")]
    assert list(results._file_names(two, "s", False).values()) == ["li.html", "li~2.html", "li-2.html"]


def test_points_by_hand_wait_with_what_is_kept_apart(tmp_path):
    text = DEADLINE + '[[adjust]]\nstudent = "ada"\npoints = -1.5\nreason = "a day late"\n'
    made = marks.marks([one("ada", when="03 12:00:00")], given(text, tmp_path))
    assert made["ada"].score is None and made["ada"].notes[1:] == ["by hand, -1.5 points wait with it: a day late"]


TWO_OF_A_NAME = [WORKSHEET.replace("9,-5", "9,Ada Li"), GRADEBOOK.replace('"Best, Bob"', '"Li, Ada"')]


@pytest.mark.parametrize("listed", TWO_OF_A_NAME)
def test_a_name_that_two_have_is_nobodys_without_a_number(tmp_path, listed):
    """A plain folder of that name says not whose it is."""
    (tmp_path / "list.csv").write_text(listed)
    there = platforms.roster(tmp_path / "list.csv")
    name = "Ada Li" if there.platform == submissions.MOODLE else "Li, Ada"
    assert sum(person.name == name for person in there.people) == 2
    graded = [one(name)]
    assert len(platforms.missing(there, graded)) == len(there.people) and platforms.strangers(there, graded) == [name]


def test_median_and_distribution_beside_the_mistakes(tmp_path):
    name = next(iter(bank.exercises("04")["04.1"].mistakes))
    wrong = one("cleo", 0)
    wrong.scores[0].verdict = Verdict("04.1", KNOWN, mistake=name)
    all_of = [one("ada"), one("bob", 2), wrong]
    mine = given("", tmp_path)
    report = report_on(all_of, mine)
    assert "mean 1.7, median 2.0 of" in report and "10 to 20 %" in report
    line = next(line for line in report.splitlines() if "04.1" in line and "<tr>" in line)
    assert "3 × 1, 2 × 1, 0 × 1" in line and "<td>2</td>" in line and "× 1</td>" in line


def test_answers_that_are_alike_are_named():
    from minigrad.course.grading.alike import alike

    exercises = bank.exercises("04")

    def handed(student: str, *bodies: str) -> grade.Graded:
        scores = [
            grade.Score(
                id,
                "",
                1,
                1,
                Verdict(id, WRONG if "wrong" in body else PASSED),
                answer=f"def {exercises[id].name}(*args):\n    {body}\n    return [x + 1 for x in args if x is not None]",
            )
            for id, body in zip([i for i in IDS if not exercises[i].is_value], bodies, strict=False)
        ]
        return grade.Graded(student, 1, "", "", scores=scores)

    same = ["'the way that I do it'", "y = 3 # mine", "z = args[0] + 4"]
    class_of = [
        handed("ada", *same),
        handed("bob", *(s.replace("# mine", "# also mine") for s in same)),
        handed("cleo", "q = 1", "q = 2", "q = 3"),
    ]
    class_of += [handed("dan", "wrong = 8"), handed("eve", "wrong = 8")]
    told = alike(class_of, exercises)
    assert "ada and bob have the same answers, word for word: 04.1, 04.2, 04.4." in told and "cleo" not in "".join(told)
    assert any("dan, eve have the same wrong answer" in line for line in told)
    five = [handed(f"five {k}", *same, "w = 5", "v = 6") for k in range(5)] + [handed(f"blank {k}") for k in range(13)]
    assert sum("have the same answers" in line for line in alike(five, exercises)) == 10  # each with each, in a class of 18
    published = [
        grade.Score(id, "", 1, 1, Verdict(id, PASSED), answer=e.reference_source()) for id, e in exercises.items() if not e.is_value
    ]
    told = alike([grade.Graded("flo", 1, "", "", scores=published)], exercises)
    assert told and "published solution" in told[0]


# What a student may write wherever a text is shown: none of it may become a part of our pages.
TEXTS = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</pre></code><svg onload=alert(1)>", "<iframe src=http://x.y>",
    "<a href='javascript:alert(1)'>x</a>", "[x](javascript:alert(1))", "![x](http://x.y/z.png)", "`<b onclick=alert(1)>`",
    "**<i onmouseover=alert(1)>**", '" autofocus onfocus="alert(1)', "' style='background:url(http://x.y)", "&lt;script&gt;",
    "</title><script>1</script>", "<style>@import 'http://x.y'</style>", "<meta http-equiv=refresh content=0;url=http://x.y>",
    "<form action=http://x.y><button>", "<base href=http://x.y>", "<object data=http://x.y>", "<link rel=stylesheet href=http://x.y>",
    "<!-- ", "<![CDATA[<embed src=//x.y>", "<details open ontoggle=alert(1)>", "```\n<script>1</script>\n```", "<ScRiPt\n>1</sCrIpT>",
    "<math href=javascript:1>",
]  # fmt: skip


class Active(HTMLParser):
    """Notes every element and attribute that could do or fetch something."""

    def __init__(self, page: str):
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        plain = "html head meta title style body h1 h2 p b ul li div span section strong details summary pre code table tr th td br em"
        if tag == "a" and re.fullmatch(r"#everybody|feedback/[\w.~%-]+\.html", dict(attributes)["href"]) and len(attributes) == 1:
            return  # from the report to our own pages
        self.found += [] if tag in plain.split() else [tag]
        self.found += [f"{tag} {name}={value}" for name, value in attributes if name.startswith("on") or "x.y" in (value or "")]
        self.found += [f"{tag} {value}" for name, value in attributes if name in ("href", "src") and not value.startswith("data:")]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("text", TEXTS)
def test_no_text_of_a_students_is_active_in_our_pages(tmp_path, text):
    mine = given("", tmp_path)
    about_one = Verdict(IDS[0], "error", text, details=[text], trace=text, printed=[text], case=text)
    scores = [grade.Score(IDS[0], "Title", 0, 3, about_one, problems=[text], answer=text)]
    eve = grade.Graded(text, 1, f"{text}/n.ipynb", "d", problems=[text], scores=scores, name=text, number=text, upload=text)
    about = results.Class(submissions.MOODLE, [submissions.Left(text, text, text)], notes=[text])
    results.write([eve, one("ada")], mine, tmp_path / "out", "s", about=about)
    pages = [*(tmp_path / "out").rglob("*.html")]
    quiet = [Active(page.read_text(encoding="utf-8")).found for page in pages]
    assert len(pages) == 3 and not any(quiet), quiet
    with zipfile.ZipFile(tmp_path / "out" / "feedback.zip") as archive:
        assert len(archive.namelist()) == 2 and not any(".." in name or name.startswith("/") for name in archive.namelist())


def test_a_picture_on_a_students_page_is_nothing_but_a_picture(tmp_path):
    mine, wrong = given("", tmp_path), Verdict(IDS[0], WRONG, graphs=(["1: A(x)"], ["1: B('\"x<)"]))
    page = results.feedback(grade.Graded("ada", 1, "n", "d", scores=[grade.Score(IDS[0], "Title", 0, 3, wrong)]), mine)
    assert Active(page).found == ["img", "img"]


def test_a_page_has_a_clock(tmp_path, monkeypatch):
    page = results.feedback
    monkeypatch.setattr(results, "PAGE_LIMIT", 0.2)
    monkeypatch.setattr(results, "feedback", lambda g, *rest: time.sleep(5) if g.student == "eve" else page(g, *rest))
    results.write([eve := one("eve"), ada := one("ada")], given("", tmp_path), tmp_path / "out", "s")
    assert "could not be made" in eve.problems[0] and not ada.problems and (tmp_path / "out" / "report.html").exists()


def test_the_gradebook_takes_no_more_of_a_notebook_than_grading(monkeypatch):
    sheet = submissions.Submission("eve", "", b'{"cells":[' + b'{"cell_type":"code","source":"x"},' * 9 + b'{"source":"y"}]}')
    for most, parts in ((5, 12), (0, 9)):
        monkeypatch.setattr(gradebook, "MOST_CELLS", most)
        monkeypatch.setattr(submissions, "MOST_PARTS", parts)
        assert len(gradebook._notebook([sheet], {}, {})["cells"]) == most


def test_no_markdown_of_a_students_is_active_in_nbgraders_pages():
    hostile = [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "![](http://x/y.png)",
        "a ``` b <img src=x onerror=alert(1)>",
        "$\\href{javascript:alert(1)}{x}$",
        "<details open ontoggle=alert(1)>",
        "&lt;b&gt;",
        "````\n<b>",
    ]
    content = {"cells": [{"cell_type": "markdown", "source": text} for text in [*hostile, "Because **they** add up, $x_1 + 2$."]]}
    made = gradebook._notebook([submissions.Submission("ada", "", json.dumps(content).encode())], {}, {})
    assert made["cells"][-1]["source"] == "Because **they** add up, $x_1 + 2$."
    exporter = pytest.importorskip("nbconvert").HTMLExporter()
    import nbformat

    page, _ = exporter.from_notebook_node(nbformat.from_dict(made))
    body = page[page.index("<body") :].partition("Because")[0]
    assert "alert(1)" in body and not re.search(r"<(img|details|script>alert|b>|a [^>]*href=.javascript)", body)


@pytest.mark.parametrize(
    "text",
    [
        "<b", "b>", "[x", "x]", "&lt", "http://x", *(rf"$\{command}{{x}}$" for command in (
            "href", "url", "class", "style", "cssId", "require", "unicode", "data", "HREF"
        )), "```\n<", "a ```` b <", "~~~\n<b>\n~~~",
    ],
)  # fmt: skip
def test_markdown_that_could_do_something_is_shown_as_it_was_typed(text):
    lines = gradebook._quiet(text).split("\n")
    assert lines[0].endswith("text") and lines[0] == lines[-1] + "text" and "\n".join(lines[1:-1]) == text
    assert set(lines[-1]) == {"`"} and len(lines[-1]) >= 3 and lines[-1] not in text  # no line of the text ends it
    cell = gradebook._cell("raw", text + "\u202e", "id")
    assert cell["source"].startswith(lines[-1]) and "\u202e" not in cell["source"]
    assert gradebook._cell("code", text, "id")["source"] == text  # where it is shown as code


# --- where the command runs, and what notebooks it is given ---


@pytest.mark.full
@pytest.mark.nbgrader
def test_a_name_that_nbgrader_cannot_have_is_told_of(tmp_path):
    names = ["ada", "a+b", "a\\b", "a<b", ".."]
    handed_in = [klass.as_submission(name, klass.template("04")) for name in names]
    told = gradebook.write({name: one(name) for name in names}, given("", tmp_path), str(tmp_path / "g.db"), handed_in)
    assert told.startswith("The scores of 1 student were") and all(f"\n  {name}: not written, since" in told for name in names[1:])
    assert [path.name for path in (tmp_path / "autograded").iterdir()] == ["ada"]


def test_names_and_seeds_do_not_depend_on_the_folder(tmp_path, monkeypatch):
    for chapter in bank.chapters():
        (path,) = (klass.ROOT / "exercises").glob(f"{chapter}-*")
        assert assignment.load(chapter).name == path.name
    monkeypatch.chdir(tmp_path)
    assert assignment.load("04").name == "04-vjps"


def test_one_notebook_of_another_chapter_is_that_students_row(tmp_path, capsys):
    from minigrad.course.grading import cli

    for student, chapter in {"ada": "04", "bob": "04", "eve": "06"}.items():
        (tmp_path / f"{student}.ipynb").write_text(json.dumps(klass.template(chapter)))
    given, notes = cli._guess(tmp_path, "")
    assert given.name == "04-vjps" and notes == ["Graded as chapter 04, of which most notebooks are; not those of eve."]
    for student in ("gus", "hana", "ivo", "jo"):  # who cannot be read has no say
        (tmp_path / f"{student}.ipynb").write_text("")
    assert cli._guess(tmp_path, "")[0].name == "04-vjps"
    (tmp_path / "all").mkdir()  # and who hands in all chapters decides nothing
    for chapter in ("03", "04", "05", "06"):
        (tmp_path / "all" / f"{chapter}.ipynb").write_text(json.dumps(klass.template(chapter)))
    assert cli._guess(tmp_path, "")[0].name == "04-vjps"
    (tmp_path / "flo.ipynb").write_text(json.dumps(klass.template("06")))
    assert main(["grade", str(tmp_path), "--output", str(tmp_path / "out"), "--weak-isolation"]) == 1
    assert "notebooks of chapters 03, 04, 05, 06: say which" in capsys.readouterr().out


def test_points_for_parts_are_the_rule(tmp_path):
    assert assignment.load("04").partial and given("", tmp_path).partial and not given("partial = false", tmp_path).partial


# --- a teacher's own exercise that gives its answer away ---

LEAKS = {
    "its cases call the reference": ("    return [Case(str(triple(x)), (x,))]", ""),
    "its observation calls the reference": (
        "    return [Case('a', (x,))]",
        "observe=lambda answer, x: {'right': answer(x) == triple(x)}, ",
    ),
    "by a helper": ("    return [Case(str(want(x)), (x,))]", ""),
    "by a table": ("    return [Case(str(TABLE[0]), (x,))]", ""),
    "by a known mistake": ("    return [Case(str(twice(x)), (x,))]", ""),
    "by another right answer": ("    return [Case(str(thrice(x)), (x,))]", ""),
    "by a wasteful answer": ("    return [Case(str(slowly(x)), (x,))]", ""),
    "in a label": ("    return [Case(f'three times: {triple(x)}', (x,))]", ""),
    "as a default": ("    return [Case('a', (x,), dtype=str(triple(x).dtype))]", ""),
    "in a lambda that observes": ("    return [Case('a', (x,))]", "observe=lambda answer, x: answer(x) - want(x), "),
    "in the edges": ("    return [Case('a', (x,))]", "edges=lambda rng, dtype: [Case('e', (want(mg.tensor([0.0])),))], "),
}
OWN = '''\
import minigrad as mg
from minigrad.course.exercise import Case, Exercise, Mistake, register

def triple(x):
    """Three times x."""
    return 3 * x

def twice(x):
    return 2 * x

def thrice(x):
    return x + x + x

def slowly(x):
    return x + x + x + 0 * x

def want(x):
    return triple(x)

TABLE = [triple(mg.tensor([1.0]))]

def cases(rng, dtype):
    x = mg.tensor(rng.normal(size=3), dtype=dtype)
{cases}

register(Exercise(id="80.1", title="Triple", difficulty=2, minutes=2, reference=triple, cases=cases, {observe}hints=("a", "b", "c"),
                  explanation="So.", mistakes={{"twice": Mistake(twice, "That is *twice* x.")}},
                  alternatives={{"sum": thrice}}, wasteful={{"slowly": Mistake(slowly, "Once is enough.")}}))
'''


@pytest.mark.parametrize("name", LEAKS)
def test_an_exercise_that_leaks_is_refused(tmp_path, name):
    cases, observe = LEAKS[name]
    (tmp_path / "mine.py").write_text(OWN.format(cases=cases, observe=observe))
    (tmp_path / "week.toml").write_text('bank = "mine.py"\n')
    with pytest.raises(assignment.AssignmentError, match="80.1 would give its answer away. Its cases, or what observes them"):
        assignment.load(str(tmp_path / "week.toml"))
    (tmp_path / "mine.py").write_text(OWN.format(cases="    return [Case('a', (x,))]", observe=""))
    assert list(assignment.load(str(tmp_path / "week.toml")).exercises) == ["80.1"]


def test_an_exercise_whose_input_is_the_answer_is_refused(tmp_path):
    """Nothing that is an answer is called there; but one of the inputs is what every case asks for."""
    told = OWN.replace("def triple(x):", "def triple(x, hint):").replace("def want(x):\n    return triple(x)\n", "")
    told = told.replace("TABLE = [triple(mg.tensor([1.0]))]\n", "")
    told = re.sub(r"(def (?:twice|thrice|slowly))\(x\)", r"\1(x, hint)", told)
    (tmp_path / "mine.py").write_text(told.format(cases="    return [Case('a', (x, 3 * x)), Case('b', (2 * x, 6 * x))]", observe=""))
    (tmp_path / "week.toml").write_text('bank = "mine.py"\n')
    with pytest.raises(assignment.AssignmentError, match="80.1 would give its answer away. In all cases the input `hint`"):
        assignment.load(str(tmp_path / "week.toml"))
    (tmp_path / "mine.py").write_text(told.format(cases="    return [Case('a', (x, 3 * x)), Case('b', (2 * x, x))]", observe=""))
    assert list(assignment.load(str(tmp_path / "week.toml")).exercises) == ["80.1"]


HANDS = {
    "a helper of both": ("x", "formula(x)", "(x,)", "observe=lambda a, x: {'far': a(x) - formula(x)}, ", "needs `formula`"),
    "in a dict": ("x, kit", "3 * x", "(x, {'hint': 3 * x.numpy()})", "", r"input `kit\['hint'\]`"),
    "in a list of a list": ("x, kit", "3 * x", "(x, [0, (3 * x,)])", "", r"input `kit\[1\]\[0\]`"),
    "as a default": ("x, f", "3 * x", "(x, lambda y, want=3 * x: y)", "", r"input `f.__defaults__\[0\]`"),
    "as another default": ("x, f", "3 * x", "(x, lambda y, *, want=3 * x: y)", "", r"input `f.__kwdefaults__\['want'\]`"),
    "around a function": ("x, f", "3 * x", "(x, around(3 * x))", "", r"input `f.__closure__\[0\].cell_contents`"),
    "nowhere": ("x, f", "3 * x", "(x, around(4 * x))", "", ""),
}


@pytest.mark.parametrize("name", HANDS)
def test_what_comes_to_the_students_process_is_tried_as_an_answer(tmp_path, name):
    parameters, body, case, observe, said = HANDS[name]
    (tmp_path / "mine.py").write_text(
        "import minigrad as mg\nfrom minigrad.course.exercise import Case, Exercise, register\n"
        "def around(y):\n    return lambda x: x + y\ndef formula(x):\n    return 3 * x + 1\n"
        f"def answer({parameters}):\n    'So.'\n    return {body}\n"
        f"def cases(rng, dtype):\n    x = mg.tensor(rng.normal(size=3), dtype=dtype)\n    return [Case('n', {case})]\n"
        f"register(Exercise(id='80.1', title='T', difficulty=2, minutes=2, reference=answer, cases=cases, {observe}"
        "hints=('a', 'b', 'c'), explanation='So.', mistakes={}))\n"
    )
    (tmp_path / "week.toml").write_text('bank = "mine.py"\n')
    with pytest.raises(assignment.AssignmentError, match=said) if said else contextlib.nullcontext():
        assignment.load(str(tmp_path / "week.toml"))


def test_labels_do_not_come_to_the_answer():
    """Where the cases are built inside, nothing there says which one is meant."""
    from minigrad.course.grading import child

    exercise = next(e for e in bank.exercises("08").values() if not e.is_value and grade.sent(e, 5)[0] is None)
    question, blobs = grade.question_for(exercise, 5)
    made = child.blank(grade.order_for(exercise))
    child.prepare(made, question, blobs)
    assert {case.label for case in made.fresh_cases(5)} == {""}
    assert not [text for name, text in linecache.cache.items() if ".py-" in name], "no source of what watches the answer"
