"""10.7 Gauss-Newton: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch10.common import fw
from minigrad.course.bank.ch10.ex02.answer import jvp
from minigrad.course.bank.ch10.ex03.answer import jvp_by_vjps
from minigrad.course.bank.ch10.ex07.answer import gauss_newton
from minigrad.course.bank.ch10.known import A_TUPLE, ANOTHER_VALUE, DIFFERENCES, differences
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def gauss_double_backward(f, x, v):
    return mg.autograd.grad(f(x), x, jvp_by_vjps(f, x, v))[0]


MISTAKES["the trick of 10.3"] = Mistake(
    gauss_double_backward,
    "The numbers are right, but J v came from two backward passes, so there were three in all and none forward. Asked for "
    "is **one** forward pass, with a dual tensor, and **one** backward pass.",
)


def gauss_backward_twice(f, x, v):
    with fw.dual_level():
        y, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
    mg.autograd.grad(y, x, mg.ones_like(y), retain_graph=True)
    return mg.autograd.grad(y, x, Jv)[0]


MISTAKES["a backward pass too many"] = Mistake(
    gauss_backward_twice,
    "The numbers are right, but more than one pass went backward. **One** is needed: the one with J v as the cotangent.",
)


def gauss_two_duals(f, x, v):
    jvp(f, x, v)
    return mg.autograd.grad(f(x), x, jvp(f, x, v))[0]


MISTAKES["a forward pass too many"] = Mistake(
    gauss_two_duals,
    "The numbers are right, but `f` ran with a dual tensor more than once. **One** forward pass is asked for: it gives all of J v.",
)


def rows_of(f, x):
    y = f(x)
    return mg.stack([mg.autograd.grad(entry, x, retain_graph=True)[0] for entry in y])


def gauss_whole(f, x, v):
    J = rows_of(f, x)
    return J.T @ (J @ v)


MISTAKES["all of J"] = Mistake(
    gauss_whole,
    "The numbers are right, but you built J, with a pass for each row or column. J v is **one** forward pass, and Jᵀ "
    "times that is **one** backward pass.",
)


def gauss_only_jv(f, x, v):
    return jvp(f, x, v).detach()


MISTAKES["only J v"] = Mistake(
    gauss_only_jv,
    "That is J v, the first half: it has a number for each output. Now multiply by Jᵀ: a VJP with J v as the cotangent.",
)


def gauss_vjp_of_v(f, x, v):
    return mg.autograd.grad(f(x), x, v)[0]


MISTAKES["v as the cotangent"] = Mistake(
    gauss_vjp_of_v,
    "`v` has a number for each input, so it cannot be a cotangent. From the right: first J v, by a forward pass. That "
    "has a number for each output.",
)


def gauss_residual(f, x, v):
    y = f(x)
    return mg.autograd.grad(y, x, y.detach())[0]


MISTAKES["the gradient of the squares"] = Mistake(
    gauss_residual, "That is Jᵀ f(x), the gradient of ½ |f|². The cotangent must be J v, not f(x)."
)


def gauss_of_length(f, x, v):
    Jv = jvp(f, x, v)
    return mg.autograd.grad(0.5 * (Jv**2).sum(), x)[0]


MISTAKES["J v differentiated"] = Mistake(
    gauss_of_length,
    "You differentiated J v. That asks how J **changes**, and gives second derivatives of f. J v is only the cotangent; "
    "what goes backward is f(x).",
)


def gauss_hessian(f, x, v):
    (g,) = mg.autograd.grad(0.5 * (f(x) ** 2).sum(), x, create_graph=True)
    return mg.autograd.grad(g, x, v)[0]


FULL_HESSIAN = (
    "That is the Hessian of ½ |f|² times v. It is JᵀJ v **plus** a term with the second derivatives of f. Gauss–Newton "
    "leaves this term out."
)

MISTAKES["the full Hessian"] = Mistake(gauss_hessian, FULL_HESSIAN)


def gauss_both_move(f, x, v):
    with fw.dual_level():
        y, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
        return mg.autograd.grad((y * Jv).sum(), x)[0]


MISTAKES["the full Hessian, one pass each"] = Mistake(
    gauss_both_move,
    FULL_HESSIAN + " J v is the cotangent, and is not differentiated: `Jv` as the third argument of `grad`, or `Jv.detach()`.",
)


def gauss_without_the_half(f, x, v):
    (g,) = mg.autograd.grad((f(x) ** 2).sum(), x, create_graph=True)
    return mg.autograd.grad(g, x, v)[0]


MISTAKES["twice the full Hessian"] = Mistake(
    gauss_without_the_half,
    "That is the Hessian of |f|², times v: twice JᵀJ v, **plus** a term with the second derivatives of f. Gauss–Newton needs first "
    "derivatives only: J v forward, and then it is the cotangent of one pass backward.",
)


def gauss_dual_backward(f, x, v):
    with fw.dual_level():
        y, Jv = fw.unpack_dual(f(fw.make_dual(x.detach(), v)))
    return mg.autograd.grad(y, x, Jv)[0]


MISTAKES["no graph to x"] = Mistake(
    gauss_dual_backward,
    "What went forward was detached from `x`, so backward finds no way. Make `x` itself dual: it requires grad, and the "
    "graph is written along with the tangents.",
)


def gauss_tuple(f, x, v):
    return mg.autograd.grad(f(x), x, jvp(f, x, v))


MISTAKES["a tuple"] = Mistake(gauss_tuple, A_TUPLE)


def gauss_differences(f, x, v):
    return mg.autograd.grad(f(x), x, differences(f, x, v))[0]


MISTAKES["differences"] = Mistake(gauss_differences, DIFFERENCES)


def gauss_of_sum(f, x, v):
    (g,) = mg.autograd.grad(f(x).sum(), x, create_graph=True)
    return mg.autograd.grad(g, x, v)[0]


OF_THE_SUM = "That is the Hessian of the sum of f(x), times `v`: second order. JᵀJ v needs first derivatives only."
MISTAKES["second derivatives of the sum"] = Mistake(gauss_of_sum, OF_THE_SUM)


def gauss_of_jv_sum(f, x, v):
    with fw.dual_level():
        _, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
        return mg.autograd.grad(Jv.sum(), x)[0]


MISTAKES["second derivatives of the sum, one pass each"] = Mistake(gauss_of_jv_sum, OF_THE_SUM)


def gauss_entry_by_entry(f, x, v):
    y = f(x)
    return mg.autograd.grad(y, x, mg.ones_like(y))[0] * v


MISTAKES["the gradient of the sum, times v"] = Mistake(
    gauss_entry_by_entry,
    "That is the gradient of f(x).sum(), times `v` entry by entry: neither J v nor Jᵀ of it. First J v, by a forward pass; it is "
    "the cotangent of the backward pass.",
)


def gauss_left_in_grad(f, x, v):
    with fw.dual_level():
        y, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
    y.backward(Jv)
    return x.grad


MISTAKES["added in x.grad"] = Mistake(
    gauss_left_in_grad,
    "The first product is right, and the second call adds to it: `backward` adds to `x.grad`. `mg.autograd.grad(y, x, Jv)` returns "
    "each by itself.",
)


def gauss_exchanged(f, x, v):
    with fw.dual_level():
        y, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
        return mg.autograd.grad(Jv, x, y)[0]


MISTAKES["y and J v exchanged"] = Mistake(
    gauss_exchanged,
    "You went backward from J v, with f(x) as the cotangent. It is the other way round: f(x) goes backward, and J v is the cotangent.",
)


def gauss_of_ones(f, x, v):
    with fw.dual_level():
        y, _ = fw.unpack_dual(f(fw.make_dual(x, v)))
    return mg.autograd.grad(y.sum(), x)[0]


MISTAKES["ones as the cotangent"] = Mistake(
    gauss_of_ones,
    "That is Jᵀ times ones, the gradient of f(x).sum(): no `v` is in it. The cotangent of the backward pass is J v.",
)


def gauss_outer(f, x, v):
    y = f(x)
    (g,) = mg.autograd.grad(y, x, y.detach())
    return g * (g * v).sum()


MISTAKES["the outer product of the gradient"] = Mistake(
    gauss_outer,
    "That is g (g · v) with g = Jᵀ f(x), the gradient of ½ |f|². JᵀJ is a sum over the outputs: each row of J with itself. No "
    "single gradient has that. First J v, by a forward pass; it is the cotangent of the backward pass.",
)


def gauss_outer_of_sum(f, x, v):
    (g,) = mg.autograd.grad(f(x).sum(), x)
    return g * (g * v).sum()


MISTAKES["the outer product of the sum's gradient"] = Mistake(
    gauss_outer_of_sum,
    "That is g (g · v), where g is the gradient of f(x).sum(): there the outputs are mixed already. JᵀJ takes each row of J with "
    "itself. First J v, by a forward pass; it is the cotangent of the backward pass.",
)


def gauss_forward_twice(f, x, v):
    return jvp(f, x, jvp(f, x, v))


MISTAKES["forward twice"] = Mistake(
    gauss_forward_twice,
    "A tangent has the shape of `x`, and this one has not. J v has a number for each **output**: it cannot go forward through f once "
    "more. It is the cotangent of the pass backward.",
)

def gauss_elsewhere(f, x, v):
    with fw.dual_level():
        Jv = fw.unpack_dual(f(fw.make_dual(v, v))).tangent
    return mg.autograd.grad(f(x), x, Jv.detach())[0]


MISTAKES["another value"] = Mistake(gauss_elsewhere, ANOTHER_VALUE)

MISTAKES["twice too large"] = Mistake(
    lambda f, x, v: 2 * gauss_newton(f, x, v), "That is 2 JᵀJ v. The 2 is that of the gradient of |f|²; none is asked for here."
)
