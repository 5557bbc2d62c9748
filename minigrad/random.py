"""Random numbers: PyTorch's own, from the same seed.

PyTorch draws 32-bit words from a Mersenne Twister, and so does NumPy's ``RandomState``, whose stream is frozen. What is made of
the words was compared with PyTorch 2.13 on CPU: integers, permutations and uniform numbers are the same to the last bit; normal
ones may differ by 1 unit of the last place in float32 and by 2 in float64, because PyTorch rounds its logarithm in another way. On
Intel's processors PyTorch takes ``bernoulli_`` and dropout from another stream (MKL's), which is not followed here.
"""

from __future__ import annotations

import functools
import math
import operator
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from . import dtypes, errors, signatures
from .autograd import no_grad
from .compat.attributes import device as Device
from .core.rule import checked
from .core.tensor import Tensor
from .core.tensor import wrap as _wrap
from .core.views import check_inplace, in_place, order_of
from .creation import _finish, _floats, _fused, _maker, _shape, empty_like
from .dtypes import dtype as DType
from .modes import state
from .ops.indexing import bernoulli as _bernoulli
from .ops.indexing import normal as _normal
from .ops.indexing import uniform as _uniform

__all__ = [
    "Generator", "default_generator", "initial_seed", "manual_seed", "rand", "rand_like", "randint", "randn", "randn_like",
    "randperm", "seed",
]  # fmt: skip


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
        if not -(2**63) <= operator.index(seed) < 2**64:
            raise ValueError(errors.LONG_LONG)
        self._seed, self._twister, self._kept = operator.index(seed) % 2**64, None, math.nan
        return self

    def seed(self) -> int:
        """Start anew from a seed that nobody can foretell, and return it."""
        return self.manual_seed(int.from_bytes(os.urandom(8), "little")).initial_seed()

    def initial_seed(self) -> int:
        """The seed from which the numbers came last."""
        return self._seed

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
        """Numbers in [0, 1), in float64 or float32: as many of a word's low bits as such a float has."""
        if kind == np.float64:
            return (self.pairs(count) & np.uint64(2**53 - 1)) * 2.0**-53
        return ((self.words(count) & np.uint64(2**24 - 1)) * 2.0**-24).astype(np.float32)

    def normal(self, count: int, kind: Any, blocks: bool = True) -> np.ndarray:
        """Normal numbers: 16 and more of them, if ``blocks``, in blocks of 16; else one pair after the other, in float64."""
        if blocks and count >= 16:
            full, computed = count - count % 16, _computed(kind)
            # The last block is made of new numbers, and covers some that were there. For float16 the others were not drawn.
            drawn = self.uniform(full if kind == np.float16 else count, computed)[:full]
            found = np.concatenate([_box_muller(*drawn.reshape(-1, 2, 8).swapaxes(0, 1)), np.empty(count - full, computed)])
            if count > full:
                found[-16:] = _box_muller(*self.uniform(16, computed).reshape(2, 1, 8))
            return found
        kept = [] if math.isnan(self._kept) else [self._kept][:count]
        angles, radii = self.uniform((count - len(kept) + 1) // 2 * 2).reshape(-1, 2, 1).swapaxes(0, 1)
        found = np.concatenate([kept, _box_muller(radii, angles), [math.nan]])
        self._kept = found[count] if count else self._kept
        return found[:count]


def _computed(kind: Any) -> type:
    """The dtype in which numbers of this dtype are computed."""
    return np.float64 if kind == np.float64 else np.float32


def _box_muller(radii: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Normal numbers of two arrays of uniform ones, (blocks, n): n with the cosines of a block's angles, n with the sines."""
    kind = radii.dtype.type
    radius, angle = np.sqrt(-2 * np.log1p(-radii.astype(np.float64))), kind(2 * np.pi) * angles
    waves = _waves(angle) if kind == np.float32 else (np.cos(angle), np.sin(angle))
    return np.stack([radius * wave for wave in waves], 1).ravel().astype(kind)


def _waves(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of angles from 0 to 2π, in float32: PyTorch takes these polynomials, which are of the Cephes library."""
    octant = (angle * np.float32(4 / np.pi)).astype(np.int32) + 1 & ~1
    for part in (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8):
        angle = _fused(octant.astype(np.float32), -part, angle)
    square = angle * angle
    of_cosine = _polynomial(square, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
    of_sine = _polynomial(square, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
    cosine, sine = _fused(of_cosine * square, square, -0.5 * square) + 1, _fused(of_sine * square, angle, angle)
    swapped = octant & 2 != 0
    cosine, sine = np.where(swapped, sine, cosine), np.where(swapped, cosine, sine)
    return np.where(octant + 2 & 4 != 0, -cosine, cosine), np.where(octant & 4 != 0, -sine, sine)


def _polynomial(x: np.ndarray, first: float, *coefficients: float) -> np.ndarray:
    return functools.reduce(lambda y, c: _fused(y, x, c), coefficients, np.float32(first))  # type: ignore[arg-type]


signatures._KINDS["Generator"] = Generator
default_generator = Generator()
default_generator.seed()
seed, initial_seed = default_generator.seed, default_generator.initial_seed


def manual_seed(seed: int) -> Generator:
    """Start the random numbers anew from a seed. They are those of PyTorch on CPU. Returns the generator they come from.

    >>> import minigrad as mg
    >>> _ = mg.manual_seed(0); mg.rand(2)
    tensor([0.4963, 0.7682])
    """
    return default_generator.manual_seed(int(seed))


# -- writing random numbers into a tensor ----------------------------------------------------------------------------------


def _written(self: Tensor, op: Callable, draw: Callable, *args: Any) -> Tensor:
    """The tensor with what is drawn: one number after the other as it lies in memory, not as it is indexed."""
    check_inplace(self, state.grad and self.requires_grad)
    numbers, order = draw(self._array, *args), order_of(self._array)
    if order is not None and numbers.shape != self._array.shape:
        numbers = numbers.reshape([self._array.shape[d] for d in order]).transpose(np.argsort(order))
    return in_place(op)(self, numbers.reshape(self._array.shape))


@checked
def _uniform_numbers(array: np.ndarray, low: float, high: float, generator: Generator | None) -> np.ndarray:
    real = array.real.dtype
    numbers = (generator or default_generator).uniform(array.size * (1 + (array.dtype.kind == "c")), kind := _computed(real))
    numbers = _fused(numbers, kind(high) - kind(low), kind(low)).astype(real)
    numbers[numbers == real.type(high)] = low  # where rounding reached the upper bound
    return numbers.view(array.dtype)


@checked
def _normal_numbers(array: np.ndarray, mean: float, std: float, generator: Generator | None) -> np.ndarray:
    real, is_complex = array.real.dtype, array.dtype.kind == "c"
    numbers = (generator or default_generator).normal(array.size * (1 + is_complex), real, array.flags.c_contiguous)
    numbers = _fused(numbers, std / math.sqrt(2) if is_complex else std, mean)
    return numbers.astype(_computed(real)).astype(real).view(array.dtype)


def uniform_(self: Tensor, low: float = 0, high: float = 1, *, generator: Generator | None = None, **bounds: Any) -> Tensor:
    """Random numbers in place of this tensor's, uniform in [``from``, ``to``), which is [0, 1) if nothing is said.

    >>> import minigrad as mg
    >>> x = mg.empty(2, 3).uniform_(-0.5, 0.5)
    >>> bool((x.abs() <= 0.5).all())
    True
    """
    low, high = float(bounds.get("from", low)), float(bounds.get("to", high))  # the names are no names in Python
    return _written(self, _uniform, _uniform_numbers, low, high, generator)


def normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Random numbers in place of this tensor's, normal with ``mean`` (0) and standard deviation ``std`` (1)."""
    return _written(self, _normal, _normal_numbers, float(mean), float(std), generator)


@checked
def _coins(p: np.ndarray, array: np.ndarray, generator: Generator | None) -> np.ndarray:
    """1 with probability p, else 0: a float32 is compared with p in float32 or float16, a float64 with another."""
    numbers = _wrap(np.empty_like(array, _computed(p.dtype))).uniform_(generator=generator)
    return numbers._array < np.broadcast_to(p, array.shape)


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """1 with probability p, else 0, in place of this tensor's elements. p: a number, or a Tensor that broadcasts to this one."""
    p = p._array if isinstance(p, Tensor) else np.float64(p)
    return _written(self, _bernoulli, lambda array: _coins(p, array, generator))


def random_(self: Tensor, *bounds: int, generator: Generator | None = None, **named: int) -> Tensor:
    """Integers in place of this tensor's elements: from [``from``, ``to``), or [0, to) when only one bound is given."""
    low, high = (0, *bounds)[-2:] if bounds else (named.get("from", 0), named["to"])
    return _written(self, _uniform, lambda array: _integers(low, high, array.size, array.dtype, generator))


@checked
def _integers(low: int, high: int, count: int, kind: np.dtype, generator: Generator | None) -> np.ndarray:
    return (generator or default_generator).integers(low, high - low, count).astype(kind)


# -- new tensors -----------------------------------------------------------------------------------------------------------


def _filled(result: Tensor, fill: Callable, requires_grad: bool, generator: Generator | None) -> Tensor:
    with no_grad():
        fill(result, generator=generator)
    return _finish(result._array, None, requires_grad)


def _made(fill: Callable, name: str, text: str) -> tuple[Callable, Callable]:
    def make(*size: Any, generator: Generator | None = None, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
        return _filled(_wrap(np.empty(_shape(size, name), _floats(dtype))), fill, requires_grad, generator)

    def like(input: Tensor, *, generator: Generator | None = None, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
        return _filled(empty_like(input, dtype=dtype), fill, requires_grad, generator)

    for call, called, doc in (make, name, text), (like, f"{name}_like", f"``{name}`` in the shape and dtype of another tensor."):
        call.__name__ = call.__qualname__ = called
        call.__doc__ = doc
    return _maker(make), _maker(like)


rand, rand_like = _made(uniform_, "rand", "Random numbers, uniform in [0, 1).")
randn, randn_like = _made(normal_, "randn", "Random numbers, normal with mean 0 and variance 1.")


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
    sizes, kind = _shape((size,), "randint"), (dtype or dtypes.int64).numpy
    return _finish(_integers(low or 0, high, math.prod(sizes), kind, generator).reshape(sizes), None, requires_grad)


@_maker
@checked
def randperm(n: int, *, generator: Generator | None = None, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """The numbers 0 to n - 1 in random order."""
    order = list(range(n))
    for place, word in enumerate((generator or default_generator).words(max(n - 1, 0)).tolist()):
        other = place + word % (n - place)  # exchanged with one that comes behind it, or itself
        order[place], order[other] = order[other], order[place]
    return _finish(np.array(order, (dtype or dtypes.int64).numpy), None, requires_grad)


def normal(
    mean: Any = 0, std: Any = 1, size: Any = None, *, generator: Generator | None = None, dtype: DType | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Normal random numbers. mean, std: Tensors, which broadcast, or numbers, with the ``size`` of the result.

    Nothing is learnt through them: the gradients of mean and std are zero.
    """
    given = [x for x in (mean, std) if isinstance(x, Tensor)]
    if isinstance(std, Tensor) and not (std._array >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    if not given:
        new = _wrap(np.empty(_shape((size,), "normal"), _floats(dtype)))
        return _filled(new, functools.partial(normal_, mean=mean, std=std), requires_grad, generator)
    place = functools.reduce(operator.add, given)
    with no_grad():
        if isinstance(std, Tensor):
            numbers = normal_(empty_like(place), generator=generator) * std + mean
        else:
            numbers = normal_(empty_like(place), 0, std, generator=generator) + mean
    return _normal(place, numbers._array)


def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability that stands in the input, else 0; p: one probability for all elements. The gradient is zero.

    >>> import minigrad as mg
    >>> mg.bernoulli(mg.tensor([0., 1.]))
    tensor([0., 1.])
    """
    return _bernoulli(input, _coins(input._array if p is None else np.float64(p), input._array, generator))


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Indices, drawn with the probabilities in proportion to the input (n) or to each of its rows (rows, n).

    replacement: whether an index can come twice. RuntimeError for weights below 0, or that are all 0, and for more samples
    than there are indices without replacement.
    """
    return _wrap(_chosen(input._array, num_samples, replacement, generator or default_generator))


@checked
def _chosen(p: np.ndarray, num_samples: int, replacement: bool, generator: Generator) -> np.ndarray:
    if num_samples == 1 or not replacement:  # who waits shortest comes first
        waits = -np.log1p(-generator.uniform(p.size)).astype(p.dtype).reshape(p.shape)
        return np.ascontiguousarray(np.argsort(-(p / waits), -1, kind="stable")[..., :num_samples])
    rows = np.cumsum(p.reshape(-1, p.shape[-1]), -1, p.dtype)
    drawn = generator.uniform(len(rows) * num_samples).reshape(len(rows), -1)
    found = [np.searchsorted(row / row[-1], u) for row, u in zip(rows, drawn, strict=True)]
    return np.array(found, np.int64).reshape(*p.shape[:-1], num_samples)
