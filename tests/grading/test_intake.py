"""What was handed in: whose it is, what is read, and what is said of the rest. No folder, archive or name stops it."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import stat
import struct
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minigrad.course.grading import submissions, texts
from minigrad.course.grading.submissions import CANVAS, MOODLE, NBGRADER, PLAIN, survey

GOOD = json.dumps({"cells": [{"cell_type": "code", "source": "x = 1", "metadata": {}}], "metadata": {}, "nbformat": 4}).encode()
OTHER = GOOD.replace(b"x = 1", b"y = 2")

linux = pytest.mark.skipif(sys.platform != "linux", reason="names and kinds of files of Linux")


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def put(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def who(intake: submissions.Intake) -> dict[str, bytes]:
    """For each student the notebook that counts."""
    return {s.student: s.data for s in intake.submissions}


def why(intake: submissions.Intake) -> dict[str, str]:
    return {one.path: one.why for one in intake.left} | {s.student: s.problem for s in intake.submissions if s.problem}


# --- whose it is ---

MOODLE_NAME = "Bob Best_7_assignsubmission_file_"


# What Eve calls a notebook of hers, in every layout as a file and in an archive.
CH04, ROW = frozenset({"04"}), frozenset({"row"})
NAMES_OF_BOBS = [
    f"{MOODLE_NAME}/n.ipynb", "bob_7_8_n.ipynb", "submitted/bob/04-vjps/n.ipynb", "../bob/n.ipynb", "Bob Best_7/n.ipynb",
    "bob/04-vjps/n.ipynb", f"{MOODLE_NAME}n.ipynb", f"x/{MOODLE_NAME}/{MOODLE_NAME}/n.ipynb", "bob_LATE_7_8_n.ipynb", "bob/n.ipynb",
    "..\\bob\\n.ipynb", "bob\u200e/n.ipynb", "04-vjps/bob.ipynb", "bob.zip/n.ipynb",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES_OF_BOBS)
@pytest.mark.parametrize("as_zip", [False, True])
def test_a_name_in_ones_own_folder_means_nobody(tmp_path, name, as_zip):
    """In every layout: Eve's folder, or her archive, holds a notebook under Bob's name."""
    for layout, eve, bob in (
        (PLAIN, "eve", "bob"), (MOODLE, "Eve_3_assignsubmission_file_", MOODLE_NAME), (NBGRADER, "eve/04-vjps", "bob/04-vjps"),
    ):  # fmt: skip
        place = tmp_path / layout.replace(" ", "")
        inside = name.replace("../", "") if not as_zip else name
        put(place, {f"{eve}/w.zip": zipped({name: OTHER})} if as_zip else {f"{eve}/{inside}": OTHER})
        put(place, {f"{bob}/n.ipynb": GOOD, f"{bob.replace('Bob', 'Cleo').replace('bob', 'cleo').replace('7', '8')}/n.ipynb": GOOD})
        found = survey(place, "04-vjps")
        assert found.layout == layout
        mine, theirs = [s for s in found.submissions if s.data == OTHER], [s for s in found.submissions if s.data == GOOD]
        assert {s.student for s in mine} <= {"eve", "Eve_3"} and len(mine) == 1
        assert {s.student for s in theirs} in ({"bob", "cleo"}, {"Bob Best_7", "Cleo Best_8"}) and len(theirs) == 2


def test_one_student_does_not_decide_the_layout(tmp_path):
    put(tmp_path, {"ada/n.ipynb": GOOD, "bob/n.ipynb": GOOD, "eve/04-vjps/n.ipynb": OTHER, f"{MOODLE_NAME}.ipynb": OTHER})
    found = survey(tmp_path, "04-vjps")
    assert found.layout == PLAIN and {"ada", "bob", "eve"} < set(who(found)) and len(found.submissions) == 4
    put(tmp_path, {f"{k}_1{k}_5_n.ipynb": OTHER for k in range(4)})  # half of all that is there is not more than half
    assert survey(tmp_path).layout == PLAIN


def test_a_layout_can_be_said(tmp_path):
    put(tmp_path, {"ada_1_2_n.ipynb": GOOD, "notes/x.txt": b"", "bob/n.ipynb": GOOD})
    assert survey(tmp_path).layout == PLAIN
    found = survey(tmp_path, layout=CANVAS)
    assert who(found) == {"ada_1": GOOD} and "none that Canvas gives" in why(found)["bob/n.ipynb"]


@pytest.mark.parametrize("top", ["eve", "Eve_3_assignsubmission_file_"])
def test_a_time_of_ones_own_making_is_none(tmp_path, top):
    """Only where the platform is nbgrader is timestamp.txt its own, and only in the assignment's folder."""
    put(tmp_path, {f"{top}/timestamp.txt": b"2020-01-01 00:00:00 UTC", f"{top}/n.ipynb": GOOD})
    found = survey(tmp_path, "04-vjps")
    assert [s.time for s in found.submissions] == [None] and not found.times_known
    put(tmp_path / "n", {"eve/04-vjps/x/timestamp.txt": b"2020-01-01 00:00:00 UTC", "eve/04-vjps/n.ipynb": GOOD})
    assert [s.time for s in survey(tmp_path / "n", "04-vjps").submissions] == [None]


