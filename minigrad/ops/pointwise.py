"""Operations that work element by element, with broadcasting.

Rules: PyTorch's derivatives.yaml. ``conj`` stands where PyTorch's convention for complex numbers asks for it: a cotangent
is multiplied by the conjugate of the derivative. Broadcasting is undone by the engine, in one place for all.
"""

from __future__ import annotations

import math

import numpy as np

from .. import errors
from ..tensor import op


@op("linear", self=lambda g: conj(g), name="Conj0")
def conj_complex(self):
    """The complex conjugate."""
    return np.conj(self)


def conj(x):
    """The complex conjugate; a real array, Tensor or number as it is."""
    if type(x) is np.ndarray:
        return x if x.dtype.kind != "c" else np.conj(x)
    if isinstance(x, (int, float)):
        return x
    return x.conjugate() if isinstance(x, complex) else conj_complex(x) if _is_complex(x) else x


def real(x):
    """The real part; a real array or Tensor as it is."""
    return x.real if _is_complex(x) else x


def _is_complex(x) -> bool:
    return x.dtype.kind == "c" if isinstance(x, (np.ndarray, np.generic)) else x.is_complex()


# -- arithmetic ----------------------------------------------------------------------------------------------------------


@op("linear", self=lambda g: g, other=lambda g, alpha: scaled(g, alpha), promote="arith", always_saved=("alpha",))
def add(self, other, alpha=1):
    """self + alpha · other."""
    return np.add(self, other if alpha == 1 else other * alpha)


@op("linear", self=lambda g: g, other=lambda g, alpha: scaled(-g, alpha), promote="arith", always_saved=("alpha",))
def sub(self, other, alpha=1):
    """self - alpha · other."""
    if self.dtype.kind == "b" and isinstance(other, np.ndarray) and other.dtype.kind == "b":
        raise RuntimeError(errors.BOOL_MINUS)
    return np.subtract(self, other if alpha == 1 else other * alpha)


@op("elementwise", self=lambda g, alpha: scaled(-g, alpha), promote="arith", name="Rsub1")
def rsub(self, other, alpha=1):
    """other - alpha · self, for a number ``other``."""
    return np.subtract(other, scaled(self, alpha))


@op(
    "multilinear",
    self=lambda g, other: g * conj(other),
    other=lambda g, self: g * conj(self),
    promote="arith",
)
def mul(self, other):
    """self · other."""
    return np.multiply(self, other)


@op(
    "elementwise",
    self=lambda g, other: g / conj(other),
    other=lambda g, self, other: -g * conj((self / other) / other),
    promote="divide",
)
def div(self, other):
    """self / other, always a true division."""
    return np.true_divide(self, other)


@op("elementwise", self=lambda g: -g)
def neg(self):
    """-self."""
    if self.dtype.kind == "b":
        raise RuntimeError(errors.BOOL_NEG)
    return np.negative(self)


@op("elementwise", self=lambda g, result: -g * conj(result * result), promote="float")
def reciprocal(self):
    """1 / self."""
    return np.reciprocal(self)


@op("elementwise", self=lambda g, self, exponent: power_slope(g, self, exponent), promote="arith", name="Pow0")
def pow_scalar(self, exponent):
    """self to the power of a number."""
    return np.power(self, exponent)


@op(
    "elementwise",
    self=lambda g, self, exponent: where(exponent == 0, 0.0, g * conj(exponent * pow(self, exponent - 1))),
    exponent=lambda g, self, exponent, result: g * conj(log_slope(self, exponent, result)),
    promote="arith",
    name="Pow1",
)
def pow_tensor(self, exponent):
    """self to the power of a tensor."""
    return np.power(self, exponent)


@op(
    "elementwise",
    exponent=lambda g, self, exponent, result: g * conj(log_slope(self, exponent, result)),
    promote="arith",
    name="Pow2",
)
def pow_base(self, exponent):
    """A number to the power of a tensor."""
    return np.power(self, exponent)


def pow(self, exponent):
    """self to the power of exponent, for any mixture of tensors, arrays and numbers."""
    if isinstance(exponent, (int, float, complex)):
        return pow_scalar(self, exponent)
    return pow_base(self, exponent) if isinstance(self, (int, float, complex)) else pow_tensor(self, exponent)


def power_slope(g, self, exponent):
    """g · exponent · self^(exponent-1), and 0 for exponent 0, where self may be 0."""
    return g * 0.0 if exponent == 0 else g * conj(exponent * pow_scalar(self, exponent - 1))


