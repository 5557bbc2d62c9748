"""The walk: from the roots, node by node, newest first, until every cotangent has arrived.

Sources: Griewank & Walther, *Evaluating Derivatives*, 2nd ed., chapter 3.2 (the reverse sweep); PyTorch's engine. A
node is ready when all its consumers have run. Among the ready ones the newest runs first; leaves accumulate as soon as
they are ready, several in the order in which they became so. Begin with ``backward``, at the end of this file, then read
``vjp``, ``Plan`` and ``run``.

Cotangents live in this walk, keyed by node, never in the graph; only AccumulateGrad writes a leaf's ``.grad``. So a
graph can be walked again, from another root, or inside itself, and no cotangent is left behind by a walk that failed.

Note [Fresh buffers]
    Where two cotangents meet they are added; the second of them in place, but only into an array that this walk made
    itself and that nobody else holds: a sum made here, or what a single rule computed for one edge. A rule may hand its
    cotangent on, or a view of it, but never a saved array; a user's code may return anything. A leaf may keep such an
    array as its ``.grad``.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from heapq import heappop, heappush, heappushpop
from typing import Any

import numpy as np

from .seams import seams, state
from .tape import AccumulateGrad, Node, caller
from .tensor import Edge, Tensor, method, wrap

ndarray = np.ndarray  # looked up once: the walk asks for it all the time


def on_a_path(reachable: dict[Node, int], targets: set[Node]) -> set[Node]:
    """The nodes that must run so that a cotangent gets to a target: those with a path to one."""
    found: set[Node] = set()
    # A node is younger than those it leads to, so one pass from old to new sees every end before its beginnings.
    for node in sorted(reachable, key=operator.attrgetter("_number")):
        for edge in node._edges:
            if edge is not None and (edge[0] in found or edge[0] in targets):
                found.add(node)
                break
    return found


def fit(g: Any, shape: tuple[int, ...], dtype: np.dtype, node: Node | None, index: int) -> Any:
    """Undo broadcasting and casts: sum g over the axes that were stretched, in the dtype of the input.

    The one place that does it for all rules: they may return the broadcast shape and the promoted dtype. (``expand`` is
    an operation, and sums in a rule of its own.) RuntimeError for what does not fit. So a cotangent that goes nowhere is
    brought here too, to be checked; and so are those that a user gives, in autograd/__init__.py.
    """
    array = getattr(g, "_array", g)
    if array.shape != shape:
        extra = array.ndim - len(shape)
        if extra < 0 or any(n not in (1, m) for n, m in zip(shape, array.shape[extra:], strict=True)):
            raise seams.error("WRONG_GRADIENT", index, list(array.shape), list(shape), node=node)
        axes = (*range(extra), *(extra + i for i, n in enumerate(shape) if n == 1 and array.shape[extra + i] != 1))
        if g is array:
            g = np.add.reduce(g, axis=axes, keepdims=True).reshape(shape)
        else:
            g = g.sum() if not shape else g.sum(axes, True).view(shape) if extra else g.sum(axes, True)
    if array.dtype != dtype:
        if array.dtype.kind == "c" and dtype.kind != "c":
            g = g.real
        g = g.astype(dtype) if isinstance(g, ndarray) else g.to(dtype)
    return g


class Plan:
    """What a pass from the roots has to run, worked out before it begins. Several passes may follow the same plan.

    Without ``inputs`` everything is walked and leaves accumulate. With ``inputs`` only nodes on a path to one of them
    run, and only those are freed. With ``accumulate``, as in ``backward(inputs=...)``, the nodes of the inputs run too,
    so that leaves among them accumulate; nothing is captured.
    """

    __slots__ = ("roots", "inputs", "pending", "on_path", "en_route", "captured", "needed")

    def __init__(self, roots: Sequence[Edge], inputs: Sequence[Edge] | None = None, accumulate: bool = False):
        self.roots, self.inputs = roots, inputs
        # For every node that can be reached: how many edges lead to it. It is ready when as many cotangents arrived.
        self.pending = pending = dict[Node, int]()
        edges: list[Edge | None] = [*roots]
        for edge in edges:  # which become more meanwhile
            if edge is not None:
                node = edge[0]
                if node in pending:
                    pending[node] += 1
                else:
                    pending[node] = 1
                    edges += node._edges
        self.captured: dict[Edge, Any] = {} if accumulate else dict.fromkeys(inputs or ())
        self.on_path: set[Node] | None = None  # what runs; None for every node
        self.en_route: set[Node] | None = None  # the same without the inputs: what only hands cotangents on
        self.needed: set[Node] | None = None  # where cotangents are sent
        if inputs is not None:
            targets = {node for node, _ in inputs}
            on_path = on_a_path(self.pending, targets)
            self.en_route, self.needed = on_path - targets, on_path | targets
            self.on_path = self.needed.copy() if accumulate else on_path
            if len(roots) == 1:
                # The hooks of a single root are called whether it leads to an input or not.
                self.needed.add(roots[0][0])


class Walk:
    """A pass that is under way, for those who ask what it will run, where it was asked for, and which node runs."""

    plan: Plan
    site: Any  # where in the program it was asked for
    node: Any = None  # the one that runs; kept up to date only where something watches it
    ended: tuple = ()  # what is called when it has ended


def run(plan: Plan, gradients: Sequence[Any], *, retain: bool, recorded: bool, tensors: bool, site: Any = None) -> list:
    """Walk from the roots of a plan, with one cotangent for each, and return what arrives at its inputs, None where
    nothing did.

    retain: keep what was saved. recorded (create_graph): make the walk itself a graph. tensors: whether cotangents are
    Tensors, as a recorded walk needs them, and not arrays; the gradients given are the same. site: where the pass was
    asked for; a node that it frees keeps that, for the error of the next pass.
    """
    pending, captures, on_path, needed = plan.pending.copy(), plan.captured.copy(), plan.on_path, plan.needed
    buffers: dict[Node, list] = {}  # what arrived at nodes that had to wait; nothing is taken out
    # Nodes whose cotangent of output 0 is an array as in Note [Fresh buffers], with how often it was added to in place.
    owned: dict[Node, int] = {}
    heap: list[tuple[int, Node, list]] = []  # ready nodes, the newest on top
    leaves: list[tuple[Node, list]] = []
    extension, quietly, outside = state.extension, state.quietly, (state.grad_mode, state.grad, state.walk)
    en_route = () if extension is not None else plan.en_route  # (): for an extension all nodes go the longer way
    walk = state.walk = Walk()
    walk.plan, walk.site = plan, site
    state.grad_mode, state.grad = recorded, recorded and state.switched_off_by != "inference"
    node: Any = None
    done: Any = None  # the node that just ran, unless the graph is kept
    edges: Sequence[Edge | None] = plan.roots
    results: Sequence[Any] = gradients
    cotangents: list = [None]
    waiting: list = []  # the cotangents of the node that is ready, while one is
    try:
        while True:
            # Hand the results of a node on along its edges; at first those are the gradients of the roots.
            ready = None
            for index, edge in enumerate(edges):
                if edge is None:
                    continue
                target, output = edge
                g = results[index]
                if needed is not None and target not in needed:
                    if node is not None and node.runs_user_code and g is not None:
                        fit(g, *target._metas[output], node, index)  # type: ignore[call-arg]  # complains, needed or not
                    continue
                left = pending[target] - 1
                buffer = buffers.get(target)
                if buffer is None:
                    buffer = [None] * len(target._metas)
                    if left:
                        buffers[target] = buffer
                if g is not None:
                    array = g._array if tensors else g
                    if type(array) is not ndarray and not tensors:
                        array = g = np.asarray(g)  # NumPy gives scalars for zero dimensions
                    shape, dtype = target._metas[output]
                    if array.shape != shape or array.dtype is not dtype:
                        g = fit(g, shape, dtype, node, index)
                    present = buffer[output]
                    if present is None:
                        buffer[output] = g
                        # Owned or not matters where more will be added (left), and at a leaf, which may keep it.
                        if (left or not target._edges) and not (output or tensors or node is None):
                            from_rule = len(cotangents) == 1 and not node.runs_user_code
                            if from_rule and g.base is None and g is not cotangents[0]:
                                owned[target] = 0
                    elif tensors:
                        buffer[output] = present + g
                    elif output or target not in owned:
                        buffer[output] = np.asarray(quietly(np.add, present, g))
                        if not output:
                            owned[target] = 0
                    else:
                        quietly(np.add, present, g, present)
                        owned[target] += 1
                if left:
                    pending[target] = left
                elif type(target) is AccumulateGrad:
                    leaves.append((target, buffer))
                else:
                    if ready is not None:
                        heappush(heap, (-ready._number, ready, waiting))
                    ready, waiting = target, buffer
            if done is not None:
                done._release(site)  # only now: what was saved is kept when what a node gave is refused
            # Take the next node.
            if leaves:
                node, cotangents = leaves.pop(0)
                if ready is not None:
                    heappush(heap, (-ready._number, ready, waiting))
            elif ready is not None:
                node, cotangents = ready, waiting
                if heap:
                    _, node, cotangents = heappushpop(heap, (-node._number, node, cotangents))
            elif heap:
                _, node, cotangents = heappop(heap)
            else:
                break
            hooks, edges = node._hooks, node._edges
            # A node runs here, or in the longer way below, as do leaves: they have no edges.
            if hooks is None and edges and (en_route is None or node in en_route):
                results = node.apply(cotangents, tensors, needed)  # as almost every node does: nothing watches it
                done = None if retain else node
                continue
            accumulates, edges, done = type(node) is AccumulateGrad, (), None  # nothing to hand on, unless it runs
            runs = on_path is None or node in on_path  # others are only looked at, such as an input of `grad`
            arrived = list(cotangents) if runs else cotangents  # hooks change what is returned only where the walk ends
            if hooks is not None:
                hooks.arrived(node, cotangents, tensors)
            for output, g in enumerate(arrived) if captures else ():
                if (node, output) in captures:
                    captures[node, output] = g
            if not runs:
                continue
            if hooks is not None:
                hooks.before(node, cotangents, tensors)
            walk.node = node
            if accumulates:
                g = cotangents[0]
                g = g._array if tensors and not recorded and g is not None else g  # a tangent of it is not kept
                node.accumulate(g, recorded, None if hooks is not None else owned.get(node))
                results = ()
            else:
                results = node.apply(cotangents, tensors, needed)
                done = None if retain else node
            if hooks is not None:
                results = hooks.after(node, results, cotangents, tensors)
            if extension is not None:
                if done is not None:
                    done._release(site)
                extension.after_node(node, results)
            edges = node._edges
    except Exception:
        if extension is not None and node is not None:
            extension.failed(node)
        raise
    finally:
        state.grad_mode, state.grad, state.walk = outside
        for call in walk.ended:
            call()
    return [*map(captures.get, plan.inputs or ())] if captures else []


# -- what programs call ------------------------------------------------------------------------------------------------

# In the package only y.backward() without a gradient, inputs or create_graph comes through `vjp`. All else begins in
# autograd/__init__.py, which makes PyTorch's checks and then calls Plan and run itself. `grad` and `backward_from` are
# for the engine alone, such as the copy that chapter 17 gives.


def vjp(
    roots: Sequence[Tensor],
    gradients: Sequence[Tensor | None],
    targets: Sequence[Edge] | None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    accumulate: bool = False,
) -> list:
    """The products of the roots' Jacobians with the gradients, ones where there is none, as they reach the targets."""
    edges, cotangents = [], []
    for index, (root, g) in enumerate(zip(roots, gradients, strict=True)):
        edge, array = root._gradient_edge(), root._array
        if g is None and (edge is not None or root.requires_grad) and (array.size != 1 or array.dtype.kind == "c"):
            raise seams.error("SCALAR_ONLY", root=root)
        if edge is None:
            raise seams.error("NO_GRAPH", index)
        edges.append(edge)
        ones = np.ones(array.shape, array.dtype) if g is None else g._array
        cotangents.append(ones if not create_graph else wrap(ones) if g is None else g)
    retain = bool(operator.index(create_graph if retain_graph is None else retain_graph))
    plan = Plan(edges, targets, accumulate)
    return run(plan, cotangents, retain=retain, recorded=create_graph, tensors=create_graph, site=caller(3))


