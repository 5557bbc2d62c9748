"""Operations on single numbers: what `play` computes again when a slider moves.

One table serves Python and the script in the page: a formula is written so that both languages read it alike, with the
operation's own names for its operands, with the names of what it keeps beside them, and with `result` for what came out.
So a condition is `where(condition, yes, no)`, and a power is `pow`. The rules that the engine applies are in `ops`; a test
compares these with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Scalar:
    """An operation on numbers: how it is written, its value, and its slope with respect to each operand.

    solve: for an operand that the node does not keep, the formula that finds it from the result.
    """

    text: str
    value: str
    slopes: Mapping[str, str]
    solve: Mapping[str, str] = field(default_factory=dict)

    @property
    def operands(self) -> tuple[str, ...]:
        return tuple(self.slopes)


def _unary(text: str, value: str, slope: str) -> Scalar:
    return Scalar(text, value, {"self": slope})


def _function(name: str, slope: str) -> Scalar:
    return _unary(name + "({self})", name + "(self)", slope)


_SAME = "self", "1"

TABLE = {
    "add": Scalar("{self} + {alpha·}{other}", "self + alpha * other", {"self": "1", "other": "alpha"},
                  {"other": "(result - self) / alpha", "self": "result - alpha * other"}),
    "sub": Scalar("{self} - {alpha·}{other}", "self - alpha * other", {"self": "1", "other": "-alpha"},
                  {"other": "(self - result) / alpha", "self": "result + alpha * other"}),
    "rsub": Scalar("{other} - {alpha·}{self}", "other - alpha * self", {"self": "-alpha", "other": "1"},
                   {"other": "result + alpha * self"}),
    "mul": Scalar("{self} · {other}", "self * other", {"self": "other", "other": "self"}),
    "true_div": Scalar("{self} / {other}", "self / other", {"self": "1 / other", "other": "-(self / other) / other"}),
    "neg": _unary("-{self}", "-self", "-1"),
    "reciprocal": _unary("1 / {self}", "1 / self", "-(result * result)"),
    "pow_number": Scalar("{self} ** {exponent}", "pow(self, exponent)",
                         {"self": "where(exponent == 0, 0, exponent * pow(self, exponent - 1))"}),
    "pow_base": Scalar("{self} ** {exponent}", "pow(self, exponent)",
                       {"exponent": "where((self == 0) & (exponent >= 0), 0, result * log(self))"}),
    "pow_tensor": Scalar("{self} ** {exponent}", "pow(self, exponent)",
                         {"self": "where(exponent == 0, 0, exponent * pow(self, exponent - 1))",
                          "exponent": "where((self == 0) & (exponent >= 0), 0, result * log(self))"}),
    "exp": _function("exp", "result"),
    "expm1": _function("expm1", "result + 1"),
    "log": _function("log", "1 / self"),
    "log1p": _function("log1p", "1 / (self + 1)"),
    "log2": _function("log2", "1 / (self * log(2))"),
    "log10": _function("log10", "1 / (self * log(10))"),
    "sqrt": _function("sqrt", "1 / (2 * result)"),
    "rsqrt": _unary("rsqrt({self})", "1 / sqrt(self)", "-0.5 * result * result * result"),
    "sin": _function("sin", "cos(self)"),
    "cos": _function("cos", "-sin(self)"),
    "tan": _function("tan", "1 + result * result"),
    "asin": _function("asin", "1 / sqrt(1 - self * self)"),
    "acos": _function("acos", "-1 / sqrt(1 - self * self)"),
    "atan": _function("atan", "1 / (self * self + 1)"),
    "sinh": _function("sinh", "cosh(self)"),
    "cosh": _function("cosh", "sinh(self)"),
    "tanh": _function("tanh", "1 - result * result"),
    "sigmoid": _unary("sigmoid({self})", "1 / (1 + exp(-self))", "result * (1 - result)"),
    "relu": _unary("relu({self})", "max(self, 0)", "where(result <= 0, 0, 1)"),
    "softplus": _unary("softplus({self})", "where(self * beta > threshold, self, log1p(exp(self * beta)) / beta)",
                       "where(self * beta > threshold, 1, 1 / (1 + exp(-self * beta)))"),
    "leaky_relu": _unary("leaky_relu({self})", "where(self > 0, self, negative_slope * self)", "where(self > 0, 1, negative_slope)"),
    "abs": _unary("|{self}|", "abs(self)", "sign(self)"),
    "maximum": Scalar("max({self}, {other})", "max(self, other)",
                      {"self": "where(self == other, 0.5, where(self > other, 1, 0))",
                       "other": "where(self == other, 0.5, where(other > self, 1, 0))"}),
    "minimum": Scalar("min({self}, {other})", "min(self, other)",
                      {"self": "where(self == other, 0.5, where(self < other, 1, 0))",
                       "other": "where(self == other, 0.5, where(other < self, 1, 0))"}),
    "mse_loss": Scalar("({self} - {target})²", "(self - target) * (self - target)",
                       {"self": "2 * (self - target)", "target": "-2 * (self - target)"}),
    # Of a single number these change nothing.
    "sum_all": _unary("sum({self})", *_SAME),
    "mean_all": _unary("mean({self})", *_SAME),
    "clone": _unary("clone({self})", *_SAME),
    "view_as_shape": _unary("view({self})", *_SAME),
}  # fmt: skip

# What the formulas call, in Python; the script takes the same names from JavaScript's Math.
CALLS = {
    **{name: getattr(np, name) for name in (
        "exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "abs", "sign", "where",
    )},
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "pow": np.power, "max": np.maximum, "min": np.minimum,
}  # fmt: skip
SCRIPT_CALLS = "const {" + ",".join(name for name in CALLS if name != "where") + "}=Math,where=(c,yes,no)=>c?yes:no;"
_COMPILED = {text: compile(text, text, "eval")
             for s in TABLE.values() for text in (s.value, *s.slopes.values(), *s.solve.values())}  # fmt: skip


def compute(formula: str, numbers: Mapping[str, Any], dtype: np.dtype) -> Any:
    """A formula of the table, in numbers of one dtype. Overflow and 0/0 give inf and nan, as in the engine."""
    with np.errstate(all="ignore"):
        return dtype.type(eval(_COMPILED[formula], CALLS, {name: dtype.type(number) for name, number in numbers.items()}))


def reads(formula: str) -> list[str]:
    """The operands, settings and `result` that a formula reads."""
    return [name for name in _COMPILED[formula].co_names if name not in CALLS]


def script(operation: str) -> str:
    """An entry of the table as JavaScript: `{value, slopes}`, each a function of the numbers that it reads, by name."""
    entry = TABLE[operation]
    slopes = ",".join(f"{operand}:{_arrow(formula)}" for operand, formula in entry.slopes.items())
    return f"{operation}:{{value:{_arrow(entry.value)},slopes:{{{slopes}}}}}"


def _arrow(formula: str) -> str:
    return f"({{{','.join(reads(formula))}}})=>{formula}"


def shortest(number: float, good: Callable[[float], bool]) -> float:
    """The number with the fewest digits that is as good as this one: 0.1 rather than 0.10000002."""
    found = (float(f"{number:.{digits}g}") for digits in range(1, 17))
    return next(filter(good, found), number)
