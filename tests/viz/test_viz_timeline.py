"""The picture of an in-place error: versions, pins and verdicts are the engine's."""

from __future__ import annotations

import doctest
import random
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_viz_shapes import lines_of
from test_viz_steps import leaf, program

import minigrad as mg
from minigrad import viz
from minigrad.viz import versions
from minigrad.viz.paint import Path, Text

SVG = "{http://www.w3.org/2000/svg}"


def broken() -> tuple[mg.Tensor, ...]:
    x, w = leaf([1.0, 2.0, 3.0]), leaf([1.0, 2.0, 3.0])
    y = x.exp()
    z = y * w
    y.add_(1)
    return x, w, y, z, (z * y).sum()


@pytest.mark.full
@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 25))
def test_the_verdict_is_that_of_the_real_pass(seed: int, length: int) -> None:
    made, result = program(seed, length)
    r = random.Random(seed)
    with mg.no_grad():
        for t in r.choices(list(made.values()), k=r.randrange(3)):
            t.mul_(2)
    told = viz.timeline(result, names=made)
    nodes, stack, saved = [], [result.grad_fn], []
    while stack:
        node = stack.pop()
        if node is not None and node not in nodes:
            nodes.append(node)
            stack += [source for source, _ in node.next_functions]
            title = node.name().rpartition("::")[2]
            saved += [(title, i.name, i.saved_version, i.version_now) for i in node._info_of_saved()]
    pins = [pin for track in told.tracks for pin in track.pins]
    assert sorted((pin.node, pin.saved, pin.version, pin.now) for pin in pins) == sorted(saved)
    stops = [frame for frame in viz.steps(result, names=made).frames if frame.error]
    assert bool(told.wrong) == bool(stops)
    if stops:
        assert (told.wrong[0].step, told.wrong[0].node) == (stops[0].number, stops[0].node)
        with pytest.raises(RuntimeError, match="modified"):
            result.backward()
    else:
        result.backward()


def test_lines_and_words() -> None:
    x, w, y, z, L = broken()
    told = viz.timeline(L)
    first = broken.__code__.co_firstlineno
    track = told.tracks[0]
    assert (track.name, track.shape, track.version) == ("y", (3,), 1)
    assert [(write.version, write.line, write.text) for write in track.writes] == [(1, first + 4, "y.add_(1)")]
    assert [(p.node, p.of, p.saved, p.tensor, p.version, p.line, p.right) for p in track.pins] == [
        ("MulBackward0", None, "other", "y", 1, first + 5, True),
        ("MulBackward0", "z", "self", "y", 0, first + 3, False),
        ("ExpBackward0", None, "result", "y", 0, first + 2, False),
    ]
    assert [pin.node for pin in told.wrong] == ["MulBackward0", "ExpBackward0"]
    line = f"Step 4, MulBackward0 of z: saved y as self (line {first + 3}) at version 0, finds 1: wrong."
    assert f"  {line} The pass stops here." in told.text.splitlines() and line in told.alt
    assert told.text.count("stops") == 1 and "2 overwritten" in told.alt
    assert "Not drawn: 2 saved tensors to which nobody wrote." in told.text  # z and w


def test_pins_of_one_version_run_beside_each_others_words() -> None:
    w = leaf([1.0, 2.0]) * 1
    L = (w * w + w.exp() * w).sum()
    w.mul_(2)
    scene = viz.timeline(L)._scene
    paths = [shape for shape in scene.shapes if isinstance(shape, Path)]
    dotted = [(*top, bottom) for (_, top), (_, (_, bottom)) in (path.steps for path in paths if path.dash)]
    words = [shape for shape in scene.shapes if isinstance(shape, Text)]
    assert len(dotted) == 3
    assert [t.runs[0].text for t in words if t.runs[0].text in ("saved here", "checked here")] == ["saved here", "checked here"]
    assert not [t for x, top, bottom in dotted for t in words if t.x <= x <= t.x + t.width and top < t.y - 4 < bottom]
    assert max(at[0] for path in paths for _, at in path.steps) <= scene.left + scene.width


def test_after_the_failed_pass() -> None:
    *_, L = broken()
    before = viz.timeline(L)
    with pytest.raises(RuntimeError):
        L.backward()
    after = viz.timeline(L)
    assert [pin.step for pin in after.wrong] == [pin.step for pin in before.wrong] == [4, 6]
    assert "The saved tensors of 1 node are freed" in after.text and len(after.tracks[0].pins) == 2


