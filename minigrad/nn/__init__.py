"""``minigrad.nn``: modules, made of the functions in ``minigrad.nn.functional``."""

from typing import Any

from .. import errors
from . import functional, init, utils
from .containers import *  # noqa: F403
from .layers import *  # noqa: F403
from .modules import *  # noqa: F403
