"""``minigrad.nn``: modules, made of the functions in ``minigrad.nn.functional``."""

from typing import Any

from .. import errors
from . import functional, init, utils
from .containers import *
from .layers import *
from .modules import *
