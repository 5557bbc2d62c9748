"""Pictures of graphs, of backward passes, of memory and of numbers: true to the engine, with no program outside Python."""

from .drawing import Drawing, draw
from .plots import jacobian
from .stepper import Steps, steps

__all__ = ["Drawing", "Steps", "draw", "jacobian", "steps"]
