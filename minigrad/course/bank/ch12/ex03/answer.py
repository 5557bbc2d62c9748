"""12.3 The VJP of a slice assignment: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch12.ex03.task import Array
from minigrad.course.exercise import Part


def unbroadcast(v: Array, shape: tuple[int, ...]) -> Array:
    """Sum v over what broadcasting copied: the VJP of broadcasting from `shape` (exercise 04.6)."""
    v = v.sum(axis=tuple(range(v.ndim - len(shape))))
    stretched = tuple(i for i, size in enumerate(shape) if size == 1 and v.shape[i] > 1)
    return v.sum(axis=stretched, keepdims=True)


def setitem_vjp(v, index, shape):
    """The VJP of y[index] = values.

    v: the cotangent of y after the write, an array. index: what stood in the brackets.
    shape: the shape of values, which were broadcast to that of y[index].
    Returns two arrays: the cotangent of y before the write, and that of values.
    """
    before = v.copy()
    before[index] = 0
    return before, unbroadcast(v[index], shape)


def setitem_product(v, index, shape):
    keep = np.ones(v.shape)
    keep[index] = 0
    picked = v[index]
    lead = np.ndim(picked) - len(shape)
    for axis, size in reversed(list(enumerate((1,) * lead + tuple(shape)))):
        if size == 1:
            picked = picked.sum(axis, keepdims=True)
    return v * keep, np.reshape(picked, shape)


ANSWER = Part(
    reference=setitem_vjp,
    alternatives={
        "a product with zeros": setitem_product,
    },
    hints=(
        "After the write, each cell of `y` holds one of two things: a cell at `index` holds one of the values, every other "
        "cell what it held before. Who gets the cotangent of which cell?",
        "Draw the cells of `y` and paint those at `index` orange. The orange ones send their cotangents to `values`, and "
        "where one value went into several cells, these add up. The others send theirs to the old `y`, which gets 0 in "
        "the place of each orange one.",
        "```python\nbefore = v.___()\nbefore[___] = ___\nreturn before, unbroadcast(v[___], ___)\n```",
    ),
    explanation="""\
The write splits the cells into two groups. What was overwritten has no influence any more: cotangent 0 for the old `y`
there. Everything else passes unchanged: cotangent `v`. The values got into the cells at `index` with slope 1, so they
get `v[index]`; where one value was broadcast into several cells, their messages add up, as in chapter 04.

This is what CopySlices does, with its two edges: the first leads to the history of `y` before the write, the second to
`values`. It is a linear rule, so nothing has to be saved: only the place that was written.

`v.copy()` matters. The engine hands the same array to several nodes, and one that writes into it changes what the others
read.
""",
)
