"""What there is to draw, as plain data: collected from the nodes without recursion, large graphs folded."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from . import peek
from .maths import Maths
from .names import Names, held_results
from .peek import Node, Tensor

MOST_CONSTANTS = 4  # of one operation that are drawn one by one
MOST_SETTINGS = 3  # of one node


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor as the reader knows it."""

    name: str | None
    shape: tuple[int, ...] | None
    dtype: str
    lines: tuple[str, ...] = ()  # the values, when there are few
    grad: tuple[str, ...] = ()  # the values of .grad, or its shape
    leaf: bool = False
    requires_grad: bool = True
    view_of: str | None = None
    shares: str | None = None  # another tensor with the same memory
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Saved:
    """A tensor that a node keeps for the backward pass."""

    name: str
    what: str
    version: int
    version_now: int
    freed: bool


@dataclass(slots=True)
class Item:
    """Kind "op": a node; "leaf": with its AccumulateGrad; "constant": an operand; "fold": many nodes."""

    kind: str
    title: str = ""
    heading: str = ""  # how it is written: d = a · b; of a leaf its name
    values: dict[int, Value] = field(
        default_factory=dict
    )  # outputs with a name or asked for; of a leaf the leaf
    specs: tuple[tuple[tuple[int, ...], str], ...] = ()  # shape and dtype of every output
    saved: tuple[Saved, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    freed: bool = False
    hooks: int = 0
    marked: bool = False
    lit: bool = False  # on a path that was asked for
    count: int = 1


@dataclass(frozen=True, slots=True)
class Link:
    """Item `user` has item `source`, output `output`, as its operand number `port`."""

    user: int
    source: int
    output: int
    port: int
    lit: bool = False


@dataclass(slots=True)
class Graph:
    items: list[Item] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)
    total: int = 0  # nodes in the engine
    lit: list[str] = field(default_factory=list)  # the inputs to which the paths are lit
    notes: list[str] = field(default_factory=list)
    place: dict[int | str, int] = field(default_factory=dict)  # id of a node or of a leaf, or the name of a constant -> its item


def collect(
    tensors: Sequence[Tensor],
    names: Names,
    mark: Collection[Node | Tensor],
    max_nodes: int,
    inputs: Sequence[Tensor] = (),
    formulas: bool = True,
) -> Graph:
    """The graph behind the tensors: the newest max_nodes nodes, the rest as one item.

    Paths from the tensors to the inputs are lit. Raises ValueError for an input to which no path leads.
    """
    return _Collector(names, mark, formulas).run(tensors, max_nodes, inputs)


