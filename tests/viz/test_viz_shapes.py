"""Every picture of boxes, at every size: nothing overlaps, text stays in its box and on the paper, nothing is too large."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_viz_steps import leaf, program

import minigrad as mg
from minigrad import viz
from minigrad.viz.paint import RUN_GAP, Style, text_width

SVG = "{http://www.w3.org/2000/svg}"
MARKS = ("#d55e00",)  # the ring around a marked box


def boxes_of(root: ET.Element) -> list[tuple[float, float, float, float]]:
    """Left, top, right and lower edge of the boxes: not of the paper, rings, bars and dots."""
    rects = [r for r in list(root.iter(SVG + "rect"))[1:] if r.get("stroke") not in MARKS and float(r.get("height")) > 9]
    found = []
    for r in rects:
        x, y, w, h = (float(r.get(k)) for k in ("x", "y", "width", "height"))
        found.append((x, y, x + w, y + h))
    return found


def texts_of(root: ET.Element) -> list[tuple[float, float, float, str]]:
    """Left and right end, baseline and words of each line."""
    found = []
    for text in root.iter(SVG + "text"):
        width = _width(text)
        left = float(text.get("x")) - (width / 2 if text.get("text-anchor") == "middle" else 0)
        found.append((left, left + width, float(text.get("y")), text.text or ""))
    return found


def lines_of(root: ET.Element) -> list[str]:
    """The words of each line, of which several runs may stand beside each other."""
    found: list[str] = []
    end = None
    for left, right, y, words in texts_of(root):
        if end is not None and end[1] == y and abs(left - end[0] - RUN_GAP) < 0.03:
            found[-1] += " " + words
        else:
            found.append(words)
        end = right, y
    return found


def _width(span: ET.Element) -> float:
    return text_width(span.text or "", Style(float(span.get("font-size")), "", span.get("font-weight") == "bold"))


def sound(svg: str) -> None:
    root = ET.fromstring(svg)
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = boxes_of(root)
    for k, (left, top, right, low) in enumerate(boxes):
        assert min(left, top) > 0 and right < width and low < height
        for other in boxes[k + 1 :]:
            assert right <= other[0] or other[2] <= left or low <= other[1] or other[3] <= top
    for left, right, base, words in texts_of(root):
        assert left > 0 and right < width and 0 < base < height, words
        for box in boxes:
            if box[0] < (left + right) / 2 < box[2] and box[1] < base < box[3]:
                assert box[0] <= left + 0.01 and right - 0.01 <= box[2], words


@pytest.mark.full
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 30))
@example(2537, 30)  # a number beside the last arrow
def test_random_programs(seed: int, length: int) -> None:
    made, result = program(seed, length)
    told = viz.steps(result, names=made)
    for number in {1, len(told) // 2 + 1, len(told)}:
        sound(told.picture(number).svg)
    with mg.no_grad():
        made["x0"].add_(1)
    sound(viz.memory(result, names=made).svg)
    sound(viz.timeline(result, names=made).svg)


def chain(n: int) -> mg.Tensor:
    y = leaf([1.0, 2.0])
    for _ in range(n):
        y = y.exp()
    return y.sum()


def diamonds(n: int) -> mg.Tensor:
    y = leaf([1.0, 2.0])
    for _ in range(n // 3):
        y = y.sin() * y.cos()
    return y.sum()


def fan(n: int) -> mg.Tensor:
    return mg.stack([leaf(float(i)) for i in range(n)]).sum()


def shared(n: int) -> mg.Tensor:
    x = leaf(1.0)
    return mg.stack([x * leaf(2.0) for _ in range(n)]).sum()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("size", [1, 2, 5, 23, 60, pytest.param(500, marks=pytest.mark.weekly)])
@pytest.mark.parametrize("form", [chain, diamonds, fan, shared])
def test_forms_and_sizes(form: Callable[[int], mg.Tensor], size: int) -> None:
    result = form(size)
    told = viz.steps(result, names={})
    for number in {1, 2, len(told)}:
        sound(told.picture(number).svg)
    assert len(told.html) < 205_000
    for picture in (viz.memory(result, names={}), viz.timeline(result, names={})):
        sound(picture.svg)
        assert len(picture.svg) < 100_000
    x = result * 2
    for view in ("see", "keep"):
        picture = viz.draw(x, result, view=view, names={})
        assert len(picture.svg) < 150_000


def test_the_checks_see_what_they_should() -> None:
    good = viz.memory(chain(3)).svg
    sound(good)
    root = ET.fromstring(good)
    box = [r for r in root.iter(SVG + "rect") if float(r.get("height")) > 9][-1]
    box.set("y", str(float(box.get("y")) - 20))
    with pytest.raises(AssertionError):
        sound(ET.tostring(root, encoding="unicode"))
    root = ET.fromstring(good)
    next(t for t in root.iter(SVG + "text") if "bytes" in t.text).text = "much too long for its box" * 2
    with pytest.raises(AssertionError):
        sound(ET.tostring(root, encoding="unicode"))


PROGRAM = """
import hashlib, sys, minigrad as mg
from minigrad import viz
x = mg.tensor([1., 2., 3.], requires_grad=True); w = mg.tensor([.1, .2, .3], requires_grad=True)
y = x
for _ in range(12): y = (y * w + x).sin()
L, told = (y * y).sum(), viz.steps(y.sum())
with mg.no_grad(): w.mul_(2)
digest = hashlib.sha256()
for p in (viz.memory(L), viz.timeline(L), viz.draw(L, y, inputs=[w]), viz.draw(L, y, max_nodes=20), told):
    digest.update((p.text + p.html).encode())
digest.update(viz.to_graphviz(L).source.encode())
assert "matplotlib" not in sys.modules
print(digest.hexdigest())
"""


@pytest.mark.full
def test_bytes_are_stable() -> None:
    pytest.importorskip("graphviz")
    run = [sys.executable, "-c", PROGRAM]
    digests = {
        subprocess.run(run, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True).stdout
        for seed in ("1", "42")
    }
    assert len(digests) == 1 and len(digests.pop().strip()) == 64
