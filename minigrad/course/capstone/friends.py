"""M8: five engines of friends, each right in every fact of M1 to M6, and each wrong somewhere else.

They are minigrad with one thing changed, and live in a child process: python -m minigrad.course.capstone.friends NAME ENGINE.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import minigrad as mg
from minigrad.course.capstone import child
from minigrad.course.capstone.facts import Fact, Library
from minigrad.course.capstone.runner import Finding, Process, Start, outcomes

SEEDS = (0, 1)
COMMAND = [sys.executable, "-P", "-B", "-m", "minigrad.course.capstone.friends"]
RIGHT = "minigrad"  # in other words: its messages are changed, nothing else

# What each friend says of the engine. None of it is untrue.
CLAIMS = {
    "ada": "My relu has no branch: it is x * (x >= 0). Same numbers, one line.",
    "ben": "My rule for x**n reuses the output: the slope is n * y / x. No second power is needed.",
    "cleo": "My x.mul_(1.0) and x.add_(0.0) return at once. Why write what does not change?",
    "dan": "My hooks are a plain list, and a handle's remove() removes from it. Every hook runs in order.",
    "eva": "My grad collects the gradients in a dict and hands each one out with pop. Nothing stays in memory.",
}


def find_facts(path: Path) -> dict[str, str]:
    """The programs of a learner's file by the name of the friend: cells that begin with `# %% name`."""
    cells = re.split(r"^# %%[ \t]*", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    named = [cell.partition("\n") for cell in cells]
    return {name.strip().lower(): program for name, _, program in named if program.strip() and statements(program)}


def statements(program: str) -> bool:
    """Whether there is more than comments and `...`."""
    try:
        body = ast.parse(program).body
    except SyntaxError:
        return True
    return any(not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)) for s in body)


def judge(path: Path, start_of: Callable[[str], Start] | None = None) -> list[Finding]:
    """For each friend: does the learner's fact hold on minigrad, whatever its words, and fail on the friend's engine?

    start_of: how a process with the engine of this name is started, if not here.
    """
    start_of = start_of or (lambda engine: functools.partial(Process, path, command=[*COMMAND, engine]))
    programs = find_facts(path)
    told = {name: Fact(f"M8.{name}", "facts", "16", f"{name.capitalize()} says: “{claim}”", programs.get(name, ""), ())
            for name, claim in CLAIMS.items()}  # fmt: skip
    findings = {name: _unfit(path, name, fact) for name, fact in told.items()}
    fit = {name: fact for name, fact in told.items() if findings[name] is None}
    here = _run(path, start_of(RIGHT), fit)
    return [findings[name] or _compare(path, start_of(name), name, fact, here[name]) for name, fact in told.items()]


def _unfit(path: Path, name: str, fact: Fact) -> Finding | None:
    """What is wrong with a program that is not even run."""
    if not fact.program:
        return Finding(fact, "missing", f"There is no program below `# %% {name}` in {path.name} yet.")
    try:
        reason = looks_at_words(fact.program)
    except SyntaxError as error:
        return Finding(fact, "SyntaxError", f"The program is no Python: {error}")
    return Finding(fact, "words", reason) if reason else None


def _run(path: Path, start: Start, told: dict[str, Fact]) -> dict[str, list[dict[str, Any]]]:
    """The outcomes of each program with each seed, on minigrad in other words or on a friend's engine."""
    todo = [(name, seed) for name in told for seed in SEEDS]
    came = outcomes(path, [(told[name].id, told[name].program, seed) for name, seed in todo], start)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in told}
    for (name, _), outcome in zip(todo, came, strict=True):
        found[name].append(outcome)
    return found


def _compare(path: Path, start: Start, name: str, fact: Fact, here: list[dict[str, Any]]) -> Finding:
    friend = name.capitalize()
    if all(set(outcome) >= {"shown"} and "error" not in outcome for outcome in here):
        there = _run(path, start, {name: fact})[name]
        stopped = next((o for o in there if "kind" in o), None)
        failed = [o for o in there if "error" in o]
        if stopped is None and len(failed) < len(SEEDS):
            return Finding(fact, "not caught", f"{friend}'s engine passes it{' sometimes' if failed else ''}.")
        return Finding(fact, stopped["kind"], f"{stopped['text']} (on {friend}'s engine)") if stopped else Finding(fact)
    stopped = next((o for o in here if "kind" in o), None)
    if stopped:
        return Finding(fact, stopped["kind"], f"{stopped['text']} (on minigrad)")
    error = next(o for o in here if "error" in o)
    raised = ": ".join(filter(None, error["error"]))
    text = f"On minigrad itself it must pass, whatever the words of the messages. There it raised {raised}."
    return Finding(fact, "not on minigrad", text, error["trace"])


