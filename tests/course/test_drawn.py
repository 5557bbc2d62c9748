"""A wrong graph is drawn beside the wanted one, with a mark where they begin to differ; progress is a bar."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from minigrad.course import check
from minigrad.course.bank import ch01
from minigrad.course.showing import drawn, render
from minigrad.viz.picture import HALO

SVG = "{http://www.w3.org/2000/svg}"


def marked(lines: list[str], others: list[str]) -> list[str]:
    return [box.rows[0].runs[0].text for box in drawn._panel("", lines, others).boxes if box.marked]


WANTED = ["1: MulBackward0(a, b)", "2: ExpBackward0(1)", "3: SubBackward0(2, c)"]


@pytest.mark.parametrize(
    ("mine", "first", "second"),
    [
        (WANTED, [], []),
        (["1: MulBackward0(a, b)", "2: ExpBackward0(1)", "3: AddBackward0(2, c)"], ["AddBackward0"], ["SubBackward0"]),
        (["1: MulBackward0(a, c)", "2: ExpBackward0(1)", "3: SubBackward0(2, c)"], ["MulBackward0"], ["MulBackward0"]),
        (WANTED[:2], [], ["SubBackward0"]),
        (["1: MulBackward0(a, b)", "2: MulBackward0(a, b)", "3: ExpBackward0(2)", "4: SubBackward0(3, c)"], ["MulBackward0"], []),
    ],
)
def test_what_is_marked(mine: list[str], first: list[str], second: list[str]) -> None:
    assert (marked(mine, WANTED), marked(WANTED, mine)) == (first, second)


def test_every_node_and_edge_is_there() -> None:
    picture = drawn.graphs(["1: MulBackward0(a, None)"], WANTED)
    words = [text.text for text in ET.fromstring(picture.svg).iter(SVG + "text")]
    assert words.count("a") == 2 and words.count("c") == 1 and words.count("None") == 1 and "Your graph" in words
    assert sum(r.get("fill") == HALO for r in ET.fromstring(picture.svg).iter(SVG + "rect")) == 2
    assert picture.alt.startswith("Your graph: 1: MulBackward0(a, None). The graph that is wanted: 1: Mul")
    assert drawn.graphs([], WANTED) is None and drawn.graphs([f"{k}: A(x)" for k in range(25)], WANTED) is None


SIGNS = [chr(0x4E00 + k) for k in range(3000)]


@pytest.mark.parametrize(
    "lines",
    [
        [f"{k}: A({', '.join(SIGNS[k::24])})" for k in range(24)],
        [f"{k}: A({', '.join(SIGNS[3 * k : 3 * k + 3])})" for k in range(21)],
        ["1: A(2)", "2: A(1)"],
        ["1: A(1)"],
        ["1: A(7)"],
        ["1: A(²)"],
    ],
    ids=["3,000 inputs", "63 inputs", "a cycle", "itself", "no line", "no digit"],
)
def test_what_no_answer_builds_is_not_drawn(lines: list[str]) -> None:
    assert drawn.graphs(lines, WANTED) is None


def test_a_wrong_graph_is_drawn_and_a_right_one_is_not() -> None:
    wrong = check("01.2", lambda a, b, c: (a * b + c) / ((a * b).exp() + 1), quiet=True)
    assert not wrong and wrong.html.count("<img") == 2 and "Your graph: 1: MulBackward0(a, b)" in wrong.html
    assert "<img" not in check("01.2", ch01.build, quiet=True).html
    assert "<img" not in check("01.2", lambda a, b, c: 3, quiet=True).html


def test_a_bar_is_as_long_as_what_is_done() -> None:
    assert 'aria-label="3 of 4"' in render.bar_html(3, 4) and "width:75%" in render.bar_html(3, 4)
    assert "width:0%" in render.bar_html(0, 0)
