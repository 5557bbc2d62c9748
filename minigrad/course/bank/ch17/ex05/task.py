"""17.5 A rounded cotangent: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch17.common import change

TASK = change(
    "E5",
    "A node that rounds its cotangent",
    difficulty=3,
    minutes=20,
)
