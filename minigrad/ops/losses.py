"""Losses that PyTorch has as operations of their own, beside those in neural.py."""

from __future__ import annotations

import numpy as np

from ..core.record import op
from .neural import _reduced, _share
from .pointwise import clamp_numbers, log, maximum


def _log(x):
    """The logarithm, and -100 where it is less."""
    return maximum(log(x), 0 * x - 100)


@op(
    self=lambda g, self, target, reduction: (
        g * (self - target) / maximum((1 - self) * self, 0 * self + 1e-12) * _share(reduction, self.shape)
    ),
    target=lambda g, self, target, reduction: g * (_log(1 - self) - _log(self)) * _share(reduction, self.shape),
    name="BinaryCrossEntropy0",
)
def binary_cross(self, target, reduction):
    """-(target · log self + (1 - target) · log(1 - self)), of probabilities, or its mean or sum."""
    return _reduced(-(target * _log(self) + (1 - target) * _log(1 - self)), reduction)


def _bend(g, self, target, reduction, bound, scale=1.0):
    """The slope of a parabola that goes on as a straight line where the difference, over a scale, is beyond a bound."""
    return g * clamp_numbers((self - target) / scale, -bound, bound) * _share(reduction, self.shape)


@op(
    self=lambda g, self, target, reduction, delta: _bend(g, self, target, reduction, delta),
    target=lambda g, self, target, reduction, delta: -_bend(g, self, target, reduction, delta),
)
def huber_loss(self, target, reduction, delta):
    """Half the square of the difference up to delta, beyond it a line with the slope delta; or their mean or sum."""
    distance = np.abs(self - target)
    return _reduced(np.where(distance < delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta)), reduction)


@op(
    self=lambda g, self, target, reduction, beta: _bend(g, self, target, reduction, 1.0, beta),
    target=lambda g, self, target, reduction, beta: -_bend(g, self, target, reduction, 1.0, beta),
    name="SmoothL1Loss0",
)
def smooth_l1(self, target, reduction, beta):
    """huber_loss over its bound, here beta: beyond it the slope is 1."""
    distance = np.abs(self - target)
    return _reduced(np.where(distance < beta, 0.5 * distance * distance / beta, distance - 0.5 * beta), reduction)
