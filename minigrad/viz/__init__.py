"""Pictures of graphs, of backward passes, of memory and of numbers: true to the engine, with no program outside Python."""

from .boundary import Boundary, boundary
from .curves import curve, fit, losses, paths
from .dot import to_graphviz
from .drawing import Drawing, draw
from .failures import draw_errors
from .ledger import Memory, memory
from .living import Play, play
from .plots import jacobian
from .stepper import Steps, steps
from .tangent import Tangent, tangent
from .valley import Valley, valley
from .versions import Timeline, timeline
from .weigh import Weigh, weigh

__all__ = [
    "Boundary", "Drawing", "Memory", "Play", "Steps", "Tangent", "Timeline", "Valley", "Weigh", "boundary", "curve",
    "draw", "draw_errors", "fit", "jacobian", "losses", "memory", "paths", "play", "steps", "tangent", "timeline", "to_graphviz",
    "valley", "weigh",
]  # fmt: skip
