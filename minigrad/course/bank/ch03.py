"""Jacobians, and finite differences as the oracle.

Exercises 03.1 to 03.6: the Jacobian by differences, by thought and by the chain rule, its shape, and the step to take.
"""

from __future__ import annotations

import dis
import inspect
import math
from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg
from minigrad.course.compare import as_array, differences, unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register

Array = np.ndarray

ROUGH = "right in the first digits only, as differences are"


def rough(a: Array, right: Array) -> bool:
    """Whether a comes near the right numbers as differences do, and no nearer."""
    gap, scale = float(np.max(np.abs(a - right))), float(np.max(np.abs(right)))
    return 1e-13 * scale < gap < 1e-4 * scale


# --- 03.1 Finite differences --------------------------------------------------------------------------------


def numjac(f, x, eps=1e-6):
    """The Jacobian of f at x, by central differences.

    f: takes an array of shape (n,), returns one of shape (m,). x: an array of shape (n,), perhaps of whole numbers.
    eps: the step. Returns an array of shape (m, n).
    """
    x = np.asarray(x, dtype=float)
    columns = []
    for step in eps * np.eye(len(x)):
        columns.append((f(x + step) - f(x - step)) / (2 * eps))
    return np.stack(columns, axis=1)


def numjac_filled(f, x, eps=1e-6):
    J = np.zeros((len(f(x)), len(x)))
    for j in range(len(x)):
        up, down = x.astype(float), x.astype(float)
        up[j] += eps
        down[j] -= eps
        J[:, j] = (f(up) - f(down)) / eps / 2
    return J


def numjac_comprehension(f, x, eps=1e-6):
    return np.array([(f(x + eps * e) - f(x - eps * e)) / (2 * eps) for e in np.identity(x.size)]).T


def numjac_entries(f, x, eps=1e-6):
    """Entry by entry, with f's results copied before its input is written to again."""
    rows = []
    for i in range(f(x).shape[0]):
        row = []
        for j in range(x.shape[0]):
            moved = 1.0 * x
            moved[j] = x[j] + eps
            up = float(f(moved)[i])
            moved[j] = x[j] - eps
            row.append((up - float(f(moved)[i])) / (2 * eps))
        rows.append(row)
    return rows


def one_sided(f, x, eps=1e-6):
    x = np.asarray(x, dtype=float)
    return np.stack([(f(x + step) - f(x)) / eps for step in eps * np.eye(len(x))], axis=1)


def one_sided_filled(f, x, eps=1e-6):
    y = f(x)
    J = np.zeros((len(y), len(x)))
    for j in range(len(x)):
        up = x.astype(float)
        up[j] += eps
        J[:, j] = (f(up) - y) / eps
    return J


def one_sided_back(f, x, eps=1e-6):
    x = np.asarray(x, dtype=float)
    return np.stack([(f(x) - f(x - step)) / eps for step in eps * np.eye(len(x))], axis=1)


def one_sided_negative(f, x, eps=1e-6):
    return numjac_by(f, x, eps, lambda up, here, down: -(down - here) / eps)


def numjac_by(f: Any, x: Array, eps: float, slope: Callable[..., Array]) -> Array:
    """The Jacobian from f above, at and below x."""
    columns = []
    for j in range(len(x)):
        e = np.zeros(len(x))
        e[j] = eps
        columns.append(slope(np.array(f(x + e)), np.array(f(x + 0.0)), np.array(f(x - e))))
    return np.array(columns).T


def transposed(f, x, eps=1e-6):
    return np.array([(f(x + step) - f(x - step)) / (2 * eps) for step in eps * np.eye(len(x))])


def transposed_filled(f, x, eps=1e-6):
    J = np.zeros((len(x), len(f(x))))
    for j in range(len(x)):
        e = np.where(np.arange(len(x)) == j, eps, 0.0)
        J[j] = (f(x + e) - f(x - e)) / (2 * eps)
    return J


def moved_in_place(f, x, eps=1e-6):
    columns = []
    for j in range(len(x)):
        x[j] += eps
        up = f(x).copy()
        x[j] -= 2 * eps
        down = f(x).copy()
        x[j] += eps
        columns.append((up - down) / (2 * eps))
    return np.stack(columns, axis=1)


def moved_in_place_restored(f, x, eps=1e-6):
    J = np.zeros((len(f(x)), len(x)))
    for j in range(len(x)):
        before = x[j]
        x[j] = before + eps
        up = np.array(f(x))
        x[j] = before - eps
        J[:, j] = (up - f(x)) / (2 * eps)
        x[j] = before
    return J


def eps_lost(f, x, eps=1e-6):
    J = np.zeros((len(f(x)), len(x)))
    for j in range(len(x)):
        up, down = x.copy(), x.copy()
        up[j] += eps
        down[j] -= eps
        J[:, j] = (f(up) - f(down)) / (2 * eps)
    return J


def eps_lost_like(f, x, eps=1e-6):
    columns = []
    for j in range(len(x)):
        step = np.zeros_like(x)
        step[j] = eps
        columns.append((f(x + step) - f(x - step)) / (2 * eps))
    return np.stack(columns, axis=-1)


def lost(f, x, eps=1e-6):
    step = np.array([eps]).astype(x.dtype)[0]
    return np.array([(f(x + step * e) - f(x - step * e)) / (2 * eps) for e in np.eye(len(x), dtype=x.dtype)]).T


def eps_lost_below(f, x, eps=1e-6):
    """The step up is lost, the step down becomes a whole 1: `x[j] - eps` is cut off towards zero."""
    columns = []
    for j in range(len(x)):
        moved = x.copy()
        moved[j] = x[j] + eps
        up = np.array(f(moved))
        moved[j] = x[j] - eps
        columns.append((up - f(moved)) / (2 * eps))
    return np.stack(columns, axis=-1)


def one_array(f, x, eps=1e-6):
    J = np.zeros((len(f(x)), len(x)))
    moved = x.astype(float)
    for j in range(len(x)):
        moved[j] = x[j] + eps
        up = f(moved)
        moved[j] = x[j] - eps
        J[:, j] = (up - f(moved)) / (2 * eps)
        moved[j] = x[j]
    return J


def one_array_each(f, x, eps=1e-6):
    columns = []
    for j in range(len(x)):
        moved = np.array(x, dtype=float)
        moved[j] += eps
        up = f(moved)
        moved[j] -= 2 * eps
        down = f(moved)
        columns.append((up - down) / (2 * eps))
    return np.array(columns).T


def all_at_once(f, x, eps=1e-6):
    return (f(x + eps) - f(x - eps)) / (2 * eps)


def all_at_once_ones(f, x, eps=1e-6):
    step = eps * np.ones(len(x))
    return (f(x + step) - f(x - step)) / eps / 2


def not_put_back(f, x, eps=1e-6):
    up, down = np.array(x, dtype=float), np.array(x, dtype=float)
    J = np.zeros((len(f(x)), len(x)))
    for j in range(len(x)):
        up[j] += eps
        down[j] -= eps
        J[:, j] = (f(up) - f(down)) / (2 * eps)
    return J


def not_put_back_triangle(f, x, eps=1e-6):
    steps = eps * np.tril(np.ones((len(x), len(x))))
    return np.stack([(f(x + s) - f(x - s)) / (2 * eps) for s in steps], axis=1)


STEPS = (1e-2, 1e-3)


