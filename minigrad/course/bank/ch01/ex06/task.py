"""01.6 Same code, other graph: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import Unfit, unfit


def agree_exact(slope: Any, ratio: Any) -> bool:
    return bool((slope == ratio).all())


def doubling(a):
    """Goes on until the result is long enough, and takes another turn for negative inputs."""
    b = a * 2
    while b.norm() < 1000:
        b = b * 2
    return b if b.sum() > 0 else 100 * b


def tripling(a):
    b = a + a
    while b.abs().sum() < 50:
        b = 3 * b
    return b


def square(a):
    b = a * 2
    return b * b


def constant_first(a):
    k = mg.tensor(3.0)
    return k * (k * (a * 2))


def small_factors(a):
    return a * 0.1 * 0.7


def nearly(a):
    return 3 * a + 0.01


def weighted(a):
    return a * mg.tensor([1.0, 2.0, 3.0], dtype=a.dtype)


def shifted(a):
    return 2 * a + a.detach() * mg.tensor([1.0, -1.0, 0.0], dtype=a.dtype)


def partly(a):
    return mg.where(a > 0, a * 2, a * a)


def around_the_mean(a):
    return (a * 3 - a.mean()) + a.mean()


def itself(a):
    return a


def inverse(a):
    """Its slope is the ratio with the other sign, and its graph has a division and no product."""
    return mg.tensor(3.0, dtype=a.dtype) / a


def powers(a):
    return a**2 / a * 3


def roots(a):
    """Proportional for positive numbers."""
    return -((a * a).sqrt() * 2)


def stacked(a):
    return mg.stack([a + a, a * 2, a * 3 * 4]).sum(0)


def by_matrices(a):
    return 2 * (mg.eye(2, dtype=a.dtype) @ (a * 0.5)).clone() * 1


LOOKED_AT: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        doubling, tripling, square, constant_first, small_factors, nearly, weighted, shifted, partly, around_the_mean, by_matrices,
        itself, inverse, powers, roots, stacked,
    )
}


def is_exact(f: Callable[..., Any], a: Any) -> bool:
    """Does == happen to hold between slope and ratio?"""
    d = f(a)
    (slope,) = mg.autograd.grad(d.sum(), a)
    return agree_exact(slope, d.detach() / a.detach())


def observe_look(answer: Callable[..., Any], name: str, a: Any) -> Any:
    passes: list[int] = []
    calls: list[int] = []

    def f(t: Any) -> Any:
        calls.append(1)
        return LOOKED_AT[name](t)

    f.__name__ = f.__qualname__ = name
    handle = a.register_hook(lambda g: passes.append(1))
    returned = answer(f, a)
    handle.remove()
    wanted = "a pair `(muls, agrees)` of an int and a bool"
    if not isinstance(returned, tuple | list):
        return unfit(returned, wanted)
    if len(returned) != 2:
        return Unfit(f"{len(returned)} values", wanted)
    muls, agrees = (
        value.item() if isinstance(value, mg.Tensor | np.ndarray | np.generic) and value.shape == () else value
        for value in returned
    )
    if isinstance(returned[1], mg.Tensor):
        told = f"that says {agrees}" if isinstance(agrees, bool) else f"of shape {tuple(returned[1].shape)}"
        return {"muls": muls, "agrees": Unfit(f"a Tensor {told}", "a bool")}
    if isinstance(muls, bool) and not isinstance(agrees, bool):
        return Unfit("the two the other way round", wanted)
    if isinstance(agrees, bool):
        if len(passes) > 1:  # then it does not matter whether they were through one graph
            return {"muls": muls, "agrees": agrees, "backward passes": "more than one"}
        return {"muls": muls, "agrees": agrees, "backward passes": "one", "calls of f": len(calls)}
    shape = f" of shape {tuple(agrees.shape)}" if isinstance(agrees, mg.Tensor | np.ndarray) else ""
    return {"muls": muls, "agrees": Unfit(f"{unfit(agrees, '').came}{shape}", "a bool")}


def look_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def draw(low: float, high: float, shape: tuple[int, ...], dtype: Any) -> Any:
        return mg.tensor(rng.uniform(low, high, shape).tolist(), dtype=dtype, requires_grad=True)

    def rounded(f: Callable[..., Any], low: float, high: float, dtype: Any) -> Any:
        """A number at which slope and ratio differ by a rounding error."""
        while is_exact(f, a := draw(low, high, (), dtype)):
            pass
        return a

    signs = np.array([1, -1, 1, -1]) * rng.uniform(0.5, 1.5, 4)
    mixed = mg.tensor(signs.tolist(), dtype=dtype, requires_grad=True)
    return [
        Case("doubling, a positive number", ("doubling", draw(0.01, 0.4, (), dtype))),
        Case("doubling, a large number", ("doubling", draw(600, 900, (), dtype))),
        Case("doubling, a vector", ("doubling", draw(0.1, 5.0, (3,), dtype))),
        Case("doubling, a negative matrix", ("doubling", draw(-30.0, -3.0, (2, 4), dtype))),
        Case("tripling, a vector", ("tripling", draw(0.1, 0.9, (5,), dtype))),
        Case("a square", ("square", draw(0.5, 2.0, (), dtype))),
        Case("constants on the left", ("constant_first", draw(-2.0, -0.5, (), dtype))),
        Case("nearly proportional", ("nearly", draw(0.5, 1.5, (3,), dtype))),
        Case("another factor in each place", ("weighted", draw(0.5, 1.5, (3,), dtype))),
        Case("agreement in the sum and in the last place only", ("shifted", draw(0.5, 1.5, (3,), dtype))),
        Case("proportional for positive numbers only", ("partly", mixed)),
        Case("small factors", ("small_factors", rounded(small_factors, 0.5, 2.0, dtype))),
        Case("doubling, a negative number", ("doubling", rounded(doubling, -0.9, -0.1, dtype))),
        Case("doubling, a negative number in float32", ("doubling", rounded(doubling, -0.9, -0.1, mg.float32))),
    ]


def look_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def draw(*shape: int) -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5, shape).tolist(), dtype=dtype, requires_grad=True)

    return [
        Case("nodes whose names begin like that of a product: a mean", ("around_the_mean", draw(3))),
        Case("a division", ("inverse", draw(3))),
        Case("nodes whose names begin like that of a product: a matrix", ("by_matrices", draw(2))),
        Case("doubling, a vector of one number", ("doubling", draw(1))),
        Case("a square, a table with one row", ("square", draw(1, 3))),
        Case("a function that returns `a` itself", ("itself", draw(3))),
        Case("a power", ("powers", draw(3))),
        Case("a root and a sign", ("roots", draw(3))),
        Case("three in a stack", ("stacked", draw(3))),
    ]


TASK = Part(
    id="01.6",
    title="Same code, other graph",
    difficulty=2,
    minutes=6,
    requirements=(
        Requirement(
            "`muls`, an int: how many MulBackward0 there are in the graph of `f(a)`;",
            (
                "paths are counted",
                "only the first edge is followed",
                "two edges of each node",
                "every node is counted",
                "powers are counted",
                "the graph of another run",
            ),
        ),
        Requirement(
            "`agrees`, a bool: after a backward pass from `f(a).sum()`, is `a.grad` equal to `f(a) / a` in every place, **up "
            "to rounding**? (`mg.allclose(x, y)` compares two tensors so.)",
            (
                "compared with ==",
                "an absolute tolerance only",
                "a tolerance that forgives anything",
                "agreement in one place is enough",
                "the bool in a Tensor",
            ),
        ),
        Requirement(
            "One backward pass, and no more: a pass adds to `a.grad`.",
            ("two backward passes", "two backward passes, cleared between"),
        ),
    ),
    cases=look_cases,
    edges=look_edges,
    observe=observe_look,
    may_change_inputs=True,
)
