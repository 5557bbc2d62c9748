"""``minigrad.nn``: modules, made of the functions in ``minigrad.nn.functional``."""

from typing import Any

from .. import errors
from . import functional, init, utils
from .containers import Identity, ModuleDict, ModuleList, ParameterDict, ParameterList
from .layers import (
    ELU,
    GELU,
    SELU,
    BatchNorm1d,
    BatchNorm2d,
    BCELoss,
    BCEWithLogitsLoss,
    Embedding,
    Hardtanh,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    LayerNorm,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    NLLLoss,
    ReLU6,
    SiLU,
    SmoothL1Loss,
    Softmax,
    Softmin,
    Softplus,
    Softsign,
)
from .modules import (
    Conv2d,
    CrossEntropyLoss,
    Dropout,
    Flatten,
    Linear,
    MaxPool2d,
    Module,
    MSELoss,
    Parameter,
    ReLU,
    Sequential,
    Sigmoid,
    Tanh,
)


def __getattr__(name: str) -> Any:
    raise errors.missing(__name__, name)
