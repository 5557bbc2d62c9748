"""The ledger of saved memory agrees with the engine's own nodes, and with what is really freed."""

from __future__ import annotations

import doctest
import gc
import weakref
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_viz_shapes import lines_of
from test_viz_steps import leaf, program

import minigrad as mg
from minigrad import viz
from minigrad.viz import ledger

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.full
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 25))
def test_rows_and_total_are_the_engines(seed: int, length: int) -> None:
    made, result = program(seed, length)
    nodes, stack = [], [result.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in nodes:
            nodes.append(node)
            stack += [source for source, _ in node.next_functions]
    kept = [(node.name(), info.name, info.nbytes) for node in nodes for info in node._info_of_saved()]
    blocks = {}
    for node in nodes:
        for info in node._info_of_saved():
            array = info.tensor._array
            while isinstance(array.base, np.ndarray):
                array = array.base
            blocks[id(array)] = array.nbytes
    told = viz.memory(result, names=made)
    assert sorted((row.node, row.saved) for row in told.rows) == sorted((name, saved) for name, saved, _ in kept)
    assert told.total == sum(blocks.values()) == sum(row.nbytes for row in told.rows if row.counted)
    titles = [f.node for f in viz.steps(result, names=made).frames]
    for row in told.rows:
        assert titles[row.step - 1] == row.node and row.step <= row.last_step


def test_shared_memory_is_counted_once() -> None:
    x = leaf([1.0, 2.0, 3.0])
    y = x.exp()
    L = (y * y[1:].sum()).sum()
    told = viz.memory(L)
    assert told.total == 12 + 4 and [row.memory for row in told.rows] == [1, 2, 1]
    assert [row.counted for row in told.rows] == [True, True, False]
    assert {row.last_step for row in told.rows if row.memory == 1} == {told.rows[-1].step}
    assert "Memory 1 is kept until step 5." in told.text


def test_a_window_keeps_the_whole_memory() -> None:
    whole = mg.zeros(1000)
    x = leaf(1.0)
    assert viz.memory(x * whole[:1]).total == 4_000 + 0
    assert viz.memory(x * mg.ones(1).expand(1000)).total == 4


def test_the_steps_are_when_memory_goes() -> None:
    x = leaf([1.0, 2.0])
    L = (x.exp().sin() * 2).sum()
    rows = {row.node: row.step for row in viz.memory(L).rows}
    watch = weakref.ref(L.grad_fn.next_functions[0][0].next_functions[0][0]._info_of_saved()[0].tensor._array)
    alive: list[tuple[str, bool]] = []
    node = L.grad_fn
    while node is not None:
        title = node.name().rpartition("::")[2]
        if title != "AccumulateGrad":
            node.register_hook(lambda gi, go, title=title: alive.append((title, watch() is not None)))
        node = node.next_functions[0][0] if node.next_functions else None
    gc.disable()
    try:
        L.backward()
    finally:
        gc.enable()
    assert rows == {"SinBackward0": 3, "ExpBackward0": 4}
    assert dict(alive)["ExpBackward0"] and watch() is None


def test_after_backward() -> None:
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.backward()
    told = viz.memory(y)
    assert told.total == 0 and all(row.freed and not row.counted for row in told.rows) and len(told.rows) == 2
    assert "self is freed" in told.text and "all are freed" in told.alt


def test_several_roots_and_none() -> None:
    x = leaf([1.0, 2.0])
    a, b = x.sin(), x.exp()
    told = viz.memory(a, b)
    assert told.total == 16 and "of a and b" in told.text
    assert viz.memory(x).rows == () and viz.memory(x).total == 0
    constant = mg.tensor(2.0)
    assert viz.memory(constant).text == "constant without a graph: nothing is kept"


def test_what_is_drawn() -> None:
    x = leaf([1.0, 2.0, 3.0])
    y = x.exp()
    L = (y * y).sum()
    told = viz.memory(L)
    root = ET.fromstring(told.svg)
    assert len(list(root.iter(SVG + "path"))) == len(told.rows) == 3
    texts = lines_of(root)
    assert texts.count("(3,) float32") == 1 and "12 bytes, until step 3" in texts
    assert "12 bytes" in lines_of(ET.fromstring(viz.memory(y).svg))  # which no other node keeps longer
    assert root.find(SVG + "title").text == told.alt
    for text in root.iter(SVG + "text"):
        assert float(text.get("x")) < float(root.get("width"))
    assert told.png()[:4] == b"\x89PNG"


def test_bars_are_as_long_as_the_memory_is_large() -> None:
    told = viz.memory(leaf([1.0] * 8).exp().sum() + leaf([1.0, 2.0]).exp().sum())
    bars = [float(r.get("width")) for r in ET.fromstring(told.svg).iter(SVG + "rect") if r.get("height") == "5"]
    assert len(bars) == 2 and max(bars) == pytest.approx(4 * min(bars), abs=2)


def test_large_graphs_say_what_is_left_out() -> None:
    x = leaf([1.0])
    y = x
    for _ in range(500):
        y = y.sin()
    told = viz.memory(y)
    assert len(told.rows) == 500 and told.total == 2_000 and len(told.svg) < 60_000 and len(told.text) < 30_000
    assert "Drawn: the first 30 nodes of 500. The others keep 1,880 bytes more; .rows has all." in told.alt


def test_nothing_is_disturbed() -> None:
    x = leaf([1.0, 2.0])
    calls: list = []
    x.register_hook(calls.append)
    y = (x * x).exp().sum()
    gc.disable()
    try:
        told = viz.memory(y)
        node = weakref.ref(y.grad_fn)
        assert x.grad is None and not calls and x._version == 0
        y.backward()
        del y
        assert node() is None and told.rows
    finally:
        gc.enable()


@pytest.mark.parametrize("wrong", [3, [1.0], None])
def test_wrong_calls(wrong) -> None:
    with pytest.raises(TypeError, match=r"memory\(\) draws tensors of minigrad, not"):
        viz.memory(wrong)


def test_the_docstring_is_true() -> None:
    result = doctest.testmod(ledger)
    assert result.attempted == 8 and result.failed == 0
