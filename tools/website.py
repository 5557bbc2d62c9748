"""Build the website from the notebooks as they are stored, without running them.

    python tools/website.py                    pages and lab, into build/site
    python tools/website.py --no-lab           the pages alone
    python tools/website.py --pyodide FILE     the lab with a Pyodide of its own (a downloaded distribution)

The sources are in site/: settings, the pages that are no notebook, styles, and the settings of the lab. This puts the
pages together in build/pages, calls Sphinx on them, and makes the lab beside them. `npm` fetches MathJax once; after that
nothing is fetched. $MINIGRAD_REPOSITORY, or in a workflow $GITHUB_REPOSITORY, is "owner/name" on GitHub: with it, pages have
links to their sources, to Colab and to Binder.
"""

from __future__ import annotations

import argparse
import base64
import functools
import hashlib
import html
import importlib
import inspect
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import nbformat
from nbformat import NotebookNode, v4

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "site"
PAGES = ROOT / "build" / "pages"
LAB_FILES = ROOT / "build" / "lab"
OUT = ROOT / "build" / "site"
MATHJAX = ("mathjax", "3.2.2", "1b9c0a1c44df864e915690558e72adb9cc5203360daefd385084ced3b6c64c09")
LINK = re.compile(  # or code, in which nothing is a link
    r"^```.*?^```|(?<!!)\[((?:[^\[\]`]|`[^`\n]*`|\[[^\]]*\])*)\]\(([^()\s]+)\)|`[^`\n]+`", re.MULTILINE | re.DOTALL
)


class SiteError(Exception):
    """The site cannot be built; the message says why, and what to do."""


def repository() -> str:
    return os.environ.get("MINIGRAD_REPOSITORY") or os.environ.get("GITHUB_REPOSITORY") or ""


# --- What is there ----------------------------------------------------------------------------------------


def lessons() -> list[Path]:
    """The notebooks of the chapters, 00-start first; 90 and above are no chapters."""
    return sorted((ROOT / "notebooks").glob("[0-8][0-9]-*.ipynb"))


def exercises() -> list[Path]:
    return sorted((ROOT / "exercises").glob("*/[0-9][0-9]-*.ipynb"))


def helpers() -> list[Path]:
    """Pages beside the course: notebooks that are no chapter, and the documents in docs/."""
    notebooks = [path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if path not in lessons()]
    return notebooks + sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").glob("*.ipynb")])


def help_page(path: Path) -> str:
    return f"help/{path.relative_to(ROOT / ('notebooks' if path.parent.name == 'notebooks' else 'docs')).as_posix()}"


@functools.cache
def pages() -> dict[str, str]:
    """Path in the repository → page of the site, both with their suffix."""
    places = {path: f"lessons/{path.name}" for path in lessons()}
    places |= {path: f"exercises/{path.name}" for path in exercises()}
    places |= {path: help_page(path) for path in helpers()}
    return {path.relative_to(ROOT).as_posix(): page for path, page in places.items()}


@functools.cache
def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def title_of(path: Path) -> str:
    """The first heading, as Markdown."""
    text = path.read_text(encoding="utf-8") if path.suffix == ".md" else read(path).cells[0].source
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    if heading is None:
        raise SiteError(f"{path.relative_to(ROOT)} has no heading: a page begins with '# title'")
    return heading[1].strip()


# --- Text -------------------------------------------------------------------------------------------------


def relink(text: str, origin: str, page: str) -> str:
    """Links between files of the repository become links between pages; what is not on the site leads to its source.

    origin: where the text stands in the repository. page: where it stands on the site.
    """

    def to(match: re.Match[str]) -> str:
        words, target = match[1], match[2]
        if target is None or re.match(r"[a-z]+:", target):
            return match[0]
        path, _, anchor = target.partition("#")
        anchor = re.sub(r"[^\w-]", "", unquote(anchor).lower().replace(" ", "-"))  # JupyterLab's way to name a heading is another
        if not path:
            return f"[{words}](#{anchor})"
        there = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
        if there in pages():
            link = posixpath.relpath(pages()[there], posixpath.dirname(page) or ".")
            return f"[{words}]({link}{'#' + anchor if anchor else ''})"
        if (ROOT / "site" / posixpath.basename(path)).is_file() and origin.startswith("site/"):
            return match[0]
        if origin.startswith("site/"):
            raise SiteError(f"{origin}: the link to {target} leads nowhere")
        if repository() and (ROOT / there).exists():
            return f"[{words}](https://github.com/{repository()}/blob/main/{there})"
        return words

    return LINK.sub(to, text)


