"""Products of vectors and matrices. The rule is the same for all: the cotangent times the other factor, transposed."""

from __future__ import annotations

import math
import string

import numpy as np

from .. import dtypes, errors
from ..tensor import Tensor, kernel, op
from .pointwise import conj, plus, scaled
from .reduction import sum_dim
from .shape import (
    broadcast_shapes,
    contiguous,
    diagonal,
    diagonal_backward,
    expand,
    expand_to,
    expanded_size,
    movedim,
    permute_dims,
    reshape,
    squeeze,
    squeeze_dim_,
    t,
    transpose,
    unsafe_view,
    unsqueeze,
    view,
)


def same_dtype(a, b, message="expected scalar type {} but found {}"):
    """Raise unless two arrays have one dtype: the operations here promote nothing."""
    if a.dtype != b.dtype:
        raise RuntimeError(message.format(dtypes.of(a).scalar_type, dtypes.of(b).scalar_type))


def _no_bools(array, kernel):
    """PyTorch has no product of truth values."""
    if array.dtype.kind == "b":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


@op("multilinear", self=lambda g, mat2: mm(g, conj(t(mat2))), mat2=lambda g, self: mm(conj(t(self)), g))
def mm(self, mat2):
    """The product of two matrices (n, k) and (k, m)."""
    if self.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if self.shape[1] != mat2.shape[0]:
        (a, b), (c, d) = self.shape, mat2.shape
        raise errors.note(RuntimeError(errors.MATMUL.format(a, b, c, d)))
    if self.dtype != mat2.dtype:
        raise RuntimeError(errors.MATRIX_KINDS.format(dtypes.of(self).cpp, dtypes.of(mat2).cpp))
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
    if not self.ndim:
        raise IndexError(errors.NO_DIMENSIONS.format(0))
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        a, b = self.shape
        raise RuntimeError(f"size mismatch, got input ({a}), mat ({a}x{b}), vec ({vec.shape[0]})")
    same_dtype(vec, self, errors.VECTOR_KINDS)
    if self.size:
        _no_bools(self, "addmv_impl_cpu")
    return np.matmul(self, vec)


@op("multilinear", self=lambda g, tensor: g * conj(tensor), tensor=lambda g, self: g * conj(self))
def dot(self, tensor):
    """The sum of the products of two vectors."""
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    same_dtype(self, tensor, "dot : expected both vectors to have same dtype, but found {} and {}")
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
    same_dtype(self, mat2)
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
    return many.numel() == 0 or all(strides[i] == strides[i + 1] * shape[i + 1] for i in range(many.ndim - 2))


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
    batch = broadcast_shapes(self.shape[:-2], other.shape[:-2])
    count = math.prod(batch)
    rows = left if n > 1 else (1, *left)
    a = reshape(expand(self, (*batch, *rows)), (count, *rows))
    b = reshape(expand(other, (*batch, *right)), (count, *right))
    if m == 1:
        return unsafe_view(squeeze(bmm(a, unsqueeze(b, 2)), -1), (*batch, *rows[:-1]))
    return unsafe_view(bmm(a, b), (*batch, *left[:-1], right[-1]))


def outer(self, vec2):
    """All products of an element of one vector with one of another: (n,) and (m,) give (n, m)."""
    for name, vector in (("self", self), ("vec2", vec2)):
        if len(vector.shape) != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {len(vector.shape)}-D")
    return reshape(self, (-1, 1)) * vec2


@op(
    lambda self_t, mat1_t, mat2_t, mat1, mat2, beta, alpha: plus(
        None if self_t is None else scaled(expand_to(self_t, (mat1.shape[0], mat2.shape[1])), beta),
        None if mat1_t is None else scaled(mm(mat1_t, mat2), alpha),
        None if mat2_t is None else scaled(mm(mat1, mat2_t), alpha),
    ),
    self=lambda g, beta: scaled(g, conj(beta)),
    mat1=lambda g, mat2, alpha: scaled(mm(g, conj(t(mat2))), conj(alpha)),
    mat2=lambda g, mat1, alpha: scaled(mm(conj(t(mat1)), g), conj(alpha)),
)
def addmm(self, mat1, mat2, beta=1, alpha=1):
    """beta · self + alpha · (mat1 @ mat2): a product of matrices and something that broadcasts to it."""
    for name, matrix in (("self", self), ("mat1", mat1)):
        if matrix.dtype != mat2.dtype:
            kinds = dtypes.of(matrix).scalar_type, dtypes.of(mat2).scalar_type
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {kinds[0]} and {kinds[1]}")
    for name, matrix in (("mat1", mat1), ("mat2", mat2)):
        if matrix.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {matrix.ndim}-D tensor")
    product = mm.op.forward(mat1, mat2)
    if self.shape != product.shape:
        self = np.broadcast_to(self, expanded_size(self.shape, product.shape, dtypes.of(self).kind))
    if alpha != 1:
        product *= product.dtype.type(alpha)
    if beta:  # with 0 even NaN does not count
        product += self if beta == 1 else self * beta
    return product


