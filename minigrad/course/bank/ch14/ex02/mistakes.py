"""14.2 GradCoeff: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch14.common import function
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, but for a rule that the engine does not insist on
MISTAKES: dict[str, Mistake] = {}


def coeff_view(ctx, x, coeff):
    ctx.coeff = coeff
    return x.view_as(x)


ONE_FOR_EACH = (
    "`forward` takes two arguments, x and coeff, so `backward` owes **two** gradients, in that order. coeff is a plain number "
    "and gets None: `return …, None`. (A list counts as one.)"
)

MISTAKES["one gradient"] = Mistake(function("GradCoeff", coeff_view, lambda ctx, g: ctx.coeff * g), ONE_FOR_EACH)


def coeff_scaled(ctx, x, c):
    ctx.coeff = c
    return c * x


COEFF_FORWARD = (
    "Your *output* is multiplied too. `forward` hands x on as it is; only the way back is changed. (With both, gradcheck "
    "would be content, and nothing would be reversed.)"
)

MISTAKES["the output is scaled"] = Mistake(
    function("GradCoeff", coeff_scaled, lambda ctx, g: (ctx.coeff * g, None)), COEFF_FORWARD
)

MISTAKES["the honest gradient"] = Mistake(
    function("GradCoeff", coeff_view, lambda ctx, g: (g, None)),
    "Your gradient is that of the identity. gradcheck likes it, and it reverses nothing. Here `backward` is **meant** "
    "to disagree with `forward`: return coeff times g. gradcheck must fail, and you can say why.",
)

MISTAKES["a gradient for the number"] = Mistake(
    function("GradCoeff", coeff_view, lambda ctx, g: (ctx.coeff * g, g.sum())),
    "You returned a gradient for coeff. It is a plain number, not a Tensor, and nobody wants its gradient: the second "
    "entry must be None.",
)

MISTAKES["the sign twice"] = Mistake(
    function("GradCoeff", coeff_view, lambda ctx, g: (-ctx.coeff * g, None)),
    "The sign is turned once too often. The coefficient carries its own sign: with coeff = −1 the gradient is −g.",
)

MISTAKES["always the other sign"] = Mistake(
    function("GradCoeff", coeff_view, lambda ctx, g: (-g, None)),
    "You turn the sign, whatever coeff is. That is right for coeff = −1 only: return coeff times g.",
)

MISTAKES["the cotangent is overwritten"] = Mistake(
    function("GradCoeff", coeff_view, lambda ctx, g: (g.mul_(ctx.coeff), None)),
    "You multiply `g` **in place**. It is not yours: the other branches of the graph may get the same Tensor, and theirs "
    "is changed with it. Make a new one: `ctx.coeff * g`.",
)


def coeff_saved(ctx, x, c):
    ctx.save_for_backward(c)
    return x.clone()


MISTAKES["a number is saved"] = Mistake(
    function("GradCoeff", coeff_saved, lambda ctx, g: (ctx.saved_tensors[0] * g, None)),
    "`ctx.save_for_backward` is for **Tensors** only. A plain number cannot be overwritten, so it needs no guard: "
    "lay it aside as an attribute, `ctx.coeff = coeff`.",
)


class CoeffOfTheClass(mg.autograd.Function):
    coeff = 0.0

    @staticmethod
    def forward(ctx, x, coeff):
        CoeffOfTheClass.coeff = coeff
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return CoeffOfTheClass.coeff * g, None


MISTAKES["one number for all calls"] = Mistake(
    CoeffOfTheClass,
    "With two calls before the backward pass, the first goes back with the number of the second. What a call must remember belongs "
    "to **its** node: `ctx.coeff = coeff`. An attribute of the class, or a variable outside, is one for all calls.",
)

MISTAKES["added, not multiplied"] = Mistake(
    function("GradCoeff", coeff_view, lambda ctx, g: (ctx.coeff + g, None)),
    "You **add** coeff to the gradient. It is multiplied by it: `ctx.coeff * g`.",
)

WASTEFUL["three entries"] = Mistake(
    function("GradCoeff", coeff_view, lambda ctx, g: (ctx.coeff * g, None, None)),
    "Right. But `backward` returns more entries than `forward` takes arguments, which are two: x and coeff. The engine passes over a "
    "None too many; a Tensor there would be an error.",
)
