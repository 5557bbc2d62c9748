"""Write what the pages for teachers take from the chapters and the bank.

docs/teachers.md and docs/teachers/NN.md are written by hand, but for what stands between `<!-- made: … -->` and
`<!-- end -->`: a chapter's card, its exercises, and the mistakes that the checker knows with what it says to them.
`tools/build.py` calls this, and its `--check` compares.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

PARTS = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def pages(root: Path) -> dict[Path, str]:
    """Every page for teachers with its made parts as they should be."""
    paths = [root / "docs" / "teachers.md", *sorted((root / "docs" / "teachers").glob("[0-9][0-9].md"))]
    return {path: renewed(root, path) for path in paths if path.exists()}


def renewed(root: Path, path: Path) -> str:
    makers = {"chapters": chapters, "card": card, "exercises": exercises, "mistakes": mistakes}
    number = path.stem
    return PARTS.sub(
        lambda part: part[1] + (makers[part[2]](root, number) or "This chapter is not here yet.") + "\n" + part[3],
        path.read_text(encoding="utf-8"),
    )


def bank_of(number: str) -> dict[str, Any]:
    from minigrad.course import bank

    return dict(bank.exercises(number)) if number in bank.chapters() else {}


def source_of(root: Path, number: str) -> Path | None:
    return next(iter(sorted((root / "chapters").glob(f"{number}-*.py"))), None)


def title_of(source: Path) -> str:
    found = re.search(r"^# # (.*)$", source.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else source.stem


CARD = ("Time", "You need", "You will", "If short of time")


def fields(root: Path, number: str) -> dict[str, str]:
    """The card at the top of a lesson: a table in some chapters, a list in others."""
    source = source_of(root, number)
    if source is None:
        return {}
    text = re.sub(r"^# ?", "", source.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {}
    for name in CARD:
        row = re.search(rf"^\| \*\*{name}\*\* \| (.*) \|$", text, re.MULTILINE)
        item = re.search(rf"^[*-] \*\*{name}:?\*\* (.*(?:\n  .*)*)", text, re.MULTILINE)
        if row or item:
            found[name] = " ".join((row or item)[1].split())  # type: ignore[index]
    return found


def card(root: Path, number: str) -> str:
    """Minutes, prerequisites, objectives, and the short form, as the lesson says them."""
    source = source_of(root, number)
    if source is None:
        return ""
    names = {"Time": "Time", "You need": "Needs", "You will": "Objectives: learners will", "If short of time": "Short form"}
    lines = [f"- **{names[name]}:** {text}" for name, text in fields(root, number).items()]
    return "\n".join([f"[{title_of(source)}](../../notebooks/{source.stem}.ipynb)", "", *lines])


def exercises(root: Path, number: str) -> str:
    """The exercises with difficulty, minutes and points."""
    found = bank_of(number).values()
    if not found:
        return ""
    rows = [f"| {e.id} {e.title}{' (extra)' * e.extra} | {e.difficulty} of 5 | {e.minutes} min | {e.points} |" for e in found]
    asked = [e for e in found if not e.extra]
    minutes, points = sum(e.minutes for e in asked), sum(e.points for e in asked)
    everything = "all" if len(asked) == len(found) else "all but the extras"
    head = ["| Exercise | Difficulty | Time | Points |", "|:--|:--|--:|--:|"]
    return "\n".join([*head, *rows, f"| {everything} | | {minutes} min | {points} |"])


def mistakes(root: Path, number: str) -> str:
    """By exercise, the mistakes that the checker knows, and what it says to them."""
    from minigrad.course.judge import judge

    parts = []
    for e in bank_of(number).values():
        names = defaultdict(list)
        for name, mistake in (e.mistakes | e.wasteful).items():
            passes = name in e.wasteful and (not e.musts or judge(e, mistake.answer).passed)
            names[one_line(mistake.hint)].append(name + " (passes with this note)" * passes)
        parts += [f"### {e.id} {e.title}", "\n".join(f"- **{'; '.join(who)}.** {hint}" for hint, who in names.items())]
    return "\n\n".join(parts)


def one_line(hint: str) -> str:
    """A hint without its blocks of code, in one line."""
    return " ".join(re.sub(r"```.*?```", "", hint, flags=re.DOTALL).split())


def chapters(root: Path, number: str) -> str:
    """All chapters with minutes, and how many mistakes the checker knows."""
    rows = []
    for page in sorted((root / "docs" / "teachers").glob("[0-9][0-9].md")):
        chapter = page.stem
        source, entries = source_of(root, chapter), bank_of(chapter).values()
        if source is None:
            continue
        lesson = re.search(r"(\d+) minutes", fields(root, chapter).get("Time", ""))
        rows.append(
            f"| [{title_of(source)}](teachers/{chapter}.md) | {lesson[1] + ' min' if lesson else ''} | "
            f"{sum(e.minutes for e in entries if not e.extra)} min | {len(entries)} | {sum(len(e.mistakes) for e in entries)} |"
        )
    return "\n".join(["| Chapter | Lesson | Exercises | | Known mistakes |", "|:--|--:|--:|--:|--:|", *rows])


def write(root: Path) -> list[str]:
    """Renew the pages; returns what has changed."""
    changed = []
    for path, text in pages(root).items():
        if path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(f"wrote {path.relative_to(root).as_posix()}")
    return changed


def stale(root: Path) -> list[str]:
    """The pages whose made parts are not what the chapters and the bank give."""
    return [
        path.relative_to(root).as_posix()
        for path, text in pages(root).items()
        if path.read_text(encoding="utf-8") != text
    ]
