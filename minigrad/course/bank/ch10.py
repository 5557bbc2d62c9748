"""Forward mode, JVPs, batched gradients.

Exercises 10.1 to 10.7: numbers that carry a direction, the choice of the mode, and many passes in one call.
"""

from __future__ import annotations

import dis
import inspect
import sys
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import minigrad as mg
from minigrad.course.compare import differences as compared
from minigrad.course.compare import unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register
from minigrad.course.helpers.ch10 import fillings, passes  # noqa: F401

if TYPE_CHECKING:
    pass

fw = mg.autograd.forward_ad


def random_tensor(rng: np.random.Generator, dtype: Any, *shape: int, leaf: bool = False) -> Any:
    return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=leaf)


class Watch:
    """A function that an answer is given, watched: where it is called, with what, and how often a pass comes back to it."""

    def __init__(self, f: Callable[..., Any], x: Any) -> None:
        self.inner = f
        self.x = x.detach().numpy().copy()
        self.calls = 0
        self.forward = 0  # calls with a dual tensor
        self.backward = 0  # passes that come back to the input, those of one batched call counted once
        self.moved = False
        self.borrowed = False  # called by a function of the library that does the whole exercise
        self.batches: list[Any] = []
        self.inputs: list[Any] = []

    def f(self, x: Any) -> Any:
        self.calls += 1
        self.borrowed = self.borrowed or "autograd.functional" in sys._getframe(1).f_globals.get("__name__", "")
        self.forward += fw.unpack_dual(x).tangent is not None
        self.moved = self.moved or not np.array_equal(x.detach().numpy(), self.x)
        if x.requires_grad and not any(x is other for other in self.inputs):
            self.inputs.append(x)
            x.register_hook(self.count)
        return self.inner(x)

    def count(self, g: Any) -> None:
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_name != "_batched":  # where minigrad loops over a batch
            frame = frame.f_back
        if frame is None:
            self.backward += 1
        elif not any(frame is other for other in self.batches):
            self.backward += 1
            self.batches.append(frame)

    def place(self) -> str:
        return "at other points than x" if self.moved else "at x only"

    def caller(self) -> str:
        return "mg.autograd.functional" if self.borrowed else "you"

    def kind(self) -> str:
        return "a dual tensor" if self.forward else "no dual tensor"


def few(count: int, most: int = 2) -> str:
    """A number of passes, said so that a pass more does not matter, but a pass for each row or column does."""
    return "a few" if count <= most else "many"


def level_now() -> str:
    """Whether a level is still open; if so, it is closed."""
    try:
        fw.exit_dual_level()
    except RuntimeError:
        return "closed"
    return "still open"


def unwritten(rule: Any) -> bool:
    """Whether nothing is done in a rule, as in the starter."""
    code = getattr(inspect.unwrap(rule), "__code__", None)
    nothing = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}
    return code is not None and {i.opname for i in dis.get_instructions(code)} <= nothing


def neighbours(x: Any) -> Any:
    return x[:-1] * x[1:]


DIFFERENCES = (
    "Your function asks `f` at other points than `x`: those are differences. They lose digits. A tangent that travels along "
    "gives the slope exactly, and `f` runs once."
)
A_TUPLE = (
    "`mg.autograd.grad` returns a **tuple**, with one gradient for each input, also where there is one input only. Unpack it: "
    "`(g,) = mg.autograd.grad(…)`, or take `[0]`."
)


def differences(f: Callable[..., Any], x: Any, t: Any, h: float = 1e-6) -> Any:
    """J t by central differences."""
    x = x.detach()
    return (f(x + h * t) - f(x - h * t)) / (2 * h)


def one_sided(f: Callable[..., Any], x: Any, t: Any) -> Any:
    return (f(x.detach() + 1e-6 * t) - f(x.detach())) / 1e-6


# --- 10.1 Dual numbers --------------------------------------------------------------------------------------


class Dual:
    """A number that moves: value + tangent * ε, where ε * ε = 0."""

    def __init__(self, value, tangent=0.0):
        self.value = value
        self.tangent = tangent

    def __repr__(self):
        return f"Dual({self.value:g}, {self.tangent:g})"

    @staticmethod
    def of(other):
        """other, if it is a Dual; a number becomes a Dual that stands still."""
        return other if isinstance(other, Dual) else Dual(other)

    def __add__(self, other):
        other = Dual.of(other)
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __sub__(self, other):
        other = Dual.of(other)
        return Dual(self.value - other.value, self.tangent - other.tangent)

    def __mul__(self, other):
        other = Dual.of(other)
        return Dual(self.value * other.value, self.tangent * other.value + self.value * other.tangent)

    def __truediv__(self, other):
        other = Dual.of(other)
        quotient = self.value / other.value
        return Dual(quotient, (self.tangent - quotient * other.tangent) / other.value)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other):
        return Dual.of(other) - self

    def __rtruediv__(self, other):
        return Dual.of(other) / self

    def sin(self):
        return Dual(np.sin(self.value), np.cos(self.value) * self.tangent)

    def exp(self):
        value = np.exp(self.value)
        return Dual(value, value * self.tangent)


DUAL_STARTER = '''\
class Dual:
    """A number that moves: value + tangent * ε, where ε * ε = 0."""

    def __init__(self, value, tangent=0.0):
        self.value = value
        self.tangent = tangent

    def __repr__(self):
        return f"Dual({self.value:g}, {self.tangent:g})"

    @staticmethod
    def of(other):
        """other, if it is a Dual; a number becomes a Dual that stands still."""
        return other if isinstance(other, Dual) else Dual(other)

    def __add__(self, other):
        other = Dual.of(other)
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __sub__(self, other):
        ...

    def __mul__(self, other):
        ...

    def __truediv__(self, other):
        ...

    def sin(self):
        ...

    def exp(self):
        ...
'''


class DualByParts:
    """Numbers are told apart in each method, the quotient is written out, and powers of -1 do the rest."""

    def __init__(self, value, tangent=0.0):
        self.value, self.tangent = value, tangent

    def __add__(self, other):
        if isinstance(other, DualByParts):
            return DualByParts(self.value + other.value, self.tangent + other.tangent)
        return DualByParts(self.value + other, self.tangent)

    def __radd__(self, other):
        return self + other

    def __neg__(self):
        return DualByParts(-self.value, -self.tangent)

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if isinstance(other, DualByParts):
            return DualByParts(self.value * other.value, self.value * other.tangent + self.tangent * other.value)
        return DualByParts(self.value * other, self.tangent * other)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        if isinstance(other, DualByParts):
            top = self.tangent * other.value - self.value * other.tangent
            return DualByParts(self.value / other.value, top / other.value**2)
        return DualByParts(self.value / other, self.tangent / other)

    def __rtruediv__(self, other):
        return DualByParts(other / self.value, -other * self.tangent / self.value**2)

    def sin(self):
        return DualByParts(float(np.sin(self.value)), self.tangent * float(np.cos(self.value)))

    def exp(self):
        return DualByParts(float(np.exp(self.value)), self.tangent * float(np.exp(self.value)))


class DualByInverse(Dual):
    """A quotient is a product with the inverse."""

    def inverse(self):
        return Dual(1 / self.value, -self.tangent / self.value**2)

    def __sub__(self, other):
        return self + -1 * Dual.of(other)

    def __truediv__(self, other):
        return self * DualByInverse.inverse(Dual.of(other))

    def __rtruediv__(self, other):
        return other * self.inverse()


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


def wrong_dual(hint: str, again: dict[str, Callable[..., Any]], **methods: Callable[..., Any]) -> Mistake:
    return Mistake(with_methods(**methods), hint, again=with_methods(**again))


def dual_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def pair() -> tuple[float, float]:
        return float(rng.uniform(0.5, 1.5) * rng.choice([-1, 1])), float(rng.uniform(0.5, 2.5) * rng.choice([-1, 1]))

    k = float(rng.uniform(1.5, 3.5))
    return [
        Case("`+`: `d + e`", ("__add__", lambda d, e: d + e, pair(), pair())),
        Case("`+`: `d + k`, where k is a number", ("__add__", lambda d: d + k, pair())),
        Case("`+`: `k + d`, where k is a number", ("__add__", lambda d: k + d, pair())),
        Case("`-`: `d - e`", ("__sub__", lambda d, e: d - e, pair(), pair())),
        Case("`-`: `d - k`, where k is a number", ("__sub__", lambda d: d - k, pair())),
        Case("`-`: `k - d`, where k is a number", ("__sub__", lambda d: k - d, pair())),
        Case("`*`: `d * e`", ("__mul__", lambda d, e: d * e, pair(), pair())),
        Case("`*`: `d * d`", ("__mul__", lambda d: d * d, pair())),
        Case("`*`: `d * k`, where k is a number", ("__mul__", lambda d: d * k, pair())),
        Case("`*`: `k * d`, where k is a number", ("__mul__", lambda d: k * d, pair())),
        Case("`/`: `d / e`", ("__truediv__", lambda d, e: d / e, pair(), pair())),
        Case("`/`: `d / k`, where k is a number", ("__truediv__", lambda d: d / k, pair())),
        Case("`/`: `k / d`, where k is a number", ("__truediv__", lambda d: k / d, pair())),
        Case("sin: `d.sin()`", ("sin", lambda d: d.sin(), pair())),
        Case("exp: `d.exp()`", ("exp", lambda d: d.exp(), pair())),
        Case(
            "all together: `(2 * d * e + 3).sin() / (d.exp() - 5)`",
            ("exp", lambda d, e: (2 * d * e + 3).sin() / (d.exp() - 5), pair(), pair()),
        ),
    ]


def watch_dual(answer: Any, rule: str, f: Callable[..., Any], *pairs: tuple[float, float]) -> Any:
    if unwritten(getattr(answer, rule, None)):
        return {f"Dual.{rule}": ...}
    duals = [answer(*p) for p in pairs]
    found = f(*duals)
    if not (hasattr(found, "value") and hasattr(found, "tangent")):
        return unfit(found, "a Dual")
    seen = {f"Dual.{rule}": "written", "value": found.value, "tangent": found.tangent}
    return seen | {f"operand {k}, afterwards": [d.value, d.tangent] for k, d in enumerate(duals, 1)}


def _ratio(a: float, b: float) -> float:
    return a / b if b else float("inf") * a


def _bump(self, other):
    other = Dual.of(other)
    self.value += other.value
    self.tangent += other.tangent
    return self


def _bump_again(self, other):
    other = Dual.of(other)
    self.value, self.tangent = self.value + other.value, other.tangent + self.tangent
    return self


def dual_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    zero, still, negative, ones = (0.0, 1.5), (2.0, 0.0), (-1.5, 0.5), (1.0, 1.0)
    return [
        Case("`-`: `d - d`", ("__sub__", lambda d: d - d, negative)),
        Case("`*`: `d * e`, where one value is 0", ("__mul__", lambda d, e: d * e, zero, negative)),
        Case("`*`: `0 * d`", ("__mul__", lambda d: 0 * d, negative)),
        Case("`/`: `d / e`, where the value of d is 0", ("__truediv__", lambda d, e: d / e, zero, negative)),
        Case("`/`: `d / e`, where the tangent of e is 0", ("__truediv__", lambda d, e: d / e, negative, still)),
        Case("`/`: `0 / d`", ("__truediv__", lambda d: 0 / d, negative)),
        Case("`/`: `1 / d`, a whole number", ("__truediv__", lambda d: 1 / d, still)),
        Case("sin: `d.sin()` at 0", ("sin", lambda d: d.sin(), zero)),
        Case("exp: `d.exp()` at 0", ("exp", lambda d: d.exp(), zero)),
        Case("exp: `d.exp()` at a negative number", ("exp", lambda d: d.exp(), negative)),
        Case("sin: `(d * d).sin()`", ("sin", lambda d: (d * d).sin(), ones)),
    ]


