"""`play`: a small graph that computes. Its inputs are sliders; values flow down it and slopes flow up, step by step."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import peek, scalars
from .drawing import Drawing, check_tensors, draw
from .maths import Maths, template
from .names import Names, held_results, variables_of
from .paint import Run, Style, number
from .peek import Node, Tensor
from .picture import GAP_FOR_NUMBERS, Arrow, Box, Panel, Placed, Row, label_places, place, way
from .rehearsal import order
from .scripts import script_image
from .words import figure

if TYPE_CHECKING:
    from .figure import Plot

MOST_BOXES = 30
PACE = 1400  # milliseconds for each step while it plays
EDGE = 14.0  # around the graph
_NAME, _SUM = Style(14, "", bold=True), Style(13, "")
_HEIGHT, _HEIGHT_OF_SUM = 74.0, 16.0
_TIP, _HALF = 8.0, 4.0  # the head of an arrow


@dataclass(slots=True)
class _Place:
    """A box: an input that slides, a constant, or an operation with its result."""

    kind: str  # "leaf", "constant" or "op"
    name: str
    value: Any = None  # of a leaf or a constant, and of an operation as it was recorded
    op: str = ""
    text: str = ""  # how the operation is written, with places for its operands
    reads: dict[str, int] = field(default_factory=dict)  # operand: the box that it comes from
    settings: dict[str, float] = field(default_factory=dict)  # operands without a box, and what else the formula reads
    edges: list[int] = field(default_factory=list)  # those along which it hands on slopes, in the order of its operands
    uses: int = 0

    def written(self, places: Sequence[_Place]) -> str:
        return self.text.format(
            **{operand: places[k].name for operand, k in self.reads.items()},
            **{name: f"{value:.4g}" for name, value in self.settings.items()},
        )


@dataclass(frozen=True, slots=True)
class _Edge:
    above: int
    below: int
    operand: str


@dataclass(slots=True)
class _Graph:
    places: list[_Place] = field(default_factory=list)
    edges: list[_Edge] = field(default_factory=list)
    forward: list[int] = field(default_factory=list)  # operations in the order in which they were recorded
    backward: list[int] = field(default_factory=list)  # in the order in which the engine walks back
    root: int = 0
    dtype: np.dtype = np.dtype(np.float32)


@dataclass(frozen=True, repr=False)
class Play:
    """A graph to play with: `.html` for a notebook or a page, `.still` as a drawing, `.text` with every step."""

    html: str
    text: str
    still: Drawing | Plot

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle = {"text/html": self.html, "text/plain": self.text}
        return {k: v for k, v in bundle.items() if (not include or k in include) and k not in (exclude or ())}


def play(tensor: Tensor, *, names: Mapping[str, Tensor] | None = None) -> Play:
    """Make a living picture of a small graph of single numbers.

    Each leaf that requires grad becomes a slider. Moving one computes all values and slopes again, in the page, from the
    graph that was recorded. ▶ sends the values down, then the slopes up, in numbered steps. tensor: the result, of one
    element. names: names for tensors, {"loss": L}; without it those of the variables at the call; a result without a name is
    called v1, v2, and so on. Nothing changes: no `.grad`, no saved tensor. Where no script may run, the still picture of
    `draw` is shown.

    Raises TypeError for what is no tensor, and ValueError for a tensor without a graph, for a graph that is large, that
    has tensors of several elements or an operation that the picture cannot compute, and for leaves that were changed since.

    >>> import minigrad as mg
    >>> from minigrad import viz
    >>> x = mg.tensor(3., requires_grad=True)
    >>> y = x * x
    >>> viz.play(y)
    A graph to play with: y, from x = 3
    Values
      1  y = x · x = 3 · 3 = 9
    Slopes of y
      2  y: 1
      3  y hands 1 × 3 = 3 to x, 1 × 3 = 3 to x
    Slopes of the inputs
      x: 3 + 3 = 6
    """
    check_tensors("play", (tensor,), names)
    if names is None:
        names = {name: value for name, value in variables_of(sys._getframe(1)) if issubclass(type(value), Tensor)}
    graph = _Reader(tensor, Names(names)).graph
    still = draw(tensor, view="slopes", names=names)
    return Play(_html(graph, still), _text(graph), still)


class _Reader:
    """From nodes to plain numbers."""

    def __init__(self, root: Tensor, names: Names) -> None:
        self.names, self.graph = names, _Graph()
        if root.grad_fn is None:
            raise ValueError("play() needs the result of an operation whose inputs require grad; this tensor has no grad_fn")
        walk = order([root.grad_fn])
        made = sorted((node for node in walk if not peek.is_leaf_node(node)), key=peek.number)
        self._check(walk, made)
        self.graph.dtype = np.dtype(peek.dtype_name(root))
        self.known = {k: _item(tensor) for k, tensor in held_results([root], made, names).items()}
        self.maths = Maths([root], walk, names)
        self.index: dict[int, int] = {}
        for node in sorted((node for node in walk if peek.is_leaf_node(node)), key=lambda node: self._first_use(node, made)):
            leaf = peek.variable(node)
            self.index[id(node)] = self._put(_Place("leaf", self.maths.name(node), _item(leaf)))
        for node in made:
            self._operation(node)
        self.graph.root = self.index[id(root.grad_fn)]
        self.graph.backward = [self.index[id(node)] for node in walk if not peek.is_leaf_node(node)]

    def _check(self, walk: Sequence[Node], made: Sequence[Node]) -> None:
        if len(walk) > MOST_BOXES:
            raise ValueError(f"play() shows at most {MOST_BOXES} boxes, and this graph has {len(walk)}: take viz.draw")
        for node in made:
            specs = peek.output_specs(node)
            if len(specs) != 1 or math.prod(specs[0][0]) != 1:
                what = f"results of shape {specs[0][0]}" if len(specs) == 1 else "several results"
                raise ValueError(f"play() computes with single numbers, and {_where(node)} has {what}: take viz.draw or viz.steps")
            if peek.operation(node) not in scalars.TABLE:
                raise ValueError(f"play() cannot compute {_where(node)}: take viz.draw or viz.steps. It knows {_known()}")
            if not specs[0][1].startswith("float"):
                raise ValueError(f"play() computes with real numbers, and {_where(node)} gives {specs[0][1]}")

    def _first_use(self, leaf: Node, made: Sequence[Node]) -> tuple[int, int]:
        return next((k, port) for k, node in enumerate(made) for port, (s, _) in enumerate(peek.edges(node)) if s is leaf)

    def _put(self, spot: _Place) -> int:
        self.graph.places.append(spot)
        return len(self.graph.places) - 1

    def _operation(self, node: Node) -> None:
        operation = peek.operation(node)
        entry, graph = scalars.TABLE[operation], self.graph
        settings = {"alpha": 1.0} | {name: v for name, value in peek.settings(node).items() if (v := _plain(value)) is not None}
        kept = {info.name: info for info in _kept(node)}
        spot = _Place("op", self.maths.name(node), op=operation, text=template(node))
        ports = dict(zip(peek.operands(node), peek.edges(node), strict=True))
        missing = []
        for operand in _operands(entry):
            source = ports.get(operand, (None, 0))[0]
            if source is not None:
                spot.reads[operand] = self.index[id(source)]
            elif operand in kept:
                named = self.names.of_saved(kept[operand])
                value = _item(kept[operand].tensor)
                if named:
                    spot.reads[operand] = self._constant(named[0], value)
                else:
                    spot.settings[operand] = value
            elif operand in settings:
                spot.settings[operand] = settings[operand]
            else:
                missing.append(operand)
        read = dict.fromkeys(word for text in (entry.value, *entry.slopes.values()) for word in scalars.reads(text))
        spot.settings |= {word: settings[word] for word in read if word not in (*_operands(entry), "result")}
        for operand in missing:
            spot.settings[operand] = self._solve(node, spot, operand)
        spot.value = self._compute(entry.value, spot)
        said = self.known.get(id(node))
        if said is not None and not np.isclose(spot.value, said, rtol=1e-3, atol=1e-6, equal_nan=True):
            now = f"with the inputs as they are now it is {spot.value:.4g}"
            raise ValueError(f"{_where(node)} gave {said:.4g}, and {now}: compute it anew, then play")
        k = self._put(spot)
        self.index[id(node)] = k
        graph.forward.append(k)
        for operand in entry.operands:
            if ports.get(operand, (None, 0))[0] is not None:
                spot.edges.append(len(graph.edges))
                graph.edges.append(_Edge(spot.reads[operand], k, operand))
                graph.places[spot.reads[operand]].uses += 1

    def _constant(self, name: str, value: float) -> int:
        for k, spot in enumerate(self.graph.places):
            if spot.kind == "constant" and spot.name == name:
                return k
        return self._put(_Place("constant", name, value))

    def _compute(self, formula: str, spot: _Place, **more: Any) -> Any:
        return scalars.compute(formula, _numbers(self.graph, spot) | more, self.graph.dtype)

    def _solve(self, node: Node, spot: _Place, operand: str) -> float:
        """A constant that the node did not keep, since no slope needs it: found from the result, where that is known."""
        result = self.known.get(id(node))
        formula = scalars.TABLE[spot.op].solve.get(operand)
        if formula is None:
            raise ValueError(f"what {_where(node)} saved was freed by a backward pass: compute it anew, then play")
        if result is None:
            raise ValueError(
                f"play() cannot tell which number stands in {_where(node)}: the engine keeps none that no slope needs. "
                "Give the result of that operation a name of its own"
            )
        exact = scalars.compute(formula, {**_numbers(self.graph, spot), "result": result}, np.dtype(np.float64))
        value = scalars.TABLE[spot.op].value
        return scalars.shortest(float(exact), lambda found: self._compute(value, spot, **{operand: found}) == result)


def _numbers(graph: _Graph, spot: _Place) -> dict[str, Any]:
    """What the formulas of an operation read, but for the result."""
    return {operand: graph.places[k].value for operand, k in spot.reads.items()} | spot.settings


def _operands(entry: scalars.Scalar) -> tuple[str, ...]:
    """All that the formula is written with: also the number of a power, which has no slope."""
    return tuple(dict.fromkeys((*entry.operands, *(o for o in ("self", "other", "exponent") if f"{{{o}}}" in entry.text))))


def _kept(node: Node) -> list[peek.SavedInfo]:
    return [info for info in peek.saved(node) if not info.freed and math.prod(info.shape) == 1]


def _item(tensor: Tensor) -> float:
    return float(peek.array(tensor).reshape(-1)[0])


def _plain(value: Any) -> float | None:
    """A setting as a number, if it is one."""
    if isinstance(value, Tensor) and math.prod(value.shape) == 1:
        return _item(value)
    return float(value) if isinstance(value, (int, float)) else None


def _where(node: Node) -> str:
    """The node, and the line that made it."""
    found = peek.place(peek.site(node))
    return peek.title(node) + (f" (line {found[0]}: {found[1]})" if found and found[1] else "")


def _known() -> str:
    return ", ".join(sorted({name.removesuffix("_tensor").removesuffix("_number").removesuffix("_base") for name in scalars.TABLE}))


# --- words


def _inner(value: Any) -> str:
    return f"({figure(value)})" if figure(value).startswith("-") else figure(value)


def _text(graph: _Graph) -> str:
    """Every step with its numbers, for terminals and for who compares."""
    spots, root = graph.places, graph.places[graph.root]
    inputs = ", ".join(f"{spot.name} = {figure(spot.value)}" for spot in spots if spot.kind == "leaf")
    lines = [f"A graph to play with: {root.name}, from {inputs}", "Values"]
    for step, k in enumerate(graph.forward, 1):
        spot = spots[k]
        numbers = {name: _inner(value) for name, value in _numbers(graph, spot).items()}
        shown = re.sub(r"\((\([^()]*\))\)", r"\1", spot.text.format(**numbers))  # ((-2)) is (-2)
        lines.append(f"  {step}  {spot.name} = {spot.written(spots)} = {shown} = {figure(spot.value)}")
    start = len(graph.forward) + 1
    lines += [f"Slopes of {root.name}", f"  {start}  {root.name}: 1"]
    arrived: list[list[Any]] = [[] for _ in spots]
    slope = {graph.root: graph.dtype.type(1)}
    for step, k in enumerate(graph.backward, start + 1):
        spot, sent = spots[k], []
        numbers = _numbers(graph, spot) | {"result": spot.value}
        for edge in (graph.edges[e] for e in spot.edges):
            local = scalars.compute(scalars.TABLE[spot.op].slopes[edge.operand], numbers, graph.dtype)
            with np.errstate(all="ignore"):
                message = slope[k] * local
                slope[edge.above] = slope[edge.above] + message if edge.above in slope else message
            arrived[edge.above].append(message)
            sent.append(f"{figure(slope[k])} × {_inner(local)} = {figure(message)} to {spots[edge.above].name}")
        lines.append(f"  {step}  {spot.name} hands {', '.join(sent)}")
    lines.append("Slopes of the inputs")
    for k, spot in enumerate(spots):
        if spot.kind == "leaf":
            terms = " + ".join(_inner(v) if n else figure(v) for n, v in enumerate(arrived[k]))
            lines.append(f"  {spot.name}: {terms}" + (f" = {figure(slope[k])}" if len(arrived[k]) > 1 else ""))
    return "\n".join(lines)


# --- the page


def _html(graph: _Graph, still: Drawing) -> str:
    operations = ",".join(map(scalars.script, dict.fromkeys(graph.places[k].op for k in graph.forward)))
    script = script_image("living", _told(graph), f"{scalars.SCRIPT_CALLS}const OPS={{{operations}}};")
    return f"<div>\n{still.html}\n{script}\n</div>"


def _told(graph: _Graph) -> dict[str, Any]:
    """What the script is given: boxes, arrows and their places."""
    boxes = [Box((Row((Run(_heading(p, graph), _NAME),)),), "tensor", least=_size(p)) for p in graph.places]
    arrows = []
    for below, p in enumerate(graph.places):
        arrows += [Arrow(above, below, port) for port, above in enumerate(p.reads.values())]
    placed, right, bottom = place([Panel("", "", boxes, arrows, upward=False)], EDGE / 2, GAP_FOR_NUMBERS)
    (layout,) = placed
    shift = EDGE - layout.left
    labels = label_places(layout)
    drawn = {(a.below, a.port): k for k, a in enumerate(arrows)}
    edges = []
    for edge in graph.edges:
        port = list(graph.places[edge.below].reads).index(edge.operand)
        k = drawn[edge.below, port]
        x, y = round(labels[k][0] + shift, 2), labels[k][1]
        edges.append({"above": edge.above, "below": edge.below, "operand": edge.operand, "x": x, "y": y} | _arrow(layout, k, shift))
    others = [_arrow(layout, k, shift) for k, a in enumerate(arrows) if graph.places[a.above].kind == "constant"]
    told = []
    for k, p in enumerate(graph.places):
        x, y = layout.corner(k)
        told.append({"kind": p.kind, "name": p.name, "x": x + shift, "y": y, "w": boxes[k].width, "h": boxes[k].height, "uses": p.uses}
                    | ({"op": p.op, "text": p.text, "reads": p.reads, "settings": p.settings, "edges": p.edges} if p.kind == "op"
                       else {"value": p.value}) | (_range(p.value) if p.kind == "leaf" else {}))  # fmt: skip
    root = graph.places[graph.root].name
    return {
        "label": f"The graph of {root}: space plays, the arrow keys go from step to step",
        "width": math.ceil(layout.layout.width + 2 * EDGE), "height": math.ceil(bottom + EDGE),
        "boxes": told, "edges": edges, "lines": [e["path"] for e in others], "forward": graph.forward, "backward": graph.backward,
        "root": graph.root, "leaves": [k for k, p in enumerate(graph.places) if p.kind == "leaf"],
        "single": graph.dtype == np.float32, "pace": PACE,
    }  # fmt: skip


def _heading(p: _Place, graph: _Graph) -> str:
    return f"{p.name} = {p.written(graph.places)}" if p.kind == "op" else p.name


def _size(p: _Place) -> tuple[float, float]:
    """Room for a slope, and for the sum of those that arrive."""
    wide = 96.0 if p.uses < 2 else max(Run(" + ".join(["-12.34"] * p.uses), _SUM).width + 22, 112.0)
    return round(wide), _HEIGHT + (_HEIGHT_OF_SUM if p.uses > 1 else 0.0)


def _range(value: float) -> dict[str, float]:
    """A slider from about -2 to 2 times the value, in steps that meet the value itself."""
    reach = max(2 * abs(value), 2.0)
    unit = 10.0 ** math.floor(math.log10(reach))
    reach = next(m * unit for m in (1, 2, 4, 5, 10) if m * unit >= reach * 0.999)
    step = reach / 100
    below, above = math.floor((value + reach) / step + 0.5), math.floor((reach - value) / step + 0.5)
    low, high = value - below * step, value + above * step
    return {"low": float(f"{low:.10g}"), "high": float(f"{high:.10g}"), "by": float(f"{step:.10g}")}


def _arrow(layout: Placed, k: int, shift: float) -> dict[str, Any]:
    """The way of an arrow from the box above to the one below, and its two heads."""
    path, (x, y), (nx, ny) = way(layout, k, shift)
    return {"path": path, "head": _tip(nx, ny, -_TIP), "tail": _tip(x, y, _TIP)}


def _tip(x: float, y: float, length: float) -> str:
    return " ".join(f"{number(a)},{number(b)}" for a, b in ((x, y), (x - _HALF, y + length), (x + _HALF, y + length)))
