"""For lessons: an error or a warning that must come, shown as text and not as a broken cell."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator

from minigrad.course.judging.trace import without_places
from minigrad.errors import MoreNote


@contextlib.contextmanager
def expect_error(error: type[BaseException] = Exception, match: str = "", short: bool = False) -> Iterator[None]:
    """Print the error that the block raises, with its notes. AssertionError when it raises nothing, or something else.

    match: a regular expression that must be found in the message.
    short: print the message up to what ``match`` has found there, since the lesson has printed all of it before.
    """
    try:
        yield
    except error as caught:
        found = re.search(match, str(caught))
        if found is None:
            raise AssertionError(f"the message has no {match!r}: {caught}") from caught
        _print(caught, _told(found, short))
        return
    except Exception as caught:
        raise AssertionError(f"expected {error.__name__}, but {type(caught).__name__} came: {caught}") from caught
    raise AssertionError(f"expected {error.__name__}, but nothing was raised")


@contextlib.contextmanager
def show_error(error: type[BaseException] = RuntimeError, upto: str | None = None) -> Iterator[None]:
    """Print the error that the block raises, with its notes, if it raises one.

    For a question: `expect_error` above the answer would tell that an error comes. upto: the words where the message ends.
    """
    try:
        yield
    except error as caught:
        _print(caught, str(caught) if upto is None else f"{str(caught).partition(upto)[0]}{upto} …")


def _told(found: re.Match[str], short: bool) -> str:
    return f"{found.string[: found.end()]} …" if short else found.string


def _print(caught: BaseException, message: str) -> None:
    print(without_places(f"{type(caught).__name__}: {message}"))
    for note in getattr(caught, "__notes__", ()):
        if not isinstance(note, MoreNote):  # a lesson explains the message itself
            print(f"  note: {without_places(str(note))}")


@contextlib.contextmanager
def expect_warning(category: type[Warning] = Warning, match: str = "", short: bool = False) -> Iterator[None]:
    """Print the warning that the block gives. AssertionError when none of the category comes. match, short: see expect_error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        found = re.search(match, str(warning.message))
        if issubclass(warning.category, category) and found:
            print(f"{warning.category.__name__}: {_told(found, short)}")
            return
    raise AssertionError(f"expected a {category.__name__}, but none came")
