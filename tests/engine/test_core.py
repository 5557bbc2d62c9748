"""The house: how long its files are, which may import which, how far an operation runs, and that the core runs alone."""

from __future__ import annotations

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from minigrad.course.capstone.copies import ALONE
from tools.count_lines import PACKAGE, count

ROOT = Path(__file__).parents[2]

# -- lines ---------------------------------------------------------------------------------------------------------------

# The most lines of code: of the core, of one of its files, of the hot path, of the package without course and viz.
CORE, FILE, FAST, ALL = 1_000, 250, 250, 7_900


def test_the_core_is_short() -> None:
    lines = count(PACKAGE / "core")
    print(lines, sum(lines.values()))
    assert sum(lines.values()) <= CORE
    assert max(lines.values()) <= FILE


def test_the_package_is_small() -> None:
    lines = count()
    print(lines, sum(lines.values()))
    assert sum(lines.values()) <= ALL


def test_the_hot_path_is_one_short_file() -> None:
    assert count()["fast.py"] <= FAST


def test_what_is_counted(tmp_path: Path) -> None:
    """Blanks, comments and docstrings are no code; a string over three lines that is none is."""
    from tools import count_lines

    file = tmp_path / "x.py"
    file.write_text('"""Doc\nstring."""\n\n# comment\nx = 1  # code\n\n\ndef f():\n    """Doc."""\n    return """a\nb\n"""\n')
    assert count_lines.lines_of_code(file) == 5


def test_claims_of_the_length_are_true() -> None:
    """README, CONTRIBUTING and the package say how many lines there are at most."""
    for path in ("README.md", "CONTRIBUTING.md", "minigrad/__init__.py"):
        for claimed in re.findall(r"([\d,]+) lines of code", (ROOT / path).read_text(encoding="utf-8")):
            assert claimed == f"{CORE:,}", path
    assert "lines of code" in (ROOT / "minigrad" / "__init__.py").read_text(encoding="utf-8")


def test_the_core_is_formatted() -> None:
    """Lines are counted as ``ruff format`` leaves them, 120 wide."""
    pytest.importorskip("ruff")
    command = [sys.executable, "-m", "ruff", "format", "--check", "minigrad/core"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


# -- imports -------------------------------------------------------------------------------------------------------------

# From the bottom up: a file imports what stands above it in this list, and nothing below. In a folder any order will do,
# but for the core, which is read from top to bottom.
ORDER = [
    *("core.words", "core.seams", "core.tensor", "core.tape", "core.rule", "core.record", "core.walk", "core.views"),
    *("errors", "dtypes", "printing", "modes", "around.callsites", "compat.complaints"),
    *("around.saved", "around.tangents", "around.extension", "around.hooks", "compat.attributes", "compat.promotion"),
    *("signatures", "refusals", "fast"),
    "ops",
]


def imported(path: Path) -> set[str]:
    """The modules of the package that a file imports, by their names in it."""
    parts, found = path.relative_to(PACKAGE).with_suffix("").parts, set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*parts[: len(parts) - node.level], *(node.module or "").split(".")]
            base = [part for part in base if part]
            if PACKAGE.joinpath(*base).with_suffix(".pyi").exists():
                continue  # a stub, for tools: nothing is imported when the package runs
            for alias in node.names:
                whole = PACKAGE.joinpath(*base, alias.name)
                found.add(".".join([*base, alias.name] if whole.with_suffix(".py").exists() or whole.is_dir() else base))
    return found


def place(module: str) -> int | None:
    """Where a module, or its folder, stands in the order."""
    return next((k for k, name in enumerate(ORDER) if module == name or module.startswith(f"{name}.")), None)


FILES = sorted(p for p in PACKAGE.rglob("*.py") if place(".".join(p.relative_to(PACKAGE).with_suffix("").parts)) is not None)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_go_one_way(path: Path) -> None:
    here = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    for module in imported(path) - {"core", "ops"}:
        there, mine = place(module), place(here)
        assert there is not None, f"{here} imports {module}, which stands above all of these"
        assert there < mine or here.startswith("ops") and there == mine, f"{here} imports {module}"  # type: ignore[operator]


def test_the_order_names_files() -> None:
    for name in ORDER:
        path = PACKAGE.joinpath(*name.split("."))
        assert path.is_dir() or path.with_suffix(".py").exists(), name