def numjac_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Always in float64: differences need it."""

    def array(*shape: int) -> Array:
        return np.asarray(rng.normal(size=shape))

    few, many, one = array(3, 4), array(5, 2), array(1, 3)
    whole = rng.permutation(np.arange(2, 9))[:4]
    return [
        Case("a smooth f: 4 inputs, 3 outputs", (lambda x: np.sin(few @ x), array(4))),
        Case("a smooth f: 2 inputs, 5 outputs", (lambda x: np.exp(many @ x / 2), array(2))),
        Case("a smooth f: 3 inputs, 1 output", (lambda x: one @ x**3, array(3))),
        Case("whole numbers in x: 4 inputs, 2 outputs", (lambda x: (x**3)[:-2] * x[2:], whole)),
        Case("f hands back a part of its input: f(x) = x[1:], 4 inputs, 3 outputs", (lambda x: x[1:], array(4))),
    ]


def watch_numjac(answer: Callable[..., Any], f: Callable[[Array], Array], x: Array) -> Any:
    """J for two steps; or in words, that x itself was moved, or that the step makes no difference."""
    mine = x.copy()
    moved = []

    def watched(at: Array) -> Array:
        if not np.array_equal(mine, x):
            moved.append(True)
        return f(at)

    watched.__name__ = watched.__qualname__ = "f"
    seen: dict[str, Any] = {"x": "left alone"}
    for eps in STEPS:
        J = answer(watched, mine, eps)
        if moved or not np.array_equal(mine, x):
            return {"x": "moved in place"}
        if J is None or isinstance(J, str | bool) or as_array(J) is None:
            return unfit(J, "an array of shape (m, n)")
        seen[f"J for eps = {eps:g}"] = J
    (mine_1, mine_2), (right_1, right_2) = list(seen.values())[1:], [numjac(f, x, eps) for eps in STEPS]
    if np.array_equal(mine_1, mine_2) and not np.allclose(right_1, right_2, rtol=1e-9):
        return {"x": "left alone", "J": "the same for both steps"}
    return seen


ONE_SIDE = (
    "Your difference has one side only. From eps = 0.01 to 0.001 its error fell 10×, not 100×. Look from both sides: "
    "`f(x + step) - f(x - step)`, over the whole way of `2 * eps`."
)
LOST = (
    "x holds whole numbers here, and an array of whole numbers cannot hold `x[j] + eps`: NumPy cuts it off. The step "
    "is lost. Turn x into floats first: `x.astype(float)`."
)

def numjac_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b = (float(number) for number in rng.uniform(0.5, 2.0, 2))
    return [
        Case("one input, 3 outputs", (lambda x: np.array([a * x[0], np.sin(b * x[0]), x[0] ** 2]), np.array([0.0]))),
        Case("one input, one output", (lambda x: np.exp(a * x), np.array([-b]))),
        Case("f hands back its input, 3 numbers, one of them 0", (lambda x: x, np.array([a, 0.0, -b]))),
    ]


register(
    Exercise(
        id="03.1",
        title="Finite differences",
        difficulty=2,
        minutes=10,
        reference=numjac,
        cases=numjac_cases,
        edges=numjac_edges,
        observe=watch_numjac,
        alternatives={
            "filled column by column": numjac_filled,
            "in one line": numjac_comprehension,
            "entry by entry, as lists": numjac_entries,
        },
        mistakes={
            "one-sided": Mistake(one_sided, ONE_SIDE, again=one_sided_filled),
            "one-sided, backward": Mistake(one_sided_back, ONE_SIDE, again=one_sided_negative),
            "transposed": Mistake(
                transposed,
                "Rows are outputs, columns are inputs: J has shape (m, n). One step in `x[j]` moves all outputs at once, and "
                "what it gives is **column** j. Yours stands as a row.",
                again=transposed_filled,
            ),
            "the 2 is missing": Mistake(
                lambda f, x, eps=1e-6: numjac_by(f, x, eps, lambda up, here, down: (up - down) / eps),
                "Twice too large: from x − step to x + step it is **2 eps**, not eps.",
                again=lambda f, x, eps=1e-6: 2 * numjac(f, x, eps),
            ),
            "times eps": Mistake(
                lambda f, x, eps=1e-6: numjac_by(f, x, eps, lambda up, here, down: (up - down) / 2 * eps),
                "Nearly zero. Python reads `d / 2 * eps` as `(d / 2) * eps`: write `d / (2 * eps)`.",
                again=lambda f, x, eps=1e-6: numjac(f, x, eps) * eps**2,
            ),
            "x is moved in place": Mistake(
                moved_in_place,
                "You moved `x` itself. (`up = x` makes no copy: it is a second name for the same array.) Even if you move it "
                "back, rounding may leave it a little off, and whoever else holds x sees it move. Make a new array for each "
                "point: `x + step`.",
                again=moved_in_place_restored,
            ),
            "whole numbers": Mistake(eps_lost_like, LOST, again=lost),
            "whole numbers, down is 1": Mistake(eps_lost, LOST, again=eps_lost_below),
            "one array for both sides": Mistake(
                one_array,
                "Zeros, because f may hand back its own input, or a part of it, as `x[1:]` does. You moved one array up, "
                "called f, and moved the same array down: that moved the first result too. Give f a new array each time.",
                again=one_array_each,
            ),
            "all inputs at once": Mistake(
                all_at_once,
                "`x + eps` moves **all** inputs together, so you get one number for each output: the sum of its row. "
                "Move one input at a time: n steps give n columns.",
                again=all_at_once_ones,
            ),
            "the last step stays": Mistake(
                not_put_back,
                "The first column is right. Then `x[0]` stays where you moved it, while `x[1]` moves too. Begin each "
                "column at x itself.",
                again=not_put_back_triangle,
            ),
            "steps of 1": Mistake(
                lambda f, x, eps=1e-6: np.array([(f(x + e) - f(x - e)) / (2 * eps) for e in np.eye(len(x))]).T,
                "You divide by 2 eps, but the step is 1: the rows of `np.eye(n)` are steps of 1. Multiply by eps.",
                again=lambda f, x, eps=1e-6: numjac_filled(f, x, 1) / eps,
            ),
            "eps is ignored": Mistake(
                lambda f, x, eps=1e-6: numjac(f, x, 1e-6),
                "Your table is the same for two different `eps`. Either the step is one of your own, whatever `eps` is, or "
                "nothing is moved at all, and all is 0. The checker looks at how the error falls with `eps`.",
                again=lambda f, x, eps=1e-6: numjac_filled(f, x, 1e-4),
            ),
        },
        hints=(
            "Column j of J says how all outputs move when `x[j]` alone moves. So move `x[j]` alone, a little up and a "
            "little down, and see how far f goes.",
            "```text\n          x[0]    x[1]    x[2]\n         ┌                        ┐\n   y[0]  │   ·       ·       ·    │\n"
            "   y[1]  │   ·       ·       ·    │\n         └   ▲                    ┘\n"
            "     (f(x + step) − f(x − step)) / (2 eps),  step = (eps, 0, 0)\n```\n\n"
            "n columns, each with two calls of f. The rows of `eps * np.eye(n)` are the n steps.",
            "```python\nx = np.asarray(x, dtype=___)\ncolumns = []\nfor step in eps * np.eye(len(x)):\n"
            "    columns.append((f(___) - f(___)) / ___)\nreturn np.stack(columns, axis=___)\n```",
        ),
        explanation="""\
A step in one input gives one **column**: n inputs, n columns, 2n calls of f. `np.stack(…, axis=1)` puts them side by
side; with `axis=0` they would be rows, and J would come out transposed.

Both sides are worth their price. Expand f around x: in `f(x + s) - f(x - s)` all even terms cancel. What is left of
the error is of the size of eps², while one side alone leaves a term with eps. So a step ten times smaller gives two
more digits, not one, until rounding takes over.

