"""11.2 The leaf rule: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.course.bank.ch11.common import Draw
from minigrad.course.exercise import Part

RULE_SETUP = """\
# before each line
w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = w * 2
k = mg.tensor([4.0, 5.0, 6.0])

"""

# (what becomes of it, the lines)
LEAF_RULE: dict[str, tuple[Any, list[str]]] = {
    "leaf": ("leaf", ["w += 1", "w.mul_(2)", "w -= 0.1 * k", "w.zero_()", "w.copy_(k)", "w += w"]),
    "part": ("view", ["w[0] = 5.0", "w[1:] *= 2", "w.view(3, 1).add_(1)", "w[0].zero_()", "w[:2] = k[:2]"]),
    "no_grad once": (
        1,
        [
            "with mg.no_grad(): w += 1",
            "with mg.no_grad(): w.mul_(2)",
            "with mg.no_grad(): w[0] = 5.0",
            "with mg.no_grad(): w -= 0.1 * k",
        ],
    ),
    "no_grad more than once": (
        2,
        [
            "with mg.no_grad(): w += 1; w -= 1",
            "with mg.no_grad(): w[0] = 5.0; w.mul_(2)",
            "with mg.no_grad(): w.zero_(); w.add_(k)",
        ],
    ),
    "new name": (0, ["w = w + 1", "w = w * 2", "w = w - 0.1 * k", "w = -w"]),
    "detach": (
        1,
        ["w.detach().add_(1)", "v = w.detach(); v *= 2", "w.detach()[0] = 5.0", "v = w.detach(); v.zero_()"],
    ),
    "data": (0, ["w.data += 1", "w.data.mul_(2)", "w.data[0] = 5.0", "v = w.data; v -= 1"]),
    "other tensor": (0, ["h += 1", "k += w", "u = w.clone(); u += 1", "h[0] = 5.0", "u = w + 0; u.zero_()"]),
}


def rule_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(LEAF_RULE))]
    return [(key, rule, str(rng.choice(LEAF_RULE[rule][1]))) for key, rule in zip("ABCDEFGH", rules, strict=True)]


def rule_program(draw: Draw) -> str:
    return RULE_SETUP + "\n".join(f"{code:<44}# {key}" for key, _, code in draw)


TASK = Part(
    id="11.2",
    title="The leaf rule",
    difficulty=1,
    minutes=5,
    draws=rule_draw,
    program=rule_program,
    name="versions",
)
