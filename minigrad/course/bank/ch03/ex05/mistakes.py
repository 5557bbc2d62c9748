"""03.5 The Jacobian of softmax: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigrad.course.bank.ch03.common import Array
from minigrad.course.bank.ch03.ex01.answer import numjac
from minigrad.course.bank.ch03.ex05.answer import softmax_jac
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def row_softmax(Z: Array) -> Array:
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    return np.asarray(E / E.sum(axis=1, keepdims=True))


def tables(P: Array, table: Callable[[Array], Array]) -> Array:
    return np.stack([table(p) for p in P])


MISTAKES["diagonal only"] = Mistake(
    lambda Z: tables(row_softmax(Z), lambda p: np.diag(p * (1 - p))),
    "Only the diagonal. But raising z₁ also **lowers** p₂: all of p sums to 1, so what one gains the others "
    "lose. Every output sees every input.",
)

MISTAKES["the diagonal alone, as a row"] = Mistake(
    lambda Z: row_softmax(Z) * (1 - row_softmax(Z)),
    "p (1 − p) is the diagonal alone. Every output sees every input, so there is a table for each row: n × n slopes.",
)

MISTAKES["ones on the diagonal"] = Mistake(
    lambda Z: tables(row_softmax(Z), lambda p: np.eye(len(p)) - np.outer(p, p)),
    "On the diagonal 1 is too much: p[i] is a share, and grows with z[i] by p[i] (1 − p[i]). The first term is `np.diag(p)`.",
)

MISTAKES["p on the diagonal"] = Mistake(
    lambda Z: tables(row_softmax(Z), np.diag),
    "p on the diagonal would be right if the sum below stayed the same. It grows too, when z[j] grows: that "
    "takes p[i] p[j] away from **every** entry.",
)

MISTAKES["diag is missing"] = Mistake(
    lambda Z: tables(row_softmax(Z), lambda p: p - np.outer(p, p)),
    "`p - np.outer(p, p)` adds p to **every** row of the table. It belongs on the diagonal: p[i] itself "
    "contains only z[i] above the fraction line. `np.diag(p)`.",
)

MISTAKES["diag is missing, down the columns"] = Mistake(
    lambda Z: tables(row_softmax(Z), lambda p: p[:, None] - np.outer(p, p)),
    "`p[:, None]` puts p into **every** column of the table. It belongs on the diagonal: `np.diag(p)`.",
)

MISTAKES["p * p is no table"] = Mistake(
    lambda Z: tables(row_softmax(Z), lambda p: np.diag(p) - p * p),
    "`p * p` has shape (n,): the squares, which are then taken off every row. You need the table of all products "
    "p[i] p[j]: `np.outer(p, p)`.",
)

MISTAKES["p @ p.T is a number"] = Mistake(
    lambda Z: tables(row_softmax(Z), lambda p: np.diag(p) - p @ p.T),
    "With one axis `p.T` is p itself, and `p @ p` is a single number. You need the table of all products "
    "p[i] p[j]: `np.outer(p, p)`.",
)

MISTAKES["the whole batch's Jacobian"] = Mistake(
    lambda Z: np.einsum("bij,bc->bicj", softmax_jac(Z), np.eye(len(Z))),
    "That is the Jacobian of the whole batch, of shape (B, n, B, n), and it is right. But no row sees another row: "
    "nearly all of it is 0. Return the B blocks only, in shape (B, n, n).",
)

MISTAKES["p itself"] = Mistake(
    row_softmax, "That is softmax itself, p. Its Jacobian has a slope for each pair of a share p[i] and a number z[j]."
)

MISTAKES["only the second term"] = Mistake(
    lambda Z: tables(row_softmax(Z), lambda p: -np.outer(p, p)),
    "The second term only. On the diagonal, z[i] also stands above the fraction line: that adds p[i].",
)

MISTAKES["the other sign"] = Mistake(
    lambda Z: tables(row_softmax(Z), lambda p: np.diag(p) + np.outer(p, p)),
    "The sign of the second term: when z[j] grows, the sum below the fraction line grows, and every p[i] "
    "**falls** by p[i] p[j].",
)

MISTAKES["the whole batch together"] = Mistake(
    lambda Z: tables(np.exp(Z) / np.exp(Z).sum(), lambda p: np.diag(p) - np.outer(p, p)),
    "You divided by the sum over **all** rows. Each row is a distribution of its own, and sums to 1: divide by "
    "the sum of its own row, `axis=1, keepdims=True`.",
)

MISTAKES["down the columns"] = Mistake(
    lambda Z: tables(row_softmax(Z.T).T, lambda p: np.diag(p) - np.outer(p, p)),
    "You divided by the sums of the columns: `axis=0` goes down through the batch. A row is one sample: `axis=1`.",
)

MISTAKES["slopes of exp only"] = Mistake(
    lambda Z: tables(np.exp(Z), lambda e: np.diag(e) - np.outer(e, e)),
    "You did not divide by the sum: p must sum to 1 in each row.",
)

MISTAKES["differences"] = Mistake(
    lambda Z: tables(Z, lambda z: numjac(lambda z: np.exp(z) / np.exp(z).sum(), z)),
    "Nearly right, up to the error of differences (or of float32). Here a formula is wanted: `np.diag(p) - …`. "
    "Keep the differences for checking it.",
)

MISTAKES["the first row for all"] = Mistake(
    lambda Z: tables(row_softmax(Z[[0] * len(Z)]), lambda p: np.diag(p) - np.outer(p, p)),
    "The table of the first row is right, and stands there for all the others too. Each row has its own p, and its own table.",
)

MISTAKES["all signs turned"] = Mistake(
    lambda Z: tables(row_softmax(Z), lambda p: np.outer(p, p) - np.diag(p)),
    "All signs are turned round. Raising z[i] **raises** p[i], and lowers the others: positive on the diagonal, negative elsewhere.",
)
