"""12.6 Forbidden windows: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch12.common import Draw, draw_lines
from minigrad.course.exercise import Part

# In each block x is a leaf, y a result, k a constant, all of shape (4,), made anew.
FORBIDDEN_SETUP = """\
x = mg.ones(4, requires_grad=True)   # a leaf
y = 2 * x                            # a result
k = mg.zeros(4)                      # a constant
"""

FORBIDDEN = {
    "several windows": [
        "p, q = y.split(2)\np.mul_(3)",
        "p, q = y.chunk(2)\nq.zero_()",
        "p, *others = y.unbind()\np.add_(1)",
        "for entry in y:\n    entry.add_(1)",
        "p, q = y.view(2, 2).unbind()\np[0] = 5.0",
    ],
    "a window from no_grad": [
        "with mg.no_grad():\n    v = y[:2]\nv.mul_(3)",
        "with mg.no_grad():\n    v = y.view(2, 2)\nv[0] = 5.0",
        "with mg.no_grad():\n    v = x[:2]\nv.zero_()",
    ],
    "a part of a leaf": ["x[0] = 5.0", "x[:2].mul_(3)", "v = x.view(2, 2)\nv.add_(1)", "x[1:] = k[1:]", "x[::2].zero_()"],
    "one cell several times": [
        "e = k.expand(3, 4)\ne.add_(1)",
        "e = y.expand(3, 4)\ne.mul_(3)",
        "e = k[:1].expand(3)\ne[:] = y[:3]",
    ],
    "a part of a result": ["y[0] = 5.0", "y[:2].mul_(3)", "v = y.view(2, 2)\nv.add_(1)", "y[1:] = x[1:]"],
    "all under no_grad": [
        "with mg.no_grad():\n    x[0] = 5.0",
        "with mg.no_grad():\n    x[:2].mul_(3)",
        "with mg.no_grad():\n    v = y[:2]\n    v.mul_(3)",
    ],
    "windows on a constant": [
        "p, q = k.split(2)\np.add_(1)",
        "p, *others = k.unbind()\np.add_(1)",
        "for entry in k:\n    entry.add_(1)",
    ],
    "a clone": [
        "e = k.expand(3, 4).clone()\ne.add_(1)",
        "p, q = y.split(2)\np = p.clone()\np.mul_(3)",
        "v = x[:2].clone()\nv.mul_(3)",
    ],
}

FORBIDDEN_WORDS = {
    "several windows": "several",
    "a window from no_grad": "no_grad",
    "a part of a leaf": "leaf",
    "one cell several times": "one cell",
}


def forbidden_program(draw: Draw) -> str:
    return FORBIDDEN_SETUP + "".join(f"\n# {key}\n{code}\n" for key, _, code in draw)


WORDS = ("ok", *FORBIDDEN_WORDS.values())

TASK = Part(
    id="12.6",
    title="Forbidden windows",
    difficulty=2,
    minutes=5,
    extra=True,
    draws=draw_lines(FORBIDDEN, "abcdefgh"),
    program=forbidden_program,
    name="verdicts",
    words=WORDS,
)
