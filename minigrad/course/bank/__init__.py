"""The bank of exercises: a folder for each chapter, and in it a folder for each exercise, loaded when it is asked for.

An exercise is three files. `task.py` is what is asked, and what is seen of an answer: all that a sandbox gets. `answer.py`
is the right answer, with its hints and why it is right; and `accept`, where an answer is compared in a way of its own.
`mistakes.py` has the known mistakes, each beside its evidence and its hint.
A chapter's `common.py` is shared by its tasks, and `known.py` by its answers and mistakes; `shared.py` by several chapters.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from minigrad.course.exercise import Exercise

HERE = Path(__file__).parent
PARTS = ("task", "answer", "mistakes")


def chapters() -> list[str]:
    """The chapters that have exercises, as "01", "04"."""
    return sorted(path.name[2:] for path in HERE.glob("ch[0-9][0-9]"))


def exercises(chapter: str, mg: str = "minigrad") -> Mapping[str, Exercise]:
    """The exercises of one chapter by id, in the order of the notebook; `mg="torch"`: written with torch."""
    return folder(f"{__name__}.ch{chapter}", mg)


def minutes(chapter: str) -> int:
    """How long the exercises of a chapter take, without the extras."""
    return sum(exercise.minutes for exercise in exercises(chapter).values() if not exercise.extra)


def chapter_title(chapter: str) -> str:
    """The first line of the chapter's docstring, without a full stop."""
    doc = importlib.import_module(f"{__name__}.ch{chapter}").__doc__ or f"Chapter {chapter}"
    return doc.strip().splitlines()[0].rstrip(".")


class Folder(Mapping[str, Exercise]):
    """The exercises of a package by id; each is loaded when it is asked for, and is the same object from then on."""

    def __init__(self, package: str, library: str) -> None:
        self.package, self.library = package, library
        (place,) = importlib.import_module(package).__path__
        paths = sorted(Path(place).glob("ex[0-9][0-9]"))
        number = Path(place).name[2:]
        self.places = {f"{number}.{int(path.name[2:])}": f"{package}.{path.name}" for path in paths}
        self.made: dict[str, Exercise] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, id: str) -> Exercise:
        if id not in self.made:
            self.made[id] = assembled(self.places[id], self.library)
            if self.made[id].id != id:
                raise ValueError(f"the exercise in {self.places[id]} has the id {self.made[id].id}, not {id}")
        return self.made[id]


@functools.cache
def folder(package: str, library: str) -> Folder:
    """The exercises of a chapter."""
    if library != "minigrad":
        importlib.import_module(library)  # a missing library is said as such, not as a fault of the bank
    return Folder(package, library)


def assembled(package: str, library: str) -> Exercise:
    """An exercise from its three files."""
    load = importlib.import_module if library == "minigrad" else functools.partial(copied, library=library)
    task, answer, mistakes = (load(f"{package}.{part}") for part in PARTS)
    fields = task.TASK | answer.ANSWER
    kind = fields.pop("kind", Exercise)
    space = {"mg": importlib.import_module(library)} | vars(task) | vars(answer)
    return kind(
        **fields, wasteful=getattr(mistakes, "WASTEFUL", {}), mistakes=mistakes.MISTAKES, space=space, package=package
    )


def names_of(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a chapter: it finds a name in whatever file of the chapter has it."""

    def find(name: str) -> Any:
        if name == "EXERCISES":
            return folder(package, "minigrad")
        place = Path(sys.modules[package].__path__[0])
        if (place / name).is_dir() or (place / f"{name}.py").is_file():
            return importlib.import_module(f"{package}.{name}")
        files = [] if name.startswith("__") else [*place.glob("[!_]*.py"), *place.glob("ex[0-9][0-9]/*.py")]
        for path in sorted(files, key=lambda path: (len(path.parts), path.parent, _rank(path))):
            if re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")):
                found = vars(importlib.import_module(".".join([package, *path.relative_to(place).with_suffix("").parts])))
                if name in found:
                    return found[name]
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find


def _rank(path: Path) -> int:
    return PARTS.index(path.stem) if path.stem in PARTS else -1


# --- another library in minigrad's place ---


@functools.cache
def copied(name: str, library: str) -> types.ModuleType:
    """A second copy of a module of the bank, in which `import minigrad` imports another library."""
    path = Path(str(importlib.util.find_spec(name).origin))  # type: ignore[union-attr]
    tree = _Rebind(library).visit(ast.parse(path.read_text(encoding="utf-8"), str(path)))
    made = types.ModuleType(_bound(name, library))
    made.__file__ = str(path)
    sys.modules[made.__name__] = made  # where the imports of other copies look, and dataclasses
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), made.__dict__)
    return made


def _bound(name: str, library: str) -> str:
    """The name of a module's copy: of the bank's ch07.common, ch07_torch.common."""
    head, _, rest = name.removeprefix(f"{__name__}.").partition(".")
    return ".".join(filter(None, [__name__, f"{head}_{library}", rest]))


class _Rebind(ast.NodeTransformer):
    """Turn imports of minigrad, but not of the course or the core, into those of another library; those of the bank into copies."""

    def __init__(self, library: str) -> None:
        self.library = library

    def _name(self, name: str | None) -> str | None:
        parts = (name or "").split(".")
        if (name or "").startswith(f"{__name__}."):
            return copied(str(name), self.library).__name__
        if parts[0] != "minigrad" or parts[1:2] in (["course"], ["core"], ["viz"]):
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
