"""08.5 The derivative of a line: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def second(f, x):
    """The second derivative of f at x: 0 where the first one does not depend on x. Nobody's .grad changes.

    x: a leaf of shape () that requires grad. f(x): shape (), computed from x. Returns a Tensor of shape ().
    """
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    (result,) = mg.autograd.grad(slope, x, materialize_grads=True)
    return result


def second_allow_unused(f, x):
    slope = mg.autograd.grad(f(x), x, create_graph=True)[0]
    if slope.grad_fn is None:
        return mg.tensor(0.0)
    result = mg.autograd.grad(slope, x, allow_unused=True)[0]
    return mg.tensor(0.0) if result is None else result


ANSWER = Part(
    reference=second,
    alternatives={
        "allow_unused": second_allow_unused,
    },
    hints=(
        "There are two ways in which a slope does not depend on `x`. Either it depends on nothing (`3 * x`): then it has no "
        "graph. Or it depends on something else (`w * x`): then it has one, but no path in it leads to `x`.",
        "```text\nf        slope    slope.requires_grad   path to x?   f″\nsin x    cos x    True                  yes          "
        "−sin x\n"
        "w * x    w        True                  no           0\n3 * x    3        False                 no graph     0\n```",
        "```python\n(slope,) = mg.autograd.grad(f(x), x, create_graph=___)\nif not slope.___:\n    return mg.zeros_like(x)\n"
        "(result,) = mg.autograd.grad(slope, x, materialize_grads=___)\nreturn result\n```",
    ),
    explanation="""\
| f | slope | what `grad(slope, x)` says |
|---|---|---|
| sin x | cos x, with a graph that leads to x | −sin x |
| w · x | w, with a graph that leads to w alone | *appears to not have been used*: None or zeros, if you allow it |
| 3 · x | 3, a plain tensor | *element 0 of tensors does not require grad*: ask `slope.requires_grad` first |

`create_graph=True` records what happens on the way back. For `3 * x`, nothing happens there that depends on anything:
a constant gradient has no graph.

A trick that many programs use is to add something that is zero but has a path to `x`: `slope + 0 * x`. It works as
long as `x` is finite: 0 · ∞ is not 0.
""",
)
