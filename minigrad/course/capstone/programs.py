"""M9: random programs, run with a learner's engine and with minigrad. The first that differs is made as short as it can be.

A program is a list of statements, written with minigrad's tensors in view, so that it stays within what chapter 16
promises of an engine: `Reading` runs a statement, and takes none whose outcome two right engines may disagree on.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import random
import re
import time
import types
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.capstone import child, runner
from minigrad.course.capstone.facts import Fact, Library, words
from minigrad.course.capstone.runner import Finding, Start

COUNT = 50  # programs of each kind
LIMIT = 45.0  # seconds for all of them, and for making the failing ones short
# For each kind: an area of the board, what its programs are of, and the forms of its statements, each with a weight. What
# stands in braces is filled in by the methods of Writer. A form makes a new tensor, unless it begins with "!".
KINDS = {
    "scalars": ("rules", "numbers, and one pass", """
        1 {x} + {y}
        2 {x} * {y}
        1 {x} - {y}
        1 {x} / {y}
        2 {number}
        2 {curve}"""),
    "arrays": ("shapes", "arrays, and a pass with any v", """
        1 {x} + {y}
        2 {x} * {y}
        1 {x} - {y}
        1 {x} / {y}
        1 {number}
        2 {curve}
        2 {x}.relu()
        2 {reduced}
        2 {x} @ {y}
        1 {x}.T
        1 {x}.reshape({shape})
        2 {x}[{index}]
        2 {x}[{rows}]"""),
    "passes": ("graph", "several passes over shared graphs, calls that are refused, flags that change", """
        1 {x} + {y}
        3 {x} * {y}
        1 {x}.exp()
        1 {number}
        1 {x}.sum()
        5 !{pass}
        2 !{refused}
        1 !{leaf}.grad = None
        1 !{const}.requires_grad = True"""),
    "modes": ("hooks", "no_grad, detach, and hooks that come and go", """
        1 {x} + {y}
        3 {x} * {y}
        1 {x}.tanh()
        1 {number}
        1 {x}.detach()
        3 !{mode}: {t} = {x} * {y}
        1 !{mode}: {t} = {x}.exp()
        3 !{t} = {x}.register_hook(lambda g: g * {n})
        3 !{t} = []; {x}.register_hook(lambda g: {seen}.append(g.numpy().copy()))
        1 !{const}.register_hook(lambda g: g)
        2 !{handle}.remove()
        2 !{pass}"""),
    "derivatives": ("second order", "derivatives of derivatives", """
        1 {x} + {y}
        3 {x} * {y}
        1 {x} / {y}
        1 {number}
        3 {bend}
        1 {reduced}
        1 {x} @ {y}
        1 {x}.T
        1 {x}[{index}]
        1 {x}[{rows}]
        6 !{t}, = engine.grad({root}, {x}, create_graph=True)
        2 !{t}, {t} = engine.grad({root}, ({x}, {leaf}), create_graph=True)
        1 !{t}, {t} = engine.grad({root}, ({x}, {leaf}), retain_graph=True, allow_unused=True)
        1 !engine.grad({root}, {const})
        1 !{t} = {recorded}.register_hook(lambda g: g * {n})
        1 !engine.grad({root}, {leaf}, retain_graph=True)
        1 !{pass}"""),
    "writes": ("views", "writes in place, and what looks at the same numbers", """
        1 {x} + {y}
        3 {x} * {y}
        1 {x}.exp()
        1 {x}.tanh()
        1 {x}**3
        1 {x} * {n}
        1 {x}.sum()
        6 {x}[{index}]
        2 {x}.T
        2 {x}.reshape({shape})
        1 {x}[{rows}]
        2 {x}.detach()
        20 !{write}
        5 !{view}[{index}] = {u}
        3 !{pass}"""),
}  # fmt: skip
SHAPES: dict[str, list[tuple[int, ...]]] = {
    "scalars": [()],
    "arrays": [(), (2,), (3,), (2, 3), (3, 1), (1, 3), (1, 1), (3, 2), (2, 1, 3)],
    "passes": [(), (2,), (1,), (2, 1)],
    "modes": [(), (2,)],
    "derivatives": [(), (2,), (3,), (2, 3), (3, 1)],
    "writes": [(2,), (3,), (2, 3), (3, 2)],
}
NUMBERS = (-2.0, -1.5, -0.5, 0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
CURVES = ("{x}.exp()", "{x}.log()", "{x}.tanh()", "{x}**2", "{x}**3", "{x}**-1", "{x}**1", "{x}**0")
WRITES = (
    "{x}.add_({u})", "{x}.sub_({u})", "{x}.mul_({u})", "{x}.mul_({u})", "{x}.zero_()", "{x} += {u}", "{x} -= {u}", "{x} *= {u}",
    "{x}[{index}] = {u}", "{x}[{index}] = {u}", "{x}[[0, -1]] = {n}",
)  # fmt: skip
# Programs that every seed begins with: each curve at 0, and hooks in a pass that is recorded.
HOOKED = ("a = engine.tensor(2.0, requires_grad=True)", "b = a**3", "c = b.register_hook(lambda g: g * 1.5)", "d = b**2")
ALWAYS: dict[str, list[tuple[Any, ...]]] = {
    "scalars": [("a = engine.tensor(0.0, requires_grad=True)", f"b = {curve.format(x='a')}", "b.backward()", ("b", "a.grad"))
                for curve in CURVES],
    "derivatives": [(*HOOKED, "e, = engine.grad(d, b)", ("e",)),
                    (*HOOKED, "e, = engine.grad(d, a, create_graph=True)", "f, = engine.grad(e, a)", ("e", "f")),
                    (HOOKED[0], "b = a.register_hook(lambda g: g * a)", "c = a**2", "d, = engine.grad(c, a)",
                     'e = raised(lambda: engine.grad(d, a), "does not require grad")', ("d", "e"))],
}  # fmt: skip
WITH_NUMBERS = ("{x} + {n}", "{n} + {x}", "{x} - {n}", "{n} - {x}", "{x} * {n}", "{n} * {x}", "{x} / {m}", "{n} / {x}", "-{x}")
# The words of the errors that chapter 16 promises, by the call that may raise them. After one that comes in the middle of a
# walk nothing is promised of the graph, or of what was written into .grad before it.
PROMISED = {
    r"backward\(|engine\.grad\(": ("scalar", "shape", "does not require grad", "second time", "modified by an inplace operation",
                                   "not have been used"),
    r"\w_\(": ("leaf",),
    r"register_hook\(": ("require",),
}  # fmt: skip
ENDS = ("second time", "modified by an inplace operation", "not have been used")
KEEP = {"ExpBackward0", "TanhBackward0", "PowBackward0", "LogBackward0"}  # nodes that every engine must have saved something for
MOST = 1e4  # beyond it rounding would count
NAMES = "abcdefhijkmopqrstuvwxyz"


@dataclass(frozen=True)
class Program:
    """Statements, and the expressions that are compared when they have run."""

    statements: tuple[str, ...]
    shown: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join([*self.statements, f"show({', '.join(self.shown)})\n"])

    def printed(self, engine: str, expected: list[Any]) -> str:
        """The same as a learner would type it, with the numbers that are expected as comments."""
        lines = [f"import {engine} as engine", ""]
        for statement in self.statements:
            refused = re.fullmatch(r'(\w) = raised\(lambda: (.*?)(?:, "[\w ]+")?\)', statement)
            lines += [statement] if refused is None else [
                f"{refused[1]} = None", "try:", f"    {refused[2]}", "except Exception as error:", f"    {refused[1]} = error",
            ]  # fmt: skip
        for name, right in zip(self.shown, expected, strict=True):
            an_error = any(statement.startswith(f"{name} = raised(") for statement in self.statements)
            what = f"{name}.detach().numpy()" if isinstance(right, dict) else f"type({name}), {name}" if an_error else name
            lines.append(f"print({what})  # {words(right)}")
        return "\n".join(lines)


def fact(kind: str) -> Fact:
    """The cell of the board for a kind of programs. What is red there brings its own program."""
    area, what, _ = KINDS[kind]
    return Fact(f"M9.{kind}", area, "16", f"{COUNT} random programs of {what}: your engine shows what minigrad shows.", "", ())


# --- Reading: running a program with minigrad, and keeping to what is promised ------------------------------


@functools.cache
def everything() -> dict[str, Any]:
    """What a program finds ready."""
    return child.Kit(Library(mg), "", 0).space()


@functools.lru_cache(4096)
def parsed(text: str) -> tuple[ast.AST, types.CodeType, frozenset[str]]:
    """The tree of a statement, its code, and the names in it."""
    tree = ast.parse(text)
    names = frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    return tree, compile(tree, "program", "exec", dont_inherit=True), names


class Reading:
    """minigrad's tensors while a program runs, and whether every right engine must agree."""

    def __init__(self) -> None:
        self.space = dict(everything())
        self.statements: list[str] = []
        self.literal: set[str] = set()  # the tensors that were written down, not computed
        self.exact: set[str] = set()  # those whose numbers no engine rounds
        self.freed: dict[Any, bool] = {}  # nodes that a pass has freed; False where another engine may have kept them
        self.over = False  # an error came in the middle of a walk: the end

    def tensors(self) -> dict[str, Any]:
        return {name: x for name, x in self.space.items() if isinstance(x, mg.Tensor)}

    def step(self, text: str, name: str = "") -> bool | None:
        """Run a statement. False where it is not promised what it does; if it only made something new, that is gone again.

        None where it was not even tried. name: what the error is to be called, where the statement is a call that raises
        a promised one.
        """
        tree, code, names = parsed(text)
        if self.over or not self._fits(tree):
            return None
        passed, before = self._nodes(text), set(self.space)
        touched = passed & self.freed.keys()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                exec(code, self.space)
            except Exception as error:
                word = promised(text, error)
                if not name or word is None:
                    return False
                text = f'{name} = raised(lambda: {text}, "{word}")' if word else f"{name} = raised(lambda: {text})"
                self.space[name] = [child.kind_of(error), *([f"says {word!r}"] if word else [])]
        came = str(self.space[text[0]]) if " = raised(" in text else ""
        if child.NO_ERROR in came or "does not say" in came:
            return False
        if "'leaf'" in came and not self._is_leaf(text):
            return False
        if touched and not ("'second time'" in came and any(self.freed[n] and n.name() in KEEP for n in touched)):
            return False  # another engine may refuse, or not refuse: it depends on what was saved
        if passed and not came and "_graph=True" not in text:
            self.freed |= dict.fromkeys(passed, "backward" in text)
        if not all(map(sensible, self.tensors().values())):
            for new in set(self.space) - before:
                del self.space[new]
            return False
        self.over = any(repr(word) in came for word in ENDS)
        if " = engine.tensor(" in text:
            self.literal.add(text[0])
        if not re.search(r"exp|log|tanh|mean|/|-1|grad\(", text) and names & set(NAMES) <= self.exact | {text[0]}:
            self.exact.add(text[0])
        self.statements.append(text)
        return True

    def _is_leaf(self, text: str) -> bool:
        """Whether what is written here is a leaf that requires grad, or a view of one. PyTorch refuses a few more."""
        (name,) = re.findall(r"(\w)\.\w+_\(", text)
        whole = self.space[name] if self.space[name]._base is None else self.space[name]._base
        return whole.is_leaf and whole.requires_grad

    def _nodes(self, text: str) -> set[Any]:
        """The nodes that a pass in this statement can reach, without those of leaves."""
        found: set[Any] = set()
        for name in re.findall(r"(\w+)(?:\.sum\(\))?\.backward\(|engine\.grad\((\w+)", text):
            root = self.space.get(name[0] or name[1])
            todo = [root.grad_fn] if isinstance(root, mg.Tensor) else []
            while todo:
                node = todo.pop()
                if node is not None and node not in found and node.next_functions:
                    found.add(node)
                    todo += [following for following, _ in node.next_functions]
        return found

    def _fits(self, tree: ast.AST) -> bool:
        """Whether an engine must offer what is called here. Every operand is a name, or a number."""

        def tensor(node: ast.AST) -> Any:
            found = self.space.get(node.id) if isinstance(node, ast.Name) else None
            return found if isinstance(found, mg.Tensor) else None

        def axes(node: ast.AST) -> int:
            return getattr(tensor(node), "ndim", 0)

        for node in ast.walk(tree):
            match node:
                case ast.Attribute(value=x, attr="T"):
                    fits = axes(x) == 2
                case ast.Call(func=ast.Attribute(value=x, attr="reshape")) if tensor(x) is not None:
                    fits = array_of(tensor(x)).flags.c_contiguous  # else it is for the layout to say whether it is a view
                case ast.BinOp(left=x, op=ast.MatMult(), right=y):
                    fits = {axes(x), axes(y)} <= {1, 2}
                case ast.Call(func=ast.Attribute(value=x, attr="sum" | "mean"), args=[_]):
                    fits = axes(x) > 0
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as x, attr="relu")) if tensor(x) is not None:
                    # On which side of 0 a number is must not be for a rounding to decide.
                    fits = name in self.exact or bool((np.abs(array_of(tensor(x))) > 1e-6).all())
                case ast.Call(func=ast.Attribute(value=x, attr="add_" | "sub_" | "mul_"), args=[y]) | ast.AugAssign(target=x, value=y):
                    fits = tensor(x) is None or tensor(y) is None or may_be_written(tensor(x), tensor(y))
                case ast.Assign(targets=[ast.Subscript(value=x) as part], value=y) if tensor(x) is not None and tensor(y) is not None:
                    try:
                        window = eval(ast.unparse(part), self.space)
                    except IndexError:
                        return False
                    fits = may_be_written(window, tensor(y)) and not np.may_share_memory(array_of(tensor(x)), array_of(tensor(y)))
                case ast.Call(args=[_, ast.Tuple(elts=wanted)]):
                    # PyTorch takes the gradient of one of several before its hooks where the walk goes on below it, else after them.
                    hooked = {text[4] for text in self.statements if ".register_hook(" in text}
                    fits = not {id(self.space.get(name)) for name in hooked} & {id(tensor(x)) for x in wanted}
                case _:
                    fits = True
            if not fits:
                return False
        return True


