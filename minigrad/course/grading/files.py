"""What of an exercise goes to the process that runs a student's code: its task, and what of the bank the task imports.

Where a case holds a function, or a tensor with a history, it cannot be sent as numbers: that process builds it itself. The
files with the answer and with the mistakes stay here. A teacher's exercises may stand in one file with their answers: of that
file goes what builds and watches the cases, cut out by name.
"""

from __future__ import annotations

import ast
import functools
import importlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from minigrad.course import bank
from minigrad.course.exercise import Exercise
from minigrad.course.grading.names import bound, defines

BANK = "minigrad.course.bank"
INSIDE = ("answer", "mistakes", "known")  # files that know an answer
TASK = ("cases", "edges", "observe")

Modules = tuple[tuple[str, str], ...]  # (name, source), each after those that it imports from


def for_the_child(exercise: Exercise) -> Modules:
    """The modules to execute; the last one has the task of the exercise."""
    return read(f"{exercise.package}.task") if exercise.package else ((_module(exercise), cut(_module(exercise))),)


def all_of(exercise: Exercise) -> Modules:
    """The modules that a score depends on."""
    if exercise.package:
        return tuple(dict.fromkeys(pair for part in bank.PARTS for pair in read(f"{exercise.package}.{part}")))
    return ((_module(exercise), _source(_module(exercise))),)


@functools.cache
def read(module: str) -> Modules:
    """A module of the bank, after those of the bank that it imports."""
    found: dict[str, str] = {}
    source = _source(module)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"{BANK}."):
            found |= dict(read(str(node.module)))
    return (*found.items(), (module, source))


@functools.cache
def imported(module: str) -> frozenset[str]:
    """The packages that a module of the bank imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return frozenset(found)


def can_watch(exercise: Exercise) -> bool:
    """Whether what watches an answer is found: its file, or `Exercise(id=…)` in a file with others."""
    return exercise.is_value or bool(exercise.package) or exercise.id in _registered(_module(exercise))


def leak(exercise: Exercise) -> str:
    """Why what goes to the student's process gives the answer away; empty where it does not."""
    if exercise.is_value or exercise.names_a_file:
        return ""
    if exercise.package:
        told = [name for name, _ in for_the_child(exercise) if name.rpartition(".")[2] in INSIDE]
        found = f"import from `{told[0].removeprefix(f'{BANK}.')}`" if told else ""
    else:
        answers, module = _answers(exercise), _module(exercise)
        held = _closed(module, _names_in(_keywords(_registered(module)[exercise.id], TASK)))
        found = next((f"use `{name}`, which is {what}" for name, what in answers.items() if name in held), "")
    return found and (
        f"Its cases, or what observes them, {found}. They run beside the student's code: let them "
        "hold only inputs, and compare in `accept`, which runs here."
    )


def functions(exercise: Exercise) -> dict[str, Any]:
    """The functions and classes, by name, that go to the student's process with the task of the exercise."""
    if exercise.package:
        places = {name: vars(sys.modules[name]) for name, _ in for_the_child(exercise)}
    else:
        module = _module(exercise)
        held = _closed(module, _names_in(_keywords(_registered(module)[exercise.id], TASK)))
        places = {module: {name: thing for name, thing in vars(sys.modules[module]).items() if name in held}}
    known = ((place, name, thing) for place, names in places.items() for name, thing in names.items())
    return {name: thing for place, name, thing in known if callable(thing) and getattr(thing, "__module__", "") == place}


# --- exercises that stand in one file with their answers ---


@functools.cache
def cut(module: str) -> str:
    """Of a file with exercises: what builds and watches their cases, as `TASKS` by id, with all that these need."""
    tasks = {id: _keywords(call, TASK) for id, call in _registered(module).items()}
    wanted = _closed(module, {name for task in tasks.values() for name in _names_in(task)})
    kept = []
    for statement in _tree(module).body:
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if isinstance(statement, ast.Import | ast.ImportFrom) and not future:
            names = [alias for alias in statement.names if bound(alias) in wanted]
            made = ast.Import(names) if isinstance(statement, ast.Import) else ast.ImportFrom(statement.module, names, 0)
            kept += [ast.unparse(made)] if names else []
        elif future or wanted & set(defines(statement)):
            kept.append(ast.unparse(statement))
    told = (f"{id!r}: {{{', '.join(f'{key!r}: {ast.unparse(value)}' for key, value in task.items())}}}" for id, task in tasks.items())
    return "\n\n".join([*kept, f"TASKS = {{{', '.join(told)}}}"]) + "\n"


def _answers(exercise: Exercise) -> dict[str, str]:
    """The names of the functions that are answers, right or wrong, and what they are."""
    mistakes = [m.answer for m in (*exercise.mistakes.values(), *exercise.wasteful.values())]
    kinds = {"a known mistake": mistakes, "an alternative": [*exercise.alternatives.values()], "the reference": [exercise.reference]}
    return {getattr(function, "__name__", ""): what for what, functions in kinds.items() for function in functions}


def _closed(module: str, names: Iterable[str]) -> set[str]:
    """The names, and all that their definitions in the file need."""
    definitions, todo = _definitions(module), list(names)
    wanted: set[str] = set()
    while todo:
        name = todo.pop()
        if name in definitions and name not in wanted:
            wanted.add(name)
            todo += _names(definitions[name])
    return wanted


def _keywords(call: ast.Call, which: Iterable[str]) -> dict[str, ast.expr]:
    return {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg and keyword.arg in which}


def _module(exercise: Exercise) -> str:
    return exercise.space["__name__"]


def _source(module: str) -> str:
    file = getattr(importlib.import_module(module), "__file__", None)
    if file is None:
        raise ImportError(f"{module} is a folder: import from a file in it, as from {module}.common")
    return Path(file).read_text(encoding="utf-8")


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_source(module))


@functools.cache
def _definitions(module: str) -> dict[str, ast.stmt]:
    return {name: statement for statement in _tree(module).body for name in defines(statement)}


@functools.cache
def _registered(module: str) -> dict[str, ast.Call]:
    """The calls Exercise(...) of a file, by their id."""
    found: dict[str, ast.Call] = {}
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Exercise":
            for keyword in node.keywords:
                if keyword.arg == "id" and isinstance(keyword.value, ast.Constant):
                    found[str(keyword.value.value)] = node
    return found


def forget() -> None:
    """A module was loaded again: forget what was read of its source."""
    for known in (read, cut, imported, _tree, _definitions, _registered):
        known.cache_clear()


def _names_in(values: dict[str, ast.expr]) -> set[str]:
    return {name for value in values.values() for name in _names(value)}


def _names(node: ast.AST) -> Iterator[str]:
    """The names that a piece of code mentions, outside of annotations, which nobody evaluates."""
    if isinstance(node, ast.Name):
        yield node.id
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _names(child)
