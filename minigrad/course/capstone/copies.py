"""Copies of the real engine, to be changed: its core/, its ops/, and the few files that these need of minigrad."""

from __future__ import annotations

import ast
import functools
import textwrap
from pathlib import Path

import minigrad
from minigrad.course.capstone.assemble import written

PACKAGE = Path(minigrad.__file__).parent
# Beside the core and the operations only what these say their errors with, and how numbers become a dtype.
ALONE = ("core", "ops", "errors.py", "messages.toml", "dtypes.py")
FOLDER = "engine"

INIT = '''\
"""A copy of minigrad's engine, for you to change. The facts of chapter 17 run against it; nothing else uses it."""

import numpy as np

from . import ops
from .core import record, rule, tape, views, walk
from .core.tensor import Tensor, wrap

grad, mul_ = walk.grad, views.in_place(ops.pointwise.mul)


def tensor(data, requires_grad=False):
    """A Tensor with a copy of these numbers."""
    return wrap(np.array(data, dtype=np.float64)).requires_grad_(requires_grad)
'''

# What a learner's copy lacks: exercise 17.6 is to write it.
LACKING = ("core/views.py", "CopySlices.apply")
BLANK = '''\
        # Exercise 17.6: this rule was taken out of your copy.
        raise NotImplementedError("the rule of a write to a slice is still to be written")
'''


@functools.cache
def files() -> dict[str, str]:
    """The files of the copy, by their paths in it, as they are in minigrad."""
    paths = [path for name in ALONE for path in (sorted((PACKAGE / name).glob("*.py")) or [PACKAGE / name])]
    return {"__init__.py": INIT} | {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def given() -> dict[str, str]:
    """The files as a learner gets them."""
    name, method = LACKING
    first, last = _lines_of(method)
    lines = files()[name].splitlines(keepends=True)
    return files() | {name: "".join([*lines[:first], BLANK, *lines[last:]])}


def lacking() -> str:
    """The lines that a learner's copy lacks."""
    name, method = LACKING
    first, last = _lines_of(method)
    return textwrap.dedent("\n".join(files()[name].splitlines()[first:last]))


def _lines_of(method: str) -> tuple[int, int]:
    """Where the body of a method stands in its file."""
    owner, _, wanted = method.partition(".")
    (found,) = [
        node for class_ in ast.parse(files()[LACKING[0]]).body if isinstance(class_, ast.ClassDef) and class_.name == owner
        for node in class_.body if isinstance(node, ast.FunctionDef) and node.name == wanted
    ]  # fmt: skip
    return found.body[0].lineno - 1, found.end_lineno or 0


def lay_out(folder: Path, texts: dict[str, str]) -> list[str]:
    """Write the files, never over one that is there. Returns those that were there."""
    there = []
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            there.append(name)
    return there


def edited(name: str, *swaps: tuple[str, str], add: str = "") -> str:
    """Write a file of the engine into a temporary folder with some text exchanged, and some added. Returns its path."""
    text = files()[name]
    for old, new in swaps:
        assert old in text, old
        text = text.replace(old, new)
    return written(text + add, Path(name).name)
