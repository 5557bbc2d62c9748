"""The functions of minigrad. Made by tools/stubs.py from minigrad/signatures.txt: not to be edited."""

# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, misc, valid-type"

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from .core.operations import Number, Pair, _bool, _float, _int
from .dtypes import dtype as _dtype
from .core.tensor import Tensor

def abs(input: Tensor) -> Tensor:
    """The absolute value; its slope at 0 is 0."""

def absolute(input: Tensor) -> Tensor:
    """The absolute value; its slope at 0 is 0."""

def acos(input: Tensor) -> Tensor:
    """The inverse of cos."""

def add(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = ...) -> Tensor:
    """self + alpha · other."""

def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = ...) -> Tensor:
    """input + value · tensor1 / tensor2."""

def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = ...) -> Tensor:
    """self + value · tensor1 · tensor2."""

def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Tensor:
    """beta · self + alpha · (mat1 @ mat2): a product of matrices and something that broadcasts to it."""

@overload
def all(input: Tensor) -> Tensor:
    """Whether all elements are true."""

@overload
def all(input: Tensor, dim: Sequence[_int] | None = ..., keepdim: _bool = ...) -> Tensor:
    """Whether all elements are true."""

@overload
def all(input: Tensor, dim: _int, keepdim: _bool = ...) -> Tensor:
    """Whether all elements are true."""

