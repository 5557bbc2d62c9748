"""Sample calls of every operation: the table behind test_ops.py and test_op_mutants.py.

A sample is the text of a call's arguments. A letter with digits is an array, and the digits are its shape: `a23` has shape
(2, 3), `a` has no dimensions, `a03` is empty. The letter says what is in it:

    a b c d   real numbers, not near 0, a half, an integer or each other
    p q       the same, positive
    u         the same, between -1 and 1
    s         the same, between 0 and 1
    o k       like a, with one zero; with two zeros
    z w       complex numbers
    y         complex numbers with one zero
    m         truth values

`ints(...)`, `reals(...)` and `bools(...)` are constant arrays, `at[...]` is an index, and `mg` the engine: minigrad or
PyTorch. So the same text is a call on plain arrays, on minigrad's Tensors and on PyTorch's.
"""

from __future__ import annotations

import inspect
import re
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

import minigrad
from minigrad.core.rule import REGISTRY

# The callables of the operations, by the operation's name.
CALLS: dict[str, Callable] = {
    call.op.name: call
    for name, room in list(sys.modules.items())
    if name.startswith("minigrad.ops.") or name == "minigrad.autograd.forward_ad"
    for value in vars(room).values()
    for call in getattr(value, "variants", [value])
    if inspect.isfunction(call) and hasattr(call, "op") and REGISTRY.get(call.op.name) is call.op
}

LETTER = re.compile(r"\b([abcdpquskozwym])(\d*)\b(?!=)")


@dataclass(frozen=True)
class Sample:
    """One call. ``core`` tells an operation of the registry from a public function or method."""

    name: str
    arguments: str
    core: bool

    def __str__(self) -> str:
        return f"{'' if self.core else 'mg.'}{self.name}({self.arguments})"

    @property
    def seed(self) -> int:
        return zlib.crc32(f"{self.name}({self.arguments})".encode())

    @cached_property
    def inputs(self) -> dict[str, np.ndarray]:
        """The arrays that the letters stand for."""
        names = {m[0]: (m[1], tuple(int(d) for d in m[2])) for m in LETTER.finditer(self.arguments)}
        return draw(names, np.random.RandomState(self.seed % 2**32))

    @property
    def differentiable(self) -> list[str]:
        """The names of the arrays that a gradient can be asked for."""
        return [name for name, array in self.inputs.items() if array.dtype.kind in "fc"]

    def bind(self, values: dict[str, Any], engine: Any = None) -> tuple[tuple, dict]:
        """The arguments of the call, with values for the letters: arrays, or Tensors of an engine."""

        def constant(data: Any, kind: type) -> Any:
            array = np.array(data, kind)
            return array if engine is None else engine.from_numpy(array)

        names = {
            **values, "mg": engine or minigrad, "at": np.s_, "inf": float("inf"),
            "ints": lambda data: constant(data, np.int64),
            "reals": lambda data: constant(data, np.float64),
            "bools": lambda data: constant(data, bool),
            "turned": turned, "column": column,
            "capture": lambda *args, **kwargs: (args, kwargs),
        }  # fmt: skip
        return eval(f"capture({self.arguments})", names)

    def call(self, values: dict[str, Any], engine: Any = None, method: bool = False) -> Any:
        """The result for these values. A form that writes in place gets a clone of its first argument.

        A public name is a function of the engine if there is one; ``method`` asks for the method.
        """
        args, kwargs = self.bind(values, engine)
        if self.core:
            return CALLS[self.name](*args, **kwargs)
        if writes(self.name):
            target = args[0].clone()
            result = getattr(target, self.name)(*args[1:], **kwargs)
            return target if result is None else result
        if "." in self.name:
            return attrgetter(self.name)(engine)(*args, **kwargs)
        function = None if method or self.name.startswith("__") else getattr(engine, self.name, None)
        if function is not None and not isinstance(function, type(engine.float32)):
            return function(*args, **kwargs)
        attribute = getattr(args[0], self.name)
        return attribute(*args[1:], **kwargs) if callable(attribute) and not is_property(self.name) else attribute


def turned(base: Any) -> Any:
    return base.T


def column(base: Any) -> Any:
    return base[1:][:, 2]


def writes(name: str) -> bool:
    """Whether the name is that of a form that writes into its first argument."""
    return name in IN_PLACE_OPERATORS or name.endswith("_") and not name.startswith("__")


def is_property(name: str) -> bool:
    """Whether it is an attribute, such as T, and not a method."""
    return isinstance(vars(minigrad.Tensor).get(name), property)


def draw(names: dict[str, tuple[str, tuple[int, ...]]], rng: np.random.RandomState) -> dict[str, np.ndarray]:
    """The arrays for names with their letters and shapes. All real numbers of one sample keep away from each other."""
    total = sum(int(np.prod(dims)) * (2 if letter in "zwy" else 1) for letter, dims in names.values())
    slots = max(60, total)
    # Odd multiples of half a slot's width never meet a half or an integer, and a slot is at least 4 steps wide.
    place = iter(rng.permutation(slots))

    def numbers(count: int, low: float, high: float) -> np.ndarray:
        middle = low + (high - low) * (np.array([next(place) for _ in range(count)]) + 0.5) / slots
        return middle + rng.uniform(-0.1, 0.1, count) * (high - low) / slots

    result = {}
    for name, (letter, dims) in names.items():
        count = int(np.prod(dims))
        if letter == "m":
            flat = np.arange(count) % 2 == rng.randint(2)
        elif letter in "pq":
            flat = numbers(count, 0.32, 1.52)
        elif letter == "s":
            flat = numbers(count, 0.1, 0.85)
        elif letter == "u":
            flat = numbers(count, 0.1, 0.85) * rng.choice([-1, 1], count)
        elif letter in "zwy":
            flat = (numbers(2 * count, 0.32, 1.52) * rng.choice([-1, 1], 2 * count)).view(complex)
        else:
            flat = numbers(count, 0.32, 1.52) * rng.choice([-1, 1], count)
        flat[min(1, count - 1) : {"o": 2, "y": 2, "k": 3}.get(letter, 0)] = 0.0
        result[name] = flat.reshape(dims)
    return result


def unary(letter: str, complex_too: bool = False) -> list[str]:
    return [f"{letter}23", letter, f"{letter}03", *(["z3", "z"] if complex_too else [])]


