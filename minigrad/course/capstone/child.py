"""Runs programs with an engine, in a process of its own. Needs NumPy and the standard library, and not minigrad.

python -P child.py ENGINE.py: reads a JSON list of [id, program, seed] from standard input, and writes one line of JSON
for each program as soon as it has run: what it showed, and the error that ended it.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import linecache
import os
import sys
import threading
import traceback
import types
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

# Some of Python's modules open files in C, where no hook hears of it.
_READERS = {"readline", "sqlite3", "_sqlite3", "dbm", "_dbm", "_gdbm", "tkinter", "_tkinter", "curses", "_curses", "nis"}
# Python's own list lacks the module that `sysconfig` asks for, as `numpy.testing` does, and so `from numpy import *`.
_BUILT = f"_sysconfigdata_{getattr(sys, 'abiflags', '')}_{sys.platform}_{getattr(sys.implementation, '_multiarch', '')}"
ALLOWED = frozenset(sys.stdlib_module_names) - _READERS | {"numpy", _BUILT}
NO_ERROR = "nothing was raised"


class Kit:
    """What a program finds beside `engine` and `np`. What it shows is its outcome."""

    def __init__(self, engine: Any, id: str, seed: int):
        self.engine, self.shown = engine, []  # type: ignore[var-annotated]
        self.rng = np.random.RandomState([zlib.crc32(id.encode()), seed])  # its stream is the same in every NumPy

    def rand(self, *shape: int) -> np.ndarray:
        """Random numbers of both signs, none of them near 0 or 1 in size, so that no slope is hidden."""
        return self.positive(*shape) * self.rng.choice([-1.0, 1.0], size=shape)

    def positive(self, *shape: int) -> np.ndarray:
        """The same, all positive."""
        return np.array(np.where(self.rng.random_sample(shape) < 0.5, *(self.rng.uniform(a, a + 0.4, shape) for a in (0.5, 1.2))))

    def leaf(self, *shape: int) -> Any:
        """A tensor of random numbers that requires grad."""
        return self.engine.tensor(self.rand(*shape), requires_grad=True)

    def const(self, *shape: int) -> Any:
        """A tensor of random numbers that does not."""
        return self.engine.tensor(self.rand(*shape))

    def show(self, *things: Any) -> Any:
        """Put these into the outcome, as they are now. The first is given back."""
        self.shown += [plain(thing) for thing in things]
        return things[0] if things else None

    def raised(self, call: Callable[[], Any], *fragments: str) -> list[Any]:
        """The type of the error that a call raises, and whether its message has each of the fragments."""
        try:
            call()
        except Exception as error:
            text = str(error).lower()
            return [kind_of(error), *(f"{'says' if f.lower() in text else 'does not say'} {f!r}" for f in fragments)]
        return [NO_ERROR]

    def calls(self, run: Callable[[], Any]) -> tuple[Counter[types.CodeType], int]:
        """How often each function written in Python is called while `run()` runs, and how deep the calls go."""
        found: Counter[types.CodeType] = Counter()
        depth = deepest = 0

        def look(frame: types.FrameType, event: str, arg: Any) -> None:
            nonlocal depth, deepest
            if event == "call":
                found[frame.f_code] += 1
                depth += 1
                deepest = max(deepest, depth)
            elif event == "return":
                depth -= 1

        before = sys.getprofile()
        sys.setprofile(look)
        threading.setprofile(look)
        try:
            run()
        finally:
            sys.setprofile(before)
            threading.setprofile(None)
        return found, deepest

    def moons(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Two half moons that reach into each other: points of shape (count, 2), and labels 1 and -1."""
        angle = np.pi * self.rng.random_sample(count)
        label = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
        points = np.stack([label * np.cos(angle) + (label < 0), label * np.sin(angle) + 0.5 * (label < 0)], axis=1)
        return points + 0.1 * self.rng.normal(size=(count, 2)), label

    def network(self, hidden: int) -> list[np.ndarray]:
        """Weights to begin with: W1, b1, W2, b2."""
        shapes = ((2, hidden), (hidden,), (hidden, 1), (1,))
        return [self.rng.normal(size=shape) * scale for shape, scale in zip(shapes, (1.0, 0.5, 0.3, 0.1), strict=True)]

    def space(self) -> dict[str, Any]:
        names = ("engine", "rand", "positive", "leaf", "const", "moons", "network", "show", "raised", "calls")
        return {"np": np, "__name__": "fact"} | {name: getattr(self, name) for name in names}


