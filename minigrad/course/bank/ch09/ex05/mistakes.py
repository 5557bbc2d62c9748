"""09.5 The n-th derivative: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch09.ex05.answer import nth
from minigrad.course.bank.ch09.known import A_TUPLE
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def nth_without_graph(f, n):
    def derivative(x):
        y = f(x)
        for _ in range(n):
            (y,) = mg.autograd.grad(y, x)
        return y

    return derivative


MISTAKES["no create_graph"] = Mistake(
    nth_without_graph,
    "The first derivative came, and the second could not: the first pass left no graph. Every pass whose result is "
    "differentiated again needs `create_graph=True`. (`retain_graph` keeps the old graph; it makes no new one.)",
)


def nth_last_without_graph(f, n):
    def derivative(x):
        y = f(x)
        for k in range(n):
            (y,) = mg.autograd.grad(y, x, create_graph=k < n - 1)
        return y

    return derivative


MISTAKES["the last pass leaves no graph"] = Mistake(
    nth_last_without_graph,
    "All derivatives are right, but what you return cannot be differentiated again, so `nth(nth(f, 2), 1)` fails. "
    "The last pass too needs `create_graph=True`, and its result no `detach`.",
)


def nth_own_leaf(f, n):
    def derivative(x):
        x = x.detach().requires_grad_()
        y = f(x)
        for _ in range(n):
            (y,) = mg.autograd.grad(y, x, create_graph=True)
        return y

    return derivative


MISTAKES["x is cut off"] = Mistake(
    nth_own_leaf,
    "The derivatives are right where each is asked for once, but a result leads to another tensor than the `x` of its call, so "
    "differentiating it again finds no way to `x`. Does your function make a leaf of its own (`detach`, `mg.tensor`)? The `x` that "
    "comes already requires grad: use it as it is. Or does it keep a result, and return it for another `x`? Compute it at every call.",
)


def slope_of(f):
    def slope(x):
        return mg.autograd.grad(outputs=f(x), inputs=x, create_graph=True)[0]

    return slope


def nth_power(f, n):
    return lambda x: slope_of(f)(x) ** n if n else f(x)


MISTAKES["a power of the slope"] = Mistake(
    nth_power,
    "You multiplied the first derivative by itself. The second derivative is the derivative **of** the first: "
    "differentiate its result, again and again.",
)


def nth_power_of_all(f, n):
    return lambda x: slope_of(f)(x) ** n


MISTAKES["a power of the slope, and 1 for none"] = Mistake(
    nth_power_of_all,
    "You multiplied the first derivative by itself. The second derivative is the derivative **of** the first: "
    "differentiate its result, again and again. For n = 0 nothing is done to f.",
)


def nth_first(f, n):
    return slope_of(f) if n else f


MISTAKES["the first for all"] = Mistake(
    nth_first, "You return the first derivative for every n. Each derivative must be taken of the one **before** it, not of f."
)

MISTAKES["one too few"] = Mistake(
    lambda f, n: nth(f, max(n - 1, 0)), "One derivative is missing. `nth(f, 1)` is f′, and `range(n)` runs n times."
)


def nth_accumulated(f, n):
    def derivative(x):
        y = f(x)
        for _ in range(n):
            y.backward(create_graph=True)
            y = x.grad
        return y

    return derivative


MISTAKES["derivatives added"] = Mistake(
    nth_accumulated,
    "From the second on you return a sum of derivatives: `backward` adds to `x.grad`, where the one before still "
    "lies. `mg.autograd.grad` returns each by itself.",
)


def nth_tuple(f, n):
    def derivative(x):
        y = f(x)
        for _ in range(n):
            y = mg.autograd.grad(y, x, create_graph=True)
        return y

    return derivative


MISTAKES["a tuple"] = Mistake(nth_tuple, A_TUPLE)

MISTAKES["one too many"] = Mistake(
    lambda f, n: nth(f, n + 1), "One derivative too many. `nth(f, 0)` is f itself, and `range(n)` runs n times."
)


def nth_late(f, n):
    for _ in range(n):
        f = lambda x: mg.autograd.grad(f(x), x, create_graph=True)[0]  # noqa: B023, E731
    return f


MISTAKES["a function that calls itself"] = Mistake(
    nth_late,
    "Your function calls itself for ever. A name inside it, such as `f`, is looked up when it **runs**, and by then "
    "it is that of the new function, not of the old one. Make the new function in a function of its own, which takes the old one "
    "as an argument, or differentiate in a loop at one `x`. (If `nth` calls `nth`: where does it end? With n = 0, return f.)",
)


def nth_of_a_function(f, n):
    x = mg.ones((), requires_grad=True)
    y = f
    for _ in range(n):
        (y,) = mg.autograd.grad(y, x, create_graph=True)
    return y


MISTAKES["f itself is differentiated"] = Mistake(
    nth_of_a_function,
    "`mg.autograd.grad` differentiates a Tensor, and `f` is a function. Return a function of `x` that differentiates `f(x)`.",
)


def nth_ends_at_one(f, n):
    return slope_of(f) if n == 1 else nth_ends_at_one(slope_of(f), n - 1)


MISTAKES["no end for n = 0"] = Mistake(
    nth_ends_at_one, "With n = 0 your function calls itself for ever: n − 1 is below 0, and never 1. Where n is 0, return f."
)


def nth_ends_one_too_soon(f, n):
    return f if n == 1 else nth_ends_one_too_soon(slope_of(f), n - 1)


MISTAKES["no end for n = 0, and one too few"] = Mistake(
    nth_ends_one_too_soon,
    "With n = 0 your function calls itself for ever: n − 1 is below 0, and never 1. It is where n is **0** that f itself is to "
    "be returned; with n = 1 one derivative is due.",
)


def nth_at_least_one(f, n):
    return nth(f, max(n, 1))


MISTAKES["one at least"] = Mistake(
    nth_at_least_one, "With n = 0 you return the first derivative. `nth(f, 0)` is f itself: no backward pass at all."
)