# -- calls ---------------------------------------------------------------------------------------------------------------

HOPS = """
import os, sys
import minigrad as mg
root = os.path.dirname(mg.__file__)
a, b = mg.tensor(2.0, requires_grad=True), mg.tensor(3.0, requires_grad=True)
def two_lines():
    y = a * b
    y.backward()
two_lines()
calls = []
def count(frame, event, arg):
    if event == "call" and frame.f_code.co_filename.startswith(root):
        calls.append((os.path.relpath(frame.f_code.co_filename, root), frame.f_code.co_name))
sys.setprofile(count)
two_lines()
sys.setprofile(None)
assert a.grad.item() == 6.0
print(len(calls), len({file for file, _ in calls}), calls)
"""


@pytest.mark.parametrize("fast", ["1", "0"], ids=["fast", "plain"])
def test_an_operation_and_its_backward_take_few_calls(fast: str) -> None:
    out = subprocess.run([sys.executable, "-c", HOPS], capture_output=True, text=True, check=True, cwd=ROOT,
                         env={**os.environ, "MINIGRAD_FAST": fast}).stdout  # fmt: skip
    calls, files = map(int, out.split()[:2])
    assert calls <= 30 and files <= 6, out
    assert ("fast.py" in out) == (fast == "1")


# -- the switch ----------------------------------------------------------------------------------------------------------


def test_the_hot_path_can_be_left_while_a_program_runs() -> None:
    import minigrad as mg
    from minigrad import fast

    def seen() -> set[str]:
        names = set()

        def note(frame: Any, event: str, arg: Any) -> None:
            if frame.f_code.co_filename == fast.__file__:
                names.add(frame.f_code.co_name)

        x = mg.ones(2, requires_grad=True)
        sys.setprofile(note)
        (x * x).sum().backward()
        sys.setprofile(None)
        assert x.grad.tolist() == [2.0, 2.0]
        return names

    try:
        fast.use(False)
        assert seen() <= {"call", "<listcomp>"}  # which only hand on
    finally:
        fast.use(True)
    assert {"call", "_record", "_apply"} <= seen()


def test_the_core_says_which_of_its_definitions_are_made_again_outside() -> None:
    """A reader who changes one of them would see nothing happen: the notes in ``core/__init__.py`` name each, and its file."""
    from minigrad.core import tape, tensor

    notes = re.split(r"^- ", (PACKAGE / "core" / "__init__.py").read_text(encoding="utf-8"), flags=re.M)[1:]
    again = set()
    for file in (PACKAGE / "core").glob("*.py"):
        for kind in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(kind, ast.ClassDef) and kind.name in ("Tensor", "Node", "OpNode"):
                owner, functions = getattr(tensor, kind.name, None) or getattr(tape, kind.name), kind.body
            elif isinstance(kind, ast.FunctionDef) and "method" in map(ast.unparse, kind.decorator_list):
                owner, functions = tensor.Tensor, [kind]
            else:
                continue
            for name in (f.name for f in functions if isinstance(f, ast.FunctionDef)):
                now = vars(owner)[name]
                parts = [now.fget, now.fset] if isinstance(now, property) else [inspect.unwrap(getattr(now, "__func__", now))]
                homes = {Path(part.__code__.co_filename) for part in parts if part is not None}
                again |= {(name, home.relative_to(PACKAGE).as_posix()) for home in homes if home.parent != PACKAGE / "core"}
    assert again
    for name, home in again:
        assert any(home in note and name in note for note in notes), (name, home)


def test_source_of_an_operator() -> None:
    """What `inspect.getsource` shows names the operation."""
    import inspect

    import minigrad as mg

    assert 'OPERATIONS["mul"](self, other)' in inspect.getsource(mg.Tensor.__mul__)


@pytest.mark.parametrize(
    "declared, named",
    [
        ({"self": lambda g, slef: g}, "slef"),
        ({"self": lambda g: g, "othr": lambda g: g}, "othr"),
        ({"self": lambda g: g, "always_saved": ("sized",)}, "sized"),
    ],
    ids=["in a rule", "of a rule", "of what is saved"],
)
def test_a_declaration_that_names_what_does_not_exist_is_refused(declared: dict[str, Any], named: str) -> None:
    from minigrad.core.record import op

    with pytest.raises(TypeError, match=f"^(the rule of )?scaled .*{named!r}"):

        @op("linear", **declared)
        def scaled(self: Any, other: Any) -> Any: ...


