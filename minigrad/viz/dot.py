"""`to_graphviz`: the same graph for those who want Graphviz."""

from __future__ import annotations

import functools
import shutil
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .drawing import check_tensors
from .graph import Item, collect
from .names import Names, variables_of
from .panels import node_lines
from .peek import Tensor
from .picture import TONES

if TYPE_CHECKING:
    import graphviz

MAX_NODES = 500
_NO_DOT = "Graphviz draws this with the program dot, which is not installed here; viz.draw needs no program."


def to_graphviz(*tensors: Tensor, names: Mapping[str, Tensor] | None = None, max_nodes: int = MAX_NODES) -> graphviz.Digraph:
    """The graph that the engine keeps behind one or several tensors, as a `graphviz.Digraph`.

    It needs the package graphviz (ImportError without it) and, to be shown or rendered, Graphviz's program dot. Its
    source needs neither: `to_graphviz(t).source`. names and max_nodes: as in `draw`.
    """
    check_tensors("to_graphviz", tensors, names)
    if max_nodes < 1:
        raise ValueError(f"max_nodes is at least 1, not {max_nodes}")
    known = Names(variables_of(sys._getframe(1)) if names is None else names)
    graph = collect(tensors, known, (), max_nodes)
    digraph = _class()(graph_attr={"rankdir": "BT"}, node_attr={"shape": "box", "fontname": "Helvetica", "style": "filled"})
    if graph.notes:
        digraph.attr(label="\n".join(graph.notes))
    for i, item in enumerate(graph.items):
        if item.title or item.kind == "fold":
            fill, stroke, _, _ = TONES[_tone(item)]
            digraph.node(f"n{i}", _label(item), fillcolor=fill, color=stroke)
    for k, link in enumerate(graph.links):
        item, head = graph.items[link.source], f"n{link.source}"
        if item.kind == "constant":
            head = f"none{k}"
            digraph.node(head, "None" if item.count == 1 else f"{item.count} × None", shape="plaintext", fillcolor="white")
        style = {"style": "dotted"} if item.kind == "constant" else {}
        digraph.edge(f"n{link.user}", head, label=str(link.output) if link.output else None, **style)
    return digraph


def _tone(item: Item) -> str:
    return "fold" if item.kind == "fold" else "leaf" if item.kind == "leaf" else "freed" if item.freed else "node"


def _label(item: Item) -> str:
    import graphviz

    return graphviz.escape("\n".join(node_lines(item))).replace("\n", "\\n")


@functools.cache
def _class() -> type[graphviz.Digraph]:
    """A Digraph that says what is missing instead of failing in the middle of a notebook."""
    try:
        import graphviz
    except ImportError:
        raise ImportError("to_graphviz needs the package graphviz: pip install graphviz; viz.draw needs no package") from None

    class Digraph(graphviz.Digraph):
        def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **options: Any) -> dict[str, Any]:
            if shutil.which("dot") is None:
                return {"text/plain": _NO_DOT}
            return super()._repr_mimebundle_(include, exclude, **options)

    return Digraph
