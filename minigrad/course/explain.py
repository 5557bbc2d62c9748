"""`explain`: what a message of the engine means, what to do, and where the course teaches it."""

from __future__ import annotations

import functools
import re
import sys
from typing import Any

from minigrad import errors
from minigrad.course import record, render
from minigrad.course.messages import AREAS, Message


@functools.cache
def entries() -> dict[str, Message]:
    """All messages by name."""
    return {message.name: message for messages in AREAS.values() for message in messages}


def wording(message: Message) -> str:
    """The message as the engine words it, with {} for what changes."""
    return message.text or getattr(errors, message.name)


@functools.cache
def _patterns() -> list[tuple[re.Pattern[str], Message]]:
    """What finds each message in a text, those with most words of their own first."""
    found = []
    for message in entries().values():
        pieces = re.split(r"(\{\{|\}\}|\{[^{}]*\})", wording(message).strip())
        fixed = [piece for piece in pieces if not piece.startswith("{") or piece == "{{"]
        pattern = "".join({"{{": r"\{", "}}": r"\}"}.get(p) or (".*?" if p.startswith("{") else re.escape(p)) for p in pieces)
        found.append((sum(map(len, fixed)), re.compile(pattern, re.DOTALL), message))
    return [(pattern, message) for _, pattern, message in sorted(found, key=lambda row: -row[0])]


def find(text: str) -> Message | None:
    """The message with this name, or the one whose wording is in the text."""
    named = entries().get(text.strip().upper().replace(" ", "_"))
    return named or next((message for pattern, message in _patterns() if pattern.search(text)), None)
