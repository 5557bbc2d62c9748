"""Build the notebooks from the text sources in chapters/.

    python tools/build.py               build what changed
    python tools/build.py 01 pictures   the same, for these chapters and pages only
    python tools/build.py --check       run and write nothing; fail where a product is not what its source gives

One source, chapters/NN-name.py, gives three products, each of them executed:

    notebooks/NN-name.ipynb             the lesson: the cells before the first exercise
    exercises/NN-name/NN-name.ipynb     a learner's template: statement, starter, check
    solutions/NN-name/NN-name.ipynb     the same with the answers: nbgrader's source format

A page of the documentation, docs/name.py, is a chapter without exercises: it gives docs/name.ipynb beside it.
So are the pages for learners, chapters/00 and 90 to 99. In 91 an empty cell tagged `messages` becomes the list of messages.

The pages for teachers, docs/teachers.md and docs/teachers/, take lists from the chapters and the bank: see tools/teachers.py.
docs/scope.md is made of the package: see tools/scope.py.

A product is the same bytes on every run, every Python and every processor. It carries the checksum of its own content, so that
the builder can tell its own work from a file that somebody edited: that one is first copied to work/edited/.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import copy
import functools
import hashlib
import html
import importlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

import jupytext
import nbformat
import numpy as np
from ipykernel import kernelspec
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode, v4
from PIL import Image, ImageDraw, ImageFilter  # comes with matplotlib
from traitlets import default

# As a script this file has its own folder on the path, in the tests the folder above it.
scope, teachers = (importlib.import_module(f"tools.{name}" if __package__ else name) for name in ("scope", "teachers"))
excerpt = importlib.import_module("tools.excerpt" if __package__ else "excerpt").excerpt

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
CELL_TIMEOUT = 120
KERNELS_AT_ONCE = 2
KERNEL_STARTS = 3  # tries
PICTURES = ("image/png", "image/jpeg")
PLOT = re.compile(r'(<img class="plot"[^>]* src="data:image/svg\+xml;base64,)([\w+/=]+)')  # what viz.figure.Plot shows
# Two pictures count as the same when at most these parts of their pixels differ: by more than FAINT, and by more than STRONG
# of the 255 of red, green, blue or opacity. Less than FAINT nobody sees, and all pixels may differ so much: a picture chooses
# its 64 colours anew. Between processors 0.01 % differed by more than 16, and one pixel by 21; with every function of NumPy off
# by a rounding on purpose, one pixel by 110. A figure of a label is some 50 pixels, a line more.
FAINT, PIXELS = 8, 0.01
STRONG, SPECKS = 64, 0.00002
# Two plots count as the same when they have the same words and colours, in the same order, and of their lines at most the part
# STRAY lies farther than SHIFT points from every line of the other. Where a training ends the last digit of a sum has become a
# tenth of a point or more.
SHIFT, STRAY = 1, 0.01

HERE = Path(__file__).resolve().parent
SCRUB = HERE / "scrub.cfg"
LOCK = HERE / "constraints.txt"


HOW_TO = """\
# {title}: exercises

Put your answer where `...` stands, run the cell, then run the check below it.
Stuck? `hint("{first}")`, with the number of the exercise, gives a first hint. Call it again for the next.
You are sure that the *check* is wrong? `report("{first}")` prints a text to put into an issue of the project."""
AFTER_A_GUESS = "The output, after your guess"
ABOUT_SOLUTIONS = """\
**The solutions.** Try each exercise first: a wrong answer of your own teaches more than a right one read."""
SET_UP = """\
import numpy as np

