"""02.6 Which way is cheaper?: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def prices(sizes):
    """What the products of neighbours cost: each takes one number of the inside away."""
    return [left * inside * right for left, inside, right in zip(sizes, sizes[1:], sizes[2:], strict=False)]


def chosen(sizes, choose):
    """The cost where choose(sizes) says, again and again, which product is next."""
    left, total = list(sizes), 0
    while len(left) > 2:
        k = choose(left)
        total += prices(left)[k]
        del left[k + 1]
    return total


def greedy(sizes):
    """The cheapest product first, again and again."""
    return chosen(sizes, lambda left: int(np.argmin(prices(left))))


def largest_first(sizes):
    """The largest number of the inside goes first."""
    return chosen(sizes, lambda left: int(np.argmax(left[1:-1])))


def tried(sizes):
    """The costs of all orders of the products, tried one after the other."""
    if len(sizes) <= 2:
        return {0}
    return {price + rest for k, price in enumerate(prices(sizes)) for rest in tried(sizes[: k + 1] + sizes[k + 2 :])}


def split_once(sizes):
    """Cut in two where it is cheapest, and each half from one of its ends."""

    def plain(part):
        return min(chosen(part, lambda left: 0), chosen(part, lambda left: len(left) - 3))

    inside = range(1, len(sizes) - 1)
    costs = [plain(sizes[: k + 1]) + plain(sizes[k:]) + sizes[0] * sizes[k] * sizes[-1] for k in inside]
    return min(costs, default=0)


MODES = ("forward", "reverse", "best")
BETWEEN = [6, 30, 5, 24, 2, 18, 7]  # a bottleneck in the middle: neither end is the place to begin
TWICE = [39, 11, 6, 16, 19, 23, 7]  # and here one cut in the middle is not enough


def is_telling(sizes: list[int]) -> bool:
    """Whether every wrong way to find the best bracketing gives another number than the right one."""
    from_the_ends = chosen(sizes, lambda left: 0), chosen(sizes, lambda left: len(left) - 3)
    best, wrong = min(tried(sizes)), (greedy(sizes), largest_first(sizes), *from_the_ends)
    return best not in wrong and len(set(wrong)) == len(wrong)


def cost_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def some(count: int, low: int = 2, high: int = 12) -> list[int]:
        return [int(n) for n in rng.choice(np.arange(low, high), count, replace=False)]

    def telling() -> list[int]:
        while not is_telling(sizes := some(7, 2, 40)):
            pass
        return sizes

    many, few = int(rng.integers(500, 900)), some(3, 5, 30)
    chains = {
        "two steps": some(3),
        "many inputs, one output": [many, *few, 1],
        "one input, many outputs": [1, *few, many],
        "five steps": some(6),
    }
    cases = [
        Case(f"{mode}: {label}, sizes {sizes}", (sizes, mode)) for mode in MODES for label, sizes in chains.items()
    ]
    cases += [Case(f"best: narrow in the middle, sizes {s}", (s, "best")) for s in (BETWEEN, TWICE, telling(), telling())]
    return [*cases, *(Case(f"{mode}: a single step, sizes {few[:2]}", (few[:2], mode)) for mode in MODES)]


def observe_cost(answer: Callable[..., Any], sizes: list[int], mode: str) -> Any:
    returned = answer(list(sizes), mode)
    if isinstance(returned, mg.Tensor | np.ndarray | np.generic) and returned.shape == ():
        returned = returned.item()
    if isinstance(returned, bool) or not isinstance(returned, int):
        return unfit(returned, "an int")
    return {"multiplications": returned}


TASK = Part(
    id="02.6",
    title="Which way is cheaper?",
    difficulty=3,
    minutes=7,
    requirements=(
        Requirement(
            "`\"forward\"`: begin at the input, with step 2 times step 1; then step 3 times that, and so on.",
            ("forward: begins at the output", "forward: additions are counted too", "forward: neighbours"),
        ),
        Requirement(
            "`\"reverse\"`: begin at the output, with the last step times the one before it; then that times the one before.",
            ("reverse: begins at the input", "reverse: neighbours"),
        ),
        Requirement(
            "`\"best\"`: in the order, of all possible ones, that takes the fewest. (The tables keep their places, only the "
            "brackets move.)",
            ("best: the better of the two", "best: the cheapest product first", "best: the largest size first", "best: one cut"),
        ),
        Requirement("Leave the list `sizes` as it is.", attacks=("empties its inputs",)),
    ),
    cases=cost_cases,
    without={
        "edges": "single steps and sizes of 1 are among the cases",
    },
    observe=observe_cost,
)
