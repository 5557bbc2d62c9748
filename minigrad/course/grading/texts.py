"""Texts that came from a student: made writable here, and nowhere else, before anything is done with them.

A name of a file may be no Unicode, a notebook or a reply may hold half a character, a text may hold signs that turn
a line of a report around. Needs the standard library alone: the sandbox uses it too.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from typing import Any

LONGEST_NAME = 120  # bytes: a name becomes a part of names of files
# Control characters but line ends and tabs, what is not seen, or changes the direction of writing, halves of characters, none.
_BAD = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def writable(text: str) -> str:
    """The text with a sign in the place of everything that cannot be written, or that hides what is written."""
    return _BAD.sub("\N{REPLACEMENT CHARACTER}", text)


def loads(data: bytes) -> Any:
    """JSON, in which no text has halves of characters. ValueError or RecursionError where it is none."""
    made = json.loads(data.decode("utf-8-sig", "replace"))
    if rb"\ud" in data.lower():  # halves of characters come only as escapes
        made = json.loads(json.dumps(made, ensure_ascii=False).encode("utf-8", "replace"))
    return made


def cell(text: str) -> str:
    """A text in a table. A spreadsheet must not take it for a formula, wherever it splits lines; a number is none, and stays."""
    text = re.sub(r"\s*[\r\n]\s*", " ", text)  # a line for each student
    text = re.sub(r"([;|\t][\s\"']*)(?=[=+\-@])", r"\1'", text)
    return "'" + text if text.startswith(tuple("=+-@\t\r")) and not re.fullmatch(r"[+-]?\d+([.,]\d+)?", text) else text


def clean(made: Any) -> Any:
    """Data of lists, dicts and texts, with every text in it writable."""
    if isinstance(made, str):
        return writable(made)
    if isinstance(made, dict):
        return {clean(key): clean(value) for key, value in made.items()}
    return [clean(item) for item in made] if isinstance(made, list | tuple) else made


def name(given: str) -> str:
    """The name of a file or folder: its Unicode composed, one line, and no longer than other systems' names may be."""
    try:
        given.encode()
    except UnicodeEncodeError:  # bytes of the disk that are no UTF-8: old Windows archives have Latin-1
        given = os.fsencode(given).decode("latin-1") if all(not 0xD800 <= ord(c) < 0xDC80 for c in given) else given
    if len(given) > 300:  # longer than any system's, and composing it might take the square of the time
        given = given[:200] + hashlib.sha256(given.encode(errors="surrogatepass")).hexdigest() + given[-8:]
    composed = unicodedata.normalize("NFC", given) or "�"
    text = re.sub(r"[\t\r\n/]", " ", writable(composed)).strip() or "�"
    if text == composed and len(text.encode()) <= LONGEST_NAME:
        return text
    mark = hashlib.sha256(composed.encode(errors="surrogatepass")).hexdigest()[:8]  # two such names may begin alike
    stem, dot, suffix = text.rpartition(".")
    stem, suffix = (stem, dot + suffix) if dot and len(suffix.encode()) <= 8 else (text, "")
    return stem.encode()[: LONGEST_NAME - 20].decode(errors="ignore") + "~" + mark + suffix


def count(n: int, thing: str) -> str:
    """So many of a thing, in words: "1 day", "2 days"."""
    return f"{n} {thing}{'s' * (n != 1)}"
