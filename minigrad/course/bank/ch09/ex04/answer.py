"""09.4 Newton: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch09.ex02.answer import hessian
from minigrad.course.exercise import Part


def newton(f, x0, k):
    """The point after k steps of Newton's method from x0. Each step is x - p, where H p = g at x.

    f: takes a Tensor of shape (n,), returns one of shape (). x0: a Tensor of shape (n,), not changed.
    Returns a Tensor of shape (n,) that has no graph.
    """
    x = x0.detach()
    for _ in range(k):
        x = x.clone().requires_grad_()
        (g,) = mg.autograd.grad(f(x), x)
        x = (x - mg.linalg.solve(hessian(f, x), g)).detach()
    return x


def newton_inverse(f, x0, k):
    x = x0.clone()
    for _ in range(k):
        x = x.detach().requires_grad_(True)
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        H = mg.stack([mg.autograd.grad(entry, x, retain_graph=True)[0] for entry in g])
        x = x.detach() - mg.linalg.inv(H) @ g.detach()
    return x.detach()


ANSWER = Part(
    reference=newton,
    alternatives={
        "the inverse": newton_inverse,
    },
    hints=(
        "Near x the gradient is about g + H s, where s is the step. Where is it zero? That is a system of linear equations "
        "for s, and `mg.linalg.solve(A, b)` solves A p = b.",
        "```text\n        ┌──────────────── x ◄────────────┐\n        ▼                                │ detach\n"
        "   g and H at x ──► solve H p = g ──► x − p\n```\n\n"
        "Every round begins with a leaf that has nothing behind it. If you do not cut, round 6 still hangs on round 1.",
        "```python\nx = x0.detach()\nfor _ in range(k):\n    x = x.clone().requires_grad_()\n"
        "    (g,) = mg.autograd.grad(f(x), x)\n    p = mg.linalg.solve(___, ___)\n    x = (x - p).___()\nreturn x\n```",
    ),
    explanation="""\
A step s from x changes the gradient to about g + H s. Newton's method goes where this is zero: s = −H⁻¹g. For a bowl
(a quadratic f) "about" is exact, and one step is enough. Otherwise each step squares the error, once x is near: 10⁻²,
10⁻⁴, 10⁻⁸. `solve` is faster than `inv` and loses fewer digits.

A step is no part of what is to be differentiated. Without `detach` each x carries the graph of all steps before it:
nothing is wrong with the numbers, but the memory grows, and so does the time of every further pass.

Newton's method looks for a zero of the gradient. It does not know a valley from a summit: on a hill it climbs.
""",
)
