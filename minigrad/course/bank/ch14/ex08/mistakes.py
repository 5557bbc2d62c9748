"""14.8 save_for_backward or attribute?: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch14.common import function
from minigrad.course.bank.ch14.known import FORGOTTEN
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost
MISTAKES: dict[str, Mistake] = {}


def both_gradients(g: Any, x: Any, h: Any, n: Any) -> Any:
    return g * h**n, g * x * n * h ** (n - 1), None


def power(keep: Callable[..., None], read: Callable[[Any], tuple], give: Callable[..., Any] = both_gradients) -> Any:
    """A Power that keeps and reads x, h and n in its own way."""

    def run(ctx: Any, x: Any, h: Any, n: Any) -> Any:
        keep(ctx, x, h, n)
        return x * h**n

    return function("Power", run, lambda ctx, g: give(g, *read(ctx)))


def keep_attributes(ctx, x, h, n):
    ctx.x, ctx.h, ctx.n = x, h, n


def read_attributes(ctx):
    return ctx.x, ctx.h, ctx.n


UNGUARDED = (
    "h was set to zero between forward and backward, and your gradient became zero **without an error**. An attribute of "
    "`ctx` is only a name for the caller's Tensor; nobody compares versions, and nobody frees it after the backward pass. "
    "Tensors go to `ctx.save_for_backward`."
)

MISTAKES["attributes"] = Mistake(power(keep_attributes, read_attributes), UNGUARDED)


def keep_copies(ctx, x, h, n):
    ctx.kept = (x.clone(), h.clone(), n)


def read_tuple(ctx):
    return ctx.kept


MISTAKES["copies"] = Mistake(
    power(keep_copies, read_tuple),
    "You keep copies, or what `forward` computed. Nothing overwrites it, but it costs memory, it stays after the backward pass, and "
    "it has no history, so the second derivative is dead. `ctx.save_for_backward` keeps the Tensors "
    "themselves, with their versions.",
)


def keep_well(ctx, x, h, n):
    ctx.save_for_backward(x, h)
    ctx.n = n


def read_well(ctx):
    return (*ctx.saved_tensors, ctx.n)


MISTAKES["copies are saved"] = Mistake(
    power(lambda ctx, x, h, n: keep_well(ctx, x.clone(), h.clone(), n), read_well),
    "You do not save x and h themselves, but copies, or what `forward` computed from them. What the caller overwrites no longer "
    "matters to these, so nothing is raised; but they cost memory, and they have no history, so the second derivative is dead. "
    "Save x and h: their versions are compared.",
)


def keep_all(ctx, x, h, n):
    ctx.save_for_backward(x, h, n)


MISTAKES["the number is saved"] = Mistake(
    power(keep_all, lambda ctx: ctx.saved_tensors),
    "`ctx.save_for_backward` is for **Tensors** only, and n is a plain number. A number cannot be overwritten, so "
    "it needs no guard: `ctx.n = n`.",
)


def keep_x_only(ctx, x, h, n):
    ctx.save_for_backward(x)
    ctx.h, ctx.n = h, n


WASTEFUL["the number is saved as a Tensor"] = Mistake(
    power(lambda ctx, x, h, n: ctx.save_for_backward(x, h, mg.tensor(n)), lambda ctx: ctx.saved_tensors),
    "All is right. But a number cannot be overwritten, and needs no guard: a Tensor around it is one more to keep and to look after. "
    "`ctx.n = n` is enough.",
)


MISTAKES["a gradient for the number"] = Mistake(
    power(keep_well, read_well, lambda g, x, h, n: (*both_gradients(g, x, h, n)[:2], g.sum())),
    "`backward` owes an entry for n as well, and it is **None**: n came as a plain number, so nobody can take a gradient there. That "
    "holds also where you made a Tensor of it in `forward`.",
)


MISTAKES["h is an attribute"] = Mistake(
    power(keep_x_only, lambda ctx: (*ctx.saved_tensors, ctx.h, ctx.n)), UNGUARDED + " You did so for x; do it for h as well."
)


def keep_h_only(ctx, x, h, n):
    ctx.save_for_backward(h)
    ctx.x, ctx.n = x, n


MISTAKES["x is an attribute"] = Mistake(
    power(keep_h_only, lambda ctx: (ctx.x, *ctx.saved_tensors, ctx.n)),
    "h is guarded, x is not: with x overwritten the gradient for h is wrong, without an error. Both are Tensors that "
    "`backward` reads. Save both.",
)

MISTAKES["g is forgotten"] = Mistake(
    power(keep_well, read_well, lambda g, x, h, n: (h**n, x * n * h ** (n - 1), None)), FORGOTTEN
)

MISTAKES["g is forgotten for h"] = Mistake(
    power(keep_well, read_well, lambda g, x, h, n: (g * h**n, x * n * h ** (n - 1), None)),
    "The gradient for x is right, that for h lacks the cotangent: **each** entry is g times its slope.",
)

MISTAKES["two gradients"] = Mistake(
    power(keep_well, read_well, lambda *args: both_gradients(*args)[:2]),
    "`forward` takes three arguments, so `backward` owes three entries. n is a number: its entry is None.",
)

MISTAKES["the factor n is missing"] = Mistake(
    power(keep_well, read_well, lambda g, x, h, n: (g * h**n, g * x * h ** (n - 1), None)),
    "In the gradient for h the factor n is missing: the slope of hⁿ is **n** · hⁿ⁻¹.",
)

MISTAKES["divided by h"] = Mistake(
    power(keep_well, read_well, lambda g, x, h, n: (g * h**n, g * x * h**n * n / h, None)),
    "You divide by h, and h may be 0: 0 / 0 is NaN. Write the power one lower, x · n · hⁿ⁻¹.",
)

MISTAKES["the exponent stays"] = Mistake(
    power(keep_well, read_well, lambda g, x, h, n: (g * h**n, g * x * n * h**n, None)),
    "The gradient for x is right. In that for h the exponent falls by one: the slope of hⁿ is n hⁿ⁻¹.",
)

N: list[Any] = [None]


def keep_n_outside(ctx, x, h, n):
    ctx.save_for_backward(x, h)
    N[0] = n


MISTAKES["one n for all calls"] = Mistake(
    power(keep_n_outside, lambda ctx: (*ctx.saved_tensors, N[0])),
    "Another call came before the backward pass, and its `n` is used for both. What a call must remember belongs to **its** node: "
    "`ctx.n = n`. An attribute of the class, or a variable outside, is one for all calls.",
)

MISTAKES["the gradients have changed places"] = Mistake(
    power(keep_well, read_well, lambda g, x, h, n: (g * x * n * h ** (n - 1), g * h**n, None)),
    "Both gradients are right, in the wrong order. `backward` returns one for each argument of `forward`: for x, for h, for n.",
)
