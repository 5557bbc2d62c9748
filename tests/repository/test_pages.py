"""Every notebook and page: links lead somewhere, images have words, headings form a tree, words are spelled as they should be."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import urllib.parse
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest

from minigrad.course import bank
from tools import teachers

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(p for folder in ("notebooks", "exercises", "solutions", "docs") for p in (ROOT / folder).rglob("*.ipynb")
                   if ".ipynb_checkpoints" not in p.parts)  # fmt: skip
PAGES = [*NOTEBOOKS, *sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
TEXTS = ["chapters", "docs", "minigrad", "tools", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- Reading a page ---


@cache
def cells(path: Path) -> list[Any]:
    return nbformat.read(path, as_version=4).cells


@cache
def prose(path: Path) -> str:
    """The Markdown of a page, without code."""
    if path.suffix == ".md":
        text = path.read_text(encoding="utf-8")
    else:
        text = "\n\n".join(cell.source for cell in cells(path) if cell.cell_type == "markdown")
    return without_code(text)


def without_code(text: str) -> str:
    """Markdown in which code is replaced by blanks; what a line holds stays in its line."""
    text = re.sub(r"^( *)```.*?^\1```[^\n]*$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", lambda found: "`" + "x" * len(found[2]) + "`", text)


def raw_headings(path: Path) -> list[tuple[int, str]]:
    """Level and text of the headings, with their code."""
    text = path.read_text(encoding="utf-8") if path.suffix == ".md" else "\n\n".join(
        cell.source for cell in cells(path) if cell.cell_type == "markdown")  # fmt: skip
    text = re.sub(r"^( *)```.*?^\1```[^\n]*$", "", text, flags=re.MULTILINE | re.DOTALL)
    return [(len(marks), words.strip()) for marks, words in re.findall(r"^(#{1,6}) (.*)$", text, re.MULTILINE)]


@cache
def anchors(path: Path) -> set[str]:
    """What a # may lead to: as JupyterLab makes it in a notebook, as GitHub does in Markdown."""
    names = set(re.findall(r'(?:id|name)="([^"]+)"', prose(path)))
    for _, heading in raw_headings(path):
        words = re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading)
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        names.add(slug if path.suffix == ".md" else words.replace(" ", "-"))
    return names


