"""10.7 Gauss-Newton: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch10.common import fw
from minigrad.course.exercise import Part


def gauss_newton(f, x, v):
    """JᵀJ v, from one forward and one backward pass; J is the Jacobian of f at x.

    f: takes a Tensor of shape (n,), returns one of shape (m,). x: a leaf of shape (n,) that requires grad.
    v: a Tensor of shape (n,). Returns a Tensor of shape (n,).
    """
    with fw.dual_level():
        y, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
    return mg.autograd.grad(y, x, Jv)[0]


ANSWER = Part(
    reference=gauss_newton,
    hints=(
        "Read JᵀJ v from the right. J v is a product with a tangent: forward. Jᵀw is the same as wᵀJ: backward, with w = J v.",
        "```text\n v (n) ──forward──► J v (m) ──backward, as the cotangent──► Jᵀ J v (n)\n```\n\n"
        "If `x` requires grad, one run of `f` with a dual tensor gives both: J v, and a graph to go back through.",
        "```python\nwith fw.dual_level():\n    y, Jv = fw.unpack_dual(f(fw.make_dual(___, ___)))\n"
        "return mg.autograd.grad(___, x, ___)[0]\n```",
    ),
    explanation="""\
J has m rows and n columns, and nobody builds it. J v has m numbers: one forward pass. Taken as a cotangent, it comes back as
(J v)ᵀJ, which is JᵀJ v: one backward pass.

Because `x` requires grad, the run with the dual tensor writes the graph along with the tangents, so `f` runs only once.

What is it for? To fit a model one makes ½ |f(x)|² small, the sum of the squared errors. Its Hessian is JᵀJ plus a sum of
second derivatives of f, each times an error. Near a good fit the errors are small, and JᵀJ alone is nearly the Hessian. It
needs first derivatives only, and it is never negative: v · JᵀJ v = |J v|². So the conjugate gradients of 09.6 can solve with it.
""",
)
