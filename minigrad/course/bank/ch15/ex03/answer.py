"""15.3 Adam: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


class Adam:
    """w ← w − lr · m̂ / (√v̂ + eps), for each parameter that has a gradient."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.params = list(params)
        self.lr, self.betas, self.eps = lr, betas, eps
        self.t = [0 for p in self.params]
        self.m = [mg.zeros_like(p) for p in self.params]
        self.v = [mg.zeros_like(p) for p in self.params]

    def step(self):
        """Move every parameter that has a gradient, in place."""
        b1, b2 = self.betas
        with mg.no_grad():
            for k, p in enumerate(self.params):
                if p.grad is not None:
                    self.t[k] += 1
                    self.m[k] = b1 * self.m[k] + (1 - b1) * p.grad
                    self.v[k] = b2 * self.v[k] + (1 - b2) * p.grad**2
                    m_hat = self.m[k] / (1 - b1 ** self.t[k])
                    v_hat = self.v[k] / (1 - b2 ** self.t[k])
                    p -= self.lr * m_hat / (v_hat.sqrt() + self.eps)


ANSWER = Part(
    reference=Adam,
    hints=(
        "Five lines of formula for each parameter, with a memory of its own: m, v, their corrections, the move. What must "
        "outlive the "
        "call of `step` is kept in `self`.",
        "Test yourself with one number, g = 7 and lr = 0.1. After the first step m̂ = 7, v̂ = 49, √v̂ = 7, and the step is 0.1: "
        "the "
        "size of g has cancelled. Print m̂ and v̂; if they are not 7 and 49, look at t and at the corrections.",
        "```python\nself.t = [0] * len(self.params)                    # __init__; one for each parameter, as m and v\n"
        "self.m, self.v = [mg.zeros_like(p) for p in self.params], ...\n\n"
        "with mg.no_grad():                                    # step\n"
        "    for k, p in enumerate(self.params):\n        if p.grad is not None:\n            self.t[k] += 1\n"
        "            self.m[k] = ...\n            self.v[k] = ...\n            p -= self.lr * ... / (... + self.eps)\n```",
    ),
    explanation="""\
m and v are running means of g and g². Both begin at 0 and are too small at first, by the factors 1 − β₁ᵗ and 1 − β₂ᵗ:
the correction divides these out. So in the first step m̂ = g and √v̂ = |g|, and **every entry moves by lr**, against
its sign, whether the gradient was a million or a millionth.

`eps` is added behind the root. It keeps 0/0 away where a gradient is always 0, and is too small to matter elsewhere.
Inside the root it would count as √eps, ten thousand times more.

The state belongs to a parameter, also t: one that gets its first gradient late starts with t = 1, in PyTorch
too. And the step runs under `no_grad` and writes in place, so the parameter stays the same leaf (chapter 11).
""",
)
