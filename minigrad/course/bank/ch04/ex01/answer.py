"""04.1 Two spellings: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def spell_out(y, v):
    """A scalar L such that L.backward() does what y.backward(v) does.

    y: a Tensor of any shape, the result of a computation. v: a Tensor of the same shape.
    Returns a Tensor of shape ().
    """
    return (v * y).sum()


def spell_out_flat(y, v):
    return mg.dot(y.reshape(-1), v.reshape(-1))


ANSWER = Part(
    reference=spell_out,
    alternatives={
        "dot": spell_out_flat,
    },
    hints=(
        "`y.backward(v)` treats `v` as the slopes of some final scalar `L` with respect to the entries "
        "of `y`: it believes that ∂L/∂y[i] = v[i]. Which scalar made from `y` has exactly these slopes?",
        "Look under the picture at the start of the lesson. Write it out for y = (y₀, y₁, y₂): if L = "
        "v₀y₀ + v₁y₁ + v₂y₂, then ∂L/∂y₁ = v₁. The same works for a table of numbers: one product for "
        "each entry, and a sum over all of them.",
        "Two steps, and they work for every shape:\n\n```python\nproducts = ...   # the shape of y\n"
        "return products.___()\n```",
    ),
    explanation="""\
`L` = Σ v·y over all entries is built so that ∂L/∂y = v. The chain rule then gives ∂L/∂x = Σᵢ vᵢ ∂yᵢ/∂x,
which is vᵀJ.

So every `y.backward(v)` is the backward of some scalar, and nothing about a "gradient of a vector" is
hidden in it. It works the other way round too: whoever holds ∂L/∂y of a loss can call `y.backward(that)`
without knowing the loss. That is what each node of the graph does for the nodes of its inputs.

`*` with `.sum()` does not care about the number of axes. `@` does, so `v @ y` is right for vectors only.
""",
)
