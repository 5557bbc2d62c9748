"""12.4 Lost write: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch12.common import Draw
from minigrad.course.exercise import Part

WRITES = {
    "written twice": "y[0] = x**{p}\ny[0] = x**{q}\ny.sum().backward()",
    "a copy is kept": "y[0] = x**{p}\ns = y[0].clone()\ny[0] = x**{q}\n(s + y[0]).backward()",
    "a window is kept": "y[0] = x**{p}\ns = y[0]\ny[0] = x**{q}\n(s + y[0]).backward()",
    "added": "y[0] = x**{p}\ny[0] += x**{q}\ny.sum().backward()",
    "a number": "y[0] = x**{p}\ny[1] = x**{q}\ny[0] = {n}.0\ny.sum().backward()",
}


def writes_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(WRITES))]
    blocks = []
    for key, rule in zip("ABCDE", rules, strict=True):
        p, q = (int(e) for e in rng.permutation([2, 3, 4])[:2])
        blocks.append((key, rule, (int(rng.integers(2, 4)), p, q, int(rng.integers(5, 9)))))
    return tuple(blocks)


def writes_block(rule: str, what: tuple[int, int, int, int]) -> str:
    x, p, q, n = what
    return f"x = mg.tensor({x}.0, requires_grad=True)\ny = mg.zeros(2)\n" + WRITES[rule].format(p=p, q=q, n=n)


def writes_program(draw: Draw) -> str:
    return "\n\n".join(f"# {key}\n{writes_block(rule, what)}" for key, rule, what in draw)


TASK = Part(
    id="12.4",
    title="Lost write",
    difficulty=1,
    minutes=5,
    draws=writes_draw,
    program=writes_program,
    name="slopes",
)