def log_slope(self, exponent, result):
    """d(self^exponent)/d(exponent) = result · log(self), taken as 0 at self = 0 with exponent ≥ 0."""
    if isinstance(self, (int, float, complex)):
        return where((exponent >= 0) & (self == 0), 0.0, result * (math.log(self) if self > 0 else math.nan * (self < 0)))
    return where((self == 0) & (exponent >= 0), 0.0, result * log(self))


@op("elementwise", self=lambda g: g, promote="arith", name="Remainder0")
def remainder_scalar(self, other):
    """self modulo a number; the result has the sign of the number."""
    return np.remainder(self, other)


@op(
    "elementwise",
    self=lambda g: g,
    other=lambda g, self, other: -g * floor(self / other),
    promote="arith",
    name="Remainder1",
)
def remainder_tensor(self, other):
    """self modulo other; the result has the sign of other."""
    return np.remainder(self, other)


@op("elementwise", self=lambda g: g * 0.0, other=lambda g: g * 0.0, promote="arith", name="FloorDivide0")
def floor_divide(self, other):
    """The largest integer not above self / other."""
    return np.floor_divide(self, other)


def scaled(x, factor):
    """x · factor, without a copy for the factor 1."""
    return x if factor == 1 else x * factor


# -- one operand ---------------------------------------------------------------------------------------------------------


@op(lambda self_t, self: real(self_t * conj(sgn(self))), self=lambda g, self: g * sgn(self))
def abs(self):
    """The absolute value; its slope at 0 is 0."""
    return np.abs(self)


@op("elementwise", self=lambda g: g * 0.0)
def sign(self):
    """-1, 0 or 1."""
    return np.sign(self)


def sgn(x):
    """The sign of a real number; the direction x/|x| of a complex one."""
    return where(x == 0, 0.0, x / abs(x)) if _is_complex(x) else sign(x)


@op("elementwise", self=lambda g, result: g * conj(result), promote="float")
def exp(self):
    """e to the power of self."""
    return np.exp(self)


@op("elementwise", self=lambda g, result: g * conj(result + 1), promote="float")
def expm1(self):
    """exp(self) - 1, exact near 0."""
    return np.expm1(self)


@op("elementwise", self=lambda g, self: g / conj(self), promote="float")
def log(self):
    """The natural logarithm."""
    return np.log(self)


@op("elementwise", self=lambda g, self: g / conj(self + 1), promote="float")
def log1p(self):
    """log(1 + self), exact near 0."""
    return np.log1p(self)


@op("elementwise", self=lambda g, self: g / conj(self * math.log(2)), promote="float")
def log2(self):
    """The logarithm to base 2."""
    return np.log2(self)


@op("elementwise", self=lambda g, self: g / conj(self * math.log(10)), promote="float")
def log10(self):
    """The logarithm to base 10."""
    return np.log10(self)


@op("elementwise", self=lambda g, result: g / (2 * conj(result)), promote="float")
def sqrt(self):
    """The square root."""
    return np.sqrt(self)


@op("elementwise", self=lambda g, result: -0.5 * g * conj(result * result * result), promote="float")
def rsqrt(self):
    """1 / sqrt(self)."""
    return 1 / np.sqrt(self)


@op("elementwise", self=lambda g, self: g * conj(cos(self)), promote="float")
def sin(self):
    """The sine."""
    return np.sin(self)


@op("elementwise", self=lambda g, self: g * -conj(sin(self)), promote="float")
def cos(self):
    """The cosine."""
    return np.cos(self)


@op("elementwise", self=lambda g, result: g * conj(1 + result * result), promote="float")
def tan(self):
    """The tangent."""
    return np.tan(self)


@op("elementwise", self=lambda g, self: g / conj(sqrt(1 - self * self)), promote="float")
def asin(self):
    """The inverse of sin."""
    return np.arcsin(self)


@op("elementwise", self=lambda g, self: -g / conj(sqrt(1 - self * self)), promote="float")
def acos(self):
    """The inverse of cos."""
    return np.arccos(self)


@op("elementwise", self=lambda g, self: g / conj(self * self + 1), promote="float")
def atan(self):
    """The inverse of tan."""
    return np.arctan(self)


@op("elementwise", self=lambda g, self: g * conj(cosh(self)), promote="float")
def sinh(self):
    """The hyperbolic sine."""
    return np.sinh(self)


@op("elementwise", self=lambda g, self: g * conj(sinh(self)), promote="float")
def cosh(self):
    """The hyperbolic cosine."""
    return np.cosh(self)


@op("elementwise", self=lambda g, result: g * conj(1 - result * result), promote="float")
def tanh(self):
    """The hyperbolic tangent."""
    return np.tanh(self)


