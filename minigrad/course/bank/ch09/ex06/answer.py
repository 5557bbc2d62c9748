"""09.6 Newton without the Hessian: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch09.ex01.answer import hvp
from minigrad.course.exercise import Part


def newton_direction(f, x, tol):
    """Newton's direction p at x, which solves H p = -g, by conjugate gradients: H is used in products H d only.

    f: takes a Tensor of shape (n,), returns one of shape (). x: a leaf of shape (n,) that requires grad; H is positive
    definite there. Ends as soon as the norm of the residual -g - H p is at most tol times the norm of g.
    Returns a Tensor of shape (n,).
    """
    (g,) = mg.autograd.grad(f(x), x)
    p = mg.zeros_like(g)
    r = -g
    d = r
    while r @ r > tol**2 * (g @ g):
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p = p + alpha * d
        r_new = r - alpha * Hd
        d = r_new + (r_new @ r_new) / (r @ r) * d
        r = r_new
    return p


def direction_counted(f, x, tol):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    b = -g.detach()
    p, r, d = mg.zeros(len(x), dtype=x.dtype), b.clone(), b.clone()
    rr = mg.dot(r, r).item()
    for _ in range(10 * len(x)):
        if rr**0.5 <= tol * (b**2).sum().item() ** 0.5:
            break
        (Hd,) = mg.autograd.grad(g, x, d, retain_graph=True)
        alpha = rr / mg.dot(d, Hd).item()
        p += alpha * d
        r -= alpha * Hd
        before, rr = rr, mg.dot(r, r).item()
        d = r + rr / before * d
    return p


ANSWER = Part(
    reference=newton_direction,
    alternatives={
        "one graph for all products": direction_counted,
    },
    hints=(
        "You want p with H p = −g, and all you can do with H is to multiply it by a vector: `hvp(f, x, d)`. Keep three "
        "vectors: p so far, the residual r = −g − H p (what is still missing), and the direction d in which to go next.",
        "```text\n p = 0, r = −g, d = r\n   ┌─► r small enough? ── yes ──► p\n   │        │ no\n"
        "   │   H d                  one product\n"
        "   │   α = r·r / d·Hd       how far\n   │   p ← p + α d\n   │   r ← r − α H d        what is missing now\n"
        "   └── d ← r + β d          β = new r·r / old r·r\n```",
        "```python\n(g,) = mg.autograd.grad(f(x), x)\np, r, d = mg.zeros_like(g), -g, -g\nwhile r @ r > tol**2 * (g @ g):\n"
        "    Hd = hvp(f, x, d)\n    alpha = (r @ r) / (d @ ___)\n    p = p + alpha * ___\n    r_new = r - alpha * ___\n"
        "    d = r_new + (___) / (r @ r) * d\n    r = r_new\nreturn p\n```",
    ),
    explanation="""\
Conjugate gradients solve H p = −g with products H d only, one in each round. Each product is two backward passes, so no
H is ever stored: with a million variables that is the difference between 8 megabytes and 8 terabytes.

α is the best length along d. The factor β makes the next direction *conjugate* to all before it: d · H d′ = 0, so what
one round has gained no later one spoils. For n variables n rounds are enough on paper, and often far fewer: as many as
H has different eigenvalues. In the last case these are two.

The residual is kept up to date by r − α H d, which reuses the product and saves a second one. Computing −g − H p anew is
right too, at twice the price.
""",
)