Three things can go wrong unseen. An array of whole numbers cannot hold a step of 0.001. An `x` that is moved and moved
back need not be the same to the last bit. And a function may return its own input, or a view of it: then an array that
is written to again changes a result that you already hold. New arrays, `x + step` and `x - step`, avoid all three.
""",
    )
)


# --- 03.2 Jacobian puzzles ----------------------------------------------------------------------------------


class Jac:
    """The Jacobians of six functions, at x. Tables are read row by row, as .ravel() does."""

    @staticmethod
    def relu(x):
        """y = np.maximum(x, 0). x: shape (n,), no entry is 0."""
        return np.diag((x > 0) * 1.0)

    @staticmethod
    def cumsum(x):
        """y = np.cumsum(x): y[i] = x[0] + … + x[i]."""
        return np.tril(np.ones((len(x), len(x))))

    @staticmethod
    def running_mean(x, k):
        """y[i] = x[i : i + k].mean(), for i = 0, …, n - k."""
        n = len(x)
        return sum(np.eye(n - k + 1, n, shift) for shift in range(k)) / k

    @staticmethod
    def outer(x, b):
        """y = np.outer(x, b).ravel(): all products x[i] * b[j], in the order (0, 0), (0, 1), … By x; b is constant."""
        return np.kron(np.eye(len(x)), b[:, None])

    @staticmethod
    def transpose(X):
        """y = X.T.ravel(). X: shape (p, q); the inputs are X.ravel()."""
        places = np.arange(X.size).reshape(X.shape)
        return np.eye(X.size)[places.T.ravel()]

    @staticmethod
    def sort(x):
        """y = np.sort(x). No two entries of x are equal."""
        return np.eye(len(x))[np.argsort(x)]


JAC_STARTER = '''\
class Jac:
    """The Jacobians of six functions, at x. Tables are read row by row, as .ravel() does."""

    @staticmethod
    def relu(x):
        """y = np.maximum(x, 0). x: shape (n,), no entry is 0."""
        ...

    @staticmethod
    def cumsum(x):
        """y = np.cumsum(x): y[i] = x[0] + … + x[i]."""
        ...

    @staticmethod
    def running_mean(x, k):
        """y[i] = x[i : i + k].mean(), for i = 0, …, n - k."""
        ...

    @staticmethod
    def outer(x, b):
        """y = np.outer(x, b).ravel(): all products x[i] * b[j], in the order (0, 0), (0, 1), … By x; b is constant."""
        ...

    @staticmethod
    def transpose(X):
        """y = X.T.ravel(). X: shape (p, q); the inputs are X.ravel()."""
        ...

    @staticmethod
    def sort(x):
        """y = np.sort(x). No two entries of x are equal."""
        ...
'''


class JacByLoops:
    """Every Jacobian entry by entry."""

    @staticmethod
    def relu(x):
        J = np.zeros((len(x), len(x)))
        for i, value in enumerate(x):
            if value > 0:
                J[i, i] = 1
        return J

    @staticmethod
    def cumsum(x):
        return [[1 if j <= i else 0 for j in range(len(x))] for i in range(len(x))]

    @staticmethod
    def running_mean(x, k):
        m = len(x) - k + 1
        J = np.zeros((m, len(x)))
        for i in range(m):
            J[i, i : i + k] = 1 / k
        return J

    @staticmethod
    def outer(x, b):
        J = np.zeros((len(x) * len(b), len(x)))
        for i in range(len(x)):
            for j in range(len(b)):
                J[i * len(b) + j, i] = b[j]
        return J

    @staticmethod
    def transpose(X):
        p, q = X.shape
        J = np.zeros((p * q, p * q))
        for i in range(p):
            for j in range(q):
                J[j * p + i, i * q + j] = 1.0
        return J

    @staticmethod
    def sort(x):
        J = np.zeros((len(x), len(x)), dtype=int)
        for i, j in enumerate(sorted(range(len(x)), key=lambda j: x[j])):
            J[i, j] = 1
        return J


class JacByColumns:
    """The linear ones by what they do to each row of the identity, the others by masks."""

    @staticmethod
    def relu(x):
        return np.eye(len(x)) * np.heaviside(x, 0.5)

    @staticmethod
    def cumsum(x):
        return np.cumsum(np.eye(len(x)), axis=0)

    @staticmethod
    def running_mean(x, k):
        return np.array([np.convolve(e, np.ones(k) / k, "valid") for e in np.eye(len(x))]).T

    @staticmethod
    def outer(x, b):
        return np.stack([np.outer(e, b).ravel() for e in np.eye(len(x))], axis=1)

    @staticmethod
    def transpose(X):
        return np.stack([e.reshape(X.shape).T.ravel() for e in np.eye(X.size)], axis=-1)

    @staticmethod
    def sort(x):
        return 1.0 * (np.sort(x)[:, None] == x[None, :])


def with_rule(**rules: Callable[..., Any]) -> type:
    """The right class, but for these methods."""
    return type("Jac", (Jac,), {name: staticmethod(rule) for name, rule in rules.items()})


def wrong_rule(rule: str, wrong: Callable[..., Any], hint: str, again: Callable[..., Any]) -> Mistake:
    return Mistake(with_rule(**{rule: wrong}), f"{rule}: {hint}", again=with_rule(**{rule: again}))


def by_differences(eps: float) -> type:
    """All six by central differences."""
    return with_rule(
        relu=lambda x: numjac(lambda x: np.maximum(x, 0), x, eps),
        cumsum=lambda x: numjac(np.cumsum, x, eps),
        running_mean=lambda x, k: numjac(lambda x: np.convolve(x, np.ones(k) / k, "valid"), x, eps),
        outer=lambda x, b: numjac(lambda x: np.outer(x, b).ravel(), x, eps),
        transpose=lambda X: numjac(lambda x: x.reshape(X.shape).T.ravel(), X.ravel(), eps),
        sort=lambda x: numjac(np.sort, x, eps),
    )


def jac_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def array(*shape: int) -> Array:
        return np.asarray(rng.normal(size=shape))

    signs = rng.permutation([1.0, 1.0, 1.0, -1.0, -1.0])
    # The place of each entry in the sorted order: no such permutation is its own inverse.
    turned = np.argsort([[1, 2, 0, 3], [2, 0, 1, 3], [3, 0, 2, 1], [1, 2, 3, 0]][rng.integers(4)])
    steps = np.cumsum(rng.uniform(0.5, 1.5, size=4)) - 2
    return [
        Case("relu: 5 entries", ("relu", signs * rng.uniform(0.5, 2.0, size=5))),
        Case("cumsum: 4 entries", ("cumsum", array(4))),
        Case("running_mean: 5 entries, k = 3", ("running_mean", array(5), 3)),
        Case("running_mean: 6 entries, k = 2", ("running_mean", array(6), 2)),
        Case("outer: x of shape (3,), b of shape (2,)", ("outer", array(3), array(2))),
        Case("outer: x of shape (2,), b of shape (4,)", ("outer", array(2), array(4))),
        Case("transpose: X of shape (2, 3)", ("transpose", array(2, 3))),
        Case("transpose: X of shape (4, 2)", ("transpose", array(4, 2))),
        Case("sort: 4 entries", ("sort", steps[turned])),
    ]


def unwritten(rule: Any) -> bool:
    """Whether nothing is done in a rule, as in the starter."""
    code = getattr(inspect.unwrap(rule), "__code__", None)
    nothing = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}
    return code is not None and {i.opname for i in dis.get_instructions(code)} <= nothing


def watch_jac(answer: Any, rule: str, *args: Any) -> Any:
    method = getattr(answer, rule)
    J = method(*args)
    name, right = f"Jac.{rule}", getattr(Jac, rule)(*args)
    if J is None or J is ...:
        return {name: ... if J is ... or unwritten(method) else None}
    a = as_array(J)
    if a is None:
        return unfit(J, "an array of shape (m, n)")
    seen: dict[str, Any] = {f"shape of {name}": str(a.shape)}
    if a.shape != right.shape:
        return seen | {"as it came": a}
    if rough(a, right):
        return seen | {"numbers": ROUGH}
    rows = {f"row {i}": row for i, row in enumerate(a)}  # so that the first wrong row is shown, and not the corners
    return {name: rows} | seen | {"numbers": "exact"}


def jac_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """One entry; and numbers so large, or so small, that a difference loses them, whatever its step."""
    huge = rng.uniform(1.0, 2.0, 4) * [1e17, -2e17, 4e17, 8e17]
    tiny = rng.uniform(1.0, 2.0, 4) * [2e-20, -1e-20, 8e-20, -4e-20]
    return [
        *(Case(f"{rule}: one entry", (rule, rng.normal(size=1))) for rule in ("relu", "cumsum", "sort")),
        *(Case(f"{rule}: huge numbers", (rule, huge)) for rule in ("relu", "cumsum", "sort")),
        *(Case(f"{rule}: tiny numbers", (rule, tiny)) for rule in ("relu", "sort")),
        Case("running_mean: 3 entries, k = 1", ("running_mean", rng.normal(size=3), 1)),
        Case("running_mean: 4 entries, k = 4", ("running_mean", rng.normal(size=4), 4)),
        Case("running_mean: huge numbers", ("running_mean", huge, 2)),
        Case("outer: x of shape (1,), b of shape (1,)", ("outer", rng.normal(size=1), rng.normal(size=1))),
        Case("outer: a 0 in b", ("outer", huge, np.array([0.0, 1.5, -2.0]))),
        Case("transpose: X of shape (1, 3)", ("transpose", rng.normal(size=(1, 3)))),
        Case("transpose: huge numbers", ("transpose", huge.reshape(2, 2))),
    ]


register(
    Exercise(
        id="03.2",
        title="Jacobian puzzles",
        difficulty=3,
        minutes=12,
        points=6,
        reference=Jac,
        starter=JAC_STARTER,
        cases=jac_cases,
        edges=jac_edges,
        observe=watch_jac,
        tolerance=1e-12,
        alternatives={"loops": JacByLoops, "what happens to the identity": JacByColumns},
        mistakes={
            "differences": Mistake(
                by_differences(1e-6),
                "Nearly right, up to the error of differences. Keep them for the check. Here every entry can be said "
                "exactly: which outputs does `x[j]` reach, and with which slope?",
                again=by_differences(3e-5),
            ),
            "relu: the slopes only": wrong_rule(
                "relu",
                lambda x: (x > 0) * 1.0,
                "these are the slopes, and they are right. But J is a table, with a row for each output: the slopes stand "
                "on its diagonal, and elsewhere is 0, because y[i] sees no other input than x[i].",
                again=lambda x: np.where(x > 0, 1.0, 0.0),
            ),
            "relu: in every row": wrong_rule(
                "relu",
                lambda x: np.ones((len(x), 1)) * (x > 0),
                "each output sees which inputs? y[i] depends on x[i] alone. Off the diagonal all is 0.",
                again=lambda x: np.tile(np.heaviside(x, 0.0), (len(x), 1)),
            ),
            "relu: all pass": wrong_rule(
                "relu",
                lambda x: np.eye(len(x)),
                "where x[i] is negative, y[i] is 0 and stays 0 when x[i] moves a little. Its slope is 0, not 1.",
                again=lambda x: np.diag(np.ones_like(x)),
            ),
            "relu: the values": wrong_rule(
                "relu",
                lambda x: np.diag(np.maximum(x, 0)),
                "these are the values of y on the diagonal. J holds **slopes**: how much y[i] grows for each bit that "
                "x[i] grows.",
                again=lambda x: np.diag(x * (x > 0)),
            ),
            "cumsum: upper": wrong_rule(
                "cumsum",
                lambda x: np.triu(np.ones((len(x), len(x)))),
                "upper and lower are swapped. y[0] is x[0] alone, so the **first row** has a single 1. Rows are outputs.",
                again=lambda x: np.cumsum(np.eye(len(x)), axis=1),
            ),
            "cumsum: all ones": wrong_rule(
                "cumsum",
                lambda x: np.ones((len(x), len(x))),
                "each output sees which inputs? y[1] = x[0] + x[1] knows nothing of x[2].",
                again=lambda x: np.zeros((len(x), len(x))) + 1,
            ),
            "cumsum: no diagonal": wrong_rule(
                "cumsum",
                lambda x: np.tril(np.ones((len(x), len(x))), -1),
                "y[i] ends with x[i] itself: the diagonal is 1.",
                again=lambda x: np.array([[float(j < i) for j in range(len(x))] for i in range(len(x))]),
            ),
            "running_mean: transposed": wrong_rule(
                "running_mean",
                lambda x, k: Jac.running_mean(x, k).T,
                "shape (n, m), and J has shape (m, n). There are n − k + 1 outputs, so that many rows.",
                again=lambda x, k: np.array([np.convolve(e, np.ones(k) / k, "valid") for e in np.eye(len(x))]),
            ),
            "running_mean: not divided": wrong_rule(
                "running_mean",
                lambda x, k: k * Jac.running_mean(x, k),
                "that is the running **sum**. Each x in the window has the slope 1/k.",
                again=lambda x, k: np.tril(np.triu(np.ones((len(x) - k + 1, len(x)))), k - 1),
            ),
            "running_mean: every input": wrong_rule(
                "running_mean",
                lambda x, k: np.full((len(x) - k + 1, len(x)), 1 / k),
                "each output sees which inputs? y[i] sees x[i] to x[i + k − 1], and the rest of its row is 0.",
                again=lambda x, k: np.ones((len(x) - k + 1, len(x))) / k,
            ),
            "running_mean: square": wrong_rule(
                "running_mean",
                lambda x, k: sum(np.eye(len(x), k=shift) for shift in range(k)) / k,
                "too many rows. The last window begins at n − k, so there are n − k + 1 outputs.",
                again=lambda x, k: np.tril(np.triu(np.ones((len(x), len(x)))), k - 1) / k,
            ),
            "outer: transposed": wrong_rule(
                "outer",
                lambda x, b: Jac.outer(x, b).T,
                "J has a row for each of the len(x) · len(b) products, and a column for each x[i]. Yours is transposed.",
                again=lambda x, b: np.array([np.outer(e, b).ravel() for e in np.eye(len(x))]),
            ),
            "outer: the other order": wrong_rule(
                "outer",
                lambda x, b: np.kron(b[:, None], np.eye(len(x))),
                "the right rows in the wrong order. `.ravel()` reads row by row: first all products of x[0], then all of "
                "x[1]. So column 0 begins with the whole of b.",
                again=lambda x, b: np.vstack([value * np.eye(len(x)) for value in b]),
            ),
            "outer: b everywhere": wrong_rule(
                "outer",
                lambda x, b: np.tile(b[:, None], (len(x), len(x))),
                "each output sees which inputs? x[i] · b[j] sees x[i] alone: in every row a single entry is not 0.",
                again=lambda x, b: np.outer(np.tile(b, len(x)), np.ones(len(x))),
            ),
            "outer: ones": wrong_rule(
                "outer",
                lambda x, b: np.kron(np.eye(len(x)), np.ones((len(b), 1))),
                "the places are right. But the slope of x[i] · b[j] by x[i] is b[j], not 1.",
                again=lambda x, b: np.repeat(np.eye(len(x)), len(b), axis=0),
            ),
            "transpose: nothing moves": wrong_rule(
                "transpose",
                lambda X: np.eye(X.size),
                "that is the Jacobian of y = x. Entry 1 of X.T.ravel() is X[1, 0], and in X.ravel() that stands at place "
                "q, not at place 1.",
                again=lambda X: np.diag(np.ones(X.size)),
            ),
            "transpose: the way back": wrong_rule(
                "transpose",
                lambda X: Jac.transpose(X).T,
                "that is the way back: the ones stand at (input, output), and rows are outputs. In row i the 1 stands in "
                "the column from which y[i] **came**.",
                again=lambda X: np.eye(X.size)[np.argsort(np.arange(X.size).reshape(X.shape).T.ravel())],
            ),
            "transpose: X.T": wrong_rule(
                "transpose",
                lambda X: X.T,
                "that is y itself. J has a row for each of the p · q outputs and a column for each of the p · q inputs.",
                again=lambda X: np.array([[X[i, j] for i in range(X.shape[0])] for j in range(X.shape[1])]),
            ),
            "sort: the way back": wrong_rule(
                "sort",
                lambda x: np.eye(len(x))[np.argsort(np.argsort(x))],
                "that is the way back: the ones stand at (input, output), and rows are outputs. Row 0 belongs to the "
                "smallest entry: its 1 stands in the column where that entry was.",
                again=lambda x: np.eye(len(x))[:, np.argsort(x)],
            ),
            "sort: nothing moves": wrong_rule(
                "sort",
                lambda x: np.eye(len(x)),
                "that would be right if x were sorted already. y[0] is the smallest entry, wherever it stands in x.",
                again=lambda x: np.diag(x / x),
            ),
            "sort: no slope": wrong_rule(
                "sort",
                lambda x: np.zeros((len(x), len(x))),
                "when the smallest entry grows a little, y[0] grows as much: a slope of 1. Sorting chooses places, and then "
                "it copies.",
                again=lambda x: 0 * np.outer(x, x),
            ),
        },
        hints=(
            "Write y[0], y[1], y[2] out as formulas, for a small x. Row i of J is then read off: which entries of x occur "
            "in y[i], and with which factor? All others are 0.",
            "Six patterns:\n\n| | in each row | |\n|---|---|---|\n| relu | at most one, on the diagonal | 0 or 1 |\n"
            "| cumsum | a run from the left to the diagonal | 1 |\n| running_mean | a run of k, one further to the right "
            "in each row | 1/k |\n| outer | one; the columns are stairs of height len(b) | entries of b |\n"
            "| transpose, sort | one, and one in each column | 1 |\n\nThe Jacobian of what only moves numbers is the "
            "identity with its rows moved.",
            "```python\nrelu:          np.diag(___)\ncumsum:        np.tril(___)\n"
            "running_mean:  sum(np.eye(n - k + 1, n, shift) for shift in ___) / ___\n"
            "outer:         np.kron(np.eye(len(x)), ___)\ntranspose:     np.eye(X.size)[___]\n"
            "sort:          np.eye(len(x))[___]\n```",
        ),
        explanation="""\
