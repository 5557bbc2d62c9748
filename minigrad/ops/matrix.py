"""Products of vectors and matrices. The rule is the same for all: the cotangent times the other factor, transposed."""

from __future__ import annotations

import math

import numpy as np

from .. import dtypes, errors
from ..tensor import op
from .pointwise import conj
from .shape import contiguous, expand, reshape, squeeze, squeeze_dim_, t, transpose, unsafe_view, unsqueeze


def _same_dtype(a, b, message):
    if a.dtype != b.dtype:
        raise RuntimeError(message.format(dtypes.of(a).scalar_type, dtypes.of(b).scalar_type))


def _no_bools(array, kernel):
    """PyTorch has no product of truth values."""
    if array.dtype.kind == "b":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def _cpp(array) -> str:
    """The name of a dtype in C++, as some messages have it."""
    names = {"int64": "long long", "int32": "int", "int16": "short", "int8": "signed char", "uint8": "unsigned char",
             "float32": "float", "float64": "double", "float16": "c10::Half", "complex64": "c10::complex<float>",
             "complex128": "c10::complex<double>"}  # fmt: skip
    return names.get(array.dtype.name, array.dtype.name)


@op("multilinear", self=lambda g, mat2: mm(g, conj(t(mat2))), mat2=lambda g, self: mm(conj(t(self)), g))
def mm(self, mat2):
    """The product of two matrices (n, k) and (k, m)."""
    if self.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if self.shape[1] != mat2.shape[0]:
        (a, b), (c, d) = self.shape, mat2.shape
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a}x{b} and {c}x{d})")
    if self.dtype != mat2.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {_cpp(self)} != {_cpp(mat2)}")
    if self.size and mat2.size:
        _no_bools(self, "addmm_impl_cpu_")
    return np.matmul(self, mat2)


@op(
    "multilinear",
    self=lambda g, vec: unsqueeze(g, 1) * conj(unsqueeze(vec, 0)),
    vec=lambda g, self: mv(conj(t(self)), g),
)
def mv(self, vec):
    """The product of a matrix (n, k) and a vector (k,)."""
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        a, b = self.shape
        raise RuntimeError(f"size mismatch, got input ({a}), mat ({a}x{b}), vec ({vec.shape[0]})")
    if self.dtype != vec.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {_cpp(self)} != {_cpp(vec)}")
    if self.size:
        _no_bools(self, "addmv_impl_cpu")
    return np.matmul(self, vec)


@op("multilinear", self=lambda g, tensor: g * conj(tensor), tensor=lambda g, self: g * conj(self))
def dot(self, tensor):
    """The sum of the products of two vectors."""
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    _same_dtype(self, tensor, "dot : expected both vectors to have same dtype, but found {} and {}")
    if self.shape != tensor.shape:
        n, m = self.size, tensor.size
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of elements, but "
            f"got {n} and {m} elements respectively"
        )
    _no_bools(self, "dot")
    return np.dot(self, tensor)


@op(
    "multilinear",
    self=lambda g, mat2: bmm(g, conj(transpose(mat2, 1, 2))),
    mat2=lambda g, self: bmm(conj(transpose(self, 1, 2)), g),
)
def bmm(self, mat2):
    """The products of two batches of matrices (b, n, k) and (b, k, m)."""
    if self.ndim != 3 or mat2.ndim != 3:
        raise RuntimeError(f"batch{1 if self.ndim != 3 else 2} must be a 3D tensor")
    b, _, k = self.shape
    if mat2.shape[0] != b or mat2.shape[1] != k:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{b}, {k}] but got: "
            f"[{mat2.shape[0]}, {mat2.shape[1]}]."
        )
    if self.size and mat2.size:
        _no_bools(self, "bmm")
    if self.dtype != mat2.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {_cpp(self)} != {_cpp(mat2)}")
    return np.matmul(self, mat2)


def matmul(self, other):
    """``self @ other``, for one to many dimensions. Source: torch.matmul, which builds it of dot, mv, mm and bmm."""
    n, m = len(self.shape), len(other.shape)
    if n == 0 or m == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {n}D and {m}D")
    if n == 1 and m == 1:
        return dot(self, other)
    if n == 2 and m == 1:
        return mv(self, other)
    if n == 1 and m == 2:
        return squeeze_dim_(mm(unsqueeze(self, 0), other), 0)
    if n == 2 and m == 2:
        return mm(self, other)
    if _folds(self, other):
        return _folded(self, other)
    if n == m == 3 and self.shape[0] != other.shape[0]:
        if self.shape[0] == 1 and self.requires_grad:
            return matmul(squeeze(self, 0), other)
        if other.shape[0] == 1 and other.requires_grad:
            return matmul(self, squeeze(other, 0))
    return _batched(self, other)


def _folds(self, other) -> bool:
    """Whether many matrices meet one matrix or vector, so that they can be one big matrix.

    PyTorch does so when the one requires grad, because its gradient is then one product too, and where it costs no copy.
    """
    many, one = (self, other) if self.ndim >= other.ndim else (transpose(other, -2, -1), self)
    if many.ndim < 3 or one.ndim > 2:
        return False
    if one.requires_grad:
        return True
    if self.ndim == 2:
        return False
    shape, strides = many.shape, many.stride()
    return many.numel() == 0 or all(
        strides[i] == strides[i + 1] * shape[i + 1] for i in range(many.ndim - 2)
    )


def _folded(self, other):
    """The leading dimensions of the larger operand as rows of one matrix."""
    swapped = other.ndim > self.ndim
    many = transpose(other, -2, -1) if swapped else self
    one = other if not swapped else t(self) if self.ndim == 2 else self
    rows = reshape(many, (-1, many.shape[-1]) if many.shape[-1] else (math.prod(many.shape[:-1]), 0))
    if one.ndim == 1:
        return unsafe_view(mv(rows, one), tuple(many.shape[:-1]))
    result = unsafe_view(mm(rows, one), (*many.shape[:-1], one.shape[1]))
    return contiguous(transpose(result, -2, -1)) if swapped else result


def _batched(self, other):
    """The leading dimensions broadcast against each other, and one product for each."""
    n, m = self.ndim, other.ndim
    left, right = tuple(self.shape[-2:]), tuple(other.shape[-2:])
    batch = _broadcast_shapes(tuple(self.shape[:-2]), tuple(other.shape[:-2]))
    count = math.prod(batch)
    rows = left if n > 1 else (1, *left)
    a = reshape(expand(self, *batch, *rows), (count, *rows))
    if m == 1:
        columns = unsqueeze(reshape(expand(other, *batch, *right), (count, *right)), 2)
        return unsafe_view(squeeze(bmm(a, columns), -1), (*batch, *rows[:-1]))
    b = reshape(expand(other, *batch, *right), (count, *right))
    return unsafe_view(bmm(a, b), (*batch, *left[:-1], right[-1]))


def _broadcast_shapes(a, b) -> tuple[int, ...]:
    rank = max(len(a), len(b))
    result = []
    for i, (n, m) in enumerate(zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True)):
        if n != m and 1 not in (n, m):
            raise RuntimeError(errors.BROADCAST.format(n, m, i))
        result.append(m if n == 1 else n)
    return tuple(result)


def outer(self, vec2):
    """All products of an element of one vector with one of another: (n,) and (m,) give (n, m)."""
    for name, vector in (("self", self), ("vec2", vec2)):
        if len(vector.shape) != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {len(vector.shape)}-D")
    return reshape(self, (-1, 1)) * vec2
