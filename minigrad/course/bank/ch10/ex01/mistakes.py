"""10.1 Dual numbers: the mistakes that are known."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch10.ex01.answer import Dual
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def refuse(self, other):
    """As if the method were not there."""
    return NotImplemented


def with_methods(**methods: Callable[..., Any]) -> type:
    """A class like the right one, but for these methods; `Dual` in all of them means the new class."""
    if "__mul__" in methods:
        methods = {"__rmul__": methods["__mul__"], **methods}
    cls = type("Dual", (), {})
    names = {**globals(), "Dual": cls}
    for name, method in {**vars(Dual), **methods}.items():
        inner = getattr(method, "__func__", method)  # a staticmethod's function
        if isinstance(inner, types.FunctionType):
            copy = types.FunctionType(inner.__code__, names, inner.__name__, inner.__defaults__)
            setattr(cls, name, staticmethod(copy) if isinstance(method, staticmethod) else copy)
    return cls


def wrong_dual(hint: str, **methods: Callable[..., Any]) -> Mistake:
    return Mistake(with_methods(**methods), hint)


MISTAKES["no reflected addition"] = wrong_dual(
    "`d + 2` works and `2 + d` does not: a number on the left knows nothing of Duals. Python then asks the right side "
    "for a method with an r: `__radd__`, and likewise `__rsub__`, `__rmul__`, `__rtruediv__`. Add these four.",
    __radd__=refuse,
)

MISTAKES["no reflected difference"] = wrong_dual(
    "`2 - d` asks for `d.__rsub__(2)`. Add it, and mind the order: it is 2 − d, so the tangent changes its sign.",
    __rsub__=refuse,
)

MISTAKES["no reflected product"] = wrong_dual(
    "`2 * d` fails: a number on the left knows nothing of Duals, so Python asks `d.__rmul__(2)`. Add it. A product "
    "does not care for the order, so `__rmul__ = __mul__` is enough.",
    __rmul__=refuse,
)

MISTAKES["no reflected quotient"] = wrong_dual(
    "`2 / d` asks for `d.__rtruediv__(2)`. Add it, and mind the order: `Dual.of(other) / self`.", __rtruediv__=refuse
)

MISTAKES["the difference reflected as it is"] = wrong_dual(
    "You gave `__rsub__` the order of `__sub__`. But `d.__rsub__(2)` means 2 − d: the number stands on the left.",
    __rsub__=lambda self, other: Dual.__sub__(self, other),
)

MISTAKES["the sign of the reflected tangent"] = wrong_dual(
    "In 2 − d the value is right. But when d grows, 2 − d falls: its tangent is −d.tangent.",
    __rsub__=lambda self, other: Dual(other - self.value, self.tangent),
)

MISTAKES["the quotient reflected as it is"] = wrong_dual(
    "You gave `__rtruediv__` the order of `__truediv__`. But `d.__rtruediv__(2)` means 2 / d: the number stands on top.",
    __rtruediv__=lambda self, other: Dual.__truediv__(self, other),
)

MISTAKES["tangents subtracted the wrong way"] = wrong_dual(
    "In a difference, tangents are subtracted like the values. If both move equally fast, d − e stands still.",
    __sub__=lambda self, o: Dual(self.value - Dual.of(o).value, self.tangent + Dual.of(o).tangent),
)

MISTAKES["a number moves"] = wrong_dual(
    "`d * 2` is no Dual times a Dual: 2 has no `.value`. Make it one with `Dual.of(other)` first. A number stands "
    "still, so its tangent is 0.",
    __mul__=lambda self, other: Dual(self.value * other.value, self.tangent * other.value + self.value * other.tangent),
)

MISTAKES["a number moves in a difference"] = wrong_dual(
    "`d - 2` is no Dual minus a Dual: 2 has no `.value`. Make it one with `Dual.of(other)` first, as `+` does.",
    __sub__=lambda self, other: Dual(self.value - other.value, self.tangent - other.tangent),
)

MISTAKES["a number moves in a quotient"] = wrong_dual(
    "`d / 2` is no Dual by a Dual: 2 has no `.value`. Make it one with `Dual.of(other)` first. A number stands "
    "still, so its tangent is 0.",
    __truediv__=lambda self, other: Dual(
        self.value / other.value, (self.tangent * other.value - self.value * other.tangent) / other.value**2
    ),
)

MISTAKES["the product rule lost a term"] = wrong_dual(
    "In a product **both** factors move: (a + a′ε)(b + b′ε) = ab + (a′b + ab′)ε. You have one of the two terms.",
    __mul__=lambda self, o: Dual(self.value * Dual.of(o).value, self.tangent * Dual.of(o).value),
)

MISTAKES["the product rule lost the other term"] = wrong_dual(
    "In a product **both** factors move: (a + a′ε)(b + b′ε) = ab + (a′b + ab′)ε. The term of the left factor's "
    "tangent is missing.",
    __mul__=lambda self, o: Dual(self.value * Dual.of(o).value, self.value * Dual.of(o).tangent),
)

MISTAKES["product of the tangents"] = wrong_dual(
    "a′b′ is the factor of ε², and ε² = 0. What remains at ε are the two mixed products, a′b + ab′.",
    __mul__=lambda self, o: Dual(self.value * Dual.of(o).value, self.tangent * Dual.of(o).tangent),
)

MISTAKES["ε² is kept"] = wrong_dual(
    "There is a term a′b′ too many. It belongs to ε², and ε² = 0.",
    __mul__=lambda self, o: Dual(
        self.value * Dual.of(o).value,
        self.tangent * Dual.of(o).value + self.value * Dual.of(o).tangent + self.tangent * Dual.of(o).tangent,
    ),
)

MISTAKES["quotient of the tangents"] = wrong_dual(
    "a′/b′ is not the slope of a/b. The rule is (a′b − ab′) / b².",
    __truediv__=lambda self, o: Dual(
        self.value / Dual.of(o).value, self.tangent / Dual.of(o).tangent if Dual.of(o).tangent else float("inf") * self.tangent
    ),
)

MISTAKES["the sign in the quotient"] = wrong_dual(
    "The quotient rule is (a′b − ab′) / b²: minus, because a growing denominator makes the quotient smaller.",
    __truediv__=lambda self, o: Dual(
        self.value / Dual.of(o).value,
        (self.tangent * Dual.of(o).value + self.value * Dual.of(o).tangent) / Dual.of(o).value ** 2,
    ),
)

MISTAKES["the square in the quotient"] = wrong_dual(
    "Nearly: the quotient rule divides by b², the **square** of the denominator.",
    __truediv__=lambda self, o: Dual(
        self.value / Dual.of(o).value, (self.tangent * Dual.of(o).value - self.value * Dual.of(o).tangent) / Dual.of(o).value
    ),
)

MISTAKES["sin without the tangent"] = wrong_dual(
    "cos(value) is the slope of sin. How fast sin(d) moves depends also on how fast d moves: times the tangent.",
    sin=lambda self: Dual(np.sin(self.value), np.cos(self.value)),
)

MISTAKES["sin of the tangent"] = wrong_dual(
    "The tangent does not go through the function. It is multiplied by its slope: cos(value) · tangent.",
    sin=lambda self: Dual(np.sin(self.value), np.sin(self.tangent)),
)

MISTAKES["the slope of the tangent"] = wrong_dual(
    "The slope is taken where the number **is**: cos(value). Then it is multiplied by how fast the number moves, the tangent.",
    sin=lambda self: Dual(np.sin(self.value), np.cos(self.tangent)),
)

MISTAKES["the sign of cos"] = wrong_dual(
    "The slope of sin is cos, without a minus. (The minus is in the slope of cos.)",
    sin=lambda self: Dual(np.sin(self.value), -np.cos(self.value) * self.tangent),
)

MISTAKES["exp without the tangent"] = wrong_dual(
    "exp(value) is the slope of exp. How fast exp(d) moves depends also on how fast d moves: times the tangent.",
    exp=lambda self: Dual(np.exp(self.value), np.exp(self.value)),
)

MISTAKES["exp of the tangent"] = wrong_dual(
    "The tangent does not go through the function. It is multiplied by its slope: exp(value) · tangent.",
    exp=lambda self: Dual(np.exp(self.value), np.exp(self.tangent)),
)


def _bump(self, other):
    other = Dual.of(other)
    self.value += other.value
    self.tangent += other.tangent
    return self


MISTAKES["an operand is changed"] = wrong_dual(
    "The sum is right, but the left operand is not what it was. `d + e` must return a **new** Dual and leave d alone.",
    __add__=_bump,
)

MISTAKES["the quotient rule turned round"] = wrong_dual(
    "The order in the quotient rule is a′b − ab′, over b²: a growing numerator makes the quotient larger.",
    __truediv__=lambda self, o: Dual(
        self.value / Dual.of(o).value,
        (self.value * Dual.of(o).tangent - self.tangent * Dual.of(o).value) / Dual.of(o).value ** 2,
    ),
)


def _drop(self, other):
    other = Dual.of(other)
    self.value -= other.value
    self.tangent -= other.tangent
    return self


MISTAKES["an operand is changed by a difference"] = wrong_dual(
    "The difference is right, but the left operand is not what it was. `d - e` must return a **new** Dual and leave d alone.",
    __sub__=_drop,
)

MISTAKES["the denominator stands still"] = wrong_dual(
    "Your quotient moves with its numerator alone. The denominator moves too: (a′b − ab′) / b².",
    __truediv__=lambda self, o: Dual(self.value / Dual.of(o).value, self.tangent / Dual.of(o).value),
)


def _sin_of_a_tensor(self):
    x = mg.tensor(self.value, dtype=mg.float64, requires_grad=True)
    y = x.sin()
    y.backward()
    return Dual(y.item(), x.grad.item() * self.tangent)


MISTAKES["minigrad does it"] = wrong_dual(
    "The numbers are right, and `minigrad` computed them. Here you write the rule yourself: the slope of sin is cos, that of exp is "
    "exp, times the tangent.",
    sin=_sin_of_a_tensor,
)

MISTAKES["differences"] = wrong_dual(
    "At a large value the tangent loses digits. Is it a difference, `(exp(value + ε) − exp(value − ε)) / 2ε`? A Dual needs none: its "
    "tangent is exact, `exp(value) * tangent`.",
    exp=lambda self: Dual(np.exp(self.value), (np.exp(self.value + 1e-6) - np.exp(self.value - 1e-6)) / 2e-6 * self.tangent),
)

MISTAKES["differences in sin"] = wrong_dual(
    "At a large value the tangent loses digits. Is it a difference, `(sin(value + ε) − sin(value − ε)) / 2ε`? A Dual needs none: its "
    "tangent is exact, `cos(value) * tangent`.",
    sin=lambda self: Dual(np.sin(self.value), (np.sin(self.value + 1e-6) - np.sin(self.value - 1e-6)) / 2e-6 * self.tangent),
)
