"""10.6 Teach a Function to go forward: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch10.ex06.answer import Neighbours
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def forward_for_backward_only(ctx, x):
    ctx.save_for_backward(x)
    return x[:-1] * x[1:]


def taught(**methods: Callable[..., Any]) -> type:
    """The right class, but for these methods."""
    return type("Neighbours", (Neighbours,), {name: staticmethod(method) for name, method in methods.items()})


MISTAKES["nothing saved for forward"] = Mistake(
    taught(forward=forward_for_backward_only),
    "`save_for_backward` is not enough: what it keeps comes to `backward`, and `jvp` finds `ctx.saved_tensors` empty. "
    "Call `ctx.save_for_forward(x)` in `forward` too.",
)


def forward_for_forward_only(ctx, x):
    ctx.save_for_forward(x)
    return x[:-1] * x[1:]


MISTAKES["nothing saved for backward"] = Mistake(
    taught(forward=forward_for_forward_only),
    "Forward works now, and backward does not any more: you replaced `save_for_backward`. Each direction needs its own "
    "line; keep both.",
)


class Untaught(mg.autograd.Function):
    """Without a rule for forward mode."""

    forward = staticmethod(forward_for_backward_only)
    backward = staticmethod(Neighbours.backward)


MISTAKES["no jvp"] = Mistake(
    Untaught, "There is no method `jvp`. The engine calls it by this name: a static method `jvp(ctx, t)`."
)


def vjp_in_place_of_jvp(ctx, t):
    return Neighbours.backward(ctx, t)


MISTAKES["the VJP"] = Mistake(
    taught(jvp=vjp_in_place_of_jvp),
    "That is the rule of `backward`. It takes a number for each **output**; `t` has one for each **input**. Ask: when "
    "`x` moves by t, how does y[i] = x[i] · x[i+1] move?",
)

MISTAKES["one term"] = Mistake(
    taught(jvp=lambda ctx, t: t[:-1] * ctx.saved_tensors[0][1:]),
    "In y[i] = x[i] · x[i+1] **both** factors move. The term of the right neighbour is missing: x[i] · t[i+1].",
)

MISTAKES["the other term"] = Mistake(
    taught(jvp=lambda ctx, t: ctx.saved_tensors[0][:-1] * t[1:]),
    "In y[i] = x[i] · x[i+1] **both** factors move. The term of the left neighbour is missing: t[i] · x[i+1].",
)

MISTAKES["product of the tangents"] = Mistake(
    taught(jvp=lambda ctx, t: t[:-1] * t[1:]),
    "t[i] · t[i+1] is the factor of ε² of the dual numbers, and that is dropped. What stays are the two mixed products.",
)

MISTAKES["ε² is kept"] = Mistake(
    taught(jvp=lambda ctx, t: [(x + t)[:-1] * (x + t)[1:] - x[:-1] * x[1:] for (x,) in [ctx.saved_tensors]][0]),
    "There is a term t[i] · t[i+1] too many. It belongs to ε², and ε² = 0.",
)

MISTAKES["a tuple of one"] = Mistake(
    taught(jvp=lambda ctx, t: [t[:-1] * x[1:] + t[1:] * x[:-1] for x in [ctx.saved_tensors]][0]),
    "`ctx.saved_tensors` is a **tuple**, also where one Tensor was saved. Unpack it, as `backward` does: "
    "`(x,) = ctx.saved_tensors`.",
)

MISTAKES["nothing comes back"] = Mistake(
    taught(jvp=lambda ctx, t: [t[:-1] * x[1:] + x[:-1] * t[1:] for (x,) in [ctx.saved_tensors]].clear()),
    "Your `jvp` gives back None, so no tangent comes out. Did you forget `return`?",
)

MISTAKES["each with itself"] = Mistake(
    taught(jvp=lambda ctx, t: (ctx.saved_tensors[0] * t)[:-1] + (ctx.saved_tensors[0] * t)[1:]),
    "You paired each `x` with its own `t`. In the product rule each tangent meets the **other** factor: t[i] · x[i+1].",
)


def forward_saves_y(ctx, x):
    y = x[:-1] * x[1:]
    ctx.save_for_backward(x)
    ctx.save_for_forward(y)
    return y


MISTAKES["y saved for forward"] = Mistake(
    taught(forward=forward_saves_y),
    "What `jvp` finds in `ctx.saved_tensors` is shorter than `t` by one. Is it `y`? The rule needs `x`: `ctx.save_for_forward(x)`.",
)

MISTAKES["the second derivative"] = Mistake(
    taught(backward=mg.autograd.function.once_differentiable(Neighbours.backward)),
    "The gradient is right, and cannot be differentiated again. With the class as it was given it could: its `backward` computes "
    "with `x` itself. Save that, not a copy, and leave `backward` as it was: no `detach`, no `no_grad`, no NumPy and no "
    "`@once_differentiable`.",
)


def forward_attribute(ctx, x):
    ctx.x = x
    return x[:-1] * x[1:]


def backward_of_attribute(ctx, v):
    g = mg.zeros_like(ctx.x)
    g[:-1] += v * ctx.x[1:]
    g[1:] += v * ctx.x[:-1]
    return g


MISTAKES["the guard"] = Mistake(
    taught(forward=forward_attribute, backward=backward_of_attribute, jvp=lambda ctx, t: t[:-1] * ctx.x[1:] + ctx.x[:-1] * t[1:]),
    "Where `x` is overwritten before the backward pass, the class as it was given raises an error. Yours gives a wrong gradient in "
    "silence: nobody compares versions of what `ctx.saved_tensors` does not hold. Keep `ctx.save_for_backward(x)`, and let `backward` "
    "take `x` from `ctx.saved_tensors`.",
)

MISTAKES["no way to v"] = Mistake(
    taught(backward=lambda ctx, v: Neighbours.backward(ctx, v.detach())),
    "The gradient is right, and can be differentiated by `x`. By its cotangent it cannot: your `backward` cuts `v` off. With the "
    "class as it was given it could, and 10.3 needs it. Leave `backward` as it was.",
)

MISTAKES["a difference of products"] = Mistake(
    taught(jvp=lambda ctx, t: t[:-1] * ctx.saved_tensors[0][1:] - ctx.saved_tensors[0][:-1] * t[1:]),
    "The two terms of the product rule are **added**: t[i] · x[i+1] + x[i] · t[i+1].",
)

MISTAKES["t is left out"] = Mistake(
    taught(jvp=lambda ctx, t: ctx.saved_tensors[0][1:] + ctx.saved_tensors[0][:-1]),
    "No `t` is in it. How fast `y` moves depends on how fast `x` does: each factor is multiplied by the tangent of the **other** one.",
)
