"""Every message a user of the engine can meet, worded as PyTorch 2.13 words it, and the notes that explain it.

PyTorch's text is kept to the letter, with ``minigrad`` for ``torch``, because people search for it. What PyTorch leaves
unsaid stands in notes (PEP 678): they are printed below the message and are no part of ``str(error)``.

The texts stand in ``messages.toml``, by topic and by what is raised. Each is an attribute of this module, a string with a name
that makes its own error: ``raise errors.RETAIN_NO_GRAD()``.
"""

from __future__ import annotations

import builtins
import functools
import os
from collections.abc import Callable
from typing import Any, NoReturn

when_made: list[Callable[[], None]] = []  # called when an error of ours is made: `frames` hides the engine's frames then


class Message(str):
    """The text of a message, with a {} where something is filled in. Called with that, it makes the error, or the warning."""

    name: str
    kind: str  # the class of the error
    note: str  # says more, if asked to

    def __call__(self, *values: object, noted: bool = False) -> BaseException:
        error = _LinAlgError if self.kind == "LinAlgError" else getattr(builtins, self.kind)
        return note(error(self.format(*values)), self.note.format(*values) if noted else None, name=self.name)


def table(name: str) -> str:
    """The text of a file of this folder. (To load pathlib would take longer than to read all of them.)"""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


@functools.cache
def messages() -> dict[str, Message]:
    """All messages by name. Read when the first one is needed, because most programs need none."""
    import tomllib

    found = {}
    topics = tomllib.loads(table("messages.toml"))
    notes = topics.pop("notes")
    for kinds in topics.values():
        for kind, texts in kinds.items():
            for name, text in texts.items():
                message = found[name] = Message(text)
                message.name, message.kind, message.note = name, kind, notes.get(name, "")
    return found


def __getattr__(name: str) -> Message:
    if name.lstrip("_").isupper() and name in messages():
        return messages()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def kind_of(value: object) -> str:
    """The type of a value as PyTorch names it: NumPy's types with their module, others without."""
    kind = type(value)
    if kind.__module__ == "numpy" or kind.__name__ in ("Size", "dtype", "device"):
        return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    return kind.__name__


def lacks(what: str) -> NotImplementedError:
    """The error for what PyTorch has and minigrad does not."""
    return NotImplementedError(f"minigrad has no {what}")


def beyond(error: Exception) -> Exception:
    """An error for a name that is not here, with the note that says where to look."""
    error.add_note(MinigradNote("docs/scope.md lists what is there, and what is not."))
    return error


def missing(owner: str = "") -> Callable[..., NoReturn]:
    """A ``__getattr__`` for an owner, such as a module, or for a class. It costs little, because programs ask with ``hasattr``."""

    def raise_error(*asked: Any) -> NoReturn:
        text = f"{owner or repr(type(asked[0]).__name__) + ' object'} has no attribute '{asked[-1]}'"
        raise beyond(AttributeError(text, name=asked[-1]))

    return raise_error


def refuse(function: str, **options: object) -> None:
    """Raise for options that PyTorch has and minigrad does not, unless they were left off."""
    for name, value in options.items():
        if value is not None and (bool(value) or name in ("size_average", "reduce")):
            raise lacks(f"option {name!r} of {function}()")


class _LinAlgError(RuntimeError):
    """A matrix that is singular; ``minigrad.linalg.LinAlgError`` to the user."""


class MinigradNote(str):
    """A note of ours, so that a display can tell it from somebody else's."""


class MoreNote(MinigradNote):
    """The note that says where a message is explained."""

    about: str  # the message's name


def note(error: BaseException, *notes: str | None, name: str | None = None) -> BaseException:
    """The error with notes below its message; empty ones are dropped. The last one says where to read more of the message ``name``."""
    for tell in when_made:
        tell()
    for text in notes:
        if text:
            error.add_note(MinigradNote(text))
    if name:
        more = MoreNote(f'More: from minigrad.course import explain; explain("{name}")')
        more.about = name
        error.add_note(more)
    return error