Row by row, with one question: *which inputs does this output see, and with which slope?*

| function | y[i] sees | pattern |
|---|---|---|
| relu | x[i], if it is positive | diagonal of zeros and ones |
| cumsum | x[0] … x[i] | lower triangle |
| running mean | x[i] … x[i + k − 1] | a band, m × n |
| outer | one x | a column of blocks, each with b |
| transpose, sort | one x, from another place | a permutation: the rows of the identity, moved |

All of them but relu and sort are **linear**: y = J x, with the same J everywhere. Then column j is what the function
does to the j-th row of the identity, which gives a second way to write them. Sort is linear as long as the order stays
the same, relu as long as no sign changes: a Jacobian belongs to a *point*.

For a permutation, J and its transpose look alike, and only one is right: the 1 of row i stands where y[i] came from.
The transpose is the way back, which chapter 04 needs.
""",
    )
)



# --- 03.3 Shapes --------------------------------------------------------------------------------------------

Shape = tuple[int, ...]
# The sizes n, p, q, r, and the lines: (key, rule, code, shape of the output, shape of the input)
Draw = tuple[tuple[int, ...], tuple[tuple[str, str, str, Shape, Shape], ...]]


def shapes_draw(rng: np.random.Generator) -> Draw:
    n, p, q, r = (int(size) for size in rng.permutation([2, 3, 4, 5, 6])[:4])
    by = rng.integers(2, size=4)
    lines = [
        ("number of vector", ["x.sum()", "(x * x).mean()"][by[0]], (), (n,), "x"),
        ("entry by entry", ["mg.relu(x)", "mg.exp(x)"][by[1]], (n,), (n,), "x"),
        ("vector of table", ["X.sum(0)", "X.mean(0)"][by[2]], (q,), (p, q), "X"),
        ("vector of table", ["X @ c", "(X * c).sum(1)"][by[3]], (p,), (p, q), "X"),
        ("table of table", "X.T", (q, p), (p, q), "X"),
        ("table of vector", "mg.outer(x, d)", (n, r), (n,), "x"),
        ("number of table", ["(X ** 2).sum()", "X.max()"][by[1]], (), (p, q), "X"),
        ("vector of number", ["s * d", "mg.sin(s + d)"][by[0]], (r,), (), "s"),
    ]
    order = [int(k) for k in rng.permutation(len(lines))]
    told = []
    for key, k in zip("abcdefgh", order, strict=True):
        rule, code, out, into, letter = lines[k]
        told.append((key, rule, f"jacobian(lambda {letter}: {code}, {letter}).shape", out, into))
    return (n, p, q, r), tuple(told)


def shapes_setup(draw: Draw) -> str:
    n, p, q, r = draw[0]
    return f"""\
