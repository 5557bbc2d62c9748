"""09.1 Hessian times vector: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch09.common import gradient_at
from minigrad.course.bank.ch09.ex01.answer import hvp
from minigrad.course.bank.ch09.known import A_TUPLE, DIFFERENCES, NO_GRAPH, moved_to
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def hvp_of_the_library(f, x, v):
    return mg.autograd.functional.hvp(f, x, v)[1]


WASTEFUL["three passes"] = Mistake(
    hvp_of_the_library,
    "Right, but with three backward passes, as `functional.hvp` makes them: a VJP of a VJP. H is symmetric, so two are enough: "
    "`mg.autograd.grad(g, x, v)`, or `functional.vhp`.",
)

MISTAKES: dict[str, Mistake] = {}


def hvp_no_graph(f, x, v):
    (g,) = mg.autograd.grad(f(x), x)
    return mg.autograd.grad((g * v).sum(), x)[0]


MISTAKES["the gradient has no graph"] = Mistake(hvp_no_graph, NO_GRAPH)


def hvp_not_summed(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g * v, x)[0]


MISTAKES["g * v is not summed"] = Mistake(
    hvp_not_summed,
    "`g * v` has an entry for each variable, and a backward pass starts at **one** number. Sum it first, or give "
    "the weights as the cotangent: `mg.autograd.grad(g, x, v)`. Both are vᵀH, a VJP of the gradient.",
)


def hvp_matmul(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g @ v, x)[0]


MISTAKES["a product of matrices"] = Mistake(
    hvp_matmul,
    "`@` and `dot` are the sum of the products only when `x` has one axis. Here `x` is a table: multiply entry by "
    "entry and sum everything, `(g * v).sum()`.",
)


def flat_hessian(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.stack([mg.autograd.grad(entry, x, retain_graph=True)[0].reshape(-1) for entry in g.reshape(-1)])


def hvp_whole(f, x, v):
    return (flat_hessian(f, x) @ v.reshape(-1)).reshape(x.shape)


MISTAKES["the whole Hessian"] = Mistake(
    hvp_whole,
    "The numbers are right, but you built all of H: a pass for each variable. **Two** passes are enough, "
    "whatever the number of variables. Sum first, then differentiate: H v is the gradient of (g · v).",
)


def hvp_ones(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g.sum(), x)[0]


MISTAKES["row sums"] = Mistake(
    hvp_ones, "Where is `v`? The gradient of `g.sum()` is H v for v = (1, 1, …): the sums of the rows of H."
)


def hvp_ones_times_v(f, x, v):
    return hvp_ones(f, x, v) * v


MISTAKES["v after the sum"] = Mistake(
    hvp_ones_times_v,
    "You differentiated `g.sum()` and multiplied by `v` afterwards. That weighs sums of whole rows. The weights "
    "must stand **inside** the sum: `(g * v).sum()`.",
)


def hvp_slope(f, x, v):
    (g,) = mg.autograd.grad(f(x), x)
    return (g * v).sum()


MISTAKES["one derivative only"] = Mistake(
    hvp_slope,
    "`(g * v).sum()` is the slope of f in the direction `v`: one number, and one derivative. Take the gradient of "
    "that number, and you have H v.",
)


def hvp_gradient_added(f, x, v):
    x.grad = None
    f(x).backward(create_graph=True)
    (x.grad * v).sum().backward()
    return x.grad


MISTAKES["the gradient is in it"] = Mistake(
    hvp_gradient_added,
    "You returned g + H v. If you call `backward` twice: the first left g in `x.grad`, and the second **added** to it. "
    "`mg.autograd.grad` returns gradients and leaves `x.grad` alone. Return what the second pass gives, and nothing else.",
)


def hvp_not_cleared(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    (g * v).sum().backward()
    return x.grad


MISTAKES["not cleared"] = Mistake(
    hvp_not_cleared,
    "The first product is right. The second, with the same `x`, is both added up: `backward` adds to `x.grad`. "
    "Use `mg.autograd.grad` for the second pass too, or begin with `x.grad = None`.",
)


def hvp_never_cleared(f, x, v):
    f(x).backward(create_graph=True)
    (x.grad * v).sum().backward()
    return x.grad


MISTAKES["never cleared"] = Mistake(
    hvp_never_cleared,
    "Two backward passes, and both write into `x.grad`. When you are called again, "
    "the next g is added to that, and the sum hangs on a graph that is freed by now. `mg.autograd.grad` returns each by "
    "itself.",
    evidence=lambda source, seen: ".backward(" in source,
)


def hvp_written_over(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    if x.grad is not None:
        x.grad.zero_()
    (g * v).sum().backward()
    return x.grad


MISTAKES["the next call writes over it"] = Mistake(
    hvp_written_over,
    "The products are right, but the next call changes the first one: both are one tensor, as `x.grad` is after `zero_()`. "
    "`mg.autograd.grad` returns a new one each time.",
)


def hvp_gradient(f, x, v):
    return gradient_at(f, x)


MISTAKES["the gradient"] = Mistake(
    hvp_gradient, "That is the gradient. Differentiate it once more: `(g * v).sum()`, with respect to `x`."
)


def hvp_entries(f, x, v):
    return gradient_at(f, x) * v


MISTAKES["the gradient times v"] = Mistake(
    hvp_entries, "`g * v` is a product entry by entry, of **one** derivative. H v is the gradient of its sum."
)


def hvp_number(f, x, v):
    return (v * hvp(f, x, v)).sum()


MISTAKES["v once too often"] = Mistake(
    lambda f, x, v: v * hvp(f, x, v), "That is H v, times `v` entry by entry once more. Leave the last product away, and H v is there."
)

MISTAKES["a number"] = Mistake(
    hvp_number, "vᵀH v is one number: the bend of f along `v`. Leave the last product away, and H v is there."
)


def hvp_mean(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad((g * v).mean(), x)[0]


MISTAKES["mean"] = Mistake(
    hvp_mean, "Too small, by the number of variables: `mean` divides by it. H v is the gradient of the plain sum."
)


def hvp_tuple(f, x, v):
    g = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad((g * v).sum(), x)[0]


MISTAKES["a tuple"] = Mistake(hvp_tuple, A_TUPLE)


def hvp_differences(f, x, v):
    plus, minus = moved_to(x, 1e-6 * v), moved_to(x, -1e-6 * v)
    return (gradient_at(f, plus) - gradient_at(f, minus)) / 2e-6


MISTAKES["differences"] = Mistake(hvp_differences, DIFFERENCES)


def hvp_kept(f, x, v, kept=[None, None]):  # noqa: B006
    if kept[0] is not x:
        kept[:] = x, mg.autograd.grad(f(x), x, create_graph=True)[0]
    return mg.autograd.grad((kept[1] * v).sum(), x)[0]


MISTAKES["the graph of an earlier call"] = Mistake(
    hvp_kept,
    "The first call is right. The second goes back through the graph of the first, and that was freed behind it. Take the gradient "
    "anew in every call, with a graph of its own.",
    evidence=lambda source, seen: ".backward(" not in source,
)