register(
    Exercise(
        id="10.1",
        title="Dual numbers",
        difficulty=2,
        minutes=10,
        points=3,
        reference=Dual,
        starter=DUAL_STARTER,
        cases=dual_cases,
        edges=dual_edges,
        observe=watch_dual,
        alternatives={"numbers told apart": DualByParts, "by the inverse": DualByInverse},
        mistakes={
            "no reflected addition": wrong_dual(
                "`d + 2` works and `2 + d` does not: a number on the left knows nothing of Duals. Python then asks the right side "
                "for a method with an r: `__radd__`, and likewise `__rsub__`, `__rmul__`, `__rtruediv__`. Add these four.",
                {"__radd__": lambda self, other: refuse(self, other)},
                __radd__=refuse,
            ),
            "no reflected difference": wrong_dual(
                "`2 - d` asks for `d.__rsub__(2)`. Add it, and mind the order: it is 2 − d, so the tangent changes its sign.",
                {"__rsub__": lambda self, other: refuse(self, other)},
                __rsub__=refuse,
            ),
            "no reflected product": wrong_dual(
                "`2 * d` fails: a number on the left knows nothing of Duals, so Python asks `d.__rmul__(2)`. Add it. A product "
                "does not care for the order, so `__rmul__ = __mul__` is enough.",
                {"__rmul__": lambda self, other: refuse(self, other)},
                __rmul__=refuse,
            ),
            "no reflected quotient": wrong_dual(
                "`2 / d` asks for `d.__rtruediv__(2)`. Add it, and mind the order: `Dual.of(other) / self`.",
                {"__rtruediv__": lambda self, other: refuse(self, other)},
                __rtruediv__=refuse,
            ),
            "the difference reflected as it is": wrong_dual(
                "You gave `__rsub__` the order of `__sub__`. But `d.__rsub__(2)` means 2 − d: the number stands on the left.",
                {"__rsub__": lambda self, other: Dual(self.value - other, self.tangent)},
                __rsub__=lambda self, other: Dual.__sub__(self, other),
            ),
            "the sign of the reflected tangent": wrong_dual(
                "In 2 − d the value is right. But when d grows, 2 − d falls: its tangent is −d.tangent.",
                {"__rsub__": lambda self, other: Dual(-self.value + other, self.tangent)},
                __rsub__=lambda self, other: Dual(other - self.value, self.tangent),
            ),
            "the quotient reflected as it is": wrong_dual(
                "You gave `__rtruediv__` the order of `__truediv__`. But `d.__rtruediv__(2)` means 2 / d: the number stands on top.",
                {"__rtruediv__": lambda self, other: Dual(self.value / other, self.tangent / other)},
                __rtruediv__=lambda self, other: Dual.__truediv__(self, other),
            ),
            "tangents subtracted the wrong way": wrong_dual(
                "In a difference, tangents are subtracted like the values. If both move equally fast, d − e stands still.",
                {"__sub__": lambda self, o: Dual(self.value - Dual.of(o).value, Dual.of(o).tangent + self.tangent)},
                __sub__=lambda self, o: Dual(self.value - Dual.of(o).value, self.tangent + Dual.of(o).tangent),
            ),
            "a number moves": wrong_dual(
                "`d * 2` is no Dual times a Dual: 2 has no `.value`. Make it one with `Dual.of(other)` first. A number stands "
                "still, so its tangent is 0.",
                {
                    "__mul__": lambda self, other: Dual(
                        other.value * self.value, self.value * other.tangent + other.value * self.tangent
                    ),
                },
                __mul__=lambda self, other: Dual(self.value * other.value, self.tangent * other.value + self.value * other.tangent),
            ),
            "a number moves in a difference": wrong_dual(
                "`d - 2` is no Dual minus a Dual: 2 has no `.value`. Make it one with `Dual.of(other)` first, as `+` does.",
                {"__sub__": lambda self, other: Dual(-other.value + self.value, -other.tangent + self.tangent)},
                __sub__=lambda self, other: Dual(self.value - other.value, self.tangent - other.tangent),
            ),
            "a number moves in a quotient": wrong_dual(
                "`d / 2` is no Dual by a Dual: 2 has no `.value`. Make it one with `Dual.of(other)` first. A number stands "
                "still, so its tangent is 0.",
                {
                    "__truediv__": lambda self, other: Dual(
                        self.value / other.value, self.tangent / other.value - self.value * other.tangent / other.value**2
                    ),
                },
                __truediv__=lambda self, other: Dual(
                    self.value / other.value, (self.tangent * other.value - self.value * other.tangent) / other.value**2
                ),
            ),
            "the product rule lost a term": wrong_dual(
                "In a product **both** factors move: (a + a′ε)(b + b′ε) = ab + (a′b + ab′)ε. You have one of the two terms.",
                {"__mul__": lambda self, o: Dual(Dual.of(o).value * self.value, Dual.of(o).value * self.tangent)},
                __mul__=lambda self, o: Dual(self.value * Dual.of(o).value, self.tangent * Dual.of(o).value),
            ),
            "the product rule lost the other term": wrong_dual(
                "In a product **both** factors move: (a + a′ε)(b + b′ε) = ab + (a′b + ab′)ε. The term of the left factor's "
                "tangent is missing.",
                {"__mul__": lambda self, o: Dual(Dual.of(o).value * self.value, Dual.of(o).tangent * self.value)},
                __mul__=lambda self, o: Dual(self.value * Dual.of(o).value, self.value * Dual.of(o).tangent),
            ),
            "product of the tangents": wrong_dual(
                "a′b′ is the factor of ε², and ε² = 0. What remains at ε are the two mixed products, a′b + ab′.",
                {"__mul__": lambda self, o: Dual(Dual.of(o).value * self.value, Dual.of(o).tangent * self.tangent)},
                __mul__=lambda self, o: Dual(self.value * Dual.of(o).value, self.tangent * Dual.of(o).tangent),
            ),
            "ε² is kept": wrong_dual(
                "There is a term a′b′ too many. It belongs to ε², and ε² = 0.",
                {
                    "__mul__": lambda self, o: Dual(
                        self.value * Dual.of(o).value,
                        (self.value + self.tangent) * (Dual.of(o).value + Dual.of(o).tangent) - self.value * Dual.of(o).value,
                    )
                },
                __mul__=lambda self, o: Dual(
                    self.value * Dual.of(o).value,
                    self.tangent * Dual.of(o).value + self.value * Dual.of(o).tangent + self.tangent * Dual.of(o).tangent,
                ),
            ),
            "quotient of the tangents": wrong_dual(
                "a′/b′ is not the slope of a/b. The rule is (a′b − ab′) / b².",
                {"__truediv__": lambda self, o: Dual(self.value / Dual.of(o).value, _ratio(self.tangent, Dual.of(o).tangent))},
                __truediv__=lambda self, o: Dual(
                    self.value / Dual.of(o).value,
                    self.tangent / Dual.of(o).tangent if Dual.of(o).tangent else float("inf") * self.tangent,
                ),
            ),
            "the sign in the quotient": wrong_dual(
                "The quotient rule is (a′b − ab′) / b²: minus, because a growing denominator makes the quotient smaller.",
                {
                    "__truediv__": lambda self, o: Dual(
                        self.value / Dual.of(o).value,
                        self.tangent / Dual.of(o).value + self.value * Dual.of(o).tangent / Dual.of(o).value ** 2,
                    )
                },
                __truediv__=lambda self, o: Dual(
                    self.value / Dual.of(o).value,
                    (self.tangent * Dual.of(o).value + self.value * Dual.of(o).tangent) / Dual.of(o).value ** 2,
                ),
            ),
            "the square in the quotient": wrong_dual(
                "Nearly: the quotient rule divides by b², the **square** of the denominator.",
                {
                    "__truediv__": lambda self, o: Dual(
                        self.value / Dual.of(o).value, self.tangent - self.value * Dual.of(o).tangent / Dual.of(o).value
                    )
                },
                __truediv__=lambda self, o: Dual(
                    self.value / Dual.of(o).value,
                    (self.tangent * Dual.of(o).value - self.value * Dual.of(o).tangent) / Dual.of(o).value,
                ),
            ),
            "sin without the tangent": wrong_dual(
                "cos(value) is the slope of sin. How fast sin(d) moves depends also on how fast d moves: times the tangent.",
                {"sin": lambda self: Dual(float(np.sin(self.value)), float(np.cos(self.value)))},
                sin=lambda self: Dual(np.sin(self.value), np.cos(self.value)),
            ),
            "sin of the tangent": wrong_dual(
                "The tangent does not go through the function. It is multiplied by its slope: cos(value) · tangent.",
                {"sin": lambda self: Dual(float(np.sin(self.value)), float(np.sin(self.tangent)))},
                sin=lambda self: Dual(np.sin(self.value), np.sin(self.tangent)),
            ),
            "the slope of the tangent": wrong_dual(
                "The slope is taken where the number **is**: cos(value). Then it is multiplied by how fast the number moves, the "
                "tangent.",
                {"sin": lambda self: Dual(float(np.sin(self.value)), float(np.cos(self.tangent)))},
                sin=lambda self: Dual(np.sin(self.value), np.cos(self.tangent)),
            ),
            "the sign of cos": wrong_dual(
                "The slope of sin is cos, without a minus. (The minus is in the slope of cos.)",
                {"sin": lambda self: Dual(float(np.sin(self.value)), float(np.cos(self.value)) * -self.tangent)},
                sin=lambda self: Dual(np.sin(self.value), -np.cos(self.value) * self.tangent),
            ),
            "exp without the tangent": wrong_dual(
                "exp(value) is the slope of exp. How fast exp(d) moves depends also on how fast d moves: times the tangent.",
                {"exp": lambda self: Dual(float(np.exp(self.value)), float(np.exp(self.value)))},
                exp=lambda self: Dual(np.exp(self.value), np.exp(self.value)),
            ),
            "exp of the tangent": wrong_dual(
                "The tangent does not go through the function. It is multiplied by its slope: exp(value) · tangent.",
                {"exp": lambda self: Dual(float(np.exp(self.value)), float(np.exp(self.tangent)))},
                exp=lambda self: Dual(np.exp(self.value), np.exp(self.tangent)),
            ),
            "an operand is changed": wrong_dual(
                "The sum is right, but the left operand is not what it was. `d + e` must return a **new** Dual and leave d alone.",
                {"__add__": _bump_again},
                __add__=_bump,
            ),
        },
        hints=(
            "Treat a Dual as the polynomial value + tangent · ε. Multiply out, drop ε², and read off what stands at ε. Every rule "
            "of the derivative that you know comes out.",
            "```text\n(a + a′ε) · (b + b′ε)  =  ab + (a′b + ab′) ε + a′b′ ε²\n"
            "                          ──   ───────────      ──────\n"
            "                         value   tangent        ε² = 0\n\n"
            "sin(a + a′ε)  =  sin a + cos a · a′ ε\n"
            "(a + a′ε) / (b + b′ε)  =  a/b + (a′b − ab′) / b² ε\n\n2 * d   →   (2).__mul__(d) does not know   →   d.__rmul__(2)\n```",
            "```python\ndef __mul__(self, other):\n    other = Dual.of(other)\n"
            "    return Dual(self.value * other.value, ___ + ___)\n\n__rmul__ = __mul__\n\n"
            "def __rsub__(self, other):\n    return Dual.of(other) - ___\n\n"
            "def sin(self):\n    return Dual(np.sin(self.value), ___ * self.tangent)\n```",
        ),
        explanation="""\
Nothing here is approximate. With ε² = 0 a Taylor series stops after its second term, f(a + a′ε) = f(a) + f′(a) a′ ε, and
the factor of ε is the derivative.

Each operation needs its own rule only: the chain rule takes care of itself, because the tangent that comes in is already
the slope of everything before. That is why `sin` multiplies by the tangent.

The methods with an r serve a number on the left. Sum and product do not care for the order; difference and quotient do.

Compare with backward: there is no graph, nothing is saved, and the derivative is there as soon as the value is.
""",
    )
)


