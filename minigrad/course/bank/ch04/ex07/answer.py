"""04.7 The judge: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part


def dot_test(f, vjp, x):
    """Is vjp the backward rule of f at x? True or False.

    x: a float64 array. f(x) is an array of any shape, perhaps (). vjp(v, x), for a v of the shape of f(x),
    claims to be vᵀJ, of the shape of x. Compares ⟨v, J u⟩ with ⟨vᵀJ, u⟩; J u is by central differences.
    """
    rng = np.random.default_rng()
    v = rng.normal(size=np.shape(f(x)))
    u = rng.normal(size=x.shape)
    eps = 1e-6
    Ju = (f(x + eps * u) - f(x - eps * u)) / (2 * eps)
    return bool(np.isclose(np.sum(v * Ju), np.sum(vjp(v, x) * u), rtol=1e-5, atol=1e-7))


def dot_test_thrice(f, vjp, x):
    y = np.asarray(f(x))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        v, u = rng.uniform(-1, 1, y.shape), rng.uniform(-1, 1, x.shape)
        slope = np.vdot(v, (f(x + 1e-5 * u) - f(x - 1e-5 * u)) / 2e-5)
        if abs(slope - np.vdot(vjp(v, x), u)) > 1e-6 * (1 + abs(slope)):
            return False
    return True


ANSWER = Part(
    reference=dot_test,
    alternatives={
        "three times, vdot": dot_test_thrice,
    },
    hints=(
        "If vᵀJ is right, then (vᵀJ) u = vᵀ(J u): two ways to compute one number. The left side uses "
        "only `vjp`, the right side only `f`. Which `v` and `u` make an accident unlikely?",
        "```text\n            v            u\n            │            │\n"
        "   vjp ──► vᵀJ ──────► ⟨vᵀJ, u⟩      a number\n                                    ‖ ?\n"
        "   f ───► J u ───────► ⟨v, J u⟩      a number\n```\n\n"
        "`v` has the shape of f(x), `u` that of x. J u is the slope of f in the direction u: (f(x + εu) "
        "− f(x − εu)) / 2ε with ε = 1e-6.",
        "```python\nrng = np.random.default_rng()\nv = rng.normal(size=np.shape(___))\n"
        "u = rng.normal(size=np.shape(___))\nJu = (f(x + 1e-6 * u) - f(___)) / ___\n"
        "return bool(np.isclose(np.sum(v * Ju), np.sum(___)))\n```",
    ),
    explanation="""\
⟨v, J u⟩ and ⟨vᵀJ, u⟩ are the same number, computed in two ways that share nothing: the one asks only `f`,
the other only the rule. A wrong rule gives another number for almost every `v` and `u`.

*Almost every*, and ones are the exception. With `v` = ones fourteen of the wrong rules are right: forgetting v,
cubing it, taking its absolute value or its mean, reversing or reshaping it: none of that changes an array
of ones. With `u` = ones the rules that only move numbers about survive. A random `v` of both signs and a
random `u` let none through, and cost nothing more.

The tolerance is there for the differences, whose error is about 1e-10 for a smooth f of ordinary size. Both
sides are needed: where f bends, the difference on one side is off by about ε. And ε must be neither too
large nor too small: near 1e-10 rounding eats what is left of the difference. With a tolerance of 1e-5 a rule
that is plainly wrong passes by accident about once in 50,000 tests, so one pair is enough; the one that is
off by 3 in 1000 shows that the tolerance must not be loose. The sizes may be anything: no J is ever built.
""",
)
