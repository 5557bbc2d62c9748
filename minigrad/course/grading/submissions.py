"""What students handed in: found in folders and archives, read without being trusted, and never changed.

Whose something is follows from one layout, chosen for the whole run from the names at the top, which the platform or the
teacher made. Below a student's own folder, and within a student's own archive, no name means anybody.
"""

from __future__ import annotations

import datetime
import functools
import hashlib
import io
import itertools
import os
import re
import stat
import struct
import zipfile
import zlib
import zoneinfo
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from minigrad.course.grading import texts
from minigrad.course.grading.names import CHECK

LARGEST = 32 << 20  # bytes of one notebook
LARGEST_ZIP = 64 << 20  # bytes of a student's archives together: they are held until all of it is read
LARGEST_LIST = 4 << 20  # bytes of the lists of files in a student's archives together
MOST_BYTES = 64 << 20  # of all notebooks of one student
MOST_NOTEBOOKS = 8  # of one student
MOST_NAMES = 500  # files and folders of one student, notebooks first
MOST_SEEN = 20_000  # names of one student that are looked at for that
MOST_LISTED = 50  # of one student's files that were not graded, each with the reason
MOST_PARTS = 1_000_000  # lists and dicts in a notebook: in memory each takes thirty times its place in the file
DEEPEST = 10  # folders within folders
MOST_CELLS = 2000
MOST_CODE = 1 << 20  # characters of code in a notebook
LARGEST_FILE = 1 << 20  # bytes of a file beside the notebook
MOST_FILES = 30  # the folder engine/ of chapter 17 has twenty
OURS = {"work", "engine", "core", "ops"}  # folders in which a learner's files lie; they count as beside the notebook

NBGRADER, MOODLE, CANVAS, PLAIN = "nbgrader", "Moodle", "Canvas", "folders and files"
LAYOUTS = (NBGRADER, MOODLE, CANVAS, PLAIN)
# What Moodle calls a folder ends after the mark; what it calls a file goes on with the student's own name for it.
_MOODLE_FOLDER = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_\w+?_?$", re.ASCII | re.DOTALL)
_MOODLE_FILE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_[a-z]+_(?P<file>.+)$", re.DOTALL)
_CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_(?P<upload>\d{1,18})_(?P<file>.+)$", re.DOTALL)
# Made by systems, not by people.
_JUNK = {
    ".ipynb_checkpoints", "__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git", ".venv", "venv", "__pycache__", "node_modules",
}  # fmt: skip


class IntakeError(Exception):
    """What was given as the class's submissions cannot be read at all."""


@dataclass
class Submission:
    """One notebook of one student, and the Python files beside it; or several, each of which has answers to some exercises."""

    student: str  # no two students have the same; with a platform's number where there is one
    path: str  # as the teacher sees it, relative to the folder or archive
    data: bytes = field(repr=False)
    time: datetime.datetime | None = None  # when it was handed in, where the platform says so
    marked_late: bool = False  # by the learning platform
    problem: str = ""  # why it was not even opened
    attempt: int = 1  # of this student, the oldest first
    files: dict[str, bytes] = field(default_factory=dict, repr=False)
    unread: dict[str, str] = field(default_factory=dict)  # files that were not read, and why
    receipt: bytes = field(default=b"", repr=False)  # nbgrader's submission_secret.txt: feedback is given back under it
    name: str = ""  # as the platform shows it
    number: str = ""  # the platform's own: Moodle's participant, Canvas's user
    upload: str = ""  # what the platform's archive calls it, for feedback that goes back
    sheets: tuple[Submission, ...] = field(default=(), repr=False)  # the notebooks, where there are several, the oldest first

    @property
    def digest(self) -> str:
        """Changes with each notebook and its files."""
        if self.sheets:
            return hashlib.sha256("".join(s.digest for s in self.sheets).encode()).hexdigest()
        parts = [part for name in sorted(self.files) for part in (name.encode(), hashlib.sha256(self.files[name]).digest())]
        return hashlib.sha256(self.data + b"".join(parts)).hexdigest()


@dataclass(frozen=True)
class Left:
    """Something that was handed in and not graded."""

    student: str
    path: str
    why: str


