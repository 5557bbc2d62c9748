"""What students handed in: found in folders and archives, read without being trusted, and never changed."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import os
import re
import stat
import zipfile
import zlib
import zoneinfo
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

LARGEST = 32 << 20  # bytes of one notebook
LARGEST_ARCHIVE = 1 << 30  # bytes of all notebooks in it
MOST_CELLS = 2000
LARGEST_FILE = 1 << 20  # bytes of a file beside the notebook
MOST_FILES = 20

_MOODLE = re.compile(r"(?P<student>.+?)_\d+_assignsubmission_(file|onlinetext)_?$")
_CANVAS = re.compile(r"(?P<student>[^_]+)_(?P<late>LATE_|late_)?\d+_\d+_(?P<file>.+)$")


@dataclass
class Submission:
    """One notebook of one student, and the Python files beside it."""

    student: str
    path: str  # as the teacher sees it, relative to the folder or archive
    data: bytes = field(repr=False)
    time: datetime.datetime | None = None  # when it was handed in, where that is known
    marked_late: bool = False  # by the learning platform
    problem: str = ""  # why it was not even opened
    attempt: int = 1  # of this student, the oldest first
    files: dict[str, bytes] = field(default_factory=dict, repr=False)
    unread: dict[str, str] = field(default_factory=dict)  # files that were not read, and why
    receipt: bytes = field(default=b"", repr=False)  # nbgrader's submission_secret.txt: feedback is given back under it

    @property
    def digest(self) -> str:
        """Changes with the notebook and its files."""
        parts = [part for name in sorted(self.files) for part in (name.encode(), hashlib.sha256(self.files[name]).digest())]
        return hashlib.sha256(self.data + b"".join(parts)).hexdigest()


@dataclass
class Notebook:
    """The code of a notebook, by the number of the cell as a reader counts it."""

    cells: dict[int, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    readable: bool = True

    def chapter(self) -> str:
        """The chapter whose checks it calls most; empty when it calls none."""
        ids = Counter(id for source in self.cells.values() for id in re.findall(r"check\(\s*[\"'](\d\d)\.\d+[\"']", source))
        return max(ids, key=lambda id: (ids[id], id), default="")


def find(place: Path, assignment: str = "") -> list[Submission]:
    """All notebooks in a folder (nbgrader's, or any other) or an archive, or this one, in the order of their students.

    assignment: in nbgrader's layout, only the folders of this name, where there are any.
    """
    if place.is_file() or not any((path / assignment).is_dir() for path in place.iterdir()):
        assignment = ""
    if place.suffix == ".ipynb":
        found = [_named(PurePosixPath(place.name), *_read(place))]
        _give_files(found, {path.name: functools.partial(_read, path) for path in place.parent.glob("*.py")})
    else:
        found = list(_in_archive(place) if place.is_file() else _in_folder(place, assignment))
    found.sort(key=lambda s: (s.student, s.time.timestamp() if s.time else 0, not s.marked_late, _is_copy(s.path), s.path))
    counts: Counter[str] = Counter()
    for submission in found:
        counts[submission.student] += 1
        submission.attempt = counts[submission.student]
    return found


def _is_copy(path: str) -> bool:
    """Sorts copies and old versions before the notebook itself: the last attempt is the one that counts."""
    return not re.search(r"-Copy\d+|-old-\d+|\(\d+\)", PurePosixPath(path).stem)


def _in_folder(folder: Path, assignment: str) -> Iterator[Submission]:
    for root, folders, files in os.walk(folder):  # does not follow links to folders
        folders[:] = sorted(f for f in folders if f != ".ipynb_checkpoints")
        here = []
        for name in sorted(files):
            path = Path(root, name)
            relative = path.relative_to(folder)
            if path.suffix == ".zip":
                yield from _in_archive(path, relative.as_posix() + "/")
            if path.suffix != ".ipynb":
                continue
            parts = relative.parts
            if len(parts) >= 3 and assignment and parts[1] != assignment:
                continue
            data, problem = _read(path)
            time = _time(path.parent / "timestamp.txt")
            submission = _named(PurePosixPath(*parts), data, problem)
            submission.time = time
            submission.receipt, _ = _read(path.parent / "submission_secret.txt", 1000)
            here.append(submission)
        _give_files(here, {name: functools.partial(_read, Path(root, name)) for name in files if name.endswith(".py")})
        yield from here


def _give_files(submissions: list[Submission], files: Mapping[str, Callable[[int], tuple[bytes, str]]]) -> None:
    """Give notebooks of one folder the Python files beside them. Where several students share it, a file must bear a name."""
    of_one = len({s.student for s in submissions}) == 1
    for name, read in sorted(files.items()):
        match = _CANVAS.match(name)
        for s in submissions:
            if (match["student"] == s.student if match else of_one) and len(s.files) < MOST_FILES:
                # Canvas numbers what is handed in again: my_engine-1.py.
                own = re.sub(r"-\d+(?=\.py$)", "", match["file"]) if match else name
                data, problem = read(LARGEST_FILE)
                if problem:
                    s.unread[own] = problem
                else:
                    s.files[own] = data


def _read(path: Path, largest: int = LARGEST) -> tuple[bytes, str]:
    """The bytes of an ordinary file. A link could point at anything the teacher may read."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        return b"", "it is a link to another file" if path.is_symlink() else f"it cannot be opened ({error.strerror})"
    with os.fdopen(fd, "rb") as file:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or path.is_symlink():
            return b"", "it is no ordinary file"
        if info.st_size > largest:
            return b"", f"it is larger than {largest >> 20} MB"
        return file.read(largest), ""


def _in_archive(path: Path, prefix: str = "") -> Iterator[Submission]:
    """The notebooks in an archive, read in memory: nothing is unpacked, so no name in it can lead anywhere.

    prefix: where the archive was found, when it is not all that was handed in.
    """
    room = LARGEST_ARCHIVE
    try:
        with zipfile.ZipFile(path) as archive:
            found = [(PurePosixPath(info.filename.replace("\\", "/")), info) for info in archive.infolist() if not info.is_dir()]
            found = [f for f in found if not {".ipynb_checkpoints", "__MACOSX"} & set(f[0].parts)]
            wanted = [f for f in found if f[0].suffix == ".ipynb"]
            folders: dict[PurePosixPath, list[Submission]] = {}
            for inside, info in sorted(wanted, key=lambda f: f[0]):
                room -= info.file_size
                data, problem = _unpack(archive, info, LARGEST) if room >= 0 else (b"", "the archive is too large")
                # ada.zip with one notebook in it, or an archive in ada's folder, is ada's; else the names inside decide.
                owner = PurePosixPath(prefix + "x").parent
                of_one = bool(prefix) and (len(owner.parts) > 1 or len(wanted) == 1)
                submission = _named(owner.with_suffix(".ipynb") if of_one else inside, data, problem)
                submission.path = prefix + inside.as_posix()
                folders.setdefault(inside.parent, []).append(submission)
            for folder, here in folders.items():
                beside = {p.name: functools.partial(_unpack, archive, i) for p, i in found if p.suffix == ".py" and p.parent == folder}
                _give_files(here, beside)
                yield from here
    except (zipfile.BadZipFile, OSError) as error:
        yield Submission(path.stem, prefix or path.name, b"", problem=f"the archive cannot be read ({type(error).__name__})")


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, largest: int) -> tuple[bytes, str]:
    if stat.S_ISLNK(info.external_attr >> 16):
        return b"", "it is a link to another file"
    if info.file_size > largest:
        return b"", f"it is larger than {largest >> 20} MB"
    try:
        with archive.open(info) as file:
            return file.read(info.file_size), ""
    except (OSError, RuntimeError, zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error) as error:
        return b"", f"it cannot be unpacked ({type(error).__name__})"


