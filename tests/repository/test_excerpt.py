"""Pieces of the engine in lessons are cut from the source, and a piece that is gone stops the build."""

from pathlib import Path

import pytest

from tools.excerpt import excerpt

SOURCE = '''\
"""A file."""


class Node:
    """A node."""

    @property
    def name(self):
        """Its name."""
        word = "node"
        return word

    def apply(self, g):
        a = g  # first
        b = a
        c = b
        return c
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "minigrad").mkdir()
    (tmp_path / "minigrad" / "tape.py").write_text(SOURCE)
    return tmp_path


def test_a_method_with_its_decorator_and_without_its_docstring(root: Path) -> None:
    told = excerpt(root, "tape.py:Node.name")
    assert told == (
        "[`minigrad/tape.py`](../minigrad/tape.py), `Node.name`:\n\n"
        '```python\n@property\ndef name(self):\n    word = "node"\n    return word\n```'
    )


def test_a_part(root: Path) -> None:
    assert "\na = g  # first\nb = a\nc = b\n" in excerpt(root, "tape.py:Node.apply", first="a = g", last="c = b")


def test_dots_stand_for_lines_between_those_that_are_kept(root: Path) -> None:
    told = excerpt(root, "tape.py:Node.apply", keep="def apply|b = a|return")
    assert "```python\ndef apply(self, g):\n    ...\n    b = a\n    ...\n    return c\n```" in told
    with pytest.raises(ValueError, match="no line holds 'd = c'"):
        excerpt(root, "tape.py:Node.apply", keep="def apply|d = c")


def test_dots_stand_for_what_is_cut_from_a_line(root: Path) -> None:
    told = excerpt(root, "tape.py:Node.apply", first="a = g", last="c = b", cut="g|c|# first")
    assert "\na = ...\nb = a\n... = b\n" in told
    with pytest.raises(ValueError, match="no line holds 'd'"):
        excerpt(root, "tape.py:Node.apply", first="a = g", last="c = b", cut="d")


@pytest.mark.parametrize(
    ("where", "first", "words"),
    [
        ("walk.py:run", None, "no file"),
        ("tape.py:Edge", None, "nothing is called 'Edge'"),
        ("tape.py:Node.run", None, "nothing is called 'run'"),
        ("tape.py:Node.apply", "d = c", "no line holds 'd = c'"),
        ("tape.py:Node.apply", "return c", "1 lines"),
    ],
)
def test_what_is_not_there_stops_the_build(root: Path, where: str, first: str | None, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        excerpt(root, where, first=first)
