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

if sys.argv[:1] == ["-m"]:  # before anything else is imported
    from . import started as started

from typing import TYPE_CHECKING, Any

from . import refusals, signatures  # isort: skip  # first: they say what the operations refuse
from . import fast, frames  # isort: skip  # first: operations are made hot where they are declared
from . import autograd, backends, composed, cuda, dtypes, errors, linalg, methods, nn, optim, random, testing, utils
from .autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from .compat.attributes import Size, device
from .core.tensor import Tensor
from .creation import BoolTensor, DoubleTensor, FloatTensor, IntTensor, LongTensor
from .dtypes import *
from .dtypes import bool_ as bool
from .modes import is_anomaly_check_nan_enabled, is_anomaly_enabled, is_grad_enabled, is_inference_mode_enabled
from .printing import set_printoptions
from .random import Generator, default_generator
from .serialization import load, save

Tensor.__module__ = Size.__module__ = device.__module__ = Generator.__module__ = __name__  # what their names are printed with
float, double, half, cfloat, cdouble = dtypes.float32, dtypes.float64, dtypes.float16, dtypes.complex64, dtypes.complex128
int, long, short = dtypes.int32, dtypes.int64, dtypes.int16


def set_default_device(device: Any) -> None:
    """Nothing for the cpu, where everything is. NotImplementedError for another device."""
    type(get_default_device())(device or "cpu")


class _Missing:
    """Tells of a module of PyTorch's that is not here where it is told what is: after all other finders have passed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.startswith(f"{__name__}."):
            raise errors.beyond(ModuleNotFoundError(f"No module named {name!r}", name=name))


sys.meta_path.append(_Missing())
mps = xpu = accelerator = backends.Absent()


def get_default_device() -> device:
    """Where new tensors are: on the cpu."""
    return device("cpu")


__version__ = "0.1.0"

if TYPE_CHECKING:  # these, and what methods.bind puts here, with their forms: a stub, see tools/stubs.py
    from .course.notebook.why import why_no_grad
    from .functions import *
else:
    from .creation import *
    from .random import *

    def __getattr__(name: str) -> Any:
        if name == "bfloat16":
            raise AttributeError(errors.NO_BFLOAT16)
        if name == "why_no_grad":  # it belongs to the course
            from .course.notebook.why import why_no_grad

            return why_no_grad
        return errors.missing(f"module '{__name__}'")(name)


_nn, _more = (nn, nn.functional, nn.init, nn.utils), (autograd.graph, optim.lr_scheduler, utils.data)
for room in (autograd, linalg, optim, random, utils, *_nn, *_more):
    vars(room)["__getattr__"] = errors.missing(f"module '{room.__name__}'")
del room, _nn, _more
methods.bind(globals())
composed.bind(globals())
