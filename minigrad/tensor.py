"""Tensor and what belongs to it, by the names that the rest of the package uses. The class stands in core/tensor.py."""

from .around import hooks as _hooks
from .compat.attributes import ReadOnly, Size, device
from .compat.promotion import NUMBERS, check_result, refuse_shapes
from .core.record import choice, op
from .core.tensor import Tensor, dimension
from .core.tensor import wrap as _wrap
from .core.views import check_inplace, in_place, is_expanded, laid_out, order_of, set_written_history
