"""The operations: forwards on arrays, and rules. Python's operators mean some of them."""

from ..core.tensor import OPERATIONS
from . import indexing, matrix, neural, pointwise, reduction, shape

OPERATIONS.update(getitem=indexing.getitem, setitem=indexing.setitem, matmul=matrix.matmul)
