"""``minigrad.nn``: modules, made of the functions in ``minigrad.nn.functional``."""

from . import functional, init, utils
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
