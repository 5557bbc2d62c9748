"""Standing observations: what is looked at around each call of an answer, in every exercise.

An exercise says for itself what it compares. Besides, whatever it is about, a call must leave its inputs, the modes and
the seeds as they were, what it returned must keep its numbers, and its result has the dtype of the right answer's. Each
thing seen is a fact in words. A fact that the reference's call shows as well is no fault: so an answer is asked to leave
alone what can be left alone, and nothing else. `Exercise.without` says what an exercise does not ask for, and why.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import inspect
import random
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import DTYPE, FLAG, GRAD, RESULTS, STATES, TRAINING, VALUES, VERSION

GAVE = "gave "  # a fact that begins so is about the result; all others name what was changed
FLOATS = {np.dtype(name): f"{GAVE}{name}" for name in ("float32", "float64")}
PUT_BACK = " (it was written to, and put back)"  # the end of a fact
EARLIER = "what an earlier call returned"
MOST_LEAVES = 200  # of a graph that are looked at
MOST_TWISTS = 5000  # how far a stream of random numbers is followed; 624 numbers each


class Fault(Exception):
    """What looks at the calls of an answer failed. Taken for the answer's own error it would be the reference's as well, and right."""


@contextlib.contextmanager
def _ours() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise Fault(f"{type(error).__name__}: {error}") from error


class Witness:
    """Sees every call of one answer, case by case.

    The dtype of a result is only noted where it has fewer digits than the reference's, and refused where `musts` says so.
    """

    def __init__(self, reference: Any, library: Any, without: dict[str, str]):
        self.reference, self.library, self.without = reference, library, without
        self.facts: dict[int, set[str]] = {}
        self.case = 0
        self._seeded: set[str] = set()  # the streams of which it is known already
        self._returned: list[tuple[int, Any, bytes]] = []
        self._states: _States | None = None  # when a case began, where single calls are not watched
        self._whole_cases = False

    def of(self, answer: Any) -> Any:
        """The answer, or what takes its place and is watched."""
        if isinstance(answer, types.FunctionType):
            return self._watched(answer, self.reference)
        if inspect.isclass(answer) and _is_shelf(self.reference) and _is_shelf(answer):
            functions = {name: getattr(answer, name, None) for name in vars(self.reference) if not name.startswith("__")}
            watched = {
                name: staticmethod(self._watched(function, getattr(self.reference, name)))
                for name, function in functions.items()
                if isinstance(function, types.FunctionType)
            }
            return type(answer.__name__, (answer,), {"__module__": answer.__module__, "__qualname__": answer.__qualname__, **watched})
        self._whole_cases = STATES not in self.without
        return answer

    def begin_of_case(self, case: int) -> None:
        """The modes and seeds, where single calls are not watched: a class is used in ways of its own."""
        self.case = case
        with _ours():
            self._states = _States(self.library) if self._whole_cases else None

    def end_of_case(self) -> None:
        """Whether everything returned so far still holds the numbers with which it came, and the modes and seeds are left."""
        if self._states is not None:
            with _ours():
                self.facts.setdefault(self.case, set()).update(self._states.changes(self._seeded))
        if RESULTS in self.without:
            return
        for case, kept, numbers in self._returned:
            if kept.tobytes() != numbers:
                self.facts.setdefault(case, set()).add(EARLIER)

    def _watched(self, function: Callable[..., Any], reference: Any) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with _ours():
                before, states = _Look(self._named(reference, args, kwargs)), _States(self.library)
            try:
                result = function(*args, **kwargs)
            finally:
                with _ours():
                    found = {text for what, text in before.changes() if what not in self.without}
                    if STATES not in self.without:
                        found |= set(states.changes(self._seeded))
                self.facts.setdefault(self.case, set()).update(found)
            self._keep(result)
            return result

        return call

    def _keep(self, result: Any) -> None:
        for array in _arrays(result):
            # Zeros are as exact in any dtype; and more digits than were asked for do no harm.
            if DTYPE not in self.without and array.dtype in FLOATS and array.any():
                self.facts.setdefault(self.case, set()).add(FLOATS[array.dtype])
            if RESULTS not in self.without:
                self._returned.append((self.case, array, array.tobytes()))

    @staticmethod
    def _named(reference: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call by the names that the reference gives them."""
        try:
            return dict(_signature(reference).bind(*args, **kwargs).arguments)
        except (TypeError, ValueError):
            return {**{f"argument {k}": arg for k, arg in enumerate(args, 1)}, **kwargs}


