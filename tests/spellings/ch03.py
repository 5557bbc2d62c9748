"""Right answers of chapter 03 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch03.ex01.answer import numjac, numjac_filled
from minigrad.course.bank.ch03.ex01.mistakes import numjac_by, one_sided
from minigrad.course.bank.ch03.ex02.mistakes import by_differences, with_rule
from minigrad.course.bank.ch03.ex04.mistakes import tables_of
from minigrad.course.bank.ch03.ex05.mistakes import row_softmax, tables
from minigrad.course.bank.ch03.ex06.mistakes import by_type

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 03.1 Finite differences --------------------------------------------------------------------------------


def numjac_comprehension(f, x, eps=1e-6):
    return np.array([(f(x + eps * e) - f(x - eps * e)) / (2 * eps) for e in np.identity(x.size)]).T


def numjac_entries(f, x, eps=1e-6):
    """Entry by entry, with f's results copied before its input is written to again."""
    rows = []
    for i in range(f(x).shape[0]):
        row = []
        for j in range(x.shape[0]):
            moved = 1.0 * x
            moved[j] = x[j] + eps
            up = float(f(moved)[i])
            moved[j] = x[j] - eps
            row.append((up - float(f(moved)[i])) / (2 * eps))
        rows.append(row)
    return np.array(rows)


def one_sided_filled(f, x, eps=1e-6):
    y = f(x)
    J = np.zeros((len(y), len(x)))
    for j in range(len(x)):
        up = x.astype(float)
        up[j] += eps
        J[:, j] = (f(up) - y) / eps
    return J


def one_sided_negative(f, x, eps=1e-6):
    return numjac_by(f, x, eps, lambda up, here, down: -(down - here) / eps)


def transposed_filled(f, x, eps=1e-6):
    J = np.zeros((len(x), len(f(x))))
    for j in range(len(x)):
        e = np.where(np.arange(len(x)) == j, eps, 0.0)
        J[j] = (f(x + e) - f(x - e)) / (2 * eps)
    return J


def moved_in_place_restored(f, x, eps=1e-6):
    J = np.zeros((len(f(x)), len(x)))
    for j in range(len(x)):
        before = x[j]
        x[j] = before + eps
        up = np.array(f(x))
        x[j] = before - eps
        J[:, j] = (up - f(x)) / (2 * eps)
        x[j] = before
    return J


def lost(f, x, eps=1e-6):
    step = np.array([eps]).astype(x.dtype)[0]
    return np.array([(f(x + step * e) - f(x - step * e)) / (2 * eps) for e in np.eye(len(x), dtype=x.dtype)]).T


def eps_lost_below(f, x, eps=1e-6):
    """The step up is lost, the step down becomes a whole 1: `x[j] - eps` is cut off towards zero."""
    columns = []
    for j in range(len(x)):
        moved = x.copy()
        moved[j] = x[j] + eps
        up = np.array(f(moved))
        moved[j] = x[j] - eps
        columns.append((up - f(moved)) / (2 * eps))
    return np.stack(columns, axis=-1)


def one_array_each(f, x, eps=1e-6):
    columns = []
    for j in range(len(x)):
        moved = np.array(x, dtype=float)
        moved[j] += eps
        up = f(moved)
        moved[j] -= 2 * eps
        down = f(moved)
        columns.append((up - down) / (2 * eps))
    return np.array(columns).T


def all_at_once_ones(f, x, eps=1e-6):
    step = eps * np.ones(len(x))
    return (f(x + step) - f(x - step)) / eps / 2


def not_put_back_triangle(f, x, eps=1e-6):
    steps = eps * np.tril(np.ones((len(x), len(x))))
    return np.stack([(f(x + s) - f(x - s)) / (2 * eps) for s in steps], axis=1)


ALTERNATIVES["03.1"] = {"in one line": numjac_comprehension, "entry by entry": numjac_entries}

def table_like_x(f, x, eps=1e-6):
    J = np.zeros((len(f(x)), len(x)), dtype=x.dtype)
    for j, e in enumerate(np.eye(len(x))):
        J[:, j] = (f(x + eps * e) - f(x - eps * e)) / (2 * eps)
    return J


AGAIN["03.1"] = {
    "a table of whole numbers": table_like_x,
    "one-sided": one_sided_filled,
    "one-sided, backward": one_sided_negative,
    "transposed": transposed_filled,
    "the 2 is missing": lambda f, x, eps=1e-6: 2 * numjac(f, x, eps),
    "times eps": lambda f, x, eps=1e-6: numjac(f, x, eps) * eps**2,
    "x is moved in place": moved_in_place_restored,
    "whole numbers": lost,
    "whole numbers, down is 1": eps_lost_below,
    "one array for both sides": one_array_each,
    "all inputs at once": all_at_once_ones,
    "the last step stays": not_put_back_triangle,
    "steps of 1": lambda f, x, eps=1e-6: numjac_filled(f, x, 1) / eps,
    "eps is ignored": lambda f, x, eps=1e-6: numjac_filled(f, x, 1e-4),
}