def text_after(heading: str) -> str:
    """The text of the first page of the course behind these words."""
    source = "\n\n".join(c.source for c in read(lessons()[0]).cells if c.cell_type == "markdown")
    if heading not in source:
        raise SiteError(f"{lessons()[0].name} has no {heading!r}")
    return source.partition(heading)[2]


def table_after(heading: str) -> str:
    """The first table after this text, in the first page of the course."""
    found = re.search(r"(?:^\|[^\n]*\n?)+", text_after(heading), re.MULTILINE)
    if found is None:
        raise SiteError(f"{lessons()[0].name} has no table after {heading!r}")
    return found[0].strip()


def cards(heading: str) -> str:
    """The pages of the first table behind this heading, on the first page of the course, each with its cover."""
    parts = []
    row = re.compile(r"^\| (?:(\d\d) \| )?\[([^\]]+)\]\(([\w-]+)\.ipynb\) \| ([^|,]+)", re.MULTILINE)
    for number, title, page, time in row.findall(table_after(heading)):
        words = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(title))
        pictures = "".join(f'<img alt="" role="presentation" src="_static/thumbs/{page}-{k}.svg">' for k in range(len(cover(page))))
        head = f'<a href="lessons/{page}.html" data-exercises="{" ".join(ids(number))}"><span>{pictures}</span>'
        parts.append(head + (f"<b>{number} · {words}</b><small>{time.strip()}</small></a>" if number else f"<b>{words}</b></a>"))
    return '```{raw} html\n<div class="cards">\n' + "\n".join(parts) + "\n</div>\n```"


def ids(chapter: str) -> list[str]:
    """The exercises of a chapter, by the headings of its notebook."""
    sources = [c.source for path in exercises() if chapter and path.name.startswith(chapter) for c in read(path).cells]
    return re.findall(rf"^## ({chapter}\.\d+) ", "\n".join(sources), re.MULTILINE)


@functools.cache
def cover(name: str) -> list[bytes]:
    """The pictures, as SVG and at most three, of a lesson's cell with the tag "cover", else of its first with pictures."""
    cells = [cell for cell in read(ROOT / "notebooks" / f"{name}.ipynb").cells if cell.cell_type == "code"]
    for cell in sorted(cells, key=lambda c: "cover" not in c.metadata.get("tags", [])):
        shown = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
        if found := re.findall(r"data:image/svg\+xml;base64,([\w+/=]+)", "".join(shown)):
            return [base64.b64decode(text) for text in found[-3:]]
    return []


def put_thumbnails(out: Path) -> None:
    folder = out / "_static" / "thumbs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in lessons():
        for k, picture in enumerate(cover(path.stem)):
            (folder / f"{path.stem}-{k}.svg").write_bytes(picture)


def first_drawing() -> str:
    """The first picture of the page that shows them all, as that page has it."""
    outputs = (output for cell in read(ROOT / "docs" / "pictures.ipynb").cells for output in cell.get("outputs", []))
    return next(text for output in outputs if "<img" in (text := output.get("data", {}).get("text/html", "")))


def living_picture() -> str:
    """The picture that chapter 01 opens with, to play with: as the notebook has it, so that nothing is computed here."""
    for cell in read(next(path for path in lessons() if path.name.startswith("01-"))).cells:
        if cell.cell_type == "code" and "viz.play(" in cell.source:
            return cell.outputs[0].data["text/html"]
    raise SiteError("chapter 01 has no viz.play, which the first page shows too")


def toctree(entries: list[str], caption: str = "", options: str = "") -> str:
    head = f":caption: {caption}\n" if caption else ""
    return f"```{{toctree}}\n:hidden:\n{head}{options}\n" + "\n".join(entries) + "\n```\n"


# --- Notebooks as pages -----------------------------------------------------------------------------------


def lab_link(path: Path, page: str) -> str:
    """The bar above a notebook: where to work on it, and what that costs."""
    inside = path.relative_to(ROOT).as_posix()
    up = "../" * page.count("/")
    links = [
        f'<a class="open-lab" href="{up}lite/lab/index.html?path={inside}">Open in the browser lab</a>',
        f'Nothing is installed. The first time, about {megabytes_first()} MB are downloaded: <a href="{up}lab.html">what, and '
        "what the lab cannot do</a>.",
    ]
    if repository():
        colab = f"https://colab.research.google.com/github/{repository()}/blob/colab/{colab_name(path)}"
        binder = f"https://mybinder.org/v2/gh/{repository()}/main?urlpath=lab/tree/{inside}"
        links.append(f'Elsewhere: <a href="{colab}">Colab</a>, <a href="{binder}">Binder</a>.')
    return '<div class="open-bar">\n' + "\n".join(links) + "\n</div>"


