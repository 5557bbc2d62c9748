"""The shorter paths of the start page: each has what its chapters need, and takes as long as it says."""

import re
from pathlib import Path

import pytest

CHAPTERS = Path(__file__).parents[2] / "chapters"
START = (CHAPTERS / "00-start.py").read_text(encoding="utf-8")
MINUTES = {
    number: int(lesson) + int(exercises)
    for number, lesson, exercises in re.findall(
        r"^# \| (\d\d) \| .* \| (\d+) \+ (\d+) min(?:, M\d: \d+ min)? \|$", START, re.MULTILINE
    )
}
ENGINE = {n: int(m) for n, m in re.findall(r"^# \| (\d\d) \| .* min, M\d: (\d+) min \|$", START, re.MULTILINE)}
PATHS = {
    name: (whom, re.findall(r"\d\d", chapters.split(", then")[0]), chapters, time)
    for name, whom, chapters, time in re.findall(r"^# \| \*\*(.+?)\*\* \| (.*?) \| (.*?) \| (.*?) \|$", START, re.MULTILINE)
}


def numbers(words: str) -> set[str]:
    """The chapters that a text names: "chapters 01 to 03, 06" is 01, 02, 03 and 06."""
    found = set(re.findall(r"\b\d\d\b", words))
    for first, last in re.findall(r"\b(\d\d) to (\d\d)\b", words):
        found |= {f"{n:02}" for n in range(int(first), int(last) + 1)}
    return found


def needed(chapter: str) -> set[str]:
    """What a chapter builds on. What it repeats, or says in a line, or what only helps, is not counted."""
    (path,) = CHAPTERS.glob(f"{chapter}-*.py")
    (row,) = re.findall(r"^# \| \*\*You need\*\* \| (.*) \|$", path.read_text(encoding="utf-8"), re.MULTILINE)
    clauses = [clause for clause in re.split(r"; |, and of ", row) if re.match(r"\s*(chapters? |\d\d)", clause)]
    return set().union(*(numbers(clause) for clause in clauses if not re.search(r"helps|hint|repeat|or \d\d", clause)))


def test_the_rows_are_read() -> None:
    assert set(PATHS) == {"Essentials", "Researcher", "Engine builder"} and len(MINUTES) == 17
    assert needed("04") == {"01", "02", "03"} and needed("09") == {"04"} and {"01", "07", "15"} <= needed("16")


@pytest.mark.parametrize("name", PATHS)
def test_a_path_has_what_its_chapters_need(name: str) -> None:
    whom, chapters, listed, _ = PATHS[name]
    on_the_way = chapters + (["16", "17"] if "then 16 and 17" in listed else [])
    known = set(on_the_way) | numbers(whom)
    missing = {chapter: sorted(needed(chapter) - known) for chapter in on_the_way if needed(chapter) - known}
    assert missing == {}


@pytest.mark.parametrize("name", PATHS)
def test_a_path_takes_as_long_as_it_says(name: str) -> None:
    _, chapters, _, time = PATHS[name]
    told = [60 * int(hours) + int(minutes) for hours, minutes in re.findall(r"(\d+) h (\d\d)", time)]
    parts = [sum(MINUTES[chapter] for chapter in chapters)]
    if name == "Engine builder":
        parts += [sum(ENGINE[chapter] for chapter in chapters if chapter in ENGINE), MINUTES["16"] + MINUTES["17"]]
        assert set(ENGINE) <= set(chapters), "the path has every chapter that asks for a milestone"
    assert len(told) == len(parts) and all(abs(a - b) < 5 for a, b in zip(told, parts, strict=True)), (told, parts)


@pytest.mark.parametrize("page", sorted(path.stem for path in CHAPTERS.glob("8*.py")))
def test_a_page_of_the_gallery_is_linked_from_the_start_and_from_the_chapter_that_makes_it_possible(page: str) -> None:
    linking = {path.name[:2] for path in CHAPTERS.glob("[01]*.py") if f"({page}.ipynb)" in path.read_text(encoding="utf-8")}
    assert "00" in linking and linking & {"09", "15"}
