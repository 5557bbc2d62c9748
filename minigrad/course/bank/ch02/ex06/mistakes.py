"""02.6 Which way is cheaper?: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch02.ex06.answer import cost
from minigrad.course.bank.ch02.ex06.task import MODES, greedy, largest_first, split_once
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def bracketing(price: Callable[[int, int, int], int]) -> Callable[..., int]:
    """`cost` with another price for the product of a table (p, q) with a table (q, r)."""

    def answer(sizes, mode):
        def best(i, j):
            if j - i < 2:
                return 0
            ks = {"forward": [j - 1], "reverse": [i + 1], "best": range(i + 1, j)}[mode]
            return min(best(i, k) + best(k, j) + price(sizes[j], sizes[k], sizes[i]) for k in ks)

        return best(0, len(sizes) - 1)

    return answer


def instead(mode: str, other: Callable[..., Any]) -> Callable[..., Any]:
    """`cost`, but another answer for one of the modes."""
    return lambda sizes, wanted: other(sizes) if wanted == mode else cost(sizes, wanted)


def at_price(mode: str, price: Callable[[int, int, int], int]) -> Callable[..., Any]:
    return instead(mode, lambda sizes: bracketing(price)(sizes, mode))


MISTAKES |= {
    f"{mode}: {name}": Mistake(at_price(mode, price), hint)
    for mode in MODES
    for name, price, hint in (
        (
            "additions are counted too",
            lambda p, q, r: p * r * (2 * q - 1),
            "You counted the additions too. Each entry of a product of tables needs q multiplications (and q - 1 "
            "additions, which are not asked for): p·q·r in all.",
        ),
        (
            "only additions",
            lambda p, q, r: p * (q - 1) * r,
            "You counted additions: q - 1 for each entry. The multiplications are q for each entry: p·q·r in all.",
        ),
        (
            "only the entries",
            lambda p, q, r: p * r,
            "You counted the entries of each product, p·r. Each of them is a sum of **q** products: p·q·r.",
        ),
    )
}


def neighbours(sizes):
    return sum(a * b * c for a, b, c in zip(sizes, sizes[1:], sizes[2:], strict=False))


MISTAKES |= {
    f"{mode}: neighbours": Mistake(
        instead(mode, neighbours),
        f"You multiplied each three neighbours in `sizes`. But a product of tables does not begin where its neighbour does: "
        f"on the way {ends}.",
    )
    for mode, ends in (
        ("forward", "it always has `sizes[0]` columns, because it begins at the input"),
        ("reverse", "it always has `sizes[-1]` rows, because it ends at the output"),
    )
}

MISTAKES["forward: begins at the output"] = Mistake(
    instead("forward", lambda sizes: cost(sizes, "reverse")),
    "That is reverse. *Forward* begins at the **input**: first step 2 times step 1, then step 3 times that. Every "
    "product on the way has `sizes[0]` columns.",
)

MISTAKES["reverse: begins at the input"] = Mistake(
    instead("reverse", lambda sizes: cost(sizes, "forward")),
    "That is forward. *Reverse* begins at the **output**: first the last step times the one before it. Every product "
    "on the way has `sizes[-1]` rows.",
)

MISTAKES["forward: the first table is multiplied"] = Mistake(
    instead("forward", lambda sizes: cost(sizes, "forward") + sizes[1] * sizes[0] * sizes[0]),
    "One product too many: the table of the first step is there already, and is multiplied by nothing. A chain of k "
    "steps takes k - 1 products, a single step none.",
)

MISTAKES["reverse: the last table is multiplied"] = Mistake(
    instead("reverse", lambda sizes: cost(sizes, "reverse") + sizes[-1] * sizes[-1] * sizes[-2]),
    "One product too many: the table of the last step is there already, and is multiplied by nothing. A chain of k "
    "steps takes k - 1 products, a single step none.",
)

MISTAKES["best: always reverse"] = Mistake(
    instead("best", lambda sizes: cost(sizes, "reverse")),
    "Reverse is best when there are many inputs and few outputs. And with 1 input and 100 outputs?",
)

MISTAKES["best: always forward"] = Mistake(
    instead("best", lambda sizes: cost(sizes, "forward")),
    "Forward is best when there are few inputs and many outputs. And with 100 inputs and 1 output?",
)

MISTAKES["best: the better of the two"] = Mistake(
    instead("best", lambda sizes: min(cost(sizes, "forward"), cost(sizes, "reverse"))),
    "Forward and reverse are two ways of many: one may also begin in the middle. Where the chain is narrow in the "
    "middle, that can be much cheaper than both.",
)

MISTAKES["best: the cheapest product first"] = Mistake(
    instead("best", greedy),
    "You take the cheapest product first. That can be a bad beginning: it may leave an expensive one for the end. "
    "Ask instead which product comes **last**, and try them all.",
)



def grown_at_an_end(sizes):
    """The cheapest way in which each product adds one step at an end of what is there already."""

    def best(i, j):
        if j - i < 2:
            return 0
        return min(best(i + 1, j) + sizes[i] * sizes[i + 1] * sizes[j], best(i, j - 1) + sizes[i] * sizes[j - 1] * sizes[j])

    return best(0, len(sizes) - 1)


MISTAKES["best: one step more at an end"] = Mistake(
    instead("best", grown_at_an_end),
    "Not all ways are tried. Your last product has a single step on one of its sides, and so has each before it. Two longer pieces "
    "may be multiplied as well: cut at **every** place in the middle.",
)

MISTAKES["best: one cut"] = Mistake(
    instead("best", split_once),
    "You cut the chain once, and take each half from one of its ends. A half may be narrow in the middle, too: cut it in the "
    "same way, again and again.",
)

MISTAKES["best: the largest size first"] = Mistake(
    instead("best", largest_first),
    "You make the largest size go away first. That is a good guess, but a guess. Ask which product comes **last**, "
    "and try them all.",
)