class _Collector:
    def __init__(self, names: Names, mark: Collection[Node | Tensor], formulas: bool) -> None:
        self.names, self.formulas = names, formulas
        self.marked = {id(m) for m in mark}
        self.marked |= {id(m.grad_fn) for m in mark if isinstance(m, Tensor) and m.grad_fn is not None}
        self.graph = Graph()
        self.asked: dict[tuple[int, int], tuple[str, Tensor]] = {}
        self.bundles: set[tuple[int, int]] = set()  # links to and from the fold
        self.ends: set[tuple[int, int]] = set()  # node and output of each input whose paths are lit
        self.on_path: set[int] = set()  # nodes that lead to one

    def run(self, tensors: Sequence[Tensor], max_nodes: int, inputs: Sequence[Tensor]) -> Graph:
        graph = self.graph
        for i, tensor in enumerate(tensors):
            name = self.names.of(tensor) or ("result" if len(tensors) == 1 else f"result {i + 1}")
            graph.roots.append(name)
            edge = peek.edge_of(tensor)
            if edge is not None:
                self.asked.setdefault((id(edge[0]), edge[1]), (name, tensor))
        order = _newest_first([t.grad_fn for t in tensors if t.grad_fn is not None])
        graph.total = len(order)
        self._light(order, inputs)
        kept = _choose(order, max_nodes)
        self.maths = Maths(tensors, kept, self.names)
        self.held = held_results(tensors, kept, self.names)
        asked = [id(t.grad_fn) for t in tensors]
        kept.sort(key=lambda node: asked.index(id(node)) if id(node) in asked else len(asked))  # from left to right
        for node in kept:
            if peek.is_leaf_node(node):
                self.graph.place[id(node)] = self.graph.place[id(peek.variable(node))] = self._put(self._leaf(node))
            else:
                self.graph.place[id(node)] = self._put(self._operation(node))
        if len(kept) < len(order):
            self._fold(order, len(kept))
        for node in order:
            self._connect(node)
        for name, tensor in zip(graph.roots, tensors, strict=True):
            if tensor.grad_fn is None and id(tensor) not in self.graph.place:
                kind = "leaf" if tensor.requires_grad else "constant"
                self.graph.place[id(tensor)] = self._put(Item(kind, values={0: self._value(tensor, name)}))
                why = "is a leaf: no operation made it" if tensor.requires_grad else "does not require grad"
                graph.notes.append(f"{name} {why}, so it has no grad_fn.")
        return graph

    def _light(self, order: list[Node], inputs: Sequence[Tensor]) -> None:
        """Find the nodes that a backward pass to the inputs alone runs, as the engine does for `inputs=`."""
        present = {id(node) for node in order}
        for tensor in inputs:
            end = peek.gradient_edge(tensor)
            name = self.names.of(tensor) or f"input {len(self.graph.lit) + 1}"
            if end is None or id(end[0]) not in present:
                raise ValueError(f"no path leads from {' and '.join(self.graph.roots)} to {name}")
            self.ends.add((id(end[0]), end[1]))
            self.graph.lit.append(name)
        for node in reversed(order):
            if any(s is not None and self._lit(s, output) for s, output in peek.edges(node)):
                self.on_path.add(id(node))

    def _lit(self, node: Node, output: int) -> bool:
        """Whether an edge to this output of a node belongs to a lit path."""
        return id(node) in self.on_path or (id(node), output) in self.ends

    def _put(self, item: Item) -> int:
        self.graph.items.append(item)
        return len(self.graph.items) - 1

    def _fold(self, order: list[Node], kept: int) -> None:
        hidden = [node for node in order if id(node) not in self.graph.place]
        fold = self._put(
            Item(
                "fold",
                count=len(hidden),
                marked=any(id(node) in self.marked for node in hidden),
                lit=any(id(node) in self.on_path for node in hidden),
            )
        )
        self.graph.place.update((id(node), fold) for node in hidden)
        self.graph.notes.append(
            f"Drawn: the {kept:,} nodes nearest to the result. The other {len(hidden):,} are folded into "
            f"one box; max_nodes={len(order)} would draw all."
        )

    def _leaf(self, node: Node) -> Item:
        tensor = peek.variable(node)
        marked = id(node) in self.marked or id(tensor) in self.marked
        value = self._value(tensor, self.names.of(tensor))
        lit = (id(node), 0) in self.ends
        heading = self.maths.heading(node)
        return Item("leaf", peek.title(node), heading, {0: value}, hooks=peek.hooks(node, tensor), marked=marked, lit=lit)

    def _operation(self, node: Node) -> Item:
        specs = peek.output_specs(node)
        named: dict[int, tuple[str | None, Tensor]] = {o: (name, t) for o, name, t in self.names.outputs_of(node, len(specs))}
        named |= {o: self.asked[id(node), o] for o in range(len(specs)) if (id(node), o) in self.asked}
        if not named and len(specs) == 1 and id(node) in self.held:
            named = {0: (None, self.held[id(node)])}
        saved, settings = [], []
        for info in peek.saved(node):
            found = self.names.of_saved(info)
            memory = None if info.freed or found else self.names.of_memory(info.storage)[0]
            shape = str(tuple(info.shape)) if info.shape else "one number"
            what = found[0] if found else shape + (f" in the memory of {memory}" if memory else "")
            saved.append(Saved(info.name, what, info.saved_version, info.version_now, info.freed))
        for name, value in peek.settings(node).items():
            text = peek.setting(value)
            if text is not None and not name.endswith("_sym_sizes"):  # of an operand: no array
                settings.append((name, text))
        return Item(
            "op",
            peek.title(node),
            self.maths.heading(node) if self.formulas else "",
            {output: self._value(tensor, name) for output, (name, tensor) in named.items()},
            specs,
            tuple(saved),
            tuple(settings[:MOST_SETTINGS]),
            node._freed,
            peek.hooks(node),
            id(node) in self.marked,
            id(node) in self.on_path,
        )

    def _value(self, tensor: Tensor, name: str | None) -> Value:
        held, base = peek.grad(tensor), tensor._base
        other = None if base is not None else self.names.of_memory(peek.storage(tensor))[0]
        return Value(
            name,
            tuple(tensor.shape),
            peek.dtype_name(tensor),
            tuple(peek.lines(tensor)),
            () if held is None else tuple(peek.lines(held)) or (str(tuple(held.shape)),),
            tensor.is_leaf,
            tensor.requires_grad,
            None if base is None else self.names.of(base) or "a tensor without a name",
            None if other in (None, name) or self.names.of(tensor) is None else other,
            id(tensor) in self.marked,
        )

    def _connect(self, node: Node) -> None:
        """The links from a node to its operands. A fold has one link to each item outside it."""
        user = self.graph.place[id(node)]
        folded = self.graph.items[user].kind == "fold"
        constants = []
        for port, (source, output) in enumerate(peek.edges(node)):
            if source is None:
                constants.append(port)
                continue
            place = self.graph.place[id(source)]
            if not folded and self.graph.items[place].kind != "fold":
                lit = self._lit(source, output) and id(node) in self.on_path
                self.graph.links.append(Link(user, place, output, port, lit))
            elif place != user and (user, place) not in self.bundles:
                self.bundles.add((user, place))
                lit = self._lit(source, output)
                self.graph.links.append(Link(user, place, 0, len(self.bundles) if folded else port, lit))
        if folded:
            return
        if len(constants) > MOST_CONSTANTS:
            self.graph.links.append(
                Link(user, self._put(Item("constant", count=len(constants))), 0, constants[0])
            )
            return
        for port in constants:
            self.graph.links.append(Link(user, self._constant(node, port), 0, port))

    def _constant(self, node: Node, port: int) -> int:
        """The item of an operand without gradient. Its value is known only where the node saved it."""
        names = peek.input_names(node)
        operand = names[port] if port < len(names) else None
        for info in node._info_of_saved():
            found = self.names.of_saved(info) if info.name == operand and not info.freed else None
            if found:
                name, tensor = found
                if name not in self.graph.place:
                    self.graph.place[name] = self._put(Item("constant", values={0: self._value(tensor, name)}))
                return self.graph.place[name]
            if info.name == operand and not info.freed:
                memory = self.names.of_memory(info.storage)[0]
                value = Value(None, tuple(info.shape), str(info.dtype), requires_grad=False, shares=memory)
                return self._put(Item("constant", values={0: value}))
        text = peek.setting(peek.settings(node).get(operand or ""))
        value = Value(None, None, "float32", () if text is None else (text,), requires_grad=False)
        return self._put(Item("constant", values={0: value}))