import minigrad as mg
from minigrad.course import check, hint, progress, report, solution"""


class BuildError(Exception):
    """The sources cannot be built; the message says which, and what to change."""


# --- The source -------------------------------------------------------------------------------------------


@dataclass
class Chapter:
    """A parsed source. `exercises` holds (id, statement cell, given cells) in the order of the text."""

    name: str
    title: str
    lesson: list[NotebookNode]
    exercises: list[tuple[str, NotebookNode, list[NotebookNode]]]
    folder: str = "notebooks"  # of the lesson

    @property
    def number(self) -> str:
        return self.name[:2]


def read_chapter(path: Path) -> Chapter:
    """Parse chapters/NN-name.py, or docs/name.py."""
    page = path.parent.name == "docs"
    cells = jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent").cells
    if not page and not re.fullmatch(r"\d\d-[a-z0-9-]+", path.stem):
        raise BuildError(f"{path.name}: a chapter's file is called NN-name.py")
    heading = re.match(r"# (.+)", cells[0].source) if cells and cells[0].cell_type == "markdown" else None
    if heading is None:
        raise BuildError(f"{path.name}: the first cell must be markdown and begin with '# title'")
    chapter = Chapter(path.stem, heading[1].strip(), [], [], "docs" if page else "notebooks")
    for cell in cells:
        if "exercise" in cell.metadata:
            chapter.exercises.append((str(cell.metadata["exercise"]), cell, []))
        elif not chapter.exercises:
            chapter.lesson.append(cell)
        elif "given" in cell.metadata.get("tags", []):
            chapter.exercises[-1][2].append(cell)
        else:
            raise BuildError(
                f"{path.name}: after the first exercise every cell is an exercise or tagged 'given'; "
                f"this one is neither: {cell.source.splitlines()[:1]}"
            )
    return chapter


def load_bank(chapter: Chapter) -> dict[str, Any]:
    """The chapter's exercises by id; the text and the bank must name the same ones in the same order."""
    if not chapter.exercises:
        return {}
    bank = dict(importlib.import_module("minigrad.course.bank").exercises(chapter.number))
    told = [id for id, _, _ in chapter.exercises]
    if told != list(bank):
        raise BuildError(f"{chapter.name}: the text has the exercises {told}, the bank has {list(bank)}")
    return bank


# --- From a source to notebooks that have not run yet -----------------------------------------------------


def markdown(source: str, id: str, **meta: Any) -> NotebookNode:
    # JupyterLab leaves no space below what is folded, and the next question would seem to belong to it.
    return v4.new_markdown_cell(source.replace("</details>\n\n", "</details><br>\n\n"), id=id, metadata=meta)


def code(source: str, id: str, **meta: Any) -> NotebookNode:
    return v4.new_code_cell(source, id=id, metadata=meta)


def content_id(cell: NotebookNode) -> str:
    return hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]


def plain(cell: NotebookNode, id: str) -> NotebookNode:
    """A cell of the source with nothing but its text and its tags.

    The output of a cell tagged `guess` is folded until the reader runs the cell: it answers a question. (See also `folded`.)
    The code of a cell tagged `folded` is folded, its output is shown.
    """
    make = code if cell.cell_type == "code" else markdown
    meta: dict[str, Any] = {"tags": list(cell.metadata.tags)} if cell.metadata.get("tags") else {}
    if "folded" in meta.get("tags", []):
        meta["jupyter"] = {"source_hidden": True}
    return make(cell.source, id, **meta)


def graded(grade_id: str, **meta: Any) -> dict[str, Any]:
    """nbgrader's cell metadata, with the fields that every such cell must have."""
    blank = {"grade": False, "locked": False, "schema_version": 3, "solution": False, "task": False}
    return {"nbgrader": blank | {"grade_id": grade_id} | meta, "deletable": False}


def notebook(cells: list[NotebookNode]) -> NotebookNode:
    """A notebook of these cells; where two have the same content, the later ids are numbered."""
    seen: Counter[str] = Counter()
    for cell in cells:
        seen[cell.id] += 1
        if seen[cell.id] > 1:
            cell.id += f"-{seen[cell.id]}"
    return v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})