@functools.lru_cache(64)  # of one reference it is asked at every call
def _signature(reference: Any) -> inspect.Signature:
    return inspect.signature(reference)


def _is_shelf(cls: Any) -> bool:
    """Whether a class only holds functions, and nobody makes an object of it."""
    return inspect.isclass(cls) and cls.__bases__ == (object,) and "__init__" not in vars(cls) and all(
        isinstance(member, staticmethod) for name, member in vars(cls).items() if inspect.isroutine(member)
    )  # fmt: skip


def _is_tensor(x: Any) -> bool:
    return hasattr(x, "detach") and hasattr(x, "requires_grad") and not inspect.isclass(x)


def _is_module(x: Any) -> bool:
    return hasattr(x, "named_parameters") and hasattr(x, "training") and not inspect.isclass(x)


def _array_of(t: Any) -> np.ndarray | None:
    try:
        return np.asarray(t.detach().numpy())
    except Exception:  # another library's tensor without an array
        return None


def _arrays(result: Any) -> Iterator[np.ndarray]:
    """The arrays of what was returned: those in which its Tensors hold their numbers, and no graph with them."""
    if _is_tensor(result):
        array = _array_of(result)
        if array is not None:
            yield array
    elif isinstance(result, np.ndarray):
        yield result
    elif isinstance(result, list | tuple):
        for item in result:
            yield from _arrays(item)
    elif type(result) is dict:
        for item in result.values():
            yield from _arrays(item)


class _Look:
    """How the arguments of a call are when it begins."""

    def __init__(self, named: dict[str, Any]):
        self._seen: set[int] = set()
        self._things: list[tuple[Callable[[], dict[str, Any]], str, dict[str, Any]]] = []
        for name, thing in named.items():
            self._add(thing, f"`{name}`")

    def changes(self) -> Iterator[tuple[str, str]]:
        """What is different now: the kind of observation, and the words for it."""
        for look, name, before in self._things:
            now = look()
            for what, value in before.items():
                # That it was written to and put back shows only where the numbers are the same.
                if now.get(what) != value and not (what == VERSION and now.get(VALUES) != before.get(VALUES)):
                    yield what, _words(what, name)

    def _note(self, thing: Any, name: str, look: Callable[[Any], dict[str, Any]]) -> None:
        here = functools.partial(look, thing)
        self._things.append((here, name, here()))

    def _add(self, thing: Any, name: str) -> None:
        if id(thing) in self._seen:
            return
        self._seen.add(id(thing))
        if _is_tensor(thing):
            self._note(thing, name, _of_tensor)
            for leaf in _leaves(thing):
                self._add(leaf, f"a leaf behind {name}")
        elif isinstance(thing, np.ndarray):
            self._note(thing, name, lambda array: {VALUES: (array.dtype, array.shape, array.tobytes())})
        elif isinstance(thing, list | tuple) or type(thing) is dict:
            self._note(thing, name, _of_container)
            items = thing.items() if isinstance(thing, dict) else enumerate(thing)
            for key, item in items:
                self._add(item, f"`{name[1:-1]}[{key!r}]`" if name.startswith("`") else name)
        elif _is_module(thing):
            self._note(thing, name, lambda module: {TRAINING: [m.training for m in module.modules()]})
            for key, parameter in [*thing.named_parameters(), *thing.named_buffers()]:
                self._add(parameter, f"`{key}` of {name}")
        elif isinstance(thing, types.FunctionType):
            for cell in thing.__closure__ or ():
                with contextlib.suppress(ValueError):
                    if _is_tensor(cell.cell_contents) or _is_module(cell.cell_contents):
                        self._add(cell.cell_contents, f"a tensor that {name} uses")


