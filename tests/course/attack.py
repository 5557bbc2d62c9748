"""Wrong answers made out of right ones, to try the checker with.

`mutants` changes the source of a reference in one place; `attacks` leaves the source alone and spoils what each call does:
it answers from memory, or for one size only, or changes what it was given. Neither knows what the exercise is about.

`python tests/course/attack.py [EXERCISE …]` prints those that the checker lets pass. `bank_survivors.txt` says of each why
it is right, or why nobody can see it.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import inspect
import linecache
import pathlib
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course import bank
from minigrad.course.exercise import DTYPE, FLAG, GRAD, STATES, VALUES, Exercise
from minigrad.course.judge import PASSED, judge_all

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


def tree_of(exercise: Exercise) -> ast.FunctionDef | ast.ClassDef:
    """The reference's source, under the name that its module knows it by, without decorators."""
    reference = inspect.unwrap(exercise.reference)
    tree = ast.parse(textwrap.dedent(inspect.getsource(reference))).body[0]
    assert isinstance(tree, (ast.FunctionDef, ast.ClassDef)) and not getattr(reference, "__closure__", None), exercise.id
    tree.decorator_list = []
    tree.name = exercise.reference.__name__
    return tree


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


# --- What a call does is spoiled -----------------------------------------------------------------------------

Call = Callable[[], Any]
Memory = dict[str, Any]


def things(args: Any) -> Iterator[Any]:
    """The tensors, arrays and containers among the arguments, from the outside in."""
    for thing in args.values() if isinstance(args, dict) else args:
        if isinstance(thing, (mg.Tensor, np.ndarray, list, dict)):
            yield thing
        if isinstance(thing, (list, tuple, dict)):
            yield from things(thing)
        if isinstance(thing, mg.nn.Module):
            yield from thing.parameters()


def arrays(args: Any) -> Iterator[np.ndarray]:
    for thing in things(args):
        if isinstance(thing, (mg.Tensor, np.ndarray)):
            yield thing.detach().numpy() if isinstance(thing, mg.Tensor) else thing


def form(x: Any) -> Any:
    """An argument without its numbers."""
    if isinstance(x, (mg.Tensor, np.ndarray)):
        return tuple(x.shape)
    if isinstance(x, (list, tuple)):
        return [form(item) for item in x]
    if type(x) is dict:
        return {key: form(item) for key, item in x.items()}
    return x if isinstance(x, (int, str, type(None))) else type(x).__name__


def numbers(x: Any) -> Any:
    """An argument's numbers, or itself."""
    if isinstance(x, (mg.Tensor, np.ndarray)):
        return np.asarray(x.detach().numpy() if isinstance(x, mg.Tensor) else x).tobytes()
    if isinstance(x, (list, tuple)):
        return tuple(numbers(item) for item in x)
    if type(x) is dict:
        return tuple((key, numbers(item)) for key, item in x.items())
    return x if isinstance(x, (int, float, str, type(None))) else id(x)


def each(x: Any, change: Callable[[Any], Any]) -> Any:
    """A result with its tensors, arrays and numbers changed."""
    if type(x) is list or type(x) is tuple:
        return type(x)(each(item, change) for item in x)
    if type(x) is dict:
        return {key: each(item, change) for key, item in x.items()}
    return change(x) if isinstance(x, (mg.Tensor, np.ndarray, float, int)) else x


def off(x: Any) -> Any:
    """A result with other numbers, another slope, or the contrary."""

    def change(value: Any) -> Any:
        if isinstance(value, bool):
            return not value
        return ~value if str(getattr(value, "dtype", "")).endswith("bool") else 3 * value + 1

    return each(x, change)


def first_result(call: Call, args: tuple, memory: Memory) -> Any:
    if "result" in memory:
        memory["met"] = memory["met"] or numbers(args) != memory["numbers"]
        return memory["result"]
    memory["numbers"], memory["result"] = numbers(args), call()
    return memory["result"]


def kept_by_form(call: Call, args: tuple, memory: Memory) -> Any:
    kept, key = memory.setdefault("kept", {}), repr(form(args))
    if key in kept:
        memory["met"] = memory["met"] or kept[key][0] != numbers(args)
        return kept[key][1]
    kept[key] = numbers(args), call()
    return kept[key][1]


def wrong_where(condition: Callable[[tuple, Memory], bool]) -> Callable[[Call, tuple, Memory], Any]:
    def attack(call: Call, args: tuple, memory: Memory) -> Any:
        there = condition(args, memory)
        result = call()
        if not there:
            return result
        return met(memory, result, off(result))

    return attack


def met(memory: Memory, right: Any, spoiled: Any) -> Any:
    """A spoiled result; whether it is another one is noted."""
    memory["met"] = memory["met"] or repr(right) != repr(spoiled)
    return spoiled


def another_size(args: tuple, memory: Memory) -> bool:
    return memory.setdefault("form", repr(form(args))) != repr(form(args))