def test_two_students_of_one_name_are_two(tmp_path):
    moodle = {"Ada Li_7_assignsubmission_file_/n.ipynb": GOOD, "Ada Li_8_assignsubmission_file/n.ipynb": OTHER}
    found = survey(put(tmp_path / "moodle", moodle))
    assert who(found) == {"Ada Li_7": GOOD, "Ada Li_8": OTHER} and {s.number for s in found.submissions} == {"7", "8"}
    canvas = survey(put(tmp_path / "canvas", {"liada_7_20_n.ipynb": GOOD, "liada_LATE_8_21_n.ipynb": OTHER}))
    assert who(canvas) == {"liada_7": GOOD, "liada_8": OTHER} and [s.marked_late for s in canvas.submissions] == [False, True]


def test_one_student_alone_is_who_the_platform_says(tmp_path):
    """Nothing in the only folder decides whose it is."""
    inner = "Bob Li_12_assignsubmission_file_/n.ipynb"
    found = survey(put(tmp_path / "moodle", {f"Ada Li_1_assignsubmission_file_/{inner}": GOOD}))
    assert who(found) == {"Ada Li_1": GOOD} and found.layout == MOODLE
    found = survey(put(tmp_path / "two", {f"Ada Li_1_assignsubmission_file_/{name}.ipynb": GOOD for name in "ab"}))
    assert {s.student for s in found.submissions} == {"Ada Li_1"}
    for names in ("bobli_12_13_n", ), ("bobli_12_13_n", "cy_13_14_n"):
        found = survey(put(tmp_path / f"plain{len(names)}", {f"ada/{name}.ipynb": GOOD for name in names}))
        assert {s.student for s in found.submissions} == {"ada"}
    assert who(survey(put(tmp_path / "said", {"week/bobli_12_13_n.ipynb": GOOD}), layout=CANVAS)) == {"bobli_12": GOOD}


def test_moodle_without_folders_and_with_a_text(tmp_path):
    """The first mark in a name is the platform's: what comes after it is what the student called the file."""
    files = {"Eve_3_assignsubmission_file_Bob_7_assignsubmission_file_n.ipynb": OTHER, "Bob_7_assignsubmission_file_n.ipynb": GOOD}
    assert who(survey(put(tmp_path / "flat", files))) == {"Eve_3": OTHER, "Bob_7": GOOD}
    files = {"Bob_7_assignsubmission_file_/n.ipynb": GOOD, "Bob_7_assignsubmission_onlinetext_/onlinetext.html": b"<p>"}
    found = survey(put(tmp_path / "folders", files))
    assert who(found) == {"Bob_7": GOOD} and list(why(found).values()) == ["it is no notebook"]


def test_forms_of_one_name_are_one_student(tmp_path):
    put(tmp_path, {"Jos\u00e9/a.ipynb": GOOD, "Jose\u0301/b.ipynb": OTHER, "Jose/c.ipynb": GOOD})
    found = survey(tmp_path)
    assert [(s.student, s.attempt) for s in found.submissions] == [("Jose", 1), ("Jos\u00e9", 1), ("Jos\u00e9", 2)]


@linux
@pytest.mark.parametrize("same", ["eve ", "\u3000eve", "eve\u200b", "\ufeffeve", "e\u00adve", "eve\u2063"])
def test_names_that_look_like_anothers_are_others(tmp_path, same):
    """What is not seen in a name makes another student of it, who looks like another."""
    found = survey(put(tmp_path, {"eve/n.ipynb": GOOD, f"{same}/n.ipynb": OTHER}))
    (other,) = {s.student for s in found.submissions} - {"eve"}
    assert who(found)["eve"] == GOOD and who(found)[other] == OTHER and re.fullmatch(r"[ve�]+~[0-9a-f]{8}", other)


def test_archives_in_the_platforms_archive(tmp_path):
    hers = zipped({"work/n.ipynb": GOOD, "work/helper.py": b"x", "inner.zip": zipped({"n.ipynb": OTHER})})
    files = {"Ada_7_assignsubmission_file_/ada.zip": hers, "Bob_8_assignsubmission_file_/n.IPYNB": OTHER}
    (tmp_path / "all.zip").write_bytes(zipped({f"week 4/{name}": data for name, data in files.items()}))
    found = survey(tmp_path / "all.zip")
    assert found.layout == MOODLE and who(found) == {"Ada_7": GOOD, "Bob_8": OTHER}
    assert found.submissions[0].files == {"helper.py": b"x"} and "archive within an archive" in " ".join(why(found).values())


