"""Losses with a rule of their own, because what they are made of is infinite at the ends."""

from __future__ import annotations

from ..core.record import op
from .pointwise import log, maximum


def _log(x):
    """The logarithm, and -100 where it is less."""
    return maximum(log(x), 0 * x - 100)


@op(
    self=lambda g, self, target: g * (self - target) / maximum((1 - self) * self, 0 * self + 1e-12),
    target=lambda g, self, target: g * (_log(1 - self) - _log(self)),
)
def binary_cross(self, target):
    """-(target · log self + (1 - target) · log(1 - self)), of probabilities."""
    return -(target * _log(self) + (1 - target) * _log(1 - self))