# --- 03.2 Jacobian puzzles ----------------------------------------------------------------------------------


class JacByLoops:
    """Every Jacobian entry by entry."""

    @staticmethod
    def relu(x):
        J = np.zeros((len(x), len(x)))
        for i, value in enumerate(x):
            if value > 0:
                J[i, i] = 1
        return J

    @staticmethod
    def cumsum(x):
        return np.array([[1 if j <= i else 0 for j in range(len(x))] for i in range(len(x))])

    @staticmethod
    def running_mean(x, k):
        m = len(x) - k + 1
        J = np.zeros((m, len(x)))
        for i in range(m):
            J[i, i : i + k] = 1 / k
        return J

    @staticmethod
    def outer(x, b):
        J = np.zeros((len(x) * len(b), len(x)))
        for i in range(len(x)):
            for j in range(len(b)):
                J[i * len(b) + j, i] = b[j]
        return J

    @staticmethod
    def transpose(X):
        p, q = X.shape
        J = np.zeros((p * q, p * q))
        for i in range(p):
            for j in range(q):
                J[j * p + i, i * q + j] = 1.0
        return J

    @staticmethod
    def sort(x):
        J = np.zeros((len(x), len(x)), dtype=int)
        for i, j in enumerate(sorted(range(len(x)), key=lambda j: x[j])):
            J[i, j] = 1
        return J


class JacByColumns:
    """The linear ones by what they do to each row of the identity, the others by masks."""

    @staticmethod
    def relu(x):
        return np.eye(len(x)) * np.heaviside(x, 0.5)

    @staticmethod
    def cumsum(x):
        return np.cumsum(np.eye(len(x)), axis=0)

    @staticmethod
    def running_mean(x, k):
        return np.array([np.convolve(e, np.ones(k) / k, "valid") for e in np.eye(len(x))]).T

    @staticmethod
    def outer(x, b):
        return np.stack([np.outer(e, b).ravel() for e in np.eye(len(x))], axis=1)

    @staticmethod
    def transpose(X):
        return np.stack([e.reshape(X.shape).T.ravel() for e in np.eye(X.size)], axis=-1)

    @staticmethod
    def sort(x):
        return 1.0 * (np.sort(x)[:, None] == x[None, :])


ALTERNATIVES["03.2"] = {"loops": JacByLoops, "what happens to the identity": JacByColumns}

AGAIN["03.2"] = {
    "relu: the sign": with_rule(relu=lambda x: np.diag(x / np.abs(x))),
    "cumsum: the terms": with_rule(cumsum=lambda x: np.tril(np.tile(x, (len(x), 1)))),
    "running_mean: the last row is missing": with_rule(
        running_mean=lambda x, k: sum(np.eye(len(x) - k, len(x), shift) for shift in range(k)) / k
    ),
    "differences": by_differences(3e-5),
    "relu: the slopes only": with_rule(relu=lambda x: np.where(x > 0, 1.0, 0.0)),
    "relu: in every row": with_rule(relu=lambda x: np.tile(np.heaviside(x, 0.0), (len(x), 1))),
    "relu: all pass": with_rule(relu=lambda x: np.diag(np.ones_like(x))),
    "relu: the values": with_rule(relu=lambda x: np.diag(x * (x > 0))),
    "cumsum: upper": with_rule(cumsum=lambda x: np.cumsum(np.eye(len(x)), axis=1)),
    "cumsum: all ones": with_rule(cumsum=lambda x: np.zeros((len(x), len(x))) + 1),
    "cumsum: no diagonal": with_rule(cumsum=lambda x: np.array([[float(j < i) for j in range(len(x))] for i in range(len(x))])),
    "running_mean: transposed": with_rule(
        running_mean=lambda x, k: np.array([np.convolve(e, np.ones(k) / k, "valid") for e in np.eye(len(x))])
    ),
    "running_mean: not divided": with_rule(
        running_mean=lambda x, k: np.tril(np.triu(np.ones((len(x) - k + 1, len(x)))), k - 1)
    ),
    "running_mean: every input": with_rule(running_mean=lambda x, k: np.ones((len(x) - k + 1, len(x))) / k),
    "running_mean: square": with_rule(running_mean=lambda x, k: np.tril(np.triu(np.ones((len(x), len(x)))), k - 1) / k),
    "outer: transposed": with_rule(outer=lambda x, b: np.array([np.outer(e, b).ravel() for e in np.eye(len(x))])),
    "outer: the other order": with_rule(outer=lambda x, b: np.vstack([value * np.eye(len(x)) for value in b])),
    "outer: b everywhere": with_rule(outer=lambda x, b: np.outer(np.tile(b, len(x)), np.ones(len(x)))),
    "outer: ones": with_rule(outer=lambda x, b: np.repeat(np.eye(len(x)), len(b), axis=0)),
    "transpose: nothing moves": with_rule(transpose=lambda X: np.diag(np.ones(X.size))),
    "transpose: the way back": with_rule(
        transpose=lambda X: np.eye(X.size)[np.argsort(np.arange(X.size).reshape(X.shape).T.ravel())]
    ),
    "transpose: X.T": with_rule(
        transpose=lambda X: np.array([[X[i, j] for i in range(X.shape[0])] for j in range(X.shape[1])])
    ),
    "sort: the way back": with_rule(sort=lambda x: np.eye(len(x))[:, np.argsort(x)]),
    "sort: nothing moves": with_rule(sort=lambda x: np.diag(x / x)),
    "sort: no slope": with_rule(sort=lambda x: 0 * np.outer(x, x)),
}


