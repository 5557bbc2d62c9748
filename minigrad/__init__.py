"""minigrad: PyTorch's autograd in NumPy.

    import minigrad as mg

    x = mg.tensor([1., 2., 3.], requires_grad=True)
    (x ** 2).sum().backward()
    x.grad                      # tensor([2., 4., 6.])

Within its list of operations a program written for PyTorch runs under ``import minigrad as torch`` and does the same: the
values, the flags, the names in the graph, the versions, the messages.

The engine is the folder ``core/``: at most 1,000 lines of code, to be read from top to bottom. With ``ops/``, forwards
and rules, it runs alone. What stands around joins it at the places that ``core/seams.py`` declares: ``compat/``, what is
there because PyTorch has it; ``around/``, call sites, hooks, tangents and what else is rarely on; ``modes.py``, the
switches; ``fast.py``, the hot path, which can be switched off; ``refusals.py`` and ``signatures.py``, tables of what is
refused and of how functions are called; ``methods.py``, the names. ``autograd/``, ``nn/``, ``optim/`` and ``linalg`` are
where PyTorch has them.
"""

import sys
from typing import TYPE_CHECKING, Any

from . import refusals, signatures  # isort: skip  # first: they say what the operations refuse
from . import fast  # isort: skip  # first: operations are made hot where they are declared
from . import autograd, errors, frames, linalg, methods, nn, optim, testing
from .autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from .creation import (
    BoolTensor,
    DoubleTensor,
    FloatTensor,
    IntTensor,
    LongTensor,
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    manual_seed,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    randperm,
    tensor,
    zeros,
    zeros_like,
)
from .dtypes import (
    bool_ as bool,
)
from .dtypes import (
    can_cast,
    complex64,
    complex128,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
)
from .modes import is_anomaly_check_nan_enabled, is_anomaly_enabled, is_grad_enabled, is_inference_mode_enabled
from .printing import set_printoptions
from .serialization import load, save
from .tensor import Size, Tensor, device
from .why import why_no_grad

Tensor.__module__ = Size.__module__ = device.__module__ = __name__  # what their names are printed with
float, double, half, int, long, short = float32, float64, float16, int32, int64, int16
cfloat, cdouble = complex64, complex128

__version__ = "0.1.0"

if TYPE_CHECKING:  # what methods.bind puts here

    def __getattr__(name: str) -> Any: ...

else:

    def __getattr__(name: str) -> Any:
        if name == "bfloat16":
            raise AttributeError(errors.NO_BFLOAT16)
        raise AttributeError(f"module 'minigrad' has no attribute {name!r}", name=name, obj=sys.modules[__name__])


methods.bind(globals())
