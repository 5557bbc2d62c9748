"""Operations that work element by element, with broadcasting.

Rules: PyTorch's derivatives.yaml. ``conj`` stands where PyTorch's convention for complex numbers asks for it: a cotangent
is multiplied by the conjugate of the derivative. Broadcasting is undone by the engine, in one place for all.
"""

from __future__ import annotations

import cmath
import functools
import math
import operator

import numpy as np

from .. import dtypes, errors
from ..modes import state
from ..tensor import Tensor, choice, in_order_of, kernel, ndarray, op, refuse_shapes


@op("linear", self=lambda g: conj(g), name="Conj0")
def conj_complex(self):
    """The complex conjugate."""
    return np.conj(self)


def conj(x):
    """The complex conjugate; a real array, Tensor or number as it is."""
    if type(x) is ndarray:
        return x if x.dtype.kind != "c" else np.conj(x)
    if isinstance(x, Tensor):
        return x if x._array.dtype.kind != "c" else conj_complex(x)
    return x.conjugate() if isinstance(x, (complex, np.generic)) else x


def real(x):
    """The real part; a real array or Tensor as it is."""
    return x.real if _is_complex(x) else x


def zeros_like(x):
    """Zeros of the shape and dtype of an array or Tensor, without history: a slope of 0, also where x is infinite."""
    return np.zeros_like(x) if isinstance(x, (np.ndarray, np.generic)) else x._wrap(np.zeros_like(x._array))


def by_rows(array):
    """An array in row-major order, as PyTorch's operations leave it that do not keep the order of their input."""
    return array if array.flags.c_contiguous else array.copy()


def _is_complex(x) -> bool:
    return x.dtype.kind == "c" if isinstance(x, (np.ndarray, np.generic)) else x.is_complex()


def named(forward, name, text=""):
    """A forward that several operations share, under the name of one, and with its text if they differ in that."""
    forward.__name__, forward.__doc__ = name, text or forward.__doc__
    return forward


def _calling(ufunc, name, text):
    """The forward of an operation that is a function of NumPy's."""

    def forward(self):
        return ufunc(self)

    return named(forward, name, text)


def _function(called, ufunc, text, promote="float", **declared):
    """An operation that is a function of NumPy's, with its rule."""
    return op("elementwise", promote=promote, ufunc=ufunc, **declared)(_calling(ufunc, called, text))


# -- arithmetic ----------------------------------------------------------------------------------------------------------


@op(
    "linear",
    self=lambda g: g,
    other=lambda g, alpha: scaled(g, conj(alpha)),
    promote="arith",
    always_saved=("alpha",),
    ufunc=np.add,
)
def add(self, other, alpha=1):
    """self + alpha · other."""
    return np.add(self, other if alpha == 1 and alpha is not True else _times_alpha(self, other, alpha))


@op(
    "linear",
    self=lambda g: g,
    other=lambda g, alpha: scaled(-g, conj(alpha)),
    promote="subtract",
    always_saved=("alpha",),
    ufunc=np.subtract,
)
def sub(self, other, alpha=1):
    """self - alpha · other."""
    return np.subtract(self, other if alpha == 1 and alpha is not True else _times_alpha(self, other, alpha))


def _times_alpha(self, other, alpha):
    refuse_shapes(self, other)
    if isinstance(alpha, float) and np.asarray(self).dtype.kind in "bui":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(other, np.ndarray) and other.dtype.kind == "b":
        return other & bool(alpha)
    if alpha is True or alpha is False:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    return other * alpha


@op("elementwise", self=lambda g, alpha: scaled(-g, conj(alpha)), promote="subtract", name="Rsub1")
def rsub(self, other, alpha=1):
    """other - alpha · self, for a number ``other``."""
    return np.subtract(other, scaled(self, alpha))


@op(
    "multilinear",
    self=lambda g, other: g * conj(other),
    other=lambda g, self: g * conj(self),
    promote="arith",
    ufunc=np.multiply,
)
def mul(self, other):
    """self · other."""
    return np.multiply(self, other)


@op(
    lambda self_t, other_t, other, result: plus(self_t, None if other_t is None else -other_t * result) / other,
    self=lambda g, other: g / conj(other),
    other=lambda g, self, other: -g * conj((self / other) / other),
    promote="divide",
    ufunc=np.true_divide,
)
def div(self, other):
    """self / other, always a true division."""
    return np.true_divide(self, other)


true_div = div


