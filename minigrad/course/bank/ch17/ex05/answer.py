"""17.5 A rounded cotangent: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import say
from minigrad.course.capstone import edited
from minigrad.course.exercise import Part

QUANTISED = """

@op(self=lambda g, step: round(g / step) * step)
def quantised(self, step):
    '''The same numbers; backward, the cotangent is rounded to the nearest multiple of step.'''
    return self.copy()
"""


def e5():
    """The name of the file that you changed."""
    return edited("ops/pointwise.py", add=QUANTISED)


ANSWER = Part(
    reference=e5,
    accept=say,
    sections=("QUANTISED",),
    hints=(
        "An operation may have any rule: it need not be the derivative of its forward. `step` is no input with a gradient; it "
        "is a number that the caller passes, and a rule may name it.",
        "```text\n"
        "forward    x ──────────────► a copy of x\n"
        "backward   round(g / step) · step ◄── g\n"
        "```\n"
        "In a recorded pass `g` is a Tensor. Which `round` takes arrays *and* Tensors? It stands in the same file.",
        "```python\n"
        "@op(self=lambda g, step: ...)\n"
        "def quantised(self, step):\n"
        "    return self.copy()\n"
        "```",
    ),
    explanation=(
        "The forward does nothing but copy, and the rule is no derivative of it. The engine cannot know, and does not care: it "
        "calls the rule. (`gradcheck` would complain, and rightly: it compares the rule with the forward.) Gradients are "
        "rounded like this when they are sent between machines, or to see what a network does with 8-bit gradients.\n\n"
        "**Why a copy?** An operation whose result is its input's array would make two Tensors that share memory and no "
        "version counter. A write to one would change the other behind its back. Views may share, but they say so "
        "(`view=True`).\n\n"
        "**Why the file's own `round`?** It is an operation: on an array it is NumPy's, on a Tensor it is recorded. Its slope "
        "is zero, so the rounded cotangent counts as a constant in a second derivative, and what lies below has its own."
    ),
)
