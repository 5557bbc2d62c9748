"""06.6 Should backward zero first?: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part

Draw = list[tuple[str, str, str]]  # (key, rule, code): a line or block of a program and the rule that it asks about

FIRST_SETUP = """\
w = mg.tensor(2.0, requires_grad=True)
v = mg.tensor(5.0, requires_grad=True)
chunks = [mg.tensor([1.0, 2.0]), mg.tensor([3.0])]
"""

FIRST = {
    "two losses": [
        "loss = (w - 3) ** 2\npenalty = w**2 / 10\nloss.backward()\npenalty.backward()",
        "first = 4 * w\nsecond = w**3\nfirst.backward()\nsecond.backward()",
        "a = w * v\nb = (w - v) ** 2\na.backward()\nb.backward()",
    ],
    "micro-batches": [
        "for chunk in chunks:\n    part = ((w - chunk) ** 2).sum() / 3\n    part.backward()",
        "for chunk in chunks:\n    part = (w * chunk).exp().mean() * len(chunk) / 3\n    part.backward()",
        "parts = [(w * chunk).sum() / 3 for chunk in chunks]\nfor part in parts:\n    part.backward()",
    ],
    "every second step": [
        "for k in range(4):\n    loss = (w - k) ** 2\n    loss.backward()\n    if k % 2 == 1:\n        with mg.no_grad():\n"
        "            w -= 0.1 * w.grad\n        w.grad = None",
        "for k in range(6):\n    loss = (w * k - 1) ** 2\n    loss.backward()\n    if k % 3 == 2:\n        with mg.no_grad():\n"
        "            w -= 0.01 * w.grad\n        w.grad = None",
    ],
    "a start by hand": [
        "w.grad = mg.tensor(10.0)\nloss = 3 * w\nloss.backward()",
        "loss = w**2\nw.grad = 0.1 * w.detach()\nloss.backward()",
    ],
    "one loss, w twice": [
        "loss = w * v + w**2\nloss.backward()",
        "h = w * w\nloss = h * w + h\nloss.backward()",
        "loss = 3 * w\nfor _ in range(3):\n    loss = loss * w\nloss.backward()",
    ],
    "added up before": [
        "first = (w - 3) ** 2\nsecond = w**2 / 10\ntotal = first + second\ntotal.backward()",
        "total = sum(((w - chunk) ** 2).sum() / 3 for chunk in chunks)\ntotal.backward()",
    ],
    "cleared each time": [
        "for k in range(3):\n    w.grad = None\n    loss = (w - k) ** 2\n    loss.backward()\n    with mg.no_grad():\n"
        "        w -= 0.1 * w.grad",
        "for k in range(3):\n    loss = (w - k) ** 2\n    loss.backward()\n    with mg.no_grad():\n        w -= 0.1 * w.grad\n"
        "    w.grad.zero_()",
    ],
    "other leaves": [
        "first = (w - 3) ** 2\nsecond = v**2\nfirst.backward()\nsecond.backward()",
        "first = 4 * w * w.detach()\nsecond = v.exp() * w.detach()\nfirst.backward()\nsecond.backward()",
    ],
}


def first_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(FIRST))]
    return [(key, rule, str(rng.choice(FIRST[rule]))) for key, rule in zip("abcdefgh", rules, strict=True)]


def first_program(draw: Draw) -> str:
    return FIRST_SETUP + "".join(f"\n# {key}\n{code}\n" for key, _, code in draw)


TASK = Part(
    id="06.6",
    title="Should backward zero first?",
    difficulty=3,
    minutes=8,
    draws=first_draw,
    program=first_program,
    name="verdicts",
    words=("same", "breaks"),
)
