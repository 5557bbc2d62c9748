"""07.1 Suitcase or not?: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch07.common import Draw
from minigrad.course.exercise import Part

TWICE_SETUP = """\
def twice(f):
    x = mg.tensor([0.5, 1.5, 2.0], requires_grad=True)
    y = f(x).sum()
    y.backward()
    y.backward()

w = mg.tensor([3.0, 4.0, 5.0])  # a constant

"""

# One line of each rule is in every program.
OPERATIONS = {
    "add": ["x + 2", "x + w", "x - w", "w - x", "x + x"],
    "neg": ["-x"],
    "sum": ["x.sum()", "x.sum(0)"],
    "mean": ["x.mean()", "x.mean(0)"],
    "move": ["x.reshape(3, 1)", "x[:2]", "x.clone()", "mg.stack([x, x])", "x.expand(2, 3)", "mg.cat([x, x])"],
    "times a number": ["2 * x", "x * 3", "x * 0.5"],
    "divided": ["x / 3", "x / 2", "x / 10"],
    "times a constant": ["x * w", "w * x", "w @ x"],
    "power": ["x**2", "x**3"],
    "saves its result": ["mg.exp(x)", "mg.tanh(x)", "mg.sqrt(x)", "mg.sigmoid(x)"],
    "saves its input": ["mg.sin(x)", "mg.cos(x)", "mg.log(x)"],
    "relu": ["mg.relu(x)", "x.abs()"],
    "one in a chain": ["-(x * x) + 1", "(2 * (x + 1)).sum()", "(mg.exp(x) - w).sum()", "mg.sin(-x) + w"],
    "of constants": ["x + mg.exp(w)", "x - 2 * w", "-x + mg.sin(w)", "(x + w**2).sum()"],
}


def second_pass_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(OPERATIONS))]
    return tuple((key, rule, str(rng.choice(OPERATIONS[rule]))) for key, rule in zip("abcdefghijklmn", rules, strict=True))


def second_pass_program(draw: Draw) -> str:
    return TWICE_SETUP + "\n".join(f"{f'twice(lambda x: {code})':<40}# {key}" for key, _, code in draw)


TASK = Part(
    id="07.1",
    title="Suitcase or not?",
    difficulty=2,
    minutes=6,
    draws=second_pass_draw,
    program=second_pass_program,
    name="second_pass",
    words=("survives", "raises"),
)