def binary(a: str, b: str, complex_too: bool = False) -> list[str]:
    """Pairs of shapes that broadcast in every way, and numbers on the right."""
    shapes = ("23", "23"), ("31", "2"), ("2", "31"), ("", "23"), ("23", ""), ("03", "3"), ("213", "21"), ("", "")
    pairs = [f"{a}{left}, {b}{right}" for left, right in shapes]
    return [*pairs, *(["z23, w3", "a23, z3", "z23, a23"] if complex_too else [])]


# The operations of the registry. The keys are the names in the registry.
CORE: dict[str, list[str]] = {
    # pointwise
    "add": [*binary("a", "b", True), "a23, 2", "a23, 1.5", "a23, b3, alpha=2", "a23, 1.5, alpha=-0.5",
            "z23, w23, alpha=2j",
            "z3, 1j"],
    "sub": [*binary("a", "b", True), "a23, 2", "a23, 1.5", "a23, b3, alpha=2", "a23, 1.5, alpha=-0.5",
            "z23, w23, alpha=2j"],
    "rsub": ["a23, 2", "a23, 1.5", "a, 2", "a03, 1", "a23, 1.5, 2", "z3, 2j", "z3, 2j, 1j"],
    "mul": [*binary("a", "b", True), "a23, 2", "a23, -1.5", "z23, 2j", "z23, 2"],
    "true_div": [*binary("a", "b", True), "a23, 2", "a23, -1.5", "z23, 2j", "z23, 2"],
    "floor_divide_tensor": ["a23, b3", "a, b", "a03, b3"],
    "binary_cross": ["s23, b23, 1", "s23, b23, 0", "s23, b23, 2"],
    "huber_loss": ["a23, b23, 1, 1.0", "a23, b23, 0, 0.5", "a3, b3, 2, 0.7"],
    "smooth_l1": ["a23, b23, 1, 1.0", "a23, b23, 0, 0.5", "a3, b3, 2, 0.7"],
    "remainder_of": ["2.5, a23", "2, a03"],
    "floor_divide_number": ["a23, 0.7", "a23, -0.7", "a03, 2"],
    "neg": unary("a", True),
    "conj_complex": ["z23", "z", "z03"],
    "reciprocal": unary("a", True),
    "pow_number": ["p23, 2.5", "a23, 3", "a23, 2", "a23, 1", "a23, 0", "a23, -1", "p, 0.5", "a03, 2", "z3, 3", "z3, 0",
                   "p3, True"],  # fmt: skip
    "pow_tensor": [*binary("p", "b"), "z3, w3", "p3, z3"],
    "pow_base": ["2.5, a23", "2, a", "0.5, a03", "1, a3", "2.5, z3"],
    "remainder_number": ["a23, 0.7", "a23, -0.7", "a, 0.7", "a03, 2"],
    "remainder_tensor": binary("a", "b"),
    "abs": unary("a", True),
    "sign": unary("a"),
    "exp": unary("a", True),
    "expm1": unary("a", True),
    "log": unary("p", True),
    "log1p": [*unary("p", True), "u23"],
    "log2": unary("p", True),
    "log10": unary("p", True),
    "sqrt": unary("p", True),
    "rsqrt": unary("p", True),
    "sin": unary("a", True),
    "cos": unary("a", True),
    "tan": unary("u", True),
    "asin": unary("u", True),
    "acos": unary("u", True),
    "atan": unary("a", True),
    "sinh": unary("a", True),
    "cosh": unary("a", True),
    "tanh": unary("a", True),
    "sigmoid": unary("a", True),
    "relu": unary("a"),
    "floor": unary("a"),
    "ceil": unary("a"),
    "round_whole": unary("a"),
    "trunc": unary("a"),
    "nan_to_num": [*unary("a"), "a23, 1.0, 2.0"],
    "sgn": [*unary("a"), "z23", "z"],
    "erf": unary("a"),
    "round_decimals": ["a23, 2", "a, 2", "a03, 1", "a3, -1"],
    "div_mode": ["a23, b3, 'floor'", "a23, b3, 'trunc'", "a23, 0.3, 'floor'", "a, b, 'trunc'", "a03, 2, 'trunc'"],
    "atan2": binary("a", "b"),
    "logaddexp": binary("a", "b"),
    "lerp_number": ["a23, b23, 0.3", "a31, b2, 0.7", "a, b23, -2", "a03, b3, 0.5", "z3, w3, 0.3", "z3, w3, 0.3j",
                    "a23, b23, 1"],
    "lerp_tensor": ["a23, b23, c23", "a31, b2, c", "a, b23, c3", "a03, b3, c", "z3, w3, z"],
    "addcmul": ["a23, b23, c23", "a31, b2, c", "a, b23, c3, value=2", "a23, b3, c3, value=-0.5", "a03, b3, c",
                "z3, w3, z, value=2j"],
    "complex_of": ["a23, b23", "a31, b2", "a, b", "a03, b3"],
    "clamp_tensors": ["a23, b23, c3", "a23, b3", "a23, max=b3", "a3, b23, c", "a, b, c", "a03, b3, c3"],
    "maximum": binary("a", "b"),
    "minimum": binary("a", "b"),
    "clamp_numbers": ["a23, -0.5, 0.5", "a23, min=0.2", "a23, None, 0.4", "a23, max=-0.2", "a, -1, 1", "a03, 0, 1",
              "a23, 0.9, 0.4"],
    "where": ["m23, a23, b23", "m3, a23, b", "m23, a, b3", "m21, a3, b23", "m3, a23, 0.5", "m23, 0.5, b23", "m, a, b",
              "m03, a03, b3", "m3, z3, w", "m3, a3, z3"],  # fmt: skip
    **dict.fromkeys(("lt", "le", "gt", "ge", "eq", "ne"), ["a23, b3", "a23, 0.4", "a, b", "a03, 0.5"]),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), ["m23, bools([1, 1, 0])", "a23, m3"]),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), ["m23, bools([1, 1, 0])",
                                                                   "ints([6, 5]), ints([3, 4])"]),
    "logical_not": ["m23", "a23"],
    "bitwise_not": ["m23", "ints([6, -5])"],
    **dict.fromkeys(("isnan", "isinf", "isfinite"), ["a23", "a"]),
    # sums and means
    "sum_all": [*unary("a", True), "a234"],
    "sum_dim": ["a234, (1,), False", "a234, (0, 2), True", "a234, (-1,), True", "a23, (), False", "a23, (), True",
                "a, (), False", "a03, (0,), False", "a03, (1,), True", "z23, (0,), False"],  # fmt: skip
    "mean_all": [*unary("a", True)[:2], "z3", "a234"],
    "mean_dim": ["a234, (1,), False", "a234, (0, -1), True", "a23, (), False", "a, (), False", "a03, (1,), False",
                 "z23, (0,), True"],  # fmt: skip
    "var_dim": ["a234, (1,), None, False", "a234, (0, 2), 1, True", "a23, None, 0, False", "a23, None, 1, True",
                "a234, (-1,), 2, False", "a23, (0,), 0.5, False", "a, None, 0, False",
                "z23, (0,), 1, False"],  # fmt: skip
    "std_dim": ["a234, (1,), None, False", "a234, (0, 2), 1, True", "a23, None, 0, False", "a23, None, 1, True",
                "a234, (-1,), 2, False", "z23, (0,), 1, False"],  # fmt: skip
    "vector_norm": ["a23, 0, None, False", "a23, 0, (1,), True", "a23, 0.5, (1,), True", "a23, 1, (0,), False",
                    "z3, 1, None, False", "a23, 1.5, (0,), True",
                    "z23, 1.5, None, False", "z23, 3, (1,), False", "a23, 3, (1,), True", "a23, inf, (1,), False",
                    "a23, -inf, None, True", "z23, inf, None, False", "a23, 2, None, False", "a234, 2, (1,), False",
                    "a234, 2, (0, -1), True", "a, 2, None, False",
                    "a23, 2, None, True", "z23, 2, None, False", "z23, 2, (0,), False", "a23, 1, (1,), False",
                    "z23, 1, (0,), True",
                    "a23, 3, None, False", "a234, 2.5, (0, 2), False", "a23, 1.5, (1,), False", "p23, 0.5, (1,), False",
                    "z23, 3, (1,), False", "a23, float('inf'), (1,), False", "a23, -float('inf'), (0,), True",
                    "a23, 2, (1,), False, mg.float64"],
    "prod_all": ["a23", "a", "a0", "o23", "k3", "a5", "z3", "y3", "o1"],
    "prod_dim": ["a234, 1, False", "a23, -1, True", "o23, 1, False", "k4, 0, True", "k32, 0, False", "o1, 0, True", "o11, -1, False",
                 "a, 0, False", "a03, 0, True", "a13, 0, False", "z23, 1, False", "y23, 1, False"],
    # extrema
    **dict.fromkeys(("max_all", "min_all"), ["a23", "a", "a234"]),
    **dict.fromkeys(("max_dim", "min_dim"), ["a234, 1, False", "a234, 2, True", "a, 0, False", "a03, 1, False",
                                             "a23, -1, True"]),
    **dict.fromkeys(("amax", "amin"), ["a234, (0, 2), True", "a234, (-2,), False", "a23, (), False", "a, (), False",
                                       "a03, (1,), False"]),  # fmt: skip
    **dict.fromkeys(("argmax", "argmin"), ["a23", "a234, 1", "a234, -1, True", "a"]),
    **dict.fromkeys(("all", "any"), ["m23", "m234, 1", "m234, -1, True", "a23", "m", "m03"]),


    # along a dimension
    "cumprod_dim": ["y23, 1", "a23, 0", "a234, 1", "o23, 1", "k23, 1", "k5, 0", "a, 0", "a03, 0", "z23, 1", "a13, 0",
                    "a32, 1, mg.float64"],
    **dict.fromkeys(("sort_dim", "sort_stable"), ["a23, 1, False", "a234, 1, True", "a, 0, False", "a03, 1, True"]),
    "topk_dim": ["a24, 2, 1, True", "a342, 2, 1, False", "a, 1, 0, True", "a4, 0, 0, True"],
    "nonzero_rows": ["m23", "o23", "m", "m03"],
    "cumsum_dim": ["a23, 0", "a234, 1", "a234, -1", "a, 0", "a03, 0", "z23, 1"],
    "softmax_dim": ["a23, 0", "a234, 1", "a03, 0", "a03, 1", "a3, -1"],
    "log_softmax_dim": ["a23, 0", "a234, 1", "a03, 0", "a03, 1", "a3, -1"],
    "logsumexp_dim": ["a234, (1,), False", "a234, (0, -1), True", "a, (), False", "a03, (1,), False", "a23, (0, 1), False",
                  "z23, (1,), False"],
    # shape
    "view_as_shape": ["a23, (3, 2)", "a234, (6, -1)", "a, (1, 1)", "a03, (3, 0)", "z23, (6,)"],
    "unsafe_view": ["a23, (6,)", "a, (1,)"],
    "transpose": ["a234, 0, 2", "a23, -1, 0", "a, 0, -1", "a03, 0, 1", "z23, 0, 1"],
    "t": ["a23", "a3", "a"],
    "permute_dims": ["a234, (2, 0, 1)", "a234, (-1, 0, -2)", "a23, (0, 1)", "a, ()"],
    "squeeze_all": ["a213", "a1", "a23", "a", "a10"],
    "squeeze_dim": ["a213, 1", "a213, -2", "a23, 0", "a, 0"],
    "squeeze_product": ["a213, 1"],
    "squeeze_dims": ["a2113, (1, 2)", "a213, (0, 1)", "a213, ()", "a, (0,)"],
    "unsqueeze_dim": ["a23, 1", "a23, -1", "a, 0", "a03, 0"],
    "expand_to": ["a31, (2, 3, 4)", "a, (2,)", "a3, (2, 3)", "a23, (2, 3)", "a13, (0, 3)", "z, (2,)"],
    "select": ["a234, 1, -1", "a234, -1, 2", "a3, 0, 1"],
    "select_backward": ["a24, (2, 3, 4), 1, 2", "a, (3,), 0, -1", "a23, (2, 3, 4), -1, 0"],
    "slice_dim": ["a53, 0, 1, 5, 2", "a34, 1, 0, 2, 1", "a5, 0, -3, -1, 1", "a34, 1, 2, 1, 1"],
    "slice_backward": ["a23, (5, 3), 0, 1, 5, 2", "a32, (3, 4), 1, 0, 2, 1", "a30, (3, 4), 1, 2, 1, 1"],
    "unbind_dim": ["a23, 1", "a3, 0", "a203, 0", "a203, 2"],
    "split_dim": ["a30, 2, 1", "a30, 0, 1", "a52, 2, 0", "a25, 3, 1", "a23, 5, 0"],
    "split_sizes": ["a52, (1, 4), 0", "a25, (2, 0, 3), 1", "a03, (1, 2), 1"],
    "view_as_real": ["z23", "z", "z03"],
    "view_as_complex": ["a32", "a2", "a232"],
    "reshape_alias": ["a23, (3, 2)", "a234, (6, -1)"],
    "diagonal": ["a34", "a34, 1", "a43, -2", "a234, -1, 0, 2", "a234, 0, -1, -2"],
    "diag_embed": ["a3, 0", "a3, 1", "a2, -2", "a0, 0"],
    "diagonal_backward": ["a3, (3, 4), 0, 0, 1", "a2, (4, 3), -2, 0, 1", "a31, (2, 3, 4), -1, 0, 2"],
    "as_strided": ["a23, turned", "a34, column"],
    "as_strided_scatter": ["a32, (2, 3), turned", "a2, (3, 4), column"],
    "clone": unary("a", True),
    "clone_rows": unary("a", True),
    "to_copy": ["a23, mg.float64", "a, mg.float64", "a23, mg.complex128", "z3, mg.complex128"],
    "cat_list": ["(a23, b13), 0", "(a23, b22, c21), 1", "(a2, b0, c3), 0", "(a23, b23), 1", "(a2,), 0", "(z2, w3), 0"],
    "stack_list": ["(a23, b23), 0", "(a23, b23, c23), 2", "(a, b), 0", "(a03, b03), 2", "(z2, w2), 1"],
    "repeat_tiles": ["a23, (2, 1, 3)", "a3, (2,)", "a, (2, 2)", "a03, (2, 2)", "a, ()", "a2, (0,)"],
    "flip_dims": ["a23, (0,)", "a234, (0, 2)", "a23, (-1,)", "a23, ()", "a03, (1,)"],
    "roll_dims": ["a34, (1,), (0,)", "a34, (2,), ()", "a34, (1, -1), (0, 1)", "a34, (1, 2), (1, 1)", "a03, (1,), (0,)"],
    "tril": ["a34", "a34, 1", "a43, -1", "a233"],
    "triu": ["a34", "a34, 1", "a43, -1", "a233"],
    # index
    "index": ["a34, (ints([0, 2, 2]),)", "a34, (None, ints([[1, 1], [0, 3]]))", "a34, (ints([0, -1]), ints([1, 1]))",
              "a345, (ints([[0], [1]]), None, ints([2, 2]))", "a3, (ints([]),)", "a3, (ints(1),)"],  # fmt: skip
    "index_put_zeros": ["a34, (3, 4), (ints([0, 2, 2]),)", "a322, (3, 4), (None, ints([[1, 1], [0, 3]]))",
                        "a2, (3, 4), (ints([0, -1]), ints([1, 1]))"],
    "index_put": ["a34, (ints([0, 2]),), b24", "a34, (ints([0, 2]),), b4, False", "a34, (ints([0, 2, 2]),), b34, True",
                  "a34, (None, ints([1, 3])), b1, True", "a34, (ints([0, 2]), ints([1, 3])), b2"],  # fmt: skip
    "index_fill_zero": ["a34, (ints([0, 2, 2]),)", "a34, (None, ints([1]))"],
    "index_select_dim": ["a34, 1, ints([0, 2, 2])", "a34, 0, ints([])", "a234, 2, ints([3])"],
    "index_add_zeros": ["a33, (3, 4), 1, ints([0, 2, 2])", "a23, (4, 3), 0, ints([3, 0])"],
    "embedding": ["b34, ints([[0, 2], [2, 1]]), None"],
    "gather_dim": ["a34, 1, ints([[0, 0], [3, 1]])", "a34, 0, ints([[2, 2, 0, 1]])", "a3, -1, ints([1, 1])"],
    "scatter_add_zeros": ["a22, (3, 4), 1, ints([[0, 0], [3, 1]])", "a14, (3, 4), 0, ints([[2, 2, 0, 1]])"],
    "scatter_add_dim": ["a34, 1, ints([[0, 0], [3, 1]]), b22", "a34, 0, ints([[2, 2, 0, 1]]), b14",
                        "a3, 0, ints([1, 1]), b2"],
    "masked_fill_number": ["a23, m23, 0.5", "a23, m3, 2", "a, m, 0.5", "a03, m3, 1", "z3, m3, 1j", "a3, m23, 2"],
    "masked_fill_tensor": ["a23, m23, b", "a23, m3, b", "a, m, b", "a03, m3, b", "z3, m3, z"],
    "masked_select": ["a23, m23", "a23, m3", "a3, m23", "a, m", "z3, m3"],
    "masked_scatter_zeros": ["a2, (2, 3), bools([[1, 0, 0], [0, 0, 1]])", "a2, (2, 3), bools([1, 0, 0])",
                             "a2, (3,), bools([[1, 0, 0], [0, 0, 1]])"],
    "alias": ["a", "a23"],
    "fw_primal": ["a", "a23"],
    "copied": ["a23, b23", "a23, b3", "a, b", "a23, b", "z3, w3", "z3, b3"],
    "filled": ["a23, 2.5", "a, 1", "z3, 2j"],
    "filled_from": ["a23, b", "a, b", "z3, w"],
    "zeroed": ["a23", "a"],
    **{name: ["a23, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]", "a, 2.5", "z3, [1j, 2j, 3j]"]
       for name in ("uniform", "normal", "bernoulli")},
    # neural
    "leaky_relu": ["a23, 0.1", "a, 0.01", "a03, 2"],
    "softplus": ["p23, 2, 1.48", "a23, 1, 20", "a23, 2, 0.6", "a, 1, 20", "a03, 1, 20"],
    "threshold_backward": ["a23, b23, 0.2", "a, b, 0", "a03, b03, 1"],
    "mse_loss": ["a23, b23, 1", "a23, b23, 2", "a23, b23, 0", "a, b, 1", "a03, b03, 2"],
    "bce_with_logits": ["a23, p23, 1", "a23, p23, 2", "a, p, 0", "a23, p23, 0"],
    "nll_loss": ["a23, ints([2, 0]), None, 1, -100", "a23, ints([2, 0]), reals([1.0, 2.0, 0.5]), 1, -100",
                 "a23, ints([2, 0]), None, 0, -100",
                 "a33, ints([2, 0, 1]), None, 2, 0", "a33, ints([2, 0, 1]), reals([1.0, 2.0, 0.5]), 1, 2",
                 "a3, ints(1), None, 1, -100"],
    "nll_backward": ["a, (2, 3), ints([2, 0]), None, 1, -100, reals(2.0)",
                     "a2, (2, 3), ints([2, 0]), None, 0, -100, reals(0.0)",
                     "a, (2, 3), ints([2, 0]), reals([1.0, 2.0, 0.5]), 1, -100, reals(1.5)",
                     "a, (3, 3), ints([2, 0, 1]), None, 2, 0, reals(2.0)"],
    "convolve": ["z1133, w1122, ((3, 3), (2, 2), (2, 2), (1, 1), (0, 0), (1, 1), 1)",
                 "a1234, b3222, ((3, 4), (2, 3), (2, 2), (1, 1), (0, 0), (1, 1), 1)",
                 "a2434, b2222, ((3, 4), (2, 3), (2, 2), (2, 2), (1, 1), (1, 1), 2)",
                 "a1145, b2122, ((4, 5), (4, 2), (2, 2), (1, 2), (1, 0), (2, 2), 1)"],
    "convolve_input": ["z1122, w1122, ((3, 3), (2, 2), (2, 2), (1, 1), (0, 0), (1, 1), 1)",
                       "a1323, b3222, ((3, 4), (2, 3), (2, 2), (1, 1), (0, 0), (1, 1), 1)",
                       "a2223, b2222, ((3, 4), (2, 3), (2, 2), (2, 2), (1, 1), (1, 1), 2)",
                       "a1242, b2122, ((4, 5), (4, 2), (2, 2), (1, 2), (1, 0), (2, 2), 1)"],
    "convolve_weight": ["z1133, w1122, ((3, 3), (2, 2), (2, 2), (1, 1), (0, 0), (1, 1), 1)",
                        "a1234, b1323, ((3, 4), (2, 3), (2, 2), (1, 1), (0, 0), (1, 1), 1)",
                        "a2434, b2223, ((3, 4), (2, 3), (2, 2), (2, 2), (1, 1), (1, 1), 2)",
                        "a1145, b1242, ((4, 5), (4, 2), (2, 2), (1, 2), (1, 0), (2, 2), 1)"],
    "convolution": ["z1122, w1122, z1, (1, 1), (0, 0), (1, 1), True, (0, 0), 1",
                    "a1234, b3222, None, (1, 1), (0, 0), (1, 1), False, (0, 0), 1",
                    "a1234, b3222, c3, (2, 1), (1, 0), (1, 1), False, (0, 0), 1",
                    "a2434, b2222, c2, (1, 2), (1, 1), (2, 1), False, (0, 0), 2",
                    "a1234, b2322, c3, (1, 1), (0, 0), (1, 1), True, (0, 0), 1",
                    "a1234, b2322, None, (2, 3), (1, 0), (1, 2), True, (1, 2), 1",
                    "a1422, b4132, c2, (2, 2), (0, 1), (1, 1), True, (0, 0), 2",
                    "z1133, w1122, z1, (1, 1), (0, 0), (1, 1), False, (0, 0), 1"],
    "max_pool2d": ["a1244, (2, 2), (2, 2), (0, 0), (1, 1), False", "a145, (3, 2), (1, 2), (1, 1), (1, 1), False",
                   "a1155, (2, 2), (2, 2), (0, 0), (1, 1), True",
                   "a1155, (2, 2), (1, 2), (0, 0), (2, 3), False"],
    "constant_pad_nd": ["a23, (1, 2), 0", "a23, (1, 0, 0, 2), 7", "a234, (-1, 0), 0.5", "a23, (0, -1, 2, -1), 1",
                        "a, (), 3", "a03, (1, 1), 0"],
    # matrix
    "mm": ["a23, b34", "a03, b34", "a20, b03", "a13, b31", "z23, w32"],
    "mv": ["a23, b3", "a03, b3", "a20, b0", "z23, w3"],
    "dot": ["a3, b3", "a0, b0", "z3, w3"],
    "bmm": ["a223, b234", "a220, b203", "z122, w122"],
    "addmm": ["a24, b23, c34", "a4, b23, c34, beta=0.5, alpha=-2", "a, b23, c34, alpha=2",
              "a21, b23, c34, beta=0, alpha=1", "a04, b03, c34", "z24, w23, z34, beta=2j, alpha=1j"],
    "contracted": ["a23, b34, ('ij', 'jk', 'ik')", "a23, b24, ('ab', 'ac', 'bac')", "a3, b3, ('i', 'i', '')",
                   "z23, w3, ('ij', 'j', 'i')"],
    "inv": ["a33", "a233", "a11", "z22"],
    "solve": ["a33, b34", "a33, b3", "a233, b23", "a233, b3", "a233, b32", "a22, b323", "z22, w23", "z22, w2"],
}  # fmt: skip