def allclose(input: Tensor, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> _bool:
    """Whether two tensors agree everywhere within a tolerance."""

def amax(input: Tensor, dim: _int | Sequence[_int] | None = ..., keepdim: _bool = ...) -> Tensor:
    """The largest elements over dimensions; ties share the gradient."""

def amin(input: Tensor, dim: _int | Sequence[_int] | None = ..., keepdim: _bool = ...) -> Tensor:
    """The smallest elements over dimensions; ties share the gradient."""

@overload
def any(input: Tensor) -> Tensor:
    """Whether some element is true."""

@overload
def any(input: Tensor, dim: Sequence[_int] | None = ..., keepdim: _bool = ...) -> Tensor:
    """Whether some element is true."""

@overload
def any(input: Tensor, dim: _int, keepdim: _bool = ...) -> Tensor:
    """Whether some element is true."""

@overload
def arange(end: Number, *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """The numbers from start (0 when only one is given) up to, not including, end."""

@overload
def arange(start: Number, end: Number, *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """The numbers from start (0 when only one is given) up to, not including, end."""

@overload
def arange(start: Number, end: Number, step: Number = ..., *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """The numbers from start (0 when only one is given) up to, not including, end."""

def argmax(input: Tensor, dim: _int | None = ..., keepdim: _bool = ...) -> Tensor:
    """Where the largest element is, in the flattened tensor or along a dimension."""

def argmin(input: Tensor, dim: _int | None = ..., keepdim: _bool = ...) -> Tensor:
    """Where the smallest element is, in the flattened tensor or along a dimension."""

@overload
def argsort(input: Tensor, *, stable: _bool, dim: _int = ..., descending: _bool = ...) -> Tensor:
    """Where the elements of the sorted tensor were."""

@overload
def argsort(input: Tensor, dim: _int = ..., descending: _bool = ...) -> Tensor:
    """Where the elements of the sorted tensor were."""

def as_tensor(data: Any, *, dtype: _dtype | None = ..., device: Any = ...) -> Tensor:
    """The data as a Tensor, without a copy where none is needed: a Tensor itself, an array sharing its memory."""

def asin(input: Tensor) -> Tensor:
    """The inverse of sin."""

def atan(input: Tensor) -> Tensor:
    """The inverse of tan."""

def atan2(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, self): the inverse of tan with the right quadrant."""

@overload
def bernoulli(input: Tensor, *, generator: Any = ...) -> Tensor:
    """1 with the probability that stands in the input, else 0; p: one probability for all elements. The gradient is zero."""

@overload
def bernoulli(input: Tensor, p: _float, *, generator: Any = ...) -> Tensor:
    """1 with the probability that stands in the input, else 0; p: one probability for all elements. The gradient is zero."""

def bincount(input: Any, weights: Any = ..., minlength: Any = ...) -> Tensor:
    """How often each number from 0 on is there, or the sum of its weights."""

@overload
def bitwise_and(input: Tensor, other: Tensor) -> Tensor:
    """self & other, of integers or bools."""

@overload
def bitwise_and(self: Number, other: Tensor) -> Tensor:
    """self & other, of integers or bools."""

@overload
def bitwise_and(input: Tensor, other: Number) -> Tensor:
    """self & other, of integers or bools."""

def bitwise_not(input: Tensor) -> Tensor:
    """~self, of integers or bools."""

@overload
def bitwise_or(input: Tensor, other: Tensor) -> Tensor:
    """self | other, of integers or bools."""

@overload
def bitwise_or(self: Number, other: Tensor) -> Tensor:
    """self | other, of integers or bools."""

@overload
def bitwise_or(input: Tensor, other: Number) -> Tensor:
    """self | other, of integers or bools."""

@overload
def bitwise_xor(input: Tensor, other: Tensor) -> Tensor:
    """self ^ other, of integers or bools."""

@overload
def bitwise_xor(self: Number, other: Tensor) -> Tensor:
    """self ^ other, of integers or bools."""

@overload
def bitwise_xor(input: Tensor, other: Number) -> Tensor:
    """self ^ other, of integers or bools."""

def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices (b, n, k) and (b, k, m)."""

def broadcast_to(input: Tensor, size: Sequence[_int]) -> Tensor:
    """Dimensions of size 1 repeated to the sizes given, without a copy."""

def cat(tensors: Sequence[Tensor], dim: _int = ...) -> Tensor:
    """Tensors one after the other along a dimension."""

def cdist(x1: Any, x2: Any, p: Any = ...) -> Tensor:
    """The p-norms of all differences between rows (…, n, d) and rows (…, m, d): (…, n, m)."""

def ceil(input: Tensor) -> Tensor:
    """The nearest integer above."""

def chunk(input: Tensor, chunks: _int, dim: _int = ...) -> tuple[Tensor, ...]:
    """About ``chunks`` views of equal size along a dimension."""

@overload
def clamp(input: Tensor, min: Tensor | None = ..., max: Tensor | None = ...) -> Tensor:
    """self, kept between two bounds, numbers or tensors, of which one may be missing; on a bound the slope is 1."""

@overload
def clamp(input: Tensor, min: Number | None = ..., max: Number | None = ...) -> Tensor:
    """self, kept between two bounds, numbers or tensors, of which one may be missing; on a bound the slope is 1."""

def clamp_max(input: Any, max: Any) -> Tensor:
    """The smaller of the input and a bound."""

def clamp_min(input: Any, min: Any) -> Tensor:
    """The larger of the input and a bound."""

def clip(self: Any, min: Any = ..., max: Any = ...) -> Tensor:
    """self, kept between two bounds, numbers or tensors, of which one may be missing; on a bound the slope is 1."""

def clone(input: Tensor, *, memory_format: Any = ...) -> Tensor:
    """A copy with its own memory, with the strides in the same order; the gradient passes through."""

def complex(real: Tensor, imag: Tensor) -> Tensor:
    """The complex numbers with these real and imaginary parts, which have one dtype."""

def conj(input: Tensor) -> Tensor:
    """The complex conjugate; a real array, Tensor or number as it is."""

def cos(input: Tensor) -> Tensor:
    """The cosine."""

def cosh(input: Tensor) -> Tensor:
    """The hyperbolic cosine."""

def cumprod(input: Tensor, dim: _int, *, dtype: _dtype | None = ...) -> Tensor:
    """Running products along a dimension."""

def cumsum(input: Tensor, dim: _int, *, dtype: _dtype | None = ...) -> Tensor:
    """Running sums along a dimension."""

def diag(input: Tensor, diagonal: _int = ...) -> Tensor:
    """The diagonal of a matrix, as a copy; of a vector, the matrix that has it on the diagonal."""

def diagonal(input: Tensor, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor:
    """The diagonal of two dimensions, as the last one. A view."""

def dist(input: Any, other: Any, p: Any = ...) -> Tensor:
    """The p-norm of the difference."""

@overload
def div(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

@overload
def div(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: str | None) -> Tensor:
    """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

@overload
def div(input: Tensor | Number, other: Number, *, rounding_mode: str | None) -> Tensor:
    """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

@overload
def divide(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

@overload
def divide(input: Tensor | Number, other: Tensor | Number, *, rounding_mode: str | None) -> Tensor:
    """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

@overload
def divide(input: Tensor | Number, other: Number) -> Tensor:
    """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

@overload
def divide(input: Tensor | Number, other: Number, *, rounding_mode: str | None) -> Tensor:
    """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The sum of the products of two vectors."""

e: _float

def einsum(*args: Any) -> Tensor:
    """Products of tensors, summed over the subscripts that the output does not name: ``einsum("ij,jk->ik", a, b)``."""

@overload
def empty(size: Sequence[_int], *, memory_format: Any = ..., dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """A tensor whose elements are not set. Here they are zeros, so that a program prints the same twice."""

@overload
def empty(*size: _int, memory_format: Any = ..., dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """A tensor whose elements are not set. Here they are zeros, so that a program prints the same twice."""

def empty_like(input: Tensor, *, memory_format: Any = ..., dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``empty`` in the shape and dtype of another tensor."""

@overload
def eq(input: Tensor, other: Tensor) -> Tensor:
    """self == other, element by element."""

@overload
def eq(input: Tensor, other: Number) -> Tensor:
    """self == other, element by element."""

def equal(input: Tensor, other: Tensor) -> _bool:
    """Whether two tensors have the same shape and the same elements."""

def erf(input: Tensor) -> Tensor:
    """The error function."""

def exp(input: Tensor) -> Tensor:
    """e to the power of self."""

def expm1(input: Tensor) -> Tensor:
    """exp(self) - 1, exact near 0."""

@overload
def eye(n: _int, *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Ones on the diagonal of an (n, m) matrix, zeros elsewhere."""

@overload
def eye(n: _int, m: _int, *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Ones on the diagonal of an (n, m) matrix, zeros elsewhere."""

def flatten(input: Tensor, start_dim: _int = ..., end_dim: _int = ...) -> Tensor:
    """The dimensions from start_dim to end_dim as one."""

def flip(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """Reversed along the dimensions given."""

def floor(input: Tensor) -> Tensor:
    """The nearest integer below."""

@overload
def floor_divide(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The largest integer not above self / other."""

@overload
def floor_divide(input: Tensor | Number, other: Number) -> Tensor:
    """The largest integer not above self / other."""

def from_numpy(array: Any) -> Tensor:
    """A Tensor that shares the array's memory. TypeError for anything but an array."""

def full(size: Sequence[_int], fill_value: Number, *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """A tensor of one value, in the dtype of that value unless one is given."""

def full_like(input: Tensor, fill_value: Number, *, memory_format: Any = ..., dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``full`` in the shape and dtype of another tensor."""

def gather(input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = ...) -> Tensor:
    """Along a dimension, the elements at the positions that ``index`` gives for each place."""

@overload
def ge(input: Tensor, other: Tensor) -> Tensor:
    """self >= other, element by element."""

@overload
def ge(input: Tensor, other: Number) -> Tensor:
    """self >= other, element by element."""

@overload
def gt(input: Tensor, other: Tensor) -> Tensor:
    """self > other, element by element."""

@overload
def gt(input: Tensor, other: Number) -> Tensor:
    """self > other, element by element."""

def histc(input: Any, bins: Any = ..., min: Any = ..., max: Any = ...) -> Tensor:
    """How many elements are in each of so many equal parts of [min, max]; from the smallest to the largest, if both are 0."""

def hstack(tensors: Any) -> Tensor:
    """Joined along the second dimension, vectors along the only one."""

def imag(self: Any) -> Tensor:
    """The imaginary part, a view. RuntimeError for tensors that are not complex."""

def index_add(input: Any, dim: Any, index: Any, source: Any, *, alpha: Any = ...) -> Tensor:
    """The input with the slices of source, times alpha, added at the indices along a dimension."""

def index_copy(input: Any, dim: Any, index: Any, source: Any) -> Tensor:
    """The input with the slices of source written at the indices along a dimension."""

def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = ...) -> Tensor:
    """self with ``values`` put, or added, at the positions that tensors of indices (or masks) give."""

def index_select(input: Tensor, dim: _int, index: Tensor) -> Tensor:
    """The entries of one dimension at the positions of a vector, as a copy."""

inf: _float

def initial_seed() -> _int:
    """The seed from which the numbers came last."""

def inverse(A: Any) -> Tensor:
    """The inverse of a square matrix, or of each of a batch. LinAlgError for a singular one."""

def is_complex(self: Any) -> _bool:
    """Whether the dtype is a complex one."""

def is_floating_point(self: Any) -> _bool:
    """Whether the dtype is a floating point one."""

def is_inference(input: Tensor) -> _bool:
    """Whether this tensor was made in inference mode, so that no recorded operation can save it."""

def is_tensor(obj: Any) -> _bool:
    """Whether something is a Tensor."""

def isclose(input: Tensor, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> Tensor:
    """Where |input - other| ≤ atol + rtol · |other|. RuntimeError when the dtypes differ."""

def isfinite(input: Tensor) -> Tensor:
    """Where an element is neither NaN nor infinite."""

def isinf(input: Tensor) -> Tensor:
    """Where an element is infinite."""

def isnan(input: Tensor) -> Tensor:
    """Where an element is NaN."""

@overload
def le(input: Tensor, other: Tensor) -> Tensor:
    """self <= other, element by element."""

@overload
def le(input: Tensor, other: Number) -> Tensor:
    """self <= other, element by element."""

@overload
def lerp(input: Tensor, end: Tensor, weight: Tensor) -> Tensor:
    """Straight from self (weight 0) to end (weight 1), exact at both ends. RuntimeError when the dtypes differ."""

@overload
def lerp(input: Tensor, end: Tensor, weight: Number) -> Tensor:
    """Straight from self (weight 0) to end (weight 1), exact at both ends. RuntimeError when the dtypes differ."""

@overload
def linspace(start: Tensor, end: Tensor, steps: _int, *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``steps`` numbers from start to end, both included, at equal distances."""

@overload
def linspace(start: Number, end: Tensor, steps: _int, *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``steps`` numbers from start to end, both included, at equal distances."""

@overload
def linspace(start: Tensor, end: Number, steps: _int, *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``steps`` numbers from start to end, both included, at equal distances."""

@overload
def linspace(start: Number, end: Number, steps: _int, *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``steps`` numbers from start to end, both included, at equal distances."""

def log(input: Tensor) -> Tensor:
    """The natural logarithm."""

def log10(input: Tensor) -> Tensor:
    """The logarithm to base 10."""

def log1p(input: Tensor) -> Tensor:
    """log(1 + self), exact near 0."""

def log2(input: Tensor) -> Tensor:
    """The logarithm to base 2."""

def log_softmax(input: Tensor, dim: _int, dtype: _dtype | None = ...) -> Tensor:
    """The logarithm of softmax, without overflow."""

def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """log(exp(self) + exp(other)), without overflow."""

def logical_and(input: Tensor, other: Tensor) -> Tensor:
    """Both are true."""

def logical_not(input: Tensor) -> Tensor:
    """The opposite truth value."""

def logical_or(input: Tensor, other: Tensor) -> Tensor:
    """At least one is true."""

def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    """Exactly one is true."""

def logsumexp(input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = ...) -> Tensor:
    """log(sum(exp(self))) over dimensions, without overflow."""

@overload
def lt(input: Tensor, other: Tensor) -> Tensor:
    """self < other, element by element."""

@overload
def lt(input: Tensor, other: Number) -> Tensor:
    """self < other, element by element."""

def manual_seed(seed: Any) -> Tensor:
    """Start the random numbers anew from a seed. They are those of PyTorch on CPU. Returns the generator they come from."""

@overload
def masked_fill(input: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    """self with a number, or a tensor of zero dimensions, where the mask is true."""

@overload
def masked_fill(input: Tensor, mask: Tensor, value: Number) -> Tensor:
    """self with a number, or a tensor of zero dimensions, where the mask is true."""

def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask is true, as a vector. The two broadcast against each other."""

def matmul(input: Tensor, other: Tensor) -> Tensor:
    """``self @ other``, for one to many dimensions. Source: torch.matmul, which builds it of dot, mv, mm and bmm."""

@overload
def max(input: Tensor) -> Tensor:
    """The largest element; along a dimension (values, indices); with a second tensor as ``maximum``."""

@overload
def max(input: Tensor, other: Tensor) -> Tensor:
    """The largest element; along a dimension (values, indices); with a second tensor as ``maximum``."""

@overload
def max(input: Tensor, dim: _int, keepdim: _bool = ...) -> Pair:
    """The largest element; along a dimension (values, indices); with a second tensor as ``maximum``."""

def maximum(input: Tensor, other: Tensor) -> Tensor:
    """The larger of two; a tie shares the gradient."""

@overload
def mean(input: Tensor, *, dtype: _dtype | None = ...) -> Tensor:
    """The mean of all elements, or over dimensions. RuntimeError for integers, unless a dtype is asked for."""

@overload
def mean(input: Tensor, dim: _int | Sequence[_int] | None, keepdim: _bool = ..., *, dtype: _dtype | None = ...) -> Tensor:
    """The mean of all elements, or over dimensions. RuntimeError for integers, unless a dtype is asked for."""

def median(input: Any) -> Tensor:
    """The middle element, the lower of two."""

def meshgrid(*tensors: Any, indexing: Any = ...) -> Tensor:
    """Each vector over the grid of all, one dimension for each; with ``indexing="xy"`` the first two are exchanged."""

@overload
def min(input: Tensor) -> Tensor:
    """The smallest element; along a dimension (values, indices); with a second tensor as ``minimum``."""

@overload
def min(input: Tensor, other: Tensor) -> Tensor:
    """The smallest element; along a dimension (values, indices); with a second tensor as ``minimum``."""

@overload
def min(input: Tensor, dim: _int, keepdim: _bool = ...) -> Pair:
    """The smallest element; along a dimension (values, indices); with a second tensor as ``minimum``."""

def minimum(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of two; a tie shares the gradient."""

def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices (n, k) and (k, m)."""

@overload
def movedim(input: Tensor, source: _int, destination: _int) -> Tensor:
    """Dimensions moved to other places; the others keep their order. One of each, or as many of the one as of the other."""

@overload
def movedim(input: Tensor, source: Sequence[_int], destination: Sequence[_int]) -> Tensor:
    """Dimensions moved to other places; the others keep their order. One of each, or as many of the one as of the other."""

def mul(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """self · other."""

def multinomial(input: Tensor, num_samples: _int, replacement: _bool = ..., *, generator: Any = ...) -> Tensor:
    """Indices, drawn with the probabilities in proportion to the input (n) or to each of its rows (rows, n)."""

@overload
def multiply(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """self · other."""

@overload
def multiply(input: Tensor | Number, other: Number) -> Tensor:
    """self · other."""

def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix (n, k) and a vector (k,)."""

nan: _float

def nan_to_num(input: Tensor, nan: _float | None = ..., posinf: _float | None = ..., neginf: _float | None = ...) -> Tensor:
    """self with numbers in place of NaN (0), ∞ and -∞ (the largest and the smallest number of the dtype)."""

@overload
def narrow(input: Tensor, dim: _int, start: Tensor, length: _int) -> Tensor:
    """``length`` indices of a dimension from ``start`` on."""

@overload
def narrow(input: Tensor, dim: _int, start: _int, length: _int) -> Tensor:
    """``length`` indices of a dimension from ``start`` on."""

@overload
def ne(input: Tensor, other: Tensor) -> Tensor:
    """self != other, element by element."""

@overload
def ne(input: Tensor, other: Number) -> Tensor:
    """self != other, element by element."""

def neg(input: Tensor) -> Tensor:
    """-self."""

def negative(input: Tensor) -> Tensor:
    """-self."""

def nonzero(input: Tensor, *, as_tuple: _bool = ...) -> tuple[Tensor, ...]:
    """Where the elements are not 0: one row of indices for each, or, as_tuple, one vector for each dimension."""

def norm(self: Any, p: Any = ..., dim: Any = ..., keepdim: Any = ..., dtype: Any = ...) -> Tensor:
    """The ``p``-norm of all elements, or over dimensions; "fro" is the 2-norm. RuntimeError for integers."""

@overload
def normal(mean: Tensor, std: Tensor, *, generator: Any = ...) -> Tensor:
    """Normal random numbers. mean, std: Tensors, which broadcast, or numbers, with the ``size`` of the result."""

@overload
def normal(mean: Tensor, std: _float = ..., *, generator: Any = ...) -> Tensor:
    """Normal random numbers. mean, std: Tensors, which broadcast, or numbers, with the ``size`` of the result."""

@overload
def normal(mean: _float, std: Tensor, *, generator: Any = ...) -> Tensor:
    """Normal random numbers. mean, std: Tensors, which broadcast, or numbers, with the ``size`` of the result."""

@overload
def normal(mean: _float, std: _float, size: Sequence[_int], *, generator: Any = ..., dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Normal random numbers. mean, std: Tensors, which broadcast, or numbers, with the ``size`` of the result."""

def numel(self: Any) -> _int:
    """The number of elements."""

@overload
def ones(size: Sequence[_int], *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """A tensor of ones."""

@overload
def ones(*size: _int, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """A tensor of ones."""

def ones_like(input: Tensor, *, memory_format: Any = ..., dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``ones`` in the shape and dtype of another tensor."""

def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of an element of one vector with one of another: (n,) and (m,) give (n, m)."""

def permute(input: Tensor, dims: Sequence[_int]) -> Tensor:
    """The dimensions in the order given."""

pi: _float

@overload
def pow(input: Tensor, exponent: Tensor) -> Tensor:
    """self to the power of exponent."""

@overload
def pow(self: Number, exponent: Tensor) -> Tensor:
    """self to the power of exponent."""

@overload
def pow(input: Tensor, exponent: Number) -> Tensor:
    """self to the power of exponent."""

@overload
def prod(input: Tensor, *, dtype: _dtype | None = ...) -> Tensor:
    """The product of all elements, or over one dimension. Integers are multiplied as int64."""

@overload
def prod(input: Tensor, dim: _int, keepdim: _bool = ..., *, dtype: _dtype | None = ...) -> Tensor:
    """The product of all elements, or over one dimension. Integers are multiplied as int64."""

@overload
def rand(size: Sequence[_int], *, generator: Any, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random numbers, uniform in [0, 1)."""

@overload
def rand(*size: _int, generator: Any, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random numbers, uniform in [0, 1)."""

@overload
def rand(size: Sequence[_int], *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random numbers, uniform in [0, 1)."""

@overload
def rand(*size: _int, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random numbers, uniform in [0, 1)."""

@overload
def rand_like(input: Tensor, *, generator: Any, memory_format: Any = ..., dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``rand`` in the shape and dtype of another tensor."""

@overload
def rand_like(input: Tensor, *, memory_format: Any = ..., dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``rand`` in the shape and dtype of another tensor."""

@overload
def randint(high: _int, size: Sequence[_int], *, generator: Any, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random integers from low (0 when only one bound is given) up to, not including, high."""

@overload
def randint(high: _int, size: Sequence[_int], *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random integers from low (0 when only one bound is given) up to, not including, high."""

@overload
def randint(low: _int, high: _int, size: Sequence[_int], *, generator: Any, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random integers from low (0 when only one bound is given) up to, not including, high."""

@overload
def randint(low: _int, high: _int, size: Sequence[_int], *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random integers from low (0 when only one bound is given) up to, not including, high."""

@overload
def randn(size: Sequence[_int], *, generator: Any, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random numbers, normal with mean 0 and variance 1."""

@overload
def randn(*size: _int, generator: Any, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random numbers, normal with mean 0 and variance 1."""

@overload
def randn(size: Sequence[_int], *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random numbers, normal with mean 0 and variance 1."""

@overload
def randn(*size: _int, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """Random numbers, normal with mean 0 and variance 1."""

@overload
def randn_like(input: Tensor, *, generator: Any, memory_format: Any = ..., dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``randn`` in the shape and dtype of another tensor."""

@overload
def randn_like(input: Tensor, *, memory_format: Any = ..., dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``randn`` in the shape and dtype of another tensor."""

@overload
def randperm(n: _int, *, generator: Any, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """The numbers 0 to n - 1 in random order."""

@overload
def randperm(n: _int, *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """The numbers 0 to n - 1 in random order."""

def ravel(input: Any) -> Tensor:
    """All elements in one dimension."""

def real(self: Any) -> Tensor:
    """The real part: a view for complex tensors, the tensor itself for others."""

def reciprocal(input: Tensor) -> Tensor:
    """1 / self."""

def relu(input: Tensor) -> Tensor:
    """max(self, 0); its slope at 0 is 0."""

@overload
def remainder(input: Tensor, other: Tensor) -> Tensor:
    """self modulo other; the result has the sign of other."""

@overload
def remainder(self: Number, other: Tensor) -> Tensor:
    """self modulo other; the result has the sign of other."""

@overload
def remainder(input: Tensor, other: Number) -> Tensor:
    """self modulo other; the result has the sign of other."""

def repeat_interleave(input: Any, repeats: Any, dim: Any = ...) -> Tensor:
    """Each element so often, one after the other. repeats: a number, or a tensor with one for each index."""

def reshape(input: Tensor, shape: Sequence[_int]) -> Tensor:
    """The same elements in another shape: a view where the strides allow it, otherwise a copy."""

@overload
def result_type(tensor: Tensor, other: Tensor) -> _dtype:
    """The dtype in which two operands, Tensors or numbers, meet."""

@overload
def result_type(scalar: Number, tensor: Tensor) -> _dtype:
    """The dtype in which two operands, Tensors or numbers, meet."""

@overload
def result_type(tensor: Tensor, other: Number) -> _dtype:
    """The dtype in which two operands, Tensors or numbers, meet."""

@overload
def result_type(scalar1: Number, scalar2: Number) -> _dtype:
    """The dtype in which two operands, Tensors or numbers, meet."""

def roll(input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = ...) -> Tensor:
    """Shifted by ``shifts`` along ``dims`` (flattened when none are given)."""

@overload
def round(input: Tensor) -> Tensor:
    """The nearest integer, or the nearest number with so many decimals; halves go to the even one."""

@overload
def round(input: Tensor, *, decimals: _int) -> Tensor:
    """The nearest integer, or the nearest number with so many decimals; halves go to the even one."""

def rsqrt(input: Tensor) -> Tensor:
    """1 / sqrt(self)."""

def scatter(input: Any, dim: Any, index: Any, src: Any = ..., *, value: Any = ..., reduce: Any = ...) -> Tensor:
    """The input with src (or one number) written along a dimension where ``gather`` would read."""

def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor) -> Tensor:
    """self with the elements of ``src`` added at the positions that ``index`` gives along a dimension."""

def seed() -> _int:
    """Start anew from a seed that nobody can foretell, and return it."""

def select(input: Tensor, dim: _int, index: _int) -> Tensor:
    """One index of a dimension; the dimension goes away."""

def sgn(input: Tensor) -> Tensor:
    """The sign of a real number; the direction self/|self| of a complex one, and 0 for 0."""

def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-self))."""

def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1; 0 for NaN."""

def sin(input: Tensor) -> Tensor:
    """The sine."""

def sinh(input: Tensor) -> Tensor:
    """The hyperbolic sine."""

def softmax(input: Tensor, dim: _int, dtype: _dtype | None = ...) -> Tensor:
    """exp(self), scaled so that it sums to 1 along a dimension."""

@overload
def sort(input: Tensor, *, stable: _bool | None, dim: _int = ..., descending: _bool = ...) -> Pair:
    """The elements in order along a dimension: (values, indices). NaN counts as the largest; equal ones keep their order."""

@overload
def sort(input: Tensor, dim: _int = ..., descending: _bool = ...) -> Pair:
    """The elements in order along a dimension: (values, indices). NaN counts as the largest; equal ones keep their order."""

@overload
def split(input: Tensor, split_size: _int, dim: _int = ...) -> tuple[Tensor, ...]:
    """Views of so many indices each along a dimension; a list of sizes makes one view for each."""

@overload
def split(input: Tensor, split_size: Sequence[_int], dim: _int = ...) -> tuple[Tensor, ...]:
    """Views of so many indices each along a dimension; a list of sizes makes one view for each."""

def sqrt(input: Tensor) -> Tensor:
    """The square root."""

def square(input: Tensor) -> Tensor:
    """self · self."""

@overload
def squeeze(input: Tensor) -> Tensor:
    """Without dimensions of size 1: all of them, or only those that are named."""

@overload
def squeeze(input: Tensor, dim: _int) -> Tensor:
    """Without dimensions of size 1: all of them, or only those that are named."""

@overload
def squeeze(input: Tensor, dim: Sequence[_int]) -> Tensor:
    """Without dimensions of size 1: all of them, or only those that are named."""

def stack(tensors: Sequence[Tensor], dim: _int = ...) -> Tensor:
    """Tensors of one shape side by side along a new dimension."""

@overload
def std(input: Tensor, dim: _int | Sequence[_int] | None, unbiased: _bool = ..., keepdim: _bool = ...) -> Tensor:
    """The standard deviation over dimensions; its slope where it is 0 counts as 0."""

@overload
def std(input: Tensor, dim: _int | Sequence[_int] | None = ..., *, correction: Number | None = ..., keepdim: _bool = ...) -> Tensor:
    """The standard deviation over dimensions; its slope where it is 0 counts as 0."""

@overload
def std(input: Tensor, unbiased: _bool = ...) -> Tensor:
    """The standard deviation over dimensions; its slope where it is 0 counts as 0."""

def sub(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = ...) -> Tensor:
    """self - alpha · other."""

@overload
def subtract(input: Tensor | Number, other: Tensor | Number, *, alpha: Number = ...) -> Tensor:
    """self - alpha · other."""

@overload
def subtract(input: Tensor | Number, other: Number, alpha: Number = ...) -> Tensor:
    """self - alpha · other."""

@overload
def sum(input: Tensor, *, dtype: _dtype | None = ...) -> Tensor:
    """The sum of all elements, or over dimensions. Integers are summed as int64."""

@overload
def sum(input: Tensor, dim: _int | Sequence[_int] | None, keepdim: _bool = ..., *, dtype: _dtype | None = ...) -> Tensor:
    """The sum of all elements, or over dimensions. Integers are summed as int64."""

def swapaxes(input: Tensor, axis0: _int, axis1: _int) -> Tensor:
    """Two dimensions exchanged."""

def t(input: Tensor) -> Tensor:
    """A matrix transposed; fewer than two dimensions as they are."""

def tan(input: Tensor) -> Tensor:
    """The tangent."""

def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""

def tensor(data: Any, *, dtype: _dtype | None = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool = ...) -> Tensor:
    """A leaf with a copy of the data: numbers, nested sequences of them, or an array."""

def tile(input: Any, *dims: Any) -> Tensor:
    """Repeated so often along each of the last dimensions."""

def topk(input: Tensor, k: _int, dim: _int = ..., largest: _bool = ..., sorted: _bool = ...) -> Pair:
    """The k largest (or smallest) elements along a dimension, in order: (values, indices)."""

def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix."""

def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """Two dimensions exchanged."""

def tril(input: Tensor, diagonal: _int = ...) -> Tensor:
    """The lower triangle; zeros elsewhere."""

def triu(input: Tensor, diagonal: _int = ...) -> Tensor:
    """The upper triangle; zeros elsewhere."""

@overload
def true_divide(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

@overload
def true_divide(input: Tensor | Number, other: Number) -> Tensor:
    """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

def trunc(input: Tensor) -> Tensor:
    """The integer part."""

def unbind(input: Tensor, dim: _int = ...) -> tuple[Tensor, ...]:
    """One view per index of a dimension, as a tuple."""

def unique(input: Any, sorted: Any = ..., return_inverse: Any = ..., return_counts: Any = ..., dim: Any = ...) -> Tensor:
    """The different elements in ascending order; also, for each element, where it went, and how often each came."""

def unsqueeze(input: Tensor, dim: _int) -> Tensor:
    """With a new dimension of size 1 at position dim."""

@overload
def var(input: Tensor, dim: _int | Sequence[_int] | None, unbiased: _bool = ..., keepdim: _bool = ...) -> Tensor:
    """The variance over dimensions, with n - correction in the denominator."""

@overload
def var(input: Tensor, dim: _int | Sequence[_int] | None = ..., *, correction: Number | None = ..., keepdim: _bool = ...) -> Tensor:
    """The variance over dimensions, with n - correction in the denominator."""

@overload
def var(input: Tensor, unbiased: _bool = ...) -> Tensor:
    """The variance over dimensions, with n - correction in the denominator."""

def view_as_complex(input: Tensor) -> Tensor:
    """Pairs of real numbers, in a last dimension of size 2, as complex numbers."""

def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as one of real numbers, with a last dimension of size 2 more."""

def vstack(tensors: Any) -> Tensor:
    """Joined along the first dimension, vectors as rows."""

@overload
def where(condition: Tensor) -> Tensor:
    """input where the condition holds, other elsewhere; a condition alone gives where it holds, a vector for each dimension."""

@overload
def where(condition: Tensor, input: Tensor, other: Tensor) -> Tensor:
    """input where the condition holds, other elsewhere; a condition alone gives where it holds, a vector for each dimension."""

@overload
def where(condition: Tensor, self: Number, other: Tensor) -> Tensor:
    """input where the condition holds, other elsewhere; a condition alone gives where it holds, a vector for each dimension."""

@overload
def where(condition: Tensor, input: Tensor, other: Number) -> Tensor:
    """input where the condition holds, other elsewhere; a condition alone gives where it holds, a vector for each dimension."""

@overload
def where(condition: Tensor, self: Number, other: Number) -> Tensor:
    """input where the condition holds, other elsewhere; a condition alone gives where it holds, a vector for each dimension."""

@overload
def zeros(size: Sequence[_int], *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """A tensor of zeros."""

@overload
def zeros(*size: _int, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """A tensor of zeros."""

def zeros_like(input: Tensor, *, memory_format: Any = ..., dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
    """``zeros`` in the shape and dtype of another tensor."""