def test_before_anything_happened_and_after_success() -> None:
    x = leaf([1.0, 2.0])
    y = (x * x).exp().sum()
    told = viz.timeline(y)
    assert not told.wrong and "all as they were" in told.alt and "finds 0: right." in told.text
    y.backward()
    assert viz.timeline(y).tracks == () and "Behind y nothing is saved." in viz.timeline(y).text
    assert "Behind x nothing is saved." in viz.timeline(x).text


def test_a_write_through_a_view_counts_for_the_base() -> None:
    x = leaf([1.0, 2.0])
    y = x * 1
    z = y * y
    y[0] = 5.0
    told = viz.timeline(z, names={"first": y[0], "y": y, "x": x})
    assert told.tracks[0].name == "y" and told.tracks[0].writes[0].text == "y[0] = 5.0"
    assert len(told.wrong) == 2


@pytest.mark.parametrize("window", ["y[0]", None])
def test_the_head_has_the_shape_of_the_tensor_it_names_when_a_window_was_saved(window: str | None) -> None:
    x, y = leaf(3.0), mg.zeros(2)
    y[0] = x**2
    y[1] = y[0] * x
    told = viz.timeline(y, names={"y": y} if window is None else {window: y[0], "y": y})
    assert told.tracks[0].name == "y" and told.tracks[0].shape == (2,)
    assert "y (2,) float32, version 2 now" in told.text.splitlines()
    assert any("(2,) float32" in text for text in lines_of(ET.fromstring(told.svg)))


def test_what_is_drawn() -> None:
    *_, L = broken()
    told = viz.timeline(L)
    root = ET.fromstring(told.svg)
    texts = lines_of(root)
    assert "version 1" in texts and "y.add_(1)" in texts and any("the pass stops here" in t for t in texts)
    colours = [e.get("stroke") for e in root.iter(SVG + "path")]
    assert colours.count("#0072b2") == 3  # one pin: its line, its arrow, a tick of one stroke
    assert colours.count("#d55e00") == 2 * 4  # two pins: line, arrow, a cross of two strokes
    assert colours.count("#1b2733") == 1  # the stairs
    stairs = next(e for e in root.iter(SVG + "path") if e.get("stroke") == "#1b2733").get("d").split()
    heights = [float(stairs[k]) for k in range(1, len(stairs), 2)]
    assert heights == sorted(heights, reverse=True) and len(set(heights)) == 2
    bold = [e.text for e in root.iter(SVG + "text") if e.get("fill") == "#b34700" and e.get("font-weight") == "bold"]
    assert len(bold) == 3 and bold[2] == "the pass stops here"  # of the pin that stops the pass, and no other
    assert told.png()[:4] == b"\x89PNG" and root.find(SVG + "title").text == told.alt


@pytest.mark.parametrize(("writes", "columns"), [(0, 1), (1, 2), (6, 7), (40, 5)])
def test_many_versions_are_folded(writes: int, columns: int) -> None:
    x, w = leaf([1.0]), leaf([2.0])
    with mg.no_grad():
        for _ in range(writes // 2):
            w.add_(1)
    z = x * w
    with mg.no_grad():
        for _ in range(writes - writes // 2):
            w.add_(1)
    track = viz.timeline(z, names={"w": w}).tracks[0]
    assert track.version == writes and len(track.writes) == min(writes, 16)
    seen = versions._columns(track)
    assert seen[0][0] == 0 and seen[-1][1] == writes
    assert all(b[0] == a[1] + 1 for a, b in zip(seen, seen[1:], strict=False))
    assert len(seen) == columns + (writes == 40)


def test_many_saved_tensors_are_folded() -> None:
    x = leaf([1.0])
    y, kept = x, []
    for _ in range(50):
        y = y.exp()
        kept.append(y)
    with mg.no_grad():
        for t in kept[:20]:
            t.add_(1)
        x.add_(1)
    told = viz.timeline(y, names={})
    assert len(told.tracks) == 50 and len(told.wrong) == 20 and len(told.svg) < 60_000
    assert "Not drawn: " in told.alt and "more; .tracks has all." in told.alt
    many = sum((x * leaf(1.0) for _ in range(30)), start=x * 1)
    with mg.no_grad():
        x.add_(1)
    assert "And 18 more: 0 right, 18 wrong." in viz.timeline(many, names={"x": x}).text


@pytest.mark.parametrize("wrong", [3, "y", None])
def test_wrong_calls(wrong) -> None:
    with pytest.raises(TypeError, match=r"timeline\(\) draws tensors of minigrad, not"):
        viz.timeline(wrong)
    with pytest.raises(TypeError, match=r"timeline\(\) needs a tensor"):
        viz.timeline()


def test_the_docstring_is_true() -> None:
    result = doctest.testmod(versions)
    assert result.attempted == 8 and result.failed == 0
