"""05.4 Kinks: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.course.exercise import Part

Draw = tuple[tuple[str, str, str], ...]  # (key, rule, code), in the order of the program

KINKS_SETUP = """\
def slope(f):
    x = mg.tensor(0.0, requires_grad=True)
    f(x).backward()
    return x.grad.item()

def shares(f):
    x = mg.tensor([2.0, 2.0, 2.0, 2.0], requires_grad=True)
    f(x).backward()
    return x.grad.tolist()

zero = mg.tensor(0.0)

"""

INF, NAN = float("inf"), float("nan")
EQUAL, FIRST = [0.25] * 4, [1.0, 0.0, 0.0, 0.0]

# One line of each rule is in every program. What is computed, by the rule, and the spellings.
KINKS: dict[str, tuple[Any, list[str]]] = {
    "relu": (0.0, ["mg.relu(x)", "x.relu()"]),
    "abs": (0.0, ["x.abs()", "mg.abs(x)", "2 * x.abs()"]),
    "tie with a constant": (0.5, ["mg.maximum(x, zero)", "mg.maximum(zero, x)", "mg.minimum(x, zero)"]),
    "tie of two lines": (2.0, ["mg.maximum(x, 3 * x)", "mg.minimum(x, 3 * x)", "mg.maximum(3 * x, x)"]),
    "clamp": (1.0, ["x.clamp(min=0)", "mg.clamp(x, min=0.0)", "x.clamp(max=0)", "mg.clamp(x, 0.0, 1.0)"]),
    "where, not above 0": (-1.0, ["mg.where(x > 0, x, -x)", "mg.where(x <= 0, -x, x)"]),
    "step": (0.0, ["x.sign()", "mg.sign(x)", "mg.floor(x)"]),
    "sqrt": (INF, ["mg.sqrt(x)", "x.sqrt()"]),
    "root of a square": (NAN, ["mg.sqrt(x**2)", "(x * x).sqrt()", "mg.sqrt(x * x)"]),
    "two relus": (0.0, ["mg.relu(x) - mg.relu(-x)", "x.relu() - (-x).relu()"]),
    "max of all": (EQUAL, ["x.max()", "x.min()", "mg.max(x)"]),
    "max along a dim": (FIRST, ["x.max(0).values", "x.max(dim=0).values", "x.min(0).values"]),
}


def caller(rule: str) -> str:
    return "shares" if rule in ("max of all", "max along a dim") else "slope"


def kinks_draw(rng: np.random.Generator) -> Draw:
    slopes, shares = (rng.permutation([r for r in KINKS if caller(r) == name]).tolist() for name in ("slope", "shares"))
    return tuple((key, rule, str(rng.choice(KINKS[rule][1]))) for key, rule in zip("abcdefghijkl", slopes + shares, strict=True))


def kinks_program(draw: Draw) -> str:
    return KINKS_SETUP + "\n".join(f"{f'{caller(rule)}(lambda x: {code})':<44}# {key}" for key, rule, code in draw)


TASK = Part(
    id="05.4",
    title="Kinks",
    difficulty=2,
    minutes=6,
    draws=kinks_draw,
    program=kinks_program,
    name="computed",
)