def test_canvas_own_number_of_a_file_stays(tmp_path):
    """Feedback goes back by it: of what is in an archive too, and where nothing could be graded. It numbers a second file x-1.py."""
    hers = {"work/n.ipynb": GOOD, "work/x-1.py": b"x"}
    files = {"liada_7_20_w.zip": zipped(hers), "bob_8_21_n.py": b"", "cleo_9_22_n.zip": b"PK", "dan_6_23_n.ipynb": GOOD}
    found = survey(put(tmp_path, files | {"dan_6_24_x-1.py": b"x"}))
    uploads = {s.student: (s.upload, list(s.files)) for s in found.submissions}
    assert uploads == {
        "liada_7": ("liada_7_20_w.zip", ["x-1.py"]), "bob_8": ("bob_8_21_n.py", []), "cleo_9": ("cleo_9_22_n.zip", []),
        "dan_6": ("dan_6_23_n.ipynb", ["x.py"]),
    }  # fmt: skip


def test_a_class_that_was_zipped_with_its_folder(tmp_path):
    (tmp_path / "class.zip").write_bytes(zipped({"class/ada/n.ipynb": GOOD, "class/bob/n.ipynb": OTHER, "__MACOSX/._n.ipynb": b""}))
    assert who(survey(tmp_path / "class.zip")) == {"ada": GOOD, "bob": OTHER}
    one = put(tmp_path / "one", {"ada/n.ipynb": GOOD, "ada/n-Copy1.ipynb": OTHER})  # a class of one is no class in a folder
    assert [(s.student, s.attempt, s.data) for s in survey(one).submissions] == [("ada", 1, OTHER), ("ada", 2, GOOD)]


def test_a_notebook_of_the_chapter_counts_before_one_of_another(tmp_path):
    cell = '{"cells": [{"cell_type": "code", "source": "check(\\"%s.1\\", f)"}]}'
    put(tmp_path, {"ada/z.ipynb": (cell % "06").encode(), "ada/a.ipynb": (cell % "04").encode()})
    for chapter, mine, other in (("04", "ada/a.ipynb", "ada/z.ipynb"), ("06", "ada/z.ipynb", "ada/a.ipynb")):
        found = survey(tmp_path, "", frozenset({chapter}))
        assert [s.path for s in found.submissions] == [mine] and "it is of chapter 0" in why(found)[other]
    assert len(survey(tmp_path, "", frozenset({"08"})).submissions) == 2  # where none is of the chapter, each is looked at


@pytest.mark.parametrize("second", [b"", b'{"cells": []}', b"[", GOOD, b"x" * 400, GOOD.replace(b"x = 1", b'check(\\"05.1\\", f)')])
@pytest.mark.parametrize("first", [b"def row(x):\\n    return x", b"row = 3", b'check(\\"04.1\\", f)'])
def test_no_second_notebook_displaces_the_chapters_own(tmp_path, monkeypatch, first, second):
    monkeypatch.setattr(submissions, "MOST_BYTES", 300)
    found = survey(put(tmp_path, {"ada/04.ipynb": GOOD.replace(b"x = 1", first), "ada/Untitled.ipynb": second}), "", CH04, PLAIN, ROW)
    assert [s.path for s in found.submissions] == ["ada/04.ipynb"] and "there is another notebook" in why(found)["ada/Untitled.ipynb"]
    assert second != b"[" or "not JSON" in why(found)["ada/Untitled.ipynb"]
    found = survey(put(tmp_path, {"ada/05.ipynb": GOOD.replace(b"x = 1", first)}), "", CH04, PLAIN, ROW)  # two attempts
    assert [s.path for s in found.submissions] == ["ada/04.ipynb", "ada/05.ipynb"]


# --- what is not graded is said ---


def test_every_file_that_is_not_graded_has_a_reason(tmp_path):
    put(tmp_path, {
        "ada/n.ipynb": GOOD, "ada/essay.pdf": b"", "ada/sub/lonely.py": b"", "bob/n.ipynb.txt": GOOD, "cleo/work.tar.gz": b"",
        "dan/n.py": b"", "top.py": b"", "readme.txt": b"", ".DS_Store": b"", "eve/.ipynb_checkpoints/n.ipynb": GOOD,
    })  # fmt: skip
    (tmp_path / "flo").mkdir()
    found = survey(tmp_path)
    said = {one.path: one.why for one in found.left}
    for path, words in {
        "ada/essay.pdf": "no notebook", "ada/sub/lonely.py": "no notebook beside it", "bob/n.ipynb.txt": "rename it",
        "cleo/work.tar.gz": "no zip file", "dan/n.py": "no notebook beside it", "top.py": "nobody can say whose",
        "readme.txt": "no notebook", "flo": "empty folder", "eve": "empty folder",
    }.items():  # fmt: skip
        assert words in said.pop(path), path
    assert not said
    assert {s.student: bool(s.path) for s in found.submissions} == {"ada": True} | dict.fromkeys(
        ["bob", "cleo", "dan", "eve", "flo"], False
    )


