"""Tracebacks begin with the learner's line and end with the sentence: the engine's own frames are not shown unless asked for."""

from __future__ import annotations

import re
import subprocess
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace

import pytest

import minigrad as mg
from minigrad import frames

ROOT = Path(__file__).parents[2]
PROGRAM = """\
import minigrad as mg
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.mul_(2)
def run():
    y.sum().backward()
"""
SENTENCE = "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation"


def run(folder: Path, program: str, *command: str) -> str:
    (folder / "test_program.py").write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, *command, "test_program.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1
    return done.stdout + done.stderr


def test_in_a_terminal(tmp_path: Path) -> None:
    lines = run(tmp_path, PROGRAM + "run()\n").splitlines()
    lines = [line for line in lines if line.strip(" ~^")]  # newer Pythons underline the call
    seen = [line.strip() for line in lines[:5] if not line.startswith("  File")]
    assert seen == ["Traceback (most recent call last):", "run()", "y.sum().backward()"]
    assert lines[5].startswith(SENTENCE) and lines[-1].endswith('explain("MODIFIED")')
    everything = run(tmp_path, "from minigrad.frames import show_frames\nshow_frames()\n" + PROGRAM + "run()\n")
    assert "in backward" in everything and "in unpack" in everything


def test_other_errors_are_printed_as_ever(tmp_path: Path) -> None:
    program = PROGRAM + "try:\n    run()\nexcept RuntimeError:\n    1 / 0\n"
    text = run(tmp_path, program)
    assert "During handling of the above exception" in text and text.rstrip().endswith("ZeroDivisionError: division by zero")


@pytest.mark.full
def test_in_pytest(tmp_path: Path) -> None:
    text = run(tmp_path, PROGRAM + "def test_it():\n    run()\n", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert "y.sum().backward()" in text and SENTENCE in text
    assert "walk.py" not in text and "tape.py" not in text


def test_in_a_notebook() -> None:
    ultratb = pytest.importorskip("IPython.core.ultratb")
    space: dict = {}
    exec(compile(PROGRAM, __file__, "exec"), space)
    shown = {}
    for everything in (False, True):
        frames.show_frames(everything)
        try:
            with pytest.raises(RuntimeError) as caught:
                space["run"]()
        finally:
            frames.show_frames(False)
        shown[everything] = ultratb.VerboseTB(theme_name="nocolor").text(caught.type, caught.value, caught.tb)
    assert "skipping hidden" in shown[False] and "in backward" not in shown[False] and "in run(plan" not in shown[False]
    assert "skipping hidden" not in shown[True] and "in backward" in shown[True]


CELLS = (
    "import minigrad as mg\nx = mg.tensor([1.0, 2.0], requires_grad=True)\nw = mg.tensor(3.0, requires_grad=True)",
    "y = x.exp()\ny.mul_(2)\ny.sum().backward()",
    "def step(h):\n    out = (h * h).sum()\n    out.backward()\n    out.backward()\nstep(x * 3)",
    "mg.autograd.grad(x.sum(), [x, w])",
    "mg.ones(2).view(3)",
    "{}['mine']",
    "from minigrad import viz; viz.draw_errors(False)\nx.exp().sum().backward(mg.ones(2))",
    "y.sum().backward()",
)


def test_in_a_kernel_an_error_is_the_line_the_sentence_and_a_picture() -> None:
    nbclient, v4 = pytest.importorskip("nbclient"), pytest.importorskip("nbformat.v4")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    page = v4.new_notebook(cells=[v4.new_code_cell(text) for text in CELLS], metadata=kernel)
    nbclient.NotebookClient(page, allow_errors=True, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    errors, pictures = [], []
    for cell in page.cells:
        told = [re.sub(r"\x1b\[[\d;]*m", "", "\n".join(o.traceback)) for o in cell.outputs if o.output_type == "error"]
        errors += told or [""]
        pictures.append([o.data for o in cell.outputs if o.output_type == "display_data"])
        assert len(told) + len(pictures[-1]) == len(cell.outputs) and (not cell.outputs or cell.outputs[0].output_type == "error")
    assert not errors[0] and all(errors[1:])
    assert [len(shown) for shown in pictures] == [0, 1, 1, 1, 0, 0, 0, 0]
    for text in errors:  # the learner's lines, and none of the engine's
        assert "File " not in text and "hidden" not in text and "During handling" not in text
    assert "3 y.sum().backward()" in errors[1] and "4     out.backward()" in errors[2]
    words = [shown[0]["text/plain"] for shown in pictures if shown]
    assert "saved y as result (line 1) at version 0, finds 1: wrong. The pass stops here." in words[0]
    assert "out = sum(v1): SumBackward0" in words[1] and "v1 = h · h: MulBackward0, freed" in words[1] and "marked" in words[1]
    assert "w: leaf, 3.0, marked" in words[2]
    assert all("<img alt=" in shown[0]["text/html"] for shown in pictures if shown)


class Shell:
    """As much of a notebook's shell as we ask for."""

    kernel, custom_exceptions, handler = object(), (), None

    def __init__(self) -> None:
        self.user_ns: dict = {}
        self.shown: list[list[str]] = []

    def set_custom_exc(self, kinds: tuple, handler: object) -> None:
        self.custom_exceptions, self.handler = kinds, handler

    def showtraceback(self, told: tuple, tb_offset: int | None = None) -> None:
        self.shown.append([frame.name for frame in traceback.extract_tb(told[2])])


def test_what_goes_wrong_with_a_picture_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    drawn: list[object] = []
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=drawn.append))
    x = mg.tensor(2.0, requires_grad=True)
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError, match="a second time") as caught:
        y.backward()
    shell.handler(shell, caught.type, caught.value, caught.tb)
    assert shell.shown == [["test_what_goes_wrong_with_a_picture_is_no_error"]] and len(drawn) == 1
    monkeypatch.setattr("minigrad.viz.failures.draw", None)
    shell.handler(shell, caught.type, caught.value, caught.tb)
    assert len(shell.shown) == 2 and len(drawn) == 1
    assert "unpack" in {frame.name for frame in traceback.extract_tb(sys.last_traceback)}


def test_a_handler_of_somebody_else_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for shell in (Shell(), Shell()):
        shell.custom_exceptions = (ZeroDivisionError,)
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda shell=shell: shell))
        with pytest.raises(RuntimeError):
            mg.ones(2).backward()
        assert shell.handler is None


def test_errors_that_the_engine_met_on_the_way_are_not_told(tmp_path: Path) -> None:
    text = run(tmp_path, "import minigrad as mg\nmg.ones(2).view(3)\n")
    assert "During handling" not in text and "refusals" not in text and "invalid for input of size 2" in text


def test_nothing_is_lost() -> None:
    with pytest.raises(RuntimeError) as caught:
        mg.ones(2).backward()
    names = {frame.name for frame in traceback.extract_tb(caught.value.__traceback__)}
    assert "backward" in names


def test_code_called_by_the_engine_is_shown(tmp_path: Path) -> None:
    """The backward of a Function is the learner's own: its frame stays between the hidden ones."""
    program = """\
import minigrad as mg
class Mine(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return mg.ones(2).backward()
Mine.apply(mg.ones(2, requires_grad=True)).sum().backward()
"""
    text = run(tmp_path, program)
    assert "in backward\n    return mg.ones(2).backward()" in text and "walk.py" not in text
