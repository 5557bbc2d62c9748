"""The operations: forwards on arrays, and rules. Python's operators mean some of them, and rules call some as methods."""

from ..core.tensor import OPERATIONS, Tensor
from ..dtypes import _FROM_NUMPY
from . import indexing, matrix, neural, pointwise, reduction, shape

OPERATIONS.update(getitem=indexing.getitem, setitem=indexing.setitem, matmul=matrix.matmul)

for _room, _names in {
    pointwise: "conj exp log tanh",
    reduction: "sum mean",
    shape: "clone contiguous expand permute reshape t view",
    indexing: "copy_ zero_",
}.items():
    for _name in _names.split():
        setattr(Tensor, _name, getattr(_room, _name))
Tensor.to = lambda self, dtype: shape.to_copy(self, _FROM_NUMPY[dtype])
Tensor.real, Tensor.imag = property(shape.real), property(shape.imag)