def test_one_student_has_only_so_much_room(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "MOST_BYTES", 3 * len(GOOD))
    monkeypatch.setattr(submissions, "MOST_NAMES", 30)
    monkeypatch.setattr(submissions, "MOST_FILES", 20)
    put(tmp_path, {f"eve/{k:03}.ipynb": GOOD for k in range(12)} | {f"flo/{k:03}.txt": b"" for k in range(40)} | {"ada/n.ipynb": GOOD})
    put(tmp_path, {"gus/n.ipynb": GOOD} | {f"gus/{k:02}.py": b"" for k in range(25)})
    deep = tmp_path / "hal" / "/".join("d" * 20)
    deep.mkdir(parents=True)
    found = survey(tmp_path)
    eves = [s for s in found.submissions if s.student == "eve"]
    assert len(eves) == 3 and sum("notebooks together are larger" in reason for reason in why(found).values()) == 5
    assert "more than 8 notebooks" in why(found)["eve/008.ipynb"] and "after the first 30" in " ".join(why(found).values())
    assert len(next(s for s in found.submissions if s.student == "gus").files) == submissions.MOST_FILES
    assert any("folders deep" in reason for reason in why(found).values()) and who(found)["ada"] == GOOD


def test_folders_that_are_passed_over_are_looked_at_only_so_often(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "MOST_SEEN", 50)
    put(tmp_path, {f"eve/{k:03}/._x": b"" for k in range(200)} | {"eve/n.ipynb": GOOD, "ada/n.ipynb": GOOD})
    looks, real = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: looks.append(path) or real(path))
    assert who(survey(tmp_path))["ada"] == GOOD and len(looks) < 60


def test_canvas_says_of_each_file_whether_it_is_late(tmp_path):
    """Two downloads in one place: a late draft beside what was in time, and the newer of two engines."""
    put(tmp_path, {
        "ada_7_81_n.ipynb": GOOD, "ada_LATE_7_82_n-1.ipynb": GOOD, "bob_8_83_n.ipynb": GOOD,
        "bob_8_83_e.py": b"old", "bob_8_91_e-1.py": b"new", "bob_8_90_n-1.ipynb": GOOD,
        "eve_9_83_n.ipynb": GOOD, "eve_LATE_9_84_e.py": b"all answers",
    })  # fmt: skip
    found = survey(tmp_path)
    late = {s.path: s.marked_late for s in found.submissions}
    assert late["ada_7_81_n.ipynb"] is False and late["ada_LATE_7_82_n-1.ipynb"] is True and not late["bob_8_83_n.ipynb"]
    assert all(s.files == {"e.py": b"new"} for s in found.submissions if s.student == "bob_8")
    assert why(found)["bob_8_83_e.py"].startswith("a file of this name is newer")
    (eve,) = [s for s in found.submissions if s.student == "eve_9"]
    assert why(found)["eve_LATE_9_84_e.py"].startswith("it is late") and not eve.files


def test_lists_of_files_have_a_bound_together(tmp_path, monkeypatch):
    """They are read as a whole, and each name in them takes its time."""
    one = zipped({f"{k}" + "n" * 200: b"" for k in range(20)} | {"w.ipynb": GOOD})
    monkeypatch.setattr(submissions, "LARGEST_LIST", len(one))
    put(tmp_path, {f"eve/{k}.zip": one for k in range(4)} | {"ada/n.ipynb": GOOD})
    found = survey(tmp_path)
    read = [s.path for s in found.submissions if s.student == "eve"]
    refused = [path for path, reason in why(found).items() if "too many files" in reason]
    assert read == ["eve/0.zip/w.ipynb"] and refused == ["eve/1.zip", "eve/2.zip", "eve/3.zip"] and who(found)["ada"] == GOOD


def test_a_lesson_beside_the_solved_sheet_is_not_the_work(tmp_path):
    """It calls no checks, and one of its names is that of an answer. A sheet of one's own without checks counts all the same."""
    text = json.dumps({"cell_type": "markdown", "source": "# 09 · Higher order"}).encode()
    newton, more = "def newton(f):\n    return f", "def hvp(f):\n    return f"
    as_lesson, own, sheet = (GOOD.replace(b"x = 1", source.encode("unicode_escape")) for source in (
        newton, f"{newton}\n{more}", f"{newton}\n{more}\ndef nth(f):\n    return f\ncheck('09.4', newton)",
    ))  # fmt: skip
    lesson = as_lesson.replace(b'"cells": [', b'"cells": [' + text + b", ")
    put(tmp_path, {"ada/09-exercises.ipynb": sheet, "ada/lessons/09.ipynb": lesson, "bob/1.ipynb": sheet, "bob/2.ipynb": own})
    put(tmp_path, {f"cleo/{k:02}.ipynb": sheet for k in range(1, 16)})
    blank = "def newton(f):\n    ...\ncheck('09.4', newton)"  # the sheet as it was given, and one's own beside it
    put(tmp_path, {"dan/1.ipynb": GOOD.replace(b"x = 1", blank.encode("unicode_escape")), "dan/2.ipynb": as_lesson})
    found = submissions.survey(tmp_path, chapters=frozenset({"09"}), names=frozenset({"newton", "hvp", "nth"}))
    paths = {s.student: [one.path for one in found.submissions if one.student == s.student] for s in found.submissions}
    assert paths["ada"] == ["ada/09-exercises.ipynb"] and paths["bob"] == ["bob/1.ipynb", "bob/2.ipynb"]
    assert "cleo/09.ipynb" in paths["cleo"] and paths["dan"] == ["dan/1.ipynb", "dan/2.ipynb"]


