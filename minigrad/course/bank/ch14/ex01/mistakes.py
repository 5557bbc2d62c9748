"""14.1 Exp: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch14.common import function
from minigrad.course.bank.ch14.ex07.task import exp_forward, exp_keeps_intermediate, exp_numpy, times_saved
from minigrad.course.bank.ch14.known import CUT, DEAD, FORGOTTEN, NO_RETURN, V_CUT
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def exp_saves_x(ctx, x):
    ctx.save_for_backward(x)
    return mg.exp(x)


WASTEFUL["exp twice"] = Mistake(
    function("Exp", exp_saves_x, lambda ctx, g: g * ctx.saved_tensors[0].exp()),
    "You save the input. The **output** is all that `backward` needs: save that, and nothing else, and no exponential "
    "is computed twice.",
)


def exp_keeps_y(ctx, x):
    ctx.y = x.exp()
    return ctx.y


WASTEFUL["a cycle"] = Mistake(
    function("Exp", exp_keeps_y, lambda ctx, g: g * ctx.y),
    "Kept as `ctx.y`, the output stands in a **reference cycle**: it holds its node, `ctx` is that node, and that holds the output. "
    "Such memory waits for the garbage collector. Nor does anybody notice when the output is overwritten. "
    "`ctx.save_for_backward(y)` has neither problem.",
)


def exp_keeps_x(ctx, x):
    ctx.x = x
    return x.exp()


WASTEFUL["the input, unguarded"] = Mistake(
    function("Exp", exp_keeps_x, lambda ctx, g: g * ctx.x.exp()),
    "Nobody compares versions of an attribute of `ctx`: where the input is overwritten before the backward pass, the gradient is "
    "wrong without an error. And the exponential is computed twice. `ctx.save_for_backward(y)`, with the output, mends both.",
)

MISTAKES: dict[str, Mistake] = {}

MISTAKES["saved_tensors is a tuple"] = Mistake(
    function("Exp", exp_forward, lambda ctx, g: g * ctx.saved_tensors),
    "`ctx.saved_tensors` is a **tuple**, also when only one Tensor was saved. Take it out: `(y,) = ctx.saved_tensors`.",
)

MISTAKES["g is forgotten"] = Mistake(function("Exp", exp_forward, lambda ctx, g: ctx.saved_tensors[0]), FORGOTTEN)
MISTAKES["g is forgotten, from x"] = Mistake(function("Exp", exp_saves_x, lambda ctx, g: ctx.saved_tensors[0].exp()), FORGOTTEN)
MISTAKES["the second derivative is dead"] = Mistake(function("Exp", exp_keeps_intermediate, lambda ctx, g: g * ctx.e), DEAD)
MISTAKES["NumPy inside"] = Mistake(function("Exp", exp_numpy, lambda ctx, g: mg.tensor(g.detach().numpy() * ctx.e)), DEAD)
MISTAKES["cut off in backward"] = Mistake(function("Exp", exp_forward, lambda ctx, g: g * ctx.saved_tensors[0].detach()), CUT)

MISTAKES["the input is taken for the output"] = Mistake(
    function("Exp", exp_saves_x, times_saved),
    "Your `backward` multiplies by x. The derivative of eˣ is eˣ, the **output**: save what `forward` returns.",
)

MISTAKES["backward returns nothing"] = Mistake(function("Exp", exp_forward, lambda ctx, g: None), NO_RETURN)

MISTAKES["the cotangent is cut off"] = Mistake(
    function("Exp", exp_forward, lambda ctx, g: g.detach() * ctx.saved_tensors[0]), V_CUT
)
