"""No word of the glossary is used in a lesson before it is explained, or at least marked or linked."""

import re
from collections.abc import Iterator
from pathlib import Path

import jupytext

CHAPTERS = Path(__file__).parents[2] / "chapters"
LESSONS = sorted(CHAPTERS.glob("[01]*.py"))


def cells(path: Path) -> Iterator[str]:
    """The prose of a lesson, exercises left out."""
    for cell in jupytext.reads(path.read_text(encoding="utf-8"), fmt="py:percent").cells:
        if "exercise" in cell.metadata:
            return
        if cell.cell_type == "markdown":
            yield re.sub(r"```.*?```", "", cell.source, flags=re.DOTALL)


def paragraphs(path: Path) -> Iterator[str]:
    for cell in cells(path):
        for paragraph in re.split(r"\n\s*\n|\n(?=\|)", cell):
            yield " ".join(paragraph.split())


def glossary() -> dict[str, str]:
    """Word → the number of the chapter that explains it."""
    text = "\n\n".join(cells(CHAPTERS / "90-glossary.py"))
    entries = re.findall(r"^### (.+?)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    return {word.strip("`"): re.search(r"\[Chapter\s+(\d\d)\]", body)[1] for word, body in entries}


def uses(word: str, paragraph: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(word)}(?:s|es|ed)?(?!\w)", paragraph, re.IGNORECASE if word.islower() else 0) is not None


def told(word: str, paragraph: str) -> bool:
    """Whether a paragraph explains a word (then it is emphasised there), or says where that is done."""
    marked = rf"(?:\*|<em>)[^*<]*{re.escape(word)}[^*<]*(?:\*|</em>)"
    return re.search(marked, paragraph, re.IGNORECASE) is not None or re.search(r"chapters? \d\d|\]\(\d\d-", paragraph) is not None


def too_early(word: str, home: str, lessons: list[tuple[str, list[str]]]) -> str | None:
    """The paragraph that uses a word first, where that is before its chapter and says nothing of it."""
    for number, texts in lessons:
        for paragraph in texts:
            if uses(word, paragraph):
                return None if number >= home or told(word, paragraph) else f"{number}: {paragraph}"
    return None


def test_the_glossary_is_read() -> None:
    words = glossary()
    assert len(words) > 50 and words["vjp"] == "04" and words["`no_grad`".strip("`")] == "11"


def test_words_are_explained_before_they_are_used() -> None:
    lessons = [(path.name[:2], list(paragraphs(path))) for path in LESSONS]
    found = {word: too_early(word, home, lessons) for word, home in glossary().items()}
    assert {word: paragraph for word, paragraph in found.items() if paragraph} == {}


def test_a_word_that_comes_too_early_is_found() -> None:
    lessons = [("01", ["Here is a hook."]), ("13", ["A *hook* is a function."])]
    assert too_early("hook", "13", lessons) == "01: Here is a hook."
    assert too_early("hook", "13", [("01", ["A *hook* is what …"])]) is None
    assert too_early("hook", "13", [("01", ["A hook (chapter 13)."])]) is None
    assert too_early("hook", "13", [("02", ["No shooks."]), *lessons[1:]]) is None