x = mg.rand({n})
X = mg.rand({p}, {q})
s = mg.tensor(2.0)
c, d = mg.rand({q}), mg.rand({r})  # constants
"""


def shapes_program(draw: Draw) -> str:
    lines = "\n".join(f"{code:<50}# {key}" for key, _, code, *_ in draw[1])
    return f"from minigrad.autograd.functional import jacobian\n\n{shapes_setup(draw)}\n{lines}"


def shapes(draw: Draw) -> dict[str, Shape]:
    """Run each line and look."""
    space: dict[str, Any] = {"mg": mg, "jacobian": mg.autograd.functional.jacobian}
    exec(shapes_setup(draw), space)
    return {key: tuple(eval(code, space)) for key, _, code, *_ in draw[1]}


def shapes_by_rule(draw: Draw) -> dict[str, Shape]:
    return {key: out + into for key, _, _, out, into in draw[1]}


def other_axes(out: Shape, into: Shape) -> Shape:
    """The shape of the output for somebody who takes away the other axis of a table, or forgets that T swaps them."""
    return tuple(size for size in into if size not in out) or into


def say_shape(case: Case, got: Any, expected: Any) -> str | None:
    """What a shape looks like, where the first wrong entry is none."""
    wrong = [d.path[0] for d in differences(got, expected, 0.0)]
    mine = next((got[key] for key in wrong if key in expected and got.get(key, ...) is not ...), ())
    if not isinstance(mine, list | tuple):
        return "A shape is a tuple with a number for each axis: `(4, 2)`, for one axis `(4,)`, for none `()`."
    return "" if wrong else None


def believing(shape: Callable[[Shape, Shape], Shape], *rules: str) -> Callable[[Draw], dict[str, Shape]]:
    """The dict of somebody who has this rule for the shape; for these lines only, where some are named."""

    def predict(draw: Draw) -> dict[str, Shape]:
        return {
            key: shape(out, into) if rule in rules or not rules else out + into for key, rule, _, out, into in draw[1]
        }

    return predict


register(
    Exercise(
        id="03.3",
        title="Shapes",
        difficulty=1,
        minutes=4,
        reference=shapes,
        draws=shapes_draw,
        program=shapes_program,
        name="shapes",
        accept=say_shape,
        alternatives={"outputs, then inputs": shapes_by_rule},
        mistakes={
            "another output": Mistake(
                believing(lambda out, into: other_axes(out, into) + into, "vector of table", "table of table"),
                "The axes of the input are right, and come last. But those before them are not the shape of the output. "
                "`X.mean(0)` takes axis 0 away, `.sum(1)` axis 1; `X.T` swaps the two.",
            ),
            "inputs first": Mistake(
                believing(lambda out, into: into + out),
                "You put the axes of the input first. **Outputs first**: `J[i, j]` is output i by input j. So the shape "
                "begins with the shape of the output.",
            ),
            "a number has a row": Mistake(
                believing(lambda out, into: (out or (1,)) + (into or (1,))),
                "A single number has shape `()`: no axes, so it adds none to the shape of J. Not `(1,)`.",
            ),
            "flattened": Mistake(
                believing(lambda out, into: (math.prod(out), math.prod(into))),
                "You flattened: a table with one row for each output and one column for each input. That is how we draw "
                "it. `jacobian` keeps all axes of the output, and then all axes of the input.",
            ),
            "half flattened": Mistake(
                believing(lambda out, into: (*out, math.prod(into))),
                "The axes of the input stay apart: `J[i, k, l]` is output i by `X[k, l]`. They are not flattened into one.",
            ),
            "slopes only": Mistake(
                believing(lambda out, into: out, "entry by entry"),
                "For a function of each entry by itself only the diagonal is not 0. `jacobian` gives the whole table all "
                "the same, zeros included.",
            ),
            "like the input": Mistake(
                believing(lambda out, into: into),
                "That is the shape of the input: right for a gradient, where the output is a single number. Each further "
                "output has such a block of its own, so the axes of the output come before.",
            ),
            "like the output": Mistake(
                believing(lambda out, into: out),
                "That is the shape of the output. Each output has a slope for **every** input: the axes of the input come "
                "after.",
            ),
            "a shared axis is there once": Mistake(
                believing(lambda out, into: out + into[len(out) :], "vector of table", "table of vector", "table of table"),
                "An axis of the input that lives on in the output is there twice all the same: output 0 also has a slope, "
                "of 0 perhaps, for row 1 of the input.",
            ),
        },
        hints=(
            "J has one number for each pair of an output and an input. How many axes does it take to name an output? How "
            "many to name an input?",
            "```text\nJ[ i …,  j … ]\n   │      └── names an input: the axes of the input\n"
            "   └───────── names an output: the axes of the output\n```\n\nA single number needs no axes to be named.",
            "`shape of J = shape of output + shape of input`, where + joins tuples: `(4,) + (2, 3)` is `(4, 2, 3)`, and "
            "`() + (2, 3)` is `(2, 3)`. So two questions a line: what shape goes in, what shape comes out?",
        ),
        explanation="""\
`shape of J = shape of output + shape of input`, always in this order.

For a vector of a vector that is the table of m rows and n columns. For a table of a table it is a block with four axes:
`J[i, j, k, l]` is output (i, j) by input (k, l). Read both row by row, that is `J.reshape(m, n)`, and you have the
table again; this is how matrices are drawn and multiplied in this chapter.

