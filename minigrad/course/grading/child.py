"""What runs inside the sandbox: the cells of one notebook, then question after question about what they left.

It knows no answers, no hints and no other student. All that it says is checked outside: a notebook may replace any of
this code while it runs, and gains nothing but the chance to say something else.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import contextlib
import functools
import importlib.util
import inspect
import linecache
import ntpath
import operator
import os
import re
import shutil
import sys
import textwrap
import traceback
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import AGAIN, Case, Exercise, with_edges
from minigrad.course.grading import confine, wire
from minigrad.course.grading.names import CHECK
from minigrad.course.judge import NOT_ATTEMPTED, observe
from minigrad.course.judging.attempt import attempted, wrong_kind
from minigrad.course.judging.compare import unfit
from minigrad.course.judging.limits import TimeLimit, run_limited
from minigrad.course.judging.trace import learner_trace
from minigrad.frames import hide_frames

OF_THE_COURSE = {"check", "conformance", "hint", "progress", "report", "solution", "start"}
PICTURES = {f"viz.{name}" for name in ("curve", "draw", "draw_errors", "fit", "jacobian", "losses", "paths")} | {"memory_cells"}
PICTURED = "minigrad.viz"
FOLDER = os.path.dirname(mg.__file__)


class Notebook:
    """The cells, run in order, and for each exercise what they define under its name."""

    def __init__(self, order: dict[str, Any]):
        self.exercises = {e["id"]: blank(e) for e in order["exercises"]}
        self.cell_limit = order["cell_limit"]
        self.space: dict[str, Any] = {
            "__name__": "__main__", "display": lambda *things, **how: None, "get_ipython": lambda: Shell(),
        }  # fmt: skip
        self.found: dict[str, list[tuple[int, Any]]] = {id: [] for id in self.exercises}
        self.then: dict[str, dict[int, dict[str, Any]]] = {id: {} for id in self.exercises}  # all names, as they were at its cells
        self.chosen: dict[str, int] = {}  # the cell of the answer that counts
        self.errors: dict[int, str] = {}
        self.called: dict[str, tuple[int, Any]] = {}  # what each check was last called with that has another name, and in which cell
        self.seen: set[tuple[int, str]] = set()  # the cells, and the ids whose checks were called in them
        cells = order.get("cells", ())
        self.checks = [(place, id, name) for place, source in cells for id, name in CHECK.findall(source) if name]

    def run(self, cells: dict[int, str], at: Any) -> None:
        """All cells; those that failed once more at the end, in case that they stand in the wrong order."""
        for place, source in cells.items():
            self._cell(place, source, at)
        for place in [n for n, error in self.errors.items() if error.startswith("NameError")]:
            error, before = self.errors.pop(place), (dict(self.space), dict(self.found), dict(self.then))
            self._cell(place, cells[place], at)
            if place not in self.errors:
                self.errors[place] = f"it ran only after the cells below it ({error})"
            else:  # what it bound once more would take the place of what cells below it have made of that
                put_back(self.space, before[0])
                self.found, self.then = before[1:]
        # A check above what it is called with, or below a line that fails here alone.
        for place in sorted({place for place, id, _ in self.checks if (place, id) not in self.seen}):
            at(place)
            run_cell(cells[place], f"cell {place}", self.space, self.cell_limit, checks_alone=True)
            self._note(place, frozenset(self.seen))

    def _cell(self, place: int, source: str, at: Any) -> None:
        at(place)
        before = {e.name: self.space.get(e.name) for e in self.exercises.values()}
        error = run_cell(source, f"cell {place}", self.space, self.cell_limit)
        if error:
            self.errors[place] = error
        for id, exercise in self.exercises.items():
            now = self.space.get(exercise.name)
            if now is not None and now is not before[exercise.name]:
                others = (pair for pair in self.found[id] if pair[0] != place)
                self.found[id] = sorted([*others, (place, now)], key=lambda pair: pair[0])
                self.then[id] = self.then[id] | {place: vars(builtins) | self.space}
        self._note(place)

    def _note(self, place: int, before: frozenset[tuple[int, str]] = frozenset()) -> None:
        """What checks were called with in this cell, and what all names stood for then. An answer of another name is one when it is
        no starter.

        before: calls that count already; what the same names stand for at the end does not.
        """
        called = getattr(sys.modules["minigrad.course"], "called", [])
        for id, thing, names in called:
            self.seen.add((place, id))
            if id not in self.exercises or thing is None or (place, id) in before:
                continue
            then = vars(builtins) | (names if names.get("__name__") == "__main__" else self.space)
            if mine := [at for at, one in self.found[id] if thing is one]:
                self.then[id] = self.then[id] | {mine[-1]: then}
                continue
            if self.called.get(id, (place,))[0] > place:  # the lowest cell counts, in whatever order they ran here
                continue
            if not wrong_kind(self.exercises[id], thing) and is_tried(self.exercises[id], thing):
                self.called[id] = place, thing
                self.then[id] = self.then[id] | {place: then}
        called.clear()

    def bound_again(self, id: str, answer: Any) -> list[str]:
        """The names that an answer uses, and that stood for something else where it was defined or checked."""
        then, now = self._then(id), vars(builtins) | self.space
        then = then | {self.exercises[id].name: answer} if then else then
        others = {name for name, thing in then.items() if now.get(name) is not thing}
        return sorted(others & used_by(answer, then)) if others else []

    def _then(self, id: str) -> dict[str, Any]:
        """All names, as they were where the answer that counts was defined or checked."""
        return self.then[id].get(self.chosen.get(id, 0), {})

    @contextlib.contextmanager
    def as_it_was(self, id: str) -> Iterator[None]:
        """All names stand for what they stood for where the answer was defined or checked."""
        now, mine = dict(self.space), dict(self.found[id])
        self.space.update(self._then(id))
        if (place := self.chosen.get(id)) in mine:
            self.space[self.exercises[id].name] = mine[place]
        try:
            yield
        finally:
            put_back(self.space, now)

    def answer(self, id: str) -> tuple[Any, list[int]]:
        """The last thing of this name that is more than the starter, and the cells that define the name."""
        exercise, found = self.exercises[id], self.found[id]
        # Of sheets of several chapters: what stands above another chapter's check of this name is that one's.
        checks = [(at, other[:2]) for at, other, name in self.checks if name == exercise.name]
        found = [pair for pair in found if next((c for at, c in checks if at >= pair[0]), id[:2]) == id[:2]] or found
        tried = [is_tried(exercise, thing) for _, thing in found]
        if not any(tried) and id in self.called:
            found, tried = [self.called[id]], [True]
        if not found:
            return None, []
        # The last one counts, as in a kernel. But a copy of the untouched cell further down takes nothing away, and neither
        # does what can be no answer, as of `for row in rows:`.
        there = [k for k, yes in enumerate(tried) if yes]
        best = max((k for k in there if not wrong_kind(exercise, found[k][1])), default=max(there, default=len(found) - 1))
        self.chosen[id] = found[best][0]
        return found[best][1], [place for place, _ in found]


def is_tried(exercise: Exercise, thing: Any) -> bool:
    """Whether it is more than the starter, as far as one can see."""
    try:
        return attempted(exercise, thing)
    except Exception:
        return True


def put_back(space: dict[str, Any], names: dict[str, Any]) -> None:
    """Let the names of a notebook stand for what they stood for."""
    space.clear()
    space.update(names)


def used_by(thing: Any, space: dict[str, Any]) -> set[str]:
    """The names in the code of a function or class, and of those of the notebook's own that it uses."""
    names: set[str] = set()
    todo, seen = [thing], {id(None)}
    for one in todo:  # it grows
        if id(one) in seen:
            continue
        seen.add(id(one))
        # Nothing is asked of an object of the notebook's own: its __getattr__ may raise what it likes.
        if isinstance(one, types.CodeType):
            names.update(one.co_names)
            own = (space[name] for name in one.co_names if getattr(space.get(name), "__module__", "") == "__main__")
            todo += [*one.co_consts, *own]
        elif isinstance(one, types.FunctionType):
            todo += [one.__code__, vars(one).get("__wrapped__")]
        elif isinstance(one, staticmethod | classmethod | types.MethodType):
            todo.append(one.__func__)
        elif isinstance(one, functools.partial):
            todo.append(one.func)
        elif isinstance(one, type):
            todo += vars(one).values()
        else:
            todo.append(inspect.getattr_static(one, "__wrapped__", None))  # what a cache was made of
    return names