def _newest_first(roots: list[Node]) -> list[Node]:
    """Every node behind the roots, each before the nodes that it passes gradients to, newer ones first."""
    nodes, users, stack = (
        {id(node): node for node in roots},
        Counter[int](),
        list({id(n): n for n in roots}.values()),
    )
    while stack:
        for source, _ in peek.edges(stack.pop()):
            if source is not None:
                users[id(source)] += 1
                if id(source) not in nodes:
                    nodes[id(source)] = source
                    stack.append(source)
    ready = [(-peek.number(node), key) for key, node in nodes.items() if not users[key]]
    heapq.heapify(ready)
    order = []
    while ready:
        node = nodes[heapq.heappop(ready)[1]]
        order.append(node)
        for source, _ in peek.edges(node):
            if source is not None:
                users[id(source)] -= 1
                if not users[id(source)]:
                    heapq.heappush(ready, (-peek.number(source), id(source)))
    return order


def _choose(order: list[Node], most: int) -> list[Node]:
    """The newest operations, each with its leaves, up to a number of nodes."""
    if len(order) <= most:
        return order
    kept: dict[int, Node] = {}
    for node in order:
        if not peek.is_leaf_node(node):
            leaves = [s for s, _ in peek.edges(node) if s is not None and peek.is_leaf_node(s)]
            for each in (node, *leaves):
                if len(kept) < most:
                    kept.setdefault(id(each), each)
        if len(kept) >= most:
            break
    return list(kept.values())
