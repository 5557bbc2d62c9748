"""The picture of an error: found from the frames that its traceback holds, so an error that nobody draws costs nothing."""

from __future__ import annotations

import sys
from types import FrameType, TracebackType
from typing import Any

from ..errors import MoreNote
from ..frames import is_engine, short
from .drawing import Drawing, draw
from .names import tensors_of
from .peek import Node, Tensor
from .versions import timeline

MOST_NODES = 24
KINDS = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)  # of the engine's errors
_drawn = True


def draw_errors(drawn: bool = True) -> None:
    """Draw errors below their tracebacks in notebooks; with False do not."""
    global _drawn
    _drawn = drawn


def show(shell: Any, kind: type[BaseException], error: BaseException, trace: TracebackType, tb_offset: int | None = None) -> None:
    """What a notebook shows of an error: the traceback, and its picture below. No trouble with the picture is an error of its own."""
    shell.showtraceback((kind, error, short(error, trace)), tb_offset=tb_offset)
    sys.last_traceback = trace  # for %debug
    try:
        if _drawn and (picture := picture_of(error, trace)) is not None:
            from IPython.display import display

            held_back = getattr(shell, "_last_traceback", None)
            if isinstance(held_back, dict):  # JupyterLite's kernel sends it when the cell has ended, which would be below the picture
                print("\n".join(held_back["traceback"]), file=sys.stderr)
                held_back["traceback"] = [f"{kind.__name__}: told above, and drawn"]
            display(picture)
    except Exception:
        return


def picture_of(error: BaseException, trace: TracebackType | None) -> Drawing | None:
    """What went wrong, drawn with the names of who called the engine; None for an error that no picture explains.

    Overwritten saved values: the timeline of their versions. Freed ones: the graph, with the node where the pass stopped
    marked. An input that was not used: the graph, and the input beside it.
    """
    message = next((note.about for note in getattr(error, "__notes__", ()) if isinstance(note, MoreNote)), "")
    if message not in ("MODIFIED", "FREED", "INPUT_UNUSED"):
        return None
    caller, engine = _innermost_pass(trace)
    if caller is None or not engine:
        return None
    roots = next((found for frame in engine if (found := _tensors(frame.f_locals.get("roots")))), ())
    last = engine[-1].f_locals
    names = tensors_of(caller)
    if not roots:
        return None
    if message == "MODIFIED":
        return timeline(*roots, names=names)
    if message == "FREED":
        node = last.get("node")
        mark = [node] if isinstance(node, Node) else []
        return draw(*roots, view="keep", names=names, mark=mark, max_nodes=MOST_NODES, saved=True)
    unused = _tensors((last.get("tensor"),))
    return draw(*roots, *unused, view="see", names=names, mark=unused, max_nodes=MOST_NODES) if unused else None


def _innermost_pass(trace: TracebackType | None) -> tuple[FrameType | None, list[FrameType]]:
    """The last frame that is not the engine's, and the engine's below it."""
    caller: FrameType | None = None
    engine: list[FrameType] = []
    while trace is not None:
        if is_engine(trace.tb_frame):
            engine.append(trace.tb_frame)
        else:
            caller, engine = trace.tb_frame, []
        trace = trace.tb_next
    return caller, engine


def _tensors(things: object) -> tuple[Tensor, ...]:
    """The same as a tuple, if all are tensors; else none."""
    found = tuple(things) if isinstance(things, (tuple, list)) else ()
    return found if all(isinstance(thing, Tensor) for thing in found) else ()
