"""05.3 When the trick lies: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch05.common import Watch
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def elementwise_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    dtype = mg.float32  # always: `allclose` takes no two dtypes, and a learner compares with `mg.zeros(n)`
    a = float(rng.uniform(0.6, 1.8))

    def leaf(n: int) -> Any:
        return mg.tensor(rng.normal(size=n) + np.where(np.arange(n) % 2, 1.5, -1.5), dtype=dtype, requires_grad=True)

    w = mg.tensor(rng.uniform(0.5, 2.0, size=6), dtype=dtype)
    cases: list[tuple[str, Callable[[Any], Any], int]] = [
        ("sin(ax), n = 5", lambda x: mg.sin(a * x), 5),
        ("cumsum(x), n = 4", lambda x: mg.cumsum(x, 0), 4),
        ("softmax(x), n = 5", lambda x: mg.softmax(x, 0), 5),
        ("x shifted by one place, n = 6", lambda x: mg.roll(x, 1), 6),
        ("exp(x) / (1 + exp(x)), n = 4", lambda x: mg.exp(x) / (1 + mg.exp(x)), 4),
        ("w * x², with a weight for each place, n = 6", lambda x: w * x**2, 6),
        ("x − x.mean(), n = 7", lambda x: x - x.mean(), 7),
        ("x + next − previous, n = 5", lambda x: x + mg.roll(x, -1) - mg.roll(x, 1), 5),
        ("floor(x), n = 3", lambda x: mg.floor(x), 3),
        ("x * x.norm(), n = 3", lambda x: x * x.norm(), 3),
    ]
    equal = mg.full((4,), a, dtype=dtype, requires_grad=True)  # weights that are taken from x are all the same here
    return [*(Case(label, (f, leaf(n))) for label, f, n in cases), Case("x * x.sum(), where all x are equal", (mixed, equal))]


def mixed(x: Any) -> Any:
    return x * x.sum()


def watch_elementwise(answer: Callable[..., Any], f: Callable[..., Any], x: Any) -> Any:
    watch = Watch()
    verdict = answer(watch.around(f), x)
    if isinstance(verdict, mg.Tensor) and verdict.numel() == 1 and verdict.dtype == mg.bool:
        verdict = verdict.item()
    if not isinstance(verdict, bool | np.bool_):
        return unfit(verdict, "True or False")
    even = len(x) > 1 and bool(watch.weights) and all(not np.ptp(v) for v in watch.weights)
    return {"returns": bool(verdict), "cost_passes": watch.passes, "trace_even_weights": even}


def mixing_further_off(x: Any) -> tuple[Callable[..., Any], Any]:
    """A function whose Jacobian is diagonal at x and near it, but not at places that are not so near; and x."""
    here = mg.roll(x.detach(), 1)
    return lambda x: x + mg.relu((mg.roll(x, 1) - here).abs() - 0.02), x


def seen_from_both_sides(x: Any) -> Any:
    """The second and the fourth output see the third input, in equal parts."""
    return x + mg.tensor([0.0, 1.0, 0.0, 1.0, 0.0], dtype=x.dtype) * x[2]


def unseen_by_fixed_weights(rng: np.random.Generator, dtype: Any) -> tuple[Callable[..., Any], int]:
    """A function of so many entries whose outputs all see the last input, each so much that for many weights it cancels."""
    i = np.arange(16.0)
    blind = [i, i**2, i**3, 2**i, 2**-i, i**0.5, (i + 1) ** 0.5, np.log(i + 1), 1 / (i + 1), (-1) ** i]
    gaps = np.array([(v - v[-1])[:-1] / np.ptp(v) for v in blind])
    column = np.linalg.svd(gaps)[2][len(blind) :].T @ rng.normal(size=15 - len(blind))
    seen = mg.tensor([*(column / np.abs(column).max()), 0.0], dtype=dtype)
    return lambda x: x + seen * x[15], 16


def elementwise_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    dtype = mg.float32

    def leaf(n: int) -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5, n), dtype=dtype, requires_grad=True)

    stale, mixing = leaf(4), leaf(4)
    stale.grad, mixing.grad = (mg.tensor(rng.normal(size=4), dtype=dtype) for _ in range(2))
    last = mg.tensor([0.0, 0.0, 0.0, 0.0, 1.0], dtype=dtype)
    unseen, n = unseen_by_fixed_weights(rng, dtype)
    return [
        Case("one number, n = 1", (lambda x: x * x.sum(), leaf(1))),
        Case("x**3, where x.grad holds a gradient from before", (lambda x: x**3, stale)),
        Case("x * x.sum(), where x.grad holds a gradient from before", (lambda x: x * x.sum(), mixing)),
        Case("x + x shifted by two places, n = 6", (lambda x: x + mg.roll(x, 2), leaf(6))),
        Case("x + x turned round, n = 4", (lambda x: x + x.flip(0), leaf(4))),
        Case("only the last output sees the first input, n = 5", (lambda x: x + last * x[0], leaf(5))),
        Case("only the first output sees the last input, n = 5", (lambda x: x + last.flip(0) * x[4] ** 2, leaf(5))),
        Case("0 · x, n = 3", (lambda x: 0 * x, leaf(3))),
        Case("the outputs beside the third see the third input, n = 5", (seen_from_both_sides, leaf(5))),
        Case("the others see the last input, and it cancels for the weights i, i², i³, 2ⁱ, √i and more, n = 16", (unseen, leaf(n))),
        Case("x + what mixes only further than 0.02 from this x, n = 5", mixing_further_off(leaf(5))),
    ]


TASK = Part(
    id="05.3",
    title="When the trick lies",
    difficulty=3,
    minutes=11,
    requirements=(
        Requirement(
            "`f` takes a Tensor of shape (n,) and returns one of shape (n,). It may hold weights of its own that fit this n "
            "only, as in `w * x`.",
            ("one entry at a time",),
        ),
        Requirement(
            "`x` is a leaf of shape (n,) that requires grad. What is in `x.grad` afterwards does not matter.",
            ("the weights are x",),
        ),
        Requirement("Compare with a tolerance: `mg.allclose(a, b)`.", ("never true",)),
        Requirement(
            "`True` for a diagonal Jacobian. `False` if any entry beside the diagonal is not 0, also where the sums of the "
            "columns happen to be the diagonal.",
            ("ones are blind", "one row", "the diagonal against the sums", "weights in even steps", "turned round"),
        ),
        Requirement("It can be done with two backward passes, for any n."),
    ),
    cases=elementwise_cases,
    edges=elementwise_edges,
    observe=watch_elementwise,
)
