"""10.3 A JVP out of two VJPs: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch10.ex02.mistakes import jvp_none
from minigrad.course.bank.ch10.known import A_TUPLE, differences
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def twice_plain_u(f, x, t):
    y = f(x)
    u = mg.zeros_like(y)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)[0]


MISTAKES["u does not require grad"] = Mistake(
    twice_plain_u,
    "The second pass asks for the derivative with respect to `u`, so `u` must require grad **before** the first pass "
    "uses it: `mg.zeros_like(y, requires_grad=True)`.",
)


def twice_u_of_x(f, x, t):
    y = f(x)
    u = mg.zeros_like(x, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)[0]


MISTAKES["u of the shape of x"] = Mistake(
    twice_u_of_x,
    "A cotangent has the shape of what goes backward, and here it has another one. `y` goes backward first: its `u` has one weight "
    "for each output. Then `g` does, with a number for each input: `t` belongs to it.",
)


def twice_no_graph(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u)
    return mg.autograd.grad(g, u, t)[0]


MISTAKES["g has no graph"] = Mistake(
    twice_no_graph,
    "The first pass must write down how `g` came out of `u`, or there is nothing to differentiate: "
    "`create_graph=True`. (`retain_graph` only keeps the old graph.)",
)


def twice_by_x(f, x, t):
    y = f(x)
    u = mg.ones_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, x, t)[0]


MISTAKES["by x"] = Mistake(
    twice_by_x,
    "You differentiated `g` by `x`. That gives second derivatives, as in chapter 09. `g` = Jᵀu is to be "
    "differentiated by **u**, in which it is linear.",
)


def twice_no_t(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g.sum(), u)[0]


MISTAKES["t is missing"] = Mistake(
    twice_no_t, "Where is `t`? With ones as the second cotangent you get J times ones, the sum of the columns."
)


def twice_no_seed(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u)[0]


MISTAKES["the second pass has no cotangent"] = Mistake(
    twice_no_seed, "`g` has a number for each input, so the second pass needs a cotangent of this shape. You have one: `t`."
)


def twice_tuple(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    g = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)


MISTAKES["a tuple"] = Mistake(twice_tuple, A_TUPLE)


def whole_by_rows(f, x, t):
    y = f(x)
    rows = [mg.autograd.grad(entry, x, retain_graph=True)[0] for entry in y.reshape(-1)]
    return mg.stack([(row * t).sum() for row in rows]).reshape(y.shape)


ALL_ROWS = (
    "The numbers are right, but you took a pass for each row of J. Two passes are enough, whatever its size: the "
    "first gives g = Jᵀu for a `u` that you may differentiate by."
)

MISTAKES["row by row"] = Mistake(whole_by_rows, ALL_ROWS)


def whole_in_a_batch(f, x, t):
    y = f(x).reshape(-1)
    (rows,) = mg.autograd.grad(y, x, mg.eye(len(y), dtype=y.dtype), is_grads_batched=True)
    return (rows.reshape(len(y), -1) @ t.reshape(-1)).reshape(f(x).shape)


MISTAKES["row by row in one call"] = Mistake(whole_in_a_batch, ALL_ROWS)

MISTAKES["forward mode"] = Mistake(
    jvp_none,
    "That is right, and simpler: it is 10.2. Here do it with backward passes only, as one does where an operation "
    "has no rule for forward mode.",
)

MISTAKES["borrowed"] = Mistake(
    lambda f, x, t: mg.autograd.functional.jvp(f, x, t)[1],
    "The numbers are right: `functional.jvp` does just what is asked for here. Now write it yourself, with two calls of "
    "`mg.autograd.grad`.",
)

MISTAKES["differences"] = Mistake(
    differences,
    "Your function asks `f` at other points than `x`: those are differences. They lose digits. Two backward passes give J t exactly: "
    "the first gives g = Jᵀu for a `u` that requires grad, the second differentiates `g` by `u`.",
)


def twice_u_is_y(f, x, t):
    y = f(x)
    u = y.requires_grad_()
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)[0]


MISTAKES["u is y"] = Mistake(
    twice_u_is_y,
    "Is your `u` `y` itself? `exp` has saved its result, so `y` stands in its rule as well, and the second pass finds both places. "
    "Make a tensor of its own: `mg.zeros_like(y, requires_grad=True)`.",
)


def twice_matmul(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g @ t, u)[0]


MISTAKES["a product of matrices"] = Mistake(
    twice_matmul,
    "`@` and `dot` are the sum of the products only where `x` has one axis. Here it is a table: `(g * t).sum()`, or `t` as the "
    "cotangent.",
)


def twice_sum_only(f, x, t):
    (g,) = mg.autograd.grad(f(x).sum(), x)
    return g * t


MISTAKES["the gradient of the sum, times t"] = Mistake(
    twice_sum_only,
    "That is the gradient of f(x).sum(), times `t` entry by entry: it has a number for each input. J t has one for each output: the "
    "sum of a row of J times `t`.",
)


def twice_one_number(f, x, t):
    (g,) = mg.autograd.grad(f(x).sum(), x)
    return (g * t).sum()


MISTAKES["one number"] = Mistake(
    twice_one_number,
    "That is how fast the **sum** of f(x) grows along `t`: one number for all outputs. J t has a number for each. The weights `u` "
    "keep the outputs apart: differentiate by them.",
)


def twice_first_only(f, x, t):
    y = f(x)
    return mg.autograd.grad(y, x, mg.ones_like(y))[0]


MISTAKES["only the first pass"] = Mistake(
    twice_first_only,
    "That is `g` = Jᵀu for a `u` of ones: a number for each input, and no `t` in it. The second pass differentiates `g` by **u**, "
    "with the cotangent `t`.",
)


def twice_u_too_late(f, x, t):
    y = f(x)
    u = mg.zeros_like(y)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u.requires_grad_(), t)[0]


MISTAKES["no way from g to u"] = Mistake(
    twice_u_too_late,
    "No way leads from what goes backward to the tensor by which you differentiate. `g` leads back to `u` if `u` was the cotangent "
    "of the first pass and required grad already then, and if nothing has cut `g` off since.",
)


def twice_with_a_third(f, x, t):
    y = f(x)
    mg.autograd.grad(y, x, mg.ones_like(y), retain_graph=True)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)[0]


MISTAKES["a third pass"] = Mistake(
    twice_with_a_third,
    "The numbers are right, with three backward passes. Two are enough: g = Jᵀu, and the derivative of `g` by `u` with the cotangent "
    "`t`. Which of yours is not needed?",
)
