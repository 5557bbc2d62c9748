"""What a node does to a cotangent, in words: the rule that the engine applies, read from its declaration."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable
from types import CodeType, ModuleType

from . import peek
from .peek import Node

LONGEST = 76
_EXPANDED = {"power_slope": "g * (exponent * self ** (exponent - 1))"}  # functions that say less than this
_OWN = {
    "CopySlices": {
        "base": "g, with what the write produced in place of the written part",
        "values": "the written part of g",
    },
}


def formulas(node: Node) -> dict[str, str]:
    """For each operand that gets a cotangent the formula for it, where `g` is the cotangent that came in.

    Formulas are Python, as the engine declares them, without what does nothing here: `conj` of real numbers, factors 1.
    A rule that is a function of its own is shown as a call.
    """
    names = peek.operands(node)
    needed = [name for name, (source, _) in zip(names, peek.edges(node), strict=True) if source is not None]
    title, rules = peek.title(node), peek.rules(node)
    if title in _OWN:
        own = _OWN[title]
        return {name: own["base" if name == "base" else "values"] for name in needed}
    if rules is None:
        return {name: f"what {title.removesuffix('Backward')}.backward returns for it" for name in needed}
    if peek.takes_list(node):
        whole = formula(next(iter(rules.values())), node)
        return {name: f"part {port} of {whole}" for port, name in enumerate(names) if name in needed}
    return {name: formula(rules[name], node) for name in needed}


def formula(rule: Callable, node: Node) -> str:
    """One rule as an expression of `g` and of what the node saved."""
    real = not any(dtype.startswith("complex") for _, dtype in peek.output_specs(node))
    return _formula(rule, real, peek.settings(node).get("alpha", 1) == 1)


@functools.cache
def _formula(rule: Callable, real: bool, no_alpha: bool) -> str:
    tree = _body(rule.__code__) if rule.__name__ == "<lambda>" else None
    if tree is None:
        name = rule.__name__.replace("<lambda>", "rule").removeprefix("_")
        return _shorten(f"{name}({', '.join(_parameters(rule))})")
    tree = ast.parse(ast.unparse(tree), mode="eval").body  # a copy that may be changed
    modules = {name for name, thing in rule.__globals__.items() if isinstance(thing, ModuleType)} - {"np", "math"}
    return _shorten(ast.unparse(_Plain(real, no_alpha, modules).visit(tree)))


def used(node: Node) -> set[str]:
    """The saved names that the rules of a node read."""
    return {name for rule in (peek.rules(node) or {}).values() for name in _parameters(rule)}


@functools.cache
def _parameters(rule: Callable) -> tuple[str, ...]:
    return tuple(inspect.signature(rule).parameters)


class _Plain(ast.NodeTransformer):
    """Takes away what does nothing for this node."""

    def __init__(self, real: bool, no_alpha: bool, modules: set[str]):
        self.real, self.no_alpha, self.modules = real, no_alpha, modules

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        ours = isinstance(node.value, ast.Name) and node.value.id in self.modules
        return ast.Name(node.attr) if ours else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _EXPANDED:
            return ast.parse(_EXPANDED[name], mode="eval").body
        if name.startswith("_"):
            node.func = ast.Name(name[1:])
        if name in ("conj", "real") and self.real and len(node.args) == 1:
            return node.args[0]
        if name == "scaled":
            value, factor = node.args
            if self.no_alpha:
                return value
            return ast.BinOp(value, ast.Mult(), factor)
        return node


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _body(code: CodeType) -> ast.expr | None:
    """The body of a lambda in its source; None where the source cannot be read."""
    start = next((p for p in code.co_positions() if p[0] and p[2] is not None and p[3] != p[2]), None)
    wanted = list(code.co_varnames[: code.co_argcount])
    for found in _lambdas(code.co_filename):
        same = [a.arg for a in found.args.args] == wanted and found.lineno == code.co_firstlineno
        if same and start and _within(found.body, start):
            return found.body
    return None


def _within(body: ast.expr, place: tuple[int | None, ...]) -> bool:
    line, _, column, _ = place
    begin, end = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
    return begin <= (line or 0, column or 0) < end


@functools.cache
def _lambdas(filename: str) -> list[ast.Lambda]:
    try:
        with open(filename, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
