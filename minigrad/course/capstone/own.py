"""One's own engine: a file in work/ that grows from chapter 02 on, the board of what holds in it, and the reference to go on from."""

from __future__ import annotations

import html
import zlib
from pathlib import Path
from typing import Any

from minigrad.course import record
from minigrad.course.capstone import facts
from minigrad.course.capstone.runner import Finding, blank
from minigrad.course.showing import render

FILE = "my_engine.py"
# The milestones in the order of the course: where each is asked, and up to which one the reference is enough to begin it.
CHAPTERS = {"M1": "02", "M2": "04", "M3": "07", "M5": "09", "M4": "11, 13", "M6": "12", "M7": "15"}
BEFORE = {"M2": "M1", "M3": "M2", "M5": "M3", "M4": "M3", "M6": "M5", "M7": "M6"}
Row = tuple[str, str, str, str, bool]  # milestone, title, chapter, a mark for each fact, whether the file has changed since


def file() -> Path:
    """Where a learner's engine is, or will be."""
    return record.work() / FILE


def reference(upto: str) -> str:
    """The text of an engine that is green up to a milestone, M1 to M7. LookupError when there is no such milestone.

    Up to M5 it has M4 as well: double backward switches recording on, and hooks come with that.
    """
    if upto not in CHAPTERS:
        raise LookupError(f"There is no engine up to {upto!r}. There is one for each of {', '.join(sorted(CHAPTERS))}.")
    from minigrad.course import bank

    answer = bank.exercises("16")[f"16.{upto[1:]}"].reference()
    return Path(answer).read_text(encoding="utf-8")


def note(path: Path, findings: dict[str, list[Finding]]) -> None:
    """Record which facts of whole milestones are green, when the engine is the one in work/."""
    try:
        mine, digest = path.samefile(file()), zlib.crc32(path.read_bytes())
    except OSError:
        return
    whole = {name: row for name, row in findings.items() if name in CHAPTERS and len(row) == len(facts.facts(name))}
    if mine and whole:
        marks = {name: ["".join("✓" if f.green else "✗" for f in row), digest] for name, row in whole.items()}
        record.update(lambda r: r.update(engine=_known(r) | marks))


def _known(r: dict[str, Any]) -> dict[str, Any]:
    known = r.get("engine")
    return known if isinstance(known, dict) else {}


def rows() -> list[Row]:
    """What the board has last shown of each milestone, in the order of the course. Empty when no engine has been begun."""
    path, known = file(), _known(record.read())
    if not path.is_file() or (not known and blank(path)):
        return []
    digest = zlib.crc32(path.read_bytes())
    found = []
    for name, chapter in CHAPTERS.items():
        match known.get(name):
            case [str(marks), int(then)]:
                found.append((name, facts.MILESTONES[name], chapter, marks, then != digest))
            case _:
                found.append((name, facts.MILESTONES[name], chapter, "", False))
    return found


NOT_BEGUN = f'Your engine is not begun. It grows from chapter 02 on: `start("16")` lays `{FILE}` into `work/`.'


def progress_text() -> str:
    """The board of one's own engine, for a terminal."""
    found = rows()
    if not found:
        return NOT_BEGUN.replace("`", "")
    lines = [f"Your engine, {FILE}"]
    for name, title, chapter, marks, changed in found:
        lines.append(f"  {name} {title:<22} chapter {chapter:<7} {_count(marks, changed)}" + (f"  {marks}" if marks else ""))
    return "\n".join(lines)


def progress_html() -> str:
    """The same for a notebook."""
    found = rows()
    if not found:
        return f"<p>{render.inline(NOT_BEGUN)}</p>"
    cells = [
        f'<tr><td style="text-align:left"><b>{name}</b> {html.escape(title)}</td><td style="text-align:left">chapter {chapter}</td>'
        f"<td>{render.bar_html(marks.count('✓'), len(marks) or 1)}</td>"
        f'<td style="text-align:left">{_count(marks, changed)}</td></tr>'
        for name, title, chapter, marks, changed in found
    ]
    return f"<p><b>Your engine</b>, <code>{FILE}</code></p><table>{''.join(cells)}</table>"


def _count(marks: str, changed: bool) -> str:
    if not marks:
        return "not run yet"
    return f"{marks.count('✓')} of {len(marks)} green" + (", before your last change" if changed else "")


def missing(milestone: str) -> str:
    """What to say to somebody who has no engine, and asks for the facts of a milestone."""
    before = BEFORE.get(milestone)
    text = f"You have no {FILE} yet. `start(\"16\")` lays an empty one into `work/`."
    return text + (f' `start("16", upto="{before}")` lays one there that can do {_all_up_to(before)}.' if before else "")


def _all_up_to(milestone: str) -> str:
    return "M1 already" if milestone == "M1" else f"M1 to {milestone} already"
