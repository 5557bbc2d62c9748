"""17.6 A write to a slice: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch17.common import change

TASK = change(
    "E6",
    "Write the rule of a write to a slice",
    difficulty=5,
    minutes=50,
)
