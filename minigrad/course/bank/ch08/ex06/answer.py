"""08.6 Two outputs, two cotangents: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def pull(y, s, v, inputs):
    """The gradients of Σ v·y + s with respect to each tensor in inputs, as a list or tuple, with one walk.

    Nobody's .grad changes.

    y: a Tensor of any shape. v: a Tensor of the same shape. s: a Tensor with one element.
    """
    return list(mg.autograd.grad((y, s), inputs, grad_outputs=(v, None)))


def pull_sum(y, s, v, inputs):
    return mg.autograd.grad((v * y).sum() + s, inputs)


ANSWER = Part(
    reference=pull,
    alternatives={
        "the sum, spelled out": pull_sum,
    },
    hints=(
        "Chapter 04 gave several roots to `backward`, each with a cotangent. `autograd.grad` takes the same two lists.",
        "```text\noutputs        (y,  s   )\ngrad_outputs   (v,  None)      one for each output, in the same "
        "order\n```\n\n`None` stands for 1: enough for "
        "an output with one element.",
        "```python\nreturn list(mg.autograd.grad((___, ___), inputs, grad_outputs=(___, ___)))\n```",
    ),
    explanation="""\
The outputs and their cotangents are two lists of one length. `grad` starts at all outputs at once, adds up where they
meet, and walks the common trunk a single time: $v^\\top J_y + 1 \\cdot J_s$.

`(v * y).sum() + s`, spelled out, gives the same; a cotangent saves you the extra nodes. But `y + s` with `v` is
something else: there `s` is broadcast, and its weight is the sum of `v`.
""",
)
