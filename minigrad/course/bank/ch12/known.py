"""What answers and mistakes of several exercises of chapter 12 share. No sandbox sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch12.common import Draw
from minigrad.course.exercise import Case
from minigrad.course.judging.compare import differences


def spoiled(believed: Callable[[Any], Any], rule: str, truth: Callable[[Draw], dict[str, Any]]) -> Callable[[Draw], dict[str, Any]]:
    """The dict of somebody who is right except about one rule."""

    def predict(draw: Draw) -> dict[str, Any]:
        return truth(draw) | {key: believed(what) for key, its_rule, what in draw if its_rule == rule}

    return predict


def says(hints: dict[str, str], fits: Callable[[Any], bool], form: str) -> Callable[[Case, Any, Any], str | None]:
    """An `accept` that gives the hint of the first wrong line's rule, where no known belief explains the answer."""

    def accept(case: Case, got: Any, expected: Any) -> str | None:
        wrong = [d.path[0] for d in differences(got, expected, 1e-6)]
        told = [key for key in wrong if key in expected and got.get(key, ...) is not ...]
        if not told:
            return "" if wrong else None
        if not fits(got[told[0]]):
            return form
        return hints[next(rule for key, rule, _ in case.args[0] if key == told[0])]

    return accept
