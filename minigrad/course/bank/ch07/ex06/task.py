"""07.6 retain or create?: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch07.common import Draw
from minigrad.course.exercise import Part

CUBE_SETUP = """\
grad = mg.autograd.grad

def cube():
    x = mg.tensor(2.0, requires_grad=True)
    return x, x**3

# Each line is run by itself, after x, L = cube().
"""

# One line of each rule is in every program.
CALLS = {
    "neither": ["grad(L, x); grad(L, x)", "L.backward(); L.backward()", "L.backward(); grad(L, x)"],
    "retain": ["grad(L, x, retain_graph=True); grad(L, x)", "L.backward(retain_graph=True); L.backward()"],
    "retain once for three": [
        "grad(L, x, retain_graph=True); grad(L, x); grad(L, x)",
        "L.backward(retain_graph=True); L.backward(); L.backward()",
    ],
    "retain late": ["grad(L, x); grad(L, x, retain_graph=True)", "L.backward(); L.backward(retain_graph=True)"],
    "create": ["grad(L, x, create_graph=True); grad(L, x)", "grad(L, x, create_graph=True); L.backward()"],
    "create, not retain": [
        "grad(L, x, create_graph=True, retain_graph=False); grad(L, x)",
        "grad(L, x, retain_graph=False, create_graph=True); L.backward()",
    ],
    "slope of create": ["(g,) = grad(L, x, create_graph=True); g.backward()", "g = grad(L, x, create_graph=True)[0]; grad(g, x)"],
    "slope of retain": ["(g,) = grad(L, x, retain_graph=True); g.backward()", "g = grad(L, x, retain_graph=True)[0]; grad(g, x)"],
    "slope of neither": ["(g,) = grad(L, x); g.backward()", "g = grad(L, x)[0]; grad(g, x)"],
}


def calls_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(CALLS))]
    return tuple((key, rule, str(rng.choice(CALLS[rule]))) for key, rule in zip("abcdefghi", rules, strict=True))


def calls_program(draw: Draw) -> str:
    return CUBE_SETUP + "\n".join(f"{code:<68}# {key}" for key, _, code in draw)


TASK = Part(
    id="07.6",
    title="retain or create?",
    difficulty=2,
    minutes=6,
    draws=calls_draw,
    program=calls_program,
    name="ends",
    words=("ok", "freed", "no graph"),
)
