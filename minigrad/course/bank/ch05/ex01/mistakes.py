"""05.1 f and f′: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch05.ex01.answer import curve
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def curve_retained(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    for entry in y:
        entry.backward(retain_graph=True)
    return y.detach().numpy(), x.grad.numpy()


WASTEFUL["a pass for each point"] = Mistake(
    curve_retained,
    "Right, but you went backward once for each point. Entry i of `y` depends on entry i of `x` alone, so the "
    "entries do not get into each other's way: **one** pass from `y.sum()` brings all slopes at once.",
)


def curve_listed(f, xs):
    ys, slopes = curve(f, xs)
    return ys.tolist(), slopes.tolist()


WASTEFUL["lists"] = Mistake(
    curve_listed,
    "An array is ready to compute with, and a list is not: `y.detach().numpy()` and `x.grad.numpy()` are arrays.",
)

MISTAKES: dict[str, Mistake] = {}


def curve_by(finish: Callable[[Any, Any], None]) -> Callable[..., Any]:
    """Somebody who is right, except for how the slopes come about: finish(x, y) does the backward pass."""

    def curve(f: Any, xs: Any) -> Any:
        x = mg.tensor(xs, requires_grad=True)
        y = f(x)
        finish(x, y)
        return y.detach().numpy(), x.grad.numpy()

    return curve


MISTAKES["mean"] = Mistake(
    curve_by(lambda x, y: y.mean().backward()),
    "N times too small, where N is the number of points: `mean` divides by N, and so does every slope. "
    "Take `sum`: its weight for each entry is 1.",
)

MISTAKES["gradient=x"] = Mistake(
    curve_by(lambda x, y: y.backward(x.detach())),
    "Each slope is multiplied by its `x`. The `gradient` of `backward` is the weight of each output, not the place "
    "where you want the slope. All weights should be 1.",
)

MISTAKES["gradient=y"] = Mistake(
    curve_by(lambda x, y: y.backward(y.detach())),
    "Each slope is multiplied by its value of `y`: these are the slopes of ½f². The weights should be 1.",
)

MISTAKES["squared"] = Mistake(
    curve_by(lambda x, y: (y**2).sum().backward()), "These are the slopes of f²: each is 2·f too large. Sum `y` itself."
)


def curve_differences(f, xs):
    with mg.no_grad():
        h = 1e-5
        return f(mg.tensor(xs)).numpy(), ((f(mg.tensor(xs + h)) - f(mg.tensor(xs - h))) / (2 * h)).numpy()


MISTAKES["no autograd"] = Mistake(
    curve_differences,
    "The slopes did not come from a backward pass: no autograd was used. Let `y.sum().backward()` fill `x.grad`. (A formula fits "
    "one `f` alone; differences are off by a little everywhere, and by a lot near a kink.)",
)

MISTAKES["not summed"] = Mistake(
    curve_by(lambda x, y: y.backward()),
    "`y` has one entry for each point, and `backward` wants one number to start from, or a weight for each entry. "
    "Sum first: in the sum each entry has the weight 1.",
)


def curve_constant(f, xs):
    x = mg.tensor(xs)
    y = f(x)
    y.sum().backward()
    return y.numpy(), x.grad.numpy()


MISTAKES["not a leaf with a gradient"] = Mistake(
    curve_constant,
    "When `backward` was called, there was no history to go back through. Either nobody asked for a gradient: make `x` "
    "with `requires_grad=True`. Or the history was cut off too soon, by `detach` or `no_grad`: first go backward, then "
    "`detach`.",
)


def curve_array(f, xs):
    y = f(xs)
    y.sum().backward()
    return y.numpy(), xs.grad


MISTAKES["the array itself"] = Mistake(
    curve_array,
    "`xs` is a NumPy array: it records nothing, and `f` wants a Tensor. Make a leaf of it first: "
    "`x = mg.tensor(xs, requires_grad=True)`.",
)


def curve_points_cloned(f, xs):
    x = xs.clone().requires_grad_()
    y = f(x)
    y.sum().backward()
    return y.detach().numpy(), x.grad.numpy()


MISTAKES["the points were a Tensor"] = Mistake(
    curve_points_cloned,
    "In the lesson the points were a Tensor; here `xs` is a NumPy array, which has no `clone`. "
    "`mg.tensor(xs, requires_grad=True)` copies the numbers and makes a leaf, in one step.",
)


def curve_grad_of_y(f, xs):
    ys, _ = curve(f, xs)
    return ys, mg.tensor(xs, requires_grad=True).grad


MISTAKES["no slopes in it"] = Mistake(
    curve_grad_of_y,
    "Your slopes are None. `backward` fills the `.grad` of **leaves**, and of no result: look at `x.grad`, with the `x` "
    "that went into `f`.",
)


def curve_sum_returned(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x).sum()
    y.backward()
    return y.detach().numpy(), x.grad.numpy()


MISTAKES["the sum for the values"] = Mistake(
    curve_sum_returned,
    "The slopes are right. But where the values are wanted you return their **sum**. Keep `y = f(x)` under a name of its "
    "own, and call `y.sum().backward()`.",
)

MISTAKES["added up twice"] = Mistake(
    curve_by(lambda x, y: (y.sum().backward(retain_graph=True), y.sum().backward())),
    "Your slopes are twice too large: two passes wrote into one `x.grad`, and it adds up. One pass is enough.",
)


def curve_loop_freed(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    for i in range(len(xs)):
        y[i].backward()
    return y.detach().numpy(), x.grad.numpy()


MISTAKES["freed"] = Mistake(
    curve_loop_freed,
    "The first of your passes has freed what the second needs. Do not reach for `retain_graph`: **one** pass is "
    "enough. Sum `y`, and go back from the sum.",
)


def curve_tensors(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    return y, x.grad


def curve_tracked(f, xs):
    y, slopes = curve_tensors(f, xs)
    return y.numpy(), slopes.numpy()


MISTAKES["numpy() of a tracked tensor"] = Mistake(
    curve_tracked, "`y` still has its history, and NumPy cannot carry one. Cut it off first: `y.detach().numpy()`."
)

MISTAKES["tensors"] = Mistake(
    curve_tensors,
    "You return Tensors; NumPy arrays are wanted, ready for any plotting library: `y.detach().numpy()` and `x.grad.numpy()`.",
)


def curve_swapped(f, xs):
    return curve(f, xs)[::-1]


MISTAKES["swapped"] = Mistake(curve_swapped, "Right numbers, wrong order: first the values, then the slopes.")


def curve_points_for_values(f, xs):
    return xs, curve(f, xs)[1]


MISTAKES["the points for the values"] = Mistake(
    curve_points_for_values, "The slopes are right. But the first array is to be **f(xs)**; yours holds the points `xs` themselves."
)