def as_page(path: Path, page: str) -> NotebookNode:
    """A notebook as Sphinx gets it: links between pages, pictures with their descriptions, and folded what is folded."""
    nb = v4.new_notebook(metadata={"kernelspec": read(path).metadata.kernelspec, "language_info": {"name": "python"}})
    origin = path.relative_to(ROOT).as_posix()
    for old in read(path).cells:
        cell = v4.new_markdown_cell(relink(old.source, origin, page)) if old.cell_type == "markdown" else v4.new_code_cell(
            old.source, execution_count=old.execution_count, outputs=[as_html(output) for output in old.outputs]
        )  # fmt: skip
        cell.id = old.id
        if old.metadata.get("jupyter", {}).get("source_hidden"):
            cell.metadata["tags"] = ["hide-input"]
        nb.cells.append(cell)
    return nb


def as_html(output: NotebookNode) -> NotebookNode:
    """The output in a form that keeps a picture's description, and has no links into a learner's folder."""
    data = dict(output.get("data", {}))
    if "image/png" in data:
        about = output.metadata.get("image/png", {})
        width = f' width="{about["width"]}"' if "width" in about else ""
        alt = html.escape(about.get("alt", ""), quote=True)
        source = "data:image/png;base64," + "".join(data.pop("image/png").split())
        data["text/html"] = f'<img alt="{alt}"{width} src="{source}">'
    if "text/markdown" in data:
        data["text/markdown"] = re.sub(r"\]\((\d\d-[\w-]+)\.ipynb", r"](../lessons/\1.html", data["text/markdown"])
        return v4.new_output("display_data", data=data)
    if "text/html" in data:
        own = r'href="(?:\.\./)*work/([\w-]+)-exercises\.ipynb"'
        data["text/html"] = re.sub(own, r'href="../exercises/\1.html"', data["text/html"])
        data["text/html"] = re.sub(r'href="(\d\d-[\w-]+)\.ipynb"', r'href="../lessons/\1.html"', data["text/html"])
        return v4.new_output("display_data", data=data)
    return output


def lesson_page(path: Path) -> NotebookNode:
    page = f"lessons/{path.name}"
    nb = as_page(path, page)
    nb.cells.insert(1, v4.new_markdown_cell(lab_link(path, page), id="open-lab"))
    if f"exercises/{path.stem}/{path.name}" in pages():
        text = f"**Now the exercises:** [{path.stem[:2]} · exercises](../exercises/{path.name})\n\n"
        nb.cells.append(
            v4.new_markdown_cell(text + toctree([f"Exercises of {path.stem[:2]} <../exercises/{path.stem}>"]), id="exercises")
        )
    return nb


def exercise_page(path: Path) -> NotebookNode:
    """The exercises, each with its solution behind one click."""
    page = f"exercises/{path.name}"
    nb = as_page(path, page)
    solved = {cell.id: cell for cell in read(ROOT / "solutions" / path.stem / path.name).cells}
    cells = []
    for cell in nb.cells:
        cells.append(cell)
        if cell.id.endswith("-check"):
            slug = cell.id.removesuffix("-check")
            answer = re.sub(r"^ *### (BEGIN|END) SOLUTION\n?", "", solved[f"{slug}-answer"].source + "\n", flags=re.MULTILINE)
            why = relink(solved[f"{slug}-explanation"].source, f"solutions/{path.stem}/{path.name}", page)
            text = (
                f'<details class="solution">\n<summary>Solution of {slug.replace("-", ".")}</summary>\n\n'
                f"```python\n{answer.strip()}\n```\n\n{why}\n\n</details>"
            )
            cells.append(v4.new_markdown_cell(text, id=f"{slug}-solution"))
    cells.insert(1, v4.new_markdown_cell(lab_link(path, page), id="open-lab"))
    nb.cells = cells
    return nb


# --- The reference ----------------------------------------------------------------------------------------