def kind_of(error: BaseException) -> str:
    """The built-in error that this is one of: an engine may derive its own."""
    return next(cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins")


def plain(thing: Any) -> Any:
    """A value as JSON has it; numbers in an array or a Tensor with their shape."""
    if isinstance(thing, dict):
        thing = sorted(thing.items(), key=str)
    if isinstance(thing, list | tuple):
        return [plain(item) for item in thing]
    if thing is None or isinstance(thing, bool | str) or type(thing) is int:
        return thing
    if isinstance(thing, np.bool_):
        return bool(thing)
    array = np.asarray(values_of(thing) if hasattr(thing, "numpy") else thing)
    if array.dtype.kind not in "biuf":
        return f"a value of type {type(thing).__name__}"
    return {"shape": list(array.shape), "values": array.astype(float).ravel().tolist()}


def values_of(tensor: Any) -> Any:
    """The numbers of a tensor, in PyTorch too, where one that requires grad must be detached first."""
    try:
        return tensor.numpy()
    except RuntimeError:
        return tensor.detach().numpy()


def run(id: str, program: str, engine: Any, seed: int = 0) -> dict[str, Any]:
    """The outcome of one program: what it showed, and the error that ended it."""
    kit, name = Kit(engine, id, seed), f"fact {id}"
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    outcome: dict[str, Any] = {"id": id, "shown": kit.shown}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            exec(compile(program, name, "exec", dont_inherit=True, optimize=0), kit.space())  # it judges by its asserts
        except (Exception, SystemExit) as error:
            text = "maximum recursion depth exceeded" if isinstance(error, RecursionError) else str(error)
            outcome["error"] = [kind_of(error), text[:300]]
            outcome["trace"] = frames(error)
    return outcome


def frames(error: BaseException, most: int = 4) -> list[str]:
    """Where it happened: the last lines of the program and of the engine; of an endless descent, where it begins."""
    steps = traceback.extract_tb(error.__traceback__, 4 if isinstance(error, RecursionError) else -60)
    places = [p for p in steps if p.filename != __file__ and "numpy" not in p.filename and not p.filename.startswith("<frozen")]
    return [f"{Path(p.filename).name}, line {p.lineno}, in {p.name}:  {p.line}" for p in places[-most:]]


class Gate:
    """Refuses to import anything but NumPy and the standard library."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] not in ALLOWED | {"engine"}:  # itself, when it is a package, as in chapter 17
            raise ImportError(f"the engine imports {name}; it may import NumPy and the standard library, and nothing else")


def load(path: str) -> types.ModuleType:
    """The engine as a module, or a package: then `path` is its __init__.py."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "engine"]:
        del sys.modules[name]
    spec = importlib.util.spec_from_file_location("engine", path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["engine"] = module
    exec(compiled(Path(path).read_bytes(), path), module.__dict__)
    return module


@functools.lru_cache(1)  # a file is loaded anew for each program
def compiled(source: bytes, path: str) -> types.CodeType:
    return compile(source, path, "exec", dont_inherit=True)


def outcomes(
    todo: list[tuple[str, str, int]], make: Callable[[], Any], prepare: Callable[[str], str] = str
) -> Iterator[dict[str, Any]]:
    """First whether the engine can be made, then the outcome of each program."""
    try:
        engine = make()
    except BaseException as error:
        yield {"id": None, "error": [kind_of(error), str(error)[:300]], "trace": frames(error)}
        return
    yield {"id": None}
    for k, (id, program, seed) in enumerate(todo):
        if k:  # each program gets a new engine: a mode that one has left switched off is no fault of the next
            engine = make()
        yield run(id, prepare(program), engine, seed)


def serve(make: Callable[[], Any], prepare: Callable[[str], str] = str) -> None:
    """Read the programs, make the engine, write each outcome as soon as it is there."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")  # for the outcomes; what the engine prints goes nowhere
    quiet = os.open(os.devnull, os.O_WRONLY)
    todo = json.load(sys.stdin)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for outcome in outcomes(todo, make, prepare):
        out.write(json.dumps(outcome) + "\n")
        out.flush()
    out.close()
    os._exit(0)  # an engine's threads and exit handlers are not waited for


def maker(path: str) -> Callable[[], types.ModuleType]:
    """What makes the engine of a file, which from now on may import little."""
    sys.meta_path.insert(0, Gate())
    # A package takes a second to be loaded, and its programs leave no mode behind: it is loaded once.
    return functools.cache(lambda: load(path)) if Path(path).name == "__init__.py" else lambda: load(path)


def main(path: str) -> None:
    serve(maker(path))


if __name__ == "__main__":
    main(sys.argv[1])
