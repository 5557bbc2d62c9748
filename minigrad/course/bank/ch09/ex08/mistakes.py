"""09.8 The curvature of a real loss: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def curvature_row_by_row(loss, params, vs):
    products = []
    for p in params:
        gradients = mg.autograd.grad(loss(), params, create_graph=True)
        along = sum((g * v).sum() for g, v in zip(gradients, vs, strict=True))
        products += mg.autograd.grad(along, p, materialize_grads=True)
    return products


WASTEFUL["everything anew for each parameter"] = Mistake(
    curvature_row_by_row,
    "Right, but you compute the loss and its gradient anew for each parameter. One number, the sum of all g · v, and one "
    "more pass for all parameters are enough.",
)

MISTAKES: dict[str, Mistake] = {}


def curvature_of_blocks(loss, params, vs):
    products = []
    for p, v in zip(params, vs, strict=True):
        (g,) = mg.autograd.grad(loss(), p, create_graph=True)
        products.append(mg.autograd.grad((g * v).sum(), p, materialize_grads=True)[0] if g.requires_grad else mg.zeros_like(p))
    return products


MISTAKES["only the blocks on the diagonal"] = Mistake(
    curvature_of_blocks,
    "The gradient for `W` also changes when `U` moves. You let each parameter move by itself: that gives only the blocks "
    "on the diagonal of H. Sum g · v over **all** parameters first, then differentiate the sum.",
)


def curvature_of_used(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    along = sum((g * v).sum() for g, v in zip(gradients, vs, strict=True))
    return list(mg.autograd.grad(along, params))


MISTAKES["a parameter that the gradient does not depend on"] = Mistake(
    curvature_of_used,
    "The slope for a parameter that is only added is a constant, so no way leads back to that parameter. Its product is "
    "zeros: `materialize_grads=True` makes them, or `allow_unused=True` and a look for None.",
)


def curvature_unweighted(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    return list(mg.autograd.grad(sum(g.sum() for g in gradients), params, materialize_grads=True))


MISTAKES["v is not used"] = Mistake(
    curvature_unweighted,
    "You differentiated the sum of all slopes, without `v`: that gives sums of rows of H. The weights belong inside the "
    "sum: (g * v).sum().",
)


def curvature_flat(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params)
    along = sum((g * v).sum() for g, v in zip(gradients, vs, strict=True))
    return list(mg.autograd.grad(along, params))


MISTAKES["no graph"] = Mistake(
    curvature_flat, "The gradient has no graph, so it cannot be differentiated again. The first pass needs `create_graph=True`."
)


def curvature_by_backward(loss, params, vs):
    loss().backward(create_graph=True)
    sum((p.grad * v).sum() for p, v in zip(params, vs, strict=True)).backward()
    return [p.grad.detach() for p in params]


MISTAKES["backward"] = Mistake(
    curvature_by_backward,
    "`backward` adds to `.grad`: there stands g + H v, and it stays there. `mg.autograd.grad` returns H v alone, and "
    "leaves `.grad` as it is.",
)