def test_what_a_page_says_of_a_file_is_without_its_name(tmp_path):
    """It may be the student's: from the platform, or given to an archive."""
    put(tmp_path, {"quixote_4713_83_hw.pdf": b"%PDF", "panza_4714_84_n.ipynb": GOOD})
    found = survey(tmp_path)
    assert found.layout == "Canvas" and [s.problem for s in found.submissions if s.student.startswith("quixote")] == [
        "There is no notebook. A .pdf file: it is no notebook"
    ]


def test_sheets_of_several_chapters_are_one_submission(tmp_path):
    def sheet(chapter, name):
        return GOOD.replace(b"x = 1", f"{name} = 1\ncheck('{chapter}.1', {name})".encode("unicode_escape"))

    put(tmp_path, {"ada/04.ipynb": sheet("04", "a"), "ada/05.ipynb": sheet("05", "b"), "ada/04-final.ipynb": sheet("04", "c")})
    put(tmp_path, {"bob/4-v9.ipynb": sheet("04", "a"), "bob/4-v10.ipynb": sheet("04", "b"), "bob/4-v10-old.ipynb": sheet("04", "c")})
    found = submissions.survey(tmp_path, chapters=frozenset({"04", "05"}))
    ada, bob = ([s for s in found.submissions if s.student == name] for name in ("ada", "bob"))
    assert [s.path for s in ada] == ["ada/04.ipynb + ada/04-final.ipynb + ada/05.ipynb"] and not why(found)
    assert [submissions.read(s).cells[1][:5] for s in ada[0].sheets] == ["a = 1", "c = 1", "b = 1"]
    plain = GOOD.replace(b"x = 1", b"a = 2")  # without checks, and newer by its name
    put(tmp_path, {"cleo/04.ipynb": sheet("04", "a"), "cleo/04-final.ipynb": plain, "cleo/05.ipynb": sheet("05", "b")})
    cleo = [s for s in submissions.find(tmp_path, chapters=frozenset({"04", "05"})) if s.student == "cleo"]
    assert [s.path for s in cleo] == ["cleo/04.ipynb + cleo/05.ipynb"]
    named = submissions.survey(tmp_path, chapters=frozenset({"04", "05"}), names=frozenset("ab"))
    assert [s.path for s in named.submissions if s.student == "cleo"] == ["cleo/04.ipynb + cleo/04-final.ipynb + cleo/05.ipynb"]
    assert [s.path for s in bob] == ["bob/4-v10-old.ipynb + bob/4-v9.ipynb + bob/4-v10.ipynb"]
    late = {"dan_7_1_04.ipynb": sheet("04", "a"), "dan_7_2_05.ipynb": sheet("05", "b"), "dan_LATE_7_3_05-1.ipynb": sheet("05", "c")}
    in_time, all_of = submissions.find(put(tmp_path / "canvas", late), chapters=frozenset({"04", "05"}))
    assert (len(in_time.sheets), in_time.marked_late, len(all_of.sheets), all_of.marked_late) == (2, False, 3, True)


def test_files_in_the_folders_of_a_learner_are_beside_the_notebook(tmp_path):
    """As chapter 17 lays them out; what lies nearer counts, and what lies elsewhere is told."""
    inside = {"work/17.ipynb": GOOD, "work/engine/core/walk.py": b"1", "work/engine/core/tape.py": b"2", "work/tape.py": b"3"}
    put(tmp_path, {"ada.zip": zipped(inside | {"work/old/walk.py": b"4"}), "bob/n.ipynb": GOOD, "bob/work/my_engine.py": b"5"})
    found = survey(tmp_path)
    assert {s.student: s.files for s in found.submissions} == {
        "ada": {"walk.py": b"1", "tape.py": b"3"}, "bob": {"my_engine.py": b"5"},
    }  # fmt: skip
    assert set(why(found)) == {"ada.zip/work/engine/core/tape.py", "ada.zip/work/old/walk.py"}


def test_archives_of_one_student_have_only_so_much_room_together(tmp_path, monkeypatch):
    """Each is held in memory until all are read, and an archive of zeros is nothing in the platform's own."""
    inside = zipped({"n.ipynb": GOOD})
    monkeypatch.setattr(submissions, "LARGEST_ZIP", 3 * len(inside))
    put(tmp_path, {f"eve/{k}.zip": inside for k in range(5)} | {"ada.zip": inside})
    found = survey(tmp_path)
    assert [s.path for s in found.submissions] == ["ada.zip/n.ipynb", *(f"eve/{k}.zip/n.ipynb" for k in range(3))]
    assert all("all archives together are larger" in why(found)[f"eve/{k}.zip"] for k in (3, 4))


