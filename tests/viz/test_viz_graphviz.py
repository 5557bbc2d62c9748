"""The same graph for Graphviz, and what is said where it is missing."""

from __future__ import annotations

import re
import shutil
import sys

import pytest
from test_viz_steps import leaf, program

import minigrad as mg
from minigrad import viz
from minigrad.viz import dot

pytest.importorskip("graphviz")


def test_every_node_and_edge() -> None:
    made, result = program(5, 20)
    nodes, edges, stack = [], 0, [result.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in nodes:
            nodes.append(node)
            edges += len(node.next_functions)
            stack += [source for source, _ in node.next_functions]
    source = viz.to_graphviz(result, names=made).source
    assert len(re.findall(r"^\tn\d+ \[label", source, re.M)) == len(nodes)
    assert source.count(" -> ") == edges


def test_labels() -> None:
    x = leaf([1.0, 2.0])
    y = x * 3
    source = viz.to_graphviz(y, names={"x": x, 'y "quoted" \\n': y}).source
    assert 'label="x\\nAccumulateGrad (2,)\\nadds to x.grad"' in source and "rankdir=BT" in source
    assert '\\"quoted\\" \\\\n = x · 3' in source and "style=dotted" in source
    assert viz.to_graphviz(y).source == viz.to_graphviz(y).source


def test_large_graphs_are_folded() -> None:
    y = leaf(1.0)
    for _ in range(600):
        y = y.sin()
    source = viz.to_graphviz(y).source
    assert source.count("SinBackward0") == 500 and "101 more nodes" in source and "max_nodes=601" in source


def test_without_dot_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    x = leaf(1.0)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    bundle = viz.to_graphviz(x * 2)._repr_mimebundle_()
    assert list(bundle) == ["text/plain"] and "the program dot, which is not installed here" in bundle["text/plain"]


def test_with_dot() -> None:
    if shutil.which("dot") is None:
        pytest.skip("the program dot is not installed")
    x = leaf(1.0)
    assert "<svg" in viz.to_graphviz(x * 2)._repr_mimebundle_()["image/svg+xml"]


def test_without_the_package_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    x = leaf(1.0)
    dot._class.cache_clear()
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(ImportError, match="needs the package graphviz: pip install graphviz"):
        viz.to_graphviz(x * 2)
    dot._class.cache_clear()
    assert viz.draw(x * 2).svg


def test_a_tensor_without_a_graph_is_no_node() -> None:
    x = leaf(1.0)
    source = viz.to_graphviz(x).source
    assert "n0" not in source and "x is a leaf: no operation made it" in source


def test_wrong_calls() -> None:
    with pytest.raises(TypeError, match=r"to_graphviz\(\) draws tensors of minigrad, not int"):
        viz.to_graphviz(3)
    with pytest.raises(ValueError, match="max_nodes is at least 1"):
        viz.to_graphviz(mg.tensor(1.0), max_nodes=0)
