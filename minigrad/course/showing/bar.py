"""A progress bar in plain text. Its last state is the same on every run: it shows how far, and never how fast."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from minigrad.course.showing.render import in_notebook

Item = TypeVar("Item")
WIDTH = 24


def track(items: Sequence[Item], label: str = "", note: Callable[[], str] | None = None) -> Iterator[Item]:
    """Give the items one after the other, and show below the cell how many are done.

    note: called when an item is done; its text stands behind the bar. A loop that is left early leaves the bar where it was.

    >>> for epoch in track(range(3), "epochs"):
    ...     pass
    epochs ████████████████████████ 3/3
    """
    done, said, width = 0, "", 0
    try:
        for item in items:
            width = _write_over(bar(done, len(items), label, said), width)
            yield item
            done, said = done + 1, note() if note is not None else ""
    finally:
        _write_over(bar(done, len(items), label, said), width, last=True)


def bar(done: int, total: int, label: str = "", note: str = "") -> str:
    """One line: label, bar, count, note.

    >>> bar(3, 4, "epochs", "loss 0.12")
    'epochs ██████████████████······ 3/4 · loss 0.12'
    """
    full = WIDTH * done // total if total else WIDTH
    parts = [label, "█" * full + "·" * (WIDTH - full), f"{done}/{total}"]
    return " ".join(filter(None, parts)) + (f" · {note}" if note else "")


def _write_over(line: str, before: int, last: bool = False) -> int:
    """Write a line over one that was `before` wide. Where nothing can be written over, only the last line is written."""
    alive = in_notebook() or sys.stdout.isatty()
    if alive or last:
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"  # a stream of str takes everything
        text = line.ljust(before if alive else 0).encode(encoding, "replace").decode(encoding)
        print("\r" * alive + text, end="\n" * last, flush=True)
    return len(line)
