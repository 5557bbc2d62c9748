"""A traceback as a learner reads it: their own frames, and nothing that changes from run to run."""

from __future__ import annotations

import ast
import linecache
import re
import traceback
import types
from pathlib import Path

import numpy as np

import minigrad

_PACKAGE = str(Path(minigrad.__file__).parent)
_LIBRARIES = (_PACKAGE, str(Path(np.__file__).parent), str(Path(ast.__file__).parent))
_CELL = re.compile(r"ipykernel_\d+[/\\]|^<ipython-input")
_BEGIN = r"(?<![^\s'\"(])"  # of a word: a long message without spaces is looked through once, and not once for each letter


def learner_trace(error: BaseException, text: str, limit: int = 4) -> str:
    """A short traceback: the learner's frames only, then the type, the message and the notes."""
    frames = [
        (frame.f_code, number)
        for frame, number in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith((*_LIBRARIES, "<frozen"))
    ]
    lines = [_frame(code, number) for code, number in frames[:1] + frames[max(1, len(frames) - limit + 1) :]]
    if len(frames) > limit:
        lines.insert(1, f"… {len(frames) - limit} more calls …")
    # A note may name a line of the checker's, which is none of the learner's business.
    notes = [without_places(str(note)) for note in getattr(error, "__notes__", ()) if _PACKAGE not in str(note)]
    return "\n".join([*lines, without_places(f"{type(error).__name__}: {text}"), *notes])


def _frame(code: types.CodeType, number: int) -> str:
    place = "" if _CELL.search(code.co_filename) else f"{Path(code.co_filename).name}, "
    source = linecache.getline(code.co_filename, number).strip()
    return f"{place}line {number}, in {code.co_name}" + (f":  {source}" if source else "")


def without_places(text: str) -> str:
    """A text without what changes from run to run: addresses, and folders of this machine."""
    text = re.sub(_BEGIN + r"[^\s'\"(]*ipykernel_\d+[/\\]\d+\.py", "cell", text)
    text = re.sub(_BEGIN + r"[^\s'\"(]*[/\\]([^/\\\s]+\.py)", r"\1", text)
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)
