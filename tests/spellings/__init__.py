"""Right answers in other styles, and known mistakes written another way: what the checker must judge as it judges those it knows."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from minigrad.course.exercise import Exercise


def _of(exercise: Exercise, table: str) -> dict[str, Callable[..., Any]]:
    return getattr(importlib.import_module(f"{__name__}.ch{exercise.chapter}"), table).get(exercise.id, {})


def alternatives(exercise: Exercise) -> dict[str, Callable[..., Any]]:
    """All right answers but the reference: those of the bank too."""
    return exercise.alternatives | _of(exercise, "ALTERNATIVES")


def again(exercise: Exercise) -> dict[str, Callable[..., Any]]:
    """The second spellings of the mistakes and of the wasteful answers, by their names."""
    return _of(exercise, "AGAIN")
