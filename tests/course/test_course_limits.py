"""The time limit, noticed in each of three ways, against code that ends, that never ends, and that fights back."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from minigrad.course.judging import limits
from minigrad.course.judging.limits import TimeLimit, _best_way, run_limited

LIMIT = 0.2
TIMER = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timers on this system")
WAYS = [pytest.param("timer", marks=TIMER), "watchdog", "trace"]


def loop():
    while True:
        time.sleep(0.001)


def swallow():
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(0.001)


def swallow_twice():
    while True:
        try:
            while True:
                try:  # noqa: SIM105
                    sum(range(50))
                except BaseException:
                    pass
        except BaseException:
            pass


def never_let_go():
    while True:
        try:
            time.sleep(0.001)
        finally:
            continue  # noqa: B012


def generators():
    def numbers():
        while True:
            try:  # noqa: SIM105
                yield 1
            except BaseException:
                pass

    while True:
        try:
            for _ in numbers():
                pass
        except BaseException:
            pass


def give_up_politely():
    try:
        loop()
    except BaseException:
        return "done"


HELD = []


def give_up_and_keep_it():
    try:
        loop()
    except BaseException as error:
        HELD.append(error)
        return "done"


def in_this_thread(job: Callable[[], Any]) -> Any:
    return job()


def in_another_thread(job: Callable[[], Any]) -> Any:
    box: list[Any] = []
    thread = threading.Thread(target=lambda: box.append(job()))
    thread.start()
    thread.join(20)
    assert box, "still running"
    return box[0]


def outcome(function: Callable[[], Any], way: str | None = None, limit: float = LIMIT) -> Any:
    try:
        return run_limited(function, limit, way)
    except TimeLimit:
        return TimeLimit
    except Exception as error:
        return type(error)


PLACES = [
    pytest.param("timer", in_this_thread, marks=TIMER),
    ("watchdog", in_this_thread),
    ("watchdog", in_another_thread),
    ("trace", in_this_thread),
    ("trace", in_another_thread),
]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a generator that was not let go
@pytest.mark.parametrize(("way", "place"), PLACES)
@pytest.mark.parametrize(
    "function", [loop, swallow, swallow_twice, never_let_go, generators, give_up_politely, give_up_and_keep_it]
)
@pytest.mark.sampled(6)
def test_what_does_not_end_is_ended(way: str, place: Any, function: Any) -> None:
    begin, tracing = time.monotonic(), sys.gettrace()
    assert place(lambda: outcome(function, way)) is TimeLimit
    assert time.monotonic() - begin < 10
    assert sys.gettrace() is tracing


@pytest.mark.parametrize("way", WAYS)
def test_what_ends_in_time_gives_its_value_or_its_error(way: str) -> None:
    assert run_limited(lambda: 42, 5, way) == 42
    assert outcome(lambda: 1 / 0, way) is ZeroDivisionError
    with pytest.raises(SystemExit):
        run_limited(sys.exit, 5, way)
    with pytest.raises(KeyboardInterrupt):
        run_limited(lambda: (_ for _ in ()).throw(KeyboardInterrupt), 5, way)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_arrives_late(way: str) -> None:
    """Calls that end about when the time does: either outcome is right, and no exception comes afterwards."""
    for k in range(40):
        assert outcome(lambda: time.sleep(0.01), way, limit=0.0098 + 0.00001 * k) in (None, TimeLimit)
        sum(range(1000))
    time.sleep(0.12)
    sum(range(1000))


def slowly(start: Any) -> Any:
    def begin(thread: threading.Thread) -> None:
        start(thread)
        time.sleep(0.03)

    return begin


@pytest.mark.parametrize("after", [0.0, 0.12])
def test_a_watchdog_on_a_busy_machine_raises_only_inside_of_the_call(after: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is over before the call has begun, or the thread gets no turn between its end and the watch's."""
    monkeypatch.setattr(threading.Thread, "start", slowly(threading.Thread.start))
    stop, begun = limits._Watch.stop, []
    monkeypatch.setattr(limits._Watch, "stop", lambda watch: (time.sleep(after), stop(watch)))
    assert outcome(lambda: begun.append(1), "watchdog", limit=0.01) is None and begun == [1]
    assert outcome(loop, "watchdog", limit=0.01) is TimeLimit
    time.sleep(0.12)
    sum(range(1000))


@TIMER
def test_somebody_elses_timer_goes_on() -> None:
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(time.monotonic()))
    try:
        begin = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        assert outcome(loop, "timer", 0.1) is TimeLimit
        left, _ = signal.getitimer(signal.ITIMER_REAL)
        assert 0.1 < left < 0.45
        time.sleep(0.6)
        assert len(rung) == 1 and 0.4 < rung[0] - begin < 0.8
        # One that should have rung in between rings when the call is over.
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        outcome(loop, "timer", 0.15)
        time.sleep(0.05)
        assert len(rung) == 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.full
def test_limits_may_be_nested() -> None:
    assert run_limited(lambda: outcome(loop, limit=0.1), 5) is TimeLimit
    assert outcome(lambda: outcome(loop, limit=5), limit=0.1) is TimeLimit
    assert run_limited(lambda: (outcome(loop, limit=0.1), "and on")[1], 5) == "and on"


def test_handlers_threads_and_traces_are_put_back() -> None:
    interrupt, threads = signal.getsignal(signal.SIGINT), threading.active_count()
    for way in ("watchdog", _best_way()):
        outcome(swallow, way)
        assert run_limited(lambda: 1, 5, way) == 1
    assert signal.getsignal(signal.SIGINT) is interrupt
    time.sleep(0.1)
    assert threading.active_count() == threads


def test_a_thread_has_a_watchdog_and_the_main_thread_a_timer() -> None:
    assert in_another_thread(_best_way) == "watchdog"
    if hasattr(signal, "setitimer"):
        assert _best_way() == "timer"


@TIMER
@pytest.mark.parametrize("way", ["timer", "watchdog"])
def test_a_real_interrupt_ends_the_call_and_comes_out(way: str) -> None:
    timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_limited(swallow, 20, way)
    assert time.monotonic() - begin < 10
