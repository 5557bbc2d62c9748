"""10.3 A JVP out of two VJPs: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def jvp_by_vjps(f, x, t):
    """J t, from two calls of mg.autograd.grad and no dual tensor.

    f: takes a Tensor like x, returns a Tensor that depends on it. x: a leaf that requires grad. t: a Tensor of the
    shape of x. Returns a Tensor of the shape of f(x).
    """
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    (Jt,) = mg.autograd.grad(g, u, t)
    return Jt


def twice_summed(f, x, t):
    y = f(x)
    u = mg.ones_like(y).requires_grad_()
    g = mg.autograd.grad((u * y).sum(), x, create_graph=True)[0]
    return mg.autograd.grad((g * t).sum(), u)[0]


ANSWER = Part(
    reference=jvp_by_vjps,
    alternatives={
        "sums instead of cotangents": twice_summed,
    },
    hints=(
        "One pass gives g = Jᵀu, and g is linear in u. Its derivative by u is Jᵀ. What does a VJP of **this** function "
        "give, with the cotangent t?",
        "```text\n        first pass                 second pass\n"
        " u ──────────────────► g = Jᵀ u ──────────────────► tᵀ Jᵀ = (J t)ᵀ\n"
        "(shape of y)         (shape of x)   cotangent t   (shape of y)\n```\n\nThe numbers in u do not matter; that it requires "
        "grad does.",
        "```python\ny = f(x)\nu = mg.zeros_like(___, requires_grad=___)\n"
        "(g,) = mg.autograd.grad(y, ___, u, ___=True)\n(Jt,) = mg.autograd.grad(g, ___, ___)\nreturn Jt\n```",
    ),
    explanation="""\
`grad(y, x, u)` computes g = Jᵀu. For a fixed x that is a linear function of u, and its Jacobian is Jᵀ, wherever u stands.
That is why zeros do.

A VJP of this linear function, with the cotangent t, is tᵀJᵀ, and that is (J t)ᵀ. So two passes backward make one forward.

The first pass writes a graph (`create_graph=True`), and in this graph u is a leaf. Libraries used this trick before they
had forward mode, and `functional.jvp` still does: it needs no rule beyond the backward rules.

It has a price: a graph of f, and a graph of its backward pass, both kept in memory. Forward mode keeps neither.
""",
)
