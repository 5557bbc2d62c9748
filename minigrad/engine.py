"""The walk: from the roots, node by node, newest first, until every cotangent has arrived.

Sources: Griewank & Walther, *Evaluating Derivatives*, 2nd ed., chapter 3.2 (the reverse sweep); PyTorch's engine, whose
order of nodes is visible to hooks and therefore kept: a node is ready when all its consumers have run; among the ready
ones the newest runs first; AccumulateGrad runs as soon as it is ready.

Cotangents live in this walk, keyed by node, never in the graph; only AccumulateGrad writes ``.grad``. So a graph can be
walked again, from another root, or inside itself, and nothing is left behind by a walk that failed.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import errors
from .graph import AccumulateGrad, Edge, Node, Site, node_name, shown, walks
from .modes import state

_NUMBER = operator.attrgetter("_number")
ndarray = np.ndarray  # looked up once: the walk asks for it all the time


class _ReadyQueue:
    """The ready nodes with the cotangents that arrived at them, newest on top.

    Not ``heapq``: AccumulateGrad nodes all have the same, highest priority, and which of several comes first can be
    seen by hooks. PyTorch's order is that of C++'s ``std::push_heap`` and ``std::pop_heap``; this is their algorithm
    (Williams 1964, with the hole sifted to the bottom as Floyd proposed).
    """

    __slots__ = ("heap",)

    def __init__(self) -> None:
        self.heap: list[tuple[float, Node, list]] = []

    def push(self, node: Node, cotangents: list) -> None:
        heap = self.heap
        item = _rank(node), node, cotangents
        heap.append(item)
        if len(heap) > 1:
            self._rise(len(heap) - 1, item)

    def pop(self) -> tuple[float, Node, list]:
        heap = self.heap
        last = heap.pop()
        if not heap:
            return last
        top, hole, length = heap[0], 0, len(heap)
        while 2 * hole + 2 < length:
            child = 2 * hole + 2
            if heap[child][0] < heap[child - 1][0]:
                child -= 1
            heap[hole] = heap[child]
            hole = child
        if 2 * hole + 2 == length:
            heap[hole] = heap[length - 1]
            hole = length - 1
        self._rise(hole, last)
        return top

    def _rise(self, hole: int, item: tuple[float, Node, list]) -> None:
        heap = self.heap
        while hole and heap[(hole - 1) // 2][0] < item[0]:
            heap[hole] = heap[(hole - 1) // 2]
            hole = (hole - 1) // 2
        heap[hole] = item


def _rank(node: Node) -> float:
    return float("inf") if type(node) is AccumulateGrad else node._number


def _count_consumers(roots: Sequence[Edge]) -> dict[Node, int]:
    """For every node that can be reached: how many edges lead to it. It is ready when as many cotangents arrived."""
    pending: dict[Node, int] = {}
    edges: list[Edge | None] = list(roots)
    for edge in edges:  # which become more meanwhile
        if edge is not None:
            node = edge[0]
            if node in pending:
                pending[node] += 1
            else:
                pending[node] = 1
                edges += node._edges
    return pending


def _on_a_path(reachable: dict[Node, int], targets: set[Node]) -> set[Node]:
    """The nodes that must run so that a cotangent gets to a target: those with a path to one."""
    found: set[Node] = set()
    # A node is younger than those it leads to, so one pass from old to new sees every end before its beginnings.
    for node in sorted(reachable, key=_NUMBER):
        for edge in node._edges:
            if edge is not None and (edge[0] in found or edge[0] in targets):
                found.add(node)
                break
    return found


def fit(g: Any, shape: tuple[int, ...], dtype: np.dtype, node: Node | None, index: int) -> Any:
    """Undo broadcasting and casts: sum g over the axes that were stretched, in the dtype of the input.

    The one place where this happens. A rule may return a cotangent in the broadcast shape and the promoted dtype.
    """
    array = getattr(g, "_array", g)
    if array.shape != shape:
        extra = array.ndim - len(shape)
        if extra < 0 or any(n not in (1, m) for n, m in zip(shape, array.shape[extra:], strict=True)):
            text = errors.WRONG_GRADIENT.format(index, list(array.shape), list(shape))
            raise errors.note(RuntimeError(text if node is None else f"Function {node_name(node)} returned an {text}"))
        axes = (*range(extra), *(extra + i for i, n in enumerate(shape) if n == 1 and array.shape[extra + i] != 1))
        if g is not array:
            g = g.sum() if not shape else g.sum(axes, True) if axes else g
            g = g.view(shape) if extra and shape else g
        elif len(axes) == extra:
            g = np.asarray(np.add.reduce(g, axis=axes))
        else:
            g = np.add.reduce(g, axis=axes, keepdims=True).reshape(shape)
    if array.dtype != dtype:
        g = g.real if array.dtype.kind == "c" and dtype.kind != "c" else g
        g = g.astype(dtype) if isinstance(g, np.ndarray) else g.to(dtype)
    return g


def _is_new(result: np.ndarray, cotangents: list, node: Node | None) -> bool:
    """Whether nobody holds an array but the walk: a rule may hand its cotangent on, or a view of it, but never a saved array."""
    if node is None or len(cotangents) != 1 or node.runs_user_code:  # a user's code may return anything
        return False
    return result.base is None and result is not cotangents[0]


class Plan:
    """What a pass from the roots has to run, worked out before it begins. Several passes may follow the same plan.

    Without ``inputs`` everything is walked and leaves accumulate. With ``inputs`` only nodes on a path to one of them
    run, and only those are freed. With ``accumulate`` the nodes of the inputs run too: leaves among them accumulate, and
    nothing is captured.
    """

    __slots__ = ("roots", "inputs", "pending", "on_path", "between", "captured", "needed")

    def __init__(self, roots: Sequence[Edge], inputs: Sequence[Edge] | None = None, accumulate: bool = False):
        self.roots, self.inputs = roots, inputs
        self.pending = _count_consumers(roots)
        self.captured: dict[Edge, Any] = {} if accumulate else dict.fromkeys(inputs or ())
        self.on_path: set[Node] | None = None  # what runs; None for every node
        self.between: set[Node] | None = None  # the same without the inputs
        self.needed: set[Node] | None = None  # where cotangents are sent
        if inputs is not None:
            targets = {node for node, _ in inputs}
            on_path = _on_a_path(self.pending, targets)
            self.between, self.needed = on_path - targets, on_path | targets
            self.on_path = self.needed.copy() if accumulate else on_path
            if len(roots) == 1:
                self.needed.add(roots[0][0])  # the hooks of a single root are called whether it leads to an input or not


class Walk:
    """A pass that is under way, for hooks that ask what it will run."""

    __slots__ = ("plan", "site", "__weakref__")

    def __init__(self, plan: Plan, site: Site | None):
        self.plan, self.site = plan, site

    def will_run(self, node: Node) -> bool:
        """Whether a node will run, or did. As in PyTorch the root does not count when there is only one."""
        plan = self.plan
        runs = node in plan.pending and (plan.needed is None or node in plan.needed)
        runs = runs and not (len(plan.roots) == 1 and node is plan.roots[0][0])
        if runs and type(node) is AccumulateGrad and (node, 0) in plan.captured:
            raise errors.note(RuntimeError(errors.WILL_RUN_LEAF))
        return runs


def run(
    plan: Plan,
    gradients: Sequence[Any],
    *,
    retain: bool,
    recorded: bool,
    tensors: bool,
    site: Site | None = None,
    wrap: Callable[[np.ndarray], Any],
) -> list[Any]:
    """Walk from the roots of a plan, with one cotangent for each, and return what arrives at its inputs, None where nothing did.

    ``recorded`` (create_graph) makes the walk itself a graph. ``tensors``: whether cotangents are Tensors, as a recorded walk
    needs them, and not arrays; the gradients given are the same.
    """
    pending, captures = plan.pending.copy(), plan.captured.copy()
    on_path, needed = plan.on_path, plan.needed
    node: Any
    cotangents: list
    edges: Sequence[Edge | None]
    buffers: dict[Node, list] = {}  # what arrived at nodes that wait for more
    # Nodes whose first cotangent this walk made itself and nobody else holds, with the number of times it was added to in place.
    fresh: dict[Node, int] = {}
    queue = _ReadyQueue()
    heap = queue.heap
    quietly: Any = None if tensors else state.quietly
    outside, walk_outside, running_outside, anomaly = state.grad_mode, state.walk, state.running, state.anomaly
    packing, no_packing = state.packing, state.no_packing
    state.packing = packing.copy()  # what is entered or left in a hook does not outlast the pass
    state.walk = Walk(plan, site)
    state.set_grad(recorded)
    node, edges, results, cotangents, incoming, done = None, plan.roots, gradients, [None], [], None
    between = () if anomaly else plan.between  # what only hands cotangents on; None for every node
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
                        shape, dtype = target._metas[output]
                        fit(g, shape, dtype, node, index)  # which complains, wanted or not
                    continue
                left = pending[target] - 1
                metas = target._metas
                buffer = buffers.get(target)
                if buffer is None:
                    buffer = [None] * len(metas)
                    if left:
                        buffers[target] = buffer
                if g is not None:
                    meta = metas[output]
                    if type(g) is not ndarray or (g.shape, g.dtype) != meta:
                        g = fit(g if tensors else np.asarray(g), meta[0], meta[1], node, index)
                    present = buffer[output]
                    if present is None:
                        buffer[output] = g
                        if (left or not target._edges) and not output and not tensors and _is_new(g, cotangents, node):
                            fresh[target] = 0
                    elif tensors:
                        buffer[output] = present + g
                    else:
                        added = None if output else fresh.get(target)
                        if added is None:
                            buffer[output] = np.asarray(quietly(np.add, present, g))
                        else:
                            quietly(np.add, present, g, present)
                        if not output:
                            fresh[target] = 0 if added is None else added + 1
                if left:
                    pending[target] = left
                else:
                    if ready is not None:
                        queue.push(ready, incoming)
                    ready, incoming = target, buffer
            if done is not None:  # only now: PyTorch keeps what was saved when it refuses what a node gave
                done._release(site)
                done = None
            # Run the next node that is ready: mostly the one that just became so. Past the queue it changes no order there, as
            # long as the newest in the queue is no AccumulateGrad.
            if ready is not None and (not heap or heap[0][0] < _rank(ready)):
                node, cotangents = ready, incoming
            else:
                if ready is not None:
                    queue.push(ready, incoming)
                if not heap:
                    break
                _, node, cotangents = queue.pop()
            accumulates, hooks = type(node) is AccumulateGrad, node._hookset
            if not accumulates and hooks is None and (between is None or node in between):
                results = node.apply(cotangents, quietly, needed)  # as almost every node does: nothing watches it
                edges = node._edges
                if not retain:
                    done = node
                continue
            edges = ()
            runs = on_path is None or node in on_path
            arrived = list(cotangents) if captures and runs else cotangents  # hooks change what is returned only where the walk ends
            if hooks is not None or accumulates and node.variable._hooks:
                _run_tensor_hooks(node, cotangents, tensors, wrap)
            if captures:
                for output, g in enumerate(arrived):
                    if (node, output) in captures:
                        captures[node, output] = g
            if not runs:
                continue
            if hooks is not None and hooks.before:
                _run_before_hooks(node, cotangents, tensors, wrap)
            if accumulates:
                g = cotangents[0]
                if tensors and not recorded and g is not None:
                    g = g._array  # a tangent of it is not kept
                seen = hooks is not None or node.variable._hooks  # a hook may have kept the gradient
                node.accumulate(g, recorded, None if seen else fresh.get(node))
                if node.variable._post_hooks:
                    _run_post_hooks(node.variable)
                results = ()
            else:
                if anomaly:
                    state.running = shown(node)
                results = node.apply(cotangents, quietly, needed)
            if hooks is not None and hooks.after:
                results = _run_after_hooks(node, results, cotangents, tensors, wrap)
            if anomaly and state.check_nan:
                if not retain:
                    node._release(site)
                _refuse_nan(node, results)
            done = None if retain else node
            edges = node._edges
    except Exception:
        if anomaly and node is not None:
            _tell(node)
        raise
    finally:
        state.packing, state.no_packing, state.grad_mode = packing, no_packing, outside
        state.update()
        state.walk, state.running = walk_outside, running_outside
    return [captures[edge] for edge in plan.inputs or () if captures]


walks.append(run.__code__)


def _checked(hook: Callable, before: Any, after: Any) -> Any:
    """What a hook returned in place of a gradient: None, or a Tensor of the same dtype and shape."""
    if after is None:
        return None
    if before is None:
        raise errors.note(RuntimeError(errors.HOOK_NONE))
    if not hasattr(after, "_array"):
        raise errors.note(TypeError(errors.HOOK_VALUE.format(type(after).__name__)))
    name = getattr(hook, "__name__", "<unknown>")
    if after._array.dtype != before._array.dtype:
        raise errors.note(RuntimeError(errors.HOOK_TYPE.format(name, before.type(), after.type())))
    if after._array.shape != before._array.shape:
        raise errors.note(RuntimeError(errors.HOOK_SIZE.format(name)))
    return after


def _all_checked(hook: Callable, before: tuple, after: Any) -> tuple:
    """What a hook on a node returned in place of all its gradients, which must be as many."""
    if not isinstance(after, tuple):
        raise errors.note(TypeError(errors.HOOK_TUPLE.format(type(after).__name__)))
    if len(after) != len(before):
        name = getattr(hook, "__name__", "<unknown>")
        raise errors.note(RuntimeError(errors.HOOK_COUNT.format(name, len(after), len(before))))
    return tuple(_checked(hook, old, new) for old, new in zip(before, after, strict=True))


def _run_tensor_hooks(node: Node, cotangents: list, tensors: bool, wrap: Callable) -> None:
    """Tensor.register_hook, in the order of registration; retain_grad sees the result last."""
    by_output = dict(node._hookset.tensor) if node._hookset is not None else {}
    if type(node) is AccumulateGrad and node.variable._hooks:
        by_output[0] = node.variable._hooks
    retain = node._hookset.retain if node._hookset is not None else {}
    for output in {**by_output, **retain}:
        g = cotangents[output]
        g = g if tensors or g is None else wrap(g)
        for hook in tuple(by_output.get(output, {}).values()):
            answer = _checked(hook, g, hook(g))
            g = g if answer is None else answer
        if g is not None and output in retain:
            retain[output](g)
        cotangents[output] = g if tensors or g is None else g._array


def _wrapped(values: Sequence, tensors: bool, wrap: Callable) -> tuple:
    return tuple(g if tensors or g is None else wrap(np.asarray(g)) for g in values)


def _unwrapped(values: Sequence, tensors: bool) -> list:
    return [g if tensors or g is None else g._array for g in values]


def _run_post_hooks(leaf: Any) -> None:
    """Tensor.register_post_accumulate_grad_hook: a hook may read and clear ``.grad``, and returns nothing, or the leaf."""
    for hook in tuple(leaf._post_hooks.values()):
        result = hook(leaf)
        if result is not leaf and _checked(hook, leaf, result) is not None:
            raise errors.note(RuntimeError(errors.HOOK_POST))


def _run_before_hooks(node: Node, cotangents: list, tensors: bool, wrap: Callable) -> None:
    given = _wrapped(cotangents, tensors, wrap)
    for hook in tuple(node._hookset.before.values()):  # type: ignore[union-attr]
        answer = hook(given)
        given = given if answer is None else _all_checked(hook, given, answer)
    cotangents[:] = _unwrapped(given, tensors)


def _run_after_hooks(node: Node, results: Sequence, cotangents: list, tensors: bool, wrap: Callable) -> list:
    fitted = []
    for index, (g, edge) in enumerate(zip(results, node._edges, strict=False)):
        if g is not None and edge is not None:
            shape, dtype = edge[0]._metas[edge[1]]
            g = fit(g if tensors else np.asarray(g), shape, dtype, node, index)
        fitted.append(g)
    given, outputs = _wrapped(fitted, tensors, wrap), _wrapped(cotangents, tensors, wrap)
    for hook in tuple(node._hookset.after.values()):  # type: ignore[union-attr]
        answer = hook(given, outputs)
        given = given if answer is None else _all_checked(hook, given, answer)
    return _unwrapped(given, tensors)


def _refuse_nan(node: Node, results: Sequence) -> None:
    """Raise in anomaly mode for a gradient that is not a number."""
    for number, g in enumerate(results):
        if g is not None and np.isnan(getattr(g, "_array", g)).any():
            raise errors.note(RuntimeError(errors.ANOMALY_NAN.format(node_name(node), number)))


def _tell(node: Node) -> None:
    """Warn with the call that made a node, and with those of the nodes in whose backward it was made."""
    trace = node.metadata.get("traceback_")
    text = errors.ANOMALY_NO_TRACE if trace is None else errors.ANOMALY_TRACE
    warnings.warn(text.format(node_name(node), "".join(trace or ())), UserWarning, stacklevel=5)
    while (parent := node.metadata.get("parent_")) is not None:
        node = parent
        trace = "".join(node.metadata.get("traceback_", ()))
        warnings.warn(errors.ANOMALY_PARENT.format(node_name(node), trace), UserWarning, stacklevel=5)
