"""10.2 One direction: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch10.common import fw
from minigrad.course.bank.ch10.ex02.answer import jvp
from minigrad.course.bank.ch10.known import ANOTHER_VALUE, DIFFERENCES, differences
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def jvp_of_output(f, x, t):
    with fw.dual_level():
        y = f(x)
        return fw.unpack_dual(fw.make_dual(y, t)).tangent


MISTAKES["t on the output"] = Mistake(
    jvp_of_output,
    "You gave the tangent to `f(x)`. There it has passed no operation. A tangent belongs to the **input**, and has its "
    "shape: make `x` dual, and call `f` with that.",
)


def jvp_no_level(f, x, t):
    return fw.unpack_dual(f(fw.make_dual(x, t))).tangent


MISTAKES["no level"] = Mistake(
    jvp_no_level, "Dual tensors live inside a level only. Put the three calls into `with fw.dual_level():`."
)


def jvp_unpacked_late(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, t))
    return fw.unpack_dual(y).tangent


MISTAKES["unpacked too late"] = Mistake(
    jvp_unpacked_late,
    "No tangent came out. Is it unpacked, and returned? When the level ends, all tangents are gone, and `unpack_dual` "
    "finds None. Unpack **inside** the `with`.",
)


def jvp_unpacked_late_zeros(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, t))
    moves = fw.unpack_dual(y).tangent
    return mg.zeros_like(y) if moves is None else moves


MISTAKES["unpacked too late, zeros"] = Mistake(
    jvp_unpacked_late_zeros,
    "All zeros: you unpacked after the end of the level, where every tangent is None, and took that for a function "
    "that stands still. Unpack **inside** the `with`.",
)


def jvp_none(f, x, t):
    with fw.dual_level():
        return fw.unpack_dual(f(fw.make_dual(x, t))).tangent


MISTAKES["None for a constant"] = Mistake(
    jvp_none,
    "This `f` does not use `x`, so no tangent arrives, and `unpack_dual` says None. In numbers that means: nothing "
    "moves. Return zeros of the shape of `f(x)` there.",
)


def jvp_value(f, x, t):
    with fw.dual_level():
        return fw.unpack_dual(f(fw.make_dual(x, t))).primal


MISTAKES["the value"] = Mistake(
    jvp_value, "That is f(x), the value. How fast it moves is in `fw.unpack_dual(y).tangent`, as long as the level is open."
)


def jvp_pair(f, x, t):
    with fw.dual_level():
        return fw.unpack_dual(f(fw.make_dual(x, t)))


MISTAKES["both"] = Mistake(
    jvp_pair, "`unpack_dual` returns two things, the value and the tangent. Wanted is the tangent alone."
)


def jvp_exchanged(f, x, t):
    with fw.dual_level():
        y, moves = fw.unpack_dual(f(fw.make_dual(t, x)))
    return mg.zeros_like(y) if moves is None else moves


MISTAKES["the two exchanged"] = Mistake(
    jvp_exchanged,
    ANOTHER_VALUE,
)


def jvp_truth(f, x, t):
    with fw.dual_level():
        y, moves = fw.unpack_dual(f(fw.make_dual(x, t)))
    if moves:
        return moves
    return mg.zeros_like(y)


MISTAKES["asked for its truth"] = Mistake(
    jvp_truth,
    "`if moves` asks whether the **numbers** are true, and a Tensor with several of them cannot say. (`or` asks the "
    "same.) Ask for the object: `if moves is None`.",
)


def jvp_zeros_of_x(f, x, t):
    moves = jvp_none(f, x, t)
    return mg.zeros_like(x) if moves is None else moves


MISTAKES["zeros of x's shape"] = Mistake(
    jvp_zeros_of_x, "These zeros have the shape of `x`. J t says how fast the **outputs** move: zeros of the shape of `f(x)`."
)


def jvp_stays(f, x, t):
    with fw.dual_level():
        y, moves = fw.unpack_dual(f(fw.make_dual(x, t)))
    return y if moves is None else moves


MISTAKES["the value, where nothing moves"] = Mistake(
    jvp_stays, "Where no tangent arrives you return f(x), the value. It does not move: return zeros of its shape."
)


def jvp_number(f, x, t):
    moves = jvp_none(f, x, t)
    return 0 if moves is None else moves


MISTAKES["the number 0"] = Mistake(
    jvp_number,
    "Where no tangent arrives nothing moves, that is right. But return a Tensor: zeros of the shape of `f(x)`, one for "
    "each output.",
)


def jvp_by_whole(f, x, t):
    return mg.autograd.functional.jacobian(f, x) @ t


MISTAKES["all of J"] = Mistake(
    jvp_by_whole,
    "You built all of J, with backward passes. J t does not need it: let a dual tensor of `x` and `t` go through `f` once.",
)


def jvp_ones(f, x, t):
    with fw.dual_level():
        y, moves = fw.unpack_dual(f(fw.make_dual(x, mg.ones_like(x))))
    return mg.zeros_like(y) if moves is None else moves


MISTAKES["ones"] = Mistake(
    jvp_ones, "Where is `t`? With ones as the tangent every input moves equally fast, and you get the sum of the columns of J."
)


def whole_by_columns(f, x, t):
    total = mg.zeros_like(f(x))
    for e in mg.eye(x.numel(), dtype=x.dtype):
        total = total + (e * t.reshape(-1)).sum() * jvp(f, x, e.reshape(x.shape))
    return total


MISTAKES["column by column"] = Mistake(
    whole_by_columns,
    "The numbers are right, but you went through all columns of J. The tangent may be any direction: give it `t`, and "
    "one run of `f` weighs and sums the columns on its way.",
)


def jvp_left_open(f, x, t):
    fw.enter_dual_level()
    y, moves = fw.unpack_dual(f(fw.make_dual(x, t)))
    return mg.zeros_like(y) if moves is None else moves


MISTAKES["the level is left open"] = Mistake(
    jvp_left_open,
    "The numbers are right, but the level is still open, and nobody else can open one now. Every `enter_dual_level` "
    "needs its `exit_dual_level`. `with fw.dual_level():` does both, also when an error comes.",
)


def jvp_is_vjp(f, x, t):
    x = x.detach().requires_grad_()
    return mg.autograd.grad(f(x), x, t)[0]


MISTAKES["a VJP"] = Mistake(
    jvp_is_vjp,
    "`backward` and `grad` compute vᵀJ, with one weight for each **output**. Here you have one number for each "
    "**input**: go forward, with a dual tensor.",
)

MISTAKES["backward after all"] = Mistake(
    lambda f, x, t: mg.autograd.functional.jvp(f, x, t)[1],
    "The numbers are right, but they come from backward passes: `functional.jacobian` makes one for each row, and "
    "`functional.jvp` makes two, as you will in 10.3. Here let a dual tensor go through `f`.",
)

MISTAKES["differences"] = Mistake(differences, DIFFERENCES)


def jvp_one_zero(f, x, t):
    moves = jvp_none(f, x, t)
    return mg.tensor(0.0) if moves is None else moves


MISTAKES["one zero"] = Mistake(
    jvp_one_zero, "None of the outputs moves, and you return a single 0. Return one for each: `mg.zeros_like(y)`."
)
