"""17.1 A new operation: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch17.common import change

TASK = change(
    "E1",
    "A new operation, with its second derivative",
    difficulty=2,
    minutes=25,
)
