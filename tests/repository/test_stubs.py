"""The stubs: they are what the package gives, they are all of it, and a type checker learns from them."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad as mg
from tools import stubs

ROOT = Path(__file__).parents[2]

GOOD = """
from typing import assert_type

import minigrad as mg

x = mg.tensor([1.0, 2.0], requires_grad=True)
assert_type(x, mg.Tensor)
assert_type(mg.zeros(2, 3).sum(0), mg.Tensor)
assert_type((2.0 * x + x[0] - 1).exp_().mul_(2), mg.Tensor)
assert_type(x.view(2, 1).reshape(-1).add(2, alpha=3), mg.Tensor)
assert_type(mg.max(mg.ones(2, 2), 0).indices, mg.Tensor)
assert_type(x.max(), mg.Tensor)
assert_type(x.split(1), tuple[mg.Tensor, ...])
assert_type(mg.allclose(x, x), bool)
assert_type(x.T, mg.Tensor)
assert_type([row for row in x], list[mg.Tensor])
assert_type(float(x[0]), float)
(x * x).sum().backward()
with mg.no_grad():
    x -= 0.1 * x
"""
BAD = {
    "x.expp()": "attr-defined",
    "mg.exq(x)": "attr-defined",
    'x.sum("a")': "arg-type",
    "mg.exp()": "call-arg",
    "mg.exp(x, out=x)": "call-arg",
    "mg.allclose(x, x).exp()": "attr-defined",
}


def mypy(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent", "--explicit-package-bases",
               f"--cache-dir={folder / 'cache'}", "program.py"]  # fmt: skip
    return subprocess.run(command, cwd=folder, env=os.environ | {"MYPYPATH": str(ROOT)}, capture_output=True, text=True)


def test_a_stub_is_what_the_package_gives() -> None:
    for path, text in stubs.stubs().items():
        assert path.read_text(encoding="utf-8") == text, "run python tools/stubs.py"


def test_every_name_is_there() -> None:
    told = "".join(stubs.stubs().values())
    for name, thing in vars(mg).items():
        if callable(thing) and not name.startswith("_") and name not in stubs.named("minigrad/__init__.py"):
            assert f"\ndef {name}(" in told, name
    for name in vars(mg.Tensor).keys() - stubs.named("minigrad/core/tensor.py", "Tensor") - stubs.OF_THE_CLASS:
        assert f"    def {name}(" in told or f"    {name}: " in told, name


def test_stubs_come_with_the_package() -> None:
    assert (ROOT / "minigrad" / "py.typed").exists()
    assert '"py.typed", "*.pyi", "core/*.pyi"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.weekly
@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_a_type_checker_learns_from_them(tmp_path: Path) -> None:
    done = mypy(tmp_path, GOOD)
    assert done.returncode == 0, done.stdout + done.stderr
    done = mypy(tmp_path, GOOD + "\n".join(BAD) + "\n")
    first = len(GOOD.splitlines()) + 1
    for number, (line, code) in enumerate(BAD.items(), first):
        assert any(f"program.py:{number}: error" in told and told.endswith(f"[{code}]") for told in done.stdout.splitlines()), (
            line, done.stdout,
        )  # fmt: skip
    assert f"Found {len(BAD)} errors" in done.stdout