class Watch:
    """The functions, classes and methods of the modules that notebooks are built on, and what watches answers: to see whether
    something of it was replaced."""

    def __init__(self) -> None:
        known = ("builtins", "numpy", "numpy.linalg", "os", "sys", "time", "signal", "inspect", "__main__")
        modules = {name: m for name, m in list(sys.modules.items()) if name in known or name.startswith("minigrad")}
        modules.pop(PICTURED, None)
        # By name: where it stands, under which name, what it is, and what that is made of.
        self.before: dict[str, tuple[Mapping[str, Any], str, Any, tuple[Any, ...]]] = {}
        classes = []
        for place, module in modules.items():
            self.before[place] = sys.modules, place, module, ()
            for name, thing in list(vars(module).items()):
                kept = place.startswith("minigrad.course") and name[:2] != "__" and isinstance(thing, list | dict)
                if callable(thing) or kept:
                    self.before[f"{place}.{name}"] = vars(module), name, thing, made_of(thing)
                if isinstance(thing, type) and thing.__module__.startswith(("minigrad", "__main__")):
                    classes.append(thing)
        kinds = (types.FunctionType, property, staticmethod, classmethod)
        for cls in set(classes):
            for name, thing in vars(cls).items():
                if isinstance(thing, kinds):
                    self.before[f"{cls.__module__}.{cls.__qualname__}.{name}"] = vars(cls), name, thing, made_of(thing)
        self.before.pop("inspect.getfile", None)  # PyTorch puts its own there when it is imported

    def news(self) -> list[str]:
        """What is no longer as it was; each is told of once."""
        found = [
            name for name, (space, key, thing, parts) in self.before.items()
            if space.get(key) is not thing or parts and not is_made_of(thing, parts)
        ]  # fmt: skip
        for name in found:
            del self.before[name]
        return found[:20]