# -- the core alone ------------------------------------------------------------------------------------------------------

PROGRAM = '''
import sys
import numpy as np
from engine.core import walk
from engine.core.tensor import Tensor, wrap
from engine.core.views import in_place
from engine.ops import pointwise

# The two moons of chapter 16, and a network of 16 units.
rng = np.random.RandomState(0)
angle = rng.uniform(0, np.pi, 200)
labels = np.where(np.arange(200) % 2, 1.0, -1.0)
points = np.stack([np.cos(angle), np.sin(angle)], 1) * labels[:, None] + np.where(labels[:, None] > 0, [0, 0], [1, 0.5])
X, Y = wrap(points + rng.normal(0, 0.1, points.shape)), wrap(labels[:, None])
shapes = (2, 16), (16,), (16, 1), (1,)
weights = [wrap(rng.normal(0, 0.7, shape)).requires_grad_() for shape in shapes]

def loss():
    W1, b1, W2, b2 = weights
    score = (X @ W1 + b1).tanh() @ W2 + b2
    return ((score * Y * -1.0).exp() + 1.0).log().mean(), score

first = loss()[0].item()
for _ in range(400):
    loss()[0].backward()
    for w in weights:
        w._array -= 0.5 * w.grad.numpy()
        w.grad = None
last, score = loss()
right = float((np.sign(score.numpy()) == Y.numpy()).mean())
assert first > 0.5 and last.item() < 0.1 and right > 0.97, (first, last.item(), right)

# A Hessian: of x0² x1 + x1³.
x = wrap(np.array([1.0, 2.0])).requires_grad_()
y = x[0] * x[0] * x[1] + x[1] ** 3
(slope,) = walk.grad(y, [x], create_graph=True)
hessian = [walk.grad(slope[i], [x], retain_graph=True)[0].numpy() for i in range(2)]
assert np.allclose(hessian, [[4.0, 2.0], [2.0, 12.0]]), hessian

# A write to a view.
base = x * 1.0
view = base[0]
mul_ = in_place(pointwise.mul)
mul_(view, 5.0)
assert type(base.grad_fn).__name__ == "CopySlices" and view.grad_fn is not None
(base * base).sum().backward()
assert base.numpy().tolist() == [5.0, 2.0] and x.grad.numpy().tolist() == [50.0, 4.0], x.grad.numpy()

# What must not be: a second pass through a freed graph, and a saved value that was overwritten.
def message(call):
    try:
        call()
    except RuntimeError as error:
        return str(error)
    raise AssertionError("no error")

z = (x * x).sum()
z.backward()
assert "freed" in message(z.backward)
a = x.exp()
mul_(a, 2.0)
assert "overwritten" in message(a.sum().backward)
assert "leaf" in message(lambda: mul_(x, 2.0))
assert "no graph" in message(wrap(np.ones(())).backward)

loaded = sorted(name for name in sys.modules if name.startswith("engine."))
assert {name.split(".")[1] for name in loaded} == {"core", "ops", "errors", "dtypes"}, loaded
assert Tensor.__module__ == "engine.core.tensor" and "minigrad" not in sys.modules
print("alone")
'''


def test_the_core_runs_alone(tmp_path: Path) -> None:
    """Copied out of the package, with the operations and nothing else."""
    for name in ALONE:
        source, target = PACKAGE / name, tmp_path / "engine" / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir(exist_ok=True)
            shutil.copy(source, target)
    (tmp_path / "engine" / "__init__.py").touch()
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "alone\n", done.stderr


def test_every_error_of_the_core_has_a_sentence() -> None:
    """And PyTorch's words around it, but for two that the checks of compat/ come before."""
    from minigrad import errors
    from minigrad.core.words import SENTENCES

    raised = set(re.findall(r'seams\.error\(\s*"(\w+)"', "".join(p.read_text("utf-8") for p in (PACKAGE / "core").glob("*.py"))))
    assert raised == set(SENTENCES)
    for name in raised - {"NOT_FLOAT", "NOT_LEAF", "VIEW_WRITE"}:
        assert getattr(errors, name), name