Where the output is a single number it adds no axes, and J has the shape of the input: it is the **gradient**. That is
why `x.grad` has the shape of `x`.
""",
    )
)


# --- 03.4 Chain ---------------------------------------------------------------------------------------------


def chain(maps, x):
    """The Jacobian of one function after another, at x.

    maps: a list of pairs (f, J). The first f is applied first, to x; the next one to what comes out of it, and so on.
    J(x) is the Jacobian of f at x, an array of shape (m, n). Returns the Jacobian of the whole.
    """
    total = np.eye(len(x))
    for f, J in maps:
        total = J(x) @ total
        x = f(x)
    return total


def chain_collected(maps, x):
    tables = []
    for f, J in maps:
        tables.append(J(x))
        x = f(x)
    return reduce(lambda left, right: left @ right, tables[::-1])


def chain_first(maps, x):
    (f, J), *others = maps
    return J(x) if not others else chain_first(others, f(x)) @ J(x)


def chain_dot(maps, x):
    points = [np.array(x)]
    for f, _ in maps:
        points.append(f(points[-1]))
    total = maps[-1][1](points[len(maps) - 1])
    for k in reversed(range(len(maps) - 1)):
        total = np.dot(total, maps[k][1](points[k]))
    return total


def chain_columns(maps, x):
    """One column of the identity after the other goes through the tables."""
    columns = []
    for e in np.eye(len(x)):
        at, moved = x, e
        for f, J in maps:
            at, moved = f(at), J(at) @ moved
        columns.append(moved)
    return np.transpose(columns)


def tables_of(maps: Any, x: Array) -> list[Array]:
    """The Jacobians, each at its own point."""
    tables = []
    for f, J in maps:
        tables.append(J(x))
        x = f(x)
    return tables


def chain_in_order(maps, x):
    total = None
    for f, J in maps:
        total = J(x) if total is None else total @ J(x)
        x = f(x)
    return total


def chain_at_x(maps, x):
    total = np.eye(len(x))
    for _, J in maps:
        total = J(x) @ total
    return total


def chain_at_x_reversed(maps, x):
    return reduce(lambda left, right: left @ right, [J(x) for _, J in maps][::-1])


def chain_after(maps, x):
    total = np.eye(len(x))
    for f, J in maps:
        x = f(x)
        total = J(x) @ total
    return total


def chain_after_collected(maps, x):
    points = [x]
    for f, _ in maps:
        points.append(f(points[-1]))
    tables = [J(at) for (_, J), at in zip(maps, points[1:], strict=True)]
    return reduce(np.matmul, tables[::-1])


def chain_by_differences(maps, x):
    return numjac(lambda x: reduce(lambda x, pair: pair[0](x), maps, x), x)


def chain_by_differences_loop(maps, x):
    def whole(x):
        for f, _ in maps:
            x = f(x)
        return x

    return one_sided_filled(whole, x)


def chain_last(maps, x):
    for f, J in maps:
        last = J(x)
        x = f(x)
    return last


def random_map(rng: np.random.Generator, m: int, n: int, kind: str) -> tuple[Any, Any]:
    """A map of n numbers to m, with its Jacobian."""
    W = rng.normal(size=(m, n)) / math.sqrt(n)
    if kind == "tanh":
        return (lambda x: np.tanh(W @ x)), (lambda x: (1 / np.cosh(W @ x) ** 2)[:, None] * W)
    if kind == "sin":
        return (lambda x: np.sin(W @ x)), (lambda x: np.cos(W @ x)[:, None] * W)
    return (lambda x: W @ x**2), (lambda x: W * (2 * x))


def chain_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def maps(*sizes: int) -> list[tuple[Any, Any]]:
        kinds = [str(kind) for kind in rng.permutation(["tanh", "sin", "square"])]
        return [random_map(rng, m, n, kind) for n, m, kind in zip(sizes, sizes[1:], kinds, strict=False)]

    return [
        Case("three maps, 2 → 5 → 3 → 4", (2, maps(2, 5, 3, 4), rng.normal(size=2))),
        # Where all sizes are equal, no wrong order and no wrong point raises: it tells them apart.
        Case("three maps, 3 → 3 → 3 → 3", (3, maps(3, 3, 3, 3), rng.normal(size=3))),
        Case("two maps, 4 → 1 → 3", (4, maps(4, 1, 3), rng.normal(size=4))),
        Case("one map, 3 → 5", (3, maps(3, 5), rng.normal(size=3))),
    ]


ALL_ASKED = "each Jacobian was asked for"


def watch_chain(answer: Callable[..., Any], n: int, maps: list[tuple[Any, Any]], x: Array) -> Any:
    """The product; and whether the Jacobians were used, each at a point of the right size."""
    asked: set[int] = set()
    sizes = [n]
    for f, _ in maps:
        sizes.append(len(f(np.ones(sizes[-1]))))

    def fits(at: Any, k: int, name: str) -> None:
        if np.shape(at) != (sizes[k],):
            raise ValueError(f"{name} of map {k} takes {sizes[k]} numbers; this is {np.shape(at)}")

    def watched(k: int) -> tuple[Any, Any]:
        f, J = maps[k]

        def map_f(at: Array) -> Array:
            fits(at, k, "f")
            return np.asarray(f(at))

        def map_J(at: Array) -> Array:
            fits(at, k, "J")
            asked.add(k)
            return np.asarray(J(at))

        map_f.__name__ = map_f.__qualname__ = "f"
        map_J.__name__ = map_J.__qualname__ = "J"
        return map_f, map_J

    product = answer([watched(k) for k in range(len(maps))], x)
    if product is None or as_array(product) is None:
        return unfit(product, "an array of shape (m, n)")
    if not asked:
        return {"the Jacobians": "none was asked for"}
    return {"the Jacobians": ALL_ASKED if len(asked) == len(maps) else "some were not asked for", "J": product}


def chain_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def maps(*sizes: int) -> list[tuple[Any, Any]]:
        return [random_map(rng, m, n, "sin") for n, m in zip(sizes, sizes[1:], strict=False)]

    return [
        Case("one map, 1 → 1", (1, maps(1, 1), rng.normal(size=1))),
        Case("two maps, 1 → 1 → 1", (1, maps(1, 1, 1), rng.normal(size=1))),
        Case("four maps, 1 → 3 → 2 → 2 → 1", (1, maps(1, 3, 2, 2, 1), rng.normal(size=1))),
    ]


register(
    Exercise(
        id="03.4",
        title="Chain",
        difficulty=2,
        minutes=7,
        reference=chain,
        cases=chain_cases,
        edges=chain_edges,
        observe=watch_chain,
        alternatives={
            "collected, then multiplied": chain_collected,
            "recursive": chain_first,
            "from the last to the first": chain_dot,
            "column by column": chain_columns,
        },
        mistakes={
            "in the order of application": Mistake(
                chain_in_order,
                "You multiplied in the order in which the maps are applied. For 2 → 5 → 3 → 4 the product is "
                "(4×3)(3×5)(5×2): the **last** map stands first, as in h(g(f(x))). The inner sizes must meet.",
                again=lambda maps, x: reduce(np.matmul, tables_of(maps, x)),
            ),
            "entry by entry": Mistake(
                lambda maps, x: reduce(lambda left, right: right * left, tables_of(maps, x)),
                "`*` multiplies entry by entry. An output sees an input along many ways, one through each number in "
                "between: multiply along each way and **add** them up. That is the matrix product, `@`.",
                again=lambda maps, x: reduce(np.multiply, tables_of(maps, x)),
            ),
            "added": Mistake(
                lambda maps, x: sum(tables_of(maps, x)),
                "You added the tables. Slopes that follow each other on a way **multiply**; only different ways are added. "
                "The matrix product `@` does both.",
                again=lambda maps, x: reduce(np.add, tables_of(maps, x)),
            ),
            "begun with 1": Mistake(
                lambda maps, x: reduce(lambda left, right: right @ left, tables_of(maps, x), 1),
                "`@` wants tables on both sides, and `1` is none. What changes nothing in a product of tables is the "
                "identity: begin with `np.eye(len(x))`.",
                again=lambda maps, x: np.matmul(tables_of(maps, x)[0], 1.0),
            ),
            "all at x": Mistake(
                chain_at_x,
                "You asked for every Jacobian at `x`. The second map never sees x: it gets `f(x)`. Carry the point along, "
                "`x = f(x)`, and ask each J where its own map is applied.",
                again=chain_at_x_reversed,
            ),
            "one step too far": Mistake(
                chain_after,
                "You asked each J at what its map gives **out**. It belongs to the point that goes **in**: first `J(x)`, "
                "then `x = f(x)`.",
                again=chain_after_collected,
            ),
            "the last one only": Mistake(
                chain_last,
                "That is the Jacobian of the last map alone: by its own input, not by x. Multiply by those of the maps "
                "before it.",
                again=lambda maps, x: tables_of(maps, x)[-1],
            ),
            "differences": Mistake(
                chain_by_differences,
                "You asked no J. Differences of the whole come near, but the chain rule is exact, and the pieces are at "
                "hand: multiply the tables `J(x)`.",
                again=chain_by_differences_loop,
            ),
        },
        hints=(
            "The chain rule for tables: the Jacobian of g after f is J_g · J_f, a product of matrices. J_f is taken at x. "
            "At which point is J_g taken?",
            "```text\n      x  ──f──►  a  ──g──►  b  ──h──►  y\n     (2)        (5)        (3)        (4)\n\n"
            "J  =  J_h(b)  @  J_g(a)  @  J_f(x)\n     (4 × 3)    (3 × 5)    (5 × 2)\n```\n\n"
            "Each J is taken at what goes **into** its map. The product is read against the arrows.",
            "```python\ntotal = np.eye(len(x))\nfor f, J in maps:\n    total = ___ @ ___\n    x = ___\nreturn total\n```",
        ),
        explanation="""\
`J(x) @ total`: the newest map on the left, because it is the outermost. With the sizes 2 → 5 → 3 → 4 the shapes
(4×3)(3×5)(5×2) allow no other order. With equal sizes every order runs, and only one is right: that is why the checker
has such a case.

Each Jacobian is taken at the point where its map is applied. That is the reason why backward needs the values of the
forward pass: the engine *saves* them.

