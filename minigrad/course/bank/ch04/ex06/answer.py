"""04.6 Write the VJPs: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part


class VJP:
    """Backward rules on NumPy arrays: v has the shape of y, and what is returned has the shape of x."""

    @staticmethod
    def transpose(v, axes):
        """y = np.transpose(x, axes)."""
        return np.transpose(v, np.argsort(axes))

    @staticmethod
    def sum(v, shape, axis):
        """y = x.sum(axis). shape: the shape of x. axis: one int, perhaps negative."""
        return np.broadcast_to(np.expand_dims(v, axis), shape)

    @staticmethod
    def mean(v, shape, axis):
        """y = x.mean(axis). shape: the shape of x. axis: one int, perhaps negative."""
        return VJP.sum(v, shape, axis) / shape[axis]

    @staticmethod
    def matmul(v, A, B):
        """y = A @ B, both with two axes. Returns two arrays: for A and for B."""
        return v @ B.T, A.T @ v

    @staticmethod
    def index(v, shape, rows):
        """y = x[rows]. shape: the shape of x. rows: a 1-d array of ints, perhaps with repeats."""
        into = np.zeros(shape)
        np.add.at(into, rows, v)
        return into

    @staticmethod
    def unbroadcast(v, shape):
        """y = np.broadcast_to(x, v.shape). shape: the shape of x."""
        v = v.sum(axis=tuple(range(v.ndim - len(shape))))  # the axes that broadcasting put in front
        stretched = tuple(i for i, size in enumerate(shape) if size == 1)
        return v.sum(axis=stretched, keepdims=True)


ANSWER = Part(
    reference=VJP,
    hints=(
        "Ask where each entry of x went. If it was **copied** to several places, the messages from "
        "these places add. If several entries were **added** into one, each of them gets a copy of that "
        "one's message. If it was only **moved**, its message is moved back. If it was multiplied, its "
        "message is multiplied by the same.",
        "| forward | backward |\n|---|---|\n| transpose: moves | move back |\n"
        "| sum: adds | copy along the axis |\n| mean: adds, divides | copy, divide |\n"
        "| index: copies rows | add into the rows |\n| broadcast: copies | sum over the copies |\n"
        "| A @ B: multiplies by B from the right | multiply by Bᵀ from the right |\n\n"
        "The shapes check matmul: for sizes that are all different there is only one way to get the shape of A out "
        "of v and B. `np.argsort(axes)` is the permutation that undoes `axes`. `into[rows] += v` keeps only the last "
        "message of a repeated row; `np.add.at(into, rows, v)` adds them all.",
        "```python\ntranspose:    np.transpose(v, np.argsort(___))\n"
        "sum:          np.broadcast_to(np.expand_dims(v, ___), ___)\n"
        "mean:         the rule of sum, divided by shape[___]\nmatmul:       v @ ___ , ___ @ v\n"
        "index:        into = np.zeros(shape); np.add.at(into, ___, ___); return into\n"
        "unbroadcast:  sum over the first v.ndim - len(shape) axes,\n"
        "              then over every axis where shape has a 1, with keepdims=True\n```",
    ),
    explanation="""\
No Jacobian is built, and none is needed: each rule is vᵀJ worked out once and for all.

- **transpose** only moves numbers; J is a permutation, and its transpose is the inverse permutation.
  `np.argsort(axes)` is that inverse.
- **sum** adds along an axis; each x gets the v of the sum that it went into. **mean** is the same with
  slope 1/N.
- **matmul**: y[i,k] = Σⱼ A[i,j]·B[j,k], so A[i,j] meets v[i,k] with slope B[j,k]: Σₖ v[i,k]·B[j,k] is `v @
  B.T`. With distinct sizes no other product has the right shape.
- **index** copies rows; a row picked three times gets three messages. `np.add.at` adds them one by one,
  `into[rows] += v` does not.
- **unbroadcast** undoes copying: the axes in front are summed away, the stretched ones are summed and kept
  with size 1. Every broadcasting operation ends with it: for y = a + b the gradients are `unbroadcast(v,
  a.shape)` and `unbroadcast(v, b.shape)`.

*Copying forward is adding backward, adding forward is copying backward*: broadcast and sum are each other's
transposes, and so are picking rows and adding into rows.
""",
)
