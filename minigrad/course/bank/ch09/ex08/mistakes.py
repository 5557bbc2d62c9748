"""09.8 The curvature of a real loss: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch09.ex08.answer import curvature
from minigrad.course.bank.shared import IN_ARRAYS
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


def curvature_pass_by_pass(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    along = sum((g * v).sum() for g, v in zip(gradients, vs, strict=True))
    return [mg.autograd.grad(along, p, retain_graph=True, materialize_grads=True)[0] for p in params]


WASTEFUL["a pass for each parameter"] = Mistake(
    curvature_pass_by_pass,
    "Right, but with more than two passes. One pass takes all parameters: `mg.autograd.grad(along, params)`, with the whole list.",
)

WASTEFUL["a tuple"] = Mistake(
    lambda loss, params, vs: tuple(curvature(loss, params, vs)),
    "Right, in a tuple, as `mg.autograd.grad` returns it. A **list** was asked for: `list(…)` around it.",
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


def curvature_left_in_grad(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    sum((g * v).sum() for g, v in zip(gradients, vs, strict=True)).backward()
    return [mg.zeros_like(p) if p.grad is None else p.grad for p in params]


MISTAKES["left in .grad"] = Mistake(
    curvature_left_in_grad,
    "The numbers are right, but `backward` wrote into `.grad`, and they stay there. `mg.autograd.grad` returns them, and leaves "
    "`.grad` as it is.",
)


def curvature_sums_apart(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    along = sum(g.sum() * v.sum() for g, v in zip(gradients, vs, strict=True))
    return list(mg.autograd.grad(along, params, materialize_grads=True))


MISTAKES["summed before the product"] = Mistake(
    curvature_sums_apart,
    "Every slope of a parameter got the same weight, the sum of its `v`. Multiply entry by entry first, then sum: (g * v).sum().",
)


def curvature_with_nones(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    along = sum((g * v).sum() for g, v in zip(gradients, vs, strict=True))
    return list(mg.autograd.grad(along, params, allow_unused=True))


MISTAKES["None for zeros"] = Mistake(
    curvature_with_nones,
    "There is a None in your list, where the gradient does not depend on the parameter. Wanted are zeros: "
    "`materialize_grads=True` makes them.",
)


def curvature_by_differences(loss, params, vs):
    def moved(step):
        with mg.no_grad():
            for p, v in zip(params, vs, strict=True):
                p += step * v
        found = mg.autograd.grad(loss(), params)
        with mg.no_grad():
            for p, v in zip(params, vs, strict=True):
                p -= step * v
        return found

    return [(a - b) / 2e-5 for a, b in zip(moved(1e-5), moved(-1e-5), strict=True)]


MISTAKES["differences"] = Mistake(
    curvature_by_differences,
    "You called `loss` with other numbers in the parameters: those are differences. They lose digits, and coming back is rounded. The "
    "engine knows the second derivative: differentiate the gradient.",
)


def curvature_of_total_sums(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    along = sum(g.sum() for g in gradients) * sum(v.sum() for v in vs)
    return list(mg.autograd.grad(along, params, materialize_grads=True))


MISTAKES["all summed before the product"] = Mistake(
    curvature_of_total_sums,
    "Every slope got the same weight, the sum of all `vs`. Multiply entry by entry first, then sum: (g * v).sum().",
)


def curvature_arrays(loss, params, vs):
    return [product.numpy() for product in curvature(loss, params, vs)]


MISTAKES["NumPy arrays"] = Mistake(curvature_arrays, IN_ARRAYS)


def curvature_weighed_late(loss, params, vs):
    return [h * v for h, v in zip(curvature(loss, params, [mg.ones_like(v) for v in vs]), vs, strict=True)]


MISTAKES["v after the sum"] = Mistake(
    curvature_weighed_late,
    "You differentiated the sum of all slopes and multiplied by `v` afterwards. That weighs sums of whole rows of H. The weights "
    "belong inside the sum: (g * v).sum().",
)