REFERENCE = {  # page: (title, what it is, modules whose names it lists)
    "tensors": ("Tensors: making, keeping, printing", "Functions that make tensors, their dtypes, and how they print.",
                ("minigrad.creation", "minigrad.compat.attributes", "minigrad.dtypes", "minigrad.printing", "minigrad.serialization",
                 "minigrad.methods", "minigrad.random")),
    "tensor": ("The class Tensor", "Its attributes and methods. Operations as methods are under the operation's own name.", ()),
    "pointwise": ("Operations, element by element", "Each is a function and a method, and has an in-place form where PyTorch has one.",
                  ("minigrad.ops.pointwise",)),
    "reduction": ("Reductions, sorting", "Operations over dimensions.", ("minigrad.ops.reduction",)),
    "shape": ("Shapes and views", "Operations that look at the same memory in another way, and those that join and split.",
              ("minigrad.ops.shape",)),
    "indexing": ("Indexing", "Besides these, square brackets read and write.", ("minigrad.ops.indexing",)),
    "matrix": ("Matrices", "Products, and linear algebra.", ("minigrad.ops.matrix", "minigrad.linalg")),
    "composed": ("Small operations", "They are made of the others, and so are their gradients.", ("minigrad.composed",)),
    "autograd": ("autograd: backward and grad", "The backward pass, modes, functions of your own, checks, hooks.",
                 ("minigrad.autograd", "minigrad.modes", "minigrad.course.notebook.why", "minigrad.frames")),
    "functional": ("autograd: whole derivatives, forward mode, the graph", "Jacobians and Hessians, dual numbers, nodes.",
                   ("minigrad.autograd.functional", "minigrad.autograd.forward_ad", "minigrad.autograd.graph",
                    "minigrad.autograd.function", "minigrad.autograd.gradcheck")),
    "nn": ("nn: layers and losses", "Modules, their functions, and helpers.",
           ("minigrad.nn", "minigrad.nn.functional", "minigrad.nn.init", "minigrad.nn.utils")),
    "optim": ("optim", "Optimizers, and learning rates that change.", ("minigrad.optim", "minigrad.optim.lr_scheduler")),
    "data": ("utils.data", "Examples, and batches of them.", ("minigrad.utils.data",)),
    "testing": ("testing", "For tests of your own.", ("minigrad.testing",)),
    "viz": ("viz", "Drawings of graphs, of the backward pass and of memory.", ("minigrad.viz",)),
    "course": ("course", "What a learner calls: checks, hints, progress.", ("minigrad.course",)),
}  # fmt: skip


HEADINGS = {
    "minigrad.creation": "Making tensors",
    "minigrad.compat.attributes": "Shapes and places",
    "minigrad.dtypes": "Types of elements",
    "minigrad.printing": "Printing",
    "minigrad.serialization": "Saving and loading",
    "minigrad.methods": "Comparing, asking",
    "minigrad.random": "Random numbers",
    "minigrad.ops.matrix": "Products",
    "minigrad.modes": "Modes",
    "minigrad.course.notebook.why": "When a gradient is missing",
    "minigrad.frames": "Tracebacks",
}
OFFERED_BY_PACKAGE = ("ops", "composed", "random", "creation", "dtypes", "printing", "serialization", "methods", "modes")


def public(module: str) -> list[str]:
    """Full names of what a module offers: the names that `minigrad` has from it, or those that it lists itself."""
    package, mod = importlib.import_module("minigrad"), importlib.import_module(module)
    if module == "minigrad.compat.attributes":
        names: list[str] = ["Generator", "Size", "device", "get_default_device", "is_complex", "is_floating_point", "is_inference",
                            "numel", "set_default_device"]  # fmt: skip
        return [f"minigrad.{name}" for name in names]
    if module == "minigrad.course.notebook.why":
        return ["minigrad.why_no_grad"]
    room = module.split(".")[1]
    if room in OFFERED_BY_PACKAGE:
        owner, names = "minigrad", [n for n, thing in vars(package).items() if getattr(thing, "__module__", "") == module]
    else:
        owner, names = module, getattr(mod, "__all__", None) or [
            n for n, thing in vars(mod).items() if callable(thing) and getattr(thing, "__module__", "").startswith(f"minigrad.{room}")
        ]  # fmt: skip
    found = {n: getattr(importlib.import_module(owner), n) for n in sorted(names, key=str.lower) if not n.startswith("_")}
    return [f"{owner}.{n}" for n, thing in found.items() if callable(thing) and inspect.getdoc(thing)]


