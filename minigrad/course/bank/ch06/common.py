"""What several exercises of chapter 06 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.helpers.graphs import nodes_of, suitcase


def grad_of(leaf: Any) -> Any:
    """A copy of its gradient, or the word None: the object None would be taken for a forgotten return."""
    return "None" if leaf.grad is None else numbers_of(leaf.grad)


def numbers_of(t: Any) -> Any:
    """The numbers of a Tensor as they are now, in an array that nothing changes; anything else as it is."""
    return np.array(t.detach().numpy()) if isinstance(t, mg.Tensor) else t


class Watched:
    """What is known of one graph: whether a pass came by, whether its root is alive, and which of its nodes are."""

    def __init__(self, t: Any) -> None:
        # PyTorch's nodes take no weak references; there they are not looked at. A leaf's node stays, and is of no graph alone.
        own = [n for n in nodes_of(t) if hasattr(n, "_info_of_saved") and not hasattr(n, "variable")]
        self.nodes = [weakref.ref(node) for node in own]
        self.walked = False

        def hook(grad: Any) -> None:
            self.walked = True

        t.register_hook(hook)
        self.root = weakref.ref(hook)  # a hook lives as long as the tensor's node on which it is hung

    @property
    def is_alive(self) -> bool:
        return self.root() is not None or any(ref() is not None for ref in self.nodes)

    @property
    def is_full(self) -> bool:
        """Whether the graph still has arrays for a pass."""
        return any(suitcase(node) for ref in self.nodes if (node := ref()) is not None)


class Probes:
    """Counts how many of the graphs that it was shown are still alive. A gradient with a graph keeps them as well as a loss does."""

    def __init__(self) -> None:
        self.seen: list[Watched] = []
        self.most = 0  # whose root was alive
        self.most_behind = 0  # of which a node was alive
        self.waiting = self.retained = False  # whether a graph was alive before its pass came by, or with its arrays after it

    def look(self) -> None:
        """Count the graphs that are alive now."""
        self.seen = [graph for graph in self.seen if graph.is_alive]
        rooted = [graph for graph in self.seen if graph.root() is not None]
        self.most, self.most_behind = max(self.most, len(rooted)), max(self.most_behind, len(self.seen))
        self.waiting |= any(not graph.walked for graph in rooted)
        self.retained |= any(graph.walked and graph.is_full for graph in self.seen)

    def hang_on(self, t: Any) -> None:
        """Watch t's graph. The graphs from before that are alive now are counted."""
        self.look()
        if t.requires_grad:
            self.seen.append(Watched(t))


def squared_misses(w: Any, chunk: Any) -> Any:
    """The mean of the squared misses of a linear model. The last column of a chunk holds the targets."""
    return ((chunk[:, :-1] @ w - chunk[:, -1]) ** 2).mean()
