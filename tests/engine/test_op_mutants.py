"""Are the tests of the operations sharp? Break every rule in every small way, and count how often test_ops.py notices.

Two kinds of mutants. A rule's *result* is doubled, negated, shifted, zeroed, transposed, or cut off from what it was
computed of (which only a second derivative shows). And in a rule's *source*, its JVP's, or that of a function they call,
one place is changed: an operator, a constant, a missing conj, another operand. A mutant is caught when one of the tests
of the operation fails. At least 95 of 100 must be; those that are not are listed below with the reason.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import inspect
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import test_ops
from op_samples import Sample

import minigrad as mg
from minigrad.core.rule import REGISTRY, Op, conjugated
from minigrad.ops import indexing, matrix, neural, pointwise, reduction, shape

pytestmark = pytest.mark.full
ROOMS = (pointwise, shape, reduction, indexing, matrix, neural)
TREES = {room: ast.parse(inspect.getsource(room)) for room in ROOMS}


# -- what catches a mutant ---------------------------------------------------------------------------------------------


def caught(samples: list[Sample]) -> bool:
    """Whether a test of these samples fails. Any error counts."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a mutant is warned of is its own affair
        for test in (test_ops.test_vjp, test_ops.test_jvp, test_ops.test_vjp_of_vjp, test_ops.test_vjp_of_some_outputs):
            for sample in samples:
                if test is test_ops.test_vjp_of_some_outputs and test_ops.outputs_with_gradient(sample) == 1:
                    continue
                try:
                    test.check(sample)
                except Exception:
                    return True
        for kink in kinks_of({s.name for s in samples}):
            try:
                if kink in test_ops.KINKS:
                    test_ops.test_convention_at_kinks(kink)
                else:
                    test_ops.test_convention_of_tangents(kink)
                if kink in test_ops.FORWARD:
                    test_ops.test_tangent_at_kinks(kink)
            except Exception:
                return True
    return False


@functools.cache
def kinks() -> list[tuple[tuple, set[str]]]:
    """The recorded conventions, each with the operations in it."""
    found = []
    for kink in (*test_ops.KINKS, *test_ops.TANGENTS):
        leaves = [mg.tensor(x).requires_grad_() for x in kink[1]]
        stack = [eval(kink[0], {"mg": mg, "inf": float("inf"), "x": leaves[0], "y": leaves[-1]}).grad_fn]
        names: set[str] = set()
        while stack:
            node = stack.pop()
            if node is not None:
                names |= {node.op.name} if hasattr(node, "op") else set()
                stack += [edge[0] for edge in node.next_functions]
        found.append((kink, names))
    return found


def kinks_of(names: set[str]) -> list[tuple]:
    """The recorded conventions that concern some operations."""
    return [kink for kink, used in kinks() if used & names]


def samples_of(names: set[str]) -> list[Sample]:
    """The samples of some operations, the small ones first; what is derived from them numerically is cached."""
    chosen = [s for s in test_ops.SMOOTH_CORE if s.name in names]
    for sample in chosen:
        test_ops.jacobian(sample), test_ops.second_order(sample)
    return sorted(chosen, key=lambda s: sum(x.size for x in s.inputs.values()) or 99)


# -- putting a mutant in place -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def in_place_of(original: Callable, mutant: Callable) -> Iterator[None]:
    """The mutant wherever the original is: in operations, in their recipes, and under its name in the modules."""
    undo: list[Callable[[], Any]] = []

    def put(owner: Any, name: str, new: Any) -> None:
        undo.append(functools.partial(setattr, owner, name, getattr(owner, name)))
        setattr(owner, name, new)

    for operation in REGISTRY.values():
        if original in operation.rules.values():
            put(operation, "rules", {n: mutant if r is original else r for n, r in operation.rules.items()})
            put(operation, "recipes", copy.copy(operation.recipes))  # a recipe that is made meanwhile is forgotten with it
            for recipe in operation.recipes.values():
                changed = []
                for position, rule, picks in recipe.rules:
                    if inspect.unwrap(rule) is original:
                        rule = mutant if rule is original else conjugated(mutant)
                    changed.append((position, rule, picks))
                put(recipe, "rules", changed)
                put(recipe, "quick", None)  # how the hot path calls them
    for room in ROOMS:
        for name, value in list(vars(room).items()):
            if value is original:
                put(room, name, mutant)
    assert undo
    try:
        yield
    finally:
        for step in reversed(undo):
            step()


