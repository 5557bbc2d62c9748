"""07.5 Three doors to one error: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


class Doors:
    """Three programs that end with the same RuntimeError. x: a leaf of shape (n,), whose .grad is None."""

    @staticmethod
    def twice(x):
        """Two backward calls."""
        y = mg.exp(x).sum()
        y.backward()
        y.backward()

    @staticmethod
    def grad_first(x):
        """First mg.autograd.grad, then backward. x.grad stays None."""
        y = mg.exp(x).sum()
        mg.autograd.grad(y, x)
        y.backward()

    @staticmethod
    def look(x):
        """One pass, and then a look at what a node had saved."""
        y = mg.exp(x)
        y.sum().backward()
        return y.grad_fn._saved_result


ANSWER = Part(
    reference=Doors,
    hints=(
        "Somebody needs an array that a pass has freed. Who can need it? Another `backward`, another kind of pass, or you. And "
        "it must be an operation that saves an array at all (exercise 07.1).",
        "```text\n            forward      first pass      then\ntwice       y = ...      backward        backward\n"
        "grad_first  y = ...      autograd.grad   backward\nlook        y = ...      a pass          y.grad_fn._saved_...\n```",
        "```python\ny = mg.exp(x).sum()\ny.backward()\ny.___()\n```\n\n```python\ny = mg.exp(x).sum()\n"
        "mg.autograd.grad(___, ___)\ny.backward()\n```\n\n```python\ny = mg.exp(x)\ny.sum().backward()\ny.grad_fn._saved___\n```",
    ),
    explanation="""\
One message, three ways to meet it. What they share is an array that was saved for the way back, and a pass that has already
freed it.

* `backward` frees, and so does `autograd.grad`, although it writes no `.grad`.
* Whatever reads a freed array raises: a second pass, and equally you, when you look into the node.
* What is no array (an exponent, a shape, an axis) is not freed and stays readable.

A graph without saved arrays never raises it. That makes the error look fickle: you take a `2 *` out of a program, and it is gone.
""",
)
