"""04.1 Two spellings: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.exercise import Mistake
from minigrad.course.helpers.graphs import nodes_of

MISTAKES: dict[str, Mistake] = {}

MISTAKES["v is forgotten"] = Mistake(
    lambda y, v: y.sum(),
    "Where did `v` go? The gradient is that of `y.sum()`, as if `v` were all ones. `v` is to be a **factor** of each entry of `y`.",
)

MISTAKES["matrix product"] = Mistake(
    lambda y, v: v @ y,
    "`v @ y` is the sum of products only when both have one axis. In two dimensions it "
    "multiplies matrices, with no axes at all it raises. Multiply entry by entry, then sum "
    "everything.",
)

MISTAKES["nothing is summed"] = Mistake(
    lambda y, v: v * y,
    "The products are right, but `L` must be **one** number: shape `()`. Otherwise `L.backward()` asks for a `gradient` again.",
)

MISTAKES["mean"] = Mistake(
    lambda y, v: (v * y).mean(),
    "N times too small, where N is the number of entries of `y`: `mean` divides by N, and vᵀJ is a plain sum.",
)

MISTAKES["a factor"] = Mistake(
    lambda y, v: y.numel() * (v * y).sum(),
    "N times too large, where N is the number of entries of `y`. The sum over the outputs is "
    "already inside vᵀJ; there is no factor besides. (An official tutorial once had this "
    "mistake.)",
)

MISTAKES["an average with weights"] = Mistake(
    lambda y, v: (v * y).sum() / v.sum(),
    "You divided by the sum of the weights. vᵀJ takes the weights as they are; they need not sum to 1.",
)

MISTAKES["detached"] = Mistake(
    lambda y, v: (v * y.detach()).sum(),
    "`L` has no history: something cut it off from `x`, as `detach`, `data`, `item` or `no_grad` do. Compute with `y` itself.",
)


def backward_called(y, v):
    y.backward(v)


MISTAKES["backward is called"] = Mistake(
    backward_called,
    "Your function called `backward` itself. It is asked for `L` only: return it, and whoever "
    "wants the gradient calls `L.backward()`. Here the checker does.",
)


def y_changed(y, v):
    y *= v
    return y.sum()


MISTAKES["y is changed"] = Mistake(
    y_changed,
    "`L` is right, but `y` is changed: `*=` writes into it, and whoever goes on with `y` gets "
    "other numbers. `v * y` makes a new Tensor.",
)

MISTAKES["sums multiplied"] = Mistake(
    lambda y, v: y.sum() * v.sum(),
    "You multiplied two sums, so every entry of `y` got the same weight, the sum of `v`. Each has a weight of its own: multiply "
    "entry by entry first, then add.",
)

MISTAKES["one axis summed"] = Mistake(
    lambda y, v: (v * y).sum(0) if y.ndim else v * y,
    "You summed over one axis, and the others are left. `sum()` without an axis adds all entries, whatever the shape.",
)

MISTAKES["a plain number"] = Mistake(
    lambda y, v: (v * y).sum().item(),
    "You return a Python number. It has no history, so nobody can call `backward` on it. `L` is a Tensor of shape `()`: if you "
    "wrote `.item()` or `float(…)` at the end, leave it out.",
)


def grad_cleared(y, v):
    for node in nodes_of(y):
        if hasattr(node, "variable"):
            node.variable.grad = None
    return (v * y).sum()


MISTAKES["the old .grad is cleared"] = Mistake(
    grad_cleared,
    "`L` is right, but a leaf that had a `.grad` before has lost it. `y.backward(v)` adds to what is there, and so does "
    "`L.backward()`: leave `.grad` alone.",
)