# --- 10.2 One direction -------------------------------------------------------------------------------------


def jvp(f, x, t):
    """J t: how fast the outputs of f move when x moves in the direction t, from one run of f with a dual tensor.

    f: takes a Tensor like x, returns a Tensor. x, t: Tensors of one shape. Returns a Tensor of the shape of f(x).
    """
    with fw.dual_level():
        y, moves = fw.unpack_dual(f(fw.make_dual(x, t)))
    return mg.zeros_like(y) if moves is None else moves


def jvp_inside(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, t))
        pair = fw.unpack_dual(y)
        if pair.tangent is None:
            return mg.zeros(y.shape, dtype=y.dtype)
        return pair.tangent


def jvp_by_hand(f, x, t):
    level = fw.enter_dual_level()
    try:
        y, moves = fw.unpack_dual(f(fw.make_dual(x, t, level=level)), level=level)
    finally:
        fw.exit_dual_level(level=level)
    return y * 0 if moves is None else moves.clone()


@fw.dual_level()
def jvp_decorated(f, x, t):
    y = f(fw.make_dual(x.clone(), 1 * t))
    moves = fw.unpack_dual(y)[1]
    return moves if moves is not None else mg.zeros_like(fw.unpack_dual(y)[0])


def jvp_of_output(f, x, t):
    with fw.dual_level():
        y = f(x)
        return fw.unpack_dual(fw.make_dual(y, t)).tangent


def jvp_of_output_again(f, x, t):
    y = f(x)
    with fw.dual_level():
        dual = fw.make_dual(y, t)
        _, moves = fw.unpack_dual(dual)
    return moves


def jvp_no_level(f, x, t):
    return fw.unpack_dual(f(fw.make_dual(x, t))).tangent


def jvp_late_level(f, x, t):
    dual = fw.make_dual(x, t)
    with fw.dual_level():
        return fw.unpack_dual(f(dual)).tangent


def jvp_unpacked_late(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, t))
    return fw.unpack_dual(y).tangent


def jvp_unpacked_late_again(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, 1.0 * t))
    _, moves = fw.unpack_dual(y)
    return moves


def jvp_unpacked_late_zeros(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, t))
    moves = fw.unpack_dual(y).tangent
    return mg.zeros_like(y) if moves is None else moves


def jvp_unpacked_late_zeros_again(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, t))
    y, moves = fw.unpack_dual(y)
    return moves if moves is not None else 0 * y


def jvp_none(f, x, t):
    with fw.dual_level():
        return fw.unpack_dual(f(fw.make_dual(x, t))).tangent


def jvp_none_again(f, x, t):
    with fw.dual_level():
        _, moves = fw.unpack_dual(f(fw.make_dual(x, t)))
    return moves


def jvp_value(f, x, t):
    with fw.dual_level():
        return fw.unpack_dual(f(fw.make_dual(x, t))).primal


def jvp_dual(f, x, t):
    with fw.dual_level():
        return f(fw.make_dual(x, t))


def jvp_pair(f, x, t):
    with fw.dual_level():
        return fw.unpack_dual(f(fw.make_dual(x, t)))


def jvp_pair_again(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, t))
        return tuple(fw.unpack_dual(y))


def jvp_exchanged(f, x, t):
    with fw.dual_level():
        y, moves = fw.unpack_dual(f(fw.make_dual(t, x)))
    return mg.zeros_like(y) if moves is None else moves


def jvp_exchanged_again(f, x, t):
    return jvp(f, t, x)


def jvp_truth(f, x, t):
    with fw.dual_level():
        y, moves = fw.unpack_dual(f(fw.make_dual(x, t)))
    if moves:
        return moves
    return mg.zeros_like(y)


def jvp_truth_again(f, x, t):
    with fw.dual_level():
        pair = fw.unpack_dual(f(fw.make_dual(x, t)))
        return pair.tangent or mg.zeros_like(pair.primal)


def jvp_zeros_of_x(f, x, t):
    moves = jvp_none(f, x, t)
    return mg.zeros_like(x) if moves is None else moves


def jvp_zeros_of_x_again(f, x, t):
    moves = jvp_none_again(f, x, t)
    return 0 * t if moves is None else moves


def jvp_stays(f, x, t):
    with fw.dual_level():
        y, moves = fw.unpack_dual(f(fw.make_dual(x, t)))
    return y if moves is None else moves


def jvp_stays_again(f, x, t):
    moves = jvp_none(f, x, t)
    return f(x) if moves is None else moves


def jvp_number(f, x, t):
    moves = jvp_none(f, x, t)
    return 0 if moves is None else moves


def jvp_number_again(f, x, t):
    moves = jvp_none(f, x, t)
    if moves is not None:
        return moves
    return 0


def jvp_by_whole(f, x, t):
    return mg.autograd.functional.jacobian(f, x) @ t


def jvp_by_whole_again(f, x, t):
    return mg.matmul(mg.autograd.functional.jacobian(f, (x,))[0], t)


def jvp_ones(f, x, t):
    with fw.dual_level():
        y, moves = fw.unpack_dual(f(fw.make_dual(x, mg.ones_like(x))))
    return mg.zeros_like(y) if moves is None else moves


def jvp_ones_again(f, x, t):
    return jvp(f, x, t * 0 + 1)


def jvp_ones_times_t(f, x, t):
    return jvp_ones(f, x, t) * t


def whole_by_columns(f, x, t):
    total = mg.zeros_like(f(x))
    for e in mg.eye(x.numel(), dtype=x.dtype):
        total = total + (e * t.reshape(-1)).sum() * jvp(f, x, e.reshape(x.shape))
    return total


def whole_by_columns_again(f, x, t):
    parts = []
    for j in range(x.numel()):
        e = mg.zeros(x.numel(), dtype=x.dtype)
        e[j] = t.reshape(-1)[j]
        parts.append(jvp(f, x, e.reshape(x.shape)))
    return sum(parts)


def jvp_left_open(f, x, t):
    fw.enter_dual_level()
    y, moves = fw.unpack_dual(f(fw.make_dual(x, t)))
    return mg.zeros_like(y) if moves is None else moves


def jvp_left_open_again(f, x, t):
    fw.dual_level().__enter__()
    return jvp_none(f, x, t) if False else _pushed(f, x, t)


def _pushed(f: Callable[..., Any], x: Any, t: Any) -> Any:
    pair = fw.unpack_dual(f(fw.make_dual(x, t)))
    return pair.primal * 0 if pair.tangent is None else pair.tangent


def jvp_is_vjp(f, x, t):
    x = x.detach().requires_grad_()
    return mg.autograd.grad(f(x), x, t)[0]


def jvp_is_vjp_again(f, x, t):
    x = x.detach().requires_grad_()
    f(x).backward(t)
    return x.grad


def jvp_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    A, B, constant = tensor(7, 5), tensor(4, 2), tensor(2)
    return [
        Case("f multiplies neighbours, 4 numbers to 3", (neighbours, tensor(4), tensor(4))),
        Case("f(x) = exp(A @ x / 4), 5 numbers to 7", (lambda x: mg.exp(A @ x / 4), tensor(5), tensor(5))),
        Case("f(x) = B @ sin(x), a table (2, 3) to a table (4, 3)", (lambda x: B @ mg.sin(x), tensor(2, 3), tensor(2, 3))),
        Case("f(x) = (x ** 3).sum(), 6 numbers to one", (lambda x: (x**3).sum(), tensor(6), tensor(6))),
        Case("f is constant, 3 numbers to 2 that do not depend on them", (lambda x: 2 * constant, tensor(3), tensor(3))),
    ]


def watch_jvp(answer: Callable[..., Any], f: Callable[..., Any], x: Any, t: Any) -> Any:
    watch = Watch(f, x)
    try:
        found = answer(watch.f, x, t)
    finally:
        level = level_now()
    if found is None:
        return {"returns": None}
    if not isinstance(found, mg.Tensor):
        found = tuple(found) if isinstance(found, tuple) else found  # what unpack_dual returns is a tuple too
        return unfit(found, "a Tensor of the shape of f(x)")
    seen: dict[str, Any] = {"f gets": watch.kind(), "f is called": watch.place()}
    if watch.moved:
        return seen
    seen |= {"cost_runs": watch.calls, "runs of f": few(watch.calls)}
    return seen | {"J t": found, "returns": "a Tensor", "the level, afterwards": level}


def jvp_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    return [
        Case("f(x) = x³, one number of shape ()", (lambda x: x**3, tensor(), tensor())),
        Case("f(x) = sin(x), shape (1,)", (lambda x: mg.sin(x), tensor(1), tensor(1))),
        Case("t is all zeros", (lambda x: mg.exp(x), tensor(3), mg.zeros(3, dtype=dtype))),
        Case("f hands back a part of x", (lambda x: x[1:], tensor(3), tensor(3))),
        Case("x is a leaf that requires grad", (lambda x: x * mg.sin(x), random_tensor(rng, dtype, 3, leaf=True), tensor(3))),
    ]


