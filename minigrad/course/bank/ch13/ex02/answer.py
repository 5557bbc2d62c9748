"""13.2 Clip in the middle: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.exercise import Part


def clip_at(h, limit):
    """From now on, shrink the gradient that arrives at h to the norm `limit` where its norm is larger.

    h: a Tensor that requires grad. limit: a positive number. Returns the handle of the hook.
    """

    def shrink(g):
        norm = g.norm()
        return g * (limit / norm) if norm > limit else g

    return h.register_hook(shrink)


def clip_or_none(h, limit):
    def hook(g):
        if g.norm() > limit:
            return limit * g / g.norm()

    return h.register_hook(hook)


ANSWER = Part(
    reference=clip_at,
    alternatives={
        "None for no change": clip_or_none,
    },
    hints=(
        "A hook may answer. What it returns goes on in place of the gradient; if it returns nothing, the gradient goes on "
        "as it came. The new one must be a tensor of the same shape and dtype.",
        "```text\n        g ──► norm ≤ limit?  yes ──► g\n                             no  ──► g · (limit / norm)\n```\n\n"
        "One factor for all entries: the arrow gets shorter and keeps its direction.",
        "```python\ndef shrink(g):\n    norm = g.norm()\n    if norm > limit:\n        return ...\n    return g\n\n"
        "return h.register_hook(...)\n```",
    ),
    explanation="""\
The hook gets the whole gradient of `h`, and what it returns takes its place: for the hooks registered later, for
`retain_grad`, and for all that lies between `h` and the leaves. What hangs beside `h` does not notice.

`g * (limit / norm)` makes a **new** tensor. `g.mul_(…)` gives the same numbers at `h`, and may give wrong ones elsewhere: an
addition hands one and the same array to both of its inputs. After a `sum` it raises, because there all entries of the
gradient are one memory location.

`clip_grad_norm_` of PyTorch does this to `.grad` after the pass. A hook does it in the middle, before the large gradient has
reached what
lies behind.
""",
)
