"""What several exercises of chapter 06 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

import minigrad as mg


def grad_of(leaf: Any) -> Any:
    """A copy of its gradient, or the word None: the object None would be taken for a forgotten return."""
    return "None" if leaf.grad is None else numbers_of(leaf.grad)


def numbers_of(t: Any) -> Any:
    """The numbers of a Tensor as they are now, in an array that nothing changes; anything else as it is."""
    return np.array(t.detach().numpy()) if isinstance(t, mg.Tensor) else t


class Probe:
    """A hook that does nothing. It lives as long as the graph on which it is hung."""

    def __call__(self, grad: Any) -> None: ...


class Probes:
    """Counts how many of the graphs that it was shown are still alive."""

    def __init__(self) -> None:
        self.seen: list[weakref.ref[Probe]] = []
        self.most = 0

    @property
    def alive(self) -> int:
        return sum(ref() is not None for ref in self.seen)

    def hang_on(self, t: Any) -> None:
        """Watch t's graph. The graphs from before that are alive now are counted."""
        self.most = max(self.most, self.alive)
        if t.requires_grad:
            probe = Probe()
            t.register_hook(probe)
            self.seen.append(weakref.ref(probe))


def squared_misses(w: Any, chunk: Any) -> Any:
    """The mean of the squared misses of a linear model. The last column of a chunk holds the targets."""
    return ((chunk[:, :-1] @ w - chunk[:, -1]) ** 2).mean()
