"""16.6 Versions and views: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import (
    arrays,
    backward_twice,
    checks,
    contract_with_views,
    graph_with_versions,
    head,
    looking_in,
    mistake,
    modes,
    operations,
    patched,
    values_with_memory,
    views,
    walk_with_shapes,
    writing,
)
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost

M6 = (
    head, modes, values_with_memory, graph_with_versions, walk_with_shapes, operations, arrays, checks, contract_with_views,
    looking_in, backward_twice, views, writing,
)  # fmt: skip

WASTEFUL["one array for several gradients"] = mistake("shared", patched(M6, ("else tensor(g.array)", "else g")))
MISTAKES: dict[str, Mistake] = {}

MISTAKES["the counter on the tensor"] = mistake(
    "counter",
    patched(
        M6, ("out.memory, out.base = a.memory, a", "out.base = a"), ("Tensor(a.array, memory=a.memory)", "Tensor(a.array)")
    ),
)

MISTAKES["a product in place saves what it overwrites"] = mistake(
    "old_factor", patched(M6, ("old = Tensor(t.array.copy(), t.requires_grad, t.node)", "old = t"))
)

CHANGED = "if t is not None and t.memory.version != version:"
MISTAKES["versions are not compared"] = mistake("saved_check", patched(M6, (CHANGED, "if False:")))

MISTAKES["the output is not guarded"] = mistake(
    "saved_output", patched(M6, ("node.save([out])", "node.save([Tensor(out.array, True, node)])"))
)

LEAF_RULE = "if no_grad.recording and whole.requires_grad and whole.is_leaf:"
MISTAKES["a leaf may be written"] = mistake("leaf_rule", patched(M6, (LEAF_RULE, "if False:")))

MISTAKES["slices are copies"] = mistake(
    "copies", patched(M6, ("if np.may_share_memory(out.array, a.array):", "out.array = out.array.copy()\n    if False:"))
)

LOOK_AGAIN = "if self.base is not None and self.base.node is not self.base_node:"

MISTAKES["a view keeps its old history"] = mistake(
    "stale",
    patched(M6, (LOOK_AGAIN, "if self.base is not None and self._node is None and self.base.node is not self.base_node:")),
)

MISTAKES["overwritten cells still count"] = mistake(
    "overwritten", patched(M6, ("(put_at(g, index, 0.0), g[index])", "(g, g[index])"))
)

MISTAKES["the base keeps its old history"] = mistake(
    "rebase",
    patched(M6, ("write(t.base, put(t.base, t.window, new))", "write(t.base, put(t.base, t.window, tensor(new.array)))")),
)

MISTAKES["+= makes a new tensor"] = mistake(
    "new_object", patched(M6, ("Tensor.add_ = Tensor.__iadd__ = in_place(add)", "Tensor.add_ = in_place(add)"))
)
