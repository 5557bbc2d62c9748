"""What operations put onto Tensor. Made by tools/stubs.py from minigrad/signatures.txt: not to be edited."""

# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, misc, valid-type"

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from ..dtypes import dtype as _dtype
from .tensor import Tensor

Number = bool | int | float | complex
_bool = bool  # methods of the same names hide them
_int = int
_float = float

class Pair(NamedTuple):
    values: Tensor
    indices: Tensor

class Operations:
    @property
    def T(self) -> Tensor:
        """All dimensions in reverse order."""

    def __abs__(self) -> Tensor: ...

    def __and__(self, other: Any) -> Tensor: ...

    def __array__(self, other: Any, value: Any) -> Any: ...

    def __array_wrap__(self, other: Any, value: Any) -> Any: ...

    def __complex__(self) -> complex: ...

    def __contains__(self, other: Any) -> _bool: ...

    def __deepcopy__(self, other: Any) -> Tensor: ...

    def __eq__(self, other: Any) -> Tensor: ...

    def __float__(self) -> _float: ...

    def __floordiv__(self, other: Any) -> Tensor: ...

    def __format__(self, other: Any) -> str: ...

    def __ge__(self, other: Any) -> Tensor: ...

    def __getitem__(self, other: Any) -> Tensor: ...

    def __gt__(self, other: Any) -> Tensor: ...

    def __iadd__(self, other: Any) -> Tensor: ...

    def __iand__(self, other: Any) -> Tensor: ...

    def __ifloordiv__(self, other: Any) -> Tensor: ...

    def __imod__(self, other: Any) -> Tensor: ...

    def __imul__(self, other: Any) -> Tensor: ...

    def __index__(self) -> _int: ...

    def __int__(self) -> _int: ...

    def __invert__(self) -> Tensor: ...

    def __ior__(self, other: Any) -> Tensor: ...

    def __ipow__(self, other: Any) -> Tensor: ...

    def __isub__(self, other: Any) -> Tensor: ...

    def __iter__(self) -> Iterator[Tensor]: ...

    def __itruediv__(self, other: Any) -> Tensor: ...

    def __ixor__(self, other: Any) -> Tensor: ...

    def __le__(self, other: Any) -> Tensor: ...

    def __lt__(self, other: Any) -> Tensor: ...

    def __mod__(self, other: Any) -> Tensor: ...

    def __ne__(self, other: Any) -> Tensor: ...

    def __neg__(self) -> Tensor: ...

    def __or__(self, other: Any) -> Tensor: ...

    def __pos__(self) -> Tensor: ...

    def __radd__(self, other: Any) -> Tensor: ...

    def __rand__(self, other: Any) -> Tensor: ...

    def __reduce_ex__(self, other: Any) -> Tensor: ...

    def __reversed__(self) -> Tensor: ...

    def __rfloordiv__(self, other: Any) -> Tensor: ...

    def __rmod__(self, other: Any) -> Tensor: ...

    def __rmul__(self, other: Any) -> Tensor: ...

    def __ror__(self, other: Any) -> Tensor: ...

    def __rpow__(self, other: Any) -> Tensor: ...

    def __rsub__(self, other: Any) -> Tensor: ...

    def __rtruediv__(self, other: Any) -> Tensor: ...

    def __rxor__(self, other: Any) -> Tensor: ...

    def __setitem__(self, other: Any, value: Any) -> None: ...

    def __xor__(self, other: Any) -> Tensor: ...

    @property
    def _base(self) -> Tensor | None:
        """The tensor that this one is a view of."""

    def _gradient_edge(self, *args: Any, **kwargs: Any) -> Any: ...

    _hooked: Any

    def _is_view(self) -> _bool:
        ...

    def _make_views(self, *args: Any, **kwargs: Any) -> Any: ...

    def _number(self, *args: Any, **kwargs: Any) -> Any: ...

    _retains: Any

    def _set_requires_grad(self, *args: Any, **kwargs: Any) -> Any: ...

    def abs(self) -> Tensor:
        """The absolute value; its slope at 0 is 0."""

    def abs_(self) -> Tensor:
        """The absolute value, in place."""

    def absolute(self) -> Tensor:
        """The absolute value; its slope at 0 is 0."""

    def acos(self) -> Tensor:
        """The inverse of cos."""

    def acos_(self) -> Tensor:
        """The inverse of cos."""

    def add(self, other: Tensor | Number, *, alpha: Number = ...) -> Tensor:
        """self + alpha · other."""

    def add_(self, other: Tensor | Number, *, alpha: Number = ...) -> Tensor:
        """self + alpha · other."""

    def addcdiv(self, tensor1: Any, tensor2: Any, *, value: Any = ...) -> Tensor:
        """input + value · tensor1 / tensor2."""

    def addcdiv_(self, tensor1: Any, tensor2: Any, *, value: Any = ...) -> Tensor:
        """``addcdiv``, in place."""

    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = ...) -> Tensor:
        """self + value · tensor1 · tensor2."""

    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = ...) -> Tensor:
        """self + value · tensor1 · tensor2."""

    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Tensor:
        """beta · self + alpha · (mat1 @ mat2): a product of matrices and something that broadcasts to it."""

    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = ..., alpha: Number = ...) -> Tensor:
        """beta · self + alpha · (mat1 @ mat2): a product of matrices and something that broadcasts to it."""

    @overload
    def all(self) -> Tensor:
        """Whether all elements are true."""

    @overload
    def all(self, dim: Sequence[_int] | None = ..., keepdim: _bool = ...) -> Tensor:
        """Whether all elements are true."""

    @overload
    def all(self, dim: _int, keepdim: _bool = ...) -> Tensor:
        """Whether all elements are true."""

    def allclose(self, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> _bool:
        """Whether two tensors agree everywhere within a tolerance."""

    def amax(self, dim: _int | Sequence[_int] | None = ..., keepdim: _bool = ...) -> Tensor:
        """The largest elements over dimensions; ties share the gradient."""

    def amin(self, dim: _int | Sequence[_int] | None = ..., keepdim: _bool = ...) -> Tensor:
        """The smallest elements over dimensions; ties share the gradient."""

    @overload
    def any(self) -> Tensor:
        """Whether some element is true."""

    @overload
    def any(self, dim: Sequence[_int] | None = ..., keepdim: _bool = ...) -> Tensor:
        """Whether some element is true."""

    @overload
    def any(self, dim: _int, keepdim: _bool = ...) -> Tensor:
        """Whether some element is true."""

    def argmax(self, dim: _int | None = ..., keepdim: _bool = ...) -> Tensor:
        """Where the largest element is, in the flattened tensor or along a dimension."""

    def argmin(self, dim: _int | None = ..., keepdim: _bool = ...) -> Tensor:
        """Where the smallest element is, in the flattened tensor or along a dimension."""

    @overload
    def argsort(self, *, stable: _bool, dim: _int = ..., descending: _bool = ...) -> Tensor:
        """Where the elements of the sorted tensor were."""

    @overload
    def argsort(self, dim: _int = ..., descending: _bool = ...) -> Tensor:
        """Where the elements of the sorted tensor were."""

    def asin(self) -> Tensor:
        """The inverse of sin."""

    def asin_(self) -> Tensor:
        """The inverse of sin."""

    def atan(self) -> Tensor:
        """The inverse of tan."""

    def atan2(self, other: Tensor) -> Tensor:
        """The angle of the point (other, self): the inverse of tan with the right quadrant."""

    def atan2_(self, other: Tensor) -> Tensor:
        """The angle of the point (other, self): the inverse of tan with the right quadrant."""

    def atan_(self) -> Tensor:
        """The inverse of tan."""

    def backward(self, gradient: Any = ..., retain_graph: Any = ..., create_graph: Any = ..., inputs: Any = ...) -> None:
        """Add to ``.grad`` of every leaf the product vᵀJ of ``gradient`` with the Jacobian of this tensor."""

    @overload
    def bernoulli(self, *, generator: Any = ...) -> Tensor:
        """1 with the probability that stands in the input, else 0; p: one probability for all elements. The gradient is zero."""

    @overload
    def bernoulli(self, p: _float, *, generator: Any = ...) -> Tensor:
        """1 with the probability that stands in the input, else 0; p: one probability for all elements. The gradient is zero."""

    @overload
    def bernoulli_(self, p: Tensor, *, generator: Any = ...) -> Tensor:
        """1 with probability p, else 0, in place of this tensor's elements. p: a number, or a Tensor that broadcasts to this one."""

    @overload
    def bernoulli_(self, p: _float = ..., *, generator: Any = ...) -> Tensor:
        """1 with probability p, else 0, in place of this tensor's elements. p: a number, or a Tensor that broadcasts to this one."""

    def bincount(self, weights: Any = ..., minlength: Any = ...) -> Tensor:
        """How often each number from 0 on is there, or the sum of its weights."""

    @overload
    def bitwise_and(self, other: Tensor) -> Tensor:
        """self & other, of integers or bools."""

    @overload
    def bitwise_and(self, other: Number) -> Tensor:
        """self & other, of integers or bools."""

    @overload
    def bitwise_and_(self, other: Tensor) -> Tensor:
        """self & other, of integers or bools."""

    @overload
    def bitwise_and_(self, other: Number) -> Tensor:
        """self & other, of integers or bools."""

    def bitwise_not(self) -> Tensor:
        """~self, of integers or bools."""

    def bitwise_not_(self) -> Tensor:
        """~self, of integers or bools."""

    @overload
    def bitwise_or(self, other: Tensor) -> Tensor:
        """self | other, of integers or bools."""

    @overload
    def bitwise_or(self, other: Number) -> Tensor:
        """self | other, of integers or bools."""

    @overload
    def bitwise_or_(self, other: Tensor) -> Tensor:
        """self | other, of integers or bools."""

    @overload
    def bitwise_or_(self, other: Number) -> Tensor:
        """self | other, of integers or bools."""

    @overload
    def bitwise_xor(self, other: Tensor) -> Tensor:
        """self ^ other, of integers or bools."""

    @overload
    def bitwise_xor(self, other: Number) -> Tensor:
        """self ^ other, of integers or bools."""

    @overload
    def bitwise_xor_(self, other: Tensor) -> Tensor:
        """self ^ other, of integers or bools."""

    @overload
    def bitwise_xor_(self, other: Number) -> Tensor:
        """self ^ other, of integers or bools."""

    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two batches of matrices (b, n, k) and (b, k, m)."""

    def bool(self, *, memory_format: Any = ...) -> Tensor:
        """This tensor as minigrad.bool; itself when it is that already."""

    @overload
    def broadcast_to(self, size: Sequence[_int]) -> Tensor:
        """Dimensions of size 1 repeated to the sizes given, without a copy."""

    @overload
    def broadcast_to(self, *size: _int) -> Tensor:
        """Dimensions of size 1 repeated to the sizes given, without a copy."""

    def byte(self, *, memory_format: Any = ...) -> Tensor:
        """This tensor as minigrad.uint8; itself when it is that already."""

    def cdouble(self, *, memory_format: Any = ...) -> Tensor:
        """This tensor as minigrad.complex128; itself when it is that already."""

    def ceil(self) -> Tensor:
        """The nearest integer above."""

    def ceil_(self) -> Tensor:
        """The nearest integer above."""

    def cfloat(self, *, memory_format: Any = ...) -> Tensor:
        """This tensor as minigrad.complex64; itself when it is that already."""

    def char(self, *, memory_format: Any = ...) -> Tensor:
        """This tensor as minigrad.int8; itself when it is that already."""

    def chunk(self, chunks: _int, dim: _int = ...) -> tuple[Tensor, ...]:
        """About ``chunks`` views of equal size along a dimension."""

    @overload
    def clamp(self, min: Tensor | None = ..., max: Tensor | None = ...) -> Tensor:
        """self, kept between two bounds, numbers or tensors, of which one may be missing; on a bound the slope is 1."""

    @overload
    def clamp(self, min: Number | None = ..., max: Number | None = ...) -> Tensor:
        """self, kept between two bounds, numbers or tensors, of which one may be missing; on a bound the slope is 1."""

    @overload
    def clamp_(self, min: Tensor | None = ..., max: Tensor | None = ...) -> Tensor:
        """self, kept between two bounds, numbers or tensors, of which one may be missing; on a bound the slope is 1."""

    @overload
    def clamp_(self, min: Number | None = ..., max: Number | None = ...) -> Tensor:
        """self, kept between two bounds, numbers or tensors, of which one may be missing; on a bound the slope is 1."""

    def clamp_max(self, max: Any) -> Tensor:
        """The smaller of the input and a bound."""

    def clamp_max_(self, max: Any) -> Tensor:
        """``clamp_max``, in place."""

    def clamp_min(self, min: Any) -> Tensor:
        """The larger of the input and a bound."""

    def clamp_min_(self, min: Any) -> Tensor:
        """``clamp_min``, in place."""

    def clip(self, min: Any = ..., max: Any = ...) -> Tensor:
        """self, kept between two bounds, numbers or tensors, of which one may be missing; on a bound the slope is 1."""

    def clip_(self, min: Any = ..., max: Any = ...) -> Tensor:
        """self, kept between two bounds, numbers or tensors, of which one may be missing; on a bound the slope is 1."""

    def clone(self, *, memory_format: Any = ...) -> Tensor:
        """A copy with its own memory, with the strides in the same order; the gradient passes through."""

    def conj(self) -> Tensor:
        """The complex conjugate; a real array, Tensor or number as it is."""

    def contiguous(self, *, memory_format: Any = ...) -> Tensor:
        """An array or Tensor with its elements in row-major order: itself when they are already."""

    def copy_(self, other: Tensor | Number, non_blocking: _bool = ...) -> Tensor:
        """What is left when other is copied over self: other, broadcast, in the dtype of self."""

    def cos(self) -> Tensor:
        """The cosine."""

    def cos_(self) -> Tensor:
        """The cosine."""

    def cosh(self) -> Tensor:
        """The hyperbolic cosine."""

    def cosh_(self) -> Tensor:
        """The hyperbolic cosine."""

    def cpu(self, memory_format: Any = ...) -> Tensor:
        """This tensor: all tensors are on the cpu."""

    def cuda(self, device: Any = ...) -> Tensor:
        """NotImplementedError: there is one device."""

    def cumprod(self, dim: _int, *, dtype: _dtype | None = ...) -> Tensor:
        """Running products along a dimension."""

    def cumprod_(self, dim: _int, *, dtype: _dtype | None = ...) -> Tensor:
        """Running products along a dimension."""

    def cumsum(self, dim: _int, *, dtype: _dtype | None = ...) -> Tensor:
        """Running sums along a dimension."""

    def cumsum_(self, dim: _int, *, dtype: _dtype | None = ...) -> Tensor:
        """Running sums along a dimension."""

    @property
    def data(self) -> Tensor:
        """The same memory with a version counter of its own: writes to it slip past the version check."""

    @data.setter
    def data(self, value: Any) -> None: ...

    def data_ptr(self) -> _int:
        """The address of the first element: views of one memory that begin at one place have the same."""

    def detach_(self) -> Tensor:
        """Forget this tensor's history, in place. RuntimeError for views."""

    @property
    def device(self) -> Any:
        """Where the tensor is: always the cpu."""

    def diag(self, diagonal: _int = ...) -> Tensor:
        """The diagonal of a matrix, as a copy; of a vector, the matrix that has it on the diagonal."""

    def diagonal(self, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> Tensor:
        """The diagonal of two dimensions, as the last one. A view."""

    def dim(self) -> _int:
        """The number of dimensions."""

    def dist(self, other: Any, p: Any = ...) -> Tensor:
        """The p-norm of the difference."""

    @overload
    def div(self, other: Tensor | Number) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    @overload
    def div(self, other: Tensor | Number, *, rounding_mode: str | None) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    @overload
    def div(self, other: Number, *, rounding_mode: str | None) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    @overload
    def div_(self, other: Tensor | Number) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    @overload
    def div_(self, other: Tensor | Number, *, rounding_mode: str | None) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    @overload
    def div_(self, other: Number, *, rounding_mode: str | None) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    @overload
    def divide(self, other: Tensor | Number) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    @overload
    def divide(self, other: Tensor | Number, *, rounding_mode: str | None) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    @overload
    def divide(self, other: Number) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    @overload
    def divide(self, other: Number, *, rounding_mode: str | None) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    def dot(self, tensor: Tensor) -> Tensor:
        """The sum of the products of two vectors."""

    def double(self, *, memory_format: Any = ...) -> Tensor:
        """This tensor as minigrad.float64; itself when it is that already."""

    def element_size(self) -> _int:
        """Bytes of one element."""

    @overload
    def eq(self, other: Tensor) -> Tensor:
        """self == other, element by element."""

    @overload
    def eq(self, other: Number) -> Tensor:
        """self == other, element by element."""

    @overload
    def eq_(self, other: Tensor) -> Tensor:
        """self == other, element by element."""

    @overload
    def eq_(self, other: Number) -> Tensor:
        """self == other, element by element."""

    def equal(self, other: Tensor) -> _bool:
        """Whether two tensors have the same shape and the same elements."""

    def erf(self) -> Tensor:
        """The error function."""

    def erf_(self) -> Tensor:
        """The error function."""

    def exp(self) -> Tensor:
        """e to the power of self."""

    def exp_(self) -> Tensor:
        """e to the power of self."""

    @overload
    def expand(self, size: Sequence[_int], *, implicit: _bool = ...) -> Tensor:
        """Dimensions of size 1 repeated to the sizes given, without a copy; -1 keeps a size."""

    @overload
    def expand(self, *size: _int, implicit: _bool = ...) -> Tensor:
        """Dimensions of size 1 repeated to the sizes given, without a copy; -1 keeps a size."""

    def expand_as(self, other: Tensor) -> Tensor:
        """Expanded to the shape of another tensor."""

    def expm1(self) -> Tensor:
        """exp(self) - 1, exact near 0."""

    def expm1_(self) -> Tensor:
        """exp(self) - 1, exact near 0."""

    @overload
    def fill_(self, value: Tensor) -> Tensor:
        """Every element becomes ``value``: a number, or a tensor of zero dimensions."""

    @overload
    def fill_(self, value: Number) -> Tensor:
        """Every element becomes ``value``: a number, or a tensor of zero dimensions."""

    def fill_diagonal_(self, fill_value: Any) -> Tensor:
        """One number on the diagonal of a matrix, in place."""

    def flatten(self, start_dim: _int = ..., end_dim: _int = ...) -> Tensor:
        """The dimensions from start_dim to end_dim as one."""

    @overload
    def flip(self, dims: Sequence[_int]) -> Tensor:
        """Reversed along the dimensions given."""

    @overload
    def flip(self, *dims: _int) -> Tensor:
        """Reversed along the dimensions given."""

    def float(self, *, memory_format: Any = ...) -> Tensor:
        """This tensor as minigrad.float32; itself when it is that already."""

    def floor(self) -> Tensor:
        """The nearest integer below."""

    def floor_(self) -> Tensor:
        """The nearest integer below."""

    @overload
    def floor_divide(self, other: Tensor | Number) -> Tensor:
        """The largest integer not above self / other."""

    @overload
    def floor_divide(self, other: Number) -> Tensor:
        """The largest integer not above self / other."""

    @overload
    def floor_divide_(self, other: Tensor | Number) -> Tensor:
        """The largest integer not above self / other."""

    @overload
    def floor_divide_(self, other: Number) -> Tensor:
        """The largest integer not above self / other."""

    def gather(self, dim: _int, index: Tensor, *, sparse_grad: _bool = ...) -> Tensor:
        """Along a dimension, the elements at the positions that ``index`` gives for each place."""

    @overload
    def ge(self, other: Tensor) -> Tensor:
        """self >= other, element by element."""

    @overload
    def ge(self, other: Number) -> Tensor:
        """self >= other, element by element."""

    @overload
    def ge_(self, other: Tensor) -> Tensor:
        """self >= other, element by element."""

    @overload
    def ge_(self, other: Number) -> Tensor:
        """self >= other, element by element."""

    @overload
    def gt(self, other: Tensor) -> Tensor:
        """self > other, element by element."""

    @overload
    def gt(self, other: Number) -> Tensor:
        """self > other, element by element."""

    @overload
    def gt_(self, other: Tensor) -> Tensor:
        """self > other, element by element."""

    @overload
    def gt_(self, other: Number) -> Tensor:
        """self > other, element by element."""

    def half(self, *, memory_format: Any = ...) -> Tensor:
        """This tensor as minigrad.float16; itself when it is that already."""

    def histc(self, bins: Any = ..., min: Any = ..., max: Any = ...) -> Tensor:
        """How many elements are in each of so many equal parts of [min, max]; from the smallest to the largest, if both are 0."""

    @property
    def imag(self) -> Tensor:
        """The imaginary part, a view. RuntimeError for tensors that are not complex."""

    def index_add(self, dim: Any, index: Any, source: Any, *, alpha: Any = ...) -> Tensor:
        """The input with the slices of source, times alpha, added at the indices along a dimension."""

    def index_add_(self, dim: Any, index: Any, source: Any, *, alpha: Any = ...) -> Tensor:
        """``index_add``, in place."""

    def index_copy(self, dim: Any, index: Any, source: Any) -> Tensor:
        """The input with the slices of source written at the indices along a dimension."""

    def index_copy_(self, dim: Any, index: Any, source: Any) -> Tensor:
        """``index_copy``, in place."""

    def index_put(self, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = ...) -> Tensor:
        """self with ``values`` put, or added, at the positions that tensors of indices (or masks) give."""

    def index_put_(self, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = ...) -> Tensor:
        """self with ``values`` put, or added, at the positions that tensors of indices (or masks) give."""

    def index_select(self, dim: _int, index: Tensor) -> Tensor:
        """The entries of one dimension at the positions of a vector, as a copy."""

    def int(self, *, memory_format: Any = ...) -> Tensor:
        """This tensor as minigrad.int32; itself when it is that already."""

    def inverse(self) -> Tensor:
        """The inverse of a square matrix, or of each of a batch. LinAlgError for a singular one."""

    @property
    def is_cpu(self) -> Tensor:
        ...

    @property
    def is_cuda(self) -> Tensor:
        ...

    def is_floating_point(self) -> _bool:
        """Whether the dtype is a floating point one."""

    def is_inference(self) -> _bool:
        """Whether this tensor was made in inference mode, so that no recorded operation can save it."""

    def isclose(self, other: Tensor, rtol: _float = ..., atol: _float = ..., equal_nan: _bool = ...) -> Tensor:
        """Where |input - other| ≤ atol + rtol · |other|. RuntimeError when the dtypes differ."""

    def isfinite(self) -> Tensor:
        """Where an element is neither NaN nor infinite."""

    def isinf(self) -> Tensor:
        """Where an element is infinite."""

    def isnan(self) -> Tensor:
        """Where an element is NaN."""

    @property
    def itemsize(self) -> _int:
        """Bytes per element."""

    @overload
    def le(self, other: Tensor) -> Tensor:
        """self <= other, element by element."""

    @overload
    def le(self, other: Number) -> Tensor:
        """self <= other, element by element."""

    @overload
    def le_(self, other: Tensor) -> Tensor:
        """self <= other, element by element."""

    @overload
    def le_(self, other: Number) -> Tensor:
        """self <= other, element by element."""

    @overload
    def lerp(self, end: Tensor, weight: Tensor) -> Tensor:
        """Straight from self (weight 0) to end (weight 1), exact at both ends. RuntimeError when the dtypes differ."""

    @overload
    def lerp(self, end: Tensor, weight: Number) -> Tensor:
        """Straight from self (weight 0) to end (weight 1), exact at both ends. RuntimeError when the dtypes differ."""

    @overload
    def lerp_(self, end: Tensor, weight: Tensor) -> Tensor:
        """Straight from self (weight 0) to end (weight 1), exact at both ends. RuntimeError when the dtypes differ."""

    @overload
    def lerp_(self, end: Tensor, weight: Number) -> Tensor:
        """Straight from self (weight 0) to end (weight 1), exact at both ends. RuntimeError when the dtypes differ."""

    def log(self) -> Tensor:
        """The natural logarithm."""

    def log10(self) -> Tensor:
        """The logarithm to base 10."""

    def log10_(self) -> Tensor:
        """The logarithm to base 10."""

    def log1p(self) -> Tensor:
        """log(1 + self), exact near 0."""

    def log1p_(self) -> Tensor:
        """log(1 + self), exact near 0."""

    def log2(self) -> Tensor:
        """The logarithm to base 2."""

    def log2_(self) -> Tensor:
        """The logarithm to base 2."""

    def log_(self) -> Tensor:
        """The natural logarithm."""

    def log_softmax(self, dim: _int, dtype: _dtype | None = ...) -> Tensor:
        """The logarithm of softmax, without overflow."""

    def logaddexp(self, other: Tensor) -> Tensor:
        """log(exp(self) + exp(other)), without overflow."""

    def logical_and(self, other: Tensor) -> Tensor:
        """Both are true."""

    def logical_and_(self, other: Tensor) -> Tensor:
        """Both are true."""

    def logical_not(self) -> Tensor:
        """The opposite truth value."""

    def logical_not_(self) -> Tensor:
        """The opposite truth value."""

    def logical_or(self, other: Tensor) -> Tensor:
        """At least one is true."""

    def logical_or_(self, other: Tensor) -> Tensor:
        """At least one is true."""

    def logical_xor(self, other: Tensor) -> Tensor:
        """Exactly one is true."""

    def logical_xor_(self, other: Tensor) -> Tensor:
        """Exactly one is true."""

    def logsumexp(self, dim: _int | Sequence[_int], keepdim: _bool = ...) -> Tensor:
        """log(sum(exp(self))) over dimensions, without overflow."""

    def long(self, *, memory_format: Any = ...) -> Tensor:
        """This tensor as minigrad.int64; itself when it is that already."""

    @overload
    def lt(self, other: Tensor) -> Tensor:
        """self < other, element by element."""

    @overload
    def lt(self, other: Number) -> Tensor:
        """self < other, element by element."""

    @overload
    def lt_(self, other: Tensor) -> Tensor:
        """self < other, element by element."""

    @overload
    def lt_(self, other: Number) -> Tensor:
        """self < other, element by element."""

    @property
    def mT(self) -> Tensor:
        """The last two dimensions exchanged."""

    @overload
    def masked_fill(self, mask: Tensor, value: Tensor) -> Tensor:
        """self with a number, or a tensor of zero dimensions, where the mask is true."""

    @overload
    def masked_fill(self, mask: Tensor, value: Number) -> Tensor:
        """self with a number, or a tensor of zero dimensions, where the mask is true."""

    @overload
    def masked_fill_(self, mask: Tensor, value: Tensor) -> Tensor:
        """self with a number, or a tensor of zero dimensions, where the mask is true."""

    @overload
    def masked_fill_(self, mask: Tensor, value: Number) -> Tensor:
        """self with a number, or a tensor of zero dimensions, where the mask is true."""

    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements where the mask is true, as a vector. The two broadcast against each other."""

    def matmul(self, other: Tensor) -> Tensor:
        """``self @ other``, for one to many dimensions. Source: torch.matmul, which builds it of dot, mv, mm and bmm."""

    @overload
    def max(self) -> Tensor:
        """The largest element; along a dimension (values, indices); with a second tensor as ``maximum``."""

    @overload
    def max(self, other: Tensor) -> Tensor:
        """The largest element; along a dimension (values, indices); with a second tensor as ``maximum``."""

    @overload
    def max(self, dim: _int, keepdim: _bool = ...) -> Pair:
        """The largest element; along a dimension (values, indices); with a second tensor as ``maximum``."""

    def maximum(self, other: Tensor) -> Tensor:
        """The larger of two; a tie shares the gradient."""

    @overload
    def mean(self, *, dtype: _dtype | None = ...) -> Tensor:
        """The mean of all elements, or over dimensions. RuntimeError for integers, unless a dtype is asked for."""

    @overload
    def mean(self, dim: _int | Sequence[_int] | None, keepdim: _bool = ..., *, dtype: _dtype | None = ...) -> Tensor:
        """The mean of all elements, or over dimensions. RuntimeError for integers, unless a dtype is asked for."""

    def median(self) -> Tensor:
        """The middle element, the lower of two."""

    @overload
    def min(self) -> Tensor:
        """The smallest element; along a dimension (values, indices); with a second tensor as ``minimum``."""

    @overload
    def min(self, other: Tensor) -> Tensor:
        """The smallest element; along a dimension (values, indices); with a second tensor as ``minimum``."""

    @overload
    def min(self, dim: _int, keepdim: _bool = ...) -> Pair:
        """The smallest element; along a dimension (values, indices); with a second tensor as ``minimum``."""

    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of two; a tie shares the gradient."""

    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices (n, k) and (k, m)."""

    @overload
    def movedim(self, source: _int, destination: _int) -> Tensor:
        """Dimensions moved to other places; the others keep their order. One of each, or as many of the one as of the other."""

    @overload
    def movedim(self, source: Sequence[_int], destination: Sequence[_int]) -> Tensor:
        """Dimensions moved to other places; the others keep their order. One of each, or as many of the one as of the other."""

    def mul(self, other: Tensor | Number) -> Tensor:
        """self · other."""

    def mul_(self, other: Tensor | Number) -> Tensor:
        """self · other."""

    def multinomial(self, num_samples: _int, replacement: _bool = ..., *, generator: Any = ...) -> Tensor:
        """Indices, drawn with the probabilities in proportion to the input (n) or to each of its rows (rows, n)."""

    @overload
    def multiply(self, other: Tensor | Number) -> Tensor:
        """self · other."""

    @overload
    def multiply(self, other: Number) -> Tensor:
        """self · other."""

    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix (n, k) and a vector (k,)."""

    def nan_to_num(self, nan: _float | None = ..., posinf: _float | None = ..., neginf: _float | None = ...) -> Tensor:
        """self with numbers in place of NaN (0), ∞ and -∞ (the largest and the smallest number of the dtype)."""

    def nan_to_num_(self, nan: _float | None = ..., posinf: _float | None = ..., neginf: _float | None = ...) -> Tensor:
        """self with numbers in place of NaN (0), ∞ and -∞ (the largest and the smallest number of the dtype)."""

    @overload
    def narrow(self, dim: _int, start: Tensor, length: _int) -> Tensor:
        """``length`` indices of a dimension from ``start`` on."""

    @overload
    def narrow(self, dim: _int, start: _int, length: _int) -> Tensor:
        """``length`` indices of a dimension from ``start`` on."""

    @property
    def nbytes(self) -> _int:
        """Bytes of all elements."""

    def ndimension(self) -> _int:
        """The number of dimensions."""

    @overload
    def ne(self, other: Tensor) -> Tensor:
        """self != other, element by element."""

    @overload
    def ne(self, other: Number) -> Tensor:
        """self != other, element by element."""

    @overload
    def ne_(self, other: Tensor) -> Tensor:
        """self != other, element by element."""

    @overload
    def ne_(self, other: Number) -> Tensor:
        """self != other, element by element."""

    def neg(self) -> Tensor:
        """-self."""

    def neg_(self) -> Tensor:
        """-self."""

    def negative(self) -> Tensor:
        """-self."""

    def nelement(self) -> _int:
        """The number of elements."""

    @overload
    def new_empty(self, size: Sequence[_int], *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
        """``empty`` in the dtype of this tensor."""

    @overload
    def new_empty(self, *size: _int, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
        """``empty`` in the dtype of this tensor."""

    def new_full(self, size: Sequence[_int], fill_value: Number, *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
        """``full`` in the dtype of this tensor."""

    @overload
    def new_ones(self, size: Sequence[_int], *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
        """``ones`` in the dtype of this tensor."""

    @overload
    def new_ones(self, *size: _int, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
        """``ones`` in the dtype of this tensor."""

    def new_tensor(self, data: Any, *, dtype: _dtype | None = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool = ...) -> Tensor:
        """``tensor`` in the dtype of this tensor."""

    @overload
    def new_zeros(self, size: Sequence[_int], *, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
        """``zeros`` in the dtype of this tensor."""

    @overload
    def new_zeros(self, *size: _int, dtype: _dtype | None = ..., layout: Any = ..., device: Any = ..., pin_memory: _bool = ..., requires_grad: _bool | None = ...) -> Tensor:
        """``zeros`` in the dtype of this tensor."""

    @overload
    def nonzero(self) -> Tensor:
        """Where the elements are not 0: one row of indices for each, or, as_tuple, one vector for each dimension."""

    @overload
    def nonzero(self, *, as_tuple: _bool) -> tuple[Tensor, ...]:
        """Where the elements are not 0: one row of indices for each, or, as_tuple, one vector for each dimension."""

    def norm(self, p: Any = ..., dim: Any = ..., keepdim: Any = ..., dtype: Any = ...) -> Tensor:
        """The ``p``-norm of all elements, or over dimensions; "fro" is the 2-norm. RuntimeError for integers."""

    def normal_(self, mean: _float = ..., std: _float = ..., *, generator: Any = ...) -> Tensor:
        """Random numbers in place of this tensor's, normal with ``mean`` (0) and standard deviation ``std`` (1)."""

    def outer(self, vec2: Tensor) -> Tensor:
        """All products of an element of one vector with one of another: (n,) and (m,) give (n, m)."""

    @property
    def output_nr(self) -> _int:
        """Which output of ``grad_fn`` this tensor is."""

    @overload
    def permute(self, dims: Sequence[_int]) -> Tensor:
        """The dimensions in the order given."""

    @overload
    def permute(self, *dims: _int) -> Tensor:
        """The dimensions in the order given."""

    @overload
    def pow(self, exponent: Tensor) -> Tensor:
        """self to the power of exponent."""

    @overload
    def pow(self, exponent: Number) -> Tensor:
        """self to the power of exponent."""

    @overload
    def pow_(self, exponent: Tensor) -> Tensor:
        """self to the power of exponent."""

    @overload
    def pow_(self, exponent: Number) -> Tensor:
        """self to the power of exponent."""

    @overload
    def prod(self, *, dtype: _dtype | None = ...) -> Tensor:
        """The product of all elements, or over one dimension. Integers are multiplied as int64."""

    @overload
    def prod(self, dim: _int, keepdim: _bool = ..., *, dtype: _dtype | None = ...) -> Tensor:
        """The product of all elements, or over one dimension. Integers are multiplied as int64."""

    @overload
    def random_(self, from_: _int, to: _int, *, generator: Any = ...) -> Tensor:
        """Integers in place of this tensor's elements: from [``from``, ``to``), or [0, to) when only one bound is given."""

    @overload
    def random_(self, to: _int, *, generator: Any = ...) -> Tensor:
        """Integers in place of this tensor's elements: from [``from``, ``to``), or [0, to) when only one bound is given."""

    def ravel(self) -> Tensor:
        """All elements in one dimension."""

    @property
    def real(self) -> Tensor:
        """The real part: a view for complex tensors, the tensor itself for others."""

    def reciprocal(self) -> Tensor:
        """1 / self."""

    def reciprocal_(self) -> Tensor:
        """1 / self."""

    def register_hook(self, hook: Any) -> Any:
        """Call ``hook(gradient)`` once in each backward pass; a Tensor it returns replaces the gradient."""

    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Call ``hook(leaf)`` after ``leaf.grad`` was updated. RuntimeError for anything but a leaf that requires grad."""

    def relu(self) -> Tensor:
        """max(self, 0); its slope at 0 is 0."""

    def relu_(self) -> Tensor:
        """max(self, 0); its slope at 0 is 0."""

    @overload
    def remainder(self, other: Tensor) -> Tensor:
        """self modulo other; the result has the sign of other."""

    @overload
    def remainder(self, other: Number) -> Tensor:
        """self modulo other; the result has the sign of other."""

    @overload
    def remainder_(self, other: Tensor) -> Tensor:
        """self modulo other; the result has the sign of other."""

    @overload
    def remainder_(self, other: Number) -> Tensor:
        """self modulo other; the result has the sign of other."""

    @overload
    def repeat(self, repeats: Sequence[_int]) -> Tensor:
        """Copies side by side: ``repeats[i]`` times along dimension i."""

    @overload
    def repeat(self, *repeats: _int) -> Tensor:
        """Copies side by side: ``repeats[i]`` times along dimension i."""

    def repeat_interleave(self, repeats: Any, dim: Any = ...) -> Tensor:
        """Each element so often, one after the other. repeats: a number, or a tensor with one for each index."""

    @overload
    def reshape(self, shape: Sequence[_int]) -> Tensor:
        """The same elements in another shape: a view where the strides allow it, otherwise a copy."""

    @overload
    def reshape(self, *shape: _int) -> Tensor:
        """The same elements in another shape: a view where the strides allow it, otherwise a copy."""

    def retain_grad(self) -> None:
        """Keep the gradient of a non-leaf in ``.grad``. RuntimeError when it does not require grad."""

    @property
    def retains_grad(self) -> _bool:
        """Whether ``retain_grad`` was called on this non-leaf."""

    def roll(self, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = ...) -> Tensor:
        """Shifted by ``shifts`` along ``dims`` (flattened when none are given)."""

    @overload
    def round(self) -> Tensor:
        """The nearest integer, or the nearest number with so many decimals; halves go to the even one."""

    @overload
    def round(self, *, decimals: _int) -> Tensor:
        """The nearest integer, or the nearest number with so many decimals; halves go to the even one."""

    @overload
    def round_(self) -> Tensor:
        """The nearest integer, or the nearest number with so many decimals; halves go to the even one."""

    @overload
    def round_(self, *, decimals: _int) -> Tensor:
        """The nearest integer, or the nearest number with so many decimals; halves go to the even one."""

    def rsqrt(self) -> Tensor:
        """1 / sqrt(self)."""

    def rsqrt_(self) -> Tensor:
        """1 / sqrt(self)."""

    def scatter(self, dim: Any, index: Any, src: Any = ..., *, value: Any = ..., reduce: Any = ...) -> Tensor:
        """The input with src (or one number) written along a dimension where ``gather`` would read."""

    def scatter_(self, dim: Any, index: Any, src: Any = ..., *, value: Any = ..., reduce: Any = ...) -> Tensor:
        """``scatter``, in place."""

    def scatter_add(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """self with the elements of ``src`` added at the positions that ``index`` gives along a dimension."""

    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor) -> Tensor:
        """self with the elements of ``src`` added at the positions that ``index`` gives along a dimension."""

    def select(self, dim: _int, index: _int) -> Tensor:
        """One index of a dimension; the dimension goes away."""

    def sgn(self) -> Tensor:
        """The sign of a real number; the direction self/|self| of a complex one, and 0 for 0."""

    def sgn_(self) -> Tensor:
        """The sign of a real number; the direction self/|self| of a complex one, and 0 for 0."""

    def short(self, *, memory_format: Any = ...) -> Tensor:
        """This tensor as minigrad.int16; itself when it is that already."""

    def sigmoid(self) -> Tensor:
        """1 / (1 + exp(-self))."""

    def sigmoid_(self) -> Tensor:
        """1 / (1 + exp(-self))."""

    def sign(self) -> Tensor:
        """-1, 0 or 1; 0 for NaN."""

    def sign_(self) -> Tensor:
        """-1, 0 or 1; 0 for NaN."""

    def sin(self) -> Tensor:
        """The sine."""

    def sin_(self) -> Tensor:
        """The sine."""

    def sinh(self) -> Tensor:
        """The hyperbolic sine."""

    def sinh_(self) -> Tensor:
        """The hyperbolic sine."""

    def size(self, dim: _int | None = ...) -> Any:
        """The shape, or the size of one dimension."""

    def softmax(self, dim: _int, dtype: _dtype | None = ...) -> Tensor:
        """exp(self), scaled so that it sums to 1 along a dimension."""

    @overload
    def sort(self, *, stable: _bool | None, dim: _int = ..., descending: _bool = ...) -> Pair:
        """The elements in order along a dimension: (values, indices). NaN counts as the largest; equal ones keep their order."""

    @overload
    def sort(self, dim: _int = ..., descending: _bool = ...) -> Pair:
        """The elements in order along a dimension: (values, indices). NaN counts as the largest; equal ones keep their order."""

    @overload
    def split(self, split_size: _int, dim: _int = ...) -> tuple[Tensor, ...]:
        """Views of ``split_size`` indices each along a dimension; a list of sizes makes one view for each."""

    @overload
    def split(self, split_size: Sequence[_int], dim: _int = ...) -> tuple[Tensor, ...]:
        """Views of ``split_size`` indices each along a dimension; a list of sizes makes one view for each."""

    def sqrt(self) -> Tensor:
        """The square root."""

    def sqrt_(self) -> Tensor:
        """The square root."""

    def square(self) -> Tensor:
        """self · self."""

    def square_(self) -> Tensor:
        """self · self."""

    @overload
    def squeeze(self) -> Tensor:
        """Without dimensions of size 1: all of them, or only those that are named."""

    @overload
    def squeeze(self, dim: _int) -> Tensor:
        """Without dimensions of size 1: all of them, or only those that are named."""

    @overload
    def squeeze(self, dim: Sequence[_int]) -> Tensor:
        """Without dimensions of size 1: all of them, or only those that are named."""

    @overload
    def squeeze(self, *dim: _int) -> Tensor:
        """Without dimensions of size 1: all of them, or only those that are named."""

    @overload
    def std(self, dim: _int | Sequence[_int] | None, unbiased: _bool = ..., keepdim: _bool = ...) -> Tensor:
        """The standard deviation over dimensions; its slope where it is 0 counts as 0."""

    @overload
    def std(self, dim: _int | Sequence[_int] | None = ..., *, correction: Number | None = ..., keepdim: _bool = ...) -> Tensor:
        """The standard deviation over dimensions; its slope where it is 0 counts as 0."""

    @overload
    def std(self, unbiased: _bool = ...) -> Tensor:
        """The standard deviation over dimensions; its slope where it is 0 counts as 0."""

    def storage_offset(self) -> _int:
        """How many elements the memory has before the first of this tensor: more than 0 for some views."""

    def stride(self, dim: _int | None = ...) -> Any:
        """The distance, in elements, from one index to the next, in each dimension."""

    def sub(self, other: Tensor | Number, *, alpha: Number = ...) -> Tensor:
        """self - alpha · other."""

    def sub_(self, other: Tensor | Number, *, alpha: Number = ...) -> Tensor:
        """self - alpha · other."""

    @overload
    def subtract(self, other: Tensor | Number, *, alpha: Number = ...) -> Tensor:
        """self - alpha · other."""

    @overload
    def subtract(self, other: Number, alpha: Number = ...) -> Tensor:
        """self - alpha · other."""

    @overload
    def sum(self, *, dtype: _dtype | None = ...) -> Tensor:
        """The sum of all elements, or over dimensions. Integers are summed as int64."""

    @overload
    def sum(self, dim: _int | Sequence[_int] | None, keepdim: _bool = ..., *, dtype: _dtype | None = ...) -> Tensor:
        """The sum of all elements, or over dimensions. Integers are summed as int64."""

    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor:
        """Two dimensions exchanged."""

    def t(self) -> Tensor:
        """A matrix transposed; fewer than two dimensions as they are."""

    def tan(self) -> Tensor:
        """The tangent."""

    def tan_(self) -> Tensor:
        """The tangent."""

    def tanh(self) -> Tensor:
        """The hyperbolic tangent."""

    def tanh_(self) -> Tensor:
        """The hyperbolic tangent."""

    def tile(self, *dims: Any) -> Tensor:
        """Repeated so often along each of the last dimensions."""

    @overload
    def to(self, device: Any = ..., dtype: _dtype | None = ..., non_blocking: _bool = ..., copy: _bool = ..., *, memory_format: Any = ...) -> Tensor:
        """This tensor in another dtype (or that of another tensor): itself when nothing changes and no copy is asked for."""

    @overload
    def to(self, dtype: _dtype, non_blocking: _bool = ..., copy: _bool = ..., *, memory_format: Any = ...) -> Tensor:
        """This tensor in another dtype (or that of another tensor): itself when nothing changes and no copy is asked for."""

    @overload
    def to(self, tensor: Tensor, non_blocking: _bool = ..., copy: _bool = ..., *, memory_format: Any = ...) -> Tensor:
        """This tensor in another dtype (or that of another tensor): itself when nothing changes and no copy is asked for."""

    def tolist(self) -> Any:
        """The elements as nested lists, or a number for zero dimensions."""

    def topk(self, k: _int, dim: _int = ..., largest: _bool = ..., sorted: _bool = ...) -> Pair:
        """The k largest (or smallest) elements along a dimension, in order: (values, indices)."""

    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix."""

    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """Two dimensions exchanged."""

    def tril(self, diagonal: _int = ...) -> Tensor:
        """The lower triangle; zeros elsewhere."""

    def tril_(self, diagonal: _int = ...) -> Tensor:
        """The lower triangle; zeros elsewhere."""

    def triu(self, diagonal: _int = ...) -> Tensor:
        """The upper triangle; zeros elsewhere."""

    def triu_(self, diagonal: _int = ...) -> Tensor:
        """The upper triangle; zeros elsewhere."""

    @overload
    def true_divide(self, other: Tensor | Number) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    @overload
    def true_divide(self, other: Number) -> Tensor:
        """self / other: a true division, or one rounded towards zero ("trunc") or down ("floor")."""

    def trunc(self) -> Tensor:
        """The integer part."""

    def trunc_(self) -> Tensor:
        """The integer part."""

    def type(self, dtype: Any = ...) -> Any: ...

    def type_as(self, other: Tensor) -> Tensor:
        """This tensor in the dtype of another."""

    def unbind(self, dim: _int = ...) -> tuple[Tensor, ...]:
        """One view per index of a dimension, as a tuple."""

    def uniform_(self, from_: _float = ..., to: _float = ..., *, generator: Any = ...) -> Tensor:
        """Random numbers in place of this tensor's, uniform in [``from``, ``to``), which is [0, 1) if nothing is said."""

    def unique(self, sorted: Any = ..., return_inverse: Any = ..., return_counts: Any = ..., dim: Any = ...) -> Tensor:
        """The different elements in ascending order; also, for each element, where it went, and how often each came."""

    def unsqueeze(self, dim: _int) -> Tensor:
        """With a new dimension of size 1 at position dim."""

    @overload
    def var(self, dim: _int | Sequence[_int] | None, unbiased: _bool = ..., keepdim: _bool = ...) -> Tensor:
        """The variance over dimensions, with n - correction in the denominator."""

    @overload
    def var(self, dim: _int | Sequence[_int] | None = ..., *, correction: Number | None = ..., keepdim: _bool = ...) -> Tensor:
        """The variance over dimensions, with n - correction in the denominator."""

    @overload
    def var(self, unbiased: _bool = ...) -> Tensor:
        """The variance over dimensions, with n - correction in the denominator."""

    @overload
    def view(self, dtype: _dtype) -> Tensor:
        """The same elements in another shape, sharing memory; one size may be -1."""

    @overload
    def view(self, size: Sequence[_int]) -> Tensor:
        """The same elements in another shape, sharing memory; one size may be -1."""

    @overload
    def view(self, *size: _int) -> Tensor:
        """The same elements in another shape, sharing memory; one size may be -1."""

    def view_as(self, other: Tensor) -> Tensor:
        """Viewed in the shape of another tensor."""

    @overload
    def where(self, condition: Tensor, other: Tensor) -> Tensor:
        ...

    @overload
    def where(self, condition: Tensor, other: Number) -> Tensor:
        ...

    def zero_(self) -> Tensor:
        """Zeros in place of a tensor."""
