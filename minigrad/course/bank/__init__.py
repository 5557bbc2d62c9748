"""The bank of exercises: one module chNN.py per chapter, loaded when it is asked for."""

from __future__ import annotations

import ast
import functools
import importlib
import sys
import types
from pathlib import Path

from minigrad.course.exercise import Exercise

HERE = Path(__file__).parent


def chapters() -> list[str]:
    """The chapters that have exercises, as "01", "04"."""
    return sorted(path.stem[2:] for path in HERE.glob("ch[0-9][0-9].py"))


def exercises(chapter: str, mg: str = "minigrad") -> dict[str, Exercise]:
    """The exercises of one chapter by id, in the order of the notebook; `mg="torch"`: written with torch."""
    name = f"{__name__}.ch{chapter}"
    module = importlib.import_module(name) if mg == "minigrad" else _bound_to(mg, chapter)
    return module.EXERCISES


def minutes(chapter: str) -> int:
    """How long the exercises of a chapter take, without the extras."""
    return sum(exercise.minutes for exercise in exercises(chapter).values() if not exercise.extra)


def chapter_title(chapter: str) -> str:
    """The first line of the bank module's docstring, without a full stop."""
    doc = importlib.import_module(f"{__name__}.ch{chapter}").__doc__ or f"Chapter {chapter}"
    return doc.strip().splitlines()[0].rstrip(".")


@functools.cache
def _bound_to(library: str, chapter: str) -> types.ModuleType:
    """A second copy of a bank module in which `import minigrad` imports another library."""
    importlib.import_module(library)  # a missing library is said as such, not as a fault of the bank
    path = HERE / f"ch{chapter}.py"
    tree = _Rebind(library).visit(ast.parse(path.read_text(encoding="utf-8"), str(path)))
    module = types.ModuleType(f"{__name__}.ch{chapter}_{library}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look their module up there
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), module.__dict__)
    return module


class _Rebind(ast.NodeTransformer):
    """Turn imports of minigrad, except of the course itself, into imports of another library."""

    def __init__(self, library: str) -> None:
        self.library = library

    def _name(self, name: str | None) -> str | None:
        parts = (name or "").split(".")
        if parts[0] != "minigrad" or parts[1:2] in (["course"], ["viz"]):
            return name
        return ".".join([self.library, *parts[1:]])

    def visit_Import(self, node: ast.Import) -> ast.Import:
        for alias in node.names:
            renamed = self._name(alias.name) or alias.name
            if renamed != alias.name and alias.asname is None and "." not in alias.name:
                alias.asname = alias.name
            alias.name = renamed
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        node.module = self._name(node.module)
        return node
