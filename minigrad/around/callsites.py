"""Where in a program an operation was called, for errors that name the line.

The engine keeps *sites* (see core/tape.py). File and line are worked out when somebody asks.
"""

from __future__ import annotations

import itertools
import os

from ..core.tape import Site


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
