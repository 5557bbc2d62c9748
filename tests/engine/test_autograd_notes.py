"""The notes below error messages: they name lines of files and of notebook cells, and say what to do instead."""

from __future__ import annotations

import runpy
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad.errors import MinigradNote, MoreNote

OVERWRITTEN = """
import minigrad as mg

x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
y = h.sin()  # needs h
h.add_(1)  # overwrites it
y.sum().backward()
"""

FREED = """
import minigrad as mg

x = mg.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
y.backward()  # the first
y.backward()
"""


def run_file(tmp_path: Path, program: str) -> tuple[str, list[str]]:
    """The notes of the error that ends a program in a file, and the file's name."""
    path = tmp_path / "program.py"
    path.write_text(program.lstrip("\n"))
    with pytest.raises(RuntimeError) as caught:
        runpy.run_path(str(path))
    *notes, more = caught.value.__notes__
    assert isinstance(more, MoreNote)
    return str(path), notes


def test_overwritten_value_in_a_file(tmp_path: Path) -> None:
    path, notes = run_file(tmp_path, OVERWRITTEN)
    assert notes == [
        f"The value was needed by SinBackward0, recorded at {path}, line 5: y = h.sin()  # needs h.",
        f"It was overwritten at {path}, line 6: h.add_(1)  # overwrites it.",
        "Write to a copy (clone), or use the out-of-place form of that operation.",
    ]


def test_freed_graph_in_a_file(tmp_path: Path) -> None:
    path, notes = run_file(tmp_path, FREED)
    assert notes == [
        f"The saved tensors of MulBackward0, recorded at {path}, line 4: y = (x * x).sum(), are gone.",
        f"They were freed by the backward pass at {path}, line 5: y.backward()  # the first.",
        "Give that earlier call retain_graph=True, or compute the forward again.",
    ]


def test_freed_saved_tensors_of_a_custom_function(tmp_path: Path) -> None:
    program = """
    import minigrad as mg

    class Square(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return 2 * g * x

    x = mg.tensor(3.0, requires_grad=True)
    y = Square.apply(x)
    mg.autograd.grad(y, x)
    y.backward()
    """
    path, notes = run_file(tmp_path, textwrap.dedent(program))
    assert notes[:2] == [
        f"The saved tensors of SquareBackward, recorded at {path}, line 15: y = Square.apply(x), are gone.",
        f"They were freed by the backward pass at {path}, line 16: mg.autograd.grad(y, x).",
    ]


def test_the_last_of_several_writes_is_not_blamed(tmp_path: Path) -> None:
    """What made the value stale is the first write after it was saved."""
    program = OVERWRITTEN.replace("h = x * 1\n", "h = x * 1\nh.mul_(2)\n").replace("y.sum()", "h.mul_(5)\ny.sum()")
    _, notes = run_file(tmp_path, program)
    assert notes[1].endswith("line 7: h.add_(1)  # overwrites it.")


