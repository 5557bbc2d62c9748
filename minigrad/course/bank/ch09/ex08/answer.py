"""09.8 The curvature of a real loss: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def curvature(loss, params, vs):
    """H v for a loss of several parameters, from two backward passes.

    loss: a function without arguments that computes a Tensor of shape () from the leaves in the list params.
    vs: Tensors, each of the shape of its parameter. Returns a list of Tensors of these shapes.
    """
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    along = sum((g * v).sum() for g, v in zip(gradients, vs, strict=True))
    return list(mg.autograd.grad(along, params, materialize_grads=True))


def curvature_by_cotangents(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    roots = [(g, v) for g, v in zip(gradients, vs, strict=True) if g.requires_grad]
    products = mg.autograd.grad([g for g, _ in roots], params, [v for _, v in roots], allow_unused=True)
    return [mg.zeros_like(p) if product is None else product for p, product in zip(params, products, strict=True)]


ANSWER = Part(
    reference=curvature,
    alternatives={
        "with v for cotangents": curvature_by_cotangents,
    },
    hints=(
        "Think of all parameters as one long vector. H has a block for each **pair** of them: one says how the slopes for `W` "
        "change when `U` moves. Which blocks does the program use?",
        "```text\n        W     b     U\n  W   [ W,W | W,b | W,U ]   v_W\n  b   [ b,W | b,b | b,U ] · v_b\n"
        "  U   [ U,W | U,b | U,U ]   v_U\n```\n\nThe program has only the three blocks on the diagonal. "
        "g · v for the long vector is one number: the sum of (g * v).sum() over all parameters.",
        "```python\ngradients = mg.autograd.grad(loss(), params, create_graph=True)\n"
        "along = sum(___ for g, v in zip(gradients, vs))\nreturn list(mg.autograd.grad(___, params, materialize_grads=True))\n```",
    ),
    explanation="""\
The parameters of a model are one long vector in several pieces. So g · v is **one** number, added up over all pieces, and one pass
from it gives H v for all pieces at once: two passes, as for a single vector.

The program took the pieces one by one. It found how the slopes for `W` change when `W` moves, and left out how they change when
`b` or `U` moves. No error, and numbers of a plausible size: only a test against differences of the gradient shows it.

If the slopes do not depend on a parameter at all, no way leads there, and H v is zeros: `materialize_grads=True`.
""",
)