# -- mutants of results ------------------------------------------------------------------------------------------------


def on_parts(change: Callable) -> Callable:
    """A change of one cotangent, made to each when a rule gives several."""
    return lambda g: [None if p is None else change(p) for p in g] if isinstance(g, (list, tuple)) else change(g)


def transposed(g: Any) -> Any:
    last = g.shape[-2:]
    return g.swapaxes(-1, -2) if len(last) == 2 and last[0] == last[1] > 1 else g


RESULTS: dict[str, Callable] = {
    "doubled": on_parts(lambda g: g * 2.0),
    "negated": on_parts(lambda g: -g),
    "shifted": on_parts(lambda g: g + 1.0),
    "zeroed": on_parts(lambda g: g * 0.0),
    "transposed": on_parts(transposed),
    "detached": on_parts(lambda g: g.detach() if isinstance(g, mg.Tensor) else g),
}

# A gradient that is zero everywhere stays so when it is doubled, and its own gradient too.
ALWAYS_ZERO = {
    "sign": "self", "floor": "self", "ceil": "self", "round_whole": "self", "round_decimals": "self", "trunc": "self",
    "div_mode": "self other", "copied": "self", "filled": "self", "filled_from": "self", "zeroed": "self",
    "threshold_backward": "self", "uniform": "self", "normal": "self", "bernoulli": "self",
}  # fmt: skip


def changed(rule: Callable, change: Callable) -> tuple[Callable, list[bool]]:
    """The rule with its results changed, and a list that fills when a result was really another one."""
    effective: list[bool] = []

    def mutant(*args: Any) -> Any:
        before = rule(*args)
        after = change(before)
        parts = zip(*(p if isinstance(p, (list, tuple)) else [p] for p in (before, after)), strict=True)
        if not all(p is q or np.array_equal(test_ops.array(p), test_ops.array(q), True) for p, q in parts):
            effective.append(True)
        return after

    mutant.__signature__ = inspect.signature(rule)  # type: ignore[attr-defined]
    return mutant, effective


@pytest.mark.full
@pytest.mark.sampled(1, weekly=4)
@pytest.mark.parametrize("part", range(4))
def test_mutants_of_results_are_caught(part: int) -> None:
    """Every rule of every operation, each way of changing what it gives."""
    survivors, count = [], 0
    for operation in list(REGISTRY.values())[part::4]:
        chosen = samples_of({operation.name})
        for name, rule in operation.rules.items():
            if not chosen or name in ALWAYS_ZERO.get(operation.name, "").split():
                continue
            for label, change in RESULTS.items():
                mutant, effective = changed(rule, change)
                with in_place_of(rule, mutant):
                    noticed = caught(chosen)
                if effective or label != "transposed":
                    count += 1
                    if not noticed:
                        survivors.append(f"{operation.name}, gradient of {name}, {label}")
    assert count > 150
    assert survivors == []


# -- mutants of sources ------------------------------------------------------------------------------------------------

