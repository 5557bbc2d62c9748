"""16.4 Modes, detach, hooks: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch16.common import milestone

TASK = milestone(
    "M4",
    difficulty=3,
    minutes=45,
)
