"""09.3 The diagonal, cheaply: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch09.ex01.answer import hvp
from minigrad.course.exercise import Part


def diagonal(f, x, draws):
    """An estimate of the diagonal of the Hessian of f at x: the mean of v * (H v) over random vectors v of signs.

    f: takes a Tensor of shape (n,), returns one of shape (). x: a leaf of shape (n,) that requires grad.
    draws: how many vectors v are drawn; each takes one product H v. Returns a Tensor of shape (n,).
    """
    total = mg.zeros(len(x), dtype=x.dtype)
    for _ in range(draws):
        v = mg.sign(mg.randn(len(x), dtype=x.dtype))
        total = total + v * hvp(f, x, v)
    return total / draws


def diagonal_one_graph(f, x, draws):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    terms = []
    for _ in range(draws):
        v = 2.0 * mg.randint(0, 2, (len(x),)).to(x.dtype) - 1
        terms.append(v * mg.autograd.grad(g, x, v, retain_graph=True)[0])
    return mg.stack(terms).mean(0)


ANSWER = Part(
    reference=diagonal,
    alternatives={
        "one graph for all draws": diagonal_one_graph,
    },
    hints=(
        "Entry i of v * (H v) is vᵢ² Hᵢᵢ + Σⱼ vᵢ vⱼ Hᵢⱼ, the sum over all j other than i. Draw every entry of `v` as +1 or −1 "
        "by the toss of a coin. What is vᵢ² then? What is vᵢ vⱼ on average?",
        "```text\n v = (+1 −1 +1)                          H v          v * (H v)\n"
        "┌ H₀₀ H₀₁ H₀₂ ┐        row 0:  H₀₀ − H₀₁ + H₀₂ ──► H₀₀ − H₀₁ + H₀₂\n"
        "│ H₁₀ H₁₁ H₁₂ │        row 1:  H₁₀ − H₁₁ + H₁₂ ──► H₁₁ − H₁₀ − H₁₂\n"
        "└ H₂₀ H₂₁ H₂₂ ┘        row 2:  H₂₀ − H₂₁ + H₂₂ ──► H₂₂ + H₂₀ − H₂₁\n```\n\n"
        "The diagonal always comes with a plus. The others have signs that change from draw to draw.",
        "```python\ntotal = mg.zeros(len(x), dtype=x.dtype)\nfor _ in range(draws):\n    v = mg.sign(mg.randn(___))\n"
        "    total = total + ___ * hvp(f, x, v)\nreturn total / ___\n```",
    ),
    explanation="""\
Entry i of v * (H v) is vᵢ² Hᵢᵢ + Σⱼ≠ᵢ vᵢ vⱼ Hᵢⱼ. With random signs vᵢ² is always 1, and vᵢ vⱼ is +1 as often as −1. So on
average only the diagonal is left; the estimate is *unbiased*. The sum of its entries is Hutchinson's estimate of the trace.

What is left of the others shrinks slowly: the standard deviation of entry i is √(Σⱼ≠ᵢ Hᵢⱼ² / draws). Four times the
draws halve it. Where the variables do not meet there is nothing to cancel, and one draw is exact.

Normal numbers have vᵢ² = 1 only on average, so they add noise of their own: 2 Hᵢᵢ² under the root.

Optimizers that scale each weight by its own curvature use just this. For a network with a million weights the exact
diagonal takes a million passes, and ten draws take twenty.
""",
)
