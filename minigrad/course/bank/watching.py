"""What several chapters use to watch an answer. Whatever library a chapter is written with, it hands it in as `library`."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def calls_counted(library: Any, note: Callable[[dict[str, Any]], Any] | None = None) -> Iterator[Counter[str]]:
    """How often `backward` and `autograd.grad` are called in here; what they call themselves does not count.

    note: is given the arguments of each call by their names.
    """
    calls: Counter[str] = Counter()
    inside = []

    def counted(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not inside:
                calls[name] += 1
                if note is not None:
                    with contextlib.suppress(TypeError):  # arguments that do not fit: the function itself will say so
                        note(inspect.signature(function).bind(*args, **kwargs).arguments)
            inside.append(name)
            try:
                return function(*args, **kwargs)
            finally:
                inside.pop()

        return call

    places = [(library.Tensor, "backward"), (library.autograd, "backward"), (library.autograd, "grad")]
    before = [(place, name, getattr(place, name)) for place, name in places]
    for place, name, function in before:
        setattr(place, name, counted(function, name))
    try:
        yield calls
    finally:
        for place, name, function in before:
            setattr(place, name, function)


@contextlib.contextmanager
def calls_of(place: Any, *names: str) -> Iterator[list[str]]:
    """The calls of these functions of a class or module in here, by their names."""
    calls: list[str] = []

    def noted(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            calls.append(name)
            return function(*args, **kwargs)

        return call

    before = {name: getattr(place, name) for name in names}
    for name, function in before.items():
        setattr(place, name, noted(function, name))
    try:
        yield calls
    finally:
        for name, function in before.items():
            setattr(place, name, function)
