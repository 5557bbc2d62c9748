"""09.2 The whole Hessian: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def hessian(f, x):
    """The Hessian of f at x.

    f: takes a Tensor of shape (n,), returns one of shape (). x: a leaf of shape (n,) that requires grad.
    Returns a Tensor of shape (n, n).
    """
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = [mg.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(len(x))]
    return mg.stack(rows)


def hessian_filled(f, x):
    H = mg.zeros(len(x), len(x), dtype=x.dtype)
    g = mg.autograd.grad(f(x), x, create_graph=True)[0]
    for i in range(len(x)):
        H[i] = mg.autograd.grad(g[i], x, create_graph=True)[0].detach()
    return H


ANSWER = Part(
    reference=hessian,
    alternatives={
        "filled row by row": hessian_filled,
    },
    hints=(
        "H is the Jacobian of the gradient, so it comes row by row, as every Jacobian does. Row i is the gradient of "
        "`g[i]`. How often must the graph of `g` be walked?",
        "```text\n        ┌─ g[0] ──► row 0\nx ──► g ─┼─ g[1] ──► row 1      n passes through one and the same graph\n"
        "        └─ g[2] ──► row 2\n```\n\nA pass frees the graph behind it, unless you ask it not to.",
        "```python\n(g,) = mg.autograd.grad(f(x), x, create_graph=True)\n"
        "rows = [mg.autograd.grad(g[i], x, ___=True)[0] for i in range(len(x))]\nreturn mg.___(rows)\n```",
    ),
    explanation="""\
Row i of H is the gradient of `g[i]`: one pass for each variable, after the one that made `g`. All n passes go
through the same graph, so `retain_graph=True` keeps it.

The result is symmetric, because ∂²f/∂xᵢ∂xⱼ does not care which derivative was taken first. That is a good test of
your own: `mg.allclose(H, H.T)`.

`mg.autograd.grad(g.sum(), x)` takes one pass and gives one number for each variable. It is tempting to read it as
the diagonal. It is H times ones, the sums of the rows: for f = x₀·x₁ it is (1, 1), and the diagonal is (0, 0).
""",
)
