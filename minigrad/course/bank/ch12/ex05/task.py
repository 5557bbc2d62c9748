"""12.5 Through the window: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch12.common import Draw
from minigrad.course.exercise import Part

WINDOWS = {
    "the base is written": "v = y[:2]\ny.mul_({k})\nv.sum().backward()",
    "the window is written": "v = y[:2]\nv.mul_({k})\ny.sum().backward()",
    "a clone is written": "v = y[:2].clone()\nv.mul_({k})\ny.sum().backward()",
    "another window is written": "v, w = y[:3], y[1:]\nv.mul_({k})\nw.sum().backward()",
    "written under no_grad": "v = y[:2]\nwith mg.no_grad():\n    v.mul_({k})\ny.sum().backward()",
    "summed before the write": "v = y[:2]\ns = v.sum()\ny.mul_({k})\ns.backward()",
}


def windows_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(WINDOWS))]
    factors = [int(k) for k in rng.permutation([3, 4, 5, 6, 7, 10])]
    return tuple((key, rule, factor) for key, rule, factor in zip("ABCDEF", rules, factors, strict=True))


def windows_block(rule: str, factor: int) -> str:
    return "x = mg.ones(4, requires_grad=True)\ny = 2 * x\n" + WINDOWS[rule].format(k=factor)


def windows_program(draw: Draw) -> str:
    return "\n\n".join(f"# {key}\n{windows_block(rule, factor)}" for key, rule, factor in draw)


TASK = Part(
    id="12.5",
    title="Through the window",
    difficulty=3,
    minutes=7,
    extra=True,
    draws=windows_draw,
    program=windows_program,
    name="grads",
)