def unknown(args: tuple, memory: Memory) -> bool:
    """Whether the numbers are none of those that the notebook shows."""
    return any(array.size for array in arrays(args)) and numbers(args) not in memory["shown"]


def after(change: Callable[[Any], bool]) -> Callable[[Call, tuple, Memory], Any]:
    """Something is done to an argument behind the call's back; `change` tells whether it was."""

    def attack(call: Call, args: tuple, memory: Memory) -> Any:
        before = [(thing, getattr(thing, "grad", None)) for thing in things(args)]
        result = call()
        for thing, grad in before:
            if getattr(thing, "grad", None) is grad:  # what the right answer changes too is no fault
                memory["met"] = change(thing) or memory["met"]
        return result

    return attack


def written_to(thing: Any) -> bool:
    if isinstance(thing, mg.Tensor) and thing.numel():
        with mg.no_grad():
            thing.add_(1)
        return True
    if isinstance(thing, np.ndarray) and thing.size and thing.flags.writeable:
        thing += 1
        return True
    return False


def emptied(thing: Any) -> bool:
    if isinstance(thing, (list, dict)) and thing:
        thing.clear()
        return True
    return False


def cleared(thing: Any) -> bool:
    if isinstance(thing, mg.Tensor) and thing.is_leaf and thing.grad is not None:
        thing.grad = None
        return True
    return False


def given_a_gradient(thing: Any) -> bool:
    if isinstance(thing, mg.Tensor) and thing.is_leaf and thing.requires_grad and thing.grad is None:
        thing.grad = mg.zeros_like(thing)
        return True
    return False


def frozen(thing: Any) -> bool:
    if isinstance(thing, mg.Tensor) and thing.is_leaf and thing.requires_grad:
        thing.requires_grad_(False)
        return True
    return False


def no_more_recording(call: Call, args: tuple, memory: Memory) -> Any:
    result = call()
    memory["met"] = memory["met"] or mg.is_grad_enabled()
    mg.set_grad_enabled(False)
    return result


def with_a_seed(call: Call, args: tuple, memory: Memory) -> Any:
    memory["met"] = True
    mg.manual_seed(0)
    return call()


def once_more(call: Call, args: tuple, memory: Memory) -> Any:
    memory["met"] = True
    call()
    return call()


def changed(change: Callable[[Any], Any]) -> Callable[[Call, tuple, Memory], Any]:
    def attack(call: Call, args: tuple, memory: Memory) -> Any:
        result = call()
        return met(memory, result, each(result, change))

    return attack


def of_the_first(x: Any) -> Any:
    if isinstance(x, (mg.Tensor, np.ndarray)) and x.ndim and len(x):
        return x * 0 + x[:1]
    return x


def without_the_last(x: Any) -> Any:
    if isinstance(x, (mg.Tensor, np.ndarray)) and x.ndim and len(x):
        keep = np.ones(len(x))
        keep[-1] = 0
        shape = (len(x),) + (1,) * (x.ndim - 1)
        return x * (mg.tensor(keep, dtype=x.dtype).reshape(*shape) if isinstance(x, mg.Tensor) else keep.reshape(shape))
    return x


def is_special(test: Callable[[np.ndarray], Any]) -> Callable[[tuple, Memory], bool]:
    return lambda args, memory: any(array.dtype.kind == "f" and bool(test(array)) for array in arrays(args))


def rounded(x: Any) -> Any:
    return x.detach().round() if isinstance(x, mg.Tensor) else x.round() if isinstance(x, np.ndarray) else x


def grown(x: Any) -> Any:
    """A result with a slip in the sixth digit."""
    return x * (1 + 1e-5) if isinstance(x, float) or getattr(x, "dtype", None) in (mg.float64, np.float64) else x


ATTACKS: dict[str, Callable[[Call, tuple, Memory], Any]] = {
    "gives what it gave first": first_result,
    "keeps one result for each size": kept_by_form,
    "right for the first size only": wrong_where(another_size),
    "right for the notebook's numbers only": wrong_where(unknown),
    "wrong in float32": wrong_where(lambda args, memory: any(array.dtype == np.float32 for array in arrays(args))),
    "wrong for a single element": wrong_where(lambda args, memory: any(array.size == 1 for array in arrays(args))),
    "wrong where an input is 0": wrong_where(is_special(lambda array: (array == 0).any())),
    "wrong where an input is negative": wrong_where(is_special(lambda array: (array < 0).any())),
    "writes into its inputs": after(written_to),
    "empties its inputs": after(emptied),
    "clears .grad": after(cleared),
    "leaves a .grad": after(given_a_gradient),
    "freezes its inputs": after(frozen),
    "leaves the grad mode off": no_more_recording,
    "sets the seed": with_a_seed,
    "works twice": once_more,
    "detached": changed(lambda x: x.detach() if isinstance(x, mg.Tensor) and x.requires_grad else x),
    "float32": changed(lambda x: x.float() if isinstance(x, mg.Tensor) and x.dtype == mg.float64 else x),
    "whole numbers": changed(rounded),
    "a slip in the sixth digit": changed(grown),
    "the first row everywhere": changed(of_the_first),
    "without the last row": changed(without_the_last),
}  # fmt: skip


