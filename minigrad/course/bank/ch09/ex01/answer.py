"""09.1 Hessian times vector: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def hvp(f, x, v):
    """H v, the Hessian of f at x times v, from two backward passes.

    f: takes a Tensor like x, returns one of shape (). x: a leaf that requires grad, of any shape.
    v: a Tensor of the shape of x. Returns a Tensor of the shape of x.
    """
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    (Hv,) = mg.autograd.grad((g * v).sum(), x)
    return Hv


def hvp_cotangent(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g, x, grad_outputs=v)[0]


ANSWER = Part(
    reference=hvp,
    alternatives={
        "v as the cotangent": hvp_cotangent,
    },
    hints=(
        "H is the Jacobian of the gradient. You know from chapter 04 how to get vᵀJ of any function with one pass, without "
        "building J. And H is symmetric, so vᵀH and H v are the same numbers.",
        "```text\n       pass 1              · v              pass 2\n"
        "f(x) ────────► g ────────────► g · v ────────► H v\n"
        "               (n numbers)     (one number)    (n numbers)\n```\n\nThe second pass goes back through the first. "
        "So the first must leave a graph.",
        "```python\n(g,) = mg.autograd.grad(f(x), x, ___=True)\n(Hv,) = mg.autograd.grad((___).sum(), x)\nreturn Hv\n```",
    ),
    explanation="""\
The number g · v = Σᵢ gᵢ vᵢ has the derivative Σᵢ vᵢ ∂gᵢ/∂xⱼ = Σᵢ vᵢ Hᵢⱼ. That is entry j of vᵀH, and since H is
symmetric, of H v.

`create_graph=True` makes the first pass write its own operations into a graph, so g knows how it came out of
`x`. The second pass needs no such thing, because nobody differentiates its result.

`mg.autograd.grad(g, x, v)` is the same without the sum: a VJP of the gradient with the cotangent `v`.

Two passes, for three variables or three million: H itself would have 9 · 10¹² entries.
""",
)
