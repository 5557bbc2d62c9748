"""What a graph is made of, by the names that the rest of the package uses. See core/tape.py and autograd/hooks.py."""

from .around.callsites import describe, line_of
from .around.extension import annotate
from .around.hooks import RemovableHandle
from .around.saved import PackedTensor, SavedInfo, saved_info
from .compat.complaints import node_name, short_name
from .core.tape import AccumulateGrad, Node, OpNode, SavedTensor, Site, caller
from .core.tensor import Edge, bump


def shown(node: Node) -> Node:
    """The node as those outside of the engine see it: of the class that bears its name."""
    return node.shown()
