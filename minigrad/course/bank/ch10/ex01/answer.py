"""10.1 Dual numbers: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part


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


ANSWER = Part(
    reference=Dual,
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
