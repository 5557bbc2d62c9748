"""A backward pass that leaves everything as it was: the engine itself walks stand-ins for the nodes.

A stand-in has the edges and the number of its node, so the engine takes them in its own order, sums what meets, and
undoes broadcasting as always. It asks the real node for the cotangents, and writes down what it saw. Leaves are
stand-ins too, with a copy of `.grad`. Nothing is freed, no hook is called. What does run is the user's own code inside
a node: the backward of a custom Function, and what unpacks a saved tensor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import peek, rules
from .graph import Graph
from .names import Names
from .panels import Slopes
from .peek import Node, Tensor, kind_of

LONGEST, LONGEST_OF_SEVERAL = 24, 12  # characters of a cotangent at an arrow
SMALL = 64  # sums of larger arrays are told by their shape


@dataclass(frozen=True, slots=True)
class Sent:
    """A cotangent on its way along an edge: `operand` is what the operation calls the input, `to` the node it goes to."""

    operand: str
    rule: str
    value: str
    to: str
    total: str  # what has met at the target so far
    arrived: int  # how many of the cotangents that the target waits for
    awaited: int
    target: int  # number of the node in `Pass.nodes`
    summed: tuple[int, ...] | None = None  # the shape before broadcasting was undone
    local: str = ""  # of single numbers: the slope that the cotangent was multiplied by


@dataclass(slots=True)
class Frame:
    """One node fires. Values are text: the numbers of a small tensor, the shape of a large one."""

    number: int
    node: str
    of: str | None  # the tensor that the operation made, or the leaf
    incoming: list[str]
    sent: list[Sent] = field(default_factory=list)
    where: list[str] = field(default_factory=list)  # the saved values that the rules read
    accumulated: tuple[str, str] | None = None  # .grad before and after
    freed: list[str] = field(default_factory=list)
    hooks: int = 0
    error: str | None = None
    place: int = -1  # number of the node in `Pass.nodes`
    moves: int = -1  # of a step forward: number of the leaf that moves, alone and with speed 1
    tangent: str = ""  # of a step forward: how fast the result moves

    @property
    def title(self) -> str:
        return f"{self.node} of {self.of}" if self.of else self.node


@dataclass(slots=True)
class Pass:
    frames: list[Frame]
    nodes: list[Node]
    roots: list[tuple[str, str]]  # the root and the cotangent that it is given
    starts: list[int]  # number of the node at which each root's cotangent arrives
    places: dict[int, int]  # number of each node, by its id


def rehearse(tensors: Sequence[Tensor], gradient: Any, names: Names, forward: bool = False) -> Pass:
    """Walk backward from the roots, after a walk forward from each leaf if `forward`. Raises what `backward` raises for a root or
    gradient that it refuses.

    An error on the way back, such as saved values that are gone, ends the pass: the last frame has its text.
    """
    given = gradient if isinstance(gradient, (list, tuple)) else [gradient]
    for g in given:
        if not (g is None or isinstance(g, Tensor)):
            raise TypeError(f"gradient is a tensor of the root's shape, or a list with one for each root, not {kind_of(g)}")
    edges, cotangents = peek.start(tensors, given if gradient is not None else [None] * len(tensors))
    walk = _Walk(names, [node for node, _ in edges])
    if forward:
        walk.forward()
    for (node, output), g in zip(edges, cotangents, strict=True):
        walk.meet(node, output, np.asarray(g._array))
    roots = [
        (names.of(t) or ("result" if len(tensors) == 1 else f"result {k + 1}"), peek.brief(g))
        for k, (t, g) in enumerate(zip(tensors, cotangents, strict=True))
    ]
    try:
        peek.walk([(walk.twin[id(node)], output) for node, output in edges], cotangents)
    except Exception as error:  # the user's own backward may raise anything
        walk.stop(error)
    finally:
        walk.close()
    return Pass(walk.frames, walk.nodes, roots, [walk.index[id(node)] for node, _ in edges], walk.index)


def slopes(tensors: Sequence[Tensor], names: Names, graph: Graph) -> Slopes:
    """The numbers of a pass from the roots for the arrows and boxes of a graph. An error on the way is told below the picture."""
    run = rehearse(tensors, None, names)
    local: dict[tuple[int, int], tuple[str, str]] = {}
    arrived: dict[int, str] = {}
    for frame in run.frames:
        node = run.nodes[frame.place]
        item = graph.place[id(node)]
        if graph.items[item].kind != "fold":
            arrived[item] = _short("; ".join(frame.incoming), LONGEST)
        ports = [port for port, (source, _) in enumerate(peek.edges(node)) if source is not None]
        local |= {(item, port): at_arrow(sent, len(ports)) for port, sent in zip(ports, frame.sent, strict=False)}
    if run.frames and (error := run.frames[-1].error):
        graph.notes.append(f"The pass stops at {run.frames[-1].title}: {error.partition('. ')[0]}.")
    return Slopes(local, arrived)


def at_arrow(sent: Sent, arrows: int) -> tuple[str, str]:
    """The local slope of single numbers, and the cotangent that goes along one of several arrows, where it is short."""
    value = _short(sent.value, LONGEST_OF_SEVERAL if arrows > 1 else LONGEST)
    return f"× {sent.local}" if sent.local else "", ("= " if sent.local else "") + value if value else ""


def _short(value: str, most: int) -> str:
    return value if len(value) <= most and not value.startswith("shape") else ""


class _Walk:
    def __init__(self, names: Names, roots: Sequence[Node]) -> None:
        self.names = names
        self.nodes = reachable(roots)
        self.index = {id(node): k for k, node in enumerate(self.nodes)}
        self.frames: list[Frame] = []
        self.awaited = Counter(id(source) for node in self.nodes for source, _ in peek.edges(node))
        self.awaited.update(id(node) for node in roots)
        self.arrived: Counter[int] = Counter()
        self.sums: dict[tuple[int, int], np.ndarray] = {}
        self.twin = {id(node): self._leaf(node) if peek.is_leaf_node(node) else _Twin(node, self) for node in self.nodes}
        for node in self.nodes:
            if not peek.is_leaf_node(node):
                self.twin[id(node)]._edges = [
                    None if source is None else (self.twin[id(source)], output) for source, output in peek.edges(node)
                ]

    def _leaf(self, node: Node) -> Node:
        """An AccumulateGrad for a copy of the leaf, with a frame when it is reached and one value after it wrote."""
        leaf = peek.variable(node)
        twin = leaf.detach()
        twin.requires_grad_()
        held = peek.grad(leaf)
        twin._grad = None if held is None else held.detach().clone()

        def arrives(g: Tensor) -> None:
            frame = self.frame(node, [g])
            frame.accumulated = ("None" if twin._grad is None else peek.brief(twin._grad),) * 2

        def written(_: Tensor) -> None:
            before, _after = self.frames[-1].accumulated or ("", "")
            self.frames[-1].accumulated = (before, peek.brief(twin._grad))  # type: ignore[arg-type]

        twin.register_hook(arrives)
        twin.register_post_accumulate_grad_hook(written)
        twin._requires_grad = leaf.requires_grad
        return peek.AccumulateGrad(twin)

    def of(self, node: Node) -> str | None:
        if peek.is_leaf_node(node):
            return self.names.of(peek.variable(node)) or f"a leaf {tuple(peek.variable(node).shape)}"
        return ", ".join(name for _, name, _ in self.names.outputs_of(node, len(node._metas))) or None

    def label(self, node: Node) -> str:
        of = self.of(node)
        return f"{peek.title(node)} of {of}" if of else peek.title(node)

    def frame(self, node: Node, cotangents: Sequence[Any]) -> Frame:
        several = len(cotangents) > 1
        incoming = [
            (f"[{k}] " if several else "") + ("nothing" if g is None else peek.brief(g)) for k, g in enumerate(cotangents)
        ]
        leaf = peek.variable(node) if peek.is_leaf_node(node) else None
        found = Frame(len(self.frames) + 1, peek.title(node), self.of(node), incoming, hooks=peek.hooks(node, leaf))
        found.place = self.index[id(node)]
        self.frames.append(found)
        return found

    @np.errstate(all="ignore")
    def forward(self) -> None:
        """A pass forward from each leaf, in the order of the program: the tangent of a result is the sum of those of its operands,
        each times the slope along its edge."""
        if any([(shape, dtype[:5]) for shape, dtype in peek.output_specs(node)] != [((), "float")] for node in self.nodes):
            raise ValueError("forward=True is for a program of single real numbers")
        made = sorted((node for node in self.nodes if not peek.is_leaf_node(node)), key=peek.number)
        slopes = {id(node): peek.slopes(node) for node in made}
        leaves = dict.fromkeys(s for node in made for s, _ in slopes[id(node)] if peek.is_leaf_node(s))
        for leaf in leaves:
            tangents = {id(other): np.float64(other is leaf) for other in leaves}
            for node in made:
                frame = Frame(len(self.frames) + 1, peek.title(node), self.of(node), [], place=self.index[id(node)])
                frame.moves = self.index[id(leaf)]
                for source, slope in slopes[id(node)]:
                    t, place = tangents[id(source)], self.index[id(source)]
                    frame.sent.append(Sent("", "", peek.brief(slope * t), "", peek.brief(t), 1, 1, place, local=peek.brief(slope)))
                tangents[id(node)] = sum((slope * tangents[id(source)] for source, slope in slopes[id(node)]), np.float64(0))
                frame.tangent = peek.brief(tangents[id(node)])
                self.frames.append(frame)

    def sent(self, node: Node, results: Sequence[Any], cotangents: Sequence[Any]) -> list[Sent]:
        formulas, found = rules.formulas(node), []
        for operand, (source, output), g in zip(peek.operands(node), peek.edges(node), results, strict=True):
            if source is None:
                continue
            fitted = None if g is None else peek.fit(g, source, output)
            value = "nothing" if fitted is None else peek.brief(fitted)
            shape = None if fitted is None or tuple(g.shape) == fitted.shape else tuple(g.shape)
            total = self.meet(source, output, fitted)
            counts = self.arrived[id(source)], self.awaited[id(source)]
            to, local = self.label(source), _local(cotangents, fitted)
            found.append(Sent(operand, formulas[operand], value, to, total, *counts, self.index[id(source)], shape, local))
        return found

    def meet(self, node: Node, output: int, g: np.ndarray | None) -> str:
        """Count a cotangent that arrives at a node; the sum so far, in words."""
        self.arrived[id(node)] += 1
        key = id(node), output
        if g is not None:
            held = self.sums.get(key)
            with np.errstate(all="ignore"):
                self.sums[key] = g if held is None or g.size > SMALL else held + g
        label = f"[{output}] " if len(node._metas) > 1 else ""
        return label + (peek.brief(self.sums[key]) if key in self.sums else "nothing")

    def where(self, node: Node) -> list[str]:
        read, found = rules.used(node), []
        for info in peek.saved(node):
            if info.name in read and not info.freed:
                known = self.names.of_saved(info)
                name = f" = {known[0]}" if known and known[0] != info.name else ""
                found.append(f"{info.name}{name} = {peek.brief(info.tensor)}")
        for name, value in peek.settings(node).items():
            text = peek.setting(value)
            if name in read and text is not None:
                found.append(f"{name} = {text}")
        return found

    def close(self) -> None:
        """Undo the cycles of walk, stand-ins and hooks: the nodes must not wait for the collector."""
        for twin in self.twin.values():
            if peek.is_leaf_node(twin):
                peek.forget_hooks(peek.variable(twin))
        self.twin.clear()

    def stop(self, error: Exception) -> None:
        if not self.frames:
            raise error
        self.frames[-1].error = f"{type(error).__name__}: {error}"


def _local(cotangents: Sequence[Any], sent: np.ndarray | None) -> str:
    """The local slope between two numbers, by which the one cotangent became the other; nothing where that cannot be told."""
    if len(cotangents) != 1 or cotangents[0] is None or sent is None:
        return ""
    came = np.asarray(getattr(cotangents[0], "_array", cotangents[0]))
    if came.ndim or sent.ndim or came.dtype.kind != "f" or not (came and np.isfinite(came) and np.isfinite(sent)):
        return ""
    return peek.brief(np.asarray(sent / came))


class _Twin(peek.Node):
    """Stands for one operation's node. The engine walks it; the real node computes."""

    def __init__(self, node: Node, walk: _Walk) -> None:
        super().__init__((), node._metas)
        self._number = node._number
        self.node, self.walk = node, walk
        self.runs_user_code = node.runs_user_code

    def apply(self, cotangents: list, tensors: bool, wanted: Any) -> Sequence:
        frame = self.walk.frame(self.node, cotangents)
        frame.where = self.walk.where(self.node)
        results = self.node.apply(cotangents, tensors, wanted)
        frame.sent = self.walk.sent(self.node, results, cotangents)
        return results

    def _release(self, site: Any) -> None:
        self.walk.frames[-1].freed = list(dict.fromkeys(i.name for i in peek.saved(self.node) if not i.freed))