@dataclass
class Intake:
    """All that was found, in the order of the students."""

    layout: str
    submissions: list[Submission] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    @property
    def times_known(self) -> bool:
        """Whether the platform says of anything when it was handed in, or that it was late."""
        return any(s.time is not None or s.marked_late for s in self.submissions) or self.layout == CANVAS


@dataclass
class Notebook:
    """The code of a notebook, by the number of the cell as a reader counts it."""

    cells: dict[int, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    readable: bool = True
    title: str = ""  # the first line of its first text

    def is_lesson(self) -> bool:
        """Whether it is one of the course's lessons: their names may be those of answers."""
        return bool(re.match(r"# (?:\d\d · .*(?<!: exercises)|A quarter of an hour first: .*)$", self.title)) and not self.checked()

    def has_code(self) -> bool:
        return any(map(str.strip, self.cells.values()))

    def chapter(self) -> str:
        """The chapter whose checks it calls most; empty when it calls none."""
        ids = self.checked()
        return max(ids, key=lambda id: (ids[id], id), default="")

    def is_of(self, chapters: frozenset[str], names: frozenset[str]) -> bool:
        """Whether it is of these chapters. Where it calls no checks: whether something in it has the name of an answer."""
        if ids := self.checked():
            return not chapters.isdisjoint(ids)
        return bool(self.answers(names))

    def answers(self, names: frozenset[str]) -> set[str]:
        """Which of these names something in it has."""
        found = (re.findall(r"^(?:(?:def|class)[ ]+)?(\w+)[ ]*[(:=]", source, re.MULTILINE) for source in self.cells.values())
        return {word for words in found for word in words} & names

    def checked(self) -> Counter[str]:
        """How often it calls checks of which chapter."""
        return Counter(id[:2] for source in self.cells.values() for id, _ in CHECK.findall(source))


def find(place: Path, assignment: str = "", chapters: frozenset[str] = frozenset()) -> list[Submission]:
    """The submissions of `survey`."""
    return survey(place, assignment, chapters).submissions


def survey(
    place: Path, assignment: str = "", chapters: frozenset[str] = frozenset(), layout: str = "", names: frozenset[str] = frozenset()
) -> Intake:
    """All that is in a folder or an archive, or this one notebook. IntakeError when the place itself cannot be read.

    Args:
        assignment: the name of the folders that count in nbgrader's layout.
        chapters: where a student has a notebook of these, those of others are left.
        layout: one of LAYOUTS, where the names at the top do not tell.
        names: of the answers; they tell where a notebook calls no checks.
    """
    if place.suffix.lower() == ".ipynb":
        entries = [Entry((texts.name(path.name),), _file(place.parent, path.name)) for path in (place, *_beside(place))]
        intake = Intake(PLAIN)
        _student(intake, _Owner(texts.name(place.name)[: -len(".ipynb")]), entries)
        return intake
    entries = _unwrapped(list(_in_zip(place) if place.is_file() else _in_folder(place)), place.is_file(), layout)
    layout = layout or _layout(entries, assignment)
    intake, owned = Intake(layout), dict[str, tuple[_Owner, list[Entry]]]()
    for entry in entries:
        owner, inside = _owner(layout, entry, assignment)
        if isinstance(owner, _Owner):
            owned.setdefault(owner.student, (owner, []))[1].append(inside)
        elif owner:
            intake.left.append(Left("", "/".join(entry.parts), owner))
    for student in sorted(owned):
        _student(intake, *owned[student], chapters, names)
    return intake


def _beside(notebook: Path) -> list[Path]:
    """The files of code beside one notebook, where nothing says that they belong to others, or to the teacher."""
    others = [path.name.lower() for path in notebook.parent.iterdir() if path != notebook]
    if any(".ipynb" in name or name.endswith((*_ARCHIVES, ".zip", ".toml")) for name in others):
        return []
    return sorted(notebook.parent.glob("*.py"))


# -- whose it is -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Owner:
    student: str
    name: str = ""
    number: str = ""
    late: bool = False
    dated: bool = False  # timestamp.txt is the platform's own


def _unwrapped(entries: list[Entry], zipped: bool, layout: str) -> list[Entry]:
    """Without the one folder in which everything is, when it is none of a student's: who zips a class's folder zips it whole.

    layout: what the teacher said; names of a platform tell nothing by themselves: it may be the only student's folder.
    """
    while len({entry.parts[0] for entry in entries}) == 1 and all(len(entry.parts) > 1 for entry in entries):
        tops = {entry.parts[1]: len(entry.parts) > 2 or entry.kind == "folder" for entry in entries}
        several = sum(is_folder or name.lower().endswith((".ipynb", ".zip")) for name, is_folder in tops.items()) > 1
        known = entries[0].parts[0] == "submitted" or layout and any(_platform(*top) == layout for top in tops.items())
        if _platform(entries[0].parts[0], True) or not (known or zipped and several):
            break
        entries = [entry.below() for entry in entries]
    return entries


def _platform(name: str, is_folder: bool) -> str:
    """The platform that gives such names."""
    if (_MOODLE_FOLDER if is_folder else _MOODLE_FILE).match(name):
        return MOODLE
    return CANVAS if not is_folder and _CANVAS.match(name) else ""


def _layout(entries: list[Entry], assignment: str) -> str:
    """The layout that more than half of what is at the top follows: no single student can decide it."""
    tops: dict[str, set[str]] = {}
    for entry in entries:
        here = tops.setdefault(entry.parts[0], set())
        if len(entry.parts) > 2 or entry.kind == "folder" and len(entry.parts) > 1:
            here.add(entry.parts[1])
    folders = {entry.parts[0] for entry in entries if len(entry.parts) > 1 or entry.kind == "folder"}
    votes = Counter(_platform(name, name in folders) or (NBGRADER if assignment in here else PLAIN) for name, here in tops.items())
    best, count = max(votes.items(), key=lambda vote: vote[1], default=(PLAIN, 0))
    return best if 2 * count > len(tops) else PLAIN


def _owner(layout: str, entry: Entry, assignment: str) -> tuple[_Owner | str, Entry]:
    """Whose an entry is, and what it is called in the student's own folder; or why it is nobody's (empty: not of this run)."""
    top, is_folder = entry.parts[0], len(entry.parts) > 1 or entry.kind == "folder"
    if layout in (MOODLE, CANVAS):
        pattern = (_MOODLE_FOLDER if is_folder else _MOODLE_FILE) if layout == MOODLE else _CANVAS
        match = pattern.match(top)
        if match is None or layout == CANVAS and is_folder:
            return f"its name is none that {layout} gives, so nobody can say whose it is", entry
        late = layout == CANVAS and bool(match["late"])
        owner = _Owner(f"{match['name']}_{match['number']}", match["name"], match["number"], late)
        # Canvas numbers the second: x-1.py.
        return owner, entry.below() if is_folder else entry.called(re.sub(r"-\d+(?=\.py$)", "", match["file"]))
    if layout == NBGRADER:
        if not is_folder or len(entry.parts) < 2:
            return "it is in no folder of a student's" if not is_folder else "", entry
        if entry.parts[1] != assignment:
            return "", entry
        return _Owner(top, dated=True), entry.below().below()
    if is_folder:
        return _Owner(top), entry.below()
    stem, dot, suffix = top.rpartition(".")
    if suffix.lower() in ("ipynb", "zip") and stem:
        return _Owner(stem), entry
    if entry.problem:  # a link, maybe to a folder
        return entry.problem, entry
    return _why_not(top) if not top.endswith(".py") else "it is in no folder of a student's, so nobody can say whose it is", entry


_ARCHIVES = (".tar", ".gz", ".tgz", ".bz2", ".xz", ".rar", ".7z")  # that are not read


def _why_not(name: str) -> str:
    """Why a file is not graded, by its name."""
    low = name.lower()
    if low.endswith(_ARCHIVES):
        return "it is an archive, and no zip file; unpack it where it is, and grade again"
    if re.search(r"\.ipynb\W", low):
        return "its name does not end in .ipynb; rename it, and grade again"
    if low.endswith(".py"):
        return "there is no notebook beside it"
    return "it is no notebook"


def _student(
    intake: Intake, owner: _Owner, entries: list[Entry], chapters: frozenset[str] = frozenset(), names: frozenset[str] = frozenset()
) -> None:
    """Add one student's submissions, and what was left. Whatever is wrong with them stays with this student."""
    left: list[Left] = []
    try:
        found = _submissions(owner, entries, left, chapters)
    except Exception as error:  # not foreseen; the class goes on
        found = [Submission(owner.student, "", b"", problem=f"What was handed in cannot be read ({type(error).__name__})")]
    if not found:
        kinds = [os.path.splitext(one.path)[1] for one in left[:3]]  # a page may hold no name, as that of a file may
        named = "".join(f". A {f'{kind} ' * bool(kind)}file: {one.why}" for kind, one in zip(kinds, left, strict=False))
        upload = next((entry.upload for entry in entries if entry.upload), "")
        found = [Submission(owner.student, "", b"", problem=f"There is no notebook{named}", upload=upload)]
    found = _those_that_count(found, left, chapters, names) if len(found) > 1 else found
    found.sort(key=lambda s: (s.time.timestamp() if s.time else 0, _is_copy(s.path), _as_people_count(s.path)))
    if len(chapters) > 1:
        found = _together(found)
    for attempt, submission in enumerate(found, 1):
        submission.attempt, submission.name, submission.number = attempt, owner.name or owner.student, owner.number
        submission.marked_late = any(_canvas(s.upload)[0] for s in submission.sheets or (submission,))
    intake.submissions += found
    intake.left += left[:MOST_LISTED]
    if len(left) > MOST_LISTED:
        intake.left.append(Left(owner.student, f"{len(left) - MOST_LISTED} more files", "they are not listed one by one"))


def _those_that_count(
    found: list[Submission], left: list[Left], chapters: frozenset[str], names: frozenset[str]
) -> list[Submission]:
    """The notebooks of one student without those that cannot be read, are empty, or are of another chapter, where there is another."""
    notebooks = {id(s): read(s) for s in found}
    full = [s for s in found if notebooks[id(s)].readable and notebooks[id(s)].has_code()] or found
    kept = [s for s in full if not chapters or notebooks[id(s)].is_of(chapters, names)] or full
    kept = [s for s in kept if not notebooks[id(s)].is_lesson()] or kept
    for s in found:
        if not any(s is one for one in kept):
            notebook = notebooks[id(s)]
            other = "it is a lesson" if notebook.is_lesson() else "no answer is in it"
            other = f"it is of chapter {notebook.chapter()}" if notebook.chapter() else other
            damage = "" if notebook.readable else notebook.problems[0].rstrip(".")
            left.append(Left(s.student, s.path, f"{s.problem or damage or other}, and there is another notebook"))
    return kept


def _canvas(upload: str) -> tuple[bool, int]:
    """Whether Canvas marks a file as late, and its number: who handed in again may have files in time, and late ones."""
    match = _CANVAS.match(upload)
    return (bool(match["late"]), int(match["upload"])) if match else (False, 0)


def _together(found: list[Submission]) -> list[Submission]:
    """Where the exercises are of several chapters, a student's sheets are one submission: each has answers to some."""
    in_time = [s for s in found if not _canvas(s.upload)[0]]
    groups = [in_time, found] if 0 < len(in_time) < len(found) else [found]  # a late sheet takes nothing from those in time
    return [_joined(group) if len(group) > 1 else group[0] for group in groups]


def _joined(sheets: list[Submission]) -> Submission:
    files = {name: data for s in sheets for name, data in s.files.items()}
    return replace(sheets[-1], path=" + ".join(s.path for s in sheets), data=b"", files=files, unread={}, sheets=tuple(sheets))


def _submissions(owner: _Owner, entries: list[Entry], left: list[Left], chapters: frozenset[str]) -> list[Submission]:
    """The notebooks of one student, each with what is beside it."""
    time, receipt = None, b""
    if owner.dated:
        given = {entry.parts: entry for entry in entries}
        time = _time(*given["timestamp.txt",].read(1000)) if ("timestamp.txt",) in given else None
        receipt = given["submission_secret.txt",].read(1000)[0] if ("submission_secret.txt",) in given else b""
        entries = [entry for entry in entries if entry.parts not in (("timestamp.txt",), ("submission_secret.txt",))]
    entries = _notebooks_first(_expanded(_notebooks_first(entries)))
    entries.sort(key=lambda e: e.parts[-1][:2] not in chapters if e.parts else True)  # of a whole folder work/ the chapter's own

    def leave(entry: Entry, why: str) -> None:
        left.append(Left(owner.student, entry.path, why))

    found: list[tuple[tuple[str, ...], Submission]] = []
    helpers: list[Entry] = []
    room = MOST_BYTES
    for entry in entries[:MOST_NAMES]:
        low = entry.parts[-1].lower() if entry.parts else ""
        if entry.kind == "folder":
            leave(entry, "it is an empty folder")
        elif low.endswith(".py"):
            helpers.append(entry)
        elif not low.endswith(".ipynb"):
            leave(entry, entry.problem or _why_not(low))
        elif len(found) == MOST_NOTEBOOKS:
            leave(entry, f"there are more than {MOST_NOTEBOOKS} notebooks")
        else:
            data, problem = entry.read(LARGEST)
            room -= len(data)
            if room < 0:
                data, problem = b"", f"all notebooks together are larger than {MOST_BYTES >> 20} MB"
            made = Submission(owner.student, entry.path, data, time, problem=problem, receipt=receipt, upload=entry.upload)
            found.append((entry.parts[:-1], made))
    if len(entries) > MOST_NAMES:
        left.insert(0, Left(owner.student, entries[MOST_NAMES].path, f"it and more come after the first {MOST_NAMES} files"))
    for entry in sorted(helpers, key=lambda entry: (len(entry.parts), -_canvas(entry.upload)[1])):  # what lies nearer, or is newer
        *place, name = entry.parts
        beside = [s for folder, s in found if tuple(place[: len(folder)]) == folder and OURS.issuperset(place[len(folder) :])]
        in_time = [s for s in beside if _canvas(s.upload)[0] < _canvas(entry.upload)[0]]  # nothing late makes that up
        mine = [s for s in beside if s not in in_time and name not in s.files]
        if in_time and in_time == beside:
            leave(entry, "it is late, and the notebook beside it was in time")
        elif beside and not mine:
            leave(entry, "a file of this name is newer, or lies nearer to the notebook")
        elif not beside:
            leave(entry, entry.problem or _why_not(name))
        elif len(mine[0].files) + len(mine[0].unread) >= MOST_FILES:
            leave(entry, f"there are more than {MOST_FILES} files beside the notebook")
        else:
            data, problem = entry.read(LARGEST_FILE)
            for s in mine:
                (s.unread.__setitem__(name, problem) if problem else s.files.__setitem__(name, data))
    return [s for _, s in found]


def _is_copy(path: str) -> bool:
    """Sorts copies and old versions before the notebook itself: the last attempt is the one that counts."""
    name = path.rpartition("/")[2].rpartition(".")[0]
    return not re.search(r"-Copy\d+|-old-\d+|\(\d+\)|[-_ ](?:old|backup|draft|checkpoint)\b", name)


def _as_people_count(path: str) -> list[tuple[bool, int, str]]:
    """Sorts x before x-final, and v9 before v10."""
    words = re.split(r"(\d+)", re.sub(r"(?i)\.ipynb$", "", path))
    return [(word.isdecimal(), int(word[:18]) if word.isdecimal() else 0, word) for word in words]


# -- folders and archives --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """A file, or a folder with nothing in it. Its names are writable; `read` knows the true ones."""

    parts: tuple[str, ...]
    read: Callable[[int], tuple[bytes, str]] = lambda largest: (b"", "it is no ordinary file")
    kind: str = "file"  # or "folder", "other"
    problem: str = ""
    path: str = ""  # as the teacher sees it
    upload: str = ""  # Canvas's own name of the file

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", self.path or "/".join(self.parts))

    def below(self) -> Entry:
        """The same, seen from the folder in which it is."""
        return Entry(self.parts[1:], self.read, self.kind, self.problem, self.path, self.upload)

    def called(self, name: str) -> Entry:
        """The same under the name that the student gave it."""
        return Entry((name,), self.read, self.kind, self.problem, self.path, self.parts[-1])


_ORDER = {".ipynb": 0, ".zip": 1, ".py": 2}


def _notebooks_first(entries: Iterable[Entry]) -> list[Entry]:
    """So many of one student's files and no more: notebooks before archives, helpers and all the rest."""
    seen = itertools.islice(entries, MOST_SEEN)
    return sorted(seen, key=lambda e: _ORDER.get(os.path.splitext(e.parts[-1] if e.parts else "")[1].lower(), 3))[: MOST_NAMES + 1]


def _in_folder(place: Path, raw: tuple[str, ...] = ()) -> Iterator[Entry]:
    """What is in a folder. No link is followed; each name beside others may hold so many files and no more."""
    try:
        with os.scandir(Path(place, *raw)) as top:
            inside = sorted(top, key=lambda item: item.name)
    except OSError:
        if not raw:
            raise
        inside = []
    if raw and not inside:
        yield from _below(place, raw, iter(range(MOST_SEEN)))
    elif len(inside) == 1 and inside[0].is_dir(follow_symlinks=False) and inside[0].name not in _JUNK and len(raw) < DEEPEST:
        yield from _in_folder(place, (*raw, inside[0].name))  # it may hold the whole class
    else:
        for item in inside:
            yield from _notebooks_first(_below(place, (*raw, item.name), iter(range(MOST_SEEN))))


def _below(place: Path, raw: tuple[str, ...], looks: Iterator[int]) -> Iterator[Entry]:
    """A file, or what is in a folder. looks: one is taken for each name, those that are passed over too, while there are any."""
    if next(looks, None) is None or raw[-1] in _JUNK or raw[-1].startswith("._"):
        return
    parts, path = tuple(map(texts.name, raw)), Path(place, *raw)
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISDIR(mode) and len(raw) <= DEEPEST:
            with os.scandir(path) as here:
                inside = sorted(item.name for item in itertools.islice(here, MOST_SEEN))
    except (OSError, ValueError) as error:
        why = f"it cannot be opened ({getattr(error, 'strerror', None) or type(error).__name__})"
        yield Entry(parts, lambda largest: (b"", why), "other", why)
        return
    if stat.S_ISREG(mode):
        yield Entry(parts, _file(place, *raw))
    elif stat.S_ISDIR(mode):
        if len(raw) > DEEPEST:
            yield Entry(parts, kind="other", problem=f"it is more than {DEEPEST} folders deep")
        elif not [name for name in inside if name not in _JUNK]:
            yield Entry(parts, kind="folder")
        for name in inside if len(raw) <= DEEPEST else ():
            yield from _below(place, (*raw, name), looks)
    else:
        why = "it is a link to another file" if stat.S_ISLNK(mode) else "it is no ordinary file"
        yield Entry(parts, lambda largest: (b"", why), "other", why)


def _file(place: Path, *names: str) -> Callable[[int], tuple[bytes, str]]:
    return functools.partial(_read, place, names)


def _read(place: Path, names: tuple[str, ...], largest: int = LARGEST) -> tuple[bytes, str]:
    """The bytes of an ordinary file below the place, reached without a link: one could point at anything the teacher may read."""
    no_link = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    folders: list[int] = []
    try:
        folders.append(os.open(place, os.O_RDONLY))
        for name in names[:-1]:
            folders.append(os.open(name, os.O_RDONLY | no_link | getattr(os, "O_DIRECTORY", 0), dir_fd=folders[-1]))
        with os.fdopen(os.open(names[-1], os.O_RDONLY | no_link, dir_fd=folders[-1]), "rb") as file:
            info = os.fstat(file.fileno())
            if not stat.S_ISREG(info.st_mode):
                return b"", "it is no ordinary file"
            if info.st_size > largest:
                return b"", f"it is larger than {largest >> 20} MB"
            return file.read(largest), ""
    except (OSError, ValueError) as error:
        is_link = Path(place, *names).is_symlink()
        return b"", "it is a link to another file" if is_link else f"it cannot be opened ({getattr(error, 'strerror', None) or error})"
    finally:
        for folder in folders:
            os.close(folder)


def _in_zip(place: Path) -> Iterator[Entry]:
    """What is in the platform's archive, or the teacher's own."""
    try:
        archive = zipfile.ZipFile(place)
        infos = archive.infolist()
    except (*_DAMAGED, OSError) as error:
        raise IntakeError(f"{place} is no zip file that can be read ({type(error).__name__}).") from error
    yield from _entries(archive, infos)


# What zipfile raises for an archive that is damaged, locked, or packed in a way of its own.
_DAMAGED = (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, zlib.error, ValueError, KeyError, IndexError,
            struct.error, OverflowError, MemoryError, UnicodeError, AssertionError, TypeError)  # fmt: skip


def _entries(
    archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo], above: tuple[str, ...] = (), path: str = "", upload: str = ""
) -> Iterator[Entry]:
    """The files of an archive, read in memory: nothing is unpacked, so no name in it can lead anywhere."""
    names = {id(info): [p for p in info.filename.replace("\\", "/").split("/") if p not in ("", ".", "..")] for info in infos}
    parents = {tuple(raw[:k]) for raw in names.values() for k in range(1, min(len(raw), DEEPEST + 3))}
    for info in sorted(infos, key=lambda i: i.filename):
        raw, is_folder = names[id(info)], info.filename.endswith(("/", "\\"))
        if not raw or _JUNK & set(raw) or raw[-1].startswith("._") or is_folder and tuple(raw) in parents:
            continue
        parts = tuple(texts.name(part) for part in (*raw[:DEEPEST], *raw[DEEPEST:][-1:]))
        read = functools.partial(_unpack, archive, info)
        yield Entry((*above, *parts), read, "folder" if is_folder else "file", path=path + "/".join(parts), upload=upload)


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, largest: int) -> tuple[bytes, str]:
    if stat.S_ISLNK(info.external_attr >> 16):
        return b"", "it is a link to another file"
    if info.file_size > largest:
        return b"", f"it is larger than {largest >> 20} MB"
    if info.flag_bits & 1:
        return b"", "it is locked with a password"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return b"", "it is packed in a way that is not read here; pack it as other zip files are"
    try:
        with archive.open(info) as file:
            return file.read(info.file_size), ""
    except (*_DAMAGED, OSError) as error:
        return b"", f"it cannot be unpacked ({type(error).__name__})"


