"""Putting an engine together from sections."""

from __future__ import annotations

import functools
import inspect
import tempfile
import textwrap
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any


def source(*sections: Callable[..., Any] | str) -> str:
    """The bodies of these functions, one after another: the text of a module. A text stands for itself."""
    return "\n\n\n".join(textwrap.dedent(s if isinstance(s, str) else _body(s)).strip("\n") for s in sections) + "\n"


def _body(section: Callable[..., Any]) -> str:
    return "\n".join(inspect.getsource(section).rstrip().splitlines()[1:])


def assemble(*sections: Callable[..., Any] | str, name: str = "my_engine.py") -> str:
    """Write the bodies of these functions into a file in a temporary folder. Returns its path."""
    return written(source(*sections), name)


def written(text: str, name: str) -> str:
    """Write a text into a file in a temporary folder; the same text always into the same file. Returns its path."""
    path = Path(_folder().name) / f"{zlib.crc32(text.encode()):08x}" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="capstone-")
