"""A time limit for code that may never end, or that catches the exception that should end it.

Three ways to notice that the time is over: an interval timer (main thread), a watchdog thread that raises in the
running thread, and, where there are neither signals nor threads (a kernel in the browser), a trace function.
None of them can interrupt a single long call into C, nor code that is bent on catching every exception and keeping it.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

try:
    import ctypes

    _raise_in_thread: Any = ctypes.pythonapi.PyThreadState_SetAsyncExc
    _raise_in_thread.argtypes = [ctypes.c_ulong, ctypes.py_object]
except (ImportError, AttributeError):  # pragma: no cover - a Python without ctypes
    _raise_in_thread = None

T = TypeVar("T")
TICK = 0.05  # seconds between two attempts to stop a call whose time is over


class TimeLimit(BaseException):
    """The time is over. Not an Exception, so that `except Exception` does not catch it."""


def run_limited(function: Callable[[], T], seconds: float, way: str | None = None) -> T:
    """`function()`, or TimeLimit when it took longer. A real Ctrl-C comes out as KeyboardInterrupt.

    Args:
        way: "timer", "watchdog" or "trace"; by default the first of them that works here.
    """
    watch = _Watch(seconds)
    value: Any = None
    error: BaseException | None = None
    # A last TimeLimit may arrive after the call has ended; the outer try is there for it. There is at most one, since
    # a new one is raised only while the thread is inside of the call.
    try:
        try:
            watch.start(way or _best_way())
            value = watch.call(function)
        except BaseException as caught:
            error = caught
        watch.over = True
        watch.stop()
    except TimeLimit:
        watch.over = True
        watch.stop()
    if watch.interrupted:
        raise KeyboardInterrupt
    if watch.expired:
        raise TimeLimit
    if error is not None:
        raise error
    return value


def _best_way() -> str:
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        return "timer"
    return "trace" if sys.platform == "emscripten" or _raise_in_thread is None else "watchdog"


class _Watch:
    """One limited call."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.over = self.expired = self.interrupted = False
        self.thread = threading.get_ident()
        self.frame: FrameType | None = None  # everything below this frame belongs to the call
        self.lock = threading.Lock()  # held while the watchdog raises
        self.ended = threading.Event()
        self.undo = contextlib.ExitStack()
        self.error = type("TimeLimit", (TimeLimit,), {"__del__": lambda error: self.insist()})

    def call(self, function: Callable[[], T]) -> T:
        self.frame = sys._getframe()
        return function()

    def contains(self, frame: FrameType | None) -> bool:
        while frame is not None and frame is not self.frame:
            frame = frame.f_back
        return frame is not None

    def start(self, way: str) -> None:
        self.undo.callback(sys.settrace, sys.gettrace())
        if threading.current_thread() is threading.main_thread():
            self._catch_interrupt()
        if way == "timer":
            self._start_timer()
        elif way == "watchdog":
            try:
                threading.Thread(target=self._watchdog, daemon=True).start()
            except RuntimeError:  # no thread can be started here
                self._start_trace()
        else:
            self._start_trace()

    def stop(self) -> None:
        """Put everything back; may be called again when the first call was cut short."""
        self.ended.set()
        with self.lock:  # the watchdog is not about to raise, and never will again; what it raised comes out here
            pass
        self.undo.close()
        self.frame = None
        if "__del__" in vars(self.error):  # one that is still around is collected any time: a Ctrl-C would be lost in there
            type.__delattr__(self.error, "__del__")

    def insist(self) -> None:
        """Raise again at the call's next line: an answer that swallows the exception drops it, and that is now.

        The line after an `except BaseException: pass` is outside of its `try`, so there it gets out.
        """
        frame: FrameType | None = sys._getframe(1)
        if self.over or not self.contains(frame):
            return
        while frame is not self.frame and frame is not None:
            frame.f_trace = self._raise
            frame = frame.f_back
        sys.settrace(self._raise)

    def _raise(self, frame: FrameType, event: str, arg: object) -> Any:
        if self.over or frame.f_code.co_filename == __file__:
            return None
        raise self.error  # Python switches a trace function off when it raises

    def _start_timer(self) -> None:
        def expire(signum: int, frame: FrameType | None) -> None:
            if self.contains(frame):
                self.expired = True
                raise self.error

        started = time.monotonic()
        old_handler = signal.signal(signal.SIGALRM, expire)
        old_delay, old_interval = signal.setitimer(signal.ITIMER_REAL, self.seconds, TICK)

        def restore() -> None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL if old_handler is None else old_handler)
            if old_delay:  # somebody else's timer goes on; one that is overdue fires at once
                left = max(old_delay - (time.monotonic() - started), 1e-6)
                signal.setitimer(signal.ITIMER_REAL, left, old_interval)

        self.undo.callback(restore)

    def _watchdog(self) -> None:
        pause = self.seconds
        while not self.ended.wait(pause):
            pause = TICK
            with self.lock:
                if self.over:
                    return
                if self.contains(sys._current_frames().get(self.thread)):  # not before the call, nor after it
                    self.expired = True
                    _raise_in_thread(self.thread, self.error)

    def _start_trace(self) -> None:
        deadline = time.monotonic() + self.seconds

        def trace(frame: FrameType, event: str, arg: object) -> Any:
            if frame.f_code.co_filename == __file__:
                return None
            if time.monotonic() > deadline and not self.over and self.contains(frame):
                self.expired = True
                raise self.error
            return trace

        sys.settrace(trace)

    def _catch_interrupt(self) -> None:
        """Tell a real Ctrl-C from an answer that raises KeyboardInterrupt, and keep the answer from swallowing it."""
        old = signal.getsignal(signal.SIGINT)
        if not callable(old):
            return

        def interrupt(signum: int, frame: FrameType | None) -> None:
            if not self.contains(frame):
                old(signum, frame)
                return
            self.interrupted = True
            raise self.error

        self.undo.callback(signal.signal, signal.SIGINT, old)
        signal.signal(signal.SIGINT, interrupt)
