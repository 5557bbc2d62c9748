"""Pieces of the engine's source, cut out by name, for the lessons. So what a lesson shows is what runs.

A markdown cell of a chapter with `engine="core/walk.py:run"` ends with the source of that function, class or method
(`core/tape.py:Node.apply`), without its docstring. `first="…"` and `last="…"` keep only the lines from the first that
holds the one text to the next that holds the other. Of these `keep="a|b"` keeps the lines that hold `a` or `b`, with
dots for what is left out between them. `cut="a|b"` puts dots in the place of `a` and `b` inside of a line;
a comment in it goes without dots. `fold="…"` folds it below these words.
"""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

SHORTEST, LONGEST = 2, 25  # lines that a reader takes in beside a lesson


def excerpt(
    root: Path, where: str, first: str | None = None, last: str | None = None, keep: str | None = None, cut: str | None = None
) -> str:
    """The markdown that shows a piece of the engine: a link to its file, and its lines.

    where: file below minigrad/, a colon, and the dotted name. Raises ValueError, saying what to change, for a name or a text
    that is not there, and for a piece that is too long or too short to be read in a lesson.
    """
    file, _, name = where.partition(":")
    path = root / "minigrad" / file
    if not path.is_file():
        raise ValueError(f"engine={where!r}: there is no file minigrad/{file}")
    text = path.read_text(encoding="utf-8")
    lines = without_docstring(text, found(ast.parse(text), name, where))
    lines = between(lines, first, last, where)
    if keep is not None:
        lines = only(lines, keep.split("|"), where)
    for words in cut.split("|") if cut is not None else ():
        place(lines, words, 0, where)  # it is there
        lines = [line.replace(words, "" if words.startswith("#") else "...").rstrip() for line in lines]
    lines = textwrap.dedent("\n".join(lines)).split("\n")
    if not SHORTEST <= len(lines) <= LONGEST:
        raise ValueError(f"engine={where!r} has {len(lines)} lines; a lesson shows {SHORTEST} to {LONGEST}: use first= and last=")
    return f"[`minigrad/{file}`](../minigrad/{file}), `{name}`:\n\n```python\n" + "\n".join(lines) + "\n```"


def found(tree: ast.AST, name: str, where: str) -> ast.FunctionDef | ast.ClassDef:
    """The definition of a dotted name."""
    node = tree
    for part in name.split("."):
        inside = [n for n in ast.iter_child_nodes(node) if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == part]
        if not inside:
            raise ValueError(f"engine={where!r}: nothing is called {part!r} there")
        node = inside[-1]
    assert isinstance(node, (ast.FunctionDef, ast.ClassDef))
    return node


def without_docstring(text: str, node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    numbers = range(start, (node.end_lineno or start) + 1)
    doc = node.body[0] if ast.get_docstring(node) is not None else None
    left_out = range(doc.lineno, (doc.end_lineno or 0) + 1) if doc is not None else range(0)
    lines = text.splitlines()
    return [lines[n - 1] for n in numbers if n not in left_out]


def between(lines: list[str], first: str | None, last: str | None, where: str) -> list[str]:
    start = 0 if first is None else place(lines, first, 0, where)
    end = len(lines) - 1 if last is None else place(lines, last, start, where)
    return lines[start : end + 1]


def only(lines: list[str], words: list[str], where: str) -> list[str]:
    """The lines that hold one of the words, with dots where others stood between them."""
    for word in words:
        place(lines, word, 0, where)
    told: list[str] = []
    gap = None  # the first line that was left out since the last one kept
    for line in lines:
        if not any(word in line for word in words):
            gap = gap or line
            continue
        if gap and told:
            told.append(" " * (len(gap) - len(gap.lstrip())) + "...")
        told.append(line)
        gap = None
    return told


def place(lines: list[str], words: str, start: int, where: str) -> int:
    for number, line in enumerate(lines[start:], start):
        if words in line:
            return number
    raise ValueError(f"engine={where!r}: no line holds {words!r}")
