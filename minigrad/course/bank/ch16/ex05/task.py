"""16.5 Double backward: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch16.common import milestone

TASK = milestone(
    "M5",
    difficulty=4,
    minutes=90,
)
