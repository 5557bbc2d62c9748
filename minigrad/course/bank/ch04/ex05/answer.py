"""04.5 Several roots: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def two_heads(x, trunk, head1, head2, v):
    """Leave in x.grad the gradient of head1(h) plus vᵀJ of head2(h), where h = trunk(x).

    x: a leaf whose grad is None. trunk, head1, head2: functions of one Tensor.
    head1(h) has shape (), head2(h) has shape (m,), and so has v.
    Call trunk once, and let backward pass through it once. Returns None.
    """
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [None, v])


def two_heads_ones(x, trunk, head1, head2, v):
    h = trunk(x)
    roots = (head2(h), head1(h))
    mg.autograd.backward(tensors=roots, grad_tensors=(v, mg.ones_like(roots[1])))


ANSWER = Part(
    reference=two_heads,
    alternatives={
        "roots in the other order": two_heads_ones,
    },
    hints=(
        "Two roots are two blocks of rows, one above the other: stack the outputs, stack the weights, "
        "and it is one vᵀJ. Which function takes several roots at once?",
        "```text\n        trunk          head1 ──► scalar     weight: None, that is 1\n"
        "   x ──────────► h ──┤\n                       head2 ──► (m,)       weight: v\n```\n\n"
        "Backward starts at both right-hand ends, adds up at h, and goes through the trunk once.",
        "```python\nh = trunk(x)\nmg.autograd.backward([head1(h), head2(h)], [___, ___])\n```",
    ),
    explanation="""\
`backward([y1, y2], [v1, v2])` computes v1ᵀJ1 + v2ᵀJ2: it is the vᵀJ of the two outputs stacked into one.
`None` stands for 1, so it fits a root with one element.

The engine starts at both roots, and a node fires only when everything that used its output has fired
(chapter 02). So at `h` the two messages are added, and the trunk is walked through **once** with the sum.
That is cheaper than two passes, and it does not need `retain_graph`. Joined by hand it is the same walk,
with three more nodes at its start: `(head1(h) + (v * head2(h)).sum()).backward()`.
""",
)
