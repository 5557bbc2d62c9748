"""Random numbers: PyTorch's own, from the same seed.

PyTorch draws 32-bit words from a Mersenne Twister, and so does NumPy's ``RandomState``, whose stream is frozen. What is made of
the words is found in PyTorch's DistributionTemplates.h and avx_mathfun.h, and was compared with PyTorch 2.13 on CPU: integers,
permutations and uniform numbers are the same to the last bit, and so are 16 and more normal ones in float32; other normal numbers
may differ in the last places, where the platform's logarithm does. On Intel's processors PyTorch takes ``bernoulli_``, dropout and
``exponential_`` from another stream (MKL's), which is not followed here.
"""

from __future__ import annotations

import contextlib
import functools
import math
import operator
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from . import dtypes, errors, signatures
from .autograd import no_grad
from .creation import _finish, _floats, _maker, _shape, empty_like
from .dtypes import dtype as DType
from .modes import state
from .ops.indexing import bernoulli as _bernoulli
from .ops.indexing import exponential as _exponential
from .ops.indexing import normal as _normal
from .ops.indexing import uniform as _uniform
from .tensor import Tensor, _wrap, check_inplace, in_place, order_of
from .tensor import device as Device

_STATE = np.dtype([("seed", "<u8"), ("place", "<i8"), ("kept", "<f8"), ("words", "<u4", 624)])  # of a generator, as bytes