# --- 03.3 Shapes --------------------------------------------------------------------------------------------


# --- 03.4 Chain ---------------------------------------------------------------------------------------------


def chain_collected(maps, x):
    tables = []
    for f, J in maps:
        tables.append(J(x))
        x = f(x)
    return reduce(lambda left, right: left @ right, tables[::-1])


def chain_first(maps, x):
    (f, J), *others = maps
    return J(x) if not others else chain_first(others, f(x)) @ J(x)


def chain_columns(maps, x):
    """One column of the identity after the other goes through the tables."""
    columns = []
    for e in np.eye(len(x)):
        at, moved = x, e
        for f, J in maps:
            at, moved = f(at), J(at) @ moved
        columns.append(moved)
    return np.transpose(columns)


def chain_at_x_reversed(maps, x):
    return reduce(lambda left, right: left @ right, [J(x) for _, J in maps][::-1])


def chain_after_collected(maps, x):
    points = [x]
    for f, _ in maps:
        points.append(f(points[-1]))
    tables = [J(at) for (_, J), at in zip(maps, points[1:], strict=True)]
    return reduce(np.matmul, tables[::-1])


def chain_by_differences_loop(maps, x):
    def whole(x):
        for f, _ in maps:
            x = f(x)
        return x

    return one_sided_filled(whole, x)


ALTERNATIVES["03.4"] = {
    "collected, then multiplied": chain_collected,
    "recursive": chain_first,
    "column by column": chain_columns,
}

def chain_first_and_second(maps, x):
    first, second = maps
    return second[1](first[0](x)) @ first[1](x)


AGAIN["03.4"] = {
    "transposed": lambda maps, x: reduce(np.matmul, [table.T for table in tables_of(maps, x)]),
    "in the order of application, from the identity": lambda maps, x: reduce(np.matmul, tables_of(maps, x), np.eye(len(x))),
    "two maps only": chain_first_and_second,
    "in the order of application": lambda maps, x: reduce(np.matmul, tables_of(maps, x)),
    "entry by entry": lambda maps, x: reduce(np.multiply, tables_of(maps, x)),
    "added": lambda maps, x: reduce(np.add, tables_of(maps, x)),
    "begun with 1": lambda maps, x: np.matmul(tables_of(maps, x)[0], 1.0),
    "all at x": chain_at_x_reversed,
    "one step too far": chain_after_collected,
    "the last one only": lambda maps, x: tables_of(maps, x)[-1],
    "differences": chain_by_differences_loop,
}


# --- 03.5 The Jacobian of softmax ---------------------------------------------------------------------------


def softmax_jac_batched(Z):
    P = row_softmax(Z)
    return np.eye(Z.shape[1]) * P[:, None, :] - P[:, :, None] * P[:, None, :]


def softmax_jac_einsum(Z):
    P = row_softmax(Z)
    J = -np.einsum("bi,bj->bij", P, P)
    k = np.arange(Z.shape[1])
    J[:, k, k] += P
    return J


def softmax_jac_engine(Z):
    rows = mg.tensor(Z, dtype=mg.float64)
    return np.stack([mg.autograd.functional.jacobian(lambda z: mg.softmax(z, 0), z).numpy() for z in rows])


ALTERNATIVES["03.5"] = {"all rows at once": softmax_jac_batched, "einsum": softmax_jac_einsum, "the engine": softmax_jac_engine}

