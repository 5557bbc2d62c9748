"""16.2 Arrays: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import (
    arrays,
    backward_with_cotangent,
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
M2 = (head, modes, values, graph, walk_with_shapes, operations, arrays, backward_with_cotangent)
MISTAKES["no unbroadcast"] = mistake("unbroadcast", patched(M2, ("message = unbroadcast(message, shape)", "pass")))
SUM_UP = "return g.sum((*range(new), *stretched), keepdim=True).reshape(shape)"
MISTAKES["new axes only"] = mistake("keepdims", patched(M2, (SUM_UP, "return g.sum(tuple(range(new))) if new else g")))

MISTAKES["repeated rows overwrite"] = mistake(
    "repeated", patched(M2, ("np.add.at(out, index, a.array)", "out[index] += a.array"))
)

MISTAKES["the mean forgets its N"] = mistake(
    "mean",
    patched(
        M2,
        (
            "return a.sum(dim, keepdim) / (a.array.size if dim is None else a.shape[dim])",
            "return record(np.asarray(a.array.mean(dim)), lambda g: (expand(g.reshape(-1, 1) if dim == 1 else g, s),), (a,))",
        ),
        ("def mean(a, dim=None, keepdim=False):", "def mean(a, dim=None, keepdim=False):\n    s = a.shape"),
    ),
)

MISTAKES["factors of @ in the wrong order"] = mistake(
    "matmul", patched(M2, ("g @ b.T, None if a is None else a.T @ g", "b @ g.T, None if a is None else a.T @ g"))
)

MISTAKES["reshape for transpose"] = mistake("transpose", patched(M2, ("lambda g: (g.T,)", "lambda g: (g.reshape(a.shape),)")))

MISTAKES["v is not used"] = mistake(
    "cotangent", patched(M2, ("tensor(1.0) if gradient is None else gradient", "tensor(np.ones(self.shape))"))
)
