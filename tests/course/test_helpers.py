"""Lessons import what they show from minigrad.course.helpers, and no answer is in there."""

from __future__ import annotations

import ast
import importlib
import json
import re
from pathlib import Path

import pytest
import spellings

from minigrad.course import bank, helpers
from minigrad.course.helpers import ch17
from minigrad.course.helpers.values import Value, topo

ROOT = Path(__file__).parents[2]
MODULES = sorted(Path(helpers.__path__[0]).glob("*.py"))


@pytest.mark.parametrize("path", sorted((ROOT / "chapters").glob("*.py")), ids=lambda path: path.stem)
def test_no_page_and_no_notebook_of_it_imports_the_bank(path: Path) -> None:
    sources = {path: path.read_text(encoding="utf-8")}
    for folder in ("notebooks", f"exercises/{path.stem}"):
        product = ROOT / folder / f"{path.stem}.ipynb"
        if product.exists():
            sources[product] = "\n".join("".join(c["source"]) for c in json.loads(product.read_text(encoding="utf-8"))["cells"])
    assert [str(place) for place, text in sources.items() if re.search(r"course\.bank|course import .*\bbank\b", text)] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_helpers_do_not_ask_the_bank(path: Path) -> None:
    names = [n.module or "" for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.ImportFrom)]
    assert not [name for name in names if "bank" in name]


def test_no_helper_is_an_answer() -> None:
    """No function or class of the helpers is the reference of an exercise, or another right answer."""
    every = [e for c in bank.chapters() for e in bank.exercises(c).values()]
    right = [f for e in every for f in (e.reference, *spellings.alternatives(e).values())]
    assert [f.__qualname__ for f in right if (f.__module__ or "").startswith(helpers.__name__)] == []


@pytest.mark.parametrize(
    "old",
    ["ch01.nodes_of", "ch02.Value", "ch02.engine_A", "ch02.firings", "ch05.sine_and_kinks", "ch06.shares", "ch07.suitcase",
     "ch10.fillings", "ch12.memory_cells", "ch13.nodes_of", "ch14.fit_picture"],
)  # fmt: skip
def test_the_old_names_still_lead_there(old: str) -> None:
    module, name = old.split(".")
    found = getattr(importlib.import_module(f"minigrad.course.bank.{module}"), name)
    assert found.__module__.startswith(helpers.__name__)


def test_the_order_for_the_broken_engines_is_legal() -> None:
    a, b = Value(2.0), Value(3.0)
    s = a - b
    for root in (s.exp() - s, (s * a).exp() + s * s, a + a):
        order = topo(root)
        assert order[0] is root and len(set(order)) == len(order)
        assert all(order.index(value) < order.index(i) for value in order for i in value.inputs)


def test_the_files_of_the_engine_are_drawn_with_who_calls_whom() -> None:
    calls = "0 core/a.py, 1 core/b.py, 2 ops/x.py, 1 ops/y.py, 2 core/a.py, 0 core/b.py, 1 core/other.py, 2 core/b.py"
    seen = [(int(call[0]), call[2:], "f") for call in calls.split(", ")]
    drawn = ch17.files(seen, {"program": "", "a.py": "first", "b.py": "", "rule.py, ops/": ""})
    told = ("program calls a.py", "a.py calls b.py", "b.py calls rule.py, ops/", "a.py calls rule.py, ops/", "program calls b.py")
    assert drawn.text == f"Who calls whom: {'; '.join(told)}." and ">first<" in drawn.svg
