"""A place in which an answer may run: what it prints is caught, and what it changes outside of itself is put back."""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import inspect
import io
import os
import random
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minigrad as mg
from minigrad import dtypes, modes, printing

MOST_PRINTED = 2000  # characters that are kept of what an answer prints


@contextlib.contextmanager
def guarded(answer: Any = None, seed: int = 0) -> Iterator[io.StringIO]:
    """Begin with modes and options as in a new kernel and with random numbers from a seed, and leave everything as it was found.

    An answer that draws at random gets the same numbers each time, so that it gets the same verdict each time.

    Put back are modes, options, random states, the folder, figures, and the variables that the answer mentions, with
    the contents of arrays and tensors and their `.grad`. Gives what was printed.
    """
    printed = _Capped()
    with contextlib.ExitStack() as undo:
        for take, put in (*_STATES, *_belongings(answer)):
            undo.callback(put, take())
        undo.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        undo.enter_context(np.errstate())
        undo.enter_context(np.printoptions())
        undo.enter_context(contextlib.redirect_stdout(printed))
        undo.enter_context(contextlib.redirect_stderr(printed))
        np.seterr(all="ignore")
        for name in ("inference", "anomaly", "check_nan", "level", "forward"):  # may have been left on for good
            vars(modes.state).pop(name, None)
        modes.state.packing, modes.state.grad_mode = [], True
        modes.state.update()
        dtypes.set_default_dtype(mg.float32)
        # Nobody hits upon this number by accident: an answer that sets the seed to 0 is noticed.
        number = random.Random(f"judging {seed}").getrandbits(32)
        for begin in (mg.manual_seed, np.random.seed, random.seed):
            begin(number)
        yield printed


class _Capped(io.StringIO):
    """Keeps the first characters; an endless loop that prints must not fill the memory."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, MOST_PRINTED - self.tell())])
        return len(text)


def _attributes(of: Any) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    """All attributes of a module's state object."""

    def put(before: dict[str, Any]) -> None:
        vars(of).clear()
        vars(of).update(before)

    return (lambda: dict(vars(of))), put


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return None


def _figures() -> tuple[list[int], int | None]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    numbers = pyplot.get_fignums() if pyplot is not None else []
    return numbers, pyplot.gcf().number if numbers and pyplot is not None else None


def _put_figures(before: tuple[list[int], int | None]) -> None:
    pyplot, (numbers, current) = sys.modules.get("matplotlib.pyplot"), before
    if pyplot is None:
        return
    for number in set(pyplot.get_fignums()) - set(numbers):
        pyplot.close(number)
    if current is not None and pyplot.fignum_exists(current):
        pyplot.figure(current)


def _stream() -> dict[str, Any]:
    """Where the random numbers stand."""
    return copy.deepcopy(vars(mg.random.default_generator))


_STATES: list[tuple[Callable[[], Any], Callable[[Any], Any]]] = [
    _attributes(modes.state),
    _attributes(printing._options),
    (dtypes.get_default_dtype, dtypes.set_default_dtype),
    (_stream, lambda before: vars(mg.random.default_generator).update(before)),
    (random.getstate, random.setstate),
    (np.random.get_state, np.random.set_state),
    (_folder, lambda folder: os.chdir(folder) if folder else None),
    (_figures, _put_figures),
    (sys.getrecursionlimit, sys.setrecursionlimit),
]


# -- what belongs to the learner -------------------------------------------------------------------------------------


def _belongings(answer: Any) -> list[tuple[Callable[[], Any], Callable[[Any], None]]]:
    """The global variables that an answer mentions, itself or through functions that it calls, and what they hold."""
    found: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []
    seen = {id(vars(builtins))}  # a namespace of `exec` holds them; emptied for a moment, nothing would run any more
    todo = [answer]
    while todo:
        thing = todo.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, types.FunctionType) and not (thing.__module__ or "").startswith("minigrad."):
            names = _names(thing.__code__) & thing.__globals__.keys()
            todo += [thing.__globals__[name] for name in names]
            todo += [cell.cell_contents for cell in thing.__closure__ or () if cell != types.CellType()]
            found.append(_variables(thing.__globals__, names))
        elif inspect.isclass(thing) and not thing.__module__.startswith(("minigrad", "numpy", "builtins")):
            todo += [getattr(member, "__func__", member) for member in vars(thing).values()]
        elif isinstance(thing, list | tuple | dict):
            todo += thing.values() if isinstance(thing, dict) else thing
            if not isinstance(thing, tuple):
                found.append(_container(thing))
        elif isinstance(thing, np.ndarray) and thing.dtype != object:
            found.append(_array(thing))
        elif isinstance(thing, np.random.Generator):
            found.append(_generator(thing))
        elif isinstance(thing, mg.Tensor):
            found.append(_tensor(thing))
            todo.append(thing.grad if thing.is_leaf else None)
    return found


def _names(code: types.CodeType) -> set[str]:
    inner = (_names(const) for const in code.co_consts if isinstance(const, types.CodeType))
    return set(code.co_names).union(*inner)


def _variables(space: dict[str, Any], names: set[str]) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    return (lambda: {name: space[name] for name in names}), space.update


def _container(thing: list[Any] | dict[Any, Any]) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    def put(before: Any) -> None:
        thing.clear()
        thing.extend(before) if isinstance(thing, list) else thing.update(before)

    return thing.copy, put


def _array(thing: np.ndarray) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    def put(before: np.ndarray) -> None:
        if thing.shape == before.shape and thing.flags.writeable:
            thing[...] = before

    return thing.copy, put


def _generator(thing: np.random.Generator) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    return (lambda: thing.bit_generator.state), functools.partial(setattr, thing.bit_generator, "state")


def _tensor(thing: Any) -> tuple[Callable[[], Any], Callable[[Any], None]]:
    """Values, `.grad` and `requires_grad`. The version of a tensor that was written to has grown for good."""

    def take() -> tuple[np.ndarray, Any, bool]:
        return thing.detach().numpy().copy(), thing.grad if thing.is_leaf else None, thing.requires_grad

    def put(before: tuple[np.ndarray, Any, bool]) -> None:
        values, grad, requires_grad = before
        if tuple(thing.shape) == values.shape:
            thing.detach().numpy()[...] = values
        if thing.is_leaf:
            thing.requires_grad_(requires_grad)
            thing.grad = grad

    return take, put