def exercise_table(chapter: Chapter, bank: dict[str, Any]) -> str:
    rows = [f"| {e.id} {e.title}{' (extra)' * e.extra} | {dots(e.difficulty)} | {e.minutes} min |" for e in bank.values()]
    total, extra = (sum(e.minutes for e in bank.values() if e.extra == which) for which in (False, True))
    return "\n".join(
        [
            f"## The exercises: {total} minutes" + f", and {extra} for the extras" * bool(extra),
            "",
            "| Exercise | Difficulty | Time |",
            "|:--|:--|--:|",
            *rows,
            "",
            f'To open them, run `from minigrad.course import start; start("{chapter.number}")` in a cell.',
        ]
    )


def dots(difficulty: int) -> str:
    return "●" * difficulty + "○" * (5 - difficulty)


def many(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def lesson_notebook(chapter: Chapter, bank: dict[str, Any]) -> NotebookNode:
    cells = []
    for cell in chapter.lesson:
        tags = cell.metadata.get("tags", [])
        if "messages" in tags:
            texts = importlib.import_module("minigrad.course.notebook.explain").page()
            cells += [markdown(text, f"messages-{n}") for n, text in enumerate(texts)]
            continue
        if "exercise-table" in tags:
            cell.source = exercise_table(chapter, bank)
        if "engine" in cell.metadata:
            cut = {key: cell.metadata[key] for key in ("first", "last", "keep", "cut") if key in cell.metadata}
            shown = excerpt(HERE.parent, cell.metadata["engine"], **cut)
            if fold := cell.metadata.get("fold"):  # the names of what is folded are no use outside of the fold
                text, names, after = cell.source.partition("*Names.*")
                cell.source, shown = text.rstrip(), f"<details><summary>{fold}</summary>\n\n{names}{after}\n\n{shown}\n\n</details>"
            cell.source += f"\n\n{shown}"
        cells.append(plain(cell, content_id(cell)))
    return notebook(cells)


def exercise_notebook(chapter: Chapter, bank: dict[str, Any], solved: bool) -> NotebookNode:
    """The learner's template, or the solutions. They differ in the answer and check cells and in cells tagged
    `explanation`, so that nbgrader's release of the solutions is the template, cell for cell."""
    how_to = HOW_TO.format(title=chapter.title, first=next(iter(bank)))
    cells = [markdown(how_to, "title"), code(SET_UP, "set-up")]
    if solved:
        cells.insert(1, markdown(ABOUT_SOLUTIONS, "about-solutions", tags=["explanation"]))
    for id, statement, given in chapter.exercises:
        cells += exercise_cells(bank[id], statement, given, solved)
    cells.append(code(f'progress("{chapter.number}")', "progress"))
    return notebook(cells)


def exercise_cells(
    exercise: Any, statement: NotebookNode, given: list[NotebookNode], solved: bool
) -> Iterator[NotebookNode]:
    slug = exercise.id.replace(".", "-")
    facts = f"difficulty {dots(exercise.difficulty)} · {many(exercise.minutes, 'minute')} · "
    facts += many(exercise.points, "point") + " · an extra: nothing later needs it" * exercise.extra
    heading = f"## {exercise.id} {exercise.title}\n\n{facts}"
    shown = f"\n\n```python\n{exercise.program(exercise.draw()).strip()}\n```" if exercise.is_value else ""
    if statement.source.count("{requirements}") != bool(exercise.requirements):
        raise BuildError(f"{exercise.id}: the text says {{requirements}} once where the bank has requirements, and only there")
    text = statement.source.replace("{requirements}", "\n".join(f"* {one.text}" for one in exercise.requirements))
    yield markdown(f"{heading}\n\n{text.strip()}{shown}", f"{slug}-statement")
    for n, cell in enumerate(given, 1):
        yield plain(cell, f"{slug}-given-{n}")
    starter = exercise.starter_source()
    reference = importlib.import_module("minigrad.course.notebook.check").solution_source(exercise)
    answer = solved_source(starter, reference) if solved else starter
    yield code(answer, f"{slug}-answer", **graded(f"{slug}-answer", solution=True))
    check = f'check("{exercise.id}", {exercise.name})'
    # What a teacher's grader runs besides: other inputs than those that the learner saw. A prediction is of one program.
    seed = "" if exercise.is_value else "seed=1, "
    again = f"assert {check[:-1]}, {seed}quiet=True).passed"
    hidden = f"\n### BEGIN HIDDEN TESTS\n{again}\n### END HIDDEN TESTS" if solved else ""
    yield code(
        check + hidden,
        f"{slug}-check",
        editable=False,
        **graded(f"{slug}-check", grade=True, locked=True, points=exercise.points),
    )
    if solved:
        yield markdown(exercise.explanation.strip(), f"{slug}-explanation", tags=["explanation"])


def solved_source(starter: str, reference: str) -> str:
    """The answer cell of the solutions: each line `...` of the starter becomes a region with what the reference has there.

    nbgrader puts `...` for a region, which gives the starter back. Where the reference is not the starter with its
    blanks filled in, it follows the whole starter (nbgrader_config.py drops the `...` that this leaves over).
    """
    chunks: list[list[str]] = [[]]  # the lines between the blanks
    indents = []
    for line in starter.split("\n"):
        if line.strip() == "...":
            indents.append(line.removesuffix("..."))
            chunks.append([])
        else:
            chunks[-1].append(line)
    regions = gaps(reference.split("\n"), chunks)
    if not regions:
        return f"{starter}\n### BEGIN SOLUTION\n{reference}\n### END SOLUTION"
    lines = chunks[0]
    for indent, region, chunk in zip(indents, regions, chunks[1:], strict=True):
        lines += [f"{indent}### BEGIN SOLUTION", *region, f"{indent}### END SOLUTION", *chunk]
    return "\n".join(lines)


def gaps(lines: list[str], chunks: list[list[str]]) -> list[list[str]] | None:
    """What stands between the chunks, when the lines begin with the first chunk and hold the others in order."""
    first, *others = chunks
    if lines[: len(first)] != first:
        return None
    found, at = [], len(first)
    for chunk in others:
        end = len(lines) if not chunk else at
        while lines[end : end + len(chunk)] != chunk:
            end += 1
            if end > len(lines):
                return None
        found.append(lines[at:end])
        at = end + len(chunk)
    return found if at == len(lines) else None


def products_of(chapter: Chapter, bank: dict[str, Any]) -> dict[str, NotebookNode]:
    """Path, relative to the repository → notebook without outputs."""
    products = {f"{chapter.folder}/{chapter.name}.ipynb": lesson_notebook(chapter, bank)}
    if chapter.exercises:
        for folder, solved in (("exercises", False), ("solutions", True)):
            path = f"{folder}/{chapter.name}/{chapter.name}.ipynb"
            products[path] = exercise_notebook(chapter, bank, solved)
    return products


# --- Running, and making the result the same everywhere ---------------------------------------------------


class ThisPython(KernelSpecManager):
    """Always the interpreter that runs the builder, whatever kernels the machine has."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(resource_dir=kernelspec.RESOURCES, **kernelspec.get_kernel_dict())


class ThisPythonManager(AsyncKernelManager):
    @default("kernel_spec_manager")
    def _this_python(self) -> ThisPython:
        return ThisPython(parent=self)


@functools.cache
def font_list() -> tempfile.TemporaryDirectory[str]:
    """A folder with Matplotlib's list of fonts, made now. One from earlier may name fonts that are gone, and then Matplotlib complains
    into the output of a cell; and so it does where making the list takes long.
    """
    folder = tempfile.TemporaryDirectory()
    env = os.environ | {"MPLCONFIGDIR": folder.name}
    subprocess.run([sys.executable, "-c", "import matplotlib.font_manager"], env=env, check=True, capture_output=True)
    return folder


def kernel_environment(root: Path, scratch: str) -> dict[str, str]:
    """For a learner without a record or settings of their own, with this tree's package."""
    return {
        "PYTHONPATH": str(root),
        "MINIGRAD_WORK": str(Path(scratch, "work")),
        "IPYTHONDIR": str(Path(scratch, "ipython")),
        "MPLCONFIGDIR": font_list().name,
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "SOURCE_DATE_EPOCH": "0",
        "MINIGRAD_BRIEF": "1",  # a check that passed shows no explanation: in the solutions it stands below
    }


async def execute(root: Path, path: str, nb: NotebookNode) -> str:
    """Run the notebook in its own folder, for a learner without a record; return the bytes to store."""
    folder = (root / path).parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        env = os.environ | kernel_environment(root, scratch)
        for attempt in range(KERNEL_STARTS):
            client = NotebookClient(
                nb,
                kernel_manager_class=ThisPythonManager,
                resources={"metadata": {"path": str(folder)}},
                timeout=CELL_TIMEOUT,
                coalesce_streams=True,
                record_timing=False,
                store_widget_state=False,
            )
            try:
                await client.async_execute(env=env, stderr=subprocess.DEVNULL)
                break
            except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
                raise BuildError(f"{path}: {type(error).__name__}\n{error}") from None
            except RuntimeError as error:  # two kernels that start at once may choose one port, and then one of them ends
                if attempt == KERNEL_STARTS - 1:
                    raise BuildError(f"{path}: the kernel does not start\n{error}") from None
    for cell in nb.cells:
        for output in cell.get("outputs", []):
            scrub(output)
        if cell.get("outputs") and "guess" in cell.metadata.get("tags", []):
            cell.outputs = [folded(cell.outputs)]
    return sealed(nb)


def sealed(nb: NotebookNode) -> str:
    """What is stored of an executed notebook."""
    nb.metadata["language_info"] = {"name": "python"}
    nb.metadata["minigrad"] = {"checksum": checksum(nb)}
    return nbformat.writes(nb) + "\n"


def scrub_patterns() -> list[tuple[str, str]]:
    return re.findall(r"^regex: (.*)$\n^replace: (.*)$", SCRUB.read_text(encoding="utf-8"), re.MULTILINE)


def scrub(output: NotebookNode) -> None:
    """Replace in all text of an output what differs between two runs."""
    holder = output if "text" in output else output.get("data", {})
    for key, text in holder.items():
        if isinstance(text, str) and key not in PICTURES:
            for pattern, replacement in scrub_patterns():
                text = re.sub(pattern, replacement, text)
            holder[key] = text


def folded(outputs: list[NotebookNode]) -> NotebookNode:
    """What a cell gave, behind a click: JupyterLab knows a mark for that, but where else a notebook is shown nobody heeds it."""
    parts: list[tuple[str, str]] = []  # HTML, and words
    for output in outputs:
        data = output.get("data", {"text/plain": output.get("text", "")})
        words = data["text/plain"]
        shown = data.get("text/html") or f"<pre>{html.escape(words.rstrip())}</pre>"
        parts.append((shown, words.rstrip()))
    shown, words = ("\n".join(column) for column in zip(*parts, strict=True))
    text = f"<details><summary>{AFTER_A_GUESS}</summary>\n{shown}\n</details>"
    return v4.new_output("display_data", data={"text/html": text, "text/plain": words})


def checksum(nb: NotebookNode) -> str:
    """Of everything in the notebook but the checksum itself."""
    bare = copy.deepcopy(nb)
    bare.metadata.pop("minigrad", None)
    return hashlib.sha256(nbformat.writes(bare).encode()).hexdigest()


@functools.cache
def same_drawing_here() -> bool:
    """Pictures depend on the versions of what draws them: they can be compared only where those are installed."""
    pins = re.findall(r"^(\S+)==(\S+)$", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    try:
        return sys.platform == "linux" and all(metadata.version(name) == version for name, version in pins)
    except metadata.PackageNotFoundError:
        return False


def alike(one: str, two: str) -> bool:
    """True when two pictures, in base64, have the same size and differ by no more than PIXELS and SPECKS say."""
    try:
        a, b = (pixels(picture) for picture in (one, two))
    except (OSError, ValueError):  # somebody edited it
        return False
    if a.shape != b.shape:
        return False
    difference = np.abs(a - b).max(axis=2)
    parts = [(difference > limit).mean() for limit in (FAINT, STRONG)]
    return bool(parts[0] <= PIXELS and parts[1] <= SPECKS)


def pixels(picture: str) -> np.ndarray:
    with Image.open(io.BytesIO(base64.b64decode(picture))) as image:
        return np.asarray(image.convert("RGBA")).astype(int)


def keep_pictures(old: str, new: str) -> str:
    """`new` with the pictures of `old` that a reader would not tell from its own.

    The last digit of a number is the processor's, and moves a pixel here and there: that must not rewrite a notebook.
    Where pictures cannot be compared, those are kept whose cell and words are what they were.
    """
    before, after = parse(old), nbformat.reads(new, as_version=4)
    if before is None:
        return new
    cells = {cell.get("id"): cell for cell in before.cells}
    for cell in after.cells:
        was = cells.get(cell.id)
        if was is None or was.source != cell.source:
            continue
        for kept, output in zip(was.get("outputs", []), cell.get("outputs", []), strict=False):
            for mime in {*PICTURES, "text/html"} & set(output.get("data", {})) & set(kept.get("data", {})):
                if same_drawing_here():
                    same = (alike_plots if mime == "text/html" else alike)(kept.data[mime], output.data[mime])
                else:
                    same = without_pictures(kept) == without_pictures(output)
                if same:
                    output.data[mime] = kept.data[mime]
    return sealed(after)


def alike_plots(one: str, two: str) -> bool:
    """True when two outputs with a plot say the same, and draw the same but for what SHIFT and STRAY allow."""
    return without_plot(one) == without_plot(two) and all(map(alike_drawings, drawings(one), drawings(two)))


def drawings(html: str) -> list[str]:
    return [base64.b64decode(part).decode() for _, part in PLOT.findall(html)]


def alike_drawings(one: str, two: str) -> bool:
    look = r'(?<!\[)(?:fill|stroke(?:-dasharray|-width)?)="[^"]*"'  # of what is drawn; the style sheet names its colours in brackets
    sizes, words, colours, dark = (
        [re.findall(pattern, drawing) for drawing in (one, two)]
        for pattern in (r'viewBox="[^"]*"', r">([^<>]*)</text>", look, r"<style>[^<]*<")
    )
    first_uses = [[*dict.fromkeys(found)] for found in colours]
    if sizes[0] != sizes[1] or words[0] != words[1] or first_uses[0] != first_uses[1] or dark[0] != dark[1]:
        return False
    images = [re.findall(r"data:image/png;base64,([\w+/=]+)", drawing) for drawing in (one, two)]
    if len(images[0]) != len(images[1]) or not all(map(alike, *images)):
        return False
    (a, near_a), (b, near_b) = map(ink, (one, two))
    return bool(max((a & ~near_b).sum(), (b & ~near_a).sum()) <= STRAY * min(a.sum(), b.sum()))


def ink(drawing: str) -> tuple[np.ndarray, np.ndarray]:
    """Where a drawing has lines, marks and words, two pixels to a point; and what is nearer to these than SHIFT."""
    left, top, width, height = map(float, re.search(r'viewBox="([^"]*)"', drawing)[1].split())  # type: ignore[index]
    canvas = Image.new("L", (round(2 * (left + width)) + 1, round(2 * (top + height)) + 1))
    pen = ImageDraw.Draw(canvas)
    for path in re.findall(r'\bd="([^"]*)"', drawing):
        for part in re.findall(r"M[^M]*", path):
            numbers = [2 * float(number) for number in re.findall(r"-?[\d.]+", part)]
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
            pen.line(points + points[:1] * part.endswith("z"), fill=255)
    for x, y in re.findall(r' x="(-?[\d.]+)" y="(-?[\d.]+)"', drawing):
        pen.point((2 * float(x), 2 * float(y)), fill=255)
    return np.asarray(canvas) > 0, np.asarray(canvas.filter(ImageFilter.MaxFilter(4 * SHIFT + 1))) > 0


def without_plot(html: str) -> str:
    """An output as it is compared between machines: the words of a plot, and neither its drawing nor how wide its panels came out."""
    return re.sub(r"width: \d+px", "", PLOT.sub(r"\1", html))


def without_pictures(output: NotebookNode) -> dict[str, Any]:
    data = {mime: data for mime, data in output.data.items() if mime not in PICTURES}
    return {**output, "data": data | ({"text/html": without_plot(data["text/html"])} if "text/html" in data else {})}


# --- Products on disk -------------------------------------------------------------------------------------


def parse(text: str) -> NotebookNode | None:
    try:
        return nbformat.reads(text, as_version=4)
    except Exception:  # whatever stands there (a merge conflict, half a file), it is no notebook
        return None


def edited(nb: NotebookNode | None) -> bool:
    """True unless these are the builder's own bytes."""
    return nb is None or nb.metadata.get("minigrad", {}).get("checksum") != checksum(nb)


def executed(nb: NotebookNode) -> bool:
    """True when every code cell has run once, in order."""
    counts = [cell.execution_count for cell in nb.cells if cell.cell_type == "code"]
    return counts == list(range(1, len(counts) + 1))


def complaint(old: str | None, new: NotebookNode) -> str | None:
    """What is wrong with a product, where `new` is what its source gives before a run; None when nothing is.

    The outputs are not looked at: `make strict` runs every notebook and compares them, drawings included.
    """
    if old is None:
        return "is missing"
    nb = parse(old)
    if nb is None:
        return "is not a notebook"
    if not executed(nb):
        return "was not executed from top to bottom"
    if edited(nb):
        return "was edited by hand; the change belongs in chapters/ or in the bank"
    ran = {cell.id: cell for cell in nb.cells if cell.cell_type == "code"}
    for cell in new.cells:
        if cell.cell_type == "code" and cell.id in ran:
            cell.outputs, cell.execution_count = ran[cell.id].outputs, ran[cell.id].execution_count
    return None if old == sealed(new) else "is stale"


def keep_copy(root: Path, rel: str) -> str:
    """Copy a file that somebody edited into work/edited/, once for each content; returns where it is now."""
    product = PurePosixPath(rel)
    digest = hashlib.sha256((root / rel).read_bytes()).hexdigest()[:8]
    kept = f"work/edited/{product.parts[0]}/{product.stem}-{digest}.ipynb"
    (root / kept).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(root / rel, root / kept)
    return kept


def write(root: Path, rel: str, new: str) -> str | None:
    """Store a product; returns what there is to tell."""
    path = root / rel
    old = path.read_text(encoding="utf-8") if path.exists() else None
    if old is not None:
        new = keep_pictures(old, new)
    if old == new:
        return None
    told = f"built {rel}"
    if old is not None and edited(parse(old)):
        told += f"  (it had been edited: that version is kept in {keep_copy(root, rel)})"
    path.write_bytes(new.encode())
    return told


def orphans(root: Path, expected: set[str]) -> Iterable[str]:
    """Notebooks that no source gives."""
    for folder in ("notebooks", "exercises", "solutions", "docs"):
        for path in sorted((root / folder).rglob("*.ipynb")):
            rel = path.relative_to(root).as_posix()
            if ".ipynb_checkpoints" not in path.parts and rel not in expected:
                yield rel


# --- The two commands -------------------------------------------------------------------------------------


def sources(root: Path) -> list[Path]:
    """The texts of chapters and pages; the start page comes last, because it opens a template."""
    found = [*(root / "chapters").glob("[0-9][0-9]-*.py"), *(root / "docs").glob("*.py")]
    return sorted(found, key=lambda path: (path.name.startswith("00-"), path.name))


async def build_all(root: Path, chapters: list[Chapter]) -> dict[str, str]:
    """Path → bytes of every product of these chapters."""
    slots = asyncio.Semaphore(KERNELS_AT_ONCE)

    async def one(rel: str, nb: NotebookNode) -> str:
        async with slots:
            return await execute(root, rel, nb)

    todo = {rel: nb for c in chapters for rel, nb in products_of(c, load_bank(c)).items()}
    results = await asyncio.gather(*(one(rel, nb) for rel, nb in todo.items()), return_exceptions=True)
    if failures := [r for r in results if isinstance(r, BaseException)]:
        if all(isinstance(f, BuildError) for f in failures):
            raise BuildError("\n\n".join(map(str, failures)))
        raise failures[0]
    return dict(zip(todo, results, strict=True))  # type: ignore[arg-type]


def fingerprint(root: Path, source: Path) -> str:
    """Of all that a chapter's products are made from: its text, the package with its bank, and the tools."""
    digest = hashlib.sha256()
    tools = [Path(__file__).resolve(), Path(__file__).with_name("excerpt.py"), SCRUB, LOCK]
    files = sorted(p for p in (root / "minigrad").rglob("*.*") if p.is_file() and "__pycache__" not in p.parts)
    for path in [source, *tools, *files]:
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    for package in ("ipykernel", "ipython", "matplotlib", "nbclient", "nbformat", "numpy"):
        digest.update(f"{package} {metadata.version(package)}".encode())
    return digest.hexdigest()


def up_to_date(root: Path, name: str, print_now: str, known: dict[str, Any]) -> bool:
    """True when the last build had the same inputs and its products are still there as it left them."""
    entry = known.get(name, {})
    return entry.get("inputs") == print_now and all(
        (root / rel).exists() and hashlib.sha256((root / rel).read_bytes()).hexdigest() == digest
        for rel, digest in entry["products"].items()
    )


def build(root: Path, only: list[str]) -> int:
    cache = root / ".cache" / "build.json"
    known = json.loads(cache.read_text()) if cache.exists() else {}
    prints = {s: fingerprint(root, s) for s in sources(root) if not only or s.name[:2] in only or s.stem in only}
    changed = [s for s, now in prints.items() if not up_to_date(root, s.stem, now, known)]
    for source in changed:
        chapter = read_chapter(source)
        products = asyncio.run(build_all(root, [chapter]))
        for rel, new in products.items():
            if told := write(root, rel, new):
                print(told)
        digests = {rel: hashlib.sha256((root / rel).read_bytes()).hexdigest() for rel in products}
        known[source.stem] = {"inputs": prints[source], "products": digests}
        cache.parent.mkdir(exist_ok=True)
        cache.write_text(json.dumps(known, indent=1, sort_keys=True))
    for told in (*teachers.write(root), *scope.write(root)):
        print(told)
    print(f"{len(prints)} chapters: {len(changed)} run, {len(prints) - len(changed)} up to date")
    if not same_drawing_here():
        print("Plots were not compared: this is not Linux with the versions that tools/constraints.txt names")
    return 0


def check(root: Path) -> int:
    chapters = [read_chapter(s) for s in sources(root)]
    fresh = {rel: nb for c in chapters for rel, nb in products_of(c, load_bank(c)).items()}
    complaints = []
    for rel, new in fresh.items():
        path = root / rel
        wrong = complaint(path.read_text(encoding="utf-8") if path.exists() else None, new)
        complaints += [f"{rel} {wrong}"] if wrong else []
    complaints += [f"{rel} has no source in chapters/ or docs/" for rel in orphans(root, set(fresh))]
    complaints += [f"{rel} is stale" for rel in (*teachers.stale(root), *scope.stale(root))]
    for line in complaints:
        print(line)
    if complaints:
        print("Run `make notebooks` and commit what it writes.")
        return 1
    print(f"{len(fresh)} notebooks are what their sources give; `make strict` compares their outputs")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the notebooks from the text sources in chapters/.")
    parser.add_argument("only", nargs="*", metavar="NN", help="numbers of chapters, names of pages; all when none is given")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where a product is out of date"
    )
    parser.add_argument("--root", type=Path, default=HERE.parent, help=argparse.SUPPRESS)
    options = parser.parse_args()
    root = options.root.resolve()
    sys.path.insert(0, str(root))
    try:
        return check(root) if options.check else build(root, options.only)
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
