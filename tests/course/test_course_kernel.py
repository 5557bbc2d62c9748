"""The checker in a real kernel: what a learner sees below a cell."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]

CELLS = {
    "setup": "import minigrad as mg\nfrom minigrad.course import check, expect_error, hint, progress, report, solution",
    "untouched": 'def spell_out(y, v):\n    """..."""\n    ...\ncheck("04.1", spell_out)',
    "raises": "def helper(y):\n    return y.nonsense\n\ndef broken(y, v):\n    print('here I am')\n    return helper(y)\n"
    'check("04.1", broken)',
    "known": 'result = check("04.1", lambda y, v: y.sum())\nresult',
    "right": 'def spell_out(y, v):\n    return (v * y).sum()\ncheck("04.1", spell_out);',
    "printed": 'print(check("04.1", spell_out))',
    "report": "report('04.1')",
    "hint": "hint('04.1')",
    "endless": "def endless(y, v):\n    while True:\n        pass\n"
    "from minigrad.course.notebook.check import find\nfind('04.1').time_limit = 0.5\ncheck('04.1', endless)",
    "expected": "y = mg.ones(3, requires_grad=True) * 2\nwith expect_error(RuntimeError, match='scalar'):\n    y.backward()",
    "in place": "a = mg.ones(3, requires_grad=True)\nb = a.exp()\nb.mul_(2)\n"
    "with expect_error(RuntimeError):\n    b.sum().backward()",
    "in a thread": "import threading\nbox = []\n"
    "t = threading.Thread(target=lambda: box.append(check('04.1', spell_out).passed))\nt.start(); t.join(); box",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    folder = tmp_path_factory.mktemp("kernel")
    env = os.environ | {"MINIGRAD_WORK": str(folder / "work"), "PYTHONPATH": str(ROOT)}
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()])
    nb.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    client = NotebookClient(nb, timeout=60, resources={"metadata": {"path": str(folder)}})
    client.create_kernel_manager().kernel_spec.argv[0] = sys.executable
    client.execute(env=env)
    return {name: cell.outputs for name, cell in zip(CELLS, nb.cells, strict=True)}


def html_of(outputs: list[Any]) -> str:
    """The one output, which is HTML and text."""
    (output,) = outputs
    assert output.output_type == "display_data"
    assert set(output.data) == {"text/html", "text/plain"}
    return output.data["text/html"]


def test_a_check_shows_its_verdict_and_explains_what_is_right(outputs: dict[str, list[Any]]) -> None:
    assert "○ 04.1 Two spellings: not attempted" in html_of(outputs["untouched"])
    assert "Where did <code>v</code> go?" in html_of(outputs["known"])
    verdict, explained = outputs["right"]
    assert "✓ 04.1 Two spellings: passed" in html_of([verdict])
    assert explained.data["text/markdown"].startswith("<details><summary>Why this is right")
    *_, printed = outputs["printed"]
    assert printed.text == "<04.1: passed>\n"


def test_the_traceback_names_lines_of_the_cell_and_no_files(outputs: dict[str, list[Any]]) -> None:
    page = html_of(outputs["raises"])
    assert "line 6, in broken:  return helper(y)\nline 2, in helper:  return y.nonsense\nAttributeError: " in page
    assert "<p>Your code printed:</p><pre>here I am" in page
    assert "ipykernel" not in page and ".py" not in page


def test_the_report_finds_the_source_of_a_cell(outputs: dict[str, list[Any]]) -> None:
    (output,) = outputs["report"]
    assert "def spell_out(y, v):\n    return (v * y).sum()" in output.text


def test_hints_are_markdown(outputs: dict[str, list[Any]]) -> None:
    (output,) = outputs["hint"]
    assert output.data["text/markdown"].startswith("**Hint 1 of 3")


def test_an_endless_answer_is_stopped_in_the_kernel(outputs: dict[str, list[Any]]) -> None:
    assert "took longer than 0.5 seconds" in html_of(outputs["endless"])


def test_expected_errors_name_cells_and_no_files(outputs: dict[str, list[Any]]) -> None:
    (output,) = outputs["expected"]
    assert output.text.startswith("RuntimeError: grad can be implicitly created only for scalar outputs")
    (*_, output) = outputs["in place"]
    assert re.search(r"cell, line 3: b\.mul_\(2\)", output.text)
    assert "ipykernel" not in output.text and "/" not in output.text


def test_a_check_may_run_in_a_thread(outputs: dict[str, list[Any]]) -> None:
    assert outputs["in a thread"][-1].data["text/plain"] == "[True]"
