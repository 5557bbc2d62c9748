"""The builder, on a tree of its own: a copy of the package, one small chapter and its bank."""

import base64
import copy
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from tools import build

ROOT = Path(__file__).parents[2]
NAME = "99-fixture"
LESSON = f"notebooks/{NAME}.ipynb"
TEMPLATE = f"exercises/{NAME}/{NAME}.ipynb"
SOLUTION = f"solutions/{NAME}/{NAME}.ipynb"

CHAPTER = """\
# %% [markdown]
# # 99 · A fixture

# %%
import warnings

where = object()
print(where)
warnings.warn("look")
where

# %%
"not shown";

# %%
"not shown";

# %% [markdown] tags=["exercise-table"]

# %% [markdown] exercise="99.1"
# Write `double`.

# %% tags=["given"]
double_of_two = 4

# %% [markdown] exercise="99.2"
# What will it print?
"""

BANK = {
    "__init__.py": '"""Trial."""\n',
    "ex01/task.py": '''\
from minigrad.course.exercise import Case, Part


def numbers(rng, dtype):
    return [Case("a number", (float(rng.uniform(3, 4)),))]


TASK = Part(id="99.1", title="Twice", difficulty=2, minutes=3, cases=numbers)
''',
    "ex01/answer.py": '''\
from minigrad.course.exercise import Part


def double(x):
    """Twice x."""
    y = x + x
    return y


ANSWER = Part(reference=double, hints=("concept", "picture", "skeleton"), explanation="Adding to itself is doubling.")
''',
    "ex01/mistakes.py": '''\
from minigrad.course.exercise import Mistake


def square(x):
    return x * x


MISTAKES = {"square": Mistake(square, hint="That is the square.")}
''',
    "ex02/task.py": '''\
from minigrad.course.exercise import Part

TASK = Part(
    id="99.2", title="Predict", difficulty=1, minutes=1, name="prediction",
    draws=lambda rng: int(rng.integers(2, 9)), program=lambda draw: f"x = {draw}\\ny = x + x\\n",
)
''',
    "ex02/answer.py": '''\
from minigrad.course.exercise import Part


def told(draw):
    return {"x": draw, "y": 2 * draw}


ANSWER = Part(reference=told, hints=("concept", "picture", "skeleton"), explanation="Read it line by line.")
''',
    "ex02/mistakes.py": "MISTAKES = {}\n",
}


def run(tree, *args):
    command = [sys.executable, str(ROOT / "tools" / "build.py"), "--root", str(tree), *args]
    return subprocess.run(command, capture_output=True, text=True)


def products(tree):
    return {rel: (tree / rel).read_bytes() for rel in (LESSON, TEMPLATE, SOLUTION)}


