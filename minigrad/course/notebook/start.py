"""Opening a chapter's exercises: a copy in work/, never over a file that is there."""

from __future__ import annotations

import contextlib
import hashlib
import html
import os
from pathlib import Path
from typing import Any

from minigrad.course import record
from minigrad.course.capstone import copies, own
from minigrad.course.showing import render


def template(chapter: str) -> Path:
    """The exercise notebook of a chapter, as the course gives it out. LookupError when there is none."""
    number = str(chapter).strip().zfill(2)
    folder = record.root() / "exercises"
    found = sorted(folder.glob(f"{number}-*/{number}-*.ipynb"))
    if not found:
        here = sorted(path.stem[:2] for path in folder.glob("*/*.ipynb"))
        if not here:
            raise LookupError(f"No exercises are in {folder}. Start Python in the folder of the course.")
        raise LookupError(f"Chapter {chapter!r} has no exercises here. There are: {', '.join(here)}.")
    return found[0]


def copy_of(chapter: str) -> Path:
    """Where a learner's copy of a chapter's exercises is, or will be. Its name is not the lesson's: tabs show names."""
    source = template(chapter)
    before = record.work() / source.name  # what copies were called at first
    return before if before.exists() else before.with_stem(f"{source.stem}-exercises")


def start(chapter: str, again: bool = False, upto: str | None = None) -> None:
    """Copy a chapter's exercises into work/ and say where they are. A copy that is there is never overwritten.

    again: keep the old copy under another name, and begin with a new one.
    upto: for chapter 16, a milestone: let my_engine.py be the reference up to there, to go on from. An engine of yours that is
    there is kept under another name.
    """
    try:
        source = template(chapter)
        engine = None if upto is None else engine_up_to(source.stem[:2], str(upto).strip().upper())
    except LookupError as error:
        _tell(str(error.args[0]))
        return
    target, new, kept, kept_engine = copy_of(chapter), False, None, None
    content = source.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    number = source.stem[:2]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if again and target.exists():
            kept = target.rename(free_name(target))
        with contextlib.suppress(FileExistsError):
            with target.open("xb") as file:
                file.write(content)
            new = True
        companions = [_copy_beside(file, target.parent) for file in sorted(source.parent.glob("*.py"))]
        if engine is not None:
            kept_engine = _replace(target.parent / own.FILE, source.with_name(own.FILE), engine)
        if number == "17":
            companions.append(_engine(target.parent / copies.FOLDER))
    except OSError as error:
        _tell(f"{target.parent} cannot be written ({error.strerror}). Copy {source} to a folder of yours and open it there.")
        return

    def note(r: dict[str, Any]) -> None:
        r["started"].setdefault(number, digest)
        if new:
            r["started"][number] = digest

    changed = not new and record.read()["started"].get(number, digest) != digest
    record.update(note)
    words = "Your copy of the exercises is ready:" if new else "Your copy is there already, and stays as it is:"
    _tell(words, target)
    for path, was_there in companions:
        if engine is None or path.name != own.FILE:
            _tell("This file is there already, and stays as it is:" if was_there else "With it comes", path)
    if kept is not None:
        _tell("Your old copy is kept as", kept)
    if engine is not None:
        _tell(f"The engine can do all up to {str(upto).strip().upper()} now:", target.parent / own.FILE)
    if kept_engine is not None:
        _tell("Your own engine is kept as", kept_engine)
    if changed:
        _tell(
            "The exercises have changed since you began. Your copy stays as it is. "
            f"`start({number!r}, again=True)` keeps it under another name and begins with the new ones."
        )


def lesson(chapter: str) -> Path | None:
    """The lesson of a chapter, when it is here."""
    return next(iter(sorted((record.root() / "notebooks").glob(f"{chapter}-*.ipynb"))), None)


def address(path: Path) -> str:
    """A path for a link in a notebook."""
    try:
        return Path(os.path.relpath(path)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


def _copy_beside(file: Path, folder: Path) -> tuple[Path, bool]:
    """Copy a file that belongs to the exercises, never over one that is there. Returns where it is, and if it was."""
    target = folder / file.name
    try:
        with target.open("xb") as copy:
            copy.write(file.read_bytes())
    except FileExistsError:
        return target, True
    return target, False


def engine_up_to(number: str, milestone: str) -> str:
    """The text of the reference up to a milestone. LookupError, with a sentence, when it is not to be had."""
    from minigrad.course.notebook.check import solutions_allowed  # which needs this module itself

    if number != "16":
        raise LookupError('An engine up to a milestone is there for chapter 16 only: `start("16", upto="M3")`.')
    if not solutions_allowed():
        raise LookupError("In this class solutions are handed out by the teacher, and so is the engine up to a milestone.")
    return own.reference(milestone)


def _replace(target: Path, blank: Path, text: str) -> Path | None:
    """Write a file. What a learner has written there is renamed first; returns under which name it is kept."""
    there = target.read_bytes() if target.exists() else None
    if there == text.encode():
        return None
    kept = None
    if there is not None and there != blank.read_bytes():
        kept = target.rename(free_name(target))
    target.write_text(text, encoding="utf-8")
    return kept


def _engine(folder: Path) -> tuple[Path, bool]:
    """Copy the engine that chapter 17 changes, never over a file that is there. Returns a file of it, and if all were there."""
    given = copies.given()
    return folder / "__init__.py", len(copies.lay_out(folder, given)) == len(given)


def free_name(path: Path) -> Path:
    """A name beside the path that no file has: name-old-1.ipynb."""
    number = 1
    while (candidate := path.with_stem(f"{path.stem}-old-{number}")).exists():
        number += 1
    return candidate


def _tell(words: str, path: Path | None = None) -> None:
    if path is None:
        render.show(f"<p>{render.inline(words)}</p>", words.replace("`", ""))
        return
    link = address(path)
    shown = f"{path.parent.name}/{path.name}"
    render.show(f'<p>{html.escape(words)} <a href="{html.escape(link)}">{html.escape(shown)}</a></p>', f"{words} {shown}")
