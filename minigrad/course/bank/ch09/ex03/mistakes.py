"""09.3 The diagonal, cheaply: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch09.ex01.answer import hvp
from minigrad.course.bank.ch09.ex01.mistakes import hvp_no_graph
from minigrad.course.bank.ch09.ex02.answer import hessian
from minigrad.course.bank.ch09.ex03.task import ROW_SUMS
from minigrad.course.bank.ch09.known import NO_GRAPH
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def diagonal_by(draw: Callable[[Any], Any], term: Callable[..., Any] = lambda v, Hv: v * Hv) -> Callable[..., Any]:
    """The estimate with another v, or another use of it."""

    def estimate(f, x, draws):
        return sum(term(v, hvp(f, x, v)) for v in (draw(x) for _ in range(draws))) / draws

    return estimate


NOT_SIGNS = (
    "Your `v` does not hold signs. One term is vᵢ² Hᵢᵢ + Σⱼ vᵢ vⱼ Hᵢⱼ. With entries +1 and −1 the square is exactly 1. Numbers "
    "between 0 and 1 give a bias; normal ones are right on average and add noise of their own. Draw signs: "
    "`mg.sign(mg.randn(n))`."
)

MISTAKES["no signs"] = Mistake(diagonal_by(lambda x: mg.randn(len(x), dtype=x.dtype)), NOT_SIGNS)


def signs(x: Any) -> Any:
    return mg.sign(mg.randn(len(x), dtype=x.dtype))


MISTAKES["an uneven coin"] = Mistake(
    diagonal_by(lambda x: mg.where(mg.rand(len(x)) < 0.25, -1.0, 1.0).to(x.dtype)),
    "Your signs do not come with equal chance. What lies beside the diagonal is multiplied by vᵢ vⱼ, and that cancels only if +1 "
    "and −1 are equally frequent, and no sign looks at another: `mg.sign(mg.randn(n))`.",
)

MISTAKES["v stands once"] = Mistake(
    diagonal_by(signs, lambda v, Hv: Hv),
    "Your mean is far from the diagonal. Multiply H v by **the same** `v` once more, entry by entry: then Hᵢᵢ meets vᵢ², which is "
    "always 1, and the others meet vᵢ vⱼ, which cancels if +1 and −1 have equal chance. (Without the `v` in front, or with another "
    "draw there, the mean is zero.)",
)


def diagonal_one_v(f, x, draws):
    v = signs(x)
    return sum(v * hvp(f, x, v) for _ in range(draws)) / draws


SAME_V = (
    "With 36 draws your estimate is as rough as with one. Is `v` drawn once, before the loop? Draw a new one for each product, "
    "then the errors cancel."
)

MISTAKES["one v for all draws"] = Mistake(diagonal_one_v, SAME_V)


def diagonal_turned(f, x, draws):
    total, v = 0.0, None
    for k in range(draws):
        v = -v if k % 2 else signs(x)
        total = total + v * hvp(f, x, v)
    return total / draws


MISTAKES["every second v is the first, turned"] = Mistake(
    diagonal_turned,
    "The two draws of one call depend on each other. Is the second `v` the first, or the first with other signs or in another order? "
    "`v` and `-v` give the same `v * (H v)`: the second pass teaches nothing. Draw each `v` anew: `mg.sign(mg.randn(n))`.",
)


def diagonal_returns_early(f, x, draws):
    total = mg.zeros(len(x), dtype=x.dtype)
    for _ in range(draws):
        v = signs(x)
        total = total + v * hvp(f, x, v)
        return total / draws


MISTAKES["one draw, divided by all"] = Mistake(
    diagonal_returns_early,
    "What you return is **one** draw, divided by 36. Either the sum is overwritten in each round, `total = …` in place of "
    "`total = total + …`, or `return` stands inside the loop.",
)


def diagonal_no_mean(f, x, draws):
    return sum(v * hvp(f, x, v) for v in (signs(x) for _ in range(draws)))


MISTAKES["divided by n"] = Mistake(
    lambda f, x, draws: diagonal_no_mean(f, x, draws) / len(x),
    "You divided by the number of variables. The mean is over the draws: divide by `draws`.",
)

MISTAKES["v is ones"] = Mistake(
    diagonal_by(lambda x: mg.ones(len(x), dtype=x.dtype)),
    "All entries of your `v` are equal, so you return the sums of the rows. What lies beside the diagonal cancels only if "
    "each entry of `v` is +1 or −1 with equal chance, and independent of the others.",
    evidence=lambda source, seen: any(isinstance(case, dict) and ROW_SUMS in case.values() for case in seen),
)


def diagonal_of_means(f, x, draws):
    vs = [signs(x) for _ in range(draws)]
    return sum(vs) / draws * (sum(hvp(f, x, v) for v in vs) / draws)


MISTAKES["averaged apart"] = Mistake(
    diagonal_of_means,
    "One draw is right, but the mean of many comes out far from the diagonal. There are two usual causes. If you average `v` and H v "
    "apart and multiply the means, both go to 0: average the **products** `v * Hv`. And if +1 and −1 do not come with equal chance, "
    "what lies beside the diagonal does not cancel: `mg.sign(mg.randn(n))`.",
)

MISTAKES["the sum, not the mean"] = Mistake(
    diagonal_no_mean, "With 36 draws your estimate is 36 times too large: divide the sum by `draws`."
)

SUMMED = (
    "You summed over the entries as well. `(v * Hv).sum()` estimates the **trace**, the sum of the diagonal. Leave "
    "the sum away, and each entry of the diagonal stays by itself."
)
MISTAKES["summed over the entries"] = Mistake(
    diagonal_by(signs, lambda v, Hv: (v * Hv).sum()),
    SUMMED,
)
MISTAKES["summed, in every entry"] = Mistake(
    diagonal_by(signs, lambda v, Hv: (v * Hv).sum() * mg.ones_like(v)), "All your entries are the same number. " + SUMMED
)

MISTAKES["the whole Hessian"] = Mistake(
    lambda f, x, draws: mg.diag(hessian(f, x)),
    "The diagonal, and exactly. But it took a pass for each variable. What is asked for is an estimate from "
    "`draws` products H v, two passes each, however many variables there are.",
)


def diagonal_seeded(f, x, draws):
    rng = np.random.default_rng(0)
    vs = mg.tensor(np.sign(rng.normal(size=(draws, len(x)))), dtype=x.dtype)
    return sum(v * hvp(f, x, v) for v in vs) / draws


MISTAKES["a seed inside"] = Mistake(
    diagonal_seeded,
    "Every call gives the same estimate. Is a seed set inside your function, or are the signs of the first call kept? Who calls it "
    "twice to average learns nothing new. Draw anew at every call, and leave seeds to the caller.",
)


def diagonal_no_graph(f, x, draws):
    return sum(v * hvp_no_graph(f, x, v) for v in (signs(x) for _ in range(draws))) / draws


MISTAKES["the gradient has no graph"] = Mistake(diagonal_no_graph, NO_GRAPH)

ANOTHER_NUMBER = (
    "Where the variables do not meet, each draw gives the diagonal exactly, and so does their mean. Yours is the diagonal times a "
    "number that is not 1. Divide the sum by `draws`, and by nothing else; and take +1 and −1 for the entries of `v`, so that their "
    "squares are 1."
)

MISTAKES["divided by one more"] = Mistake(lambda f, x, draws: diagonal_no_mean(f, x, draws) / (draws + 1), ANOTHER_NUMBER)
MISTAKES["divided by one less"] = Mistake(lambda f, x, draws: diagonal_no_mean(f, x, draws) / max(1, draws - 1), ANOTHER_NUMBER)


def diagonal_by_median(f, x, draws):
    rows = np.stack([(v * hvp(f, x, v)).detach().numpy() for v in (signs(x) for _ in range(draws))])
    return mg.tensor(np.median(rows, axis=0), dtype=x.dtype)


MISTAKES["the median"] = Mistake(
    diagonal_by_median,
    "With one draw your estimate is right, with 36 it is not their **mean**. Do you take the median, or leave the largest and the "
    "smallest out? What lies beside the diagonal cancels in the plain mean: add all draws up, and divide by `draws`.",
)


def diagonal_of_sizes(f, x, draws):
    return sum(abs(v * hvp(f, x, v)) for v in (signs(x) for _ in range(draws))) / draws


MISTAKES["the signs are taken away"] = Mistake(
    diagonal_of_sizes,
    "Your `v * (H v)` has lost its sign. Is there an `abs`, or a square and a root? What lies beside the diagonal comes with + as "
    "often as with −, and cancels only with its sign. Average `v * (H v)` as it is.",
    evidence=lambda source, seen: "abs" in source or "**" in source or "sqrt" in source or "square" in source,
)