def reachable(roots: Sequence[Node]) -> list[Node]:
    """Every node behind the roots, in an order that depends on the graph alone."""
    found = {id(node): node for node in roots}
    stack = list(reversed(list(found.values())))
    while stack:
        for source, _ in reversed(peek.edges(stack.pop())):
            if source is not None and id(source) not in found:
                found[id(source)] = source
                stack.append(source)
    return list(found.values())


def order(roots: Sequence[Node]) -> list[Node]:
    """The nodes in the order in which a pass from the roots runs them: the engine walks a graph of the same form with single
    zeros, so nothing is computed."""
    ran: list[Node] = []
    nodes = reachable(roots)
    twin: dict[int, Node] = {id(node): _form_of(node, ran) for node in nodes}
    for node in nodes:
        if not peek.is_leaf_node(node):
            twin[id(node)]._edges = [None if s is None else (twin[id(s)], output) for s, output in peek.edges(node)]
    zero = peek.zero()
    peek.walk([(twin[id(node)], 0) for node in roots], [zero] * len(roots))
    return ran


def _form_of(node: Node, ran: list[Node]) -> Node:
    if not peek.is_leaf_node(node):
        return _Form(node, ran)
    leaf = peek.zero().requires_grad_()
    leaf.register_hook(lambda g: ran.append(node))
    return peek.AccumulateGrad(leaf)


class _Form(peek.Node):
    """Stands for an operation's node where only the order matters."""

    def __init__(self, node: Node, ran: list[Node]) -> None:
        super().__init__((), ((((), np.dtype(np.float32))),) * len(node._metas))
        self._number = node._number
        self.node, self.ran = node, ran

    def apply(self, cotangents: list, tensors: bool, wanted: Any) -> Sequence:
        self.ran.append(self.node)
        g = next(g for g in cotangents if g is not None)
        return [g] * len(self._edges)