# What an exercise does not ask for, by `Exercise.without`.
NOT_ASKED = {
    "writes into its inputs": VALUES, "empties its inputs": VALUES, "clears .grad": GRAD,
    "leaves a .grad": GRAD, "freezes its inputs": FLAG, "leaves the grad mode off": STATES,
    "sets the seed": STATES, "float32": DTYPE,
}  # fmt: skip

# Within a Function's forward and backward the engine looks after the grad mode and the graph.
OF_GRAPHS = ("clears .grad", "leaves a .grad", "freezes its inputs", "detached", "leaves the grad mode off")


def spoiled(function: Callable[..., Any], attack: Callable[[Call, tuple, Memory], Any], memory: Memory) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        return attack(lambda: function(*args, **kwargs), (*args, *kwargs.values()), memory)

    return wrong


def methods(cls: type) -> list[str]:
    """The functions that a class defines, but for those that Python calls by itself."""
    return [name for name, member in vars(cls).items() if inspect.isroutine(member) and not name.startswith("__")]


def attacks(exercise: Exercise) -> list[tuple[str, Any]]:
    """Answers that are the reference but for what each call does besides: a text for each, and what makes the answer."""
    if exercise.is_value:
        return []
    places = [f"{name} " for name in methods(exercise.reference)] if inspect.isclass(exercise.reference) else [""]
    of_ctx = inspect.isclass(exercise.reference) and issubclass(exercise.reference, mg.autograd.Function)
    asked = [name for name in ATTACKS if NOT_ASKED.get(name) not in exercise.without and (name != "works twice" or exercise.musts)]
    if of_ctx:
        asked = [name for name in asked if name not in OF_GRAPHS]
    return [(place + name, (place.strip(), name)) for place in places for name in asked]


# --- Made and judged -----------------------------------------------------------------------------------------


@dataclass
class Made:
    """A wrong answer, and what it is remembered by."""

    text: str
    answer: Any
    memory: Memory = field(default_factory=lambda: {"met": True})  # of an attack: whether any call met it


def run(exercise: Exercise, source: str) -> Any:
    """What the source of a reference makes; its text can be had from it, as in a notebook."""
    space = {"np": np} | exercise.space
    name = f"<mutant of {exercise.id}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        exec(compile(source, name, "exec"), space)
    except Exception:
        return None  # a class may fail as it is made
    return space[exercise.reference.__name__]


def made(exercise: Exercise, chosen: Callable[[list], list] = list) -> Iterator[Made]:
    """The wrong answers of an exercise, each made as it is asked for; `chosen` takes some of them."""
    source = None if exercise.is_value else ast.unparse(tree_of(exercise))
    for text, how in chosen(mutants(exercise) + attacks(exercise)):
        if exercise.is_value:
            key, new = how
            yield Made(text, exercise.reference(exercise.draw(0)) | {key: new})
        elif isinstance(how, str):
            yield Made(text, run(exercise, how))
        else:
            method, attack = how
            memory: Memory = {"met": False, "shown": shown(exercise)}
            right = run(exercise, source)
            if method:
                member = inspect.getattr_static(right, method)
                plain = getattr(member, "__func__", member)
                wrong = spoiled(plain, ATTACKS[attack], memory)
                setattr(right, method, type(member)(wrong) if plain is not member else wrong)
            else:
                right = spoiled(right, ATTACKS[attack], memory)
            yield Made(text, right, memory)


def shown(exercise: Exercise) -> set[Any]:
    """The numbers of the calls that the notebook's own cases make."""
    seen: set[Any] = set()

    def note(call: Call, args: tuple, memory: Memory) -> Any:
        seen.add(numbers(args))
        return call()

    answer = run(exercise, ast.unparse(tree_of(exercise)))
    names = methods(answer) if inspect.isclass(answer) else []
    for name in names:
        member = inspect.getattr_static(answer, name)
        plain = getattr(member, "__func__", member)
        watched = spoiled(plain, note, {})
        setattr(answer, name, type(member)(watched) if plain is not member else watched)
    if not names:
        answer = spoiled(answer, note, {})
    for case in exercise.fresh_cases():
        if not case.dtype:
            with contextlib.suppress(Exception):
                exercise.observation(answer, case)
    return seen


def survivors(exercise: Exercise, chosen: Callable[[list], list] = list) -> tuple[int, list[str]]:
    """How many wrong answers were judged, and those that the checker takes for right, without a word.

    An attack that no call met is none.
    """
    plain = replace(exercise, mistakes={})  # which mistake it is like does not matter here
    given: list[Made] = []

    def answers() -> Iterator[Any]:
        for one in made(exercise, chosen):
            given.append(one)
            yield one.answer

    verdicts = list(judge_all(plain, answers()))
    passed = [one.text for one, v in zip(given, verdicts, strict=True) if v.outcome == PASSED and not v.hint and one.memory["met"]]
    return sum(one.memory["met"] for one in given), passed


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