def with_parameters(lines: list[str], names: list[str]) -> list[str]:
    """A docstring with what it says of parameters, "xs: n numbers. at: a place.", as a list."""
    found: list[str] = []
    named = "|".join(sorted(map(re.escape, names), key=len, reverse=True)) or "(?!)"
    item = re.compile(rf"(?:^|(?<=[.;)] ))(?P<who>(?:{named})(?:(?:, | and )(?:{named}))*): ")
    for paragraph in "\n".join(lines).split("\n\n"):
        text = " ".join(paragraph.split())
        starts = [] if re.match(r"\s|>>>|\.\. |\* ", paragraph) else list(item.finditer(text))
        if not starts:
            found += [*paragraph.split("\n"), ""]
            continue
        ends = [match.start() for match in starts[1:]] + [len(text)]
        told = [(match["who"], text[match.end() : end].strip()) for match, end in zip(starts, ends, strict=True)]
        who, last = told[-1]
        first = re.match(r".*?\.(?= [A-Z])", last)  # what follows its first sentence is of the whole
        told[-1] = who, first[0] if first else last
        found += [text[: starts[0].start()].strip(), ""]
        found += [f"* ``{who.replace(', ', '``, ``').replace(' and ', '`` and ``')}``: {words}" for who, words in told]
        found += ["", last[len(told[-1][1]) :].strip(), ""]
    return found


def directive(name: str) -> str:
    module, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(module), last)
    if inspect.isclass(thing):
        return f".. autoclass:: {name}\n   :members:\n"
    return f".. autofunction:: {name}\n"


def reference_page(page: str) -> str:
    title, about, modules = REFERENCE[page]
    lines = [title, "=" * len(title), "", about, ""]
    if page == "viz":
        lines += [".. raw:: html", "", *(f"   {line}" for line in first_drawing().splitlines()), ""]
        lines += [":doc:`/help/pictures` shows each of them.", ""]
    if page == "tensor":
        package = importlib.import_module("minigrad")
        own = [n for n, thing in vars(package.Tensor).items()
               if not n.startswith("_") and inspect.getdoc(thing) and not hasattr(package, n.removesuffix("_"))]  # fmt: skip
        return "\n".join([*lines, ".. autoclass:: minigrad.Tensor", f"   :members: {', '.join(sorted(own))}", ""])
    listed: dict[int, str] = {}
    for module in modules:
        if len(modules) > 1:
            heading = HEADINGS.get(module, module.removeprefix("minigrad."))
            lines += [heading, "-" * len(heading), ""]
        for name in public(module):
            owner, _, last = name.rpartition(".")
            thing = getattr(importlib.import_module(owner), last)
            if listed.setdefault(id(thing), name) == name:
                lines.append(directive(name))
            else:
                lines.append(f".. py:function:: {name}\n\n   Another name of :py:obj:`{listed[id(thing)]}`.\n")
    return "\n".join(lines)


@functools.cache
def names_in_lessons() -> dict[str, dict[str, int]]:
    """Name → lesson → how often it is in code there, or between backquotes: as `.name`, `name(`, and `module.name`."""
    found: dict[str, dict[str, int]] = {}
    for path in lessons()[1:]:
        parts = [c.source if c.cell_type == "code" else " ".join(re.findall(r"`([^`\n]+)`", c.source)) for c in read(path).cells]
        for before, name, call in re.findall(r"(\w*)\.([A-Za-z]\w*)|\b([A-Za-z]\w*)(?=\()", "\n".join(parts)):
            for word in filter(None, (name, call, f"{before}.{name}" if before else "")):
                counts = found.setdefault(word, {})
                counts[path.stem] = counts.get(path.stem, 0) + 1
    return found


def chapters_that_use(name: str) -> str:
    """Links, in reStructuredText, to the lessons in which a public name occurs: the five where it occurs most."""
    known = names_in_lessons()
    owner, last = name.split(".")[-2:]
    counts = known.get(f"{owner}.{last}") or ({} if last == "forward" and owner != "Function" else known.get(last, {}))
    most = sorted(counts, key=lambda stem: (-counts[stem], stem))[:5]
    return ", ".join(f":doc:`{stem[:2]} </lessons/{stem}>`" for stem in sorted(most))


# --- Putting the pages together ---------------------------------------------------------------------------


def fill(name: str, **values: str) -> str:
    """A page of site/ with its {places} filled."""
    text = relink((ROOT / "site" / name).read_text(encoding="utf-8"), f"site/{name}", name)
    for key, value in values.items():
        text = text.replace("{" + key + "}", value)
    return text


def put(page: str, content: str | NotebookNode) -> None:
    """Write a page, unless it stands there as it is: Sphinx reads again only what has changed."""
    text = content if isinstance(content, str) else nbformat.writes(content)
    path = PAGES / page
    _written.add(path)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


_written: set[Path] = set()


