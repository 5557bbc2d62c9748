"""Products of vectors and matrices. The rule is the same for all: the cotangent times the other factor, transposed."""

from __future__ import annotations

import math
import re
import string
from collections import Counter

import numpy as np

from .. import errors
from ..core.record import op
from ..core.rule import checked
from ..core.tensor import Tensor
from . import shape
from .pointwise import by_rows, scaled
from .reduction import sum_all, sum_dim


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
    left, right = tuple(self.shape[-2:]), tuple(other.shape[-2:])
    batch = shape.broadcast_shapes(self.shape[:-2], other.shape[:-2])
    rows = left if len(left) > 1 else (1, *left)
    a = shape.reshape(shape.expand(self, (*batch, *rows)), (math.prod(batch), *rows))
    b = shape.reshape(shape.expand(other, (*batch, *right)), (math.prod(batch), *right))
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


@checked
def trace(self):
    """The sum of the diagonal of a matrix."""
    return sum_all(shape.diagonal(self, 0, 0, 1))


# -- einsum --------------------------------------------------------------------------------------------------------------

_ELLIPSIS = "..."


@op(
    "multilinear",
    self=lambda g, other, words: contracted(g, other, (words[2], words[1], words[0])),
    other=lambda g, self, words: contracted(self, g, (words[0], words[2], words[1])),
    name="Einsum0",
)
def contracted(self, other, words):
    """The products of two tensors whose dimensions have the letters of the first two words, summed to the third."""
    return by_rows(np.einsum("{},{}->{}".format(*words), self, other, optimize=True))


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
    alphabetical order. The operands are multiplied from left to right.
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
    counts = Counter(label for labels in inputs for label in labels)
    once = sorted(label for label, n in counts.items() if n == 1 and label != _ELLIPSIS)
    output = _labels(right, equation, "in the output") if arrow else [_ELLIPSIS] * (_ELLIPSIS in counts) + once
    _check_output(output, counts)
    free = [letter for letter in string.ascii_letters if letter not in counts]  # for the dimensions of an ellipsis
    words = [_word(labels, x.ndim - len(labels) + 1, free) for labels, x in zip(inputs, operands, strict=True)]
    stars = max((x.ndim - len(labels) + 1 for labels, x in zip(inputs, operands, strict=True) if _ELLIPSIS in labels), default=0)
    output = _word(output, stars, free)
    _check_sizes(words, operands)
    sizes: dict[str, int] = {}
    for word, x in zip(words, operands, strict=True):
        for letter, n in zip(word, x.shape, strict=True):
            sizes[letter] = n if n != 1 else sizes.get(letter, 1)
    result, word = _alone(operands[0], words[0], sizes, "".join([output, *words[1:]]))
    for k in range(1, len(words)):
        later = "".join([output, *words[k + 1 :]])
        factor, other = _alone(operands[k], words[k], sizes, word + later)
        result, word = _alone(result, word, sizes, other + later)
        shared = output if k == len(words) - 1 else "".join(c for c in dict.fromkeys(word + other) if c in later)
        result, word = contracted(result, factor, (word, other, shared)), shared
    return shape.permute_dims(result, tuple(map(word.index, output))) if len(words) == 1 else result


@checked
def _labels(text, equation, where) -> list[str]:
    """The subscripts of one operand, the ellipsis as one of them."""
    return re.findall(r"\.\.\.|[a-zA-Z]", text)


def _word(labels, covered, free) -> str:
    """A letter for each dimension. Those that an ellipsis covers are counted from the last one."""
    return "".join("".join(free[:covered][::-1]) if label == _ELLIPSIS else label for label in labels)


@checked
def _check_operands(inputs, operands):
    """As many operands as the equation has, and each with as many dimensions as subscripts."""


@checked
def _check_output(output, counts):
    """No subscript of the output may be new, or there twice."""


@checked
def _check_sizes(words, operands):
    """Where a subscript stands several times, it has one size."""


def _alone(x, word, sizes, others):
    """An operand with one dimension for each letter of others: its diagonal where it has two, summed over what it alone has."""
    for letter in word:
        while word.count(letter) > 1:
            first, second = word.index(letter), word.rindex(letter)
            x = shape.movedim(shape.diagonal(x, 0, first, second), -1, first)
            word = word[:second] + word[second + 1 :]
    alone = [d for d, letter in enumerate(word) if letter not in others or x.shape[d] != sizes[letter]]
    if alone:
        x = sum_dim(x, tuple(alone), False)
    return x, "".join(letter for d, letter in enumerate(word) if d not in alone)


# -- linear equations ----------------------------------------------------------------------------------------------------


def _product(a, b):
    return np.matmul(a, b) if isinstance(a, np.ndarray) else matmul(a, b)


def _transposed(x):
    return shape.transpose(x, -2, -1)


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
        raise errors.SINGULAR_INV("", np.linalg.matrix_rank(A).min() + 1) from None


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
        raise errors.SINGULAR_SOLVE("") from None
    return result[..., 0] if columns is not B else result
