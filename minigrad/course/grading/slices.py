"""The part of a bank module that watches an answer, without the part that knows the right one.

Where a case holds a function, or a tensor with a history, it cannot be sent as numbers: the process that runs the
answer builds it itself, from these lines. They are cut out by name, so references, alternatives and mistakes stay here
unless the watching code itself calls them (`leaks` says where).
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from minigrad.course.exercise import Exercise
from minigrad.course.grading.names import bound, defines, number

BANK = "minigrad.course.bank."


@dataclass(frozen=True)
class Slice:
    """Modules to execute in this order, each as (name, source); the last one has `cases` and `observe`."""

    modules: tuple[tuple[str, str], ...]
    names: frozenset[tuple[str, str]]  # (module, name) of all that is defined in them


@functools.cache
def cut(module: str, id: str, cases: bool) -> Slice:
    """What is needed to watch an answer to the exercise; with or without what builds its cases."""
    call = _registered(module)[id]
    keywords = {k.arg: k.value for k in call.keywords if k.arg in (("cases", "edges", "observe") if cases else ("observe",))}
    wanted: dict[str, set[str]] = {module: set()}
    for value in keywords.values():
        wanted[module] |= set(_names(value))
    order = _close(wanted)
    ending = "".join(f"\n{name}_{number(id)} = {ast.unparse(value)}" for name, value in keywords.items())
    texts = [(name, _text(name, wanted[name])) for name in order]
    name, text = texts[-1]
    texts[-1] = name, text + ending + "\n"
    return Slice(tuple(texts), frozenset((m, n) for m in order for n in wanted[m]))


_IMPORT = re.compile(r"^[ \t]*from[ \t]+(minigrad\.course\.bank\.\w+)[ \t]+import[ \t]+([\w ,]+)", re.MULTILINE)


def offered(cells: Iterable[str], exercises: Iterable[Exercise]) -> list[tuple[str, str]]:
    """The modules that the cells import from the bank, cut down to those names and what they need.

    A given cell may import its material from there. No name is offered that is an answer, right or wrong, or needs one.
    """
    answers: dict[str, set[str]] = {}
    for e in exercises:
        functions = [e.reference, *e.alternatives.values()]
        functions += [f for m in (*e.mistakes.values(), *e.wasteful.values()) for f in (m.answer, m.again) if f is not None]
        known = answers.setdefault(e.space["__name__"], set())
        known |= {getattr(f, "__name__", "") for f in functions}
    modules: dict[str, tuple[str, str]] = {}
    wishes: dict[str, set[str]] = {}
    for module, names in (match.groups() for source in cells for match in _IMPORT.finditer(source)):
        if module in answers:
            wishes.setdefault(module, set()).update(re.findall(r"\w+", names))
    for module, names in wishes.items():
        wanted: dict[str, set[str]] = {}
        order: list[str] = []
        for name in sorted(names & _definitions(module).keys()):
            needs = {module: {name}}
            its_order = _close(needs)
            if not any(needs[m] & answers.get(m, set()) for m in needs):
                for m in its_order:
                    wanted.setdefault(m, set()).update(needs[m])
                order += [m for m in its_order if m not in order]
        modules |= {m: (m, _text(m, wanted[m])) for m in order}
    return list(modules.values())


def can_watch(exercise: Exercise) -> bool:
    """Whether the exercise stands in its module as `Exercise(id=…)`, so that its part can be cut out.

    The capstone does not: its answers are files, which a runner of its own judges in further processes.
    """
    return exercise.is_value or exercise.id in _registered(exercise.space["__name__"])


def leaks(exercise: Exercise, cases: bool = True) -> list[str]:
    """Names of right or wrong answers that the watching code itself needs."""
    module = exercise.space["__name__"]
    known = {"the reference": exercise.reference, **exercise.alternatives}
    held = cut(module, exercise.id, cases).names
    return [name for name, function in known.items() if (function.__module__, function.__name__) in held]


def leak(exercise: Exercise) -> str:
    """Why the part that goes to the student's process gives the answer away; empty where it does not."""
    if exercise.is_value or exercise.names_a_file:
        return ""
    held = cut(exercise.space["__name__"], exercise.id, True).names
    answers: dict[str, list] = {"the reference": [exercise.reference], "an alternative": list(exercise.alternatives.values())}
    answers["a known mistake"] = [f for m in (*exercise.mistakes.values(), *exercise.wasteful.values()) for f in (m.answer, m.again)]
    for what, functions in answers.items():
        for function in functions:
            name = getattr(function, "__name__", "")
            if name and (function.__module__, name) in held:
                return (
                    f"Its cases, or what observes them, use `{name}`, which is {what}. They run beside the student's code: let them "
                    "hold only inputs, and compare in `accept`, which runs here."
                )
    return ""


def _close(wanted: dict[str, set[str]]) -> list[str]:
    """Add all that the wanted names need; the modules, each after those that it imports from."""
    (first,) = wanted
    todo = [(first, name) for name in wanted[first]]
    imports: dict[str, set[str]] = {first: set()}
    while todo:
        module, name = todo.pop()
        statement = _definitions(module).get(name)
        if statement is None:
            continue
        wanted[module].add(name)
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith(BANK):
            other = str(statement.module)
            imports[module].add(other)
            imports.setdefault(other, set())
            needs = [(other, alias.name) for alias in statement.names if (alias.asname or alias.name) == name]
        else:
            needs = [(module, other) for other in _names(statement)]
        for where, what in needs:
            if what not in wanted.setdefault(where, set()) and what in _definitions(where):
                wanted[where].add(what)
                todo.append((where, what))
    order: list[str] = []

    def visit(module: str) -> None:
        for other in sorted(imports[module]):
            visit(other)
        if module not in order:
            order.append(module)

    visit(first)
    return order


def _text(module: str, wanted: set[str]) -> str:
    """The module's statements that define the wanted names, in their order."""
    kept = []
    for statement in _tree(module).body:
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if isinstance(statement, ast.Import | ast.ImportFrom) and not future:
            names = [alias for alias in statement.names if bound(alias) in wanted]
            if not names:
                continue
            new = ast.Import(names) if isinstance(statement, ast.Import) else ast.ImportFrom(statement.module, names, 0)
            kept.append(ast.unparse(new))
        elif future or wanted & set(defines(statement)):
            kept.append(ast.unparse(statement))
    return "\n\n".join(kept) + "\n"


@functools.cache
def _tree(module: str) -> ast.Module:
    path = Path(str(sys.modules[module].__file__))
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@functools.cache
def _definitions(module: str) -> dict[str, ast.stmt]:
    if module not in sys.modules:
        __import__(module)
    return {name: statement for statement in _tree(module).body for name in defines(statement)}


@functools.cache
def _registered(module: str) -> dict[str, ast.Call]:
    """The calls Exercise(...) of a bank module, by their id."""
    found: dict[str, ast.Call] = {}
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Exercise":
            for keyword in node.keywords:
                if keyword.arg == "id" and isinstance(keyword.value, ast.Constant):
                    found[str(keyword.value.value)] = node
    return found


def forget() -> None:
    """A module was loaded again: forget what was read of its source."""
    for known in (cut, _tree, _definitions, _registered):
        known.cache_clear()


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
