"""05.3 When the trick lies: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Part


def is_elementwise(f, x):
    """Whether entry i of f(x) depends, at x, on entry i of x only: is the Jacobian diagonal?

    f: takes a Tensor of shape (n,), returns one of shape (n,). x: a leaf of shape (n,) that requires grad.
    Returns True or False.
    """
    x.grad = None
    f(x).sum().backward()
    slopes = x.grad
    x.grad = None
    v = mg.randn(len(x), dtype=x.dtype)
    f(x).backward(v)
    return mg.allclose(x.grad, v * slopes)


def elementwise_numpy(f, x):
    y = f(x)
    v = np.random.default_rng(5).normal(size=len(x))
    x.grad = None
    y.backward(mg.ones_like(y), retain_graph=True)
    slopes = x.grad.numpy().copy()
    x.grad.zero_()
    y.backward(mg.tensor(v, dtype=x.dtype))
    return np.allclose(x.grad.numpy(), v * slopes, rtol=1e-4, atol=1e-6)


def elementwise_moved(f, x):
    """Without any backward pass: move one entry, and look at the others."""
    with mg.no_grad():
        y = f(x)
        for k in range(len(x)):
            moved = x.clone()
            moved[k] += 1e-3
            others = [i for i in range(len(x)) if i != k]
            if not mg.allclose(f(moved)[others], y[others]):
                return False
    return True


ANSWER = Part(
    reference=is_elementwise,
    alternatives={
        "NumPy, one graph": elementwise_numpy,
        "moving one entry": elementwise_moved,
    },
    hints=(
        "One pass with ones gives the sum of the rows. If J is diagonal, that is the diagonal. If it is not, several rows are "
        "mixed into one number, and you cannot see it. What if the rows had different weights?",
        "```text\n        diagonal J             some other J\nones    s0    s1    s2        sums of columns\n"
        "v       v0·s0 v1·s1 v2·s2     the same columns, weighted: not v times the sums\n```\n\nTwo passes, one comparison. "
        "A random `v` makes it unlikely that the right-hand side agrees by accident.",
        "```python\nx.grad = None\nf(x).sum().backward()\nslopes = x.grad\nx.grad = ___\nv = mg.randn(len(x), dtype=x.dtype)\n"
        "f(x).backward(___)\nreturn mg.allclose(x.grad, ___)\n```",
    ),
    explanation="""\
With ones, column j gives the sum Σᵢ Jᵢⱼ; with weights it gives Σᵢ vᵢ Jᵢⱼ. If J is diagonal, each column holds one
number, and the second is vⱼ times the first. If not, their difference is Σᵢ (vᵢ − vⱼ) Jᵢⱼ, and for a random `v` that
is 0 only by an unlikely accident.

Ones alone cannot tell. The columns of softmax sum to 0, those of x shifted by one place to 1, and those of `x + next
− previous` even to the diagonal, though every row has two more entries.

Two passes, for any n. To build all of J takes n passes and shows more: *which* outputs mix.

And a word on *at x*: the answer is about this point. `relu` of a mixture that happens to be negative has J = 0.
""",
)