@op(
    "linear",
    self=lambda g, self_sym_sizes: diagonal_backward(expand_to(g, (min(self_sym_sizes),)), self_sym_sizes, 0, 0, 1),
    refuses={"b": kernel("trace")},
)
def trace(self):
    """The sum of the diagonal of a matrix."""
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    return self.trace(dtype=np.int64 if self.dtype.kind in "ui" else None)


# -- einsum --------------------------------------------------------------------------------------------------------------

_ELLIPSIS = "..."


def _letter(number):
    """The subscript that a number stands for: A to Z are 0 to 25, a to z the next ones."""
    if not 0 <= number < 52:
        raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    return string.ascii_letters[(number + 26) % 52]


def einsum(*args):
    """Products of tensors, summed over the subscripts that the output does not name: ``einsum("ij,jk->ik", a, b)``.

    ``...`` stands for dimensions that broadcast; without ``->`` the output has the subscripts that occur once, in
    alphabetical order. The way is torch's: all operands get all dimensions, and are multiplied from left to right.
    """
    if len(args) < 2:
        raise ValueError(errors.EINSUM_NOTHING)
    equation, *operands = args
    if isinstance(equation, Tensor):  # each operand with a list of numbers, and at last, if it is there, the list of the output
        operands, lists = args[0 : len(args) // 2 * 2 : 2], [*args[1::2], *args[len(args) // 2 * 2 :]]
        words = ["".join("..." if n is ... else _letter(n) for n in numbers) for numbers in lists]
        equation = ",".join(words[: len(operands)]) + "->" * (len(words) > len(operands)) + "".join(words[len(operands) :])
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    for k, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise TypeError(errors.ELEMENT.format(k, 1, errors.kind_of(operand)))
    left, arrow, right = equation.partition("->")
    inputs = [_labels(part, equation, f"for operand {k}") for k, part in enumerate(left.split(","))]
    if len(inputs) != len(operands):
        few = "fewer" if len(inputs) > len(operands) else "more"
        raise RuntimeError(f"einsum(): {few} operands were provided than specified in the equation")
    for k, (labels, operand) in enumerate(zip(inputs, operands, strict=True)):
        _check_labels(labels, operand, k)
    counts = {label: sum(labels.count(label) for labels in inputs) for labels in inputs for label in labels}
    once = sorted(label for label, n in counts.items() if n == 1 and label != _ELLIPSIS)
    output = _labels(right, equation, "in the output") if arrow else [_ELLIPSIS] * (_ELLIPSIS in counts) + once
    _check_output(output, counts)
    order = output + sorted(set(counts) - set(output), key=lambda label: (label != _ELLIPSIS, label))
    stars = max((operand.ndim - len(labels) + 1 for labels, operand in zip(inputs, operands, strict=True) if _ELLIPSIS in labels),
                default=0)  # fmt: skip
    place, names = {}, []
    for label in order:
        place[label] = len(names)
        names += [label] * (stars if label == _ELLIPSIS else 1)
    aligned = [_spread(x, labels, place, len(names), stars) for x, labels in zip(operands, inputs, strict=True)]
    _check_sizes(aligned, names)
    kept = place[order[len(output)]] if len(output) < len(order) else len(names)
    return _contracted(aligned, kept)


def _labels(text, equation, where) -> list[str]:
    """The subscripts of one operand, the ellipsis as one of them."""
    labels, rest = [], text.replace(" ", "")
    while rest:
        if rest.startswith("..."):
            label = _ELLIPSIS
        elif rest[0] == ".":
            raise RuntimeError(f"einsum(): found '.' {where} that is not part of any ellipsis")
        elif rest[0].isascii() and rest[0].isalpha():
            label = rest[0]
        else:
            raise RuntimeError(errors.EINSUM_SUBSCRIPT.format(equation.rindex(rest[0])))
        labels.append(label)
        rest = rest[len(label) :]
    return labels


def _check_labels(labels, operand, k):
    n, rank = len(labels) - (_ELLIPSIS in labels), operand.ndim
    if _ELLIPSIS in labels and n > rank:
        raise RuntimeError(errors.EINSUM_MORE.format(n, rank, k))
    if _ELLIPSIS not in labels and n != rank:
        raise RuntimeError(errors.EINSUM_RANK.format(n, rank, k))


def _check_output(output, counts):
    for label in output:
        if label not in counts and label != _ELLIPSIS:
            raise RuntimeError(f"einsum(): output subscript {label} does not appear in the equation for any input operand")
        if output.count(label) > 1:
            raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the output")


def _spread(x, labels, place, rank, stars):
    """An operand with one dimension for each subscript of the equation, in their order; size 1 where it has none."""
    order, seen, j = [-1] * rank, {}, 0
    covered = x.ndim - (len(labels) - 1)  # by an ellipsis
    for label in labels:
        if label == _ELLIPSIS:
            for _ in range(stars - covered):
                x = unsqueeze(x, j)
            for k in range(stars):
                order[place[label] + k] = j
                j += 1
        elif label in seen:
            sizes = x.shape[j], x.shape[seen[label]]
            if sizes[0] != sizes[1]:
                raise RuntimeError(errors.EINSUM_DIAGONAL.format(label, 0, *sizes))
            x = movedim(diagonal(x, 0, seen[label], j), -1, seen[label])
        else:
            seen[label] = order[place[label]] = j
            j += 1
    for k, dim in enumerate(order):
        if dim < 0:
            x = unsqueeze(x, j)
            order[k] = j
            j += 1
    return permute_dims(x, tuple(order))


def _check_sizes(aligned, names):
    for dim, name in enumerate(names):
        seen = 1
        for k, x in enumerate(aligned):
            if x.shape[dim] not in (1, seen) and seen != 1:
                raise RuntimeError(errors.EINSUM_SIZE.format(name, x.shape[dim], k, seen))
            seen = seen if x.shape[dim] == 1 else x.shape[dim]


def _contracted(aligned, kept):
    """The product of aligned operands from left to right, summed over the dimensions from ``kept`` on."""
    rank = aligned[0].ndim
    if len(aligned) == 1:
        return sum_dim(aligned[0], tuple(range(kept, rank)), False) if kept < rank else aligned[0]
    left = {dim: sum(x.shape[dim] != 1 for x in aligned) for dim in range(kept, rank)}  # operands that still have this dimension
    a, *others = aligned
    for b in others:
        now: list[int] = []
        alone: tuple[list[int], list[int]] = [], []
        for dim in left:
            sizes = a.shape[dim], b.shape[dim]
            if 1 not in sizes:
                left[dim] -= 1
                if left[dim] == 1:
                    now.append(dim)
            elif left[dim] == 1 and sizes != (1, 1):
                alone[sizes[0] == 1].append(dim)
                left[dim] = 0
        a, b = (sum_dim(x, tuple(dims), True) if dims else x for x, dims in zip((a, b), alone, strict=True))
        a = _pair(a, b, now) if now else a * b
    return view(a, a.shape[:kept]) if kept < rank else a


def _pair(a, b, summed):
    """One product of matrices: (in both, only in a, summed) times (in both, summed, only in b)."""
    both = [d for d in range(a.ndim) if d not in summed and a.shape[d] != 1 and b.shape[d] != 1]
    first = [d for d in range(a.ndim) if d not in (*summed, *both) and a.shape[d] != 1]
    second = [d for d in range(a.ndim) if d not in (*summed, *both, *first)]
    n, m, k, p = (math.prod(x.shape[d] for d in dims) for x, dims in ((a, both), (a, first), (a, summed), (b, second)))
    left = reshape(permute_dims(a, (*both, *first, *summed, *second)), (n, m, k))
    right = reshape(permute_dims(b, (*both, *summed, *second, *first)), (n, k, p))
    order = [*both, *first, *summed, *second]
    sizes = [*(a.shape[d] for d in (*both, *first)), *(1 for _ in summed), *(b.shape[d] for d in second)]
    return permute_dims(view(bmm(left, right), tuple(sizes)), tuple(order.index(d) for d in range(a.ndim)))


# -- linear equations ----------------------------------------------------------------------------------------------------


def _product(a, b):
    return np.matmul(a, b) if isinstance(a, np.ndarray) else matmul(a, b)


def _adjoint(x):
    return conj(transpose(x, -2, -1))


def _square(A, name):
    """Refuse what has no inverse because of its shape."""
    if A.ndim < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    n, m = A.shape[-2:]
    if n != m:
        raise RuntimeError(f"linalg.{name}: A must be batches of square matrices, but they are {n} by {m} matrices")


def _invertible_kind(A, name):
    """Refuse what has no inverse because of its dtype."""
    if A.dtype.kind not in "fc" or A.dtype == np.float16:
        kind = dtypes.of(A).scalar_type
        if A.dtype == np.float16:
            raise RuntimeError(f"linalg.{name}: Low precision dtypes not supported. Got {kind}")
        raise RuntimeError(f"linalg.{name}: Expected a floating point or complex tensor as input. Got {kind}")


def _first_singular(A):
    """The first singular matrix of a batch, said as PyTorch does, and where its elimination meets a zero."""
    for place in np.ndindex(A.shape[:-2]):
        left = A[place].copy()
        for k in range(len(left)):
            pivot = k + np.argmax(np.abs(left[k:, k]))
            if left[pivot, k] == 0:
                number = np.ravel_multi_index(place, A.shape[:-2]) if place else 0
                return f"(Batch element {number}): " if place else "", k + 1
            left[[k, pivot]] = left[[pivot, k]]
            left[k + 1 :] -= np.outer(left[k + 1 :, k] / left[k, k], left[k])
    raise AssertionError("no matrix is singular")


@op(
    lambda A_t, inverse: -_product(_product(inverse, A_t), inverse),
    A=lambda g, inverse: -_product(_adjoint(inverse), _product(g, _adjoint(inverse))),
    outputs=("inverse",),
    name="LinalgInvEx0",
)
def inv(A):
    """The inverse of a square matrix, or of each of a batch. LinAlgError for a singular one."""
    _square(A, "inv")
    _invertible_kind(A, "inv")
    try:
        return _by_columns(np.linalg.inv(A))
    except np.linalg.LinAlgError:
        where, number = _first_singular(A)
        raise errors._LinAlgError(errors.SINGULAR_INV.format(where, number)) from None


def _by_columns(matrices):
    """Matrices laid out column after column, as PyTorch's come from LAPACK."""
    return matrices.swapaxes(-1, -2).copy().swapaxes(-1, -2)


def _is_vector(A, B) -> bool:
    return B.ndim == 1 or (B.ndim == A.ndim - 1 and tuple(B.shape) == tuple(A.shape[:-1]))


def _solve_slope(g, A, result):
    """The cotangent of A: minus the outer product of the cotangent of B and the solution."""
    g = solve(_adjoint(A), g)
    if len(result.shape) < len(A.shape):
        return -unsqueeze(g, -1) * conj(unsqueeze(result, -2))
    return -_product(g, _adjoint(result))


def _applied(A, x):
    return squeeze(_product(A, unsqueeze(x, -1)), -1) if len(x.shape) < len(A.shape) else _product(A, x)


@op(
    lambda A_t, B_t, A, result: solve(A, plus(B_t, None if A_t is None else -_applied(A_t, result))),
    A=_solve_slope,
    B=lambda g, A: solve(_adjoint(A), g),
    name="LinalgSolveEx0",
)
def solve(A, B):
    """The solution X of A X = B, for a square matrix A and a vector or matrix B, or for batches of them."""
    _invertible_kind(A, "solve")
    same_dtype(A, B, errors.SOLVE_KINDS)
    _square(A, "solve")
    if B.ndim == 0:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    columns = B[..., None] if _is_vector(A, B) else B
    if columns.shape[-2] != A.shape[-1]:
        raise RuntimeError(errors.SOLVE_SHAPES.format(*A.shape[-2:], *columns.shape[-2:]))
    try:
        result = np.linalg.solve(A, columns)
    except np.linalg.LinAlgError:
        raise errors._LinAlgError(errors.SINGULAR_SOLVE.format(_first_singular(A)[0])) from None
    return result[..., 0] if columns is not B else _by_columns(result)
