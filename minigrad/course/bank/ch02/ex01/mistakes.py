"""02.1 Local slopes: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch02.ex01.answer import Rules
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def with_rules(**rules: Callable[..., Any]) -> type:
    """The reference with other rules in some places."""
    return type("Rules", (Rules,), {name: staticmethod(rule) for name, rule in rules.items()})


def wrong_rule(name: str, rule: Callable[..., Any], hint: str) -> Mistake:
    """A mistake in one rule; only the cases of that rule are compared."""
    return Mistake(with_rules(**{name: rule}), f"{name}: {hint}")


FORGOT_G = (
    "that is the slope alone; the incoming gradient `g` is not in it. Scale by `g`: what if the next operation "
    "multiplies the result by 10? A test with g = 1 would never have told you."
)

MISTAKES["add: g is forgotten"] = wrong_rule("add", lambda g, a, b: (1.0, 1.0), FORGOT_G)
MISTAKES["sub: g is forgotten"] = wrong_rule("sub", lambda g, a, b: (1.0, -1.0), FORGOT_G)
MISTAKES["mul: g is forgotten"] = wrong_rule("mul", lambda g, a, b: (b, a), FORGOT_G)
MISTAKES["div: g is forgotten"] = wrong_rule("div", lambda g, a, b: (1 / b, -a / b**2), FORGOT_G)
MISTAKES["exp: g is forgotten"] = wrong_rule("exp", lambda g, a: np.exp(a), FORGOT_G)
MISTAKES["log: g is forgotten"] = wrong_rule("log", lambda g, a: 1 / a, FORGOT_G)
MISTAKES["sin: g is forgotten"] = wrong_rule("sin", lambda g, a: np.cos(a), FORGOT_G)
MISTAKES["pow: g is forgotten"] = wrong_rule("pow", lambda g, a, n: n * a ** (n - 1), FORGOT_G)

MISTAKES["add: g is shared out"] = wrong_rule(
    "add",
    lambda g, a, b: (g / 2, g / 2),
    "each input moves the sum as much as it moves itself: its slope is 1, and it gets the **whole** `g`, not half of it.",
)

MISTAKES["add: the values are handed on"] = wrong_rule(
    "add",
    lambda g, a, b: (g * a, g * b),
    "the slope of a + b is 1, whatever the values of a and b are. They do not occur in the rule.",
)

MISTAKES["sub: no minus"] = wrong_rule("sub", lambda g, a, b: (g, g), "when b grows, a - b **falls**: its slope is -1.")

MISTAKES["sub: both minus"] = wrong_rule(
    "sub", lambda g, a, b: (-g, -g), "when a grows, a - b grows with it. Only the slope for b is -1."
)

MISTAKES["sub: minus on the wrong side"] = wrong_rule(
    "sub", lambda g, a, b: (-g, g), "that is the rule of b - a. The minus belongs to b."
)

MISTAKES["mul: its own factor"] = wrong_rule(
    "mul",
    lambda g, a, b: (g * a, g * b),
    "each factor has the **other** one as its slope. If b is 100 and a moves by 1, a * b moves by 100.",
)

MISTAKES["mul: the product"] = wrong_rule(
    "mul", lambda g, a, b: (g * a * b, g * a * b), "you handed on g times the **result**. The slope for a is b alone."
)

MISTAKES["div: no minus"] = wrong_rule(
    "div",
    lambda g, a, b: (g / b, g * a / b**2),
    "the sign of the second message. When b > 0 grows, a / b comes closer to 0: the slope for b is **minus** a / b².",
)

MISTAKES["div: b is not squared"] = wrong_rule(
    "div", lambda g, a, b: (g / b, -g * a / b), "the slope of 1 / b is -1 / b², with a **square**."
)

MISTAKES["div: a is forgotten"] = wrong_rule(
    "div", lambda g, a, b: (g / b, -g / b**2), "-1 / b² is the slope of 1 / b. Here a stands above, and multiplies it."
)

MISTAKES["div: the rule of the product"] = wrong_rule(
    "div", lambda g, a, b: (g * b, g * a), "that is the rule of a * b. Think of a / b as a times (1 / b)."
)

MISTAKES["div: precedence"] = wrong_rule(
    "div",
    lambda g, a, b: (g / b, -g * a / b * b),
    "Python reads `x / b * b` as `(x / b) * b`. Write `x / b**2` or `x / (b * b)`.",
)

MISTAKES["exp: g goes through"] = wrong_rule(
    "exp", lambda g, a: g, "you handed `g` on as it came. exp has a slope of its own: exp(a)."
)

MISTAKES["exp: the rule of powers"] = wrong_rule(
    "exp",
    lambda g, a: g * a * np.exp(a - 1),
    "`n * a**(n - 1)` is for a fixed exponent. Here the exponent moves, and exp is its own slope.",
)

MISTAKES["log: upside down"] = wrong_rule(
    "log", lambda g, a: g * a, "the slope of log at a is 1 / a: steep near 0, flat far out. You multiplied by a."
)

MISTAKES["log: the value"] = wrong_rule(
    "log", lambda g, a: g * np.log(a), "you multiplied by the **value** log(a). What is wanted is its slope, 1 / a."
)

MISTAKES["log: divided by the value"] = wrong_rule("log", lambda g, a: g / np.log(a), "the slope is 1 / a, not 1 / log(a).")

MISTAKES["sin: the sign"] = wrong_rule(
    "sin",
    lambda g, a: -g * np.cos(a),
    "the sign. Near 0, sin(a) grows when a grows: the slope there is +1. The minus comes with cos.",
)

MISTAKES["sin: the value"] = wrong_rule(
    "sin", lambda g, a: g * np.sin(a), "you multiplied by the **value** sin(a). What is wanted is its slope."
)

MISTAKES["pow: the exponent stays"] = wrong_rule(
    "pow", lambda g, a, n: g * n * a**n, "the exponent goes down by one: the slope of `a**3` is `3 * a**2`."
)

MISTAKES["pow: precedence"] = wrong_rule(
    "pow", lambda g, a, n: g * n * a**n - 1, "Python reads `a**n - 1` as `(a**n) - 1`. Write `a**(n - 1)`."
)

MISTAKES["pow: n is forgotten"] = wrong_rule(
    "pow", lambda g, a, n: g * a ** (n - 1), "the exponent also comes down as a factor: the slope of `a**3` is `3 * a**2`."
)

MISTAKES["pow: the exponent moves"] = wrong_rule(
    "pow",
    lambda g, a, n: g * a**n * np.log(a),
    "`a**n * log(a)` is the slope with respect to `n`. Here n is a constant, and a moves.",
)

MISTAKES["exp: g inside"] = wrong_rule(
    "exp", lambda g, a: np.exp(g * a), "`g` is a factor of the message, and does not go into exp: `g * np.exp(a)`."
)

MISTAKES["div: swapped"] = wrong_rule(
    "div", lambda g, a, b: (-g * a / b**2, g / b), "both messages are right, in the wrong order: the one for a comes first."
)
