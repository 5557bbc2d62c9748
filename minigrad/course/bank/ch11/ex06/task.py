"""11.6 Build the counter: what is asked, and what is seen of an answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit

VERSIONED_STARTER = '''\
class Versioned:
    """Numbers in memory, and a counter of the writes to this memory."""

    def __init__(self, numbers):
        self.numbers = np.array(numbers, dtype=float)
        ...

    def version(self):
        """How often this memory was written."""
        ...

    def add_(self, c):
        """Add c to the numbers, in place. Returns self."""
        ...

    def window(self, start):
        """A Versioned on the same memory, from place start on, with the same counter: as t.detach()[start:]."""
        ...

    def data(self):
        """A Versioned on the same memory with a counter of its own that begins at 0: as t.data."""
        ...

    def save(self):
        """What a node keeps: a function unpack() that returns the numbers, or raises if they were written since."""
        ...
'''

FAULTS = (TypeError, AttributeError, NameError, IndexError)  # of the answer's code, not of the numbers


def unpacked(unpack: Any, *versions: int) -> Any:
    """The numbers, or in words what was raised and which numbers the message names. Beside the versions it may name others."""
    if not callable(unpack):
        return f"no function: save() returned {unfit(unpack, '').came}"
    try:
        found = unpack()
        return "a text, and no error" if isinstance(found, str) else np.array(found, dtype=float)
    except FAULTS:
        raise
    except RuntimeError as error:
        found = {int(number) for number in re.findall(r"\d+", str(error))}
        named = sorted(versions if versions and found.issuperset(versions) else found)
        return f"RuntimeError that names {' and '.join(map(str, named)) or 'no version'}"
    except Exception:
        return "an error that is no RuntimeError"


def sharing(made: Any, call: str) -> Any:
    """What a method has made, if it can be used as a Versioned."""
    if all(hasattr(made, name) for name in ("numbers", "add_", "version", "save")):
        return made
    raise TypeError(f"{call} returned {unfit(made, '').came}, and no Versioned")


def not_written(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    kept = t.save()
    return {"t.version()": t.version(), "unpack()": unpacked(kept), "numbers": np.array(t.numbers)}


def written_before(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    same = t.add_(2.0) is t
    kept = t.save()
    return {"add_ returns self": same, "t.version()": t.version(), "unpack()": unpacked(kept)}


def written_after(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    t.add_(1.0)
    kept = t.save()
    t.add_(2.0)
    t.add_(3.0)
    return {"t.version()": t.version(), "unpack()": unpacked(kept, 1, 3), "numbers": np.array(t.numbers)}


def there_and_back(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    kept = t.save()
    t.add_(1.0)
    t.add_(-1.0)
    return {"t.version()": t.version(), "unpack()": unpacked(kept, 0, 2)}


def nothing_added(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    kept = t.save()
    t.add_(0.0)
    return {"t.version()": t.version(), "unpack()": unpacked(kept, 0, 1)}


def two_pins(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    early = t.save()
    t.add_(1.0)
    late = t.save()
    return {"the early one": unpacked(early, 0, 1), "the late one": unpacked(late), "the late one, again": unpacked(late)}


def through_a_window(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    kept, v = t.save(), sharing(t.window(1), "window(1)")
    v.add_(1.0)
    return {
        "numbers of t": np.array(t.numbers),
        "t.version()": t.version(),
        "v.version()": v.version(),
        "unpack()": unpacked(kept, 0, 1),
    }


def behind_a_window(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    t.add_(1.0)
    v = sharing(t.window(2), "window(2)")
    began = v.version()
    kept = v.save()
    t.add_(1.0)
    return {
        "v.version() at first": began,
        "v.version()": v.version(),
        "numbers of v": np.array(v.numbers),
        "unpack()": unpacked(kept, 1, 2),
    }


def window_of_a_window(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    kept, other = t.save(), sharing(t.window(3), "window(3)")
    sharing(t.window(1).window(1), "window(1).window(1)").add_(1.0)
    return {
        "numbers of t": np.array(t.numbers),
        "t.version()": t.version(),
        "other.version()": other.version(),
        "unpack()": unpacked(kept, 0, 1),
    }


def through_data(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    t.add_(1.0)
    kept, d = t.save(), sharing(t.data(), "data()")
    began = d.version()
    d.add_(1.0)
    d.add_(1.0)
    return {
        "d.version() at first": began,
        "d.version()": d.version(),
        "t.version()": t.version(),
        "unpack()": unpacked(kept),
        "numbers of t": np.array(t.numbers),
    }


def two_memories(T: Any, numbers: list[float]) -> dict[str, Any]:
    s, t = T(numbers), T(numbers)
    kept = t.save()
    s.add_(1.0)
    return {"s.version()": s.version(), "t.version()": t.version(), "unpack()": unpacked(kept)}


SCENARIOS: dict[str, Callable[..., Any]] = {
    "save, then unpack": not_written,
    "write, save, unpack": written_before,
    "write, save, write twice, unpack": written_after,
    "two saves, with a write between": two_pins,
    "two tensors, one of them written": two_memories,
    "save t, v = t.window(1), write to v, unpack": through_a_window,
    "write to t, v = t.window(2), save v, write to t, unpack": behind_a_window,
    "save t, write to t.window(1).window(1), unpack; other = t.window(3)": window_of_a_window,
    "write to t, save t, d = t.data(), write to d twice, unpack": through_data,
    "save, add 1, add -1, unpack": there_and_back,
    "save, add 0, unpack": nothing_added,
}


def counts_for_all(T: Any, numbers: list[float]) -> bool:
    """Whether a new tensor begins elsewhere once another was written to. Not told of an answer that cannot do that yet."""
    try:
        before = T(numbers).version()
        T(numbers).add_(1.0)
        began = T(numbers).version()
    except Exception:
        return False
    return type(began) is int and began != before


def observe_scenario(answer: Any, name: str, numbers: list[float]) -> Any:
    if counts_for_all(answer, numbers):  # how far it has counted depends on all that came before
        return {"version() of a new tensor is 0, also after a write to another": False}
    return SCENARIOS[name](answer, numbers)


def scenario_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Always in float64: these are NumPy's own numbers."""
    return [Case(name, (name, rng.normal(size=5).tolist())) for name in SCENARIOS]


TASK = Part(
    id="11.6",
    title="Build the counter",
    difficulty=4,
    minutes=20,
    requirements=(
        Requirement(
            "A write is counted, whatever the numbers; reading is not.",
            ("adding nothing does not count", "reading counts", "writes are not counted"),
        ),
        Requirement(
            "A window, and a window of a window, counts together with the tensor that it looks at; two tensors do not.",
            ("a window of a window", "one counter for all", "a counter for each window"),
        ),
        Requirement(
            "Windows and `data()` are the same memory, not copies.",
            ("the window is a copy", "data is a copy", "a window of a window begins elsewhere"),
        ),
        Requirement(
            "`save()` copies nothing, and several saves do not disturb each other.",
            ("save makes a copy", "one note for all"),
        ),
        Requirement(
            "The error is a RuntimeError that names both versions.",
            ("another error", "the message is returned", "the message names no version"),
        ),
    ),
    cases=scenario_cases,
    without={
        "edges": "the stories are the cases, and each is told with several sizes",
    },
    observe=observe_scenario,
    starter=VERSIONED_STARTER,
)
