"""06.1 The ledger: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.exercise import Part

LEDGER_SETUP = "w = mg.tensor({start}.0, requires_grad=True)\n\n"

LEDGER_LINES = {
    "build": "y = {k} * w",
    "line": "({k} * w).backward()",
    "square": "(w**2).backward()",
    "twice": "(w + {k} * w).backward()",
    "none": "w.grad = None",
    "zero": "w.grad.zero_()",
    "step": "with mg.no_grad(): w -= 1",
}

LedgerDraw = tuple[int, list[tuple[str, str, int]]]  # the start, and (key, rule, k) for each line


class Ledger:
    """w and w.grad as somebody keeps them on paper. The methods are the rules; a belief changes some of them."""

    def __init__(self, start: int) -> None:
        self.w = float(start)
        self.grad: float | None = None

    def add(self, value: float, slope: float) -> None:
        self.grad = (self.grad or 0.0) + slope

    def build(self, k: int) -> None: ...

    def line(self, k: int) -> None:
        self.add(k * self.w, k)

    def square(self, k: int) -> None:
        self.add(self.w**2, 2 * self.w)

    def twice(self, k: int) -> None:
        self.add((1 + k) * self.w, 1 + k)

    def none(self, k: int) -> None:
        self.grad = None

    def zero(self, k: int) -> None:
        self.grad = 0.0

    def step(self, k: int) -> None:
        self.w -= 1

    def shown(self) -> float | None:
        return self.grad


class Overwrites(Ledger):
    def add(self, value: float, slope: float) -> None:
        self.grad = slope


class NoneIsZero(Ledger):
    def shown(self) -> float | None:
        return 0.0 if self.grad is None else self.grad


class ZeroIsNone(Ledger):
    def zero(self, k: int) -> None:
        self.grad = None


class BuildingCounts(Ledger):
    def build(self, k: int) -> None:
        self.line(k)


class StepClears(Ledger):
    def step(self, k: int) -> None:
        self.w -= 1
        self.grad = None


class StepZeroes(Ledger):
    def step(self, k: int) -> None:
        self.w -= 1
        self.grad = 0.0


class StepDoesNotMove(Ledger):
    def step(self, k: int) -> None: ...


class Remembers(Ledger):
    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.before = 0.0

    def add(self, value: float, slope: float) -> None:
        self.grad = self.before + slope
        self.before = self.grad


class Values(Ledger):
    def add(self, value: float, slope: float) -> None:
        super().add(value, value)


class OnePath(Ledger):
    def twice(self, k: int) -> None:
        self.add((1 + k) * self.w, k)


BELIEFS = (
    Overwrites,
    NoneIsZero,
    ZeroIsNone,
    BuildingCounts,
    StepClears,
    StepZeroes,
    StepDoesNotMove,
    Remembers,
    Values,
    OnePath,
)


def kept_by(ledger: type[Ledger]) -> Callable[[LedgerDraw], dict[str, Any]]:
    """The entries of somebody who keeps such a ledger."""

    def entries(draw: LedgerDraw) -> dict[str, Any]:
        book, seen = ledger(draw[0]), {}
        for key, rule, k in draw[1]:
            getattr(book, rule)(k)
            seen[key] = book.shown()
        return seen

    return entries


def ledger_draw(rng: np.random.Generator) -> LedgerDraw:
    """A script that tells all beliefs apart."""
    while True:
        start = int(rng.integers(3, 7))
        rules = [str(r) for r in rng.permutation(["line", "line", "square", "square", "twice", "none", "zero", "step", "build"])]
        ks = rng.permutation(np.arange(2, 11))
        draw = start, [(key, rule, int(k)) for key, rule, k in zip("abcdefghi", rules, ks, strict=True)]
        truth = kept_by(Ledger)(draw)
        at = rules.index("zero")
        zero_fits = at > 0 and truth["abcdefghi"[at - 1]] is not None
        if zero_fits and all(tell_apart(draw, truth, a, b) for a in BELIEFS for b in (Ledger, *BELIEFS) if a is not b):
            return draw


def tell_apart(draw: LedgerDraw, truth: dict[str, Any], a: type[Ledger], b: type[Ledger]) -> bool:
    """Whether b would write something else than a somewhere where a is wrong."""
    first, second = kept_by(a)(draw), kept_by(b)(draw)
    return any(first[key] != truth[key] and first[key] != second[key] for key in truth)


def ledger_program(draw: LedgerDraw) -> str:
    lines = [(key, LEDGER_LINES[rule].format(k=k)) for key, rule, k in draw[1]]
    width = max(len(code) for _, code in lines)
    return LEDGER_SETUP.format(start=draw[0]) + "\n".join(f"{code:{width}}  # {key}" for key, code in lines)


TASK = Part(
    id="06.1",
    title="The ledger",
    difficulty=1,
    minutes=4,
    draws=ledger_draw,
    program=ledger_program,
    name="grads",
)
