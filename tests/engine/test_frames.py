"""Tracebacks begin with the learner's line and end with the sentence: the engine's own frames are not shown unless asked for."""

from __future__ import annotations

import subprocess
import sys
import traceback
from pathlib import Path

import pytest

import minigrad as mg
from minigrad import frames

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
