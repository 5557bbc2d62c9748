"""17.2 A walk that counts: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch17.common import change

TASK = change(
    "E2",
    "Make the walk count what it runs",
    difficulty=3,
    minutes=25,
)
