"""04.3 Will it raise?: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part

Draw = tuple[tuple[str, str, str], ...]  # (key, rule, code), in the order of the program

OUTCOMES_SETUP = """\
def y(*shape):
    return 2 * mg.ones(shape, requires_grad=True)

"""

# One line of each rule is in every program.
OUTCOMES = {
    "many, no v": ["y(3).backward()", "y(2, 3).backward()", "y(4, 1).backward()", "y(1, 2).backward()"],
    "one, no v": ["y(1).backward()", "y(1, 1).backward()", "y(1, 1, 1).backward()"],
    "scalar": ["y().backward()", "y(3).sum().backward()", "y(2, 3).mean().backward()"],
    "fits": [
        "y(3).backward(mg.ones(3))",
        "y(2, 3).backward(mg.ones(2, 3))",
        "y(4, 1).backward(mg.zeros(4, 1))",
        "y(5).backward(mg.tensor([0., 0., 1., 0., 0.]))",
    ],
    "broadcasts": [
        "y(3).backward(mg.ones(1, 3))",
        "y(3).backward(mg.tensor(1.))",
        "y(2, 3).backward(mg.ones(3))",
        "y(2, 3).backward(mg.ones(2, 1))",
        "y(3).backward(mg.ones(1))",
    ],
    "same count": [
        "y(2, 3).backward(mg.ones(6))",
        "y(2, 3).backward(mg.ones(3, 2))",
        "y(4).backward(mg.ones(2, 2))",
        "y().backward(mg.ones(1))",
        "y(1, 1).backward(mg.ones(1))",
        "y(1).backward(mg.tensor(1.))",
    ],
    "other length": ["y(3).backward(mg.ones(2))", "y(2).backward(mg.ones(5))", "y(4).backward(mg.ones(3))"],
    "list": ["y(3).backward([1., 1., 1.])", "y(2).backward((1., 1.))", "y(3).backward([0., 1., 0.])"],
    "number": ["y().backward(1.0)", "y(3).sum().backward(1.0)", "y(3).backward(1.0)"],
    "numpy": ["y(3).backward(np.ones(3))", "y(2).backward(np.array([1., 0.]))"],
    "other dtype": [
        "y(3).backward(mg.ones(3, dtype=mg.float64))",
        "y(2).backward(mg.tensor([1, 0]))",
        "y(2, 3).backward(mg.ones(2, 3, dtype=mg.int64))",
    ],
}


def outcomes_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(OUTCOMES))]
    return tuple((key, rule, str(rng.choice(OUTCOMES[rule]))) for key, rule in zip("abcdefghijk", rules, strict=True))


def outcomes_program(draw: Draw) -> str:
    return OUTCOMES_SETUP + "\n".join(f"{code:<48}# {key}" for key, _, code in draw)


TASK = Part(
    id="04.3",
    title="Will it raise?",
    difficulty=1,
    minutes=6,
    draws=outcomes_draw,
    program=outcomes_program,
    name="outcomes",
    words=("ok", "scalar-only", "shape", "type"),
)