The product can be bracketed in two ways. From the right, as here, is **forward mode**: it goes along with the program.
From the left is **reverse mode**: `backward` begins with the last map. Both give the same table; they differ in what it
costs (chapters 04 and 10).
""",
    )
)


# --- 03.5 The Jacobian of softmax ---------------------------------------------------------------------------


def softmax_jac(Z):
    """The Jacobian of softmax for each row of Z.

    Z: an array of shape (B, n). For a row z, p[i] = exp(z[i]) / sum of all exp(z[k]).
    Returns an array of shape (B, n, n): one table for each row.
    """
    tables = []
    for z in Z:
        p = np.exp(z) / np.exp(z).sum()
        tables.append(np.diag(p) - np.outer(p, p))
    return np.stack(tables)


def row_softmax(Z: Array) -> Array:
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    return np.asarray(E / E.sum(axis=1, keepdims=True))


def softmax_jac_batched(Z):
    P = row_softmax(Z)
    return np.eye(Z.shape[1]) * P[:, None, :] - P[:, :, None] * P[:, None, :]


def softmax_jac_entries(Z):
    B, n = Z.shape
    J = np.empty((B, n, n))
    for b in range(B):
        p = [math.exp(z) for z in Z[b]]
        p = [value / sum(p) for value in p]
        for i in range(n):
            for j in range(n):
                J[b, i, j] = p[i] * ((i == j) - p[j])
    return J


def softmax_jac_einsum(Z):
    P = row_softmax(Z)
    J = -np.einsum("bi,bj->bij", P, P)
    k = np.arange(Z.shape[1])
    J[:, k, k] += P
    return J


def softmax_jac_engine(Z):
    rows = mg.tensor(Z, dtype=mg.float64)
    return [mg.autograd.functional.jacobian(lambda z: mg.softmax(z, 0), z).numpy() for z in rows]


def tables(P: Array, table: Callable[[Array], Array]) -> Array:
    return np.stack([table(p) for p in P])


def softmax_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("one row of 3 numbers", (rng.normal(size=(1, 3)),)),
        Case("2 rows of 4 numbers", (rng.normal(size=(2, 4)),)),
        Case("5 rows of 3 numbers", (rng.normal(size=(5, 3)),)),
    ]


def watch_softmax(answer: Callable[..., Any], Z: Array) -> Any:
    J = answer(Z)
    a = as_array(J)
    right = softmax_jac(Z)
    if a is None or J is None:
        return unfit(J, "an array of shape (B, n, n)")
    if a.shape != right.shape:
        return {"J": a}
    return {"J": ROUGH if rough(a, right) else a}


def softmax_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("2 rows of one number", (rng.normal(size=(2, 1)),)),
        Case("one row of one number", (rng.normal(size=(1, 1)),)),
        Case("2 rows of 3 numbers, one of them all zeros", (np.stack([np.zeros(3), rng.normal(size=3)]),)),
        Case("3 rows of 3 numbers", (rng.normal(size=(3, 3)),)),
    ]


register(
    Exercise(
        id="03.5",
        title="The Jacobian of softmax",
        difficulty=3,
        minutes=6,
        reference=softmax_jac,
        cases=softmax_cases,
        edges=softmax_edges,
        observe=watch_softmax,
        tolerance=1e-12,
        alternatives={
            "all rows at once": softmax_jac_batched,
            "entry by entry": softmax_jac_entries,
            "einsum": softmax_jac_einsum,
            "the engine": softmax_jac_engine,
        },
        mistakes={
            "diagonal only": Mistake(
                lambda Z: tables(row_softmax(Z), lambda p: np.diag(p * (1 - p))),
                "Only the diagonal. But raising z₁ also **lowers** p₂: all of p sums to 1, so what one gains the others "
                "lose. Every output sees every input.",
                again=lambda Z: np.eye(Z.shape[1]) * (row_softmax(Z) * (1 - row_softmax(Z)))[:, :, None],
            ),
            "p on the diagonal": Mistake(
                lambda Z: tables(row_softmax(Z), np.diag),
                "p on the diagonal would be right if the sum below stayed the same. It grows too, when z[j] grows: that "
                "takes p[i] p[j] away from **every** entry.",
                again=lambda Z: np.eye(Z.shape[1]) * row_softmax(Z)[:, None, :],
            ),
            "diag is missing": Mistake(
                lambda Z: tables(row_softmax(Z), lambda p: p - np.outer(p, p)),
                "`p - np.outer(p, p)` adds p to **every** row of the table. It belongs on the diagonal: p[i] itself "
                "contains only z[i] above the fraction line. `np.diag(p)`.",
                again=lambda Z: row_softmax(Z)[:, None, :] * (1 - row_softmax(Z)[:, :, None]),
            ),
            "diag is missing, down the columns": Mistake(
                lambda Z: tables(row_softmax(Z), lambda p: p[:, None] - np.outer(p, p)),
                "`p[:, None]` puts p into **every** column of the table. It belongs on the diagonal: `np.diag(p)`.",
                again=lambda Z: row_softmax(Z)[:, :, None] * (1 - row_softmax(Z)[:, None, :]),
            ),
            "p * p is no table": Mistake(
                lambda Z: tables(row_softmax(Z), lambda p: np.diag(p) - p * p),
                "`p * p` has shape (n,): the squares, which are then taken off every row. You need the table of all products "
                "p[i] p[j]: `np.outer(p, p)`.",
                again=lambda Z: np.eye(Z.shape[1]) * row_softmax(Z)[:, None] - row_softmax(Z)[:, None] ** 2,
            ),
            "p @ p.T is a number": Mistake(
                lambda Z: tables(row_softmax(Z), lambda p: np.diag(p) - p @ p.T),
                "With one axis `p.T` is p itself, and `p @ p` is a single number. You need the table of all products "
                "p[i] p[j]: `np.outer(p, p)`.",
                again=lambda Z: tables(row_softmax(Z), lambda p: np.diag(p) - (p**2).sum()),
            ),
            "the whole batch's Jacobian": Mistake(
                lambda Z: np.einsum("bij,bc->bicj", softmax_jac(Z), np.eye(len(Z))),
                "That is the Jacobian of the whole batch, of shape (B, n, B, n), and it is right. But no row sees another row: "
                "nearly all of it is 0. Return the B blocks only, in shape (B, n, n).",
                again=lambda Z: mg.autograd.functional.jacobian(lambda Z: mg.softmax(Z, 1), mg.tensor(Z, dtype=mg.float64)),
            ),
            "p itself": Mistake(
                row_softmax,
                "That is softmax itself, p. Its Jacobian has a slope for each pair of a share p[i] and a number z[j].",
                again=lambda Z: np.exp(Z) / np.exp(Z).sum(axis=1)[:, None],
            ),
            "only the second term": Mistake(
                lambda Z: tables(row_softmax(Z), lambda p: -np.outer(p, p)),
                "The second term only. On the diagonal, z[i] also stands above the fraction line: that adds p[i].",
                again=lambda Z: -row_softmax(Z)[:, :, None] * row_softmax(Z)[:, None, :],
            ),
            "the other sign": Mistake(
                lambda Z: tables(row_softmax(Z), lambda p: np.diag(p) + np.outer(p, p)),
                "The sign of the second term: when z[j] grows, the sum below the fraction line grows, and every p[i] "
                "**falls** by p[i] p[j].",
                again=lambda Z: np.eye(Z.shape[1]) * row_softmax(Z)[:, None] + np.einsum("bi,bj->bij", *2 * [row_softmax(Z)]),
            ),
            "the whole batch together": Mistake(
                lambda Z: tables(np.exp(Z) / np.exp(Z).sum(), lambda p: np.diag(p) - np.outer(p, p)),
                "You divided by the sum over **all** rows. Each row is a distribution of its own, and sums to 1: divide by "
                "the sum of its own row, `axis=1, keepdims=True`.",
                again=lambda Z: tables(
                    row_softmax(Z.reshape(1, -1)).reshape(Z.shape), lambda p: np.diag(p) - p[:, None] * p[None, :]
                ),
            ),
            "down the columns": Mistake(
                lambda Z: tables(row_softmax(Z.T).T, lambda p: np.diag(p) - np.outer(p, p)),
                "You divided by the sums of the columns: `axis=0` goes down through the batch. A row is one sample: "
                "`axis=1`.",
                again=lambda Z: tables(np.exp(Z) / np.exp(Z).sum(0), lambda p: np.diag(p) - p[:, None] * p),
            ),
            "slopes of exp only": Mistake(
                lambda Z: tables(np.exp(Z), lambda e: np.diag(e) - np.outer(e, e)),
                "You did not divide by the sum: p must sum to 1 in each row.",
                again=lambda Z: np.eye(Z.shape[1]) * np.exp(Z)[:, None] - np.exp(Z)[:, :, None] * np.exp(Z)[:, None],
            ),
            "differences": Mistake(
                lambda Z: tables(Z, lambda z: numjac(lambda z: np.exp(z) / np.exp(z).sum(), z)),
                "Nearly right, up to the error of differences (or of float32). Here a formula is wanted: `np.diag(p) - …`. "
                "Keep the differences for checking it.",
                again=lambda Z: tables(Z, lambda z: one_sided(lambda z: row_softmax(z[None])[0], z, 1e-7)),
            ),
        },
        hints=(
            "p[i] = exp(z[i]) / S, and z[j] occurs in it in up to two places: in S always, above the fraction line only if "
            "i = j. Differentiate both.",
            "For n = 3:\n\n```text\n       z[0]          z[1]          z[2]\n"
            "p[0]   p0 − p0·p0      − p0·p1       − p0·p2\np[1]     − p1·p0     p1 − p1·p1      − p1·p2\n"
            "p[2]     − p2·p0       − p2·p1     p2 − p2·p2\n```\n\nTwo tables: one with p on its diagonal, one with all "
            "products.",
            "```python\nfor z in Z:\n    p = np.exp(z) / ___\n    tables.append(np.diag(___) - np.outer(___, ___))\n"
            "return np.stack(tables)\n```",
        ),
        explanation="""\
With S = Σ exp(z[k]) the quotient rule gives ∂p[i]/∂z[j] = [i = j] · exp(z[i])/S − exp(z[i]) · exp(z[j])/S², and that
is **diag(p) − p pᵀ**.

Three things can be read off without computing. Every row sums to 0: adding the same number to all z changes nothing.
Every column sums to 0: p keeps its sum of 1, so what one entry gains the others lose. And the table is symmetric:
raising z[j] takes from p[i] as much as raising z[i] takes from p[j].

