"""Tracebacks without the engine's own frames: the learner's line and the sentence stand first.

When an error of ours is made, the frames between it and the program are marked with a name that IPython and pytest know, and
skip: `__tracebackhide__`. Plain Python knows no such mark, so there a hook leaves these frames out when the program ends
with the error. Nothing is lost: `show_frames()` brings them back, and `error.__traceback__` has them at any time.

In a notebook, errors that a picture explains are drawn below their traceback, by `viz.failures`.
"""

from __future__ import annotations

import sys
import traceback
from types import FrameType, TracebackType
from typing import Any

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
    _attach()
    if not _hidden:
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_engine(frame):
            frame.f_locals[_MARK] = True
        frame = frame.f_back
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _print


def is_engine(frame: FrameType) -> bool:
    """Whether a frame runs code of the engine."""
    name = frame.f_globals.get("__name__", "")
    return name.startswith("minigrad.") and not name.startswith(_OTHERS)


def _attach() -> None:
    """Ask a notebook's shell to call us for errors of our kinds. Who has asked before keeps the place; terminals have no kernel."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if hasattr(shell, "kernel") and not shell.custom_exceptions:
        from .viz import failures

        shell.set_custom_exc(failures.KINDS, failures.show)


def _print(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What Python prints of an error that ends a program."""
    traceback.print_exception(kind, error, short(error, trace))


def short(error: BaseException, trace: TracebackType | None) -> TracebackType | None:
    """The traceback without marked frames. An error that the engine met on the way, and that never left it, is not told."""
    kept, met = _unmarked(trace), error.__context__
    if len(kept) < len(list(traceback.walk_tb(trace))) and met is not None and not _unmarked(met.__traceback__):
        error.__suppress_context__ = True
    told = None
    for step in reversed(kept):
        told = TracebackType(told, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return told


def _unmarked(trace: TracebackType | None) -> list[TracebackType]:
    kept = []
    while trace is not None:
        if not trace.tb_frame.f_locals.get(_MARK):
            kept.append(trace)
        trace = trace.tb_next
    return kept


errors.when_made.append(hide_frames)
