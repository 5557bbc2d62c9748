"""Wrong answers made out of right ones, to try the checker with.

`mutants` changes the source of a reference in one place; the attacks of `terminal/attacks.py` leave the source alone and spoil
what each call does. Neither knows what the exercise is about.

`python tests/course/attack.py [EXERCISE …]` prints those that the checker lets pass. `bank_survivors.txt` says of each why
it is right, or why nobody can see it.
"""

from __future__ import annotations

import ast
import copy
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from minigrad.course import bank
from minigrad.course.exercise import Exercise
from minigrad.course.terminal.attacks import Made, attacked, attacks, run, tree_of
from minigrad.course.terminal.attacks import survivors as survivors_of

# Chapter 16 has answers of hundreds of lines, and tests of its own; in chapter 17 the work is in a file.
EXERCISES = {e.id: e for chapter in bank.chapters() if chapter not in ("16", "17") for e in bank.exercises(chapter).values()}
OPERATORS: dict[type, type] = {
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


PARTS = {"the first only": "[:1]", "all but the first": "[1:]", "all but the last": "[:-1]"}


def part_of(items: ast.expr, part: str) -> ast.expr:
    return ast.parse(f"list({ast.unparse(items)}){part}", mode="eval").body


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
            if isinstance(op, (ast.Is, ast.IsNot)) and isinstance(rest[0], ast.Constant) and rest[0].value is None:
                yield "0 taken for None", ast.UnaryOp(ast.Not(), left) if isinstance(op, ast.Is) else left
            if isinstance(op, ast.Eq):
                yield "at most", ast.Compare(left, [ast.LtE()], rest)
        case ast.BoolOp(op, values):
            yield "other connective", ast.BoolOp(OPERATORS[type(op)](), values)
            for number in range(len(values)):
                rest = values[:number] + values[number + 1 :]
                yield "one condition less", rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
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
        case ast.If(_, body, orelse):
            yield "without if", body
            yield "never", orelse or ast.Pass()
        case ast.Try(body, handlers):
            yield "without try", body
            yield "fails in silence", ast.Try(body, [ast.ExceptHandler(h.type, h.name, [ast.Pass()]) for h in handlers], [], [])
        case ast.For(target, items, body, orelse):
            for label, part in PARTS.items():
                yield label, ast.For(target, part_of(items, part), body, orelse)
        case ast.comprehension(target, items, ifs):
            for label, part in PARTS.items():
                yield label, ast.comprehension(target, part_of(items, part), ifs, 0)
            if ifs:
                yield "all of them", ast.comprehension(target, items, [], 0)
        case ast.Assign([ast.Name(name)], ast.List() | ast.Dict() | ast.Set() | ast.Call(ast.Name("set" | "list" | "dict"), [], [])):
            kept = f"{name} = globals().setdefault('kept_{name}', {ast.unparse(node.value)})"  # type: ignore[attr-defined]
            yield "kept across calls", ast.parse(kept).body[0]
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Delete() | ast.Assign([ast.Attribute()]):
            yield "without it", ast.Pass()
        case ast.Break() | ast.Continue():
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


class OnTheClass(ast.NodeTransformer):
    """What is noted on the object, or on ctx, is noted on the class, where all share it."""

    def __init__(self, name: str, attribute: str):
        self.name, self.attribute = name, attribute

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "ctx") and node.attr == self.attribute:
            return ast.Attribute(ast.Name(self.name, ast.Load()), f"its_{self.attribute}", node.ctx)
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if self.attribute == "saved_tensors" and ast.unparse(node).startswith("ctx.save_for_backward("):
            assert isinstance(node.value, ast.Call)
            saved = ast.Tuple(node.value.args, ast.Load())
            return ast.Assign([ast.Attribute(ast.Name(self.name, ast.Load()), "its_saved_tensors", ast.Store())], saved)
        return self.generic_visit(node)


def shared(tree: ast.ClassDef) -> Iterator[tuple[str, ast.ClassDef]]:
    """The class once for each attribute of its objects that it could keep on itself."""
    noted = {
        node.attr: None
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "ctx")
        and (isinstance(node.ctx, ast.Store) or node.attr == "saved_tensors")
    }  # fmt: skip
    for attribute in noted:
        yield f"{attribute} kept on the class", OnTheClass(tree.name, attribute).visit(copy.deepcopy(tree))


def shortly(node: ast.AST) -> str:
    """The source of a node; of a loop, its first line."""
    text = ast.unparse(ast.fix_missing_locations(node)).strip()
    return text.splitlines()[0].rstrip(":") if isinstance(node, ast.For) else text


def mutants(exercise: Exercise) -> list[tuple[str, Any]]:
    """Answers that differ from the reference in one place: a text for each, and what makes the answer."""
    if exercise.is_value:
        return [(f"{key}: {label}", (key, new)) for key, label, new in predictions(exercise.reference(exercise.draw(0)), exercise)]
    tree = tree_of(exercise)
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
            becomes = "; ".join(shortly(n) for n in (new if isinstance(new, list) else [new]))
            text = f"{shortly(node)} -> {becomes} ({label})"
            if ast.unparse(ast.fix_missing_locations(changed)) != ast.unparse(tree):
                found.append((" ".join(text.split()), ast.unparse(changed)))
    for label, made in shared(tree) if isinstance(tree, ast.ClassDef) else ():
        found.append((label, ast.unparse(ast.fix_missing_locations(made))))
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


# --- Made and judged -----------------------------------------------------------------------------------------


def made(exercise: Exercise, chosen: Callable[[list], list] = list) -> Iterator[Made]:
    """The wrong answers of an exercise, each made as it is asked for; `chosen` takes some of them."""
    for text, how in chosen(mutants(exercise) + attacks(exercise)):
        if exercise.is_value:
            key, new = how
            yield Made(text, exercise.reference(exercise.draw(0)) | {key: new})
        elif isinstance(how, str):
            yield Made(text, run(exercise, how))
        else:
            yield attacked(exercise, text, *how)


def survivors(exercise: Exercise) -> tuple[int, list[str]]:
    """How many wrong answers were judged, and those that the checker takes for right, without a word."""
    return survivors_of(exercise, made(exercise))


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


if __name__ == "__main__":
    total = alive = 0
    known = explained()
    for exercise in [EXERCISES[i] for i in sys.argv[1:]] or EXERCISES.values():
        count, passed = survivors(exercise)
        total, alive = total + count, alive + len(passed)
        print(f"{exercise.id}: {count} wrong answers, {len(passed)} pass: {100 - 100 * len(passed) / count:.1f} % refused", flush=True)
        for text in passed:
            print(f"    {text}" + ("" if text in known.get(exercise.id, ()) else "   NOT EXPLAINED"), flush=True)
    print(f"{total} wrong answers, {alive} pass: {100 - 100 * alive / max(total, 1):.1f} % refused")