@op(
    lambda result: zeros_like(result),
    self=lambda g, other, rounding_mode: zeros_like(g),
    other=lambda g, self, other, rounding_mode: zeros_like(g),
    promote="arith",
    name="Div2",
)
def div_mode(self, other, rounding_mode):
    """self / other, rounded to an integer: towards zero ("trunc") or down ("floor"). Its slope is 0."""
    if self.dtype.kind in "bc":
        refuse_shapes(self, other)
        raise NotImplementedError(f"\"div_{rounding_mode}_cpu\" not implemented for '{dtypes.of(self).scalar_type}'")
    if rounding_mode == "floor":
        return floor_divide(self, other)
    _refuse_integer_zero(self, other)
    return np.trunc(np.true_divide(self, other)).astype(self.dtype)


@choice
def div(self, other, *, rounding_mode=None):
    """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""
    if rounding_mode is None:
        return true_div, (self, other)
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(errors.ROUNDING_MODE.format(rounding_mode))
    return div_mode, (self, other, rounding_mode)


def refuse_complex_gradient(self, name):
    """Raise for a complex tensor that requires grad, where PyTorch has no gradient of complex results."""
    if _is_complex(self) and self.requires_grad and state.grad:
        raise RuntimeError(errors.COMPLEX_RESULT.format(name))


def not_implemented(name):
    """The rule of what has no derivative: PyTorch records it all the same, and refuses in backward."""

    def rule(g):
        raise errors.note(RuntimeError(errors.NOT_DIFFERENTIABLE.format(name)))

    return rule


@op(
    self=not_implemented("floor_divide"),
    other=not_implemented("floor_divide"),
    promote="arith",
    numbers=False,
    refuses={"bc": kernel("div_floor_cpu")},
    name="minigrad::autograd::NotImplemented",
)
def floor_divide(self, other):
    """The largest integer not above self / other."""
    _refuse_integer_zero(self, other)
    return np.floor_divide(self, other)


floor_divide_tensor = floor_divide


@op(
    self=not_implemented("floor_divide"),
    promote="arith",
    refuses={"bc": kernel("div_floor_cpu")},
    name="minigrad::autograd::NotImplemented",
)
def floor_divide_number(self, other):
    """The largest integer not above self over a number."""
    return floor_divide_tensor(self, other)


@choice
def floor_divide(self, other):  # type: ignore[no-redef]
    """The largest integer not above self / other."""
    return floor_divide_number if isinstance(other, (int, float, complex)) else floor_divide_tensor, (self, other)


def _refuse_integer_zero(self, other):
    if self.dtype.kind in "ui" and np.any(np.equal(other, 0)):
        raise RuntimeError("ZeroDivisionError")


@op("elementwise", self=lambda g: -g, ufunc=np.negative)
def neg(self):
    """-self."""
    if self.dtype.kind == "b":
        raise RuntimeError(errors.BOOL_NEG)
    return np.negative(self)


@op("elementwise", self=lambda g, result: -g * conj(result * result), promote="float", ufunc=np.reciprocal)
def reciprocal(self):
    """1 / self."""
    return 1 / self  # of a complex 0 NumPy's reciprocal is not what PyTorch's is


def _power(base, exponent):
    """The power; of a complex 0, as in C, by way of its logarithm, also where that is not a number."""
    result = np.power(base, exponent)
    if result.dtype.kind == "c" and not np.all(base) and not (isinstance(exponent, (int, float)) and exponent >= 0):
        zero = np.broadcast_to(np.asarray(base) == 0, result.shape)
        result = np.where(zero, np.exp(exponent * np.log(np.asarray(0, result.dtype))), result)
    return result


@op("elementwise", self=lambda g, self, exponent: power_slope(g, self, exponent), promote="arith", name="Pow0")
def pow_scalar(self, exponent):
    """self to the power of a number."""
    if type(exponent) is bool and self.dtype == bool:
        return self | (not exponent)
    if exponent in _POWERS and self.dtype.kind in "fc":
        return _POWERS[exponent](self)
    if self.dtype.kind in "ui" and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return _power(self, exponent) if exponent else np.power(self, exponent)


# What is faster than the general power, and right at infinity where PyTorch is.
_POWERS = {2: np.square, 3: lambda x: x * x * x, 0.5: np.sqrt, -0.5: lambda x: 1 / np.sqrt(x), -1: lambda x: 1 / x,
           -2: lambda x: 1 / np.square(x)}  # fmt: skip


@op(
    "elementwise",
    self=lambda g, self, exponent: where(exponent == 0, 0.0, g * conj(exponent * pow(self, exponent - 1))),
    exponent=lambda g, self, exponent, result: g * conj(log_slope(self, exponent, result)),
    promote="arith",
    always_saved=("result",),
    refuses={"b": kernel("pow")},
    name="Pow1",
)
def pow_tensor(self, exponent):
    """self to the power of a tensor."""
    if self.dtype.kind == "i" and exponent.dtype.kind == "i" and (exponent < 0).any():  # only 1 and -1 have an integer there
        return np.where(exponent < 0, (np.abs(self) == 1) * self ** (exponent % 2), self ** np.maximum(exponent, 0))
    return _power(self, exponent)


@op(
    "elementwise",
    exponent=lambda g, self, exponent, result: g * conj(log_slope(self, exponent, result)),
    promote="arith",
    refuses={"b": kernel("pow")},
    name="Pow2",
)
def pow_base(self, exponent):
    """A number to the power of a tensor."""
    return _power(self, exponent) if exponent.dtype.kind != "i" else pow_tensor(np.asarray(self, exponent.dtype), exponent)


@choice
def pow(self, exponent):
    """self to the power of exponent, for any mixture of tensors, arrays and numbers."""
    if isinstance(exponent, (int, float, complex)):
        return pow_scalar, (self, exponent)
    return pow_base if isinstance(self, (int, float, complex)) else pow_tensor, (self, exponent)


@choice
def square(self):
    """self · self."""
    return pow_scalar, (self, 2)


def power_slope(g, self, exponent):
    """g · exponent · self^(exponent-1), and 0 for exponent 0, where self may be 0."""
    return zeros_like(g) if exponent == 0 else g * conj(exponent * pow_scalar(self, exponent - 1))


def log_slope(self, exponent, result):
    """d(self^exponent)/d(exponent) = result · log(self), taken as 0 at self = 0 with exponent ≥ 0."""
    if isinstance(self, (int, float, complex)):
        return result * _log_of(self) if self != 0 else where(exponent >= 0, 0.0, result * -math.inf)
    return where((self == 0) & (real(exponent) >= 0), 0.0, result * log(cast(self, result)))


def _log_of(number):
    if isinstance(number, complex):
        return cmath.log(number)
    return math.log(number) if number > 0 else math.nan


def cast(x, like):
    """An array or Tensor in the dtype of another."""
    return x.astype(like.dtype) if isinstance(x, (np.ndarray, np.generic)) else x.to(like.dtype)


@op("elementwise", self=lambda g: g, promote="arith", refuses={"bc": kernel("remainder_cpu")}, name="Remainder0")
def remainder_scalar(self, other):
    """self modulo a number; the result has the sign of the number."""
    return _remainder(self, other)


@op(
    lambda self_t, other_t, self, other: plus(self_t, None if other_t is None else -other_t * div_mode(self, other, "floor")),
    self=lambda g: g,
    other=lambda g, self, other: -g * div_mode(self, other, "floor"),
    promote="arith",
    refuses={"bc": kernel("remainder_cpu")},
    name="Remainder1",
)
def remainder_tensor(self, other):
    """self modulo other; the result has the sign of other."""
    return _remainder(self, other)


def _remainder(self, other):
    _refuse_integer_zero(self, other)
    result = np.remainder(self, other)
    return np.where(result == 0, np.copysign(result, self), result) if result.dtype.kind == "f" else result


@op(
    other=not_implemented("remainder"),
    promote="arith",
    refuses={"bc": kernel("remainder_cpu")},
    name="minigrad::autograd::NotImplemented",
)
def remainder_of(self, other):
    """A number modulo a tensor, which PyTorch does not differentiate."""
    return _remainder(np.asarray(self, other.dtype), other)


@choice
def remainder(self, other):
    """self modulo other; the result has the sign of other."""
    if isinstance(self, (int, float)):
        return remainder_of, (self, other)
    return remainder_tensor if isinstance(other, Tensor) else remainder_scalar, (self, other)


def scaled(x, factor):
    """x · factor, without a copy for the factor 1."""
    return x if factor == 1 else x * factor


# -- one operand ---------------------------------------------------------------------------------------------------------


@op(
    lambda self_t, self: real(self_t * conj(sgn(self))),
    self=lambda g, self: g * sgn(self),
    refuses={"b": kernel("abs_cpu")},
)
def abs(self):
    """The absolute value; its slope at 0 is 0."""
    return np.abs(self)


@op(
    "elementwise",
    self=lambda g: zeros_like(g),
    refuses={"c": (NotImplementedError, "Unlike NumPy, minigrad.sign is not intended to support complex numbers. Please use "
                   "minigrad.sgn instead.")},
)  # fmt: skip
def sign(self):
    """-1, 0 or 1; 0 for NaN."""
    return _sign(self)


def _sign(x):
    return np.subtract(x > 0, x < 0, dtype=x.dtype) if x.dtype != bool else x.copy()


@op(
    lambda self_t, self, result: _turned(self_t, self, result),
    self=lambda g, self, result: _turned(g, self, result),
)
def sgn(self):
    """The sign of a real number; the direction self/|self| of a complex one, and 0 for 0."""
    if self.dtype.kind != "c":
        return _sign(self)
    return np.where(self == 0, 0, self / np.abs(self))


def _turned(g, self, result):
    """How the direction of a complex number follows a step g: only the part across it counts. A sign does not move."""
    if not _is_complex(self):
        return zeros_like(g)
    return where(self == 0, 0.0, (g - real(g * conj(result)) * result) / abs(self))


@op(
    lambda self_t, self: (conj(self) * self_t * _over_square(self.real, self.imag)).imag if _is_complex(self) else zeros_like(self_t),
    self=lambda g, self: zeros_like(g) if not _is_complex(self) else g * self * 1j * _over_square(self.real, self.imag),
)
def angle(self):
    """The argument of a complex number; π for negative real numbers, 0 for the others."""
    if self.dtype.kind == "c":
        return np.angle(self)
    kind = self.dtype if self.dtype.kind == "f" else dtypes.get_default_dtype().numpy
    return np.where(np.isnan(self), self, np.where(self < 0, math.pi, 0)).astype(kind)


exp = _function("exp", np.exp, "e to the power of self.", self=lambda g, result: g * conj(result))
expm1 = _function("expm1", np.expm1, "exp(self) - 1, exact near 0.", self=lambda g, result: g * conj(result + 1))
log = _function("log", np.log, "The natural logarithm.", self=lambda g, self: g / conj(self))
log1p = _function("log1p", np.log1p, "log(1 + self), exact near 0.", self=lambda g, self: g / conj(self + 1), name="Log1P0")
log2 = _function("log2", np.log2, "The logarithm to base 2.", self=lambda g, self: g / conj(self * math.log(2)))
log10 = _function("log10", np.log10, "The logarithm to base 10.", self=lambda g, self: g / conj(self * math.log(10)))
sqrt = _function("sqrt", np.sqrt, "The square root.", self=lambda g, result: g / (2 * conj(result)))


@op("elementwise", self=lambda g, result: -0.5 * g * conj(result * result * result), promote="float")
def rsqrt(self):
    """1 / sqrt(self)."""
    return 1 / np.sqrt(self)


sin = _function("sin", np.sin, "The sine.", self=lambda g, self: g * conj(cos(self)))  # type: ignore[has-type]
cos = _function("cos", np.cos, "The cosine.", self=lambda g, self: g * -conj(sin(self)))
tan = _function("tan", np.tan, "The tangent.", self=lambda g, result: g * conj(1 + result * result))
asin = _function("asin", np.arcsin, "The inverse of sin.", self=lambda g, self: g / conj(sqrt(1 - self * self)))
acos = _function("acos", np.arccos, "The inverse of cos.", self=lambda g, self: -g / conj(sqrt(1 - self * self)))
atan = _function("atan", np.arctan, "The inverse of tan.", self=lambda g, self: g / conj(self * self + 1))
sinh = _function("sinh", np.sinh, "The hyperbolic sine.", self=lambda g, self: g * conj(cosh(self)))  # type: ignore[has-type]
cosh = _function("cosh", np.cosh, "The hyperbolic cosine.", self=lambda g, self: g * conj(sinh(self)))
tanh = _function("tanh", np.tanh, "The hyperbolic tangent.", self=lambda g, result: g * conj(1 - result * result))


@op("elementwise", self=lambda g, result: g * conj((1 - result) * result), promote="float")
def sigmoid(self):
    """1 / (1 + exp(-self))."""
    e = np.exp(-np.abs(self)) if self.dtype.kind != "c" else None
    return 1 / (1 + np.exp(-self)) if e is None else np.where(self >= 0, 1, e) / (1 + e)


@op(
    "elementwise",
    self=lambda g, self: g * (exp(-self * self) * (2 / math.sqrt(math.pi))),
    promote="float",
    refuses={"c": kernel("erf_vml_cpu")},
)
def erf(self):
    """The error function."""
    return np.asarray(np.frompyfunc(math.erf, 1, 1)(self), self.dtype)


@op(
    "elementwise",
    self=lambda g, result: threshold_backward(g, result, 0),
    refuses={
        "c": (NotImplementedError, "clamp is not supported for complex types"),
        "b": (RuntimeError, "Boolean inputs not supported for relu"),
    },
)
def relu(self):
    """max(self, 0); its slope at 0 is 0."""
    return np.maximum(0, self)  # in this order -0 stays -0, as in PyTorch


@op(
    lambda self, threshold, grad_t: where(self <= threshold, 0.0, self * 0.0 if grad_t is None else grad_t),
    grad=lambda g, self, threshold: where(self <= threshold, 0.0, g),
    self=lambda g: zeros_like(g),
)
def threshold_backward(grad, self, threshold):
    """grad where self is above the threshold, and 0 elsewhere. As in PyTorch it depends on self, with slope 0."""
    return np.where(self <= threshold, 0.0, grad)


def _rounded(name, ufunc, text):
    refuses = {"c": (NotImplementedError, f"{name} is not supported for complex inputs"), "b": kernel(f"{name}_vml_cpu")}
    return _function(name, ufunc, text, promote="", self=lambda g: zeros_like(g), refuses=refuses)


floor = _rounded("floor", np.floor, "The nearest integer below.")
ceil = _rounded("ceil", np.ceil, "The nearest integer above.")
trunc = _rounded("trunc", np.trunc, "The integer part.")


@op("elementwise", self=lambda g: zeros_like(g), refuses={"bc": kernel("round_cpu"), "ui": kernel("round_cpu")}, name="Round1")
def round_decimals(self, decimals):
    """The nearest number with so many decimals; halves go to the even one."""
    return np.round(self, decimals)


@op("elementwise", self=lambda g: zeros_like(g), refuses={"bc": kernel("round_vml_cpu")})
def round(self):
    """The nearest integer; halves go to the even one."""
    return np.round(self)


round_whole = round


@choice
def round(self, *, decimals=0):  # type: ignore[no-redef]
    """The nearest integer, or the nearest number with so many decimals; halves go to the even one."""
    return (round_decimals, (self, decimals)) if decimals else (round_whole, (self,))


# -- two and three operands ----------------------------------------------------------------------------------------------


def _atan2_tangent(self, other, self_t, other_t):
    turned = (0.0 if self_t is None else other * self_t) - (0.0 if other_t is None else self * other_t)
    return turned / (self * self + other * other)  # nan at the origin, where the gradient is 0


@op(
    _atan2_tangent,
    self=lambda g, self, other: g * (other * _over_square(self, other)),
    other=lambda g, self, other: g * (neg(self) * _over_square(self, other)),
    promote="divide",
    numbers=False,
    refuses={"c": kernel("atan2_cpu")},
)
def atan2(self, other):
    """The angle of the point (other, self): the inverse of tan with the right quadrant."""
    return np.arctan2(self, other)


def _over_square(y, x):
    """1/(x² + y²), and 0 at the origin."""
    square = x * x + y * y
    return where(square == 0, 0.0, reciprocal(square))


@op(
    "elementwise",
    self=lambda g, self, other: g / conj(1 + exp(other - self)),
    other=lambda g, self, other: g / conj(1 + exp(self - other)),
    promote="arith",
    numbers=False,
    refuses={"bui": kernel("logaddexp_cpu")},
)
def logaddexp(self, other):
    """log(exp(self) + exp(other)), without overflow."""
    if self.dtype.kind == "c":
        top = np.maximum(self.real, other.real)
        return np.log(np.exp(self - top) + np.exp(other - top)) + top
    return np.logaddexp(self, other)


@op(
    "elementwise",
    self=lambda g, self, other: where((self == 0) & (other <= 0), 0.0, xlogy(g, other)),
    other=lambda g, self, other: g * self / other,
    promote="divide",
    refuses={"c": kernel("xlogy_cpu")},
    name="Xlogy0",
)
def xlogy_tensor(self, other):
    """self · log(other), and 0 where self is 0, unless other is NaN."""
    return np.where((self == 0) & ~np.isnan(other), 0, self * np.log(other)).astype(np.result_type(self, other), copy=False)


@op(
    "elementwise",
    other=lambda g, self, other: g * self / other,
    promote="divide",
    refuses={"c": kernel("xlogy_cpu")},
    name="Xlogy1",
)
def xlogy_base(self, other):
    """A number times log(other)."""
    return xlogy_tensor(np.asarray(self, other.dtype), other)


@op(
    "elementwise",
    self=lambda g, self, other: xlogy(g, other) if other > 0 else where(self == 0, 0.0, xlogy(g, other)),
    promote="float",
    refuses={"c": kernel("xlogy_cpu")},
    name="Xlogy2",
)
def xlogy_number(self, other):
    """self · log of a number."""
    return xlogy_tensor(self, np.asarray(other, self.dtype))


@choice
def xlogy(self, other):
    """self · log(other), and 0 where self is 0, unless other is NaN."""
    if isinstance(self, (int, float)):
        if isinstance(other, (int, float)):
            raise TypeError("xlogy of two numbers")
        return xlogy_base, (self, other)
    return xlogy_number if isinstance(other, (int, float)) else xlogy_tensor, (self, other)


def _between(self, end, weight, name):
    """Straight from self (weight 0) to end (weight 1), exact at both ends."""
    for argument, other in (("end", end), ("weight", weight)):
        if isinstance(other, np.ndarray) and other.dtype != self.dtype and (other.ndim or argument == "end"):
            kinds = dtypes.of(self).cpp, dtypes.of(other).cpp
            raise RuntimeError(f"expected dtype {kinds[0]} for `{argument}` but got dtype {kinds[1]}")
    if self.dtype.kind in "bui":
        refuse_shapes(self, end, weight)
        raise NotImplementedError(f"\"{name}\" not implemented for '{dtypes.of(self).scalar_type}'")
    out = np.where(np.abs(weight) < 0.5, self + weight * (end - self), end - (end - self) * (1 - weight))
    return in_order_of([a for a in (self, end, weight) if isinstance(a, np.ndarray)], out)


@op(
    "linear",
    self=lambda g, weight: g * conj(1 - weight),
    end=lambda g, weight: g * conj(weight),
    name="Lerp0",
)
def lerp_scalar(self, end, weight):
    """Straight from self to end, with a number for the weight."""
    return _between(self, end, weight, "lerp_kernel_scalar").astype(self.dtype, copy=False)


@op(
    lambda self, end, weight, self_t, end_t, weight_t: plus(
        None if self_t is None else self_t * (1 - weight),
        None if end_t is None else end_t * weight,
        None if weight_t is None else weight_t * (end - self),
    ),
    self=lambda g, weight: g * conj(1 - weight),
    end=lambda g, weight: g * conj(weight),
    weight=lambda g, self, end: g * conj(end - self),
    name="Lerp1",
)
def lerp_tensor(self, end, weight):
    """Straight from self to end, with a weight for each element."""
    return _between(self, end, weight, "lerp_kernel_tensor").astype(self.dtype, copy=False)


def plus(*terms):
    """The sum of the terms that are there."""
    present = [term for term in terms if term is not None]
    return functools.reduce(operator.add, present)


@choice
def lerp(self, end, weight):
    """Straight from self (weight 0) to end (weight 1). RuntimeError when the dtypes differ."""
    if not isinstance(end, Tensor):
        raise TypeError(type(end))
    return lerp_tensor if isinstance(weight, Tensor) else lerp_scalar, (self, end, weight)


@op(
    lambda self_t, tensor1_t, tensor2_t, tensor1, tensor2, value: plus(
        self_t,
        None if tensor1_t is None else tensor1_t * tensor2 * value,
        None if tensor2_t is None else tensor1 * tensor2_t * value,
    ),
    self=lambda g: g,
    tensor1=lambda g, tensor2, value: g * conj(tensor2 * value),
    tensor2=lambda g, tensor1, value: g * conj(tensor1 * value),
    promote="three",
    numbers=False,
    refuses={"b": kernel("addcmul_cpu_out")},
)
def addcmul(self, tensor1, tensor2, value=1):
    """self + value · tensor1 · tensor2."""
    return self + tensor1 * tensor2 * (int(value) if self.dtype.kind in "ui" else value)


@op(
    "linear",
    real=lambda g, real: g.real,
    imag=lambda g, imag: g.imag,
    name="Complex0",
)
def complex_of(real, imag):
    """The complex numbers with these real and imaginary parts, which have one dtype."""
    kinds = dtypes.of(real), dtypes.of(imag)
    for text, wrong in ((errors.COMPLEX_FLOATS, not (kinds[0].is_floating_point and kinds[1].is_floating_point)),
                        (errors.COMPLEX_KINDS, kinds[0] is not kinds[1])):  # fmt: skip
        if wrong:
            raise RuntimeError(text.format(kinds[0].scalar_type, kinds[1].scalar_type))
    if kinds[0] is dtypes.float16:
        raise errors.lacks("complex numbers of two float16")
    result = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real, np.complex64))
    result.real, result.imag = real, imag
    return in_order_of((real, imag), result)


# -- choosing ------------------------------------------------------------------------------------------------------------


def _towards(first, tie, self_t, other_t):
    """other_t + (self_t - other_t), that step whole where self comes first, half for a tie: where one is NaN, it is other_t."""
    step = plus(self_t, None if other_t is None else -other_t)
    return plus(other_t, where(tie, 0.5, cast(first, step)) * step)


@op(
    lambda self, other, self_t, other_t: _towards(self > other, self == other, self_t, other_t),
    self=lambda g, self, other: where(self < other, 0.0, where(self == other, g / 2, g)),
    other=lambda g, self, other: where(other < self, 0.0, where(self == other, g / 2, g)),
    promote="arith",
    numbers=False,
    refuses={"c": (RuntimeError, "maximum not implemented for complex tensors.")},
)
def maximum(self, other):
    """The larger of two; a tie shares the gradient."""
    return np.maximum(self, other)


@op(
    lambda self, other, self_t, other_t: _towards(self < other, self == other, self_t, other_t),
    self=lambda g, self, other: where(self > other, 0.0, where(self == other, g / 2, g)),
    other=lambda g, self, other: where(other > self, 0.0, where(self == other, g / 2, g)),
    promote="arith",
    numbers=False,
    refuses={"c": (RuntimeError, "minimum not implemented for complex tensors.")},
)
def minimum(self, other):
    """The smaller of two; a tie shares the gradient."""
    return np.minimum(self, other)


@op(
    "elementwise",
    self=lambda g, self, min, max: where(inside(self, min, max), g, 0.0),
    name="Clamp1",
    promote="three",
)
def clamp(self, min=None, max=None):
    """self, kept between two numbers; on a bound the slope is 1."""
    if self.dtype.kind == "b":
        which = "" if None not in (min, max) else "max_" if min is None else "min_"
        raise NotImplementedError(f"\"clamp_{which}scalar_cpu\" not implemented for 'Bool'")
    if self.dtype.kind in "ui":  # a bound that the dtype cannot hold wraps around
        min, max = (None if bound is None else np.asarray(bound).astype(self.dtype) for bound in (min, max))
    if max is None:
        return np.maximum(min, self)
    return np.minimum(max, self) if min is None else np.clip(self, min, max)


clamp_numbers = clamp


def _clamp_push(self, min, max, self_t, min_t, max_t):
    """PyTorch's choice: with one bound it is the bound's tangent that counts in a tie, and for a NaN."""
    zero = zeros_like(next(t for t in (self_t, min_t, max_t) if t is not None))
    self_t, min_t, max_t = (zero if t is None else t for t in (self_t, min_t, max_t))
    if max is None:
        return where(self > min, self_t, min_t)
    if min is None:
        return where(self < max, self_t, max_t)
    return where(min > max, max_t, where(self < min, min_t, where(self > max, max_t, self_t)))


@op(
    _clamp_push,
    self=lambda g, self, min, max: where(inside(self, min, max), g, 0.0),
    min=lambda g, self, min, max: where(self < min if max is None else (self < min) & (min < max), g, 0.0),
    max=lambda g, self, min, max: where(self > max if min is None else (self > max) | (max < min), g, 0.0),
    name="Clamp0",
    promote="three",
)
def clamp_tensors(self, min=None, max=None):
    """self, kept between two tensors, of which one may be missing."""
    called = "maximum" if max is None else "minimum" if min is None else "clamp"
    if self.dtype.kind == "c" or self.dtype.kind == "b" and called == "clamp":
        refuse_shapes(self, min, max)
        raise NotImplementedError(f"\"{called}_cpu\" not implemented for '{dtypes.of(self).scalar_type}'")
    return np.clip(self, min, max)


@choice
def clamp(self, min=None, max=None):  # type: ignore[no-redef]
    """self, kept between two bounds, numbers or tensors, of which one may be missing; on a bound the slope is 1."""
    if min is None and max is None:
        raise RuntimeError("minigrad.clamp: At least one of 'min' or 'max' must not be None")
    given = [bound for bound in (min, max) if bound is not None]
    if not any(all(isinstance(bound, kind) for bound in given) for kind in (Tensor, (bool, int, float, complex))):
        raise TypeError("clamp between bounds of two kinds")
    if _is_complex(self) or any(isinstance(bound, complex) for bound in given):
        if self.is_floating_point():
            raise RuntimeError(errors.OVERFLOW.format("double"))
        raise NotImplementedError("clamp is not supported for complex types")
    return clamp_tensors if isinstance(min, Tensor) or isinstance(max, Tensor) else clamp_numbers, (self, min, max)


def inside(x, low, high):
    """Where low ≤ x ≤ high; a bound may be None."""
    if low is None or high is None:
        return x >= low if high is None else x <= high
    return (x >= low) & (x <= high)


@op(
    lambda condition, self_t, other_t: where(condition, 0.0 if self_t is None else self_t, 0.0 if other_t is None else other_t),
    self=lambda g, condition: where(condition, g, 0.0),
    other=lambda g, condition: where(condition, 0.0, g),
    constants=("condition",),
    promote="choice",
)
def where(condition, self, other):
    """self where the condition holds, other elsewhere."""
    return np.where(condition, self, other)


# -- truth values: no gradient -------------------------------------------------------------------------------------------


def _truth(called, ufunc, text, *, numbers=True, refuses="", **declared):
    def forward(self, other):
        if type(other) is int and self.dtype.kind in "ui":  # a number that the dtype cannot hold wraps around
            other = np.asarray(other).astype(self.dtype)
        return ufunc(self, other)

    declared |= {"refuses": {refuses: kernel(f"{called}_cpu")}} if refuses else {}
    return op(constants=("self", "other"), promote="arith", numbers=numbers, **declared)(named(forward, called, text))


def _compare(name, ufunc, text, refuses="c"):
    zero = {"self": lambda g: zeros_like(g), "other": lambda g: zeros_like(g)}  # for the form in place: truth values need no gradient
    return _truth(name, ufunc, text, refuses=refuses, name=f"{name.capitalize()}1", plain=1, **zero)


lt = _compare("lt", np.less, "self < other, element by element.")
le = _compare("le", np.less_equal, "self <= other, element by element.")
gt = _compare("gt", np.greater, "self > other, element by element.")
ge = _compare("ge", np.greater_equal, "self >= other, element by element.")
eq = _compare("eq", np.equal, "self == other, element by element.", refuses="")
ne = _compare("ne", np.not_equal, "self != other, element by element.", refuses="")
logical_and = _truth("logical_and", np.logical_and, "Both are true.", numbers=False)
logical_or = _truth("logical_or", np.logical_or, "At least one is true.", numbers=False)
logical_xor = _truth("logical_xor", np.logical_xor, "Exactly one is true.", numbers=False)
bitwise_and = _truth("bitwise_and", np.bitwise_and, "self & other, of integers or bools.", refuses="fc")
bitwise_or = _truth("bitwise_or", np.bitwise_or, "self | other, of integers or bools.", refuses="fc")
bitwise_xor = _truth("bitwise_xor", np.bitwise_xor, "self ^ other, of integers or bools.", refuses="fc")


def _test(name, ufunc, text, refuses=None):
    return op(constants=("self",), refuses=refuses)(_calling(ufunc, name, text))


logical_not = _test("logical_not", np.logical_not, "The opposite truth value.")
bitwise_not = _test("bitwise_not", np.invert, "~self, of integers or bools.", refuses={"fc": kernel("bitwise_not_cpu")})
isnan = _test("isnan", np.isnan, "Where an element is NaN.")
isinf = _test("isinf", np.isinf, "Where an element is infinite.")
isfinite = _test("isfinite", np.isfinite, "Where an element is neither NaN nor infinite.")


@op("elementwise", self=lambda g, self: g * isfinite(self))
def nan_to_num(self, nan=None, posinf=None, neginf=None):
    """self with numbers in place of NaN (0), ∞ and -∞ (the largest and the smallest number of the dtype)."""
    if self.dtype.kind in "bui":
        return self.copy()
    if self.dtype.kind == "c":
        result = np.empty_like(self)
        result.real, result.imag = (without_nan(part, nan, posinf, neginf) for part in (self.real, self.imag))
        return result
    limits = np.finfo(self.dtype)
    values = [default if v is None else v for v, default in ((nan, 0.0), (posinf, limits.max), (neginf, limits.min))]
    found = np.select([np.isnan(self), self == np.inf, self == -np.inf], [np.asarray(v).astype(self.dtype) for v in values], self)
    return in_order_of((self,), found)


without_nan = nan_to_num


@choice
def nan_to_num(self, nan=None, posinf=None, neginf=None):  # type: ignore[no-redef]
    """self with numbers in place of NaN (0), ∞ and -∞ (the largest and the smallest number of the dtype).

    RuntimeError for a complex tensor that requires grad.
    """
    refuse_complex_gradient(self, "nan_to_num")
    return without_nan, (self, nan, posinf, neginf)