WORDS = {"repr", "str", "ascii", "format", "print", "vars", "dir", "type", "getattr", "globals", "eval", "exec", "open", "id",
         "locals", "hasattr", "setattr", "delattr", "compile", "help"}  # fmt: skip
INSIDES = {"grad_fn", "args", "name", "format", "format_map", "library"}


def looks_at_words(program: str) -> str:
    """Why a program depends on how an engine words or builds things; empty when it does not."""
    tree = ast.parse(program)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            node.msg = None  # what a failed fact says is the learner's own affair
    for node in ast.walk(tree):
        found = ""
        attributes = [node.attr] if isinstance(node, ast.Attribute) else node.kwd_attrs if isinstance(node, ast.MatchClass) else []
        inside = [name for name in attributes if name in INSIDES or name.startswith("_") and name != "_version"]
        if isinstance(node, ast.Name) and (node.id in WORDS or node.id.startswith("__")):
            found = node.id
        elif inside:
            found = f".{inside[0]}"
        elif isinstance(node, ast.JoinedStr):
            found = "an f-string"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found = "an import"
        if found:
            line = getattr(node, "lineno", 1)
            return f"Line {line} uses {found}. A fact is about values, flags and types of errors, not about words or insides."
    return ""


class OtherWords(ast.NodeTransformer):
    """Gives every error that a program catches by name another message."""

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        if node.name:
            node.body[:0] = ast.parse(f"{node.name} = type({node.name})('in other words')").body
        return node


def reworded(program: str) -> str:
    return ast.unparse(ast.fix_missing_locations(OtherWords().visit(ast.parse(program))))


# --- The engines, in the child ------------------------------------------------------------------------------


def ada() -> None:
    tensor: Any = mg.Tensor
    tensor.relu = lambda x: x * (x.detach() >= 0).to(x.dtype)


def ben() -> None:
    class Power(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, n: float) -> Any:
            y = power(x, n)
            ctx.save_for_backward(x, y)
            ctx.n = n
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            return g * ctx.n * y / x, None

    tensor: Any = mg.Tensor
    power = tensor.__pow__
    tensor.__pow__ = lambda x, n: Power.apply(x, n)


def cleo() -> None:
    tensor: Any = mg.Tensor

    def lazy(method: Callable[..., Any], nothing: float) -> Callable[..., Any]:
        return lambda x, other: x if isinstance(other, int | float) and other == nothing else method(x, other)

    tensor.mul_ = tensor.__imul__ = lazy(tensor.mul_, 1.0)
    tensor.add_ = tensor.__iadd__ = lazy(tensor.add_, 0.0)


def dan() -> None:
    tensor: Any = mg.Tensor
    register = tensor.register_hook
    lists: dict[int, tuple[Any, list[Any]]] = {}  # with the tensor, so that its id stays its own

    class Handle:
        def __init__(self, hooks: list[Any], hook: Any):
            self.hooks, self.hook = hooks, hook

        def remove(self) -> None:
            if self.hook in self.hooks:
                self.hooks.remove(self.hook)

    def register_hook(x: Any, hook: Any) -> Handle:
        if id(x) not in lists:
            hooks: list[Any] = []

            def run_all(g: Any) -> Any:
                for each in hooks:
                    new = each(g)
                    g = g if new is None else new
                return g

            register(x, run_all)
            lists[id(x)] = x, hooks
        lists[id(x)][1].append(hook)
        return Handle(lists[id(x)][1], hook)

    tensor.register_hook = register_hook


def eva() -> None:
    gradients_of = mg.autograd.grad

    def grad(outputs: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        wanted = (inputs,) if isinstance(inputs, mg.Tensor) else tuple(inputs)
        found = dict(zip(map(id, wanted), gradients_of(outputs, wanted, *args, **kwargs), strict=True))
        return tuple(found.pop(id(t), None) for t in wanted)

    mg.autograd.grad = grad


FRIENDS: dict[str, Callable[[], None]] = {"ada": ada, "ben": ben, "cleo": cleo, "dan": dan, "eva": eva}


def maker(name: str) -> Callable[[], Library]:
    """What makes a friend's engine, or minigrad. What a friend replaced is called as before: its name tells nothing."""
    places: list[Any] = [mg.Tensor, mg.autograd]
    before = [(place, name, thing) for place in places for name, thing in sorted(vars(place).items(), reverse=True)]
    if name != RIGHT:
        FRIENDS[name]()
    for place, name, thing in before:  # of two names for one function, as `mul_` and `__imul__`, the one without signs comes first
        now = vars(place)[name]
        if now is not thing and now.__module__ == __name__:
            for told in ("__module__", "__name__", "__qualname__", "__doc__"):
                setattr(now, told, getattr(thing, told))
    return lambda: Library(mg)


def main(name: str) -> None:
    """Answer as child.py does, with a friend's engine, or with minigrad in other words."""
    child.serve(maker(name), reworded)


if __name__ == "__main__":
    main(sys.argv[1])