def _of_tensor(t: Any) -> dict[str, Any]:
    array, grad = _array_of(t), t.grad
    of_grad = None if grad is None else _array_of(grad)
    return {
        VALUES: None if array is None else (array.shape, array.tobytes()),
        GRAD: None if of_grad is None else (_Same(grad), of_grad.tobytes()),
        FLAG: bool(t.requires_grad),
        VERSION: t._version,
    }


class _Same:
    """Equal to itself only. It holds the thing, so that no other one can come to its place in memory."""

    def __init__(self, thing: Any):
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.thing is other.thing

    __hash__ = None  # type: ignore[assignment]


def _of_container(thing: Any) -> dict[str, Any]:
    return {VALUES: [*map(_Same, thing.values()), *thing] if isinstance(thing, dict) else [*map(_Same, thing)]}


def _words(what: str, name: str) -> str:
    if what == VALUES:
        return name
    if what == VERSION:
        return f"{name}{PUT_BACK}"
    if what == TRAINING:
        return f"the mode of {name}"
    attribute = {GRAD: "grad", FLAG: "requires_grad"}[what]
    return f"`{name[1:-1]}.{attribute}`" if name.startswith("`") and name.count("`") == 2 else f"the `.{attribute}` of {name}"


def _leaves(t: Any) -> list[Any]:
    """The leaves behind a tensor that is the result of operations."""
    found: list[Any] = []
    todo, seen = [t.grad_fn], set()
    while todo and len(found) < MOST_LEAVES:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo += [child for child, _ in node.next_functions]
    return found


class _States:
    """Modes and seeds when a call begins."""

    def __init__(self, library: Any):
        self.library = library
        self.modes = self._modes()
        self.streams = {name: state() for name, state in _STREAMS.items()}

    def _modes(self) -> dict[str, Any]:
        names = {"the grad mode": "is_grad_enabled", "the default dtype": "get_default_dtype"}
        return {words: getattr(self.library, name)() for words, name in names.items() if hasattr(self.library, name)}

    def changes(self, known: set[str]) -> Iterator[str]:
        """What is different now, but for the streams whose change is known; new ones are added to these."""
        now = self._modes()
        yield from (name for name, value in self.modes.items() if now[name] != value)
        for name, before in self.streams.items():
            after = _STREAMS[name]()
            if name not in known and after != before and not _goes_on(_words_of(before), _words_of(after)):
                known.add(name)
                yield name


def _twister(of: np.random.BitGenerator) -> bytes:
    """The words of a Mersenne Twister, read where they lie: its `state` copies them one by one, at every call. Of others nothing."""
    return ctypes.string_at(of.ctypes.state_address, 4 * 624) if type(of) is np.random.MT19937 else b""


# The words of each Mersenne Twister that an answer may draw from. Drawing moves it on; setting a seed makes another one.
_STREAMS: dict[str, Callable[[], bytes | tuple[int, ...]]] = {
    "the seed of the random numbers": lambda: _twister(mg.random.default_generator._raw()._bit_generator),
    "the seed of NumPy's random numbers": lambda: _twister(np.random.mtrand.get_bit_generator()),
    "the seed of Python's random numbers": lambda: random.getstate()[1][:-1],
}


def _words_of(state: bytes | tuple[int, ...]) -> np.ndarray:
    return np.frombuffer(state, np.uint32) if isinstance(state, bytes) else np.array(state, np.uint32)


def _goes_on(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether one comes to the second state by drawing numbers from the first."""
    if len(before) != len(after):
        return False
    stream = np.random.RandomState()
    stream.set_state(("MT19937", before, 624, 0, 0.0))
    for _ in range(MOST_TWISTS):
        stream.tomaxint()
        words = stream.get_state()[1]  # type: ignore[index]
        if np.array_equal(words, after):
            return True
        stream.set_state(("MT19937", words, 624, 0, 0.0))
    return False