AGAIN["03.5"] = {
    "the first row for all": lambda Z: np.repeat(tables(row_softmax(Z[:1]), lambda p: np.diag(p) - np.outer(p, p)), len(Z), 0),
    "all signs turned": lambda Z: tables(row_softmax(Z), lambda p: p[:, None] * (p - np.eye(len(p)))),
    "diagonal only": lambda Z: np.eye(Z.shape[1]) * (row_softmax(Z) * (1 - row_softmax(Z)))[:, :, None],
    "the diagonal alone, as a row": lambda Z: row_softmax(Z) - row_softmax(Z) ** 2,
    "ones on the diagonal": lambda Z: np.eye(Z.shape[1]) - row_softmax(Z)[:, :, None] * row_softmax(Z)[:, None, :],
    "p on the diagonal": lambda Z: np.eye(Z.shape[1]) * row_softmax(Z)[:, None, :],
    "diag is missing": lambda Z: row_softmax(Z)[:, None, :] * (1 - row_softmax(Z)[:, :, None]),
    "diag is missing, down the columns": lambda Z: row_softmax(Z)[:, :, None] * (1 - row_softmax(Z)[:, None, :]),
    "p * p is no table": lambda Z: np.eye(Z.shape[1]) * row_softmax(Z)[:, None] - row_softmax(Z)[:, None] ** 2,
    "p @ p.T is a number": lambda Z: tables(row_softmax(Z), lambda p: np.diag(p) - (p**2).sum()),
    "the whole batch's Jacobian": lambda Z: mg.autograd.functional.jacobian(
        lambda Z: mg.softmax(Z, 1), mg.tensor(Z, dtype=mg.float64)
    ).numpy(),
    "p itself": lambda Z: np.exp(Z) / np.exp(Z).sum(axis=1)[:, None],
    "only the second term": lambda Z: -row_softmax(Z)[:, :, None] * row_softmax(Z)[:, None, :],
    "the other sign": lambda Z: np.eye(Z.shape[1]) * row_softmax(Z)[:, None] + np.einsum("bi,bj->bij", *2 * [row_softmax(Z)]),
    "the whole batch together": lambda Z: tables(
        row_softmax(Z.reshape(1, -1)).reshape(Z.shape), lambda p: np.diag(p) - p[:, None] * p[None, :]
    ),
    "down the columns": lambda Z: tables(np.exp(Z) / np.exp(Z).sum(0), lambda p: np.diag(p) - p[:, None] * p),
    "slopes of exp only": lambda Z: np.eye(Z.shape[1]) * np.exp(Z)[:, None] - np.exp(Z)[:, :, None] * np.exp(Z)[:, None],
    "differences": lambda Z: tables(Z, lambda z: one_sided(lambda z: row_softmax(z[None])[0], z, 1e-7)),
}


# --- 03.6 The best step -------------------------------------------------------------------------------------


def best_eps_spacing(f, x):
    one = np.spacing(np.ones_like(x))
    return float(3 * one) ** (1 / 3) * np.maximum(abs(x), 1)


def best_eps_search(f, x):
    """From large steps to small ones, as long as the slope changes less from one to the next."""
    steps = [max(1.0, abs(float(x))) * 10.0 ** (-k / 2) for k in range(1, 25)]
    slopes = [(float(f(x + type(x)(s))) - float(f(x - type(x)(s)))) / (2 * s) for s in steps]
    change = np.abs(np.diff(slopes))
    k = next(k for k in range(len(change) - 1) if change[k + 1] > change[k])
    return steps[k]


ALTERNATIVES["03.6"] = {"spacing": best_eps_spacing, "search": best_eps_search}

AGAIN["03.6"] = {
    "zero at zero": by_type(lambda x: 1e-5 * x, lambda x: 5e-3 * x),
    "negative": by_type(lambda x: 1e-5 if x < 100 else -1e-5 * x, lambda x: -5e-3 if x < 100 else 5e-3 * x),
    "too small in float32, where x is large": by_type(lambda x: 1e-5 * (1 + x), lambda x: 3e-3),
    "its sign is left": lambda f, x: np.finfo(x.dtype).eps ** (1 / 3) * (x if x > 1 else 1.0),
    "the type is ignored": lambda f, x: 1e-5 * (1 + abs(float(x))),
    "x is ignored": lambda f, x: np.cbrt(np.finfo(x.dtype).eps),
    "too small for zero": lambda f, x: np.cbrt(np.spacing(x)),
    "round-off": lambda f, x: np.sqrt(np.finfo(x.dtype).eps),
    "bent": lambda f, x: 1e-3 * (1 + abs(x)),
    "too large, for float32 or for a large x": by_type(lambda x: 6e-6 if x < 100 else x**2, lambda x: 10.0),
}