def _expanded(entries: list[Entry]) -> Iterator[Entry]:
    """The entries of a student, with those of archives in the place of the archives."""
    room, lists = LARGEST_ZIP, LARGEST_LIST
    for entry in entries:
        if entry.kind != "file" or not entry.parts[-1].lower().endswith(".zip"):
            yield entry
            continue
        data, problem = entry.read(LARGEST_ZIP) if room > 0 else (b"", "")
        room -= len(data) or 1
        if room < 0:
            problem = f"all archives together are larger than {LARGEST_ZIP >> 20} MB"
        inside, problem, length = ([], problem, 0) if problem else _student_zip(entry, data, lists)
        lists -= length
        if problem or not inside:
            yield Entry(entry.parts, entry.read, "other", problem or "it is an archive with nothing in it", entry.path, entry.upload)
        for one in inside:
            if one.kind == "file" and one.parts[-1].lower().endswith(".zip"):
                one = Entry(one.parts, one.read, "other", "it is an archive within an archive; unpack it, and grade again", one.path)
            yield one


def _student_zip(entry: Entry, data: bytes, most: int) -> tuple[list[Entry], str, int]:
    """What is in a student's own archive, or why it is not read; and the length of its list of files, which may be so many bytes."""
    # How long the list of files is, as the end of the archive says: it is read as a whole, so it must be looked at before.
    start = max(0, len(data) - (1 << 16) - 22)
    ends = [start + found.start() for found in re.finditer(b"PK\5\6", data[start:])]
    whole = [at for at in ends if int.from_bytes(data[at + 20 : at + 22], "little") == len(data) - at - 22]
    if len(ends) > 1 and whole:  # a comment may hold what looks like another end, which Python would take
        data = data[: whole[0] + 20] + b"\0\0"
    end = (whole or ends[-1:] or [-1])[0]
    if end < 0 or len(data) < end + 22:
        return [], "it is no zip file, or a damaged one", 0
    (length,) = struct.unpack_from("<L", data, end + 12)
    if length > most or b"PK\6\7" in data[max(0, end - 20) : end]:
        return [], "with the student's other archives it holds too many files, or it is packed as only very large ones are", 0
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        return _notebooks_first(_entries(archive, archive.infolist(), entry.parts[:-1], entry.path + "/", entry.upload)), "", length
    except (*_DAMAGED, OSError) as error:
        return [], f"it is a damaged zip file ({type(error).__name__})", length


