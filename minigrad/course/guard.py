"""A place in which an answer may run: what it prints is caught, and what it changes globally is put back."""

from __future__ import annotations

import contextlib
import copy
import io
import os
import random
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np


@contextlib.contextmanager
def guarded() -> Iterator[io.StringIO]:
    """Catch output and restore modes, random states, options, the folder and open figures afterwards.

    Gives the text that was printed so far.
    """
    printed = io.StringIO()
    with contextlib.ExitStack() as undo:
        for take, put in _STATES:
            undo.callback(put, take())
        undo.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        undo.enter_context(np.errstate())
        undo.enter_context(np.printoptions())
        undo.enter_context(contextlib.redirect_stdout(printed))
        undo.enter_context(contextlib.redirect_stderr(printed))
        yield printed


def _figures() -> set[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return set(pyplot.get_fignums()) if pyplot is not None else set()


def _close_new_figures(before: set[int]) -> None:
    for number in _figures() - before:
        sys.modules["matplotlib.pyplot"].close(number)


def _options() -> dict[str, Any]:
    from minigrad import printing

    return copy.copy(vars(printing._options))


def _put_options(before: dict[str, Any]) -> None:
    from minigrad import printing

    vars(printing._options).update(before)


def _mode() -> tuple[bool, Any, Any]:
    from minigrad import creation, dtypes
    from minigrad.modes import state

    return state.grad, dtypes.get_default_dtype(), creation._generator.get_state()


def _put_mode(before: tuple[bool, Any, Any]) -> None:
    from minigrad import creation, dtypes
    from minigrad.modes import state

    state.grad = before[0]
    dtypes.set_default_dtype(before[1])
    creation._generator.set_state(before[2])


_STATES: list[tuple[Any, Any]] = [
    (_mode, _put_mode),
    (_options, _put_options),
    (random.getstate, random.setstate),
    (np.random.get_state, np.random.set_state),
    (os.getcwd, os.chdir),
    (_figures, _close_new_figures),
    (sys.getrecursionlimit, sys.setrecursionlimit),
]
