"""Products of vectors and matrices. The rule is the same for all: the cotangent times the other factor, transposed."""

from __future__ import annotations

import math
import re
import string

import numpy as np

from .. import errors
from ..core.record import op
from ..core.rule import checked
from ..core.tensor import Tensor
from . import shape
from .pointwise import scaled
from .reduction import sum_dim


@op("multilinear", self=lambda g, mat2: mm(g, shape.t(mat2)), mat2=lambda g, self: mm(shape.t(self), g))
def mm(self, mat2):
    """The product of two matrices (n, k) and (k, m)."""
    return np.matmul(self, mat2)


@op(
    "multilinear",
    self=lambda g, vec: shape.unsqueeze(g, 1) * shape.unsqueeze(vec, 0),
    vec=lambda g, self: mv(shape.t(self), g),
)
def mv(self, vec):
    """The product of a matrix (n, k) and a vector (k,)."""
    return np.matmul(self, vec)


@op("multilinear", self=lambda g, tensor: g * tensor, tensor=lambda g, self: g * self)
def dot(self, tensor):
    """The sum of the products of two vectors."""
    return np.dot(self, tensor)


@op(
    "multilinear",
    self=lambda g, mat2: bmm(g, shape.transpose(mat2, 1, 2)),
    mat2=lambda g, self: bmm(shape.transpose(self, 1, 2), g),
)
def bmm(self, mat2):
    """The products of two batches of matrices (b, n, k) and (b, k, m)."""
    return np.matmul(self, mat2)


@checked
def matmul(self, other):
    """``self @ other``, for one to many dimensions. Source: torch.matmul, which builds it of dot, mv, mm and bmm."""
    n, m = len(self.shape), len(other.shape)
    if n == 1 and m == 1:
        return dot(self, other)
    if n == 2 and m == 1:
        return mv(self, other)
    if n == 1 and m == 2:
        return shape.squeeze_product(mm(shape.unsqueeze(self, 0), other), 0)
    if n == 2 and m == 2:
        return mm(self, other)
    if m <= 2 or n <= 2 and self.requires_grad:
        return _folded(self, other)
    return _batched(self, other)


def _folded(self, other):
    """The leading dimensions of the larger operand as rows of one matrix."""
    swapped = other.ndim > self.ndim
    many = shape.transpose(other, -2, -1) if swapped else self
    one = other if not swapped else shape.t(self) if self.ndim == 2 else self
    rows = shape.reshape(many, (-1, many.shape[-1]) if many.shape[-1] else (math.prod(many.shape[:-1]), 0))
    if one.ndim == 1:
        return shape.unsafe_view(mv(rows, one), tuple(many.shape[:-1]))
    result = shape.unsafe_view(mm(rows, one), (*many.shape[:-1], one.shape[1]))
    return shape.contiguous(shape.transpose(result, -2, -1)) if swapped else result


def _batched(self, other):
    """The leading dimensions broadcast against each other, and one product for each."""
    n, m = self.ndim, other.ndim
    left, right = tuple(self.shape[-2:]), tuple(other.shape[-2:])
    batch = shape.broadcast_shapes(self.shape[:-2], other.shape[:-2])
    count = math.prod(batch)
    rows = left if n > 1 else (1, *left)
    a = shape.reshape(shape.expand(self, (*batch, *rows)), (count, *rows))
    b = shape.reshape(shape.expand(other, (*batch, *right)), (count, *right))
    if m == 1:
        return shape.unsafe_view(shape.squeeze(bmm(a, shape.unsqueeze(b, 2)), -1), (*batch, *rows[:-1]))
    return shape.unsafe_view(bmm(a, b), (*batch, *left[:-1], right[-1]))


@checked
def outer(self, vec2):
    """All products of an element of one vector with one of another: (n,) and (m,) give (n, m)."""
    return shape.reshape(self, (-1, 1)) * vec2


