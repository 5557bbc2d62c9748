"""01.1 Passport control: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch01.common import Draw
from minigrad.course.exercise import Part

PASSPORT_SETUP = """\
w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = w * 2
k = mg.tensor([4.0, 5.0, 6.0])
n = mg.tensor([7, 8, 9])
"""

# Every program has one line of each rule, in any order: 56 lines, over a million programs.
PASSPORT = {
    "constants": [
        "k * 2",
        "k + k",
        "k * n",
        "n * 2",
        "k.sum()",
        "k.exp()",
        "k[0]",
        "k.view(3, 1)",
        "k.clone()",
    ],
    "one is enough": ["w * k", "k + w", "2 * w", "w * n", "h + 1", "k * h", "w + h", "w.exp()", "h.sum()"],
    "copies": ["w.clone()", "h.clone()", "w + 0", "w * 1", "w.double()", "h.double()"],
    "windows": ["w[0]", "h[0]", "w[1:]", "h[:2]", "w.view(3, 1)", "h.view(3, 1)"],
    "cuts": [
        "w.detach()",
        "h.detach()",
        "w.data",
        "h.data",
        "h.detach() * 2",
        "w.detach().clone()",
        "w.data + k",
    ],
    "no_grad": ["w * 3", "h + w", "w.clone()", "h.exp()", "w.sum()", "w + k"],
    "new leaves": [
        "w.detach().requires_grad_()",
        "h.detach().requires_grad_()",
        "k.clone().requires_grad_()",
        "(k * 2).requires_grad_()",
        "mg.ones(3, requires_grad=True)",
        "w.float()",
        "w.requires_grad_()",
    ],
    "no slope": ["w > 2", "h == k", "w.argmax()", "w.long()", "mg.zeros_like(w)", "mg.ones_like(h)"],
}


def passport_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(PASSPORT))]
    return [(key, rule, str(rng.choice(PASSPORT[rule]))) for key, rule in zip("pqrstuvx", rules, strict=True)]


def passport_program(draw: Draw) -> str:
    lines = []
    for key, rule, code in draw:
        lines += ["with mg.no_grad():", f"    {key} = {code}"] if rule == "no_grad" else [f"{key} = {code}"]
    return PASSPORT_SETUP + "\n" + "\n".join(lines)


TASK = Part(
    id="01.1",
    title="Passport control",
    difficulty=1,
    minutes=8,
    draws=passport_draw,
    program=passport_program,
    name="passports",
)
