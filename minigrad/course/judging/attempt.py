"""What is known of an answer before it runs: whether it is one, whether it is of the right kind, its source."""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import types
from typing import Any

from minigrad.course.exercise import Exercise


def attempted(exercise: Exercise, answer: Any) -> bool:
    """Whether the answer is more than the starter."""
    if answer is ... or answer is None and exercise.is_value:
        return False
    if exercise.is_value:
        return not (isinstance(answer, dict) and answer and all(_all_dots(value) for value in answer.values()))
    return _instructions(answer) != _instructions(exercise.starter_made)


def _instructions(thing: Any) -> Any:
    """What a function or class does, as Python runs it: the same for every layout, comment, docstring and annotation."""
    if inspect.isclass(thing):  # a class that was not written inside is none of its parts: a Function holds its node's class
        own = {k: m for k, m in vars(thing).items() if not inspect.isclass(m) or m.__qualname__ == f"{thing.__qualname__}.{k}"}
        return {name: code for name, member in own.items() if (code := _instructions(member)) is not None}
    code = getattr(inspect.unwrap(getattr(thing, "__func__", thing)), "__code__", None) if callable(thing) else None
    return None if code is None else _of_code(code)


def _of_code(code: types.CodeType) -> list[tuple[str, Any]]:
    def value(argument: Any) -> Any:
        return _of_code(argument) if isinstance(argument, types.CodeType) else argument

    return [(i.opname, value(i.argval)) for i in dis.get_instructions(code)]


def unwritten(function: Any) -> bool:
    """Whether nothing is done in a function, as in the starter."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    nothing: set[tuple[str, Any]] = {("RESUME", 0), ("NOP", None), ("RETURN_VALUE", None)}
    nothing |= {(name, value) for name in ("LOAD_CONST", "RETURN_CONST") for value in (None, ...)}
    return code is not None and all((i.opname, i.argval) in nothing for i in dis.get_instructions(code))


def _all_dots(value: Any) -> bool:
    return value is ... or isinstance(value, list | tuple) and bool(value) and all(_all_dots(v) for v in value)


def has_dots(value: Any) -> bool:
    return value is ... or isinstance(value, list | tuple) and any(has_dots(v) for v in value)


def wrong_kind(exercise: Exercise, answer: Any) -> str:
    """What is said when the answer is not even of the right kind; empty when it is."""
    if exercise.is_value:
        if not isinstance(answer, dict):
            return f"`{exercise.name}` must be a dict, as it was given; it is {_kind(answer)}."
        return ""
    if inspect.isclass(exercise.reference):
        return "" if inspect.isclass(answer) else f"`{exercise.name}` must be a class; it is {_kind(answer)}."
    if not callable(answer):
        return f"`{exercise.name}` must be a function; it is {_kind(answer)}. Give the function itself, do not call it."
    try:
        wanted = inspect.signature(exercise.reference)
        inspect.signature(answer).bind(*[None] * len(wanted.parameters))
    except TypeError:
        return f"`{exercise.name}` must take these arguments: `{exercise.name}{wanted}`."
    except ValueError:
        return ""  # a function of C has no signature
    return ""


def _kind(answer: Any) -> str:
    return f"a value of type {type(answer).__name__}"


def ends_of(function: Any) -> str:
    """Whether the ends of a function, or of all functions of a class, have a value, as far as code tells: a key of WHY_NONE."""
    if inspect.isclass(function):
        functions = (getattr(member, "__func__", member) for member in vars(function).values())
        kinds = {ends_of(member) for member in functions if inspect.isfunction(member)}
        return kinds.pop() if len(kinds) == 1 else "both"
    code = getattr(function, "__code__", None)
    steps = list(dis.get_instructions(code)) if code else []
    ends = [(before, step) for before, step in zip([None, *steps], steps, strict=False) if step.opname.startswith("RETURN_")]
    constants = [step if step.opname == "RETURN_CONST" else before for before, step in ends if step.opname != "RETURN_GENERATOR"]
    valued = {c is None or not c.opname.endswith("CONST") or c.argval is not None for c in constants}
    return "both" if len(valued) != 1 else "valued" if True in valued else "bare"


def source_of(answer: Any) -> str | None:
    """The source text of an answer, if it can be found."""
    try:
        return _class_source(answer) if inspect.isclass(answer) else inspect.getsource(answer)
    except (OSError, TypeError, SyntaxError):
        return None


def _class_source(cls: type) -> str | None:
    """The source of a class by way of one of its methods: a class of a notebook does not know where it was written."""
    for member in vars(cls).values():
        code = getattr(getattr(member, "__func__", member), "__code__", None)
        if code is not None:
            return definition("".join(linecache.getlines(code.co_filename)), cls.__name__)
    return None


def definition(text: str, name: str) -> str | None:
    """The source of the last function or class of that name in a text, such as a cell's. SyntaxError where it is no Python."""
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return ast.get_source_segment(text, node)
    return None
