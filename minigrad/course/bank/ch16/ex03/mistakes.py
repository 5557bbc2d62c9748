"""16.3 The contract: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import (
    arrays,
    backward_with_contract,
    checks,
    contract,
    graph,
    head,
    mistake,
    modes,
    operations,
    patched,
    values,
    walk_with_shapes,
)
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}
M3 = (head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, backward_with_contract)

LATE = """
def backward(self, gradient=None, retain_graph=False):
    passed = []
    try:
        if self.requires_grad:
            seen = walk(edge(self), gradient if isinstance(gradient, Tensor) else tensor(np.ones(self.shape)))
            with no_grad():
                for node, g in seen:
                    passed.append(node)
                    if isinstance(node, Sink):
                        node.leaf.grad = tensor(g.array) if node.leaf.grad is None else node.leaf.grad + g
    finally:
        for node in [] if retain_graph else passed:
            node.saved = node.saved and None
        start_of(self, gradient)


Tensor.backward = backward
"""

MISTAKES["raises after .grad was changed"] = mistake("late", patched((*M3[:-1], LATE)))
WRITE = "node.leaf.grad = tensor(g.array) if old is None else old + g"
MISTAKES["replaces .grad"] = mistake("replaces", patched(M3, (WRITE, "node.leaf.grad = tensor(g.array)")))

MISTAKES["two leaves share an array"] = mistake(
    "shared", patched(M3, (WRITE, "node.leaf.grad = g if old is None else Tensor(np.add(old.array, g.array, out=old.array))"))
)

MISTAKES["the graph is never freed"] = mistake("freed", patched(M3, ("if node.saved and not retain_graph:", "if False:")))

MISTAKES["v is broadcast"] = mistake(
    "shape_of_v",
    patched(M3, ("if gradient.shape != root.shape:", "if np.broadcast_shapes(gradient.shape, root.shape) != root.shape:")),
)

MISTAKES["no v is always fine"] = mistake("scalar_only", patched(M3, ("if root.array.size != 1:", "if False:")))

MISTAKES["only the shape () is a scalar"] = mistake(
    "one_element", patched(M3, ("if root.array.size != 1:", "if root.shape != ():"))
)

MISTAKES["everything keeps a gradient"] = mistake(
    "non_leaf",
    patched(
        M3,
        ("yield node, g", "node.keeps.grad = node.keeps.grad if isinstance(node, Sink) else g; yield node, g"),
        ("Node(rule, inputs, saved)\n", "Node(rule, inputs, saved)\n        out.node.keeps = out\n"),
        ("self.leaf = leaf", "self.leaf = self.keeps = leaf"),
    ),
)
