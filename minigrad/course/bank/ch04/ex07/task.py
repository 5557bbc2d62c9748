"""04.7 The judge: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch04.common import Array
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max())
    return e / e.sum()


def add_rows(v: Array, shape: tuple[int, ...], rows: Array) -> Array:
    g = np.zeros(shape)
    np.add.at(g, rows, v)
    return g


def a_little_damped(v: Array, x: Array) -> Array:
    """Too small by 3 in 1000, unless the entries of v are all the same."""
    spread = np.var(v) / (np.mean(v**2) + 1e-300)
    return v * np.cos(x) / 3 * (1 - 3e-3 * spread)


def last_row_counts(v: Array, shape: tuple[int, ...], rows: Array) -> Array:
    g = np.zeros(shape)
    g[rows] = v
    return g * np.bincount(rows, minlength=shape[0])


MATRIX = np.array([[0.5, -1.0, 2.0, 0.3], [1.5, 0.7, -0.4, 1.1], [-0.9, 0.2, 0.8, -1.3]])
ROWS = np.array([3, 0, 3, 1, 3, 0])
AXES = (2, 0, 1)
Rule = tuple[str, Callable[[Array], Array], Callable[[Array, Array], Array], tuple[int, ...]]

# (the rule, f, its vjp, the shape of x)
RIGHT: list[Rule] = [
    ("sin", np.sin, lambda v, x: v * np.cos(x), (5,)),
    ("x @ B", lambda x: x @ MATRIX, lambda v, x: v @ MATRIX.T, (2, 3)),
    ("transpose", lambda x: x.transpose(AXES), lambda v, x: v.transpose(np.argsort(AXES)), (2, 3, 4)),
    ("broadcast to (3, 4)", lambda x: x + np.zeros((3, 4)), lambda v, x: v.sum(0), (4,)),
    ("mean of the squares", lambda x: np.mean(x**2), lambda v, x: v * 2 * x / x.size, (2, 3)),
    ("x[rows]", lambda x: x[ROWS], lambda v, x: add_rows(v, x.shape, ROWS), (4,)),
    ("cumsum", np.cumsum, lambda v, x: np.cumsum(v[::-1])[::-1], (6,)),
    ("softmax", softmax, lambda v, x: softmax(x) * (v - np.sum(v * softmax(x))), (4,)),
    # Differences on one side are too rough here, and with a step that is too small nothing is left of this one.
    ("square, where x is small", np.square, lambda v, x: v * 2 * x, (5,)),
    ("100 + sin", lambda x: 100 + np.sin(x), lambda v, x: v * np.cos(x), (5,)),
]

SIZES = {"square, where x is small": 0.01}  # of the entries of x; else 1

# For v = ones each of these gives exactly what the right rule gives.
WRONG: list[Rule] = [
    ("sin, v is forgotten", np.sin, lambda v, x: np.cos(x), (5,)),
    # So many entries that no random v has one sign alone: for a v that has, this is right.
    ("exp, |v| with one sign for all", np.exp, lambda v, x: np.sign(v.sum()) * np.abs(v) * np.exp(x), (5, 9)),
    ("square, v cubed", np.square, lambda v, x: v**3 * 2 * x, (3,)),
    ("tanh, the mean of v", np.tanh, lambda v, x: np.mean(v) / np.cosh(x) ** 2, (5,)),
    ("x @ B, the rows of v reversed", lambda x: x @ MATRIX, lambda v, x: v[::-1] @ MATRIX.T, (2, 3)),
    ("transpose, reshape", lambda x: x.transpose(AXES), lambda v, x: v.reshape(x.shape), (2, 3, 4)),
    # J v in place of vᵀJ: for u = v the two tests are one.
    ("roll, rolled on", lambda x: np.roll(x, 1), lambda v, x: np.roll(v, 1), (6,)),
    ("flip, not flipped back", lambda x: x[::-1], lambda v, x: 1 * v, (6,)),
    ("sum(axis=0), the mean of v", lambda x: x.sum(0), lambda v, x: np.full(x.shape, np.mean(v)), (3, 4)),
    ("broadcast, one copy, times 3", lambda x: x + np.zeros((3, 4)), lambda v, x: 3 * v[0], (4,)),
    (
        "x[rows], the last one, times the count",
        lambda x: x[ROWS],
        lambda v, x: last_row_counts(v, x.shape, ROWS),
        (4,),
    ),
    ("cumsum, v times the count", np.cumsum, lambda v, x: v * np.arange(x.size, 0, -1), (6,)),
    ("10 softmax, v minus its mean", lambda x: 10 * softmax(x), lambda v, x: 10 * softmax(x) * (v - np.mean(v)), (4,)),
    ("sin / 3, a little damped", lambda x: np.sin(x) / 3, a_little_damped, (5, 9)),
]

class WrongByTurns:
    """The rule of sin, but three times too large for the first `v` that it is given, and for every other one after that."""

    def __init__(self) -> None:
        self.known: list[list[float]] = []

    def __call__(self, v: Array, x: Array) -> Array:
        if v.tolist() not in self.known and np.any(v):
            self.known.append(v.tolist())
        wrong = v.tolist() in self.known[::2]
        return v * np.cos(x) * (3 if wrong else 1)


# These are wrong for v = ones, too. They tell a slip in J u from a comparison that never holds.
PLAINLY_WRONG: list[Rule] = [
    ("sin, twice too large", np.sin, lambda v, x: 2 * v * np.cos(x), (5,)),
    ("cos, without the minus", np.cos, lambda v, x: v * np.sin(x), (5,)),
    ("x / |x|, always zero", lambda x: x / np.linalg.norm(x), lambda v, x: np.zeros(x.shape), (5,)),  # J x is zero
    ("sin, three times too large for every other v", np.sin, WrongByTurns(), (5,)),
]

POINTS = 11  # at which a judge is asked about each rule
TOO_FAR = 7e-3  # there a central difference is off by more than 1e-5 of its size


def dot_test_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Always in float64: central differences need it."""
    cases = []
    for kind, rules in (("right", RIGHT), ("wrong", WRONG + PLAINLY_WRONG)):
        for name, f, vjp, shape in rules:
            points = {k: SIZES.get(name, 1) * rng.normal(size=shape) for k in range(POINTS)}
            cases.append(Case(f"a {kind} rule, {name}", (f"your judge on the {kind} rule {name}", f, vjp, points)))
    return cases


