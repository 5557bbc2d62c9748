"""Right answers of chapter 16 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch16.ex01.mistakes import ADD_UP, EARLY, M1
from minigrad.course.bank.ch16.ex02.mistakes import M2, SUM_UP
from minigrad.course.bank.ch16.ex03.mistakes import M3, WRITE
from minigrad.course.bank.ch16.ex04.mistakes import AFTER, EACH, HOOKS, M4
from minigrad.course.bank.ch16.ex05.mistakes import M5
from minigrad.course.bank.ch16.ex06.mistakes import CHANGED, LEAF_RULE, LOOK_AGAIN, M6
from minigrad.course.bank.ch16.ex07.mistakes import BY_HAND, M7
from minigrad.course.bank.ch16.ex08.mistakes import FACTS, M8
from minigrad.course.bank.ch16.known import backward, graph, head, modes, operations, patched, values

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 16.1 Scalars -------------------------------------------------------------------------------------------


# The waiting messages are fetched by asking the consumers, which ask theirs.
RECURSIVE_AGAIN = """
def walk(root, g):
    consumers, todo, nodes = {root: []}, [root], [root]
    while todo:
        node = todo.pop()
        for k, parent in enumerate(node.parents):
            if parent is not None:
                if parent not in consumers:
                    consumers[parent] = []
                    todo.append(parent)
                    nodes.append(parent)
                consumers[parent].append((node, k))
    known = {root: g}

    def total(node):
        if node not in known:
            messages = [consumer.messages(total(consumer))[k] for consumer, k in consumers[node]]
            known[node] = messages[0]
            for message in messages[1:]:
                known[node] = known[node] + message
        return known[node]

    for node in nodes:
        yield node, total(node)
"""

AGAIN["16.1"] = {
    "overwrites": patched(M1, (ADD_UP, "pass")),
    "fires before all messages are there": patched(
        (head, modes, values, graph, EARLY.replace("pop(0)", "pop()"), operations, backward)
    ),
    "recursion": patched((head, modes, values, graph, RECURSIVE_AGAIN, operations, backward)),
    "the rule forgets its message": patched(M1, ("lambda g, a: (g / a,)", "lambda g, a: (1 / a,)")),
    "the wrong factor": patched(
        M1, ("rule, (a, b), (needed(a, b), needed(b, a))", "lambda g, a, b: (a * g, b * g), (a, b), (a, b)")
    ),
    "no reflected operations": patched(M1, ("Tensor.__mul__ = Tensor.__rmul__ = mul", "Tensor.__mul__ = mul")),
}


# --- 16.2 Arrays --------------------------------------------------------------------------------------------


AGAIN["16.2"] = {
    "no unbroadcast": patched(M2, (SUM_UP, "return g if len(shape) else g.sum()")),
    "new axes only": patched(M2, (SUM_UP, "return g.sum((*range(new), *stretched))")),
    "repeated rows overwrite": patched(M2, ("np.add.at(out, index, a.array)", "out[index] = a.array")),
    "the mean forgets its N": patched(M2, ("(a.array.size if dim is None else a.shape[dim])", "a.array.size")),
    "factors of @ in the wrong order": patched(
        M2, ("g @ b.T, None if a is None else a.T @ g", "g @ b.T, None if a is None else g.T @ a")
    ),
    "reshape for transpose": patched(M2, ("lambda g: (g.T,)", "lambda g: (tensor(g.array.reshape(a.shape)),)")),
    "v is not used": patched(
        M2, ("tensor(1.0) if gradient is None else gradient", "tensor(1.0) if gradient is None else gradient * gradient")
    ),
}


# --- 16.3 The contract --------------------------------------------------------------------------------------


SECOND = "if self.saved is None:"

# Here v is looked at when the first leaf has got its gradient.
LATE_AGAIN = """
def backward(self, gradient=None, retain_graph=False):
    if not self.requires_grad or isinstance(gradient, Tensor) and gradient.shape != self.shape:
        start_of(self, gradient)
    passed = []
    with no_grad():
        for node, g in walk(edge(self), gradient if isinstance(gradient, Tensor) else tensor(np.ones(self.shape))):
            passed.append(node)
            if isinstance(node, Sink):
                node.leaf.grad = tensor(g.array) if node.leaf.grad is None else node.leaf.grad + g
                start_of(self, gradient)
    for node in [] if retain_graph else passed:
        node.saved = node.saved and None


