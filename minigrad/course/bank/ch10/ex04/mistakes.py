"""10.4 Pick the mode: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch10.ex04.task import Line
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def table_of(choose: Callable[[str, int, int, int], tuple[str, int]]) -> Callable[[list[Line]], dict[str, Any]]:
    """The dict of somebody who chooses so."""

    def answers(draw: list[Line]) -> dict[str, Any]:
        told: dict[str, Any] = {}
        for letter, kind, n, m, k in draw:
            told[letter], told[f"{letter} passes"] = choose(kind, n, m, k)
        return told

    return answers


def always(mode: str) -> Callable[[list[Line]], dict[str, Any]]:
    own, size = ("J t", 0) if mode == "forward" else ("vT J", 1)
    return table_of(lambda kind, n, m, k: (mode, k if own in kind else (n, m)[size]))


MISTAKES["reverse always"] = Mistake(
    always("reverse"),
    "So answers, or counts, who goes backward here. A backward pass gives a **row** of J: for J t, and for all of J, that is a pass "
    "for each output. A forward pass gives a **column**, and few inputs have few columns. And J t is one forward pass.",
)

MISTAKES["forward always"] = Mistake(
    always("forward"),
    "So answers, or counts, who goes forward here. A forward pass gives a **column** of J: for vᵀJ, and for all of J, that is a pass "
    "for each input. A backward pass gives a row, and a loss has one row only. And vᵀJ is one backward pass.",
)


def swapped(kind: str, n: int, m: int, k: int) -> tuple[str, int]:
    """Rows and columns mixed up: for J as for the products."""
    if "J t" in kind or "vT J" in kind:
        return ("reverse" if "J t" in kind else "forward"), k
    return ("reverse", n) if n < m else ("forward", m)


MISTAKES["rows and columns swapped"] = Mistake(
    table_of(swapped),
    "It is the other way round. **Forward**: one tangent in at the inputs, one column out, J t. **Reverse**: one "
    "weight for each output, one row out, vᵀJ.",
)


def cheapest(n: int, m: int) -> tuple[str, int]:
    """The cheaper mode for a whole Jacobian with m rows and n columns."""
    return ("forward", n) if n < m else ("reverse", m)


def whole_first(kind: str, n: int, m: int, k: int) -> tuple[str, int]:
    return cheapest(n, m)


MISTAKES["the whole Jacobian first"] = Mistake(
    table_of(whole_first),
    "For a product nobody builds J. One J t is one forward pass, one vᵀJ is one backward pass, however large J would be.",
)


def right_mode(kind: str, n: int, m: int, k: int) -> tuple[str, int]:
    return ("forward", k) if "J t" in kind else ("reverse", k) if "vT J" in kind else cheapest(n, m)


def one_is_enough(kind: str, n: int, m: int, k: int) -> tuple[str, int]:
    return right_mode(kind, n, m, k)[0], 1


MISTAKES["one pass for everything"] = Mistake(
    table_of(one_is_enough),
    "One pass gives one row or one column. For all of J you need all its rows, or all its columns; and for several "
    "products a pass for each.",
)


def the_larger(kind: str, n: int, m: int, k: int) -> tuple[str, int]:
    """The right mode for J, the wrong number."""
    mode, count = right_mode(kind, n, m, k)
    return mode, count if "J t" in kind or "vT J" in kind else max(n, m)


MISTAKES["the number of the other side"] = Mistake(
    table_of(the_larger),
    "The mode is right, the count is not. Forward: a pass for each **column**, and there are as many as inputs. "
    "Reverse: a pass for each row, as many as outputs.",
)
