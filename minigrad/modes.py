"""The switches that change what an operation does: grad mode and its relatives, one set per thread.

Sources: PyTorch, "Locally disabling gradient computation" (no_grad, enable_grad, set_grad_enabled, inference_mode) and
"Anomaly detection". In PyTorch anomaly mode and the dual level belong to the process; here they too belong to the thread.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, cast

from . import errors
from .core.seams import Switches
from .core.seams import state as _switches


class _State(Switches):
    """This thread's further switches: those of what is rare.

    While any of it is on, ``extension`` takes part in every operation (see core/seams.py), and the hot path is left: ``quick``,
    by which it calls NumPy quietly, is then None.
    """

    inference = False
    anomaly = False
    check_nan = True
    fast = True  # whether the hot path may be taken at all, see fast.py
    level: Any = None  # the dual level that was entered, an object of its own
    forward: Any = None  # the same, while tangents are propagated
    together: Any = None  # the extension that does all of these
    quick: Callable | None

    def __init__(self) -> None:
        super().__init__()
        self.packing: list[tuple[Callable, Callable]] = []  # hooks on saved tensors, the innermost last
        self.update()

    def update(self) -> None:
        """Decide anew who takes part in operations. After every change of something rare."""
        rare = self.inference or self.anomaly or self.forward is not None or self.packing
        self.extension = self.together if rare else None
        self.switched_off_by = "inference" if self.inference else "no_grad"
        self.quick = None if rare or not self.fast else self.quietly
        self.set_grad(self.grad_mode)


assert type(_switches) is Switches
_switches.__class__ = _State
_switches.__init__()  # type: ignore[misc]
state = cast(_State, _switches)


class Switch:
    """A context manager that is also a decorator of functions."""

    def __init__(self) -> None:
        self._before: list[Any] = []

    def _value(self) -> bool:
        raise NotImplementedError

    def __enter__(self) -> Any:
        self._before.append(state.grad_mode)
        state.set_grad(self._value())

    def __exit__(self, *exc: object) -> None:
        state.set_grad(self._before.pop())

    def _clone(self) -> Switch:
        return type(self)()

    def __call__(self, function):
        if inspect.isclass(function) or inspect.isgeneratorfunction(function):
            raise errors.lacks("modes as decorators of classes and generators: use them as context managers inside")

        @functools.wraps(function)
        def switched(*args, **kwargs):
            with self._clone():
                return function(*args, **kwargs)

        return switched


class _Bare(Switch):
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


class set_grad_enabled(Switch):
    """Switch recording on or off: at once when called, until the end of the block when used with ``with``.

    >>> import minigrad as mg
    >>> with mg.set_grad_enabled(False):
    ...     mg.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__()
        if not isinstance(mode, bool):
            raise TypeError(errors.ARGUMENT.format("set_grad_enabled", "enabled", 1, "bool", type(mode).__name__))
        self.mode = mode
        self.prev = state.grad_mode
        state.set_grad(mode)

    def _value(self) -> bool:
        return self.mode

    def __enter__(self) -> None:
        self._before.append(self.prev)
        state.set_grad(self.mode)

    def __call__(self, function):
        state.set_grad(self.prev)  # a decorator switches when the function runs, not when it is defined
        return super().__call__(function)

    def _clone(self) -> set_grad_enabled:
        return set_grad_enabled(self.mode)


def is_grad_enabled() -> bool:
    """Whether operations record the graph in this thread.

    >>> import minigrad as mg
    >>> mg.is_grad_enabled()
    True
    """
    return state.grad_mode


class inference_mode(Switch):
    """As ``no_grad``, and the tensors made inside count no versions: they can never take part in a recorded operation.

    ``with inference_mode():``, ``@inference_mode()`` or ``@inference_mode``; ``inference_mode(False)`` switches it off
    inside. Tangents of dual numbers are not propagated either.

    >>> import minigrad as mg
    >>> with mg.inference_mode():
    ...     y = mg.ones(2)
    >>> y.is_inference()
    True
    """

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.mode = mode

    def __enter__(self) -> None:
        self._before.append((state.inference, state.grad_mode, state.forward))
        state.inference, state.forward = self.mode, None if self.mode else state.level
        state.set_grad(not self.mode)
        state.update()

    def __exit__(self, *exc: object) -> None:
        state.inference, grad_mode, state.forward = self._before.pop()
        state.set_grad(grad_mode)
        state.update()

    def _clone(self) -> inference_mode:
        return inference_mode(self.mode)


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in inference mode."""
    return state.inference


class set_detect_anomaly:
    """Switch anomaly mode on or off: at once when called, until the end of the block when used with ``with``.

    In anomaly mode every recorded operation remembers the call that made it. An error in a backward pass is preceded by a
    warning that shows that call, and with ``check_nan`` a gradient that is not a number is such an error.

    >>> import minigrad as mg
    >>> x = mg.tensor([-1.0], requires_grad=True)
    >>> with mg.autograd.set_detect_anomaly(True):
    ...     try:
    ...         x.sqrt().backward()
    ...     except RuntimeError as error:
    ...         print(error)
    Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev, self.prev_check_nan = state.anomaly, state.check_nan
        self._set(mode, check_nan)

    def _set(self, mode: bool, check_nan: bool) -> None:
        state.anomaly, state.check_nan = mode, check_nan
        state.update()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        self._set(self.prev, self.prev_check_nan)


class detect_anomaly(set_detect_anomaly):
    """Anomaly mode (see ``set_detect_anomaly``) until the end of the block, with a warning that it is slow."""

    def __init__(self, check_nan: bool = True) -> None:
        self.prev, self.prev_check_nan, self.check_nan = state.anomaly, state.check_nan, check_nan
        warnings.warn(errors.ANOMALY, UserWarning, stacklevel=2)

    def __enter__(self) -> None:
        self._set(True, self.check_nan)


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on in this thread."""
    return state.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode, when on, looks for gradients that are not a number."""
    return state.check_nan