class Generator:
    """A stream of random numbers of its own, for ``generator=``.

    >>> import minigrad as mg
    >>> g = mg.Generator().manual_seed(0)
    >>> mg.rand(2, generator=g)
    tensor([0.4963, 0.7682])
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.device = Device(device)
        self.manual_seed(67280421310721)  # PyTorch's

    def manual_seed(self, seed: int) -> Generator:
        """Start anew from a seed, and return this generator. RuntimeError for what is no integer, ValueError beyond 64 bits."""
        if not hasattr(seed, "__index__"):
            raise RuntimeError(f"manual_seed expected a long, but got {errors.kind_of(seed)}")
        seed = operator.index(seed)
        if not -(2**63) <= seed < 2**64:
            raise ValueError(errors.LONG_LONG)
        self._seed, self._twister, self._kept = seed % 2**64, None, None
        return self

    def seed(self) -> int:
        """Start anew from a seed that nobody can foretell, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """The seed from which the numbers came last."""
        return self._seed

    def get_state(self) -> Tensor:
        """Where the stream stands, as a tensor of bytes (not PyTorch's)."""
        _, words, place, *_ = self._raw().get_state()
        kept = math.nan if self._kept is None else self._kept
        return _wrap(np.frombuffer(np.array((self._seed, place, kept, words), _STATE).tobytes(), np.uint8).copy())

    def set_state(self, new_state: Tensor) -> Generator:
        """Go on where ``get_state`` was called. TypeError and RuntimeError for what is no such state."""
        if not isinstance(new_state, Tensor) or new_state.dtype is not dtypes.uint8:
            raise TypeError("RNG state must be a minigrad.ByteTensor")
        if new_state.numel() != _STATE.itemsize:
            raise RuntimeError("RNG state is wrong size")
        found = np.frombuffer(new_state._array.tobytes(), _STATE)[0]
        self.manual_seed(int(found["seed"]))
        self._raw().set_state(("MT19937", found["words"], int(found["place"])))
        self._kept = None if math.isnan(found["kept"]) else float(found["kept"])
        return self

    # -- what is drawn -----------------------------------------------------------------------------------------------

    def _raw(self) -> np.random.RandomState:
        if self._twister is None:
            self._twister = np.random.RandomState(self._seed % 2**32)
        return self._twister

    def words(self, count: int) -> np.ndarray:
        """So many words of 32 bits, in a dtype with room for calculations."""
        return self._raw().randint(0, 2**32, count, np.uint32).astype(np.uint64)

    def pairs(self, count: int) -> np.ndarray:
        """So many words of 64 bits, of two each."""
        high, low = self.words(2 * count).reshape(-1, 2).T
        return high << np.uint64(32) | low

    def integers(self, low: int, span: int, count: int) -> np.ndarray:
        """Integers from low to, not including, low + span: a remainder, of 64 bits where 32 would be uneven."""
        drawn = self.pairs(count) if span >= 2**28 else self.words(count)
        return (drawn % np.uint64(span) + np.uint64(low % 2**64)).astype(np.int64)  # in 64 bits, around zero

    def uniform(self, count: int, kind: Any = np.float64) -> np.ndarray:
        """Numbers in [0, 1): as many of a word's low bits as a float has."""
        if kind == np.float64:
            return (self.pairs(count) & np.uint64(2**53 - 1)) * 2.0**-53
        return ((self.words(count) & np.uint64(2**24 - 1)) * 2.0**-24).astype(np.float32)

    def normal(self, count: int, kind: Any, blocks: bool = True) -> np.ndarray:
        """Normal numbers, made in pairs (Box and Muller): 16 and more of them, if ``blocks``, in blocks of 16, fewer in float64."""
        if blocks and count >= 16:
            full = count - count % 16
            found = np.empty(count, _floating(kind))
            found[:full] = _box_muller(self.uniform(full if kind == np.float16 else count, found.dtype)[:full])
            if count > full:  # the last block is made of new numbers, and covers some that were there
                found[-16:] = _box_muller(self.uniform(16, found.dtype))
            return found
        known = [self._kept] if count and self._kept is not None else []
        u1, u2 = self.uniform((count - len(known) + 1) // 2 * 2).reshape(-1, 2).T
        found = [*known]
        for first, second in zip(u1.tolist(), u2.tolist(), strict=True):  # with the C library's functions, as PyTorch
            radius, angle = math.sqrt(-2 * math.log1p(-second)), 2 * math.pi * first
            found += [radius * math.cos(angle), radius * math.sin(angle)]
        if count:
            self._kept = found[count] if len(found) > count else None
        return np.array(found[:count])


def _floating(kind: Any) -> np.dtype:
    """The dtype in which numbers of this dtype are computed."""
    return np.dtype(np.float64 if kind == np.float64 else np.float32)


def _box_muller(u: np.ndarray) -> np.ndarray:
    """Normal numbers out of uniform ones, in blocks of 16: the first eight of a block give radii, the others angles."""
    u = u.reshape(-1, 2, 8)
    u1, u2 = 1 - u[:, 0], u[:, 1]
    if u.dtype == np.float64:
        radius, angle = np.sqrt(-2 * np.log(u1)), 2 * np.pi * u2
        sine, cosine = np.sin(angle), np.cos(angle)
    else:
        radius = np.sqrt(-2 * _log(u1))
        sine, cosine = _sine_and_cosine(np.float32(2 * np.pi) * u2)
    return np.stack([radius * cosine, radius * sine], 1).ravel()


# PyTorch computes these with the polynomials of the Cephes library, by instructions that multiply and add with one rounding.
_LOG = (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1,
        -2.4999993993e-1, 3.3333331174e-1)  # fmt: skip
_SINE = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COSINE = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_QUARTER_PI = (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)  # in three parts


def _fused(a: Any, b: Any, c: Any) -> np.ndarray:
    """a · b + c, rounded once, in float64 where one of them is an array of that, else in float32."""
    if not any(x.dtype == np.float64 for x in (a, b, c) if isinstance(x, np.ndarray)):
        a, b, c = (np.asarray(x, np.float32).astype(np.float64) for x in (a, b, c))  # which has room for the whole product
        return (a * b + c).astype(np.float32)
    product, (a1, a2), (b1, b2) = a * b, _halves(a), _halves(b)
    lost = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2
    total = product + c
    added = total - product
    return total + ((product - (total - added)) + (c - added) + lost)


def _halves(x: Any) -> tuple[Any, Any]:
    """A float64 as a sum of two, whose products with other halves are exact."""
    high = x * 134217729.0
    high -= high - x
    return high, x - high


def _polynomial(coefficients: Sequence[float], x: np.ndarray) -> np.ndarray:
    return functools.reduce(lambda y, c: _fused(y, x, c), coefficients[1:], np.float32(coefficients[0]))


def _log(x: np.ndarray) -> np.ndarray:
    """The logarithm of numbers in (0, 1], in float32."""
    x, exponent = np.frexp(x)
    small = x < np.float32(math.sqrt(0.5))
    x, exponent = np.where(small, 2 * x, x) - 1, exponent - small
    square = x * x
    y = _fused(_polynomial(_LOG, x) * x, square, np.float32(-2.12194440e-4) * exponent.astype(np.float32))
    return _fused(exponent, 0.693359375, x + _fused(square, -0.5, y))


def _sine_and_cosine(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of angles from 0 to 2π, in float32."""
    octant = (angle * np.float32(4 / np.pi)).astype(np.int32) + 1 & ~1
    for part in _QUARTER_PI:
        angle = _fused(octant, -part, angle)
    square = angle * angle
    cosine = _fused(_polynomial(_COSINE, square) * square, square, -0.5 * square) + 1
    sine = _fused(_polynomial(_SINE, square) * square, angle, angle)
    swapped = octant & 2 != 0
    sine, cosine = np.where(swapped, cosine, sine), np.where(swapped, sine, cosine)
    return np.where(octant & 4 != 0, -sine, sine), np.where(octant + 2 & 4 != 0, -cosine, cosine)


signatures._KINDS["Generator"] = Generator
default_generator = Generator()
default_generator.seed()


def manual_seed(seed: int) -> Generator:
    """Start the random numbers anew from a seed. They are those of PyTorch on CPU. Returns the generator they come from.

    >>> import minigrad as mg
    >>> _ = mg.manual_seed(0); mg.rand(2)
    tensor([0.4963, 0.7682])
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Start the random numbers anew from a seed that nobody can foretell, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed from which the random numbers came last."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Where the stream of random numbers stands, for ``set_rng_state``."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Go on drawing where ``get_rng_state`` was called."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices: Sequence = (), enabled: bool = True) -> Iterator[None]:
    """Draw in this block without a trace: behind it the stream goes on where it was. devices: empty, or more than there are."""
    if devices:
        raise errors.lacks(f"other devices: {devices}")
    before = default_generator.get_state()
    yield
    if enabled:
        default_generator.set_state(before)


# -- writing random numbers into a tensor ----------------------------------------------------------------------------------

_uniform_in_place, _normal_in_place = in_place(_uniform), in_place(_normal)


def _refuse_dtype(kind: np.dtype, kernel: str) -> None:
    if kind.kind not in "fc":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes._FROM_NUMPY[kind].scalar_type}'")


def _arranged(numbers: np.ndarray, array: np.ndarray) -> np.ndarray:
    """Numbers in the shape of an array, one after the other as it lies in memory, not as it is indexed."""
    order = order_of(array)
    if order is None:
        return numbers.reshape(array.shape)
    return numbers.reshape([array.shape[d] for d in order]).transpose(np.argsort(order))


def _uniform_numbers(array: np.ndarray, low: float, high: float, generator: Generator) -> np.ndarray:
    real, kind = array.real.dtype, _floating(array.real.dtype).type
    count = array.size * (2 if array.dtype.kind == "c" else 1)
    numbers = _fused(generator.uniform(count, kind), kind(high) - kind(low), kind(low)).astype(real)
    numbers[numbers == real.type(high)] = low  # where rounding reached the upper bound
    return _arranged(numbers.view(array.dtype), array)


def _normal_numbers(array: np.ndarray, mean: float, std: float, generator: Generator) -> np.ndarray:
    real, parts = array.real.dtype, 2 if array.dtype.kind == "c" else 1
    numbers = generator.normal(array.size * parts, real, array.flags.c_contiguous)
    if parts == 2:
        std /= math.sqrt(2)
    return _arranged(_fused(numbers, std, mean).astype(_floating(real)).astype(real).view(array.dtype), array)


def _writable(self: Tensor, kernel: str) -> None:
    check_inplace(self, state.grad and self.requires_grad)
    _refuse_dtype(self._array.dtype, kernel)


def uniform_(self: Tensor, low: float = 0, high: float = 1, *, generator: Generator | None = None, **bounds: Any) -> Tensor:
    """Random numbers in place of this tensor's, uniform in [``from``, ``to``), which is [0, 1) if nothing is said.

    >>> import minigrad as mg
    >>> x = mg.empty(2, 3).uniform_(-0.5, 0.5)
    >>> bool((x.abs() <= 0.5).all())
    True
    """
    low, high = float(bounds.get("from", low)), float(bounds.get("to", high))  # the names are no names in Python
    _writable(self, "check_uniform_bounds")
    if low > high:
        raise RuntimeError(errors.UNIFORM_RANGE.format(f"{low:g}", f"{high:g}"))
    return _uniform_in_place(self, _uniform_numbers(self._array, low, high, generator or default_generator))


def normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Random numbers in place of this tensor's, normal with ``mean`` (0) and standard deviation ``std`` (1)."""
    _writable(self, "normal_kernel_cpu")
    if std < 0:
        raise RuntimeError(errors.NORMAL_STD.format(f"{std:g}"))
    return _normal_in_place(self, _normal_numbers(self._array, float(mean), float(std), generator or default_generator))


_NO_CHANCE = (
    "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please report an "
    "enhancement request to PyTorch.)"
)
_bernoulli_in_place, _exponential_in_place = in_place(_bernoulli), in_place(_exponential)


def _coins(p: np.ndarray, array: np.ndarray, generator: Generator | None) -> np.ndarray:
    """1 with probability p, else 0: a float32 is compared with p in float32 or float16, a float64 with another."""
    if not ((p >= 0) & (p <= 1)).all():
        raise RuntimeError(_NO_CHANCE)
    numbers = (generator or default_generator).uniform(array.size, _floating(p.dtype))
    return _arranged(numbers, array) < np.broadcast_to(p, array.shape)


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """1 with probability p, else 0, in place of this tensor's elements. p: a number, or a Tensor that broadcasts to this one."""
    check_inplace(self, state.grad and self.requires_grad)
    if not isinstance(p, Tensor) and not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    p = p._array if isinstance(p, Tensor) else np.float64(p)
    _refuse_dtype(p.dtype, "bernoulli_tensor_cpu_p_")
    return _bernoulli_in_place(self, _coins(p, self._array, generator))


def exponential_(self: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Random numbers in place of this tensor's, exponential with the mean 1 / lambd."""
    _writable(self, "exponential_cpu")
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    return _exponential_in_place(self, _arranged(_waits(self._array, generator) / lambd, self._array))


def _waits(array: np.ndarray, generator: Generator | None) -> np.ndarray:
    return -np.log1p(-(generator or default_generator).uniform(array.size)).astype(array.dtype)


def random_(self: Tensor, *bounds: int, generator: Generator | None = None, **named: int) -> Tensor:
    """Integers in place of this tensor's elements: from [``from``, ``to``), or [0, to) when only one bound is given.

    Without a bound: all that the dtype can tell apart, from 0 on.
    """
    low, high = (*([0] * (len(bounds) < 2)), *bounds) if bounds else (named.get("from", 0), named.get("to"))
    check_inplace(self, state.grad and self.requires_grad)
    if high is None:
        kind, count = self._array.dtype, self._array.size
        draw = generator or default_generator
        last = int(np.iinfo(kind).max) if kind.kind in "iu" else 2 ** (np.finfo(kind).nmant + 1)
        numbers = (draw.pairs if kind.itemsize == 8 else draw.words)(count) % np.uint64(last + 1)
        return _uniform_in_place(self, _arranged(numbers.astype(kind), self._array))
    return _uniform_in_place(self, _arranged(_integers(low, high, self._array.size, self._array.dtype, generator), self._array))


def _integers(low: int, high: int, count: int, kind: np.dtype, generator: Generator | None) -> np.ndarray:
    if high <= low:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if kind.kind in "iu":
        limits, name = np.iinfo(kind), dtypes._FROM_NUMPY[kind].cpp
        for what, bound in (("from", low), ("to - 1", high - 1)):
            if not limits.min <= bound <= limits.max:
                raise RuntimeError(f"{what} is out of bounds for {name}")
    return (generator or default_generator).integers(low, high - low, count).astype(kind)


# -- new tensors -----------------------------------------------------------------------------------------------------------


def _filled(result: Tensor, fill: Callable, requires_grad: bool, generator: Generator | None) -> Tensor:
    with no_grad():
        fill(result, generator=generator)
    return _finish(result._array, None, requires_grad)


def _empty(size: tuple, name: str, dtype: DType | None) -> Tensor:
    return _wrap(np.empty(_shape(size, name), _floats(dtype)))


@_maker
def rand(*size: Any, generator: Generator | None = None, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Random numbers, uniform in [0, 1)."""
    return _filled(_empty(size, "rand", dtype), uniform_, requires_grad, generator)


@_maker
def randn(*size: Any, generator: Generator | None = None, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Random numbers, normal with mean 0 and variance 1."""
    return _filled(_empty(size, "randn", dtype), normal_, requires_grad, generator)


@_maker
def randint(
    low: Any = None, high: Any = None, size: Any = None, *, generator: Generator | None = None, dtype: DType | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Random integers from low (0 when only one bound is given) up to, not including, high."""
    if size is None:  # randint(high, size)
        low, high, size = None, low, high
    elif high is None:
        low, high = None, low
    if not isinstance(size, Sequence):
        raise TypeError(type(size))
    sizes, kind = _shape((size,), "randint"), (dtype or dtypes.int64).numpy
    numbers = _integers(0 if low is None else low, high, math.prod(sizes), kind, generator)
    return _finish(numbers.reshape(sizes), None, requires_grad)


@_maker
def randperm(
    n: int, *, generator: Generator | None = None, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """The numbers 0 to n - 1 in random order."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    order = list(range(n))
    words = (generator or default_generator).words(max(n - 1, 0)).tolist()
    for place, word in enumerate(words):  # exchanged with one that comes behind it, or itself
        other = place + word % (n - place)
        order[place], order[other] = order[other], order[place]
    return _finish(np.array(order, (dtype or dtypes.int64).numpy), None, requires_grad)


def _like(fill: Callable, name: str) -> Callable:
    def function(
        input: Tensor, *, generator: Generator | None = None, dtype: DType | None = None, requires_grad: bool = False,
        device: Any = None,
    ) -> Tensor:  # fmt: skip
        return _filled(empty_like(input, dtype=dtype, device=device), fill, requires_grad, generator)

    function.__doc__ = f"``{name}`` in the shape and dtype of another tensor."
    return signatures.guarded(function, f"{name}_like")


rand_like, randn_like = _like(uniform_, "rand"), _like(normal_, "randn")


def randint_like(
    input: Tensor, low: int, high: int | None = None, *, generator: Generator | None = None, dtype: DType | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Random integers from low (0 when only one bound is given) up to high, in the shape and dtype of another tensor."""
    bounds = (low,) if high is None else (low, high)
    return _filled(empty_like(input, dtype=dtype), lambda x, **g: random_(x, *bounds, **g), requires_grad, generator)


def normal(
    mean: Any = 0, std: Any = 1, size: Any = None, *, generator: Generator | None = None, dtype: DType | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Normal random numbers. mean, std: Tensors, which broadcast, or numbers, with the ``size`` of the result.

    Nothing is learnt through them: the gradients of mean and std are zero.
    """
    if isinstance(std, Tensor) and not (std._array >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    given = [x for x in (mean, std) if isinstance(x, Tensor)]
    if not given:
        return _filled(_empty((size,), "normal", dtype), functools.partial(normal_, mean=mean, std=std), requires_grad, generator)
    place = given[0] if len(given) == 1 else given[0] + given[1]
    with no_grad():
        numbers = empty_like(place)
        if isinstance(std, Tensor):
            numbers = normal_(numbers, generator=generator) * std + mean
        else:
            numbers = normal_(numbers, 0, std, generator=generator) + mean
    return _normal(place, numbers._array)


def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability that stands in the input, else 0; p: one probability for all elements. The gradient is zero.

    >>> import minigrad as mg
    >>> mg.bernoulli(mg.tensor([0., 1.]))
    tensor([0., 1.])
    """
    chance = input._array if p is None else np.float64(p)
    _refuse_dtype(chance.dtype, "bernoulli_tensor_cpu_p_")
    return _bernoulli(input, _coins(chance, input._array, generator))


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Indices, drawn with the probabilities in proportion to the input (n) or to each of its rows (rows, n).

    replacement: whether an index can come twice. RuntimeError for weights below 0, or that are all 0, and for more samples
    than there are indices without replacement.
    """
    p = input._array
    if p.dtype.kind != "f":
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {input.dtype.scalar_type}")
    if p.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > p.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not (np.isfinite(p) & (p >= 0)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (p.sum(-1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if num_samples == 1 or not replacement:  # who waits shortest comes first
        waits = _waits(p, generator).reshape(p.shape)
        found = np.argsort(-(p / waits), -1, kind="stable")[..., :num_samples]
        return _wrap(np.ascontiguousarray(found))
    rows = np.cumsum(p.reshape(-1, p.shape[-1]), -1, p.dtype)
    drawn = (generator or default_generator).uniform(len(rows) * num_samples).reshape(len(rows), -1)
    found = [np.searchsorted(row / row[-1], u) for row, u in zip(rows, drawn, strict=True)]
    return _wrap(np.array(found, np.int64).reshape(*p.shape[:-1], num_samples))