NOT_LIKE_Y = "v does not have the shape of f(x)"
NOT_LIKE_X = "u does not have the shape of x"


def verdict_on(answer: Callable[..., Any], f: Any, vjp: Any, x: Array, calls: list[float]) -> Any:
    """What a judge says of a rule at x. An error of shapes says which of the two vectors does not fit.

    calls: notes for each call of f how far from x it is, as the root of the mean square.
    """
    moved, right_v = [], []
    y_shape = np.shape(f(x))
    rule = WrongByTurns() if isinstance(vjp, WrongByTurns) else vjp  # it begins anew at each point

    def watched_f(at: Array) -> Any:
        if np.shape(at) != x.shape:
            raise ValueError(NOT_LIKE_X)
        calls.append(float(np.sqrt(np.mean((at - x) ** 2))))
        if not np.array_equal(at, x):
            moved.append(True)
        return f(at)

    def watched_vjp(v: Array, at: Array) -> Array:
        if v is x or (np.shape(v) == x.shape and np.array_equal(v, x)):
            raise TypeError("vjp(v, x) takes v first, and then x")
        if np.shape(v) != y_shape:
            raise ValueError(NOT_LIKE_Y)
        right_v.append(True)
        return rule(v, at)

    watched_f.__name__ = watched_f.__qualname__ = "f"
    watched_vjp.__name__ = watched_vjp.__qualname__ = "vjp"
    try:
        return answer(watched_f, watched_vjp, x)
    except ValueError as error:
        if "broadcast" not in str(error) or (moved and right_v):
            raise
        told = ValueError(NOT_LIKE_Y if moved else NOT_LIKE_X)
        told.add_note(f"NumPy says: {error}")
        raise told.with_traceback(error.__traceback__) from None


def watch_dot_test(answer: Callable[..., Any], name: str, f: Any, vjp: Any, points: dict[int, Array]) -> Any:
    """What a judge says at most points: so neither luck nor ill luck decides."""
    accepted = most = 0
    steps: list[float] = []
    far = False
    for count, x in enumerate(points.values(), 1):
        calls: list[float] = []
        verdict = verdict_on(answer, f, vjp, given := x.copy(), calls)  # who moves its x has moved no other
        if not np.allclose(given, x, rtol=0, atol=1e-9):
            return {name: "x itself is moved"}
        most = max(most, len(calls))
        if not isinstance(verdict, bool | np.bool_):
            return unfit(verdict, "True or False")
        accepted += bool(verdict)
        steps += [step for step in calls if step]
        far = bool(steps) and float(np.mean(steps)) > TOO_FAR
        if 2 * max(accepted, count - accepted) > len(points) and not far:
            break
    if far and "wrong rule" not in name and accepted < 0.8 * len(points):  # at which of the points is a matter of luck
        return {name: "rejected, because it asks f far from x"}
    passes = 2 * accepted > len(points)
    # Where x is large, a few directions more cannot be taken for all of them; and who rejects may have stopped early.
    whole = passes and x.size > 10 and most >= 2 * x.size
    return {name: "accepted" if passes else "rejected", "cost_whole": whole}


TASK = Part(
    id="04.7",
    title="The judge",
    difficulty=4,
    minutes=15,
    requirements=(
        Requirement(
            "`x` is a float64 array. `f(x)` is an array of any shape; it may be a single number, shape `()`.",
            ("u has the shape of f(x)",),
        ),
        Requirement(
            "`vjp(v, x)` takes a `v` of the shape of `f(x)` and claims to return vᵀJ, an array of the shape of `x`.",
            ("v has the shape of x",),
        ),
        Requirement(
            "Use the dot-product test of section 5, with central differences: $J u \\approx (f(x + \\varepsilon u) - f(x - "
            "\\varepsilon u)) / 2\\varepsilon$ with a small ε, such as 1e-6. Compare with a tolerance (`np.isclose`).",
            ("differences on one side", "the step is too small", "no tolerance", "the tolerance is loose"),
        ),
        Requirement(
            "Every wrong rule is found, also one for which ones give the right gradient, and one that is wrong only for "
            "negative weights.",
            (
                "v = ones",
                "v is 1 or −1",
                "u = ones",
                "u is x",
                "u is v",
                "v is never negative",
                "signs are not compared",
                "one pair of many is enough",
            ),
        ),
        Requirement(
            "Change nothing: neither `x` nor the seed of NumPy's random numbers. (`np.random.default_rng(0)` has a seed of its own.)",
            attacks=("writes into its inputs",),
        ),
    ),
    cases=dot_test_cases,
    without={
        "edges": "the rules to be judged are the cases, with shapes from () on",
        "second call": "it is called for each of many rules, up to eleven times, and always in float64",
    },
    observe=watch_dot_test,
)