def made_of(thing: Any) -> tuple[Any, ...]:
    """What may be changed of a thing that stays the same."""
    thing = getattr(thing, "__func__", thing) if isinstance(thing, staticmethod | classmethod) else thing
    if type(thing) is types.FunctionType:
        return thing.__code__, thing.__defaults__, thing.__kwdefaults__
    return tuple(thing.values()) if type(thing) is dict else tuple(thing) if type(thing) is list else ()


def is_made_of(thing: Any, parts: tuple[Any, ...]) -> bool:
    now = made_of(thing)
    return len(now) == len(parts) and all(map(operator.is_, now, parts))


class Shell:
    """What `get_ipython()` gives: none of its commands does anything here."""

    def __getattr__(self, name: str) -> Any:
        return lambda *things, **how: None


# What is left of a cell below the line that failed: an answer is not lost because its cell also does what cannot be done here.
DEFINES = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


TOOK_LONGER = "it took longer than"


def run_cell(source: str, name: str, space: dict[str, Any], limit: float, checks_alone: bool = False) -> str:
    """Run one cell, with nothing of the course's but that its checks are noted; what went wrong, in a line."""
    text = as_python(source)
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)  # so that answers have a source
    try:
        tree = ast.parse(text, name)
        own = {name for name in OF_THE_COURSE if getattr(space.get(name), "__module__", "") == "__main__"}
        own |= {s.name for s in tree.body if isinstance(s, ast.FunctionDef)}  # `start` may be a student's own function
        noted = [(one, s) for one in tree.body for s in _noted(one, own)]
        tree.body = [_without_picture(s) for one, s in noted if s is not one or not checks_alone]
        # What it prints goes nowhere, as all that this process prints.
        with contextlib.redirect_stdout(sys.__stdout__), contextlib.redirect_stderr(sys.__stderr__):
            run_all(tree, name, space, limit)
    except TimeLimit:
        return f"{TOOK_LONGER} {limit:g} seconds and was stopped"
    except BaseException as error:  # also SystemExit and KeyboardInterrupt
        with contextlib.suppress(Exception):
            return f"{type(error).__name__}: {error}"[:500]
        return type(error).__name__
    return ""


# What is IPython's alone, and what is left of it: `None` where something must stand, in a block or behind a name.
MAGICS = {
    r"^([ \t]*)%run[ \t]+(?:-i[ \t]+)?([\w./-]+?)(?:\.py)?[ \t]*(?:#.*)?$": r"\1exec(open('\2.py').read())",
    r"^([ \t]*)%time[ \t]+(?!-)": r"\1",
    r"^([ \t]*)(\w[\w, .]*=[ \t]*)?[%!?].*$": r"\1\2None",
    r"^([ \t]*)[\w.]+\?+[ \t]*$": r"\1None",
}
FOREIGN = r"\s*%%(?:bash|sh|script|cmd|perl|ruby|html|HTML|javascript|js|latex|markdown|svg|writefile|file|!|sx|system)\b"