def assemble() -> None:
    """Write build/pages from the notebooks, docs/ and site/."""
    for path in lessons():
        put(f"lessons/{path.name}", lesson_page(path))
    for path in exercises():
        put(f"exercises/{path.name}", exercise_page(path))
    for path in helpers():
        page = help_page(path)
        if path.suffix == ".md":
            put(page, relink(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix(), page))
        else:
            put(page, as_page(path, page))
    for page in REFERENCE:
        put(f"api/{page}.rst", reference_page(page))
    index = "# Reference\n\nMade from the docstrings. `minigrad` is imported as `mg` in the lessons; within its scope a program\n"
    index += "that runs with `import torch` runs with `import minigrad as torch`.\n\n"
    index += "\n".join(f"* [{title}]({page}.rst): {about}" for page, (title, about, _) in REFERENCE.items())
    put("api/index.md", index + "\n\n" + toctree(list(REFERENCE)))
    more = [f"* [{title_of(path)}]({help_page(path)})" for path in helpers() if help_page(path).count("/") == 1]
    more += ["* [Reference of minigrad](api/index.md)", "* [The lab in your browser](lab.md)"]
    text = fill(
        "index.md",
        chapters=cards("## The chapters"),
        gallery=cards("## A gallery"),
        paths=relink(table_after("you have less time"), "notebooks/00-start.ipynb", "index.md"),
        more="\n".join(more),
        picture=f"```{{raw}} html\n{living_picture()}\n```",
    )
    text += "\n\n" + toctree([f"lessons/{path.stem}" for path in lessons()], "The course", ":titlesonly:\n")
    names = [posixpath.splitext(help_page(path))[0] for path in helpers()]
    for_teachers = [name for name in names if name.startswith("help/teachers")]
    while_learning = [posixpath.splitext(help_page(path))[0] for path in helpers() if path.parent.name == "notebooks"]
    text += toctree([*while_learning, "lab"], "When you need help", ":titlesonly:\n")
    if for_teachers:
        text += toctree(for_teachers, "For teachers", ":titlesonly:\n")
    others = [name for name in names if name not in for_teachers + while_learning]
    text += toctree(others, "About the project", ":titlesonly:\n")
    text += toctree(["api/index"], "Reference", ":titlesonly:\n")
    put("index.md", text)
    put("lab.md", fill("lab.md", downloads=downloads(), pyodide=pyodide_version()))
    for path in PAGES.rglob("*"):
        if path.is_file() and path not in _written:
            path.unlink()


# --- MathJax ----------------------------------------------------------------------------------------------


def fetch_mathjax() -> None:
    """Put MathJax where Sphinx takes it from: out of its npm package, once."""
    target = CACHE / "static" / "mathjax" / "tex-svg.js"
    if target.exists():
        return
    name, number, digest = MATHJAX
    archive = npm_package(name, number, digest)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as package:
        for inside, beside in (("package/es5/tex-svg.js", target), ("package/LICENSE", target.parent / "LICENSE")):
            member = package.extractfile(inside)
            assert member is not None
            beside.write_bytes(member.read())


def npm_package(name: str, number: str, digest: str) -> Path:
    """The archive of an npm package, fetched once and compared with what is expected."""
    archive = CACHE / f"{name}-{number}.tgz"
    if not archive.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise SiteError(f"{name} comes from its npm package, and there is no `npm`: install Node.js, then try again")
        CACHE.mkdir(parents=True, exist_ok=True)
        subprocess.run([npm, "pack", "--silent", f"{name}@{number}"], cwd=CACHE, check=True, stdout=subprocess.DEVNULL)
    got = hashlib.sha256(archive.read_bytes()).hexdigest()
    if got != digest:
        archive.unlink()
        raise SiteError(f"{archive.name} is not what was expected: its sha256 is {got}")
    return archive


# --- The lab ----------------------------------------------------------------------------------------------

LAB_FIRST_CELL = """\
# The lab in the browser: run this cell first. It fetches the course's package, and what it draws with.
import piplite

await piplite.install(["minigrad-course", "matplotlib"])
print("minigrad and matplotlib are here. Go on with the next cell.")"""
COLAB_FIRST_CELL = """\
# For Colab: install the course's package where it is missing, and say what was done. Run this cell first.
import importlib.metadata
import importlib.util
import subprocess
import sys

if importlib.util.find_spec("minigrad"):
    print("minigrad is installed already; nothing was changed.")
else:
    before = importlib.metadata.version("numpy") if importlib.util.find_spec("numpy") else None
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "{wheel}"], check=True)
    importlib.invalidate_caches()
    after = importlib.metadata.version("numpy")
    print(f"Installed minigrad-course {{importlib.metadata.version('minigrad-course')}} with pip; NumPy is {{after}}.")
    if before not in (None, after) and "numpy" in sys.modules:
        print(f"NumPy was {{before}}: choose Runtime, Restart session, then go on with the next cell.")
print("What you do here is kept by Colab: save a copy in your Drive.")"""


