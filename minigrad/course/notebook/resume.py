"""`resume`: how far the chapters are that are begun, and where to continue."""

from __future__ import annotations

import html
from typing import Any

from minigrad.course import bank, record
from minigrad.course.notebook.check import progress_rows
from minigrad.course.notebook.start import address, copy_of, lesson
from minigrad.course.showing import render


def resume() -> None:
    """Show a bar for each chapter that is begun, and say where you were."""
    rows, opened = _marks(), record.read()["started"]
    words, links = next_step(rows)
    lines, cells = [], []
    for number, marks in rows.items():
        if number not in opened and not _tried(marks):
            continue
        done = sum(mark == "✓" for mark, _, _ in marks)
        bar, title = render.bar(done, len(marks)), bank.chapter_title(number)
        lines.append(f"{number} {bar} {done} of {len(marks)}  {title}")
        shown = html.escape(f"{number} · {title}")
        path = lesson(number)
        name = f'<a href="{html.escape(address(path))}">{shown}</a>' if path else shown
        cells.append(
            f'<tr><td style="text-align:left">{name}</td><td><code>{render.bar(done, len(marks), 10)}</code></td>'
            f'<td style="white-space:nowrap">{done} of {len(marks)}</td></tr>'
        )
    offered = " · ".join(f'<a href="{html.escape(target)}">{html.escape(text)}</a>' for text, target in links)
    told = f"<p><b>{html.escape(words)}</b> {offered}</p>"
    render.show(f"<table>{''.join(cells)}</table>{told}", "\n".join([*lines, words]))


def _marks() -> dict[str, Any]:
    """The marks of the exercises, by chapter."""
    return {number: row["marks"] for number, row in zip(bank.chapters(), progress_rows(), strict=True)}


def next_step(rows: dict[str, Any] | None = None) -> tuple[str, list[tuple[str, str]]]:
    """What to do now, and links (text, target) to it."""
    rows, known = rows or _marks(), record.read()
    tried = [number for number, marks in rows.items() if _tried(marks)]
    begun = [number for number in rows if number in known["started"]]
    latest = str(known.get("latest", "")).split(".")[0]
    if latest not in rows and not tried and not begun:
        first = next(iter(rows))
        return f"You have not begun yet: chapter {first} is the place.", _links(first, exercises=False)
    here = latest if latest in rows else (tried or begun)[-1]
    where = f"You were in chapter {here}." if here in tried else f"You have opened the exercises of chapter {here}."
    if left := _open_ones(rows[here]):
        return f"{where} Next: {left[0]}.", _links(here)
    ahead = [number for number in [*(n for n in rows if n > here), *(n for n in rows if n < here)] if _open_ones(rows[number])]
    if not ahead:
        return "You have solved everything that is here.", []
    return f"You have solved all of chapter {here}. Next: chapter {ahead[0]}.", _links(ahead[0], exercises=False)


def _tried(marks: Any) -> bool:
    return any(mark != "○" for mark, _, _ in marks)


def _open_ones(marks: Any) -> list[str]:
    return [f"{id_} {title}" for mark, id_, title in marks if mark != "✓"]


def _links(chapter: str, exercises: bool = True) -> list[tuple[str, str]]:
    links = []
    if path := lesson(chapter):
        links.append(("the lesson", address(path)))
    try:
        copy = copy_of(chapter)
    except LookupError:  # started outside of the folder of the course
        return links
    return [("your exercises", address(copy)), *links] if exercises and copy.exists() else links
