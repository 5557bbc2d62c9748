"""Students' code, read and not run: which names a statement binds, and which the checks are called with."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")

# An exercise's number, and the name of an answer, empty where none is given by its name.
CHECK = re.compile(r"check\(\s*[\"'](\d\d\.\d+)[\"'](?:\s*,\s*(\w+))?")


def seen_in(source: str, look: Callable[[ast.Module], T], otherwise: T, prepare: Callable[[str], str] = str) -> T:
    """What one sees in code; `otherwise` where it is no Python, or worse. What Python warns of in it is printed nowhere."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return look(ast.parse(prepare(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return otherwise


def bound(alias: ast.alias) -> str:
    """The name that an import binds."""
    return alias.asname or alias.name.partition(".")[0]


def defines(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement at the top of a module binds, or fills."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from map(bound, statement.names)
    elif isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
    elif isinstance(statement, ast.If | ast.For | ast.With | ast.Try):
        for inner in ast.iter_child_nodes(statement):
            if isinstance(inner, ast.stmt):
                yield from defines(inner)