def as_python(source: str) -> str:
    """A cell without what is IPython's alone. Only where Python stumbles: a line of it may begin with % all the same."""
    if re.match(FOREIGN, source):
        return "\n"
    lines = textwrap.dedent(re.sub(r"^\s*%%.*", "", source).replace("\r\n", "\n")).split("\n")  # as IPython does
    for _ in range(50):
        try:
            ast.parse("\n".join(lines))
            break
        except (RecursionError, MemoryError):
            break
        except (SyntaxError, ValueError) as error:
            at = (getattr(error, "lineno", 0) or 0) - 1
        before = lines[at] if 0 <= at < len(lines) else ""
        while re.match(r"[ \t]*(?:\w[\w, .]*=[ \t]*)?[%!].*\\$", "".join(lines[at : at + 1])) and at + 1 < len(lines):
            lines[at] = lines[at][:-1] + lines.pop(at + 1)  # a command goes on in the next line
        for magic, left in MAGICS.items():
            lines[at : at + 1] = [re.sub(magic, left, line) for line in lines[at : at + 1]]
        if lines[at : at + 1] == [before]:
            break
    return "\n".join(lines) + "\n"


def run_all(tree: ast.Module, name: str, space: dict[str, Any], limit: float) -> None:
    """Run what was parsed; where a line fails, what is defined below it all the same. Raises the first error."""
    failed, flags = None, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    if space.get("annotations") is __future__.annotations:  # imported in a cell above, as it goes on to hold in Jupyter
        flags |= __future__.annotations.compiler_flag
    while tree.body:
        code = compile(tree, name, "exec", flags, dont_inherit=True)
        try:
            run_limited(functools.partial(run_code, code, space), limit)
            break
        except TimeLimit:
            raise
        except BaseException as error:  # also SystemExit and KeyboardInterrupt
            failed = failed or error
            lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code is code]
            tree.body = [s for s in tree.body if lines and s.lineno > lines[0] and isinstance(s, DEFINES)]
    if failed is not None:
        raise failed


def run_code(code: types.CodeType, space: dict[str, Any]) -> None:
    """Run a cell. One that awaits is a coroutine; there is no loop of events here, so it must not have to wait."""
    waits = eval(code, space)
    if inspect.iscoroutine(waits):
        with contextlib.suppress(StopIteration):
            waits.send(None)
            waits.throw(RuntimeError("nothing can be waited for here"))


def _noted(statement: ast.stmt, own: set[str]) -> list[ast.stmt]:
    """A statement as it runs here: a call of the checker whatever comes of it, and no other call of the course's."""
    call = statement.value if isinstance(statement, ast.Expr) else statement.test if isinstance(statement, ast.Assert) else None
    while isinstance(call, ast.Attribute):  # assert check("04.3", f).passed
        call = call.value
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in OF_THE_COURSE - own):
        return [statement]
    (quiet,) = ast.parse("try:\n    0\nexcept Exception:\n    0").body
    quiet.body = [ast.Expr(call)]  # type: ignore[attr-defined]
    return [ast.fix_missing_locations(ast.copy_location(quiet, statement))] if call.func.id == "check" else []