The rows of a batch know nothing of each other. The Jacobian of the whole batch has shape (B, n, B, n), nearly all of it
zeros: of it we keep the B blocks on the diagonal. That is the fifth pattern of the lesson.
""",
    )
)


# --- 03.6 The best step -------------------------------------------------------------------------------------


def best_eps(f, x):
    """A good step for the central difference of f at x.

    f: a function of one number; it changes over distances of about max(1, |x|). x: a np.float64 or np.float32; f computes
    in the type of x. Returns a positive number.
    """
    return np.cbrt(np.finfo(x.dtype).eps) * max(1.0, abs(x))


def best_eps_rounded(f, x):
    scale = 1 + abs(float(x))
    return (5e-3 if isinstance(x, np.float32) else 1e-5) * scale


def best_eps_spacing(f, x):
    one = np.spacing(np.ones_like(x))
    return float(3 * one) ** (1 / 3) * np.maximum(abs(x), 1)


def best_eps_search(f, x):
    """From large steps to small ones, as long as the slope changes less from one to the next."""
    steps = [max(1.0, abs(float(x))) * 10.0 ** (-k / 2) for k in range(1, 25)]
    slopes = [(float(f(x + type(x)(s))) - float(f(x - type(x)(s)))) / (2 * s) for s in steps]
    change = np.abs(np.diff(slopes))
    k = next(k for k in range(len(change) - 1) if change[k + 1] > change[k])
    return steps[k]


EACH = 9  # functions in a case


class Wave(NamedTuple):
    f: Callable[[Any], Any]
    slope: float  # at x
    best: float  # step


def random_wave(rng: np.random.Generator, x: Any) -> Wave:
    """A function that changes over distances of max(1, |x|), and its best step at x.

    The error is about c s² / 6 + u |f| / 3s, where c is the size of the third derivative: smallest where s³ = u |f| / c.
    """
    kind = type(x)
    unit, scale = float(np.finfo(kind).eps), max(1.0, abs(float(x)))
    size, turns = kind(rng.uniform(0.5, 2.0)), kind(rng.uniform(0.7, 1.4) / scale)
    shift = kind(rng.uniform(0.6, 0.95) - float(turns) * float(x))
    angle = float(turns) * float(x) + float(shift)

    def f(t: Any) -> Any:
        return size * np.sin(turns * kind(t) + shift)

    slope = float(size) * float(turns) * math.cos(angle)
    return Wave(f, slope, (unit * math.tan(angle)) ** (1 / 3) / float(turns))


def best_eps_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """In both types, whatever the one that is asked for."""
    points = {
        "float64, x near 1": np.float64(rng.uniform(0.5, 2.0)),
        "float64, x = 0": np.float64(0.0),
        "float64, x in the thousands": np.float64(-rng.uniform(4000, 9000)),
        "float32, x near 1": np.float32(-rng.uniform(0.5, 2.0)),
        "float32, x in the hundreds": np.float32(rng.uniform(300, 900)),
    }
    return [
        Case(f"{group}: {EACH} functions", ([random_wave(rng, x) for _ in range(EACH)], x)) for group, x in points.items()
    ]


GOOD = "within a factor of 10 of the best"


def watch_best_eps(answer: Callable[..., Any], waves: list[Wave], x: Any) -> Any:
    """In words, what the middle one of the steps is: so neither luck nor ill luck decides."""
    ratios = []
    for wave in waves:
        step = answer(wave.f, x)
        if isinstance(step, bool) or not isinstance(step, int | float | np.number | np.ndarray) or np.size(step) != 1:
            return unfit(step, "a positive number")
        size = float(np.asarray(step).item())
        if not size > 0 or not math.isfinite(size):
            return {"eps": "no positive number"}
        ratios.append(math.log10(size / wave.best))
    decades = float(np.median(ratios))
    if abs(decades) <= 1:
        return {"eps": GOOD}
    return {"eps": "too small by more than a factor of 10" if decades < 0 else "too large by more than a factor of 10"}


def by_type(double: Callable[[float], float], single: Callable[[float], float]) -> Callable[..., float]:
    return lambda f, x: double(abs(float(x))) if x.dtype == np.float64 else single(abs(float(x)))


ROUND_OFF = (
    "Too small: round-off, the left arm of the V. f(x + eps) and f(x − eps) agree in nearly all their digits, and what is "
    "left of the difference is mostly rounding. The bottom of the V lies much further to the right. (Near 1e-8 is the "
    "best step of a difference with **one** side.)"
)
TOO_LARGE = (
    "Too large: the right arm of the V. f bends between x − eps and x + eps, and the line through the two points is not the "
    "slope at x. Its error still falls 100× with each step ten times smaller."
)
SEARCH = (
    " (If you search: where x + eps is rounded back to x, all slopes are 0 and agree perfectly. Stop before that, where the "
    "slopes begin to change more again.)"
)
GROW = (
    "Right near x = 1, too small for a large x. Numbers near 5000 lie thousands of times further apart than numbers near 1, "
    "and this f changes over distances of about |x|. The whole V moves to the right: let eps grow with |x|."
) + SEARCH
TYPE = (
    "Right in float64, too small in float32, which has only 7 digits: round-off begins much earlier. Ask the type of x: "
    "`np.finfo(x.dtype).eps`."
) + SEARCH

def best_eps_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    points = {
        "float32, x = 0": np.float32(0.0),
        "float32, x near 0": np.float32(rng.uniform(0.0005, 0.001)),
        "float64, x near 0": np.float64(-rng.uniform(1e-6, 1e-5)),
    }
    return [
        Case(f"{group}: {EACH} functions", ([random_wave(rng, x) for _ in range(EACH)], x)) for group, x in points.items()
    ]


register(
    Exercise(
        id="03.6",
        title="The best step",
        difficulty=3,
        minutes=6,
        reference=best_eps,
        cases=best_eps_cases,
        edges=best_eps_edges,
        observe=watch_best_eps,
        alternatives={
            "rounded numbers": best_eps_rounded,
            "spacing": best_eps_spacing,
            "search": best_eps_search,
        },
        mistakes={
            "zero at zero": Mistake(
                lambda f, x: np.cbrt(np.finfo(x.dtype).eps) * abs(x),
                "At x = 0 your step is 0, and the difference divides 0 by 0. Let it grow with |x| only where |x| is large: "
                "`max(1, abs(x))`.",
                again=by_type(lambda x: 1e-5 * x, lambda x: 5e-3 * x),
            ),
            "negative": Mistake(
                lambda f, x: np.cbrt(np.finfo(x.dtype).eps) * (x if x else 1.0),
                "Where x is negative your step is negative. Take `abs(x)`.",
                again=by_type(lambda x: 1e-5 if x < 100 else -1e-5 * x, lambda x: -5e-3 if x < 100 else 5e-3 * x),
            ),
            "too small in float32, where x is large": Mistake(
                by_type(lambda x: 6e-6 * max(1, x), lambda x: 5e-3),
                GROW,
                again=by_type(lambda x: 1e-5 * (1 + x), lambda x: 3e-3),
            ),
            "the type is ignored": Mistake(
                lambda f, x: np.cbrt(np.finfo(float).eps) * max(1, abs(x)),
                TYPE,
                again=lambda f, x: 1e-5 * (1 + abs(float(x))),
            ),
            "x is ignored": Mistake(lambda f, x: 1e-5, GROW, again=lambda f, x: np.cbrt(np.finfo(x.dtype).eps)),
            "too small for zero": Mistake(
                by_type(lambda x: 1e-5 * x if x else 1e-12, lambda x: 5e-3 * x),
                "Too small at x = 0. f changes over distances of about 1 there, as it does near x = 1: use `max(1, abs(x))`.",
                again=lambda f, x: np.cbrt(np.spacing(x)),
            ),
            "round-off": Mistake(lambda f, x: 1e-12, ROUND_OFF, again=lambda f, x: np.sqrt(np.finfo(x.dtype).eps)),
            "bent": Mistake(lambda f, x: 1e-2, TOO_LARGE, again=lambda f, x: 1e-3 * (1 + abs(x))),
            "too large, for float32 or for a large x": Mistake(
                by_type(lambda x: 1e-5 if x < 100 else 0.01 * x, lambda x: 1.0),
                TOO_LARGE,
                again=by_type(lambda x: 6e-6 if x < 100 else x**2, lambda x: 10.0),
            ),
        },
        hints=(
            "Two errors add up. One comes from the bend of f and grows with eps². The other comes from rounding and grows "
            "with u / eps, where u is the spacing of the numbers near 1. Where is the sum smallest?",
            "```text\nerror\n  │ ╲                        ╱\n  │   ╲  rounding          ╱   bend\n"
            "  │     ╲  u / eps       ╱   eps²\n  │       ╲            ╱\n  │         ╲        ╱\n"
            "  │            ╲__╱\n  └──────────────────────────── eps\n"
            "   1e-12      6e-6       1e-2       (float64, x near 1)\n```\n\n"
            "At the bottom both are about equal: eps² = u / eps. And where x is large, the whole V moves to the right.",
            "eps² = u / eps gives eps³ = u:\n\n```python\nu = np.finfo(___).eps\nreturn np.cbrt(___) * max(1.0, ___)\n```",
        ),
        explanation="""\
The error of the central difference is about |f'''| eps² / 6 from the bend, and about u |f| / eps from rounding. Where f
and its derivatives are of ordinary size, the sum is smallest near **eps = ∛u**: 6e-6 in float64, 5e-3 in float32. There
it is about u^(2/3): ten right digits of 16 in float64, four of 7 in float32. No step of a central difference gives more.

If f changes over distances of L instead of 1, the bend counts L² times less for the same step, and eps is L times as
large. With nothing better known, L is taken as max(1, |x|). One also says: a *relative* step.

The V is flat at the bottom, so a factor of 3 costs little, and a step of 1e-6 in float64 serves well for numbers near 1.
That is why the checks of this course use it, and always in float64.
""",
    )
)