@pytest.mark.parametrize(
    ("program", "lines"), [(OVERWRITTEN, ["y = h.sin()", "h.add_(1)"]), (FREED, ["(x * x)", "# the first"])]
)
def test_notebook_cells(tmp_path: Path, program: str, lines: list[str]) -> None:
    """In a kernel every statement is a cell of its own; the notes quote the cells, not files of the machine."""
    pytest.importorskip("IPython")
    cells = [line for line in program.strip().splitlines() if line]
    script = tmp_path / "shell.py"
    script.write_text(
        "import sys\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        f"for cell in {cells!r}:\n"
        "    result = shell.run_cell(cell, store_history=True, silent=True)\n"
        "print('NOTES', *result.error_in_exec.__notes__, sep='\\n')\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=Path(__file__).parents[2],
                         env={"PYTHONPATH": ".", "HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path)})  # fmt: skip
    notes = ran.stdout.partition("NOTES\n")[2].splitlines()
    assert len(notes) == 4, ran.stdout + ran.stderr
    for note, line in zip(notes, lines, strict=False):
        assert "notebook cell, line 1: " in note and line in note


def test_the_names_that_a_kernel_gives_to_cells() -> None:
    """ipykernel compiles a cell under a name in a temporary folder, and puts its lines into linecache."""
    import linecache

    name = "/tmp/ipykernel_4711/1234567890.py"
    source = "y = x.exp()\ny.add_(1)\ny.backward()\n"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    with pytest.raises(RuntimeError) as caught:
        exec(compile(source, name, "exec"), {"x": mg.tensor(1.0, requires_grad=True)})
    assert caught.value.__notes__[:2] == [
        "The value was needed by ExpBackward0, recorded at notebook cell, line 1: y = x.exp().",
        "It was overwritten at notebook cell, line 2: y.add_(1).",
    ]


LEAF = "x = mg.tensor([1.0, 2.0], requires_grad=True)\n"
CELLS = {
    "leaf": (LEAF + "x.add_(1)\n", ["Update a leaf inside `with minigrad.no_grad():`"]),
    "view": (LEAF + "a, b = (x * 2).unbind()\na.add_(1)\n", ["The view was made at notebook cell, line 2: a, b = (x * 2).unbind()."]),
    "unused": (LEAF + "mg.autograd.grad((x * 2).sum(), mg.ones(2, requires_grad=True))\n", ["Was it replaced by a new tensor"]),
    "scalar": (LEAF + "(x * 2).backward()\n", ["This tensor has shape [2]."]),
    "freed": (LEAF + "y = x * x\ny.sum().backward()\ny.sum().backward()\n", [
        "recorded at notebook cell, line 2: y = x * x, are gone.", "freed by the backward pass at notebook cell, line 3:"]),
    "detached": (LEAF + "h = x * 2\ny = h * h\nh.detach_()\ny.sum().backward()\n", ["Give the result of detach() a name of its own."]),
}  # fmt: skip


@pytest.mark.parametrize("what", CELLS)
def test_notes_of_a_cell(what: str) -> None:
    """Each says what to do, and names lines of the cell where lines are the cause; none names a file of the machine."""
    import linecache

    source, wanted = CELLS[what]
    name = f"/tmp/ipykernel_4711/{what}.py"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    with pytest.raises(RuntimeError) as caught:
        exec(compile(source, name, "exec"), {"mg": mg})
    notes = "\n".join(caught.value.__notes__)
    assert all(text in notes for text in wanted), notes
    assert "/tmp" not in notes


# -- what to do instead ----------------------------------------------------------------------------------------------------


def leaf() -> Any:
    return mg.tensor([1.0, 2.0, 3.0], requires_grad=True)


def write_to_no_grad_view() -> None:
    h = leaf() * 1
    with mg.no_grad():
        view = h[:2]
    view.zero_()


def write_to_one_of_many() -> None:
    first, _, _ = (leaf() * 1).unbind()
    first.zero_()


ADVICE = {
    "leaf": (lambda: leaf().add_(1), "Update a leaf inside `with minigrad.no_grad():`"),
    "view of a leaf": (lambda: leaf()[0].add_(1), "Update a leaf inside `with minigrad.no_grad():`"),
    "view made under no_grad": (write_to_no_grad_view, "Write to a clone() of it"),
    "one of many views": (write_to_one_of_many, "The view was made at "),
    "unused input": (lambda: mg.autograd.grad(leaf().sum(), leaf()), "No path leads from the outputs to this input."),
    "input without grad": (lambda: mg.autograd.grad(leaf().sum(), mg.ones(3)), "Call requires_grad_() on it before"),
    "scalar only": (lambda: (leaf() * 2).backward(), "This tensor has shape [3]. Give backward a gradient of that shape"),
    "gradient of another shape": (lambda: leaf().backward(mg.ones(2)), "It is not broadcast."),
    "no graph": (lambda: mg.ones(3).sum().backward(), "No input of this tensor requires grad"),
}


@pytest.mark.parametrize("what", ADVICE)
def test_errors_say_what_to_do(what: str) -> None:
    call, advice = ADVICE[what]
    with pytest.raises(RuntimeError) as caught:
        call()
    assert advice in "\n".join(caught.value.__notes__)
    assert all(isinstance(note, MinigradNote) for note in caught.value.__notes__)
    assert advice not in str(caught.value), "the message stays PyTorch's"


# -- why_no_grad -----------------------------------------------------------------------------------------------------------


class Forgets(mg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> None:
        return None


def test_why_no_grad_when_there_is_one() -> None:
    x = leaf()
    x.sum().backward()
    assert mg.why_no_grad(x) == "It has a gradient: .grad is not None."


def test_why_no_grad_without_requires_grad() -> None:
    assert mg.why_no_grad(mg.ones(2)).startswith("It does not require grad. Make it with requires_grad=True")
    assert mg.why_no_grad(mg.tensor([1, 2])).startswith("Its dtype is minigrad.int64, and only floating point")
    assert mg.why_no_grad((leaf() * 2).detach()).startswith("It does not require grad.")
    with mg.inference_mode():
        x = mg.ones(2)
    assert mg.why_no_grad(x).startswith("It was made in inference mode")


def test_why_no_grad_of_a_non_leaf() -> None:
    x = leaf()
    h = x * 2
    y = h.sum()
    y.backward(retain_graph=True)
    text = mg.why_no_grad(h)
    assert text.startswith(f"It is not a leaf: MulBackward0 made it, at {__file__}, line ")
    assert "h = x * 2. Only leaves keep their gradient. Call retain_grad() on it before backward" in text
    h.retain_grad()
    assert mg.why_no_grad(h).endswith("It would keep its gradient, but no backward pass has come through it.")
    assert "A path leads from the root to it" in mg.why_no_grad(h, y)
    y.backward()
    assert mg.why_no_grad(h) == "It has a gradient: .grad is not None."
    moved = leaf() * 1.0
    assert "MulBackward0 made it" in mg.why_no_grad(moved), "a leaf that was replaced by a result"


def test_why_no_grad_without_the_root_lists_the_causes() -> None:
    text = mg.why_no_grad(leaf())
    for cause in ("not called yet", "does not depend on this one", "set to None", "other inputs", "autograd.grad", "root="):
        assert cause in text


def test_why_no_grad_with_a_root_that_has_no_graph() -> None:
    x = leaf()
    with mg.no_grad():
        root = x.sum()
    assert mg.why_no_grad(x, root).startswith("The root has no graph: none of its inputs requires grad")


def test_why_no_grad_without_a_path() -> None:
    x, w = leaf(), leaf()
    for root in ((x.detach() * w).sum(), w.sum()):
        assert mg.why_no_grad(x, root).startswith("No path leads from the root to it.")
    late = mg.ones(3)
    root = (late * w).sum()
    assert "before requires_grad was set" in mg.why_no_grad(late.requires_grad_(), root)


def test_why_no_grad_before_backward() -> None:
    x = leaf()
    text = mg.why_no_grad(x, (x * x).sum())
    assert text.endswith("no backward pass from this root has accumulated here since .grad was last set to None. Call "
                         "root.backward().")  # fmt: skip


def test_why_no_grad_after_a_pass_that_went_elsewhere() -> None:
    x, w = leaf(), leaf()
    root = (x * w).sum()
    root.backward(inputs=[w])
    assert "a backward pass has gone along it already" in mg.why_no_grad(x, root)
    root = (x * x).sum()
    mg.autograd.grad(root, x)
    assert "that pass was autograd.grad or had inputs=" in mg.why_no_grad(x, root)
    root = (x * x).sum()
    root.backward()
    x.grad = None
    assert "Since then .grad was set to None" in mg.why_no_grad(x, root)


def test_why_no_grad_when_a_custom_function_forgets() -> None:
    x = leaf()
    root = Forgets.apply(x).sum()
    root.backward()
    assert x.grad is None
    assert mg.why_no_grad(x, root).endswith("or the backward of ForgetsBackward returned None for it.")


def test_why_no_grad_when_a_custom_function_forgets_and_the_graph_is_kept() -> None:
    x = leaf()
    root = Forgets.apply(x).sum()
    root.backward(retain_graph=True)
    assert mg.why_no_grad(x, root).endswith("Call root.backward(). If you did, ForgetsBackward returned None for it.")


def test_why_no_grad_of_a_result_that_the_root_does_not_use() -> None:
    x = leaf()
    h = x * 2
    h.retain_grad()
    assert mg.why_no_grad(h, (x * 3).sum()).partition("keep its gradient. ")[2].startswith("No path leads from the root to it.")
    with mg.no_grad():
        root = (h * 3).sum()
    assert mg.why_no_grad(h, root).partition("keep its gradient. ")[2].startswith("The root has no graph")


def test_why_no_grad_names_the_cell() -> None:
    import linecache

    source, name = "x = mg.ones(2, requires_grad=True)\nh = x * 2\n", "/tmp/ipykernel_4711/why.py"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space: dict[str, Any] = {"mg": mg}
    exec(compile(source, name, "exec"), space)
    assert "MulBackward0 made it, at notebook cell, line 2: h = x * 2." in mg.why_no_grad(space["h"])


def test_why_no_grad_refuses_what_is_no_tensor() -> None:
    with pytest.raises(TypeError, match="not about list"):
        mg.why_no_grad([1.0])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not about float"):
        mg.why_no_grad(leaf(), 3.0)  # type: ignore[arg-type]