@op(
    self=lambda g, beta: scaled(g, beta),
    mat1=lambda g, mat2, alpha: scaled(mm(g, shape.t(mat2)), alpha),
    mat2=lambda g, mat1, alpha: scaled(mm(shape.t(mat1), g), alpha),
)
def addmm(self, mat1, mat2, beta=1, alpha=1):
    """beta · self + alpha · (mat1 @ mat2): a product of matrices and something that broadcasts to it."""
    product = np.matmul(mat1, mat2)
    if alpha != 1:
        product *= product.dtype.type(alpha)
    if beta:  # with 0 even NaN does not count
        product += self if beta == 1 else self * beta
    return product


@op(
    "linear",
    self=lambda g, self_sym_sizes: shape.diagonal_backward(
        shape.expand_to(g, (min(self_sym_sizes),)), self_sym_sizes, 0, 0, 1
    ),
)
def trace(self):
    """The sum of the diagonal of a matrix."""
    return self.trace(dtype=np.int64 if self.dtype.kind in "ui" else None)


# -- einsum --------------------------------------------------------------------------------------------------------------

_ELLIPSIS = "..."


@checked
def _in_words(*args):
    """einsum's arguments with an equation, where each operand comes with a list of numbers, and at last perhaps the output's.

    0 to 25 are A to Z, the next ones a to z.
    """
    if not isinstance(args[0], Tensor) or len(args) < 2:
        return args
    operands, lists = args[0 : len(args) // 2 * 2 : 2], [*args[1::2], *args[len(args) // 2 * 2 :]]
    words = ["".join("..." if n is ... else string.ascii_letters[(n + 26) % 52] for n in numbers) for numbers in lists]
    equation = ",".join(words[: len(operands)]) + "->" * (len(words) > len(operands)) + "".join(words[len(operands) :])
    return equation, *operands


def einsum(*args):
    """Products of tensors, summed over the subscripts that the output does not name: ``einsum("ij,jk->ik", a, b)``.

    ``...`` stands for dimensions that broadcast; without ``->`` the output has the subscripts that occur once, in
    alphabetical order. The way is torch's: all operands get all dimensions, and are multiplied from left to right.
    """
    return _einsum(*_in_words(*args))


@checked
def _einsum(*args):
    equation, *operands = args
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    left, arrow, right = equation.partition("->")
    inputs = [_labels(part, equation, f"for operand {k}") for k, part in enumerate(left.split(","))]
    _check_operands(inputs, operands)
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


@checked
def _labels(text, equation, where) -> list[str]:
    """The subscripts of one operand, the ellipsis as one of them."""
    return re.findall(r"\.\.\.|[a-zA-Z]", text)


@checked
def _check_operands(inputs, operands):
    """As many operands as the equation has, and each with as many dimensions as subscripts."""


@checked
def _check_output(output, counts):
    """No subscript of the output may be new, or there twice."""


@checked
def _check_sizes(aligned, names):
    """Where operands share a subscript, they have one size."""


def _spread(x, labels, place, rank, stars):
    """An operand with one dimension for each subscript of the equation, in their order; size 1 where it has none."""
    order, seen, j = [-1] * rank, {}, 0
    covered = x.ndim - (len(labels) - 1)  # by an ellipsis
    for label in labels:
        if label == _ELLIPSIS:
            for _ in range(stars - covered):
                x = shape.unsqueeze(x, j)
            for k in range(stars):
                order[place[label] + k] = j
                j += 1
        elif label in seen:
            if x.shape[j] != x.shape[seen[label]]:
                raise errors.EINSUM_DIAGONAL(label, 0, x.shape[j], x.shape[seen[label]])
            x = shape.movedim(shape.diagonal(x, 0, seen[label], j), -1, seen[label])
        else:
            seen[label] = order[place[label]] = j
            j += 1
    for k, dim in enumerate(order):
        if dim < 0:
            x = shape.unsqueeze(x, j)
            order[k] = j
            j += 1
    return shape.permute_dims(x, tuple(order))


def _contracted(aligned, kept):
    """The product of aligned operands from left to right, summed over the dimensions from ``kept`` on."""
    rank = aligned[0].ndim
    if len(aligned) == 1:
        return sum_dim(aligned[0], tuple(range(kept, rank)), False) if kept < rank else aligned[0]
    summed = []  # each over what it alone has
    for k, x in enumerate(aligned):
        others = [*aligned[:k], *aligned[k + 1 :]]
        dims = [d for d in range(kept, rank) if x.shape[d] != 1 and all(y.shape[d] == 1 for y in others)]
        summed.append(sum_dim(x, tuple(dims), True) if dims else x)
    a, *others = summed
    for k, b in enumerate(others, 1):
        both = [d for d in range(kept, rank) if a.shape[d] != 1 and b.shape[d] != 1]
        now = [d for d in both if all(x.shape[d] == 1 for x in others[k:])]
        a = _pair(a, b, now) if now else a * b
    return shape.view(a, a.shape[:kept]) if kept < rank else a


def _pair(a, b, summed):
    """One product of matrices: (in both, only in a, summed) times (in both, summed, only in b)."""
    both = [d for d in range(a.ndim) if d not in summed and a.shape[d] != 1 and b.shape[d] != 1]
    first = [d for d in range(a.ndim) if d not in (*summed, *both) and a.shape[d] != 1]
    second = [d for d in range(a.ndim) if d not in (*summed, *both, *first)]
    n, m, k, p = (math.prod(x.shape[d] for d in dims) for x, dims in ((a, both), (a, first), (a, summed), (b, second)))
    left = shape.reshape(shape.permute_dims(a, (*both, *first, *summed, *second)), (n, m, k))
    right = shape.reshape(shape.permute_dims(b, (*both, *summed, *second, *first)), (n, k, p))
    order = [*both, *first, *summed, *second]
    sizes = [*(a.shape[d] for d in (*both, *first)), *(1 for _ in summed), *(b.shape[d] for d in second)]
    return shape.permute_dims(shape.view(bmm(left, right), tuple(sizes)), tuple(order.index(d) for d in range(a.ndim)))


# -- linear equations ----------------------------------------------------------------------------------------------------


def _product(a, b):
    return np.matmul(a, b) if isinstance(a, np.ndarray) else matmul(a, b)


def _transposed(x):
    return shape.transpose(x, -2, -1)


def _first_singular(A):
    """The first singular matrix of a batch, said as PyTorch does, and the first row that depends on those above."""
    ranks = np.linalg.matrix_rank(A).ravel()
    number = int(np.argmax(ranks < A.shape[-1]))
    return f"(Batch element {number}): " if A.ndim > 2 else "", ranks[number] + 1


@op(
    A=lambda g, inverse: -_product(_transposed(inverse), _product(g, _transposed(inverse))),
    outputs=("inverse",),
    name="LinalgInvEx0",
)
def inv(A):
    """The inverse of a square matrix, or of each of a batch. LinAlgError for a singular one."""
    try:
        return np.linalg.inv(A)
    except np.linalg.LinAlgError:
        where, number = _first_singular(A)
        raise errors.SINGULAR_INV(where, number) from None


def _solve_slope(g, A, result):
    """The cotangent of A: minus the outer product of the cotangent of B and the solution."""
    g = solve(_transposed(A), g)
    if len(result.shape) < len(A.shape):
        return -shape.unsqueeze(g, -1) * shape.unsqueeze(result, -2)
    return -_product(g, _transposed(result))


@op(A=_solve_slope, B=lambda g, A: solve(_transposed(A), g), name="LinalgSolveEx0")
def solve(A, B):
    """The solution X of A X = B, for a square matrix A and a vector or matrix B, or for batches of them."""
    columns = B[..., None] if B.ndim == 1 or B.ndim == A.ndim - 1 and B.shape == A.shape[:-1] else B
    try:
        result = np.linalg.solve(A, columns)
    except np.linalg.LinAlgError:
        raise errors.SINGULAR_SOLVE(_first_singular(A)[0]) from None
    return result[..., 0] if columns is not B else result