register(
    Exercise(
        id="10.2",
        title="One direction",
        difficulty=2,
        minutes=7,
        reference=jvp,
        cases=jvp_cases,
        edges=jvp_edges,
        observe=watch_jvp,
        musts={"cost_runs": "`f` runs once."},
        alternatives={
            "everything inside": jvp_inside,
            "the level by hand": jvp_by_hand,
            "the level as a decorator": jvp_decorated,
        },
        mistakes={
            "t on the output": Mistake(
                jvp_of_output,
                "You gave the tangent to `f(x)`. There it has passed no operation. A tangent belongs to the **input**, and has its "
                "shape: make `x` dual, and call `f` with that.",
                again=jvp_of_output_again,
            ),
            "no level": Mistake(
                jvp_no_level,
                "Dual tensors live inside a level only. Put the three calls into `with fw.dual_level():`.",
                again=jvp_late_level,
            ),
            "unpacked too late": Mistake(
                jvp_unpacked_late,
                "No tangent came out. Is it unpacked, and returned? When the level ends, all tangents are gone, and `unpack_dual` "
                "finds None. Unpack **inside** the `with`.",
                again=jvp_unpacked_late_again,
            ),
            "unpacked too late, zeros": Mistake(
                jvp_unpacked_late_zeros,
                "All zeros: you unpacked after the end of the level, where every tangent is None, and took that for a function "
                "that stands still. Unpack **inside** the `with`.",
                again=jvp_unpacked_late_zeros_again,
            ),
            "None for a constant": Mistake(
                jvp_none,
                "This `f` does not use `x`, so no tangent arrives, and `unpack_dual` says None. In numbers that means: nothing "
                "moves. Return zeros of the shape of `f(x)` there.",
                again=jvp_none_again,
            ),
            "the value": Mistake(
                jvp_value,
                "That is f(x), the value. How fast it moves is in `fw.unpack_dual(y).tangent`, as long as the level is open.",
                again=jvp_dual,
            ),
            "both": Mistake(
                jvp_pair,
                "`unpack_dual` returns two things, the value and the tangent. Wanted is the tangent alone.",
                again=jvp_pair_again,
            ),
            "the two exchanged": Mistake(
                jvp_exchanged,
                "`f` got another value than `x`. `make_dual` takes the value first, and then the tangent: `fw.make_dual(x, t)`.",
                again=jvp_exchanged_again,
            ),
            "asked for its truth": Mistake(
                jvp_truth,
                "`if moves` asks whether the **numbers** are true, and a Tensor with several of them cannot say. (`or` asks the "
                "same.) Ask for the object: `if moves is None`.",
                again=jvp_truth_again,
            ),
            "zeros of x's shape": Mistake(
                jvp_zeros_of_x,
                "These zeros have the shape of `x`. J t says how fast the **outputs** move: zeros of the shape of `f(x)`.",
                again=jvp_zeros_of_x_again,
            ),
            "the value, where nothing moves": Mistake(
                jvp_stays,
                "Where no tangent arrives you return f(x), the value. It does not move: return zeros of its shape.",
                again=jvp_stays_again,
            ),
            "the number 0": Mistake(
                jvp_number,
                "Where no tangent arrives nothing moves, that is right. But return a Tensor: zeros of the shape of `f(x)`, one for "
                "each output.",
                again=jvp_number_again,
            ),
            "all of J": Mistake(
                jvp_by_whole,
                "You built all of J, with backward passes. J t does not need it: let a dual tensor of `x` and `t` go through `f` "
                "once.",
                again=jvp_by_whole_again,
            ),
            "ones": Mistake(
                jvp_ones,
                "Where is `t`? With ones as the tangent every input moves equally fast, and you get the sum of the columns of J.",
                again=jvp_ones_again,
            ),
            "column by column": Mistake(
                whole_by_columns,
                "The numbers are right, but you went through all columns of J. The tangent may be any direction: give it `t`, and "
                "one run of `f` weighs and sums the columns on its way.",
                again=whole_by_columns_again,
            ),
            "the level is left open": Mistake(
                jvp_left_open,
                "The numbers are right, but the level is still open, and nobody else can open one now. Every `enter_dual_level` "
                "needs its `exit_dual_level`. `with fw.dual_level():` does both, also when an error comes.",
                again=jvp_left_open_again,
            ),
            "a VJP": Mistake(
                jvp_is_vjp,
                "`backward` and `grad` compute vᵀJ, with one weight for each **output**. Here you have one number for each "
                "**input**: go forward, with a dual tensor.",
                again=jvp_is_vjp_again,
            ),
            "backward after all": Mistake(
                lambda f, x, t: mg.autograd.functional.jvp(f, x, t)[1],
                "The numbers are right, but they come from backward passes: `functional.jacobian` makes one for each row, and "
                "`functional.jvp` makes two, as you will in 10.3. Here let a dual tensor go through `f`.",
                again=lambda f, x, t: mg.autograd.functional.jvp(f, (x,), (t,))[1],
            ),
            "differences": Mistake(differences, DIFFERENCES, again=one_sided),
        },
        hints=(
            "A tangent says how fast each **input** moves. It is attached to the input before `f` runs, travels through every "
            "operation, and is taken off the output.",
            "```text\n ┌─ level ───────────────────────────────────────┐\n"
            " │  x, t ──make_dual──►  f  ──unpack_dual──► y, J t │\n"
            " └────────────────────────────────────────────────┘\n```\n\nWhat is not unpacked before the level ends, is lost.",
            "```python\nwith fw.dual_level():\n    y, moves = fw.___(f(fw.___(___, ___)))\n"
            "return mg.zeros_like(y) if moves is ___ else moves\n```",
        ),
        explanation="""\
Every operation inside the level computes its value as always and, beside it, the tangent of its result. When `f` is done,
the tangent of the output is J t: no graph, no second walk.

The tangent is an ordinary Tensor, so it may leave the level once it is unpacked. What ends with the level is the tie between
a value and its tangent.

If no tangent arrives, the output did not depend on the input (or the way was cut, by `detach` or by NumPy). The engine says
None, and the numbers are zeros.
""",
    )
)


# --- 10.3 A JVP out of two VJPs -----------------------------------------------------------------------------


def jvp_by_vjps(f, x, t):
    """J t, from two calls of mg.autograd.grad and no dual tensor.

    f: takes a Tensor like x, returns a Tensor that depends on it. x: a leaf that requires grad. t: a Tensor of the
    shape of x. Returns a Tensor of the shape of f(x).
    """
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    (Jt,) = mg.autograd.grad(g, u, t)
    return Jt


def twice_summed(f, x, t):
    y = f(x)
    u = mg.ones_like(y).requires_grad_()
    g = mg.autograd.grad((u * y).sum(), x, create_graph=True)[0]
    return mg.autograd.grad((g * t).sum(), u)[0]


def twice_backward(f, x, t):
    y = f(x)
    u = mg.randn(y.shape, dtype=y.dtype, requires_grad=True)
    (g,) = mg.autograd.grad(y, [x], grad_outputs=[u], create_graph=True)
    g.backward(t, inputs=[u])
    return u.grad


def twice_fresh(f, x, t):
    z = x.detach().clone().requires_grad_()
    y = f(z)
    u = mg.full_like(y, 2.0).detach().requires_grad_()
    (g,) = mg.autograd.grad(y, z, u, create_graph=True)
    return mg.autograd.grad([g], [u], [t])[0].detach()


def twice_plain_u(f, x, t):
    y = f(x)
    u = mg.zeros_like(y)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)[0]


def twice_plain_u_again(f, x, t):
    y = f(x)
    u = mg.ones(y.shape, dtype=y.dtype)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad((g * t).sum(), u)[0]


def twice_u_of_x(f, x, t):
    y = f(x)
    u = mg.zeros_like(x, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)[0]


def twice_u_is_t(f, x, t):
    u = t.clone().requires_grad_()
    (g,) = mg.autograd.grad(f(x), x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)[0]


def twice_no_graph(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u)
    return mg.autograd.grad(g, u, t)[0]


def twice_no_graph_again(f, x, t):
    y = f(x)
    u = mg.ones_like(y, requires_grad=True)
    g = mg.autograd.grad(y, x, u, retain_graph=True)[0]
    return mg.autograd.grad((g * t).sum(), u)[0]


def twice_by_x(f, x, t):
    y = f(x)
    u = mg.ones_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, x, t)[0]


def twice_by_x_again(f, x, t):
    u = mg.ones_like(f(x), requires_grad=True)
    (g,) = mg.autograd.grad((u * f(x)).sum(), x, create_graph=True)
    return mg.autograd.grad((g * t).sum(), x)[0]


def twice_no_t(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g.sum(), u)[0]


def twice_no_t_again(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, mg.ones_like(g))[0]


def twice_no_seed(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u)[0]


def twice_no_seed_again(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad((y * u).sum(), x, create_graph=True)
    return mg.autograd.grad(g * t, u)[0]


def twice_tuple(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    g = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)


def twice_tuple_again(f, x, t):
    y = f(x)
    u = mg.ones_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)


def whole_by_rows(f, x, t):
    y = f(x)
    rows = [mg.autograd.grad(entry, x, retain_graph=True)[0] for entry in y.reshape(-1)]
    return mg.stack([(row * t).sum() for row in rows]).reshape(y.shape)


def whole_by_rows_again(f, x, t):
    y = f(x)
    found = mg.zeros(y.numel(), dtype=y.dtype)
    for i, e in enumerate(mg.eye(y.numel(), dtype=y.dtype)):
        (row,) = mg.autograd.grad(y, x, e.reshape(y.shape), retain_graph=True)
        found[i] = mg.dot(row.reshape(-1), t.reshape(-1))
    return found.reshape(y.shape)


def twice_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    A, B, C = tensor(7, 5), tensor(4, 2), tensor(6, 3)
    return [
        Case("f multiplies neighbours, 5 numbers to 4", (neighbours, leaf(5), tensor(5))),
        Case("f(x) = exp(A @ x / 4), 5 numbers to 7", (lambda x: mg.exp(A @ x / 4), leaf(5), tensor(5))),
        Case("f(x) = C @ x, linear, 3 numbers to 6", (lambda x: C @ x, leaf(3), tensor(3))),
        Case("f(x) = B @ sin(x), a table (2, 3) to a table (4, 3)", (lambda x: B @ mg.sin(x), leaf(2, 3), tensor(2, 3))),
    ]


def watch_twice(answer: Callable[..., Any], f: Callable[..., Any], x: Any, t: Any) -> Any:
    watch = Watch(f, x)
    try:
        found = answer(watch.f, x, t)
    finally:
        level_now()
    if found is None:
        return {"returns": None}
    if not isinstance(found, mg.Tensor):
        return unfit(found, "a Tensor of the shape of f(x)")
    seen: dict[str, Any] = {"f is called": watch.place(), "f gets": watch.kind(), "the two passes are made by": watch.caller()}
    if watch.moved:
        return {"f is called": watch.place()}
    return seen | {"J t": found, "passes that come back to x": few(watch.backward)}


def twice_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    stale = leaf(3)
    stale.grad = random_tensor(rng, dtype, 3)
    return [
        Case("f(x) = sin(x), shape (1,)", (lambda x: mg.sin(x), leaf(1), random_tensor(rng, dtype, 1))),
        Case("t is all zeros", (lambda x: mg.exp(x), leaf(3), mg.zeros(3, dtype=dtype))),
        Case("x.grad holds a gradient from before", (neighbours, stale, random_tensor(rng, dtype, 3))),
    ]


