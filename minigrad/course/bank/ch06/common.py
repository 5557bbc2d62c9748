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


class Probe:
    """A hook that changes nothing. It lives as long as the graph on which it is hung, and knows whether a pass came by."""

    def __init__(self, t: Any) -> None:
        # PyTorch's nodes take no weak references; there this is not looked at.
        self.nodes = [weakref.ref(node) for node in nodes_of(t) if hasattr(node, "_info_of_saved")]
        self.walked = False

    def __call__(self, grad: Any) -> None:
        self.walked = True

    @property
    def is_full(self) -> bool:
        """Whether the graph still has arrays for a pass."""
        return any(suitcase(node) for ref in self.nodes if (node := ref()) is not None)


class Probes:
    """Counts how many of the graphs that it was shown are still alive."""

    def __init__(self) -> None:
        self.seen: list[weakref.ref[Probe]] = []
        self.most = 0
        self.waiting = self.retained = False  # whether a graph was alive before its pass came by, or with its arrays after it

    @property
    def alive(self) -> list[Probe]:
        return [probe for ref in self.seen if (probe := ref()) is not None]

    def hang_on(self, t: Any) -> None:
        """Watch t's graph. The graphs from before that are alive now are counted."""
        alive = self.alive
        self.most = max(self.most, len(alive))
        self.waiting |= any(not probe.walked for probe in alive)
        self.retained |= any(probe.walked and probe.is_full for probe in alive)
        if t.requires_grad:
            probe = Probe(t)
            t.register_hook(probe)
            self.seen.append(weakref.ref(probe))


def squared_misses(w: Any, chunk: Any) -> Any:
    """The mean of the squared misses of a linear model. The last column of a chunk holds the targets."""
    return ((chunk[:, :-1] @ w - chunk[:, -1]) ** 2).mean()
