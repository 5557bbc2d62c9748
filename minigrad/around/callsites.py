"""Where in a program an operation was called, for errors that name the line.

A *site* is a code object and the number of an instruction in it: cheap to keep, and it holds no frame alive. File and line are
worked out when somebody asks.
"""

from __future__ import annotations

import itertools
import os
import sys
from types import CodeType, FrameType
from typing import Any

from ..core import walk
from ..core.seams import seams, state

_ENGINE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_USERS = tuple(_ENGINE + room + os.sep for room in ("course", "viz"))  # these use the engine as anybody does

Site = tuple[CodeType, int]  # a place in a program: a code object and an instruction in it


class _Inside(dict):
    """Whether a file is one of the engine's, worked out once per file: an operation has no time for string comparison."""

    def __missing__(self, filename: str) -> bool:
        inside = self[filename] = filename.startswith(_ENGINE) and not filename.startswith(_USERS)
        return inside


inside = _Inside()
WALK = walk.run.__code__


def caller(depth: int = 2) -> Site:
    """Where the engine was called from: the nearest frame outside it, without keeping that frame alive.

    depth: how many frames, at least, are the engine's.
    """
    frame = sys._getframe(depth)
    code = frame.f_code
    while inside[code.co_filename] and frame.f_back is not None:
        if code is WALK and state.walk.site is not None:  # in a rule: whoever asked for the walk is known
            return state.walk.site
        frame = frame.f_back
        code = frame.f_code
    return code, frame.f_lasti


def inside_engine(frame: FrameType) -> bool:
    """Whether a frame runs the engine's own code."""
    return inside[frame.f_code.co_filename]


def line_of(site: Site | None) -> tuple[str, int] | None:
    """File and line of a site. Worked out only when somebody asks, which is why recording one is cheap."""
    if site is None:
        return None
    code, instruction = site
    lines = next(itertools.islice(code.co_positions(), instruction // 2, None), (None,))
    return code.co_filename, lines[0] or code.co_firstlineno


def describe(site: Site | None) -> str:
    """``file.py, line 3: y.add_(1)`` or, in a notebook, ``cell, line 3: y.add_(1)``."""
    place = line_of(site)
    if place is None:
        return "an unknown place"
    import linecache  # only when an error is being written

    filename, number = place
    text = linecache.getline(filename, number).strip()
    in_cell = filename.startswith("<ipython-input") or f"{os.sep}ipykernel_" in filename
    return f"{'notebook cell' if in_cell else filename}, line {number}" + (f": {text}" if text else "")


seams.site = caller  # type: ignore[method-assign]
