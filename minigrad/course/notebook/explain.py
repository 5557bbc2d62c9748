"""`explain`: what a message of the engine means, what to do, and where the course teaches it."""

from __future__ import annotations

import functools
import re
import sys

from minigrad import errors
from minigrad.course.notebook.messages import AREAS, Message
from minigrad.course.notebook.start import address, lesson
from minigrad.course.showing import render

PAGE = "91-messages.ipynb"


def explain(message: str | BaseException | None = None) -> None:
    """Say what a message means, what to do, and where to read more.

    message: an error, its text or a part of it, or the name that a note gives. Left out: the last error that was shown.
    """
    if message is None:
        message = getattr(sys, "last_value", None)
        if message is None:
            return render.show_markdown("No error was shown yet. Give its text: `explain(\"does not require grad\")`.")
    found = [m] if (m := find(str(message))) else search(str(message)) if isinstance(message, str) else []
    if not found:
        return render.show_markdown(
            f"This message is not of minigrad's engine, so it is not explained here. All that are stand in `notebooks/{PAGE}`."
        )
    if len(found) > 1:
        rows = "\n".join(f"- `{m.name}`: {shortened(m)}" for m in found[:10])
        return render.show_markdown(f"Several messages have these words. Give more of the text, or a name:\n\n{rows}")
    return render.show_markdown(told(found[0], _chapter_link(found[0].chapter)))


@functools.cache
def entries() -> dict[str, Message]:
    """All messages by name."""
    return {message.name: message for messages in AREAS.values() for message in messages}


def wording(message: Message) -> str:
    """The message as the engine words it, with {} for what changes."""
    return getattr(errors, message.name)


def shown(message: Message) -> str:
    """The wording for people: … for what changes."""
    braces = {"{{": "{", "}}": "}"}
    text = re.sub(r"\{\{|\}\}|\{[^{}]*\}", lambda piece: braces.get(piece[0], "…"), wording(message))
    return " ".join(text.split())


def shortened(message: Message, width: int = 80) -> str:
    """The beginning of the wording, without marks that Markdown would read."""
    text = shown(message).replace("`", "")
    return text if len(text) <= width else text[:width].rsplit(" ", 1)[0] + " …"


def pattern_of(wording: str) -> re.Pattern[str]:
    """What finds a message in a text, whatever stands at its {}."""
    pieces = re.split(r"(\{\{|\}\}|\{[^{}]*\})", wording.strip())
    braces = {"{{": r"\{", "}}": r"\}"}
    return re.compile(
        "".join(braces.get(p) or (".*?" if p.startswith("{") else re.escape(p)) for p in pieces), re.DOTALL
    )


@functools.cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Name and pattern of every message, the longest first: where several fit, it says most."""
    return [(name, pattern_of(text)) for name, text in sorted(errors.messages().items(), key=lambda item: -len(item[1]))]


def name_of(text: str) -> str | None:
    """What the message that a text begins with, or else holds, is called here."""
    begins = (name for name, pattern in _patterns() if pattern.match(text))
    holds = (name for name, pattern in _patterns() if pattern.search(text))
    return next(begins, None) or next(holds, None)


def find(text: str) -> Message | None:
    """The message with this name, or the one whose wording is in the text."""
    if named := entries().get(text.strip()):
        return named
    name = name_of(text)
    return entries()[name] if name else None


def search(words: str) -> list[Message]:
    """The messages that have these words, in this order."""
    wanted = " ".join(words.split()).lower()
    return [m for m in entries().values() if wanted and wanted in " ".join(wording(m).split()).lower()]


def told(message: Message, chapter: str, level: str = "") -> str:
    """A message with its cause, its cure and its example, as Markdown."""
    heading = shortened(message).replace("<", "&lt;") if level else ""
    whole = shown(message).replace("*", r"\*")
    parts = [
        f"{level} {heading}" if level else "",
        f"> {whole}" if whole != heading else "",
        f"**Why.** {message.why}",
        f"**A program that gets it.**\n\n```python\n{message.example}\n```",
        f"**What to do.** {message.fix}",
        chapter and f"**Read more:** {chapter}",
    ]
    return "\n\n".join(part for part in parts if part)


def _chapter_link(chapter: str) -> str:
    if not chapter:
        return ""
    path = lesson(chapter)
    return f"[chapter {chapter}]({address(path)})" if path else f"chapter {chapter}"


def _link_beside(chapter: str) -> str:
    path = lesson(chapter) if chapter else None
    return f"[chapter {chapter}]({path.name})" if path else ""


def page() -> list[str]:
    """The page of all messages: Markdown, a list of areas and then a text for each area."""
    areas = "\n".join(f"- [{area}](#{area.replace(' ', '-')})" for area in AREAS)
    texts = [f"## What it is about\n\n{areas}"]
    for area, messages in AREAS.items():
        texts.append("\n\n".join([f"## {area}", *(told(m, _link_beside(m.chapter), "###") for m in messages)]))
    return texts
