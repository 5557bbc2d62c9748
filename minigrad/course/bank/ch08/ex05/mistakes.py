"""08.5 The derivative of a line: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def second_bare(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(slope, x)[0]


LINE_RAISES = (
    "A constant slope has no graph: for `b * x` the gradient has `requires_grad` False, in spite of "
    "`create_graph=True`, because nothing in it depends on anything. Ask before you differentiate it. (`allow_unused` "
    "is about the inputs; it does not help here.)"
)

MISTAKES["a line raises"] = Mistake(second_bare, LINE_RAISES)


def second_allowing_unused(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    (result,) = mg.autograd.grad(slope, x, allow_unused=True)
    return mg.zeros_like(x) if result is None else result


MISTAKES["a line raises, and no other"] = Mistake(second_allowing_unused, LINE_RAISES)


def second_half_checked(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    return mg.autograd.grad(slope, x)[0]


MISTAKES["a slope that depends on others"] = Mistake(
    second_half_checked,
    "For `w * x` the slope is `w`. It requires grad, but it does not depend on **x**: *appears to not have been used*. "
    "That is the second way to have no second derivative. Allow it, and return 0.",
)


def second_none(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    return mg.autograd.grad(slope, x, allow_unused=True)[0]


MISTAKES["None"] = Mistake(
    second_none,
    "`allow_unused=True` gives None where the slope does not depend on `x`. As a number that is 0: replace it, or use "
    "`materialize_grads=True`.",
)


def second_not_created(f, x):
    (slope,) = mg.autograd.grad(f(x), x)
    return mg.autograd.grad(slope, x)[0]


MISTAKES["not created"] = Mistake(
    second_not_created,
    "*element 0 of tensors does not require grad*: the slope has no graph. Either nobody asked for one: the first call needs "
    "`create_graph=True` (`retain_graph` keeps only the graph of f). Or it was cut off, as by `detach`.",
)


def second_always_zero(f, x):
    (slope,) = mg.autograd.grad(f(x), x)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    return mg.autograd.grad(slope, x, materialize_grads=True)[0]


MISTAKES["always 0"] = Mistake(
    second_always_zero,
    "You get 0 for every f, also for a sine. Without `create_graph=True` no slope has a graph, so it never requires "
    "grad, and the case that you wanted to catch became the only one.",
)


def second_caught(f, x):
    try:
        (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
        return mg.autograd.grad(slope, x)[0]
    except RuntimeError:
        return mg.zeros_like(x)


MISTAKES["everything caught"] = Mistake(
    second_caught,
    "Here `f` itself raised, and you returned 0. A `try` around `f` turns each of its errors into a wrong number. Ask "
    "instead: does the slope require grad, does it depend on x?",
)


def second_first(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    return slope


MISTAKES["the first derivative"] = Mistake(second_first, "That is the first derivative. Differentiate it once more.")


def second_squared(f, x):
    (slope,) = mg.autograd.grad(f(x), x)
    return slope * slope


MISTAKES["the square"] = Mistake(second_squared, "The second derivative is the derivative of the derivative, not its square.")


def second_backward(f, x):
    f(x).backward(create_graph=True)
    slope = x.grad
    x.grad = None
    if slope.requires_grad:
        slope.backward()
    return mg.zeros_like(x) if x.grad is None else x.grad


MISTAKES["backward"] = Mistake(
    second_backward,
    "`backward` writes into `.grad`: into that of `x`, and where `f` uses other leaves, also into theirs. "
    "`mg.autograd.grad` hands the numbers to you.",
)


def second_of_one_entry(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros(1)
    result = mg.autograd.grad(slope, x, allow_unused=True)[0]
    return mg.zeros(1) if result is None else result


MISTAKES["zeros of one entry"] = Mistake(
    second_of_one_entry,
    "`mg.zeros(1)` has shape `(1,)`: a vector with one entry. A number has shape `()`: `mg.zeros_like(x)`, or "
    "`mg.tensor(0.0)`.",
)


def second_of_one_entry_once(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros(1)
    return mg.autograd.grad(slope, x, materialize_grads=True)[0]


MISTAKES["zeros of one entry, for a constant"] = Mistake(
    second_of_one_entry_once,
    "Your zero has shape `(1,)`: it is a vector with one entry. A number has shape `()`: `mg.zeros_like(x)`, or "
    "`mg.tensor(0.0)`.",
)


def second_tuple(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    return mg.autograd.grad(slope, x, materialize_grads=True)


MISTAKES["a tuple"] = Mistake(
    second_tuple,
    "`mg.autograd.grad` returns a **tuple**, also the second time. Take the number out of it: `(result,) = …`, or `…[0]`.",
)


def second_first_backward(f, x):
    f(x).backward(create_graph=True)
    slope, x.grad = x.grad, None
    if not slope.requires_grad:
        return mg.zeros_like(x)
    return mg.autograd.grad(slope, x, materialize_grads=True)[0]


MISTAKES["backward, then grad"] = Mistake(
    second_first_backward,
    "You put `x.grad` in order again. But `backward` wrote into the `.grad` of *every* leaf that `f` uses, here into that "
    "of `w`. `mg.autograd.grad` hands the slope to you, and writes nowhere.",
)


def second_added(f, x):
    f(x).backward(create_graph=True)
    x.grad.backward()
    return x.grad


MISTAKES["first and second added"] = Mistake(
    second_added,
    "That is f′ + f″: the second `backward` **adds** to the `x.grad` that the first has filled. `mg.autograd.grad` "
    "returns each by itself.",
)


def second_last_backward(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    slope.backward()
    return mg.zeros_like(x) if x.grad is None else x.grad


MISTAKES["backward at the end"] = Mistake(
    second_last_backward,
    "The first step is right. The second, `backward`, writes into `x.grad`, and into that of every other leaf that "
    "`f` uses. Use `mg.autograd.grad` there, too.",
)


def second_two_backwards(f, x):
    f(x).backward(create_graph=True)
    slope, x.grad = x.grad, None
    slope.backward()
    return x.grad


MISTAKES["two times backward"] = Mistake(
    second_two_backwards,
    "`backward` leaves its result in `x.grad`, and an old one is in the sum or lost. `mg.autograd.grad` returns each derivative, "
    "and leaves every `.grad` alone. (A constant slope has no graph: look before you differentiate it.)",
)
