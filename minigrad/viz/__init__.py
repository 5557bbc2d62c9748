"""Pictures of graphs and Jacobians, true to the engine and made with no program outside Python."""

from .drawing import Drawing, draw
from .plots import jacobian

__all__ = ["Drawing", "draw", "jacobian"]
