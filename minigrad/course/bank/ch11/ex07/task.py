"""11.7 The back door: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.bank.ch11.common import Draw
from minigrad.course.exercise import Part

# At the end of each program w.grad is the gradient of L as it was computed, or another, or there was an error.
DOORS: dict[str, tuple[str, list[str]]] = {
    "shared from NumPy": (
        "wrong",
        [
            "a = np.array([1.0, 2.0, 3.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w ** 2).sum()\na[0] = 100",
            "a = np.array([1.0, 2.0, 3.0])\nw = mg.as_tensor(a).requires_grad_()\nL = mg.sin(w).sum()\na *= 2",
            "a = np.array([4.0, 5.0])\nk = mg.from_numpy(a)\nw = mg.ones(2, requires_grad=True)\nL = (w * k).sum()\na[0] = 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w * w).sum()\na += 1",
        ],
    ),
    "shared with NumPy": (
        "wrong",
        [
            "w = mg.ones(3, requires_grad=True)\ny = mg.exp(w)\nL = y.sum()\na = y.detach().numpy()\na[0] = 100",
            "w = mg.ones(3, requires_grad=True)\nL = (w ** 3).sum()\nw.detach().numpy()[0] = 100",
            "w = mg.ones(2, requires_grad=True)\ny = mg.tanh(w)\nL = y.sum()\na = y.detach().numpy()\na *= 0",
            "k = mg.ones(2)\nw = mg.ones(2, requires_grad=True)\nL = (w * k).sum()\nk.numpy()[:] = 100",
        ],
    ),
    "copied": (
        "right",
        [
            "a = np.array([1.0, 2.0, 3.0])\nw = mg.tensor(a, requires_grad=True)\nL = (w ** 2).sum()\na[0] = 100",
            "w = mg.ones(3, requires_grad=True)\ny = mg.exp(w)\nL = y.sum()\na = y.detach().numpy().copy()\na[0] = 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a.copy()).requires_grad_()\nL = (w * w).sum()\na[0] = 100",
            "w = mg.ones(3, requires_grad=True)\ny = mg.exp(w)\nL = y.sum()\na = y.detach().clone().numpy()\na[0] = 100",
        ],
    ),
    "not saved": (
        "right",
        [
            "a = np.array([4.0, 5.0])\nk = mg.from_numpy(a)\nw = mg.ones(2, requires_grad=True)\nL = (w + k).sum()\na[0] = 100",
            "w = mg.ones(3, requires_grad=True)\ny = mg.sin(w)\nL = y.sum()\na = y.detach().numpy()\na[0] = 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w - 3).sum()\na[0] = 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a).requires_grad_()\nL = mg.exp(w).sum()\na[0] = 100",
        ],
    ),
    "counted": (
        "raises",
        [
            "a = np.array([1.0, 2.0, 3.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w ** 2).sum()\nw.detach()[0] = 100",
            "a = np.array([4.0, 5.0])\nk = mg.from_numpy(a)\nw = mg.ones(2, requires_grad=True)\nL = (w * k).sum()\nk[0] = 100",
            "w = mg.ones(3, requires_grad=True)\ny = mg.exp(w)\nL = y.sum()\ny.detach()[0] = 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w * w).sum()\nwith mg.no_grad():\n    w += 1",
        ],
    ),
    "nothing is written": (
        "right",
        [
            "a = np.array([1.0, 2.0, 3.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w ** 2).sum()\na = a + 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w * w).sum()\na = np.zeros(2)",
            "a = np.array([1.0, 2.0, 3.0])\na[0] = 100\nw = mg.from_numpy(a).requires_grad_()\nL = (w ** 2).sum()",
            "a = np.array([4.0, 5.0])\nk = mg.from_numpy(a)\na[0] = 100\nw = mg.ones(2, requires_grad=True)\nL = (w * k).sum()",
        ],
    ),
}


def doors_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(DOORS))]
    return [(key, rule, str(rng.choice(DOORS[rule][1]))) for key, rule in zip("ABCDEF", rules, strict=True)]


def doors_program(draw: Draw) -> str:
    return "\n\n".join(f"# program {key}\n{code}\nL.backward()" for key, _, code in draw)


TASK = Part(
    id="11.7",
    title="The back door",
    difficulty=3,
    minutes=8,
    extra=True,
    draws=doors_draw,
    program=doors_program,
    name="doors",
    words=("right", "wrong", "raises"),
)