register(
    Exercise(
        id="10.3",
        title="A JVP out of two VJPs",
        difficulty=4,
        minutes=9,
        reference=jvp_by_vjps,
        cases=twice_cases,
        edges=twice_edges,
        observe=watch_twice,
        alternatives={
            "sums instead of cotangents": twice_summed,
            "the second by backward": twice_backward,
            "a leaf of its own": twice_fresh,
        },
        mistakes={
            "u does not require grad": Mistake(
                twice_plain_u,
                "The second pass asks for the derivative with respect to `u`, so `u` must require grad **before** the first pass "
                "uses it: `mg.zeros_like(y, requires_grad=True)`.",
                again=twice_plain_u_again,
            ),
            "u of the shape of x": Mistake(
                twice_u_of_x,
                "`u` is the cotangent of the first pass. A cotangent lives where `y` lives: one weight for each output.",
                again=twice_u_is_t,
            ),
            "g has no graph": Mistake(
                twice_no_graph,
                "The first pass must write down how `g` came out of `u`, or there is nothing to differentiate: "
                "`create_graph=True`. (`retain_graph` only keeps the old graph.)",
                again=twice_no_graph_again,
            ),
            "by x": Mistake(
                twice_by_x,
                "You differentiated `g` by `x`. That gives second derivatives, as in chapter 09. `g` = Jᵀu is to be "
                "differentiated by **u**, in which it is linear.",
                again=twice_by_x_again,
            ),
            "t is missing": Mistake(
                twice_no_t,
                "Where is `t`? With ones as the second cotangent you get J times ones, the sum of the columns.",
                again=twice_no_t_again,
            ),
            "the second pass has no cotangent": Mistake(
                twice_no_seed,
                "`g` has a number for each input, so the second pass needs a cotangent of this shape. You have one: `t`.",
                again=twice_no_seed_again,
            ),
            "a tuple": Mistake(twice_tuple, A_TUPLE, again=twice_tuple_again),
            "row by row": Mistake(
                whole_by_rows,
                "The numbers are right, but you took a pass for each row of J. Two passes are enough, whatever its size: the "
                "first gives g = Jᵀu for a `u` that you may differentiate by.",
                again=whole_by_rows_again,
            ),
            "forward mode": Mistake(
                jvp_none,
                "That is right, and simpler: it is 10.2. Here do it with backward passes only, as one does where an operation "
                "has no rule for forward mode.",
                again=jvp_inside,
            ),
            "borrowed": Mistake(
                lambda f, x, t: mg.autograd.functional.jvp(f, x, t)[1],
                "The numbers are right: `functional.jvp` does just what is asked for here. Now write it yourself, with two calls of "
                "`mg.autograd.grad`.",
                again=lambda f, x, t: mg.autograd.functional.jvp(f, (x,), (t,))[1],
            ),
            "differences": Mistake(differences, DIFFERENCES, again=one_sided),
        },
        hints=(
            "One pass gives g = Jᵀu, and g is linear in u. Its derivative by u is Jᵀ. What does a VJP of **this** function "
            "give, with the cotangent t?",
            "```text\n        first pass                 second pass\n"
            " u ──────────────────► g = Jᵀ u ──────────────────► tᵀ Jᵀ = (J t)ᵀ\n"
            "(shape of y)         (shape of x)   cotangent t   (shape of y)\n```\n\nThe numbers in u do not matter; that it requires "
            "grad does.",
            "```python\ny = f(x)\nu = mg.zeros_like(___, requires_grad=___)\n"
            "(g,) = mg.autograd.grad(y, ___, u, ___=True)\n(Jt,) = mg.autograd.grad(g, ___, ___)\nreturn Jt\n```",
        ),
        explanation="""\
`grad(y, x, u)` computes g = Jᵀu. For a fixed x that is a linear function of u, and its Jacobian is Jᵀ, wherever u stands.
That is why zeros do.

A VJP of this linear function, with the cotangent t, is tᵀJᵀ, and that is (J t)ᵀ. So two passes backward make one forward.

The first pass writes a graph (`create_graph=True`), and in this graph u is a leaf. Libraries used this trick before they
had forward mode, and `functional.jvp` still does: it needs no rule beyond the backward rules.

It has a price: a graph of f, and a graph of its backward pass, both kept in memory. Forward mode keeps neither.
""",
    )
)


# --- 10.4 Pick the mode -------------------------------------------------------------------------------------

Line = tuple[str, str, int, int, int]  # letter, kind, inputs, outputs, how many products are wanted


WANTED = {
    "J, tall": "all of J",
    "J, wide": "all of J",
    "gradient": "the gradient of f",
    "velocity": "the slope of every output",
    "J t": "J t for {k} directions t",
    "vT J": "vᵀJ for {k} weights v",
    "one J t": "J t for one t",
    "one vT J": "vᵀJ for one v",
}


def modes_draw(rng: np.random.Generator) -> list[Line]:
    def small() -> int:
        return int(rng.integers(5, 10))

    def large() -> int:
        return int(rng.integers(20, 90)) * 10

    sizes = {
        "J, tall": (small(), large(), 1),
        "J, wide": (large(), small(), 1),
        "gradient": (large(), 1, 1),
        "velocity": (1, large(), 1),
        "J t": (large(), small() + 10, int(rng.integers(2, 5))),
        "vT J": (small() + 10, large(), int(rng.integers(2, 5))),
        "one J t": (large(), small(), 1),
        "one vT J": (small(), large(), 1),
    }
    kinds = [str(kind) for kind in rng.permutation(list(sizes))]
    return [(letter, kind, *sizes[kind]) for letter, kind in zip("ABCDEFGH", kinds, strict=True)]


def modes_program(draw: list[Line]) -> str:
    rows = ["#    inputs  outputs  wanted"]
    for letter, kind, n, m, k in draw:
        rows.append(f"# {letter}  {n:>6}  {m:>7}  {WANTED[kind].format(k=k)}")
    return "\n".join(rows)


def cheapest(n: int, m: int) -> tuple[str, int]:
    """The cheaper mode for a whole Jacobian with m rows and n columns."""
    return ("forward", n) if n < m else ("reverse", m)


def table_of(choose: Callable[[str, int, int, int], tuple[str, int]]) -> Callable[[list[Line]], dict[str, Any]]:
    """The dict of somebody who chooses so."""

    def answers(draw: list[Line]) -> dict[str, Any]:
        told: dict[str, Any] = {}
        for letter, kind, n, m, k in draw:
            told[letter], told[f"{letter} passes"] = choose(kind, n, m, k)
        return told

    return answers


def modes(draw: list[Line]) -> dict[str, Any]:
    """For each line the mode that needs fewer passes, and how many."""
    answers: dict[str, Any] = {}
    for letter, kind, n, m, k in draw:
        if "J t" in kind:
            mode, passes = "forward", k
        elif "vT J" in kind:
            mode, passes = "reverse", k
        else:
            mode, passes = ("forward", n) if n < m else ("reverse", m)
        answers[letter], answers[f"{letter} passes"] = mode, passes
    return answers


def right_mode(kind: str, n: int, m: int, k: int) -> tuple[str, int]:
    return ("forward", k) if "J t" in kind else ("reverse", k) if "vT J" in kind else cheapest(n, m)


def always(mode: str) -> Callable[[list[Line]], dict[str, Any]]:
    own, size = ("J t", 0) if mode == "forward" else ("vT J", 1)
    return table_of(lambda kind, n, m, k: (mode, k if own in kind else (n, m)[size]))


def swapped(kind: str, n: int, m: int, k: int) -> tuple[str, int]:
    """Rows and columns mixed up: for J as for the products."""
    if "J t" in kind or "vT J" in kind:
        return ("reverse" if "J t" in kind else "forward"), k
    return ("reverse", n) if n < m else ("forward", m)


def whole_first(kind: str, n: int, m: int, k: int) -> tuple[str, int]:
    return cheapest(n, m)


def one_is_enough(kind: str, n: int, m: int, k: int) -> tuple[str, int]:
    return right_mode(kind, n, m, k)[0], 1


def the_larger(kind: str, n: int, m: int, k: int) -> tuple[str, int]:
    """The right mode for J, the wrong number."""
    mode, count = right_mode(kind, n, m, k)
    return mode, count if "J t" in kind or "vT J" in kind else max(n, m)


NOT_A_MODE = 'For a letter alone write the mode, `"forward"` or `"reverse"`, in quotes.'
NOT_A_NUMBER = "For the passes write a whole number, without quotes."
WHY = {
    "J, tall": "All of J: forward fills a column in each pass, reverse a row. Which are fewer?",
    "J, wide": "All of J: forward fills a column in each pass, reverse a row. Which are fewer?",
    "gradient": "A gradient is a J with one row only. One backward pass gives a row.",
    "velocity": "One input: J has one column only. One forward pass gives a column.",
    "J t": "Each J t is one forward pass, whatever the sizes.",
    "vT J": "Each vᵀJ is one backward pass, whatever the sizes.",
    "one J t": "J t is one forward pass, whatever the sizes.",
    "one vT J": "vᵀJ is one backward pass, whatever the sizes.",
}


def say_modes(case: Case, got: Any, expected: Any) -> str | None:
    """A word on the first wrong line, where no known belief explains the answer."""
    wrong = [d.path[0] for d in compared(got, expected, 1e-6)]
    told = [key for key in wrong if key in expected and got.get(key, ...) is not ...]
    if not told:
        return "" if wrong else None
    key = told[0]
    if "passes" in key and not isinstance(got[key], int | float | np.ndarray | np.number):
        return NOT_A_NUMBER
    if "passes" not in key and got[key] not in ("forward", "reverse"):
        return NOT_A_MODE
    return WHY[next(kind for letter, kind, *_ in case.args[0] if letter == key[0])]


register(
    Exercise(
        id="10.4",
        title="Pick the mode",
        difficulty=2,
        minutes=6,
        reference=modes,
        draws=modes_draw,
        program=modes_program,
        name="modes",
        alternatives={"by what one pass gives": table_of(right_mode)},
        accept=say_modes,
        mistakes={
            "reverse always": Mistake(
                always("reverse"),
                "So answers who goes backward here. A backward pass gives a **row** of J: for J t, and for all of J, that is a pass "
                "for each output. A forward pass gives a **column**, and few inputs have few columns. And J t is one forward pass.",
            ),
            "forward always": Mistake(
                always("forward"),
                "So answers who goes forward here. A forward pass gives a **column** of J: for vᵀJ, and for all of J, that is a pass "
                "for each input. A backward pass gives a row, and a loss has one row only. And vᵀJ is one backward pass.",
            ),
            "rows and columns swapped": Mistake(
                table_of(swapped),
                "It is the other way round. **Forward**: one tangent in at the inputs, one column out, J t. **Reverse**: one "
                "weight for each output, one row out, vᵀJ.",
            ),
            "the whole Jacobian first": Mistake(
                table_of(whole_first),
                "For a product nobody builds J. One J t is one forward pass, one vᵀJ is one backward pass, however large J would be.",
            ),
            "one pass for everything": Mistake(
                table_of(one_is_enough),
                "One pass gives one row or one column. For all of J you need all its rows, or all its columns; and for several "
                "products a pass for each.",
            ),
            "the number of the other side": Mistake(
                table_of(the_larger),
                "The mode is right, the count is not. Forward: a pass for each **column**, and there are as many as inputs. "
                "Reverse: a pass for each row, as many as outputs.",
            ),
        },
        hints=(
            "What does one pass give? Forward: J t, and with a one-hot t one column. Reverse: vᵀJ, and with a one-hot v one row. "
            "So how many passes make what is wanted?",
            "```text\n             n inputs\n          ┌───────────┐\n m outputs│     J     │   rows: m backward passes\n"
            "          └───────────┘   columns: n forward passes\n\n J t: one forward pass      vᵀJ: one backward pass\n```",
            "Of the eight lines four go forward. A line that wants k products takes k passes; one that wants all of J takes as many "
            "as the smaller of the two sizes; a gradient, and the slopes by one input, take one.",
        ),
        explanation="""\
A forward pass takes one tangent and gives **one column** of J (or a weighted sum of columns, J t). A backward pass takes one
cotangent and gives **one row** (or a weighted sum of rows, vᵀJ).

| wanted | forward | reverse |
|---|---|---|
| all of J, n inputs, m outputs | n | m |
| gradient of one number | n | **1** |
| slopes by one input | **1** | m |
| J t for k directions | **k** | m, or 2k by the trick of 10.3 |
| vᵀJ for k weights | n | **k** |

Training has one loss and many parameters, so it goes backward. A product is never more expensive than one pass, so do not
build J if you want a product with it. And count memory too: reverse keeps what forward has computed until it has gone back.
""",
    )
)


