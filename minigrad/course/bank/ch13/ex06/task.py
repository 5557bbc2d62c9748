"""13.6 log-softmax: what is asked, and what is seen of an answer."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch13.common import Array
from minigrad.course.exercise import Case, Part, Requirement

LOG_SOFTMAX_STARTER = '''\
class LogSoftmax:
    """The logarithm of softmax, row by row: z[i, j] - log(sum over k of exp(z[i, k])). NumPy arrays of shape (b, n)."""

    @staticmethod
    def forward(z):
        """Returns the log-probabilities, an array of the shape of z."""
        ...

    @staticmethod
    def vjp(g, z):
        """g: the cotangent of the result, of its shape. Returns the gradient for z."""
        ...
'''


def log_softmax_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def array(a: Any) -> Array:
        return mg.tensor(a, dtype=dtype).numpy().copy()

    def g(*shape: int) -> Array:
        return array(rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape))

    usual = array(rng.uniform(-2, 2, (4, 3)))
    large = array(rng.uniform(-3, 3, (2, 5)) + 1000)
    far = array([[1000.0, -1000.0, 0.0, 999.0], [-1000.0, -1001.0, -1002.5, -1000.5], [0.0, -0.5, 1.0, 0.25]])
    column = array(rng.uniform(-2, 2, (3, 1)))
    cases = []
    for label, z in (
        ("small numbers", usual),
        ("numbers around 1000", large),
        ("one row at 1000, one at -1000", far),
        ("one class only", column),
    ):
        cases.append(Case(f"forward: {label}", (z, "forward")))
        cases.append(Case(f"vjp: {label}", (g(*z.shape), z, "vjp")))
    return sorted(cases, key=lambda case: case.part)


def observe_log_softmax(answer: Any, *args: Any) -> Any:
    *arrays, rule = args
    if rule == "vjp":  # what is kept from a call with other scores of that shape is none of this one's
        g, z = (np.flip(array).copy() for array in arrays)
        with contextlib.suppress(Exception):  # that is told in the part of `forward`, and just below
            answer.forward(z)
            answer.vjp(g, z)
    return {f"{rule} returns": getattr(answer, rule)(*arrays)}


def log_softmax_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def array(a: Any) -> Array:
        return mg.tensor(a, dtype=dtype).numpy().copy()

    tables = {
        "one row": rng.uniform(-2, 2, (1, 4)),
        "equal scores": np.full((2, 3), 7.0),
        "one row, one class": np.array([[1000.0]]),
        "numbers around 1e30": np.array([[1e30, -1e30, 0.0], [-1e30, 0.0, -1e30]]),
    }
    cases = [Case(f"forward: {label}", (array(z), "forward")) for label, z in tables.items()]
    cases += [Case(f"vjp: {label}", (array(rng.normal(size=z.shape)), array(z), "vjp")) for label, z in tables.items()]
    return [*cases, Case("vjp: a cotangent of zeros", (array(np.zeros((2, 3))), array(rng.normal(size=(2, 3))), "vjp"))]


TASK = Part(
    id="13.6",
    title="log-softmax that holds",
    difficulty=3,
    minutes=12,
    requirements=(
        Requirement(
            "`forward(z)`: in each row z[i, j] − log Σₖ exp(z[i, k]). It must hold for all finite scores, also 1000 and "
            "−1000.",
            ("exp without a shift", "the logarithm of a stable softmax", "one maximum for all rows"),
        ),
        Requirement(
            "`vjp(g, z)`: the gradient for `z`, given the cotangent `g` of the result. `g` is any array of the shape of `z`, "
            "not only a one-hot.",
            ("the sum of g forgotten", "the transposed Jacobian", "the rule of softmax"),
        ),
        Requirement(
            "Rows have nothing to do with each other. `z` and `g` stay as they are.",
            ("columns", "all rows together", "the sum of the whole batch", "z is shifted in place"),
        ),
    ),
    starter=LOG_SOFTMAX_STARTER,
    cases=log_softmax_cases,
    edges=log_softmax_edges,
    observe=observe_log_softmax,
)
