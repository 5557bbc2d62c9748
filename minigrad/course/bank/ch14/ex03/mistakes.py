"""14.3 LegendrePolynomial3: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch14.common import function
from minigrad.course.bank.ch14.known import CUT, DEAD, FORGOTTEN, NO_RETURN, V_CUT
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost
MISTAKES: dict[str, Mistake] = {}

UNGUARDED = (
    "Right. But of what `backward` uses nothing went to `ctx.save_for_backward`. Nobody compares versions of an attribute of "
    "`ctx`: where the input is overwritten in between, the gradient is wrong without an error. `ctx.save_for_backward(x)`."
)


def legendre_forward(ctx, x):
    ctx.save_for_backward(x)
    return (5 * x**3 - 3 * x) / 2


def legendre_by(rule: Callable[[Any], Any]) -> Any:
    """A Function whose derivative is this rule of x, times g."""
    return function("LegendrePolynomial3", legendre_forward, lambda ctx, g: g * rule(ctx.saved_tensors[0]))


MISTAKES["a factor 3 is lost"] = Mistake(
    legendre_by(lambda x: 0.5 * (5 * x**2 - 1)),
    "A factor 3 is lost. x³ gives **3**x², and −3x gives −3: the derivative of ½(5x³ − 3x) is ½(15x² − 3).",
)

MISTAKES["the output as derivative"] = Mistake(
    legendre_by(lambda x: 0.5 * (5 * x**3 - 3 * x)),
    "Your `backward` multiplies by P₃(x) itself. That is right for exp, which is its own derivative, and for hardly "
    "anything else. Here it is ½(15x² − 3).",
)

MISTAKES["g is forgotten"] = Mistake(
    function("LegendrePolynomial3", legendre_forward, lambda ctx, g: 1.5 * (5 * ctx.saved_tensors[0] ** 2 - 1)), FORGOTTEN
)


def legendre_slope_saved(ctx, x):
    ctx.slope = 7.5 * x**2 - 1.5
    return 2.5 * x**3 - 1.5 * x


MISTAKES["the second derivative is dead"] = Mistake(
    function("LegendrePolynomial3", legendre_slope_saved, lambda ctx, g: g * ctx.slope), DEAD
)

MISTAKES["cut off in backward"] = Mistake(legendre_by(lambda x: 7.5 * x.detach() ** 2 - 1.5), CUT)


def legendre_doubled(ctx, x):
    ctx.save_for_backward(x)
    return 5 * x**3 - 3 * x


MISTAKES["the half"] = Mistake(
    function("LegendrePolynomial3", legendre_doubled, lambda ctx, g: g * (15 * ctx.saved_tensors[0] ** 2 - 3)),
    "Your output is twice P₃: the factor ½ is missing.",
)

OPERATORS = (
    "With a Tensor all is well. But here x is a plain number: it has no methods such as `x.pow`, and functions such as `mg.pow` do "
    "not take it. Operators serve both: `x**3`. (`ctx.save_for_backward(x)` does not mind: without a Tensor that requires grad "
    "nothing is recorded.)"
)
MISTAKES["a Tensor's methods"] = Mistake(
    function(
        "LegendrePolynomial3",
        lambda ctx, x: (ctx.save_for_backward(x), (5 * x.pow(3) - 3 * x) / 2)[1],
        lambda ctx, g: g * (7.5 * ctx.saved_tensors[0] ** 2 - 1.5),
    ),
    OPERATORS,
)
MISTAKES["a function of Tensors"] = Mistake(
    function(
        "LegendrePolynomial3",
        lambda ctx, x: (ctx.save_for_backward(x), (5 * mg.pow(x, 3) - 3 * x) / 2)[1],
        lambda ctx, g: g * (7.5 * ctx.saved_tensors[0] ** 2 - 1.5),
    ),
    OPERATORS,
)

MISTAKES["the half, on the way back"] = Mistake(
    legendre_by(lambda x: 15 * x**2 - 3),
    "Your gradient is twice what it should be: the factor ½ of P₃ stays in its derivative, ½(15x² − 3).",
)


def legendre_p2(ctx, x):
    ctx.save_for_backward(x)
    return 0.5 * (3 * x**2 - 1)


MISTAKES["another polynomial"] = Mistake(
    function("LegendrePolynomial3", legendre_p2, lambda ctx, g: g * 3 * ctx.saved_tensors[0]),
    "That is P₂, a parabola. P₃ is the cubic ½(5x³ − 3x).",
)

MISTAKES["backward returns nothing"] = Mistake(
    function("LegendrePolynomial3", legendre_forward, lambda ctx, g: None), NO_RETURN
)

MISTAKES["a term has no slope"] = Mistake(
    legendre_by(lambda x: 7.5 * x**2), "The term −3x has a slope too: the derivative of ½(5x³ − 3x) is ½(15x² − **3**)."
)


def legendre_attribute(ctx, x):
    ctx.x = x
    return (5 * x**3 - 3 * x) / 2


WASTEFUL["an attribute"] = Mistake(
    function("LegendrePolynomial3", legendre_attribute, lambda ctx, g: g * 1.5 * (5 * ctx.x**2 - 1)), UNGUARDED
)

MISTAKES["a term keeps its x"] = Mistake(
    legendre_by(lambda x: 7.5 * x**2 - 1.5 * x),
    "The term −3x is still there. Its slope is −3, without the x: the derivative of ½(5x³ − 3x) is ½(15x² − **3**).",
)

MISTAKES["the cotangent is cut off"] = Mistake(
    function("LegendrePolynomial3", legendre_forward, lambda ctx, g: g.detach() * 1.5 * (5 * ctx.saved_tensors[0] ** 2 - 1)), V_CUT
)
