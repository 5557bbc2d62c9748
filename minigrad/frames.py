"""Tracebacks without the engine's own frames: the learner's line and the sentence stand first.

When an error of ours is made, the frames between it and the program are marked with a name that IPython and pytest know, and
skip: `__tracebackhide__`. Plain Python knows no such mark, so there a hook leaves these frames out when the program ends
with the error. Nothing is lost: `show_frames()` brings them back, and `error.__traceback__` has them at any time.
"""

from __future__ import annotations

import sys
import traceback
from types import FrameType, TracebackType

from . import errors

__all__ = ["show_frames"]

_MARK = "__tracebackhide__"
_OTHERS = ("minigrad.course", "minigrad.viz")  # they use the engine as anybody does
_hidden = True


def show_frames(shown: bool = True) -> None:
    """Show the engine's own frames in the tracebacks of errors that come from now on; with False hide them again."""
    global _hidden
    _hidden = not shown


def hide_frames() -> None:
    """Mark the engine's frames on the stack of who calls: an error is being made there."""
    if not _hidden:
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("minigrad.") and not name.startswith(_OTHERS):
            frame.f_locals[_MARK] = True
        frame = frame.f_back
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _print


def _print(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What Python prints of an error that ends a program, without marked frames."""
    kept = []
    while trace is not None:
        if not trace.tb_frame.f_locals.get(_MARK):
            kept.append(trace)
        trace = trace.tb_next
    short = None
    for step in reversed(kept):
        short = TracebackType(short, step.tb_frame, step.tb_lasti, step.tb_lineno)
    traceback.print_exception(kind, error, short)


errors.when_made.append(hide_frames)
