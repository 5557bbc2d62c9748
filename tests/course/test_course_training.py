"""The data that comes with the course, and the progress bar."""

from __future__ import annotations

import doctest
import hashlib
import io
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from minigrad.course import data
from minigrad.course.data import cup_of_tea, digits
from minigrad.course.showing import bar as bar_module
from minigrad.course.showing.bar import bar, track

ROOT = Path(__file__).parents[2]


def test_the_digits_are_the_ones_that_the_note_describes() -> None:
    images, labels = digits()
    assert images.shape == (1797, 8, 8) and images.dtype == np.uint8 and (images.min(), images.max()) == (0, 16)
    assert labels.shape == (1797,) and labels.dtype == np.uint8
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert labels[:10].tolist() == list(range(10))
    assert images[0].tolist()[0] == [0, 0, 5, 13, 9, 1, 0, 0]
    assert hashlib.sha256(images.tobytes() + labels.tobytes()).hexdigest().startswith("87ff0c9e40dc7e2c")


def test_nobody_can_change_the_digits_of_another() -> None:
    images, _ = digits()
    images[:] = 0
    assert digits()[0].max() == 16


def test_the_cup_of_tea_is_that_of_the_first_page() -> None:
    page = (ROOT / "chapters" / "00-tea.py").read_text(encoding="utf-8")
    for name, values in zip(("minutes", "degrees"), cup_of_tea(), strict=True):
        assert f"{name} = mg.tensor({values})" in page
    cup_of_tea()[0].clear()
    assert len(cup_of_tea()[0]) == len(cup_of_tea()[1]) == 11


def test_the_data_are_small_and_say_where_they_are_from() -> None:
    folder = Path(data.__file__).parent
    note = (folder / "README.md").read_text(encoding="utf-8")
    for file in folder.glob("*.npz"):
        assert file.stat().st_size < 100_000
        assert f"`{file.name}`" in note
    assert "CC BY 4.0" in note and "10.24432/C50P49" in note
    assert "CC BY 4.0" in (digits.__doc__ or "")


def test_the_wheel_holds_the_data() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"*.npz", "README.md"} <= set(project["tool"]["setuptools"]["package-data"]["minigrad.course.data"])


@pytest.mark.parametrize(("done", "total", "blocks"), [(0, 4, 0), (1, 4, 6), (4, 4, 24), (1, 1000, 0), (999, 1000, 23), (0, 0, 24)])
def test_a_bar_is_full_only_at_the_end(done: int, total: int, blocks: int) -> None:
    line = bar(done, total)
    assert line == "█" * blocks + "·" * (24 - blocks) + f" {done}/{total}"


def test_words_around_a_bar() -> None:
    assert re.fullmatch(r"epochs █{12}·{12} 1/2 · loss 0\.5", bar(1, 2, "epochs", "loss 0.5"))


def test_track_gives_every_item_and_leaves_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[str] = []
    for item in track("abc", "items", note=lambda: f"after {seen[-1]}"):
        seen.append(item)
    assert seen == ["a", "b", "c"]
    assert capsys.readouterr().out == bar(3, 3, "items", "after c") + "\n"


def test_a_loop_that_is_left_leaves_the_bar_where_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    for item in (bar := track(range(4))):
        if item == 1:
            bar.close()  # type: ignore[attr-defined]
            break
    assert capsys.readouterr().out == bar_module.bar(1, 4) + "\n"


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_in_a_terminal_each_line_is_written_over_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    notes = iter(["a long note", "short"])
    list(track([1, 2], note=lambda: next(notes)))
    first, second, last = terminal.getvalue()[1:].split("\r")
    assert (first, second) == (bar(0, 2), bar(1, 2, "", "a long note"))
    assert last == bar(2, 2, "", "short").ljust(len(second)) + "\n"


def test_a_terminal_without_blocks_gets_question_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", newline="")
    monkeypatch.setattr(sys, "stdout", terminal)
    list(track([1]))
    terminal.seek(0)
    assert terminal.read() == "?" * 24 + " 1/1\n"


@pytest.mark.parametrize("module", [data, bar_module])
def test_the_examples_in_the_docstrings(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted >= 2 and result.failed == 0