Tensor.backward = backward
"""

AGAIN["16.3"] = {
    "raises after .grad was changed": patched((*M3[:-1], LATE_AGAIN)),
    "replaces .grad": patched(M3, (WRITE, "node.leaf.grad = g if old is None else g + 0.0 * old")),
    "two leaves share an array": patched(
        M3, (WRITE, "node.leaf.grad = old or g; node.leaf.grad.array += 0 if old is None else g.array")
    ),
    "the graph is never freed": patched(M3, (SECOND, "if False:"), ("node.saved = None", "node.done = True")),
    "v is broadcast": patched(M3, ("if gradient.shape != root.shape:", "if gradient.array.size not in (1, root.array.size):")),
    "no v is always fine": patched(M3, ("if root.array.size != 1:", "if root.array.size < 1:")),
    "only the shape () is a scalar": patched(M3, ("if root.array.size != 1:", "if len(root.shape):")),
    "everything keeps a gradient": patched(
        M3, ("Node(rule, inputs, saved)\n", "Node(rule, inputs, saved)\n        out.grad = tensor(0.0)\n")
    ),
}


# --- 16.4 Modes, detach, hooks ------------------------------------------------------------------------------


AGAIN["16.4"] = {
    "the flag is lost after an exception": patched(
        M4, (AFTER, "no_grad.recording = self.before if error[0] is None else no_grad.recording")
    ),
    "the inner block switches recording on": patched(M4, (AFTER, "no_grad.recording = not self.inside")),
    "hooks run for each message": patched(
        M4,
        (HOOKS, "for hook in []:"),
        (EACH, f"{EACH}\n            for hook in parent.hooks.values():\n                message = hook(message) or message"),
    ),
    "what a hook returns is lost": patched(M4, ("new = hook(g)", "new = hook(g) and None")),
    "hooks in the wrong order": patched(M4, ("list(node.hooks.values())", "reversed(node.hooks.values())")),
    "a leaf forgets its hooks": patched(M4, ("list(node.hooks.values())", "[h for h in node.hooks.values() if node.parents]")),
    "remove takes all": patched(M4, ("self.hooks.pop(self.key, None)", "pass")),
}


# --- 16.5 Double backward -----------------------------------------------------------------------------------


AGAIN["16.5"] = {
    "rules in raw NumPy": patched(
        M5, ("with enable_grad() if create_graph else no_grad():\n        seen", "with no_grad():\n        seen")
    ),
    "one rule in raw NumPy": patched(
        M5,
        (
            "None if b is None else g @ b.T, None if a is None else a.T @ g",
            "None if b is None else Tensor(g.array @ b.array.T), None if a is None else Tensor(a.array.T @ g.array)",
        ),
    ),
    "grad writes into .grad": patched(
        M5,
        (
            "    gradients = tuple(found.get(edge(t)) for t in inputs)",
            "    gradients = tuple(found.get(edge(t)) for t in inputs)\n    for n in found:\n"
            "        if isinstance(n, Sink):\n            n.leaf.grad = None",
        ),
    ),
    "an unused input is silent": patched(M5, ("if None in gradients and not allow_unused:", "if None in gradients:")),
}


# --- 16.6 Versions and views --------------------------------------------------------------------------------


AGAIN["16.6"] = {
    "one array for several gradients": patched(M6, ("else tensor(g.array)", "else Tensor(g.array)")),
    "the counter on the tensor": patched(
        M6,
        ("self.memory = memory or Memory()", "self.memory = Memory()"),
        ("out.memory, out.base = a.memory, a", "out.base = a"),
        (
            "return Tensor(self.array, self.requires_grad, self.node, self.memory)",
            "again = Tensor(self.array, self.requires_grad, self.node)\n        again.memory = self.memory\n        "
            "return again",
        ),
    ),
    "a product in place saves what it overwrites": patched(
        M6, ("Tensor(t.array.copy(), t.requires_grad, t.node)", "Tensor(t.array, t.requires_grad, t.node, memory=t.memory)")
    ),
    "versions are not compared": patched(M6, (CHANGED, "if t is not None and t.memory.version < version:")),
    "the output is not guarded": patched(
        M6, ("node.save([out])", "node.save([out])\n            node.saved[0].memory = Memory()")
    ),
    "a leaf may be written": patched(
        M6, (LEAF_RULE, "if no_grad.recording and t.requires_grad and t.is_leaf and t.base is None and False:")
    ),
    "slices are copies": patched(
        M6,
        ("index = (*parts, ...)  # with the dots even x[0] is a view", "index = np.ix_(*[[0]]) if False else index"),
        ("def detach(a):", "def detach(a):\n    return Tensor(a.array.copy())\n\n\ndef unused(a):"),
    ),
    "a view keeps its old history": patched(
        M6, (LOOK_AGAIN, "if self.base and not self._requires_grad and self.base.node is not self.base_node:")
    ),
    "overwritten cells still count": patched(M6, ("(put_at(g, index, 0.0), g[index])", "(g * 1.0, g[index])")),
    "the base keeps its old history": patched(
        M6, ("(put(g, window, tensor(0.0)), window(g))", "(g, None)"), ("parent is None", "parent is None or message is None")
    ),
    "+= makes a new tensor": patched(M6, ("Tensor.mul_ = Tensor.__imul__ = in_place(mul)", "Tensor.mul_ = in_place(mul)")),
}


# --- 16.7 Training ------------------------------------------------------------------------------------------


AGAIN["16.7"] = {
    "trains without the engine": patched((*M6, BY_HAND), ("np.array(w, dtype=np.float64)", "tensor(w).numpy()")),
    "gradients are not forgotten": patched(
        M7, ("    for p in parameters:\n            p.grad = None\n", "    if not losses:\n            W1.grad = None\n")
    ),
    "labels as a row": patched(M7, ("tensor(labels).reshape(-1, 1)", "tensor(labels).reshape(1, -1)")),
    "another step": patched(M7, ("p -= rate * p.grad", "p -= rate / 2 * p.grad")),
    "trains the caller's arrays": patched(
        M7,
        (
            "return losses, [p.numpy() for p in parameters]",
            "for w, p in zip(weights, parameters):\n        w[...] = p.array\n    return losses, [p.numpy() for p "
            "in parameters]",
        ),
    ),
}


# --- 16.8 Break a friend's engine ---------------------------------------------------------------------------


LOOKS_INTO_THE_ERROR = """try:
    x.zero_()
except RuntimeError as e:
    assert 'leaf' in e"""

AGAIN["16.8"] = {
    "does not catch": patched(M8, ("handle.remove()", "pass"), name=FACTS),
    "depends on words": patched(M8, ("assert second is not None and", "assert x.grad_fn is None and"), name=FACTS),
    "wrong on minigrad": patched(M8, ("assert y._version == before + 1", LOOKS_INTO_THE_ERROR), name=FACTS),
}


# --- 16.9 Random programs -----------------------------------------------------------------------------------


AGAIN["16.9"] = {
    "a special value goes wrong": patched(M6, ("tensor(a.array > 0)", "tensor(a.array >= 0)")),
    "a result that cannot be used": patched(
        M6, ("if self.base is not None and self.base.node is not self.base_node:", "if self.base is not None:")
    ),
}
