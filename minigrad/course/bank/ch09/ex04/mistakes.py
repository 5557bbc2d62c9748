"""09.4 Newton: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch09.common import gradient_at
from minigrad.course.bank.ch09.ex02.answer import hessian
from minigrad.course.bank.ch09.ex04.answer import newton
from minigrad.course.bank.ch09.known import A_TUPLE
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def newton_by(step: Callable[..., Any]) -> Callable[..., Any]:
    """k steps by another rule: step(f, x, g, H) is what is added."""

    def walk(f, x0, k):
        x = x0.detach().clone()
        for _ in range(k):
            x = x.requires_grad_()
            x = (x + step(f, x, gradient_at(f, x), hessian(f, x))).detach()
        return x

    return walk


MISTAKES["uphill"] = Mistake(
    newton_by(lambda f, x, g, H: mg.linalg.solve(H, g)),
    "You added the step. With H p = g the next point is x **−** p: the gradient points uphill.",
)


def newton_no_leaf(f, x0, k):
    x = x0.clone()
    for _ in range(k):
        x = (x - mg.linalg.solve(hessian(f, x), gradient_at(f, x))).detach()
    return x


MISTAKES["x does not require grad"] = Mistake(
    newton_no_leaf,
    "Your `x` does not require grad, so f(x) has no graph, and there is nothing to differentiate. `x0` comes "
    "without `requires_grad`: make a leaf of your own from it, `x = x0.clone().requires_grad_()`.",
)


def newton_leaf_once(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        x = (x - mg.linalg.solve(hessian(f, x), gradient_at(f, x))).detach()
    return x


MISTAKES["a leaf in the first step only"] = Mistake(
    newton_leaf_once,
    "The first step is right. After it `x` is a new Tensor, cut off and without `requires_grad`, and the second "
    "step finds no graph. Every round needs a leaf: `x = x.requires_grad_()` after the `detach`.",
)


def newton_leaf_in_place(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        x -= mg.linalg.solve(hessian(f, x), gradient_at(f, x))
    return x.detach()


MISTAKES["a leaf in place"] = Mistake(
    newton_leaf_in_place,
    "`x` is a leaf that requires grad, and `-=` writes into it. That is allowed under `with mg.no_grad():` only; or "
    "make a new leaf: `x = (x - p).detach().requires_grad_()`.",
)


def newton_undetached(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        x = x - mg.linalg.solve(hessian(f, x), gradient_at(f, x))
    return x


UNDETACHED = (
    "The numbers are right, but the graph grew at every step: each `x` hangs on the `x` before it, and the memory of all "
    "steps is kept. A step is an update, no part of f. Cut inside the loop: `x = (x - p).detach()`."
)

MISTAKES["not detached"] = Mistake(newton_undetached, UNDETACHED)


def newton_detached_late(f, x0, k):
    return newton_undetached(f, x0, k).detach()


MISTAKES["detached at the end"] = Mistake(newton_detached_late, UNDETACHED)

MISTAKES["gradient descent"] = Mistake(
    newton_by(lambda f, x, g, H: -g),
    "You went along the gradient: the Hessian is missing. Newton's step p solves H p = g.",
)

MISTAKES["H g"] = Mistake(
    newton_by(lambda f, x, g, H: -(H @ g)),
    "You multiplied by H. The step is H⁻¹g: where the slope changes fast (large H) the bottom is near, and the "
    "step is short. `mg.linalg.solve(H, g)`.",
)

MISTAKES["a derivative instead of the Hessian"] = Mistake(
    newton_by(lambda f, x, g, H: -f(x) / g),
    "`x - f(x) / g` looks for a point where **f** is zero. Here the point is wanted where the **gradient** is zero, "
    "so everything moves up by one derivative: g in the place of f, and the Jacobian of g, which is H, in the place "
    "of g.",
)

MISTAKES["entry by entry"] = Mistake(
    newton_by(lambda f, x, g, H: -g / H.sum(1)),
    "You divided entry by entry by the gradient of `g.sum()`. Those are the sums of the rows of H, and no division "
    "entry by entry solves H p = g. Build H, and `mg.linalg.solve(H, g)`.",
)

MISTAKES["the diagonal only"] = Mistake(
    newton_by(lambda f, x, g, H: -g / mg.diag(H)),
    "You divided by the diagonal of H, as if the variables did not meet. Solve with all of H: `mg.linalg.solve(H, g)`.",
)


def newton_first_hessian(f, x0, k):
    x = x0.clone().requires_grad_()
    H = hessian(f, x)
    for _ in range(k):
        x = (x - mg.linalg.solve(H, gradient_at(f, x))).detach().requires_grad_()
    return x


MISTAKES["the first Hessian for all steps"] = Mistake(
    newton_first_hessian,
    "The first step is right, the others are not: you go on with the H of `x0`. Compute H anew at each `x`.",
)


def newton_first_step_again(f, x0, k):
    x = x0.clone().requires_grad_()
    p = mg.linalg.solve(hessian(f, x), gradient_at(f, x))
    for _ in range(k):
        x = x - p
    return x.detach()


MISTAKES["the first step for all"] = Mistake(
    newton_first_step_again,
    "The first step is right, and you took it again and again: p was computed once, at `x0`. Both g and H belong "
    "**into** the loop.",
)


def newton_once(f, x0, k):
    return newton(f, x0, min(k, 1))


ONE_STEP = "That is the point after one step. Is there a loop over `range(k)`, and does `return` stand behind it?"
MISTAKES["one step only"] = Mistake(newton_once, ONE_STEP)
MISTAKES["one step, whatever k"] = Mistake(lambda f, x0, k: newton(f, x0, 1), ONE_STEP)

MISTAKES["divided by H"] = Mistake(
    newton_by(lambda f, x, g, H: -g / H),
    "`g / H` divides entry by entry, and gives a table. No division solves H p = g: `mg.linalg.solve(H, g)`.",
)

MISTAKES["solve, the other way round"] = Mistake(
    newton_by(lambda f, x, g, H: -mg.linalg.solve(g, H)),
    "`mg.linalg.solve(A, b)` solves A p = b: the table comes first. So `mg.linalg.solve(H, g)`.",
)


def newton_last_graph(f, x0, k):
    x = x0.clone()
    for _ in range(k):
        x = x.detach().requires_grad_()
        x = x - mg.linalg.solve(hessian(f, x), gradient_at(f, x))
    return x


MISTAKES["the last step has a graph"] = Mistake(
    newton_last_graph,
    "You cut at the beginning of each round, so the last `x` still hangs on the round that made it. Cut behind the step: "
    "`x = (x - p).detach()`.",
)


def newton_tuple(f, x0, k):
    x = x0.detach()
    for _ in range(k):
        x = x.clone().requires_grad_()
        g = mg.autograd.grad(f(x), x)
        x = (x - mg.linalg.solve(hessian(f, x), g)).detach()
    return x


MISTAKES["a tuple"] = Mistake(newton_tuple, A_TUPLE)

MISTAKES["one step too few"] = Mistake(
    lambda f, x0, k: newton(f, x0, k - 1), "One step is missing. `range(k)` runs k times, from 0 to k − 1."
)


def newton_leaf_made(f, x0, k):
    x = x0.requires_grad_()
    return newton(f, x, k)


MISTAKES["x0 requires grad"] = Mistake(
    newton_leaf_made,
    "`x0.requires_grad_()` changes the caller's Tensor: `x0` now requires grad for good. Make a leaf of your own: "
    "`x = x0.clone().requires_grad_()`.",
)


def newton_x0_written(f, x0, k):
    x = x0.detach().requires_grad_()
    for _ in range(k):
        p = mg.linalg.solve(hessian(f, x), gradient_at(f, x))
        with mg.no_grad():
            x -= p
    return x.detach()


MISTAKES["x0 is written"] = Mistake(
    newton_x0_written,
    "The point is right, but `x0` has moved as well: `detach` shares the memory, and `-=` writes into it. Begin "
    "with `x0.clone()`.",
)


def newton_line_search(f, x0, k):
    def shortened(f, x, g, H):
        p, size = -mg.linalg.solve(H, g), 1.0
        while f(x + size * p) > f(x) and size > 1e-6:
            size /= 2
        return size * p

    return newton_by(shortened)(f, x0, k)


MISTAKES["shortened until f is smaller"] = Mistake(
    newton_line_search,
    "Where the step leads uphill, yours is shorter. Newton's method takes the whole step, and does not look at the values of f.",
)

MISTAKES["a part of the step"] = Mistake(
    newton_by(lambda f, x, g, H: -0.5 * mg.linalg.solve(H, g)),
    "The direction is right, but you took a part of the step. Newton's method takes the whole: x − p.",
)

MISTAKES["one step too many"] = Mistake(
    lambda f, x0, k: newton(f, x0, k + 1), "Your point is that of one step more: k + 1 steps. With k = 0 it is `x0` itself."
)


def newton_first_gradient(f, x0, k):
    x, g = x0.detach().clone(), gradient_at(f, x0.clone().requires_grad_())
    for _ in range(k):
        x = x.requires_grad_()
        x = (x - mg.linalg.solve(hessian(f, x), g)).detach()
    return x


MISTAKES["the first gradient for all steps"] = Mistake(
    newton_first_gradient,
    "The first step is right, the others are not: you go on with the gradient at `x0`. Compute g anew at each `x`.",
)