def _named(path: PurePosixPath, data: bytes, problem: str) -> Submission:
    """Who handed it in, by the names of folders and file: nbgrader's, Moodle's, Canvas's, or simply one for each student."""
    parts = [part for part in path.parts if part not in ("..", "/", "submitted")]
    for part in parts[:-1]:
        if match := _MOODLE.match(part):
            return Submission(match["student"], str(path), data, problem=problem)
    if match := _CANVAS.match(parts[-1]):
        return Submission(match["student"], str(path), data, marked_late=bool(match["late"]), problem=problem)
    student = parts[0] if len(parts) > 1 else PurePosixPath(parts[-1]).stem
    return Submission(student, str(path), data, problem=problem)


def _time(path: Path) -> datetime.datetime | None:
    """What nbgrader's timestamp.txt says, as 2026-02-02 15:58:23.948203 Europe/Berlin; UTC where no zone is named."""
    data, problem = _read(path)
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


def read(submission: Submission) -> Notebook:
    """The code cells. Whatever is damaged is reported, and the rest is used."""
    if submission.problem:
        return Notebook(problems=[f"The file was not opened: {submission.problem}."], readable=False)
    try:
        content = json.loads(submission.data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return Notebook(problems=["The file is no notebook: it is not JSON."], readable=False)
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
        return Notebook(problems=[f"The notebook is written for another language: {language}."], readable=False)
    damaged = 0
    for number, cell in enumerate(cells[:MOST_CELLS], 1):
        source = cell.get("source", cell.get("input")) if isinstance(cell, dict) else None
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            damaged += 1
        elif cell.get("cell_type") == "code":
            result.cells[number] = source
    if damaged:
        result.problems.append(f"{damaged} cells could not be read.")
    if len(cells) > MOST_CELLS:
        result.problems.append(f"Only the first {MOST_CELLS} of {len(cells)} cells were read.")
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