def may_be_written(x: Any, y: Any) -> bool:
    """Whether y goes into x, and is nothing that the write changes."""
    a, b = array_of(x), array_of(y)
    goes = b.ndim <= a.ndim and all(n in (1, m) for n, m in zip(b.shape[::-1], a.shape[::-1], strict=False))
    return goes and not np.may_share_memory(a, b)


def promised(text: str, error: Exception) -> str | None:
    """The word that the message of an error must have; "" where only its type counts, None where it is not promised."""
    if re.search(r"backward\((\[|-?\d)", text) and isinstance(error, TypeError):
        return ""
    if not isinstance(error, RuntimeError) or re.match(r"[\w, ]+ [-+*]?= |\w+\[", text):
        return None
    possible = next((row for pattern, row in PROMISED.items() if re.search(pattern, text)), ())
    return next((word for word in possible if word in str(error).lower()), None)


def array_of(x: Any) -> np.ndarray:
    return x.detach().numpy()


def sensible(x: Any) -> bool:
    """Whether a tensor has numbers, and these and its gradient's are finite, and not so large that rounding counts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return x.numel() > 0 and all(t is None or bool((np.abs(array_of(t)) < MOST).all()) for t in (x, x.grad))


def read(statements: tuple[str, ...]) -> Reading | None:
    """A reading of a program; None where one of its statements is not promised."""
    reading = Reading()
    return reading if all(map(reading.step, statements)) else None


def all_shown(reading: Reading, kind: str) -> tuple[str, ...]:
    """What is compared at the end of a program: numbers, gradients, flags, errors, and what hooks have seen."""
    errors = [text[0] for text in reading.statements if " = raised(" in text]
    seen = [name for name, x in reading.space.items() if isinstance(x, list) and name not in errors and not reading.over]
    shown = errors + seen
    for name in reading.tensors():
        shown += [name, f"{name}.requires_grad"][: 1 if kind == "derivatives" and name not in reading.literal else 2]
        shown += [f"{name}.grad"] if not reading.over and (name in reading.literal or kind == "passes") else []
        shown += [f"{name}.is_leaf"] if kind in ("passes", "modes") else []
        shown += [f"{name}._version"] if kind == "writes" else []
    return tuple(shown)


# --- Writing ------------------------------------------------------------------------------------------------


class Unfit(Exception):
    """There is nothing to fill in."""


class Writer:
    """Writes a program of a kind, statement by statement."""

    def __init__(self, kind: str, chance: random.Random):
        self.kind, self.chance = kind, chance
        self.reading, self.named = Reading(), set[str]()
        rows = [row.split(None, 1) for row in KINDS[kind][2].strip().splitlines()]
        self.rows, self.weights = [row[1] for row in rows], [int(row[0]) for row in rows]

    def program(self, length: int) -> Program:
        """Two or three tensors, then statements about them, then a pass."""
        self._add("!{t} = engine.tensor({literal}, requires_grad=True)")
        for _ in range(self.chance.choice((1, 1, 2))):
            self._add(self.chance.choice(("!{t} = engine.tensor({literal})", "!{t} = engine.tensor({literal}, requires_grad=True)")))
        for _ in range(length):
            self._add(self.chance.choices(self.rows, self.weights)[0])
        self._add("!{pass}")
        program = Program(tuple(self.reading.statements), all_shown(self.reading, self.kind))
        # In minigrad, as in PyTorch, a view of what has been written since may be refused until somebody has looked at it.
        if "error" in wanted(program) or not re.search(r"backward|engine\.grad", program.text):
            return Writer(self.kind, self.chance).program(length)
        return program

    def _add(self, template: str) -> None:
        """A statement of this form, if one is found. "!" before it: it does more than to make a new tensor."""
        for _ in range(8):
            self.named = set()
            try:
                text = self._fill(template[1:] if template[0] == "!" else "{t} = " + template)
                done = self.reading.step(text, self._t())
            except Unfit:
                continue
            if done:
                return
            if done is False and template[0] == "!":  # run the others anew, without what this one has done
                again = read(tuple(self.reading.statements))
                assert again is not None
                self.reading = again

    def _fill(self, template: str) -> str:
        while "{" in template:
            template = re.sub(r"\{(\w+)\}", lambda m: str(getattr(self, f"_{m[1]}")()), template, count=1)
        return template

    # What stands in braces in a template.

    def _t(self) -> str:
        """A new name."""
        name = next((n for n in NAMES if n not in self.reading.space and n not in self.named), None)
        if name is None:
            raise Unfit
        self.named.add(name)
        return name

    def _seen(self) -> str:
        return min(self.named)

    def _one(self, names: list[str]) -> str:
        """One of these; rather one of the last and, where nothing is written, one that is recorded."""
        if not names:
            raise Unfit
        more = 0 if self.kind == "writes" else 2
        weights = [k * k * (1 + more * getattr(self.reading.space[name], "requires_grad", 0)) for k, name in enumerate(names, 1)]
        self.picked = self.chance.choices(names, weights)[0]
        return self.picked

    def _x(self) -> str:
        return self._one(list(self.reading.tensors()))

    _y = _x

    def _view(self) -> str:
        return self._one([name for name, x in self.reading.tensors().items() if x._base is not None])

    def _recorded(self) -> str:
        return self._one([name for name, x in self.reading.tensors().items() if x.requires_grad and not x.is_leaf])

    def _leaf(self) -> str:
        return self._one([name for name, x in self.reading.tensors().items() if x.requires_grad and x.is_leaf])

    def _const(self) -> str:
        return self._one([name for name in sorted(self.reading.literal) if not self.reading.space[name].requires_grad])

    def _handle(self) -> str:
        return self._one([text[0] for text in self.reading.statements if re.match(r"\w = \w\.register_hook", text)])

    def _n(self) -> float:
        return self.chance.choice(NUMBERS)

    def _m(self) -> float:
        return self.chance.choice([n for n in NUMBERS if n])

    def _number(self) -> str:
        return self.chance.choice(WITH_NUMBERS)

    def _curve(self) -> str:
        return self.chance.choice(CURVES)

    def _bend(self) -> str:
        """A curve with second derivatives: whether a gradient that is the same everywhere has a graph is not promised."""
        return self.chance.choice(CURVES[:-2])

    def _reduced(self) -> str:
        return self.chance.choice(("{x}.sum()", "{x}.sum({d})", "{x}.sum({d}, keepdim=True)", "{x}.mean()", "{x}.mean({d})"))

    def _mode(self) -> str:
        return self.chance.choice(("with engine.no_grad()", "with engine.no_grad(), engine.enable_grad()"))

    def _literal(self, shape: tuple[int, ...] | None = None) -> str:
        """Numbers of a shape, as they are written."""
        shape = self.chance.choice(SHAPES[self.kind]) if shape is None else shape
        whole = self.chance.random() < 0.1
        numbers = [int(2 * n) if whole else n for n in self.chance.choices(NUMBERS, k=int(np.prod(shape)))]
        return str(np.array(numbers).reshape(shape).tolist())

    @property
    def _shape_of_picked(self) -> tuple[int, ...]:
        return tuple(self.reading.space[self.picked].shape)

    def _d(self) -> int:
        axes = len(self._shape_of_picked)
        return self.chance.randrange(-axes, axes) if axes else 0

    def _shape(self) -> str:
        """Another shape with as many elements."""
        size = self.reading.space[self.picked].numel()
        fits = [k for k in range(1, size + 1) if size % k == 0]
        return self.chance.choice(["-1", *(f"{k}, {size // k}" for k in fits), *(f"{k}, -1" for k in fits)])

    def _index(self) -> str:
        """Ints and slices."""
        shape = self._shape_of_picked
        if not shape:
            raise Unfit
        ints = [str(self.chance.randrange(-n, n)) for n in shape]
        parts = [self.chance.choice((k, "1:", ":-1", "::2", ":")) for k in ints]
        return ", ".join(ints if self.chance.random() < 0.2 else parts[: self.chance.randint(1, len(shape))])

    def _rows(self) -> str:
        """A list of ints, or two."""
        shape = self._shape_of_picked
        if not shape:
            raise Unfit
        lists = [str([self.chance.randrange(-n, n) for _ in range(3)]) for n in shape[:2]]
        return lists[0] if self.chance.random() < 0.6 else ", ".join(lists)

    def _root(self) -> str:
        name = self._recorded()
        return name if self.reading.space[name].numel() == 1 else f"{name}.sum()"

    def _pass(self) -> str:
        """A pass from something recorded, with a v or without one."""
        name = self._recorded()
        one = self.reading.space[name].numel() == 1
        v = f"engine.tensor({self._literal(self._shape_of_picked)})"
        options = [v] if self.kind != "scalars" and self.chance.random() < 0.6 else []
        if self.kind in ("writes", "derivatives") or self.kind in ("passes", "modes") and self.chance.random() < 0.6:
            options.append("retain_graph=True")
        name += "" if one or v in options else ".sum()"
        return f"{name}.backward({', '.join(options)})"

    def _refused(self) -> str:
        """A call that chapter 16 says is refused."""
        name = self._recorded()
        shape, size = self._shape_of_picked, self.reading.space[name].numel()
        calls = [f"{name}.backward(engine.tensor({self._literal(other)}))" for other in ((3,), (1, *shape)) if other != shape]
        calls += [f"{name}.backward()"] * (size > 1) + [f"{name}.backward({self._literal(shape)})"]
        calls += [f"{k}.sum().backward()" for k in sorted(self.reading.literal) if not self.reading.space[k].requires_grad]
        return self.chance.choice(calls)

    def _write(self) -> str:
        """A write in place, sometimes inside of no_grad."""
        mode = self.chance.choice(("", "", "", "with engine.no_grad(): "))
        return mode + self.chance.choice(WRITES)

    def _u(self) -> str:
        """What is written: a number or a tensor."""
        others = [name for name in self.reading.tensors() if name != self.picked]
        return str(self._n()) if not others or self.chance.random() < 0.4 else self.chance.choice(others)


# --- Making a failing program short -------------------------------------------------------------------------


def shorter(program: Program) -> Iterator[Program]:
    """Programs with something less. Not all of them make sense."""
    statements, reading = program.statements, read(program.statements)
    for name in program.shown if len(program.shown) > 1 else ():
        yield replace(program, shown=(name,))
    for k, text in enumerate(statements):
        made = set(re.findall(r"^(\w) = ", text))
        rest = tuple(s for s in statements[k + 1 :] if not made & used(s))
        yield Program(statements[:k] + rest, tuple(s for s in program.shown if not made & used(s)))
        for name in made:  # what was made of something is replaced by that, or by its numbers
            for other in sorted(used(text.partition(" = ")[2]) & set(NAMES)):
                yield renamed(Program(statements[:k] + statements[k + 1 :], program.shown), {name: other})
            x = reading.space[name] if reading and "engine.tensor" not in text else None
            if isinstance(x, mg.Tensor):
                literal = f"{name} = engine.tensor({array_of(x).tolist()}{', requires_grad=True' * x.requires_grad})"
                for shown in (program.shown, (f"{name}.grad",)):
                    yield without_unused(Program((*statements[:k], literal, *statements[k + 1 :]), shown))
    for k, text in enumerate(statements):
        for other in simpler(text):
            yield replace(program, statements=(*statements[:k], other, *statements[k + 1 :]))


def without_unused(program: Program) -> Program:
    """The same without the tensors that nothing uses."""
    kept: list[str] = []
    for text in reversed(program.statements):
        needed = text[0] in used("\n".join([*kept, *program.shown]))
        if needed or not re.match(r"\w = (engine\.tensor\(|[^(]*$|\w\.(exp|log|tanh|relu|sum|mean|reshape)\()", text):
            kept.insert(0, text)
    return replace(program, statements=tuple(kept))


def renamed(program: Program, names: dict[str, str]) -> Program:
    """The same with other names."""

    def new(text: str) -> str:
        return re.sub(rf"\b[{NAMES}]\b", lambda m: names.get(m[0], m[0]), text)

    return Program(tuple(map(new, program.statements)), tuple(map(new, program.shown)))


def used(text: str) -> set[str]:
    """The names in some code."""
    return set(parsed(text)[2])


def simpler(text: str) -> Iterator[str]:
    """The same statement with smaller arrays, simpler numbers, without an option, a mode, or a v."""
    yield from (re.sub(pattern, new, text) for pattern, new in (
        (r"^with [^:]*: ", ""), (r", (retain_graph|create_graph|allow_unused|keepdim)=True", ""),
        (r"\(retain_graph=True\)", "()"), (r"(\w+)\.backward\(engine\.tensor\([^()]*\)(, )?", r"\1.sum().backward("),
        (r"\.sum\(\)\.backward", ".backward"),
    ))  # fmt: skip
    for array in re.findall(r"engine\.tensor\((\[.*?\])(?:, requires_grad=True)?\)", text):
        values = np.array(ast.literal_eval(array))
        axes = [(axis, n) for axis, n in enumerate(values.shape) if n > 1]
        parts = [np.take(values, kept, axis) for axis, n in axes for kept in ([0], range(1, n), range(n - 1))]
        for less in (values.ravel()[0], values.ravel()[-1], *parts, np.ones_like(values), values.ravel()):
            yield text.replace(array, str(less.tolist()))
    for number in re.finditer(r"(?<![\w.])-?\d+(\.\d+)?", text):
        for plain in ("1.0", "2.0", "0.0") if number[1] else ():
            if float(number[0]) not in (0.0, 1.0, 2.0):
                yield text[: number.start()] + plain + text[number.end() :]


def tidy(program: Program) -> Program:
    """The same with names in the order of the alphabet."""
    names = dict.fromkeys(re.findall(rf"\b[{NAMES}]\b", program.text))
    return renamed(program, dict(zip(names, NAMES, strict=False)))


def size(program: Program) -> tuple[int, int, int]:
    """How long a program is to read."""
    return len(program.statements), len(program.shown), len(program.text)


# --- Judging ------------------------------------------------------------------------------------------------


@functools.lru_cache(64)  # the grader asks with another seed for each student
def programs(kind: str, seed: int = 0) -> tuple[Program, ...]:
    """The programs of a kind, the short ones first. Some begin with those in ALWAYS, whatever the chance."""
    chance = random.Random(f"{kind} {seed}")
    first = [Program(tuple(lines), shown) for *lines, shown in ALWAYS.get(kind, ())]
    drawn = (Writer(kind, chance).program(1 + 10 * k // COUNT) for k in range(COUNT))
    return (*(program for program in first if agreed(program, kind)), *drawn)


def judge(path: Path, seed: int = 0, only: frozenset[str] = frozenset(), start: Start | None = None) -> list[Finding]:
    """For each kind of programs, or those with these ids: green, or the shortest program found that goes wrong.

    start: how a process with the engine is started, if not here.
    """
    todo = [kind for kind in KINDS if f"M9.{kind}" in only] or list(KINDS)
    refusal = runner.refuse(path)
    if refusal:
        return [Finding(fact(kind), *refusal) for kind in todo]
    deadline = time.monotonic() + LIMIT
    return [_judge(path, kind, seed, start, deadline) for kind in todo]


def _judge(path: Path, kind: str, seed: int, start: Start | None, deadline: float) -> Finding:
    here = fact(kind)

    def first_red(tried: Iterable[Program]) -> tuple[Program, Finding] | None:
        """The first of these programs that goes wrong, and how."""
        tried = list(tried)
        if tried and time.monotonic() > deadline:
            return tried[0], Finding(here, "not run", f"The {LIMIT:g} seconds of the random programs were over.")
        with contextlib.closing(runner.outcomes(path, [(here.id, p.text, seed) for p in tried], start)) as outcomes:
            for program, outcome in zip(tried, outcomes, strict=True):
                found = runner.compare(replace(here, program=program.text), outcome, wanted(program))
                if not found.green:
                    return program, replace(found, fact=here)
        return None

    red = first_red(programs(kind, seed))
    if red is None:
        return Finding(here)
    program, found = red
    if found.kind in ("missing", "not run"):
        return found
    while found.kind not in ("time", "crash"):
        tried = sorted((p for p in dict.fromkeys(shorter(program)) if size(p) < size(program) and agreed(p, kind)), key=size)
        red = first_red(tried) or first_red([tidy(program)])
        if red is None or red[0] == program or red[1].kind in ("missing", "not run", "time", "crash"):
            break
        program, found = red
    return replace(found, text=f"{found.text}\n\n{program.printed(path.stem, wanted(program)['shown'])}")


@functools.lru_cache(4096)  # it is asked when a program is written, judged and made shorter
def wanted(program: Program) -> dict[str, Any]:
    """What minigrad shows."""
    return child.run("M9", program.text, Library(mg))


def agreed(program: Program, kind: str) -> bool:
    """Whether right engines agree on a program, in what it shows too."""
    reading = read(program.statements) if program.shown else None
    return reading is not None and set(program.shown) <= set(all_shown(reading, kind)) and "error" not in wanted(program)
