"""Operations that work element by element, with broadcasting: the derivatives as they stand in a book.

Source of the rules: PyTorch's derivatives.yaml. What a rule does for complex numbers, where a cotangent is multiplied by the
conjugate of the derivative, is the engine's affair where the function is holomorphic. One that is not, such as `abs`, says
`holomorphic=False`, and its rule is right as it stands, or refusals.txt refuses complex numbers. Broadcasting the engine undoes in one
place for all. How dtypes meet stands in promotion.txt.
"""

from __future__ import annotations

import functools
import math
import types

import numpy as np
from numpy import ndarray

from .. import errors
from ..core.record import choice, op
from ..core.rule import checked
from ..core.tensor import Tensor, wrap

NUMBER = (bool, int, float, complex)


@op("linear", self=lambda g: conj(g), name="Conj0", holomorphic=False)
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
    return x.real if is_complex(x) else x


def zeros_like(x):
    """Zeros of the shape and dtype of an array or Tensor, without history: a slope of 0, also where x is infinite."""
    return np.zeros_like(x) if isinstance(x, (np.ndarray, np.generic)) else wrap(np.zeros_like(x._array))


def flat(g):
    """The rule of what is constant almost everywhere: a slope of 0."""
    return zeros_like(g)


def by_rows(array):
    """An array in row-major order, as PyTorch's operations leave it that do not keep the order of their input."""
    return array if array.flags.c_contiguous else array.copy()


def is_complex(x) -> bool:
    """Whether an array or Tensor holds complex numbers."""
    return x.dtype.kind == "c" if isinstance(x, (np.ndarray, np.generic)) else x.is_complex()


def scaled(x, factor):
    """x · factor, without a copy for the factor 1."""
    return x if factor == 1 else x * factor


def named(forward, name, text=""):
    """A forward that several operations share, under the name of one, and with its text if they differ in that."""
    forward.__name__, forward.__doc__ = name, text or forward.__doc__
    return forward


def function(ufunc, called, text, jvp="elementwise", /, **declared):
    """An operation of one operand that is a function of NumPy's."""
    return op(jvp, ufunc=ufunc, **declared)(named(lambda self: ufunc(self), called, text))


def mixed(jvp=None, *, number="", base="", tensor="", between=1, saved=(), constants=(), **rules):
    """Declare an operation whose operands may be tensors or numbers, with a node for each mixture.

    tensor, number, base: what the nodes are called where all are tensors, where the operand at ``between`` is a number, and
    where the first one is; or, for this, an operation of its own. saved: what the first of these saves beside what its rules name.
    """

    def declare(forward):
        called = [forward.__code__.co_varnames[0], forward.__code__.co_varnames[between]]

        def variant(suffix, node, without, **more):
            copy = types.FunctionType(forward.__code__, forward.__globals__, "", forward.__defaults__)
            wanted = {name: rule for name, rule in rules.items() if name != without}
            named(copy, f"{forward.__name__}_{suffix}", forward.__doc__)
            return op(jvp, name=node, constants=constants, **wanted, **more)(copy)

        of_tensors, of_number = variant("tensor", tensor, "", always_saved=saved), variant("number", number, called[1])
        of_base = variant("base", base, called[0]) if isinstance(base, str) and base else base
        count = forward.__code__.co_argcount

        def choose(*args, **kwargs):
            full = args if len(args) == count else of_tensors.op.bind(args, kwargs)
            if isinstance(full[between], NUMBER):
                return of_number, full
            return of_base if base and isinstance(full[0], NUMBER) else of_tensors, full

        call = choice(functools.update_wrapper(choose, forward))
        call.variants = [operation for operation in (of_tensors, of_number, of_base) if operation]
        return call

    return declare


# -- arithmetic ----------------------------------------------------------------------------------------------------------


@op("linear", self=lambda g: g, other=lambda g, alpha: scaled(g, alpha), always_saved=("alpha",), ufunc=np.add)
def add(self, other, alpha=1):
    """self + alpha · other."""
    return np.add(self, _times(other, alpha))


@op("linear", self=lambda g: g, other=lambda g, alpha: scaled(-g, alpha), always_saved=("alpha",), ufunc=np.subtract)
def sub(self, other, alpha=1):
    """self - alpha · other."""
    return np.subtract(self, _times(other, alpha))