def pyodide_version() -> str:
    """The version of Pyodide that the lab's kernel is made for."""
    return str(importlib.import_module("jupyterlite_pyodide_kernel.constants").PYODIDE_VERSION)


DOWNLOADS = (  # what, from where, megabytes as they travel; measured as benchmarks/site.md tells, the third one estimated
    ("JupyterLab, the kernel, the notebook", "this site", 2),
    ("Pyodide: Python for the browser, with its standard library", "its public delivery network", 6.5),
    ("NumPy, IPython, matplotlib, and what they need", "the same", 20),
    ("minigrad", "this site", 0.8),
)


def megabytes_first() -> int:
    return round(sum(size for *_, size in DOWNLOADS) / 5) * 5


def downloads() -> str:
    """What a visitor fetches, as a table."""
    rows = [f"| {what} | {origin} | about {size:g} MB |" for what, origin, size in DOWNLOADS]
    return "\n".join(["| What | From | Size |", "|:--|:--|--:|", *rows])


def with_first_cell(path: Path, source: str) -> NotebookNode:
    """A notebook with one cell more at its beginning, after the title."""
    nb = nbformat.read(path, as_version=4)
    nb.cells.insert(1, v4.new_code_cell(source, id="first"))
    nb.metadata.pop("minigrad", None)
    return nb


def build_wheel(folder: Path) -> Path:
    """The course's package as a wheel, built without asking anybody."""
    folder.mkdir(parents=True)
    make = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    copy = ROOT / "build" / "wheel-source"  # so that nothing is left in the tree
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-lessons"):
        shutil.copy(ROOT / name, copy)
    shutil.copytree(ROOT / "minigrad", copy / "minigrad", ignore=shutil.ignore_patterns("__pycache__"))
    env = os.environ | {"SOURCE_DATE_EPOCH": "315532800"}
    done = subprocess.run([sys.executable, "-c", make, str(folder)], cwd=copy, env=env, capture_output=True, text=True)
    if done.returncode:
        raise SiteError(f"the wheel was not built:\n{done.stderr}")
    return next(folder.glob("*.whl"))


def build_lab(out: Path, pyodide: str | None) -> None:
    """The lab, in the folder lite of the site: JupyterLite with our notebooks and our wheel."""
    shutil.rmtree(LAB_FILES, ignore_errors=True)
    for path in [*sorted((ROOT / "notebooks").glob("*.ipynb")), *exercises()]:
        target = LAB_FILES / "files" / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(with_first_cell(path, LAB_FIRST_CELL), target)
    for path in sorted((ROOT / "exercises").glob("*/*")):  # files beside a notebook, as in the capstone
        if path.suffix in (".py", ".txt"):
            shutil.copy(path, LAB_FILES / "files" / path.relative_to(ROOT))
    for name in ("jupyter-lite.json", "overrides.json"):
        shutil.copy(ROOT / "site" / "lite" / name, LAB_FILES)
    wheel = build_wheel(LAB_FILES / "pypi")
    # Of the environment's extensions the kernel alone: what else is installed must not change the site.
    kernel = Path(sys.prefix, "share", "jupyter", "labextensions", "@jupyterlite", "pyodide-kernel-extension")
    if not kernel.is_dir():
        raise SiteError("the lab's kernel is missing: pip install jupyterlite-pyodide-kernel")
    config = {"LiteBuildConfig": {"federated_extensions": [str(kernel)], "ignore_sys_prefix": ["federated_extensions"]}}
    (LAB_FILES / "jupyter_lite_config.json").write_text(json.dumps(config), encoding="utf-8")
    shutil.rmtree(out / "lite", ignore_errors=True)
    command = [sys.executable, "-m", "jupyter", "lite", "build", "--lite-dir", str(LAB_FILES), "--contents", str(LAB_FILES / "files"),
               "--output-dir", str(out / "lite"), "--apps", "lab", "--no-sourcemaps", "--no-unused-shared-packages"]  # fmt: skip
    if pyodide:
        command += ["--pyodide", pyodide]
    done = subprocess.run(command, cwd=LAB_FILES, capture_output=True, text=True)
    if done.returncode:
        raise SiteError(f"jupyter lite build failed:\n{done.stdout}\n{done.stderr}")
    if not pyodide:
        watch_python(out / "lite" / "lab" / "index.html", kernel)
    for name in ("jupyter-lite.ipynb", "rspack.config.js", "rspack.config.analyze.js", "rspack.config.watch.js"):
        (out / "lite" / name).unlink(missing_ok=True)
    shutil.copy(wheel, out / wheel.name)


