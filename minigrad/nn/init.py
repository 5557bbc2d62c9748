"""``minigrad.nn.init``: first values of parameters, written in place without history. The numbers are PyTorch's.

Each function returns the tensor that it was given. ``fan_in`` is how many inputs a unit has: the second size of a weight, times
the size of a kernel; ``fan_out`` how many outputs: the first size, times that of a kernel.
"""

from __future__ import annotations

import math
import warnings

from .. import random
from ..autograd import no_grad
from ..core.rule import checked
from ..core.tensor import Tensor
from ..random import Generator


@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform in [a, b)."""
    return random.uniform_(tensor, a, b, generator=generator)


@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal with a mean and a standard deviation."""
    return random.normal_(tensor, mean, std, generator=generator)


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """One number everywhere."""
    return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    return constant_(tensor, 0.0)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps the variance through a nonlinearity; param: the slope of leaky_relu. ValueError for another name."""
    gains = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4, "linear": 1, "conv1d": 1, "conv2d": 1, "sigmoid": 1}
    gains["leaky_relu"] = math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


@checked
def _fans(tensor: Tensor) -> tuple[int, int]:
    """fan_in and fan_out."""
    kernel = math.prod(tensor.shape[2:])
    return tensor.shape[1] * kernel, tensor.shape[0] * kernel


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform with the variance 2 · gain² / (fan_in + fan_out) (Glorot & Bengio, 2010)."""
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(sum(_fans(tensor)))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal with the variance 2 · gain² / (fan_in + fan_out) (Glorot & Bengio, 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(_fans(tensor)))), generator)


@checked
def _kaiming(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """The standard deviation; 0 for an empty tensor, which is warned of."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=4)
        return 0.0
    return calculate_gain(nonlinearity, a) / math.sqrt(_fans(tensor)[mode.lower() == "fan_out"])


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator | None = None
) -> Tensor:
    """Uniform with the variance gain² / fan (He et al., 2015). a: the slope of the leaky_relu that follows; mode: which fan."""
    bound = math.sqrt(3.0) * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator | None = None
) -> Tensor:
    """Normal with the variance gain² / fan (He et al., 2015). a: the slope of the leaky_relu that follows; mode: which fan."""
    return normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity), generator)