_COMPARE = ["a23, b3", "a23, 0.4"]
_MATRIX = ["a23, b34", "a3, b3", "a23, b3", "a3, b34", "a243, b35", "a243, b3", "a3, b234", "a223, b234", "a1223, b32",
           "a23, b234", "a2123, b331", "a223, b134", "a23, b034", "a4, b2243"]  # fmt: skip

# What is made of them: public functions, methods and operators that are not themselves operations of the registry.
PUBLIC: dict[str, list[str]] = {
    "argsort": ["a23", "a234, 1", "a23, 0, True"],
    "sort": ["a23", "a234, 1", "a23, 0, True", "a, 0", "a23, dim=0, descending=True"],
    "topk": ["a25, 3", "a342, 2, 1", "a24, 2, dim=1, largest=False"],
    "nonzero": ["m23", "o23", "m"],
    "cumprod": ["a234, 1", "o23, -1", "a, 0"],
    "pow": ["p23, b3", "p23, 2.5", "a23, 3", "2.5, a23", "a23, 0"],
    "square": ["a23", "a"],
    "remainder": ["a23, b3", "a23, 0.7"],
    **{alias: CORE[name] for alias, name in (("multiply", "mul"), ("subtract", "sub"), ("divide",
                   "true_div"), ("true_divide", "true_div"),
                                             ("absolute", "abs"), ("negative", "neg"), ("swapaxes", "transpose"))},
    "sum": ["a23", "a234, 1", "a234, (0, -1), True", "a234, dim=1, keepdim=True", "a, 0", "a03, 0", "a23, ()", "z23, 0",
            "a23, dtype=mg.float32", "a23, 0, dtype=mg.float32"],
    "mean": ["a23", "a234, 1", "a234, (0, -1), True", "a234, dim=-1", "a", "a23, 0, dtype=mg.float64"],
    "prod": ["a23", "o23", "k23", "a234, 1", "a23, -1, True", "o23, 1", "a, 0", "a03, 0"],
    "var": ["a23", "a234, 1", "a234, (0, 2), keepdim=True", "a23, 0, correction=0", "a23, False", "a23, 1, False",
            "a23, unbiased=False"],
    "std": ["a23", "a234, 1", "a234, (0, 2), keepdim=True", "a23, 0, correction=0", "a23, False", "a23, 1, False"],
    "norm": ["a23, 0", "a23, 1", "a23, 3, 1", "a23, float('inf')", "a23", "a234, dim=1", "a234, 2, (0, 2), True", "a",
             "a23, p=2",
             "z23"],
    "max": ["a23", "a234, 1", "a234, -1, True", "a23, b3", "a23, dim=0"],
    "min": ["a23", "a234, 1", "a234, -1, True", "a23, b3", "a23, dim=0"],
    "amax": ["a23", "a234, 1", "a234, (0, 2), True", "a"],
    "amin": ["a23", "a234, 1", "a234, (0, 2), True", "a"],
    "cumsum": ["a234, 1", "a234, -1", "a, 0", "a03, 1"],
    "softmax": ["a234, 1", "a23, -1", "a, 0", "a3, dim=0"],
    "log_softmax": ["a234, 1", "a23, -1", "a, 0", "a3, dim=0"],
    "logsumexp": ["a234, 1", "a234, (0, 2), True", "a, 0", "z23, 1"],
    "view": ["a234, 6, -1", "a234, (2, 12)", "a, 1", "a03, 3, 0"],
    "view_as": ["a23, b32"],
    "reshape": ["a234, (6, -1)", "a23.t(), (6,)", "a, (1, 1)", "a03, (0,)"],
    "flatten": ["a234", "a234, 1", "a234, 0, 1", "a", "a3", "a23.t()"],
    "permute": ["a234, (2, 0, 1)", "a234, (-1, 0, -2)"],
    "movedim": ["a234, 0, 2", "a234, -1, 0", "a234, 2, 1", "a234, (0, 1), (2, 0)", "a, 0, 0"],
    "broadcast_to": ["a31, (2, 3, 4)", "a, (2,)"],
    "diag": ["a34, 1", "a34", "a3, -1", "a3"],
    "masked_fill": ["a23, m3, 0.5", "a23, m23, b"],
    "scatter_add": ["a34, 1, ints([[0, 0], [3, 1]]), b22", "a34, -2, ints([[2, 2, 0, 1]]), b14"],
    "squeeze": ["a2113, (1, 2)", "a213", "a213, 1", "a213, -2", "a23, 0", "a"],
    "unsqueeze": ["a23, 0", "a23, -1", "a, 0"],
    "expand": ["a31, 2, 3, 4", "a31, (-1, 2)", "a, 2", "a3, 2, -1"],
    "expand_as": ["a31, b234"],
    "repeat": ["a23, 2, 1, 3", "a3, (2,)"],
    "cat": ["(a23, b13)", "(a23, b22), 1", "[a2, b0, c3]", "(a23, b23), -1", "(a23, b13), dim=0"],
    "stack": ["(a23, b23)", "[a23, b23], 2", "(a, b), -1"],
    "split": ["a52, 2", "a25, 3, 1", "a52, [1, 4]", "a25, [2, 3], dim=1"],
    "chunk": ["a52, 2", "a25, 3, 1", "a23, 5"],
    "unbind": ["a23", "a23, 1", "a234, -1"],
    "narrow": ["a53, 0, 1, 3", "a34, 1, -2, 1", "a34, 1, 1, 0"],
    "flip": ["a23, (0,)", "a234, (0, -1)"],
    "roll": ["a34, 1, 0", "a34, 5", "a34, (1, -1), (0, 1)", "a34, -2, -1"],
    "T": ["a23"],
    "mT": ["a234", "a23"],
    "index_select": ["a34, 1, ints([0, 2, 2])", "a234, -1, ints([3])", "a, 0, ints([0])"],
    "gather": ["a34, 1, ints([[0, 0], [3, 1]])", "a34, 0, ints([[2, 2, 0, 1]])", "a34, -1, ints([[1]])"],
    "einsum": ["'ij,jk->ik', a23, b34", "'ij->j', a23", "'ii->i', a33", "'ii', a33", "'bij,bkj->bik', a234, b254",
               "'...j,j->...', a234, b4", "'ba', a23",
               "'i,i->', a3, b3", "'i,j->ij', a2, b3", "'ij,jk,kl->il', a23, b34, c42", "'ij,ij->ij', a23, b23",
               "'iji->j', a232", "'ij,ik', a23, b24",
               "'...ij,...jk', a1223, b232", "'ij,jk->ik', z23, w32", "'ij,kl->', a23, b22", "'i...,i->...', a23, b2",
               "'ij,ij->i', a13, b23"],
    "matmul": _MATRIX,
    "outer": ["a2, b3", "z2, w3"],
    "trace": ["a33", "a34", "a43", "a03", "z33"],
    "conj": ["a23", "z3"],
    "real": ["a23", "z3"],
    "imag": ["z3"],
    "complex": ["a23, b23"],
    "atan2": CORE["atan2"][:2],
    "where": ["m23, a23, b3", "m3, a23, 0.5", "m, a, b"],
    "lerp": ["a23, b3, c3", "a23, b3, 0.3"],
    "div": [*binary("a", "b", True), "a23, 2", "a23, -1.5", "a23, b3, rounding_mode='floor'",
            "a23, b3, rounding_mode='trunc'"],
    "floor_divide": ["a23, b3", "a23, 0.7"],
    **dict.fromkeys(("clamp", "clip"), [*CORE["clamp_numbers"], "a23, b23, c3", "a23, max=b3", "a23, min=b"]),
    "round": ["a23", "a23, decimals=2"],
    "index_put": ["a34, (ints([0, 2]),), b24", "a34, (ints([0, 2, 2]),), b34, True",
                  "a34, (ints([0, 2]), ints([1, 3])), b", "a34, (m3,), b4"],
    "cdouble": ["a23"],
    **{name: CORE[name] for name in ("view_as_real", "view_as_complex")},
    "type_as": ["a23, b3", "a23, z3"],
    "contiguous": ["a23", "a23.t()"],
    "to": ["a23, mg.float64", "a23, mg.float32", "a23, mg.complex128", "a23, b3", "a23, mg.float64, copy=True"],
    "type": ["a23, mg.float64", "a23, mg.float32"],
    "float": ["a23"],
    "double": ["a23"],
    "nan_to_num": ["a23", "a23, 1.0, 2.0", "a23, posinf=3.0"],
    "isclose": ["a23, a23", "a23, b23"],
    "allclose": ["a23, a23", "a23, b23"],
    "equal": ["a23, a23", "a23, b23"],
    # minigrad.linalg and minigrad.nn.functional
    "linalg.norm": ["a23", "a3", "a234, dim=1", "a234, 3, (1,), True", "a23, 'fro'"],
    "linalg.inv": ["a22", "a322", "z22"],
    "linalg.solve": ["a22, b2", "a22, b23", "a322, b323", "z22, w2"],
    "nn.functional.relu": ["a23"],
    "nn.functional.leaky_relu": ["a23", "a23, 0.2"],
    "nn.functional.softplus": ["a23", "a23, 2, 1.48"],
    "nn.functional.sigmoid": ["a23"],
    "nn.functional.tanh": ["a23"],
    "nn.functional.softmax": ["a23, 1", "a234, dim=-2"],
    "nn.functional.log_softmax": ["a23, 1", "a234, dim=-2"],
    "nn.functional.dropout": ["a23, 0.5, False", "a23, p=0.0", "a23, p=1.0"],
    "nn.functional.linear": ["a23, b43", "a23, b43, c4", "a223, b43, c4", "a3, b43", "a3, b43, c4", "a2312, b32, c3"],
    "nn.functional.conv2d": ["a1234, b3222", "a1234, b3222, c3", "a1254, b3222, c3, 2, 1",
                        "a2454, b4222, c4, (2, 1), (1, 0), (1, 2), 2",
                             "a1233, b2122, padding='same', groups=2", "a234, b3222, c3"],
    "nn.functional.conv_transpose2d": ["a1222, b2322", "a1222, b2322, c3", "a1222, b2322, c3, 2, 1, 1",
                                       "a1432, b4122, c2, (2, 1), (1, 0), (1, 0), 2, (2, 1)", "a222, b2322"],
    "nn.functional.max_pool2d": ["a1244, 2", "a144, 3, 1, 1", "a1155, 2, 2, 1, 2", "a155, (2, 3), ceil_mode=True"],
    "nn.functional.avg_pool2d": ["a1244, 2", "a144, 3, 1, 1", "a155, 2"],
    "nn.functional.pad": ["a23, (1, 2)", "a23, (1, -1, 2, 0), value=0.5", "a234, (0, 1, -1, 1)"],
    "nn.functional.mse_loss": ["a23, b23", "a23, b23, reduction='sum'", "a23, b23, reduction='none'"],
    "nn.functional.nll_loss": ["a34, ints([1, 0, 3])", "a34, ints([1, 0, 3]), reals([1.0, 2.0, 0.5, 3.0])",
                        "a34, ints([1, 0, 3]), reduction='sum'",
                               "a34, ints([1, 0, 3]), ignore_index=0, reduction='none'"],
    "nn.functional.cross_entropy": ["a34, ints([1, 0, 3])", "a34, ints([1, 0, 3]), reals([1.0, 2.0, 0.5, 3.0])",
                        "a4, ints(2)",
                                    "a34, ints([1, 0, 3]), reduction='none'",
                        "a34, ints([1, 0, 3]), ignore_index=0, reduction='sum'",
                                    "a34, p34", "a34, ints([1, 0, 3]), label_smoothing=0.2"],
    "nn.functional.binary_cross_entropy_with_logits": ["a23, p23", "a23, p23, reals([1.0, 2.0, 0.5])",
                        "a23, p23, reduction='sum'",
                                                       "a23, p23, reduction='none', pos_weight=reals([1.0, 2.0, 0.5])"],
    # made of others: minigrad/composed.py and minigrad/nn/composed.py
    "clamp_min": ["a23, 0.1", "a23, b3"],
    "clamp_max": ["a23, 0.1", "a23, b3"],
    "addcdiv": ["a23, b3, c23", "a23, b23, c23, value=0.5"],
    "ravel": ["a23"],
    "meshgrid": ["a2, b3", "a2, b3, c4, indexing='ij'", "(a2, b3), indexing='xy'"],
    "hstack": ["(a2, b3)", "(a23, b22)"],
    "vstack": ["(a3, b3)", "(a23, b13)"],
    "tile": ["a23, (2,)", "a23, (2, 1)"],
    "repeat_interleave": ["a23, 2", "a23, 2, 1", "a23, ints([2, 0, 1]), 1"],
    "unique": ["ints([[1, 0], [1, 1]]), return_inverse=True", "ints([3, 1, 3]), return_counts=True"],
    "scatter": ["a34, 1, ints([[0, 2], [3, 1]]), b22", "a34, 0, ints([[2, 0, 1, 1]]), 0.5", "a34, 1, ints([[0], [1]]), value=2.0"],
    "index_copy": ["a34, 1, ints([0, 2]), b32", "a34, 0, ints([2]), b14"],
    "index_add": ["a34, 1, ints([0, 2, 2]), b33", "a34, 0, ints([2]), b14, alpha=0.5"],
    "dist": ["a23, b23", "a23, b23, 3"],
    "cdist": ["a23, b43", "a23, b43, 3.0"],
    "median": ["a23", "a24"],
    "histc": ["a23, 4", "a23, 3, -1, 1"],
    "bincount": ["ints([0, 2, 2])", "ints([0, 2, 2]), minlength=5"],
    "inverse": ["a22", "z22"],
    **{f"nn.functional.{name}": ["a23"] for name in ("relu6", "hardtanh", "silu", "logsigmoid")},
    "nn.functional.elu": ["a23", "a23, 0.5"],
    "nn.functional.gelu": ["a23", "a23, approximate='tanh'"],
    "nn.functional.normalize": ["a23", "a234, 3.0, dim=-1"],
    "nn.functional.cosine_similarity": ["a23, b23", "a234, b234, dim=2"],
    "nn.functional.pairwise_distance": ["a23, b23", "a23, b3, 3.0, keepdim=True"],
    "nn.functional.one_hot": ["ints([0, 2])", "ints([[0, 2]]), 4"],
    "nn.functional.embedding": ["ints([[0, 2], [2, 1]]), b34"],
    "nn.functional.layer_norm": ["a234, (4,)", "a234, (3, 4), b34, c34", "a23, (3,), b3"],
    "nn.functional.batch_norm": ["a53, None, None, b3, c3, True", "a234, None, None, training=True",
                                 "a53, reals([0.1, 0.2, 0.3]), reals([1.0, 2.0, 3.0]), b3, c3"],
    "nn.functional.scaled_dot_product_attention": ["a234, b254, c253", "a34, b34, c32, is_causal=True", "a34, b54, c52, d35",
                                                   "a24, b34, c32, bools([[1, 0, 1], [0, 1, 1]])", "a24, b34, c32, scale=0.3"],
    "nn.functional.l1_loss": ["a23, b23", "a23, b23, reduction='sum'"],
    "nn.functional.huber_loss": ["a23, b23", "a23, b23, 'none', 0.5"],
    "nn.functional.smooth_l1_loss": ["a23, b23", "a23, b23, reduction='sum', beta=0.5", "a23, b23, beta=0"],
    "nn.functional.kl_div": ["a23, p23", "a23, p23, reduction='batchmean'"],
    "nn.functional.binary_cross_entropy": ["s23, p23 / 2", "s23, p23 / 2, reduction='sum'",
                                           "s23, p23 / 2, reals([1.0, 2.0, 0.5]), reduction='none'"],
    # operators
    **{f"__{name}__": ["a23, b3", "a31, 2", "a23, 1.5"] for name in ("add", "sub", "mul", "truediv")},
    **{f"__{name}__": ["a23, 2", "a, 1.5"] for name in ("radd", "rsub", "rmul", "rtruediv")},
    "__floordiv__": ["a23, b3", "a23, 0.7"],
    "__rfloordiv__": ["a23, 2", "a, 1.5"],
    "__rmod__": ["a23, 2", "a, 1.5"],
    "__pos__": ["a23"],
    "__pow__": ["p23, b3", "a23, 3"],
    "__rpow__": ["a23, 2.5"],
    "__mod__": ["a32, b2", "a23, 0.7"],
    "__matmul__": _MATRIX,
    "__neg__": ["a23"],
    "__abs__": ["a23"],
    **{f"__{name}__": _COMPARE for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    **{f"__{name}__": ["m23, bools([1, 1, 0])"] for name in ("and", "or", "xor")},
    "__invert__": ["m23"],
    "__getitem__": ["a345, at[0]", "a345, at[-1, 1:, 2]", "a345, at[..., 0]", "a345, at[1:, ..., ::2]",
                    "a345, at[:, None, 1]", "a345, at[()]",
                    "a345, at[:]", "a345, at[...]", "a, at[...]", "a, at[None]", "a3, at[1]", "a34, at[m34]",
                              "a34, at[m3]", "a345, at[1, m4]",
                    "a345, at[ints([0, 0, 2])]", "a345, at[:, ints([[0, 3], [1, 1]])]",
                              "a345, at[ints([0, 1]), ints([2, 2])]",
                    "a345, at[ints([0, 1]), :, ints([2, 2])]", "a345, at[[0, 2], 1:]", "a345, at[0, [1, 1]]",
                              "a345, at[:, 0, [1, 1]]",
                    "a345, at[None, [0, 1]]", "a34, at[[True, False, True]]", "a34, at[5:]", "a34, at[-2:, :-1]",
                              "a34, at[True]",
                    "a34, at[:, :]", "a34, at[0:9]", "a34, at[0:3, 1]", "a34, at[0::2]"],
    "__iter__": ["a23"],
    # in place; the forms op_ of an operation op are checked against it for each of its samples too
    "copy_": ["a23, b23", "a23, b3", "a23, b"],
    "fill_": ["a23, 2.5", "a23, b"],
    "fill_diagonal_": ["a33, 2.5"],
    "zero_": ["a23"],
    **{f"__{name}__": ["a23, b3", "a23, 2"] for name in ("iadd", "isub", "imul", "itruediv")},
    "__ipow__": ["p23, b3", "a23, 3"],
    "pow_": ["p23, b3", "a23, 3"],
    "__setitem__": ["a345, at[0], b45", "a345, at[..., 1], b", "a345, at[1:, :, ::2], b3", "a345, at[:], 2.5",
                    "a, at[...], b",
                    "a34, at[m34], 1.5", "a34, at[m34], b", "a34, at[ints([0, 2])], b24", "a34, at[ints([0, 2])], b4",
                             "a345, at[0, ints([1, 3])], b25",
                    "a34, at[[0, 2], [1, 1]], b2", "a34, at[None, 0], b14", "a34, at[:], b4", "a34, at[..., :], b34",
                             "a34, at[0:9], b", "a34, at[[0, 1], 1:], b23"],
}  # fmt: skip

IN_PLACE_OPERATORS = ("__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__", "__setitem__")


def is_operation(name: str) -> bool:
    """Whether a public name is an operation of the registry itself, so that the samples of that one serve."""
    call = getattr(minigrad, name, None) or getattr(minigrad.Tensor, name, None)
    return name in CORE and getattr(call, "op", None) is REGISTRY.get(name)


CORE_SAMPLES = [Sample(name, text, True) for name, texts in CORE.items() for text in texts]
PUBLIC_SAMPLES = [
    Sample(name, text, False)
    for name, texts in {**{n: CORE[n] for n in CORE if is_operation(n)}, **PUBLIC}.items()
    for text in texts
]