def make_tree(folder):
    ignore = shutil.ignore_patterns("ch[0-9][0-9]", "__pycache__")
    shutil.copytree(ROOT / "minigrad", folder / "minigrad", ignore=ignore)
    for name, text in BANK.items():
        path = folder / "minigrad" / "course" / "bank" / "ch99" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "chapters").mkdir()
    (folder / "chapters" / f"{NAME}.py").write_text(CHAPTER)
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A tree, built once. Tests that change something work on a copy."""
    tree = make_tree(tmp_path_factory.mktemp("tree"))
    done = run(tree)
    assert done.returncode == 0, done.stderr
    return tree


@pytest.fixture
def tree(built, tmp_path):
    return Path(shutil.copytree(built, tmp_path / "tree"))


@pytest.fixture
def notebooks(built):
    return {rel: nbformat.reads(text.decode(), as_version=4) for rel, text in products(built).items()}


def cell(nb, id):
    return next(c for c in nb.cells if c.id == id)


def outputs(nb):
    return "".join(json.dumps(c.outputs) for c in nb.cells if c.cell_type == "code")


# --- What is in the products ---


@pytest.mark.weekly
def test_lesson_ends_where_the_exercises_begin(notebooks):
    assert not [c for c in notebooks[LESSON].cells if "double" in c.source]
    table = next(c.source for c in notebooks[LESSON].cells if "exercise-table" in c.metadata.get("tags", []))
    assert "4 minutes" in table and "| 99.1 Twice | ●●○○○ | 3 min |" in table and 'start("99")' in table


@pytest.mark.full
def test_exercise_cells(notebooks):
    template = notebooks[TEMPLATE]
    assert [c.id for c in template.cells] == [
        "title", "set-up",
        "99-1-statement", "99-1-given-1", "99-1-answer", "99-1-check",
        "99-2-statement", "99-2-answer", "99-2-check", "progress",
    ]  # fmt: skip
    assert cell(template, "99-1-statement").source.splitlines()[0] == "## 99.1 Twice"
    assert "difficulty ●●○○○ · 3 minutes · 2 points" in cell(template, "99-1-statement").source
    assert "1 minute · 1 point" in cell(template, "99-2-statement").source
    assert re.search(r"```python\nx = (\d)\ny = x \+ x\n```", cell(template, "99-2-statement").source)
    assert cell(template, "99-1-answer").source == 'def double(x):\n    """Twice x."""\n    ...'
    assert cell(template, "99-2-answer").source == 'prediction = {\n    "x": ...,\n    "y": ...,\n}'
    assert cell(template, "99-1-check").source == 'check("99.1", double)'
    locked = cell(template, "99-1-check").metadata
    assert (locked.editable, locked.deletable, locked.nbgrader.points) == (False, False, 2)


@pytest.mark.full
def test_solutions_are_the_template_and_the_answers(notebooks):
    solution = notebooks[SOLUTION]
    body = "    ### BEGIN SOLUTION\n    y = x + x\n    return y\n    ### END SOLUTION"
    assert cell(solution, "99-1-answer").source == f'def double(x):\n    """Twice x."""\n{body}'
    starter, region = cell(solution, "99-2-answer").source.split("\n### BEGIN SOLUTION\n")
    assert starter == cell(notebooks[TEMPLATE], "99-2-answer").source
    assert re.fullmatch(r'prediction = {\n    "x": \d,\n    "y": \d+,\n}\n### END SOLUTION', region)
    assert 'assert check("99.1", double, seed=1, quiet=True).passed' in cell(solution, "99-1-check").source
    told = [c.source for c in solution.cells if "explanation" in c.metadata.get("tags", [])]
    assert told[1:] == ["Adding to itself is doubling.", "Read it line by line."]


TWO_BLANKS = 'class A:\n    def f(self):\n        """F."""\n        ...\n\n    def g(self):\n        ...'


def release(source):
    """What nbgrader makes of an answer cell."""
    region = re.compile(r"^( *)### BEGIN SOLUTION\n.*?### END SOLUTION", re.DOTALL | re.MULTILINE)
    return region.sub(r"\1...", source).removesuffix("\n...")


@pytest.mark.parametrize(
    ("starter", "reference", "regions", "whole"),
    [
        (TWO_BLANKS, TWO_BLANKS.replace("...", "x = 1\n\n        return x"), 2, False),
        (TWO_BLANKS, TWO_BLANKS.replace("...", "return 1").replace("g(self)", "g(self, y)"), 1, True),
        ("d = {\n    'a': ...,\n}", "d = {\n    'a': 1,\n}", 1, True),
        ("def f(x):\n    ...\n    return x", "def f(x):\n    x += 1\n    return x", 1, False),
    ],
)
def test_release_of_a_solved_cell_is_the_starter(starter, reference, regions, whole):
    solved = build.solved_source(starter, reference)
    assert release(solved) == starter
    assert solved.count("### BEGIN SOLUTION") == regions
    assert (starter in solved) == whole
    if not whole:
        assert re.sub(r" *### (BEGIN|END) SOLUTION\n?", "", solved).rstrip("\n") == reference


@pytest.mark.full
def test_untouched_template_passes_nothing(notebooks):
    assert "not attempted" in outputs(notebooks[TEMPLATE]).lower()
    assert "passed" not in outputs(notebooks[TEMPLATE]).lower()


@pytest.mark.full
def test_every_cell_ran_in_order(notebooks):
    assert all(build.executed(nb) for nb in notebooks.values())


@pytest.mark.full
def test_products_hold_nothing_of_this_machine(notebooks, built):
    assert "<object object at 0x...>" in outputs(notebooks[LESSON])
    assert "<cell>:5: UserWarning: look" in outputs(notebooks[LESSON])
    for nb in notebooks.values():
        text = nbformat.writes(nb)
        assert not re.search(r"0x[0-9a-f]{6}|ipykernel_\d|\d:\d\d:\d\d", text)
        assert str(built) not in text and "/tmp" not in text
        assert nb.metadata.kernelspec.display_name == "Python 3 (ipykernel)"
        assert nb.metadata.language_info == {"name": "python"}


@pytest.mark.full
def test_metadata_is_minimal_and_ids_are_unique(notebooks):
    for nb in notebooks.values():
        ids = [c.id for c in nb.cells]
        assert len(ids) == len(set(ids))
        for c in nb.cells:
            assert set(c.metadata) <= {"tags", "nbgrader", "editable", "deletable"}
            assert "execution" not in c.metadata


# --- Bytes ---


@pytest.mark.weekly
def test_same_bytes_in_another_folder_with_blanks_and_letters(built, tmp_path):
    other = tmp_path / "ein Kürs"
    other.mkdir()
    make_tree(other)
    assert run(other).returncode == 0
    assert products(other) == products(built)


def test_scrubbing_leaves_base64_alone():
    picture = "data:image/svg+xml;base64,AAAA/0xabcdef12/0xabcdef12+0xabcdef=="
    output = nbformat.v4.new_output("display_data", {"text/html": f"at 0xdeadbeef00 {picture}"})
    build.scrub(output)
    assert output.data["text/html"] == f"at 0x... {picture}"


@pytest.mark.parametrize("path", ["/tmp/ipykernel_7/1234.py", "C:\\Users\\A B\\Temp\\ipykernel_7\\1234.py"])
def test_scrubbing_of_cell_files(path):
    output = nbformat.v4.new_output("stream", name="stderr", text=f"{path}:3: UserWarning: look")
    build.scrub(output)
    assert output.text == "<cell>:3: UserWarning: look"


# --- What is built, and what is kept ---


@pytest.mark.parametrize("file", ["core/walk.py", "viz/stepper.js", "viz/stepper.css", "messages.toml"])
def test_what_a_product_is_made_of_is_in_its_fingerprint(tmp_path, file):
    package, source = tmp_path / "minigrad" / file, tmp_path / "page.py"
    package.parent.mkdir(parents=True)
    for path in (package, source):
        path.write_text("before")
    before = build.fingerprint(tmp_path, source)
    package.write_text("after")
    assert build.fingerprint(tmp_path, source) != before


@pytest.mark.weekly
def test_second_build_runs_nothing(tree):
    before = products(tree)
    assert "0 run, 1 up to date" in run(tree).stdout
    assert products(tree) == before


@pytest.mark.weekly
def test_edited_template_is_kept_and_renewed(tree):
    original = (tree / TEMPLATE).read_bytes()
    mine = original.replace(b"    ...", b"    return x * x")
    (tree / TEMPLATE).write_bytes(mine)
    done = run(tree)
    assert (tree / TEMPLATE).read_bytes() == original
    (kept,) = (tree / "work" / "edited" / "exercises").glob("*.ipynb")
    assert kept.read_bytes() == mine
    assert kept.relative_to(tree).as_posix() in done.stdout


@pytest.mark.weekly
def test_changed_source_is_built_and_old_product_is_not_called_edited(tree):
    chapter = tree / "chapters" / f"{NAME}.py"
    chapter.write_text(chapter.read_text().replace("Write `double`.", "Write `double` now."))
    done = run(tree)
    assert "1 run" in done.stdout
    assert b"Write `double` now." in (tree / TEMPLATE).read_bytes()
    assert not (tree / "work").exists()


@pytest.mark.weekly
def test_check_names_each_fault_and_writes_nothing(tree):
    assert run(tree, "--check").returncode == 0
    lesson = nbformat.read(tree / LESSON, as_version=4)
    lesson.cells[1].outputs, lesson.cells[1].execution_count = [], None
    nbformat.write(lesson, tree / LESSON)
    template = (tree / TEMPLATE).read_bytes().replace(b"A fixture", b"My fixture")
    (tree / TEMPLATE).write_bytes(template)
    (tree / SOLUTION).unlink()
    (tree / "notebooks" / "98-gone.ipynb").write_text("{}")
    done = run(tree, "--check")
    assert done.returncode == 1
    assert f"{LESSON} was not executed" in done.stdout
    assert f"{TEMPLATE} was edited by hand" in done.stdout
    assert f"{SOLUTION} is missing" in done.stdout
    assert "notebooks/98-gone.ipynb has no source" in done.stdout
    assert (tree / TEMPLATE).read_bytes() == template and not (tree / SOLUTION).exists()


@pytest.mark.full
def test_stale_product(built, notebooks):
    old = (built / LESSON).read_text()
    source = notebooks[LESSON]
    for cell in source.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    assert build.complaint(old, copy.deepcopy(source)) is None
    source.cells[0].source += "!"
    assert build.complaint(old, copy.deepcopy(source)) == "is stale"
    assert build.complaint("<<<<<<< HEAD", source) == "is not a notebook"


# --- Sources that cannot be built ---


@pytest.mark.weekly
def test_cell_that_raises_is_named(tree):
    before = products(tree)
    chapter = tree / "chapters" / f"{NAME}.py"
    chapter.write_text(chapter.read_text().replace('"not shown";', "1 / 0", 1))
    done = run(tree)
    assert done.returncode == 1 and LESSON in done.stderr and "ZeroDivisionError" in done.stderr
    assert products(tree) == before


@pytest.mark.sampled(1, weekly=3)
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('exercise="99.2"', 'exercise="99.3"', "the bank has ['99.1', '99.2']"),
        ('tags=["given"]', "", "neither"),
        ("# # 99 · A fixture", "# no title", "begin with '# title'"),
    ],
)
@pytest.mark.full
def test_source_with_a_fault(tree, old, new, said):
    chapter = tree / "chapters" / f"{NAME}.py"
    chapter.write_text(chapter.read_text().replace(old, new))
    done = run(tree)
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr


# --- nbgrader and nbval, the programs themselves ---


@pytest.mark.weekly
@pytest.mark.nbgrader
def test_nbgraders_release_is_the_template(tree):
    shutil.copy(ROOT / "nbgrader_config.py", tree)
    released = tree / "released"
    command = [sys.executable, "-m", "nbgrader", "generate_assignment", NAME, "--no-db",
               f"--CourseDirectory.release_directory={released}"]  # fmt: skip
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

    def cells(path):
        return [(c.id, c.cell_type, c.source, c.metadata) for c in nbformat.read(path, as_version=4).cells]

    assert cells(released / NAME / f"{NAME}.ipynb") == cells(tree / TEMPLATE)


PAGE = """\
# %% [markdown]
# # A page

