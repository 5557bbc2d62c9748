"""04.3 Will it raise?: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch04.ex03.task import OUTCOMES_SETUP, Draw
from minigrad.course.exercise import Part


def outcome(code: str) -> str:
    space: dict[str, Any] = {"mg": mg, "np": np}
    exec(OUTCOMES_SETUP, space)
    try:
        exec(code, space)
    except TypeError:
        return "type"
    except RuntimeError as error:
        return "scalar-only" if "scalar outputs" in str(error) else "shape"
    return "ok"


def outcomes(draw: Draw) -> dict[str, str]:
    """Run each line by itself and look."""
    return {key: outcome(code) for key, _, code in draw}


def outcomes_by_rule(draw: Draw) -> dict[str, str]:
    by_rule = {
        "many, no v": "scalar-only",
        "broadcasts": "shape",
        "same count": "shape",
        "other length": "shape",
        "list": "type",
        "number": "type",
        "numpy": "type",
    }
    return {key: by_rule.get(rule, "ok") for key, rule, _ in draw}


ANSWER = Part(
    reference=outcomes,
    alternatives={
        "by the rules": outcomes_by_rule,
    },
    hints=(
        "Ask three questions, in this order. Is there a `v` at all? If not: has `y` exactly one "
        "element? If there is a `v`: is it a Tensor? Only then: is its shape **exactly** that of `y`?",
        "A decision tree:\n\n```text\nv given? ── no ──► one element? ── yes ─► ok\n"
        "   │                         └── no ──► scalar-only\n   └─ yes ─► a Tensor? ── no ──► type\n"
        "                 └─ yes ─► v.shape == y.shape? ── yes ─► ok\n"
        "                                                     └── no ──► shape\n```\n\n"
        "The dtype of `v` is not in it.",
        "Of the eleven lines four are `ok`, one is `scalar-only`, three are `shape` and three are `type`.",
    ),
    explanation="""\
Three questions settle every line, in this order:

1. **No `v`:** then `y` must have exactly one element, on however many axes, and `v` = 1 is filled in.
   Otherwise *scalar-only*.
2. **`v` is no Tensor:** *type*, even if the numbers in it would fit.
3. **`v` is a Tensor:** its shape must equal that of `y`. No broadcasting, no reshaping, not even between
   `()` and `(1,)`. Its dtype may be another real one; the gradient keeps the dtype of `x`.

Why so strict? `v` says how much each output counts. A `v` that does not line up with `y` is nearly always a
`v` made for something else, most often for `x`, and a silent guess would give a wrong gradient with no
error.
""",
)