def _times(other, alpha):
    return scaled(other, alpha) if getattr(other, "dtype", None) != np.bool_ else other & bool(alpha)


@op("elementwise", self=lambda g, alpha: scaled(-g, alpha), name="Rsub1")
def rsub(self, other, alpha=1):
    """other - alpha · self, for a number ``other``."""
    return np.subtract(other, scaled(self, alpha))


@op("multilinear", self=lambda g, other: g * other, other=lambda g, self: g * self, ufunc=np.multiply)
def mul(self, other):
    """self · other."""
    return np.multiply(self, other)


@op(
    "elementwise",
    self=lambda g, other: g / other,
    other=lambda g, self, other: -g * ((self / other) / other),
    ufunc=np.true_divide,
    name="Div0",
)
def true_div(self, other):
    """self / other, always a true division."""
    return np.true_divide(self, other)


@op(
    "elementwise",
    self=lambda g, other, rounding_mode: zeros_like(g),
    other=lambda g, self, other, rounding_mode: zeros_like(g),
    name="Div2",
)
def div_mode(self, other, rounding_mode):
    """self / other, rounded to an integer: towards zero ("trunc") or down ("floor"). Its slope is 0."""
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    return np.trunc(np.true_divide(self, other)).astype(self.dtype)


@choice
@checked
def div(self, other, *, rounding_mode=None):
    """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""
    return (true_div, (self, other)) if rounding_mode is None else (div_mode, (self, other, rounding_mode))


def not_implemented(name):
    """The rule of what has no derivative: PyTorch records it all the same, and refuses in backward."""

    def rule(g):
        raise errors.NOT_DIFFERENTIABLE(name)

    return rule


@mixed(
    self=not_implemented("floor_divide"),
    other=not_implemented("floor_divide"),
    tensor="minigrad::autograd::NotImplemented",
    number="minigrad::autograd::NotImplemented",
)
def floor_divide(self, other):
    """The largest integer not above self / other."""
    return np.floor_divide(self, other)


neg = function(np.negative, "neg", "-self.", self=lambda g: -g)


@op("elementwise", self=lambda g, result: -g * (result * result), ufunc=np.reciprocal)
def reciprocal(self):
    """1 / self."""
    return 1 / self  # of a complex 0 NumPy's reciprocal is not what PyTorch's is


# What is faster than the general power, and right at infinity where PyTorch is.
_POWERS = {2: np.square, 3: lambda x: x * x * x, 0.5: np.sqrt, -0.5: lambda x: 1 / np.sqrt(x), -1: lambda x: 1 / x,
           -2: lambda x: 1 / np.square(x)}  # fmt: skip


@mixed(
    "elementwise",
    self=lambda g, self, exponent: power_slope(g, self, exponent),
    exponent=lambda g, self, exponent, result: g * log_slope(self, exponent, result),
    tensor="Pow1",
    number="Pow0",
    base="Pow2",
    saved=("result",),
)
def pow(self, exponent):
    """self to the power of exponent."""
    if isinstance(exponent, NUMBER):
        power = _POWERS.get(exponent) if self.dtype.kind in "fc" else None
        return power(self) if power else np.power(self, exponent)
    base = np.asarray(self, exponent.dtype if exponent.dtype.kind == "i" else None)
    if exponent.dtype.kind == "i" and (exponent < 0).any():  # only 1 and -1 have an integer there
        return np.where(exponent < 0, (np.abs(base) == 1) * base ** (exponent % 2), base ** np.maximum(exponent, 0))
    return np.power(self, exponent)


@choice
def square(self):
    """self · self."""
    return pow.choose(self, 2)


def power_slope(g, self, exponent):
    """g · exponent · self^(exponent-1), and 0 for exponent 0, where self may be 0."""
    if isinstance(exponent, NUMBER):
        return zeros_like(g) if exponent == 0 else g * (exponent * pow(self, exponent - 1))
    return where(exponent == 0, 0.0, g * (exponent * pow(self, exponent - 1)))


def log_slope(self, exponent, result):
    """d(self^exponent)/d(exponent) = result · log(self), taken as 0 at self = 0 with exponent ≥ 0."""
    if isinstance(self, NUMBER):
        slope = result * (np.log(self).item() if self else -math.inf)
        return slope if self != 0 else where(exponent >= 0, 0.0, slope)
    return where((self == 0) & (real(exponent) >= 0), 0.0, result * log(cast(self, result)))


def cast(x, like):
    """An array or Tensor in the dtype of another."""
    return x.astype(like.dtype) if isinstance(x, (np.ndarray, np.generic)) else x.to(like.dtype)


def _remainder(self, other):
    result = np.remainder(self, other)
    return np.where(result == 0, np.copysign(result, self), result) if result.dtype.kind == "f" else result


@op(other=not_implemented("remainder"), name="minigrad::autograd::NotImplemented")
def remainder_of(self, other):
    """A number modulo a tensor, which PyTorch does not differentiate."""
    return _remainder(self, other)


@mixed(
    "elementwise",
    self=lambda g: g,
    other=lambda g, self, other: -g * div_mode(self, other, "floor"),
    tensor="Remainder1",
    number="Remainder0",
    base=remainder_of,
)
def remainder(self, other):
    """self modulo other; the result has the sign of other."""
    return _remainder(self, other)



# -- one operand ---------------------------------------------------------------------------------------------------------


@op(self=lambda g, self: g * sgn(self), holomorphic=False)
def abs(self):
    """The absolute value; its slope at 0 is 0."""
    return np.abs(self)


def _sign(x):
    return np.subtract(x > 0, x < 0, dtype=x.dtype) if x.dtype != bool else x.copy()


@op("elementwise", self=flat)
def sign(self):
    """-1, 0 or 1; 0 for NaN."""
    return _sign(self)


@op(self=lambda g, self, result: _turned(g, self, result), holomorphic=False)
def sgn(self):
    """The sign of a real number; the direction self/|self| of a complex one, and 0 for 0."""
    return np.where(self == 0, 0, self / np.abs(self)) if self.dtype.kind == "c" else _sign(self)


def _turned(g, self, result):
    """How the direction of a complex number follows a step g: only the part across it counts. A sign does not move."""
    if not is_complex(self):
        return zeros_like(g)
    return (g - real(g * conj(result)) * result) / where(self == 0, math.inf, abs(self))


exp = function(np.exp, "exp", "e to the power of self.", self=lambda g, result: g * result)
expm1 = function(np.expm1, "expm1", "exp(self) - 1, exact near 0.", self=lambda g, result: g * (result + 1))
log = function(np.log, "log", "The natural logarithm.", self=lambda g, self: g / self)
log1p = function(np.log1p, "log1p", "log(1 + self), exact near 0.", self=lambda g, self: g / (self + 1), name="Log1P0")
log2 = function(np.log2, "log2", "The logarithm to base 2.", self=lambda g, self: g / (self * math.log(2)))
log10 = function(np.log10, "log10", "The logarithm to base 10.", self=lambda g, self: g / (self * math.log(10)))
sqrt = function(np.sqrt, "sqrt", "The square root.", self=lambda g, result: g / (2 * result))


@op("elementwise", self=lambda g, result: -0.5 * g * (result * result * result))
def rsqrt(self):
    """1 / sqrt(self)."""
    return 1 / np.sqrt(self)


sin = function(np.sin, "sin", "The sine.", self=lambda g, self: g * cos(self))  # type: ignore[has-type]
cos = function(np.cos, "cos", "The cosine.", self=lambda g, self: g * -sin(self))
tan = function(np.tan, "tan", "The tangent.", self=lambda g, result: g * (1 + result * result))
asin = function(np.arcsin, "asin", "The inverse of sin.", self=lambda g, self: g / sqrt(1 - self * self))
acos = function(np.arccos, "acos", "The inverse of cos.", self=lambda g, self: -g / sqrt(1 - self * self))
atan = function(np.arctan, "atan", "The inverse of tan.", self=lambda g, self: g / (self * self + 1))
sinh = function(np.sinh, "sinh", "The hyperbolic sine.", self=lambda g, self: g * cosh(self))  # type: ignore[has-type]
cosh = function(np.cosh, "cosh", "The hyperbolic cosine.", self=lambda g, self: g * sinh(self))
tanh = function(np.tanh, "tanh", "The hyperbolic tangent.", self=lambda g, result: g * (1 - result * result))


@op("elementwise", self=lambda g, result: g * ((1 - result) * result))
def sigmoid(self):
    """1 / (1 + exp(-self))."""
    if self.dtype.kind == "c":
        return 1 / (1 + np.exp(-self))
    e = np.exp(-np.abs(self))
    return np.where(self >= 0, 1, e) / (1 + e)


@op("elementwise", self=lambda g, self: g * (exp(-self * self) * (2 / math.sqrt(math.pi))))
def erf(self):
    """The error function."""
    return np.asarray(np.frompyfunc(math.erf, 1, 1)(self), self.dtype)


@op("elementwise", self=lambda g, result: threshold_backward(g, result, 0))
def relu(self):
    """max(self, 0); its slope at 0 is 0."""
    return np.maximum(0, self)  # in this order -0 stays -0, as in PyTorch


@op("elementwise", grad=lambda g, self, threshold: where(self <= threshold, 0.0, g), self=flat)
def threshold_backward(grad, self, threshold):
    """grad where self is above the threshold, and 0 elsewhere. As in PyTorch it depends on self, with slope 0."""
    return np.where(self <= threshold, 0.0, grad)


floor = function(np.floor, "floor", "The nearest integer below.", self=flat)
ceil = function(np.ceil, "ceil", "The nearest integer above.", self=flat)
trunc = function(np.trunc, "trunc", "The integer part.", self=flat)


@op("elementwise", self=flat, name="Round1")
def round_decimals(self, decimals):
    """The nearest number with so many decimals; halves go to the even one."""
    return np.round(self, decimals)


round_whole = function(
    np.round, "round_whole", "The nearest integer; halves go to the even one.", self=flat, name="Round0"
)


@choice
def round(self, *, decimals=0):
    """The nearest integer, or the nearest number with so many decimals; halves go to the even one."""
    return (round_decimals, (self, decimals)) if decimals else (round_whole, (self,))


# -- two and three operands ----------------------------------------------------------------------------------------------


@op(
    "elementwise",
    self=lambda g, self, other: g * (other * _over_square(self, other)),
    other=lambda g, self, other: g * (neg(self) * _over_square(self, other)),
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
    self=lambda g, self, other: g / (1 + exp(other - self)),
    other=lambda g, self, other: g / (1 + exp(self - other)),
)
def logaddexp(self, other):
    """log(exp(self) + exp(other)), without overflow."""
    return np.logaddexp(self, other)


@mixed(
    "elementwise",
    self=lambda g, weight: g * (1 - weight),
    end=lambda g, weight: g * weight,
    weight=lambda g, self, end: g * (end - self),
    tensor="Lerp1",
    number="Lerp0",
    between=2,
)
def lerp(self, end, weight):
    """Straight from self (weight 0) to end (weight 1), exact at both ends. RuntimeError when the dtypes differ."""
    out = np.where(np.abs(weight) < 0.5, self + weight * (end - self), end - (end - self) * (1 - weight))
    return out.astype(self.dtype, copy=False)


@op(
    "elementwise",
    self=lambda g: g,
    tensor1=lambda g, tensor2, value: g * (tensor2 * value),
    tensor2=lambda g, tensor1, value: g * (tensor1 * value),
)
def addcmul(self, tensor1, tensor2, value=1):
    """self + value · tensor1 · tensor2."""
    return self + tensor1 * tensor2 * (int(value) if self.dtype.kind in "ui" else value)


@op("linear", real=lambda g, real: g.real, imag=lambda g, imag: g.imag, name="Complex0", holomorphic=False)
def complex_of(real, imag):
    """The complex numbers with these real and imaginary parts, which have one dtype."""
    result = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real, np.complex64))
    result.real, result.imag = real, imag
    return result


# -- choosing ------------------------------------------------------------------------------------------------------------


@op(
    "elementwise",
    self=lambda g, self, other: where(self < other, 0.0, where(self == other, g / 2, g)),
    other=lambda g, self, other: where(other < self, 0.0, where(self == other, g / 2, g)),
)
def maximum(self, other):
    """The larger of two; a tie shares the gradient."""
    return np.maximum(self, other)


@op(
    "elementwise",
    self=lambda g, self, other: where(self > other, 0.0, where(self == other, g / 2, g)),
    other=lambda g, self, other: where(other > self, 0.0, where(self == other, g / 2, g)),
)
def minimum(self, other):
    """The smaller of two; a tie shares the gradient."""
    return np.minimum(self, other)


@op("elementwise", self=lambda g, self, min, max: where(inside(self, min, max), g, 0.0), name="Clamp1")
def clamp_numbers(self, min=None, max=None):
    """self, kept between two numbers; on a bound the slope is 1."""
    if max is None:
        return np.maximum(min, self)
    return np.minimum(max, self) if min is None else np.clip(self, min, max)


@op(
    "elementwise",
    self=lambda g, self, min, max: where(inside(self, min, max), g, 0.0),
    min=lambda g, self, min, max: where(self < min if max is None else (self < min) & (min < max), g, 0.0),
    max=lambda g, self, min, max: where(self > max if min is None else (self > max) | (max < min), g, 0.0),
    name="Clamp0",
)
def clamp_tensors(self, min=None, max=None):
    """self, kept between two tensors, of which one may be missing."""
    return np.clip(self, min, max)


@choice
@checked
def clamp(self, min=None, max=None):
    """self, kept between two bounds, numbers or tensors, of which one may be missing; on a bound the slope is 1."""
    return clamp_tensors if isinstance(min, Tensor) or isinstance(max, Tensor) else clamp_numbers, (self, min, max)


def inside(x, low, high):
    """Where low ≤ x ≤ high; a bound may be None."""
    if low is None or high is None:
        return x >= low if high is None else x <= high
    return (x >= low) & (x <= high)


@op(
    "linear",
    self=lambda g, condition: where(condition, g, 0.0),
    other=lambda g, condition: where(condition, 0.0, g),
    constants=("condition",),
)
def where(condition, self, other):
    """self where the condition holds, other elsewhere."""
    return np.where(condition, self, other)


# -- truth values: no gradient -------------------------------------------------------------------------------------------


def _truth(called, ufunc, text, /, **declared):
    return op(constants=("self", "other"), **declared)(named(lambda self, other: ufunc(self, other), called, text))


def _compare(name, ufunc, text):  # with rules for the form in place: truth values need no gradient
    return _truth(name, ufunc, text, name=f"{name.capitalize()}1", flat=1, self=flat, other=flat)


lt = _compare("lt", np.less, "self < other, element by element.")
le = _compare("le", np.less_equal, "self <= other, element by element.")
gt = _compare("gt", np.greater, "self > other, element by element.")
ge = _compare("ge", np.greater_equal, "self >= other, element by element.")
eq = _compare("eq", np.equal, "self == other, element by element.")
ne = _compare("ne", np.not_equal, "self != other, element by element.")
logical_and = _truth("logical_and", np.logical_and, "Both are true.")
logical_or = _truth("logical_or", np.logical_or, "At least one is true.")
logical_xor = _truth("logical_xor", np.logical_xor, "Exactly one is true.")
bitwise_and = _truth("bitwise_and", np.bitwise_and, "self & other, of integers or bools.")
bitwise_or = _truth("bitwise_or", np.bitwise_or, "self | other, of integers or bools.")
bitwise_xor = _truth("bitwise_xor", np.bitwise_xor, "self ^ other, of integers or bools.")


def _test(name, ufunc, text):
    return op(constants=("self",))(named(lambda self: ufunc(self), name, text))


logical_not = _test("logical_not", np.logical_not, "The opposite truth value.")
bitwise_not = _test("bitwise_not", np.invert, "~self, of integers or bools.")
isnan = _test("isnan", np.isnan, "Where an element is NaN.")
isinf = _test("isinf", np.isinf, "Where an element is infinite.")
isfinite = _test("isfinite", np.isfinite, "Where an element is neither NaN nor infinite.")


@op("elementwise", self=lambda g, self: g * isfinite(self))
def nan_to_num(self, nan=None, posinf=None, neginf=None):
    """self with numbers in place of NaN (0), ∞ and -∞ (the largest and the smallest number of the dtype)."""
    return np.nan_to_num(self, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)
