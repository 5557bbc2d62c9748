"""12.3 The VJP of a slice assignment: the mistakes that are known."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch12.ex03.answer import setitem_vjp, unbroadcast
from minigrad.course.bank.ch12.ex03.task import Array
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

MISTAKES["overwritten cells not zeroed"] = Mistake(
    lambda v, index, shape: (v.copy(), unbroadcast(v[index], shape)),
    "Overwritten cells no longer matter: whatever stood there before the write, `y` after it is the same. So the "
    "cotangent of the old `y` is 0 at `index`.",
)


def setitem_only_written(v, index, shape):
    before = np.zeros_like(v)
    before[index] = v[index]
    return before, unbroadcast(v[index], shape)


MISTAKES["zeroed everywhere else"] = Mistake(
    setitem_only_written,
    "The other way round: the cells at `index` were overwritten, all the others went through as they were. "
    "Zero **at** `index`, keep the rest.",
)

MISTAKES["nothing left of the old y"] = Mistake(
    lambda v, index, shape: (np.zeros_like(v), unbroadcast(v[index], shape)),
    "Only the cells at `index` were overwritten. All the others are still the old ones, with slope 1.",
)

MISTAKES["values not summed"] = Mistake(
    lambda v, index, shape: (setitem_vjp(v, index, shape)[0], v[index]),
    "`values` were **broadcast** into `y[index]`: one number went into several cells. Copying forward is adding "
    "backward, so their cotangents must be summed to `shape`. `unbroadcast` does it.",
)

MISTAKES["values averaged"] = Mistake(
    lambda v, index, shape: (
        setitem_vjp(v, index, shape)[0],
        unbroadcast(v[index], shape) * np.prod(shape) / np.size(v[index]),
    ),
    "An average where a sum is due. Each cell that a number went into has slope 1, and the messages add up.",
)

MISTAKES["all summed"] = Mistake(
    lambda v, index, shape: (setitem_vjp(v, index, shape)[0], np.sum(v[index])),
    "One number for all of `values`. Each value gets the cotangents of the cells that **it** went into, so the "
    "result has the shape `shape`.",
)

MISTAKES["v is forgotten"] = Mistake(
    lambda v, index, shape: (setitem_vjp(v, index, shape)[0], np.ones(shape)),
    "Slope 1 is right, but the cotangent is slope times `v`. What if the next operation multiplies `y` by 10?",
)


def first_of(v: Array, shape: tuple[int, ...]) -> Array:
    """The first of the copies, instead of their sum."""
    v = v[(0,) * (v.ndim - len(shape))]
    return v[tuple(slice(0, 1) if size == 1 else slice(None) for size in shape)]


MISTAKES["one of the copies"] = Mistake(
    lambda v, index, shape: (setitem_vjp(v, index, shape)[0], first_of(np.asarray(v[index]), shape)),
    "Only one of the cells that a number went into is counted. Its cotangent is the **sum** over all of them.",
)


def setitem_too_late(v, index, shape):
    before = v.copy()
    before[index] = 0
    return before, unbroadcast(before[index], shape)


MISTAKES["read too late"] = Mistake(
    setitem_too_late,
    "The cotangent of `values` is all zeros: you read it after you had zeroed it. Take `v[index]` from the `v` that came in.",
)


def setitem_second_name(v, index, shape):
    before = v
    before[index] = 0
    return before, unbroadcast(v[index], shape)


MISTAKES["a second name"] = Mistake(
    setitem_second_name,
    "`before = v` makes no copy: it is a second name for the same array. So zeroing it changed `v`, and then "
    "`v[index]` was 0 too. Write `before = v.copy()`.",
)


def setitem_aliasing(v, index, shape):
    values = unbroadcast(v[index].copy() if np.ndim(v[index]) else v[index], shape)
    v[index] = 0
    return v, values


MISTAKES["v is changed"] = Mistake(
    setitem_aliasing, "You wrote into `v`, and it is not yours: another node may be about to read it. Zero a **copy**."
)

MISTAKES["the two are swapped"] = Mistake(
    lambda v, index, shape: setitem_vjp(v, index, shape)[::-1],
    "Both arrays are right, in the wrong order. First for `y` before the write, then for `values`.",
)


def setitem_by_window(v, index, shape):
    before = v.copy()
    picked = before[index]
    before[index] = 0
    return before, unbroadcast(picked, shape)


MISTAKES["a window, zeroed too"] = Mistake(
    setitem_by_window,
    "For a slice, `before[index]` is a **window** on the array: zeroing the array zeroed the window too. Take the entries from "
    "`v`.",
)

MISTAKES["one average for all"] = Mistake(
    lambda v, index, shape: (setitem_vjp(v, index, shape)[0], np.broadcast_to(np.mean(v[index]), shape)),
    "Added up, not averaged: each value gets the **sum** over the cells that it went into.",
)