def watch_python(page: Path, kernel: Path) -> None:
    """Let the lab say so when Python cannot be fetched from where its kernel looks for it."""
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted((kernel / "static").glob("*.js")))
    python = re.search(r"https://[\w./-]+/pyodide\.m?js", sources)
    if python is None:
        raise SiteError("the lab's kernel does not tell where it has Python from")
    text = page.read_text(encoding="utf-8")
    script = f'<script src="../../_static/lab.js" data-python="{python[0]}"></script>'
    page.write_text(text.replace("</body>", script + "</body>", 1), encoding="utf-8")


def build_colab(out: Path) -> None:
    """Copies of the notebooks for Colab, whose first cell installs the wheel that the site offers."""
    owner, _, name = repository().partition("/")
    site = os.environ.get("MINIGRAD_SITE") or f"https://{owner.lower()}.github.io/{name}"
    wheel = next(out.glob("*.whl")).name
    cell = COLAB_FIRST_CELL.format(wheel=f"{site.rstrip('/')}/{wheel}")
    out.joinpath("colab").mkdir(exist_ok=True)
    for path in [*lessons(), *exercises()]:
        nbformat.write(with_first_cell(path, cell), out / "colab" / colab_name(path))


def colab_name(path: Path) -> str:
    return path.name if path.parent.name == "notebooks" else f"{path.stem}-exercises.ipynb"


# --- All of it --------------------------------------------------------------------------------------------


def everywhere() -> str:
    """A digest of what stands on every page: the titles in the sidebar, the settings, this file."""
    parts = [page + title_of(ROOT / source) for source, page in sorted(pages().items())]
    settings = (ROOT / "site" / "conf.py", ROOT / "site" / "static" / "site.css", Path(__file__))
    parts += [path.read_text(encoding="utf-8") for path in settings]
    return hashlib.sha256("\n".join([*parts, repository()]).encode()).hexdigest()


def name_buttons(text: str) -> str:
    """Give the theme's buttons names that a screen reader can say: those that a reader sees."""
    text = text.replace('<summary><span class="toctree-toggle"', '<summary aria-label="Its exercises"><span class="toctree-toggle"')
    text = text.replace('<summary aria-label="Toggle hidden content">', "<summary>")
    return re.sub(r'(<button class="btn search-button-field[^>]*?) aria-label="Search"', r"\1", text)


def build(out: Path, lab: bool, pyodide: str | None) -> None:
    fetch_mathjax()
    assemble()
    for folder in ("lessons", "exercises", "help", "api"):
        for old in (out / folder).rglob("*.html"):  # of a source that is gone
            if not list(PAGES.glob(f"{old.parent.relative_to(out).as_posix()}/{old.stem}.*")):
                old.unlink()
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", "2", "-c", str(ROOT / "site"),
               "-d", str(ROOT / "build" / "doctrees"), str(PAGES), str(out)]  # fmt: skip
    stamp, now = out / "_static" / "built.txt", everywhere()
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != now:
        command += ["-a", "-E"]
    if subprocess.run(command).returncode:
        raise SiteError("Sphinx found something: see above")
    stamp.write_text(now, encoding="utf-8")
    for page in out.glob("**/*.html"):
        if "lite" not in page.relative_to(out).parts:
            text = page.read_text(encoding="utf-8")
            if (named := name_buttons(text)) != text:
                page.write_text(named, encoding="utf-8")
    put_thumbnails(out)
    (out / ".nojekyll").touch()
    shutil.rmtree(out / "_sources", ignore_errors=True)
    (out / ".buildinfo").unlink(missing_ok=True)
    if lab:
        build_lab(out, pyodide)
        if repository():
            build_colab(out)


def sizes(folder: Path) -> Iterator[str]:
    every = [path for path in folder.rglob("*") if path.is_file()]
    for name in ("pages", "lab"):
        files = [p for p in every if (p.relative_to(folder).parts[0] == "lite") == (name == "lab")]
        yield f"{name}: {len(files)} files, {sum(p.stat().st_size for p in files) / 1e6:.1f} MB"


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the website from the stored notebooks.")
    parser.add_argument("--no-lab", action="store_true", help="the pages alone")
    parser.add_argument("--pyodide", metavar="FILE", help="a distribution of Pyodide for the lab to hold itself")
    parser.add_argument("--out", type=Path, default=OUT, help="where to (build/site)")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    try:
        build(options.out.resolve(), not options.no_lab, options.pyodide)
    except SiteError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"The site is in {options.out}: {'; '.join(sizes(options.out))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