def test_only_so_many_files_of_one_student_are_listed(tmp_path):
    put(tmp_path, {f"eve/{k}.txt": b"" for k in range(submissions.MOST_LISTED + 7)} | {"ada/n.txt": b""})
    left = survey(tmp_path).left
    assert len(left) == submissions.MOST_LISTED + 2 and [one.path for one in left if one.student == "ada"] == ["ada/n.txt"]
    assert left[-1] == submissions.Left("eve", "7 more files", "they are not listed one by one")


@pytest.mark.parametrize("form", ["folder", "zip", "the class in a folder", "the class's zip"])
def test_a_notebook_is_found_behind_whatever_is_beside_it(tmp_path, form):
    """What systems make is no student's work; and of hundreds of other files the first are listed, with how many there are."""
    junk = (".git", ".venv", "__pycache__", "node_modules")
    files = {f"{name}/{k}.js": b"" for name in junk for k in range(300)} | {f"b/{k:03}.txt": b"" for k in range(600)}
    files |= {"z/n.ipynb": GOOD, "z/h.py": b"h"}
    if form == "zip":
        files = {"w.zip": zipped(files)}
    files = {f"eve/{name}": data for name, data in files.items()} | {f"{k}/n.ipynb": OTHER for k in "aoz"}
    put(tmp_path, {f"submitted/{name}": data for name, data in files.items()} if "in a folder" in form else files)
    if form == "the class's zip":
        (tmp_path / "class.zip").write_bytes(zipped({f"class/{name}": data for name, data in files.items()}))
    found = survey(tmp_path / "class.zip" if form == "the class's zip" else tmp_path)
    assert who(found) == {"a": OTHER, "o": OTHER, "z": OTHER, "eve": GOOD}
    assert next(s for s in found.submissions if s.student == "eve").files == {"h.py": b"h"}
    assert "after the first 500" in found.left[0].why and not any(name in one.path for name in junk for one in found.left)


@pytest.mark.parametrize("part", [b"[],", b'{"a":0},'])
def test_a_notebook_of_too_many_parts(part, monkeypatch):
    """In memory they would take thirty times the place that they have in the file."""
    monkeypatch.setattr(submissions, "MOST_PARTS", 1000)
    many = submissions.Submission("eve", "n.ipynb", b'{"cells":[' + part * 1000 + b"0]}")
    read = submissions.read(many)
    assert not read.readable and "too many parts" in read.problems[0]
    monkeypatch.undo()
    assert submissions.read(many).readable


# --- kinds of files ---


