"""03.4 Chain: the mistakes that are known."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from minigrad.course.bank.ch03.common import Array
from minigrad.course.bank.ch03.ex01.answer import numjac
from minigrad.course.bank.ch03.ex04.answer import chain
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def chain_in_order(maps, x):
    total = None
    for f, J in maps:
        total = J(x) if total is None else total @ J(x)
        x = f(x)
    return total


IN_ORDER = (
    "You multiplied in the order in which the maps are applied. For 2 → 5 → 3 → 4 the product is "
    "(4×3)(3×5)(5×2): the **last** map stands first, as in h(g(f(x))). The inner sizes must meet."
)

MISTAKES["in the order of application"] = Mistake(chain_in_order, IN_ORDER)


def chain_in_order_from_identity(maps, x):
    total = np.eye(len(x))
    for f, J in maps:
        total = total @ J(x)
        x = f(x)
    return total


MISTAKES["in the order of application, from the identity"] = Mistake(chain_in_order_from_identity, IN_ORDER)


def chain_of_two(maps, x):
    (f, J), (_, K) = maps
    return K(f(x)) @ J(x)


MISTAKES["two maps only"] = Mistake(
    chain_of_two,
    "That fits a list of two maps. `maps` may hold one, two or more pairs: walk through the list with a loop.",
)


def tables_of(maps: Any, x: Array) -> list[Array]:
    """The Jacobians, each at its own point."""
    tables = []
    for f, J in maps:
        tables.append(J(x))
        x = f(x)
    return tables


MISTAKES["entry by entry"] = Mistake(
    lambda maps, x: reduce(lambda left, right: right * left, tables_of(maps, x)),
    "`*` multiplies entry by entry. An output sees an input along many ways, one through each number in "
    "between: multiply along each way and **add** them up. That is the matrix product, `@`.",
)

MISTAKES["added"] = Mistake(
    lambda maps, x: sum(tables_of(maps, x)),
    "You added the tables. Slopes that follow each other on a way **multiply**; only different ways are added. "
    "The matrix product `@` does both.",
)

MISTAKES["begun with 1"] = Mistake(
    lambda maps, x: reduce(lambda left, right: right @ left, tables_of(maps, x), 1),
    "`@` wants tables on both sides, and `1` is none. What changes nothing in a product of tables is the "
    "identity: begin with `np.eye(len(x))`.",
)


def chain_at_x(maps, x):
    total = np.eye(len(x))
    for _, J in maps:
        total = J(x) @ total
    return total


MISTAKES["all at x"] = Mistake(
    chain_at_x,
    "You asked for every Jacobian at `x`. The second map never sees x: it gets `f(x)`. Carry the point along, "
    "`x = f(x)`, and ask each J where its own map is applied.",
)


def chain_after(maps, x):
    total = np.eye(len(x))
    for f, J in maps:
        x = f(x)
        total = J(x) @ total
    return total


MISTAKES["one step too far"] = Mistake(
    chain_after,
    "You asked each J at what its map gives **out**. It belongs to the point that goes **in**: first `J(x)`, then `x = f(x)`.",
)


def chain_last(maps, x):
    for f, J in maps:
        last = J(x)
        x = f(x)
    return last


MISTAKES["the last one only"] = Mistake(
    chain_last,
    "That is the Jacobian of the last map alone: by its own input, not by x. Multiply by those of the maps before it.",
)


def chain_by_differences(maps, x):
    return numjac(lambda x: reduce(lambda x, pair: pair[0](x), maps, x), x)


MISTAKES["differences"] = Mistake(
    chain_by_differences,
    "You asked no J. Differences of the whole come near, but the chain rule is exact, and the pieces are at "
    "hand: multiply the tables `J(x)`.",
)

MISTAKES["transposed"] = Mistake(
    lambda maps, x: chain(maps, x).T, "The numbers are right, but transposed: a row for each output, a column for each input."
)