class Tags(HTMLParser):
    """The links and the images of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.images: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        if tag == "img" and (found.get("width"), found.get("height")) != ("1", "1"):  # a dot that carries a script
            self.images.append((found.get("alt") or "").strip())


def links(text: str) -> Iterator[str]:
    """Where the links and the images of Markdown lead."""
    yield from re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", text)
    yield from Tags(text).links


def outputs(path: Path) -> Iterator[Any]:
    for cell in cells(path) if path.suffix == ".ipynb" else []:
        yield from cell.get("outputs", [])


# --- Links ---


def broken_links(path: Path, text: str) -> list[str]:
    broken = []
    for link in links(text):
        target, _, anchor = urllib.parse.unquote(link).partition("#")
        if re.match(r"[a-z]+:", target) or link.startswith("attachment:"):
            continue
        page = (path.parent / target).resolve() if target else path
        if not page.exists() or anchor and page.suffix in (".md", ".ipynb") and anchor not in anchors(page):
            broken.append(link)
    return broken


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_links_lead_somewhere(path: Path) -> None:
    assert broken_links(path, prose(path)) == []


START = ROOT / "notebooks" / "00-start.ipynb"


@pytest.mark.parametrize("link", ["nowhere.ipynb", "#No-such-heading", "91-messages.ipynb#Nothing", "../LICENCE"])
def test_a_broken_link_is_seen(link: str) -> None:
    assert broken_links(START, f"look [here]({link})") == [link]
    assert broken_links(START, f'<a href="{link}">here</a>') == [link]


def test_a_good_link_is_no_broken_one() -> None:
    text = "[a](91-messages.ipynb#Hooks) [b](https://example.org/x#y) [c](#The-chapters) [d](../README.md#the-engine-in-ten-lines)"
    assert broken_links(START, text) == []
    assert broken_links(START, without_code("`[a](nowhere)`\n\n```python\n[b](nowhere)\n```")) == []


def test_every_page_for_learners_is_linked_from_the_start_page() -> None:
    told = set(links(prose(START)))
    lessons = {path.name for path in (ROOT / "notebooks").glob("9*.ipynb")}
    assert lessons and lessons <= told


# --- Images ---


def images_without_words(path: Path) -> list[str]:
    text = prose(path)
    wrong = re.findall(r"!\[\s*\]\([^)]*\)", text)
    wrong += ["<img> in the text"] * Tags(text).images.count("")
    for output in outputs(path):
        data, meta = output.get("data", {}), output.get("metadata", {})
        wrong += ["<img> in an output"] * Tags(data.get("text/html", "")).images.count("")
        for kind in data:
            if kind.startswith("image/") and "text/html" not in data and not meta.get(kind, {}).get("alt", "").strip():
                wrong.append(kind)
    return wrong


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_images_have_words(path: Path) -> None:
    assert images_without_words(path) == []


def test_an_image_without_words_is_seen(tmp_path: Path) -> None:
    v4 = nbformat.v4
    page = tmp_path / "page.ipynb"
    bare = v4.new_output("display_data", {"image/png": "AA=="})
    told = v4.new_output("display_data", {"image/png": "AA=="}, metadata={"image/png": {"alt": "a curve"}})
    drawn = v4.new_output("display_data", {"text/html": '<img alt="" src="data:,">'})
    code = v4.new_code_cell("plot()", outputs=[bare, told, drawn])
    nbformat.write(v4.new_notebook(cells=[v4.new_markdown_cell("![](a.png) ![words](b.png)"), code]), page)
    assert images_without_words(page) == ["![](a.png)", "image/png", "<img> in an output"]


# --- Folded answers ---


def markdown_in_html(text: str) -> list[str]:
    """Folded answers with marks that stay as they are: up to the next empty line a reader's page is HTML."""
    blocks = re.findall(r"<details>.*?</details>", text, flags=re.DOTALL)
    return [block for block in blocks if "\n\n" not in block and re.search(r"`|\*\*[^*]+\*\*", block)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_folded_answers_have_no_marks_of_markdown(path: Path) -> None:
    assert markdown_in_html(prose(path)) == []


def test_a_mark_of_markdown_in_a_folded_answer_is_seen() -> None:
    bad, good = "<details><summary>Answer</summary>`x`</details>", "<details><summary>Answer</summary>\n\n`x`</details>"
    assert markdown_in_html(f"{good}\n\n{bad} <details>y</details>") == [bad]


# --- Headings ---


def skipped(levels: list[int]) -> list[int]:
    """The places where a heading is more than one level below the one before."""
    return [k for k, (one, two) in enumerate(zip([0, *levels], levels, strict=False)) if two > one + 1]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_headings_form_a_tree(path: Path) -> None:
    found = raw_headings(path)
    assert [words for level, words in found if level == 1] == [found[0][1]], "one title, at the top"
    assert [found[k] for k in skipped([level for level, _ in found])] == []


def test_a_skipped_level_is_seen() -> None:
    assert skipped([1, 2, 3, 2, 2]) == [] and skipped([1, 3, 2, 4]) == [1, 3] and skipped([2]) == [0]


# --- Spelling ---


def misspelled(*paths: Any) -> str:
    done = subprocess.run([sys.executable, "-m", "codespell_lib", "--toml", "pyproject.toml", *map(str, paths)],
                          cwd=ROOT, capture_output=True, text=True)  # fmt: skip
    assert not done.stderr, done.stderr
    return done.stdout


def test_spelling() -> None:
    assert misspelled(*TEXTS) == ""


def test_a_misspelled_word_is_seen(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("The " + "grad" + "eint of the loss, and " + "teh" + " rest.")
    assert "teh" in misspelled(tmp_path)


def test_own_words_are_used() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["codespell"]
    files = [path for text in TEXTS for path in [ROOT / text, *(ROOT / text).rglob("*")] if path.suffix in (".py", ".md")]
    every = "\n".join(path.read_text(encoding="utf-8") for path in files).lower()
    assert [word for word in settings["ignore-words-list"].split(",") if not re.search(rf"\b{word}\b", every)] == []


# --- For teachers ---


def test_pages_for_teachers_have_what_the_chapters_and_the_bank_have() -> None:
    assert teachers.stale(ROOT) == []


@pytest.mark.parametrize("number", bank.chapters())
def test_a_page_for_teachers_is_whole(number: str) -> None:
    card = teachers.fields(ROOT, number)
    assert list(card) == list(teachers.CARD), "the card at the top of the lesson"
    text = (ROOT / "docs" / "teachers" / f"{number}.md").read_text(encoding="utf-8")
    for exercise in bank.exercises(number).values():
        assert f"### {exercise.id} {exercise.title}" in text
        for name, mistake in exercise.mistakes.items():
            assert name in text and teachers.one_line(mistake.hint) in text
    assert text.count("\n1. *") == 1 and text.count("\n3. *") == 1, "three questions to discuss"


def test_a_stale_page_for_teachers_is_seen_and_renewed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs" / "teachers", tmp_path / "docs" / "teachers")
    shutil.copytree(ROOT / "chapters", tmp_path / "chapters")
    page = tmp_path / "docs" / "teachers" / "04.md"
    right = page.read_text(encoding="utf-8")
    page.write_text(right.replace("04.2 One row", "04.2 Two rows").replace("## In class", "## In the class"), encoding="utf-8")
    assert teachers.stale(tmp_path) == ["docs/teachers/04.md"]
    assert teachers.write(tmp_path) == ["wrote docs/teachers/04.md"] and teachers.write(tmp_path) == []
    assert page.read_text(encoding="utf-8") == right.replace("## In class", "## In the class"), "what is written by hand stays"