@linux
def test_what_is_no_ordinary_file_is_not_opened(tmp_path):
    put(tmp_path, {"ada/n.ipynb": GOOD, "ada.secret": b"", "bob/w.zip": zipped({"n.ipynb": OTHER})})
    for name in ("eve/x.zip", "eve/y.ipynb", "eve/z.py", "top.zip", "top2.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        os.mkfifo(tmp_path / name)
    (tmp_path / "flo").mkdir()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "flo" / "s.ipynb"))
    for name, target in {
        "gus/n.ipynb": tmp_path / "ada" / "n.ipynb", "gus/w.zip": tmp_path / "bob" / "w.zip", "gus/dir": tmp_path / "ada",
        "hal": tmp_path / "ada", "ida.zip": tmp_path / "bob" / "w.zip", "gus/loop": tmp_path, "gus/zero.ipynb": "/dev/zero",
        "gus/gone.ipynb": "nowhere",
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(target)
    found = survey(tmp_path)
    listening.close()
    assert [s.student for s in found.submissions if s.data == GOOD] == ["ada"] and [
        s.student for s in found.submissions if s.data == OTHER
    ] == ["bob"]
    said = why(found)
    assert "link" in said["gus/w.zip"] and "link" in said["gus/dir"] and "no ordinary file" in said["eve/x.zip"]
    assert not any(s.files for s in found.submissions)


@linux
def test_a_link_at_the_top_is_called_a_link(tmp_path):
    put(tmp_path / "in", {"ada/n.ipynb": GOOD, "bob.ipynb": GOOD})
    (tmp_path / "in" / "eve").symlink_to(tmp_path / "in" / "ada")
    assert "link" in {one.path: one.why for one in survey(tmp_path / "in").left}["eve"]


@pytest.mark.parametrize("comment", [b"PK\5\6", b"PK\5\6" * 9, b"x" * 300 + b"PK\5\6" + b"\xff" * 40, b"", b"plain"])
def test_a_comment_in_an_archive_is_no_end_of_it(tmp_path, comment):
    data = FINE[:-2] + len(comment).to_bytes(2, "little") + comment
    assert who(survey(put(tmp_path, {"ada.zip": data, "bob.ipynb": GOOD}))) == {"ada": GOOD, "bob": GOOD}


@linux
def test_a_folder_that_is_exchanged_for_a_link_is_not_followed(tmp_path):
    put(tmp_path, {"ada/n.ipynb": GOOD})
    (entry,) = submissions._in_folder(tmp_path)
    (tmp_path / "ada").rename(tmp_path / "real")
    (tmp_path / "ada").symlink_to(tmp_path / "real")
    assert entry.read(1000)[0] == b""


@linux
def test_names_that_are_no_unicode(tmp_path):
    for name in (b"M\xfcller", b"\xff\xfe", b"x\nalert", b"a\x01b", b"a\x02b", "a\u202eb".encode(), b"n" * 250):
        os.makedirs(os.path.join(os.fsencode(tmp_path), name))
        with open(os.path.join(os.fsencode(tmp_path), name, name[:200] + b".ipynb"), "wb") as file:
            file.write(GOOD)
    found = survey(tmp_path)
    assert set(who(found).values()) == {GOOD} and len(who(found)) == 7 and "Müller" in who(found)
    for s in found.submissions:
        assert len(s.student.encode()) <= texts.LONGEST_NAME < 150 and texts.writable(s.path) == s.path and "\n" not in s.path


# --- archives ---


def patched(data: bytes, at: bytes, offset: int, new: bytes) -> bytes:
    """The bytes after each place where `at` stands changed."""
    made, start = bytearray(data), 0
    while (found := data.find(at, start)) >= 0:
        made[found + offset : found + offset + len(new)] = new
        start = found + 4
    return bytes(made)


FINE = zipped({"n.ipynb": GOOD})
LOCAL, CENTRAL, END = b"PK\3\4", b"PK\1\2", b"PK\5\6"
ZIPS = {
    "empty": b"",
    "cut": FINE[:-10],
    "cut in the middle": FINE[: len(FINE) // 2],
    "no zip": b"hello" * 99,
    "only an end": END + b"\0" * 18,
    "an unknown method": patched(patched(FINE, LOCAL, 8, b"\x63\0"), CENTRAL, 10, b"\x63\0"),
    "bzip2": zipped({"n.ipynb": GOOD}, zipfile.ZIP_BZIP2),
    "lzma": zipped({"n.ipynb": GOOD}, zipfile.ZIP_LZMA),
    "a damaged stream": FINE.replace(FINE[38:60], b"\xff" * 22),
    "another sum": patched(FINE, CENTRAL, 16, b"abcd"),
    "a password": patched(patched(FINE, LOCAL, 6, b"\1\0"), CENTRAL, 8, b"\1\0"),
    "a size that lies": patched(FINE, CENTRAL, 24, struct.pack("<L", 10)),
    "a size of gigabytes": patched(FINE, CENTRAL, 24, b"\xf0\xff\xff\xff"),
    "an offset that lies": patched(FINE, CENTRAL, 42, b"\xf0\xff\xff\x00"),
    "a list of gigabytes": patched(FINE, END, 12, b"\xf0\xff\xff\x7f"),
    "a version that nobody has": patched(FINE, CENTRAL, 6, b"\xff\0"),
    "a locator of zip64": FINE.replace(END, b"PK\6\7" + b"\0" * 16 + END),
    "a bomb": zipped({"n.ipynb": b" " * (40 << 20)}),
    "many names": zipped({f"{k}.txt": b"" for k in range(600)}),
    "a long list": zipped({f"{k:05}" + "x" * 200 + ".txt": b"" for k in range(5000)}, zipfile.ZIP_STORED),
    "an archive of itself": zipped({"w.zip": FINE}),
    "only a folder": zipped({"folder/": b""}),
    "no names": zipped({"/": b"", "..": b"", "./": b""}),
}


@pytest.mark.parametrize("name", ZIPS)
def test_an_archive_that_is_damaged_or_hostile(tmp_path, name):
    found = survey(put(tmp_path, {"ada/n.ipynb": GOOD, "eve/w.zip": ZIPS[name], "mia.zip": ZIPS[name], "zoe/n.ipynb": GOOD}))
    assert (who(found)["ada"], who(found)["zoe"]) == (GOOD, GOOD) and set(who(found)) == {"ada", "eve", "mia", "zoe"}
    for student in ("eve", "mia"):
        (hers,) = [s for s in found.submissions if s.student == student]
        assert hers.problem and not hers.data.strip()
    assert any("eve/w.zip" in path for path in why(found)) or "cannot be unpacked" in why(found)["eve"] or "it is" in why(found)["eve"]


@pytest.mark.parametrize("name", [name for name in ZIPS if name not in ("a bomb", "many names", "a long list")])
def test_a_platforms_archive_that_is_damaged(tmp_path, name):
    """Either it is said that it cannot be read, or what can be read is."""
    (tmp_path / "all.zip").write_bytes(ZIPS[name])
    try:
        found = survey(tmp_path / "all.zip")
    except submissions.IntakeError as error:
        assert "no zip file" in str(error)
    else:
        assert all(s.problem or s.data for s in found.submissions)


def test_names_in_an_archive_lead_nowhere(tmp_path):
    link = zipfile.ZipInfo("link.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path in ("../../up.ipynb", "/etc/abs.ipynb", "..\\win.ipynb", "a/./b.ipynb", "C:\\x.ipynb"):
            archive.writestr(path, GOOD)
        archive.writestr(link, "/etc/passwd")
    found = survey(put(tmp_path, {"eve/w.zip": made.getvalue(), "ada/n.ipynb": GOOD}))
    assert [s.path for s in found.submissions if s.student == "eve"] == [
        "eve/w.zip/C:/x.ipynb", "eve/w.zip/a/b.ipynb", "eve/w.zip/etc/abs.ipynb", "eve/w.zip/up.ipynb", "eve/w.zip/win.ipynb",
    ]  # fmt: skip
    assert why(found) == {"eve/w.zip/link.ipynb": "it is a link to another file, and there is another notebook"}


# --- anything at all ---

NAMES = st.one_of(
    st.sampled_from(
        ["n.ipynb", "w.zip", "h.py", "a", "..", ".", "04-vjps", MOODLE_NAME, "bob_1_2_n.ipynb", "timestamp.txt", "ada", "x.IPYNB"]
    ),
    st.text(st.characters(exclude_characters="/\0", exclude_categories=()), min_size=1, max_size=40),
    st.binary(min_size=1, max_size=40).map(lambda b: os.fsdecode(b.replace(b"/", b"").replace(b"\0", b"") or b"x")),
)
DATA = st.one_of(
    st.sampled_from([GOOD, OTHER, b"", b"{}", b"[]", b'{"cells": 3}', b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}']),
    st.binary(max_size=200), st.builds(lambda k, data: FINE[:k] + data + FINE[k:], st.integers(0, len(FINE)), st.binary(max_size=8)),
    st.sampled_from(sorted(ZIPS.values(), key=len)[:15]),
)  # fmt: skip
TREES = st.lists(st.tuples(st.lists(NAMES, min_size=1, max_size=3), DATA), max_size=6)


def check_a_tree(place: Path, tree, as_zip: bool) -> None:
    """Ada's and Zoe's notebooks are found whatever is beside them, and everything that is told can be written."""
    files = {"ada 1/n.ipynb": GOOD, "ada 2/n.ipynb": GOOD, "ada 3/n.ipynb": GOOD, "zoe/n.ipynb": OTHER}
    if as_zip:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
            for names, data in tree:
                try:
                    archive.writestr("eve/" + "/".join(names), data)
                except (UnicodeEncodeError, ValueError):  # zipfile writes no such name
                    continue
        place = place / "all.zip"
        place.write_bytes(made.getvalue())
    else:
        put(place, files)
        for names, data in tree:
            path = os.path.join(place, "eve", *(name for name in names if name not in ("..", ".")))
            try:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)
            except (OSError, ValueError):  # no name of a file here
                continue
    found = survey(place, "04-vjps")
    assert [(s.student, s.data) for s in found.submissions if s.student != "eve"] == [
        ("ada 1", GOOD), ("ada 2", GOOD), ("ada 3", GOOD), ("zoe", OTHER)
    ]  # fmt: skip
    for s in found.submissions:
        read = submissions.read(s)
        assert read.readable or read.problems
        (s.student + s.path + s.problem + "".join(read.cells.values()) + "".join(read.problems) + "".join(s.files)).encode()
    for one in found.left:
        (one.student + one.path + one.why).encode()
        assert one.why


@linux
@pytest.mark.filterwarnings("ignore:Duplicate name")
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=TREES, as_zip=st.booleans())
def test_no_tree_of_files_stops_the_intake(tmp_path_factory, tree, as_zip):
    check_a_tree(tmp_path_factory.mktemp("tree"), tree, as_zip)


@pytest.mark.full
@linux
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(tree=TREES, as_zip=st.booleans())
def test_a_thousand_trees_of_files(tmp_path_factory, tree, as_zip):
    check_a_tree(tmp_path_factory.mktemp("tree"), tree, as_zip)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(exclude_categories=()))),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)), max_leaves=12,
)  # fmt: skip
CELLS = st.fixed_dictionaries({}, optional={"cell_type": st.sampled_from(["code", "markdown"]) | JSON, "source": JSON, "input": JSON})
NOTEBOOKS = st.fixed_dictionaries(
    {}, optional={"cells": st.lists(CELLS | JSON, max_size=5) | JSON, "metadata": JSON, "worksheets": JSON}
)


@settings(max_examples=40, deadline=None)
@given(content=NOTEBOOKS)
def test_no_notebook_stops_reading(content):
    from minigrad.course.grading.gradebook import _notebook

    data = json.dumps(content).encode()
    read = submissions.read(submissions.Submission("eve", "n.ipynb", data))
    ("".join(read.cells.values()) + "".join(read.problems) + read.chapter()).encode()
    json.dumps(_notebook([submissions.Submission("ada", "", data)], {}, {}), ensure_ascii=False).encode()
