"""03.6 The best step: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part


def best_eps(f, x):
    """A good step for the central difference of f at x.

    f: a function of one number; it bends clearly when x moves by about max(1, |x|). x: a np.float64 or np.float32; f computes
    in the type of x. Returns a positive number.
    """
    return np.cbrt(np.finfo(x.dtype).eps) * max(1.0, abs(x))


def best_eps_rounded(f, x):
    scale = 1 + abs(float(x))
    return (5e-3 if isinstance(x, np.float32) else 1e-5) * scale


ANSWER = Part(
    reference=best_eps,
    alternatives={
        "rounded numbers": best_eps_rounded,
    },
    hints=(
        "Two errors add up. One comes from the bend of f and grows with eps². The other comes from rounding and grows "
        "with u / eps, where u is the spacing of the numbers near 1. Where is the sum smallest?",
        "```text\nerror\n  │ ╲                        ╱\n  │   ╲  rounding          ╱   bend\n"
        "  │     ╲  u / eps       ╱   eps²\n  │       ╲            ╱\n  │         ╲        ╱\n"
        "  │            ╲__╱\n  └──────────────────────────── eps\n"
        "   1e-12      6e-6       1e-2       (float64, x near 1)\n```\n\n"
        "At the bottom both are about equal: eps² = u / eps. And where x is large, this f bends more slowly: the whole V moves "
        "to the right.",
        "eps² = u / eps gives eps³ = u:\n\n```python\nu = np.finfo(___).eps\nreturn np.cbrt(___) * max(1.0, ___)\n```",
    ),
    explanation="""\
The error of the central difference is about |f'''| eps² / 6 from the bend, and about u |f| / eps from rounding. Where f
and its derivatives are of ordinary size, the sum is smallest near **eps = ∛u**: 6e-6 in float64, 5e-3 in float32. There
it is about u^(2/3): ten right digits of 16 in float64, four of 7 in float32. No step of a central difference gives more.

If f bends clearly when x moves by L instead of 1, the bend counts L² times less for the same step, and eps is L times as
large. Here L is max(1, |x|), as for log: a *relative* step. For sin L is 1 everywhere, and such a step is far too large at 5000.

The V is flat at the bottom, so a factor of 3 costs little, and a step of 1e-6 in float64 serves well for numbers near 1.
That is why the checks of this course use it, and always in float64.
""",
)