def _without_picture(statement: ast.stmt) -> ast.stmt:
    """A call that only shows a picture, without the picture: nobody sees it here, and Matplotlib takes longer than all the answers."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and ast.unparse(call.func) in PICTURES:
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        return ast.copy_location(ast.Expr(ast.copy_location(ast.Tuple(values, ast.Load()), call)), statement)
    return statement


def later(name: str) -> types.ModuleType:
    """A module that is loaded when something of it is asked for: of what draws, most notebooks have pictures alone."""
    spec: Any = importlib.util.find_spec(name)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def blank(order: dict[str, Any]) -> Exercise:
    """An exercise of which only the starter is known: it stands for the reference."""
    space: dict[str, Any] = {"mg": mg, "np": np, "__name__": "starter"}
    exec(compile(order["stub"], "starter", "exec", dont_inherit=True), space)
    words: Any = {"cases": lambda rng, dtype: []}
    if order["value"]:
        words = {"draws": lambda rng: None, "program": lambda draw: ""}
    return Exercise(
        order["id"], "", 1, 1, reference=space[order["name"]], hints=("", "", ""), explanation="", name=order["name"],
        starter=order["starter"], time_limit=order["time_limit"], may_change_inputs=order["may_change_inputs"],
        without=order["without"], space=space, **words,
    )  # fmt: skip


def add_modules(modules: list[tuple[str, str]]) -> types.ModuleType | None:
    """Execute the sources, and return the last module. What is there already stays: answers may hold parts of it."""
    module = None
    for name, source in modules:
        module = sys.modules.get(name)
        if module is None:
            module = sys.modules[name] = types.ModuleType(name)
            module.__file__ = os.path.join(FOLDER, *name.split(".")[1:]) + ".py"
            exec(compile(source, module.__file__, "exec", dont_inherit=True), vars(module))
    return module


LARGEST_FILE = 1 << 20  # bytes


def file_named_by(answer: Any) -> Any:
    """The file whose name an answer gives."""
    name = answer()
    if not isinstance(name, str | os.PathLike):
        return unfit(name, "the name of a file, as text")
    if not os.path.isfile(name):  # what a learner has in engine/core/ was handed in beside the notebook
        name = ntpath.basename(name)  # of a Windows path too
    if not os.path.isfile(name):
        return {"name": str(name)}
    with open(name, "rb") as file:
        return {"name": str(name), "bytes": np.frombuffer(file.read(LARGEST_FILE), np.uint8)}


def prepare(exercise: Exercise, question: dict[str, Any], blobs: bytes) -> None:
    """Give the exercise its cases: as they were sent, or built here from the code that was sent."""
    if question.get("file"):
        exercise.observe, exercise.cases = file_named_by, lambda rng, dtype: [Case("", ())]
        exercise.without = {AGAIN: "a file is looked at once"}
        return
    module = add_modules(question["code"])
    task = vars(module).get("TASK") or vars(module)["TASKS"][exercise.id] if module else {}
    exercise.observe = task.get("observe")
    if "args" in question:
        args = question["args"]
        exercise.cases = lambda rng, dtype: [Case("", tuple(wire.Decoder(blobs, True).decode(a))) for a in args]
        exercise.without = {**exercise.without, AGAIN: "all cases were sent, those of the second call too"}
    else:
        # The answer may look into everything around it: no label there says which case is meant.
        build, edges = task["cases"], task.get("edges")
        exercise.cases = lambda rng, dtype: [Case("", case.args) for case in with_edges(build, edges, rng, dtype)]


def reply_to(notebook: Notebook, question: dict[str, Any], blobs: bytes) -> tuple[dict[str, Any], bytes]:
    """What the answer to one exercise does."""
    exercise = notebook.exercises[question["id"]]
    answer, cells = notebook.answer(exercise.id)
    if not cells:
        return {"state": "missing"}, b""
    encoder = wire.Encoder()
    if exercise.is_value:
        from minigrad.course.judging.compare import freeze

        return {"state": "value", "cells": cells, "value": encoder.encode(freeze(answer))}, bytes(encoder.blobs)
    prepare(exercise, question, blobs)
    place, other = notebook.called.get(exercise.id, (0, None))
    if question.get("checked"):
        answer, notebook.chosen[exercise.id] = other, place
    with notebook.as_it_was(exercise.id) if question.get("then") else contextlib.nullcontext():
        seen = observe(exercise, answer, seed=question.get("seed", 0))
    if not seen.attempted:
        return {"state": NOT_ATTEMPTED, "cells": cells}, b""
    results = [encoder.encode(result) for result in seen.results]
    changed = [[index, names] for index, names in seen.changed.items()]
    return {
        "state": "seen", "cells": cells, "complaint": seen.complaint, "results": results, "changed": changed,
        "printed": seen.printed, "ends": seen.ends, "bound again": notebook.bound_again(exercise.id, answer)[:3],
        "checked": other is not None and other is not answer,
    }, bytes(encoder.blobs)  # fmt: skip


def main() -> None:
    """Speak with the grader until it hangs up."""
    read, write = wire.inside()
    nonce, order, _ = wire.receive(read, None)
    confined = confine.confine(order["limits"], order["user"])
    write(wire.pack(nonce, {"confined": confined}))
    fonts = os.path.join(os.path.dirname(FOLDER), "matplotlib")  # what it found out about fonts; it wants to write there too
    if os.path.isdir(fonts):
        os.environ["MPLCONFIGDIR"] = shutil.copytree(fonts, os.path.join(os.environ["HOME"], ".matplotlib"))
    sys.path.insert(0, os.getcwd())
    for name, text in order["files"].items():  # what was handed in beside the notebook
        with open(name, "wb") as file:
            file.write(text.encode("latin-1"))
    hide_frames()  # at its first error the engine sets a hook of its own, which is no deed of the notebook's
    notebook, news, mg.viz = Notebook(order), Watch().news, later(PICTURED)
    notebook.run(dict(order["cells"]), lambda place: write(wire.pack(nonce, {"at": place})))
    write(wire.pack(nonce, {"ready": list(notebook.errors.items()), "replaced": news()}))
    while True:
        nonce, question, blobs = wire.receive(read, None)
        try:
            reply, arrays = reply_to(notebook, question, blobs)
            message = wire.pack(nonce, reply | {"replaced": news()}, arrays)
        except BaseException as error:
            text = learner_trace(error, str(error)[:500])
            message = wire.pack(nonce, {"state": "failed", "why": text[:2000], "replaced": news()})
        write(message)


if __name__ == "__main__":
    main()
