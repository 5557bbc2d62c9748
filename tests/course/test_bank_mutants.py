"""The checker against automatic wrong answers: references with one place changed, and predictions with one value changed.

``python tests/course/test_bank_mutants.py [EXERCISE …]`` prints those that the checker lets pass. Those are right, and
`bank_survivors.txt` says of each why.
"""

from __future__ import annotations

import ast
import copy
import inspect
import pathlib
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

from minigrad.course import bank
from minigrad.course.exercise import Exercise
from minigrad.course.judge import PASSED, judge_all

EXERCISES = {e.id: e for chapter in bank.chapters() if chapter not in ("16", "17") for e in bank.exercises(chapter).values()}
# Chapter 16 has answers of hundreds of lines, and tests of its own.

OPERATORS: dict[type, type] = {
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def changes(node: ast.AST, parameters: list[str]) -> Iterator[tuple[str, Any]]:
    """What a node of a syntax tree may become, with a word on the change."""
    match node:
        case ast.BinOp(left, op, right):
            if type(op) in OPERATORS:
                yield "other operator", ast.BinOp(left, OPERATORS[type(op)](), right)
            if isinstance(op, (ast.Div, ast.Sub, ast.MatMult, ast.Pow)):
                yield "operands swapped", ast.BinOp(right, op, left)
            yield "left operand only", left
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield "without the sign", operand
        case ast.Compare(left, [op], rest) if type(op) in OPERATORS:
            yield "other comparison", ast.Compare(left, [OPERATORS[type(op)]()], rest)
        case ast.BoolOp(op, values):
            yield "other connective", ast.BoolOp(OPERATORS[type(op)](), values)
        case ast.IfExp(_, body, orelse):
            yield "always the first case", body
            yield "always the second case", orelse
        case ast.Constant(bool() as value):
            yield "the contrary", ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield "another number", ast.Constant(value + 1)
        case ast.Call(func, args, keywords):
            if isinstance(func, ast.Attribute) and not isinstance(func.value, ast.Name) or (
                isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in parameters
            ):
                yield f"without .{func.attr}()", func.value
            for number, keyword in enumerate(keywords):
                rest = keywords[:number] + keywords[number + 1 :]
                yield f"without {keyword.arg}=", ast.Call(func, args, rest)
            if isinstance(func, ast.Name) and func.id == "sum":
                yield "the largest", ast.Call(ast.Name("max", ast.Load()), args, keywords)
            if len(args) == 2:
                yield "arguments swapped", ast.Call(func, args[::-1], keywords)
        case ast.Name(name, ast.Load()) if name in parameters and len(parameters) > 1:
            yield "another parameter", ast.Name(parameters[(parameters.index(name) + 1) % len(parameters)], ast.Load())
        case ast.With(_, body):
            yield "without with", body
        case ast.If(_, body, []):
            yield "without if", body
            yield "never", ast.Pass()
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Delete():
            yield "without it", ast.Pass()


# Changes that nobody can see: the values are the same, or differ where random numbers never are.
SYMMETRIC = {"allclose", "isclose", "max", "min", "loss_of", "maximum", "minimum"}


def unseen(label: str, node: ast.AST, inside: set[type | str]) -> bool:
    if label in ("without strict=", "without dtype=", "without stacklevel=", "without rtol=", "without atol=") or "strict" in inside:
        return True
    if label in ("without .item()", "without .numpy()", "without .tolist()", "without .detach()") and "returned" in inside:
        return True  # a number, an array and a Tensor are all taken
    if label == "arguments swapped":
        return ast.unparse(node.func).split(".")[-1] in SYMMETRIC  # type: ignore[attr-defined]
    if label == "operands swapped":
        return "abs" in inside
    if label == "other comparison" and isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        return any(isinstance(part, ast.Constant) and isinstance(part.value, float) for part in ast.walk(node))
    return False


def surroundings(tree: ast.AST) -> dict[int, set]:
    """For each node, in what it stands: "strict" and "abs" for those arguments, "returned" for what is given back."""
    found: dict[int, set] = {}
    for node in ast.walk(tree):
        here = found.setdefault(id(node), set())
        passed = set(here)
        if isinstance(node, ast.keyword) and node.arg == "strict":
            passed.add("strict")
        if isinstance(node, ast.Return):
            passed.add("returned")
        absolute = isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("abs", "norm")
        for child in ast.iter_child_nodes(node):
            found[id(child)] = passed | ({"abs"} if absolute else set())
    return found


class Change(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: Any):
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else super().generic_visit(node)


def mutants(exercise: Exercise) -> list[tuple[str, Any]]:
    """Answers that differ from the reference in one place: a text for each, and what makes the answer."""
    if exercise.is_value:
        return [(f"{key}: {label}", (key, new)) for key, label, new in predictions(exercise.reference(exercise.draw(0)), exercise)]
    reference = inspect.unwrap(exercise.reference)
    tree = ast.parse(textwrap.dedent(inspect.getsource(reference))).body[0]
    assert isinstance(tree, (ast.FunctionDef, ast.ClassDef)) and not getattr(reference, "__closure__", None), exercise.id
    found = []
    loops = {id(part) for loop in ast.walk(tree) if isinstance(loop, ast.While) for part in ast.walk(loop)}
    inside = {id(part): f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for part in ast.walk(f)}
    around = surroundings(tree)
    for node in ast.walk(tree):
        if id(node) in loops or node is tree:
            continue  # a changed loop might never end
        owner = inside.get(id(node))
        parameters = [a.arg for a in owner.args.args if a.arg not in ("self", "ctx")] if owner else []
        for label, new in changes(node, parameters):
            if unseen(label, node, around[id(node)]):
                continue
            memory: dict[int, Any] = {}
            changed = copy.deepcopy(tree, memory)
            replaced = [copy.deepcopy(n) for n in new] if isinstance(new, list) else copy.deepcopy(new)
            changed = Change(memory[id(node)], replaced).visit(changed)
            changed.decorator_list = []
            changed.name = exercise.reference.__name__
            shown = "; ".join(map(ast.unparse, new)) if isinstance(new, list) else ast.unparse(new)
            text = f"{ast.unparse(node)} -> {shown} ({label})"
            if ast.unparse(ast.fix_missing_locations(changed)) != ast.unparse(tree):
                found.append((text.replace("\n", " "), ast.unparse(changed)))
    return found


def predictions(expected: dict, exercise: Exercise) -> Iterator[tuple[str, str, Any]]:
    """For each value of a predicted dict, another one."""
    for key, value in expected.items():
        if isinstance(value, bool):
            yield key, "the contrary", not value
        elif isinstance(value, (int, float)):
            yield key, "one more", value + 1
            if value:
                yield key, "negated", -value
        elif isinstance(value, str):
            yield key, "another word", next((w for w in exercise.words if w != value), value + "x")
        elif value is None:
            yield key, "0 for None", 0
        elif isinstance(value, (tuple, list)):
            yield key, "one more entry", type(value)((*value, 1))
            if len(value) > 1 and value[::-1] != value:
                yield key, "the other way round", value[::-1]


def answer(exercise: Exercise, made: Any) -> Any:
    if exercise.is_value:
        key, new = made
        return exercise.reference(exercise.draw(0)) | {key: new}
    space = dict(vars(sys.modules[exercise.reference.__module__]))
    try:
        exec(compile(made, "<mutant>", "exec"), space)
    except Exception:
        return None  # a class may fail as it is made
    return space[exercise.reference.__name__]


def survivors(exercise: Exercise, found: list[tuple[str, Any]]) -> list[str]:
    """The changes that the checker takes for right, without a word."""
    verdicts = judge_all(exercise, (answer(exercise, made) for _, made in found))
    return [text for (text, _), v in zip(found, verdicts, strict=True) if v.outcome == PASSED and not v.hint]


def explained() -> dict[str, set[str]]:
    """The mutants that pass because they are right: exercise → changes. Each line of the file also says why."""
    found: dict[str, set[str]] = {}
    for line in (pathlib.Path(__file__).parent / "bank_survivors.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            number, rest = line.split(" | ", 1)
            text, why = rest.rsplit(" | ", 1)
            assert why
            found.setdefault(number, set()).add(text)
    return found


@pytest.mark.sampled(60, weekly=12)
@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_a_reference_with_one_place_changed_is_rejected(exercise: Exercise) -> None:
    assert set(survivors(exercise, mutants(exercise))) <= explained().get(exercise.id, set())


@pytest.mark.weekly
def test_only_mutants_that_exist_are_explained() -> None:
    for number, texts in explained().items():
        assert texts <= {text for text, _ in mutants(EXERCISES[number])}, number


@pytest.mark.weekly
def test_every_exercise_is_changed_in_some_place() -> None:
    assert [number for number, exercise in EXERCISES.items() if not mutants(exercise)] == []


if __name__ == "__main__":
    total = alive = 0
    for exercise in [EXERCISES[i] for i in sys.argv[1:]] or EXERCISES.values():
        try:
            made = mutants(exercise)
        except Exception as error:
            print(exercise.id, "NOT MUTATED:", repr(error)[:200], flush=True)
            continue
        passed = survivors(exercise, made)
        total, alive = total + len(made), alive + len(passed)
        print(f"{exercise.id}: {len(made)} mutants, {len(passed)} pass", *passed, sep="\n    ", flush=True)
    print(f"{total} mutants, {alive} pass: {100 - 100 * alive / max(total, 1):.1f} % rejected")