OPERATORS: dict[type, type] = {
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
OPERANDS = test_ops.words("self other result end weight tensor1 tensor2 mat2 vec tensor exponent min max")


def variants(node: ast.AST, operands: list[str]) -> Iterator[tuple[str, ast.AST]]:
    """What a node of a syntax tree may become, with a word on the change."""
    if isinstance(node, ast.BinOp):
        if type(node.op) in OPERATORS:
            yield "other operator", ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
        yield "left operand only", node.left
        if isinstance(node.op, (ast.Div, ast.Sub)):
            yield "operands swapped", ast.BinOp(node.right, node.op, node.left)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield "without the sign", node.operand
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
        yield "other comparison", ast.Compare(node.left, [OPERATORS[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield "other connective", ast.BoolOp(OPERATORS[type(node.op)](), node.values)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("conj", "real", "flip_dims", "inverse"):
            yield f"without {node.func.id}", node.args[0]
        elif node.func.id == "where" and len(node.args) == 3:
            yield "choices swapped", ast.Call(node.func, [node.args[0], node.args[2], node.args[1]], node.keywords)
            yield "first choice only", node.args[1]
    elif isinstance(node, ast.IfExp):
        yield "always the first case", node.body
        yield "always the second case", node.orelse
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield "another number", ast.Constant(node.value + 1)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in operands and len(operands) > 1:
        yield "another operand", ast.Name(operands[(operands.index(node.id) + 1) % len(operands)], ast.Load())


class _Change(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST):
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().generic_visit(node)


def source_of(function: Callable) -> tuple[Any, ast.AST] | None:
    """The module and the syntax tree of a lambda or function of the tables, or None for one from elsewhere."""
    if not isinstance(function, types.FunctionType) or function.__code__.co_freevars:
        return None
    code = function.__code__
    names = list(inspect.signature(function).parameters)
    room = next((r for r in ROOMS if r.__name__ == function.__module__), None)
    if room is None:
        return None
    spans = {(line, column) for line, _, column, _ in code.co_positions() if line is not None and column is not None}
    for node in ast.walk(TREES[room]):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name and node.lineno >= code.co_firstlineno:
            return room, node
        if isinstance(node, ast.Lambda) and code.co_name == "<lambda>" and [a.arg for a in node.args.args] == names:
            first, last = (node.body.lineno, node.body.col_offset), (node.body.end_lineno, node.body.end_col_offset)
            if all(first <= span < last for span in spans - {(code.co_firstlineno, 0)}):
                return room, node
    return None


def built(room: Any, node: ast.AST) -> Callable:
    """The function of a syntax tree, at home in the module it comes from."""
    scope: dict[str, Any] = {}
    node = ast.fix_missing_locations(copy.deepcopy(node))
    if isinstance(node, ast.Lambda):
        return eval(compile(ast.fix_missing_locations(ast.Expression(node)), "<mutant>", "eval"), vars(room))
    exec(compile(ast.Module([node], []), "<mutant>", "exec"), vars(room), scope)
    return scope[node.name]


def mutants(function: Callable) -> Iterator[tuple[str, Callable]]:
    """All functions that differ from this one in one place."""
    found = source_of(function)
    if found is None:
        return
    room, tree = found
    if any(isinstance(node, ast.While) for node in ast.walk(tree)):
        return  # broken, it might never end
    operands = [n for n in inspect.signature(function).parameters if n in OPERANDS]
    body = [tree.body] if isinstance(tree, ast.Lambda) else [s for s in tree.body if not isinstance(s, ast.Expr)]
    for node in [n for part in body for n in ast.walk(part)]:
        for label, new in variants(node, operands):
            changed_tree = copy.deepcopy(tree)
            # The copy's nodes come in the same order, so the place is found by its number.
            place = next(k for k, n in enumerate(ast.walk(tree)) if n is node)
            old = next(n for k, n in enumerate(ast.walk(changed_tree)) if k == place)
            changed_tree = _Change(old, copy.deepcopy(new)).visit(changed_tree)
            text = f"{ast.unparse(node)} -> {ast.unparse(new)} ({label})"
            yield text, built(room, changed_tree)


def helpers(function: Callable) -> set[Callable]:
    """The functions of the tables that a rule calls, directly or not: no operations, and nothing public."""
    found: set[Callable] = set()
    stack = [function]
    while stack:
        current = stack.pop()
        for name in current.__code__.co_names:
            value = current.__globals__.get(name)
            offered = hasattr(mg, name) or hasattr(mg.Tensor, name)
            ours = isinstance(value, types.FunctionType) and not hasattr(value, "op") and source_of(value) is not None
            if ours and not offered and value not in found:
                found.add(value)
                stack.append(value)
    return found


def functions_of(operation: Op) -> set[Callable]:
    """The rules of an operation."""
    return set(operation.rules.values())


# Mutants that nothing can catch, because what they compute is the same. A key is "function: change", or "operation: change"
# where the function is a lambda.
_TIMES_ZERO = "the changed number is multiplied by 0"
_FASTER = "both branches give the same, one of them faster"
_EQUAL = "the two are 0, or NaN, at the same places"
_ONLY_HISTORY = "the numbers are the same; the facts see the history"
NO_DERIVATIVE = {"embedding"}  # a padding index stops the gradient; the facts see that
SURVIVORS: dict[str, str] = {
    "_zeros: zeros if isinstance(like, np.ndarray) else wrap(zeros) -> wrap(zeros) (always the second case)": _FASTER,
    "_product: np.matmul(a, b) if isinstance(a, np.ndarray) else matmul(a, b) -> matmul(a, b) (always the second case)": _FASTER,
    "log_slope: result -> self (another operand)": "only its dtype is used",
    "scaled: x if factor == 1 else x * factor -> x * factor (always the second case)": _FASTER,
    "_turned: self -> result (another operand)": _EQUAL,
    "_over_square: 0.0 -> 1.0 (another number)": _TIMES_ZERO,
    "_norm_slope: result -> self (another operand)": _EQUAL,
    "_norm_slope: 0.0 -> 1.0 (another number)": _TIMES_ZERO,
    "_norm_slope: ord < 2 -> ord <= 2 (other comparison)": _FASTER,
    "_norm_slope: 2 -> 3 (another number)": _FASTER,
    "_others: 1 -> 2 (another number)": _ONLY_HISTORY,
    "_attains: (self != self) & (result != result) -> self != self (left operand only)": _EQUAL,
    "_attains: result -> self (another operand)": _EQUAL,
    "_shared_dim: self -> result (another operand)": "only its dtype is used",
    "parts_of: 0 -> 1 (another number)": "a size of 0 has one part either way",
    "cut: 0 -> 1 (another number)": "an empty slice stays empty",
    "cut: 1 -> 2 (another number)": "an empty slice stays empty",
    "nan_to_num: g * isfinite(self) -> g / isfinite(self) (other operator)": "no sample holds NaN; the facts of nan_to_num do",
    "power_slope: exponent -> self (another operand)": "what holds for tensors holds for numbers too",
    "nan_to_num: g * isfinite(self) -> g (left operand only)": "no sample holds NaN; the facts of nan_to_num do",
    "_norm_slope: sgn(self) * where(self == 0, 0.0, pow(size, ord - 1)) if ord < 2 else self * pow(size, ord - 2) -> sgn(self) * "
    "where(self == 0, 0.0, pow(size, ord - 1)) (always the first case)": "they differ in the second slope at 0",
    "_prod_slope: self -> result (another operand)": "only its shape is asked for",
    "log_slope: np.log(self).item() if self else -math.inf -> np.log(self).item() (always the first case)": "it warns besides",
    "_zeros: zeros if isinstance(like, np.ndarray) else wrap(zeros) -> zeros (always the first case)": "an array meets a Tensor there",
}


@pytest.mark.full
def test_mutants_of_sources_are_caught() -> None:
    """Rules, JVPs and the functions they call, each with one place changed."""
    users: dict[Callable, set[str]] = {}
    for operation in REGISTRY.values():
        for function in functions_of(operation):
            for used in {function, *helpers(function)}:
                users.setdefault(used, set()).add(operation.name)
    survivors, count = [], 0
    for function, names in users.items():
        name = function.__name__ if function.__name__ != "<lambda>" else min(names)
        chosen = samples_of(names - NO_DERIVATIVE)
        for text, mutant in mutants(function) if chosen else ():
            count += 1
            with in_place_of(function, mutant):
                if not caught(chosen):
                    survivors.append(f"{name}: {text}")
    assert count > 500
    unexplained = "\n".join(text for text in survivors if text not in SURVIVORS)
    assert not unexplained, f"add a sample that tells, or say in SURVIVORS why none can:\n{unexplained}"
    gone = SURVIVORS.keys() - set(survivors)
    assert not gone, "\n".join(sorted(gone))


@pytest.mark.weekly
def test_unbroken_rules_are_not_caught() -> None:
    """Otherwise the rest of this file would say nothing."""
    assert [name for name in REGISTRY if caught(samples_of({name}))] == []


def test_what_a_mutant_looks_like() -> None:
    rule = REGISTRY["reciprocal"].rules["self"]
    assert [text for text, _ in mutants(rule)] == [
        "-g * (result * result) -> -g / (result * result) (other operator)",
        "-g * (result * result) -> -g (left operand only)",
        "-g -> g (without the sign)",
        "result * result -> result / result (other operator)",
        "result * result -> result (left operand only)",
    ]