@method
def backward(
    self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Add to ``.grad`` of every leaf the product vᵀJ of ``gradient`` with the Jacobian of this tensor.

    gradient: a Tensor of this tensor's shape; may be left out for a tensor with one element.
    retain_graph, create_graph, inputs, and the errors raised: as in ``minigrad.autograd.backward``.

    >>> import minigrad as mg
    >>> x = mg.tensor([1., 2., 3.], requires_grad=True)
    >>> (x * x).backward(mg.tensor([1., 0., 10.]))
    >>> x.grad
    tensor([ 2.,  0., 60.])
    """
    if gradient is None and inputs is None and create_graph is False and state.extension is state.walk is None:
        vjp((self,), (None,), None, retain_graph, accumulate=True)
    else:
        seams.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def backward_from(
    root: Tensor, gradient: Any, retain_graph: bool | None, create_graph: bool, inputs: Sequence[Tensor] | None = None
) -> None:
    """A backward pass with a gradient, or to ``inputs`` only. See ``Seams.backward``."""
    targets = None if inputs is None else [tensor._gradient_edge() for tensor in inputs]
    vjp([root], [gradient], targets, retain_graph, create_graph, accumulate=True)


seams.backward = backward_from


def grad(
    output: Tensor, inputs: Sequence[Tensor], gradient: Tensor | None = None, retain_graph: bool | None = None,
    create_graph: bool = False,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The product of ``gradient`` with the Jacobian of an output, for each of the inputs. ``.grad`` is untouched."""
    targets = [tensor._gradient_edge() for tensor in inputs]
    found = vjp([output], [gradient], targets, retain_graph, create_graph)
    for index, g in enumerate(found):
        if g is None:
            raise seams.error("INPUT_UNUSED", index)
    return tuple(g if isinstance(g, Tensor) else wrap(g) for g in found)
