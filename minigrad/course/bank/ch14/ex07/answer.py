"""14.7 Twice?: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def twice_ok(f, x):
    """Whether the second derivatives of f at x agree with central differences of the gradient.

    f: takes a Tensor like x and returns one of any shape. x: a leaf in float64 that requires grad. Returns True or False.
    """
    v = mg.rand_like(f(x)).detach() + 0.5

    def gradient(x):
        x = x.detach().requires_grad_()
        return x, mg.autograd.grad(f(x), x, v, create_graph=True)[0]

    z, g = gradient(x)
    for j in range(x.numel()):
        e = mg.zeros_like(x).detach()
        e.view(-1)[j] = 1.0
        plus, minus = gradient(x + 1e-6 * e)[1], gradient(x - 1e-6 * e)[1]
        numerical = (plus - minus).detach() / 2e-6
        analytical = None
        if g.requires_grad:  # else the gradient is a constant, so far as the engine knows
            try:
                (analytical,) = mg.autograd.grad(g, z, e, retain_graph=True, allow_unused=True)
            except RuntimeError:
                return False
        if analytical is None:
            analytical = mg.zeros_like(z)
        # Row j against column j: a table of second derivatives is symmetric.
        if not ((numerical - analytical).abs() <= 1e-5 + 1e-3 * numerical.abs()).all():  # so that NaN is wrong
            return False
    return True


ANSWER = Part(
    reference=twice_ok,
    hints=(
        "The gradient is a function of x like any other. Its derivative by a second pass, and its differences, must agree: "
        "gradcheck, one order up. (If f gives several numbers, weight them first with a fixed random cotangent.)",
        "```text\n g(x) = grad(f(x), x, v, create_graph=True)\n\n"
        "   second pass:  grad(g, x, u)                     None, or no graph: zeros\n"
        "   differences:  (g(x + ε u) − g(x − ε u)) / 2ε\n```",
        "```python\nv = mg.rand_like(f(x)).detach() + 0.5\n"
        "z, g = gradient(x)          # a leaf of its own, and the gradient with its graph\n"
        "for each one-hot u:\n    numerical = (gradient(x + 1e-6 * u)[1] - ___) / 2e-6\n    analytical = zeros\n"
        "    if g.requires_grad:\n"
        "        found = mg.autograd.grad(g, z, u, retain_graph=True, allow_unused=___)[0]  # an error: False\n        …\n"
        "    if they differ: return False\nreturn True\n```",
    ),
    explanation="""\
The gradient is a function of x, and the second pass claims to know its derivative. Differences of the gradient know it without
the graph. If the two disagree, some link of the chain is dead.

It finds all that the decorator of 14.6 lets through: the constant beside a living term, the node that nobody runs. It also finds
intermediates and NumPy, which carry no decorator at all. This is what the library's `gradgradcheck` does, with the cotangent v as
a further input.

Two answers that look like failures are none. A gradient without a graph is right for a straight line. And None, with
`allow_unused=True`, only says that there is no way to x; whether there ought to be one, the differences say. An error that comes
all the same is a failure: somebody refuses to be differentiated twice.
""",
)
