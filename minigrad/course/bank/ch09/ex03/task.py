"""09.3 The diagonal, cheaply: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.autograd.functional import hessian
from minigrad.course.bank.ch09.common import Watch, in_words
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def diagonal_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(n: int) -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5, size=n), dtype=dtype, requires_grad=True)

    def coupled(n: int) -> Callable[..., Any]:
        """All off-diagonal entries are positive, so the sums of the rows are far from the diagonal, and that is far from 0."""
        A = mg.tensor(rng.uniform(0.5, 1.5, size=(n, n)), dtype=dtype)
        return lambda x: x @ A @ x + 3 * (x**3).sum()

    a = mg.tensor(rng.uniform(0.5, 1.5, size=5), dtype=dtype)
    return [
        Case("one draw: variables that do not meet", ("alone", lambda x: mg.exp(a * x).sum(), leaf(5), 1)),
        Case("one draw: variables that meet", ("one", coupled(6), leaf(6), 1)),
        # No colon: which mistake it is shows in the cases with one draw as well.
        Case("36 draws, variables that meet", ("many", coupled(6), leaf(6), 36)),
    ]


REPEATS = 8  # calls with one draw each: enough that luck decides nothing
DIAGONAL, ROW_SUMS, AFAR = "the diagonal", "the sums of the rows of H", "none of these"
FAIR = 60  # draws by which the signs are judged


def of_signs(estimate: Callable[[], Any], n: int) -> str:
    """Whether each sign comes as often as its contrary, beside each other sign, and whatever two others are.

    A mean of FAIR fair signs is further from 0 than 6 standard deviations in less than one of 10⁹ trials.
    """
    ways = list(product((1.0, -1.0), repeat=n - 1))
    sums = np.array([sum(2**k * sign for k, sign in enumerate(way)) for way in ways])
    drawn = []
    for _ in range(FAIR):
        gaps = abs(sums - estimate().detach().numpy()[0])
        if gaps.min() > 1e-3:
            return "not +1 and -1 alone"
        drawn.append(ways[int(gaps.argmin())])
    signs = np.array(drawn)
    chosen = [list(c) for size in range(1, n) for c in combinations(range(n - 1), size)]
    if any(abs(signs[:, columns].prod(1).mean()) > 6 / np.sqrt(len(signs)) for columns in chosen):
        return "not each with equal chance, whatever the others are"
    return "fair"


BLOCKS = 90  # of three variables that meet: one call tells as much as so many calls


def of_two_draws(estimate: np.ndarray) -> str:
    """Whether two draws in one call are independent, where H tells vᵢ vⱼ, summed over both, for each pair of a block.

    From these sums come the products of what one draw has at one pair and the other at another. They are 0 on average; as in
    `of_signs`, a mean of so many is far from 0 by chance in less than one of 10⁹ trials.
    """
    ways = {a + 4 * b: (a, b) for a, b in product((-2.0, 0.0, 2.0), repeat=2)}
    crossed = []
    for first, second, _ in 2 * estimate.reshape(BLOCKS, 3):
        near = min(ways, key=lambda way: abs(way - first))
        (a, b), c = ways[near], second - ways[near][0]
        if abs(near - first) > 1e-2 or abs(c) > 2.01:
            return "not +1 and -1 alone"
        crossed.append([a * a / 2 - 1, b * b / 2 - 1, c * c / 2 - 1, (a * b - c) / 2, (a * c - b) / 2, (b * c - a) / 2])
    depend = np.any(np.abs(np.mean(crossed, axis=0)) > 6 / np.sqrt(BLOCKS))
    return "one is made from the other" if depend else "independent"


PAIRS = 90  # of two variables that meet: each is a sample of its own


def of_mean(estimate: np.ndarray, draws: int) -> str:
    """Whether the estimate is a mean over all draws, where v * (H v) is +1 or -1 at each pair: then `draws` times it is whole.

    A median is whole as well, but its square is near 1; that of a mean is 1 / draws on average.
    """
    whole = np.allclose(draws * estimate, np.round(draws * estimate), atol=1e-2)
    return "the mean" if whole and np.mean(estimate**2) < 6 / draws else "another number"


MANY = 4000  # signs in one draw


def of_balance(estimate: Any) -> str:
    """Whether +1 comes as often as -1, where H is all ones: there the sum of v * (H v) is the square of the sum of v.

    The sum of MANY fair signs is further from 0 than 6 standard deviations in less than one of 10⁸ trials.
    """
    return "fair" if estimate.sum().item() < 36 * MANY else "one comes more often than the other"


def watch_diagonal(answer: Callable[..., Any], kind: str, f: Callable[..., Any], x: Any, draws: int) -> Any:
    watch = Watch(f, x)
    estimate = answer(watch.f, x, draws)
    if not isinstance(estimate, mg.Tensor):
        return unfit(estimate, "a Tensor of shape (n,)")
    seen: dict[str, Any] = {"f is called": watch.place(), "shape of the estimate": str(tuple(estimate.shape))}
    if watch.moved or estimate.shape != x.shape:
        return seen
    if kind == "balance":
        dear = watch.passes >= len(x)  # then so many variables would take too long
        return seen | {"the signs": "not seen" if dear else of_balance(answer(f, mg.ones(MANY, dtype=x.dtype, requires_grad=True), 1))}
    if kind == "fair":
        return seen | {"the signs": of_signs(lambda: answer(f, x, draws), len(x))}
    if kind == "pairs":
        return seen | {"what 36 draws are put together to": of_mean(estimate.detach().numpy(), draws)}
    if kind == "two":
        return seen | {"the two draws": of_two_draws(estimate.detach().numpy())}
    H = hessian(f, x).detach().numpy()
    if kind == "mean":
        return seen | {"the estimate from 36 draws": of_alone(estimate.detach().numpy()[None], H)}
    if kind == "many":
        return seen | {"the estimate from 36 draws": of_many(estimate.detach().numpy(), H, draws)}
    seen["backward passes for one draw"] = in_words(watch.passes, len(x))
    estimates = [estimate, *(answer(f, x, draws) for _ in range(REPEATS - 1))]
    found = np.stack([e.detach().numpy() for e in estimates])
    return seen | {f"{REPEATS} estimates from one draw each": of_alone(found, H) if kind == "alone" else of_one(found, H)}


def of_alone(found: np.ndarray, H: np.ndarray) -> str:
    """In words: estimates where H is diagonal, so that each is v² times the diagonal."""
    ratio = found / np.diag(H)
    if np.allclose(ratio, 1, atol=1e-3):
        return DIAGONAL
    if np.allclose(ratio * len(H), 1, atol=1e-3):
        return "the diagonal, divided by n"
    if np.allclose(np.abs(ratio), 1, atol=1e-3):
        return "the diagonal, with some of its signs turned"
    if np.allclose(ratio, ratio[0, 0], atol=1e-3):
        return "the diagonal, always times the same number"
    if np.allclose(found, found[:, :1], rtol=1e-3):
        return "one number, in every entry"
    return "the diagonal, each entry times some square" if np.all(ratio >= 0) else AFAR


def of_one(found: np.ndarray, H: np.ndarray) -> str:
    """In words: estimates where H is not diagonal. Each must be v * (H v) for one of the vectors of signs."""

    def all_are(what: np.ndarray) -> bool:
        return np.allclose(found, what, atol=1e-3 * np.abs(H).max())

    if all_are(np.diag(H)):
        return DIAGONAL
    if all_are(H.sum(1)):
        return ROW_SUMS
    if not all(is_one_draw(e, H) for e in found):
        return AFAR
    return "always the same" if all_are(found[:1]) else "each v * (H v), for vectors v of signs"


def of_many(estimate: np.ndarray, H: np.ndarray, draws: int) -> str:
    """In words: an estimate from many draws, to six standard deviations."""
    if is_one_draw(estimate, H):
        return "no better than from one draw"
    if is_one_draw(estimate * draws, H):
        return "one draw, divided by 36"
    allowed = 6 * np.sqrt((H**2).sum(1) - np.diag(H) ** 2) / np.sqrt(draws)
    factors = {1: "close to the diagonal", draws / len(H): "6 times the diagonal", draws: "36 times the diagonal"}
    for factor, words in factors.items():
        if np.all(np.abs(estimate / factor - np.diag(H)) <= allowed):
            return words
    return "far from the diagonal"


def is_one_draw(estimate: np.ndarray, H: np.ndarray) -> bool:
    every = (np.array(v) for v in product([-1.0, 1.0], repeat=len(H)))
    return any(np.allclose(estimate, v * (H @ v), atol=1e-3 * np.abs(H).max()) for v in every)


def diagonal_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(n: int) -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5, size=n), dtype=dtype, requires_grad=True)

    def met(x: Any) -> Any:
        """Entry 0 of v * (H v) tells which entries of v have the sign of the first."""
        return sum(2**k * x[0] * other for k, other in enumerate(x[1:]))

    def all_pairs(x: Any) -> Any:
        """In each block, entry 0 of v * (H v) tells v₀ v₁ and v₀ v₂, and entry 1 is v₀ v₁ + v₁ v₂."""
        first, second, third = x.reshape(BLOCKS, 3).unbind(1)
        return (first * second + 4 * first * third + second * third).sum()

    def in_pairs(x: Any) -> Any:
        return (x[::2] * x[1::2]).sum()

    return [
        Case("fair: two variables", ("fair", met, leaf(2), 1)),
        Case("fair: four variables", ("fair", met, leaf(4), 1)),
        Case("fair: many variables", ("balance", lambda x: x.sum() ** 2 / 2, leaf(20), 1)),
        Case("one variable", ("alone", lambda x: (x**3).sum(), leaf(1), 1)),
        Case("36 draws, variables that do not meet", ("mean", lambda x: (x**3).sum(), leaf(4), 36)),
        Case("36 draws, pairs of variables that meet", ("pairs", in_pairs, mg.ones(2 * PAIRS, dtype=dtype, requires_grad=True), 36)),
        Case("two draws in one call", ("two", all_pairs, mg.ones(3 * BLOCKS, dtype=dtype, requires_grad=True), 2)),
    ]


TASK = Part(
    id="09.3",
    title="The diagonal, cheaply",
    difficulty=4,
    minutes=7,
    extra=True,
    requirements=(
        Requirement(
            "Each entry of `v` is +1 or −1, with equal chance. Draw a new `v` for each product, and new ones at every call: "
            "set no seed.",
            ("no signs", "one v for all draws", "every second v is the first, turned", "a seed inside", "v is ones"),
        ),
        Requirement(
            "One draw takes two backward passes. (Those who keep the graph of the gradient need less.)",
            ("the whole Hessian",),
        ),
        Requirement("Return a Tensor of shape (n,).", ("summed over the entries",)),
        Requirement(
            "It is the mean over the draws of `v * (H v)`.",
            ("the sum, not the mean", "v stands once", "divided by n", "divided by one more", "divided by one less", "the median"),
        ),
    ),
    cases=diagonal_cases,
    edges=diagonal_edges,
    observe=watch_diagonal,
)
