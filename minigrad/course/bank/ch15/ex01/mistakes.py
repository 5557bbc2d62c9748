"""15.1 Mean squared error: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def mse_unchecked(p, t):
    d = p - t
    return (d**2).mean(), 2 * d / d.size


MISTAKES["nothing checks the shapes"] = Mistake(
    mse_unchecked,
    "A column of 4 predictions minus a row of 4 targets is a table of 4 × 4: **you averaged 16 differences**, of "
    "which 12 belong to nobody. It gives a number, and no error, so training goes on and learns nonsense. Compare "
    "`p.shape` with `t.shape` first.",
)


def mse_flat(p, t):
    if p.size != t.size:
        raise ValueError("sizes")
    d = p - t.reshape(p.shape)
    return (d**2).mean(), 2 * d / d.size


MISTAKES["only the number of values is compared"] = Mistake(
    mse_flat,
    "Equal numbers of values are not equal shapes. (4, 1) and (4,) would fit by luck; (6, 2) and (2, 6) would pair the "
    "wrong values. Whoever calls you should hear of it: raise where the **shapes** differ.",
)


def mse_by_length(p, t):
    if p.shape[:1] != t.shape[:1]:  # and not len(p), whose TypeError at shape () says nothing of the shapes
        raise ValueError("lengths")
    return mse_unchecked(p, t)


MISTAKES["only the number of rows is compared"] = Mistake(
    mse_by_length,
    "The batch sizes agree, and the shapes do not: (4, 1) and (4,) are both of length 4, and their difference is 4 × 4. "
    "Compare the whole `shape`.",
)


def mse_like(loss: Callable[[Any], Any], slope: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """An answer that checks the shapes, from what it makes of the differences."""

    def answer(p: Any, t: Any) -> Any:
        if p.shape != t.shape:
            raise ValueError("shapes")
        return loss(p - t), slope(p - t)

    return answer


MISTAKES["divided by the batch only"] = Mistake(
    mse_like(lambda d: (d**2).sum() / len(d), lambda d: 2 * d / len(d)),
    "You divided by the number of rows. The mean is over **all** entries: `d.size`, which for a table of 3 × 7 is 21 and "
    "not 3.",
)


def mean_square(d: Any) -> Any:
    return (d**2).mean()


MISTAKES["the gradient is divided by the batch only"] = Mistake(
    mse_like(mean_square, lambda d: 2 * d / len(d)),
    "The loss is right. In its gradient you divided by the number of rows; it is the same n as in the loss: `d.size`.",
)

MISTAKES["the gradient of a sum"] = Mistake(
    mse_like(mean_square, lambda d: 2 * d),
    "The loss is right. Your gradient is that of the *sum* of the squares. The loss divides by n, so its slope does.",
)

MISTAKES["the loss is a sum"] = Mistake(
    mse_like(lambda d: (d**2).sum(), lambda d: 2 * d),
    "That is the sum of the squared differences. The *mean* divides by their number, and so does its gradient.",
)

MISTAKES["the factor 2"] = Mistake(
    mse_like(mean_square, lambda d: d / d.size), "The slope of d² is 2d. Your gradient has lost the 2."
)

MISTAKES["the sign"] = Mistake(
    mse_like(mean_square, lambda d: -2 * d / d.size),
    "The sign is turned round: where a prediction is too high, the loss grows with it. It is p − t, not t − p. "
    "(In the loss, the square hides the sign.)",
)


def two_over_n(d: Any) -> Any:
    return 2 * d / d.size


MISTAKES["the root"] = Mistake(
    mse_like(lambda d: np.sqrt(mean_square(d)), two_over_n),
    "You took the root of the mean. That is another loss, with another gradient; it is not asked for here.",
)

def mse_by_size(p, t):
    if p.size != t.size:
        raise ValueError("sizes")
    return mse_unchecked(p, t)


MISTAKES["only the number of values is compared, and broadcast"] = Mistake(
    mse_by_size,
    "Equal numbers of values are not equal shapes. (4, 1) and (4,) hold 4 each, and their difference is 4 × 4. Compare the whole "
    "`shape`.",
)
