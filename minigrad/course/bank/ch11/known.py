"""What answers and mistakes of several exercises of chapter 11 share. No sandbox sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch11.common import Draw


def run(source: str) -> dict[str, Any]:
    """The variables that a small program leaves behind."""
    space: dict[str, Any] = {"mg": mg, "np": np}
    exec(source, space)
    return space


def believing(right: Callable[[Draw], dict[str, Any]], beliefs: dict[str, Any]) -> Callable[[Draw], dict[str, Any]]:
    """The dict of somebody who is right except about the lines of these rules."""
    return lambda draw: right(draw) | {key: beliefs[rule] for key, rule, _ in draw if rule in beliefs}
