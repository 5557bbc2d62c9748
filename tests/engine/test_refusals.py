"""The tables of what is refused and of how dtypes meet: every line is used, and can be run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import minigrad as mg
from minigrad import errors, refusals
from minigrad.core.rule import REGISTRY

PACKAGE = Path(mg.__file__).parent
LINES = {(name, line) for name, lines in refusals.blocks().items() for _, line in lines}


def checked_functions() -> set[str]:
    """The functions of the package that ask for checks by a decorator."""
    trees = [ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py") if "course" not in path.parts]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {f.name for f in functions if any(isinstance(d, ast.Name) and d.id == "checked" for d in f.decorator_list)}


def test_every_block_belongs_to_a_function_and_every_check_has_a_block() -> None:
    asked = checked_functions()
    assert set(refusals.blocks()) - asked - set(REGISTRY) == set()
    assert asked - set(refusals.blocks()) == set()


def test_a_line_is_python_and_names_messages_that_there_are() -> None:
    for name, line in sorted(LINES):
        statement = refusals._statement(line, name, ["self"])
        compile(statement, f"<{name}: {line}>", "exec")  # lines are compiled when they are first needed, which may be late
        for message in re.findall(r"errors\.([A-Z_]+)\b", statement):
            assert message in errors.messages(), (name, line)


def test_every_operation_of_the_promotion_table_is_declared() -> None:
    listed = [name for lines in refusals.blocks("promotion.txt").values() for _, line in lines
              for name in line.split()]  # fmt: skip
    assert len(listed) == len(set(listed)) and set(listed) <= set(REGISTRY)


def test_a_traceback_shows_the_line_of_the_table() -> None:
    with pytest.raises(RuntimeError, match="cannot be multiplied") as caught:
        mg.ones(2, 3) @ mg.ones(2, 3)
    entry = caught.traceback[-1]
    assert Path(entry.path).name == "refusals.txt"
    assert errors.table("refusals.txt").splitlines()[entry.lineno].strip().endswith("MATMUL(*self.shape, *mat2.shape)")
