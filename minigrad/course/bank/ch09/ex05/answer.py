"""09.5 The n-th derivative: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def nth(f, n):
    """The n-th derivative of f, as a function.

    f: takes a Tensor of shape () that requires grad, returns one of shape (). n: an int, 0 or more.
    Returns a function like f, so that it can be given to nth again.
    """

    def derivative(x):
        y = f(x)
        for _ in range(n):
            (y,) = mg.autograd.grad(y, x, create_graph=True)
        return y

    return derivative


def nth_recursive_value(f, n):
    def derivative(x):
        if n == 0:
            return f(x)
        lower = nth_recursive_value(f, n - 1)(x)
        return mg.autograd.grad([lower], [x], create_graph=True)[0]

    return derivative


ANSWER = Part(
    reference=nth,
    alternatives={
        "from the derivative below": nth_recursive_value,
    },
    hints=(
        "A derivative is a function again. What does the first pass have to leave behind, so that its result can be "
        "differentiated like any other `y`?",
        "```text\n            grad           grad           grad\n  y = f(x) ──────► y = f′ ──────► y = f″ ──────► …\n"
        "      ▲              ▲              ▲\n      └──────────────┴──────────────┴── each hangs on the same x\n```",
        "```python\ndef derivative(x):\n    y = f(x)\n    for _ in range(n):\n"
        "        (y,) = mg.autograd.grad(___, ___, create_graph=___)\n    return y\n\nreturn derivative\n```",
    ),
    explanation="""\
With `create_graph=True` a backward pass is a computation like any other: its result hangs on `x` by a graph, and `grad`
can be asked again. So the n-th derivative is a loop of one line.

The last pass needs a graph too, if the function that you return is to be differentiated by somebody else. The price is
a graph that nobody may want; who knows that no more is to come leaves it out.

For sin the answer comes round every four steps: cos, −sin, −cos, sin. The graph hardly grows, because the derivative of
sin is one cos. For x · sin(x²) each pass makes it two or three times as large: each product gives two terms.
""",
)
