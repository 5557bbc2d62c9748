"""16.9 Random programs: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch16.common import milestone

TASK = milestone(
    "M9",
    difficulty=3,
    minutes=20,
    extra=True,
)