def _time(data: bytes, problem: str = "") -> datetime.datetime | None:
    """What nbgrader's timestamp.txt says, as 2026-02-02 15:58:23.948203 Europe/Berlin; UTC where no zone is named."""
    match = re.match(rb"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? *([\w/+:-]*)", data)
    if problem or not match:
        return None
    day, clock, zone = (group.decode() for group in match.groups())
    try:
        if re.fullmatch(r"[+-]\d\d:?\d\d", zone):
            return datetime.datetime.fromisoformat(f"{day}T{clock}{zone}")
        info = zoneinfo.ZoneInfo(zone or "UTC")
    except (ValueError, zoneinfo.ZoneInfoNotFoundError, OSError):
        info = zoneinfo.ZoneInfo("UTC")
    try:
        return datetime.datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=info)
    except ValueError:
        return None


_BEGINNINGS = {
    b"PK": "it is a zip file", b"\x1f\x8b": "it is a gzip file", b"\xff\xfe": "it is in UTF-16", b"\xfe\xff": "it is in UTF-16",
}  # fmt: skip


def too_many_parts(data: bytes) -> bool:
    """Whether a file would take more memory than a notebook may."""
    return data.count(b"[") + data.count(b"{") > MOST_PARTS


def read(submission: Submission) -> Notebook:
    """The code cells. Whatever is damaged is reported, and the rest is used."""
    if submission.problem and not submission.path:
        return Notebook(problems=[f"{submission.problem}."], readable=False)
    if submission.problem:
        return Notebook(problems=[f"Nothing was graded: {submission.problem}."], readable=False)
    if too_many_parts(submission.data):
        return Notebook(problems=["Nothing was graded: the file is built of too many parts for a notebook."], readable=False)
    try:
        content = texts.loads(submission.data)
    except (ValueError, RecursionError):
        what = next((what for begin, what in _BEGINNINGS.items() if submission.data.startswith(begin)), "it is not JSON")
        return Notebook(problems=[f"The file is no notebook: {what}."], readable=False)
    if not isinstance(content, dict):
        return Notebook(problems=["The file is no notebook: it has no cells."], readable=False)
    result = Notebook()
    cells = content.get("cells")
    if cells is None and isinstance(content.get("worksheets"), list):  # nbformat 3 and before
        result.problems.append("The notebook is of an old format; it was read all the same.")
        cells = [cell for sheet in content["worksheets"] if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
    if not isinstance(cells, list):
        return Notebook(problems=["The file is no notebook: it has no cells."], readable=False)
    language = _language(content)
    if language not in ("", "python"):
        return Notebook(problems=[f"The notebook is written for another language: {texts.writable(language[:40])}."], readable=False)
    damaged, room = 0, MOST_CODE
    for number, cell in enumerate(cells[:MOST_CELLS], 1):
        source = cell.get("source", cell.get("input")) if isinstance(cell, dict) else None
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            damaged += 1
        elif cell.get("cell_type") == "markdown":
            result.title = result.title or source.strip().partition("\n")[0].strip()[:200]
        elif cell.get("cell_type") == "code":
            room -= len(source)
            if room < 0:
                result.problems.append(f"Only the first {MOST_CODE >> 20} MB of code were read, up to cell {number - 1}.")
                break
            result.cells[number] = source
    if damaged:
        result.problems.append(f"{damaged} cells could not be read.")
    if len(cells) > MOST_CELLS:
        result.problems.append(f"Only the first {MOST_CELLS} of {len(cells)} cells were read.")
    if not result.has_code():
        result.problems.append("The notebook has no code.")
    return result


def _list(x: object) -> list:
    return x if isinstance(x, list) else []


def _language(content: dict) -> str:
    """The language that the notebook names, or empty."""
    metadata = content.get("metadata")
    for key, inner in (("kernelspec", "language"), ("language_info", "name")):
        part = metadata.get(key) if isinstance(metadata, dict) else None
        name = part.get(inner) if isinstance(part, dict) else None
        if isinstance(name, str) and name:
            return name.lower().removesuffix("3")
    return ""
