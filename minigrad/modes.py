"""The switches that change what an operation records: grad mode and its relatives, one set per thread.

Sources: PyTorch, "Locally disabling gradient computation" (no_grad, enable_grad, set_grad_enabled).
"""

from __future__ import annotations

import contextvars
import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any

import numpy as np


class _State(threading.local):
    """This thread's switches. Reading one costs an attribute look-up, so every operation can afford it."""

    grad = True

    def __init__(self) -> None:
        # NumPy warns where PyTorch is silent (1 / 0, log(-1)). Its error state is a context variable, so a
        # context of our own keeps NumPy quiet inside operations and leaves the user's setting alone.
        context = contextvars.copy_context()
        context.run(np.seterr, all="ignore")
        self.quietly = context.run


state = _State()


class _Switch:
    """A context manager that is also a decorator, of functions and of generators, as PyTorch's are."""

    def __init__(self) -> None:
        self._before: list[bool] = []

    def _value(self) -> bool:
        raise NotImplementedError

    def __enter__(self) -> None:
        self._before.append(state.grad)
        state.grad = self._value()

    def __exit__(self, *exc: object) -> None:
        state.grad = self._before.pop()

    def _clone(self) -> _Switch:
        return type(self)()

    def __call__(self, function):
        if inspect.isgeneratorfunction(function):
            return _switched_generator(function, self._clone)

        @functools.wraps(function)
        def switched(*args, **kwargs):
            with self._clone():
                return function(*args, **kwargs)

        return switched


def _switched_generator(function, switch):
    """The mode holds while the generator runs, and not while its caller holds the value it yielded."""

    @functools.wraps(function)
    def switched(*args, **kwargs):
        generator = function(*args, **kwargs)
        send, value = generator.send, None
        while True:
            try:
                with switch():
                    item = send(value)
            except StopIteration as stop:
                return stop.value
            try:
                send, value = generator.send, (yield item)
            except GeneratorExit:
                with switch():
                    generator.close()
                raise
            except BaseException as error:  # handed on into the generator, which may catch it
                send, value = generator.throw, error

    return switched


class _Bare(_Switch):
    """A switch that may also decorate without parentheses: ``@no_grad``."""

    def __new__(cls, function: Callable | None = None) -> Any:
        self = super().__new__(cls)
        if function is None:
            return self
        self._before = []
        return self(function)

    def __init__(self, function: Callable | None = None) -> None:
        super().__init__()


class no_grad(_Bare):
    """Operations inside record no graph. ``with no_grad():`` or ``@no_grad()``.

    >>> import minigrad as mg
    >>> x = mg.ones(2, requires_grad=True)
    >>> with mg.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def _value(self) -> bool:
        return False


class enable_grad(_Bare):
    """Operations inside record the graph, also within ``no_grad``.

    >>> import minigrad as mg
    >>> x = mg.ones(2, requires_grad=True)
    >>> with mg.no_grad(), mg.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    def _value(self) -> bool:
        return True


class set_grad_enabled(_Switch):
    """Switch recording on or off: at once when called, until the end of the block when used with ``with``.

    >>> import minigrad as mg
    >>> with mg.set_grad_enabled(False):
    ...     mg.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.mode = bool(mode)
        self._outside = state.grad
        state.grad = self.mode

    def _value(self) -> bool:
        return self.mode

    def __enter__(self) -> None:
        self._before.append(self._outside)
        state.grad = self.mode

    def __call__(self, function):
        state.grad = self._outside  # a decorator switches when the function runs, not when it is defined
        return super().__call__(function)

    def _clone(self) -> set_grad_enabled:
        return set_grad_enabled(self.mode)


def is_grad_enabled() -> bool:
    """Whether operations record the graph in this thread.

    >>> import minigrad as mg
    >>> mg.is_grad_enabled()
    True
    """
    return state.grad
