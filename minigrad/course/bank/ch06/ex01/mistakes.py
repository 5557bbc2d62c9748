"""06.1 The ledger: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch06.ex01.answer import ADDED, BUILT, NOT_ZERO, PATHS, SLOPES, STEPPED, ZEROED
from minigrad.course.bank.ch06.ex01.task import (
    BuildingCounts,
    NoneIsZero,
    OnePath,
    Overwrites,
    Remembers,
    StepClears,
    StepDoesNotMove,
    StepZeroes,
    Values,
    ZeroIsNone,
    kept_by,
)
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}
MISTAKES["overwrites"] = Mistake(kept_by(Overwrites), ADDED)
MISTAKES["None is zero"] = Mistake(kept_by(NoneIsZero), NOT_ZERO)
MISTAKES["zero is None"] = Mistake(kept_by(ZeroIsNone), ZEROED)
MISTAKES["building counts"] = Mistake(kept_by(BuildingCounts), BUILT)
MISTAKES["a step clears"] = Mistake(kept_by(StepClears), STEPPED)
MISTAKES["a step zeroes"] = Mistake(kept_by(StepZeroes), STEPPED)
MOVED = "Look at `w` after `w -= 1`: from there on the slope of w² is twice the **new** w."
MISTAKES["w does not move"] = Mistake(kept_by(StepDoesNotMove), MOVED)
CLEARED = "After `w.grad = None` (or `zero_()`) the old sum is gone. The next `backward` starts from nothing."
MISTAKES["the old sum comes back"] = Mistake(kept_by(Remembers), CLEARED)
MISTAKES["values for slopes"] = Mistake(kept_by(Values), SLOPES)
MISTAKES["one path of two"] = Mistake(kept_by(OnePath), PATHS)
