"""11.1 Which one breaks?: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch11.common import Draw
from minigrad.course.exercise import Part

BREAKS_SETUP = """\
# before each line
w = mg.tensor([0.5, 1.0, 2.0], requires_grad=True)
k = mg.tensor([4.0, 5.0, 6.0])
x = w * 1                  # a result, so it may be written

# after each line
y.sum().backward()

"""

KEEPS_OUTPUT = ["mg.exp(x)", "mg.sigmoid(x)", "mg.tanh(x)", "mg.relu(x)", "mg.sqrt(x)", "mg.softmax(x, 0)"]
KEEPS_INPUT = ["mg.sin(x)", "mg.cos(x)", "mg.log(x)", "x ** 2", "x * x", "mg.abs(x)"]
KEEPS_NOTHING = ["x + 1", "x - k", "-x", "x.sum()", "x.mean()", "x.clone()"]
KEEPS_K = ["x * k", "x / k", "k * x", "mg.dot(x, k)"]


def breaks_draw(rng: np.random.Generator) -> Draw:
    lines = []
    for kind, codes, count in (("output", KEEPS_OUTPUT, 2), ("input", KEEPS_INPUT, 2), ("nothing", KEEPS_NOTHING, 1)):
        for code in rng.permutation(codes)[:count]:
            lines.append((f"{kind} kept, output written", f"y = {code};  y += 1"))
            lines.append((f"{kind} kept, input written", f"y = {code};  x += 1"))
    code = str(rng.choice(KEEPS_K))
    lines += [("k kept, x written", f"y = {code};  x += 1"), ("k kept, k written", f"y = {code};  k += 1")]
    return [(key, *lines[i]) for key, i in zip("ABCDEFGHIJKL", rng.permutation(len(lines)), strict=True)]


def breaks_program(draw: Draw) -> str:
    return BREAKS_SETUP + "\n".join(f"{code:<32}# {key}" for key, _, code in draw)


TASK = Part(
    id="11.1",
    title="Which one breaks?",
    difficulty=2,
    minutes=8,
    draws=breaks_draw,
    program=breaks_program,
    name="breaks",
    words=("ok", "raises"),
)
