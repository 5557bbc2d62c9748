"""06.3 zero_grad: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.exercise import Part


def zero_grad(params, set_to_none=True):
    """Clear the gradient of every parameter.

    params: leaves, in anything that can be looped over once. set_to_none: if True, set every .grad to None.
    If False, write zeros into the Tensor that .grad already is; a .grad that is None stays None.
    """
    for p in params:
        if set_to_none:
            p.grad = None
        elif p.grad is not None:
            p.grad.zero_()


def zero_grad_fill(params, set_to_none=True):
    if set_to_none:
        for p in params:
            p.grad = None
        return
    for g in [p.grad for p in params]:
        if g is not None:
            g[...] = 0


ANSWER = Part(
    reference=zero_grad,
    alternatives={
        "a gradient has an index": zero_grad_fill,
    },
    hints=(
        "Two ways to clear. To forget: the attribute gets the value None. To zero: the Tensor that is there stays, and its "
        "numbers become 0. What is to be done in the second way where there is no Tensor?",
        "```text\n                     .grad was a Tensor g      .grad was None\n  set_to_none=True    None                     "
        " None\n  set_to_none=False   g itself, all zeros       None\n```",
        "```python\nfor p in params:\n    if set_to_none:\n        p.grad = ___\n    elif p.grad is not ___:\n"
        "        p.grad.___()  # in place: the name ends in _\n```",
    ),
    explanation="""\
Setting None is the default in PyTorch: it frees memory, the next backward stores instead of adding, and a parameter that gets no
gradient is easily told from one whose gradient is 0. Zeroing in place keeps the Tensor, for those who hold it.

`zero_()` **writes** zeros and does not look at what was there. `*= 0` computes: nan · 0 is nan, so one bad batch would spoil
every step after it. And None stays None in both ways: nothing has come there, and nothing is to be cleared.
""",
)
