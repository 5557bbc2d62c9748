"""03.2 Jacobian puzzles: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch03.common import ROUGH, Array, rough
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit

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


# As the engine has them. Each reads its table row by row.
FUNCTIONS = {
    "relu": mg.relu,
    "cumsum": lambda x: mg.cumsum(x, 0),
    "running_mean": lambda x, k: mg.stack([x[i : i + k].mean() for i in range(len(x) - k + 1)]),
    "outer": lambda x, b: mg.outer(x, mg.tensor(b)).reshape(-1),
    "transpose": lambda X: X.T.reshape(-1),
    "sort": lambda x: mg.sort(x)[0],
}


def by_engine(rule: str, x: Array, *constants: Any) -> Array:
    """The Jacobian, row by row from the engine."""
    J = mg.autograd.functional.jacobian(lambda t: FUNCTIONS[rule](t, *constants), mg.tensor(x, dtype=mg.float64))
    return J.numpy().reshape(-1, x.size)


def watch_jac(answer: Any, rule: str, *args: Any) -> Any:
    J = getattr(answer, rule)(*args)
    name, right = f"Jac.{rule}", by_engine(rule, *args)
    if J is None or J is ...:
        return {name: J}
    if not isinstance(J, np.ndarray):
        return unfit(J, "a NumPy array of shape (m, n)")
    seen: dict[str, Any] = {f"shape of {name}": str(J.shape)}
    if J.shape != right.shape:
        return seen | {"as it came": J}
    if rough(J, right):
        return seen | {"numbers": ROUGH}
    rows = {f"row {i}": row for i, row in enumerate(J)}  # so that the first wrong row is shown, and not the corners
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


TASK = Part(
    id="03.2",
    title="Jacobian puzzles",
    difficulty=3,
    minutes=12,
    requirements=(
        Requirement("Write the exact numbers, no differences.", ("differences",)),
        Requirement(
            "Each table has a row for each output and a column for each input.",
            ("cumsum: upper", "running_mean: transposed", "outer: transposed", "sort: the way back"),
        ),
        Requirement(
            "An output that does not see an input has a 0 there.",
            ("relu: in every row", "running_mean: every input", "outer: b everywhere"),
        ),
        Requirement("Leave the arguments as they are.", attacks=("relu writes into its inputs",)),
    ),
    points=6,
    starter=JAC_STARTER,
    cases=jac_cases,
    edges=jac_edges,
    observe=watch_jac,
    tolerance=1e-12,
)