# %%
from minigrad import viz

viz.losses({"down": [4.0, 2.0, 1.0]})

# %% tags=["raises-exception"]
1 / 0

# %%
print("a")

# %%
print("b")
"""


@pytest.mark.full
def test_nbval_accepts_a_page_and_sees_what_changed_in_each_output(tree):
    """Also what nbval itself does not compare: drawings, tracebacks, and on which stream something was printed."""
    for file in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / file, tree)
    shutil.copytree(ROOT / "tools", tree / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "docs").mkdir()
    (tree / "docs" / "page.py").write_text(PAGE)
    assert run(tree, "page").returncode == 0
    nb = nbformat.read(tree / "docs" / "page.ipynb", as_version=4)
    drawn, raised, streamed, _ = (c.outputs[0] for c in nb.cells if c.cell_type == "code")
    html = drawn.data["text/html"]
    (drawing,) = build.drawings(html)
    moved = re.sub(r'\bd="M([\d.]+)', lambda m: f'd="M{float(m[1]) + 30:.1f}', drawing)
    drawn.data["text/html"] = html.replace(base64.b64encode(drawing.encode()).decode(), base64.b64encode(moved.encode()).decode())
    assert drawn.data["text/html"] != html
    raised.traceback[-1] += "?"
    streamed.name = "stderr"
    nbformat.write(nb, tree / "docs" / "page.ipynb")
    options = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=60", "--nbval-sanitize-with=tools/scrub.cfg"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, "docs/page.ipynb"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    assert re.findall(r"^FAILED (\S+ \d)", done.stdout, re.MULTILINE) == [f"docs/page.ipynb::Cell {k}" for k in range(3)]
    assert "3 failed, 1 passed" in done.stdout, done.stdout[-2000:]


# --- Pages of the documentation ---


@pytest.mark.weekly
def test_a_page_is_built_beside_its_source_and_checked(tree):
    (tree / "docs").mkdir()
    page = tree / "docs" / "page.py"
    page.write_text("# %% [markdown]\n# # A page\n\n# %%\n6 * 7\n")
    (tree / "docs" / "lost.ipynb").write_text("{}")
    assert run(tree, "page").returncode == 0
    nb = nbformat.read(tree / "docs" / "page.ipynb", as_version=4)
    assert [c.cell_type for c in nb.cells] == ["markdown", "code"] and "42" in outputs(nb)
    done = run(tree, "--check")
    assert done.returncode == 1 and "docs/lost.ipynb has no source" in done.stdout and "docs/page.ipynb" not in done.stdout
    page.write_text(page.read_text() + "# %%\n7 * 7\n")
    assert "docs/page.ipynb is stale" in run(tree, "--check").stdout


@pytest.mark.weekly
def test_the_code_of_a_folded_cell_is_hidden_and_its_output_is_not(tree):
    (tree / "docs").mkdir()
    page = tree / "docs" / "page.py"
    page.write_text('# %% [markdown]\n# # A page\n\n# %% tags=["folded"]\n6 * 7\n\n# %%\n7 * 7\n')
    assert run(tree, "page").returncode == 0
    _, folded, plain = nbformat.read(tree / "docs" / "page.ipynb", as_version=4).cells
    assert folded.metadata["jupyter"] == {"source_hidden": True} and "42" in folded.outputs[0].data["text/plain"]
    assert "jupyter" not in plain.metadata


# --- What a learner is not to see yet ---


@pytest.mark.parametrize("lesson", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_nothing_of_a_folded_answer_is_shown(lesson):
    """Neither in JupyterLab nor where else the notebook is shown: all of it stands behind a click."""
    for cell in nbformat.read(lesson, as_version=4).cells:
        if cell.get("outputs") and "guess" in cell.metadata.get("tags", []):
            (output,) = cell.outputs
            assert set(output.data) == {"text/html", "text/plain"}, cell.source
            folded = r"<details><summary>[\w ,]+</summary>\n.+\n</details>"
            assert re.fullmatch(folded, output.data["text/html"], re.DOTALL), cell.source


def test_what_is_folded_is_all_of_it():
    printed = v4.new_output("stream", text="a < b\n")
    drawn = v4.new_output("display_data", data={"text/html": "<img>", "text/plain": "words"})
    data = build.folded([printed, drawn]).data
    assert data["text/html"].endswith("</summary>\n<pre>a &lt; b</pre>\n<img>\n</details>") and data["text/plain"] == "a < b\nwords"