# --- 10.5 All rows at once ----------------------------------------------------------------------------------


def all_rows(f, x):
    """The Jacobian of f at x, from one call of mg.autograd.grad.

    f: takes a Tensor like x, returns a Tensor of any shape. x: a leaf of any shape that requires grad.
    Returns a Tensor: its shape is the shape of f(x), followed by the shape of x.
    """
    y = f(x)
    m = y.numel()
    vs = mg.eye(m, dtype=y.dtype).reshape(m, *y.shape)
    (rows,) = mg.autograd.grad(y, x, vs, is_grads_batched=True)
    return rows.reshape(*y.shape, *x.shape)


def all_rows_flat(f, x):
    y = f(x)
    J = mg.autograd.grad(y.reshape(-1), x, mg.eye(y.numel(), dtype=y.dtype), is_grads_batched=True)[0]
    return J.view(y.shape + x.shape)


def all_rows_loop_of_vs(f, x):
    y = f(x).flatten()
    vs = mg.stack([mg.tensor([1.0 if i == j else 0.0 for j in range(len(y))], dtype=y.dtype) for i in range(len(y))])
    (rows,) = mg.autograd.grad([y], [x], grad_outputs=[vs], is_grads_batched=True, retain_graph=True)
    return mg.reshape(rows, tuple(f(x).shape) + tuple(x.shape))


def rows_no_flag(f, x):
    y = f(x)
    m = y.numel()
    (rows,) = mg.autograd.grad(y, x, mg.eye(m, dtype=y.dtype).reshape(m, *y.shape))
    return rows.reshape(*y.shape, *x.shape)


def rows_no_flag_again(f, x):
    y = f(x).reshape(-1)
    return mg.autograd.grad(y, x, mg.eye(len(y), dtype=y.dtype))[0].reshape(f(x).shape + x.shape)


def rows_flat_eye(f, x):
    y = f(x)
    (rows,) = mg.autograd.grad(y, x, mg.eye(y.numel(), dtype=y.dtype), is_grads_batched=True)
    return rows.reshape(*y.shape, *x.shape)


def rows_flat_eye_again(f, x):
    y = f(x)
    vs = mg.eye(y.numel(), dtype=y.dtype)
    return mg.autograd.grad(y, x, vs, is_grads_batched=True)[0].view(y.shape + x.shape)


def rows_of_inputs(f, x):
    y = f(x).reshape(-1)
    (rows,) = mg.autograd.grad(y, x, mg.eye(x.numel(), dtype=y.dtype), is_grads_batched=True)
    return rows.reshape(f(x).shape + x.shape)


def rows_of_inputs_again(f, x):
    y = f(x)
    y = y.reshape(y.numel())
    return mg.autograd.grad(y, x, mg.eye(x.numel(), dtype=x.dtype), is_grads_batched=True)[0].reshape(*y.shape, *x.shape)


def rows_not_reshaped(f, x):
    y = f(x)
    m = y.numel()
    return mg.autograd.grad(y, x, mg.eye(m, dtype=y.dtype).reshape(m, *y.shape), is_grads_batched=True)[0]


def rows_not_reshaped_again(f, x):
    y = f(x).reshape(-1)
    (rows,) = mg.autograd.grad(y, x, mg.eye(len(y), dtype=y.dtype), is_grads_batched=True)
    return rows.clone()


def rows_as_matrix(f, x):
    J = all_rows(f, x)
    return J.reshape(-1, x.numel())


def rows_as_matrix_again(f, x):
    y = f(x).reshape(-1)
    (rows,) = mg.autograd.grad(y, x, mg.eye(len(y), dtype=y.dtype), is_grads_batched=True)
    return rows.flatten(1) if x.ndim > 1 else rows


def rows_transposed(f, x):
    y = f(x)
    J = all_rows(f, x).reshape(y.numel(), x.numel())
    return J.T.reshape(*x.shape, *y.shape)


def rows_transposed_again(f, x):
    J = all_rows(f, x)
    return mg.permute(J, [*range(J.ndim - x.ndim, J.ndim), *range(J.ndim - x.ndim)])


def rows_wrong_order(f, x):
    y = f(x)
    J = all_rows(f, x).reshape(y.numel(), x.numel())
    return J.T.reshape(*y.shape, *x.shape)


def rows_wrong_order_again(f, x):
    return rows_transposed(f, x).reshape(f(x).shape + x.shape)


def rows_looped(f, x):
    y = f(x)
    rows = [mg.autograd.grad(entry, x, retain_graph=True)[0] for entry in y.reshape(-1)]
    return mg.stack(rows).reshape(y.shape + x.shape)


def rows_looped_again(f, x):
    y = f(x)
    rows = []
    for i in range(y.numel()):
        x.grad = None
        y.reshape(-1)[i].backward(retain_graph=True)
        rows.append(x.grad)
    return mg.stack(rows).reshape(*y.shape, *x.shape)


def rows_of_ones(f, x):
    y = f(x)
    m = y.numel()
    vs = mg.ones(m, *y.shape, dtype=y.dtype)
    return mg.autograd.grad(y, x, vs, is_grads_batched=True)[0].reshape(*y.shape, *x.shape)


def rows_of_ones_again(f, x):
    y = f(x)
    (g,) = mg.autograd.grad(y.sum(), x)
    return mg.stack([g] * y.numel()).reshape(y.shape + x.shape)


def rows_twice_y(f, x):
    y = f(x)
    vs = mg.eye(y.numel(), dtype=y.dtype).reshape(y.shape + y.shape)
    return mg.autograd.grad(y, x, vs, is_grads_batched=True)[0].reshape(y.shape + x.shape)


def rows_twice_y_again(f, x):
    y = f(x)
    return mg.autograd.grad(y, x, mg.eye(y.numel(), dtype=y.dtype).view(*y.shape, *y.shape), is_grads_batched=True)[0]


def rows_tuple(f, x):
    y = f(x)
    m = y.numel()
    return mg.autograd.grad(y, x, mg.eye(m, dtype=y.dtype).reshape(m, *y.shape), is_grads_batched=True)


def rows_tuple_again(f, x):
    y = f(x).reshape(-1)
    return mg.autograd.grad(y, x, mg.eye(len(y), dtype=y.dtype), is_grads_batched=True)


def all_rows_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    A, B = tensor(5, 3), tensor(4, 2)
    return [
        Case("f multiplies neighbours, 4 numbers to 3", (neighbours, leaf(4))),
        Case("f(x) = exp(A @ x / 4), 3 numbers to 5", (lambda x: mg.exp(A @ x / 4), leaf(3))),
        Case("f(x) = B @ sin(x), a table (2, 3) to a table (4, 3)", (lambda x: B @ mg.sin(x), leaf(2, 3))),
        Case("f(x) = (x ** 3).sum(), 6 numbers to one of shape ()", (lambda x: (x**3).sum(), leaf(6))),
    ]


def watch_all_rows(answer: Callable[..., Any], f: Callable[..., Any], x: Any) -> Any:
    watch = Watch(f, x)
    found = answer(watch.f, x)
    if found is None:
        return {"returns": None}
    if not isinstance(found, mg.Tensor):
        return unfit(found, "a Tensor")
    return {
        "J": found,
        "the call is made by": watch.caller(),
        "calls of grad": few(watch.backward, 1),
        "forward mode": "used" if watch.forward else "not used",
    }


def all_rows_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    return [
        Case("f(x) = (x, x²), shape () to shape (2,)", (lambda x: mg.stack([x, x**2]), leaf())),
        Case("f(x) = sin(x), shape (1,) to shape (1,)", (lambda x: mg.sin(x), leaf(1))),
        Case("f(x) = x * x, shape (1, 3) to shape (1, 3)", (lambda x: x * x, leaf(1, 3))),
        Case("f(x) = x², 3 numbers to a table (3, 1)", (lambda x: (x**2).reshape(3, 1), leaf(3))),
    ]


register(
    Exercise(
        id="10.5",
        title="All rows at once",
        difficulty=3,
        minutes=7,
        reference=all_rows,
        cases=all_rows_cases,
        edges=all_rows_edges,
        observe=watch_all_rows,
        alternatives={"y made flat": all_rows_flat, "one-hots by hand": all_rows_loop_of_vs},
        mistakes={
            "no flag": Mistake(
                rows_no_flag,
                "Without `is_grads_batched=True` a `v` must have exactly the shape of `y`. With it, the first axis counts the vs, "
                "and each gets a pass.",
                again=rows_no_flag_again,
            ),
            "a flat identity": Mistake(
                rows_flat_eye,
                "For a vector `y` it works. But each `v` must look like `y`. Where `y` is a table, so is each v: reshape the "
                "identity to `(m, *y.shape)`, or make `y` flat before.",
                again=rows_flat_eye_again,
            ),
            "an identity for the inputs": Mistake(
                rows_of_inputs,
                "Your identity has the size of `x`. There is a `v` for each **output**: `mg.eye(y.numel())`.",
                again=rows_of_inputs_again,
            ),
            "not reshaped": Mistake(
                rows_not_reshaped,
                "Right numbers: a first axis of m, then the axes of `x`. Where `y` is a table, or has shape (), give its axes back: "
                "`rows.reshape(*y.shape, *x.shape)`.",
                again=rows_not_reshaped_again,
            ),
            "a matrix": Mistake(
                rows_as_matrix,
                "You made a matrix of m rows and n columns, with the right numbers. Wanted are all axes: those of `y`, then those "
                "of `x`.",
                again=rows_as_matrix_again,
            ),
            "transposed": Mistake(
                rows_transposed,
                "Transposed. First the axes of the output, then those of the input; `grad` with the flag returns them in this order.",
                again=rows_transposed_again,
            ),
            "transposed, then reshaped": Mistake(
                rows_wrong_order,
                "The shape is right, the numbers stand in wrong places: `reshape` keeps the order in which numbers are read, it does "
                "not exchange axes. The rows come in the right order already; leave out the transposition.",
                again=rows_wrong_order_again,
            ),
            "a loop": Mistake(
                rows_looped,
                "The numbers are right, with a call for each row. Give all one-hots in **one** call: an identity, and "
                "`is_grads_batched=True`.",
                again=rows_looped_again,
            ),
            "borrowed": Mistake(
                lambda f, x: mg.autograd.functional.jacobian(f, x),
                "The numbers are right. `functional.jacobian` is there to compare with; now write it yourself, with one call of "
                "`mg.autograd.grad` and `is_grads_batched=True`.",
                again=lambda f, x: mg.autograd.functional.jacobian(f, (x,), vectorize=True)[0],
            ),
            "the shape of y twice": Mistake(
                rows_twice_y,
                "The **first axis alone** counts the vs. So a stack of m tables like `y` has the shape `(m, *y.shape)`, and not "
                "`y.shape` twice.",
                again=rows_twice_y_again,
            ),
            "a tuple": Mistake(rows_tuple, A_TUPLE, again=rows_tuple_again),
            "ones": Mistake(
                rows_of_ones,
                "All your rows are the same: the sum of the rows. With ones as `v` every pass gives that. Each v must be one-hot, "
                "so together they are the identity.",
                again=rows_of_ones_again,
            ),
        },
        hints=(
            "Row i of J is the VJP with the one-hot `v` at place i. All one-hots, stacked, are the identity. With "
            "`is_grads_batched=True` the first axis of what you hand over counts the vs.",
            "```text\n        y: (4, 3)                vs: (12, 4, 3)             rows: (12, 2, 3)           J: (4, 3, 2, 3)\n"
            " m = 12 outputs   ──►   12 one-hots, each like y  ──►  12 rows, each like x  ──►  reshape\n```",
            "```python\ny = f(x)\nm = y.numel()\nvs = mg.eye(m, dtype=y.dtype).reshape(m, *___)\n"
            "(rows,) = mg.autograd.grad(y, x, vs, ___=True)\nreturn rows.reshape(*___, *___)\n```",
        ),
        explanation="""\
With `is_grads_batched=True` the first axis of `grad_outputs` is a list of cotangents. Every one of them must look like `y`, so
the identity of size m gets the shape (m, *y.shape). What comes back has the same first axis, followed by the axes of `x`.

The rows come in the order in which `reshape(-1)` reads `y`, so the last `reshape` gives that axis its shape back, and moves no
number.

Where `y` has shape (), m is 1: one row, and J has the shape of `x`. It is the gradient.

PyTorch walks the graph once, with an axis more in every rule. `minigrad` walks once for each row, within the one call. The
numbers are the same.
""",
    )
)


