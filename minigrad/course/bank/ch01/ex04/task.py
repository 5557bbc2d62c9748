"""01.4 Why is .grad None?: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch01.common import Draw
from minigrad.course.exercise import Part

LEAF_X = "x = mg.tensor([1.0, 2.0], requires_grad=True)\n"
LEAF_W = "w = mg.tensor([3.0, 4.0], requires_grad=True)\n"

# Snippets at whose end `x.grad` is None, by reason.
WHY_NONE = {
    "not_called": [
        LEAF_X + "L = (x * x).sum()",
        LEAF_X + "L = (x * x).sum()\nL.backward",
        LEAF_X + "y = x.exp()\nL = y.sum()\nvalue = L.item()",
        LEAF_X + LEAF_W + "for _ in range(3):\n    L = (x * w).sum()",
    ],
    "rebound": [
        LEAF_X + "(x * x).sum().backward()\nx = x - 0.1 * x.grad",
        LEAF_X + "x = x * 2\nx.sum().backward()",
        LEAF_X + "x = x.double()\n(x * x).sum().backward()",
        LEAF_X + "(x * x).sum().backward()\nwith mg.no_grad():\n    x = x - 0.1 * x.grad",
        LEAF_X + "x = x.view(2, 1)\nx.exp().sum().backward()",
    ],
    "no_rg": [
        "x = mg.tensor([1.0, 2.0])\n" + LEAF_W + "(w * x).sum().backward()",
        LEAF_W + "x = w.detach()\n(w * x).sum().backward()",
        LEAF_W + "with mg.no_grad():\n    x = w * 2\n(w * x).sum().backward()",
        LEAF_W + "x = mg.ones_like(w)\n(w + x).sum().backward()",
        LEAF_W + "x = (w > 3.5).double()\n(w * x).sum().backward()",
    ],
    "non_leaf": [
        "x = mg.ones(2, requires_grad=True) * 2\n(x * x).sum().backward()",
        LEAF_W + "x = w.exp()\nx.sum().backward()",
        LEAF_W + "x = w[0]\n(x * x).backward()",
        LEAF_W + "x = w.clone()\n(x * 3).sum().backward()",
        "x = mg.ones(2, requires_grad=True).double()\n(x * x).sum().backward()",
    ],
    "not_reached": [
        LEAF_X + LEAF_W + "y = x * 2\nw.sum().backward()",
        LEAF_X + LEAF_W + "(x.detach() * w).sum().backward()",
        LEAF_X + LEAF_W + "with mg.no_grad():\n    s = x.sum()\n(s * w).sum().backward()",
        LEAF_X + LEAF_W + "(x.sum().item() * w).sum().backward()",
        LEAF_X + LEAF_W + "L = x.sum() if w.sum() > 10 else w.sum()\nL.backward()",
        LEAF_X + LEAF_W + "(x.data * w).sum().backward()",
    ],
}


def why_draw(rng: np.random.Generator) -> Draw:
    reasons = [*WHY_NONE, str(rng.choice(list(WHY_NONE)))]
    order = [reasons[i] for i in rng.permutation(len(reasons))]
    chosen = {reason: list(rng.permutation(WHY_NONE[reason])) for reason in WHY_NONE}
    return [(letter, reason, str(chosen[reason].pop())) for letter, reason in zip("ABCDEF", order, strict=True)]


def why_program(draw: Draw) -> str:
    return "\n\n".join(f"# case {letter}\n{code}\nx.grad" for letter, _, code in draw)


TASK = Part(
    id="01.4",
    title="Why is .grad None?",
    difficulty=2,
    minutes=5,
    draws=why_draw,
    program=why_program,
    name="reasons",
)