@op("elementwise", self=lambda g, result: g * conj((1 - result) * result), promote="float")
def sigmoid(self):
    """1 / (1 + exp(-self))."""
    e = np.exp(-np.abs(self)) if self.dtype.kind != "c" else None
    return 1 / (1 + np.exp(-self)) if e is None else np.where(self >= 0, 1, e) / (1 + e)


@op("elementwise", self=lambda g, result: where(result <= 0, 0.0, g))
def relu(self):
    """max(self, 0); its slope at 0 is 0."""
    return np.maximum(self, 0)


@op("elementwise", self=lambda g: g * 0.0)
def floor(self):
    """The nearest integer below."""
    return np.floor(self)


@op("elementwise", self=lambda g: g * 0.0)
def ceil(self):
    """The nearest integer above."""
    return np.ceil(self)


@op("elementwise", self=lambda g: g * 0.0, name="Round0")
def round(self):
    """The nearest integer; halves go to the even one."""
    return np.round(self)


@op("elementwise", self=lambda g: g * 0.0)
def trunc(self):
    """The integer part."""
    return np.trunc(self)


# -- choosing ------------------------------------------------------------------------------------------------------------


@op(
    "elementwise",
    self=lambda g, self, other: where(self > other, g, where(self == other, g / 2, 0.0)),
    other=lambda g, self, other: where(other > self, g, where(self == other, g / 2, 0.0)),
    promote="arith",
)
def maximum(self, other):
    """The larger of two; a tie shares the gradient."""
    return np.maximum(self, other)


@op(
    "elementwise",
    self=lambda g, self, other: where(self < other, g, where(self == other, g / 2, 0.0)),
    other=lambda g, self, other: where(other < self, g, where(self == other, g / 2, 0.0)),
    promote="arith",
)
def minimum(self, other):
    """The smaller of two; a tie shares the gradient."""
    return np.minimum(self, other)


@op(
    "elementwise",
    self=lambda g, self, min, max: where(inside(self, min, max), g, 0.0),
    name="Clamp1",
    promote="bounds",
)
def clamp(self, min=None, max=None):
    """self, kept between two numbers; on a bound the slope is 1."""
    return np.clip(self, min, max)


def inside(x, low, high):
    """Where low ≤ x ≤ high; a bound may be None."""
    if low is None or high is None:
        return x >= low if high is None else x <= high
    return (x >= low) & (x <= high)


@op(
    lambda condition, self_t, other_t: where(
        condition, 0.0 if self_t is None else self_t, 0.0 if other_t is None else other_t
    ),
    self=lambda g, condition: where(condition, g, 0.0),
    other=lambda g, condition: where(condition, 0.0, g),
    constants=("condition",),
    promote="choice",
)
def where(condition, self, other):
    """self where the condition holds, other elsewhere."""
    return np.where(condition, self, other)


# -- comparisons: no gradient --------------------------------------------------------------------------------------------


def _compare(name, ufunc, text):
    def forward(self, other):
        return ufunc(self, other)

    forward.__name__, forward.__doc__ = name, text
    return op(constants=("self", "other"), promote="arith")(forward)


lt = _compare("lt", np.less, "self < other, element by element.")
le = _compare("le", np.less_equal, "self <= other, element by element.")
gt = _compare("gt", np.greater, "self > other, element by element.")
ge = _compare("ge", np.greater_equal, "self >= other, element by element.")
eq = _compare("eq", np.equal, "self == other, element by element.")
ne = _compare("ne", np.not_equal, "self != other, element by element.")
logical_and = _compare("logical_and", np.logical_and, "Both are true.")
logical_or = _compare("logical_or", np.logical_or, "At least one is true.")
logical_xor = _compare("logical_xor", np.logical_xor, "Exactly one is true.")
bitwise_and = _compare("bitwise_and", np.bitwise_and, "self & other, of integers or bools.")
bitwise_or = _compare("bitwise_or", np.bitwise_or, "self | other, of integers or bools.")
bitwise_xor = _compare("bitwise_xor", np.bitwise_xor, "self ^ other, of integers or bools.")


def _test(name, ufunc, text):
    def forward(self):
        return ufunc(self)

    forward.__name__, forward.__doc__ = name, text
    return op(constants=("self",))(forward)


logical_not = _test("logical_not", np.logical_not, "The opposite truth value.")
bitwise_not = _test("bitwise_not", np.invert, "~self, of integers or bools.")
isnan = _test("isnan", np.isnan, "Where an element is NaN.")
isinf = _test("isinf", np.isinf, "Where an element is infinite.")
isfinite = _test("isfinite", np.isfinite, "Where an element is neither NaN nor infinite.")