# --- 10.6 Teach a Function to go forward --------------------------------------------------------------------


class Neighbours(mg.autograd.Function):
    """The products of neighbours, y = x[:-1] * x[1:], with a rule for each direction."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x[:-1] * x[1:]

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        g = mg.zeros_like(x)
        g[:-1] += v * x[1:]
        g[1:] += v * x[:-1]
        return g

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return t[:-1] * x[1:] + x[:-1] * t[1:]


NEIGHBOURS_STARTER = '''\
class Neighbours(mg.autograd.Function):
    """The products of neighbours, y = x[:-1] * x[1:], with a rule for each direction."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x[:-1] * x[1:]

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        g = mg.zeros_like(x)
        g[:-1] += v * x[1:]
        g[1:] += v * x[:-1]
        return g

    @staticmethod
    def jvp(ctx, t):
        ...
'''


def forward_keeps(ctx, x):
    ctx.save_for_backward(x)
    ctx.x = x
    return x[:-1] * x[1:]


def forward_for_backward_only(ctx, x):
    ctx.save_for_backward(x)
    return x[:-1] * x[1:]


def forward_for_forward_only(ctx, x):
    ctx.save_for_forward(x)
    return x[:-1] * x[1:]


def jvp_filled(ctx, t):
    (x,) = ctx.saved_tensors
    out = mg.zeros(len(x) - 1, dtype=x.dtype)
    for i in range(len(out)):
        out[i] = x[i] * t[i + 1] + t[i] * x[i + 1]
    return out


def jvp_by_matrix(ctx, t):
    x = ctx.saved_tensors[0]
    J = mg.stack([mg.autograd.functional.jacobian(neighbours, x.detach())[i] for i in range(len(x) - 1)])
    return J @ t


def taught(**methods: Callable[..., Any]) -> type:
    """The right class, but for these methods."""
    return type("Neighbours", (Neighbours,), {name: staticmethod(method) for name, method in methods.items()})


class Untaught(mg.autograd.Function):
    """Without a rule for forward mode."""

    forward = staticmethod(forward_for_backward_only)
    backward = staticmethod(Neighbours.backward)


class UntaughtAgain(mg.autograd.Function):
    forward = staticmethod(forward_keeps)
    backward = staticmethod(Neighbours.backward)


def vjp_in_place_of_jvp(ctx, t):
    return Neighbours.backward(ctx, t)


def vjp_in_place_of_jvp_again(ctx, t):
    (x,) = ctx.saved_tensors
    g = mg.zeros_like(x)
    g[:-1] = t * x[1:]
    g[1:] = g[1:] + t * x[:-1]
    return g


def function_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    return [
        Case("forward: 5 numbers", ("forward", tensor(5), tensor(5), tensor(4))),
        Case("forward: 3 numbers, within exp(N(x * x))", ("within", tensor(3), tensor(3), tensor(2))),
        Case("backward: 6 numbers", ("backward", tensor(6), tensor(6), tensor(5))),
    ]


def watch_function(answer: Any, way: str, x: Any, t: Any, v: Any) -> Any:
    if unwritten(getattr(answer, "jvp", None)):
        return {"Neighbours.jvp": ...}
    written = {"Neighbours.jvp": "written"}
    if way == "backward":
        x = x.detach().requires_grad_()
        y = answer.apply(x)
        answer.apply(x.detach() + 1)  # what is kept on the class, and not in ctx, is overwritten
        return written | {"value": y.detach(), "vᵀJ": mg.autograd.grad(y, x, v)[0]}
    try:
        with fw.dual_level():
            dual = fw.make_dual(x, t)
            y, moves = fw.unpack_dual(answer.apply(dual) if way == "forward" else mg.exp(answer.apply(dual * dual)))
    finally:
        level_now()
    return written | {"value": y, "tangent": "None" if moves is None else moves}


def function_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    zeros = mg.tensor([0.0, 2.0, 0.0], dtype=dtype)
    return [
        Case("forward: 2 numbers", ("forward", tensor(2), tensor(2), tensor(1))),
        Case("forward: zeros in x", ("forward", zeros, tensor(3), tensor(2))),
        Case("backward: zeros in x", ("backward", zeros.clone(), tensor(3), tensor(2))),
    ]


register(
    Exercise(
        id="10.6",
        title="Teach a Function to go forward",
        difficulty=3,
        minutes=8,
        reference=Neighbours,
        starter=NEIGHBOURS_STARTER,
        cases=function_cases,
        edges=function_edges,
        observe=watch_function,
        tolerance=1e-6,  # a tangent may be filled into zeros of the default dtype
        alternatives={
            "an attribute": taught(forward=forward_keeps, jvp=lambda ctx, t: ctx.x[1:] * t[:-1] + t[1:] * ctx.x[:-1]),
            "entry by entry": taught(jvp=jvp_filled),
            "through the matrix": taught(jvp=jvp_by_matrix),
        },
        mistakes={
            "nothing saved for forward": Mistake(
                taught(forward=forward_for_backward_only),
                "`save_for_backward` is not enough: what it keeps comes to `backward`, and `jvp` finds `ctx.saved_tensors` empty. "
                "Call `ctx.save_for_forward(x)` in `forward` too.",
                again=taught(
                    forward=forward_for_backward_only,
                    jvp=lambda ctx, t: [x[1:] * t[:-1] + x[:-1] * t[1:] for (x,) in [ctx.saved_tensors]][0],
                ),
            ),
            "nothing saved for backward": Mistake(
                taught(forward=forward_for_forward_only),
                "Forward works now, and backward does not any more: you replaced `save_for_backward`. Each direction needs its own "
                "line; keep both.",
                again=taught(forward=lambda ctx, x: (ctx.save_for_forward(x), x[1:] * x[:-1])[1]),
            ),
            "no jvp": Mistake(
                Untaught,
                "There is no method `jvp`. The engine calls it by this name: a static method `jvp(ctx, t)`.",
                again=UntaughtAgain,
            ),
            "the VJP": Mistake(
                taught(jvp=vjp_in_place_of_jvp),
                "That is the rule of `backward`. It takes a number for each **output**; `t` has one for each **input**. Ask: when "
                "`x` moves by t, how does y[i] = x[i] · x[i+1] move?",
                again=taught(jvp=vjp_in_place_of_jvp_again),
            ),
            "one term": Mistake(
                taught(jvp=lambda ctx, t: t[:-1] * ctx.saved_tensors[0][1:]),
                "In y[i] = x[i] · x[i+1] **both** factors move. The term of the right neighbour is missing: x[i] · t[i+1].",
                again=taught(jvp=lambda ctx, t: ctx.saved_tensors[0][1:] * t[:-1]),
            ),
            "the other term": Mistake(
                taught(jvp=lambda ctx, t: ctx.saved_tensors[0][:-1] * t[1:]),
                "In y[i] = x[i] · x[i+1] **both** factors move. The term of the left neighbour is missing: t[i] · x[i+1].",
                again=taught(jvp=lambda ctx, t: t[1:] * ctx.saved_tensors[0][:-1]),
            ),
            "product of the tangents": Mistake(
                taught(jvp=lambda ctx, t: t[:-1] * t[1:]),
                "t[i] · t[i+1] is the factor of ε² of the dual numbers, and that is dropped. What stays are the two mixed products.",
                again=taught(jvp=lambda ctx, t: t[1:] * t[:-1]),
            ),
            "ε² is kept": Mistake(
                taught(jvp=lambda ctx, t: [(x + t)[:-1] * (x + t)[1:] - x[:-1] * x[1:] for (x,) in [ctx.saved_tensors]][0]),
                "There is a term t[i] · t[i+1] too many. It belongs to ε², and ε² = 0.",
                again=taught(jvp=lambda ctx, t: [t[:-1] * x[1:] + (x + t)[:-1] * t[1:] for (x,) in [ctx.saved_tensors]][0]),
            ),
            "a tuple of one": Mistake(
                taught(jvp=lambda ctx, t: [t[:-1] * x[1:] + t[1:] * x[:-1] for x in [ctx.saved_tensors]][0]),
                "`ctx.saved_tensors` is a **tuple**, also where one Tensor was saved. Unpack it, as `backward` does: "
                "`(x,) = ctx.saved_tensors`.",
                again=taught(jvp=lambda ctx, t: t[:-1] * ctx.saved_tensors[1:] + t[1:] * ctx.saved_tensors[:-1]),
            ),
            "nothing comes back": Mistake(
                taught(jvp=lambda ctx, t: [t[:-1] * x[1:] + x[:-1] * t[1:] for (x,) in [ctx.saved_tensors]].clear()),
                "Your `jvp` gives back None, so no tangent comes out. Did you forget `return`?",
                again=taught(jvp=lambda ctx, t: print(end="")),
            ),
            "each with itself": Mistake(
                taught(jvp=lambda ctx, t: (ctx.saved_tensors[0] * t)[:-1] + (ctx.saved_tensors[0] * t)[1:]),
                "You paired each `x` with its own `t`. In the product rule each tangent meets the **other** factor: t[i] · x[i+1].",
                again=taught(jvp=lambda ctx, t: ctx.saved_tensors[0][:-1] * t[:-1] + ctx.saved_tensors[0][1:] * t[1:]),
            ),
        },
        hints=(
            "`jvp(ctx, t)` gets the tangent of the input and returns the tangent of the output. It is what happens in forward, "
            "written for numbers that move: the product rule.",
            "```text\n x[i] moves with t[i]   ─┐\n"
            "                         ├─►  y[i] = x[i] · x[i+1]  moves with  t[i] · x[i+1] + x[i] · t[i+1]\n"
            " x[i+1] with t[i+1]     ─┘\n\n forward ──save_for_backward──► backward\n         ──save_for_forward───► jvp\n```",
            "```python\n# in forward, one more line:\nctx.___(x)\n\n@staticmethod\ndef jvp(ctx, t):\n    (x,) = ctx.saved_tensors\n"
            "    return t[:-1] * ___ + ___ * t[1:]\n```",
        ),
        explanation="""\
`forward` computes, `backward` turns the cotangent of the output into that of the input, `jvp` turns the tangent of the input
into that of the output. The three know nothing of each other; a dual tensor in the level makes the engine call `jvp` right
after `forward`.

Here J has the entries x[i+1] and x[i] in row i, side by side. `backward` multiplies from the left, so each v is copied to two
places and added. `jvp` multiplies from the right, so each output collects from two places.

`ctx.saved_tensors` holds, in `jvp`, what `save_for_forward` was given, and in `backward` what `save_for_backward` was given.

A good test of both rules at once: v · (J t) = (vᵀJ) · t for random v and t.
""",
    )
)


# --- 10.7 Gauss-Newton --------------------------------------------------------------------------------------


def gauss_newton(f, x, v):
    """JᵀJ v, from one forward and one backward pass; J is the Jacobian of f at x.

    f: takes a Tensor of shape (n,), returns one of shape (m,). x: a leaf of shape (n,) that requires grad.
    v: a Tensor of shape (n,). Returns a Tensor of shape (n,).
    """
    with fw.dual_level():
        y, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
    return mg.autograd.grad(y, x, Jv)[0]


def gauss_two_runs(f, x, v):
    Jv = jvp(f, x, v)
    return mg.autograd.grad(f(x), x, grad_outputs=Jv)[0]


def gauss_double_backward_again(f, x, v):
    y = f(x)
    u = mg.zeros_like(y).requires_grad_()
    (pulled,) = mg.autograd.grad(y, x, u, create_graph=True)
    (Jv,) = mg.autograd.grad(pulled, u, v)
    return mg.autograd.grad(f(x), x, Jv)[0]


def gauss_backward(f, x, v):
    with fw.dual_level():
        Jv = fw.unpack_dual(f(fw.make_dual(x.detach(), v))).tangent
    x.grad = None
    f(x).backward(Jv)
    return x.grad


def gauss_weighted_sum(f, x, v):
    Jv = jvp(f, x, v).detach()
    return mg.autograd.grad((Jv * f(x)).sum(), x)[0]


def gauss_double_backward(f, x, v):
    return mg.autograd.grad(f(x), x, jvp_by_vjps(f, x, v))[0]


def rows_of(f, x):
    y = f(x)
    return mg.stack([mg.autograd.grad(entry, x, retain_graph=True)[0] for entry in y])


def columns_of(f, x):
    return mg.stack([jvp(f, x, e).detach() for e in mg.eye(len(x), dtype=x.dtype)], 1)


def gauss_whole(f, x, v):
    J = rows_of(f, x)
    return J.T @ (J @ v)


def gauss_whole_columns(f, x, v):
    J = columns_of(f, x)
    return J.T @ J @ v


def gauss_whole_at_once(f, x, v):
    J = all_rows(f, x)
    return J.T @ (J @ v)


def gauss_only_jv(f, x, v):
    return jvp(f, x, v).detach()


def gauss_only_jv_again(f, x, v):
    return jvp_by_vjps(f, x, v)


def gauss_vjp_of_v(f, x, v):
    return mg.autograd.grad(f(x), x, v)[0]


def gauss_vjp_of_v_again(f, x, v):
    x.grad = None
    f(x).backward(v)
    return x.grad


def gauss_residual(f, x, v):
    y = f(x)
    return mg.autograd.grad(y, x, y.detach())[0]


def gauss_residual_again(f, x, v):
    return mg.autograd.grad(0.5 * (f(x) ** 2).sum(), x)[0]


def gauss_of_length(f, x, v):
    Jv = jvp(f, x, v)
    return mg.autograd.grad(0.5 * (Jv**2).sum(), x)[0]


def gauss_of_length_again(f, x, v):
    with fw.dual_level():
        _, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
    return mg.autograd.grad(Jv, x, mg.clone(Jv))[0]


def gauss_hessian(f, x, v):
    (g,) = mg.autograd.grad(0.5 * (f(x) ** 2).sum(), x, create_graph=True)
    return mg.autograd.grad(g, x, v)[0]


def gauss_hessian_again(f, x, v):
    y = f(x)
    (g,) = mg.autograd.grad((y * y).sum() / 2, x, create_graph=True)
    return mg.autograd.grad((g * v).sum(), x)[0]


def gauss_dual_backward(f, x, v):
    with fw.dual_level():
        y, Jv = fw.unpack_dual(f(fw.make_dual(x.detach(), v)))
    return mg.autograd.grad(y, x, Jv)[0]


def gauss_dual_backward_again(f, x, v):
    y = f(x.detach())
    return mg.autograd.grad(y, x, jvp(f, x.detach(), v))[0]


def gauss_differences(f, x, v):
    return mg.autograd.grad(f(x), x, differences(f, x, v))[0]


def gauss_differences_again(f, x, v):
    return mg.autograd.grad(f(x), x, one_sided(f, x, v))[0]


def gauss_tuple(f, x, v):
    return mg.autograd.grad(f(x), x, jvp(f, x, v))


def gauss_tuple_again(f, x, v):
    with fw.dual_level():
        y, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
    return tuple(mg.autograd.grad([y], [x], [Jv]))


def gauss_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(n: int) -> Any:
        return random_tensor(rng, dtype, n, leaf=True)

    A, B = tensor(9, 6), tensor(5, 7)
    return [
        Case("f(x) = exp(A @ x / 4), 6 numbers to 9", (lambda x: mg.exp(A @ x / 4), leaf(6), tensor(6))),
        Case("f(x) = sin(B @ x), 7 numbers to 5", (lambda x: mg.sin(B @ x), leaf(7), tensor(7))),
        Case("f multiplies neighbours, 8 numbers to 7", (neighbours, leaf(8), tensor(8))),
    ]


def watch_gauss(answer: Callable[..., Any], f: Callable[..., Any], x: Any, v: Any) -> Any:
    watch = Watch(f, x)
    try:
        found = answer(watch.f, x, v)
    finally:
        level = level_now()
    if found is None:
        return {"returns": None}
    if not isinstance(found, mg.Tensor):
        return unfit(found, "a Tensor of shape (n,)")
    seen: dict[str, Any] = {"f is called": watch.place()}
    if watch.moved:
        return seen
    whole = found.ndim == 1 and watch.batches  # a batched call is a pass for each row
    how_many = "many" if whole or watch.forward + watch.backward > 3 else "one each" if watch.backward < 2 else "several backward"
    seen["JᵀJ v"] = found.detach().clone()
    again = answer(f, x, -v)  # the same x once more
    return seen | {"passes": how_many, "the level, afterwards": level, "JᵀJ (-v), then, with the same x": again}


def gauss_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(n: int) -> Any:
        return random_tensor(rng, dtype, n, leaf=True)

    stale = leaf(3)
    stale.grad = random_tensor(rng, dtype, 3)
    return [
        Case("f(x) = sin(x), one number to one", (lambda x: mg.sin(x), leaf(1), random_tensor(rng, dtype, 1))),
        Case("v is all zeros", (neighbours, leaf(4), mg.zeros(4, dtype=dtype))),
        Case("f hands back x", (lambda x: 1 * x, leaf(3), random_tensor(rng, dtype, 3))),
        Case("x.grad holds a gradient from before", (neighbours, stale, random_tensor(rng, dtype, 3))),
    ]


register(
    Exercise(
        id="10.7",
        title="Gauss–Newton product",
        difficulty=4,
        minutes=8,
        reference=gauss_newton,
        cases=gauss_cases,
        without={
            "grad": "the statement does not say what is left in x.grad",
        },
        edges=gauss_edges,
        observe=watch_gauss,
        alternatives={
            "f runs twice": gauss_two_runs,
            "backward": gauss_backward,
            "a weighted sum": gauss_weighted_sum,
        },
        mistakes={
            "the trick of 10.3": Mistake(
                gauss_double_backward,
                "The numbers are right, but J v came from two backward passes, so there were three in all and none forward. Asked for "
                "is **one** forward pass, with a dual tensor, and **one** backward pass.",
                again=gauss_double_backward_again,
            ),
            "all of J": Mistake(
                gauss_whole,
                "The numbers are right, but you built J, with a pass for each row or column. J v is **one** forward pass, and Jᵀ "
                "times that is **one** backward pass.",
                again=gauss_whole_columns,
            ),
            "only J v": Mistake(
                gauss_only_jv,
                "That is J v, the first half: it has a number for each output. Now multiply by Jᵀ: a VJP with J v as the cotangent.",
                again=gauss_only_jv_again,
            ),
            "v as the cotangent": Mistake(
                gauss_vjp_of_v,
                "`v` has a number for each input, so it cannot be a cotangent. From the right: first J v, by a forward pass. That "
                "has a number for each output.",
                again=gauss_vjp_of_v_again,
            ),
            "the gradient of the squares": Mistake(
                gauss_residual,
                "That is Jᵀ f(x), the gradient of ½ |f|². The cotangent must be J v, not f(x).",
                again=gauss_residual_again,
            ),
            "J v differentiated": Mistake(
                gauss_of_length,
                "You differentiated J v. That asks how J **changes**, and gives second derivatives of f. J v is only the cotangent; "
                "what goes backward is f(x).",
                again=gauss_of_length_again,
            ),
            "the full Hessian": Mistake(
                gauss_hessian,
                "That is the Hessian of ½ |f|² times v. It is JᵀJ v **plus** a term with the second derivatives of f. Gauss–Newton "
                "leaves this term out.",
                again=gauss_hessian_again,
            ),
            "no graph to x": Mistake(
                gauss_dual_backward,
                "What went forward was detached from `x`, so backward finds no way. Make `x` itself dual: it requires grad, and the "
                "graph is written along with the tangents.",
                again=gauss_dual_backward_again,
            ),
            "a tuple": Mistake(gauss_tuple, A_TUPLE, again=gauss_tuple_again),
            "differences": Mistake(gauss_differences, DIFFERENCES, again=gauss_differences_again),
        },
        hints=(
            "Read JᵀJ v from the right. J v is a product with a tangent: forward. Jᵀw is the same as wᵀJ: backward, with w = J v.",
            "```text\n v (n) ──forward──► J v (m) ──backward, as the cotangent──► Jᵀ J v (n)\n```\n\n"
            "If `x` requires grad, one run of `f` with a dual tensor gives both: J v, and a graph to go back through.",
            "```python\nwith fw.dual_level():\n    y, Jv = fw.unpack_dual(f(fw.make_dual(___, ___)))\n"
            "return mg.autograd.grad(___, x, ___)[0]\n```",
        ),
        explanation="""\
J has m rows and n columns, and nobody builds it. J v has m numbers: one forward pass. Taken as a cotangent, it comes back as
(J v)ᵀJ, which is JᵀJ v: one backward pass.

Because `x` requires grad, the run with the dual tensor writes the graph along with the tangents, so `f` runs only once.

What is it for? To fit a model one makes ½ |f(x)|² small, the sum of the squared errors. Its Hessian is JᵀJ plus a sum of
second derivatives of f, each times an error. Near a good fit the errors are small, and JᵀJ alone is nearly the Hessian. It
needs first derivatives only, and it is never negative: v · JᵀJ v = |J v|². So the conjugate gradients of 09.6 can solve with it.
""",
    )
)
